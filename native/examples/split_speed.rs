//! Speed of the splitters and of the word segmenter on a text:
//! `cargo run --release --example split_speed -- FILE [LEXICON [nowords]]`.
//!
//! The best of several passes over the file held in memory, in MB (1e6 bytes) per second on one core.

use std::hint::black_box;
use std::time::Instant;

use _native::pretok::{Kind, Lexicon, Splitter};
use _native::words::count_words;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .expect("usage: split_speed FILE [LEXICON, a word a line]");
    let text = std::fs::read_to_string(path).expect("a file of UTF-8 text");
    let words: Vec<String> = match arguments.next() {
        None => vec!["中国".into()],
        Some(path) => std::fs::read_to_string(path)
            .expect("a word list")
            .lines()
            .map(String::from)
            .collect(),
    };
    let report = |name: &str, pass: &mut dyn FnMut() -> usize| {
        let mut best = f64::INFINITY;
        let mut count = 0;
        for _ in 0..9 {
            let start = Instant::now();
            count = pass();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!(
            "{name:8} {:8.1} MB/s  {count:9}",
            text.len() as f64 / best / 1e6
        );
    };
    for kind in Kind::ALL {
        let lexicon = (kind == Kind::Zh).then(|| Lexicon::new(&words).expect("a lexicon"));
        let splitter = Splitter::new(kind, lexicon).expect("a splitter");
        report(kind.name(), &mut || {
            let mut count = 0;
            splitter.for_each(&text, |pretoken| {
                black_box(pretoken);
                count += 1;
            });
            count
        });
    }
    if arguments.next().is_none() {
        report("words", &mut || count_words(&text));
    }
}
