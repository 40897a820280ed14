//! The training words as one flat array of symbols that merges rewrite in place.
//!
//! A token of n bytes covers n positions for good: its id stands at the first and, flagged, at the last of
//! them, so that both neighbours are found by the tokens' lengths, without links. Linked lists were left out
//! because they double the memory that a merge touches.
//!
//! Words stand in the order of falling counts. So the count of the word at a position follows from a short
//! list of ranges, and a list of rising positions walks through them, where an array of word numbers would
//! cost one more place in memory per occurrence.

use std::cmp::Reverse;

use super::TrainError;
use crate::table::prefetch;

/// Between words, and at both ends.
pub const BORDER: u32 = u32::MAX;
/// Inside a token.
const INSIDE: u32 = u32::MAX - 1;
/// Marks the last position of a token of more than one byte.
const LAST: u32 = 1 << 31;
/// The ids that stay below both the flag and the marks.
pub const MAX_IDS: usize = 1 << 31;

/// Positions up to `end` (from the end of the range before) lie in words that occur `count` times.
struct Range {
    end: u32,
    count: u64,
}

pub struct Words {
    symbols: Vec<u32>,
    /// The bytes below the symbols, as they were: the tokens' bytes are read here, since a list of tokens
    /// that extend one another would grow with the square of its length.
    text: Vec<u8>,
    ranges: Vec<Range>,
    /// Per id, where one token of this id begins in `text`, and its length.
    tokens: Vec<(u32, u32)>,
}

impl Words {
    /// Of distinct byte strings and their counts, in any order.
    pub fn new<'w>(items: impl Iterator<Item = (&'w [u8], u64)>) -> Result<Self, TrainError> {
        // A word of one byte has no pair.
        let mut words: Vec<_> = items
            .filter(|&(word, count)| word.len() > 1 && count > 0)
            .collect();
        words.sort_by_key(|&(_, count)| Reverse(count));

        let lengths = || {
            words
                .iter()
                .map(|&(word, count)| (word.len() as u64, count))
        };
        let positions = 257 + lengths().map(|(length, _)| length + 1).sum::<u64>();
        let bytes: u128 = lengths()
            .map(|(length, count)| u128::from(length) * u128::from(count))
            .sum();
        if positions > u64::from(u32::MAX) || bytes > u128::from(u64::MAX) {
            return Err(TrainError::TooLarge);
        }
        let positions = positions as usize;
        // The bytes themselves come first, out of every pair's reach, so that they are tokens like all others.
        let mut text: Vec<u8> = Vec::with_capacity(positions);
        text.extend(0..=255);
        text.push(0);
        let mut symbols = vec![BORDER; 257];
        symbols.reserve_exact(positions - 257);
        let mut ranges: Vec<Range> = Vec::new();
        for (word, count) in words {
            text.extend_from_slice(word);
            text.push(0);
            symbols.extend(word.iter().map(|&byte| u32::from(byte)));
            symbols.push(BORDER);
            let end = symbols.len() as u32;
            match ranges.last_mut() {
                Some(range) if range.count == count => range.end = end,
                _ => ranges.push(Range { end, count }),
            }
        }
        let tokens = (0..256).map(|byte| (byte, 1)).collect();
        Ok(Words {
            symbols,
            text,
            ranges,
            tokens,
        })
    }

    /// Calls with every pair of bytes, its position and its word's count, in the order of positions.
    pub fn for_each_pair(&self, mut visit: impl FnMut(u8, u8, u32, u64)) {
        let mut start = 257;
        for range in &self.ranges {
            let end = range.end as usize;
            let symbols = &self.symbols[start..end];
            for (offset, pair) in symbols.windows(2).enumerate() {
                if pair[0] != BORDER && pair[1] != BORDER {
                    visit(
                        pair[0] as u8,
                        pair[1] as u8,
                        (start + offset) as u32,
                        range.count,
                    );
                }
            }
            start = end;
        }
    }

    #[inline]
    pub fn token(&self, id: u32) -> &[u8] {
        let (start, length) = self.tokens[id as usize];
        &self.text[start as usize..][..length as usize]
    }

    #[inline]
    pub fn token_length(&self, id: u32) -> u32 {
        self.tokens[id as usize].1
    }

    /// Makes the next id, for the pair that stands at one of these positions, and gives its length. A token that
    /// stands nowhere has no bytes to read; its length is right as far as it fits, and is never used.
    pub fn add_token(&mut self, left: u32, right: u32, occurrences: &[u32]) -> u32 {
        let length = self
            .token_length(left)
            .saturating_add(self.token_length(right));
        let place = occurrences
            .iter()
            .find(|&&position| self.stands_at(position, left, right));
        debug_assert!(
            place.is_some() || occurrences.is_empty(),
            "a pair with a count stands somewhere"
        );
        self.tokens.push((place.copied().unwrap_or(0), length));
        length
    }

    #[inline(always)]
    fn stands_at(&self, position: u32, left: u32, right: u32) -> bool {
        // The first test makes sure that a token begins here; so one begins, or a word ends, after it.
        self.symbols[position as usize] == left
            && self.symbols[(position + self.token_length(left)) as usize] == right
    }

    /// Has the symbols at a position on their way from memory.
    #[inline(always)]
    pub fn prepare(&self, position: u32) {
        prefetch(&self.symbols, position as usize);
    }

    /// Replaces the pair at the position, if it still stands there, and gives its neighbours,
    /// `BORDER` for none. `lengths` are those of the two tokens.
    #[inline(always)]
    pub fn replace(
        &mut self,
        position: u32,
        (left, right, new): (u32, u32, u32),
        lengths: (u32, u32),
    ) -> Option<(u32, u32)> {
        let first = position as usize;
        let second = first + lengths.0 as usize;
        if self.symbols[first] != left || self.symbols[second] != right {
            return None;
        }
        let after = second + lengths.1 as usize;
        let before = self.symbols[first - 1];
        let neighbours = (
            if before == BORDER {
                BORDER
            } else {
                before & !LAST
            },
            self.symbols[after],
        );
        // In this order: any of these places may be the same one when a token has one byte.
        self.symbols[second - 1] = INSIDE;
        self.symbols[second] = INSIDE;
        self.symbols[after - 1] = new | LAST;
        self.symbols[first] = new;
        Some(neighbours)
    }

    /// The count of the word at a position. `range` is where the search begins, and where it ended: positions
    /// that rise are found in a step or two.
    #[inline(always)]
    pub fn count_at(&self, position: u32, range: &mut usize) -> u64 {
        if position >= self.ranges[*range].end {
            *range = self.range_of(position, *range + 1);
        }
        self.ranges[*range].count
    }

    /// Steps that double, then halves: near ranges are found at once, far ones soon.
    fn range_of(&self, position: u32, mut low: usize) -> usize {
        let mut step = 1;
        while low + step < self.ranges.len() && position >= self.ranges[low + step - 1].end {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(self.ranges.len());
        low + self.ranges[low..high].partition_point(|range| position >= range.end)
    }
}
