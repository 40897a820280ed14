//! The steps that the splitters share: classes at a place, runs of a class, blanks, contractions.

use crate::unicode::{
    class_beyond_ascii, ASCII, HAN, LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER,
};

#[cfg(test)]
thread_local! {
    /// How often a place was looked at, for the tests of linear time.
    pub static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[inline(always)]
pub fn count_step() {
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
    let first = text[at];
    if first < 0x80 {
        count_step();
        (ASCII[first as usize], 1)
    } else if (0xE5..=0xE9).contains(&first) {
        // U+5000 to U+9FFF, most of Chinese, are ideographs without exception.
        count_step();
        (HAN | LETTER | UPPER | LOWER, 3)
    } else {
        let (cp, length) = code_point_at(text, at);
        (class_beyond_ascii(cp), length)
    }
}

/// Eight bytes from `at`, the first one lowest; zeros, which belong to no run, stand for those past the end.
#[inline(always)]
fn eight(text: &[u8], at: usize) -> u64 {
    count_step();
    match text.get(at..at + 8).map(<[u8; 8]>::try_from) {
        Some(Ok(bytes)) => u64::from_le_bytes(bytes),
        _ => last_eight(text, at),
    }
}

#[cold]
#[inline(never)]
fn last_eight(text: &[u8], at: usize) -> u64 {
    let bytes = text.iter().skip(at).rev();
    bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
}

pub const ONES: u64 = u64::MAX / 255;
pub const HIGH: u64 = ONES << 7;

/// The top bit of each byte of `word` that is not within `from..=to`, both ASCII. No carry crosses a byte, as
/// the top bits are masked before the additions.
#[inline(always)]
pub fn outside(word: u64, from: u8, to: u8) -> u64 {
    let low = word & !HIGH;
    let reaches_from = low + ONES * u64::from(0x80 - from);
    let beyond_to = low + ONES * u64::from(0x7F - to);
    (!reaches_from | beyond_to | word) & HIGH
}

/// How many bytes, from the lowest on, are 0; 8 where all are.
#[inline(always)]
fn bytes_before(mask: u64) -> usize {
    (mask.trailing_zeros() / 8) as usize
}

/// How many of the eight bytes from `at` are ASCII letters before another byte or the end.
#[inline(always)]
pub fn ascii_letters_of_eight(text: &[u8], at: usize) -> usize {
    // Setting 0x20 folds capitals, and makes no letter of any other byte.
    bytes_before(outside(eight(text, at) | (ONES * 0x20), b'a', b'z'))
}

/// Of the eight bytes from `at`, the ends of the capitals and of the small letters after them.
#[inline(always)]
pub fn ascii_cases_of_eight(text: &[u8], at: usize) -> (usize, usize) {
    let word = eight(text, at);
    let capitals = bytes_before(outside(word, b'A', b'Z'));
    let rest = u64::MAX.checked_shl(8 * capitals as u32).unwrap_or(0);
    (capitals, bytes_before(outside(word, b'a', b'z') & rest))
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

/// The end of a number of at most DIGITS code points (0: of any number) whose first one ends at `at`.
#[inline(always)]
pub fn number<const DIGITS: usize>(text: &[u8], at: usize) -> usize {
    if DIGITS == 0 {
        run::<NUMBER, NUMBER>(text, at)
    } else {
        run_up_to::<NUMBER, NUMBER>(text, at, DIGITS - 1)
    }
}

/// The end of the run of code points, from `at`, whose class bits under MASK are WANT, ASCII letters among them.
#[inline(always)]
pub fn letters<const MASK: u8, const WANT: u8>(text: &[u8], mut at: usize) -> usize {
    loop {
        let some = ascii_letters_of_eight(text, at);
        at += some;
        if some == 8 {
            continue;
        }
        loop {
            if at >= text.len() {
                return at;
            }
            let (class, length) = class_at(text, at);
            if class & MASK != WANT {
                return at;
            }
            at += length;
            if length == 1 {
                break;
            }
        }
    }
}

/// [`letters`] where `some` of the eight bytes from `at` are known to be ASCII letters.
#[inline(always)]
pub fn letters_after<const MASK: u8, const WANT: u8>(text: &[u8], at: usize, some: usize) -> usize {
    let end = at + some;
    if some < 8 && (end == text.len() || text[end] < 0x80) {
        end
    } else {
        letters::<MASK, WANT>(text, end)
    }
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
        // Indentation, eight at a time.
        let some = bytes_before(eight(text, found.end) ^ (ONES * 0x20));
        if some != 0 {
            found.end += some;
            found.last = found.end - 1;
            continue;
        }
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
