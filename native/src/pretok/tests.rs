//! Splitters against the oracle, and the properties that hold for all of them.

use super::naive::{pattern, Pattern};
use super::*;
use crate::testing::{budget, Random};

/// One or more of every class and of every letter that a pattern names.
pub(super) const ALPHABET: &str = "slveSZſǅʰあ中国々〇⺀\u{301}1½ \t\n\r\u{a0}\u{3000}'!/😀\u{378}";
const WORDS: [&str; 6] = [
    "中国",
    "国中国",
    "中国国中",
    "中々〇",
    "国々",
    "国国国国国国国国",
];

fn lexicon() -> Lexicon {
    Lexicon::new(&WORDS.map(String::from)).unwrap()
}

/// A kind, and whether its digits are grouped from the right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut(pub(super) Kind, pub(super) bool);

pub(super) fn every() -> impl Iterator<Item = Cut> {
    let right_to_left = Kind::ALL.into_iter().filter(|kind| kind.has_direction());
    let left_to_right = Kind::ALL.into_iter().map(|kind| Cut(kind, false));
    left_to_right.chain(right_to_left.map(|kind| Cut(kind, true)))
}

pub(super) fn splitter(Cut(kind, right_to_left): Cut) -> Splitter {
    let splitter = Splitter::new(kind, (kind == Kind::Zh).then(lexicon)).unwrap();
    if right_to_left {
        splitter.right_to_left().unwrap()
    } else {
        splitter
    }
}

pub(super) fn split(splitter: &Splitter, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    splitter.for_each(text, |pretoken| found.push(pretoken.to_string()));
    assert_eq!(found.concat(), text);
    assert!(found.iter().all(|pretoken| !pretoken.is_empty()));
    found
}

struct Oracle(Cut, Pattern);

impl Oracle {
    fn new(cut: Cut) -> Oracle {
        let mut written = pattern(cut.0);
        if cut.1 {
            written = written.replace(r"\p{N}{1,3}", r"\p{N}+");
        }
        Oracle(cut, Pattern::new(&written))
    }

    fn split(&self, text: &str) -> Vec<String> {
        let text: Vec<char> = text.chars().collect();
        let mut found = Vec::new();
        let mut at = 0;
        for length in self.1.split(&text) {
            let match_ = &text[at..at + length];
            at += length;
            match self.0 {
                Cut(Kind::Zh, _) if is_han(match_[0]) => found.extend(words_of(match_)),
                Cut(_, true) if unicode::category(match_[length - 1]).starts_with('N') => {
                    found.extend(groups_of(match_));
                }
                _ => found.push(match_.iter().collect()),
            }
        }
        found
    }
}

/// A run of Han cut by WORDS.
fn words_of(mut run: &[char]) -> Vec<String> {
    let mut found = Vec::new();
    while !run.is_empty() {
        let word = WORDS
            .iter()
            .map(|word| word.chars().collect::<Vec<_>>())
            .filter(|word| run.starts_with(word))
            .map(|word| word.len())
            .max()
            .unwrap_or(1);
        found.push(run[..word].iter().collect());
        run = &run[word..];
    }
    found
}

/// A number, with a blank before it or not, in groups of three digits from the right.
fn groups_of(number: &[char]) -> Vec<String> {
    let blanks = usize::from(number[0] == ' ');
    let groups = number[blanks..].rchunks(3).rev();
    let mut groups: Vec<String> = groups.map(|group| group.iter().collect()).collect();
    groups[0].insert_str(0, &" ".repeat(blanks));
    groups
}

/// Up to `limit` code points, some in runs, so that steps of eight bytes meet every offset.
pub(super) fn random_text(random: &mut Random, alphabet: &[char], limit: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(limit) {
        let c = alphabet[random.below(alphabet.len())];
        let times = if random.below(4) == 0 {
            1 + random.below(19)
        } else {
            1
        };
        text.extend(std::iter::repeat_n(c, times));
    }
    text
}

#[test]
fn all_short_strings() {
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    let longest = if budget() > 1 { 4 } else { 3 };
    for kind in every() {
        let (ours, oracle) = (splitter(kind), Oracle::new(kind));
        let mut texts = vec![String::new()];
        for _ in 0..longest {
            texts = texts
                .iter()
                .flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}")))
                .collect();
            for text in &texts {
                assert_eq!(split(&ours, text), oracle.split(text), "{kind:?} {text:?}");
            }
        }
    }
}

