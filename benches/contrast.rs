//! A contrast of a large table: time grows with its rows and units.
//!
//! `cargo bench --bench contrast [-- ROWS]`, on one thread.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use picloom::base::table::Table;
use picloom::study::contrast::{ContrastSpec, contrast};

/// A table of so many rows: two arms, two seeds, a quarter as many targets.
fn table(rows: usize) -> Table {
    let mut table = Table::new(["target", "arm", "seed", "at", "fit", "score"]);
    for i in 0..rows {
        let (target, seed) = (format!("t{}", i / 4), (i % 2).to_string());
        let arm = if i / 2 % 2 == 0 { "sp" } else { "random" };
        let score = format!("0.{:03}", i * 7919 % 1000);
        table.push(&[&*target, arm, &*seed, "", "true", &*score]);
    }
    table
}

fn contrasts(c: &mut Criterion) {
    let mut group = c.benchmark_group("contrast");
    group.sample_size(10);
    let groups = ["arm=sp", "arm=random"].map(|group| group.parse().expect("a filter"));
    let spec = ContrastSpec::new("links", groups.to_vec());
    for rows in [10_000, 100_000, 1_000_000] {
        let table = table(rows);
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_function(BenchmarkId::new("rows", rows), |b| {
            b.iter(|| contrast(&table, &spec).expect("it can be answered"));
        });
    }
    group.finish();
}

criterion_group!(benches, contrasts);
criterion_main!(benches);
