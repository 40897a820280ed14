//! What a scorer says when texts have been added.

use std::sync::atomic::Ordering;

use super::following::{self, each_part, EachPair, Following, Ids};
use super::known::Numbers;
use super::Scorer;
use crate::count::PretokenCounts;
use crate::places::TypeCounts;

/// The neighbours of an encoder's ids, inside documents: how many pairs occur how often, and how many ids come first
/// in a pair how often.
#[derive(Debug, PartialEq)]
pub struct PairCounts {
    pub pairs: Vec<(u64, u64)>,
    pub firsts: Vec<(u64, u64)>,
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

impl Scorer {
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
        let numbers = self.known.numbering();
        let tables: Vec<_> = states
            .iter()
            .map(|state| {
                let places = state.places.iter();
                let numbers: Vec<u32> = places.map(|&place| numbers.of(place)).collect();
                let pairs = &state.pairs;
                move |f: &mut dyn FnMut(u32, u32, u64)| {
                    pairs.each(|left, right, count| {
                        f(numbers[left as usize], numbers[right as usize], count)
                    });
                }
            })
            .collect();
        let tables: Vec<&EachPair<'_>> = tables.iter().map(|table| table as _).collect();
        let threads = states.len();
        let following = Following::new(threads, numbers.len(), &tables);
        let sums = |encoder| self.pairs_of(encoder, &numbers, &following);
        Some(following::in_turn(threads, self.paired, sums))
    }

    fn pairs_of(&self, encoder: usize, numbers: &Numbers, following: &Following) -> PairCounts {
        let mut ends = vec![(0, 0); numbers.len()];
        let mut number = numbers.each();
        self.known.each_ids(encoder, |_, some| {
            let number = number.next().expect("as many as there are");
            ends[number as usize] = (some[0], some[some.len() - 1]);
        });
        // From what is known, and not from a list of it: of text that is cut finely that would be most of the memory.
        let ids = Ids {
            bound: self.encoders[encoder].id_bound(),
            ends,
            inside: &|f| {
                self.known.each_ids(encoder, |count, some| {
                    for two in some.windows(2) {
                        each_part(count, |part| f(two[0], (two[1], part)));
                    }
                });
            },
        };
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
