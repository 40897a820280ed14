//! Several encoders that share a splitter, scored in one pass: a pretoken is encoded under all of them when any thread
//! first sees it, and from then on costs one look-up and one addition of eight lanes.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::count::blocks::Blocks;
use crate::count::{on_threads, PretokenCounts};
use crate::encode::Encoder;
use crate::places::{self, TypeCounts, Wanted};
use crate::pretok::Splitter;

mod edges;
mod following;
mod known;
mod lanes;
pub mod marks;
mod nested;
pub mod pairs;
mod placed;
mod state;
#[cfg(test)]
mod tests;

use following::{each_part, Following, Grouped, Ids};
use known::Known;
use marks::{Marks, ROW};
use pairs::Pairs;
pub use placed::Asked;
use state::State;

/// What the tables may take before rare pretokens are let go: some five million distinct pretokens.
pub const BUDGET: usize = 1 << 30;

/// What a thread takes at once. What is new in it is encoded outside of all locks, under one encoder after the other.
const BLOCK_BYTES: usize = 1 << 18;

pub struct Scorer {
    splitter: Arc<Splitter>,
    encoders: Vec<Arc<Encoder>>,
    known: Known,
    /// One state a thread. Who locks several, or one and then a shard of what is known, does it in this order.
    states: Vec<Mutex<State>>,
    budget: usize,
    pruned: AtomicU64,
    /// Under how many encoders, the first ones, it says where tokens begin.
    marked: usize,
    /// Under how many neighbours are counted, and whether that was given up for lack of memory.
    paired: usize,
    pairs_lost: AtomicBool,
    /// What is asked of where tokens stand, and whether the types of words were given up for lack of memory.
    asked: Option<Asked>,
    types_lost: AtomicBool,
    /// Texts that have a byte.
    texts: AtomicU64,
}

/// What is found of some texts, row by row.
pub struct Rows {
    /// Pretokens, then tokens under each encoder.
    pub tokens: Vec<i64>,
    /// As [`places::Places::add`] has them; of no text where they aren't asked for.
    pub places: Vec<i64>,
    widths: (usize, usize),
}

impl Rows {
    fn new(texts: usize, scorer: &Scorer) -> Self {
        let places = scorer.asked.as_ref().map_or(0, Asked::row_width);
        let widths = (1 + scorer.encoders.len(), places);
        Rows {
            tokens: vec![0; texts * widths.0],
            places: vec![0; texts * widths.1],
            widths,
        }
    }

    fn tokens_of(&mut self, text: usize) -> &mut [i64] {
        &mut self.tokens[text * self.widths.0..][..self.widths.0]
    }

    fn places_of(&mut self, text: usize) -> &mut [i64] {
        &mut self.places[text * self.widths.1..][..self.widths.1]
    }

    /// Adds the rows of some of the texts, the first of them this one.
    fn add(&mut self, first: usize, some: &Rows) {
        let add = |all: &mut [i64], some: &[i64]| {
            all.iter_mut().zip(some).for_each(|(sum, one)| *sum += one);
        };
        add(&mut self.tokens[first * self.widths.0..], &some.tokens);
        add(&mut self.places[first * self.widths.1..], &some.places);
    }
}

/// The neighbours of an encoder's ids, inside documents: how many pairs occur how often, and how many ids come first
/// in a pair how often.
#[derive(Debug, PartialEq)]
pub struct PairCounts {
    pub pairs: Vec<(u64, u64)>,
    pub firsts: Vec<(u64, u64)>,
}

