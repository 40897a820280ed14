//! Tokens against the text: words in context, characters and numbers cut in two, and boundaries that tokenizers share.
//!
//! Where tokens begin is a bit a byte (`score::marks`), whatever made them, so that a word's cuts are a few bits of a
//! row, and words are found once for all tokenizers.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::count::on_threads;
use crate::score::marks::Marks;

mod look;
#[cfg(test)]
mod tests;
pub mod types;

pub use look::{State, View};
pub use types::TypeCounts;
use types::Types;

/// What the word types may take, of all threads together; beyond it they are given up.
pub const BUDGET: usize = 1 << 29;
/// What a thread takes at once of a long text, up to the end of a line.
const PIECE_BYTES: usize = 1 << 18;

/// Figures of a text: its words, its characters of several bytes, and the places in its numbers where groups of three
/// from the right would be cut.
pub const OF_TEXTS: usize = 3;
/// Figures of a text under a tokenizer: tokens that overlap a word (summed over words), words that are cut, characters
/// that are cut, cuts in numbers, and those of them that are between groups of three.
pub const OF_TOKENIZERS: usize = 5;

/// How many two of so many tokenizers there are. They are ordered by the first, then by the second.
pub fn pairs_of(tokenizers: usize) -> usize {
    tokenizers * tokenizers.saturating_sub(1) / 2
}

/// Where words come from.
pub enum Words<'a> {
    Nowhere,
    Segmenter,
    /// The ranges of each text, in order.
    Given(Vec<&'a [(usize, usize)]>),
}

/// What is to be found.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub types: bool,
    pub characters: bool,
    pub numbers: bool,
    pub shared: bool,
}

pub struct Places {
    width: usize,
    wanted: Wanted,
    budget: usize,
    states: Vec<Mutex<State>>,
    types_lost: AtomicBool,
}

/// What is found of some texts, row by row.
#[derive(Debug, PartialEq)]
pub struct Found {
    /// The figures of each text, and of each tokenizer there.
    pub rows: Vec<i64>,
    /// By pair of tokenizers: the boundaries inside the text that both have; of no pair where that isn't wanted.
    pub both: Vec<i64>,
}

impl Found {
    fn of(texts: usize, width: usize, pairs: usize) -> Self {
        Found {
            rows: vec![0; texts * width],
            both: vec![0; texts * pairs],
        }
    }

    /// Adds one of other rows to the row of a text.
    fn add(&mut self, text: usize, other: &Found, number: usize, (width, pairs): (usize, usize)) {
        let add = |sums: &mut [i64], some: &[i64], width: usize| {
            let sums = &mut sums[text * width..][..width];
            let some = &some[number * width..][..width];
            sums.iter_mut().zip(some).for_each(|(sum, one)| *sum += one);
        };
        add(&mut self.rows, &other.rows, width);
        add(&mut self.both, &other.both, pairs);
    }
}

