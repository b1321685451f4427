//! The fewest links: the command, and which network of a table it takes.

use crate::cases::cases;
use crate::line::Place;
use picloom::experiment::distil::distilled;
use picloom::experiment::networks::{NetworksRecord, Scored};
use picloom::study::Record;

cases! {
    distil:
    #[ignore = "slow: cargo test -- --include-ignored"]
    the_command_answers_in_json_and_the_same_line_finds_what_is_there,
}

#[test]
#[ignore = "slow: cargo test -- --include-ignored"]
fn the_fewest_living_links_of_those_that_learned_are_taken() {
    let place = Place::new();
    let letter = "ROOT/experiments/targets/letter_s.png";
    let said = place.json(&format!("distil {letter} --profile smoke --steps 40 --out out"));
    // Nothing is learned in forty steps.
    assert_eq!(said.get("links"), Some(&serde_json::Value::Null), "{said}");
    let study = place.at("out").join(said["study"].as_str().unwrap());
    let mut record = NetworksRecord::read(&study).unwrap();
    assert_eq!(distilled(&record), None);
    assert!(record.rows.iter().all(|row| row.arm != "evolved"));
    let learned = |record: &mut NetworksRecord,
                   (arm, level): (&str, usize),
                   alive: usize,
                   r2: f64,
                   score: f64| {
        let of = |row: &&mut picloom::experiment::NetworkRow| row.arm == arm && row.level == level;
        let result = record.rows.iter_mut().find(of).unwrap().result.as_mut().unwrap();
        (result.fit, result.alive, result.r2) = (true, alive, r2);
        let (low, high) = (Some(score - 0.1), Some(score + 0.1));
        result.score = Some(Scored { score, low, high, clean_share: None });
    };
    learned(&mut record, ("distilled", 3), 80, 0.96, 0.75);
    learned(&mut record, ("distilled-weak", 4), 70, 0.96, 0.6);
    learned(&mut record, ("distilled-strong", 2), 70, 0.97, 0.5);
    // Without a penalty: neither end.
    learned(&mut record, ("imp", 2), 60, 0.99, 0.9);
    let found = distilled(&record).unwrap();
    assert_eq!((found.found.arm.as_str(), found.found.links), ("distilled-strong", 70));
    assert_eq!((found.learned, found.imp.as_ref().unwrap().links), ((3, 57), 60));
    assert!(found.evolved.is_none() && found.dense.as_ref().is_some_and(|dense| !dense.fit));
    let text = found.text();
    assert!(text.contains("3 of 57 pruned networks learned the picture"), "{text}");
    // The other end has the highest score: [.65, .85], beside [.40, .60].
    assert_eq!((found.highest.arm.as_str(), found.highest.links), ("distilled", 80));
    assert!(text.contains("intervals of the two ends' scores do not touch"), "{text}");
    learned(&mut record, ("distilled", 3), 80, 0.96, 0.65);
    let text = distilled(&record).unwrap().text();
    assert!(text.contains("intervals of the two ends' scores touch"), "{text}");
}
