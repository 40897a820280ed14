//! Sixty-four bytes of ASCII at a time: bits for the classes of the bytes, from which a pattern's ends follow by a
//! few operations on whole words instead of a branch per pretoken.
//!
//! Blocks start where a pretoken does, so that nothing is carried from one to the next; what a block cannot know
//! (the pretoken that reaches its end) is looked at again by the next one.

use super::scan::{count_step, outside, HIGH};

/// Bit i is about byte i of 64 ASCII bytes. (What a pattern doesn't ask for isn't computed, as all is inlined.)
#[derive(Clone, Copy, Default)]
pub struct Block {
    pub capitals: u64,
    pub small: u64,
    pub digits: u64,
    /// `\s`
    pub blanks: u64,
    /// U+0020
    pub spaces: u64,
    pub newlines: u64,
    pub apostrophes: u64,
    pub slashes: u64,
}

impl Block {
    #[inline(always)]
    pub fn letters(&self) -> u64 {
        self.capitals | self.small
    }

    /// The places where pretokens of at most DIGITS digits (0: of any number) end inside each run of digits.
    #[inline(always)]
    pub fn ends_in_digits<const DIGITS: usize>(&self) -> u64 {
        match DIGITS {
            0 => 0,
            1 => self.digits << 1 & self.digits,
            3 => self.groups_of_three(),
            _ => unreachable!(),
        }
    }

    /// The places where groups of three digits, from the left of each run, end inside it.
    #[inline(always)]
    fn groups_of_three(&self) -> u64 {
        let digits = self.digits;
        let fourth = digits & digits << 1 & digits << 2 & digits << 3;
        let mut group = (digits & !(digits << 1)) << 3 & fourth;
        let mut groups = 0;
        while group != 0 {
            groups |= group;
            group = group << 3 & fourth;
        }
        groups
    }
}

/// The places of `bits`, lowest first.
#[inline(always)]
pub fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}

/// The bit of a place, if it has one.
#[inline(always)]
pub fn bit(place: usize) -> u64 {
    1u64.checked_shl(place as u32).unwrap_or(0)
}

/// The runs of `bits` that start at a bit of `seeds`, which are among the lowest bits of the runs.
#[inline(always)]
pub fn runs_from(seeds: u64, bits: u64) -> u64 {
    (bits ^ bits.wrapping_add(seeds)) & bits
}

/// The runs of `bits` that end at a bit of `seeds`, which are among the highest bits of the runs.
#[inline(always)]
pub fn runs_to(seeds: u64, bits: u64) -> u64 {
    runs_from(seeds.reverse_bits(), bits.reverse_bits()).reverse_bits()
}

/// What the 64 bytes from a place are.
pub enum Window {
    Ascii(Block),
    /// All of them lie before this place, or a character that is not ASCII does.
    NotBefore(usize),
}

impl Window {
    #[inline(always)]
    pub fn at(text: &[u8], at: usize) -> Window {
        count_step();
        let Some(bytes) = text.get(at..at + 64) else {
            return Window::NotBefore(text.len());
        };
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8]));
        }
        // From the last one, as text in other scripts mostly has a character of them there.
        if let Some(last) = words.iter().rposition(|&word| word & HIGH != 0) {
            let after = 8 - (words[last] & HIGH).leading_zeros() as usize / 8;
            return Window::NotBefore(at + 8 * last + after);
        }
        let mut block = Block::default();
        for word in words.into_iter().rev() {
            let spaces = outside(word, b' ', b' ');
            let push = |bits: &mut u64, outside: u64| *bits = *bits << 8 | inside_bits(outside);
            push(&mut block.capitals, outside(word, b'A', b'Z'));
            push(&mut block.small, outside(word, b'a', b'z'));
            push(&mut block.digits, outside(word, b'0', b'9'));
            push(&mut block.blanks, outside(word, b'\t', b'\r') & spaces);
            push(&mut block.spaces, spaces);
            let returns = outside(word, b'\r', b'\r');
            push(&mut block.newlines, outside(word, b'\n', b'\n') & returns);
            push(&mut block.slashes, outside(word, b'/', b'/'));
            push(&mut block.apostrophes, outside(word, b'\'', b'\''));
        }
        Window::Ascii(block)
    }
}

/// The top bits that are *not* set, one bit per byte.
#[inline(always)]
fn inside_bits(outside: u64) -> u64 {
    // The multiplication brings bit 8 i to bit 56 + i, and nothing else there.
    ((!outside & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
