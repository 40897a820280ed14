//! Pretokens some at a time, for those who look each of them up in a table.
//!
//! A look-up is a few instructions and, in a table that is larger than the processor's caches, a long wait. In a
//! group all keys are read and hashed first, which asks for their places in memory, and then looked up; neither loop
//! waits for the splitter's branches. (One by one, encoding English took half as long again.)

use crate::pretok::Splitter;

/// The pretokens of a group at most.
pub const GROUP: usize = 128;

/// Calls `f` with the place in the text where a group starts, and the places where its pretokens end. (Not generic:
/// most of a splitter is inlined, and compiled anew for each way to call it.)
pub fn for_each_group(splitter: &Splitter, text: &str, f: &mut dyn FnMut(usize, &[usize])) {
    let mut ends = [0; GROUP];
    let (mut length, mut start, mut end) = (0, 0, 0);
    splitter.for_each(text, |pretoken| {
        end += pretoken.len();
        ends[length] = end;
        length += 1;
        if length == GROUP {
            f(start, &ends);
            (length, start) = (0, end);
        }
    });
    if length > 0 {
        f(start, &ends[..length]);
    }
}
