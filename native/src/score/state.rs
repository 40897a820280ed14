//! What one thread of a scorer knows.

use std::collections::HashMap;

use super::known;
use super::lanes::{self, Sums};
use super::marks::{rows, Cuts, ROW};
use super::pairs::Pairs;
use super::placed::{text_of, Placed};
use super::{Rows, Scorer};
use crate::groups::{for_each_group, GROUP};
use crate::pretok::Splitter;
use crate::table::{prefetch, Interner, Prepared};

/// What one thread has seen.
#[derive(Default)]
pub(super) struct State {
    /// Of the block that is being scored: its pretokens, and those among them that this thread hasn't seen before.
    pub(super) seen: Vec<u32>,
    /// The bytes of each of these, where marks are made.
    pub(super) sizes: Vec<u32>,
    pub(super) fresh: Vec<u32>,
    pub(super) table: Interner,
    /// Occurrences since they were last added to those in `Known`.
    pub(super) counts: Vec<u64>,
    pub(super) places: Vec<known::Place>,
    /// The lengths of each pretoken under the encoders, then the beginnings of tokens that two of them have both, filled up
    /// with zeros to whole lanes; zeros where `long` has them.
    pub(super) lanes: Vec<u64>,
    pub(super) long: HashMap<u32, Vec<u32>>,
    pub(super) sums: Sums,
    /// Of every pretoken in the table, where marks are made.
    pub(super) cuts: Cuts,
    pub(super) placed: Placed,
    pub(super) pairs: Pairs,
}

impl State {
    /// Adds to the rows of some texts. `marks`: the byte of its text at which the first begins, and where the rows
    /// of all are put, those of a piece from the row on in which it begins. Returns the bytes of the first and of the last
    /// pretoken.
    pub(super) fn score(
        &mut self,
        scorer: &Scorer,
        texts: &[&str],
        sums: &mut Rows,
        marks: Option<(usize, &mut Vec<u64>)>,
    ) -> Option<(usize, usize)> {
        self.seen.clear();
        self.sizes.clear();
        let sized = scorer.marked > 0 || scorer.asked.is_some();
        let ends: Vec<usize> = texts
            .iter()
            .map(|text| {
                self.look_up(&scorer.splitter, sized, text);
                self.seen.len()
            })
            .collect();
        self.meet(scorer);
        let counts_pairs = scorer.counts_pairs();
        let (first_bit, mut bits) = marks.map_or((0, None), |(at, bits)| (at % ROW, Some(bits)));
        let mut start = 0;
        for ((number, end), text) in ends.into_iter().enumerate().zip(texts) {
            let (row, both) = sums.counts_of(number);
            row[0] = (end - start) as i64;
            self.add_up(start..end, &mut row[1..], both);
            if counts_pairs {
                self.pairs.add_neighbours(&self.seen[start..end]);
            }
            if let Some(bits) = &mut bits {
                let from = bits.len();
                bits.resize(from + rows(first_bit + text.len()) * scorer.marked, 0);
                self.mark(start..end, first_bit, scorer.marked, &mut bits[from..]);
            }
            if let Some(asked) = &scorer.asked {
                let wanted = scorer.wanted_in_text(asked);
                let pretokens = (&self.seen[start..end], &self.sizes[start..end]);
                let row = sums.places_of(number);
                self.placed
                    .add(asked, wanted, &self.cuts, pretokens, text, row);
            }
            start = end;
        }
        let size = |index: &u32| self.table.key(*index).len();
        Some((size(self.seen.first()?), size(self.seen.last()?)))
    }

    /// Adds what was counted to what is known, and to what is known of places.
    pub(super) fn settle(&mut self, scorer: &Scorer) {
        for (index, count) in self.counts.iter_mut().enumerate() {
            let count = std::mem::take(count);
            if count == 0 {
                continue;
            }
            scorer.known.add(self.places[index], count);
        }
        if let Some(asked) = scorer.asked.as_ref().filter(|_| scorer.counts_types()) {
            self.placed.count_types(asked, &self.cuts, &self.table);
        }
    }

    /// Knows no pretoken any more; what was found stays. (After it was settled.)
    pub(super) fn forget(&mut self) {
        *self = State {
            placed: self.placed.forget(),
            ..State::default()
        };
    }

    fn mark(
        &self,
        range: std::ops::Range<usize>,
        first_bit: usize,
        width: usize,
        bits: &mut [u64],
    ) {
        const AHEAD: usize = 24;
        let mut at = first_bit;
        let seen = &self.seen[range.clone()];
        for (place, (&index, &size)) in seen.iter().zip(&self.sizes[range]).enumerate() {
            if let Some(&later) = seen.get(place + AHEAD) {
                self.cuts.expect(later, width);
            }
            self.cuts.mark(index, size as usize, at, width, bits);
            at += size as usize;
        }
    }

