//! A step allocates nothing, and fits in 64 MiB: counted by the allocator itself. So does a whole training
//! step of every optimizer but Muon, inside a pool, as `picloom train` makes it.
#![allow(unsafe_code)]

use picloom::base::SimRng;
use picloom::network::kernel::Objective;
use picloom::network::{Arch, Coords, Mask, Network, Picture, PixelInputs};
use picloom::train::{Problem, TrainConfig, TrainObserver, TrainState, Trainer};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, SeqCst);
        let held = HELD.fetch_add(layout.size(), SeqCst) + layout.size();
        PEAK.fetch_max(held, SeqCst);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), SeqCst);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, because other tests would allocate meanwhile.
#[test]
fn steps_allocate_nothing_neither_alone_nor_with_optimizers_nor_in_the_command() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| {
        a_kernel_step_allocates_nothing_and_stays_under_64_mib();
        a_training_step_allocates_nothing();
    });
    the_command_trains_inside_its_pool();
}

fn skull() -> Network {
    "12;cache:15,gaussian:4,identity:2,sin:1".parse::<Arch>().unwrap().network()
}

fn a_kernel_step_allocates_nothing_and_stays_under_64_mib() {
    let network = skull();
    let mut rng = SimRng::new(1, "test", 0);
    let count = network.weight_count();
    let weights: Vec<f32> = (0..count).map(|_| 0.2 * rng.normal() as f32).collect();
    let mut gradient = vec![0.0; count];
    let chosen: Vec<u32> = (0..4096).map(|_| rng.below(65536) as u32).collect();
    let half = Mask((0..count).map(|_| rng.chance(0.25)).collect());
    for mask in [Mask::all(count), half] {
        let before = HELD.load(SeqCst);
        PEAK.store(before, SeqCst);
        let inputs = PixelInputs::full(256, Coords::Fer);
        let target = vec![0.5; 3 * inputs.pixels()];
        let mut objective = Objective::new(&network, &mask, &inputs, &target);
        objective.loss_and_gradient(&weights, &mut gradient);
        let peak = PEAK.load(SeqCst) - before;
        assert!(peak < 64 << 20, "{peak} bytes");

        objective.select(Some(&chosen));
        objective.loss_and_gradient(&weights, &mut gradient);
        let calls = CALLS.load(SeqCst);
        for _ in 0..10 {
            objective.select(None);
            objective.loss_and_gradient(&weights, &mut gradient);
            objective.loss(&weights);
            objective.select(Some(&chosen));
            objective.loss_and_gradient(&weights, &mut gradient);
        }
        assert_eq!(CALLS.load(SeqCst) - calls, 0, "allocations");
    }
}

/// Counts the allocations of some steps after the first ones.
#[derive(Default)]
struct Count {
    before: usize,
    calls: Option<usize>,
}

/// L-BFGS remembers ten steps.
const WARM_UP: u64 = 15;
const STEPS: u64 = 20;

impl TrainObserver for Count {
    fn step_done(&mut self, state: &TrainState) -> bool {
        if state.step == WARM_UP {
            self.before = CALLS.load(SeqCst);
        }
        if state.step == WARM_UP + STEPS {
            self.calls = Some(CALLS.load(SeqCst) - self.before);
        }
        self.calls.is_none()
    }
}

fn a_training_step_allocates_nothing() {
    // Muon: each of the three products of a Newton–Schulz step packs its matrices into a new buffer (the
    // matrixmultiply crate's), in each of the 11 matrices with both sides above 5.
    const MUON: usize = 11 * 5 * 3 * STEPS as usize;
    let cases = [
        ("sgd:momentum=0.9", 0),
        ("adam", 0),
        ("adamw", 0),
        ("rmsprop", 0),
        ("lion", 0),
        ("sam", 0),
        ("lbfgs", 0),
        ("adam-q", 0),
        ("adam-scalar", 0),
        ("normalized-momentum", 0),
        ("openai-es:population=2", 0),
        ("muon", MUON),
    ];
    for (optimizer, most) in cases {
        for batch in [None, Some(300)] {
            if optimizer == "lbfgs" && batch.is_some() {
                continue; // Its line search needs one loss, not a new one each step.
            }
            let network = skull();
            let mut rng = SimRng::new(2, "test", 0);
            let inputs = PixelInputs::full(32, Coords::Fer);
            let target = Picture {
                width: 32,
                height: 32,
                rgb: (0..3 * inputs.pixels()).map(|_| rng.uniform() as f32).collect(),
            };
            let problem = Problem {
                mask: Mask::all(network.weight_count()),
                network,
                inputs,
                target,
                start: None,
            };
            let config = TrainConfig {
                optimizer: optimizer.parse().unwrap(),
                target_loss: Some(0.0),
                log_every: 2,
                batch,
                ..TrainConfig::default()
            };
            let mut count = Count::default();
            Trainer::new(problem, config).unwrap().run(&mut count);
            let calls = count.calls.expect("all steps are made");
            assert!(
                calls <= most,
                "{optimizer}, batch {batch:?}: {calls} allocations in {STEPS} steps, expected {most}"
            );
        }
    }
}

/// Outside of its pool rayon's queue would allocate for every 63rd pass, about 95 times in 6000 steps.
fn the_command_trains_inside_its_pool() {
    if std::io::stderr().is_terminal() {
        println!("the command is not counted: its bar would allocate on this terminal");
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let genome = concat!(env!("CARGO_MANIFEST_DIR"), "/genomes/mask.json");
    // The first one is a warm-up: it starts the threads and fills what is made once a process.
    let [_, short, long] =
        [("first", "1000"), ("short", "1000"), ("long", "7000")].map(|(name, steps)| {
            let calls = CALLS.load(SeqCst);
            let out = folder.path().join(name);
            let options = "--wiring graph --size 32 --threads 2 --log-every 1000000 --steps";
            let files = ["--genome", genome, "--target", genome, "--out"];
            let command = ["picloom", "train"].into_iter().chain(options.split(' '));
            picloom::cli::run(command.chain([steps]).chain(files).chain([out.to_str().unwrap()]));
            assert!(out.join("result.json").exists());
            CALLS.load(SeqCst) - calls
        });
    assert!(long < short + 20, "{short} allocations in 1000 steps, {long} in 7000");
}
