//! Looking at a part of a text: its words, characters and numbers, and where tokens begin in them.

use std::ops::Range;

use super::types::Types;
use super::{Wanted, Words, OF_TEXTS, OF_TOKENIZERS};
use crate::score::marks::{Marks, ROW};
use crate::words;

/// A text with its marks.
pub struct View<'a> {
    pub text: &'a str,
    pub marks: &'a [&'a Marks],
    /// Of the text, among those that the marks are of.
    pub number: usize,
}

impl View<'_> {
    /// The marks of `bytes` bytes from byte `from` on, 64 at most, for each tokenizer.
    #[inline(always)]
    fn read(&self, from: usize, bytes: usize, window: &mut [u64]) {
        let mask = if bytes == 0 {
            0
        } else {
            u64::MAX >> (ROW - bytes)
        };
        let shift = from % ROW;
        let mut window = window;
        for marks in self.marks {
            let at = (marks.starts[self.number] + from / ROW) * marks.width;
            let (here, next) = marks.bits[at..][..2 * marks.width].split_at(marks.width);
            let (to, rest) = window.split_at_mut(marks.width);
            if shift == 0 {
                for (to, here) in to.iter_mut().zip(here) {
                    *to = here & mask;
                }
            } else {
                for ((to, here), next) in to.iter_mut().zip(here).zip(next) {
                    *to = (here >> shift | next << (ROW - shift)) & mask;
                }
            }
            window = rest;
        }
    }
}

/// What has been found, beside the figures of each text.
#[derive(Default)]
pub struct State {
    pub types: Types,
    /// Of the bits that are looked at: a word of 64 for each tokenizer.
    window: Vec<u64>,
}

impl State {
    /// Adds the figures of a part of a text to a row of zeros. `words`: those of this text alone.
    pub fn look(
        &mut self,
        wanted: Wanted,
        view: &View<'_>,
        part: Range<usize>,
        words: &Words<'_>,
        row: &mut [i64],
    ) {
        let width: usize = view.marks.iter().map(|marks| marks.width).sum();
        self.window.resize(width, 0);
        let from = part.start;
        match words {
            Words::Nowhere => {}
            Words::Segmenter => words::words(&view.text[part.clone()], |start, end| {
                self.word(view, from + start..from + end, wanted.types, row);
            }),
            Words::Given(ranges) => {
                for &(start, end) in ranges.iter().copied().flatten() {
                    self.word(view, start..end, wanted.types, row);
                }
            }
        }
        self.types.flush(view.text.as_bytes(), width);
        // A word overlaps one token more than it has cuts.
        let found = row[0];
        for figures in row[OF_TEXTS..].chunks_exact_mut(OF_TOKENIZERS) {
            figures[0] += found;
        }
        if wanted.characters {
            self.characters(view, part.clone(), row);
        }
        if wanted.numbers {
            self.numbers(view, part.clone(), row);
        }
    }

    #[inline(always)]
    fn word(&mut self, view: &View<'_>, range: Range<usize>, types: bool, row: &mut [i64]) {
        let (of_text, of_tokenizers) = row.split_at_mut(OF_TEXTS);
        of_text[0] += 1;
        let inside = range.end - range.start - 1;
        if inside > ROW {
            return self.long_word(view, range, types, of_tokenizers);
        }
        view.read(range.start + 1, inside, &mut self.window);
        let cut = self.window.iter().any(|&cuts| cuts != 0);
        let figures = of_tokenizers.chunks_exact_mut(OF_TOKENIZERS);
        for (&cuts, figures) in self.window.iter().zip(figures).filter(|_| cut) {
            figures[0] += i64::from(cuts.count_ones());
            figures[1] += i64::from(cuts != 0);
        }
        if types {
            self.types.add(view.text.as_bytes(), range, &self.window);
        }
    }

    #[cold]
    fn long_word(
        &mut self,
        view: &View<'_>,
        range: Range<usize>,
        types: bool,
        of_tokenizers: &mut [i64],
    ) {
        let width = self.window.len();
        let mut cuts: Vec<Vec<u64>> = vec![Vec::new(); width];
        let mut at = range.start + 1;
        while at < range.end {
            let bytes = (range.end - at).min(ROW);
            view.read(at, bytes, &mut self.window);
            for (cuts, &bits) in cuts.iter_mut().zip(&self.window) {
                cuts.push(bits);
            }
            at += bytes;
        }
        for (cuts, figures) in cuts
            .iter()
            .zip(of_tokenizers.chunks_exact_mut(OF_TOKENIZERS))
        {
            let inside: u32 = cuts.iter().map(|bits| bits.count_ones()).sum();
            figures[0] += i64::from(inside);
            figures[1] += i64::from(inside > 0);
        }
        if types {
            self.types.add_long(&view.text.as_bytes()[range], cuts);
        }
    }

