use std::collections::BTreeMap;
use std::path::PathBuf;

use super::blocks::cut;
use super::file::{count_content, Content};
use super::*;
use crate::pretok::Kind;
use crate::testing::{budget, Random};

type Expected = BTreeMap<Vec<u8>, u64>;

/// The rules in plain code: at each place the longest special, else the text up to the next one is split.
fn count_naively(texts: &[&str], splitter: &Splitter, specials: &[&str]) -> Expected {
    let mut counts = Expected::new();
    let mut add = |text: &str| {
        splitter.for_each(text, |pretoken| {
            *counts.entry(pretoken.into()).or_default() += 1
        });
    };
    for text in texts {
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let here = |special: &&&str| text.as_bytes()[at..].starts_with(special.as_bytes());
            match specials
                .iter()
                .filter(here)
                .map(|special| special.len())
                .max()
            {
                Some(length) => {
                    add(&text[start..at]);
                    at += length;
                    start = at;
                }
                None => at += 1,
            }
        }
        add(&text[start..]);
    }
    counts
}

fn as_map(counts: &PretokenCounts) -> Expected {
    let sorted = counts.sorted_items();
    assert!(sorted.is_sorted() && sorted.len() == counts.distinct());
    let bytes: u64 = sorted
        .iter()
        .map(|&(key, count)| key.len() as u64 * count)
        .sum();
    assert_eq!(counts.bytes, bytes);
    assert_eq!(
        counts.pretokens,
        sorted.iter().map(|&(_, count)| count).sum::<u64>()
    );
    sorted
        .into_iter()
        .map(|(key, count)| (key.to_vec(), count))
        .collect()
}

fn splitter(kind: Kind) -> Splitter {
    Splitter::new(kind, None).expect("needs no lexicon")
}

fn plain_kinds() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|&kind| kind != Kind::Zh)
}

fn random_text(random: &mut Random, parts: &[&str], longest: usize) -> String {
    (0..random.below(longest + 1))
        .map(|_| parts[random.below(parts.len())])
        .collect()
}

/// Specials that hold blanks, overlap themselves and one another, and extend one another.
const SPECIALS: [&[&str]; 7] = [
    &[],
    &["<s>"],
    &["a b", "b a", "b"],
    &["<a <", "a <a", "<a"],
    &[" ", "a a a a"],
    &["a a", " a", "a a a a a a a a a a a a b"],
    &["中 文", "文 中 ", "文"],
];
const PARTS: &[&str] = &[
    "a", "b", " ", " a", "<a", " <", "<s>", "\n", "1", "'s", "!", "中", "文", "\u{a0}",
];

#[test]
fn blocks_and_threads_change_nothing() {
    let splitters: Vec<Splitter> = plain_kinds().map(splitter).collect();
    let mut random = Random(11);
    let watch = Watch::default();
    for trial in 0..6000 * budget() {
        let specials = SPECIALS[trial % SPECIALS.len()];
        let finder = special_finder(specials).expect("small");
        let parts = &PARTS[..[4, 7, PARTS.len()][random.below(3)]];
        let owned: Vec<String> = (0..1 + random.below(4))
            .map(|_| random_text(&mut random, parts, 60))
            .collect();
        let mut texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        let splitter = &splitters[random.below(splitters.len())];
        let expected = count_naively(&texts, splitter, specials);
        let job = Job {
            splitter,
            specials: finder.as_ref(),
            watch: &watch,
            done: &|_| (),
        };
        for size in [1, 2, 5, 13, 1000] {
            texts.rotate_left(1);
            let counts = job.run(&texts, 1, size).expect("not stopped");
            assert_eq!(as_map(&counts), expected, "{texts:?} {specials:?} {size}");
        }
        if trial % 50 == 0 {
            let counts = job.run(&texts, 3, 4).expect("not stopped");
            assert_eq!(as_map(&counts), expected, "{texts:?} {specials:?}");
        }
    }
}

#[test]
fn a_cut_spans_no_special() {
    let mut random = Random(13);
    let splitter = splitter(Kind::Gpt2);
    let mut cuts = 0;
    for trial in 0..4000 {
        let specials = SPECIALS[trial % SPECIALS.len()];
        let finder = special_finder(specials).expect("small");
        let text = random_text(&mut random, PARTS, 80);
        for at in 0..=text.len() {
            let place = cut(&text, at, &splitter, finder.as_ref());
            assert!(place >= at && text.is_char_boundary(place));
            cuts += usize::from(place < text.len());
            for special in specials {
                let first = place.saturating_sub(special.len() - 1);
                let spans =
                    |start: &usize| text.as_bytes()[*start..].starts_with(special.as_bytes());
                assert_eq!(
                    (first..place).find(spans),
                    None,
                    "{text:?} {special:?} {place}"
                );
            }
        }
    }
    assert!(cuts > 10_000, "{cuts}");
}

