use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::testing::{budget, Random};
use crate::words;

/// Everything by its definition, byte by byte.
#[derive(Default)]
struct Naive {
    occurrences: BTreeMap<String, Vec<Vec<BTreeSet<usize>>>>,
}

impl Naive {
    fn row(
        &mut self,
        text: &str,
        starts: &[Vec<usize>],
        words: &[(usize, usize)],
    ) -> (Vec<i64>, Vec<i64>) {
        let width = starts.len();
        let mut row = vec![0; OF_TEXTS + OF_TOKENIZERS * width];
        row[0] = words.len() as i64;
        let inside = |number: usize, start: usize, end: usize| -> BTreeSet<usize> {
            let within = starts[number].iter().filter(|&&at| start < at && at < end);
            within.map(|at| at - start).collect()
        };
        for &(start, end) in words {
            let of_word = self.occurrences.entry(text[start..end].into()).or_default();
            of_word.resize(width, Vec::new());
            for (number, of_word) in of_word.iter_mut().enumerate() {
                let cuts = inside(number, start, end);
                let at = OF_TEXTS + OF_TOKENIZERS * number;
                row[at] += 1 + cuts.len() as i64;
                row[at + 1] += i64::from(!cuts.is_empty());
                of_word.push(cuts);
            }
        }
        for (start, one) in text.char_indices().filter(|(_, one)| one.len_utf8() > 1) {
            row[1] += 1;
            for number in 0..width {
                let cuts = inside(number, start, start + one.len_utf8());
                row[OF_TEXTS + OF_TOKENIZERS * number + 2] += i64::from(!cuts.is_empty());
            }
        }
        let digits = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        for start in 0..text.len() {
            if !digits(start) || (start > 0 && digits(start - 1)) {
                continue;
            }
            let end = (start..).find(|&at| !digits(at)).unwrap();
            let groups: BTreeSet<usize> = (start + 1..end)
                .filter(|at| (end - at) % 3 == 0)
                .map(|at| at - start)
                .collect();
            row[2] += groups.len() as i64;
            for number in 0..width {
                let cuts = inside(number, start, end);
                let at = OF_TEXTS + OF_TOKENIZERS * number;
                row[at + 3] += cuts.len() as i64;
                row[at + 4] += cuts.intersection(&groups).count() as i64;
            }
        }
        let mut both = Vec::new();
        for left in 0..width {
            for right in left + 1..width {
                let both_have = starts[left]
                    .iter()
                    .filter(|at| **at > 0 && starts[right].contains(at));
                both.push(both_have.count() as i64);
            }
        }
        (row, both)
    }

    fn types(&self, number: usize) -> TypeCounts {
        let mut found = TypeCounts::default();
        let mut mixed = BTreeMap::new();
        for of_word in self.occurrences.values() {
            let cuts = &of_word[number];
            let whole = cuts.iter().filter(|cuts| cuts.is_empty()).count();
            found.types += 1;
            found.whole += u64::from(whole == cuts.len());
            found.consistent += u64::from(cuts.iter().all(|one| *one == cuts[0]));
            if 0 < whole && whole < cuts.len() {
                *mixed.entry((whole as u64, cuts.len() as u64)).or_default() += 1;
            }
        }
        found.mixed = mixed.into_iter().map(|((a, b), n)| (a, b, n)).collect();
        found
    }
}

fn text(random: &mut Random, pieces: usize) -> String {
    const SOME: [&str; 22] = [
        " the",
        " cat",
        "cat",
        " sat",
        "'s",
        "1",
        "12345",
        "3.14",
        " 1234567",
        "é",
        "naïve",
        "世界",
        "我们",
        "😀",
        "\n",
        "\n\n",
        " ",
        ", ",
        "ไทย",
        "e\u{301}",
        "ab",
        "_x",
    ];
    (0..pieces)
        .map(|_| SOME[random.below(SOME.len())])
        .collect()
}

