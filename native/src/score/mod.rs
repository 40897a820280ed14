//! Several encoders that share a splitter, scored in one pass: a pretoken is encoded under all of them when any thread
//! first sees it, and from then on costs one look-up and one addition of eight lanes.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::count::blocks::Blocks;
use crate::count::on_threads;
use crate::encode::Encoder;
use crate::places::{self, Wanted};
use crate::pretok::Splitter;

mod edges;
mod following;
mod known;
pub mod marks;
mod nested;
pub mod pairs;
mod placed;
mod results;
mod rows;
mod sheet;
mod state;
#[cfg(test)]
mod tests;

use known::Known;
use marks::{Marks, ROW};
use pairs::Pairs;
pub use placed::Asked;
pub use results::{Difference, PairCounts};
pub use rows::Rows;
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
}

/// A piece of a long text: its text, its number among the blocks, and its first and last pretokens.
struct Edges<'t> {
    text: usize,
    number: usize,
    ends: [&'t [u8]; 2],
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
        let (mut rows, marks, edges) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.without_beginnings(texts);
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

    /// What is looked for where words reach over pretokens.
    fn wanted_in_text(&self, asked: &Asked) -> Wanted {
        Wanted {
            types: self.counts_types(),
            ..asked.wanted
        }
    }

    /// Of how many pairs of encoders it is counted what both have.
    fn compared(&self) -> usize {
        self.asked.as_ref().map_or(0, Asked::pairs)
    }

    /// Under how many encoders, the first ones, it is known where tokens begin in a pretoken.
    fn cut(&self) -> usize {
        let asked = self.asked.map_or(0, |asked| asked.tokenizers);
        self.marked.max(asked)
    }

    /// Adds what the threads have counted to the counts of what is known.
    fn settle(&self) -> Vec<MutexGuard<'_, State>> {
        following::in_turn(self.states.len(), self.states.len(), |state| {
            lock(&self.states[state]).settle(self);
        });
        // With what another thread may have added meanwhile.
        let mut states: Vec<_> = self.states.iter().map(lock).collect();
        states.iter_mut().for_each(|state| state.settle(self));
        states
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
}
