//! Cutting texts into blocks for the threads, at places where no pretoken and no special token is cut.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use aho_corasick::{AhoCorasick, Input};

use crate::pretok::Splitter;

/// A splitter decides about a cut by the code points beside it, which lie within so many bytes. A special
/// token is a boundary to it, so that none may be so near.
pub const REACH: usize = 16;

/// A text that can be cut, in units of its own: the bytes of a `str`.
pub trait Source: Copy {
    fn length(self) -> usize;

    fn piece(self, units: Range<usize>) -> Self;

    /// See [`cut`].
    fn cut(self, at: usize, splitter: &Splitter, specials: Option<&AhoCorasick>) -> usize;
}

impl Source for &str {
    fn length(self) -> usize {
        self.len()
    }

    fn piece(self, units: Range<usize>) -> Self {
        &self[units]
    }

    fn cut(self, at: usize, splitter: &Splitter, specials: Option<&AhoCorasick>) -> usize {
        cut(self, at, splitter, specials)
    }
}

/// The work that one thread takes at once: a piece of a long text, or a number of whole ones.
pub struct Block<S> {
    /// Empty where it is whole ones.
    pub piece: S,
    pub whole: Range<usize>,
    /// The text that the piece is of, or the first whole one.
    pub first_text: usize,
    /// The blocks before this one.
    pub number: usize,
}

/// Hands out the blocks of some texts, in order, to any number of threads.
///
/// Where the next block begins is known when the cut before it has been found, and cuts are found one after
/// the other: were each thread to look from a place of its own, a text without any cut would be read to its
/// end once per block.
pub struct Blocks<'t, S> {
    texts: &'t [S],
    splitter: &'t Splitter,
    specials: Option<&'t AhoCorasick>,
    size: usize,
    also: fn(S, usize) -> bool,
    /// The text to go on with, the place in it, and the blocks taken.
    next: Mutex<(usize, usize, usize)>,
}

impl<'t, S: Source> Blocks<'t, S> {
    pub fn new(
        texts: &'t [S],
        splitter: &'t Splitter,
        specials: Option<&'t AhoCorasick>,
        size: usize,
    ) -> Self {
        Blocks {
            texts,
            splitter,
            specials,
            size,
            also: |_, _| true,
            next: Mutex::new((0, 0, 0)),
        }
    }

    /// Cuts texts only where this allows it too.
    pub fn where_also(mut self, also: fn(S, usize) -> bool) -> Self {
        self.also = also;
        self
    }

    pub fn take(&self) -> Option<Block<S>> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, start, number) = *next;
        let text = *self.texts.get(first)?;
        let length = text.length();
        if start > 0 || self.is_long(length) {
            let mut end = length;
            if self.is_long(length - start) {
                end = text.cut(start + self.size, self.splitter, self.specials);
                while end < length && !(self.also)(text, end) {
                    end = text.cut(end + 1, self.splitter, self.specials);
                }
            }
            *next = if end < length {
                (first, end, number + 1)
            } else {
                (first + 1, 0, number + 1)
            };
            return Some(Block {
                piece: text.piece(start..end),
                whole: 0..0,
                first_text: first,
                number,
            });
        }
        let mut last = first;
        let mut bytes = 0;
        while let Some(next) = self.texts.get(last) {
            if bytes >= self.size || self.is_long(next.length()) {
                break;
            }
            // One more for the text itself, so that a million empty ones are shared out too.
            bytes += next.length() + 1;
            last += 1;
        }
        *next = (last, 0, number + 1);
        Some(Block {
            piece: text.piece(0..0),
            whole: first..last,
            first_text: first,
            number,
        })
    }

    fn is_long(&self, length: usize) -> bool {
        length > 2 * self.size
    }
}

/// The first place found at or after `at` where cutting the text changes neither the special tokens that are
/// located in it nor the pretokens between them; its length if there is none.
///
/// The specials found are the same on both sides if no occurrence of any special spans the cut, wherever it
/// begins and whether or not it is among those located. The start of a special is such a place too, and one
/// that every splitter allows.
pub fn cut(
    text: &str,
    mut at: usize,
    splitter: &Splitter,
    specials: Option<&AhoCorasick>,
) -> usize {
    let Some(specials) = specials else {
        return splitter.safe_cut(text, at);
    };
    let longest = specials.max_pattern_len();
    let mut safe = None;
    while at < text.len() {
        let place = match safe {
            Some(place) if place >= at => place,
            _ => splitter.safe_cut(text, at),
        };
        safe = Some(place);
        match first_at(specials, text, at, place.saturating_add(REACH + 1)) {
            Some((start, _)) => {
                if !any_beyond(specials, text, start.saturating_sub(longest)..start, start) {
                    return start;
                }
                at = start + 1;
            }
            None if place == text.len() => break,
            None => {
                let near = place.saturating_sub(REACH);
                if !any_beyond(specials, text, near.saturating_sub(longest)..place, near) {
                    return place;
                }
                at = place + 1;
            }
        }
    }
    text.len()
}

/// The first special that begins in `from..to`, and the longest one there: its start and end.
fn first_at(specials: &AhoCorasick, text: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    if from >= to {
        return None;
    }
    let end = to
        .saturating_add(specials.max_pattern_len())
        .min(text.len());
    let found = specials.find(Input::new(text).range(from.min(end)..end))?;
    (found.start() < to).then_some((found.start(), found.end()))
}

/// Whether a special begins in the range and ends after `place`.
fn any_beyond(specials: &AhoCorasick, text: &str, starts: Range<usize>, place: usize) -> bool {
    let mut from = starts.start;
    while let Some((start, end)) = first_at(specials, text, from, starts.end) {
        if end > place {
            return true;
        }
        from = start + 1;
    }
    false
}
