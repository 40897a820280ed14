//! Byte-pair merging of one pretoken: the pair of lowest rank first, the leftmost of equals.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What two neighbours become, and how early: `rank` orders the merges, `id` is the new token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merge {
    pub rank: u32,
    pub id: u32,
}

/// Larger than every rank, so that a search for the least needs no second test.
const NEVER: u32 = u32::MAX;
const NONE: Merge = Merge { rank: NEVER, id: 0 };

/// (left id, right id) → merge, in one open-addressed table of 16-byte entries.
#[derive(Clone)]
pub struct Pairs {
    entries: Vec<(u64, Merge)>,
    mask: usize,
    /// A bit for each hash that an entry has, sixteen times as many as entries are taken at most. Most neighbours have no
    /// merge, and nearly all of those are told by a table that stays in the cache where the entries don't.
    filter: Vec<u64>,
    /// The merges of two bytes, by `left << 8 | right`: where every pretoken begins. Of the rows few are ever used.
    of_bytes: Vec<Merge>,
}

const VACANT: u64 = u64::MAX;

#[inline(always)]
fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[inline(always)]
fn spread(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xD1B5_4A32_D192_ED03_u128;
    product as u64 ^ (product >> 64) as u64
}

impl Pairs {
    /// Of two merges of one pair the first stays.
    pub fn new(merges: impl ExactSizeIterator<Item = (u32, u32, Merge)>) -> Self {
        let size = (merges.len() * 2).next_power_of_two().max(16);
        let mut pairs = Pairs {
            entries: vec![(VACANT, NONE); size],
            mask: size - 1,
            filter: vec![0; size / 8],
            of_bytes: Vec::new(),
        };
        for (left, right, merge) in merges {
            let key = pair_key(left, right);
            let (word, bit) = pairs.bit(spread(key));
            pairs.filter[word] |= bit;
            let place = pairs.place(key, spread(key));
            if pairs.entries[place].0 == VACANT {
                pairs.entries[place] = (key, merge);
            }
        }
        pairs
    }

    /// Says what the ids of the bytes are, all of them different.
    pub fn set_bytes(&mut self, ids: &[u32; 256]) {
        let bytes: HashMap<u32, usize> = ids.iter().copied().zip(0..).collect();
        self.of_bytes = vec![NONE; 1 << 16];
        for &(key, merge) in self.entries.iter().filter(|entry| entry.0 != VACANT) {
            let byte = |id: u64| bytes.get(&(id as u32));
            if let (Some(left), Some(right)) = (byte(key >> 32), byte(key)) {
                self.of_bytes[left << 8 | right] = merge;
            }
        }
    }

    #[inline(always)]
    fn of_bytes(&self, left: u8, right: u8) -> Merge {
        self.of_bytes[usize::from(left) << 8 | usize::from(right)]
    }

    /// Where the key is, or the vacant entry where it would be. At most half the entries are taken, so there is one.
    #[inline(always)]
    fn place(&self, key: u64, hash: u64) -> usize {
        let mut place = hash as usize & self.mask;
        while self.entries[place].0 != key && self.entries[place].0 != VACANT {
            place = (place + 1) & self.mask;
        }
        place
    }

    /// The merge of two neighbours; its rank is `NEVER` where there is none.
    #[inline(always)]
    fn get(&self, left: u32, right: u32) -> Merge {
        let key = pair_key(left, right);
        let hash = spread(key);
        let (word, bit) = self.bit(hash);
        if self.filter[word] & bit == 0 {
            return NONE;
        }
        self.entries[self.place(key, hash)].1
    }

    /// The word of the filter, and the bit in it.
    #[inline(always)]
    fn bit(&self, hash: u64) -> (usize, u64) {
        ((hash >> 32) as usize & (self.mask >> 3), 1 << (hash >> 58))
    }
}

/// Longer pretokens go through a heap: the scan for the least rank would be quadratic.
const SCANNED: usize = 48;

/// Room that merging needs, kept between calls.
#[derive(Default)]
pub struct Scratch {
    ids: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32, u64)>>,
    links: Vec<(u32, u32)>,
}

/// Appends the ids of a pretoken after merging to `out`. `byte_ids` are those that the pairs know of.
pub fn merge(
    pairs: &Pairs,
    byte_ids: &[u32; 256],
    pretoken: &[u8],
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) {
    if pretoken.len() <= SCANNED {
        merge_by_scan(pairs, byte_ids, pretoken, out);
    } else {
        let symbols = pretoken.iter().map(|&byte| byte_ids[usize::from(byte)]);
        merge_by_heap(pairs, symbols, scratch, out);
    }
}

