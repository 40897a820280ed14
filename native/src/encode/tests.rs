use std::sync::Arc;

use super::batch::{Counts, Ids, Job, Work};
use super::*;
use crate::count::Watch;
use crate::pretok::Kind;
use crate::testing::{budget, Random};

type Token = (u32, Vec<u8>);

/// Bytes, then every merge of two earlier tokens that the random numbers say.
fn vocabulary(random: &mut Random, merges: usize) -> (Vec<Token>, Vec<(u32, u32, u32)>) {
    let letters: Vec<u32> = b" abcde'1\n".iter().map(|&byte| u32::from(byte)).collect();
    let mut tokens: Vec<Token> = (0..=255).map(|byte| (byte, vec![byte as u8])).collect();
    let mut known = letters;
    let mut made = Vec::new();
    for _ in 0..merges {
        let left = known[random.below(known.len())];
        let right = known[random.below(known.len())];
        let token = [&tokens[left as usize].1[..], &tokens[right as usize].1].concat();
        if token.len() < 20 && tokens.iter().all(|(_, other)| *other != token) {
            let id = tokens.len() as u32;
            tokens.push((id, token));
            known.push(id);
            made.push((left, right, id));
        }
    }
    (tokens, made)
}

pub fn text(random: &mut Random, words: usize) -> String {
    let letters = ["a", "b", "c", "d", "e", "ab", "'", "1", "é", "表"];
    let mut text = String::new();
    for _ in 0..words {
        text.push_str([" ", " ", " ", "\n", "  ", ""][random.below(6)]);
        let length = [1, 2, 3, 5, 8, 13, 60][random.below(7)];
        for _ in 0..random.below(length) {
            text.push_str(letters[random.below(letters.len())]);
        }
    }
    text
}

/// Pretoken by pretoken, with nothing kept.
fn naive(encoder: &Encoder, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    encoder.splitter.for_each(text, |pretoken| {
        encoder.encode_pretoken(pretoken.as_bytes(), &mut Scratch::default(), &mut ids);
    });
    ids
}

pub fn encoders(random: &mut Random, budget: Budget) -> [Encoder; 2] {
    let splitter = Arc::new(Splitter::new(Kind::Gpt2, None).unwrap());
    let (tokens, merges) = vocabulary(random, 120);
    let merging = Encoder::from_merges(splitter.clone(), &tokens, merges, false);
    let ranks = Encoder::from_ranks(splitter, &tokens);
    [merging, ranks].map(|encoder| encoder.unwrap().with_budget(budget))
}

/// In two portions, with a pause after every block.
fn pausing(work: &Work<'_>) {
    while !work(&|| true) {}
}

fn encode(
    encoder: &Encoder,
    texts: &[&str],
    threads: usize,
    specials: Option<&Specials>,
    size: usize,
) -> (Vec<u32>, Vec<usize>) {
    let watch = Watch::default();
    let job = Job {
        size,
        ..Job::new(encoder, threads, specials, &watch)
    };
    let mut ids = Ids::new(job, texts.len(), 0);
    let (first, second) = texts.split_at(texts.len() / 3);
    ids.add(first, 0, pausing);
    ids.add(second, first.len(), pausing);
    ids.finish()
}

fn count(encoder: &Encoder, texts: &[&str], threads: usize, size: usize) -> Vec<i64> {
    let watch = Watch::default();
    let job = Job {
        size,
        ..Job::new(encoder, threads, None, &watch)
    };
    let mut counts = Counts::new(job, texts.len());
    let (first, second) = texts.split_at(texts.len() / 3);
    counts.add(first, 0, pausing);
    counts.add(second, first.len(), pausing);
    counts.finish()
}

/// Nothing fits, little fits, all fits.
const BUDGETS: [(usize, usize); 4] = [(0, 0), (1 << 10, 1 << 12), (1 << 14, 0), (1 << 23, 1 << 23)];

