//! `cargo bench --features bench`: splitting, counting, training and encoding on one thread, with the bytes a second.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};

use _native::pretok::Kind;

mod fixture;

fn paths(criterion: &mut Criterion) {
    let text = fixture::text();
    let mut group = criterion.benchmark_group("paths");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group
        .sample_size(20)
        .measurement_time(Duration::from_secs(3));

    for kind in [Kind::Gpt2, Kind::Cl100k, Kind::O200k] {
        let splitter = fixture::splitter(kind);
        group.bench_function(format!("split {}", kind.name()), |bencher| {
            bencher.iter(|| fixture::split(&splitter, black_box(&text)))
        });
    }

    let splitter = Arc::new(fixture::splitter(Kind::Gpt2));
    group.bench_function("count", |bencher| {
        bencher.iter(|| fixture::count(&splitter, black_box(&text)))
    });
    let counts = fixture::count(&splitter, &text);
    group.bench_function("train", |bencher| {
        bencher.iter(|| fixture::train(black_box(&counts)))
    });

    let merges = fixture::train(&counts);
    group.bench_function("encode, first", |bencher| {
        bencher.iter_batched(
            || fixture::encoder(&splitter, &merges),
            // The encoder comes back, so that giving it up isn't timed.
            |encoder| (encoder.encode(black_box(&text), None), encoder),
            BatchSize::LargeInput,
        )
    });
    let encoder = fixture::encoder(&splitter, &merges);
    group.bench_function("encode, repeated", |bencher| {
        bencher.iter(|| encoder.encode(black_box(&text), None))
    });
    group.bench_function("count tokens, repeated", |bencher| {
        bencher.iter(|| encoder.count(black_box(&text)))
    });
    group.finish();
}

criterion_group!(benches, paths);
criterion_main!(benches);
