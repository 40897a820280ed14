use std::collections::HashMap;

use super::*;
use crate::testing::{budget, Random};

/// The rules in plain code: count all pairs, take the best, replace it, count again.
fn learn_naively(items: &[(&[u8], u64)], options: &TrainOptions) -> Vec<Merge> {
    let mut words: Vec<(Vec<u32>, u64)> = items
        .iter()
        .map(|&(word, count)| (word.iter().map(|&byte| u32::from(byte)).collect(), count))
        .collect();
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let mut merges = Vec::new();
    while merges.len() < options.max_merges {
        let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
        for (word, count) in &words {
            for pair in word.windows(2) {
                *counts.entry((pair[0], pair[1])).or_default() += count;
            }
        }
        let best = match options.tie_break {
            TieBreak::Bytes => counts.iter().max_by_key(|&(&(left, right), &count)| {
                (count, &tokens[left as usize], &tokens[right as usize])
            }),
            TieBreak::Huggingface => counts.iter().max_by_key(|&(&(left, right), &count)| {
                let order = (huggingface_order(left), huggingface_order(right));
                (count, std::cmp::Reverse(order))
            }),
        };
        let Some((&(left, right), &count)) = best else {
            break;
        };
        if count < options.min_frequency.max(1) {
            break;
        }
        let new = tokens.len() as u32;
        tokens.push(
            [
                tokens[left as usize].clone(),
                tokens[right as usize].clone(),
            ]
            .concat(),
        );
        for (word, _) in &mut words {
            let mut merged = Vec::new();
            let mut at = 0;
            while at < word.len() {
                if word[at..].starts_with(&[left, right]) {
                    merged.push(new);
                    at += 2;
                } else {
                    merged.push(word[at]);
                    at += 1;
                }
            }
            *word = merged;
        }
        merges.push(Merge { left, right, count });
    }
    merges
}

/// Bytes by the code point of the character that stands for them in GPT-2's files; merges after them.
fn huggingface_order(id: u32) -> u32 {
    let shown = |byte: u32| matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    if id > 255 {
        1000 + id
    } else if shown(id) {
        id
    } else {
        256 + (0..id).filter(|&byte| !shown(byte)).count() as u32
    }
}

fn learn(items: &[(&[u8], u64)], options: &TrainOptions) -> Vec<Merge> {
    learn_merges(items, options, &mut |_| true).expect("small")
}

fn options(max_merges: usize, min_frequency: u64, tie_break: TieBreak) -> TrainOptions {
    TrainOptions {
        max_merges,
        min_frequency,
        tie_break,
    }
}

/// Letters in runs, since runs are where counting and merging overlap.
fn random_word(random: &mut Random, letters: &[u8], longest: usize) -> Vec<u8> {
    let mut word = Vec::new();
    let length = random.below(longest + 1);
    while word.len() < length {
        let letter = letters[random.below(letters.len())];
        let run = if random.below(3) == 0 {
            1 + random.below(9)
        } else {
            1
        };
        word.extend(std::iter::repeat_n(letter, run));
    }
    word
}

fn spell(merges: &[Merge]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let mut pairs = Vec::new();
    for merge in merges {
        let (left, right) = (&tokens[merge.left as usize], &tokens[merge.right as usize]);
        pairs.push((left.clone(), right.clone()));
        tokens.push([left.as_slice(), right].concat());
    }
    pairs
}

#[test]
fn equals_the_naive_trainer() {
    let alphabets: [&[u8]; 6] = [
        b"a",
        b"ab",
        b"abc",
        b" !\xadz",
        b"\x00\xff",
        b"abcdefghijkl",
    ];
    let mut random = Random(7);
    for trial in 0..1500 * budget() {
        let letters = alphabets[trial % alphabets.len()];
        let longest = [3, 12, 60][random.below(3)];
        let number = 1 + random.below(12);
        let words: Vec<(Vec<u8>, u64)> = (0..number)
            .map(|_| {
                (
                    random_word(&mut random, letters, longest),
                    random.below(5) as u64,
                )
            })
            .collect();
        let items: Vec<(&[u8], u64)> = words
            .iter()
            .map(|(word, n)| (word.as_slice(), *n))
            .collect();
        for tie_break in [TieBreak::Bytes, TieBreak::Huggingface] {
            let options = options(
                [1, 5, 1000][random.below(3)],
                random.below(4) as u64,
                tie_break,
            );
            assert_eq!(
                learn(&items, &options),
                learn_naively(&items, &options),
                "{words:?} under {options:?}"
            );
        }
    }
}

