//! Byte-pair merging of one pretoken: the pair of lowest rank first, the leftmost of equals.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What two neighbours become, and how early: `rank` orders the merges, `id` is the new token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merge {
    pub rank: u32,
    pub id: u32,
}

/// No merge: larger than every rank, so that a search for the least needs no second test.
const NEVER: u32 = u32::MAX;

/// (left id, right id) → merge, in one open-addressed table of 16-byte entries.
#[derive(Clone)]
pub struct Pairs {
    entries: Vec<(u64, Merge)>,
    mask: usize,
}

const VACANT: u64 = u64::MAX;

#[inline(always)]
fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[inline(always)]
fn spread(key: u64) -> usize {
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xD1B5_4A32_D192_ED03_u128;
    ((product as u64) ^ (product >> 64) as u64) as usize
}

impl Pairs {
    /// Of two merges of one pair the first stays.
    pub fn new(merges: impl ExactSizeIterator<Item = (u32, u32, Merge)>) -> Self {
        let size = (merges.len() * 2).next_power_of_two().max(16);
        let none = Merge { rank: NEVER, id: 0 };
        let mut pairs = Pairs {
            entries: vec![(VACANT, none); size],
            mask: size - 1,
        };
        for (left, right, merge) in merges {
            let key = pair_key(left, right);
            let place = pairs.place(key);
            if pairs.entries[place].0 == VACANT {
                pairs.entries[place] = (key, merge);
            }
        }
        pairs
    }

    /// Where the key is, or the vacant entry where it would be. At most half the entries are taken, so there is one.
    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        let mut place = spread(key) & self.mask;
        while self.entries[place].0 != key && self.entries[place].0 != VACANT {
            place = (place + 1) & self.mask;
        }
        place
    }

    /// The merge of two neighbours; its rank is `NEVER` where there is none.
    #[inline(always)]
    fn get(&self, left: u32, right: u32) -> Merge {
        self.entries[self.place(pair_key(left, right))].1
    }
}

/// Longer pretokens go through a heap: the scan for the least rank would be quadratic.
const SCANNED: usize = 48;

/// Room that merging needs, kept between calls.
#[derive(Default)]
pub struct Scratch {
    ids: Vec<u32>,
    merges: Vec<Merge>,
    heap: BinaryHeap<Reverse<(u32, u32, u64)>>,
    links: Vec<(u32, u32)>,
}

/// Appends the ids of `symbols` after merging to `out`.
pub fn merge(
    pairs: &Pairs,
    symbols: impl Iterator<Item = u32>,
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) {
    scratch.ids.clear();
    scratch.ids.extend(symbols);
    if scratch.ids.len() <= SCANNED {
        merge_by_scan(pairs, scratch, out);
    } else {
        merge_by_heap(pairs, scratch, out);
    }
}

fn merge_by_scan(pairs: &Pairs, scratch: &mut Scratch, out: &mut Vec<u32>) {
    let Scratch { ids, merges, .. } = scratch;
    // merges[i] is that of ids[i] and ids[i + 1].
    merges.clear();
    merges.extend(ids.windows(2).map(|pair| pairs.get(pair[0], pair[1])));
    loop {
        let (mut least, mut at) = (NEVER, 0);
        for (i, merge) in merges.iter().enumerate() {
            if merge.rank < least {
                (least, at) = (merge.rank, i);
            }
        }
        if least == NEVER {
            break;
        }
        ids[at] = merges[at].id;
        ids.remove(at + 1);
        merges.remove(at);
        if at < merges.len() {
            merges[at] = pairs.get(ids[at], ids[at + 1]);
        }
        if at > 0 {
            merges[at - 1] = pairs.get(ids[at - 1], ids[at]);
        }
    }
    out.extend_from_slice(ids);
}

const NONE: u32 = u32::MAX;

fn merge_by_heap(pairs: &Pairs, scratch: &mut Scratch, out: &mut Vec<u32>) {
    let Scratch {
        ids, heap, links, ..
    } = scratch;
    let length = ids.len() as u32;
    heap.clear();
    links.clear();
    links.extend(
        (0..length).map(|i| (i.wrapping_sub(1), if i + 1 < length { i + 1 } else { NONE })),
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
        // One of the two may have been merged since; ids of merged places are NONE, which no token has.
        if to == NONE || pair_key(ids[at as usize], ids[to as usize]) != key {
            continue;
        }
        ids[at as usize] = pairs.get((key >> 32) as u32, key as u32).id;
        ids[to as usize] = NONE;
        let next = links[to as usize].1;
        links[at as usize].1 = next;
        if next != NONE {
            links[next as usize].0 = at;
            offer(heap, ids, at, next);
        }
        let before = links[at as usize].0;
        if before != NONE {
            offer(heap, ids, before, at);
        }
    }
    out.extend(ids.iter().filter(|&&id| id != NONE));
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
            let pairs = Pairs::new(merges.into_iter());
            let mut scratch = Scratch::default();
            for length in [0, 1, 2, 5, 30, 48, 49, 120] {
                let symbols: Vec<u32> = (0..length).map(|_| below(3)).collect();
                let expected = naive(&pairs, symbols.clone());
                scratch.ids.clone_from(&symbols);
                let mut scanned = Vec::new();
                merge_by_scan(&pairs, &mut scratch, &mut scanned);
                scratch.ids.clone_from(&symbols);
                let mut heaped = Vec::new();
                merge_by_heap(&pairs, &mut scratch, &mut heaped);
                assert_eq!((&scanned, &heaped), (&expected, &expected), "{symbols:?}");
            }
        }
    }
}
