//! Which pretokens follow each other, and how often.

use crate::memory::filled;
use crate::table::prefetch;

/// What the tables of pairs may take, of all threads together; beyond it they are given up.
pub const BUDGET: usize = 1 << 29;

/// So many pairs are hashed before any is looked up: their places are then on their way from memory.
const AT_ONCE: usize = 64;

/// No pair: both indices would be 2^32 - 1, which no table gives.
const NONE: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct Slot {
    pair: u64,
    count: u64,
}

const VACANT: Slot = Slot {
    pair: NONE,
    count: 0,
};

/// How often each pair of numbers occurred.
pub struct Pairs {
    /// A power of two of slots, probed in a line; at most five eighths are taken.
    slots: Vec<Slot>,
    shift: u32,
    taken: usize,
}

impl Default for Pairs {
    fn default() -> Self {
        const SLOTS: usize = 64;
        Pairs {
            slots: vec![VACANT; SLOTS],
            shift: 64 - SLOTS.trailing_zeros(),
            taken: 0,
        }
    }
}

fn hash(pair: u64) -> u64 {
    let product = u128::from(pair ^ 0x9E37_79B9_7F4A_7C15) * 0xD1B5_4A32_D192_ED03;
    (product as u64) ^ (product >> 64) as u64
}

pub fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Pairs {
    pub fn allocated(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// Adds each number with the one before it.
    pub fn add_neighbours(&mut self, numbers: &[u32]) {
        let mut start = 0;
        while start + 1 < numbers.len() {
            let end = (start + AT_ONCE).min(numbers.len() - 1);
            let some = &numbers[start..=end];
            for two in some.windows(2) {
                self.expect(pair(two[0], two[1]));
            }
            for two in some.windows(2) {
                self.add(pair(two[0], two[1]), 1);
            }
            start = end;
        }
    }

    /// Has the place of a pair on its way from memory.
    #[inline]
    fn expect(&self, pair: u64) {
        prefetch(&self.slots, (hash(pair) >> self.shift) as usize);
    }

    #[inline]
    pub fn add(&mut self, pair: u64, count: u64) {
        let mask = self.slots.len() - 1;
        let mut place = (hash(pair) >> self.shift) as usize & mask;
        loop {
            let slot = &mut self.slots[place];
            if slot.pair == pair {
                slot.count += count;
                return;
            }
            if slot.pair == NONE {
                *slot = Slot { pair, count };
                break;
            }
            place = (place + 1) & mask;
        }
        self.taken += 1;
        if self.taken * 8 > self.slots.len() * 5 {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = Pairs {
            slots: filled(VACANT, self.slots.len() * 2),
            shift: self.shift - 1,
            taken: 0,
        };
        self.each(|left, right, count| larger.add(pair(left, right), count));
        *self = larger;
    }

    /// Calls `f` with the left number, the right one and the count of each pair.
    pub fn each(&self, mut f: impl FnMut(u32, u32, u64)) {
        for slot in self.slots.iter().filter(|slot| slot.pair != NONE) {
            f((slot.pair >> 32) as u32, slot.pair as u32, slot.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::testing::Random;

    #[test]
    fn pairs_are_those_of_a_hash_map() {
        let mut random = Random(41);
        for bound in [1, 3, 50, 5000] {
            let numbers: Vec<u32> = (0..20_000).map(|_| random.below(bound) as u32).collect();
            let mut expected: HashMap<u64, u64> = HashMap::new();
            for two in numbers.windows(2) {
                *expected.entry(pair(two[0], two[1])).or_default() += 1;
            }
            let mut pairs = Pairs::default();
            pairs.add_neighbours(&numbers);
            pairs.add_neighbours(&[]);
            pairs.add_neighbours(&[7]);
            let mut found = HashMap::new();
            pairs.each(|left, right, count| {
                assert_eq!(found.insert(pair(left, right), count), None)
            });
            assert_eq!(found, expected);
            assert_eq!(pairs.taken, expected.len());
        }
    }
}
