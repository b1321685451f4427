use super::*;
use crate::network::{Coords, reference};
use nalgebra::DMatrix;

const SIZE: usize = 24;

fn pixels() -> PixelInputs {
    PixelInputs::full(SIZE, Coords::Fer)
}

/// A genome of eight links: a tilted wave and a disc.
fn drawing() -> Genome {
    let roles = Input::OF_PIXEL
        .map(Role::Input)
        .into_iter()
        .chain([Output::Hue, Output::Saturation, Output::Brightness].map(Role::Output));
    let mut nodes: Vec<NodeGene> = (0..)
        .zip(roles)
        .map(|(id, role)| NodeGene::new(NodeId(id), role, Activation::Identity))
        .collect();
    nodes.push(NodeGene::new(NodeId(7), Role::Hidden, Activation::Sin));
    nodes.push(NodeGene::new(NodeId(8), Role::Hidden, Activation::Gaussian));
    let links = [
        (0, 7, 2.0),
        (1, 7, 1.0),
        (2, 8, 1.5),
        (7, 4, 0.2),
        (3, 5, 0.5),
        (8, 6, 0.3),
        (3, 6, 0.5),
        (7, 6, 0.1),
    ];
    let links = (0..)
        .zip(links)
        .map(|(k, (a, b, w))| ConnectionGene::new(InnovationId(k), NodeId(a), NodeId(b), w));
    Genome::new(nodes, links.collect(), Provenance::default()).unwrap()
}

fn picture() -> Picture {
    let (network, weights) = compile(&drawing());
    crate::network::kernel::picture(&network, &weights, SIZE, Coords::Fer)
}

fn small(by: GrowBy) -> GrowConfig {
    GrowConfig { by, steps: 40, trial_steps: 10, most_links: 30, ..GrowConfig::default() }
}

fn growth(config: GrowConfig, seed: u64) -> Growth {
    let train = TrainConfig { seed, ..GrowConfig::recipe() };
    Growth::new(pixels(), picture(), config, train).unwrap()
}

fn text(state: &GrowState) -> String {
    let mut state = state.clone();
    for grown in state.lead.iter_mut().chain([&mut state.own]) {
        grown.log.iter_mut().for_each(|line| line.seconds = 0.0);
    }
    serde_json::to_string(&state).unwrap()
}

/// The loss of a genome by the f64 reference.
fn loss(genome: &Genome, target: &DMatrix<f64>) -> f64 {
    let (network, weights) = compile(genome);
    let weights: Vec<f64> = weights.0.iter().map(|&w| f64::from(w)).collect();
    reference::loss_and_gradient(&network, &weights, &pixels(), target).0
}

#[test]
fn the_gradient_of_absent_links_matches_central_differences() {
    let mut growth = growth(GrowConfig { most_links: 24, ..small(GrowBy::Gradient) }, 1);
    growth.run(&mut ()).unwrap();
    let genome = &growth.state().own.genome;
    let rgb: Vec<f64> = picture().rgb.iter().map(|&v| f64::from(v)).collect();
    let target = DMatrix::from_column_slice(3, SIZE * SIZE, &rgb);
    let places = Places::of(genome);
    let drawn = [
        (Activation::Gaussian, [(0, 1.5), (3, -0.5)]),
        (Activation::Sin, [(2, 2.0), (places.nodes.len() - 2, 1.0)]),
    ];
    let (m, of_drawn) = places.gradients(&drawn, &pixels(), &picture().rgb);
    let slope = |at: &dyn Fn(f64) -> Genome| {
        // Weights are f32: a power of two is exact.
        let h = 1.0 / 2048.0;
        (loss(&at(h), &target) - loss(&at(-h), &target)) / (2.0 * h)
    };
    let absent = places.absent();
    assert!(absent.len() > 5 && absent.iter().any(|&(j, i)| m[i][j].abs() > 1e-5));
    for (j, i) in absent {
        let link = |w: f64| Addition {
            kind: Kind::Link,
            sources: vec![(places.nodes[j], 0.0)],
            targets: vec![(places.nodes[i], w)],
            promise: 0.0,
        };
        let numeric = slope(&|w| link(w).to(genome));
        let found = m[i][j];
        assert!((numeric - found).abs() < 1e-4, "{j} to {i}: {numeric} against {found}");
    }
    for ((activation, sources), gradient) in drawn.into_iter().zip(of_drawn) {
        let after = sources.iter().map(|(source, _)| *source).max().unwrap();
        for i in (after + 1).max(4)..places.nodes.len() {
            let unit = |w: f64| Addition {
                kind: Kind::Unit { activation, targets: 1 },
                sources: sources.iter().map(|&(j, w)| (places.nodes[j], w)).collect(),
                targets: vec![(places.nodes[i], w)],
                promise: 0.0,
            };
            let numeric = slope(&|w| unit(w).to(genome));
            let found = gradient[i];
            assert!((numeric - found).abs() < 1e-4, "{activation} to {i}: {numeric}, {found}");
        }
    }
}

