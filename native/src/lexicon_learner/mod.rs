//! Learning a list of Chinese words from Han runs: the rules of `tokenizers_impl/lexicon.py`, which says why each of
//! them is there and what was tried instead. The two give the same list for the same counts; a change here is a change
//! there.
//!
//! What differs is how strings are told apart. A string of n characters is the pair of its first and its last n - 1, so
//! that a level needs no strings: each position of the text holds the number of the string that begins there, and two
//! positions side by side make a string of the level above. Parts of a string are found by walking down these pairs.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::count::PretokenCounts;
use crate::pretok::{cut_han_run, is_han, Lexicon, MAX_WORD};
use crate::table::Interner;

const PAIR_COHESION: u128 = 5;
const LONG_COHESION: u128 = 300;
const BRANCH: (u128, u128) = (3, 4);
const COMMON_CHARACTER: u128 = 64;
const STANDING: u128 = 40;
const ROUNDS: usize = 2;

/// At a position where no frequent string begins, and after each run.
const NONE: u32 = u32::MAX;

fn minimum_count(total: u64) -> u64 {
    let bits = u64::from(u64::BITS - total.leading_zeros());
    (bits.saturating_sub(11) / 3).max(2)
}

/// A frequent string of its level.
#[derive(Clone, Copy)]
struct Gram {
    /// All but its last and all but its first character, in the level below.
    head: u32,
    tail: u32,
    /// Its outer characters, in the level of single ones.
    first: u32,
    last: u32,
    count: u64,
}

/// A range of positions, and how often the run that it holds occurs.
struct Run {
    start: usize,
    end: usize,
    count: u64,
}

struct Levels {
    characters: Vec<char>,
    /// `grams[n]`: the frequent strings of n characters.
    grams: Vec<Vec<Gram>>,
    common: Vec<bool>,
    total: u64,
    minimum: u64,
}

/// The words of 2 to 8 characters learned from Han runs and their counts, sorted by code point. Whatever isn't Han
/// from end to end is left out.
pub fn learn_lexicon(counts: &PretokenCounts) -> Vec<String> {
    let runs: Vec<(&str, u64)> = counts
        .items()
        .filter_map(|(pretoken, count)| Some((std::str::from_utf8(pretoken).ok()?, count)))
        .filter(|&(run, count)| count > 0 && !run.is_empty() && run.chars().all(is_han))
        .collect();
    let levels = Levels::count(&runs);
    let mut words = levels.words();
    for _ in 0..ROUNDS {
        words = standing_words(words, &runs, levels.minimum);
    }
    words.sort_unstable();
    words
}

impl Levels {
    fn count(runs: &[(&str, u64)]) -> Self {
        let mut numbers = Interner::new();
        let mut characters = Vec::new();
        let mut grams: Vec<Gram> = Vec::new();
        let mut places: Vec<u32> = Vec::new();
        let mut ranges = Vec::new();
        for &(run, count) in runs {
            let start = places.len();
            for c in run.chars() {
                let (number, new) = numbers.intern(&u32::from(c).to_le_bytes());
                if new {
                    characters.push(c);
                    let (first, last) = (number, number);
                    grams.push(Gram {
                        head: NONE,
                        tail: NONE,
                        first,
                        last,
                        count: 0,
                    });
                }
                grams[number as usize].count += count;
                places.push(number);
            }
            let end = places.len();
            ranges.push(Run { start, end, count });
            places.push(NONE);
        }
        drop(numbers);
        let total: u64 = grams.iter().map(|gram| gram.count).sum();
        let minimum = minimum_count(total);
        let common = grams
            .iter()
            .map(|gram| u128::from(gram.count) * COMMON_CHARACTER >= u128::from(total))
            .collect();
        // Rare characters keep their numbers, so that those of the outer characters are right.
        for place in &mut places {
            if *place != NONE && grams[*place as usize].count < minimum {
                *place = NONE;
            }
        }
        let mut levels = Levels {
            characters,
            grams: vec![Vec::new(), grams],
            common,
            total,
            minimum,
        };
        // One level more than the longest word: its counts say what stands beside the longest words.
        for _ in 2..=MAX_WORD + 1 {
            levels.add_level(&mut places, &mut ranges);
        }
        levels
    }

    /// Counts the strings that two strings of the level before make, side by side.
    fn add_level(&mut self, places: &mut [u32], ranges: &mut Vec<Run>) {
        let shorter = &self.grams[self.grams.len() - 1];
        let mut table = Interner::new();
        let mut grams: Vec<Gram> = Vec::new();
        ranges.retain(|run| {
            let mut some = false;
            for at in run.start..run.end {
                let (head, tail) = (places[at], places[at + 1]);
                if head == NONE || tail == NONE {
                    places[at] = NONE;
                    continue;
                }
                some = true;
                let key = u64::from(head) << 32 | u64::from(tail);
                let (number, new) = table.intern(&key.to_le_bytes());
                if new {
                    let first = shorter[head as usize].first;
                    let last = shorter[tail as usize].last;
                    grams.push(Gram {
                        head,
                        tail,
                        first,
                        last,
                        count: 0,
                    });
                }
                grams[number as usize].count += run.count;
                places[at] = number;
            }
            some
        });
        drop(table);
        let mut kept = 0;
        let numbers: Vec<u32> = grams
            .iter()
            .map(|gram| {
                if gram.count < self.minimum {
                    return NONE;
                }
                kept += 1;
                kept - 1
            })
            .collect();
        for run in ranges {
            for place in &mut places[run.start..run.end] {
                if *place != NONE {
                    *place = numbers[*place as usize];
                }
            }
        }
        grams.retain(|gram| gram.count >= self.minimum);
        self.grams.push(grams);
    }

