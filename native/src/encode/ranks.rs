//! tiktoken's rule: two neighbours merge when their joined bytes are a token, whose id is the rank.

use crate::bpe::{Merge, Pairs};
use crate::table::Interner;

/// What merging by rank comes to: the pairs to look for, and the pair that builds each token, in order of rank
/// (a token that merging can't build has none).
///
/// Where every token is built from its own bytes by merges of lower rank, the last of these is the only
/// pair that can ever stand side by side with those bytes, so that one pair a token is enough. (Suppose
/// another pair did. No merge has crossed the ends of the two, so inside them the merges so far were those
/// of the token's bytes alone, and these would have built it already.) Otherwise every way to cut each
/// token into two tokens is a pair.
pub fn pairs_by_rank(tokens: &[(u32, Vec<u8>)]) -> (Pairs, Vec<(u32, u32, u32)>) {
    let mut table = Interner::with_capacity(tokens.len());
    let mut ids = Vec::with_capacity(tokens.len());
    for (id, token) in tokens {
        table.intern(token);
        ids.push(*id);
    }
    let rank = |bytes: &[u8]| table.get(bytes).map(|index| ids[index as usize]);
    let mut merges = Vec::with_capacity(tokens.len());
    let mut complete = true;
    for (id, token) in tokens {
        if token.len() > 1 {
            match last_merge(token, *id, &rank) {
                Some((left, right)) => merges.push((left, right, *id)),
                None => complete = false,
            }
        }
    }
    merges.sort_unstable_by_key(|merge| merge.2);
    let ranked = |&(left, right, id): &(u32, u32, u32)| (left, right, Merge { rank: id, id });
    let pairs = if complete {
        Pairs::new(&merges.iter().map(ranked).collect::<Vec<_>>())
    } else {
        let mut all = Vec::new();
        for (id, token) in tokens {
            for middle in 1..token.len() {
                let (left, right) = token.split_at(middle);
                if let (Some(left), Some(right)) = (rank(left), rank(right)) {
                    all.push((left, right, *id));
                }
            }
        }
        Pairs::new(&all.iter().map(ranked).collect::<Vec<_>>())
    };
    (pairs, merges)
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