#[test]
fn every_way_is_the_naive_one_whatever_the_cache_holds() {
    let mut random = Random(11);
    for round in 0..8 * budget() {
        let (first, second) = BUDGETS[round % BUDGETS.len()];
        for encoder in encoders(&mut random, Budget { first, second }) {
            let texts: Vec<String> = (0..30)
                .map(|n| text(&mut random, if n == 7 { 3000 } else { n * n % 97 }))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let each: Vec<Vec<u32>> = texts.iter().map(|text| naive(&encoder, text)).collect();
            let lengths: Vec<usize> = each.iter().map(Vec::len).collect();
            let counts: Vec<i64> = lengths.iter().map(|&length| length as i64).collect();
            for (text, ids) in texts.iter().zip(&each) {
                assert_eq!(encoder.encode(text, None), *ids);
                assert_eq!(encoder.count(text), ids.len());
                let (open, rest) = encoder.encode_open(text);
                assert_eq!(open, naive(&encoder, text)[..open.len()]);
                assert_eq!(ids[open.len()..], naive(&encoder, &text[rest..]));
            }
            for threads in [0, 1, 2, 3, 7] {
                for size in [64, 1000, 1 << 16] {
                    let (ids, found) = encode(&encoder, &texts, threads, None, size);
                    assert_eq!((ids, found), (each.concat(), lengths.clone()));
                    assert_eq!(count(&encoder, &texts, threads, size), counts);
                }
            }
        }
    }
}

#[test]
fn a_text_with_special_tokens_is_cut_between_them() {
    let mut random = Random(12);
    let specials = [
        ("<s>".to_owned(), 900),
        ("<s> <t>".to_owned(), 901),
        (" ab".to_owned(), 902),
    ];
    let specials = Specials::new(&specials).unwrap();
    for encoder in encoders(&mut random, Budget::default()) {
        for _ in 0..20 * budget() {
            let mut whole = String::new();
            for _ in 0..random.below(40) {
                whole += &text(&mut random, 20);
                whole += ["<s>", "<s> <t>", "<s> <s> ab", "<"][random.below(4)];
            }
            let serial = encoder.encode(&whole, Some(&specials));
            for (threads, size) in [(1, 30), (3, 100), (7, 500)] {
                let texts = ["", &whole, "<s>"];
                let (ids, lengths) = encode(&encoder, &texts, threads, Some(&specials), size);
                assert_eq!(lengths, [0, serial.len(), 1]);
                assert_eq!(ids, [&serial[..], &[900]].concat());
            }
        }
    }
}

#[test]
fn a_cache_keeps_to_its_budget() {
    let mut random = Random(13);
    for budget in [(1 << 10, 1 << 12), (1 << 14, 1 << 15)] {
        let budget = Budget {
            first: budget.0,
            second: budget.1,
        };
        for encoder in encoders(&mut random, budget) {
            let mut largest = 0;
            for _ in 0..300 {
                encoder.encode(&text(&mut random, 50), None);
                let caches = encoder.caches.lock().unwrap();
                assert_eq!(caches.len(), 1);
                largest = largest.max(caches[0].allocated());
            }
            // One pretoken more than the budget may be held, with as many ids as it has bytes.
            let most = budget.first + budget.second + (1 << 13);
            assert!(
                largest > budget.first && largest <= most,
                "{largest} of {most}"
            );
        }
    }
}

#[test]
fn who_finds_the_caches_locked_goes_on_without() {
    let mut random = Random(14);
    for encoder in encoders(&mut random, Budget::default()) {
        let text = text(&mut random, 100);
        let held = encoder.caches.lock().unwrap();
        assert_eq!(encoder.encode(&text, None), naive(&encoder, &text));
        drop(held);
    }
}

#[test]
fn what_is_told_to_stop_stops() {
    let mut random = Random(15);
    let [encoder, _] = encoders(&mut random, Budget::default());
    let text = text(&mut random, 1000);
    let watch = Watch::default();
    watch.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let (ids, lengths) = encoder.encode_batch(&[&text], 3, None, &watch);
    assert_eq!((ids, lengths), (vec![], vec![0]));
}
