//! The cost of a study, and how it is divided among machines.

use picloom::experiment::cost::{self, scoring, training};
use picloom::study::emit::fill;
use picloom::study::shard::Shard;
use picloom::train::TrainConfig;

#[test]
fn the_published_run_takes_a_quarter_of_an_hour_of_a_core() {
    // 100 000 steps of the skull's dense network at 256²: 5.3 ms a step on two cores.
    let seconds = training(100_000.0, 5478, 256);
    assert!((900.0..1500.0).contains(&seconds), "{seconds}");
}

#[test]
fn an_estimate_counts_links_weights_pixels_and_attempts_that_collapse() {
    assert!((scoring(200, 1000, 64) / scoring(100, 1000, 64) - 2.0).abs() < 1e-9);
    assert!(scoring(100, 1000, 128) > 2.0 * scoring(100, 1000, 64));
    // Of large networks the links cost most.
    assert!(scoring(100, 40_000, 64) > 15.0 * scoring(100, 1000, 64));
    // So do the measures beside the score, which take as long as changing 200 weights.
    let measures = cost::measures(8096, 64);
    assert!((0.5..2.0).contains(&(measures / scoring(200, 8096, 64))), "{measures}");
    let train = TrainConfig { steps: 20_000, ..TrainConfig::default() };
    let lost = |layers| cost::lost_steps(layers, &train);
    assert!(lost(0) == 0.0 && lost(33) > 4.0 * lost(8), "{}", lost(33));
    let short = TrainConfig { steps: 100, ..train.clone() };
    assert!(cost::lost_steps(33, &short) < 100.0, "an attempt has no more steps than a training");
    // However fast the machine is, it takes some time.
    let pace = cost::pace();
    assert!((0.01..1000.0).contains(&pace), "{pace} s of a clock for a second of one core");
}

#[test]
fn a_template_is_filled_and_nothing_is_added() {
    let values = [("tasks", "3".to_string()), ("command", "picloom '{{tasks}}'".into())];
    let text = fill("seq {{tasks}} | parallel {{command}} {}\n", &values).unwrap();
    assert_eq!(text, "seq 3 | parallel picloom '{{tasks}}' {}\n");
    let unknown = fill("{{tsks}}", &values).unwrap_err();
    assert_eq!((unknown.at.as_str(), unknown.found.as_str()), ("template", "{{tsks}}"));
    assert_eq!(fill("{{open", &values).unwrap_err().found, "{{open}}");
    let lines = fill("", &[("command", "a\nb".into())]).unwrap_err();
    assert_eq!(lines.at, "command");
}

#[test]
fn shards_divide_a_study_and_a_wrong_one_is_refused() {
    for of in 1..6 {
        let mut seen = [0; 17];
        for number in 1..=of {
            let text = format!("{number}/{of}");
            let shard: Shard = text.parse().unwrap();
            assert_eq!(shard.to_string(), text);
            (0..17).filter(|cell| shard.has(*cell)).for_each(|cell| seen[cell] += 1);
        }
        assert_eq!(seen, [1; 17]);
    }
    for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/4", ""] {
        let refusal = wrong.parse::<Shard>().unwrap_err();
        assert_eq!(refusal.found, format!("{wrong:?}"));
    }
}
