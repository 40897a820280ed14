//! A table from byte strings to dense indices, made for pretokens: nearly all are short.
//!
//! One slot holds the whole key when it has at most 15 bytes, so that the usual look-up touches one place
//! in memory. A longer key leaves its hash and length in the slot, and its bytes are compared in the arena.
//! Values are the user's: a `Vec` beside the table, by index.

mod packed;

use crate::memory;
pub(crate) use packed::Packed;

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Slot {
    packed: Packed,
    index: u32,
}

const VACANT: Slot = Slot {
    packed: Packed::of_words((0, 0)),
    index: EMPTY,
};

/// A key that [`Interner::prepare`] has read.
#[derive(Clone, Copy, Default)]
pub struct Prepared(Packed);

impl From<Packed> for Prepared {
    #[inline(always)]
    fn from(packed: Packed) -> Self {
        Prepared(packed)
    }
}

/// Has a place in memory on its way to the processor. Only a hint, and none where Rust has no stable one.
#[inline(always)]
pub(crate) fn prefetch<T>(slots: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(slot) = slots.get(index) {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        // Safety: the instruction is on every such processor, and changes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(slot).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slots, index);
}

/// Gives every distinct byte string the next index, from 0.
#[derive(Clone)]
pub struct Interner {
    /// A power of two of slots, probed in a line; at most five eighths are taken.
    slots: Vec<Slot>,
    /// 64 less the logarithm of the number of slots: the hash's top bits say where to begin.
    shift: u32,
    /// The keys one after the other; key `i` ends at `ends[i]`.
    arena: Vec<u8>,
    ends: Vec<usize>,
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl Interner {
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// A table that takes `keys` keys without growing.
    pub fn with_capacity(keys: usize) -> Self {
        let slots = (keys * 8 / 5 + 1).next_power_of_two().max(64);
        Interner {
            slots: memory::filled(VACANT, slots),
            shift: 64 - slots.trailing_zeros(),
            arena: Vec::new(),
            ends: Vec::with_capacity(keys),
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What the table has taken from the allocator, for callers that keep to a budget.
    pub fn allocated(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.ends.capacity() * size_of::<usize>()
            + self.arena.capacity()
    }

    /// Frees what look-ups need; keys can be read by index as before. [`Interner::find_again`] before the next look-up.
    pub fn only_read(&mut self) {
        self.slots = Vec::new();
    }

    /// Makes look-ups possible again after [`Interner::only_read`].
    #[inline]
    pub fn find_again(&mut self) {
        if self.slots.is_empty() {
            let Interner { arena, ends, .. } = std::mem::take(self);
            *self = Interner::with_capacity(ends.len());
            let mut start = 0;
            for end in ends {
                self.intern(&arena[start..end]);
                start = end;
            }
        }
    }

    /// Forgets all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.slots.fill(VACANT);
        self.arena.clear();
        self.ends.clear();
    }

    /// The key that was given this index. Panics when none was.
    #[inline]
    pub fn key(&self, index: u32) -> &[u8] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.arena[start..self.ends[index]]
    }

    /// The keys in the order of their indices.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (0..self.len() as u32).map(|index| self.key(index))
    }

    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        self.get_prepared(Prepared(Packed::new(key)), key)
    }

    /// [`Interner::get`] for a key that has been prepared.
    #[inline(always)]
    pub fn get_prepared(&self, Prepared(packed): Prepared, key: &[u8]) -> Option<u32> {
        let index = self.slots[self.find(packed, key)].index;
        (index != EMPTY).then_some(index)
    }

    /// The key's index, and whether the key is new.
    #[inline]
    pub fn intern(&mut self, key: &[u8]) -> (u32, bool) {
        self.intern_prepared(Prepared(Packed::new(key)), key)
    }

    /// Has the place of the key `text[start..end]` on its way from memory while others are looked up.
    #[inline(always)]
    pub fn prepare(&self, text: &[u8], start: usize, end: usize) -> Prepared {
        let packed = Packed::within(text, start, end);
        self.expect(packed.hash());
        Prepared(packed)
    }

    /// Has the place of a key with this hash on its way from memory.
    #[inline(always)]
    pub(crate) fn expect(&self, hash: u64) {
        prefetch(&self.slots, (hash >> self.shift) as usize);
    }

    /// [`Interner::intern`] for a key that has been prepared.
    #[inline(always)]
    pub fn intern_prepared(&mut self, Prepared(packed): Prepared, key: &[u8]) -> (u32, bool) {
        let place = self.find(packed, key);
        let index = self.slots[place].index;
        if index != EMPTY {
            return (index, false);
        }
        (self.insert(packed, key, place), true)
    }

    /// The slot that holds the key, or the vacant one where it belongs.
    #[inline(always)]
    fn find(&self, packed: Packed, key: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (packed.hash() >> self.shift) as usize & mask;
        loop {
            let slot = &self.slots[place];
            if slot.index == EMPTY
                || (slot.packed == packed && (!packed.is_long() || self.key(slot.index) == key))
            {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, packed: Packed, key: &[u8], mut place: usize) -> u32 {
        let index = self.len();
        assert!(index < EMPTY as usize, "more than 2^32 - 1 distinct keys");
        if (index + 1) * 8 > self.slots.len() * 5 {
            self.grow();
            place = self.find(packed, key);
        }
        self.slots[place] = Slot {
            packed,
            index: index as u32,
        };
        self.arena.extend_from_slice(key);
        self.ends.push(self.arena.len());
        index as u32
    }

    /// Doubles the slots. A slot's words give its hash again, so no key is read.
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = memory::filled(VACANT, old.len() * 2);
        self.shift -= 1;
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| slot.index != EMPTY) {
            let mut place = (slot.packed.hash() >> self.shift) as usize & mask;
            while self.slots[place].index != EMPTY {
                place = (place + 1) & mask;
            }
            self.slots[place] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_a_hash_map() {
        let mut random = Random(1);
        for letters in [1, 2, 3, 256] {
            let mut table = Interner::new();
            let mut expected: HashMap<Vec<u8>, u32> = HashMap::new();
            for _ in 0..20_000 {
                let length = random.below(40);
                let key: Vec<u8> = (0..length).map(|_| random.below(letters) as u8).collect();
                assert_eq!(table.get(&key), expected.get(&key).copied());
                let next = expected.len() as u32;
                let index = *expected.entry(key.clone()).or_insert(next);
                assert_eq!(table.intern(&key), (index, index == next));
                assert_eq!(table.key(index), key);
            }
            assert_eq!(table.len(), expected.len());
            assert!(expected
                .iter()
                .all(|(key, &index)| table.get(key) == Some(index)));
            assert_eq!(table.keys().count(), expected.len());
        }
    }

    #[test]
    fn keys_of_every_length_differ_in_every_byte() {
        for length in 0..70 {
            let mut table = Interner::new();
            let key = vec![0; length];
            assert_eq!(table.intern(&key), (0, true));
            for place in 0..length {
                for bit in 0..8 {
                    let mut other = key.clone();
                    other[place] = 1 << bit;
                    assert_eq!(table.get(&other), None);
                    assert!(table.intern(&other).1);
                }
            }
            assert_eq!(table.len(), 1 + 8 * length);
        }
    }

    #[test]
    fn zeros_are_told_apart_by_their_number() {
        let mut table = Interner::new();
        for length in 0..100 {
            assert_eq!(table.intern(&vec![0; length]), (length as u32, true));
        }
    }

    #[test]
    fn long_keys_that_share_a_hash_are_told_apart() {
        let (one, two) = (vec![b'a'; 40], vec![b'b'; 40]);
        let mut table = Interner::new();
        let forged = Packed::new(&one);
        let place = table.find(forged, &one);
        table.insert(forged, &one, place);
        // The second key comes with the first one's hash, as a collision would bring it.
        let place = table.find(forged, &two);
        assert_eq!(table.insert(forged, &two, place), 1);
        assert_eq!(table.slots[table.find(forged, &one)].index, 0);
        assert_eq!(table.slots[table.find(forged, &two)].index, 1);
    }

    #[test]
    fn what_was_only_read_is_found_again() {
        let mut table = Interner::new();
        for number in 0..1000 {
            table.intern(format!("{number}").repeat(number % 7).as_bytes());
        }
        let keys: Vec<Vec<u8>> = table.keys().map(<[u8]>::to_vec).collect();
        table.only_read();
        assert!(table.keys().eq(keys.iter().map(Vec::as_slice)));
        table.find_again();
        assert!(table.keys().eq(keys.iter().map(Vec::as_slice)));
        assert!((0..)
            .zip(&keys)
            .all(|(index, key)| table.get(key) == Some(index)));
        assert!(table.intern(b"another").1);
    }

    #[test]
    fn cleared_is_empty() {
        let mut table = Interner::with_capacity(100);
        table.intern(b"a");
        table.clear();
        assert!(table.is_empty());
        assert_eq!(table.get(b"a"), None);
        assert_eq!(table.intern(b"b"), (0, true));
        assert_eq!(table.key(0), b"b");
    }

    #[test]
    fn similar_keys_spread_over_the_table() {
        // Counters and one-bit differences are what pretokens look like; a weak hash makes long probes here.
        let mut table = Interner::new();
        for number in 0..100_000 {
            table.intern(format!(" {number}").as_bytes());
        }
        let mask = table.slots.len() - 1;
        let probes: usize = (0..table.slots.len())
            .filter(|&place| table.slots[place].index != EMPTY)
            .map(|place| {
                let home = (table.slots[place].packed.hash() >> table.shift) as usize & mask;
                (place.wrapping_sub(home) & mask) + 1
            })
            .sum();
        assert!(
            probes < 3 * table.len(),
            "{probes} probes for {} keys",
            table.len()
        );
    }
}
