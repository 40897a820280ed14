//! The tokens' bytes by id, and ids back to bytes.

use std::collections::HashMap;

const COPIED: usize = 16;

/// Ids that are used by nobody may be so many, and so many for each token: beyond, they get no row of a table. (A file may
/// well say that a token has the id 4,000,000,000.)
const GAPS: (usize, usize) = (1 << 20, 16);

/// The tokens' bytes by id.
pub struct Tokens {
    bytes: Vec<u8>,
    /// The token of row `n` is `bytes[starts[n]..starts[n + 1]]`; an id that is not used has none.
    starts: Vec<u32>,
    /// The rows of ids with wide gaps; else an id is its row.
    rows: Option<HashMap<u32, usize>>,
    id_bound: usize,
}

impl Tokens {
    pub fn new<T: AsRef<[u8]>>(tokens: &[(u32, T)]) -> Self {
        let id_bound = tokens.iter().map(|(id, _)| *id as usize + 1).max();
        let id_bound = id_bound.unwrap_or(1);
        let wide = id_bound > GAPS.0 + GAPS.1 * tokens.len();
        let rows: Option<HashMap<u32, usize>> =
            wide.then(|| tokens.iter().map(|(id, _)| *id).zip(0..).collect());
        let mut by_row: Vec<&[u8]> = vec![&[]; if wide { tokens.len() } else { id_bound }];
        for (number, (id, token)) in tokens.iter().enumerate() {
            by_row[if wide { number } else { *id as usize }] = token.as_ref();
        }
        let mut starts = vec![0];
        let mut bytes = Vec::new();
        for token in by_row {
            bytes.extend_from_slice(token);
            starts.push(bytes.len() as u32);
        }
        Tokens {
            bytes,
            starts,
            rows,
            id_bound,
        }
    }

    /// Where the bytes of an id are. Panics for one that is too large to be used.
    #[inline(always)]
    fn range(&self, id: u32) -> (usize, usize) {
        let row = match &self.rows {
            None => id as usize,
            Some(rows) => rows[&id],
        };
        (self.starts[row] as usize, self.starts[row + 1] as usize)
    }

    #[inline]
    pub fn get(&self, id: u32) -> &[u8] {
        let (start, end) = self.range(id);
        &self.bytes[start..end]
    }

    /// One more than the largest id.
    pub fn id_bound(&self) -> usize {
        self.id_bound
    }

    /// How many bytes the ids have together, or the first of them that is no token. (No token is empty, so that an
    /// unused id is told by its length.)
    pub fn joined_length(&self, ids: &[u32]) -> Result<usize, u32> {
        let mut length = 0;
        for &id in ids {
            let row = match &self.rows {
                None => id as usize,
                Some(rows) => *rows.get(&id).ok_or(id)?,
            };
            match self.starts.get(row..).unwrap_or_default() {
                &[start, end, ..] if start < end => length += (end - start) as usize,
                _ => return Err(id),
            }
        }
        Ok(length)
    }

    /// Writes the bytes of the ids, as many as [`Tokens::joined_length`] says.
    pub fn join(&self, ids: &[u32], joined: &mut [u8]) {
        let mut at = 0;
        for &id in ids {
            let (start, end) = self.range(id);
            let length = end - start;
            // Most tokens are short; a copy of a fixed length, of which the next one overwrites the rest, is no call.
            match (
                joined.get_mut(at..at + COPIED),
                self.bytes.get(start..start + COPIED),
            ) {
                (Some(to), Some(from)) if length <= COPIED => to.copy_from_slice(from),
                _ => joined[at..at + length].copy_from_slice(&self.bytes[start..start + length]),
            }
            at += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_without_a_token_are_named() {
        let tokens = Tokens::new(&[(1, b"a".to_vec()), (4, b"bcd".to_vec())]);
        assert_eq!(tokens.id_bound(), 5);
        assert_eq!(tokens.joined_length(&[]), Ok(0));
        for unknown in [0, 2, 3, 5, 6, u32::MAX] {
            assert_eq!(tokens.joined_length(&[1, unknown, 77]), Err(unknown));
        }
    }

    #[test]
    fn ids_with_wide_gaps_take_no_more_room() {
        let some = [
            (7, b"a".to_vec()),
            (u32::MAX, b"bcd".to_vec()),
            (1 << 31, b"e".to_vec()),
        ];
        let tokens = Tokens::new(&some);
        assert!(tokens.starts.len() == 4 && tokens.id_bound() == 1 << 32);
        for (id, token) in &some {
            assert_eq!(tokens.get(*id), token);
        }
        for unknown in [0, 8, (1 << 31) + 1, u32::MAX - 1] {
            assert_eq!(tokens.joined_length(&[7, unknown, 77]), Err(unknown));
        }
        let ids = [u32::MAX, 7, 1 << 31, u32::MAX];
        assert_eq!(tokens.joined_length(&ids), Ok(8));
        let mut joined = vec![0; 8];
        tokens.join(&ids, &mut joined);
        assert_eq!(joined, b"bcdaebcd");
    }

    #[test]
    fn tokens_of_every_length_are_joined() {
        let every: Vec<_> = (1..40).map(|n| (n, vec![n as u8; n as usize])).collect();
        let tokens = Tokens::new(&every);
        for ids in [&[][..], &[1], &[39], &[16, 1, 17, 30, 2, 2, 15], &[3; 100]] {
            let expected: Vec<u8> = ids
                .iter()
                .flat_map(|&id| vec![id as u8; id as usize])
                .collect();
            assert_eq!(tokens.joined_length(ids), Ok(expected.len()));
            let mut joined = vec![0; expected.len()];
            tokens.join(ids, &mut joined);
            assert_eq!(joined, expected);
        }
    }
}
