//! Encoders whose merges are the first of another's, such as one training cut to several sizes: their ids come from the
//! other's by taking tokens apart, without merging anything again.
//!
//! Merges are made in the order of their ranks, and one that is made brings up later ones only, where every token is
//! made by one merge of parts that were made before. So what the first `k` merges leave of a pretoken is a step on the way
//! to what all of them do, and is had back by taking apart each token that a later merge made.

use std::sync::Arc;

use crate::encode::Encoder;

/// Under one encoder: the ids of some pretokens, one after the other, and where those of each end.
#[derive(Default)]
pub struct Found {
    pub ids: Vec<u32>,
    pub ends: Vec<usize>,
}

impl Found {
    pub fn of(&self, position: usize) -> &[u32] {
        let start = if position == 0 {
            0
        } else {
            self.ends[position - 1]
        };
        &self.ids[start..self.ends[position]]
    }
}

/// What the tokens of an encoder were merged from.
struct Parts {
    /// By id: the number of the merge that made it; of a byte or of no token, `NEVER`.
    numbers: Vec<u32>,
    merges: Vec<(u32, u32, u32)>,
}

const NEVER: u32 = u32::MAX;

impl Parts {
    /// None where a token may be made in two ways, or before its parts, or isn't its parts joined.
    fn new(encoder: &Encoder) -> Option<Self> {
        let mut numbers = vec![NEVER; encoder.id_bound()];
        let mut there = vec![false; encoder.id_bound()];
        for &id in encoder.byte_ids() {
            there[id as usize] = true;
        }
        for (&(left, right, id), number) in encoder.merges().iter().zip(0..) {
            let has = |part: u32| there.get(part as usize).copied().unwrap_or(false);
            if !has(left) || !has(right) || has(id) {
                return None;
            }
            let parts = [encoder.token(left), encoder.token(right)];
            if parts.concat() != encoder.token(id) {
                return None;
            }
            there[id as usize] = true;
            numbers[id as usize] = number;
        }
        Some(Parts {
            numbers,
            merges: encoder.merges().to_vec(),
        })
    }

    /// Appends an id as it is when only so many merges have been made.
    fn take_apart(&self, id: u32, merges: u32, waiting: &mut Vec<u32>, out: &mut Vec<u32>) {
        waiting.push(id);
        while let Some(id) = waiting.pop() {
            let number = self.numbers[id as usize];
            if number == NEVER || number < merges {
                out.push(id);
            } else {
                let (left, right, _) = self.merges[number as usize];
                waiting.extend([right, left]);
            }
        }
    }
}

/// The encoder whose ids are taken apart, earlier in the order, and what they were merged from.
struct Larger {
    number: usize,
    parts: Arc<Parts>,
}

/// How the ids under several encoders are found, each after those it needs.
pub struct Nests {
    order: Vec<(usize, Option<Larger>)>,
}

impl Nests {
    pub fn new(encoders: &[Arc<Encoder>]) -> Self {
        let mut by_size: Vec<usize> = (0..encoders.len()).collect();
        by_size.sort_by_key(|&number| std::cmp::Reverse(encoders[number].merges().len()));
        let mut order: Vec<(usize, Option<Larger>)> = Vec::new();
        // Of those that are merged: what their tokens were merged from, for those that may be taken apart.
        let mut known: Vec<Option<Option<Arc<Parts>>>> = vec![None; encoders.len()];
        for number in by_size {
            let one = &encoders[number];
            // The last one that has them, since the fewest tokens are to be taken apart there.
            let larger = order.iter().rev().find_map(|(other, of)| {
                if !begins_with(&encoders[*other], one) {
                    return None;
                }
                let parts = match of {
                    Some(larger) => Some(larger.parts.clone()),
                    None => known[*other]
                        .get_or_insert_with(|| Parts::new(&encoders[*other]).map(Arc::new))
                        .clone(),
                };
                parts.map(|parts| Larger {
                    number: *other,
                    parts,
                })
            });
            order.push((number, larger));
        }
        Nests { order }
    }

    /// The ids of some pretokens under all encoders. `merge` appends those under one of them.
    pub fn find(
        &self,
        encoders: &[Arc<Encoder>],
        pretokens: usize,
        mut merge: impl FnMut(&Encoder, &mut Found),
    ) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        all.resize_with(encoders.len(), Found::default);
        let mut waiting = Vec::new();
        for (number, larger) in &self.order {
            let encoder = &encoders[*number];
            let mut found = Found::default();
            found.ends.reserve(pretokens);
            match larger {
                None => merge(encoder, &mut found),
                Some(Larger { number, parts }) => {
                    let merges = encoder.merges().len() as u32;
                    let from = &all[*number];
                    found.ids.reserve(from.ids.len());
                    let mut start = 0;
                    for &end in &from.ends {
                        for &id in &from.ids[start..end] {
                            parts.take_apart(id, merges, &mut waiting, &mut found.ids);
                        }
                        found.ends.push(found.ids.len());
                        start = end;
                    }
                }
            }
            all[*number] = found;
        }
        all
    }

    /// How many encoders merge by themselves.
    #[cfg(test)]
    fn merging(&self) -> usize {
        self.order.iter().filter(|(_, of)| of.is_none()).count()
    }
}

