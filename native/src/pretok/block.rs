//! Sixty-four bytes of ASCII at a time: bits for the classes of the bytes, from which a pattern's ends follow by a
//! few operations on whole words instead of a branch per pretoken.
//!
//! Blocks start where a pretoken does, so that nothing is carried from one to the next; what a block cannot know
//! (the pretoken that reaches its end) is looked at again by the next one.

use super::scan::count_step;

/// Bit i is about byte i of 64 ASCII bytes. (What a pattern doesn't ask for isn't computed, as all is inlined.)
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Block {
    pub letters: u64,
    pub capitals: u64,
    pub digits: u64,
    /// `\s`
    pub blanks: u64,
    /// U+0020
    pub spaces: u64,
    pub newlines: u64,
    pub apostrophes: u64,
    pub slashes: u64,
}

impl Block {
    /// Small letters.
    #[inline(always)]
    pub fn small(&self) -> u64 {
        self.letters & !self.capitals
    }

    /// The places where pretokens of at most DIGITS digits (0: of any number) end inside each run of digits.
    #[inline(always)]
    pub fn ends_in_digits<const DIGITS: usize>(&self) -> u64 {
        match DIGITS {
            0 => 0,
            1 => self.digits << 1 & self.digits,
            3 => self.groups_of_three(),
            _ => unreachable!(),
        }
    }

    /// The places where groups of three digits, from the left of each run, end inside it.
    #[inline(always)]
    fn groups_of_three(&self) -> u64 {
        let digits = self.digits;
        let fourth = digits & digits << 1 & digits << 2 & digits << 3;
        let mut group = (digits & !(digits << 1)) << 3 & fourth;
        let mut groups = 0;
        while group != 0 {
            groups |= group;
            group = group << 3 & fourth;
        }
        groups
    }
}

/// The places of `bits`, lowest first.
#[inline(always)]
pub fn places(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}

/// The bit of a place, if it has one.
#[inline(always)]
pub fn bit(place: usize) -> u64 {
    1u64.checked_shl(place as u32).unwrap_or(0)
}

/// The runs of `bits` that start at a bit of `seeds`, which are among the lowest bits of the runs.
#[inline(always)]
pub fn runs_from(seeds: u64, bits: u64) -> u64 {
    (bits ^ bits.wrapping_add(seeds)) & bits
}

/// The runs of `bits` that end at a bit of `seeds`, which are among the highest bits of the runs.
#[inline(always)]
pub fn runs_to(seeds: u64, bits: u64) -> u64 {
    runs_from(seeds.reverse_bits(), bits.reverse_bits()).reverse_bits()
}

/// What the 64 bytes from a place are.
pub enum Window {
    Ascii(Block),
    /// All of them lie before this place, or a character that is not ASCII does.
    NotBefore(usize),
}

impl Window {
    #[inline(always)]
    pub fn at(text: &[u8], at: usize) -> Window {
        count_step();
        let Some(bytes) = text.get(at..at + 64) else {
            return Window::NotBefore(text.len());
        };
        let Ok(bytes) = <&[u8; 64]>::try_from(bytes) else {
            unreachable!("the range has 64 bytes");
        };
        #[cfg(target_arch = "x86_64")]
        use by_vectors::{classes, is_ascii};
        #[cfg(not(target_arch = "x86_64"))]
        use by_words::{classes, is_ascii};
        if is_ascii(bytes) {
            return Window::Ascii(classes(bytes));
        }
        let beyond_ascii = by_words::beyond_ascii(bytes);
        Window::NotBefore(at + 64 - beyond_ascii.leading_zeros() as usize)
    }
}

