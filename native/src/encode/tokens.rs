//! The tokens' bytes by id, and ids back to bytes.

const COPIED: usize = 16;

/// The tokens' bytes by id.
pub struct Tokens {
    bytes: Vec<u8>,
    /// Token `id` is `bytes[starts[id]..starts[id + 1]]`; an id that is not used has none.
    starts: Vec<u32>,
}

impl Tokens {
    pub fn new<T: AsRef<[u8]>>(tokens: &[(u32, T)]) -> Self {
        let largest = tokens.iter().map(|(id, _)| *id).max().unwrap_or(0) as usize;
        let mut by_id: Vec<&[u8]> = vec![&[]; largest + 1];
        for (id, token) in tokens {
            by_id[*id as usize] = token.as_ref();
        }
        let mut starts = vec![0];
        let mut bytes = Vec::new();
        for token in by_id {
            bytes.extend_from_slice(token);
            starts.push(bytes.len() as u32);
        }
        Tokens { bytes, starts }
    }

    #[inline]
    pub fn get(&self, id: u32) -> &[u8] {
        &self.bytes[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }

    /// One more than the largest id.
    pub fn id_bound(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many bytes the ids have together, or the first of them that is no token. (No token is empty, so that an
    /// unused id is told by its length.)
    pub fn joined_length(&self, ids: &[u32]) -> Result<usize, u32> {
        let mut length = 0;
        for &id in ids {
            match self.starts.get(id as usize..).unwrap_or_default() {
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
            let start = self.starts[id as usize] as usize;
            let length = self.starts[id as usize + 1] as usize - start;
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