#[test]
fn the_order_of_items_does_not_matter() {
    let mut random = Random(3);
    let words: Vec<Vec<u8>> = (0..200)
        .map(|_| random_word(&mut random, b"abcd ", 12))
        .collect();
    let mut items: Vec<(&[u8], u64)> = words
        .iter()
        .enumerate()
        .map(|(n, word)| (word.as_slice(), n as u64 % 7))
        .collect();
    let options = options(500, 2, TieBreak::Bytes);
    let expected = learn(&items, &options);
    assert!(expected.len() > 100);
    items.reverse();
    assert_eq!(learn(&items, &options), expected);
}

#[test]
fn the_textbook_example() {
    let items: [(&[u8], u64); 4] = [(b"low", 5), (b"lower", 2), (b"newest", 6), (b"widest", 3)];
    let merges = learn(&items, &options(2, 1, TieBreak::Bytes));
    let expected = [
        (b"s".to_vec(), b"t".to_vec()),
        (b"e".to_vec(), b"st".to_vec()),
    ];
    assert_eq!(spell(&merges), expected);
    assert_eq!(merges[0].count, 9);
}

#[test]
fn a_run_counts_every_adjacent_place() {
    let merges = learn(&[(b"aaaa", 1)], &options(9, 1, TieBreak::Bytes));
    let counts: Vec<u64> = merges.iter().map(|merge| merge.count).collect();
    assert_eq!(counts, [3, 1]);
}

#[test]
fn training_ends_where_the_options_say() {
    let items: [(&[u8], u64); 2] = [(b"ab", 3), (b"cd", 2)];
    assert_eq!(learn(&items, &options(0, 1, TieBreak::Bytes)), []);
    assert_eq!(learn(&items, &options(1, 1, TieBreak::Bytes)).len(), 1);
    assert_eq!(learn(&items, &options(9, 3, TieBreak::Bytes)).len(), 1);
    assert_eq!(learn(&items, &options(9, 0, TieBreak::Bytes)).len(), 2);
    assert_eq!(learn(&[], &options(9, 0, TieBreak::Bytes)), []);
    assert_eq!(
        learn(&[(b"", 4), (b"a", 4)], &options(9, 0, TieBreak::Bytes)),
        []
    );
}

#[test]
fn the_callback_can_stop_the_work() {
    let items: [(&[u8], u64); 1] = [(b"abcdef", 3)];
    let mut seen = Vec::new();
    let result = learn_merges(&items, &options(9, 1, TieBreak::Bytes), &mut |done| {
        seen.push(done);
        done < 2
    });
    assert_eq!(result, Err(TrainError::Interrupted));
    assert_eq!(seen, [0, 1, 2]);
}

#[test]
fn counts_beyond_32_bits() {
    let large = 1 << 40;
    let items: [(&[u8], u64); 3] = [(b"ab", large), (b"cd", large + 1), (b"abab", 3 * large)];
    let merges = learn(&items, &options(9, 1, TieBreak::Bytes));
    assert_eq!(
        merges,
        learn_naively(&items, &options(9, 1, TieBreak::Bytes))
    );
    assert_eq!(merges[0].count, 7 * large);
    let items: [(&[u8], u64); 2] = [(b"ab", u64::MAX / 2), (b"cd", u64::MAX / 2)];
    let result = learn_merges(&items, &options(9, 1, TieBreak::Bytes), &mut |_| true);
    assert_eq!(result, Err(TrainError::TooLarge));
}

#[test]
fn long_pretokens_are_not_quadratic() {
    // Anything quadratic takes far too long here.
    let length = 1 << 18;
    let mut random = Random(5);
    let letters: Vec<u8> = (0..length).map(|_| b'a' + random.below(26) as u8).collect();
    let run = vec![b'a'; length + 1];
    for word in [run, b"ab".repeat(length / 2), letters] {
        for tie_break in [TieBreak::Bytes, TieBreak::Huggingface] {
            for min_frequency in [1, 2] {
                let merges = learn(&[(&word, 1)], &options(1000, min_frequency, tie_break));
                assert!(merges.len() >= 17);
            }
        }
    }
}
