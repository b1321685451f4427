use picloom::math::SimRng;
use picloom::network::kernel::*;
use picloom::network::*;
use std::time::Instant;
fn time(name: &str, mut f: impl FnMut()) -> f64 {
    f();
    f();
    let mut best = f64::MAX;
    let mut all = vec![];
    let t0 = Instant::now();
    while t0.elapsed().as_secs_f64() < 1.0 || all.len() < 5 {
        let t = Instant::now();
        f();
        let e = t.elapsed().as_secs_f64() * 1e3;
        all.push(e);
        best = best.min(e);
    }
    all.sort_by(f64::total_cmp);
    println!(
        "{name:40} min {best:8.3} ms  median {:8.3} ms",
        all[all.len() / 2]
    );
    best
}
fn main() {
    let mut rng = SimRng::new(1, "b", 0);
    let arch: Arch = "12;cache:15,gaussian:4,identity:2,sin:1".parse().unwrap();
    let net = arch.network();
    let n = net.weight_count();
    let w: Vec<f32> = (0..n).map(|_| (rng.normal() * 0.213) as f32).collect();
    let pick = |rng: &mut SimRng, k: usize| {
        let mut idx: Vec<usize> = (0..n).collect();
        for i in 0..n {
            let j = i + (rng.uniform() * (n - i) as f64) as usize;
            idx.swap(i, j.min(n - 1));
        }
        let mut m = vec![false; n];
        for &i in &idx[..k] {
            m[i] = true;
        }
        Mask(m)
    };
    let m1404 = pick(&mut rng, 1404);
    let m473 = pick(&mut rng, 473);
    for size in [256usize, 512] {
        let inputs = PixelInputs::full(size, Coords::Fer);
        let target: Vec<f32> = (0..3 * inputs.pixels())
            .map(|_| rng.uniform() as f32)
            .collect();
        let mut g = vec![0.0; n];
        for (name, mask) in [
            ("dense", Mask::all(n)),
            ("1404", m1404.clone()),
            ("473", m473.clone()),
        ] {
            let mut o = Objective::new(&net, &mask, &inputs, &target);
            time(&format!("step {name} {size} 2t"), || {
                o.loss_and_gradient(&w, &mut g);
            });
            if size == 256 {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(1)
                    .build()
                    .unwrap();
                pool.install(|| {
                    time(&format!("step {name} {size} 1t"), || {
                        o.loss_and_gradient(&w, &mut g);
                    })
                });
                time(&format!("loss {name} {size} 2t"), || {
                    o.loss(&w);
                });
                let mut wm = Weights(w.clone());
                mask.apply(&mut wm);
                time(&format!("render {name} {size} 2t"), || {
                    render(&net, &wm, &inputs);
                });
            }
        }
        if let Some(p) = std::env::var_os("PICLOOM_ARCHIVE") {
            let g0 = picloom::genome::picbreeder::from_picbreeder_zip(
                &std::fs::read(std::path::Path::new(&p).join("fer/skull.zip")).unwrap(),
            );
            let genome = g0.unwrap();
            let (gnet, gw) = compile(&genome);
            let lay = layerize(&genome);
            let mask = Mask::non_zero(&lay.weights);
            let mut o = Objective::new(&lay.network, &mask, &inputs, &target);
            time(&format!("step evolved {size} 2t"), || {
                o.loss_and_gradient(&lay.weights.0, &mut g);
            });
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .unwrap();
            pool.install(|| {
                time(&format!("step evolved {size} 1t"), || {
                    o.loss_and_gradient(&lay.weights.0, &mut g);
                })
            });
            let mut o = Objective::new(&gnet, &Mask::all(gw.0.len()), &inputs, &target);
            let mut gg = vec![0.0; gw.0.len()];
            time(&format!("step graph {size} 2t"), || {
                o.loss_and_gradient(&gw.0, &mut gg);
            });
            time(&format!("render graph {size} 2t"), || {
                render(&gnet, &gw, &inputs);
            });
        }
    }
}
