//! Eight numbers of one byte in a word, added up eight at a time.

/// Numbers in a word.
pub const LANES: usize = 8;
/// The largest of them.
pub const MOST: i64 = 255;
/// So many additions fit into sixteen bits.
const ADDITIONS: usize = 256;
const EVERY_OTHER: u64 = 0x00FF_00FF_00FF_00FF;

/// Words that so many numbers take.
pub fn words_of(numbers: usize) -> usize {
    numbers.div_ceil(LANES)
}

/// Puts a number into its lane, which holds zero.
pub fn set(words: &mut [u64], number: usize, value: u8) {
    words[number / LANES] |= u64::from(value) << (number % LANES * 8);
}

/// Sums of numbers, by lane.
#[derive(Default)]
pub struct Sums {
    /// Of each word the lanes with an even number, sixteen bits each, and those with an odd one. (Apart, so that several
    /// words are added at once.)
    evens: Vec<u64>,
    odds: Vec<u64>,
    added: usize,
}

impl Sums {
    /// Begins with zeros for so many words.
    pub fn begin(&mut self, words: usize) {
        for sums in [&mut self.evens, &mut self.odds] {
            sums.clear();
            sums.resize(words, 0);
        }
        self.added = 0;
    }

    /// Adds words, as many as there are. Whether the sums have to be taken now.
    #[inline(always)]
    pub fn add(&mut self, words: &[u64]) -> bool {
        let evens = self.evens.iter_mut().zip(&mut self.odds);
        for ((even, odd), word) in evens.zip(words) {
            *even += word & EVERY_OTHER;
            *odd += word >> 8 & EVERY_OTHER;
        }
        self.added += 1;
        self.added == ADDITIONS
    }

    /// The sum of the numbers in a lane.
    pub fn of(&self, lane: usize) -> i64 {
        let halves = if lane.is_multiple_of(2) {
            &self.evens
        } else {
            &self.odds
        };
        (halves[lane / LANES] >> (lane % LANES / 2 * 16) & 0xFFFF) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn sums_are_those_of_numbers() {
        let mut random = Random(71);
        for numbers in [1, 7, 8, 9, 30] {
            let mut sums = Sums::default();
            sums.begin(words_of(numbers));
            let mut expected = vec![0; numbers];
            let mut full = false;
            while !full {
                let mut words = vec![0; words_of(numbers)];
                for (number, sum) in expected.iter_mut().enumerate() {
                    let value = [0, 255, random.below(256)][random.below(3)];
                    set(&mut words, number, value as u8);
                    *sum += value as i64;
                }
                full = sums.add(&words);
            }
            let found: Vec<i64> = (0..numbers).map(|lane| sums.of(lane)).collect();
            assert_eq!(found, expected);
        }
        let mut sums = Sums::default();
        sums.begin(1);
        while !sums.add(&[u64::MAX]) {}
        assert_eq!(sums.of(3), MOST * ADDITIONS as i64);
    }
}
