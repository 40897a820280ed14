//! What a slot knows of its key: the whole of a short one, in two words that are compared and hashed without a loop.

/// The longest key that a slot holds itself: 16 bytes less one for the length.
const INLINE: usize = 15;
/// The top byte of the second word of a long key's slot; short keys have their length there.
const LONG: u64 = 0xFF << 56;

/// By the length of a key: the bits of its first eight bytes, of the rest, and what a slot has of the length. A long
/// key has none of its bytes.
const MASKS: [(u64, u64, u64); INLINE + 2] = {
    let mut masks = [(0, 0, 0); INLINE + 2];
    let mut length = 1;
    while length <= INLINE {
        let (low, high, _) = masks[length - 1];
        masks[length] = if length <= 8 {
            (low << 8 | 0xFF, 0, (length as u64) << 56)
        } else {
            (low, high << 8 | 0xFF, (length as u64) << 56)
        };
        length += 1;
    }
    masks[INLINE + 1].2 = LONG;
    masks
};

/// What a slot knows of its key: the bytes and length of a short one, the hash and length of a long one.
/// Two short keys are equal exactly when these are; long keys are then compared byte by byte.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Packed(u64, u64);

impl Packed {
    #[inline(always)]
    pub(crate) fn new(key: &[u8]) -> Self {
        let length = key.len();
        if length > INLINE {
            return Packed(hash_long(key), LONG | length as u64);
        }
        let (low, high) = if length >= 8 {
            // The last eight bytes overlap the first ones; what overlaps is shifted out. In two steps,
            // since at length 8 all 64 bits go.
            let last = read8(key, length - 8);
            (read8(key, 0), (last >> 1) >> (127 - 8 * length))
        } else if length >= 4 {
            // Overlapping bytes are the same bytes at the same place, so that OR does no harm.
            let last = u64::from(read4(key, length - 4));
            (u64::from(read4(key, 0)) | last << (8 * (length - 4)), 0)
        } else if length > 0 {
            let middle = length / 2;
            let first = u64::from(key[0]);
            let second = u64::from(key[middle]) << (8 * middle);
            let third = u64::from(key[length - 1]) << (8 * (length - 1));
            (first | second | third, 0)
        } else {
            (0, 0)
        };
        Packed(low, high | (length as u64) << 56)
    }

    /// The same for a key that stands in a text.
    #[inline(always)]
    pub(crate) fn within(text: &[u8], start: usize, end: usize) -> Self {
        match Packed::short_within(text, start, end - start) {
            Some(packed) if !packed.is_long() => packed,
            _ => Packed::new(&text[start..end]),
        }
    }

    /// A key with at least 16 bytes of text from its start, of which a long one has the mark alone. They are all read
    /// and those past the key masked away, which takes no branches on the length: they are mispredicted at every other
    /// pretoken.
    #[inline(always)]
    pub(crate) fn short_within(text: &[u8], start: usize, length: usize) -> Option<Self> {
        let bytes = text.get(start..)?.first_chunk::<16>()?;
        let (low, high, tag) = MASKS[length.min(INLINE + 1)];
        Some(Packed(read8(bytes, 0) & low, read8(bytes, 8) & high | tag))
    }

    #[inline(always)]
    pub(crate) fn hash(self) -> u64 {
        fold(
            self.0 ^ 0x9E37_79B9_7F4A_7C15,
            self.1 ^ 0xD1B5_4A32_D192_ED03,
        )
    }

    #[inline(always)]
    pub(crate) fn is_long(self) -> bool {
        self.1 >= LONG
    }

    /// The bytes of a short key, zeros, and in the last place its length.
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.1.to_le_bytes());
        bytes
    }

    #[inline(always)]
    pub(crate) fn from_bytes(bytes: &[u8; 16]) -> Self {
        Packed(read8(bytes, 0), read8(bytes, 8))
    }

    #[inline(always)]
    pub(crate) fn words(self) -> (u64, u64) {
        (self.0, self.1)
    }

    pub(crate) const fn of_words((first, second): (u64, u64)) -> Self {
        Packed(first, second)
    }

    pub(crate) fn short_length(self) -> usize {
        debug_assert!(!self.is_long());
        (self.1 >> 56) as usize
    }
}

#[inline(always)]
fn read8(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[inline(always)]
fn read4(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

/// Both halves of the 128-bit product: every bit of either factor reaches every bit of the result's middle.
#[inline(always)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ (product >> 64) as u64
}

fn hash_long(key: &[u8]) -> u64 {
    let mut state = key.len() as u64;
    let mut at = 0;
    while at + 16 < key.len() {
        state = fold(
            read8(key, at) ^ 0xA076_1D64_78BD_642F ^ state,
            read8(key, at + 8) ^ 0xE703_7ED1_A0B4_28DB,
        )
        // A factor of zero would forget all that came before it.
        .wrapping_add(state.rotate_left(29));
        at += 16;
    }
    // The last 16 bytes, whatever of them the loop has read; a long key has at least 16.
    let end = key.len() - 16;
    fold(
        read8(key, end) ^ 0x8EBC_6AF0_9C88_C6E3 ^ state,
        read8(key, end + 8) ^ 0x5899_65CC_7537_4CC3,
    )
    .wrapping_add(state.rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_text_is_the_key_alone() {
        let text: Vec<u8> = (1..=60).collect();
        for start in 0..text.len() {
            for end in start..text.len() {
                assert!(Packed::within(&text, start, end) == Packed::new(&text[start..end]));
            }
        }
    }
}
