//! Where tokens stand in the text, by pretoken: words and what they are cut into, characters, numbers.
//!
//! A pretoken between two places that no word reaches over (`edges`) has the same figures wherever it stands so. They are
//! found once, by looking at it as at a text, and are one addition of lanes from then on. The others, a few in a hundred of
//! prose, are looked at where they stand, with their neighbours.

use std::collections::HashMap;
use std::ops::Range;

use super::edges;
use super::edges::{joined, Edges, OPEN};
use super::marks::{rows, Cuts, Marks};
use super::sheet::{set, words_of, Sheet, LANES, MOST};
use crate::places::{self, View, Wanted, Words, OF_TEXTS, OF_TOKENIZERS};
use crate::table::Interner;

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

/// In the head of a pretoken's row: its edges (16 bits), its words (8), and whether `more` has its figures.
const WORDS_AT: u32 = 16;
const MORE: u64 = 1 << 24;

/// What one thread knows, beside a pretoken's row.
#[derive(Default)]
pub struct Placed {
    /// The figures of pretokens whose row can't hold them.
    more: HashMap<u32, Vec<i64>>,
    /// Occurrences of each pretoken in runs, of which the words have been counted as types, since they were last taken.
    in_runs: Vec<u64>,
    /// The types that were found where words stand, and what is needed to look.
    pub found: places::State,
    marks: Vec<u64>,
    run: Vec<(u32, usize)>,
    row: Vec<i64>,
    /// Pretokens that stand by themselves, of which only the words have been added.
    alone: Vec<u32>,
}

/// Two words for every eight tokenizers: cuts in words, and words that are cut.
pub fn words_of_places(tokenizers: usize) -> usize {
    2 * words_of(tokenizers)
}

/// How far a text has been walked through.
#[derive(Clone, Copy)]
pub struct Walk {
    /// The place to come to next, and its first byte.
    place: usize,
    end: usize,
    /// The place of the first pretoken that hasn't been added, and its first byte.
    first: usize,
    start: usize,
    /// The heads of the pretokens before that, there, and after.
    before: u64,
    here: u64,
    next: u64,
}

/// The pretokens of a text, or of a piece of one that may be cut from the rest, their bytes, and the text.
#[derive(Clone, Copy)]
pub struct Cut<'t> {
    pub seen: &'t [u32],
    pub sizes: &'t [u32],
    pub text: &'t str,
}