/// A part of a text that nothing that is looked for spans.
struct Piece<'t> {
    text: usize,
    whole: &'t str,
    bytes: Range<usize>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Places {
    pub fn new(tokenizers: usize, wanted: Wanted, threads: usize) -> Self {
        Places {
            width: tokenizers,
            wanted,
            budget: BUDGET,
            states: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
            types_lost: AtomicBool::new(false),
        }
    }

    /// With another budget in bytes for the word types.
    pub fn with_budget(mut self, budget: usize) -> Self {
        self.budget = budget;
        self
    }

    pub fn row_width(&self) -> usize {
        OF_TEXTS + OF_TOKENIZERS * self.width
    }

    /// The pairs of tokenizers of which shared boundaries are counted.
    pub fn pairs(&self) -> usize {
        if self.wanted.shared {
            pairs_of(self.width)
        } else {
            0
        }
    }

    /// Row by row, the figures of each text, and of each tokenizer there. `marks` of all tokenizers together, in their
    /// order.
    pub fn add(&self, texts: &[&str], marks: &[&Marks], words: &Words<'_>) -> Found {
        self.add_pieces(texts, marks, words, PIECE_BYTES)
    }

    fn add_pieces(
        &self,
        texts: &[&str],
        marks: &[&Marks],
        words: &Words<'_>,
        size: usize,
    ) -> Found {
        let (width, pairs) = (self.row_width(), self.pairs());
        let found = Mutex::new(Found::of(texts.len(), width, pairs));
        let given = matches!(words, Words::Given(_));
        let runs = runs_of_pieces(texts, size, given);
        let next = AtomicUsize::new(0);
        let thread = AtomicUsize::new(0);
        on_threads(self.states.len().min(runs.len()).max(1), || {
            let mine = thread.fetch_add(1, Ordering::Relaxed);
            let mut state = lock(&self.states[mine]);
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut mine = Found::of(run.len(), width, pairs);
                for (number, piece) in run.iter().enumerate() {
                    let view = View {
                        text: piece.whole,
                        marks,
                        number: piece.text,
                    };
                    let words = match words {
                        Words::Nowhere => Words::Nowhere,
                        Words::Segmenter => Words::Segmenter,
                        Words::Given(ranges) => Words::Given(vec![ranges[piece.text]]),
                    };
                    let wanted = Wanted {
                        types: self.counts_types(),
                        ..self.wanted
                    };
                    let row = &mut mine.rows[number * width..][..width];
                    state.look(wanted, &view, piece.bytes.clone(), &words, row);
                    if pairs > 0 {
                        let both = &mut mine.both[number * pairs..][..pairs];
                        state.share(&view, piece.bytes.clone(), both);
                    }
                }
                let mut found = lock(&found);
                for (number, piece) in run.iter().enumerate() {
                    found.add(piece.text, &mine, number, (width, pairs));
                }
            }
        });
        self.keep_to_budget();
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts_types(&self) -> bool {
        self.wanted.types && !self.types_lost.load(Ordering::Relaxed)
    }

    fn keep_to_budget(&self) {
        let mut states: Vec<_> = self.states.iter().map(lock).collect();
        let taken: usize = states.iter().map(|state| state.types.allocated()).sum();
        if self.counts_types() && taken > self.budget {
            self.types_lost.store(true, Ordering::Relaxed);
            for state in &mut states {
                state.types = Types::default();
            }
        }
    }

    /// The word types under each tokenizer; none where they weren't counted, or took more memory than they may.
    pub fn types(&self) -> Option<Vec<TypeCounts>> {
        if !self.counts_types() {
            return None;
        }
        let mut states: Vec<_> = self.states.iter().map(lock).collect();
        let (first, others) = states.split_first_mut()?;
        for other in others {
            first
                .types
                .take(std::mem::take(&mut other.types), self.width);
        }
        Some(first.types.counts(self.width))
    }
}

/// Texts, or pieces of long ones, in runs of about `size` bytes. A long text is cut after newlines, where words begin
/// anew; one with `given` words isn't cut.
fn runs_of_pieces<'t>(texts: &[&'t str], size: usize, given: bool) -> Vec<Vec<Piece<'t>>> {
    let mut runs = Vec::new();
    let mut run = Vec::new();
    let mut taken = 0;
    for (text, &whole) in texts.iter().enumerate() {
        let mut start = 0;
        while start < whole.len() {
            let mut end = whole.len();
            if !given && end - start > size {
                let rest = &whole.as_bytes()[start + size..];
                if let Some(newline) = rest.iter().position(|&byte| byte == b'\n') {
                    end = start + size + newline + 1;
                }
            }
            run.push(Piece {
                text,
                whole,
                bytes: start..end,
            });
            taken += end - start;
            start = end;
            if taken >= size {
                runs.push(std::mem::take(&mut run));
                taken = 0;
            }
        }
    }
    runs.push(run);
    runs
}
