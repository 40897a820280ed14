//! Classes of code points that a pattern treats alike, and sets of them.

use std::collections::HashMap;

use crate::pretok::scan::code_point_at;

const SHIFT: u32 = 7;
const BLOCK: usize = 1 << SHIFT;

/// The class of every code point, as a table of two stages.
pub struct Classes {
    blocks: Vec<u16>,
    index: Vec<u16>,
    /// One more than the largest class.
    pub count: usize,
}

impl Classes {
    /// `starts`: code points in ascending order, the first of them 0, each with the class of all from there on.
    pub fn new(starts: &[(u32, u16)]) -> Result<Classes, String> {
        let ascending = starts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if starts.first().is_none_or(|first| first.0 != 0) || !ascending {
            return Err("the classes of code points do not start at 0 and ascend".into());
        }
        let mut known: HashMap<[u16; BLOCK], u16> = HashMap::new();
        let mut blocks = Vec::new();
        let mut index = Vec::new();
        let mut current = 0;
        for block in 0..0x11_0000 >> SHIFT {
            let mut classes = [0; BLOCK];
            for (cp, class) in (block << SHIFT..).zip(&mut classes) {
                while starts.get(current + 1).is_some_and(|next| next.0 <= cp) {
                    current += 1;
                }
                *class = starts[current].1;
            }
            let number = known.len() as u16;
            index.push(*known.entry(classes).or_insert_with(|| {
                blocks.extend_from_slice(&classes);
                number
            }));
        }
        let largest = starts.iter().map(|start| start.1).max().unwrap_or(0);
        Ok(Classes {
            blocks,
            index,
            count: usize::from(largest) + 1,
        })
    }

    #[inline(always)]
    pub fn of(&self, cp: u32) -> u16 {
        let block = usize::from(self.index[(cp >> SHIFT) as usize]) << SHIFT;
        self.blocks[block + (cp as usize & (BLOCK - 1))]
    }

    /// The class of the code point at `at`, and its length in bytes.
    #[inline(always)]
    pub fn at(&self, text: &[u8], at: usize) -> (u16, usize) {
        let (cp, length) = code_point_at(text, at);
        (self.of(cp), length)
    }
}

/// A set of classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn none(classes: usize) -> Bits {
        Bits(vec![0; classes.div_ceil(64)])
    }

    pub fn all(classes: usize) -> Bits {
        let mut bits = Bits::none(classes);
        (0..classes).for_each(|class| bits.add(class as u16));
        bits
    }

    pub fn add(&mut self, class: u16) {
        self.0[usize::from(class) / 64] |= 1 << (class % 64);
    }

    #[inline(always)]
    pub fn has(&self, class: u16) -> bool {
        self.0[usize::from(class) / 64] >> (class % 64) & 1 != 0
    }

    pub fn union(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    pub fn without(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// A set of classes with the ASCII characters in it written out.
pub struct Set {
    ascii: [bool; 128],
    bits: Bits,
}

impl Set {
    pub fn new(bits: Bits, classes: &Classes) -> Set {
        let mut ascii = [false; 128];
        for (cp, found) in (0..).zip(&mut ascii) {
            *found = bits.has(classes.of(cp));
        }
        Set { ascii, bits }
    }

    /// The length in bytes of the code point at `at`, if it is in the set; 0 where it isn't, and at the end.
    #[inline(always)]
    pub fn length_at(&self, classes: &Classes, text: &[u8], at: usize) -> usize {
        match text.get(at) {
            None => 0,
            Some(&byte) if byte < 0x80 => usize::from(self.ascii[usize::from(byte)]),
            Some(_) => {
                let (class, length) = classes.at(text, at);
                if self.bits.has(class) {
                    length
                } else {
                    0
                }
            }
        }
    }

    /// The end of the run of at most `limit` code points of the set from `at`, and how many these are.
    #[inline(always)]
    pub fn run(&self, classes: &Classes, text: &[u8], mut at: usize, limit: u32) -> (usize, u32) {
        let mut taken = 0;
        while taken < limit {
            let length = self.length_at(classes, text, at);
            if length == 0 {
                break;
            }
            at += length;
            taken += 1;
        }
        (at, taken)
    }
}
