//! A step allocates nothing, and fits in 64 MiB: counted by the allocator itself.
#![allow(unsafe_code)]

use picloom::math::SimRng;
use picloom::network::kernel::Objective;
use picloom::network::{Arch, Coords, Mask, PixelInputs};
use std::alloc::{GlobalAlloc, Layout, System};
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
fn a_step_allocates_nothing_and_a_256_step_stays_under_64_mib() {
    let network = "12;cache:15,gaussian:4,identity:2,sin:1"
        .parse::<Arch>()
        .unwrap()
        .network();
    let mut rng = SimRng::new(1, "test", 0);
    let count = network.weight_count();
    let weights: Vec<f32> = (0..count).map(|_| 0.2 * rng.normal() as f32).collect();
    let mut gradient = vec![0.0; count];
    let chosen: Vec<u32> = (0..4096).map(|_| rng.below(65536) as u32).collect();
    let half = Mask((0..count).map(|_| rng.chance(0.25)).collect());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    pool.install(|| {
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
            println!("peak {} KiB", peak >> 10);
        }
    });
}
