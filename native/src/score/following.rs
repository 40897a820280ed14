//! From which pretokens follow each other: how often tokens do.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::count::on_threads;
use crate::memory::filled;

/// (count, how many), by count.
pub type Histogram = Vec<(u64, u64)>;

/// Grouped in one array, by a number below a bound.
pub struct Grouped<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Grouped<T> {
    /// `each` calls what it is given with the number and the item of everything, twice the same. Items of one number
    /// stay in order.
    pub fn new(bound: usize, each: impl Fn(&mut dyn FnMut(u32, T))) -> Self {
        // Two places further, so that they are the starts when everything has been put after them.
        let mut starts = vec![0; bound + 2];
        each(&mut |number, _| starts[number as usize + 2] += 1);
        for number in 2..bound + 2 {
            starts[number] += starts[number - 1];
        }
        let mut items = filled(T::default(), starts[bound + 1]);
        each(&mut |number, item| {
            let end = &mut starts[number as usize + 1];
            items[*end] = item;
            *end += 1;
        });
        Grouped { starts, items }
    }

    fn row(&self, number: usize) -> &[T] {
        &self.items[self.starts[number]..self.starts[number + 1]]
    }
}

/// What follows something, and how often; what does so very often has several items.
pub type Follower = (u32, u32);

/// The pretokens that follow each pretoken, in parts of so many pretokens that putting them in order stays in the
/// processor's caches. (All at once, on one thread, that was half the time of all sums.)
pub struct Following {
    shift: u32,
    parts: Vec<Grouped<Follower>>,
}

/// A pretoken, one that follows it, and how often.
type Step = (u32, u32, u32);

/// Calls what it is given with a pretoken, one that follows it, and how often.
pub type EachPair<'e> = dyn Fn(&mut dyn FnMut(u32, u32, u64)) + Sync + 'e;

impl Following {
    const PARTS: u32 = 1 << 7;

    /// Of so many pretokens, from several tables of pairs; what stands in two of them has several items.
    pub fn new(threads: usize, pretokens: usize, tables: &[&EachPair<'_>]) -> Self {
        let shift = (pretokens as u32 / Self::PARTS + 1)
            .next_power_of_two()
            .trailing_zeros();
        let parts = (pretokens >> shift) + 1;
        let steps = in_turn(threads, tables.len(), |table| {
            let mut steps: Vec<Vec<Step>> = vec![Vec::new(); parts];
            tables[table](&mut |left, right, count| {
                let part = &mut steps[(left >> shift) as usize];
                each_part(count, |times| part.push((left, right, times)));
            });
            steps
        });
        let mask = (1 << shift) - 1;
        let parts = in_turn(threads, parts, |part| {
            Grouped::new(1 << shift, |f| {
                let steps = steps.iter().flat_map(|steps| &steps[part]);
                steps.for_each(|&(left, right, times)| f(left & mask, (right, times)));
            })
        });
        Following { shift, parts }
    }

    fn row(&self, pretoken: u32) -> &[Follower] {
        let part = &self.parts[(pretoken >> self.shift) as usize];
        part.row((pretoken & ((1 << self.shift) - 1)) as usize)
    }
}

/// What `f` makes of each number below `all`, by some threads.
pub fn in_turn<T: Send>(threads: usize, all: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let found = on_threads(threads.clamp(1, all.max(1)), || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= all {
                return found;
            }
            found.push((number, f(number)));
        }
    });
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, found)| found).collect()
}

/// An item for every 2^32 - 1 times.
pub fn each_part(count: u64, mut f: impl FnMut(u32)) {
    let mut rest = count;
    while rest > 0 {
        let part = u32::try_from(rest).unwrap_or(u32::MAX);
        f(part);
        rest -= u64::from(part);
    }
}

/// Calls what it is given with something and each that follows it.
pub type EachFollower<'e> = dyn Fn(&mut dyn FnMut(u32, Follower)) + 'e;

/// An encoder's ids in all pretokens.
pub struct Ids<'i> {
    /// One more than the largest.
    pub bound: usize,
    /// The first and the last id of each pretoken.
    pub ends: Vec<(u32, u32)>,
    /// The ids that follow each id in a pretoken.
    pub inside: &'i EachFollower<'i>,
}

