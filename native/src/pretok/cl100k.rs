//! `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s`

use super::scan::{
    ascii_letters_of_eight, blanks, class_at, contraction_any_case, letters, letters_after, run,
    run_up_to,
};
use super::Rule;
use crate::unicode::{LETTER, NEWLINE, NUMBER, OTHER, SPACE};

pub struct Cl100k;

impl Rule for Cl100k {
    #[inline(always)]
    fn next(&self, text: &[u8], at: usize) -> usize {
        let (class, length) = class_at(text, at);
        let after = at + length;
        // Most pretokens are an ASCII word, with or without a blank or sign.
        let some = ascii_letters_of_eight(text, after);
        let leads = class & (LETTER | NUMBER | NEWLINE) == 0 && text[at] != b'\'';
        if class & LETTER != 0 || (leads && some != 0) {
            return letters_after::<LETTER, LETTER>(text, after, some);
        }
        if class & NUMBER != 0 {
            return run_up_to::<NUMBER, NUMBER>(text, after, 2);
        }
        if text[at] == b'\'' {
            let end = contraction_any_case(text, at);
            if end != 0 {
                return end;
            }
        }
        let (second, second_length) = if after < text.len() {
            class_at(text, after)
        } else {
            (0, 0)
        };
        if second & LETTER != 0 && class & NEWLINE == 0 {
            return letters::<LETTER, LETTER>(text, after + second_length);
        }
        if class & OTHER != 0 {
            return signs(text, after);
        }
        if second & OTHER != 0 && text[at] == b' ' {
            return signs(text, after + second_length);
        }
        let found = blanks(text, at);
        if found.end == text.len() {
            found.end
        } else if found.newline != 0 {
            // `\s*[\r\n]` gives blanks back until it ends with the last newline.
            found.newline
        } else if found.last != at {
            found.last
        } else {
            found.end
        }
    }
}

/// The rest of `[^\s\p{L}\p{N}]++[\r\n]*+`.
#[inline(always)]
fn signs(text: &[u8], at: usize) -> usize {
    let end = run::<OTHER, OTHER>(text, at);
    run::<{ SPACE | NEWLINE }, { SPACE | NEWLINE }>(text, end)
}