/// With the vectors of 16 bytes that every x86-64 has: four times as fast as word by word. (Vectors of 32 or 64 bytes,
/// which not every processor has, would gain little more: what follows is now the greater part.)
#[cfg(target_arch = "x86_64")]
mod by_vectors {
    use super::Block;
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_movemask_epi8,
        _mm_or_si128, _mm_set1_epi8,
    };

    // Safety, of all blocks here: SSE2 is part of x86-64.

    #[inline(always)]
    fn vectors(bytes: &[u8; 64]) -> [__m128i; 4] {
        let vector = |number: usize| {
            // Safety: 16 bytes from here are within the 64, and need no alignment.
            unsafe { _mm_loadu_si128(bytes[16 * number..16 * number + 16].as_ptr().cast()) }
        };
        [vector(0), vector(1), vector(2), vector(3)]
    }

    #[inline(always)]
    pub fn is_ascii(bytes: &[u8; 64]) -> bool {
        let [one, two, three, four] = vectors(bytes);
        let top_bits = either(either(one, two), either(three, four));
        unsafe { _mm_movemask_epi8(top_bits) == 0 }
    }

    #[inline(always)]
    pub fn classes(bytes: &[u8; 64]) -> Block {
        let vectors = vectors(bytes);
        let bits = |class: fn(__m128i) -> __m128i| {
            let part = |number: usize| {
                let bits = unsafe { _mm_movemask_epi8(class(vectors[number])) };
                (bits as u64 & 0xFFFF) << (16 * number)
            };
            part(0) | part(1) | part(2) | part(3)
        };
        let spaces = bits(|bytes| equal(bytes, b' '));
        Block {
            // Setting 0x20 folds capitals, and makes no letter of any other byte.
            letters: bits(|bytes| within(either(bytes, each(0x20)), b'a', b'z')),
            capitals: bits(|bytes| within(bytes, b'A', b'Z')),
            digits: bits(|bytes| within(bytes, b'0', b'9')),
            blanks: bits(|bytes| within(bytes, b'\t', b'\r')) | spaces,
            spaces,
            newlines: bits(|bytes| either(equal(bytes, b'\n'), equal(bytes, b'\r'))),
            apostrophes: bits(|bytes| equal(bytes, b'\'')),
            slashes: bits(|bytes| equal(bytes, b'/')),
        }
    }

    #[inline(always)]
    fn either(one: __m128i, two: __m128i) -> __m128i {
        unsafe { _mm_or_si128(one, two) }
    }

    #[inline(always)]
    fn each(byte: u8) -> __m128i {
        unsafe { _mm_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn equal(bytes: __m128i, byte: u8) -> __m128i {
        unsafe { _mm_cmpeq_epi8(bytes, each(byte)) }
    }

    /// Adding brings `from` to the least of all numbers, and what is less around to the greatest.
    #[inline(always)]
    fn within(bytes: __m128i, from: u8, to: u8) -> __m128i {
        let end = 0x80_u8.wrapping_add(to - from + 1);
        unsafe {
            let moved = _mm_add_epi8(bytes, each(0x80_u8.wrapping_sub(from)));
            _mm_cmplt_epi8(moved, each(end))
        }
    }
}

/// Word by word, with plain arithmetic.
mod by_words {
    use super::super::scan::HIGH;
    #[cfg(any(test, not(target_arch = "x86_64")))]
    use super::super::scan::{outside, ONES};
    #[cfg(any(test, not(target_arch = "x86_64")))]
    use super::Block;

    #[inline(always)]
    fn words(bytes: &[u8; 64]) -> [u64; 8] {
        std::array::from_fn(|number| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * number..8 * number + 8]);
            u64::from_le_bytes(word)
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub fn is_ascii(bytes: &[u8; 64]) -> bool {
        words(bytes).iter().fold(0, |all, word| all | word) & HIGH == 0
    }

    /// A bit for each byte that is not ASCII; of those before the last such word none is asked for.
    pub fn beyond_ascii(bytes: &[u8; 64]) -> u64 {
        let words = words(bytes);
        match words.iter().rposition(|&word| word & HIGH != 0) {
            None => 0,
            Some(last) => gathered(words[last]) << (8 * last),
        }
    }

    #[cfg(any(test, not(target_arch = "x86_64")))]
    #[inline(always)]
    pub fn classes(bytes: &[u8; 64]) -> Block {
        let mut block = Block::default();
        for word in words(bytes).into_iter().rev() {
            let spaces = outside(word, b' ', b' ');
            let push = |bits: &mut u64, outside: u64| *bits = *bits << 8 | gathered(!outside);
            push(
                &mut block.letters,
                outside(word | (ONES * 0x20), b'a', b'z'),
            );
            push(&mut block.capitals, outside(word, b'A', b'Z'));
            push(&mut block.digits, outside(word, b'0', b'9'));
            push(&mut block.blanks, outside(word, b'\t', b'\r') & spaces);
            push(&mut block.spaces, spaces);
            let returns = outside(word, b'\r', b'\r');
            push(&mut block.newlines, outside(word, b'\n', b'\n') & returns);
            push(&mut block.slashes, outside(word, b'/', b'/'));
            push(&mut block.apostrophes, outside(word, b'\'', b'\''));
        }
        block
    }

    /// The top bits, one bit per byte.
    #[inline(always)]
    fn gathered(word: u64) -> u64 {
        // The multiplication brings bit 8 i to bit 56 + i, and nothing else there.
        ((word & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_say_what_words_say() {
        for byte in 0..0x80 {
            for place in 0..64 {
                let mut bytes = [b'a'; 64];
                bytes[place] = byte;
                assert_eq!(by_vectors::classes(&bytes), by_words::classes(&bytes));
                bytes = [byte; 64];
                bytes[place] = b' ';
                assert_eq!(by_vectors::classes(&bytes), by_words::classes(&bytes));
            }
        }
    }

    #[test]
    fn no_block_before_the_last_byte_beyond_ascii() {
        for place in 0..64 {
            for earlier in 0..=place {
                let mut bytes = [b'a'; 70];
                (bytes[place + 3], bytes[earlier + 3]) = (0x80, 0xFF);
                let found =
                    matches!(Window::at(&bytes, 3), Window::NotBefore(at) if at == place + 4);
                assert!(found, "{place} {earlier}");
            }
        }
    }
}
