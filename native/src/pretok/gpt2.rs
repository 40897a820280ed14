//! `'(?:[sdmt]|ll|ve|re)| ?\p{L}+|` *number* `| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, where *number* is ` ?\p{N}` with a
//! policy for how many: `+` (gpt2), `{1,3}` (digits3) or one (digit1).

use super::block::{bit, places, Block};
use super::scan::{
    ascii_letters_of_eight, blanks_before_last, class_at, contraction, letters, letters_after,
    number, run,
};
use super::Rule;
use crate::unicode::{ASCII, LETTER, NUMBER, OTHER, SPACE};

/// At most `DIGITS` code points of `\p{N}` in a pretoken; 0 means any number.
pub struct Gpt2<const DIGITS: usize>;

impl<const DIGITS: usize> Rule for Gpt2<DIGITS> {
    #[inline(always)]
    fn ends(&self, block: &Block, text: &[u8], at: usize) -> u64 {
        ends_in_ascii::<DIGITS>(block, text, at)
    }

    #[inline(always)]
    fn next(&self, text: &[u8], at: usize) -> usize {
        // Most pretokens are an ASCII word, with or without its blank.
        let some = ascii_letters_of_eight(text, at + 1);
        if ASCII[text[at] as usize] & LETTER != 0 || (text[at] == b' ' && some != 0) {
            return letters_after::<LETTER, LETTER>(text, at + 1, some);
        }
        let (class, length) = class_at(text, at);
        if text[at] == b'\'' {
            let end = contraction(text, at);
            if end != 0 {
                return end;
            }
        }
        if class & SPACE == 0 {
            return rest::<DIGITS>(text, at + length, class);
        }
        if text[at] == b' ' && at + 1 < text.len() {
            let (class, length) = class_at(text, at + 1);
            if class & SPACE == 0 {
                return rest::<DIGITS>(text, at + 1 + length, class);
            }
        }
        blanks_before_last(text, at)
    }
}

/// What [`Rule::ends`] is for all that differs from the GPT-2 pattern by digits or Han only; DIGITS as in [`Gpt2`].
#[inline(always)]
pub fn ends_in_ascii<const DIGITS: usize>(block: &Block, text: &[u8], at: usize) -> u64 {
    let (letters, digits) = (block.letters, block.digits);
    let Block {
        blanks,
        spaces,
        apostrophes,
        ..
    } = *block;
    // Where the class changes; the fourth class is what is in none of three.
    let changes = (letters ^ letters << 1) | (digits ^ digits << 1) | (blanks ^ blanks << 1);
    // A U+0020 joins what follows it, and a run of blanks gives its last one up. (Whether byte 63 is a last one
    // can't be known.)
    let joined = spaces << 1 & !blanks;
    let last_blank = blanks << 1 & blanks & !(blanks >> 1 | 1 << 63);
    let mut ends = (changes & !joined | last_blank) & !1;
    ends |= block.ends_in_digits::<DIGITS>();
    for place in places((ends | 1) & apostrophes) {
        let end = contraction(text, at + place);
        if end != 0 {
            ends = ends & !bit(place + 1) | bit(end - at);
        }
    }
    ends
}

/// The end of the run whose first code point, of this class, ends at `at`.
#[inline(always)]
fn rest<const DIGITS: usize>(text: &[u8], at: usize, class: u8) -> usize {
    if class & LETTER != 0 {
        letters::<LETTER, LETTER>(text, at)
    } else if class & NUMBER == 0 {
        run::<OTHER, OTHER>(text, at)
    } else {
        number::<DIGITS>(text, at)
    }
}
