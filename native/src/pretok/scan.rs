//! The steps that the splitters share: classes at a place, runs of a class, blanks, contractions.

use crate::unicode::{class_beyond_ascii, ASCII, LETTER, NEWLINE, SPACE};

#[cfg(test)]
thread_local! {
    /// How often a place was looked at, for the tests of linear time.
    pub static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[inline(always)]
fn count_step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

/// The code point that starts at `at`, and its length in bytes. `text` is valid UTF-8.
#[inline(always)]
pub fn code_point_at(text: &[u8], at: usize) -> (u32, usize) {
    count_step();
    let first = text[at];
    let low = |byte: u8| u32::from(byte & 0x3F);
    if first < 0x80 {
        (u32::from(first), 1)
    } else if first < 0xE0 {
        (u32::from(first & 31) << 6 | low(text[at + 1]), 2)
    } else if first < 0xF0 {
        let cp = u32::from(first & 15) << 12 | low(text[at + 1]) << 6 | low(text[at + 2]);
        (cp, 3)
    } else {
        let high = u32::from(first & 7) << 18 | low(text[at + 1]) << 12;
        (high | low(text[at + 2]) << 6 | low(text[at + 3]), 4)
    }
}

/// The class bits of the code point that starts at `at`, and its length in bytes. `text` is valid UTF-8.
#[inline(always)]
pub fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    if text[at] < 0x80 {
        count_step();
        return (ASCII[text[at] as usize], 1);
    }
    let (cp, length) = code_point_at(text, at);
    (class_beyond_ascii(cp), length)
}

/// The end of the run of code points, from `at`, whose class bits under MASK are WANT.
#[inline(always)]
pub fn run<const MASK: u8, const WANT: u8>(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        let (class, length) = class_at(text, at);
        if class & MASK != WANT {
            break;
        }
        at += length;
    }
    at
}

/// Like [`run`], at most `limit` code points.
#[inline(always)]
pub fn run_up_to<const MASK: u8, const WANT: u8>(
    text: &[u8],
    mut at: usize,
    mut limit: usize,
) -> usize {
    while limit > 0 && at < text.len() {
        let (class, length) = class_at(text, at);
        if class & MASK != WANT {
            break;
        }
        at += length;
        limit -= 1;
    }
    at
}

/// The end of a run of `\p{L}`.
#[inline(always)]
pub fn letters(text: &[u8], at: usize) -> usize {
    run::<LETTER, LETTER>(text, at)
}

/// A run of `\s`.
pub struct Blanks {
    pub end: usize,
    /// Where its last code point starts.
    pub last: usize,
    /// The end of its last `[\r\n]`; 0 where it has none.
    pub newline: usize,
}

/// The run of `\s` from `at`, where one stands.
#[inline(always)]
pub fn blanks(text: &[u8], at: usize) -> Blanks {
    let mut found = Blanks {
        end: at,
        last: at,
        newline: 0,
    };
    while found.end < text.len() {
        let (class, length) = class_at(text, found.end);
        if class & SPACE == 0 {
            break;
        }
        found.last = found.end;
        found.end += length;
        if class & NEWLINE != 0 {
            found.newline = found.end;
        }
    }
    found
}

/// `\s+(?!\S)|\s+` from `at`, where a blank stands: all blanks but the last one, unless the text ends there or it
/// is the only one.
#[inline(always)]
pub fn blanks_before_last(text: &[u8], at: usize) -> usize {
    let found = blanks(text, at);
    if found.end == text.len() || found.last == at {
        found.end
    } else {
        found.last
    }
}

/// The end of `'(?:[sdmt]|ll|ve|re)` at `at`, where an apostrophe stands; 0 where there is none.
#[inline(always)]
pub fn contraction(text: &[u8], at: usize) -> usize {
    match text[at + 1..] {
        [b's' | b'd' | b'm' | b't', ..] => at + 2,
        [b'l', b'l', ..] | [b'v', b'e', ..] | [b'r', b'e', ..] => at + 3,
        _ => 0,
    }
}

/// Like [`contraction`] in any case, `(?i:…)`, under which ſ (U+017F) is an s.
#[inline(always)]
pub fn contraction_any_case(text: &[u8], at: usize) -> usize {
    match text[at + 1..] {
        [b's' | b'd' | b'm' | b't' | b'S' | b'D' | b'M' | b'T', ..] => at + 2,
        [b'l' | b'L', b'l' | b'L', ..] => at + 3,
        [b'v' | b'V' | b'r' | b'R', b'e' | b'E', ..] => at + 3,
        [0xC5, 0xBF, ..] => at + 3,
        _ => 0,
    }
}
