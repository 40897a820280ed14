//! Groups of three digits from the right: 1234567 is 1, 234, 567.

use crate::unicode::{class, ASCII, NUMBER};

fn is_number(c: char) -> bool {
    class(c) & NUMBER != 0
}

/// Calls `f` with a pretoken, or if it is a number (a blank before it belongs to it) with its groups. In the patterns
/// that are cut so, what ends with a number is one.
#[inline]
pub fn groups_from_the_right<'t>(pretoken: &'t str, f: &mut dyn FnMut(&'t str)) {
    let bytes = pretoken.as_bytes();
    let last = bytes[bytes.len() - 1];
    if bytes.len() <= 3 || (last < 0x80 && ASCII[last as usize] & NUMBER == 0) {
        return f(pretoken);
    }
    if !pretoken.ends_with(is_number) {
        return f(pretoken);
    }
    let blanks = usize::from(bytes[0] == b' ');
    let digits = pretoken.chars().count() - blanks;
    let mut take = blanks + (digits - 1) % 3 + 1;
    let mut rest = pretoken;
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .nth(take)
            .map_or(rest.len(), |(at, _)| at);
        f(&rest[..end]);
        rest = &rest[end..];
        take = 3;
    }
}

/// Whether two neighbouring pretokens are groups of one number.
pub fn joined(left: &str, right: &str) -> bool {
    left.ends_with(is_number) && right.starts_with(is_number)
}
