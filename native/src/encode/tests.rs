use std::sync::Arc;

use super::batch::{Job, Work};
use super::cache::KEPT_ROOM;
use super::texts::{Malformed, Text};
use super::*;
use crate::count::Watch;
use crate::pretok::Kind;
use crate::testing::{self, Random};

type Token = (u32, Vec<u8>);

/// Bytes, then every merge of two earlier tokens that the random numbers say.
pub fn vocabulary(random: &mut Random, merges: usize) -> (Vec<Token>, Vec<(u32, u32, u32)>) {
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

/// With a pause after every block.
fn pausing(work: &Work<'_>) {
    while !work(&|| true) {}
}

fn job<'e>(encoder: &'e Encoder, threads: usize, size: usize, watch: &'e Watch) -> Job<'e> {
    Job {
        size,
        ..Job::new(encoder, threads, None, watch)
    }
}

fn encode(
    job: Job<'_>,
    texts: &[&str],
    held: impl Fn(&str) -> Held,
) -> Result<(Vec<u32>, Vec<usize>), Malformed> {
    let held: Vec<Held> = texts.iter().map(|text| held(text)).collect();
    let texts: Vec<Text<'_>> = held.iter().map(Held::text).collect();
    let (ids, lengths) = job.encode(&texts, pausing)?;
    let counts: Vec<i64> = lengths.iter().map(|&length| length as i64).collect();
    if job.specials.is_none() {
        assert_eq!(job.count(&texts, pausing), Ok(counts));
    }
    Ok((ids.to_vec(), lengths))
}

/// A text in each of the ways that it can be held.
enum Held {
    Utf8(String),
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

impl Held {
    fn utf8(text: &str) -> Held {
        Held::Utf8(text.to_owned())
    }

    /// As Python does.
    fn narrowest(text: &str) -> Held {
        let codes = || text.chars().map(u32::from);
        match codes().max().unwrap_or(0) {
            0..0x80 => Held::utf8(text),
            0x80..0x100 => Held::One(codes().map(|code| code as u8).collect()),
            0x100..0x10000 => Held::Two(codes().map(|code| code as u16).collect()),
            _ => Held::four(text),
        }
    }

    fn four(text: &str) -> Held {
        Held::Four(text.chars().map(u32::from).collect())
    }

    fn text(&self) -> Text<'_> {
        match self {
            Held::Utf8(text) => Text::Utf8(text),
            Held::One(units) => Text::One(units),
            Held::Two(units) => Text::Two(units),
            Held::Four(units) => Text::Four(units),
        }
    }
}

/// Nothing fits, little fits, all fits.
const BUDGETS: [(usize, usize, usize); 6] = [
    (0, 0, 0),
    (1 << 10, 1 << 10, 1 << 12),
    (0, 1 << 14, 0),
    (1 << 12, 1 << 23, 1 << 23),
    (1 << 20, 0, 0),
    (0, 0, 1 << 20),
];

#[test]
fn every_way_is_the_naive_one_whatever_the_cache_holds() {
    let mut random = Random(11);
    for round in 0..12 * testing::budget() {
        let (shared, first, second) = BUDGETS[round % BUDGETS.len()];
        let budget = Budget {
            shared,
            first,
            second,
        };
        for encoder in encoders(&mut random, budget) {
            let texts: Vec<String> = (0..30)
                .map(|n| text(&mut random, if n == 7 { 3000 } else { n * n % 97 }))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let each: Vec<Vec<u32>> = texts.iter().map(|text| naive(&encoder, text)).collect();
            let lengths: Vec<usize> = each.iter().map(Vec::len).collect();
            for (text, ids) in texts.iter().zip(&each) {
                assert_eq!(encoder.encode(text, None), *ids);
                assert_eq!(encoder.count(text), ids.len());
                let (open, rest) = encoder.encode_open(text);
                assert_eq!(open, naive(&encoder, text)[..open.len()]);
                assert_eq!(ids[open.len()..], naive(&encoder, &text[rest..]));
            }
            let watch = Watch::default();
            for threads in [0, 1, 2, 3, 7] {
                for size in [64, 1000, 1 << 16] {
                    for held in [Held::utf8, Held::narrowest, Held::four] {
                        let found = encode(job(&encoder, threads, size, &watch), &texts, held);
                        assert_eq!(found, Ok((each.concat(), lengths.clone())));
                    }
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
    let watch = Watch::default();
    for encoder in encoders(&mut random, Budget::default()) {
        for _ in 0..20 * testing::budget() {
            let mut whole = String::new();
            for _ in 0..random.below(40) {
                whole += &text(&mut random, 20);
                whole += ["<s>", "<s> <t>", "<s> <s> ab", "<"][random.below(4)];
            }
            let serial = encoder.encode(&whole, Some(&specials));
            for (threads, size) in [(1, 30), (3, 100), (7, 500)] {
                let texts = ["", &whole, "<s>"];
                for held in [Held::utf8, Held::narrowest, Held::four] {
                    let job = Job {
                        specials: Some(&specials),
                        ..job(&encoder, threads, size, &watch)
                    };
                    let (ids, lengths) = encode(job, &texts, held).unwrap();
                    assert_eq!(lengths, [0, serial.len(), 1]);
                    assert_eq!(ids, [&serial[..], &[900]].concat());
                }
            }
        }
    }
}

#[test]
fn a_cache_keeps_to_its_budget() {
    let mut random = Random(13);
    for budget in [(1 << 10, 1 << 12), (1 << 14, 1 << 15)] {
        let budget = Budget {
            shared: 1 << 10,
            first: budget.0,
            second: budget.1,
        };
        for encoder in encoders(&mut random, budget) {
            let mut largest = 0;
            for _ in 0..300 {
                encoder.encode(&text(&mut random, 50), None);
                let kept = encoder.kept.lock().unwrap();
                assert_eq!(kept.caches.len(), 1);
                largest = largest.max(kept.caches[0].allocated());
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
fn a_cache_at_rest_has_no_more_room_than_a_usual_text_needs() {
    let mut random = Random(19);
    for encoder in encoders(&mut random, Budget::default()) {
        // One pretoken, and very many that are all new.
        let new = (0..1 << 17).map(|number| format!(" {number}"));
        for text in ["ab".repeat(1 << 16), new.collect()] {
            let watch = Watch::default();
            assert_eq!(encoder.encode(&text, None), naive(&encoder, &text));
            encode(job(&encoder, 2, 1 << 20, &watch), &[&text], Held::utf8).unwrap();
            for cache in &encoder.kept.lock().unwrap().caches {
                assert!(cache.room() <= KEPT_ROOM, "{}", cache.room());
            }
        }
    }
}

#[test]
fn caches_at_rest_share_one_table_whatever_they_worked_with() {
    let mut random = Random(20);
    for encoder in encoders(&mut random, Budget::default()) {
        let mut held = Some(encoder.kept.lock().unwrap());
        encoder.with_cache(1 << 20, |cache| {
            held = None;
            let kept = encoder.kept.lock().unwrap();
            assert!(!Arc::ptr_eq(&cache.shared, &kept.shared));
        });
        // A larger table comes while another call works.
        encoder.with_cache(10, |_| encoder.with_cache(1 << 20, |_| ()));
        let kept = encoder.kept.lock().unwrap();
        assert_eq!(kept.caches.len(), 2);
        for cache in &kept.caches {
            assert!(Arc::ptr_eq(&cache.shared, &kept.shared));
        }
    }
}

#[test]
fn who_finds_the_caches_locked_goes_on_without() {
    let mut random = Random(14);
    for encoder in encoders(&mut random, Budget::default()) {
        let text = text(&mut random, 100);
        let held = encoder.kept.lock().unwrap();
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
    let job = job(&encoder, 3, 64, &watch);
    assert_eq!(encode(job, &[&text], Held::utf8), Ok((vec![], vec![0])));
}

#[test]
fn every_code_point_is_its_utf8_and_a_surrogate_is_refused() {
    let mut room = Vec::new();
    for code in 0..0x11_0000_u32 {
        let units: Vec<u32> = (0..17)
            .map(|place| if place == code % 17 { code } else { 0x61 })
            .collect();
        let expected: Option<String> = units.iter().map(|&unit| char::from_u32(unit)).collect();
        let expected = expected.ok_or(Malformed);
        assert_eq!(
            Text::Four(&units).utf8(&mut room).map(str::to_owned),
            expected
        );
        if let Ok(units) = units
            .iter()
            .map(|&unit| u16::try_from(unit))
            .collect::<Result<Vec<_>, _>>()
        {
            assert_eq!(
                Text::Two(&units).utf8(&mut room).map(str::to_owned),
                expected
            );
        }
        if let Ok(units) = units
            .iter()
            .map(|&unit| u8::try_from(unit))
            .collect::<Result<Vec<_>, _>>()
        {
            assert_eq!(
                Text::One(&units).utf8(&mut room).map(str::to_owned),
                expected
            );
        }
    }
    let mut random = Random(16);
    let [encoder, _] = encoders(&mut random, Budget::default());
    let mut units: Vec<u16> = text(&mut random, 1000).encode_utf16().collect();
    for (place, threads) in [(0, 1), (units.len() / 2, 3), (units.len() - 1, 2)] {
        let before = std::mem::replace(&mut units[place], 0xD800);
        let watch = Watch::default();
        let job = job(&encoder, threads, 64, &watch);
        let texts = [Text::Utf8("ab"), Text::Two(&units)];
        assert_eq!(job.encode(&texts, pausing), Err(Malformed));
        assert_eq!(job.count(&texts, pausing), Err(Malformed));
        units[place] = before;
    }
}

#[test]
fn threads_of_a_call_share_one_table() {
    let mut random = Random(18);
    let watch = Watch::default();
    for encoder in encoders(&mut random, Budget::default()) {
        // Pretokens that are all different, of three bytes, so of three ids at most.
        let letters = || ('a'..='z').chain('A'..='Z');
        let pretokens = letters().flat_map(|one| letters().map(move |two| format!(" {one}{two}")));
        let text: String = pretokens.collect();
        let unused = Cache::new(encoder.kept.lock().unwrap().shared.clone(), encoder.budget);
        for held in [false, true] {
            let lock = held.then(|| encoder.kept.lock().unwrap());
            let caches = encoder.take_caches(6, 1 << 20);
            assert_eq!(caches.len(), 6);
            for cache in &caches {
                assert!(Arc::ptr_eq(&cache.shared, &caches[0].shared));
                assert!(cache.shared.lines() >= 1 << 15);
            }
            drop(lock);
        }
        encode(job(&encoder, 6, 100, &watch), &[&text], Held::utf8).unwrap();
        let kept = encoder.kept.lock().unwrap();
        assert!(kept.caches.len() > 1);
        for cache in &kept.caches {
            assert!(Arc::ptr_eq(&cache.shared, &kept.shared));
            // It had no need of a table for itself.
            assert_eq!(cache.allocated(), unused.allocated());
        }
    }
}

#[test]
fn a_large_text_gets_a_large_table() {
    let mut random = Random(17);
    for encoder in encoders(&mut random, Budget::default()) {
        let text = text(&mut random, 1000);
        let text = text.repeat((1 << 23) / text.chars().count() + 1);
        let lines = || encoder.kept.lock().unwrap().shared.lines();
        let (small, large) = (lines(), Budget::default().shared / 64);
        assert!(small < large);
        let watch = Watch::default();
        for (length, expected_lines) in [(500, small), (text.len(), large), (1000, large)] {
            let mut length = length;
            while !text.is_char_boundary(length) {
                length += 1;
            }
            let text = &text[..length];
            let expected = naive(&encoder, text);
            let found = encode(job(&encoder, 2, 1 << 16, &watch), &[text], Held::four);
            assert_eq!(found, Ok((expected.clone(), vec![expected.len()])));
            assert_eq!(lines(), expected_lines);
        }
    }
}
