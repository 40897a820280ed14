use super::*;
use crate::testing::{budget, Random};
use std::collections::{HashMap, HashSet};

type Counts = HashMap<String, u64>;

fn part(word: &str, start: usize, end: usize) -> String {
    word.chars().skip(start).take(end - start).collect()
}

/// The rules over maps of strings.
fn learn_naively(runs: &[(String, u64)]) -> Vec<String> {
    let mut counts = Counts::new();
    let mut total = 0;
    for (run, count) in runs {
        let length = run.chars().count();
        total += length as u64 * count;
        for start in 0..length {
            for end in start + 1..=length.min(start + MAX_WORD + 1) {
                *counts.entry(part(run, start, end)).or_default() += count;
            }
        }
    }
    let minimum = minimum_count(total);
    let common = |c: String| counts[&c] * 64 >= total;
    let length_of = |word: &str| word.chars().count();
    let mut neighbour = Counts::new();
    for (string, &count) in counts.iter().filter(|(_, &count)| count >= minimum) {
        let n = length_of(string);
        if n > 2 {
            for (inner, beside) in [
                (part(string, 0, n - 1), part(string, n - 1, n)),
                (part(string, 1, n), part(string, 0, 1)),
            ] {
                if !common(beside) {
                    let most = neighbour.entry(inner).or_default();
                    *most = count.max(*most);
                }
            }
        }
    }
    let mut words: HashSet<String> = counts
        .iter()
        .filter(|&(word, &count)| {
            let n = length_of(word);
            let factor = if n == 2 { 5 } else { 300 };
            (2..=MAX_WORD).contains(&n)
                && count >= minimum + n as u64 - 2
                && neighbour.get(word).unwrap_or(&0) * 4 <= count * 3
                && (1..n).all(|cut| {
                    count * total
                        >= factor * counts[&part(word, 0, cut)] * counts[&part(word, cut, n)]
                })
        })
        .map(|(word, _)| word.clone())
        .collect();
    fn splits(word: &str, whole: usize, words: &HashSet<String>) -> bool {
        let n = word.chars().count();
        (2..=n.min(whole - 1)).any(|cut| {
            words.contains(&part(word, 0, cut))
                && (cut == n || splits(&part(word, cut, n), whole, words))
        })
    }
    let all = words.clone();
    words.retain(|word| !splits(word, length_of(word), &all));
    for _ in 0..2 {
        let mut used = Counts::new();
        for (run, count) in runs {
            let mut rest = run.clone();
            while !rest.is_empty() {
                let n = length_of(&rest);
                let longest = (2..=n.min(MAX_WORD))
                    .rev()
                    .find(|&end| words.contains(&part(&rest, 0, end)))
                    .unwrap_or(1);
                *used.entry(part(&rest, 0, longest)).or_default() += count;
                rest = part(&rest, longest, n);
            }
        }
        let tokens: u64 = used.values().sum();
        let times = |word: &str| used.get(word).copied().unwrap_or(0);
        words.retain(|word| {
            let n = length_of(word);
            times(word) >= minimum
                && (1..n).all(|cut| {
                    let parts = (times(&part(word, 0, cut)) + 1) * (times(&part(word, cut, n)) + 1);
                    times(word) * tokens >= 40 * parts
                })
        });
    }
    let mut sorted: Vec<String> = words.into_iter().collect();
    sorted.sort();
    sorted
}

/// Runs made of a few invented words and stray characters, so that some words are found and some fall.
fn random_runs(random: &mut Random) -> Vec<(String, u64)> {
    let alphabet: Vec<char> = ('一'..).step_by(7).take(3 + random.below(300)).collect();
    let pick = |random: &mut Random| alphabet[random.below(alphabet.len())];
    let invented: Vec<String> = (0..1 + random.below(30))
        .map(|_| (0..1 + random.below(9)).map(|_| pick(random)).collect())
        .collect();
    let mut runs = Counts::new();
    for _ in 0..random.below(250) {
        let mut run = String::new();
        for _ in 0..1 + random.below(6) {
            match random.below(3) {
                0 => run.push(pick(random)),
                _ => run.push_str(&invented[random.below(invented.len())]),
            }
        }
        *runs.entry(run).or_default() += 1 + random.below(3) as u64;
    }
    runs.into_iter().collect()
}

fn counts(runs: &[(String, u64)]) -> PretokenCounts {
    let mut counts = PretokenCounts::new();
    for (run, count) in runs {
        counts.add(run.as_bytes(), *count);
    }
    counts
}

#[test]
fn equals_the_naive_rules() {
    let mut random = Random(21);
    let mut found = 0;
    for _ in 0..60 * budget() {
        let runs = random_runs(&mut random);
        let words = learn_lexicon(&counts(&runs));
        assert_eq!(words, learn_naively(&runs), "{runs:?}");
        found += words.len();
    }
    assert!(found > 100, "{found} words are too few to prove much");
}

#[test]
fn what_is_not_han_is_left_out() {
    let mut runs = vec![("问题".to_string(), 30), ("答案".to_string(), 30)];
    let words = learn_lexicon(&counts(&runs));
    runs.extend([("问题a".to_string(), 9), (" word".to_string(), 900)]);
    let mut with_others = counts(&runs);
    with_others.add(b"\xe9\x97", 5);
    with_others.add(b"", 5);
    assert_eq!(learn_lexicon(&with_others), words);
    assert_eq!(learn_lexicon(&PretokenCounts::new()), Vec::<String>::new());
}

#[test]
fn the_minimum_rises_with_the_text() {
    let expected = [
        (0, 2),
        (1 << 18, 2),
        ((1 << 19) - 1, 2),
        (1 << 19, 3),
        (1 << 22, 4),
    ];
    for (total, minimum) in expected {
        assert_eq!(minimum_count(total), minimum, "{total}");
    }
}
