//! Where tokens begin: a bit for every byte of a text and every encoder. All that words, numbers and characters cut in
//! two need to know of tokens, whatever made them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::encode::Encoder;
use crate::table::prefetch;

/// Bytes of text to a row.
pub const ROW: usize = 64;

/// Rows of a text: row `r` has a word for each encoder, and bit `b` of it is set where a token begins at byte
/// `64 r + b`. One row more than the bytes need, so that what begins in one row may be read with the next.
pub fn rows(bytes: usize) -> usize {
    bytes / ROW + 2
}

/// Where tokens begin in some texts under some encoders.
#[derive(Debug, PartialEq)]
pub struct Marks {
    pub width: usize,
    /// The first row of each text, and the end of the last one.
    pub starts: Vec<usize>,
    pub bits: Vec<u64>,
}

impl Marks {
    pub fn new(texts: &[&str], width: usize) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for text in texts {
            end += rows(text.len());
            starts.push(end);
        }
        Marks {
            width,
            starts,
            bits: vec![0; end * width],
        }
    }

    /// For one tokenizer, from the lengths in bytes of each text's tokens; none where they are not those of the texts.
    pub fn of_lengths(texts: &[&str], lengths: &[i64], offsets: &[i64]) -> Option<Self> {
        let mut marks = Marks::new(texts, 1);
        if offsets.len() != texts.len() + 1 {
            return None;
        }
        for (number, text) in texts.iter().enumerate() {
            let range = usize::try_from(offsets[number]).ok()?
                ..usize::try_from(offsets[number + 1]).ok()?;
            let mut at = 0;
            for &length in lengths.get(range)? {
                if at >= text.len() || length < 1 {
                    return None;
                }
                marks.bits[marks.starts[number] + at / ROW] |= 1 << (at % ROW);
                at = at.checked_add(length as usize)?;
            }
            if at != text.len() {
                return None;
            }
        }
        Some(marks)
    }

    /// Whether they are of texts as long as these.
    pub fn fit(&self, texts: &[&str]) -> bool {
        self.starts.len() == texts.len() + 1
            && self
                .starts
                .windows(2)
                .zip(texts)
                .all(|(ends, text)| ends[1] - ends[0] == rows(text.len()))
    }

    /// The places of the bytes of a text where tokens begin.
    pub fn places(&self, text: usize, tokenizer: usize) -> Vec<usize> {
        let rows = self.of(text).chunks_exact(self.width.max(1));
        let bits = rows.map(|row| row[tokenizer]);
        bits.enumerate()
            .flat_map(|(row, bits)| {
                (0..ROW)
                    .filter(move |bit| bits >> bit & 1 == 1)
                    .map(move |bit| row * ROW + bit)
            })
            .collect()
    }

    /// The rows of a text.
    pub fn of(&self, text: usize) -> &[u64] {
        &self.bits[self.starts[text] * self.width..self.starts[text + 1] * self.width]
    }

    /// Adds the rows from row `first` on.
    pub fn add(&mut self, first: usize, rows: &[u64]) {
        let there = &mut self.bits[first * self.width..];
        for (to, from) in there.iter_mut().zip(rows) {
            *to |= from;
        }
    }
}

/// Where tokens begin in the pretokens that a thread has seen.
#[derive(Default)]
pub struct Cuts {
    /// By pretoken, then encoder: a bit a byte. Those of a pretoken of more than 64 bytes are in `long`.
    short: Vec<u64>,
    long: HashMap<u32, Vec<Vec<usize>>>,
    long_bytes: usize,
}

impl Cuts {
    pub fn grow(&mut self, pretokens: usize, width: usize) {
        self.short.resize(pretokens * width, 0);
    }

