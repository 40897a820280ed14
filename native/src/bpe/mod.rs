//! Byte-pair merging of one pretoken: the pair of lowest rank first, the leftmost of equals.
//!
//! Short pretokens are scanned for it (`scan.rs`), long ones have a heap (`heap.rs`).

mod heap;
mod scan;

use std::collections::HashMap;

use crate::filter::Filter;
use crate::memory::filled;
use crate::table::prefetch;
use heap::merge_by_heap;
pub use heap::Scratch;
use scan::merge_by_scan;
pub use scan::{Together, SHORT};

/// What two neighbours become, and how early: `rank` orders the merges, `id` is the new token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merge {
    pub rank: u32,
    pub id: u32,
}

/// Larger than the number of every merge, so that a search for the least needs no second test.
const NEVER: u32 = u32::MAX;

/// (left id, right id) → the number of their merge, in one open-addressed table. Numbers are in the order of ranks.
///
/// Merging waits for memory and little else, so the table is as small as it can be: an entry has eight bytes, and where
/// ids rise with ranks, as in nearly all vocabularies, the number of a merge is its id.
#[derive(Clone)]
pub struct Pairs {
    entries: Entries,
    mask: usize,
    /// Most neighbours have no merge, and nearly all of those are told by a table that stays in the cache where the entries
    /// don't.
    filter: Filter,
    /// The merges of two bytes, by `left << 8 | right`: where every pretoken begins. Of the rows few are ever used.
    of_bytes: Vec<u32>,
    /// The ids by number, where these are something else.
    ids: Option<Vec<u32>>,
}

/// By the largest id and number.
#[derive(Clone)]
enum Entries {
    /// 21 bits each for the left and the right id, and 22 for the number.
    Narrow(Vec<u64>),
    Wide(Vec<(u64, u32)>),
}

const ID_BITS: u32 = 21;
const NUMBER_BITS: u32 = 22;
const VACANT: u64 = u64::MAX;

#[inline(always)]
fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The left id in the top bits, and zeros for the number, of ids that are not too large.
#[inline(always)]
fn narrow_key(left: u32, right: u32) -> u64 {
    u64::from(left) << (ID_BITS + NUMBER_BITS) | u64::from(right) << NUMBER_BITS
}

#[inline(always)]
fn spread(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xD1B5_4A32_D192_ED03_u128;
    product as u64 ^ (product >> 64) as u64
}

impl Pairs {
    /// Of two merges of one pair the first stays. Merges of one rank have one id.
    pub fn new(merges: &[(u32, u32, Merge)]) -> Self {
        let mut ranked: Vec<Merge> = merges.iter().map(|&(_, _, merge)| merge).collect();
        ranked.sort_unstable_by_key(|merge| merge.rank);
        ranked.dedup();
        let by_id = ranked.windows(2).all(|pair| pair[0].id < pair[1].id);
        let number = |merge: Merge| {
            if by_id {
                return merge.id;
            }
            let place = ranked.binary_search_by_key(&merge.rank, |other| other.rank);
            let Ok(place) = place else {
                unreachable!("all ranks are in the list");
            };
            debug_assert_eq!(ranked[place], merge);
            place as u32
        };
        let size = (merges.len() * 2).next_power_of_two().max(16);
        let small = |bits: u32, number: u32| u64::from(number) < (1 << bits) - 1;
        let narrow = merges.iter().all(|&(left, right, merge)| {
            small(ID_BITS, left) && small(ID_BITS, right) && small(NUMBER_BITS, number(merge))
        });
        let mut pairs = Pairs {
            entries: if narrow {
                Entries::Narrow(filled(VACANT, size))
            } else {
                Entries::Wide(filled((VACANT, NEVER), size))
            },
            mask: size - 1,
            filter: Filter::new(merges.len()),
            of_bytes: Vec::new(),
            ids: (!by_id).then(|| ranked.iter().map(|merge| merge.id).collect()),
        };
        for &(left, right, merge) in merges {
            pairs.insert(left, right, number(merge));
        }
        pairs
    }

