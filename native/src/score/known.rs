//! What all threads know of the pretokens: each is encoded once, and its ids are kept once.
//!
//! The table is in shards with a lock each, since pretokens that are new to a thread are rare and seldom in one shard
//! at once.

use std::sync::{Arc, Mutex, MutexGuard};

use super::lock;
use super::nested::{Found, Nests};
use crate::bpe::Together;
use crate::encode::Encoder;
use crate::table::{Interner, Packed};

const SHARDS: usize = 64;

/// The shard of a pretoken, and its index there.
#[derive(Clone, Copy, Default)]
pub struct Place {
    shard: u32,
    index: u32,
}

pub struct Known {
    nests: Nests,
    /// Under which encoders the tokens of every pretoken join to it, so that none need be looked at.
    joins: Vec<bool>,
    shards: Vec<Mutex<Shard>>,
    /// The occurrences of ids in pretokens that have been let go, by encoder.
    flushed: Vec<Mutex<Vec<i64>>>,
}

#[derive(Default)]
struct Shard {
    table: Interner,
    counts: Vec<u64>,
    /// Tokens of pretoken `i` under encoder `e`: `lengths[i * encoders + e]`, and their ids one after the other.
    lengths: Vec<u32>,
    ids: Vec<u32>,
    /// Where the ids of each pretoken begin.
    starts: Vec<usize>,
    broken: Vec<(Vec<u8>, usize)>,
}

/// Numbers of all pretokens, the frequent ones first, so that what is kept of these lies together.
pub struct Numbers {
    /// In the order of [`Known::each_ids`].
    numbers: Vec<u32>,
    /// Where each shard begins in that order.
    starts: Vec<usize>,
}

impl Numbers {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn of(&self, place: Place) -> u32 {
        self.numbers[self.starts[place.shard as usize] + place.index as usize]
    }

    /// In the order of [`Known::each_ids`].
    pub fn each(&self) -> impl Iterator<Item = u32> + '_ {
        self.numbers.iter().copied()
    }
}

impl Known {
    pub fn new(encoders: &[Arc<Encoder>]) -> Self {
        let flushed = encoders
            .iter()
            .map(|encoder| Mutex::new(vec![0; encoder.id_bound()]));
        Known {
            nests: Nests::new(encoders),
            joins: encoders
                .iter()
                .map(|encoder| always_joins(encoder))
                .collect(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            flushed: flushed.collect(),
        }
    }

    /// Calls `f` with the number, the place, the lengths under the encoders and the ids of each of some pretokens, which
    /// are the `key` of their numbers.
    pub fn meet<'k>(
        &self,
        encoders: &[Arc<Encoder>],
        numbers: &[u32],
        key: impl Fn(u32) -> &'k [u8],
        mut f: impl FnMut(u32, Place, &[u32], &[u32]),
    ) {
        let unknown: Vec<u32> = numbers
            .iter()
            .copied()
            .filter(|&number| {
                let (shard, held) = self.shard(key(number));
                let found = held.table.get(key(number));
                if let Some(index) = found {
                    let (lengths, ids) = held.of(index, encoders.len());
                    f(number, Place { shard, index }, lengths, ids);
                }
                found.is_none()
            })
            .collect();
        let pretokens: Vec<&[u8]> = unknown.iter().map(|&number| key(number)).collect();
        let mut together = Together::default();
        let found = self
            .nests
            .find(encoders, unknown.len(), |encoder, Found { ids, ends }| {
                encoder.encode_pretokens(&pretokens, &mut together, ids, ends);
            });
        for (position, &number) in unknown.iter().enumerate() {
            let pretoken = key(number);
            let (shard, mut held) = self.shard(pretoken);
            // Another thread may have been there in the meantime.
            let (index, new) = held.table.intern(pretoken);
            if new {
                let start = held.ids.len();
                held.starts.push(start);
                for (of, found) in found.iter().enumerate() {
                    held.push(found.of(position));
                    if !self.joins[of] && !joined(pretoken, found.of(position), &encoders[of]) {
                        held.broken.push((pretoken.to_vec(), of));
                    }
                }
            }
            if new {
                held.counts.push(0);
            }
            let (lengths, ids) = held.of(index, encoders.len());
            f(number, Place { shard, index }, lengths, ids);
        }
    }

    fn shard(&self, pretoken: &[u8]) -> (u32, MutexGuard<'_, Shard>) {
        // The lowest bits: the highest say where in its table a key is.
        let number = Packed::new(pretoken).hash() as usize % SHARDS;
        (number as u32, lock(&self.shards[number]))
    }

    pub fn add(&self, place: Place, count: u64) {
        lock(&self.shards[place.shard as usize]).counts[place.index as usize] += count;
    }

    /// Calls `f` with each pretoken, its count and its lengths.
    pub fn each(&self, mut f: impl FnMut(&[u8], u64, &[u32])) {
        let width = self.flushed.len();
        for shard in &self.shards {
            let shard = lock(shard);
            for (index, (key, &count)) in shard.table.keys().zip(&shard.counts).enumerate() {
                f(key, count, &shard.lengths[index * width..][..width]);
            }
        }
    }

