//! The ladder: the exact number of tokens that a text has under every vocabulary that a list of merges passes through.
//!
//! Encoding takes the merge of lowest rank first. Where both parts of every merge are bytes or made by merges before
//! it, carrying out merge k never brings a pair of an earlier merge about: a new pair holds the token just made. So
//! the tokens under the first k merges are what is left when these have been carried out one after the other, and the
//! tokens under k + 1 are those less the times that the next token is made. This is the trainer's own work with the
//! choice taken away, and with lists kept for the pairs of the merges only.

use std::fmt;

use crate::train::{key, Follow, Key, Pairs, TrainError, Trainer, Words, MAX_IDS};

/// How a text's tokens come to be, merge by merge. All counts follow: a merge takes as many of its left and of its
/// right token as it makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// How often each byte occurs.
    pub bytes: [u64; 256],
    /// How often each merge makes its token.
    pub made: Vec<u64>,
}

impl Ladder {
    /// The number of tokens before the first merge and after each.
    pub fn tokens(&self) -> Vec<u64> {
        let mut left: u64 = self.bytes.iter().sum();
        let mut tokens = vec![left];
        for made in &self.made {
            left -= made;
            tokens.push(left);
        }
        tokens
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LadderError {
    /// See [`TrainError`].
    Work(TrainError),
    /// The merge (from 0) has a part that no merge before it makes.
    NotNested(usize),
    /// The merge (from 0) has the pair of an earlier one.
    Repeated(usize),
}

impl From<TrainError> for LadderError {
    fn from(error: TrainError) -> Self {
        LadderError::Work(error)
    }
}

impl fmt::Display for LadderError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LadderError::Work(TrainError::TooLarge) => formatter.write_str(
                "too much for a ladder: the distinct pretokens must stay below 4 GiB and their total below 2^64 bytes",
            ),
            LadderError::Work(error) => error.fmt(formatter),
            LadderError::NotNested(merge) => {
                write!(
                    formatter,
                    "merge {} has a part that no merge before it makes",
                    merge + 1
                )
            }
            LadderError::Repeated(merge) => {
                write!(
                    formatter,
                    "merge {} has the pair of an earlier one",
                    merge + 1
                )
            }
        }
    }
}

impl std::error::Error for LadderError {}

/// Follows the pairs that are on the list.
struct Listed(Pairs);

impl Listed {
    fn new(merges: &[(u32, u32)]) -> Result<Self, LadderError> {
        if merges.len() > MAX_IDS - 256 - 2 {
            return Err(TrainError::TooLarge.into());
        }
        let mut pairs = Pairs::new(1);
        for (number, &(left, right)) in merges.iter().enumerate() {
            if left.max(right) as usize >= 256 + number {
                return Err(LadderError::NotNested(number));
            }
            if pairs.get(key(left, right)).is_some() {
                return Err(LadderError::Repeated(number));
            }
            pairs.insert(key(left, right), 1, 0, 0);
        }
        Ok(Listed(pairs))
    }
}

impl Follow for Listed {
    fn threshold(&self) -> u64 {
        1
    }

    #[inline(always)]
    fn wants(&self, pair: Key, count: u64) -> bool {
        count > 0 && self.0.get(pair).is_some()
    }

    #[inline(always)]
    fn add(&mut self, _: Key, _: u64, _: &Words) {}
}

