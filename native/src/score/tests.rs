use std::collections::BTreeMap;

use super::*;
use crate::bpe::Scratch;
use crate::encode::tests::{encoders, text};
use crate::testing::{budget, Random};

#[derive(Default)]
struct Naive {
    counts: BTreeMap<Vec<u8>, u64>,
    ids: Vec<BTreeMap<u32, i64>>,
    pairs: Vec<BTreeMap<(u32, u32), u64>>,
    /// Where tokens begin, by text and encoder.
    starts: Vec<Vec<Vec<usize>>>,
}

impl Naive {
    fn row(&mut self, encoders: &[Arc<Encoder>], text: &str) -> Vec<i64> {
        let mut row = vec![0; 1 + encoders.len()];
        self.ids.resize_with(encoders.len(), BTreeMap::new);
        self.pairs.resize_with(encoders.len(), BTreeMap::new);
        let mut starts = vec![Vec::new(); encoders.len()];
        let mut before = vec![None; encoders.len()];
        let mut ends = vec![0; encoders.len()];
        encoders[0].splitter.for_each(text, |pretoken| {
            row[0] += 1;
            *self.counts.entry(pretoken.into()).or_default() += 1;
            for (number, encoder) in encoders.iter().enumerate() {
                let mut ids = Vec::new();
                encoder.encode_pretoken(pretoken.as_bytes(), &mut Scratch::default(), &mut ids);
                row[1 + number] += ids.len() as i64;
                for id in ids {
                    *self.ids[number].entry(id).or_default() += 1;
                    starts[number].push(ends[number]);
                    ends[number] += encoder.token(id).len();
                    if let Some(before) = before[number].replace(id) {
                        *self.pairs[number].entry((before, id)).or_default() += 1;
                    }
                }
            }
        });
        self.starts.push(starts);
        row
    }

    fn pair_counts(&self, number: usize) -> PairCounts {
        let pairs = &self.pairs[number];
        let mut firsts: BTreeMap<u32, u64> = BTreeMap::new();
        for (&(first, _), count) in pairs {
            *firsts.entry(first).or_default() += count;
        }
        PairCounts {
            pairs: following::histogram(pairs.values().copied()),
            firsts: following::histogram(firsts.into_values()),
        }
    }
}

#[test]
fn scores_are_the_naive_ones_for_any_threads_and_memory() {
    let mut random = Random(21);
    for round in 0..6 * budget() {
        let number = [1, 2, 7, 8, 9, 17][round % 6];
        let all: Vec<Arc<Encoder>> = (0..number)
            .flat_map(|_| encoders(&mut random, crate::encode::Budget::default()))
            .map(Arc::new)
            .take(number)
            .collect();
        let mut texts: Vec<String> = (0..20).map(|n| text(&mut random, n * n % 97)).collect();
        texts.push(text(&mut random, 3000));
        // More tokens than a lane holds, once and often.
        texts.push("表".repeat(400) + " a" + &" ".repeat(300) + "1" + &"é".repeat(127));
        texts.push("!".repeat(255).replace("!!!", "!表") + "a ");
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for threads in [1, 2, 3, 7] {
            for (size, memory) in [(100, 0), (1000, 1 << 19), (1 << 16, BUDGET)] {
                let splitter = all[0].splitter.clone();
                let mut scorer = Scorer::new(splitter, all.clone(), threads).with_budget(memory);
                let marked = if threads > 1 {
                    number.min(1 + threads)
                } else {
                    0
                };
                scorer = scorer.with_marks(marked).with_pairs(marked);
                let mut naive = Naive::default();
                for some in [&texts[..], &texts[..5], &[], &texts[3..]] {
                    let rows: Vec<i64> =
                        some.iter().flat_map(|text| naive.row(&all, text)).collect();
                    let (found, marks) = scorer.add_blocks(some, size);
                    assert_eq!(found.tokens, rows);
                    assert_eq!(marks.fit(some), threads > 1 || some.is_empty());
                    if threads > 1 {
                        let starts = naive.starts.split_off(naive.starts.len() - some.len());
                        for (text, starts) in starts.into_iter().enumerate() {
                            let of_text = (0..marked).map(|number| marks.places(text, number));
                            assert_eq!(of_text.collect::<Vec<_>>(), starts[..marked]);
                        }
                    }
                }
                let pairs = scorer.pair_counts();
                assert_eq!(pairs.is_some(), scorer.counts_pairs());
                assert_eq!(scorer.counts_pairs(), threads > 1 && scorer.pruned() == 0);
                for (number, pairs) in pairs.into_iter().flatten().enumerate() {
                    assert_eq!(pairs, naive.pair_counts(number));
                }
                for (number, encoder) in all.iter().enumerate() {
                    let counts = scorer.id_counts(number);
                    assert_eq!(counts.len(), encoder.id_bound());
                    let found: BTreeMap<u32, i64> =
                        (0..).zip(counts).filter(|found| found.1 > 0).collect();
                    assert_eq!(found, naive.ids[number]);
                }
                assert_eq!(scorer.broken(), []);
                let pruned = scorer.pruned() > 0;
                assert!(pruned || memory > 0);
                assert!(!pruned || memory < BUDGET);
                let held = scorer.pretokens();
                assert_eq!(held.is_none(), pruned);
                if let Some(held) = held {
                    let held = held.sorted_items();
                    let seen: Vec<_> = naive.counts.iter().map(|(key, &n)| (&key[..], n)).collect();
                    assert_eq!((held.len(), held), (scorer.distinct(), seen));
                } else {
                    assert!(scorer.distinct() < naive.counts.len());
                }
            }
        }
    }
}

