//! Counting the pretokens of a training corpus, on several threads.
//!
//! The counts are the same for any number of threads, any size of blocks and any order of texts: texts are
//! only cut where that changes no pretoken, and sums don't depend on the order.

pub(crate) mod blocks;
mod file;
mod tally;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use crate::groups::{for_each_group, GROUP};
use crate::pretok::Splitter;
use crate::table::{Interner, Packed};
use blocks::Blocks;
pub use file::{count_file, FileCounts};
use tally::Tally;

/// A block of at least so many bytes is worth a thread's while.
const MIN_BLOCK: usize = 1 << 16;
/// A block of at most so many is done soon enough for progress, for stopping, and for an even end.
const MAX_BLOCK: usize = 1 << 21;

/// The multiset of the pretokens of some texts.
#[derive(Clone, Default)]
pub struct PretokenCounts {
    short: Tally,
    /// Those that are too long for a slot of the tally, and their counts by index.
    long: Interner,
    long_counts: Vec<u64>,
    /// Of all pretokens together: what the texts have without special tokens.
    pub bytes: u64,
    pub pretokens: u64,
}

impl PretokenCounts {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `n` occurrences of a pretoken, which is not empty.
    pub fn add(&mut self, pretoken: &[u8], n: u64) {
        self.bytes += pretoken.len() as u64 * n;
        self.pretokens += n;
        let key = Packed::new(pretoken);
        if key.is_long() {
            self.add_long(key, pretoken, n);
        } else {
            self.short.add(key, n);
        }
    }

    #[inline(never)]
    fn add_long(&mut self, key: Packed, pretoken: &[u8], n: u64) {
        if n > 0 {
            self.long.find_again();
            add_to(&mut self.long, &mut self.long_counts, key, pretoken, n);
        }
    }

    /// Adds the pretokens of a text that has no special tokens. Each is looked up after its group was read, when its
    /// place in a table that is larger than the cache has come from memory. (On a table that fits, this costs a tenth;
    /// on one that doesn't, doing without costs half as much again.)
    fn add_text(&mut self, text: &str, splitter: &Splitter) {
        let bytes = text.as_bytes();
        let mut keys = [Packed::default(); GROUP];
        for_each_group(splitter, text, &mut |start, ends| {
            let mut from = start;
            for (key, &end) in keys.iter_mut().zip(ends) {
                *key = match Packed::short_within(bytes, from, end - from) {
                    Some(key) => key,
                    None => Packed::new(&bytes[from..end]),
                };
                if key.is_long() {
                    // It may have its mark alone until here.
                    *key = Packed::new(&bytes[from..end]);
                    self.long.expect(key.hash());
                } else {
                    self.short.expect(*key);
                }
                from = end;
            }
            for (number, &key) in keys[..ends.len()].iter().enumerate() {
                if key.is_long() {
                    let from = if number == 0 { start } else { ends[number - 1] };
                    self.add_long(key, &bytes[from..ends[number]], 1);
                } else {
                    self.short.add(key, 1);
                }
            }
            self.pretokens += ends.len() as u64;
        });
        self.bytes += text.len() as u64;
    }

    /// Adds the pretokens between the special tokens of a text.
    fn add_between(&mut self, text: &str, splitter: &Splitter, specials: Option<&AhoCorasick>) {
        let mut start = 0;
        for special in specials
            .iter()
            .flat_map(|specials| specials.find_iter(text))
        {
            self.add_text(&text[start..special.start()], splitter);
            start = special.end();
        }
        self.add_text(&text[start..], splitter);
    }

    /// Adds the counts of another table. Short pretokens and long ones are added at once, where there are many.
    pub fn merge(&mut self, mut other: PretokenCounts) {
        /// With fewer, another thread costs more than it does.
        const MANY: usize = 1 << 14;
        self.bytes += other.bytes;
        self.pretokens += other.pretokens;
        if other.short.len() > self.short.len() {
            std::mem::swap(&mut self.short, &mut other.short);
        }
        if other.long.len() > self.long.len() {
            std::mem::swap(&mut self.long, &mut other.long);
            std::mem::swap(&mut self.long_counts, &mut other.long_counts);
        }
        let many = other.short.len().min(other.long.len()) > MANY;
        let (long, long_counts) = (&mut self.long, &mut self.long_counts);
        let (short, of_short) = (&mut self.short, other.short);
        let (of_long, of_long_counts) = (other.long, other.long_counts);
        let mut add_long = move || merge_long(long, long_counts, &of_long, &of_long_counts);
        std::thread::scope(|scope| {
            if many {
                scope.spawn(add_long);
            } else {
                add_long();
            }
            short.merge(of_short);
        });
    }

    /// Frees what adding needs, until more is added; what is there can be read as before.
    pub fn only_read(&mut self) {
        self.short.only_read();
        self.long.only_read();
    }