/// Whether the merges of one encoder are the first of another's, and all else that they make of a pretoken is alike.
fn begins_with(other: &Encoder, one: &Encoder) -> bool {
    let merges = one.merges();
    one.only_merges()
        && other.only_merges()
        && one.byte_ids() == other.byte_ids()
        && other.merges().get(..merges.len()) == Some(merges)
        && merges
            .iter()
            .all(|&(_, _, id)| one.token(id) == other.token(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bpe::{Scratch, Together};
    use crate::encode::tests::vocabulary;
    use crate::pretok::{Kind, Splitter};
    use crate::testing::{budget, Random};

    fn cut(tokens: &[(u32, Vec<u8>)], merges: &[(u32, u32, u32)]) -> Arc<Encoder> {
        let splitter = Arc::new(Splitter::new(Kind::Gpt2, None).unwrap());
        let there = |id: u32| id < 256 || merges.iter().any(|merge| merge.2 == id);
        let tokens = tokens.iter().filter(|(id, _)| there(*id)).cloned();
        let tokens: Vec<_> = tokens.collect();
        Arc::new(Encoder::from_merges(splitter, &tokens, merges.to_vec(), false).unwrap())
    }

    /// Those of some pretokens, and of every encoder by itself.
    fn check(encoders: &[Arc<Encoder>], nests: &Nests, random: &mut Random) {
        let pretokens: Vec<Vec<u8>> = (0..60)
            .map(|length| (0..length).map(|_| b"abcd"[random.below(4)]).collect())
            .collect();
        let pretokens = &pretokens[1..];
        let slices: Vec<&[u8]> = pretokens.iter().map(|pretoken| &pretoken[..]).collect();
        let mut together = Together::default();
        let all = nests.find(encoders, pretokens.len(), |encoder, Found { ids, ends }| {
            encoder.encode_pretokens(&slices, &mut together, ids, ends);
        });
        for (encoder, found) in encoders.iter().zip(&all) {
            for (position, pretoken) in pretokens.iter().enumerate() {
                let mut ids = Vec::new();
                encoder.encode_pretoken(pretoken, &mut Scratch::default(), &mut ids);
                assert_eq!(found.of(position), ids);
            }
        }
    }

    #[test]
    fn one_training_cut_to_sizes_is_merged_once() {
        let mut random = Random(51);
        for _ in 0..10 * budget() {
            let (tokens, merges) = vocabulary(&mut random, 120);
            let sizes = [40, merges.len(), 0, merges.len() / 2, 40];
            let mut encoders: Vec<_> = sizes
                .iter()
                .map(|&size| cut(&tokens, &merges[..size.min(merges.len())]))
                .collect();
            let nests = Nests::new(&encoders);
            assert_eq!(nests.merging(), 1);
            check(&encoders, &nests, &mut random);
            // Another training beside it, and one whose order is another.
            let (tokens, merges) = vocabulary(&mut random, 90);
            encoders.push(cut(&tokens, &merges));
            encoders.insert(1, cut(&tokens, &merges[..60.min(merges.len())]));
            let nests = Nests::new(&encoders);
            assert_eq!(nests.merging(), 2);
            check(&encoders, &nests, &mut random);
        }
    }

    #[test]
    fn merges_out_of_order_are_made_by_each() {
        let mut random = Random(52);
        let token = |text: &str| text.as_bytes().to_vec();
        let bytes = (0..=255_u8).map(|byte| (u32::from(byte), vec![byte]));
        let mut tokens: Vec<_> = bytes.collect();
        let (a, b, c) = (97, 98, 99);
        tokens.extend([(300, token("ab")), (301, token("abc")), (302, token("bc"))]);
        // `abc` before the `ab` that it is made of; `abc` in two ways.
        for merges in [
            [(300, c, 301), (a, b, 300), (b, c, 302)],
            [(a, b, 300), (300, c, 301), (a, 302, 301)],
        ] {
            let encoders = [cut(&tokens, &merges), cut(&tokens, &merges[..2])];
            let nests = Nests::new(&encoders);
            assert_eq!(nests.merging(), 2);
            check(&encoders, &nests, &mut random);
        }
    }
}
