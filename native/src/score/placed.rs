//! Where tokens stand in the text, by pretoken: words and what they are cut into, characters, numbers.
//!
//! A pretoken between two places that no word reaches over (`edges`) has the same figures wherever it stands so. They are
//! found once, by looking at it as at a text, and are one addition of lanes from then on. The others, a few in a hundred of
//! prose, are looked at where they stand, with their neighbours.

use std::collections::HashMap;

use super::edges;
use super::edges::{joined, Edges, OPEN};
use super::lanes::{self, words_of, Sums};
use super::marks::{rows, Cuts, Marks};
use crate::places::{self, View, Wanted, Words, OF_TEXTS, OF_TOKENIZERS};
use crate::table::{prefetch, Interner};

/// What is asked of the first tokenizers of a scorer.
#[derive(Clone, Copy)]
pub struct Asked {
    pub tokenizers: usize,
    pub words: bool,
    pub wanted: Wanted,
}

impl Asked {
    pub fn row_width(&self) -> usize {
        OF_TEXTS + OF_TOKENIZERS * self.tokenizers
    }

    /// The pairs of tokenizers of which shared boundaries are counted.
    pub fn pairs(&self) -> usize {
        if self.wanted.shared {
            places::pairs_of(self.tokenizers)
        } else {
            0
        }
    }

    fn words(&self) -> Words<'static> {
        if self.words {
            Words::Segmenter
        } else {
            Words::Nowhere
        }
    }
}

/// A pretoken's figures are asked of memory so many pretokens ahead.
const AHEAD: usize = 20;

/// The first word of a pretoken's row.
const WORDS_AT: u32 = 16;
const MORE: u64 = 1 << 24;
const TIMES_AT: u32 = 32;
const MOST_TIMES: u64 = u32::MAX as u64;

/// What one thread knows.
#[derive(Default)]
pub struct Placed {
    /// By pretoken: its edges (16 bits), words (8), whether `more` has its figures, and how often it was added since its
    /// words were last counted as types (32); then a byte a tokenizer, in whole words: cuts in words, words that are cut.
    rows: Vec<u64>,
    /// The figures of pretokens whose row can't hold them.
    more: HashMap<u32, Vec<i64>>,
    /// Times that their row had no room for.
    often: HashMap<u32, u64>,
    /// The types that were found where words stand, and what is needed to look.
    pub found: places::State,
    marks: Vec<u64>,
    run: Vec<(u32, usize)>,
    row: Vec<i64>,
    /// Lanes and words of the pretokens that were added since they were last taken.
    sums: Sums,
    words: i64,
}

fn stride(tokenizers: usize) -> usize {
    1 + 2 * words_of(tokenizers)
}

impl Placed {
    /// With all types kept, nothing known of any pretoken.
    pub fn forget(&mut self) -> Self {
        Placed {
            found: std::mem::take(&mut self.found),
            ..Placed::default()
        }
    }

    /// Makes room for pretokens, so many in all.
    pub fn grow(&mut self, pretokens: usize, asked: &Asked) {
        self.rows.resize(pretokens * stride(asked.tokenizers), 0);
    }

    /// Finds the figures of a new pretoken.
    pub fn meet(&mut self, asked: &Asked, cuts: &Cuts, index: u32, pretoken: &str) {
        let mut row = vec![0; asked.row_width()];
        let wanted = Wanted {
            types: false,
            ..asked.wanted
        };
        self.look(
            asked,
            wanted,
            cuts,
            &[(index, pretoken.len())],
            pretoken,
            &mut row,
        );
        let (of_text, of_tokenizers) = row.split_at(OF_TEXTS);
        let words = of_text[0];
        let plain = of_text[1..] == [0, 0] && words <= lanes::MOST;
        let fits = |one: &[i64]| one[0] - words <= lanes::MOST && one[2..] == [0, 0, 0];
        let fits = plain && of_tokenizers.chunks_exact(OF_TOKENIZERS).all(fits);
        let stride = stride(asked.tokenizers);
        let there = &mut self.rows[index as usize * stride..][..stride];
        there[0] = u64::from(edges::of(pretoken));
        if !fits {
            there[0] |= MORE;
            self.more.insert(index, row);
            return;
        }
        there[0] |= (words as u64) << WORDS_AT;
        let (cuts, cut) = there[1..].split_at_mut(words_of(asked.tokenizers));
        for (number, figures) in of_tokenizers.chunks_exact(OF_TOKENIZERS).enumerate() {
            lanes::set(cuts, number, (figures[0] - words) as u8);
            lanes::set(cut, number, figures[1] as u8);
        }
    }

    /// Looks at some pretokens, each with its bytes, that are a text together.
    fn look(
        &mut self,
        asked: &Asked,
        wanted: Wanted,
        cuts: &Cuts,
        pretokens: &[(u32, usize)],
        text: &str,
        row: &mut [i64],
    ) {
        let width = asked.tokenizers;
        let mut bits = std::mem::take(&mut self.marks);
        bits.clear();
        bits.resize(rows(text.len()) * width, 0);
        let mut at = 0;
        for &(index, size) in pretokens {
            cuts.mark(index, size, at, width, &mut bits);
            at += size;
        }
        let marks = Marks {
            width,
            starts: vec![0, rows(text.len())],
            bits,
        };
        let view = View {
            text,
            marks: &[&marks],
            number: 0,
        };
        self.found
            .look(wanted, &view, 0..text.len(), &asked.words(), row);
        self.marks = marks.bits;
    }

