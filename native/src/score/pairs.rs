//! Which pretokens follow each other, and how often.

use std::collections::HashMap;

use crate::memory::{zeroed, Zero};
use crate::table::prefetch;

/// What the tables of pairs may take, of all threads together; beyond it they are given up.
pub const BUDGET: usize = 1 << 29;

/// So many pairs are hashed before any is looked up: their places are then on their way from memory.
const AT_ONCE: usize = 64;

/// Twelve bytes, since the memory is what takes the time; with sixteen, it was a third more of it.
#[derive(Clone, Copy, Default)]
struct Slot {
    left: u32,
    right: u32,
    /// Zero in a vacant slot.
    count: u32,
}

// Safety: it is numbers, and nothing beside them.
unsafe impl Zero for Slot {}

/// How often each pair of numbers occurred.
pub struct Pairs {
    /// A power of two of slots, probed in a line; at most five eighths are taken.
    slots: Vec<Slot>,
    shift: u32,
    taken: usize,
    /// What a slot's count has no room for, beside it.
    often: HashMap<u64, u64>,
}

impl Default for Pairs {
    fn default() -> Self {
        const SLOTS: usize = 64;
        Pairs {
            slots: zeroed(SLOTS),
            shift: 64 - SLOTS.trailing_zeros(),
            taken: 0,
            often: HashMap::new(),
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
        self.slots.capacity() * size_of::<Slot>() + self.often.capacity() * size_of::<(u64, u64)>()
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
    fn add(&mut self, pair: u64, count: u32) {
        let (left, right) = ((pair >> 32) as u32, pair as u32);
        let mask = self.slots.len() - 1;
        let mut place = (hash(pair) >> self.shift) as usize & mask;
        loop {
            let slot = &mut self.slots[place];
            if slot.count == 0 {
                *slot = Slot { left, right, count };
                break;
            }
            if (slot.left, slot.right) == (left, right) {
                match slot.count.checked_add(count) {
                    Some(sum) => slot.count = sum,
                    None => self.add_often(place, pair, count),
                }
                return;
            }
            place = (place + 1) & mask;
        }
        self.taken += 1;
        if self.taken * 8 > self.slots.len() * 5 {
            self.grow();
        }
    }

    #[cold]
    fn add_often(&mut self, place: usize, pair: u64, count: u32) {
        let slot = &mut self.slots[place];
        let more = u64::from(slot.count) + u64::from(count) - 1;
        slot.count = 1;
        *self.often.entry(pair).or_default() += more;
    }

    #[cold]
    fn grow(&mut self) {
        let larger = Pairs {
            slots: zeroed(self.slots.len() * 2),
            shift: self.shift - 1,
            taken: 0,
            often: std::mem::take(&mut self.often),
        };
        let old = std::mem::replace(self, larger);
        for slot in old.taken_slots() {
            self.add(pair(slot.left, slot.right), slot.count);
        }
    }

    fn taken_slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.count > 0)
    }

    /// Calls `f` with the left number, the right one and the count of each pair.
    pub fn each(&self, mut f: impl FnMut(u32, u32, u64)) {
        for slot in self.taken_slots() {
            let more = match self.often.is_empty() {
                true => 0,
                false => self
                    .often
                    .get(&pair(slot.left, slot.right))
                    .map_or(0, |&more| more),
            };
            f(slot.left, slot.right, u64::from(slot.count) + more);
        }
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn counts_are_exact_beyond_what_a_slot_holds() {
        let mut pairs = Pairs::default();
        for count in [u32::MAX, 1, u32::MAX, u32::MAX - 1, 5] {
            pairs.add(pair(0, 0), count);
            pairs.add(pair(7, u32::MAX), 2);
        }
        (1..1000).for_each(|number| pairs.add(pair(number, 0), 1));
        let mut found = HashMap::new();
        pairs.each(|left, right, count| assert_eq!(found.insert((left, right), count), None));
        let most = u64::from(u32::MAX);
        assert_eq!(found[&(0, 0)], 3 * most + 5);
        assert_eq!(found[&(7, u32::MAX)], 10);
        assert_eq!((found[&(999, 0)], found.len()), (1, 1001));
    }
}