#[test]
fn one_long_text_and_many_short_ones_count_alike() {
    let mut random = Random(17);
    let words: Vec<String> = (0..150_000)
        .map(|_| format!(" w{}", random.below(5000)))
        .collect();
    let short: Vec<&str> = words.iter().map(String::as_str).collect();
    let long = words.concat();
    let splitter = splitter(Kind::O200k);
    let count = |texts: &[&str], threads| {
        let watch = Watch::default();
        let counts = count_texts(texts, &splitter, None, threads, &watch).expect("not stopped");
        assert_eq!(watch.done.load(Ordering::Relaxed), long.len() as u64);
        as_map(&counts)
    };
    let expected = count(&[&long], 1);
    assert!(expected.len() > 1000);
    for threads in [1, 2, 5] {
        assert_eq!(count(&[&long], threads), expected);
        assert_eq!(count(&short, threads), expected);
    }
    assert_eq!(count(&[&long], 0), expected);
}

#[test]
fn nothing_counts_nothing() {
    let (splitter, watch) = (splitter(Kind::Gpt2), Watch::default());
    for texts in [&[] as &[&str], &[""], &["", ""]] {
        let counts = count_texts(texts, &splitter, None, 2, &watch).expect("not stopped");
        assert_eq!(
            (counts.distinct(), counts.bytes, counts.pretokens),
            (0, 0, 0)
        );
    }
}

#[test]
fn a_stopped_count_is_interrupted() {
    let (splitter, watch) = (splitter(Kind::Gpt2), Watch::default());
    watch.stop.store(true, Ordering::Relaxed);
    let result = count_texts(&["some text"], &splitter, None, 2, &watch);
    assert!(matches!(result, Err(CountError::Interrupted)));
    let file = TemporaryFile::new("stopped", b"some text");
    let result = count_file(&file.0, &splitter, None, 2, &watch);
    assert!(matches!(result, Err(CountError::Interrupted)));
}

#[test]
fn merging_adds() {
    let (mut one, mut two) = (PretokenCounts::new(), PretokenCounts::new());
    one.add(b"a", 2);
    one.add(b"b", 1 << 40);
    two.add(b"b", 5);
    let expected = Expected::from([(b"a".to_vec(), 2), (b"b".to_vec(), (1 << 40) + 5)]);
    let mut both = one.clone();
    both.merge(two.clone());
    assert_eq!(as_map(&both), expected);
    two.merge(one);
    assert_eq!(as_map(&two), expected);
}

struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("evalkit-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the temporary folder takes files");
        TemporaryFile(path)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_file_counts_as_its_text() {
    let (splitter, watch) = (splitter(Kind::Gpt2), Watch::default());
    let finder = special_finder(&["<|end|>"]).expect("small");
    let mut random = Random(19);
    let text = random_text(
        &mut random,
        &["one ", "two ", " 三", "<|end|>", "\n", "cut "],
        1_000_000,
    );
    for (name, mark) in [("plain", ""), ("mark", "\u{FEFF}")] {
        let file = TemporaryFile::new(name, format!("{mark}{text}").as_bytes());
        let found =
            count_file(&file.0, &splitter, finder.as_ref(), 3, &watch).expect("a good file");
        assert_eq!(found.byte_order_mark, !mark.is_empty());
        let expected =
            count_texts(&[&text], &splitter, finder.as_ref(), 1, &watch).expect("not stopped");
        assert_eq!(as_map(&found.counts), as_map(&expected));
    }
    let file = TemporaryFile::new("empty", b"");
    let found = count_file(&file.0, &splitter, None, 2, &watch).expect("a good file");
    assert_eq!((found.counts.distinct(), found.byte_order_mark), (0, false));
    let missing = count_file(
        &file.0.with_extension("missing"),
        &splitter,
        None,
        2,
        &watch,
    );
    assert!(matches!(missing, Err(CountError::Io(_))));
}

#[test]
fn the_first_invalid_byte_is_named() {
    let (splitter, watch) = (splitter(Kind::Gpt2), Watch::default());
    let mut random = Random(23);
    let parts: [&[u8]; 8] = [
        b"a",
        "é".as_bytes(),
        "中".as_bytes(),
        "😀".as_bytes(),
        b"\x80",
        b"\xE4\xB8",
        b"\xF0",
        b"\xED\xA0\x80",
    ];
    for trial in 0..20_000 {
        let valid_only = trial % 3 == 0;
        let mut bytes = Vec::new();
        for _ in 0..random.below(30) {
            let usual = valid_only || random.below(12) > 0;
            bytes.extend(parts[random.below(if usual { 4 } else { 8 })]);
        }
        let content = Content::from_bytes(&bytes);
        let size = 1 + random.below(9);
        let threads = if trial % 100 == 0 { 2 } else { 1 };
        let result = count_content(&content, &splitter, None, threads, &watch, size);
        match (std::str::from_utf8(&bytes), result) {
            (Ok(_), Ok(_)) => {}
            (Err(expected), Err(CountError::InvalidUtf8 { offset })) => {
                assert_eq!(
                    offset,
                    expected.valid_up_to() as u64,
                    "{bytes:x?} in blocks of {size}"
                );
            }
            (expected, result) => panic!("{expected:?}, but {:?}", result.err()),
        }
    }
}