#[test]
fn grad_max_finds_what_a_search_over_all_directions_finds() {
    for seed in 0..20 {
        let mut rng = SimRng::new(seed, "test", 0);
        let units = 9;
        let mut m = vec![vec![0.0; units]; units];
        for (i, row) in m.iter_mut().enumerate().skip(4) {
            row[..i].iter_mut().for_each(|entry| *entry = rng.normal());
        }
        for k in [1, 2] {
            let found = grad_max(&m, k).unwrap();
            let mut best: f64 = 0.0;
            for i in 4..units {
                for other in if k == 1 { i..i + 1 } else { i + 1..units } {
                    for turn in 0..2000 {
                        let angle = std::f64::consts::PI * f64::from(turn) / 2000.0;
                        let v =
                            if k == 1 { [1.0, 0.0] } else { [libm::cos(angle), libm::sin(angle)] };
                        // The two largest parts of Mᵀv before both targets.
                        let part = |j: usize| (v[0] * m[i][j] + v[1] * m[other][j]).powi(2);
                        let mut parts: Vec<f64> = (0..i).map(part).collect();
                        parts.sort_by(|a, b| b.total_cmp(a));
                        best = best.max((parts[0] + parts[1]).sqrt());
                    }
                }
            }
            assert!((found.norm - best).abs() < 1e-4 * best, "{seed}, {k}: {}, {best}", found.norm);
            // u and v are what gives it.
            let sum: f64 = found
                .sources
                .iter()
                .flat_map(|(j, u)| {
                    found.targets.iter().map(|(i, v)| v * m[*i][*j] * u).collect::<Vec<_>>()
                })
                .sum();
            assert!((sum - found.norm).abs() < 1e-9, "{sum} against {}", found.norm);
        }
    }
}

#[test]
fn a_picture_of_eight_links_is_learned_with_few() {
    let mut growth = growth(GrowConfig { most_links: 60, ..GrowConfig::default() }, 1);
    assert_eq!(growth.run(&mut ()).unwrap(), Some(GrowStop::Reached));
    let grown = &growth.state().own;
    let last = grown.stages.last().unwrap();
    assert!(last.r2 >= 0.97 && last.links <= 40, "{} links, R² {}", last.links, last.r2);
    grown.genome.check().unwrap();
    assert_eq!(last.links, grown.genome.connections().len());
    // The weights of the genome are the trained ones.
    let (network, weights) = compile(&grown.genome);
    let drawn = crate::network::kernel::picture(&network, &weights, SIZE, Coords::Fer);
    assert!((drawn.mse(&picture()) - last.loss).abs() < 1e-12);
}

#[test]
fn random_growth_has_the_counts_of_the_growth_by_gradient() {
    let mut by_gradient = growth(small(GrowBy::Gradient), 3);
    let mut random = growth(small(GrowBy::Random), 3);
    by_gradient.run(&mut ()).unwrap();
    assert_eq!(random.run(&mut ()).unwrap(), Some(GrowStop::AsOther));
    let counts = |grown: &Grown| -> Vec<_> {
        grown.stages.iter().map(|s| (s.added, s.links, s.units)).collect()
    };
    let (own, other) = (&random.state().own, &by_gradient.state().own);
    assert!(own.stages.len() > 3);
    assert_eq!(counts(own), counts(other));
    assert_ne!(to_json(&own.genome), to_json(&other.genome));
    assert!(own.stages.iter().all(|stage| stage.promise.is_none()));
}

#[test]
fn the_same_seed_gives_the_same_bits_at_one_and_two_threads() {
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut growth = growth(small(GrowBy::Random), 5);
            growth.run(&mut ()).unwrap();
            text(growth.state())
        })
    };
    assert!(of(1) == of(2), "states differ");
}

#[test]
fn a_growth_goes_on_from_its_state_to_the_same_bits() {
    let mut whole = growth(small(GrowBy::Random), 2);
    whole.run(&mut ()).unwrap();
    let mut parts = growth(small(GrowBy::Random), 2);
    loop {
        let progress = parts.stage(&mut ()).unwrap();
        let kept = serde_json::to_string(parts.state()).unwrap();
        let train = TrainConfig { seed: 2, ..GrowConfig::recipe() };
        let state = serde_json::from_str(&kept).unwrap();
        parts = Growth::resume(pixels(), picture(), small(GrowBy::Random), train, state).unwrap();
        if let Progress::Done(_) = progress {
            break;
        }
    }
    assert!(text(whole.state()) == text(parts.state()), "states differ");
}

#[test]
fn wrong_input_is_refused() {
    let usual = GrowConfig::default;
    let refused = |config: GrowConfig, train: TrainConfig, target: Picture| {
        Growth::new(pixels(), target, config, train).err().unwrap().to_string()
    };
    let by = |config| refused(config, GrowConfig::recipe(), picture());
    assert!(by(GrowConfig { most_links: 11, ..usual() }).contains("most_links"));
    for r2 in [0.0, 1.0, f64::NAN] {
        assert!(by(GrowConfig { until_r2: r2, ..usual() }).contains("until_r2"));
    }
    let linear = vec![Activation::Identity];
    assert!(by(GrowConfig { unit_activations: linear, ..usual() }).contains("unit_activations"));
    let flat = Picture::filled(SIZE, SIZE, [0.5; 3]);
    assert!(refused(usual(), GrowConfig::recipe(), flat).contains("one colour"));
    let aimed = TrainConfig { target_loss: Some(0.1), ..GrowConfig::recipe() };
    assert!(refused(usual(), aimed, picture()).contains("target_loss"));
}
