//! The ids of pretokens that have been met. A call takes a cache for each of its threads and gives it back.
//!
//! Two levels, each within a budget of its own. The first is a table for pretokens of at most 15 bytes, nearly all of
//! them: one cache line holds two entries, each with its key and up to three ids, or where in the second level more
//! are, so that a look-up touches one place in memory. It grows with what it holds; at its full size a new entry takes an
//! old one's place. The second has the long pretokens, those for which there was no room, and all ids that are
//! elsewhere; it begins anew when it is full. Very long pretokens, of which no text has many that are alike, are not
//! kept at all.

use super::Encoder;
use crate::bpe::Scratch;
use crate::groups::GROUP;
use crate::memory;
use crate::table::{prefetch, Interner, Packed, Prepared};

/// Ids that an entry holds itself.
const INLINE: usize = 3;
/// Longer pretokens are encoded each time.
const KEPT_KEY: usize = 1 << 10;

/// How much memory a cache may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Of the first level, a power of two of at least 256 bytes.
    pub first: usize,
    /// Of the second; one pretoken more is always held.
    pub second: usize,
}

impl Default for Budget {
    /// 16 MiB a thread. The first level then has 2^18 entries; smaller ones lost on varied text what they won by
    /// staying nearer to the processor.
    fn default() -> Self {
        Budget {
            first: 1 << 23,
            second: 1 << 23,
        }
    }
}

/// What becomes of the ids of the pretokens, in order.
pub trait Sink {
    /// Whether the ids are wanted, and not only how many they are.
    const IDS: bool;
    /// The first `length` ids of the buffer; without `IDS`, so many that are nowhere.
    fn some(&mut self, buffer: &Buffer, length: usize);
    fn many(&mut self, ids: &[u32]);
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
}

/// The ids of a group, with room for the last entry's value to be copied whole: copying a length that varies is a call.
/// (Right into the sink, every entry would look for room in it, and fetch and store its length.)
type Buffer = [u32; INLINE * GROUP + 1];

/// Up to three ids and how many they are; or where the ids are in the second level, how many, which of its times that is
/// about, and ELSEWHERE.
type Value = [u32; INLINE + 1];

const ELSEWHERE: u32 = u32::MAX;

/// A pretoken and its ids; vacant where both are zero, as no pretoken is empty.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: Packed,
    value: Value,
}

/// One cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line([Entry; 2]);

struct First {
    lines: Vec<Line>,
    /// 64 less the logarithm of the number of lines: the hash's top bits say which.
    shift: u32,
    taken: usize,
    largest: usize,
    /// Says whose turn it is to be replaced.
    clock: usize,
}

impl First {
    fn new(bytes: usize) -> Self {
        let largest = bytes.max(256) / size_of::<Line>();
        let lines = largest.min(1 << 8);
        First {
            lines: vec![Line::default(); lines],
            shift: 64 - lines.trailing_zeros(),
            taken: 0,
            largest,
            clock: 0,
        }
    }

    /// The value of an entry for which its own line had no room.
    fn neighbour(&self, line: usize, key: Packed) -> Option<Value> {
        let Line(pair) = &self.lines[line ^ 1];
        let found = pair.iter().find(|entry| entry.key == key)?;
        Some(found.value)
    }

    /// Whether there was room. Before the table is nearly full none is made: of those who share a few lines one may
    /// be a frequent pretoken, which every rare one would put out.
    fn insert(&mut self, entry: Entry) -> bool {
        if self.taken * 2 >= self.lines.len() && self.lines.len() < self.largest {
            self.grow();
        }
        let line = (entry.key.hash() >> self.shift) as usize;
        for place in [line, line ^ 1] {
            for old in &mut self.lines[place].0 {
                if old.key == Packed::default() || old.key == entry.key {
                    self.taken += usize::from(old.key != entry.key);
                    *old = entry;
                    return true;
                }
            }
        }
        if self.taken * 2 < self.lines.len() * 3 {
            return false;
        }
        self.clock = self.clock.wrapping_add(1);
        self.lines[line ^ (self.clock >> 1 & 1)].0[self.clock & 1] = entry;
        true
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.lines);
        self.lines = memory::filled(Line::default(), old.len() * 2);
        self.shift -= 1;
        self.taken = 0;
        for entry in old.iter().flat_map(|line| line.0) {
            if entry.key != Packed::default() {
                self.insert(entry);
            }
        }
    }
}

/// The second level, and what merging needs.
#[derive(Default)]
struct Second {
    /// The pretokens that are found here only, and where their ids are.
    table: Interner,
    places: Vec<Place>,
    ids: Vec<u32>,
    /// The ids of the pretoken that has just been encoded.
    fresh: Vec<u32>,
    /// How often it has begun anew.
    times: u32,
    /// Whether a pretoken is here for which the first level had no room: else a short one that isn't there is new.
    has_short: bool,
    scratch: Scratch,
}

