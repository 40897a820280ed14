//! Words: ICU4X's segmenter, dictionaries for scripts without blanks and UAX #29 elsewhere.

use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

use crate::unicode;

thread_local! {
    // Built once per thread: it borrows compiled-in data, but is not promised to be Sync.
    static SEGMENTER: WordSegmenterBorrowed<'static> =
        WordSegmenter::new_dictionary(Default::default());
}

/// What the rules tell apart in ASCII; `Foreign` is everything else, `End` the end of the text.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Letter,
    Digit,
    Underscore,
    /// Between two letters or two digits: part of the word.
    Between,
    BetweenLetters,
    BetweenDigits,
    Blank,
    Return,
    Sign,
    Foreign,
    End,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'0'..=b'9' => Kind::Digit,
            b'_' => Kind::Underscore,
            b'.' | b'\'' => Kind::Between,
            b':' => Kind::BetweenLetters,
            b',' | b';' => Kind::BetweenDigits,
            b' ' => Kind::Blank,
            b'\r' => Kind::Return,
            _ => Kind::Sign,
        };
        byte += 1;
    }
    kinds
};

/// The end of the segment that begins at `start`, and whether it is word-like; none where that depends on anything that
/// isn't ASCII.
///
/// UAX #29 for ASCII alone, which is nearly all of most texts and needs no tables of Unicode. The tests hold it to the
/// segmenter.
#[inline]
fn ascii_segment(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    use Kind::*;
    let kind = |at: usize| bytes.get(at).map_or(End, |&byte| KINDS[usize::from(byte)]);
    let (end, word) = match kind(start) {
        Foreign => return None,
        Letter | Digit | Underscore => return ascii_word(kind, start),
        Blank => {
            let mut end = start + 1;
            while kind(end) == Blank {
                end += 1;
            }
            (end, false)
        }
        Return if bytes.get(start + 1) == Some(&b'\n') => (start + 2, false),
        _ => (start + 1, false),
    };
    // A mark would belong to what it follows.
    (kind(end) != Foreign).then_some((end, word))
}

#[inline]
fn ascii_word(kind: impl Fn(usize) -> Kind, start: usize) -> Option<(usize, bool)> {
    use Kind::*;
    let mut at = start;
    loop {
        let last = kind(at);
        at += 1;
        let other_side = match (last, kind(at)) {
            (_, Letter | Digit | Underscore) => continue,
            (_, Foreign) => return None,
            (Letter, Between | BetweenLetters) => Letter,
            (Digit, Between | BetweenDigits) => Digit,
            _ => return Some((at, true)),
        };
        match kind(at + 1) {
            Foreign => return None,
            next if next == other_side => at += 1,
            _ => return Some((at, true)),
        }
    }
}

/// Calls `f` with the byte range of each word-like segment: letters, numbers or ideographs, not blanks or signs.
pub fn words(text: &str, mut f: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        match ascii_segment(bytes, start) {
            Some((end, word)) => {
                if word {
                    f(start, end);
                }
                start = end;
            }
            None => start = other_words(text, start, &mut f),
        }
    }
}

/// The same by the segmenter, from a place where a segment begins to the next such place before ASCII. (Where a segment
/// ends, it begins anew.)
fn other_words(text: &str, from: usize, f: &mut impl FnMut(usize, usize)) -> usize {
    let segmenter = SEGMENTER.with(|segmenter| *segmenter);
    let mut start = from;
    for end in segmenter.segment_str(&text[from..]) {
        let end = from + end;
        if end == start {
            continue;
        }
        if is_word(&text[start..end]) {
            f(start, end);
        }
        start = end;
        if text.as_bytes().get(end).is_none_or(u8::is_ascii) {
            break;
        }
    }
    start
}

/// Whether a segment is letters, numbers or ideographs, whatever stands beside it.
///
/// Not what the segmenter says of it on its way, which of some segments is what it said of the one before: a flag after a
/// Thai word would be a word, a heart with its variation selector one or not. What it says of a mark is nothing, so that
/// most words of Hindi, pointed Hebrew or a decomposed é would be none. So it is asked about the segment alone, without marks
/// at its end, where the characters leave that open.
fn is_word(segment: &str) -> bool {
    if has_letter(segment) {
        return true;
    }
    let base = segment.trim_end_matches(is_mark);
    base.chars().any(|c| c.is_alphanumeric() || is_connector(c)) && is_word_alone(base)
}

fn is_word_alone(text: &str) -> bool {
    let segmenter = SEGMENTER.with(|segmenter| *segmenter);
    let mut segments = segmenter.segment_str(text).iter_with_word_type();
    segments.any(|(_, kind)| kind.is_word_like())
}

/// Punctuation that joins words, as an underscore does.
fn is_connector(c: char) -> bool {
    matches!(
        c,
        '_' | '\u{202F}'
            | '\u{203F}'
            | '\u{2040}'
            | '\u{2054}'
            | '\u{FE33}'
            | '\u{FE34}'
            | '\u{FE4D}'..='\u{FE4F}' | '\u{FF3F}'
    )
}

/// Whether it may belong to what it follows: marks (which have both cases), and what has no width.
fn is_mark(c: char) -> bool {
    const BOTH: u8 = unicode::UPPER | unicode::LOWER;
    unicode::class(c) & (BOTH | unicode::LETTER) == BOTH
        || matches!(c, '\u{AD}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}' | '\u{890}'..='\u{8E2}'
            | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FF9E}' | '\u{FF9F}' | '\u{FFF9}'..='\u{FFFB}' | '\u{110BD}'..='\u{110CD}'
            | '\u{13430}'..='\u{1345F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0001}'..='\u{E0FFF}')
}