fn random_lengths(random: &mut Random, text: &str, longest: usize) -> Vec<i64> {
    let (mut lengths, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let length = (1 + random.below(longest)).min(text.len() - at);
        lengths.push(length as i64);
        at += length;
    }
    lengths
}

fn starts_of(lengths: &[i64]) -> Vec<usize> {
    let mut at = 0;
    let starts = lengths.iter().map(|&length| {
        at += length as usize;
        at - length as usize
    });
    starts.collect()
}

const ALL: Wanted = Wanted {
    types: true,
    characters: true,
    numbers: true,
    shared: true,
};

#[test]
fn figures_are_the_naive_ones() {
    let mut random = Random(51);
    for round in 0..30 * budget() {
        let width = [1, 2, 3, 9][round % 4];
        let mut texts: Vec<String> = (0..12).map(|n| text(&mut random, n * n)).collect();
        // Words, numbers and tokens of more than 64 bytes.
        for more in [
            "a".repeat(200),
            "7".repeat(150),
            "ab_".repeat(30) + "世",
            "é".repeat(70),
        ] {
            let around = text(&mut random, 3);
            texts.push(format!("{around} {more} {around}{more}\n{more}"));
        }
        let longest = [3, 8, 150][round % 3];
        let lengths: Vec<Vec<Vec<i64>>> = (0..width)
            .map(|_| {
                let of_text = |text: &String| random_lengths(&mut random, text, longest);
                texts.iter().map(of_text).collect()
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let marks: Vec<Marks> = lengths
            .iter()
            .map(|of_texts| {
                let mut offsets = vec![0];
                for one in of_texts {
                    offsets.push(offsets[offsets.len() - 1] + one.len() as i64);
                }
                Marks::of_lengths(&texts, &of_texts.concat(), &offsets).unwrap()
            })
            .collect();
        let marks: Vec<&Marks> = marks.iter().collect();
        let ranges: Vec<Vec<(usize, usize)>> = texts
            .iter()
            .map(|text| {
                let mut found = Vec::new();
                words::words(text, |start, end| found.push((start, end)));
                found
            })
            .collect();
        let given = Words::Given(ranges.iter().map(Vec::as_slice).collect());
        let mut naive = Naive::default();
        let mut all = Found::of(0, 0, 0);
        for (number, text) in texts.iter().enumerate() {
            let starts: Vec<_> = lengths.iter().map(|one| starts_of(&one[number])).collect();
            let (row, both) = naive.row(text, &starts, &ranges[number]);
            all.rows.extend(row);
            all.both.extend(both);
        }
        for (threads, size) in [(1, 1), (2, 40), (3, 1 << 18)] {
            for words in [&Words::Segmenter, &given] {
                let places = Places::new(width, ALL, threads);
                assert_eq!(places.add_pieces(&texts, &marks, words, size), all);
                let types = places.types().unwrap();
                for (number, found) in types.into_iter().enumerate() {
                    assert_eq!(found, naive.types(number));
                }
            }
        }
        let small = Places::new(width, ALL, 2).with_budget(1);
        assert_eq!(small.add(&texts, &marks, &Words::Segmenter), all);
        assert_eq!(small.types(), None);
        assert_eq!(small.add(&texts, &marks, &Words::Segmenter), all);
    }
}

#[test]
fn what_is_not_wanted_is_zero() {
    let texts = ["12345 naïve"];
    let marks = Marks::of_lengths(&texts, &[1; 12], &[0, 12]).unwrap();
    let nothing = Wanted {
        types: false,
        characters: false,
        numbers: false,
        shared: false,
    };
    let places = Places::new(2, nothing, 1);
    let found = places.add(&texts, &[&marks, &marks], &Words::Nowhere);
    assert_eq!((found.rows, found.both), (vec![0; 13], vec![]));
    assert_eq!(places.types(), None);
}
