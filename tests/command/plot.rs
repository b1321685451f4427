//! `picloom plot`: figures from options and from a spec.

use crate::line::Place;
use crate::messages::{ROWS, STUDY};
use crate::said::{assert_lacks, assert_says};

#[test]
fn options_describe_a_figure() {
    let place = Place::new();
    place.write("rows.csv", ROWS);
    let json = place.json(
        "plot rows.csv --kind lines --x alive --log x --y score --series arm --width 85mm \
         --labels 'sp=SP,dense=whole, trained' --colours sp=#123456 --order sp,dense --reference 0 \
         --y-range 0:1 --set least=4 --caption --out new/plot.svg",
    );
    assert_eq!(json[0]["path"], "new/plot.svg");
    assert_eq!(json[0]["figure"]["series"][0]["label"], "SP");
    assert_eq!(json[0]["figure"]["series"][0]["networks"], 3);
    let parts = ["width=\"85mm\"", "#123456", "whole, trained", "Means over 3 targets"];
    assert_says(&place.text("new/plot.svg"), &parts);
    for (name, dots) in [("plot.png", 100), ("plot.pdf", 300)] {
        let plot = "plot rows.csv --kind dots --x arm --y score";
        place.done(&format!("{plot} --dpi {dots} --out {name}"));
        place.whole("", name);
    }
    assert!(place.bytes("plot.pdf").starts_with(b"%PDF"));
}

#[test]
fn a_spec_describes_several_and_options_override_its_keys() {
    let place = Place::new();
    place.write("rows.csv", ROWS);
    place.write("study.toml", STUDY);
    place.done("plot rows.csv --spec study.toml --out figures");
    place.whole("figures", "score.svg effect.svg");
    place.done("plot rows.csv --spec study.toml --figure score --width 60 --out one.svg");
    assert_says(&place.text("one.svg"), &["width=\"60mm\"", "<title>score</title>"]);
}

#[test]
fn a_table_of_losses_is_drawn_with_the_look_of_a_paper() {
    let place = Place::new();
    place.write("other.csv", "step,mse\n0,0.5\n90000,0.001\n");
    let looks = "plot ROOT/figures/fer-recipe/losses.csv other.csv --width column --font-size 7 \
                 --labels fer-recipe=ours";
    place.done(&format!("{looks} --out l.pdf"));
    assert!(place.bytes("l.pdf").starts_with(b"%PDF-1.7"));
    place.done(&format!("{looks} --x-label Schritt --out l.svg"));
    let svg = place.text("l.svg");
    assert_says(&svg, &["width=\"85mm\"", "ours", "Schritt", "other", "mean squared error"]);
    assert_lacks(&svg.to_lowercase(), &["geometric"]);
    // A table with these columns is one as any other where an option asks for them.
    place.write("mine.csv", "run,step,mse,score\na,0,0.5,0.1\na,10,0.25,0.3\nb,20,0.125,0.7\n");
    place.done("plot mine.csv --x step --y score --kind scatter --out x.svg");
    place.done("plot mine.csv --x run --y mse --unit row --out x.svg");
}

#[test]
fn texts_over_each_other_and_networks_that_stand_twice_are_refused_and_marks_beyond_the_range_counted()
 {
    let place = Place::new();
    let dots = "plot ROOT/figures/regime/rows.csv.gz --kind dots --x arm --y score";
    let counted = format!("{dots} --counts fit=true --where variant=base --width 85mm --out a.pdf");
    place.refused(&counted, 2, &["expected at least 119 mm", "\"654/1820\" does not fit"]);
    let half = format!("{dots} --where arm=evolved --y-range 0:0.1 --caption --out a.svg");
    place.refused(&half, 2, &["1, all beyond the range of an axis"]);
    let some = format!("{dots} --where variant=base --y-range 0:0.3 --caption --out a.svg");
    place.done(&some);
    assert_says(&place.text("a.svg"), &["beyond the range of an axis"]);
    place.write("twice.csv", "target,arm,seed,score\na,sp,0,0.5\na,sp,0,0.5\n");
    let twice = "plot twice.csv --kind dots --x arm --y score --out b.svg";
    place.refused(twice, 2, &["twice.csv", "the same row in lines 2 and 3"]);
}
