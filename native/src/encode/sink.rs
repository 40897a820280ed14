//! Where ids go, or only their number.

use super::shared::INLINE;
use crate::groups::GROUP;

/// What becomes of the ids of the pretokens, in order.
pub trait Sink {
    /// Whether the ids are wanted, and not only how many they are.
    const IDS: bool;
    /// The first `length` ids of the buffer; without `IDS`, so many that are nowhere.
    fn some(&mut self, buffer: &Buffer, length: usize);
    fn many(&mut self, ids: &[u32]);
    /// How many there are.
    fn length(&self) -> usize;
    /// Some at each of several places, which are in order.
    fn insert(&mut self, places: &[(usize, usize)], ids: &[u32]);
}

impl Sink for Vec<u32> {
    const IDS: bool = true;

    #[inline(always)]
    fn some(&mut self, buffer: &Buffer, length: usize) {
        self.extend_from_slice(&buffer[..length]);
    }

    fn many(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }

    fn length(&self) -> usize {
        self.len()
    }

    fn insert(&mut self, places: &[(usize, usize)], mut ids: &[u32]) {
        // From the end on, so that nothing is moved twice.
        let mut from = self.len();
        self.resize(from + ids.len(), 0);
        let mut to = self.len();
        for &(place, length) in places.iter().rev() {
            self.copy_within(place..from, to - (from - place));
            to -= from - place;
            from = place;
            let (before, some) = ids.split_at(ids.len() - length);
            self[to - length..to].copy_from_slice(some);
            to -= length;
            ids = before;
        }
    }
}

/// The number of the ids.
impl Sink for usize {
    const IDS: bool = false;

    #[inline(always)]
    fn some(&mut self, _: &Buffer, length: usize) {
        *self += length;
    }

    fn many(&mut self, ids: &[u32]) {
        *self += ids.len();
    }

    fn length(&self) -> usize {
        *self
    }

    fn insert(&mut self, _: &[(usize, usize)], ids: &[u32]) {
        *self += ids.len();
    }
}

/// The ids of a group, with room for the last entry's value to be copied whole: copying a length that varies is a call.
/// (Right into the sink, every entry would look for room in it, and fetch and store its length.)
pub type Buffer = [u32; INLINE * GROUP + 1];