    /// Adds the figures of a text, or of a piece of one that may be cut from the rest, to its row. `seen`: its
    /// pretokens; `sizes`: their bytes.
    pub fn add(
        &mut self,
        asked: &Asked,
        wanted: Wanted,
        cuts: &Cuts,
        (seen, sizes): (&[u32], &[u32]),
        text: &str,
        row: &mut [i64],
    ) {
        let width = stride(asked.tokenizers);
        let edges = |rows: &[u64], place: usize| match seen.get(place) {
            Some(&index) => rows[index as usize * width] as Edges,
            None => OPEN,
        };
        self.sums.begin(width - 1);
        let (mut first, mut start, mut end) = (0, 0, 0);
        let (mut before, mut here, mut next) = (OPEN, edges(&self.rows, 0), edges(&self.rows, 1));
        for (place, &size) in sizes.iter().enumerate() {
            if let Some(&later) = seen.get(place + AHEAD) {
                prefetch(&self.rows, later as usize * width);
            }
            end += size as usize;
            let after = edges(&self.rows, place + 2);
            if !joined(before, here, next, after) {
                if first == place {
                    self.add_alone(asked, seen[place], row);
                } else {
                    let run = first..place + 1;
                    self.add_run(
                        asked,
                        wanted,
                        cuts,
                        (&seen[run.clone()], &sizes[run]),
                        &text[start..end],
                        row,
                    );
                }
                (first, start) = (place + 1, end);
            }
            (before, here, next) = (here, next, after);
        }
        self.add_up(asked, row);
    }

    #[inline(always)]
    fn add_alone(&mut self, asked: &Asked, index: u32, row: &mut [i64]) {
        let stride = stride(asked.tokenizers);
        let there = &mut self.rows[index as usize * stride..][..stride];
        let first = there[0];
        if first >> TIMES_AT == MOST_TIMES {
            *self.often.entry(index).or_default() += MOST_TIMES;
            there[0] &= u64::from(u32::MAX);
        }
        there[0] += 1 << TIMES_AT;
        if first & MORE != 0 {
            let more = &self.more[&index];
            row.iter_mut().zip(more).for_each(|(sum, one)| *sum += one);
            return;
        }
        self.words += (first >> WORDS_AT & 255) as i64;
        if self.sums.add(&there[1..]) {
            self.add_up(asked, row);
        }
    }

    fn add_run(
        &mut self,
        asked: &Asked,
        wanted: Wanted,
        cuts: &Cuts,
        (seen, sizes): (&[u32], &[u32]),
        text: &str,
        row: &mut [i64],
    ) {
        let pretokens = seen.iter().zip(sizes);
        self.run.clear();
        self.run
            .extend(pretokens.map(|(&index, &size)| (index, size as usize)));
        let run = std::mem::take(&mut self.run);
        let mut found = std::mem::take(&mut self.row);
        found.clear();
        found.resize(row.len(), 0);
        self.look(asked, wanted, cuts, &run, text, &mut found);
        for (sum, one) in row.iter_mut().zip(&found) {
            *sum += one;
        }
        (self.run, self.row) = (run, found);
    }

    fn add_up(&mut self, asked: &Asked, row: &mut [i64]) {
        let words = std::mem::take(&mut self.words);
        row[0] += words;
        let cut = words_of(asked.tokenizers);
        let figures = row[OF_TEXTS..].chunks_exact_mut(OF_TOKENIZERS);
        for (number, figures) in figures.enumerate() {
            figures[0] += words + self.sums.of(number);
            figures[1] += self.sums.of(cut * lanes::LANES + number);
        }
        self.sums.begin(2 * cut);
    }

    /// Counts the words of pretokens that stood by themselves as types, as often as they did.
    pub fn count_types(&mut self, asked: &Asked, cuts: &Cuts, table: &Interner) {
        let stride = stride(asked.tokenizers);
        let wanted = Wanted {
            types: true,
            characters: false,
            numbers: false,
            shared: false,
        };
        let mut row = vec![0; asked.row_width()];
        for index in 0..(self.rows.len() / stride) as u32 {
            let first = &mut self.rows[index as usize * stride];
            let times = *first >> TIMES_AT;
            *first &= u64::from(u32::MAX);
            let times = times + self.often.remove(&index).unwrap_or(0);
            if times > 0 && asked.words {
                let pretoken = text_of(table, index);
                self.found.types.each_is(times);
                self.look(
                    asked,
                    wanted,
                    cuts,
                    &[(index, pretoken.len())],
                    pretoken,
                    &mut row,
                );
            }
        }
        self.found.types.each_is(1);
    }

    /// Without the types.
    pub fn allocated(&self) -> usize {
        // All of `more` are as wide, and there is one for nearly every pretoken that isn't ASCII.
        let of_one = self
            .more
            .values()
            .next()
            .map_or(0, |row| size_of_val(&row[..]));
        self.rows.capacity() * size_of::<u64>()
            + self.more.capacity() * size_of::<(u32, Vec<i64>)>()
            + self.more.len() * of_one
            + self.often.capacity() * size_of::<(u32, u64)>()
    }
}

/// The text of a pretoken.
pub fn text_of(table: &Interner, index: u32) -> &str {
    match std::str::from_utf8(table.key(index)) {
        Ok(text) => text,
        Err(_) => unreachable!("pretokens are cut from texts between characters"),
    }
}
