//! `'(?:[sdmt]|ll|ve|re)| ?\p{L}+|` *number* `| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, where *number* is ` ?\p{N}` with a
//! policy for how many: `+` (gpt2), `{1,3}` (digits3) or one (digit1).

use super::scan::{
    ascii_letters_of_eight, blanks_before_last, class_at, contraction, letters, letters_after, run,
    run_up_to,
};
use super::Rule;
use crate::unicode::{ASCII, LETTER, NUMBER, OTHER, SPACE};

/// At most `DIGITS` code points of `\p{N}` in a pretoken; 0 means any number.
pub struct Gpt2<const DIGITS: usize>;

impl<const DIGITS: usize> Rule for Gpt2<DIGITS> {
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

/// The end of the run whose first code point, of this class, ends at `at`.
#[inline(always)]
fn rest<const DIGITS: usize>(text: &[u8], at: usize, class: u8) -> usize {
    if class & LETTER != 0 {
        letters::<LETTER, LETTER>(text, at)
    } else if class & NUMBER == 0 {
        run::<OTHER, OTHER>(text, at)
    } else if DIGITS == 0 {
        run::<NUMBER, NUMBER>(text, at)
    } else {
        run_up_to::<NUMBER, NUMBER>(text, at, DIGITS - 1)
    }
}
