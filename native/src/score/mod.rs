//! Several encoders that share a splitter, scored in one pass: a pretoken is encoded under all of them when any thread
//! first sees it, and from then on costs one look-up and one addition of eight lanes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::count::blocks::Blocks;
use crate::count::{on_threads, PretokenCounts};
use crate::encode::Encoder;
use crate::groups::{for_each_group, GROUP};
use crate::pretok::Splitter;
use crate::table::{Interner, Prepared};

mod known;
#[cfg(test)]
mod tests;

use known::Known;

/// What the tables may take before rare pretokens are let go: some five million distinct pretokens.
pub const BUDGET: usize = 1 << 30;

/// What a thread takes at once. What is new in it is encoded outside of all locks, under one encoder after the other.
const BLOCK_BYTES: usize = 1 << 18;

/// Lengths are added eight at a time, one byte each; a group's sums fit into sixteen bits.
const LANES: usize = 8;
/// The most tokens that a lane holds.
const LONGEST: usize = 255;
const _: () = assert!(GROUP * LONGEST <= u16::MAX as usize);

pub struct Scorer {
    splitter: Arc<Splitter>,
    encoders: Vec<Arc<Encoder>>,
    known: Known,
    /// One state a thread. Who locks several, or one and then a shard of what is known, does it in this order.
    states: Vec<Mutex<State>>,
    budget: usize,
    pruned: AtomicU64,
}

/// What one thread has seen.
#[derive(Default)]
struct State {
    /// Of the block that is being scored: its pretokens, and those among them that this thread hasn't seen before.
    seen: Vec<u32>,
    fresh: Vec<u32>,
    table: Interner,
    /// Occurrences since they were last added to those in `Known`.
    counts: Vec<u64>,
    places: Vec<known::Place>,
    /// The lengths of each pretoken under the encoders, filled up with zeros to whole lanes; zeros where `long` has them.
    lanes: Vec<u8>,
    long: HashMap<u32, Vec<u32>>,
    sums: Vec<u16>,
}

/// A pretoken that two encoders cut into different numbers of tokens.
pub struct Difference {
    pub pretoken: Vec<u8>,
    pub count: u64,
    pub first: u32,
    pub second: u32,
}

