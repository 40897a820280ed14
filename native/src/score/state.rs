//! What one thread of a scorer knows.

use std::collections::HashMap;
use std::ops::Range;

use super::known;
use super::marks::{rows, Cuts, ROW};
use super::pairs::Pairs;
use super::placed::{text_of, words_of_places, Cut, Placed};
use super::sheet::{set, words_of, Sheet, AT_ONCE, MOST};
use super::{Rows, Scorer};
use crate::groups::{for_each_group, GROUP};
use crate::pretok::Splitter;
use crate::table::{Interner, Prepared};

/// In the head of a pretoken's row: whether `long` has its numbers.
const LONG: u64 = 1 << 31;

/// What one thread has seen.
#[derive(Default)]
pub(super) struct State {
    /// Of the block that is being scored: its pretokens, and those among them that this thread hasn't seen before.
    pub(super) seen: Vec<u32>,
    /// The bytes of each of these, where marks are made.
    pub(super) sizes: Vec<u32>,
    pub(super) fresh: Vec<u32>,
    pub(super) table: Interner,
    pub(super) places: Vec<known::Place>,
    /// Of each pretoken: its head, with its occurrences since they were last added to those in `Known`; its lengths under
    /// the encoders, then the beginnings of tokens that two of them have both, filled up with zeros to whole words, zeros
    /// where `long` has them; and what `placed` has there.
    pub(super) sheet: Sheet,
    pub(super) long: HashMap<u32, Vec<u32>>,
    /// Of every pretoken in the table, where marks are made.
    pub(super) cuts: Cuts,
    pub(super) placed: Placed,
    pub(super) pairs: Pairs,
}

/// Where a row has its numbers, and what is known of places.
fn words(scorer: &Scorer) -> [Range<usize>; 2] {
    let numbers = 1 + words_of(scorer.encoders.len() + scorer.compared());
    let places = scorer
        .asked
        .map_or(0, |asked| words_of_places(asked.tokenizers));
    [1..numbers, numbers..numbers + places]
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
            self.add_up(scorer, start..end, text, sums, number);
            if counts_pairs {
                self.pairs.add_neighbours(&self.seen[start..end]);
            }
            if let Some(bits) = &mut bits {
                let from = bits.len();
                bits.resize(from + rows(first_bit + text.len()) * scorer.marked, 0);
                self.mark(start..end, first_bit, scorer.marked, &mut bits[from..]);
            }
            start = end;
        }
        let size = |index: &u32| self.table.key(*index).len();
        Some((size(self.seen.first()?), size(self.seen.last()?)))
    }

    /// Adds what was counted to what is known, and to what is known of places.
    pub(super) fn settle(&mut self, scorer: &Scorer) {
        let asked = scorer.asked.as_ref().filter(|_| scorer.counts_types());
        for index in 0..self.sheet.len() as u32 {
            let count = self.sheet.take_count(index);
            if count == 0 {
                continue;
            }
            scorer.known.add(self.places[index as usize], count);
            if let Some(asked) = asked {
                let pretoken = (index, text_of(&self.table, index));
                self.placed.count_types(asked, &self.cuts, pretoken, count);
            }
        }
    }

    /// Knows no pretoken any more; what was found stays. (After it was settled.)
    pub(super) fn forget(&mut self) {
        *self = State {
            placed: self.placed.forget(),
            ..State::default()
        };
    }

    fn mark(&self, range: Range<usize>, first_bit: usize, width: usize, bits: &mut [u64]) {
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
        let [numbers_at, places_at] = words(scorer);
        let mut numbers = Vec::new();
        let State {
            table,
            places,
            sheet,
            long,
            cuts,
            placed,
            ..
        } = self;
        let cut = scorer.cut();
        places.resize(table.len(), known::Place::default());
        sheet.grow(table.len(), places_at.end);
        cuts.grow(table.len(), cut);
        if scorer.asked.is_some() {
            placed.grow(table.len());
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
                let (before, of_places) = sheet.row_mut(index).split_at_mut(places_at.start);
                if let Some(asked) = &scorer.asked {
                    let pretoken = (index, text_of(table, index));
                    let there = (&mut before[0], &mut of_places[..places_at.len()]);
                    placed.meet(asked, cuts, pretoken, there);
                }
                numbers.clear();
                numbers.extend_from_slice(lengths);
                if compared > 0 {
                    cuts.both(index, cut, &mut numbers);
                }
                if numbers.iter().any(|&one| i64::from(one) > MOST) {
                    before[0] |= LONG;
                    long.insert(index, numbers.clone());
                    return;
                }
                let words = &mut before[numbers_at.clone()];
                for (number, &one) in numbers.iter().enumerate() {
                    set(words, number, one as u8);
                }
            },
        );
    }

    /// Adds some of the block's pretokens, which are a text or a piece of one that may be cut from the rest, to its row.
    fn add_up(
        &mut self,
        scorer: &Scorer,
        range: Range<usize>,
        text: &str,
        sums: &mut Rows,
        number: usize,
    ) {
        const AHEAD: usize = 20;
        let State {
            seen,
            sizes,
            sheet,
            long,
            cuts,
            placed,
            ..
        } = self;
        let [numbers_at, places_at] = words(scorer);
        let asked = scorer
            .asked
            .as_ref()
            .map(|asked| (asked, scorer.wanted_in_text(asked)));
        let cut = Cut {
            seen: &seen[range.clone()],
            sizes: sizes.get(range.clone()).unwrap_or_default(),
            text,
        };
        let mut walk = cut.walk(sheet);
        let mut start = 0;
        for some in cut.seen.chunks(AT_ONCE) {
            let (row, both) = sums.counts_of(number);
            let row = &mut row[1..];
            for (place, &index) in some.iter().enumerate() {
                // Of the texts after this one as well, which may be short.
                if let Some(&later) = seen.get(range.start + start + place + AHEAD) {
                    sheet.expect(later);
                }
                if sheet.count(index) & LONG != 0 {
                    let numbers = row.iter_mut().chain(&mut *both);
                    for (sum, &one) in numbers.zip(&long[&index]) {
                        *sum += i64::from(one);
                    }
                }
            }
            sheet.sums(some, numbers_at.clone(), |lane, sum| {
                if let Some(total) = row.get_mut(lane) {
                    *total += sum;
                } else if let Some(total) = both.get_mut(lane - row.len()) {
                    *total += sum;
                }
            });
            start += some.len();
            if let Some(asked) = asked {
                let known = (&*cuts, &*sheet, places_at.clone());
                let row = sums.places_of(number);
                placed.walk(asked, known, cut, (&mut walk, start), row);
            }
        }
        sums.counts_of(number).0[0] = cut.seen.len() as i64;
    }

    pub(super) fn allocated(&self) -> usize {
        self.table.allocated()
            + self.places.capacity() * size_of::<known::Place>()
            + self.sheet.allocated()
            + self.long.capacity() * size_of::<(u32, Vec<u32>)>()
            + self.long.values().next().map_or(0, Vec::len) * self.long.len() * size_of::<u32>()
            + self.cuts.allocated()
            + self.placed.allocated()
            + self.pairs.allocated()
    }
}