    /// Calls `f` with the count and the ids under an encoder of each pretoken.
    pub fn each_ids(&self, encoder: usize, mut f: impl FnMut(u64, &[u32])) {
        let width = self.flushed.len();
        for shard in &self.shards {
            let shard = lock(shard);
            let rows = shard.lengths.chunks_exact(width);
            for ((lengths, &start), &count) in rows.zip(&shard.starts).zip(&shard.counts) {
                let before: u32 = lengths[..encoder].iter().sum();
                let ids = &shard.ids[start + before as usize..];
                f(count, &ids[..lengths[encoder] as usize]);
            }
        }
    }

    /// Numbers them by the powers of two that their counts reach.
    pub fn numbering(&self) -> Numbers {
        let (mut starts, mut rarities) = (Vec::new(), Vec::new());
        for shard in &self.shards {
            starts.push(rarities.len());
            rarities.extend(lock(shard).counts.iter().map(|count| count.leading_zeros()));
        }
        let mut next = [0; 66];
        for &rarity in &rarities {
            next[rarity as usize + 1] += 1;
        }
        for rarity in 1..next.len() {
            next[rarity] += next[rarity - 1];
        }
        let numbers = rarities.iter().map(|&rarity| {
            let number = &mut next[rarity as usize];
            *number += 1;
            *number - 1
        });
        Numbers {
            numbers: numbers.collect(),
            starts,
        }
    }

    pub fn id_counts(&self, encoder: usize) -> Vec<i64> {
        let mut totals = lock(&self.flushed[encoder]).clone();
        self.each_ids(encoder, |count, ids| {
            ids.iter()
                .for_each(|&id| totals[id as usize] += count as i64);
        });
        totals
    }

    /// Lets go of the pretokens with a smaller count, and returns how many they were.
    pub fn prune(&self, least: u64) -> usize {
        let width = self.flushed.len();
        let mut flushed: Vec<_> = self.flushed.iter().map(lock).collect();
        let mut pruned = 0;
        for shard in &self.shards {
            let mut shard = lock(shard);
            let mut kept = Shard {
                broken: std::mem::take(&mut shard.broken),
                ..Shard::default()
            };
            shard.each_ids(width, |index, number, count, ids| {
                if number == 0 && count >= least {
                    kept.starts.push(kept.ids.len());
                }
                if count < least {
                    let totals = &mut flushed[number];
                    ids.iter()
                        .for_each(|&id| totals[id as usize] += count as i64);
                } else {
                    kept.lengths.push(ids.len() as u32);
                    kept.ids.extend_from_slice(ids);
                }
                if number == 0 && count >= least {
                    kept.table.intern(shard.table.key(index));
                    kept.counts.push(count);
                }
            });
            pruned += shard.table.len() - kept.table.len();
            *shard = kept;
        }
        pruned
    }

    pub fn broken(&self) -> Vec<(Vec<u8>, usize)> {
        let all = self.shards.iter().map(|shard| lock(shard).broken.clone());
        all.collect::<Vec<_>>().concat()
    }

    pub fn distinct(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| lock(shard).table.len())
            .sum()
    }

    pub fn allocated(&self) -> usize {
        let each = self.shards.iter().map(|shard| lock(shard).allocated());
        each.sum()
    }
}

impl Shard {
    /// The lengths of a pretoken under the encoders, and its ids.
    fn of(&self, index: u32, encoders: usize) -> (&[u32], &[u32]) {
        let index = index as usize;
        let lengths = &self.lengths[index * encoders..][..encoders];
        let end = self
            .starts
            .get(index + 1)
            .unwrap_or(&self.ids.len())
            .to_owned();
        (lengths, &self.ids[self.starts[index]..end])
    }

    /// The ids of the newest pretoken under the next encoder.
    fn push(&mut self, ids: &[u32]) {
        self.ids.extend_from_slice(ids);
        self.lengths.push(ids.len() as u32);
    }

    /// Calls `f` with the index of each pretoken and the number of each encoder, the count, and the ids.
    fn each_ids(&self, width: usize, mut f: impl FnMut(u32, usize, u64, &[u32])) {
        let mut rest = &self.ids[..];
        for (place, &length) in self.lengths.iter().enumerate() {
            let (ids, after) = rest.split_at(length as usize);
            let index = place / width;
            f(index as u32, place % width, self.counts[index], ids);
            rest = after;
        }
    }

    fn allocated(&self) -> usize {
        self.table.allocated()
            + self.counts.capacity() * size_of::<u64>()
            + (self.lengths.capacity() + self.ids.capacity()) * size_of::<u32>()
            + self.starts.capacity() * size_of::<usize>()
    }
}

/// Whether bytes and merges are what their tokens say, from which all else follows: a pretoken that is looked up whole
/// is the token's own bytes.
fn always_joins(encoder: &Encoder) -> bool {
    let byte = |(id, byte): (&u32, u8)| encoder.token(*id) == [byte];
    encoder.byte_ids().iter().zip(0..).all(byte)
        && encoder.merges().iter().all(|&(left, right, id)| {
            let rest = encoder.token(id).strip_prefix(encoder.token(left));
            rest == Some(encoder.token(right))
        })
}

fn joined(pretoken: &[u8], ids: &[u32], encoder: &Encoder) -> bool {
    let mut rest = pretoken;
    let all = ids
        .iter()
        .all(|&id| match rest.strip_prefix(encoder.token(id)) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        });
    all && rest.is_empty()
}