impl Difference {
    fn weight(&self) -> u64 {
        self.count * u64::from(self.first.abs_diff(self.second))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scorer {
    pub fn new(splitter: Arc<Splitter>, encoders: Vec<Arc<Encoder>>, threads: usize) -> Self {
        let states = (0..threads.max(1)).map(|_| Mutex::default()).collect();
        Scorer {
            known: Known::new(&encoders),
            splitter,
            encoders,
            states,
            budget: BUDGET,
            pruned: AtomicU64::new(0),
        }
    }

    /// With another budget in bytes. Beyond it (looked at after each [`Scorer::add`]) the rarest pretokens are let go
    /// until half of it is used: every total stays exact, [`Scorer::differences`] loses them.
    pub fn with_budget(mut self, budget: usize) -> Self {
        self.budget = budget;
        self
    }

    /// Row by row, for each text: its pretokens, then its tokens under each encoder.
    pub fn add(&self, texts: &[&str]) -> Vec<i64> {
        self.add_blocks(texts, BLOCK_BYTES)
    }

    fn add_blocks(&self, texts: &[&str], size: usize) -> Vec<i64> {
        let width = 1 + self.encoders.len();
        let rows = Mutex::new(vec![0; texts.len() * width]);
        let blocks = Blocks::new(texts, &self.splitter, None, size);
        let thread = AtomicUsize::new(0);
        let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
        on_threads(self.states.len().min(bytes / size + 1), || {
            let mine = thread.fetch_add(1, Ordering::Relaxed);
            let mut state = lock(&self.states[mine]);
            while let Some(block) = blocks.take() {
                let piece = [block.piece];
                let some = if block.whole.is_empty() {
                    &piece[..]
                } else {
                    &texts[block.whole]
                };
                let mut found = vec![0; some.len() * width];
                state.score(self, some, &mut found);
                let first = block.first_text * width;
                let mut rows = lock(&rows);
                for (sum, found) in rows[first..].iter_mut().zip(found) {
                    *sum += found;
                }
            }
        });
        self.keep_to_budget();
        rows.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what the threads have counted to the counts of what is known.
    fn settle(&self) -> Vec<MutexGuard<'_, State>> {
        let mut states: Vec<_> = self.states.iter().map(lock).collect();
        for state in &mut states {
            let State { counts, places, .. } = &mut **state;
            for (count, place) in counts.iter_mut().zip(places) {
                self.known.add(*place, std::mem::take(count));
            }
        }
        states
    }

    fn keep_to_budget(&self) {
        let taken = |states: &[MutexGuard<'_, State>]| {
            let of_threads: usize = states.iter().map(|state| state.allocated()).sum();
            of_threads + self.known.allocated()
        };
        let states: Vec<_> = self.states.iter().map(lock).collect();
        if taken(&states) <= self.budget {
            return;
        }
        drop(states);
        let mut states = self.settle();
        for state in &mut states {
            **state = State::default();
        }
        let mut least = 2;
        while self.known.allocated() > self.budget / 2 && self.known.distinct() > 0 {
            let pruned = self.known.prune(least);
            self.pruned.fetch_add(pruned as u64, Ordering::Relaxed);
            least *= 2;
        }
    }

    /// How often pretokens were let go for lack of memory; then `differences` and `distinct` are of the others only.
    pub fn pruned(&self) -> u64 {
        self.pruned.load(Ordering::Relaxed)
    }

    /// How often each id occurred under an encoder.
    pub fn id_counts(&self, encoder: usize) -> Vec<i64> {
        let _states = self.settle();
        self.known.id_counts(encoder)
    }

    /// Pretokens whose tokens do not join to them, with the encoder.
    pub fn broken(&self) -> Vec<(Vec<u8>, usize)> {
        let mut found = self.known.broken();
        found.sort();
        found.dedup();
        found
    }

    /// The pretokens that carry most of the token difference between two encoders.
    pub fn differences(&self, first: usize, second: usize, limit: usize) -> Vec<Difference> {
        let _states = self.settle();
        let mut rows = Vec::new();
        self.known.each(|pretoken, count, lengths| {
            let (first, second) = (lengths[first], lengths[second]);
            if first != second && count > 0 {
                rows.push(Difference {
                    pretoken: pretoken.to_vec(),
                    count,
                    first,
                    second,
                });
            }
        });
        rows.sort_unstable_by(|a, b| {
            b.weight()
                .cmp(&a.weight())
                .then_with(|| a.pretoken.cmp(&b.pretoken))
        });
        rows.truncate(limit);
        rows
    }

    /// The pretokens seen, with their counts; none where some have been let go.
    pub fn pretokens(&self) -> Option<PretokenCounts> {
        let _states = self.settle();
        let mut all = PretokenCounts::new();
        self.known.each(|pretoken, count, _| {
            if count > 0 {
                all.add(pretoken, count);
            }
        });
        (self.pruned() == 0).then_some(all)
    }

    /// Distinct pretokens seen.
    pub fn distinct(&self) -> usize {
        self.known.distinct()
    }
}

impl State {
    fn score(&mut self, scorer: &Scorer, texts: &[&str], rows: &mut [i64]) {
        self.seen.clear();
        let ends: Vec<usize> = texts
            .iter()
            .map(|text| {
                self.look_up(&scorer.splitter, text);
                self.seen.len()
            })
            .collect();
        self.meet(scorer);
        let mut start = 0;
        for (end, row) in ends
            .into_iter()
            .zip(rows.chunks_exact_mut(1 + scorer.encoders.len()))
        {
            row[0] = (end - start) as i64;
            self.add_up(start..end, &mut row[1..]);
            start = end;
        }
    }

    fn look_up(&mut self, splitter: &Splitter, text: &str) {
        let bytes = text.as_bytes();
        let mut keys = [Prepared::default(); GROUP];
        for_each_group(splitter, text, &mut |start, ends| {
            let mut from = start;
            for (key, &end) in keys.iter_mut().zip(ends) {
                *key = self.table.prepare(bytes, from, end);
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
    fn meet(&mut self, scorer: &Scorer) {
        let width = scorer.encoders.len().next_multiple_of(LANES);
        let State {
            table,
            counts,
            places,
            lanes,
            long,
            ..
        } = self;
        counts.resize(table.len(), 0);
        places.resize(table.len(), known::Place::default());
        lanes.resize(table.len() * width, 0);
        let fresh = std::mem::take(&mut self.fresh);
        let keys = |index| table.key(index);
        scorer
            .known
            .meet(&scorer.encoders, &fresh, keys, |index, place, lengths| {
                places[index as usize] = place;
                if lengths.iter().any(|&length| length > LONGEST as u32) {
                    long.insert(index, lengths.to_vec());
                    return;
                }
                let lanes = &mut lanes[index as usize * width..][..width];
                for (lane, &length) in lanes.iter_mut().zip(lengths) {
                    *lane = length as u8;
                }
            });
    }

    /// Adds the lengths of some of the block's pretokens to a row.
    fn add_up(&mut self, range: std::ops::Range<usize>, row: &mut [i64]) {
        let width = row.len().next_multiple_of(LANES);
        for group in self.seen[range].chunks(GROUP) {
            self.sums.clear();
            self.sums.resize(width, 0);
            for &index in group {
                self.counts[index as usize] += 1;
                let lanes = &self.lanes[index as usize * width..][..width];
                let sums = self.sums.chunks_exact_mut(LANES);
                for (sums, lanes) in sums.zip(lanes.chunks_exact(LANES)) {
                    for (sum, &length) in sums.iter_mut().zip(lanes) {
                        *sum += u16::from(length);
                    }
                }
                if lanes.first() == Some(&0) {
                    // No pretoken has no tokens: this one has too many for a lane.
                    for (sum, &length) in row.iter_mut().zip(&self.long[&index]) {
                        *sum += i64::from(length);
                    }
                }
            }
            for (total, &sum) in row.iter_mut().zip(&self.sums) {
                *total += i64::from(sum);
            }
        }
    }

    fn allocated(&self) -> usize {
        self.table.allocated()
            + self.counts.capacity() * size_of::<u64>()
            + self.places.capacity() * size_of::<known::Place>()
            + self.lanes.capacity()
    }
}