#[test]
fn random_strings() {
    let all: Vec<char> = ALPHABET.chars().collect();
    // Few classes at a time give long runs and many give many borders.
    let alphabets: [Vec<char>; 9] = [
        all,
        "sS'ſZǅʰあ\u{301}".chars().collect(),
        " \t\n\r\u{a0}a!1".chars().collect(),
        "中国々〇⺀a1 !".chars().collect(),
        "!/\n\r 😀a".chars().collect(),
        "sdmtlver' x".chars().collect(),
        "aA1 '!\n\t".chars().collect(),
        "abcdefghij    SV'.,1".chars().collect(),
        "azAZ@[`{'é\u{7f} 09:/".chars().collect(),
    ];
    let mut random = Random(16);
    for kind in every() {
        let (ours, oracle) = (splitter(kind), Oracle::new(kind));
        for _ in 0..2_000 * budget() {
            let alphabet = &alphabets[random.below(alphabets.len())];
            // One in eight is long enough for blocks.
            let length = if random.below(8) == 0 { 120 } else { 16 };
            let text = random_text(&mut random, alphabet, length);
            assert_eq!(
                split(&ours, &text),
                oracle.split(&text),
                "{kind:?} {text:?}"
            );
        }
    }
}

/// With blocks as without. The oracle is too slow for texts of this length in such numbers.
fn assert_blocks_change_nothing(splitter: &Splitter, text: &str) {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    splitter.each::<true, _>(text, &mut |end| with.push(end));
    splitter.each::<false, _>(text, &mut |end| without.push(end));
    assert_eq!(with, without, "{text:?}");
}

#[test]
fn blocks_at_both_edges() {
    let alphabet = "slveSZ1 \t\n\r'!/";
    let mut texts = vec![String::new()];
    for _ in 0..if budget() > 1 { 4 } else { 3 } {
        let longer = |text: &String| {
            let text = text.clone();
            alphabet.chars().map(move |c| format!("{text}{c}"))
        };
        texts = texts.iter().flat_map(longer).collect();
    }
    for kind in every() {
        let ours = splitter(kind);
        for text in &texts {
            assert_blocks_change_nothing(&ours, &format!("{text}{}", "x".repeat(80)));
            // Around the end of the first block, which is the whole text in one case.
            for before in 58..64 {
                let start = "!".repeat(before);
                assert_blocks_change_nothing(&ours, &format!("{start}{text} {}", "1".repeat(80)));
                assert_blocks_change_nothing(&ours, &format!("x{start}{text}"));
            }
        }
    }
}

#[test]
fn blocks_of_random_texts() {
    let alphabets = [
        "abcdSVT    '.,\n1",
        "aA1 '!\n\t/\r",
        "sdmtlverSDMTLVER'' x",
        " \n\r\t/!",
        "12345 a\n",
        "abc '\n/é中\u{3000}S",
    ];
    let mut random = Random(18);
    for kind in every() {
        let ours = splitter(kind);
        for alphabet in alphabets {
            let alphabet: Vec<char> = alphabet.chars().collect();
            for _ in 0..1_000 * budget() {
                assert_blocks_change_nothing(&ours, &random_text(&mut random, &alphabet, 150));
            }
        }
    }
}

#[test]
fn every_code_point_in_context() {
    for kind in every() {
        let (ours, oracle) = (splitter(kind), Oracle::new(kind));
        let step = if budget() > 1 { 1 } else { 97 };
        let ascii = (0..0x3000).chain((0x3000..0x11_0000).step_by(step));
        for c in ascii.filter_map(char::from_u32) {
            let text = format!("a{c}A{c}1{c} {c}!{c}\n{c}中{c}{c}'{c}");
            assert_eq!(split(&ours, &text), oracle.split(&text), "{kind:?} {c:?}");
        }
    }
}

/// 100,000 code points of one sort, or two in turn: the code points looked at, not the time, are bounded.
#[test]
fn linear_in_the_worst_cases() {
    let cases = [
        "a", "A", "é", "あ", "中", "1", "½", " ", "\n", "\r", "\t", "\u{3000}", "!", "/", "'",
        "😀", "\u{301}", "ǅ", "aA", "Aa", "あA", "Aあ", " \n", "\n ", "!\n", "/\n", "'s", "' ",
        "中a", "中国", "国", " a", "  a", "a\u{301}", "A\u{301}", "\u{301}A",
    ];
    for kind in every() {
        let ours = splitter(kind);
        for case in cases {
            for tail in ["", "a", "A", "中", "\n", "!"] {
                let text = case.repeat(100_000 / case.chars().count()) + tail;
                scan::STEPS.set(0);
                ours.for_each(&text, |_| ());
                let steps = scan::STEPS.get();
                assert!(steps <= 500_000, "{kind:?} {case:?} {tail:?}: {steps}");
            }
        }
        // The run of capitals behind the last letter of both classes is looked at twice, not more often.
        let text = format!("あ{}", "A".repeat(100_000));
        scan::STEPS.set(0);
        ours.for_each(&text, |_| ());
        assert!(scan::STEPS.get() <= 300_000, "{kind:?}");
    }
}

