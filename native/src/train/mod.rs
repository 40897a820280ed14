//! Learning the merges of byte-level BPE from counted pretokens.
//!
//! The most frequent pair is merged first. A pair's count is the number of places where its two tokens
//! stand side by side, overlapping ones included (`aaaa` holds 3 of `aa`), at the start and ever after.
//! Within a pretoken merging runs from left to right without overlaps.
//!
//! The work is linear in the text: every merge looks only at the places where its pair came to be, a
//! pair's list is used once, and each replacement makes at most two new entries and one symbol less.

mod pairs;
mod queue;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;

pub(crate) use pairs::{key, Key, Pairs};
use queue::Queue;
pub use words::Words;
use words::BORDER;
pub(crate) use words::MAX_IDS;

/// Which of several pairs with the same count is merged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The greatest (left bytes, right bytes), compared as byte strings.
    Bytes,
    /// The smallest (left id, right id) in the ids of the Hugging Face trainer.
    Huggingface,
}

#[derive(Clone, Copy, Debug)]
pub struct TrainOptions {
    pub max_merges: usize,
    /// Training stops when the best pair has fewer occurrences; 0 means 1.
    pub min_frequency: u64,
    pub tie_break: TieBreak,
}

/// Two ids that become one: bytes are their own ids, and merge number k makes id 256 + k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    pub left: u32,
    pub right: u32,
    /// The occurrences of the pair when it was merged.
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainError {
    /// The callback asked to stop.
    Interrupted,
    /// The distinct pretokens have 4 GiB or more, or the sum of their counts doesn't fit 64 bits.
    TooLarge,
}

impl fmt::Display for TrainError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            TrainError::Interrupted => "interrupted",
            TrainError::TooLarge => {
                "too much to train on: the distinct pretokens must stay below 4 GiB and their total below 2^64 bytes"
            }
        })
    }
}

impl std::error::Error for TrainError {}

