//! The GPT-2 pattern with Han taken out of letters, letters_after, numbers (〇 is one) and signs:
//! `'(?:[sdmt]|ll|ve|re)|` *han* `| ?(?:(?!\p{Han})\p{L})+| ?(?:(?!\p{Han})\p{N})+| ?(?:(?!\p{Han})[^\s\p{L}\p{N}])+|\s+(?!\S)|\s+`
//! where *han* is `\p{Han}+` (zh_run; zh cuts the run into words of its lexicon) or `\p{Han}` (zh_char).

use super::block::Block;
use super::gpt2::ends_in_ascii;
use super::scan::{
    ascii_letters_of_eight, blanks_before_last, class_at, contraction, letters, letters_after, run,
};
use super::{Lexicon, Rule};
use crate::unicode::{HAN, LETTER, NUMBER, OTHER, SPACE};

/// What becomes of the Han code points from `at` on, the first of which ends at `after`.
pub trait HanPolicy {
    fn han(&self, text: &[u8], at: usize, after: usize) -> usize;
}

pub struct Chars;
pub struct Runs;

impl HanPolicy for Chars {
    #[inline(always)]
    fn han(&self, _: &[u8], _: usize, after: usize) -> usize {
        after
    }
}

impl HanPolicy for Runs {
    #[inline(always)]
    fn han(&self, text: &[u8], _: usize, after: usize) -> usize {
        run::<HAN, HAN>(text, after)
    }
}

/// Words are Han only, so the longest one at a place never leaves the run, and the run needs no look-out.
impl HanPolicy for &Lexicon {
    #[inline(always)]
    fn han(&self, text: &[u8], at: usize, _: usize) -> usize {
        self.end_of_longest(text, at)
    }
}

pub struct Chinese<P>(pub P);

impl<P: HanPolicy> Rule for Chinese<P> {
    #[inline(always)]
    fn ends(&self, block: &Block, text: &[u8], at: usize) -> u64 {
        ends_in_ascii::<0>(block, text, at)
    }

    #[inline(always)]
    fn next(&self, text: &[u8], at: usize) -> usize {
        let (class, length) = class_at(text, at);
        if class & HAN != 0 {
            return self.0.han(text, at, at + length);
        }
        // As in gpt2.rs.
        let some = ascii_letters_of_eight(text, at + 1);
        if length == 1 && (class & LETTER != 0 || (text[at] == b' ' && some != 0)) {
            return letters_after::<{ LETTER | HAN }, LETTER>(text, at + 1, some);
        }
        if text[at] == b'\'' {
            let end = contraction(text, at);
            if end != 0 {
                return end;
            }
        }
        if class & SPACE == 0 {
            return rest(text, at + length, class);
        }
        if text[at] == b' ' && at + 1 < text.len() {
            let (class, length) = class_at(text, at + 1);
            if class & (SPACE | HAN) == 0 {
                return rest(text, at + 1 + length, class);
            }
        }
        blanks_before_last(text, at)
    }
}

/// The end of the run, up to a Han code point, whose first code point, of this class, ends at `at`.
#[inline(always)]
fn rest(text: &[u8], at: usize, class: u8) -> usize {
    if class & LETTER != 0 {
        letters::<{ LETTER | HAN }, LETTER>(text, at)
    } else if class & NUMBER != 0 {
        run::<{ NUMBER | HAN }, NUMBER>(text, at)
    } else {
        run::<{ OTHER | HAN }, OTHER>(text, at)
    }
}
