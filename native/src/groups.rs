//! Pretokens some at a time, for those who look each of them up in a table.
//!
//! A look-up is a few instructions and, in a table that is larger than the processor's caches, a long wait. In a
//! group all keys are read and hashed first, which asks for their places in memory, and then looked up; neither loop
//! waits for the splitter's branches. (One by one, encoding English took half as long again.)

use crate::pretok::{Splitter, Taker};

/// A group with so many pretokens is full.
const FULL: usize = 128;
/// The pretokens of a group at most: whether it is full is asked after each block of 64 bytes only.
pub const GROUP: usize = FULL + 64;

struct Groups<'f> {
    ends: [usize; GROUP],
    length: usize,
    start: usize,
    f: &'f mut dyn FnMut(usize, &[usize]),
}

impl Groups<'_> {
    #[inline(always)]
    fn hand_over_if(&mut self, full: bool) {
        if full && self.length > 0 {
            let ends = &self.ends[..self.length];
            (self.f)(self.start, ends);
            (self.length, self.start) = (0, ends[ends.len() - 1]);
        }
    }
}

impl Taker for Groups<'_> {
    #[inline(always)]
    fn end(&mut self, end: usize) {
        self.ends[self.length] = end;
        self.length += 1;
        self.hand_over_if(self.length >= FULL);
    }

    #[inline(always)]
    fn ends(&mut self, base: usize, mut bits: u64) {
        for end in &mut self.ends[self.length..] {
            if bits == 0 {
                break;
            }
            *end = base + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            self.length += 1;
        }
        self.hand_over_if(self.length >= FULL);
    }
}

/// Calls `f` with the place in the text where a group starts, and the places where its pretokens end; none is empty.
/// (Not generic: most of a splitter is inlined, and compiled anew for each way to call it.)
pub fn for_each_group(splitter: &Splitter, text: &str, f: &mut dyn FnMut(usize, &[usize])) {
    let mut groups = Groups {
        ends: [0; GROUP],
        length: 0,
        start: 0,
        f,
    };
    splitter.each_end(text, &mut groups);
    groups.hand_over_if(true);
}
