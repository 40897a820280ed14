//! The ids of pretokens that have been met. A call takes a cache for each of its threads and gives it back.
//!
//! Two levels, each within a budget of its own. The first is a table for pretokens of at most 15 bytes and three
//! ids, nearly all of them: one cache line holds two entries, each with its key and its ids, so that a look-up
//! touches one place in memory. It grows with what it holds; at its full size a new entry takes an old one's
//! place. The second holds the rest by index, and begins anew when it is full. Very long pretokens, of which no
//! text has many that are alike, are not kept at all.

use super::Encoder;
use crate::bpe::Scratch;
use crate::groups::GROUP;
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

/// A pretoken and its ids; vacant where both are zero, as no pretoken is empty.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: Packed,
    value: [u32; INLINE + 1],
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

    /// The ids of an entry for which its own line had no room, and how many.
    fn neighbour(&self, line: usize, key: Packed) -> Option<[u32; INLINE + 1]> {
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
                if old.key == Packed::default() {
                    *old = entry;
                    self.taken += 1;
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
        self.lines = vec![Line::default(); old.len() * 2];
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
    table: Interner,
    ends: Vec<usize>,
    ids: Vec<u32>,
    /// The ids of the pretoken that has just been encoded.
    fresh: Vec<u32>,
    scratch: Scratch,
}

impl Second {
    fn ids(&self, index: u32) -> &[u32] {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.ids[start..self.ends[index]]
    }

    fn insert_fresh(&mut self, prepared: Prepared, key: &[u8], budget: usize) {
        let taken = self.table.allocated() + self.ends.capacity() * size_of::<usize>();
        // Half of it, as each of the four may be about to double.
        if taken + self.ids.capacity() * size_of::<u32>() > budget / 2 {
            self.table = Interner::new();
            self.ends = Vec::new();
            self.ids = Vec::new();
        }
        self.table.intern_prepared(prepared, key);
        self.ids.extend_from_slice(&self.fresh);
        self.ends.push(self.ids.len());
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
                let value = if from_two == 0 { &two.value } else { &one.value };
                if S::IDS {
                    buffer[length..length + value.len()].copy_from_slice(value);
                }
                length += value[INLINE] as usize;
            } else {
                sink.some(buffer, std::mem::take(&mut length));
                let from = if number == 0 { start } else { ends[number - 1] };
                levels.look_further(encoder, line, &text[from..ends[number]], sink);
            }
        }
        sink.some(buffer, length);
    }

    #[cfg(test)]
    pub fn allocated(&self) -> usize {
        let Levels { first, second, .. } = &self.levels;
        first.lines.capacity() * size_of::<Line>()
            + second.table.allocated()
            + second.ends.capacity() * size_of::<usize>()
            + second.ids.capacity() * size_of::<u32>()
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
        let Levels {
            first,
            second,
            budget,
        } = self;
        if !key.is_long() {
            if let Some(value) = first.neighbour(line, key) {
                return sink.many(&value[..value[INLINE] as usize]);
            }
        }
        let prepared = Prepared::from(key);
        if let Some(index) = second.table.get_prepared(prepared, pretoken) {
            return sink.many(second.ids(index));
        }
        second.fresh.clear();
        encoder.encode_pretoken(pretoken, &mut second.scratch, &mut second.fresh);
        sink.many(&second.fresh);
        let length = second.fresh.len();
        if length <= INLINE && !key.is_long() {
            let mut value = [0; INLINE + 1];
            value[..length].copy_from_slice(&second.fresh);
            value[INLINE] = length as u32;
            if first.insert(Entry { key, value }) {
                return;
            }
        }
        if pretoken.len() <= KEPT_KEY {
            second.insert_fresh(prepared, pretoken, budget.second);
        }
    }
}
