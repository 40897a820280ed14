//! A fixed amount of work, for counting its instructions: `instructions PATH PASSES` prepares PATH and does it PASSES
//! times on one thread. What PASSES = 1 takes more than PASSES = 0 is the path alone; see `benchmarks/instructions.py`.

use std::hint::black_box;
use std::sync::Arc;

use _native::pretok::Kind;

#[path = "../benches/fixture/mod.rs"]
mod fixture;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, passes] = arguments.as_slice() else {
        panic!("usage: instructions PATH PASSES");
    };
    let passes: usize = passes.parse().expect("a number of passes");
    let text = fixture::text();
    if let Some(variant) = path.strip_prefix("split-") {
        let splitter = fixture::splitter(Kind::from_name(variant).expect("a variant"));
        repeat(passes, || fixture::split(&splitter, &text));
        return;
    }
    let splitter = Arc::new(fixture::splitter(Kind::Gpt2));
    if path == "count" {
        repeat(passes, || fixture::count(&splitter, &text));
        return;
    }
    let counts = fixture::count(&splitter, &text);
    if path == "train" {
        repeat(passes, || fixture::train(&counts));
        return;
    }
    let merges = fixture::train(&counts);
    let encoder = fixture::encoder(&splitter, &merges);
    match path.as_str() {
        // The first pass fills the cache.
        "encode" => repeat(passes, || encoder.encode(&text, None)),
        "count-tokens" => repeat(passes, || encoder.count(&text)),
        _ => panic!("no path is called {path:?}"),
    }
}

fn repeat<T>(passes: usize, mut work: impl FnMut() -> T) {
    for _ in 0..passes {
        black_box(work());
    }
}
