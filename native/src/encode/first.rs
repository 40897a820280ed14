//! A thread's own table of short pretokens, for which there was no room in the shared one, or not for their ids.

use super::shared::Value;
use crate::memory;
use crate::table::Packed;

/// In a value, after where the ids are in the second level, how many, and which of its times that is about.
pub const ELSEWHERE: u32 = u32::MAX;

/// A pretoken and its ids; vacant where both are zero, as no pretoken is empty.
#[derive(Clone, Copy, Default)]
pub struct Entry {
    pub key: Packed,
    pub value: Value,
}

/// One cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line([Entry; 2]);

pub struct First {
    lines: Vec<Line>,
    /// 64 less the logarithm of the number of lines: the hash's top bits say which.
    shift: u32,
    taken: usize,
    largest: usize,
    /// Says whose turn it is to be replaced.
    clock: usize,
}

impl First {
    pub fn new(bytes: usize) -> Self {
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

    pub fn find(&self, key: Packed) -> Option<Value> {
        let line = (key.hash() >> self.shift) as usize;
        let entries = [line, line ^ 1].map(|line| self.lines[line].0);
        let mut entries = entries.iter().flatten();
        entries
            .find(|entry| entry.key == key)
            .map(|entry| entry.value)
    }

    /// Whether there was room. Before the table is nearly full none is made: of those who share a few lines one may
    /// be a frequent pretoken, which every rare one would put out.
    pub fn insert(&mut self, entry: Entry) -> bool {
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

    #[cfg(test)]
    pub fn allocated(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }
}