/// A piece of a long text: its text, its number among the blocks, and its first and last pretokens.
struct Edges<'t> {
    text: usize,
    number: usize,
    ends: [&'t [u8]; 2],
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

/// The byte of the text at which a piece of it begins.
fn offset(text: &str, piece: &str) -> usize {
    piece.as_ptr() as usize - text.as_ptr() as usize
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
            marked: 0,
            paired: 0,
            pairs_lost: AtomicBool::new(false),
            asked: None,
            types_lost: AtomicBool::new(false),
            texts: AtomicU64::new(0),
        }
    }

    /// Finds what is asked of where tokens stand in the texts, for [`Scorer::add_placed`]. (Not together with marks of
    /// another number of tokenizers.)
    pub fn with_places(mut self, asked: Asked) -> Self {
        let tokenizers = asked.tokenizers.min(self.encoders.len());
        assert!(self.marked == 0 || self.marked == tokenizers);
        self.asked = Some(Asked {
            tokenizers,
            ..asked
        });
        self
    }

    /// Says where tokens begin under so many encoders, the first ones.
    pub fn with_marks(mut self, encoders: usize) -> Self {
        self.marked = encoders.min(self.encoders.len());
        assert!(self
            .asked
            .is_none_or(|asked| asked.tokenizers == self.marked));
        self
    }

    /// Counts neighbours under so many encoders, the first ones, for [`Scorer::pair_counts`].
    pub fn with_pairs(mut self, encoders: usize) -> Self {
        self.paired = encoders.min(self.encoders.len());
        self
    }

    /// With another budget in bytes. Beyond it (looked at after each [`Scorer::add`]) the rarest pretokens are let go
    /// until half of it is used: every total stays exact, [`Scorer::differences`] loses them.
    pub fn with_budget(mut self, budget: usize) -> Self {
        self.budget = budget;
        self
    }

    /// Row by row, for each text: its pretokens, then its tokens under each encoder.
    pub fn add(&self, texts: &[&str]) -> Vec<i64> {
        self.add_blocks(texts, BLOCK_BYTES).0.tokens
    }

    /// The same, and where tokens begin: of no text where that was not asked for.
    pub fn add_marked(&self, texts: &[&str]) -> (Vec<i64>, Marks) {
        let (rows, marks) = self.add_blocks(texts, BLOCK_BYTES);
        (rows.tokens, marks)
    }

    /// The same, and the figures of where tokens stand; marks where they are asked for too.
    pub fn add_placed(&self, texts: &[&str]) -> (Rows, Marks) {
        self.add_blocks(texts, BLOCK_BYTES)
    }

    fn add_blocks(&self, texts: &[&str], size: usize) -> (Rows, Marks) {
        let marks = Marks::new(if self.marked > 0 { texts } else { &[] }, self.marked);
        let found = Mutex::new((Rows::new(texts.len(), self), marks, Vec::new()));
        let mut blocks = Blocks::new(texts, &self.splitter, None, size);
        if self.asked.is_some_and(|asked| asked.words) {
            blocks = blocks.where_also(edges::may_be_cut);
        }
        let thread = AtomicUsize::new(0);
        let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
        on_threads(self.states.len().min(bytes / size + 1), || {
            let mine = thread.fetch_add(1, Ordering::Relaxed);
            let mut state = lock(&self.states[mine]);
            let mut rows_of_block = Vec::new();
            while let Some(block) = blocks.take() {
                let piece = [block.piece];
                let whole = block.piece.is_empty();
                let some = if whole {
                    &texts[block.whole]
                } else {
                    &piece[..]
                };
                let mut sums = Rows::new(some.len(), self);
                let at = match some {
                    [piece] if !whole => offset(texts[block.first_text], piece),
                    _ => 0,
                };
                rows_of_block.clear();
                let ends = state.score(
                    self,
                    some,
                    &mut sums,
                    (self.marked > 0).then_some((at, &mut rows_of_block)),
                );
                let mut found = lock(&found);
                let (all, marks, edges) = &mut *found;
                all.add(block.first_text, &sums);
                if self.marked > 0 {
                    let first = marks.starts[block.first_text] + at / ROW;
                    marks.add(first, &rows_of_block);
                }
                if let (false, Some((first, last))) = (whole, ends) {
                    let piece = piece[0].as_bytes();
                    edges.push(Edges {
                        text: block.first_text,
                        number: block.number,
                        ends: [&piece[..first], &piece[piece.len() - last..]],
                    });
                }
            }
        });
        let (rows, marks, edges) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let some = texts.iter().filter(|text| !text.is_empty()).count();
        self.texts.fetch_add(some as u64, Ordering::Relaxed);
        self.join(edges);
        self.keep_to_budget();
        (rows, marks)
    }

    /// Counts the neighbours that stand in two pieces of a text.
    fn join(&self, mut edges: Vec<Edges<'_>>) {
        if !self.counts_pairs() || edges.is_empty() {
            return;
        }
        edges.sort_unstable_by_key(|edge| edge.number);
        let mut state = lock(&self.states[0]);
        for two in edges.windows(2) {
            if two[0].text == two[1].text {
                state.seen.clear();
                for key in [two[0].ends[1], two[1].ends[0]] {
                    let (index, new) = state.table.intern(key);
                    if new {
                        state.fresh.push(index);
                    }
                    state.seen.push(index);
                }
                state.meet(self);
                let State { pairs, seen, .. } = &mut *state;
                pairs.add_neighbours(seen);
            }
        }
    }

    fn counts_pairs(&self) -> bool {
        self.paired > 0 && !self.pairs_lost.load(Ordering::Relaxed)
    }

    fn counts_types(&self) -> bool {
        let asked = |asked: Asked| asked.words && asked.wanted.types;
        self.asked.is_some_and(asked) && !self.types_lost.load(Ordering::Relaxed)
    }

    /// What is looked for where words reach over pretokens. (Boundaries that tokenizers share are counted by pretoken.)
    fn wanted_in_text(&self, asked: &Asked) -> Wanted {
        Wanted {
            types: self.counts_types(),
            shared: false,
            ..asked.wanted
        }
    }

    /// Under how many encoders, the first ones, it is known where tokens begin in a pretoken.
    fn cut(&self) -> usize {
        let asked = self.asked.map_or(0, |asked| asked.tokenizers);
        self.marked.max(asked)
    }

    /// Adds what the threads have counted to the counts of what is known.
    fn settle(&self) -> Vec<MutexGuard<'_, State>> {
        let mut states: Vec<_> = self.states.iter().map(lock).collect();
        states.iter_mut().for_each(|state| state.settle(self));
        states
    }

    /// The types of words under each tokenizer whose places are asked for; none where they aren't counted or took more
    /// memory than they may.
    pub fn types(&self) -> Option<Vec<TypeCounts>> {
        let mut states = self.settle();
        if !self.counts_types() {
            return None;
        }
        let width = self.cut();
        let (first, others) = states.split_first_mut()?;
        for other in others {
            let types = std::mem::take(&mut other.placed.found.types);
            first.placed.found.types.take(types, width);
        }
        Some(first.placed.found.types.counts(width))
    }

    /// By pair of these tokenizers, row by row: the boundaries inside texts that both have. All zeros where that isn't
    /// asked for.
    pub fn shared(&self) -> Vec<u64> {
        let states = self.settle();
        let width = self.asked.map_or(0, |asked| asked.tokenizers);
        let mut all = vec![0; width * width];
        for state in &states {
            for (sum, found) in all.iter_mut().zip(&state.shared) {
                *sum += found;
            }
        }
        let texts = self.texts.load(Ordering::Relaxed);
        for left in 0..width {
            for right in left..width {
                // The first token's beginning is everyone's, and inside of nothing.
                let both = &mut all[left * width + right];
                *both = both.saturating_sub(texts);
                all[right * width + left] = all[left * width + right];
            }
        }
        all
    }

    fn keep_to_budget(&self) {
        let taken = |states: &[MutexGuard<'_, State>]| {
            let of_threads: usize = states.iter().map(|state| state.allocated()).sum();
            of_threads + self.known.allocated()
        };
        let mut states: Vec<_> = self.states.iter().map(lock).collect();
        let of_pairs: usize = states.iter().map(|state| state.pairs.allocated()).sum();
        if self.counts_pairs()
            && (of_pairs > self.budget.min(pairs::BUDGET) || taken(&states) > self.budget)
        {
            self.pairs_lost.store(true, Ordering::Relaxed);
            states
                .iter_mut()
                .for_each(|state| state.pairs = Pairs::default());
        }
        let types = |state: &MutexGuard<'_, State>| state.placed.found.types.allocated();
        let of_types: usize = states.iter().map(types).sum();
        if self.counts_types() && of_types > self.budget.min(places::BUDGET) {
            self.types_lost.store(true, Ordering::Relaxed);
            for state in &mut states {
                state.placed.found.types = Default::default();
            }
        }
        if taken(&states) <= self.budget {
            return;
        }
        drop(states);
        let mut states = self.settle();
        for state in &mut states {
            state.forget();
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

    /// The neighbours under each encoder; none where they are not counted or were given up.
    pub fn pair_counts(&self) -> Option<Vec<PairCounts>> {
        let states = self.settle();
        if !self.counts_pairs() {
            return None;
        }
        let following = self.following(&states);
        let next = AtomicUsize::new(0);
        let found = on_threads(states.len().min(self.paired).max(1), || {
            let mut found = Vec::new();
            loop {
                let encoder = next.fetch_add(1, Ordering::Relaxed);
                if encoder >= self.paired {
                    return found;
                }
                found.push((encoder, self.pairs_of(encoder, &following)));
            }
        });
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.sort_unstable_by_key(|(encoder, _)| *encoder);
        Some(found.into_iter().map(|(_, counts)| counts).collect())
    }

    /// Which pretokens follow each other, by their numbers in `known`.
    fn following(&self, states: &[MutexGuard<'_, State>]) -> Following {
        let (starts, distinct) = self.known.numbering();
        let numbers: Vec<Vec<u32>> = states
            .iter()
            .map(|state| {
                let places = state.places.iter();
                places.map(|place| place.number(&starts)).collect()
            })
            .collect();
        Grouped::new(distinct, |f| {
            for (state, numbers) in states.iter().zip(&numbers) {
                state.pairs.each(|left, right, count| {
                    let (left, right) = (numbers[left as usize], numbers[right as usize]);
                    each_part(count, |part| f(left, (right, part)));
                });
            }
        })
    }

    fn pairs_of(&self, encoder: usize, following: &Following) -> PairCounts {
        let mut ids = Ids {
            bound: self.encoders[encoder].id_bound(),
            ends: Vec::new(),
            inside: Vec::new(),
        };
        self.known.each_ids(encoder, |count, some| {
            ids.ends.push((some[0], some[some.len() - 1]));
            if count > 0 {
                let pairs = some.windows(2).map(|two| (two[0], two[1], count));
                ids.inside.extend(pairs);
            }
        });
        let (pairs, firsts) = following::sums(&ids, following);
        PairCounts { pairs, firsts }
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
