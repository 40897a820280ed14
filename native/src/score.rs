//! Several encoders that share a splitter, scored in one pass: a pretoken is encoded under all of them when it is
//! first seen, and from then on costs one look-up and one small addition.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bpe::Scratch;
use crate::count::PretokenCounts;
use crate::encode::Encoder;
use crate::pretok::Splitter;
use crate::runs::map_runs;
use crate::table::Interner;

pub struct Scorer {
    splitter: Arc<Splitter>,
    encoders: Vec<Arc<Encoder>>,
    /// One state a thread; what they hold is added up when it is asked for.
    states: Vec<Mutex<State>>,
}

#[derive(Default)]
struct State {
    table: Interner,
    counts: Vec<u64>,
    /// Tokens of pretoken `i` under encoder `e`: `lengths[i * encoders + e]`, and their ids one after the other.
    lengths: Vec<u32>,
    ids: Vec<u32>,
    broken: Vec<(Vec<u8>, usize)>,
    scratch: Scratch,
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

impl Scorer {
    pub fn new(splitter: Arc<Splitter>, encoders: Vec<Arc<Encoder>>, threads: usize) -> Self {
        let states = (0..threads.max(1)).map(|_| Mutex::default()).collect();
        Scorer {
            splitter,
            encoders,
            states,
        }
    }

    /// Row by row, for each text: its pretokens, then its tokens under each encoder.
    pub fn add(&self, texts: &[&str]) -> Vec<i64> {
        let width = 1 + self.encoders.len();
        let thread = AtomicUsize::new(0);
        let parts = map_runs(texts, self.states.len(), |turns| {
            let mine = thread.fetch_add(1, Ordering::Relaxed);
            let mut state = self.states[mine]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            turns.each(|run| {
                let mut rows = vec![0; run.len() * width];
                for (text, row) in run.iter().zip(rows.chunks_exact_mut(width)) {
                    state.score(text, &self.splitter, &self.encoders, row);
                }
                rows
            });
        });
        parts.concat()
    }

    fn each_state(&self, mut f: impl FnMut(&State)) {
        for state in &self.states {
            f(&state.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// How often each id occurred under an encoder.
    pub fn id_counts(&self, encoder: usize) -> Vec<i64> {
        let mut total = vec![0; self.encoders[encoder].id_bound()];
        let width = self.encoders.len();
        self.each_state(|state| {
            let mut start = 0;
            for (lengths, &count) in state.lengths.chunks_exact(width).zip(&state.counts) {
                let before: u32 = lengths[..encoder].iter().sum();
                let from = start + before as usize;
                for &id in &state.ids[from..from + lengths[encoder] as usize] {
                    total[id as usize] += count as i64;
                }
                start += lengths.iter().sum::<u32>() as usize;
            }
        });
        total
    }

    /// Pretokens whose tokens do not join to them, with the encoder.
    pub fn broken(&self) -> Vec<(Vec<u8>, usize)> {
        let mut found = Vec::new();
        self.each_state(|state| found.extend(state.broken.iter().cloned()));
        found.sort();
        found.dedup();
        found
    }

    /// The pretokens that carry most of the token difference between two encoders.
    pub fn differences(&self, first: usize, second: usize, limit: usize) -> Vec<Difference> {
        let width = self.encoders.len();
        let mut by_pretoken: HashMap<Vec<u8>, Difference> = HashMap::new();
        self.each_state(|state| {
            for (index, lengths) in state.lengths.chunks_exact(width).enumerate() {
                let (one, two) = (lengths[first], lengths[second]);
                if one != two {
                    let pretoken = state.table.key(index as u32);
                    by_pretoken
                        .entry(pretoken.to_vec())
                        .or_insert_with(|| Difference {
                            pretoken: pretoken.to_vec(),
                            count: 0,
                            first: one,
                            second: two,
                        })
                        .count += state.counts[index];
                }
            }
        });
        let mut rows: Vec<Difference> = by_pretoken.into_values().collect();
        rows.sort_unstable_by(|a, b| {
            b.weight()
                .cmp(&a.weight())
                .then_with(|| a.pretoken.cmp(&b.pretoken))
        });
        rows.truncate(limit);
        rows
    }

    /// The pretokens seen, with their counts.
    pub fn pretokens(&self) -> PretokenCounts {
        let mut all = PretokenCounts::new();
        self.each_state(|state| {
            for (key, &count) in state.table.keys().zip(&state.counts) {
                all.add(key, count);
            }
        });
        all
    }

    /// Distinct pretokens seen.
    pub fn distinct(&self) -> usize {
        if let [only] = &self.states[..] {
            return only
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .table
                .len();
        }
        let mut all = Interner::new();
        self.each_state(|state| {
            for key in state.table.keys() {
                all.intern(key);
            }
        });
        all.len()
    }
}

impl State {
    fn score(
        &mut self,
        text: &str,
        splitter: &Splitter,
        encoders: &[Arc<Encoder>],
        row: &mut [i64],
    ) {
        let width = encoders.len();
        splitter.for_each(text, |pretoken| {
            let (index, new) = self.table.intern(pretoken.as_bytes());
            let index = index as usize;
            if new {
                self.counts.push(0);
                self.encode(pretoken.as_bytes(), encoders);
            }
            self.counts[index] += 1;
            row[0] += 1;
            for (sum, &length) in row[1..].iter_mut().zip(&self.lengths[index * width..]) {
                *sum += i64::from(length);
            }
        });
    }

    fn encode(&mut self, pretoken: &[u8], encoders: &[Arc<Encoder>]) {
        for (number, encoder) in encoders.iter().enumerate() {
            let before = self.ids.len();
            encoder.encode_pretoken(pretoken, &mut self.scratch, &mut self.ids);
            let ids = &self.ids[before..];
            self.lengths.push(ids.len() as u32);
            let mut rest = pretoken;
            let joined = ids
                .iter()
                .all(|&id| match rest.strip_prefix(encoder.token(id)) {
                    Some(after) => {
                        rest = after;
                        true
                    }
                    None => false,
                });
            if !joined || !rest.is_empty() {
                self.broken.push((pretoken.to_vec(), number));
            }
        }
    }
}
