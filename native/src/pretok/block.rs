//! Sixty-four bytes of ASCII at a time: bits for the classes of the bytes, from which a pattern's ends follow by a
//! few operations on whole words instead of a branch per pretoken.
//!
//! Blocks start where a pretoken does, so that nothing is carried from one to the next; what a block cannot know
//! (the pretoken that reaches its end) is looked at again by the next one.

use super::scan::{count_step, outside, HIGH, ONES};

/// Bit i is about byte i of 64 ASCII bytes.
pub struct Block {
    pub letters: u64,
    pub digits: u64,
    /// `\s`
    pub blanks: u64,
    /// U+0020
    pub spaces: u64,
    pub apostrophes: u64,
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
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8]));
        }
        if words.iter().fold(0, |all, word| all | word) & HIGH != 0 {
            let last = bytes.iter().rposition(|&byte| byte >= 0x80);
            return Window::NotBefore(at + last.unwrap_or(0) + 1);
        }
        let mut block = Block {
            letters: 0,
            digits: 0,
            blanks: 0,
            spaces: 0,
            apostrophes: 0,
        };
        for word in words.into_iter().rev() {
            let spaces = outside(word, b' ', b' ');
            let push = |bits: &mut u64, outside: u64| *bits = *bits << 8 | inside_bits(outside);
            push(
                &mut block.letters,
                outside(word | (ONES * 0x20), b'a', b'z'),
            );
            push(&mut block.digits, outside(word, b'0', b'9'));
            push(&mut block.blanks, outside(word, b'\t', b'\r') & spaces);
            push(&mut block.spaces, spaces);
            push(&mut block.apostrophes, outside(word, b'\'', b'\''));
        }
        Window::Ascii(block)
    }
}

/// The top bits that are *not* set, one bit per byte.
#[inline(always)]
fn inside_bits(outside: u64) -> u64 {
    // The multiplication brings bit 8 i to bit 56 + i, and nothing else there.
    ((!outside & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