/// All in place: taking merged symbols out of the arrays took as long as all the rest.
fn merge_by_scan(pairs: &Pairs, byte_ids: &[u32; 256], pretoken: &[u8], out: &mut Vec<u32>) {
    const NOWHERE: u8 = u8::MAX;
    let length = pretoken.len();
    assert!(length <= SCANNED);
    let mut ids = [0; SCANNED];
    // The merge of the symbol at a place with the next one.
    let mut ranks = [NEVER; SCANNED];
    let mut merged = [0; SCANNED];
    let (mut before, mut after) = ([NOWHERE; SCANNED], [NOWHERE; SCANNED]);
    for (at, &byte) in pretoken.iter().enumerate() {
        ids[at] = byte_ids[usize::from(byte)];
    }
    for (at, pair) in pretoken.windows(2).enumerate() {
        let merge = pairs.of_bytes(pair[0], pair[1]);
        (ranks[at], merged[at]) = (merge.rank, merge.id);
        (after[at], before[at + 1]) = (at as u8 + 1, at as u8);
    }
    let places = length.saturating_sub(1);
    loop {
        let (mut least, mut at) = (NEVER, 0);
        for (place, &rank) in ranks[..places].iter().enumerate() {
            // Both chosen without a branch, which would be mispredicted.
            at = if rank < least { place } else { at };
            least = least.min(rank);
        }
        if least == NEVER {
            break;
        }
        let to = usize::from(after[at]);
        ids[at] = merged[at];
        ranks[to] = NEVER;
        after[at] = after[to];
        let next = usize::from(after[to]);
        let last = usize::from(before[at]);
        if next < SCANNED {
            before[next] = at as u8;
            let merge = pairs.get(ids[at], ids[next]);
            (ranks[at], merged[at]) = (merge.rank, merge.id);
        } else {
            ranks[at] = NEVER;
        }
        if last < SCANNED {
            let merge = pairs.get(ids[last], ids[at]);
            (ranks[last], merged[last]) = (merge.rank, merge.id);
        }
    }
    let mut at = 0;
    while at < length {
        out.push(ids[at]);
        at = usize::from(after[at]);
    }
}

/// In place of a neighbour, or of the id of a place that has been merged away; no token has it.
const GONE: u32 = u32::MAX;

fn merge_by_heap(
    pairs: &Pairs,
    symbols: impl Iterator<Item = u32>,
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) {
    let Scratch {
        ids, heap, links, ..
    } = scratch;
    ids.clear();
    ids.extend(symbols);
    let length = ids.len() as u32;
    heap.clear();
    links.clear();
    links.extend(
        (0..length).map(|i| (i.wrapping_sub(1), if i + 1 < length { i + 1 } else { GONE })),
    );
    let offer = |heap: &mut BinaryHeap<_>, ids: &[u32], at: u32, to: u32| {
        let (left, right) = (ids[at as usize], ids[to as usize]);
        let merge = pairs.get(left, right);
        if merge.rank != NEVER {
            heap.push(Reverse((merge.rank, at, pair_key(left, right))));
        }
    };
    for at in 1..length {
        offer(heap, ids, at - 1, at);
    }
    while let Some(Reverse((_, at, key))) = heap.pop() {
        let to = links[at as usize].1;
        // One of the two may have been merged since; ids of merged places are GONE.
        if to == GONE || pair_key(ids[at as usize], ids[to as usize]) != key {
            continue;
        }
        ids[at as usize] = pairs.get((key >> 32) as u32, key as u32).id;
        ids[to as usize] = GONE;
        let next = links[to as usize].1;
        links[at as usize].1 = next;
        if next != GONE {
            links[next as usize].0 = at;
            offer(heap, ids, at, next);
        }
        let before = links[at as usize].0;
        if before != GONE {
            offer(heap, ids, before, at);
        }
    }
    out.extend(ids.iter().filter(|&&id| id != GONE));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: look at every pair, merge the one of lowest rank, begin again.
    fn naive(pairs: &Pairs, mut ids: Vec<u32>) -> Vec<u32> {
        while let Some((_, at)) = ids
            .windows(2)
            .enumerate()
            .map(|(i, pair)| (pairs.get(pair[0], pair[1]).rank, i))
            .filter(|found| found.0 != NEVER)
            .min()
        {
            ids[at] = pairs.get(ids[at], ids[at + 1]).id;
            ids.remove(at + 1);
        }
        ids
    }

    #[test]
    fn both_ways_are_the_definition() {
        let mut state = 7_u64;
        let mut below = |bound: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % bound
        };
        for round in 0..400 {
            // Foreign merge lists come in any order, so ranks are not those of the parts.
            let count = 1 + below(40);
            let merges: Vec<_> = (0..count)
                .map(|rank| {
                    let known = 3 + rank;
                    let id = 3 + rank;
                    (
                        below(known),
                        below(known),
                        Merge {
                            rank: (rank * 7 + round) % count,
                            id,
                        },
                    )
                })
                .collect();
            let mut pairs = Pairs::new(merges.into_iter());
            let byte_ids =
                std::array::from_fn(|byte| if byte < 3 { byte } else { byte + 1000 } as u32);
            pairs.set_bytes(&byte_ids);
            let mut scratch = Scratch::default();
            for length in [0, 1, 2, 5, 30, 48, 49, 120] {
                let symbols: Vec<u32> = (0..length).map(|_| below(3)).collect();
                let bytes: Vec<u8> = symbols.iter().map(|&symbol| symbol as u8).collect();
                let expected = naive(&pairs, symbols.clone());
                let mut heaped = Vec::new();
                merge_by_heap(&pairs, symbols.iter().copied(), &mut scratch, &mut heaped);
                let mut either = Vec::new();
                merge(&pairs, &byte_ids, &bytes, &mut scratch, &mut either);
                assert_eq!((&either, &heaped), (&expected, &expected), "{symbols:?}");
            }
        }
    }
}
