//! Where a text may be cut, and what of a text no continuation changes.

use super::tests::{every, random_text, split, splitter, Cut, ALPHABET};
use super::*;
use crate::testing::{budget, Random};

#[test]
fn safe_cuts_change_nothing() {
    let alphabet: Vec<char> = (ALPHABET.to_string() + "          ").chars().collect();
    let mut random = Random(17);
    let mut cuts = 0;
    for kind in every() {
        let ours = splitter(kind);
        for _ in 0..2_000 * budget() {
            let text = random_text(&mut random, &alphabet, 20);
            let whole = split(&ours, &text);
            for at in 0..=text.len() {
                let cut = ours.safe_cut(&text, at);
                assert!((at..=text.len()).contains(&cut));
                let (left, right) = text.split_at(cut);
                if cut < text.len() {
                    cuts += 1;
                    let joined = [split(&ours, left), split(&ours, right)].concat();
                    assert_eq!(joined, whole, "{kind:?} {text:?} {cut}");
                }
            }
        }
    }
    assert!(cuts > 1_000);
    let gpt2 = splitter(Cut(Kind::Gpt2, false));
    assert_eq!(gpt2.safe_cut("ab cd", 0), 2);
    assert_eq!(gpt2.safe_cut("ab cd", 3), 5);
    assert_eq!(gpt2.safe_cut(" ab  cd\u{3000} e ", 0), 13);
    assert_eq!(gpt2.safe_cut("中 国", 1), 3);
    assert_eq!(gpt2.safe_cut("我们，他们。", 0), 6);
    assert_eq!(gpt2.safe_cut("我们，他们。", 7), 15);
    assert_eq!(gpt2.safe_cut("it'sa\u{301}⺀中。", 0), 13);
    assert_eq!(gpt2.safe_cut("ab", 9), 2);
}

/// Every cut that one code point of context, and with a larger budget two on a side, can be wrong about.
#[test]
fn every_safe_cut_in_every_context() {
    let alphabet: Vec<char> = (ALPHABET.to_string() + "，。").chars().collect();
    let mut contexts: Vec<String> = alphabet.iter().map(char::to_string).collect();
    contexts.push(String::new());
    let mut longer = contexts.clone();
    if budget() > 1 {
        let pairs = alphabet
            .iter()
            .flat_map(|&one| alphabet.iter().map(move |&two| (one, two)));
        longer.extend(pairs.map(|(one, two)| String::from_iter([one, two])));
    }
    for kind in every().filter(|&Cut(kind, _)| kind != Kind::BytesOnly) {
        let ours = splitter(kind);
        for &before in &alphabet {
            for &after in alphabet
                .iter()
                .filter(|&&c| c != ' ' && is_safe(before, c, None))
            {
                let sides = [(&longer, &contexts), (&contexts, &longer)];
                for (lefts, rights) in &sides[..1 + usize::from(budget() > 1)] {
                    for left in lefts.iter().map(|left| format!("{left}{before}")) {
                        let pretokens = split(&ours, &left);
                        for right in rights.iter().map(|right| format!("{after}{right}")) {
                            let joined = [pretokens.clone(), split(&ours, &right)].concat();
                            let whole = split(&ours, &format!("{left}{right}"));
                            assert_eq!(joined, whole, "{kind:?} {left:?} {right:?}");
                        }
                    }
                }
            }
        }
    }
}

/// What is settled stays as it is whatever comes.
#[test]
fn settled_pretokens() {
    let alphabet: Vec<char> = (ALPHABET.to_string() + "11111   '国国国").chars().collect();
    let mut random = Random(19);
    let mut settled = 0;
    for kind in every() {
        let ours = splitter(kind);
        for _ in 0..2_000 * budget() {
            let (text, more) = (
                random_text(&mut random, &alphabet, 20),
                random_text(&mut random, &alphabet, 6),
            );
            let longer = split(&ours, &format!("{text}{more}"));
            let pretokens = split(&ours, &text);
            let borrowed: Vec<&str> = pretokens.iter().map(String::as_str).collect();
            let count = ours.settled(&text, &borrowed);
            assert_eq!(
                longer[..count],
                pretokens[..count],
                "{kind:?} {text:?} {more:?}"
            );
            settled += count;
        }
    }
    assert!(settled > 1_000);
}