    /// For merges that are still to come, each by [`Pairs::push`]: so many at most, of ids up to `largest`.
    pub fn growing(merges: usize, largest: u32) -> Self {
        let size = (merges * 2).next_power_of_two().max(16);
        Pairs {
            entries: if largest < (1 << ID_BITS) - 1 {
                Entries::Narrow(filled(VACANT, size))
            } else {
                Entries::Wide(filled((VACANT, NEVER), size))
            },
            mask: size - 1,
            filter: Filter::new(merges),
            of_bytes: vec![NEVER; 1 << 16],
            ids: None,
        }
    }

    /// The next merge in order of rank, which is the id of what it makes: `token`.
    pub fn push(&mut self, left: u32, right: u32, id: u32, token: &[u8]) {
        self.insert(left, right, id);
        if let &[first, second] = token {
            self.of_bytes[usize::from(first) << 8 | usize::from(second)] = id;
        }
    }

    fn insert(&mut self, left: u32, right: u32, number: u32) {
        let hash = spread(pair_key(left, right));
        if self.filter.may_have(hash) && self.find(left, right, hash) != NEVER {
            return;
        }
        self.filter.add(hash);
        let mut place = hash as usize & self.mask;
        match &mut self.entries {
            Entries::Narrow(entries) => {
                while entries[place] != VACANT {
                    place = (place + 1) & self.mask;
                }
                entries[place] = narrow_key(left, right) | u64::from(number);
            }
            Entries::Wide(entries) => {
                while entries[place].0 != VACANT {
                    place = (place + 1) & self.mask;
                }
                entries[place] = (pair_key(left, right), number);
            }
        }
    }

    /// Says what the ids of the bytes are, all of them different.
    pub fn set_bytes(&mut self, ids: &[u32; 256]) {
        let bytes: HashMap<u32, usize> = ids.iter().copied().zip(0..).collect();
        let mut of_bytes = vec![NEVER; 1 << 16];
        let mut note = |left: u64, right: u64, number: u32| {
            let byte = |id: u64| bytes.get(&(id as u32));
            if let (Some(left), Some(right)) = (byte(left), byte(right)) {
                of_bytes[left << 8 | right] = number;
            }
        };
        match &self.entries {
            Entries::Narrow(entries) => {
                for entry in entries.iter().filter(|&&entry| entry != VACANT) {
                    let right = entry >> NUMBER_BITS & ((1 << ID_BITS) - 1);
                    let number = entry & ((1 << NUMBER_BITS) - 1);
                    note(entry >> (ID_BITS + NUMBER_BITS), right, number as u32);
                }
            }
            Entries::Wide(entries) => {
                for &(key, number) in entries.iter().filter(|entry| entry.0 != VACANT) {
                    note(key >> 32, key & u64::from(u32::MAX), number);
                }
            }
        }
        self.of_bytes = of_bytes;
    }

    #[inline(always)]
    fn of_bytes(&self, left: u8, right: u8) -> u32 {
        self.of_bytes[usize::from(left) << 8 | usize::from(right)]
    }

    /// Has what [`Pairs::get`] looks at on its way from memory.
    #[inline(always)]
    fn expect(&self, left: u32, right: u32) {
        let hash = spread(pair_key(left, right));
        self.filter.expect(hash);
        let place = hash as usize & self.mask;
        match &self.entries {
            Entries::Narrow(entries) => prefetch(entries, place),
            Entries::Wide(entries) => prefetch(entries, place),
        }
    }

    /// The number of the merge of two neighbours, or `NEVER`.
    #[inline(always)]
    fn get(&self, left: u32, right: u32) -> u32 {
        let hash = spread(pair_key(left, right));
        if self.filter.may_have(hash) {
            self.find(left, right, hash)
        } else {
            NEVER
        }
    }

    /// At most half the entries are taken, so that a search ends.
    #[inline(always)]
    fn find(&self, left: u32, right: u32, hash: u64) -> u32 {
        let mut place = hash as usize & self.mask;
        match &self.entries {
            Entries::Narrow(entries) => {
                if left.max(right) >= (1 << ID_BITS) - 1 {
                    return NEVER;
                }
                let key = narrow_key(left, right);
                loop {
                    let entry = entries[place];
                    if (entry ^ key) >> NUMBER_BITS == 0 {
                        return (entry ^ key) as u32;
                    }
                    if entry == VACANT {
                        return NEVER;
                    }
                    place = (place + 1) & self.mask;
                }
            }
            Entries::Wide(entries) => {
                let key = pair_key(left, right);
                while entries[place].0 != key && entries[place].0 != VACANT {
                    place = (place + 1) & self.mask;
                }
                entries[place].1
            }
        }
    }

