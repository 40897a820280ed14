//! A small table that says of most hashes that a large one hasn't got them.

use crate::table::prefetch;

/// One bit for each hash, of at least sixteen for every one expected: it says "maybe" to all that were added, and to one
/// in sixteen or fewer of the others.
#[derive(Clone, Default)]
pub struct Filter {
    words: Vec<u64>,
}

impl Filter {
    pub fn new(expected: usize) -> Self {
        Filter {
            words: vec![0; (expected / 4).next_power_of_two()],
        }
    }

    pub fn add(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        self.words[word] |= bit;
    }

    #[inline(always)]
    pub fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.words[word] & bit != 0
    }

    /// Has what [`Filter::may_have`] looks at on its way from memory.
    #[inline(always)]
    pub fn expect(&self, hash: u64) {
        prefetch(&self.words, self.place(hash).0);
    }

    /// The word and the bit in it. Tables take their place from the lowest bits or from the highest ones.
    #[inline(always)]
    fn place(&self, hash: u64) -> (usize, u64) {
        let word = (hash >> 16) as usize & (self.words.len() - 1);
        (word, 1 << (hash >> 10 & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn all_that_were_added_and_few_others() {
        for expected in [0, 1, 1000, 100_000] {
            let (mut filter, mut random) = (Filter::new(expected), Random(3));
            let mut hash = || random.below(usize::MAX) as u64;
            let added: Vec<u64> = (0..expected).map(|_| hash()).collect();
            added.iter().for_each(|&hash| filter.add(hash));
            assert!(added.iter().all(|&hash| filter.may_have(hash)));
            let wrong = (0..10_000).filter(|_| filter.may_have(hash())).count();
            assert!(wrong < 1_000, "{wrong} of 10,000 at {expected}");
        }
    }
}
