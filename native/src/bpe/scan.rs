//! Merging of short pretokens: the least rank is looked for among all, alone or for several pretokens at once.

use super::{Pairs, GONE, NEVER};

pub(super) fn merge_by_scan<const N: usize>(
    pairs: &Pairs,
    byte_ids: &[u32; 256],
    pretoken: &[u8],
    out: &mut Vec<u32>,
) {
    let mut merging = Merging::<N>::default();
    merging.start(pairs, byte_ids, pretoken);
    while merging.merge_next(pairs) {
        merging.look_up(pairs);
    }
    out.extend(merging.ids());
}

/// A pretoken of fewer than `N` bytes while it is merged, in place: taking merged symbols out of the arrays took as long
/// as all the rest. The last place is no symbol: it stands before the first one and after the last one, so that every
/// symbol has two neighbours and nothing is asked that the processor could guess wrong.
struct Merging<const N: usize> {
    ids: [u32; N],
    /// The number of the merge of the symbol at a place with the next one, and the place itself: the least of them is
    /// the leftmost of lowest rank.
    merges: [u64; N],
    before: [u8; N],
    after: [u8; N],
    length: usize,
    /// Where the last merge was.
    at: usize,
}

/// What stands in `merges` for a place.
#[inline(always)]
fn merge_at(number: u32, place: usize) -> u64 {
    u64::from(number) << 8 | place as u64
}

/// No merge is as large.
const NO_MERGE: u64 = (NEVER as u64) << 8;

impl<const N: usize> Default for Merging<N> {
    fn default() -> Self {
        Merging {
            ids: [GONE; N],
            merges: [NO_MERGE; N],
            before: [0; N],
            after: [0; N],
            length: 0,
            at: 0,
        }
    }
}

impl<const N: usize> Merging<N> {
    const NOWHERE: u8 = N as u8 - 1;

    #[inline(always)]
    fn start(&mut self, pairs: &Pairs, byte_ids: &[u32; 256], pretoken: &[u8]) {
        let length = pretoken.len();
        assert!(length < N && N < 256);
        self.length = length;
        for (at, &byte) in pretoken.iter().enumerate() {
            self.ids[at] = byte_ids[usize::from(byte)];
            (self.before[at], self.after[at]) = ((at as u8).wrapping_sub(1), at as u8 + 1);
        }
        for (at, pair) in pretoken.windows(2).enumerate() {
            self.merges[at] = merge_at(pairs.of_bytes(pair[0], pair[1]), at);
        }
        self.before[0] = Self::NOWHERE;
        self.after[length.saturating_sub(1)] = Self::NOWHERE;
    }

    /// Whether there was a merge to make. The pairs on its two sides are still to be looked up.
    #[inline(always)]
    fn merge_next(&mut self, pairs: &Pairs) -> bool {
        // Of few places all are looked at: how many there are would be mispredicted.
        let places = if N <= SHORT { N } else { self.length };
        let mut least = [NO_MERGE; 2];
        let (twos, rest) = self.merges[..places].as_chunks::<2>();
        for two in twos {
            least = [least[0].min(two[0]), least[1].min(two[1])];
        }
        let least = rest
            .iter()
            .fold(least[0].min(least[1]), |least, &one| least.min(one));
        if least >= NO_MERGE {
            return false;
        }
        let at = (least & 0xFF) as usize;
        let to = usize::from(self.after[at]);
        self.ids[at] = pairs.id((least >> 8) as u32);
        (self.merges[at], self.merges[to]) = (NO_MERGE, NO_MERGE);
        self.after[at] = self.after[to];
        self.before[usize::from(self.after[at])] = at as u8;
        self.at = at;
        true
    }

    /// The places of the pairs on both sides of the last merge.
    #[inline(always)]
    fn sides(&self) -> [(usize, usize); 2] {
        let at = self.at;
        [
            (usize::from(self.before[at]), at),
            (at, usize::from(self.after[at])),
        ]
    }

    #[inline(always)]
    fn expect(&self, pairs: &Pairs) {
        for (left, right) in self.sides() {
            pairs.expect(self.ids[left], self.ids[right]);
        }
    }

    #[inline(always)]
    fn look_up(&mut self, pairs: &Pairs) {
        for (left, right) in self.sides() {
            self.merges[left] = merge_at(pairs.get(self.ids[left], self.ids[right]), left);
        }
    }

    fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let first = (self.length > 0).then_some(0);
        let places = std::iter::successors(first, |&at| {
            Some(usize::from(self.after[at])).filter(|&next| next < N - 1)
        });
        places.map(|at| self.ids[at])
    }
}

/// The pretokens that go together have fewer bytes.
pub const SHORT: usize = 16;

/// Several pretokens that are merged at once, each a step at a time: while one waits for its pairs to come from memory,
/// the others go on. (One by one, two thirds of the time was waiting.)
#[derive(Default)]
pub struct Together {
    merging: Vec<Merging<SHORT>>,
    /// Those that may have more merges.
    live: Vec<usize>,
}

impl Together {
    pub fn clear(&mut self) {
        self.merging.clear();
    }

    pub fn add(&mut self, pairs: &Pairs, byte_ids: &[u32; 256], pretoken: &[u8]) {
        self.merging.push(Merging::default());
        if let Some(merging) = self.merging.last_mut() {
            merging.start(pairs, byte_ids, pretoken);
        }
    }

    /// Instead of a pretoken, the one token that it is.
    pub fn add_whole(&mut self, id: u32) {
        let mut merging = Merging::default();
        (merging.length, merging.ids[0]) = (1, id);
        merging.after[0] = Merging::<SHORT>::NOWHERE;
        self.merging.push(merging);
    }

    pub fn merge(&mut self, pairs: &Pairs) {
        let Together { merging, live } = self;
        live.clear();
        live.extend(0..merging.len());
        while !live.is_empty() {
            live.retain(|&one| {
                let merges = merging[one].merge_next(pairs);
                if merges {
                    merging[one].expect(pairs);
                }
                merges
            });
            for &one in live.iter() {
                merging[one].look_up(pairs);
            }
        }
    }

    /// The ids of the pretokens in the order in which they were added.
    pub fn ids(&self, number: usize) -> impl Iterator<Item = u32> + '_ {
        self.merging[number].ids()
    }
}