    /// The token that a merge makes.
    #[inline(always)]
    fn id(&self, number: u32) -> u32 {
        match &self.ids {
            None => number,
            Some(ids) => ids[number as usize],
        }
    }
}

/// Pretokens of as many bytes go through a heap: the scan for the least rank would be quadratic.
const SCANNED: usize = 49;

/// Appends the ids of a pretoken after merging to `out`. `byte_ids` are those that the pairs know of.
pub fn merge(
    pairs: &Pairs,
    byte_ids: &[u32; 256],
    pretoken: &[u8],
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) {
    if pretoken.len() < SHORT {
        merge_by_scan::<SHORT>(pairs, byte_ids, pretoken, out);
    } else if pretoken.len() < SCANNED {
        merge_by_scan::<SCANNED>(pairs, byte_ids, pretoken, out);
    } else {
        let symbols = pretoken.iter().map(|&byte| byte_ids[usize::from(byte)]);
        merge_by_heap(pairs, symbols, scratch, out);
    }
}

/// Of the place of a symbol that has been merged away, and of one that is none; no token has it.
const GONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: look at every pair, merge the one of lowest rank, begin again.
    fn naive(merges: &[(u32, u32, Merge)], mut ids: Vec<u32>) -> Vec<u32> {
        let of = |pair: &[u32]| {
            let found = merges
                .iter()
                .find(|(left, right, _)| [*left, *right] == pair);
            found.map(|&(_, _, merge)| merge)
        };
        while let Some((_, at, id)) = ids
            .windows(2)
            .enumerate()
            .filter_map(|(i, pair)| of(pair).map(|merge| (merge.rank, i, merge.id)))
            .min()
        {
            ids[at] = id;
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
            // Foreign merge lists come in any order, so ranks are not those of the parts. Of two merges of one pair the
            // first stays; several pairs may make one token, with one rank. Large ids need wide entries.
            let count = 1 + below(40);
            let (factor, first) = (
                [1, 7, 41][round as usize % 3],
                [3, 1 << 21][round as usize % 2],
            );
            let byte = |id: u32| if id < 3 { id } else { id - 3 + first };
            let merges: Vec<_> = (0..count)
                .map(|number| {
                    let made = number - number % (1 + round % 3);
                    let rank = made * factor % 43;
                    let (left, right) = (byte(below(3 + number)), byte(below(3 + number)));
                    (
                        left,
                        right,
                        Merge {
                            rank,
                            id: byte(3 + made),
                        },
                    )
                })
                .collect();
            let mut pairs = Pairs::new(&merges);
            let byte_ids =
                std::array::from_fn(|byte| if byte < 3 { byte } else { byte + 1000 } as u32);
            pairs.set_bytes(&byte_ids);
            let mut scratch = Scratch::default();
            let (mut together, mut each) = (Together::default(), Vec::new());
            for length in [0, 1, 2, 3, 5, 9, 9, 15, 16, 30, 48, 49, 120] {
                let symbols: Vec<u32> = (0..length).map(|_| below(3)).collect();
                let bytes: Vec<u8> = symbols.iter().map(|&symbol| symbol as u8).collect();
                let expected = naive(&merges, symbols.clone());
                let mut heaped = Vec::new();
                merge_by_heap(&pairs, symbols.iter().copied(), &mut scratch, &mut heaped);
                let mut either = Vec::new();
                merge(&pairs, &byte_ids, &bytes, &mut scratch, &mut either);
                assert_eq!((&either, &heaped), (&expected, &expected), "{symbols:?}");
                if length < SHORT as u32 {
                    together.add(&pairs, &byte_ids, &bytes);
                    each.push(expected);
                }
            }
            together.merge(&pairs);
            for (number, expected) in each.iter().enumerate() {
                assert_eq!(together.ids(number).collect::<Vec<_>>(), *expected);
            }
        }
    }
}