#[test]
fn cases_by_hand() {
    let cases: [(Kind, &str, &[&str]); 19] = [
        (Kind::Gpt2, "It's 2024!!", &["It", "'s", " 2024", "!!"]),
        (Kind::Gpt2, "a  b\n\n c", &["a", " ", " b", "\n\n", " c"]),
        (Kind::Gpt2, "IT'S", &["IT", "'", "S"]),
        (Kind::Digits3, " 1234567", &[" 123", "456", "7"]),
        (Kind::Digit1, " 123", &[" 1", "2", "3"]),
        (
            Kind::ZhChar,
            "在 中国3天",
            &["在", " ", "中", "国", "3", "天"],
        ),
        (Kind::ZhRun, "在中国。OK", &["在中国", "。", "OK"]),
        (Kind::Zh, "在中国国中国", &["在", "中国国中", "国"]),
        (Kind::Cl100k, "'\u{17F}x", &["'\u{17F}", "x"]),
        (Kind::Cl100k, "a \n ", &["a", " \n "]),
        (Kind::Cl100k, "!\na", &["!\n", "a"]),
        (Kind::Llama3, "a \n ", &["a", " \n", " "]),
        (Kind::Llama3, "IT'S 1234", &["IT", "'S", " ", "123", "4"]),
        (Kind::Qwen2, "a12\n\n b", &["a", "1", "2", "\n\n", " b"]),
        (Kind::BytesOnly, "a \n 1!", &["a \n 1!"]),
        (Kind::BytesOnly, "", &[]),
        (Kind::O200k, "HelloWORLD's", &["Hello", "WORLD's"]),
        (Kind::O200k, "//\n/x", &["//\n/", "x"]),
        (Kind::O200k, "Aあbc A中BC", &["Aあbc", " A中", "BC"]),
    ];
    for (kind, text, expected) in cases {
        assert_eq!(
            split(&splitter(Cut(kind, false)), text),
            expected,
            "{kind:?}"
        );
    }
    let cases: [(Kind, &str, &[&str]); 5] = [
        (Kind::Digits3, "1234567", &["1", "234", "567"]),
        (Kind::Digits3, "a 12345 123", &["a", " 12", "345", " 123"]),
        (Kind::Digits3, "½1٣45", &["½1", "٣45"]),
        (
            Kind::Cl100k,
            "x1234 1234",
            &["x", "1", "234", " ", "1", "234"],
        ),
        (Kind::O200k, "123456'S", &["123", "456", "'S"]),
    ];
    for (kind, text, expected) in cases {
        assert_eq!(
            split(&splitter(Cut(kind, true)), text),
            expected,
            "{kind:?}"
        );
    }
}

#[test]
fn lexicons() {
    let refused = |word: &str| Lexicon::new(&["中国".into(), word.into()]).err().unwrap();
    for word in ["", "中", "中a", "中国 ", "国国国国国国国国国"] {
        assert!(refused(word).contains(&format!("{word:?}")));
    }
    let lexicon = lexicon();
    assert_eq!(lexicon.len(), WORDS.len());
    for (text, longest) in [
        ("", 0),
        ("天", 3),
        ("中国", 6),
        ("中国国", 6),
        ("中国国中国", 12),
        ("国中", 3),
        ("国国国国国国国国国", 24),
        ("𠀀中", 4),
        ("abc", 1),
    ] {
        assert_eq!(lexicon.longest_match(text), longest, "{text:?}");
    }
    let mut words = Vec::new();
    cut_han_run("天中国国中国々", &lexicon, |word| words.push(word));
    assert_eq!(words, ["天", "中国国中", "国々"]);
    let empty = Lexicon::new(&[]).unwrap();
    assert!(empty.is_empty());
    assert_eq!(empty.longest_match("中国"), 3);
}

#[test]
fn kinds_and_their_lexicons() {
    for kind in Kind::ALL {
        assert_eq!(Kind::from_name(kind.name()), Some(kind));
        let plain = Splitter::new(kind, (kind == Kind::Zh).then(lexicon)).unwrap();
        assert_eq!(plain.right_to_left().is_ok(), kind.has_direction());
        assert_eq!(Splitter::new(kind, None).is_ok(), kind != Kind::Zh);
        assert_eq!(
            Splitter::new(kind, Some(lexicon())).is_ok(),
            kind == Kind::Zh
        );
    }
    assert_eq!(Kind::from_name("gpt3"), None);
    fn shareable<T: Send + Sync>() {}
    shareable::<Splitter>();
}