    /// The words before they are held against the text: frequent, branching, cohering, and no chains.
    fn words(&self) -> Vec<String> {
        let listed: Vec<Vec<bool>> = (0..=MAX_WORD)
            .map(|length| self.candidates(length))
            .collect();
        let mut words = Vec::new();
        for (length, of_length) in listed.iter().enumerate() {
            for (number, _) in of_length.iter().enumerate().filter(|&(_, &is)| is) {
                if !self.is_chain(length, number as u32, &listed) {
                    words.push(self.spell(length, number as u32));
                }
            }
        }
        words
    }

    /// Which strings of a length are words by their own counts.
    fn candidates(&self, length: usize) -> Vec<bool> {
        if length < 2 {
            return Vec::new();
        }
        let needed = self.minimum + length as u64 - 2;
        // How often each occurs beside its commonest neighbour.
        let mut neighbour = vec![0; self.grams[length].len()];
        for gram in &self.grams[length + 1] {
            for (part, beside) in [(gram.head, gram.last), (gram.tail, gram.first)] {
                let most = &mut neighbour[part as usize];
                if !self.common[beside as usize] && gram.count > *most {
                    *most = gram.count;
                }
            }
        }
        let branches = |number: usize, count: u64| {
            u128::from(neighbour[number]) * BRANCH.1 <= u128::from(count) * BRANCH.0
        };
        let grams = self.grams[length].iter().enumerate();
        grams
            .map(|(number, gram)| {
                gram.count >= needed
                    && branches(number, gram.count)
                    && self.coheres(length, number as u32)
            })
            .collect()
    }

    fn coheres(&self, length: usize, number: u32) -> bool {
        let factor = if length == 2 {
            PAIR_COHESION
        } else {
            LONG_COHESION
        };
        let count = u128::from(self.grams[length][number as usize].count);
        (1..length).all(|cut| {
            let part = |start, end| {
                let number = self.part(length, number, start, end);
                u128::from(self.grams[end - start][number as usize].count)
            };
            // The left side has 128 bits; a product of three that needs more is larger.
            (part(0, cut) * part(cut, length))
                .checked_mul(factor)
                .is_some_and(|chance| count * u128::from(self.total) >= chance)
        })
    }

    /// The number of the characters `start..end` of a string.
    fn part(&self, length: usize, mut number: u32, start: usize, end: usize) -> u32 {
        for level in (length - start + 1..=length).rev() {
            number = self.grams[level][number as usize].tail;
        }
        for level in (end - start + 1..=length - start).rev() {
            number = self.grams[level][number as usize].head;
        }
        number
    }

    fn is_chain(&self, length: usize, number: u32, listed: &[Vec<bool>]) -> bool {
        let mut reached = [false; MAX_WORD + 1];
        reached[0] = true;
        for end in 2..=length {
            reached[end] = (0..end - 1).any(|start| {
                reached[start]
                    && end - start < length
                    && listed[end - start][self.part(length, number, start, end) as usize]
            });
        }
        reached[length]
    }

    fn spell(&self, length: usize, mut number: u32) -> String {
        let mut characters = Vec::new();
        for level in (1..=length).rev() {
            let gram = self.grams[level][number as usize];
            characters.push(self.characters[gram.last as usize]);
            number = gram.head;
        }
        characters.iter().rev().collect()
    }
}

/// The words that hold their own in the text as it is cut with this very list.
fn standing_words(words: Vec<String>, runs: &[(&str, u64)], minimum: u64) -> Vec<String> {
    let Ok(lexicon) = Lexicon::new(&words) else {
        unreachable!("words of Han runs are Han, and of 2 to 8 characters");
    };
    let mut used = PretokenCounts::new();
    for &(run, count) in runs {
        cut_han_run(run, &lexicon, |token| used.add(token.as_bytes(), count));
    }
    let tokens = u128::from(used.pretokens);
    let counts: HashMap<&[u8], u64> = used.items().collect();
    let times = |token: &str| u128::from(counts.get(token.as_bytes()).copied().unwrap_or(0));
    words
        .into_iter()
        .filter(|word| {
            let count = times(word);
            count >= u128::from(minimum)
                && word.char_indices().skip(1).all(|(cut, _)| {
                    ((times(&word[..cut]) + 1) * (times(&word[cut..]) + 1))
                        .checked_mul(STANDING)
                        .is_some_and(|chance| count * tokens >= chance)
                })
        })
        .collect()
}
