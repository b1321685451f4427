//! `judge test`.

use crate::line::Place;
use picloom::network::Picture;
use std::fmt::Write as _;

#[test]
fn judges_are_tested_against_labels_and_against_each_other() {
    let place = Place::new();
    // A square that moved is clean, one in noise is damaged.
    let draw = |left: usize, noise: usize| {
        let mut picture = Picture::filled(64, 64, [0.2; 3]);
        for (i, v) in picture.rgb.iter_mut().enumerate() {
            let (row, column) = (i / 192, i / 3 % 64);
            let inside = (20..44).contains(&row) && (left..left + 24).contains(&column);
            let grain = (row * 7919 + column * 10473) % 97 % (noise + 1);
            *v = if inside { 0.9 } else { *v } - grain as f32 / 200.0;
        }
        picture.to_png(&[])
    };
    place.write("base.png", draw(16, 0));
    let mut csv = String::from("image,base,label,network\n");
    for k in 1..=6 {
        place.write(&format!("c{k}.png"), draw(16 + k, 0));
        place.write(&format!("f{k}.png"), draw(16, 40 + k));
        writeln!(csv, "c{k}.png,base.png,clean,drawn\nf{k}.png,base.png,damaged,drawn").unwrap();
    }
    place.write("square_labels.csv", csv);
    let tested = |more: &str| place.json(&format!("judge test square_labels.csv {more}"));
    let report = tested("");
    assert_eq!(report["targets"]["square"]["pictures"], 12);
    assert_eq!(report["pooled"]["auc"]["estimate"], 1.0, "{report}");
    // Against itself a judge is always right; a coin agrees by chance only.
    assert_eq!(tested("--against dl")["pooled"]["accuracy"], 1.0);
    let coin = tested("--judge mock:seed=3");
    assert!(coin["pooled"]["kappa"]["low"].as_f64().unwrap() < 0.3);
}