fn has_letter(segment: &str) -> bool {
    segment
        .chars()
        .any(|c| unicode::class(c) & unicode::LETTER != 0)
}

/// The number of word-like segments.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    words(text, |_, _| count += 1);
    count
}

/// The segmenter and the version of its data, as figures about words have to name them.
pub fn segmenter_version() -> String {
    format!(
        "icu_segmenter {}, data {}, Unicode {}, CLDR {}",
        pinned("icu_segmenter"),
        pinned("icu_segmenter_data"),
        icu_segmenter_data::unicode_tag!(),
        icu_segmenter_data::cldr_tag!()
    )
}

/// The version of a dependency that the manifest pins exactly. The crates export their data's versions but not
/// their own.
fn pinned(name: &str) -> &'static str {
    include_str!("../Cargo.toml")
        .lines()
        .filter_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))
        .find_map(|rest| rest.split_once("\"=")?.1.split_once('"'))
        .map_or("of unknown version", |(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        words(text, |start, end| found.push(&text[start..end]));
        found
    }

    #[test]
    fn word_like_segments_only() {
        assert_eq!(list(""), [""; 0]);
        assert_eq!(list(" \n…?!"), [""; 0]);
        assert_eq!(
            list("It's 3.14, isn't it?\r\n"),
            ["It's", "3.14", "isn't", "it"]
        );
        assert_eq!(list("a😀b"), ["a", "b"]);
    }

    #[test]
    fn words_that_end_in_a_mark() {
        assert_eq!(list("साढ़े सात बजे"), ["साढ़े", "सात", "बजे"]);
        assert_eq!(
            list("cafe\u{301}, e\u{301}te\u{301}"),
            ["cafe\u{301}", "e\u{301}te\u{301}"]
        );
        assert_eq!(list("\u{301} \u{20e3}!"), [""; 0]);
    }

    #[test]
    fn dictionaries_for_scripts_without_blanks() {
        assert_eq!(list("我们研究语言。"), ["我们", "研究", "语言"]);
        assert_eq!(list("ภาษาไทย"), ["ภาษา", "ไทย"]);
        assert_eq!(list("世界 and 言葉"), ["世界", "and", "言葉"]);
        assert_eq!(count_words("我们研究语言。"), 3);
    }

    /// The segmenter's segments of the whole text that are words alone.
    fn by_the_segmenter(text: &str) -> Vec<(usize, usize)> {
        let segmenter = SEGMENTER.with(|segmenter| *segmenter);
        let ends: Vec<usize> = segmenter.segment_str(text).collect();
        let ranges = ends.windows(2).map(|two| (two[0], two[1]));
        ranges
            .filter(|&(start, end)| {
                let segment = &text[start..end];
                has_letter(segment) || is_word_alone(segment.trim_end_matches(is_mark))
            })
            .collect()
    }

    fn ranges(text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        words(text, |start, end| found.push((start, end)));
        found
    }

    #[test]
    fn short_ascii_is_cut_as_by_the_segmenter() {
        // One of each kind, beside the others that a kind stands for.
        let some: Vec<char> = "aZ5_.':,;\" \r\n\t-".chars().collect();
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts
                .iter()
                .flat_map(|text| some.iter().map(move |one| format!("{text}{one}")))
                .collect();
            for text in &texts {
                assert_eq!(ranges(text), by_the_segmenter(text), "{text:?}");
            }
        }
        for one in 0..128u8 {
            for other in 0..128u8 {
                for text in ["a", "5", "_", "", " "].map(|end| {
                    let (one, other) = (char::from(one), char::from(other));
                    format!("{end}{one}{other}{end}")
                }) {
                    assert_eq!(ranges(&text), by_the_segmenter(&text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn mixed_text_is_cut_as_by_the_segmenter() {
        let some: Vec<char> = "abcZ059__..'':,;\"   \r\n\n\t-é́ü\u{301}\u{200d}\u{ad}😀👩🇩🇪א״ь世界言葉がカ한국ไทยภาษาລາວខ្មែរမြန်\u{2028}\u{85}\u{a0}\u{3000}’·：．٣४"
            .chars()
            .collect();
        let mut random = crate::testing::Random(31);
        for round in 0..40_000 * crate::testing::budget() {
            let length = random.below(if round % 100 == 0 { 400 } else { 14 });
            // Mostly ASCII, or mostly not.
            let bound = if round % 3 == 0 { some.len() } else { 30 };
            let text: String = (0..length)
                .map(|_| {
                    let rare = random.below(8) == 0;
                    some[random.below(if rare { some.len() } else { bound })]
                })
                .collect();
            assert_eq!(ranges(&text), by_the_segmenter(&text), "{text:?}");
            // After a newline everything begins anew: long texts are cut there.
            let cut = format!("{text}\n");
            let mut joined = ranges(&cut);
            joined.extend(
                ranges(&text)
                    .iter()
                    .map(|(a, b)| (a + cut.len(), b + cut.len())),
            );
            assert_eq!(ranges(&format!("{cut}{text}")), joined, "{text:?}");
        }
    }

    #[test]
    fn version_is_that_of_the_lock_file() {
        let lock = include_str!("../Cargo.lock");
        for name in ["icu_segmenter", "icu_segmenter_data"] {
            let entry = format!("name = \"{name}\"\nversion = \"{}\"\n", pinned(name));
            assert!(lock.contains(&entry), "{entry}");
        }
        let version = segmenter_version();
        assert!(version.starts_with("icu_segmenter 2."), "{version}");
        assert!(!version.contains("unknown"), "{version}");
    }
}
