//! Times counting and training on a file:
//! `cargo run --release --example train -- FILE [MERGES] [THREADS] [VARIANT]`

use std::path::Path;
use std::time::Instant;

use _native::count::{count_file, special_finder, Watch};
use _native::pretok::{Kind, Splitter};
use _native::train::{learn_merges, TieBreak, TrainOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |place: usize, default: &'static str| {
        arguments
            .get(place)
            .map_or(default, String::as_str)
            .to_owned()
    };
    let path = arguments.first().ok_or("which file?")?;
    let max_merges: usize = argument(1, "32000").parse()?;
    let threads: usize = argument(2, "2").parse()?;
    let kind = Kind::from_name(&argument(3, "gpt2")).ok_or("no such variant")?;
    let splitter = Splitter::new(kind, None)?;
    let specials = special_finder(&["<|endoftext|>"])?;

    let start = Instant::now();
    let watch = Watch::default();
    let counts = count_file(
        Path::new(path),
        &splitter,
        specials.as_ref(),
        threads,
        &watch,
    )?
    .counts;
    let counted = start.elapsed().as_secs_f64();
    let megabytes = counts.bytes as f64 / 1e6;
    println!(
        "count {counted:.3} s, {:.0} MB/s: {} pretokens, {} distinct; {}",
        megabytes / counted,
        counts.pretokens,
        counts.distinct(),
        peak_memory()
    );

    let start = Instant::now();
    let items: Vec<(&[u8], u64)> = counts.items().collect();
    let mut indexed = 0.0;
    let options = TrainOptions {
        max_merges,
        min_frequency: 2,
        tie_break: TieBreak::Bytes,
    };
    let merges = learn_merges(&items, &options, &mut |done| {
        if done == 0 {
            indexed = start.elapsed().as_secs_f64();
        }
        true
    })?;
    let trained = start.elapsed().as_secs_f64();
    let last = merges.last().map_or(0, |merge| merge.count);
    println!("index {indexed:.3} s");
    println!(
        "merge {:.3} s: {} merges, the last with count {last}; {}",
        trained - indexed,
        merges.len(),
        peak_memory()
    );
    println!("total {:.3} s", counted + trained);
    Ok(())
}

/// What the process has had in memory at most, where the system tells.
fn peak_memory() -> String {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
            Some(format!("peak {}", line.split_once(':')?.1.trim()))
        })
        .unwrap_or_default()
}
