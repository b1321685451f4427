//! How long work is thought to take, and what is learned of it on the way.

use picloom::experiment::cost;
use picloom::study::workers::{News, Outcome, Progress, StudyObserver, Task, work_through};
use picloom::train::TrainConfig;
use std::time::Duration;

#[test]
fn an_estimate_counts_links_weights_pixels_and_attempts_that_collapse() {
    let score = |weights, links, size| cost::scoring(weights, links, size);
    assert!((score(200, 1000, 64) / score(100, 1000, 64) - 2.0).abs() < 1e-9);
    assert!(score(100, 1000, 128) > 2.0 * score(100, 1000, 64));
    // Of large networks the links cost most.
    assert!(score(100, 40_000, 64) > 15.0 * score(100, 1000, 64));
    // So do the measures beside the score, which take as long as changing 200 weights.
    let measures = cost::measures(8096, 64);
    assert!((0.5..2.0).contains(&(measures / score(200, 8096, 64))), "{measures}");
    let train = TrainConfig { steps: 20_000, ..TrainConfig::default() };
    let lost = |layers| cost::lost_steps(layers, &train);
    assert!(lost(0) == 0.0 && lost(33) > 4.0 * lost(8), "{}", lost(33));
    let short = TrainConfig { steps: 100, ..train.clone() };
    assert!(cost::lost_steps(33, &short) < 100.0, "an attempt has no more steps than a training");
    // However fast the machine is, it takes some time.
    let pace = cost::pace();
    assert!((0.01..1000.0).contains(&pace), "{pace} s of a clock for a second of one core");
}

/// Remembers what was left after each part, and after each cell.
#[derive(Default)]
struct Left {
    parts: Vec<Option<f64>>,
    cells: Vec<Option<f64>>,
}

impl StudyObserver for Left {
    fn part(&mut self, progress: &Progress) {
        self.parts.push(progress.seconds_left);
    }

    fn cell(&mut self, progress: &Progress, _label: &str, _error: Option<&str>) {
        self.cells.push(progress.seconds_left);
    }
}

#[test]
fn what_is_left_is_learned_from_finished_parts_and_at_the_end_nothing_is() {
    let task = |_| Task { label: String::new(), cost: 10.0 };
    // A cell of two parts, each thought to take 5 s and taking a hundredth of that; one was there before.
    let work = |number, ask: picloom::study::workers::Ask<'_>| {
        let now = number != 1;
        std::thread::sleep(Duration::from_millis(if now { 50 } else { 0 }));
        ask.tell(News::Did { cost: 5.0, now });
        std::thread::sleep(Duration::from_millis(50));
        Ok(Outcome::Done)
    };
    let mut left = Left::default();
    assert!(work_through([&[], &[0, 1, 2]], task, 1, work, &mut left).unwrap());
    assert_eq!((left.parts.len(), left.cells.len()), (3, 3));
    // After the first part of the first cell 25 s of work are left, at about a hundredth of its time.
    let first = left.parts[0].unwrap();
    assert!((0.2..2.5).contains(&first), "learned from the first part: {first}");
    let second = left.cells[1].unwrap();
    assert!(
        (0.05..1.0).contains(&second),
        "what was there before does not count as fast: {second}"
    );
    assert_eq!(left.cells[2], None, "nothing is left at the end");
}
