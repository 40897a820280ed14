//! tiktoken's rule: two neighbours merge when their joined bytes are a token, whose id is the rank.

use crate::bpe::{self, Merge, Pairs, Scratch};
use crate::table::Interner;

/// (left id, right id, new id) in order of rank.
pub type Merges = Vec<(u32, u32, u32)>;

/// What merging by rank comes to.
pub struct ByRank {
    /// The pairs to look for.
    pub pairs: Pairs,
    /// The pair that builds each token, in order of rank; a token that merging can't build has none.
    pub merges: Merges,
    /// All tokens, and their ids by index.
    pub whole: Interner,
    pub ids: Vec<u32>,
}

pub fn by_rank<T: AsRef<[u8]>>(tokens: &[(u32, T)], byte_ids: &[u32; 256]) -> ByRank {
    let mut whole = Interner::with_capacity(tokens.len());
    let mut ids = Vec::with_capacity(tokens.len());
    for (id, token) in tokens {
        if whole.intern(token.as_ref()).1 {
            ids.push(*id);
        }
    }
    let (pairs, merges) = one_pair_a_token(tokens, byte_ids).unwrap_or_else(|| {
        let (mut pairs, merges) = every_pair(tokens, &whole, &ids);
        pairs.set_bytes(byte_ids);
        (pairs, merges)
    });
    ByRank {
        pairs,
        merges,
        whole,
        ids,
    }
}

/// Where every token is built from its own bytes by merges of lower rank, the last of these is the only
/// pair that can ever stand side by side with those bytes, so that one pair a token is enough. (Suppose
/// another pair did. No merge has crossed the ends of the two, so inside them the merges so far were those
/// of the token's bytes alone, and these would have built it already.) So the pairs of the tokens of lower rank say
/// which one is the next token's. None where some token isn't built so.
fn one_pair_a_token<T: AsRef<[u8]>>(
    tokens: &[(u32, T)],
    byte_ids: &[u32; 256],
) -> Option<(Pairs, Merges)> {
    let mut ordered: Vec<(u32, &[u8])> = tokens.iter().map(|(id, t)| (*id, t.as_ref())).collect();
    ordered.sort_unstable_by_key(|&(id, _)| id);
    let largest = ordered.last().map_or(0, |&(id, _)| id);
    let mut pairs = Pairs::growing(tokens.len(), largest);
    let mut merges = Vec::with_capacity(tokens.len());
    let (mut scratch, mut parts) = (Scratch::default(), Vec::new());
    for (id, token) in ordered {
        if token.len() > 1 {
            parts.clear();
            bpe::merge(&pairs, byte_ids, token, &mut scratch, &mut parts);
            let &[left, right] = &parts[..] else {
                return None;
            };
            pairs.push(left, right, id, token);
            merges.push((left, right, id));
        }
    }
    Some((pairs, merges))
}

/// Every way to cut each token into two tokens.
fn every_pair<T: AsRef<[u8]>>(
    tokens: &[(u32, T)],
    table: &Interner,
    ids: &[u32],
) -> (Pairs, Merges) {
    let rank = |bytes: &[u8]| table.get(bytes).map(|index| ids[index as usize]);
    let (mut merges, mut all) = (Vec::new(), Vec::new());
    for (id, token) in tokens {
        let token = token.as_ref();
        if token.len() > 1 {
            let last = last_merge(token, *id, &rank);
            merges.extend(last.map(|(left, right)| (left, right, *id)));
        }
        for middle in 1..token.len() {
            let (left, right) = token.split_at(middle);
            if let (Some(left), Some(right)) = (rank(left), rank(right)) {
                all.push((left, right, Merge { rank: *id, id: *id }));
            }
        }
    }
    merges.sort_unstable_by_key(|merge| merge.2);
    (Pairs::new(&all), merges)
}

/// The parts that merging by rank leaves of a token when only merges below its own rank are made: two, where the
/// token can be built.
fn last_merge(token: &[u8], id: u32, rank: &impl Fn(&[u8]) -> Option<u32>) -> Option<(u32, u32)> {
    let mut cuts: Vec<usize> = (0..=token.len()).collect();
    let joined =
        |cuts: &[usize], i: usize| rank(&token[cuts[i]..cuts[i + 2]]).filter(|&found| found < id);
    // The rank of each two neighbours joined, kept from merge to merge: only those beside it change.
    let mut ranks: Vec<_> = (0..token.len() - 1).map(|i| joined(&cuts, i)).collect();
    while cuts.len() > 3 {
        let ranked = ranks
            .iter()
            .zip(0..)
            .filter_map(|(found, i)| found.map(|found| (found, i)));
        let (_, at): (u32, usize) = ranked.min()?;
        cuts.remove(at + 1);
        ranks.remove(at);
        for i in at.saturating_sub(1)..(at + 1).min(ranks.len()) {
            ranks[i] = joined(&cuts, i);
        }
    }
    Some((rank(&token[..cuts[1]])?, rank(&token[cuts[1]..])?))
}