#[derive(Clone, Copy)]
struct Place {
    start: u32,
    length: u32,
}

impl Second {
    fn ids(&self, place: Place) -> &[u32] {
        &self.ids[place.start as usize..][..place.length as usize]
    }

    fn find(&self, key: Packed, pretoken: &[u8]) -> Option<&[u32]> {
        if !(key.is_long() || self.has_short) {
            return None;
        }
        let index = self.table.get_prepared(Prepared::from(key), pretoken)?;
        Some(self.ids(self.places[index as usize]))
    }

    fn make_room(&mut self, budget: usize) {
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

    fn insert(&mut self, key: Packed, pretoken: &[u8], place: Place) {
        self.table.intern_prepared(Prepared::from(key), pretoken);
        self.places.push(place);
        self.has_short |= !key.is_long();
    }

    fn allocated(&self) -> usize {
        self.table.allocated()
            + self.places.capacity() * size_of::<Place>()
            + self.ids.capacity() * size_of::<u32>()
    }
}

pub struct Cache {
    levels: Levels,
    /// The keys of the group that is being looked up, with their lines.
    keys: Box<[(Packed, usize); GROUP]>,
    buffer: Box<Buffer>,
}

impl Cache {
    pub fn new(budget: Budget) -> Self {
        Cache {
            levels: Levels {
                first: First::new(budget.first),
                second: Second::default(),
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
            levels,
            keys,
            buffer,
        } = self;
        let mut from = start;
        for (place, &end) in keys.iter_mut().zip(ends) {
            // A long one has no bytes here, and is not in the first level.
            let key = match Packed::short_within(text, from, end - from) {
                Some(key) => key,
                None => last_key(&text[from..end]),
            };
            let line = (key.hash() >> levels.first.shift) as usize;
            prefetch(&levels.first.lines, line);
            *place = (key, line);
            from = end;
        }
        let mut length = 0;
        for (number, &(key, line)) in keys[..ends.len()].iter().enumerate() {
            let Line([one, two]) = &levels.first.lines[line];
            // One branch: which of the two it is would be mispredicted.
            let (from_one, from_two) = (one.key.difference(key), two.key.difference(key));
            if from_one.min(from_two) == 0 {
                let value = if from_two == 0 {
                    &two.value
                } else {
                    &one.value
                };
                if value[INLINE] != ELSEWHERE {
                    if S::IDS {
                        buffer[length..length + value.len()].copy_from_slice(value);
                    }
                    length += value[INLINE] as usize;
                    continue;
                }
            }
            sink.some(buffer, std::mem::take(&mut length));
            let from = if number == 0 { start } else { ends[number - 1] };
            levels.look_further(encoder, line, &text[from..ends[number]], sink);
        }
        sink.some(buffer, length);
    }

    #[cfg(test)]
    pub fn allocated(&self) -> usize {
        let Levels { first, second, .. } = &self.levels;
        first.lines.capacity() * size_of::<Line>() + second.allocated()
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
    budget: Budget,
}

impl Levels {
    #[inline(never)]
    fn look_further(
        &mut self,
        encoder: &Encoder,
        line: usize,
        pretoken: &[u8],
        sink: &mut impl Sink,
    ) {
        let key = Packed::new(pretoken);
        let Levels { first, second, .. } = self;
        if !key.is_long() {
            let own = first.lines[line].0.iter().find(|entry| entry.key == key);
            match own
                .map(|entry| entry.value)
                .or_else(|| first.neighbour(line, key))
            {
                Some([start, length, times, ELSEWHERE]) if times == second.times => {
                    return sink.many(second.ids(Place { start, length }));
                }
                // It began anew since.
                Some([.., ELSEWHERE]) | None => {}
                Some(value) => return sink.many(&value[..value[INLINE] as usize]),
            }
        }
        match second.find(key, pretoken) {
            Some(ids) => sink.many(ids),
            None => self.encode(encoder, key, pretoken, sink),
        }
    }

    /// For the first time, or again after it was let go.
    fn encode(&mut self, encoder: &Encoder, key: Packed, pretoken: &[u8], sink: &mut impl Sink) {
        let Levels {
            first,
            second,
            budget,
        } = self;
        second.make_room(budget.second);
        second.fresh.clear();
        encoder.encode_pretoken(pretoken, &mut second.scratch, &mut second.fresh);
        sink.many(&second.fresh);
        let place = Place {
            start: second.ids.len() as u32,
            length: second.fresh.len() as u32,
        };
        let mut value = [place.start, place.length, second.times, ELSEWHERE];
        if let Some(inline) = value[..INLINE].get_mut(..second.fresh.len()) {
            inline.copy_from_slice(&second.fresh);
            value[INLINE] = place.length;
        }
        let in_first = !key.is_long() && first.insert(Entry { key, value });
        if in_first && value[INLINE] != ELSEWHERE {
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
