//! With U = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, W = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`, C = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`:
//! `[^\r\n\p{L}\p{N}]?U*W+C|[^\r\n\p{L}\p{N}]?U+W*C|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//!
//! The first two alternatives, without backtracking. Let the run of U end at e, from the place where it starts.
//! - A W stands at e: the first alternative takes the run and all W from e on.
//! - Else U* gives back code points until W+ can start, at the last code point of the run that is in both classes:
//!   the match ends right after it. (What follows it in the run is scanned a second time, as the start of the next
//!   pretoken, and has no such code point any more: the work stays linear.)
//! - Else, if the run isn't empty, the second alternative takes it whole.
//!
//! A mark may be the one leading sign, and is in both classes too. Taking it as the leading sign or as the start
//! of the run gives the same end: with a W at e or another code point of both classes in the run trivially so,
//! and else the first alternative fails after the sign, and then matches the mark alone.

use super::block::{bit, places, Block};
use super::cl100k::{ends_in_ascii, newlines_of_signs};
use super::scan::{ascii_cases_of_eight, blanks, class_at, contraction_any_case, number, run};
use super::Rule;
use crate::unicode::{LOWER, NEWLINE, NUMBER, OTHER, UPPER};

/// At most `DIGITS` code points of `\p{N}` in a pretoken; 0 means any number.
pub struct O200k<const DIGITS: usize>;

impl<const DIGITS: usize> Rule for O200k<DIGITS> {
    #[inline(always)]
    fn ends(&self, block: &Block, text: &[u8], at: usize) -> u64 {
        let mut ends = ends_in_ascii::<DIGITS>(block) | block.small() << 1 & block.capitals;
        let mut before = 0;
        for place in places(block.letters << 1 & block.apostrophes) {
            // Right after a contraction there is no word for another one.
            let end = contraction_any_case(text, at + place);
            if end != 0 && at + place != before {
                let (below, after) = (bit(place) - 1, bit(end - at));
                ends = ends & (below | !after.wrapping_sub(1)) | after;
                before = end;
            }
        }
        // A slash after the newlines of signs belongs to them, and what follows it starts anew: left to `next`.
        let slashes = newlines_of_signs(block) << 1 & block.slashes;
        if slashes != 0 {
            ends &= (slashes & slashes.wrapping_neg()) - 1;
        }
        ends
    }

    #[inline(always)]
    fn next(&self, text: &[u8], at: usize) -> usize {
        let (class, length) = class_at(text, at);
        let after = at + length;
        if class & (UPPER | LOWER) != 0 {
            return word(text, at);
        }
        if class & NUMBER != 0 {
            return number::<DIGITS>(text, after);
        }
        let (second, second_length) = if after < text.len() {
            class_at(text, after)
        } else {
            (0, 0)
        };
        if second & (UPPER | LOWER) != 0 && class & NEWLINE == 0 {
            return word(text, after);
        }
        if class & OTHER != 0 {
            return signs(text, after);
        }
        if second & OTHER != 0 && text[at] == b' ' {
            return signs(text, after + second_length);
        }
        let found = blanks(text, at);
        if found.newline != 0 {
            found.newline
        } else if found.last != at && found.end != text.len() {
            found.last
        } else {
            found.end
        }
    }
}

/// `U*W+C|U+W*C` at `at`, where a U or a W stands.
#[inline(always)]
fn word(text: &[u8], at: usize) -> usize {
    // Most words are ASCII: capitals, then small letters. (Neither class has another ASCII character, and none is
    // in both.)
    let (capitals, letters) = ascii_cases_of_eight(text, at);
    let mut end = at + letters;
    if letters == 0 || letters == 8 || (end < text.len() && text[end] >= 0x80) {
        end = if letters == 8 && capitals < 8 {
            small(text, end)
        } else {
            any_word(text, at)
        };
    }
    if end < text.len() && text[end] == b'\'' {
        end = end.max(contraction_any_case(text, end));
    }
    end
}

/// The end of a run of W.
#[inline(always)]
fn small(text: &[u8], mut at: usize) -> usize {
    loop {
        let (capitals, letters) = ascii_cases_of_eight(text, at);
        if capitals != 0 {
            return at;
        }
        at += letters;
        if letters < 8 {
            return run::<LOWER, LOWER>(text, at);
        }
    }
}

/// `U*W+|U+W*` at `at`, where a U or a W stands.
#[inline(always)]
fn any_word(text: &[u8], at: usize) -> usize {
    let mut end = at;
    let mut both = 0; // the end of the last code point of both classes
    while end < text.len() {
        let (class, length) = class_at(text, end);
        if class & UPPER == 0 {
            if class & LOWER != 0 {
                return small(text, end);
            }
            break;
        }
        end += length;
        if class & LOWER != 0 {
            both = end;
        }
    }
    if both != 0 {
        both
    } else {
        end
    }
}

/// The rest of `[^\s\p{L}\p{N}]+[\r\n/]*`.
#[inline(always)]
fn signs(text: &[u8], at: usize) -> usize {
    let mut end = run::<OTHER, OTHER>(text, at);
    while end < text.len() && matches!(text[end], b'\r' | b'\n' | b'/') {
        end += 1;
    }
    end
}
