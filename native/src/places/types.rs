//! Word types: how often each is one token, and whether it is always cut at the same places.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use crate::table::{prefetch, Interner, Prepared};

/// What there is of a type under a tokenizer beside the occurrences that are cut as the first one is.
#[derive(Clone, Copy, Default)]
struct Others {
    occurrences: u64,
    whole: u64,
}

/// Looks numbers up by a multiplication: they are no one's to choose.
#[derive(Default)]
pub struct Multiplied(u64);

impl Hasher for Multiplied {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(23);
    }
}

type Numbers<V> = HashMap<u64, V, BuildHasherDefault<Multiplied>>;

#[derive(Default)]
pub struct Types {
    table: Interner,
    counts: Vec<u64>,
    /// By type, then tokenizer: where its first occurrence is cut, bit `b` for a cut before byte `b + 1`. Of a long
    /// word, whether it is.
    first: Vec<u64>,
    /// By place in `first`. Nearly every word is always cut in one way.
    others: Numbers<Others>,
    /// Of types with more places than a number has bits: where their first occurrence is cut, by tokenizer.
    long: HashMap<u32, Vec<Vec<u64>>>,
    /// Words that wait to be added: (start, end) in the text, and their cuts.
    waiting: Vec<(usize, usize)>,
    cuts: Vec<u64>,
    /// Every occurrence stands for one more than so many.
    more: u64,
}

/// So many words wait to be looked up together: their places are then on their way from memory.
const AT_ONCE: usize = 64;

/// The types under one tokenizer.
#[derive(Debug, Default, PartialEq)]
pub struct TypeCounts {
    pub types: u64,
    /// Types that are one token wherever they occur.
    pub whole: u64,
    /// Types that are always cut at the same places.
    pub consistent: u64,
    /// Of the types that are one token in some places only: (occurrences that are, occurrences, how many such types).
    pub mixed: Vec<(u64, u64, u64)>,
}

impl Types {
    /// An occurrence of the word at `range` of a text, with its `cuts` under each tokenizer. It is added with others of
    /// the text: after the last one, [`Types::flush`].
    #[inline(always)]
    pub fn add(&mut self, text: &[u8], range: Range<usize>, cuts: &[u64]) {
        self.waiting.push((range.start, range.end));
        self.cuts.extend_from_slice(cuts);
        if self.waiting.len() == AT_ONCE {
            self.flush(text, cuts.len());
        }
    }

    /// From here on each occurrence that is added stands for so many, at least one.
    pub fn each_is(&mut self, occurrences: u64) {
        debug_assert!(self.waiting.is_empty() && occurrences > 0);
        self.more = occurrences - 1;
    }

    pub fn flush(&mut self, text: &[u8], width: usize) {
        let times = 1 + self.more;
        let mut keys = [Prepared::default(); AT_ONCE];
        for (key, &(start, end)) in keys.iter_mut().zip(&self.waiting) {
            *key = self.table.prepare(text, start, end);
        }
        let mut indices = [0; AT_ONCE];
        for (place, &(start, end)) in self.waiting.iter().enumerate() {
            let (index, new) = self.table.intern_prepared(keys[place], &text[start..end]);
            if new {
                self.counts.push(0);
                self.first
                    .extend_from_slice(&self.cuts[place * width..][..width]);
            } else {
                prefetch(&self.first, index as usize * width);
            }
            self.counts[index as usize] += times;
            indices[place] = index;
        }
        for (&index, cuts) in indices.iter().zip(self.cuts.chunks_exact(width.max(1))) {
            let at = index as usize * width;
            let first = &self.first[at..at + width];
            if first == cuts {
                continue;
            }
            for (number, (first, &cuts)) in first.iter().zip(cuts).enumerate() {
                if *first != cuts {
                    let others = self.others.entry((at + number) as u64).or_default();
                    others.occurrences += times;
                    others.whole += if cuts == 0 { times } else { 0 };
                }
            }
        }
        self.waiting.clear();
        self.cuts.clear();
    }

    /// The same for a word of more than 65 bytes.
    pub fn add_long(&mut self, word: &[u8], cuts: Vec<Vec<u64>>) {
        let any = |cuts: &Vec<u64>| u64::from(cuts.iter().any(|&bits| bits != 0));
        let times = 1 + self.more;
        let (index, new) = self.table.intern(word);
        if new {
            self.counts.push(0);
            self.first.extend(cuts.iter().map(any));
        }
        self.counts[index as usize] += times;
        let at = index as usize * cuts.len();
        let first = self.long.entry(index).or_insert_with(|| cuts.clone());
        for (number, (first, cuts)) in first.iter().zip(&cuts).enumerate() {
            if first != cuts {
                let others = self.others.entry((at + number) as u64).or_default();
                others.occurrences += times;
                others.whole += times * (1 - any(cuts));
            }
        }
    }

    /// Occurrences of a type that are one token under a tokenizer.
    fn whole(&self, index: usize, number: usize, width: usize) -> u64 {
        let place = index * width + number;
        let others = self
            .others
            .get(&(place as u64))
            .copied()
            .unwrap_or_default();
        let alike = self.counts[index] - others.occurrences;
        others.whole + if self.first[place] == 0 { alike } else { 0 }
    }

    /// Adds what another thread has seen.
    pub fn take(&mut self, other: Types, width: usize) {
        for (number, word) in other.table.keys().enumerate() {
            let (index, new) = self.table.intern(word);
            let long = other.long.get(&(number as u32));
            let theirs = &other.first[number * width..][..width];
            if new {
                self.counts.push(0);
                self.first.extend_from_slice(theirs);
                if let Some(long) = long {
                    self.long.insert(index, long.clone());
                }
            }
            self.counts[index as usize] += other.counts[number];
            for (place, &first) in theirs.iter().enumerate() {
                let at = index as usize * width + place;
                let differs = self.first[at] != first
                    || long.is_some_and(|long| long[place] != self.long[&index][place]);
                let added = if differs {
                    Others {
                        occurrences: other.counts[number],
                        whole: other.whole(number, place, width),
                    }
                } else {
                    let there = (number * width + place) as u64;
                    other.others.get(&there).copied().unwrap_or_default()
                };
                if added.occurrences > 0 {
                    let others = self.others.entry(at as u64).or_default();
                    others.occurrences += added.occurrences;
                    others.whole += added.whole;
                }
            }
        }
    }

    pub fn counts(&self, width: usize) -> Vec<TypeCounts> {
        let count = |number: usize| {
            let mut found = TypeCounts::default();
            let mut mixed = BTreeMap::new();
            for (index, &count) in self.counts.iter().enumerate() {
                let place = (index * width + number) as u64;
                let whole = self.whole(index, number, width);
                found.types += 1;
                found.consistent += u64::from(!self.others.contains_key(&place));
                if whole == count {
                    found.whole += 1;
                } else if whole > 0 {
                    *mixed.entry((whole, count)).or_default() += 1;
                }
            }
            let rows = mixed.into_iter();
            found.mixed = rows
                .map(|((whole, count), types)| (whole, count, types))
                .collect();
            found
        };
        (0..width).map(count).collect()
    }

    pub fn allocated(&self) -> usize {
        let long: usize = self.long.values().flatten().map(Vec::len).sum();
        self.table.allocated()
            + self.counts.capacity() * size_of::<u64>()
            + self.first.capacity() * size_of::<u64>()
            + self.others.capacity() * size_of::<(u64, Others)>()
            + long * size_of::<u64>()
    }
}
