//! A thread's own long pretokens, and ids that are too many for a table's entry.

use crate::bpe::Scratch;
use crate::table::{Interner, Packed, Prepared};

/// The second level, and what merging needs.
#[derive(Default)]
pub struct Second {
    /// The pretokens that are found here only, and where their ids are.
    table: Interner,
    places: Vec<Place>,
    pub ids: Vec<u32>,
    /// The ids of the pretoken that has just been encoded.
    pub fresh: Vec<u32>,
    /// How often it has begun anew.
    pub times: u32,
    /// Whether a pretoken is here for which the first level had no room: else a short one that isn't there is new.
    has_short: bool,
    pub scratch: Scratch,
}

#[derive(Clone, Copy)]
pub struct Place {
    pub start: u32,
    pub length: u32,
}

impl Second {
    pub fn ids(&self, place: Place) -> &[u32] {
        &self.ids[place.start as usize..][..place.length as usize]
    }

    pub fn find(&self, key: Packed, pretoken: &[u8]) -> Option<&[u32]> {
        if !(key.is_long() || self.has_short) {
            return None;
        }
        let index = self.table.get_prepared(Prepared::from(key), pretoken)?;
        Some(self.ids(self.places[index as usize]))
    }

    pub fn make_room(&mut self, budget: usize) {
        // Half of it, as each of the three may be about to double. (And so all places fit into 32 bits.)
        if self.allocated() > budget / 2 {
            *self = Second {
                times: self.times.wrapping_add(1),
                fresh: std::mem::take(&mut self.fresh),
                scratch: std::mem::take(&mut self.scratch),
                ..Second::default()
            };
        }
    }

    pub fn insert(&mut self, key: Packed, pretoken: &[u8], place: Place) {
        // One that was met twice before it was encoded comes twice.
        if self.table.intern_prepared(Prepared::from(key), pretoken).1 {
            self.places.push(place);
            self.has_short |= !key.is_long();
        }
    }

    /// The bytes of what is needed for merging alone.
    pub fn room(&self) -> usize {
        self.scratch.allocated() + self.fresh.capacity() * size_of::<u32>()
    }

    pub fn free_room(&mut self) {
        (self.scratch, self.fresh) = Default::default();
    }

    /// The bytes of what is kept.
    pub fn allocated(&self) -> usize {
        self.table.allocated()
            + self.places.capacity() * size_of::<Place>()
            + self.ids.capacity() * size_of::<u32>()
    }
}