#[test]
fn the_rarest_are_let_go_first() {
    let mut random = Random(22);
    let all = encoders(&mut random, crate::encode::Budget::default()).map(Arc::new);
    let rare: String = (0..20_000).map(|n| format!(" {n}x")).collect();
    let often = " ab cde".repeat(100);
    let scorer = Scorer::new(all[0].splitter.clone(), all.to_vec(), 2).with_budget(1 << 20);
    scorer.add(&[&often, &rare, &often]);
    assert!(scorer.pruned() > 0);
    assert!(scorer.distinct() > 0);
    for row in scorer.differences(0, 1, 100) {
        assert!(row.count >= 2);
    }
    let total: i64 = scorer.id_counts(0).iter().sum();
    let rows = scorer.add(&[&often, &rare, &often]);
    assert_eq!(total, rows[1] + rows[4] + rows[7]);
}

/// The same figures as by marks, for any threads, blocks and memory.
#[test]
fn what_is_known_of_odd_pretokens_is_counted_too() {
    let mut random = Random(24);
    let all: Vec<Arc<Encoder>> = (0..4)
        .flat_map(|_| encoders(&mut random, crate::encode::Budget::default()))
        .map(Arc::new)
        .collect();
    let wanted = Wanted {
        types: false,
        characters: true,
        numbers: true,
        shared: false,
    };
    let asked = Asked {
        tokenizers: all.len(),
        words: true,
        wanted,
    };
    const OF_EACH: usize = 500;
    let letters = |number: usize| -> String {
        let digits = format!("{number:03}");
        let letters = digits.bytes().map(|digit| char::from(digit - b'0' + b'k'));
        letters.collect()
    };
    let scorer = || Scorer::new(all[0].splitter.clone(), all.clone(), 1).with_places(asked);
    let taken = |text: &dyn Fn(String) -> String| {
        let scorer = scorer();
        let texts: Vec<String> = (0..OF_EACH).map(|number| text(letters(number))).collect();
        scorer.add(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let state = lock(&scorer.states[0]);
        state.allocated()
    };
    // Characters of several bytes, of which figures are kept that are no lanes; more bytes than a row has bits.
    let row = asked.row_width() * size_of::<i64>();
    assert!(taken(&|letters| format!(" é{letters}")) > OF_EACH * row);
    let starts = 80 * all.len() * size_of::<usize>();
    assert!(taken(&|letters| format!(" {letters}{}", "q".repeat(80))) > OF_EACH * starts);
}

#[test]
fn places_by_pretoken_are_those_by_marks() {
    const SOME: [&str; 24] = [
        " the",
        " cat",
        "cat",
        "'s",
        "n't",
        "1",
        "12345",
        "3.14",
        " 1,234,567",
        "é",
        " naïve",
        "世界。",
        "我们",
        "😀",
        "\n",
        " ",
        ", ",
        ".",
        "ไทย",
        "e\u{301}",
        " “ab”",
        "_x",
        "—",
        "don’t",
    ];
    let mut random = Random(23);
    for round in 0..8 * budget() {
        let number = [1, 2, 8, 9][round % 4];
        let all: Vec<Arc<Encoder>> = (0..number)
            .flat_map(|_| encoders(&mut random, crate::encode::Budget::default()))
            .map(Arc::new)
            .take(number)
            .collect();
        let tokenizers = 1 + random.below(number);
        let mut texts: Vec<String> = (0..20)
            .map(|n| {
                (0..n * n % 97)
                    .map(|_| SOME[random.below(SOME.len())])
                    .collect()
            })
            .collect();
        texts.push((0..3000).map(|_| SOME[random.below(SOME.len())]).collect());
        texts.push(" a".repeat(700) + &"x".repeat(300) + " b" + &"12".repeat(200));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let asked = Asked {
            tokenizers,
            words: round % 3 < 2,
            wanted: Wanted {
                types: round % 2 == 0,
                characters: round % 5 > 0,
                numbers: round % 7 > 0,
                shared: true,
            },
        };
        for (threads, size, memory) in [(1, 1 << 16, BUDGET), (2, 100, BUDGET), (3, 500, 1 << 16)] {
            let scorer = |memory| {
                let splitter = all[0].splitter.clone();
                Scorer::new(splitter, all.clone(), threads).with_budget(memory)
            };
            let marking = scorer(BUDGET).with_marks(tokenizers);
            let mut placing = scorer(memory).with_places(asked);
            if threads == 2 {
                placing = placing.with_marks(tokenizers);
            }
            let places = places::Places::new(tokenizers, asked.wanted, 1);
            let words = if asked.words {
                places::Words::Segmenter
            } else {
                places::Words::Nowhere
            };
            for some in [&texts[..], &texts[..5], &[], &texts[3..]] {
                let (rows, marks) = marking.add_marked(some);
                let (found, found_marks) = placing.add_blocks(some, size);
                assert_eq!(found.tokens, rows);
                let by_marks = places.add(some, &[&marks], &words);
                assert_eq!((found.places, found.both), (by_marks.rows, by_marks.both));
                assert!(threads != 2 || found_marks == marks);
            }
            let types = placing.types();
            assert_eq!(types.is_some(), placing.counts_types());
            if memory == BUDGET {
                assert_eq!(types, places.types().filter(|_| asked.words));
            }
        }
    }
}
