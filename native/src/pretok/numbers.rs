//! Groups of three digits from the right: 1234567 is 1, 234, 567.

use crate::unicode::{class, ASCII, NUMBER};

fn is_number(c: char) -> bool {
    class(c) & NUMBER != 0
}

/// Calls `f` with the length of a pretoken, or if it is a number (a blank before it belongs to it) with the places in it
/// where its groups end. In the patterns that are cut so, what ends with a number is one.
#[inline]
pub fn groups_from_the_right(pretoken: &str, f: &mut dyn FnMut(usize)) {
    let bytes = pretoken.as_bytes();
    let last = bytes[bytes.len() - 1];
    if bytes.len() <= 3 || (last < 0x80 && ASCII[last as usize] & NUMBER == 0) {
        return f(pretoken.len());
    }
    if !pretoken.ends_with(is_number) {
        return f(pretoken.len());
    }
    let blanks = usize::from(bytes[0] == b' ');
    let digits = pretoken.chars().count() - blanks;
    let first = blanks + (digits - 1) % 3 + 1;
    for (number, (at, _)) in pretoken.char_indices().enumerate() {
        if number >= first && (number - first).is_multiple_of(3) {
            f(at);
        }
    }
    f(pretoken.len());
}

/// Whether two neighbouring pretokens are groups of one number.
pub fn joined(left: &str, right: &str) -> bool {
    left.ends_with(is_number) && right.starts_with(is_number)
}
