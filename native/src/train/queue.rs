//! The pairs in the order in which they are merged: by count, and among equal counts by the tie rule.
//!
//! Counts only fall, so entries are left where they are and their live count is looked up when they come
//! out; an entry that has fallen goes back to where it belongs now. Only the entries of the count that is
//! being merged are ordered by the tie rule, so that token bytes are compared between equal counts alone.

use std::collections::BinaryHeap;

use super::pairs::{ids, Key, Pairs};
use super::words::Words;
use super::TieBreak;

/// Counts below this have a bucket each. Most pairs have small counts, and a bucket takes and gives an
/// entry at once, where one heap of all pairs would miss the cache at each of its levels.
const BUCKETS: usize = 1 << 12;

#[derive(Clone, Copy)]
struct Entry {
    /// Decides between most entries without looking at bytes; the greater comes first.
    rank: u64,
    key: Key,
}

pub struct Queue {
    tie_break: TieBreak,
    large: BinaryHeap<(u64, Key)>,
    buckets: Vec<Vec<Key>>,
    /// No bucket from here on has entries.
    top: usize,
    /// The count that is being merged, and a heap of its entries.
    level: u64,
    entries: Vec<Entry>,
}

impl Queue {
    pub fn new(tie_break: TieBreak) -> Self {
        Queue {
            tie_break,
            large: BinaryHeap::new(),
            buckets: vec![Vec::new(); BUCKETS],
            top: 0,
            level: u64::MAX,
            entries: Vec::new(),
        }
    }

    /// Adds a pair with its count, which isn't above the count of the pair popped last.
    pub fn push(&mut self, key: Key, count: u64, words: &Words) {
        debug_assert!(count <= self.level);
        if count == self.level {
            self.entries.push(self.entry(key, words));
            self.sift_up(words);
        } else if count < BUCKETS as u64 {
            self.buckets[count as usize].push(key);
            self.top = self.top.max(count as usize + 1);
        } else {
            self.large.push((count, key));
        }
    }

    /// The next pair to merge and its count; none when no count reaches the threshold.
    pub fn pop(&mut self, pairs: &Pairs, threshold: u64, words: &Words) -> Option<(Key, u64)> {
        loop {
            while let Some(entry) = self.take_first(words) {
                let live = pairs.get(entry.key).map_or(0, |pair| pair.count);
                if live == self.level {
                    return Some((entry.key, live));
                }
                if live >= threshold {
                    self.push(entry.key, live, words);
                }
            }
            self.next_level(words)?;
        }
    }

    fn next_level(&mut self, words: &Words) -> Option<()> {
        if let Some(&(count, _)) = self.large.peek() {
            self.level = count;
            while let Some(&(same, key)) = self.large.peek() {
                if same != count {
                    break;
                }
                self.large.pop();
                self.entries.push(self.entry(key, words));
            }
        } else {
            while self.top > 0 && self.buckets[self.top - 1].is_empty() {
                self.top -= 1;
            }
            self.top = self.top.checked_sub(1)?;
            self.level = self.top as u64;
            let keys = std::mem::take(&mut self.buckets[self.top]);
            self.entries
                .extend(keys.iter().map(|&key| entry(self.tie_break, key, words)));
        }
        for place in (0..self.entries.len() / 2).rev() {
            self.sift_down(place, words);
        }
        Some(())
    }

    fn entry(&self, key: Key, words: &Words) -> Entry {
        entry(self.tie_break, key, words)
    }

    fn take_first(&mut self, words: &Words) -> Option<Entry> {
        if self.entries.is_empty() {
            return None;
        }
        let first = self.entries.swap_remove(0);
        self.sift_down(0, words);
        Some(first)
    }

    fn sift_up(&mut self, words: &Words) {
        let mut place = self.entries.len() - 1;
        while place > 0 {
            let parent = (place - 1) / 2;
            if !self.comes_before(place, parent, words) {
                return;
            }
            self.entries.swap(place, parent);
            place = parent;
        }
    }

    fn sift_down(&mut self, mut place: usize, words: &Words) {
        loop {
            let mut child = 2 * place + 1;
            if child >= self.entries.len() {
                return;
            }
            if child + 1 < self.entries.len() && self.comes_before(child + 1, child, words) {
                child += 1;
            }
            if !self.comes_before(child, place, words) {
                return;
            }
            self.entries.swap(place, child);
            place = child;
        }
    }

    #[inline]
    fn comes_before(&self, one: usize, other: usize, words: &Words) -> bool {
        let (one, other) = (&self.entries[one], &self.entries[other]);
        if one.rank != other.rank || self.tie_break == TieBreak::Huggingface {
            return one.rank > other.rank;
        }
        let ((left, right), (other_left, other_right)) = (ids(one.key), ids(other.key));
        if left != other_left {
            words.token(left) > words.token(other_left)
        } else {
            words.token(right) > words.token(other_right)
        }
    }
}

fn entry(tie_break: TieBreak, key: Key, words: &Words) -> Entry {
    let (left, right) = ids(key);
    let rank = match tie_break {
        TieBreak::Bytes => prefix(words.token(left)),
        TieBreak::Huggingface => !(huggingface_id(left) << 32 | huggingface_id(right)),
    };
    Entry { rank, key }
}

/// The first eight bytes as a number: where two tokens' numbers differ they order the tokens.
fn prefix(token: &[u8]) -> u64 {
    let mut word = [0; 8];
    let length = token.len().min(8);
    word[..length].copy_from_slice(&token[..length]);
    u64::from_be_bytes(word)
}

/// The id in the order of the Hugging Face trainer: bytes as their stand-in characters sort, then merges.
/// The bytes that stand for themselves (`!` to `~`, `¡` to `¬`, `®` to `ÿ`) come first, then the others.
fn huggingface_id(id: u32) -> u64 {
    let id = match id {
        0x21..=0x7E => id - 0x21,
        0xA1..=0xAC => id - 0xA1 + 94,
        0xAE..=0xFF => id - 0xAE + 106,
        0x00..=0x20 => id + 188,
        0x7F..=0xA0 => id - 0x7F + 221,
        0xAD => 255,
        _ => id,
    };
    u64::from(id)
}
