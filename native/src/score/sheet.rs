//! What one thread has written down of each pretoken, in a row: a head, and then numbers of one byte, eight to a word.
//! The upper half of the head is how often the pretoken occurred.
//!
//! All of a pretoken is in one line of the processor's cache where there are few tokenizers (under eight, tokens, places
//! and what two of them have both are 64 bytes), since waiting for memory is most of what an occurrence costs. Sums of
//! numbers are made for some hundred pretokens at once, whose lines are near by then, in the processor's registers.

use std::collections::HashMap;
use std::ops::Range;

use crate::memory;
use crate::table::prefetch;

/// Numbers in a word.
pub const LANES: usize = 8;
/// The largest of them.
pub const MOST: i64 = 255;
/// Of so many pretokens the sums fit into sixteen bits each.
pub const AT_ONCE: usize = 256;
const EVERY_OTHER: u64 = 0x00FF_00FF_00FF_00FF;

/// Words of a line, and the words that are added up at once.
const WORDS: usize = 8;

const TIMES_AT: u32 = 32;
/// As often as a head has room for.
const MOST_TIMES: u64 = if cfg!(test) { 3 } else { u32::MAX as u64 };

/// Words that so many numbers take.
pub fn words_of(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// Puts a number into its lane, which holds zero.
pub fn set(words: &mut [u64], number: usize, value: u8) {
    words[number / LANES] |= u64::from(value) << (number % LANES * 8);
}

#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Line([u64; WORDS]);

/// Rows by pretoken, zeros at first. None has more lines than it must.
#[derive(Default)]
pub struct Sheet {
    lines: Vec<Line>,
    /// Words from one row to the next: a power of two up to a line's, whole lines beyond.
    stride: usize,
    rows: usize,
    /// Occurrences that the head had no room for.
    often: HashMap<u32, u64>,
}

impl Sheet {
    /// Makes room for pretokens, so many in all, with so many words each; that is always the same.
    pub fn grow(&mut self, rows: usize, words: usize) {
        self.stride = if words <= WORDS {
            words.next_power_of_two()
        } else {
            words.next_multiple_of(WORDS)
        };
        self.rows = rows;
        let lines = (rows * self.stride).div_ceil(WORDS);
        if lines > self.lines.capacity() {
            let mut more = memory::with_capacity(lines.max(2 * self.lines.len()));
            more.extend_from_slice(&self.lines);
            self.lines = more;
        }
        self.lines.resize(lines, Line::default());
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn allocated(&self) -> usize {
        self.lines.capacity() * size_of::<Line>() + self.often.capacity() * size_of::<(u32, u64)>()
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        let first = self.lines.as_ptr().cast::<u64>();
        // Safety: a line is so many words, and nothing beside them.
        unsafe { std::slice::from_raw_parts(first, self.lines.len() * WORDS) }
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        let first = self.lines.as_mut_ptr().cast::<u64>();
        // Safety: as in `words`, and they are borrowed as the lines are.
        unsafe { std::slice::from_raw_parts_mut(first, self.lines.len() * WORDS) }
    }

    #[inline(always)]
    pub fn head(&self, row: u32) -> u64 {
        self.words()[row as usize * self.stride]
    }

    /// Counts an occurrence, and returns the head.
    #[inline(always)]
    pub fn count(&mut self, row: u32) -> u64 {
        let at = row as usize * self.stride;
        let head = &mut self.words_mut()[at];
        let before = *head;
        // Where there is no room the half is zero from here on, as a larger number would carry out of it.
        *head = before.wrapping_add(1 << TIMES_AT);
        if before >> TIMES_AT == MOST_TIMES {
            self.count_beside(row);
        }
        before
    }

    #[cold]
    fn count_beside(&mut self, row: u32) {
        *self.often.entry(row).or_default() += MOST_TIMES + 1;
        self.row_mut(row)[0] &= (1 << TIMES_AT) - 1;
    }

    /// The occurrences since they were last taken.
    pub fn take_count(&mut self, row: u32) -> u64 {
        let head = &mut self.row_mut(row)[0];
        let times = *head >> TIMES_AT;
        *head &= (1 << TIMES_AT) - 1;
        times + self.often.remove(&row).unwrap_or(0)
    }

    /// The words of a row.
    pub fn row_mut(&mut self, row: u32) -> &mut [u64] {
        let stride = self.stride;
        &mut self.words_mut()[row as usize * stride..][..stride]
    }

    /// Has a row on its way from memory.
    #[inline(always)]
    pub fn expect(&self, row: u32) {
        let first = row as usize * self.stride / WORDS;
        for line in 0..self.stride.div_ceil(WORDS) {
            prefetch(&self.lines, first + line);
        }
    }

    /// Calls `f` with the number of each lane in some words of the rows, and the sum of the numbers in it. At most
    /// [`AT_ONCE`] rows.
    #[inline]
    pub fn sums(&self, rows: &[u32], words: Range<usize>, mut f: impl FnMut(usize, i64)) {
        debug_assert!(rows.len() <= AT_ONCE);
        let mut lane = 0;
        for first in words.clone().step_by(WORDS) {
            let mut halves = [[0; 2]; WORDS];
            let found = &mut halves;
            match words.end - first {
                1 => self.add::<1>(rows, first, found),
                2 => self.add::<2>(rows, first, found),
                3 => self.add::<3>(rows, first, found),
                4 => self.add::<4>(rows, first, found),
                5 => self.add::<5>(rows, first, found),
                6 => self.add::<6>(rows, first, found),
                7 => self.add::<7>(rows, first, found),
                _ => self.add::<8>(rows, first, found),
            }
            for halves in halves.iter().take(words.end - first) {
                for part in 0..LANES {
                    let half = halves[part % 2];
                    f(lane, (half >> (part / 2 * 16) & 0xFFFF) as i64);
                    lane += 1;
                }
            }
        }
    }

    /// Of each word the sums of the lanes with an even number, sixteen bits each, and of those with an odd one.
    #[inline(never)]
    fn add<const SOME: usize>(&self, rows: &[u32], first: usize, sums: &mut [[u64; 2]; WORDS]) {
        let all = self.words();
        let (mut evens, mut odds) = ([0; SOME], [0; SOME]);
        for &row in rows {
            let words = &all[row as usize * self.stride + first..][..SOME];
            for (place, word) in words.iter().enumerate() {
                evens[place] += word & EVERY_OTHER;
                odds[place] += word >> 8 & EVERY_OTHER;
            }
        }
        for (sums, halves) in sums.iter_mut().zip(evens.into_iter().zip(odds)) {
            *sums = halves.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn sums_are_those_of_numbers() {
        let mut random = Random(71);
        for (before, numbers) in [
            (0, 1),
            (1, 7),
            (1, 8),
            (3, 9),
            (1, 30),
            (2, 64),
            (1, 65),
            (4, 200),
        ] {
            let mut sheet = Sheet::default();
            let words = before + words_of(numbers);
            let mut rows: Vec<Vec<u8>> = Vec::new();
            for _ in 0..3 {
                // Grown with rows in it.
                sheet.grow(rows.len() + 40, words + 1);
                while rows.len() < sheet.len() {
                    let row: Vec<u8> = (0..numbers)
                        .map(|_| [0, 255, random.below(256)][random.below(3)] as u8)
                        .collect();
                    let there = sheet.row_mut(rows.len() as u32);
                    there[..before].fill(u64::MAX);
                    there[words] = u64::MAX;
                    for (number, &value) in row.iter().enumerate() {
                        set(&mut there[before..], number, value);
                    }
                    rows.push(row);
                }
            }
            for some in [0, 1, 100, AT_ONCE] {
                let chosen: Vec<u32> = (0..some).map(|_| random.below(rows.len()) as u32).collect();
                let mut found = Vec::new();
                sheet.sums(&chosen, before..words, |lane, sum| {
                    assert_eq!(lane, found.len());
                    found.push(sum);
                });
                let mut expected = vec![0; words_of(numbers) * LANES];
                for &row in &chosen {
                    let row = rows[row as usize].iter();
                    expected
                        .iter_mut()
                        .zip(row)
                        .for_each(|(sum, &one)| *sum += i64::from(one));
                }
                assert_eq!(found, expected);
            }
        }
        let mut sheet = Sheet::default();
        sheet.grow(1, 1);
        sheet.row_mut(0)[0] = u64::MAX;
        sheet.sums(&[0; AT_ONCE], 0..1, |_, sum| {
            assert_eq!(sum, MOST * AT_ONCE as i64)
        });
    }

    #[test]
    fn occurrences_are_counted_however_many() {
        let mut random = Random(72);
        let mut sheet = Sheet::default();
        sheet.grow(7, 3);
        for row in 0..7 {
            sheet.row_mut(row)[0] = u64::from(row) | 1 << 31;
        }
        let mut expected = [0; 7];
        for _ in 0..500 {
            let row = random.below(7);
            assert_eq!(sheet.count(row as u32) as u32, row as u32 | 1 << 31);
            expected[row] += 1;
            if random.below(40) == 0 {
                assert_eq!(sheet.take_count(row as u32), expected[row]);
                expected[row] = 0;
            }
        }
        let rest: Vec<u64> = (0..7).map(|row| sheet.take_count(row)).collect();
        assert_eq!(rest, expected);
        assert!((0..7).all(|row| sheet.head(row) == u64::from(row) | 1 << 31));
    }
}
