//! One full-batch training step (forward, HSV loss, backward), without its optimizer.
//!
//! `cargo bench --bench step [-- NAME]`. Threads: RAYON_NUM_THREADS.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use picloom::experiment::bench::{SKULL, Workload, skull_sized, workloads};
use picloom::network::kernel::Isa;
use std::time::Duration;

fn time(c: &mut Criterion, group: &str, cases: &[(String, Workload, usize)]) {
    let mut group = c.benchmark_group(group);
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.sample_size(20);
    for (name, workload, size) in cases {
        let mut objective = workload.objective(*size, Isa::best());
        let mut gradient = vec![0.0; workload.model.weights.0.len()];
        group.throughput(Throughput::Elements((size * size) as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| objective.loss_and_gradient(&workload.model.weights.0, &mut gradient));
        });
    }
    group.finish();
}

fn wirings(c: &mut Criterion) {
    let cases: Vec<_> =
        workloads(&skull_sized()).into_iter().map(|w| (w.name.clone(), w, 256)).collect();
    time(c, "step/wiring", &cases);
}

fn widths(c: &mut Criterion) {
    let cases: Vec<_> = [8, 16, 32, 64, 128, 192]
        .map(|width| {
            let (gaussian, sin) = (width / 4, width / 8);
            let cache = width - gaussian - sin;
            let arch = format!("12;cache:{cache},gaussian:{gaussian},sin:{sin}");
            (width.to_string(), Workload::dense("width", &arch), 128)
        })
        .into();
    time(c, "step/width", &cases);
}

fn sizes(c: &mut Criterion) {
    let cases: Vec<_> = [64, 128, 256, 512]
        .map(|size| (size.to_string(), Workload::dense("dense", SKULL), size))
        .into();
    time(c, "step/size", &cases);
}

criterion_group!(benches, wirings, widths, sizes);
criterion_main!(benches);
