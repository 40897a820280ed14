//! How often each short pretoken occurs: the whole key and its count in one slot, so that counting one touches one place
//! in memory, and nothing else has to be kept.

use crate::memory::{zeroed, Zero};
use crate::table::{prefetch, Packed};

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The bytes and the length of the key; see [`Packed`].
    key: [u8; 16],
    /// Zero in a vacant slot.
    count: u64,
}

// Safety: it is numbers, and nothing beside them.
unsafe impl Zero for Slot {}

impl Slot {
    #[inline(always)]
    fn holds(&self, key: Packed) -> bool {
        self.count != 0 && Packed::from_bytes(&self.key) == key
    }
}

#[derive(Clone)]
pub struct Tally {
    /// A power of two of slots, probed in a line, of which at most five eighths are taken; or all taken, after
    /// [`Tally::only_read`].
    slots: Vec<Slot>,
    /// 64 less the logarithm of the number of slots: the hash's top bits say where to begin.
    shift: u32,
    taken: usize,
    tight: bool,
}

impl Default for Tally {
    fn default() -> Self {
        Tally::with_slots(64)
    }
}

impl Tally {
    fn with_slots(slots: usize) -> Self {
        Tally {
            slots: zeroed(slots),
            shift: 64 - slots.trailing_zeros(),
            taken: 0,
            tight: false,
        }
    }

    pub fn len(&self) -> usize {
        self.taken
    }

    /// Has the place of a key on its way from memory while others are looked up.
    #[inline(always)]
    pub fn expect(&self, key: Packed) {
        prefetch(&self.slots, (key.hash() >> self.shift) as usize);
    }

    /// Adds `n` occurrences of a short key that is not empty.
    #[inline(always)]
    pub fn add(&mut self, key: Packed, n: u64) {
        let home = (key.hash() >> self.shift) as usize;
        match self.slots.get_mut(home) {
            Some(slot) if slot.holds(key) => slot.count += n,
            _ => self.add_beyond(key, n),
        }
    }

    #[inline(never)]
    fn add_beyond(&mut self, key: Packed, n: u64) {
        if n == 0 {
            return;
        }
        self.loosen();
        let mut place = self.find(key);
        if self.slots[place].count == 0 {
            if (self.taken + 1) * 8 > self.slots.len() * 5 {
                self.resize(self.slots.len() * 2);
                place = self.find(key);
            }
            self.slots[place].key = key.to_bytes();
            self.taken += 1;
        }
        self.slots[place].count += n;
    }

    /// The slot that holds the key, or the vacant one where it belongs.
    fn find(&self, key: Packed) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (key.hash() >> self.shift) as usize;
        while self.slots[place].count != 0 && !self.slots[place].holds(key) {
            place = (place + 1) & mask;
        }
        place
    }

    fn resize(&mut self, slots: usize) {
        let old = std::mem::replace(self, Tally::with_slots(slots));
        for slot in old.slots.iter().filter(|slot| slot.count != 0) {
            let place = self.find(Packed::from_bytes(&slot.key));
            self.slots[place] = *slot;
        }
        self.taken = old.taken;
    }

    /// Adds the counts of another table.
    ///
    /// Not slot by slot: both tables are in the order of hashes, so that the beginning of this one would be filled to
    /// the brim before it had to grow. Taking every 64th slot, then the ones after those, goes through both in order,
    /// too, and fills this one evenly.
    pub fn merge(&mut self, other: Tally) {
        const STEP: usize = 64;
        const AHEAD: usize = 8;
        for first in 0..STEP {
            for place in (first..other.slots.len()).step_by(STEP) {
                if let Some(later) = other.slots.get(place + AHEAD * STEP) {
                    prefetch(&other.slots, place + 2 * AHEAD * STEP);
                    self.expect(Packed::from_bytes(&later.key));
                }
                let slot = &other.slots[place];
                if slot.count != 0 {
                    self.add(Packed::from_bytes(&slot.key), slot.count);
                }
            }
        }
    }

    /// Frees the vacant slots, until more is added.
    pub fn only_read(&mut self) {
        self.slots.retain(|slot| slot.count != 0);
        self.slots.shrink_to_fit();
        self.tight = true;
    }

    fn loosen(&mut self) {
        if self.tight {
            self.resize((self.taken * 8 / 5 + 1).next_power_of_two().max(64));
        }
    }

    pub fn items(&self) -> impl Iterator<Item = (&[u8], u64)> + Clone {
        let taken = self.slots.iter().filter(|slot| slot.count != 0);
        taken.map(|slot| {
            (
                &slot.key[..Packed::from_bytes(&slot.key).short_length()],
                slot.count,
            )
        })
    }
}