/// Carries out merges, bytes being their own ids and merge k making id 256 + k, on distinct byte strings and their
/// counts, in any order.
///
/// `on_merge` is called with the number of merges done: with 0 when the index stands, then after each merge; `false`
/// stops the work.
pub fn replay<'w>(
    items: impl Iterator<Item = (&'w [u8], u64)> + Clone,
    merges: &[(u32, u32)],
    on_merge: &mut dyn FnMut(usize) -> bool,
) -> Result<Ladder, LadderError> {
    let listed = Listed::new(merges)?;
    let words = Words::new(items.clone())?;
    let mut ladder = Ladder {
        bytes: [0; 256],
        made: Vec::with_capacity(merges.len()),
    };
    let mut total = 0_u64;
    for (word, count) in items {
        let bytes = count.checked_mul(word.len() as u64);
        let sum = bytes.and_then(|bytes| total.checked_add(bytes));
        total = sum.ok_or(TrainError::TooLarge)?;
        for &byte in word {
            ladder.bytes[usize::from(byte)] += count;
        }
    }
    let mut trainer = Trainer::new(words, listed);
    for (done, &(left, right)) in merges.iter().enumerate() {
        if !on_merge(done) {
            return Err(TrainError::Interrupted.into());
        }
        ladder.made.push(trainer.merge(key(left, right)));
    }
    Ok(ladder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpe::{merge, Merge, Pairs as Ranks, Scratch};
    use crate::testing::{budget, Random};
    use crate::train::{learn_merges, TieBreak, TrainOptions};

    type Items = Vec<(Vec<u8>, u64)>;

    fn borrowed(items: &Items) -> impl Iterator<Item = (&[u8], u64)> + Clone {
        items.iter().map(|(word, count)| (word.as_slice(), *count))
    }

    fn climb(items: &Items, merges: &[(u32, u32)]) -> Ladder {
        replay(borrowed(items), merges, &mut |_| true).expect("a nested list")
    }

    /// The counts of all ids when the words are encoded anew under the first `number` merges.
    fn encoded(items: &Items, merges: &[(u32, u32)], number: usize) -> Vec<u64> {
        let ranked = merges[..number].iter().zip(0..);
        let ranked = ranked.map(|(&(left, right), rank)| {
            let id = 256 + rank;
            (left, right, Merge { rank, id })
        });
        let mut ranks = Ranks::new(&ranked.collect::<Vec<_>>());
        let byte_ids = std::array::from_fn(|byte| byte as u32);
        ranks.set_bytes(&byte_ids);
        let mut counts = vec![0; 256 + merges.len()];
        let mut scratch = Scratch::default();
        for (word, count) in items {
            let mut ids = Vec::new();
            merge(&ranks, &byte_ids, word, &mut scratch, &mut ids);
            for id in ids {
                counts[id as usize] += count;
            }
        }
        counts
    }

    /// The counts of all ids as they follow from the ladder.
    fn followed(ladder: &Ladder, merges: &[(u32, u32)], number: usize) -> Vec<u64> {
        let mut counts = ladder.bytes.to_vec();
        counts.resize(256 + merges.len(), 0);
        for (new, (&(left, right), &made)) in merges[..number].iter().zip(&ladder.made).enumerate()
        {
            counts[left as usize] -= made;
            counts[right as usize] -= made;
            counts[256 + new] = made;
        }
        counts
    }

    fn random_items(random: &mut Random, letters: usize) -> Items {
        let number = random.below(12);
        let word = |random: &mut Random| {
            let longest = [4, 12, 70][random.below(3)];
            let length = random.below(longest);
            (0..length)
                .map(|_| b'a' + random.below(letters) as u8)
                .collect()
        };
        let mut items: Items = (0..number)
            .map(|_| (word(random), random.below(4) as u64))
            .collect();
        items.sort();
        items.dedup_by(|one, other| one.0 == other.0);
        items
    }

    fn check(items: &Items, merges: &[(u32, u32)]) {
        let ladder = climb(items, merges);
        let tokens = ladder.tokens();
        assert_eq!(tokens.len(), merges.len() + 1);
        for (number, &total) in tokens.iter().enumerate() {
            let expected = encoded(items, merges, number);
            assert_eq!(
                followed(&ladder, merges, number),
                expected,
                "{items:?} {merges:?}"
            );
            assert_eq!(total, expected.iter().sum::<u64>());
        }
    }

    #[test]
    fn equals_encoding_under_every_prefix_of_learned_merges() {
        let mut random = Random(11);
        for trial in 0..400 * budget() {
            let letters = 1 + trial % 5;
            let text = random_items(&mut random, letters);
            let options = TrainOptions {
                max_merges: 60,
                min_frequency: 1 + random.below(3) as u64,
                tie_break: TieBreak::Bytes,
            };
            let learned = learn_merges(&borrowed(&text).collect::<Vec<_>>(), &options, &mut |_| {
                true
            });
            let merges: Vec<(u32, u32)> = learned
                .expect("small")
                .iter()
                .map(|merge| (merge.left, merge.right))
                .collect();
            check(&text, &merges);
            check(&random_items(&mut random, letters), &merges);
        }
    }

    /// Lists that no training gives: parts that don't occur, a token made in two ways, merges out of reach.
    #[test]
    fn equals_encoding_under_every_nested_list() {
        let mut random = Random(12);
        for trial in 0..600 * budget() {
            let letters = 1 + trial % 4;
            let mut ids: Vec<u32> = (0..letters as u32).map(|n| u32::from(b'a') + n).collect();
            let mut merges = Vec::new();
            for new in 256..256 + random.below(30) as u32 {
                let pick = |random: &mut Random| ids[random.below(ids.len())];
                let pair = (pick(&mut random), pick(&mut random));
                if merges.contains(&pair) {
                    break;
                }
                merges.push(pair);
                ids.push(new);
            }
            check(&random_items(&mut random, letters), &merges);
        }
    }

    #[test]
    fn lists_that_are_not_nested_are_refused() {
        let items = vec![(b"abc".to_vec(), 2)];
        let refused = |merges: &[(u32, u32)]| replay(borrowed(&items), merges, &mut |_| true).err();
        assert_eq!(refused(&[(97, 256)]), Some(LadderError::NotNested(0)));
        assert_eq!(
            refused(&[(97, 98), (257, 99)]),
            Some(LadderError::NotNested(1))
        );
        assert_eq!(
            refused(&[(97, 98), (97, 98)]),
            Some(LadderError::Repeated(1))
        );
        assert_eq!(refused(&[(97, 98), (256, 99)]), None);
    }

    #[test]
    fn doubling_tokens_that_never_occur_are_no_trouble() {
        let mut merges = vec![(97, 97)];
        merges.extend((256..356).map(|id| (id, id)));
        let ladder = climb(&vec![(vec![b'a'; 9], 3)], &merges);
        assert_eq!(ladder.made[..4], [12, 6, 3, 0]);
        assert_eq!(ladder.tokens()[101], 6);
    }

    #[test]
    fn too_much_and_interrupted() {
        let large = vec![(b"a".to_vec(), u64::MAX), (b"b".to_vec(), 1)];
        let result = replay(borrowed(&large), &[], &mut |_| true);
        assert_eq!(result, Err(TrainError::TooLarge.into()));
        let result = replay(borrowed(&large[..1].to_vec()), &[(1, 2)], &mut |_| false);
        assert_eq!(result, Err(TrainError::Interrupted.into()));
    }
}