    /// Characters of several bytes, and those in which a token begins after the first byte.
    fn characters(&mut self, view: &View<'_>, range: Range<usize>, row: &mut [i64]) {
        let (of_text, of_tokenizers) = row.split_at_mut(OF_TEXTS);
        let bytes = &view.text.as_bytes()[..range.end];
        let mut at = range.start;
        while at < range.end {
            let mut end = (at + ROW).min(range.end);
            if bytes[at..end].is_ascii() {
                at = end;
                continue;
            }
            // Whole characters only.
            while !view.text.is_char_boundary(end) {
                end -= 1;
            }
            let mut later = 0_u64; // bytes after the first of their character
            for (place, &byte) in bytes[at..end].iter().enumerate() {
                later |= u64::from(byte & 0xC0 == 0x80) << place;
            }
            let second = later & !(later << 1);
            of_text[1] += i64::from(second.count_ones());
            view.read(at, end - at, &mut self.window);
            for (&cuts, figures) in self
                .window
                .iter()
                .zip(of_tokenizers.chunks_exact_mut(OF_TOKENIZERS))
            {
                let cut = cuts & later;
                if cut != 0 {
                    // At the place of its second byte, whether a character is cut before that, the third or the fourth.
                    let third = cut >> 1;
                    let fourth = cut >> 2 & later >> 1;
                    figures[2] += i64::from((second & (cut | third | fourth)).count_ones());
                }
            }
            at = end;
        }
    }

    /// Cuts inside runs of ASCII digits.
    fn numbers(&mut self, view: &View<'_>, range: Range<usize>, row: &mut [i64]) {
        const AT_ONCE: usize = 32;
        let bytes = &view.text.as_bytes()[..range.end];
        let mut at = range.start;
        while at < range.end {
            let some = &bytes[at..(at + AT_ONCE).min(range.end)];
            let any = some
                .iter()
                .fold(false, |any, byte| any | byte.is_ascii_digit());
            if !any {
                at += some.len();
                continue;
            }
            at += some
                .iter()
                .take_while(|byte| !byte.is_ascii_digit())
                .count();
            let digits = bytes[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if digits > 1 {
                self.number(view, at..at + digits, row);
            }
            at += digits;
        }
    }

    fn number(&mut self, view: &View<'_>, range: Range<usize>, row: &mut [i64]) {
        let (of_text, of_tokenizers) = row.split_at_mut(OF_TEXTS);
        of_text[2] += ((range.end - range.start - 1) / 3) as i64;
        let mut at = range.start + 1;
        while at < range.end {
            let bytes = (range.end - at).min(ROW);
            let groups = EVERY_THIRD << ((range.end - at) % 3);
            view.read(at, bytes, &mut self.window);
            for (&cuts, figures) in self
                .window
                .iter()
                .zip(of_tokenizers.chunks_exact_mut(OF_TOKENIZERS))
            {
                figures[3] += i64::from(cuts.count_ones());
                figures[4] += i64::from((cuts & groups).count_ones());
            }
            at += bytes;
        }
    }

    /// Adds the boundaries in a part of a text that two tokenizers have both, by pair of them.
    pub(super) fn share(&mut self, view: &View<'_>, range: Range<usize>, both: &mut [i64]) {
        let width = view.marks.iter().map(|marks| marks.width).sum();
        self.window.resize(width, 0);
        // The first token's beginning is everyone's, and inside of nothing.
        let mut at = range.start.max(1);
        while at < range.end {
            let bytes = (range.end - at).min(ROW - at % ROW);
            view.read(at, bytes, &mut self.window);
            let mut rest = &mut *both;
            for (left, &one) in self.window.iter().enumerate() {
                let (sums, later) = rest.split_at_mut(width - 1 - left);
                for (sum, other) in sums.iter_mut().zip(&self.window[left + 1..]) {
                    *sum += i64::from((one & other).count_ones());
                }
                rest = later;
            }
            at += bytes;
        }
    }
}

/// Bits 0, 3, 6, …
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;