impl Cut<'_> {
    #[inline(always)]
    fn head(&self, sheet: &Sheet, place: usize) -> u64 {
        match self.seen.get(place) {
            Some(&index) => sheet.head(index),
            None => OPEN.into(),
        }
    }

    pub fn walk(&self, sheet: &Sheet) -> Walk {
        Walk {
            place: 0,
            end: 0,
            first: 0,
            start: 0,
            before: OPEN.into(),
            here: self.head(sheet, 0),
            next: self.head(sheet, 1),
        }
    }
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
    pub fn grow(&mut self, pretokens: usize) {
        self.in_runs.resize(pretokens, 0);
    }

    /// Finds the figures of a new pretoken. `there`: its row without other numbers, the head and words of places.
    pub fn meet(
        &mut self,
        asked: &Asked,
        cuts: &Cuts,
        (index, pretoken): (u32, &str),
        (head, places): (&mut u64, &mut [u64]),
    ) {
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
        let plain = of_text[1..] == [0, 0] && words <= MOST;
        let fits = |one: &[i64]| one[0] - words <= MOST && one[2..] == [0, 0, 0];
        let fits = plain && of_tokenizers.chunks_exact(OF_TOKENIZERS).all(fits);
        *head |= u64::from(edges::of(pretoken));
        if !fits {
            *head |= MORE;
            self.more.insert(index, row);
            return;
        }
        *head |= (words as u64) << WORDS_AT;
        let (cuts, cut) = places.split_at_mut(words_of(asked.tokenizers));
        for (number, figures) in of_tokenizers.chunks_exact(OF_TOKENIZERS).enumerate() {
            set(cuts, number, (figures[0] - words) as u8);
            set(cut, number, figures[1] as u8);
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

    /// Walks on to some place, and adds the figures of the text so far to its row; those of runs that aren't at their
    /// end are added later. `places`: where a row has words of places. At most as many pretokens as a sheet adds up.
    #[inline(never)]
    pub fn walk(
        &mut self,
        (asked, wanted): (&Asked, Wanted),
        (cuts, sheet, places): (&Cuts, &Sheet, Range<usize>),
        cut: Cut<'_>,
        (reached, to): (&mut Walk, usize),
        row: &mut [i64],
    ) {
        self.alone.clear();
        let mut walk = *reached;
        let mut words = 0;
        for place in walk.place..to {
            walk.end += cut.sizes[place] as usize;
            let after = cut.head(sheet, place + 2);
            let edges = [walk.before, walk.here, walk.next, after].map(|head| head as Edges);
            if !joined(edges) {
                if walk.first == place {
                    if walk.here & MORE == 0 {
                        words += walk.here >> WORDS_AT & 255;
                        self.alone.push(cut.seen[place]);
                    } else {
                        let more = &self.more[&cut.seen[place]];
                        row.iter_mut().zip(more).for_each(|(sum, one)| *sum += one);
                    }
                } else {
                    let run = Cut {
                        seen: &cut.seen[walk.first..=place],
                        sizes: &cut.sizes[walk.first..=place],
                        text: &cut.text[walk.start..walk.end],
                    };
                    self.add_run(asked, wanted, cuts, run, row);
                }
                (walk.first, walk.start) = (place + 1, walk.end);
            }
            (walk.before, walk.here, walk.next) = (walk.here, walk.next, after);
        }
        walk.place = to;
        *reached = walk;
        self.add_alone(asked, sheet, places, words as i64, row);
    }

    fn add_run(
        &mut self,
        asked: &Asked,
        wanted: Wanted,
        cuts: &Cuts,
        cut: Cut<'_>,
        row: &mut [i64],
    ) {
        let mut run = std::mem::take(&mut self.run);
        run.clear();
        for (&index, &size) in cut.seen.iter().zip(cut.sizes) {
            run.push((index, size as usize));
            self.in_runs[index as usize] += 1;
        }
        let mut found = std::mem::take(&mut self.row);
        found.clear();
        found.resize(row.len(), 0);
        self.look(asked, wanted, cuts, &run, cut.text, &mut found);
        for (sum, one) in row.iter_mut().zip(&found) {
            *sum += one;
        }
        (self.run, self.row) = (run, found);
    }

    /// Adds what stands by itself: so many words, and what they are cut into.
    fn add_alone(
        &self,
        asked: &Asked,
        sheet: &Sheet,
        places: Range<usize>,
        words: i64,
        row: &mut [i64],
    ) {
        row[0] += words;
        let figures = row[OF_TEXTS..].chunks_exact_mut(OF_TOKENIZERS);
        figures.for_each(|figures| figures[0] += words);
        let width = words_of(asked.tokenizers) * LANES;
        sheet.sums(&self.alone, places, |lane, sum| {
            let (figure, tokenizer) = (lane / width, lane % width);
            if tokenizer < asked.tokenizers {
                row[OF_TEXTS + tokenizer * OF_TOKENIZERS + figure] += sum;
            }
        });
    }

    /// Counts the words of a pretoken as types, as often as it stood by itself: of `times` that it occurred.
    pub fn count_types(
        &mut self,
        asked: &Asked,
        cuts: &Cuts,
        (index, pretoken): (u32, &str),
        times: u64,
    ) {
        let wanted = Wanted {
            types: true,
            characters: false,
            numbers: false,
            shared: false,
        };
        let times = times - std::mem::take(&mut self.in_runs[index as usize]);
        if times > 0 && asked.words {
            let mut row = std::mem::take(&mut self.row);
            row.clear();
            row.resize(asked.row_width(), 0);
            self.found.types.each_is(times);
            self.look(
                asked,
                wanted,
                cuts,
                &[(index, pretoken.len())],
                pretoken,
                &mut row,
            );
            self.row = row;
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
        self.in_runs.capacity() * size_of::<u64>()
            + self.more.capacity() * size_of::<(u32, Vec<i64>)>()
            + self.more.len() * of_one
    }
}

/// The text of a pretoken.
pub fn text_of(table: &Interner, index: u32) -> &str {
    match std::str::from_utf8(table.key(index)) {
        Ok(text) => text,
        Err(_) => unreachable!("pretokens are cut from texts between characters"),
    }
}
