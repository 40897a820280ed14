//! The ids of pretokens that have been met: those that all threads share (`shared.rs`), where nearly all are found, and
//! a cache that a call takes for each of its threads and gives back.
//!
//! The cache has two levels, each within a budget of its own. The first is a table like the shared one, for pretokens
//! that found no room there, and for those with more ids, which it says where to find in the second level.
//! It grows with what it holds; at its full size a new entry takes an old one's place. The second has the long
//! pretokens, those for which there was no room, and all ids that are elsewhere; it begins anew when it is full.
//! Very long pretokens, of which no text has many that are alike, are not kept at all.

use std::sync::Arc;

use super::first::{Entry, First, ELSEWHERE};
use super::second::{Place, Second};
use super::shared::{Shared, INLINE};
use super::sink::{Buffer, Sink};
use super::{Encoder, AT_ONCE};
use crate::bpe::Together;
use crate::groups::GROUP;
use crate::table::Packed;

/// Longer pretokens are encoded each time.
const KEPT_KEY: usize = 1 << 10;

/// The bytes of room for work that a cache keeps at most, beside what it has met.
pub const KEPT_ROOM: usize = 1 << 20;

/// How much memory caches may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// What all threads share, a power of two.
    pub shared: usize,
    /// For each thread: of the first level, a power of two of at least 256 bytes.
    pub first: usize,
    /// Of the second; one pretoken more is always held.
    pub second: usize,
}

impl Default for Budget {
    /// 16 MiB, and as many a thread at most. The shared table then has 2^19 entries, and the first level of a thread
    /// 2^18; smaller ones lost on varied text what they won by staying nearer to the processor.
    fn default() -> Self {
        Budget {
            shared: 1 << 24,
            first: 1 << 23,
            second: 1 << 23,
        }
    }
}

pub struct Cache {
    /// What all threads share.
    pub shared: Arc<Shared>,
    levels: Levels,
    /// The keys of the group that is being looked up, with their lines.
    keys: Box<[(Packed, usize); GROUP]>,
    buffer: Box<Buffer>,
}

impl Cache {
    pub fn new(shared: Arc<Shared>, budget: Budget) -> Self {
        Cache {
            shared,
            levels: Levels {
                first: First::new(budget.first),
                second: Second::default(),
                later: Later::default(),
                budget,
            },
            keys: Box::new([(Packed::default(), 0); GROUP]),
            buffer: Box::new([0; INLINE * GROUP + 1]),
        }
    }

    /// The ids of a group of pretokens, which start at `start` and end at `ends`.
    pub fn look_up<S: Sink>(
        &mut self,
        encoder: &Encoder,
        text: &[u8],
        start: usize,
        ends: &[usize],
        sink: &mut S,
    ) {
        let Cache {
            shared,
            levels,
            keys,
            buffer,
        } = self;
        let shared = &**shared;
        let mut from = start;
        for (place, &end) in keys.iter_mut().zip(ends) {
            // A long one has no bytes here, and is not in the table.
            let key = match Packed::short_within(text, from, end - from) {
                Some(key) => key,
                None => last_key(&text[from..end]),
            };
            let line = shared.line_of(key);
            shared.expect(line);
            *place = (key, line);
            from = end;
        }
        let mut length = 0;
        for (number, &(key, line)) in keys[..ends.len()].iter().enumerate() {
            let found = shared.find(line, key);
            if let Some(value) = found.or_else(|| shared.neighbour(line, key)) {
                if S::IDS {
                    buffer[length..length + value.len()].copy_from_slice(&value);
                }
                length += value[INLINE] as usize;
                continue;
            }
            sink.some(buffer, std::mem::take(&mut length));
            let from = if number == 0 { start } else { ends[number - 1] };
            levels.look_further(encoder, (shared, line), &text[from..ends[number]], sink);
        }
        sink.some(buffer, length);
    }

    /// How many pretokens have been left for later.
    pub fn left(&self) -> usize {
        self.levels.later.places.len()
    }

    /// Encodes all that has been left for later. For each, where it belongs in the sink, and how many ids it has.
    pub fn encode_left(&mut self, encoder: &Encoder) -> &[(usize, usize)] {
        self.levels.encode_left(encoder, &self.shared);
        &self.levels.later.places
    }

    /// Has all that were left come to their places.
    pub fn insert_left(&mut self, encoder: &Encoder, sink: &mut impl Sink) {
        self.levels.encode_left(encoder, &self.shared);
        let Later { places, ids, .. } = &mut self.levels.later;
        if !places.is_empty() {
            sink.insert(places, ids);
            self.forget_left();
        }
    }

    fn forget_left(&mut self) {
        let Later {
            keys, places, ids, ..
        } = &mut self.levels.later;
        keys.clear();
        places.clear();
        ids.clear();
    }

