//! The pairs that can still be merged: their live counts, and where they stood when they came to be.

use crate::table::prefetch;

/// A pair of ids as one word.
pub type Key = u64;

#[inline(always)]
pub fn key(left: u32, right: u32) -> Key {
    u64::from(left) << 32 | u64::from(right)
}

#[inline(always)]
pub fn ids(key: Key) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// No pair, since ids stay below 2^31.
const VACANT: Key = Key::MAX;

#[derive(Clone, Copy)]
pub struct Pair {
    key: Key,
    pub count: u64,
    /// Its positions: `length` numbers from `start` in the trainer's list. A pair comes to be in one merge
    /// (the one that makes the later of its ids) and never gains a position after it, so that the list is
    /// final; positions that have gone since are told by looking.
    pub start: usize,
    pub length: u32,
}

/// Open addressing with two entries to a cache line.
pub struct Pairs {
    slots: Vec<Pair>,
    shift: u32,
    taken: usize,
    /// Pairs below this count are never merged: counts only fall.
    threshold: u64,
}

const NOTHING: Pair = Pair {
    key: VACANT,
    count: 0,
    start: 0,
    length: 0,
};

impl Pairs {
    pub fn new(threshold: u64) -> Self {
        let bits = 17;
        Pairs {
            slots: vec![NOTHING; 1 << bits],
            shift: 64 - bits,
            taken: 0,
            threshold,
        }
    }

    #[inline(always)]
    fn home(&self, key: Key) -> usize {
        let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xD1B5_4A32_D192_ED03;
        (((product as u64) ^ (product >> 64) as u64) >> self.shift) as usize
    }

    #[inline(always)]
    fn find(&self, key: Key) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = self.home(key) & mask;
        while self.slots[place].key != key && self.slots[place].key != VACANT {
            place = (place + 1) & mask;
        }
        place
    }

    /// Has the place of a pair on its way from memory.
    #[inline(always)]
    pub fn prepare(&self, key: Key) {
        prefetch(&self.slots, self.home(key));
    }

    #[inline]
    pub fn get(&self, key: Key) -> Option<&Pair> {
        let pair = &self.slots[self.find(key)];
        (pair.key == key).then_some(pair)
    }

    #[inline]
    pub fn get_mut(&mut self, key: Key) -> Option<&mut Pair> {
        let place = self.find(key);
        let pair = &mut self.slots[place];
        (pair.key == key).then_some(pair)
    }

    /// Adds a pair that isn't there.
    pub fn insert(&mut self, key: Key, count: u64, start: usize, length: u32) {
        if (self.taken + 1) * 8 > self.slots.len() * 5 {
            self.grow();
        }
        let place = self.find(key);
        debug_assert!(self.slots[place].key == VACANT, "a pair comes to be once");
        self.slots[place] = Pair {
            key,
            count,
            start,
            length,
        };
        self.taken += 1;
    }

    /// Drops the pairs that have fallen below the threshold, and doubles if more than half remain taken.
    fn grow(&mut self) {
        let threshold = self.threshold;
        let live = |pair: &&Pair| pair.key != VACANT && pair.count >= threshold;
        let remaining = self.slots.iter().filter(live).count();
        let size = if remaining * 2 > self.slots.len() {
            self.shift -= 1;
            self.slots.len() * 2
        } else {
            self.slots.len()
        };
        let old = std::mem::replace(&mut self.slots, vec![NOTHING; size]);
        for pair in old.iter().filter(live) {
            let place = self.find(pair.key);
            self.slots[place] = *pair;
        }
        self.taken = remaining;
    }
}