    /// The number of distinct pretokens.
    pub fn distinct(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// The pretokens and their counts, in the order of the tables, which depends on the threads.
    pub fn items(&self) -> impl Iterator<Item = (&[u8], u64)> + Clone {
        self.short.items().chain(self.long_items())
    }

    fn long_items(&self) -> impl Iterator<Item = (&[u8], u64)> + Clone {
        self.long.keys().zip(self.long_counts.iter().copied())
    }

    /// The pretokens and their counts, in the order of their bytes.
    pub fn sorted_items(&self) -> Vec<(&[u8], u64)> {
        let mut items: Vec<_> = self.items().collect();
        items.sort_unstable_by_key(|&(key, _)| key);
        items
    }
}

/// Adds `n` occurrences of a long pretoken.
#[inline(always)]
fn add_to(table: &mut Interner, counts: &mut Vec<u64>, key: Packed, pretoken: &[u8], n: u64) {
    let (index, new) = table.intern_prepared(key.into(), pretoken);
    if new {
        counts.push(n);
    } else {
        counts[index as usize] += n;
    }
}

/// Adds the counts of another table of long pretokens.
fn merge_long(table: &mut Interner, counts: &mut Vec<u64>, other: &Interner, others: &[u64]) {
    const AT_ONCE: usize = 64;
    if other.is_empty() {
        return;
    }
    table.find_again();
    let mut keys = [Packed::default(); AT_ONCE];
    for first in (0..other.len()).step_by(AT_ONCE) {
        let some = first..other.len().min(first + AT_ONCE);
        for (key, index) in keys.iter_mut().zip(some.clone()) {
            *key = Packed::new(other.key(index as u32));
            table.expect(key.hash());
        }
        for (&key, index) in keys.iter().zip(some) {
            add_to(table, counts, key, other.key(index as u32), others[index]);
        }
    }
}

/// What the thread that waits for the counting sees of it, and how it stops it.
#[derive(Debug, Default)]
pub struct Watch {
    /// Set to have the work end, with [`CountError::Interrupted`].
    pub stop: AtomicBool,
    /// The bytes of text that have been counted.
    pub done: AtomicU64,
}

impl Watch {
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub enum CountError {
    /// The watch said stop.
    Interrupted,
    Io(std::io::Error),
    /// Where the first byte stands that doesn't belong to valid UTF-8.
    InvalidUtf8 {
        offset: u64,
    },
}

impl fmt::Display for CountError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CountError::Interrupted => formatter.write_str("interrupted"),
            CountError::Io(error) => error.fmt(formatter),
            CountError::InvalidUtf8 { offset } => {
                write!(
                    formatter,
                    "not UTF-8: the first invalid byte is at offset {offset}"
                )
            }
        }
    }
}

impl std::error::Error for CountError {}

/// What finds special tokens, leftmost and longest; none when there are no tokens.
pub fn special_finder<T: AsRef<[u8]>>(tokens: &[T]) -> Result<Option<AhoCorasick>, BuildError> {
    if tokens.is_empty() {
        return Ok(None);
    }
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(tokens)
        .map(Some)
}

/// Counts the pretokens of texts, of which each stands alone. `specials` are found leftmost and longest
/// ([`special_finder`]); they end the pretokens before them, and are not counted.
pub fn count_texts(
    texts: &[&str],
    splitter: &Splitter,
    specials: Option<&AhoCorasick>,
    threads: usize,
    watch: &Watch,
) -> Result<PretokenCounts, CountError> {
    let bytes = texts.iter().map(|text| text.len() + 1).sum();
    let job = Job {
        splitter,
        specials,
        watch,
        done: &|_| (),
    };
    job.run(texts, threads, block_size(bytes, threads))
}

/// Some sixteen blocks a thread, within the bounds.
fn block_size(bytes: usize, threads: usize) -> usize {
    (bytes / (16 * threads.max(1))).clamp(MIN_BLOCK, MAX_BLOCK)
}

struct Job<'a> {
    splitter: &'a Splitter,
    specials: Option<&'a AhoCorasick>,
    watch: &'a Watch,
    /// Called with each piece of a long text when it has been counted.
    done: &'a (dyn Fn(&str) + Sync),
}

impl Job<'_> {
    fn run(
        &self,
        texts: &[&str],
        threads: usize,
        size: usize,
    ) -> Result<PretokenCounts, CountError> {
        debug_assert!(self
            .specials
            .is_none_or(|finder| finder.match_kind() == MatchKind::LeftmostLongest));
        let bytes: usize = texts.iter().map(|text| text.len() + 1).sum();
        let blocks = Blocks::new(texts, self.splitter, self.specials, size);
        let work = || self.count_blocks(texts, &blocks);
        let tables = on_threads(threads.min(bytes / size + 1), work);
        if self.watch.stopped() {
            return Err(CountError::Interrupted);
        }
        Ok(add_up(tables))
    }

    /// What each thread does: takes blocks until there are no more.
    fn count_blocks(&self, texts: &[&str], blocks: &Blocks<'_, &str>) -> PretokenCounts {
        let mut counts = PretokenCounts::new();
        while !self.watch.stopped() {
            let Some(block) = blocks.take() else {
                break;
            };
            let mut bytes = block.piece.len();
            counts.add_between(block.piece, self.splitter, self.specials);
            (self.done)(block.piece);
            for text in &texts[block.whole] {
                counts.add_between(text, self.splitter, self.specials);
                bytes += text.len();
            }
            self.watch.done.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        counts
    }
}

/// The sum of the threads' tables, made two by two at once: one after the other, adding the tables of many
/// threads would take longer than counting.
fn add_up(mut tables: Vec<PretokenCounts>) -> PretokenCounts {
    while tables.len() > 1 {
        let others = tables.split_off(tables.len().div_ceil(2));
        std::thread::scope(|scope| {
            for (table, other) in tables.iter_mut().zip(others) {
                scope.spawn(move || table.merge(other));
            }
        });
    }
    tables.pop().unwrap_or_default()
}

/// The results of the same work done by some threads at once, this one among them.
pub(crate) fn on_threads<R: Send>(threads: usize, work: impl Fn() -> R + Sync) -> Vec<R> {
    let results = Mutex::new(Vec::new());
    let keep = || {
        let result = work();
        results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(result);
    };
    beside(threads.max(1) - 1, keep, keep);
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Does something on this thread while so many others do some work; returns when all have ended.
pub(crate) fn beside<T>(others: usize, work: impl Fn() + Sync, here: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..others).map(|_| scope.spawn(&work)).collect();
        let result = here();
        for other in others {
            // A panic goes on in this thread, as if it had happened here.
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        result
    })
}
