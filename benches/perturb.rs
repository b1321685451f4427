//! Pictures under one changed weight, from stored activations, against drawing them afresh. One
//! thread each, as sweeps run many at once.
//!
//! `cargo bench --bench perturb [-- NAME]`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use picloom::experiment::bench::{skull_sized, workloads};
use picloom::network::kernel::render;
use picloom::network::{Coords, PixelInputs};
use picloom::probe::{Change, View, spread};
use std::time::Duration;

fn perturbations(c: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    let mut group = c.benchmark_group("perturb");
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.sample_size(20);
    let inputs = PixelInputs::full(128, Coords::Fer);
    for w in workloads(&skull_sized()) {
        let view = View::new(&w.model, 128, Coords::Fer);
        let mut painter = view.painter();
        let links: Vec<usize> = (0..w.model.mask.0.len()).filter(|&i| w.model.mask.0[i]).collect();
        // Sixteen links spread over the network, so that early and late layers both count.
        let some: Vec<Change> =
            spread(&links, 16).map(|&link| Change::By { link, delta: 0.3 }).collect();
        group.bench_function(BenchmarkId::new("with_weight", &w.name), |b| {
            b.iter(|| {
                for &change in &some {
                    painter.draw(change);
                }
            });
        });
        group.bench_function(BenchmarkId::new("rmse", &w.name), |b| {
            b.iter(|| some.iter().map(|&change| painter.effect(change)).sum::<f64>());
        });
        group.bench_function(BenchmarkId::new("render", &w.name), |b| {
            b.iter(|| {
                pool.install(|| {
                    for &link in spread(&links, 16) {
                        let mut changed = w.model.weights.clone();
                        changed.0[link] += 0.3;
                        std::hint::black_box(render(&w.model.network, &changed, &inputs));
                    }
                });
            });
        });
    }
    group.finish();
}

criterion_group!(benches, perturbations);
criterion_main!(benches);
