//! Pictures under one changed weight, from stored activations, against drawing them afresh. One
//! thread each, as sweeps run many at once.
//!
//! `cargo bench --bench perturb [-- NAME]`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use picloom::cli::bench::{skull_sized, workloads};
use picloom::network::kernel::{Perturber, render};
use picloom::network::{Coords, PixelInputs};
use std::time::Duration;

fn perturbations(c: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    let mut group = c.benchmark_group("perturb");
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.sample_size(20);
    let inputs = PixelInputs::full(128, Coords::Fer);
    for w in workloads(&skull_sized()) {
        let perturber = Perturber::new(&w.network, &w.weights, &inputs);
        let mut scratch = perturber.scratch();
        let mut out = vec![0.0; perturber.base().len()];
        let links: Vec<usize> = (0..w.mask.0.len()).filter(|&i| w.mask.0[i]).collect();
        // Sixteen links spread over the network, so that early and late layers both count.
        let some: Vec<usize> = (0..16).map(|k| links[k * links.len() / 16]).collect();
        group.bench_function(BenchmarkId::new("with_weight", &w.name), |b| {
            b.iter(|| {
                for &link in &some {
                    perturber.with_weight(&mut scratch, link, w.weights.0[link] + 0.3, &mut out);
                }
            });
        });
        group.bench_function(BenchmarkId::new("rmse", &w.name), |b| {
            b.iter(|| {
                some.iter()
                    .map(|&link| {
                        perturber.rmse_with_weight(&mut scratch, link, w.weights.0[link] + 0.3)
                    })
                    .sum::<f64>()
            });
        });
        group.bench_function(BenchmarkId::new("render", &w.name), |b| {
            b.iter(|| {
                pool.install(|| {
                    for &link in &some {
                        let mut changed = w.weights.clone();
                        changed.0[link] += 0.3;
                        std::hint::black_box(render(&w.network, &changed, &inputs));
                    }
                });
            });
        });
    }
    group.finish();
}

criterion_group!(benches, perturbations);
criterion_main!(benches);
