use _native::encode::Encoder;
use _native::pretok::{Kind, Splitter};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read(&a[1]).unwrap();
    let text = &text[..text.len().min(50_000_000)];
    let text = std::str::from_utf8(text)
        .unwrap_or_else(|e| std::str::from_utf8(&text[..e.valid_up_to()]).unwrap())
        .to_string();
    let text = text.replace("<|endoftext|>\n", "");
    let ranks = std::fs::read(&a[2]).unwrap();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < ranks.len() {
        let n = ranks[at] as usize;
        at += 1;
        let id = u32::from_le_bytes(ranks[at..at + 4].try_into().unwrap());
        at += 4;
        tokens.push((id, ranks[at..at + n].to_vec()));
        at += n;
    }
    let kind = Kind::from_name(&a[3]).unwrap();
    let passes: usize = a[4].parse().unwrap();
    let threads: usize = a[5].parse().unwrap();
    let splitter = Arc::new(Splitter::new(kind, None).unwrap());
    let mb = text.len() as f64 / 1e6;
    let t = Instant::now();
    let mut n = 0usize;
    splitter.for_each(&text, |p| {
        n += p.len() & 1;
    });
    black_box(n);
    println!("split {:.0} MB/s", mb / t.elapsed().as_secs_f64());
    let t = Instant::now();
    let e = Encoder::from_ranks(splitter.clone(), &tokens).unwrap();
    println!("build {:.3} s", t.elapsed().as_secs_f64());
    let watch = _native::count::Watch::default();
    for what in if a.len() > 6 {
        vec![a[6].as_str()]
    } else {
        vec!["ids", "count"]
    } {
        let e = if what == "count" {
            Encoder::from_ranks(splitter.clone(), &tokens).unwrap()
        } else {
            Encoder::from_ranks(splitter.clone(), &tokens).unwrap()
        };
        let mut out = vec![];
        for _ in 0..passes {
            let t = Instant::now();
            if what == "ids" {
                black_box(e.encode_batch(&[&text], threads, None, &watch));
            } else {
                black_box(e.count_batch(&[&text], threads, &watch));
            }
            out.push(format!("{:.0}", mb / t.elapsed().as_secs_f64()));
        }
        println!("{what} threads {threads}: {} MB/s", out.join(" "));
    }
    drop(e);
}