    /// `ids`: those of the pretoken under these encoders and perhaps more, one after the other, of these `lengths`.
    pub fn set(
        &mut self,
        index: u32,
        bytes: usize,
        encoders: &[Arc<Encoder>],
        lengths: &[u32],
        ids: &[u32],
    ) {
        let width = encoders.len();
        let mut rest = ids;
        let mut long: Vec<Vec<usize>> = Vec::new();
        for (number, (encoder, &length)) in encoders.iter().zip(lengths).enumerate() {
            let (some, after) = rest.split_at(length as usize);
            rest = after;
            let mut at = 0;
            let starts = some.iter().map(|&id| {
                let start = at;
                at += encoder.token(id).len();
                start
            });
            // Tokens that don't join to the pretoken are reported as such; here they do no harm.
            let starts = starts.filter(|&start| start < bytes);
            if bytes <= ROW {
                self.short[index as usize * width + number] =
                    starts.fold(0, |bits, start| bits | 1 << start);
            } else {
                long.push(starts.collect());
            }
        }
        if bytes > ROW {
            self.long_bytes += size_of::<(u32, Vec<Vec<usize>>)>()
                + long
                    .iter()
                    .map(|starts| size_of::<Vec<usize>>() + size_of_val(&starts[..]))
                    .sum::<usize>();
            self.long.insert(index, long);
        }
    }

    /// Sets the bits of a pretoken of so many bytes that begins at bit `at` of the rows.
    #[inline(always)]
    pub fn mark(&self, index: u32, bytes: usize, at: usize, width: usize, rows: &mut [u64]) {
        if bytes > ROW {
            return self.mark_long(index, at, width, rows);
        }
        let cuts = &self.short[index as usize * width..][..width];
        let shift = at % ROW;
        let (here, next) = rows[at / ROW * width..][..2 * width].split_at_mut(width);
        for (to, bits) in here.iter_mut().zip(cuts) {
            *to |= bits << shift;
        }
        if shift + bytes > ROW {
            for (to, bits) in next.iter_mut().zip(cuts) {
                *to |= bits >> (ROW - shift);
            }
        }
    }

    /// In how many places tokens of both begin, for each two encoders (by the first, then the second), its own beginning
    /// among them.
    pub fn both(&self, index: u32, width: usize, found: &mut Vec<u32>) {
        let short = &self.short[index as usize * width..][..width];
        let long = self.long.get(&index);
        for left in 0..width {
            for right in left + 1..width {
                found.push(match long {
                    None => (short[left] & short[right]).count_ones(),
                    Some(long) => {
                        let other = &long[right];
                        let here = long[left].iter();
                        here.filter(|at| other.binary_search(at).is_ok()).count() as u32
                    }
                });
            }
        }
    }

    /// Has the bits of a pretoken that will be marked soon on their way from memory.
    #[inline(always)]
    pub fn expect(&self, index: u32, width: usize) {
        prefetch(&self.short, index as usize * width);
    }

    #[cold]
    fn mark_long(&self, index: u32, at: usize, width: usize, rows: &mut [u64]) {
        for (number, starts) in self.long[&index].iter().enumerate() {
            for start in starts {
                let bit = at + start;
                rows[bit / ROW * width + number] |= 1 << (bit % ROW);
            }
        }
    }

    pub fn allocated(&self) -> usize {
        self.short.capacity() * size_of::<u64>() + self.long_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_places() {
        let long = "a".repeat(130);
        let texts = ["abc", "", &long];
        let marks = Marks::of_lengths(&texts, &[1, 2, 60, 4, 66], &[0, 2, 2, 5]).unwrap();
        assert_eq!(marks.of(0), [0b11, 0]);
        assert_eq!(marks.of(1), [0, 0]);
        assert_eq!(marks.of(2), [1 | 1 << 60, 1, 0, 0]);
    }

    #[test]
    fn lengths_of_other_texts_are_refused() {
        for (lengths, offsets) in [
            (&[1, 1][..], &[0, 2][..]),
            (&[1, 3], &[0, 2]),
            (&[3], &[0, 2]),
            (&[3], &[0]),
            (&[-1, 4], &[0, 2]),
            (&[3, 0], &[0, 2]),
            (&[], &[0, 0]),
        ] {
            assert_eq!(Marks::of_lengths(&["abc"], lengths, offsets), None);
        }
    }
}
