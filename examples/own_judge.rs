//! A judge of one's own, without a fork: a type that sees the unchanged picture and says of every changed one how likely
//! it is damaged. Scores an evolved network by it and by the judge that comes with Picloom.
//!
//! `cargo run --release --example own_judge [OUT.png]`

use picloom::genome::from_json;
use picloom::network::{Coords, Model, Picture, Wiring};
use picloom::probe::Selection;
use picloom::score::{BaseReading, Call, DlJudge, Exhibit, Judge, JudgeError, Protocol, Verdict};
use std::path::PathBuf;

/// Calls a picture damaged if it has become rougher: if neighbouring pixels differ more than they did.
pub(crate) struct Roughness;

/// Mean difference of neighbouring pixels in a row.
fn roughness(picture: &Picture) -> f64 {
    let rows = picture.rgb.chunks_exact(3 * picture.width);
    let steps =
        rows.flat_map(|row| row.iter().zip(&row[3..]).map(|(a, b)| f64::from((a - b).abs())));
    steps.sum::<f64>() / picture.rgb.len() as f64
}

impl Judge for Roughness {
    fn name(&self) -> String {
        "roughness/1".into()
    }

    fn read_base<'a>(&'a self, base: &'a Picture) -> Box<dyn BaseReading + 'a> {
        Box::new(Reading { base: roughness(base) })
    }
}

/// The judge, once it has seen the unchanged picture.
struct Reading {
    base: f64,
}

impl BaseReading for Reading {
    fn judge(&self, perturbed: &Picture) -> Result<Verdict, JudgeError> {
        // As rough as before: 0. Half as rough again, or more: 1.
        let more = roughness(perturbed) / self.base.max(1e-9) - 1.0;
        Ok(Verdict::from_probability((2.0 * more).clamp(0.0, 1.0)))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-own-judge.png"), PathBuf::from);
    let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
    let model = Model::of_genome(&genome, Wiring::Graph);
    let exhibit = Exhibit::new(&model, 64, Coords::Fer, None);
    let view = exhibit.view();
    let protocol = Protocol { samples: Selection::Sample(24), ..Protocol::default() };
    let judges: [&dyn Judge; 2] = [&Roughness, &DlJudge::default()];
    for judge in judges {
        let found = protocol.measure(&exhibit, judge)?;
        let score = found.score.score.unwrap_or(f64::NAN);
        println!("{}: score {score:.2}", judge.name());
        let damaged = found.judged.iter().find(|judged| {
            judged.verdict.as_ref().is_some_and(|verdict| verdict.call == Call::Damaged)
        });
        let first = found.judged.iter().find(|judged| judged.verdict.is_some());
        if let Some(shown) = damaged.or(first) {
            std::fs::write(&out, view.picture_with(shown.perturbation).to_png(&[]))?;
        }
    }
    println!("a changed picture is in {}", out.display());
    Ok(())
}