/// Learns up to `max_merges` merges from distinct byte strings and their counts, in any order.
///
/// `on_merge` is called with the number of merges learned: with 0 when the index stands, then after each
/// merge; `false` stops the work.
pub fn learn_merges(
    items: &[(&[u8], u64)],
    options: &TrainOptions,
    on_merge: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<Merge>, TrainError> {
    learn_merges_of(Words::new(items.iter().copied())?, options, on_merge)
}

/// The same for words that hold all that is needed of the items: a caller may free these before.
pub fn learn_merges_of(
    words: Words,
    options: &TrainOptions,
    on_merge: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<Merge>, TrainError> {
    let threshold = options.min_frequency.max(1);
    let max_merges = options.max_merges.min(MAX_IDS - 256 - 2);
    let mut trainer = Trainer::new(words, MostFrequent::new(threshold, options.tie_break));
    let mut merges = Vec::new();
    #[cfg(debug_assertions)]
    let mut made = std::collections::HashSet::new();
    loop {
        if !on_merge(merges.len()) {
            return Err(TrainError::Interrupted);
        }
        if merges.len() == max_merges {
            return Ok(merges);
        }
        let Some(merge) = trainer.step() else {
            return Ok(merges);
        };
        // No two merges make the same bytes, so that a vocabulary is a mapping both ways. Looked at wherever
        // assertions are on, as in the tests against the naive trainer.
        #[cfg(debug_assertions)]
        assert!(made.insert(trainer.words.token(256 + merges.len() as u32).to_vec()));
        merges.push(merge);
    }
}

/// What one merge collects about the tokens on one side of its pair, by token id. The global table is
/// touched once per distinct neighbour, not once per occurrence.
#[derive(Default)]
struct Side {
    tallies: Vec<Tally>,
    /// The ids with a tally that isn't zero.
    seen: Vec<u32>,
    /// (id, position of the new pair), in the order of positions.
    places: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    count: u64,
    places: u32,
    /// Where the next position of this neighbour goes.
    cursor: usize,
}

impl Side {
    #[inline(always)]
    fn add(&mut self, id: u32, position: u32, count: u64) {
        let tally = &mut self.tallies[id as usize];
        if tally.places == 0 {
            self.seen.push(id);
        }
        tally.places += 1;
        tally.count += count;
        self.places.push((id, position));
    }
}

/// So many places in memory are asked for before they are needed: nearly each is a miss, and they overlap.
const AHEAD: usize = 16;

/// Which of the pairs that come to be are followed: counted and listed, so that they can be merged.
pub(crate) trait Follow {
    /// A pair below this count is never merged again: counts only fall.
    fn threshold(&self) -> u64;

    /// Asked once of a pair, when it comes to be, with its count; one that isn't followed is never merged.
    fn wants(&self, pair: Key, count: u64) -> bool;

    /// A pair that is wanted has come to be.
    fn add(&mut self, pair: Key, count: u64, words: &Words);
}

/// The trainer's own choice: the pairs that are frequent enough, in a queue.
struct MostFrequent {
    queue: Queue,
    threshold: u64,
}

impl MostFrequent {
    fn new(threshold: u64, tie_break: TieBreak) -> Self {
        MostFrequent {
            queue: Queue::new(tie_break),
            threshold,
        }
    }
}

impl Follow for MostFrequent {
    fn threshold(&self) -> u64 {
        self.threshold
    }

    #[inline(always)]
    fn wants(&self, _: Key, count: u64) -> bool {
        count >= self.threshold
    }

    #[inline(always)]
    fn add(&mut self, pair: Key, count: u64, words: &Words) {
        self.queue.push(pair, count, words);
    }
}

/// The words, and the pairs in them that are followed. It merges what it is told to.
pub(crate) struct Trainer<F> {
    words: Words,
    pairs: Pairs,
    follow: F,
    /// The positions of all pairs; a `Pair` says which are its own.
    positions: Vec<u32>,
    before: Side,
    after: Side,
}

/// Marks a pair that isn't followed and gets no list.
const NO_LIST: usize = usize::MAX;

impl Trainer<MostFrequent> {
    /// Merges the best pair.
    fn step(&mut self) -> Option<Merge> {
        let MostFrequent { queue, threshold } = &mut self.follow;
        let (best, count) = queue.pop(&self.pairs, *threshold, &self.words)?;
        let (left, right) = pairs::ids(best);
        self.merge(best);
        Some(Merge { left, right, count })
    }
}

impl<F: Follow> Trainer<F> {
    pub(crate) fn new(words: Words, follow: F) -> Self {
        let mut trainer = Trainer {
            words,
            pairs: Pairs::new(follow.threshold()),
            follow,
            positions: Vec::new(),
            before: Side::default(),
            after: Side::default(),
        };
        trainer.before.tallies.resize(256, Tally::default());
        trainer.after.tallies.resize(256, Tally::default());
        trainer.index_bytes();
        trainer
    }

    /// The pairs of bytes: counted in an array, and listed by a counting sort.
    fn index_bytes(&mut self) {
        let mut tallies = vec![Tally::default(); 1 << 16];
        let place = |left: u8, right: u8| usize::from(left) << 8 | usize::from(right);
        self.words.for_each_pair(|left, right, _, count| {
            let tally = &mut tallies[place(left, right)];
            tally.count += count;
            tally.places += 1;
        });
        let mut total = 0;
        for (index, tally) in tallies.iter_mut().enumerate() {
            tally.cursor = NO_LIST;
            let key = key(index as u32 >> 8, index as u32 & 0xFF);
            if tally.places > 0 && self.follow.wants(key, tally.count) {
                tally.cursor = total;
                self.add_pair(key, tally.count, total, tally.places);
                total += tally.places as usize;
            }
        }
        self.positions = vec![0; total];
        self.words.for_each_pair(|left, right, position, _| {
            let tally = &mut tallies[place(left, right)];
            if tally.cursor != NO_LIST {
                self.positions[tally.cursor] = position;
                tally.cursor += 1;
            }
        });
    }

    /// Makes the next id of a pair, and says how often that token was made.
    pub(crate) fn merge(&mut self, merged: Key) -> u64 {
        let (left, right) = pairs::ids(merged);
        let new = self.before.tallies.len() as u32;
        self.before.tallies.push(Tally::default());
        self.after.tallies.push(Tally::default());
        let list = match self.pairs.get_mut(merged) {
            Some(pair) if pair.count > 0 => {
                pair.count = 0;
                pair.start..pair.start + pair.length as usize
            }
            _ => 0..0,
        };
        let length = self
            .words
            .add_token(left, right, &self.positions[list.clone()]);
        if list.is_empty() {
            return 0;
        }
        let (made, twins) = self.replace_all((left, right, new), length, list);

        // (new, new) took the place of (new, left), which its first half had counted.
        let replaced = twins.iter().map(|&(_, count)| count).sum();
        self.settle_before(left, new);
        self.settle_after((left, right, new), merged, replaced);
        if !twins.is_empty() && self.follow.wants(key(new, new), replaced) {
            let start = self.positions.len();
            self.positions
                .extend(twins.iter().map(|&(position, _)| position));
            self.add_pair(key(new, new), replaced, start, twins.len() as u32);
        }
        made
    }

    /// Replaces the pair wherever it stands, and tallies its neighbours; gives the count of the new token, and the
    /// positions and counts of the new token beside itself.
    fn replace_all(
        &mut self,
        ids: (u32, u32, u32),
        length: u32,
        list: std::ops::Range<usize>,
    ) -> (u64, Vec<(u32, u64)>) {
        let (left, right, new) = ids;
        let lengths = (
            self.words.token_length(left),
            self.words.token_length(right),
        );
        let mut twins = Vec::new();
        let (mut made, mut range) = (0, 0);
        let list = &self.positions[list];
        for (place, &position) in list.iter().enumerate() {
            if let Some(&later) = list.get(place + AHEAD) {
                self.words.prepare(later);
            }
            let Some((before, after)) = self.words.replace(position, ids, lengths) else {
                continue;
            };
            let count = self.words.count_at(position, &mut range);
            made += count;
            if before == new {
                twins.push((position - length, count));
            } else if before != BORDER {
                let start = position - self.words.token_length(before);
                self.before.add(before, start, count);
            }
            if after != BORDER {
                self.after.add(after, position, count);
            }
        }
        (made, twins)
    }

    /// (x, left) has become (x, new).
    fn settle_before(&mut self, left: u32, new: u32) {
        let mut side = std::mem::take(&mut self.before);
        for (place, &id) in side.seen.iter().enumerate() {
            if let Some(&later) = side.seen.get(place + AHEAD) {
                self.pairs.prepare(key(later, left));
                self.pairs.prepare(key(later, new));
            }
            let tally = &mut side.tallies[id as usize];
            self.lower(key(id, left), tally.count);
            tally.cursor = self.reserve(key(id, new), tally.count, tally.places);
        }
        self.before = self.fill(side);
    }

    /// (right, x) has become (new, x), except where x was the beginning of the next `new`.
    fn settle_after(&mut self, (left, right, new): (u32, u32, u32), merged: Key, replaced: u64) {
        let mut side = std::mem::take(&mut self.after);
        for (place, &id) in side.seen.iter().enumerate() {
            if let Some(&later) = side.seen.get(place + AHEAD) {
                self.pairs.prepare(key(right, later));
                self.pairs.prepare(key(new, later));
            }
            let tally = &mut side.tallies[id as usize];
            // The merged pair itself is gone already, and may be met here when it is a letter twice.
            if key(right, id) != merged {
                self.lower(key(right, id), tally.count);
            }
            let count = if id == left {
                tally.count - replaced
            } else {
                tally.count
            };
            tally.cursor = self.reserve(key(new, id), count, tally.places);
        }
        self.after = self.fill(side);
    }

    fn lower(&mut self, key: Key, by: u64) {
        // A pair that isn't there wasn't wanted when it came to be.
        if let Some(pair) = self.pairs.get_mut(key) {
            pair.count -= by;
        }
    }

    /// Adds a pair with room for its positions, unless it is never to be merged.
    fn reserve(&mut self, key: Key, count: u64, places: u32) -> usize {
        if !self.follow.wants(key, count) {
            return NO_LIST;
        }
        let start = self.positions.len();
        self.positions.resize(start + places as usize, 0);
        self.add_pair(key, count, start, places);
        start
    }

    fn add_pair(&mut self, key: Key, count: u64, start: usize, places: u32) {
        self.pairs.insert(key, count, start, places);
        self.follow.add(key, count, &self.words);
    }

    /// Writes the positions into the lists that were reserved, and clears the side.
    fn fill(&mut self, mut side: Side) -> Side {
        for &(id, position) in &side.places {
            let cursor = &mut side.tallies[id as usize].cursor;
            if *cursor != NO_LIST {
                self.positions[*cursor] = position;
                *cursor += 1;
            }
        }
        for &id in &side.seen {
            side.tallies[id as usize] = Tally::default();
        }
        side.seen.clear();
        side.places.clear();
        side
    }
}