    fn look_up(&mut self, splitter: &Splitter, sized: bool, text: &str) {
        let bytes = text.as_bytes();
        let mut keys = [Prepared::default(); GROUP];
        for_each_group(splitter, text, &mut |start, ends| {
            let mut from = start;
            for (key, &end) in keys.iter_mut().zip(ends) {
                *key = self.table.prepare(bytes, from, end);
                if sized {
                    self.sizes.push((end - from) as u32);
                }
                from = end;
            }
            from = start;
            for (&key, &end) in keys.iter().zip(ends) {
                let (index, new) = self.table.intern_prepared(key, &bytes[from..end]);
                if new {
                    self.fresh.push(index);
                }
                self.seen.push(index);
                from = end;
            }
        });
    }

    /// Has the fresh pretokens encoded, those that no other thread knows.
    pub(super) fn meet(&mut self, scorer: &Scorer) {
        let compared = scorer.compared();
        let width = lanes::words_of(scorer.encoders.len() + compared);
        let mut numbers = Vec::new();
        let State {
            table,
            counts,
            places,
            lanes,
            long,
            cuts,
            placed,
            ..
        } = self;
        let cut = scorer.cut();
        counts.resize(table.len(), 0);
        places.resize(table.len(), known::Place::default());
        lanes.resize(table.len() * width, 0);
        cuts.grow(table.len(), cut);
        if let Some(asked) = &scorer.asked {
            placed.grow(table.len(), asked);
        }
        let fresh = std::mem::take(&mut self.fresh);
        let keys = |index| table.key(index);
        scorer.known.meet(
            &scorer.encoders,
            &fresh,
            keys,
            |index, place, lengths, ids| {
                places[index as usize] = place;
                if cut > 0 {
                    let encoders = &scorer.encoders[..cut];
                    cuts.set(index, keys(index).len(), encoders, lengths, ids);
                }
                if let Some(asked) = &scorer.asked {
                    placed.meet(asked, cuts, index, text_of(table, index));
                }
                numbers.clear();
                numbers.extend_from_slice(lengths);
                if compared > 0 {
                    cuts.both(index, cut, &mut numbers);
                }
                if numbers.iter().any(|&one| i64::from(one) > lanes::MOST) {
                    long.insert(index, numbers.clone());
                    return;
                }
                let words = &mut lanes[index as usize * width..][..width];
                for (number, &one) in numbers.iter().enumerate() {
                    lanes::set(words, number, one as u8);
                }
            },
        );
    }

    /// Adds the lengths of some of the block's pretokens to a row, and what two encoders have both to another.
    fn add_up(&mut self, range: std::ops::Range<usize>, row: &mut [i64], both: &mut [i64]) {
        const AHEAD: usize = 16;
        let width = lanes::words_of(row.len() + both.len());
        let take = |sums: &mut Sums, row: &mut [i64], both: &mut [i64]| {
            let found = row.iter_mut().chain(both).enumerate();
            found.for_each(|(lane, sum)| *sum += sums.of(lane));
            sums.begin(width);
        };
        self.sums.begin(width);
        let seen = &self.seen[range];
        for (place, &index) in seen.iter().enumerate() {
            if let Some(&later) = seen.get(place + AHEAD) {
                prefetch(&self.lanes, later as usize * width);
            }
            self.counts[index as usize] += 1;
            let words = &self.lanes[index as usize * width..][..width];
            if words.first() == Some(&0) {
                // No pretoken has no tokens: this one has too many for a lane.
                let numbers = row.iter_mut().chain(&mut *both);
                for (sum, &one) in numbers.zip(&self.long[&index]) {
                    *sum += i64::from(one);
                }
            }
            if self.sums.add(words) {
                take(&mut self.sums, row, both);
            }
        }
        take(&mut self.sums, row, both);
    }

    pub(super) fn allocated(&self) -> usize {
        self.table.allocated()
            + self.counts.capacity() * size_of::<u64>()
            + self.places.capacity() * size_of::<known::Place>()
            + self.lanes.capacity() * size_of::<u64>()
            + self.long.capacity() * size_of::<(u32, Vec<u32>)>()
            + self.long.values().next().map_or(0, Vec::len) * self.long.len() * size_of::<u32>()
            + self.cuts.allocated()
            + self.placed.allocated()
            + self.pairs.allocated()
    }
}
