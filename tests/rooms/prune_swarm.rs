//! The swarm: one update by hand, alignment of permuted networks, resuming.

use crate::refusals::assert_refused;
use picloom::base::SimRng;
use picloom::network::{Arch, Network, Weights};
use picloom::prune::swarm::{Swarm, SwarmConfig, alignment, permute};

fn network() -> Network {
    "3;cache:3,gaussian:2,sin:2".parse::<Arch>().unwrap().network()
}

fn random(network: &Network, seed: u64) -> Weights {
    let mut rng = SimRng::new(seed, "weights", 0);
    Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect())
}

#[test]
fn a_shuffled_copy_of_a_network_is_aligned_back_to_it() {
    let network = network();
    for seed in 0..5 {
        let reference: Vec<f64> = random(&network, seed).0.iter().map(|&w| f64::from(w)).collect();
        // Shuffle units within each layer and activation.
        let mut places: Vec<usize> = (0..network.units.len()).collect();
        let mut rng = SimRng::new(seed, "shuffle", 0);
        for block in &network.blocks[..3] {
            let first = block.targets.start;
            for class in [first..first + 3, first + 3..first + 5, first + 5..first + 7] {
                rng.shuffle(&mut places[class]);
            }
        }
        let shuffled = permute(&network, &reference, &places);
        assert!(shuffled != reference);
        let back = permute(&network, &shuffled, &alignment(&network, &shuffled, &reference));
        assert_eq!(back, reference, "seed {seed}");
    }
}

#[test]
fn alignment_does_not_change_the_picture() {
    use picloom::network::kernel::render;
    use picloom::network::{Coords, PixelInputs};
    let network = network();
    let (a, b) = (random(&network, 1), random(&network, 2));
    let wide = |w: &Weights| -> Vec<f64> { w.0.iter().map(|&w| f64::from(w)).collect() };
    let places = alignment(&network, &wide(&b), &wide(&a));
    let moved = Weights(permute(&network, &wide(&b), &places).iter().map(|&w| w as f32).collect());
    assert!(moved != b);
    let inputs = PixelInputs::full(12, Coords::Fer);
    for (x, y) in render(&network, &b, &inputs).iter().zip(render(&network, &moved, &inputs)) {
        assert!((x - y).abs() < 1e-4);
    }
}

#[test]
fn one_update_is_the_published_formula() {
    let network = network();
    let start = [random(&network, 1), random(&network, 2)];
    let config = SwarmConfig { align: false, ..SwarmConfig::default() };
    let mut rng = SimRng::new(4, "swarm", 0);
    let mut swarm = Swarm::new(&network, &start, config, &mut rng).unwrap();
    let mut draws = rng.clone();
    swarm.tell(&network, &[-1.0, -3.0], &mut rng).unwrap();
    let moved = swarm.ask();
    let (x0, x1) = (&start[0].0, &start[1].0);
    let phi = [0.4, 0.3, 0.3, 0.3];
    // Two particles: each velocity begins at the other. g = x0, the worst = x1, p = x.
    for (particle, (x, other)) in [(x0, x1), (x1, x0)].into_iter().enumerate() {
        let r: Vec<f64> = phi.iter().map(|p| draws.uniform() * p).collect();
        let c: f64 = r.iter().sum();
        for i in 0..x.len() {
            let at = |w: &[f32]| f64::from(w[i]);
            let v =
                (r[0] * (at(other) - at(x)) + r[2] * (at(x0) - at(x)) + r[3] * (at(x) - at(x1)))
                    / c;
            let expected = (at(x) + v) as f32;
            assert!((moved[particle].0[i] - expected).abs() < 1e-6);
        }
    }
    assert_eq!((swarm.step(), swarm.rounds()), (0.95, 1));
    assert_eq!(swarm.best().unwrap(), (start[0].clone(), -1.0));
}

#[test]
fn a_swarm_finds_better_weights() {
    let network = network();
    let goal = random(&network, 99);
    let utility = |w: &Weights| -> f64 {
        -w.0.iter().zip(&goal.0).map(|(a, b)| f64::from((a - b) * (a - b))).sum::<f64>()
    };
    let start: Vec<Weights> = (0..8).map(|s| random(&network, s)).collect();
    let config = SwarmConfig { align: false, ..SwarmConfig::default() };
    let mut rng = SimRng::new(4, "swarm", 0);
    let mut swarm = Swarm::new(&network, &start, config, &mut rng).unwrap();
    let first = start.iter().map(utility).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..60 {
        let utilities: Vec<f64> = swarm.ask().iter().map(utility).collect();
        swarm.tell(&network, &utilities, &mut rng).unwrap();
    }
    assert!((swarm.step() - 0.1).abs() < 1e-12);
    let (best, found) = swarm.best().unwrap();
    assert_eq!(utility(&best), found);
    assert!(found > 0.8 * first, "{found} from {first}");
}

#[test]
fn wrong_particles_and_utilities_are_refused() {
    let network = network();
    let good = random(&network, 1);
    let config = SwarmConfig::default();
    let mut rng = SimRng::new(4, "swarm", 0);
    let mut refuse =
        |particles: &[Weights]| Swarm::new(&network, particles, config, &mut rng).unwrap_err();
    assert_refused(&refuse(std::slice::from_ref(&good)), ["", "at least 2 particles", "1"]);
    let mut second = |weights: Weights| refuse(&[good.clone(), weights]);
    let error = second(Weights(vec![0.0]));
    assert_eq!((error.at.as_str(), error.found.as_str()), ("particle 1", "1"), "{error}");
    let mut nan = good.clone();
    nan.0[3] = f32::NAN;
    let error = second(nan);
    assert_refused(&error, ["particle 1", "finite weights", "NaN at link 3"]);
    let pair = [good.clone(), good];
    let mut swarm = Swarm::new(&network, &pair, config, &mut rng).unwrap();
    assert!(swarm.tell(&network, &[0.0], &mut rng).is_err());
    assert!(swarm.tell(&network, &[0.0, f64::NAN], &mut rng).is_err());
    assert_eq!(swarm.rounds(), 0);
}
