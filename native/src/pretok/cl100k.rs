//! `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|` *blanks*
//!
//! where *blanks* is `\s++\Z|\s*[\r\n]|\s+(?!\S)|\s` (cl100k) or, as published before and since,
//! `\s*[\r\n]+|\s+(?!\S)|\s+` (llama3, and qwen2 with every digit alone). They differ where blanks end the text: the
//! first form takes them whole, the second one up to their last newline. (The contractions of llama3 and qwen2 are
//! the same ones spelled out, and possessive or not is the same too, as no run can give back what the next part
//! could start with.)

use super::block::{bit, places, runs_from, runs_to, Block};
use super::scan::{
    ascii_letters_of_eight, blanks, class_at, contraction_any_case, letters, letters_after, number,
    run,
};
use super::Rule;
use crate::unicode::{LETTER, NEWLINE, NUMBER, OTHER, SPACE};

/// At most `DIGITS` code points of `\p{N}` in a pretoken; 0 means any number. `BLANK_END`: the first form of *blanks*.
pub struct Cl100k<const DIGITS: usize, const BLANK_END: bool>;

impl<const DIGITS: usize, const BLANK_END: bool> Rule for Cl100k<DIGITS, BLANK_END> {
    #[inline(always)]
    fn ends(&self, block: &Block, text: &[u8], at: usize) -> u64 {
        let mut ends = ends_in_ascii::<DIGITS>(block);
        for place in places((ends | 1) & block.apostrophes) {
            let end = contraction_any_case(text, at + place);
            if end != 0 {
                ends |= bit(end - at); // the apostrophe leads the letter already
            }
        }
        ends
    }

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
            return number::<DIGITS>(text, after);
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
        if BLANK_END && found.end == text.len() {
            found.end
        } else if found.newline != 0 {
            // `\s*[\r\n]` gives blanks back until it ends with the last newline.
            found.newline
        } else if found.last != at && found.end != text.len() {
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

/// Newlines that the signs before them take along.
#[inline(always)]
pub fn newlines_of_signs(block: &Block) -> u64 {
    runs_from(signs_of(block) << 1 & block.newlines, block.newlines)
}

#[inline(always)]
fn signs_of(block: &Block) -> u64 {
    !(block.letters | block.digits | block.blanks)
}

/// What [`Rule::ends`] is for this pattern and o200k's but for contractions and capitals (and for what o200k takes
/// along after the newlines). Bit i is set where a pretoken ends between the bytes i - 1 and i.
#[inline(always)]
pub fn ends_in_ascii<const DIGITS: usize>(block: &Block) -> u64 {
    let (letters, signs) = (block.letters, signs_of(block));
    let Block {
        digits,
        blanks,
        spaces,
        newlines,
        ..
    } = *block;
    let inner = blanks & !newlines;
    let taken = newlines_of_signs(block);

    let after_letters = letters << 1 & !letters;
    let around_digits = digits ^ digits << 1;
    // One blank leads letters, always; one sign does where it starts a pretoken: alone, and without a blank.
    let leading = signs << 1 & !(signs << 2) & !(spaces << 2) | inner << 1;
    let before_letters = letters & !(letters << 1) & !leading;
    let before_signs = signs & !(signs << 1) & !(spaces << 1);
    let before_blanks = blanks & !(blanks << 1) & !taken;
    let after_taken = taken << 1 & inner;
    // `\s*[\r\n]` ends at the last newline of the blanks: where only other blanks follow, up to what is no blank.
    // (Where byte 63 is a blank, that can't be known, and no end is said to be in its run.)
    let indented = newlines << 1 & inner;
    let after_newlines = if indented == 0 {
        0 // in prose always, and what follows is dear
    } else {
        indented & runs_to(inner & !blanks >> 1 & !(1 << 63), inner)
    };
    let last_blank = inner << 1 & inner & !(blanks >> 1 | 1 << 63);

    let ends = after_letters | around_digits | before_letters | before_signs | before_blanks;
    (ends | after_taken | after_newlines | last_blank | block.ends_in_digits::<DIGITS>()) & !1
}
