//! A picture from a network and weights, compiling included.
//!
//! `cargo bench --bench render [-- NAME]`. Threads: RAYON_NUM_THREADS.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use picloom::experiment::bench::{skull_sized, workloads};
use picloom::network::kernel::{feature_maps, render};
use picloom::network::{Coords, PixelInputs};
use std::time::Duration;

fn pictures(c: &mut Criterion) {
    let mut group = c.benchmark_group("render");
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    for size in [64, 256] {
        let inputs = PixelInputs::full(size, Coords::Fer);
        group.throughput(Throughput::Elements((size * size) as u64));
        for w in workloads(&skull_sized()) {
            group.bench_function(BenchmarkId::new(&w.name, size), |b| {
                b.iter(|| render(&w.model.network, &w.model.weights, &inputs));
            });
        }
    }
    group.finish();
}

fn maps(c: &mut Criterion) {
    let mut group = c.benchmark_group("feature_maps");
    group.sample_size(20);
    let inputs = PixelInputs::full(128, Coords::Fer);
    for w in workloads(&skull_sized()) {
        group.bench_function(BenchmarkId::new(&w.name, 128), |b| {
            b.iter(|| feature_maps(&w.model.network, &w.model.weights, &inputs));
        });
    }
    group.finish();
}

criterion_group!(benches, pictures, maps);
criterion_main!(benches);