/// How many pairs of ids have each sum of counts, and how many left ids.
///
/// One left id after the other: the pretokens that end in it, and what follows those, are read in order, and what is
/// looked up (a pretoken's first id, a right id's sum) is small enough for the processor's caches. A hash table of all pairs
/// misses them at each pair; all pairs by left id, in one array for each encoder, took three times as long.
pub fn sums(ids: &Ids<'_>, following: &Following) -> (Histogram, Histogram) {
    let last = ids.ends.iter().map(|ends| ends.1);
    let pretokens = Grouped::new(ids.bound, |f| {
        last.clone()
            .zip(0_u32..)
            .for_each(|(id, number)| f(id, number))
    });
    let inside = Grouped::new(ids.bound, ids.inside);
    let first: Vec<u32> = ids.ends.iter().map(|ends| ends.0).collect();
    let mut totals = vec![0_u64; ids.bound];
    // The right ids of this left one: each is written down, and stays where it is the first time. (No branch, since
    // whether it is can't be foreseen.)
    let mut met = vec![0_u32; ids.bound + 1];
    let (mut pairs, mut lefts) = (Counts::default(), Counts::default());
    for left in 0..ids.bound {
        let mut of_left = 0;
        let mut ends = 0;
        let mut add = |right: u32, count: u64| {
            let total = &mut totals[right as usize];
            met[ends] = right;
            ends += usize::from(*total == 0);
            *total += count;
            of_left += count;
        };
        for &pretoken in pretokens.row(left) {
            for &(next, count) in following.row(pretoken) {
                add(first[next as usize], count.into());
            }
        }
        for &(right, count) in inside.row(left) {
            add(right, count.into());
        }
        for &right in &met[..ends] {
            pairs.add(std::mem::take(&mut totals[right as usize]));
        }
        lefts.add(of_left);
    }
    (pairs.histogram(), lefts.histogram())
}

/// How many have each count: all that an entropy needs, whoever added in which order.
pub struct Counts {
    small: Vec<u64>,
    large: HashMap<u64, u64>,
}

impl Default for Counts {
    fn default() -> Self {
        Counts {
            small: vec![0; Self::SMALL],
            large: HashMap::new(),
        }
    }
}

impl Counts {
    const SMALL: usize = 1 << 12;

    /// Zero is no count.
    #[inline]
    pub fn add(&mut self, count: u64) {
        match self.small.get_mut(count as usize) {
            Some(number) => *number += 1,
            None => *self.large.entry(count).or_default() += 1,
        }
    }

    pub fn histogram(self) -> Histogram {
        let mut found: Histogram = (0..).zip(self.small).chain(self.large).collect();
        found.retain(|&(count, number)| count > 0 && number > 0);
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
pub fn histogram(counts: impl Iterator<Item = u64>) -> Histogram {
    let mut found = Counts::default();
    counts.for_each(|count| found.add(count));
    found.histogram()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn sums_are_those_of_a_hash_map() {
        let mut random = Random(42);
        for (bound, pretokens) in [(1, 1), (3, 2), (100, 40), (40, 100), (90, 1000)] {
            let below = |random: &mut Random, bound: usize| random.below(bound) as u32;
            // The first is more than an item holds.
            let mut inside = vec![(0, 0, (3 << 32) + 1)];
            let ends: Vec<(u32, u32)> = (0..pretokens)
                .map(|_| (below(&mut random, bound), below(&mut random, bound)))
                .collect();
            for _ in 0..500 {
                let (left, right) = (below(&mut random, bound), below(&mut random, bound));
                inside.push((left, right, 1 + random.below(9000) as u64));
            }
            let mut following: Vec<(u32, u32, u64)> = Vec::new();
            for _ in 0..1000 {
                let (left, right) = (below(&mut random, pretokens), below(&mut random, pretokens));
                following.push((left, right, 1 + random.below(9000) as u64));
            }
            // More than an item holds.
            following.push((0, 0, (7 << 32) + 5));
            let (mut pairs, mut firsts) = (HashMap::new(), HashMap::new());
            let across = following.iter().map(|&(left, right, count)| {
                (ends[left as usize].1, ends[right as usize].0, count)
            });
            for (left, right, count) in inside.iter().copied().chain(across) {
                *pairs.entry((left, right)).or_default() += count;
                *firsts.entry(left).or_default() += count;
            }
            let (one, other) = following.split_at(following.len() / 3);
            let rows = Following::new(
                1 + random.below(3),
                pretokens,
                &[
                    &|f| {
                        one.iter()
                            .for_each(|&(left, right, count)| f(left, right, count))
                    },
                    &|f| {
                        other
                            .iter()
                            .for_each(|&(left, right, count)| f(left, right, count))
                    },
                ],
            );
            let ids = Ids {
                bound,
                ends,
                inside: &|f| {
                    for &(left, right, count) in &inside {
                        each_part(count, |part| f(left, (right, part)));
                    }
                },
            };
            let expected = (
                histogram(pairs.into_values()),
                histogram(firsts.into_values()),
            );
            assert_eq!(sums(&ids, &rows), expected);
        }
    }

    #[test]
    fn nothing_has_no_sums() {
        let ids = Ids {
            bound: 5,
            ends: vec![],
            inside: &|_| {},
        };
        assert_eq!(sums(&ids, &Following::new(2, 0, &[])), (vec![], vec![]));
    }

    #[test]
    fn a_histogram_leaves_zeros_out() {
        let counts = [0, 3, 1, 3, 10_000, 1, 1];
        assert_eq!(histogram(counts.into_iter()), [(1, 3), (3, 2), (10_000, 1)]);
    }
}