    /// Until the next call: nothing is left, and of the room that the work took no more than a usual text needs is kept.
    /// (One pretoken of 20 MB left half a gigabyte.)
    pub fn rest(&mut self) {
        self.forget_left();
        if self.room() > KEPT_ROOM {
            self.levels.second.free_room();
            self.levels.later = Later::default();
        }
    }

    /// The bytes of what is needed for work alone.
    pub fn room(&self) -> usize {
        let Later { places, ids, .. } = &self.levels.later;
        let places = places.capacity() * size_of::<(usize, usize)>();
        self.levels.second.room() + places + ids.capacity() * size_of::<u32>()
    }

    #[cfg(test)]
    pub fn allocated(&self) -> usize {
        let Levels { first, second, .. } = &self.levels;
        first.allocated() + second.allocated()
    }
}

/// The key of one of the last pretokens of a text.
#[cold]
#[inline(never)]
fn last_key(pretoken: &[u8]) -> Packed {
    Packed::new(pretoken)
}

struct Levels {
    first: First,
    second: Second,
    later: Later,
    budget: Budget,
}

/// Pretokens that are new, which are encoded some at a time and whose ids come to their places at the end.
#[derive(Default)]
struct Later {
    /// Short ones that are to be encoded, with their lines in the shared table.
    keys: Vec<(Packed, usize)>,
    together: Together,
    /// Where ids are missing in the sink, those of the last `keys` among them; and how many, where that is known.
    places: Vec<(usize, usize)>,
    /// Those that are known.
    ids: Vec<u32>,
}

impl Levels {
    /// The ids of a pretoken that isn't in the shared table.
    #[inline(never)]
    fn look_further(
        &mut self,
        encoder: &Encoder,
        (shared, line): (&Shared, usize),
        pretoken: &[u8],
        sink: &mut impl Sink,
    ) {
        let key = Packed::new(pretoken);
        let Levels { first, second, .. } = self;
        if !key.is_long() {
            match first.find(key) {
                Some([start, length, times, ELSEWHERE]) if times == second.times => {
                    return sink.many(second.ids(Place { start, length }));
                }
                // It began anew since.
                Some([.., ELSEWHERE]) | None => {}
                Some(value) => return sink.many(&value[..value[INLINE] as usize]),
            }
        }
        if let Some(ids) = second.find(key, pretoken) {
            return sink.many(ids);
        }
        if key.is_long() {
            second.make_room(self.budget.second);
            second.fresh.clear();
            encoder.encode_pretoken(pretoken, &mut second.scratch, &mut second.fresh);
            sink.many(&second.fresh);
            return self.keep(shared, (key, line), pretoken);
        }
        let Later { keys, places, .. } = &mut self.later;
        keys.push((key, line));
        places.push((sink.length(), 0));
        if keys.len() == AT_ONCE {
            self.encode_left(encoder, shared);
        }
    }

    /// For the first time, or again after they were let go.
    fn encode_left(&mut self, encoder: &Encoder, shared: &Shared) {
        let mut keys = std::mem::take(&mut self.later.keys);
        let mut together = std::mem::take(&mut self.later.together);
        encoder.encode_short(&keys, &mut together);
        let first = self.later.places.len() - keys.len();
        for (number, &(key, line)) in keys.iter().enumerate() {
            self.second.make_room(self.budget.second);
            self.second.fresh.clear();
            self.second.fresh.extend(together.ids(number));
            let fresh = &self.second.fresh;
            self.later.places[first + number].1 = fresh.len();
            self.later.ids.extend_from_slice(fresh);
            let bytes = key.to_bytes();
            self.keep(shared, (key, line), &bytes[..key.short_length()]);
        }
        keys.clear();
        (self.later.keys, self.later.together) = (keys, together);
    }

    /// Keeps the fresh ids of a pretoken that is nowhere else.
    fn keep(&mut self, shared: &Shared, (key, line): (Packed, usize), pretoken: &[u8]) {
        let Levels { first, second, .. } = self;
        let place = Place {
            start: second.ids.len() as u32,
            length: second.fresh.len() as u32,
        };
        let mut value = [place.start, place.length, second.times, ELSEWHERE];
        if let Some(inline) = value[..INLINE].get_mut(..second.fresh.len()) {
            inline.copy_from_slice(&second.fresh);
            value[INLINE] = place.length;
        }
        let inline = value[INLINE] != ELSEWHERE;
        if inline && !key.is_long() {
            // Met twice before it was encoded, or encoded by another thread.
            if shared.get(key).is_some() || shared.insert(line, key, value) {
                return;
            }
        }
        let in_first = !key.is_long() && first.insert(Entry { key, value });
        if in_first && inline {
            return;
        }
        if in_first || pretoken.len() <= KEPT_KEY {
            second.ids.extend_from_slice(&second.fresh);
        }
        if !in_first && pretoken.len() <= KEPT_KEY {
            second.insert(key, pretoken, place);
        }
    }
}
