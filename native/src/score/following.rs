//! From which pretokens follow each other: how often tokens do.

use std::collections::HashMap;

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

/// The pretokens that follow each pretoken.
pub type Following = Grouped<Follower>;

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
    let mut met: Vec<u32> = Vec::new();
    let (mut pairs, mut lefts) = (Counts::default(), Counts::default());
    for left in 0..ids.bound {
        let mut of_left = 0;
        let mut add = |right: u32, count: u64| {
            let total = &mut totals[right as usize];
            if *total == 0 {
                met.push(right);
            }
            *total += count;
            of_left += count;
        };
        for &pretoken in pretokens.row(left) {
            for &(next, count) in following.row(pretoken as usize) {
                add(first[next as usize], count.into());
            }
        }
        for &(right, count) in inside.row(left) {
            add(right, count.into());
        }
        for right in met.drain(..) {
            pairs.add(std::mem::take(&mut totals[right as usize]));
        }
        lefts.add(of_left);
    }
    (pairs.histogram(), lefts.histogram())
}

/// How many have each count: all that an entropy needs, whoever added in which order.
#[derive(Default)]
pub struct Counts {
    small: Vec<u64>,
    large: HashMap<u64, u64>,
}

impl Counts {
    const SMALL: usize = 1 << 12;

    /// Zero is no count.
    #[inline]
    pub fn add(&mut self, count: u64) {
        if count as usize >= Self::SMALL {
            *self.large.entry(count).or_default() += 1;
        } else {
            self.small.resize(Self::SMALL, 0);
            self.small[count as usize] += 1;
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
        for (bound, pretokens) in [(1, 1), (3, 2), (100, 40), (40, 100)] {
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
            let rows = Grouped::new(pretokens, |f| {
                for &(left, right, count) in &following {
                    each_part(count, |part| f(left, (right, part)));
                }
            });
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
        assert_eq!(sums(&ids, &Grouped::new(0, |_| {})), (vec![], vec![]));
    }

    #[test]
    fn a_histogram_leaves_zeros_out() {
        let counts = [0, 3, 1, 3, 10_000, 1, 1];
        assert_eq!(histogram(counts.into_iter()), [(1, 3), (3, 2), (10_000, 1)]);
    }
}
