//! From a family of pictures to combinations that training never saw: a face under two factors, learned where at most
//! one of them is moved, drawn where both are.
//!
//! `cargo run --release --example recombine [OUT.png]`

use picloom::network::family::{Conditioned, Family, Support};
use picloom::network::{Arch, Coords, Mask, Model, Picture};
use picloom::score::measures::recombination::Recombination;
use picloom::train::{Problem, TrainConfig, Trainer};
use std::path::PathBuf;

const SIZE: usize = 24;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args_os()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("picloom-recombine.png"), PathBuf::from);
    let (family, coords) = (Family::Face, Coords::Fer);
    let conditions = Support::Minimal.conditions(family.factors().len(), 5, 0);
    let [seen, held_out] = [conditions.seen, conditions.held_out]
        .map(|set| Conditioned::of(set, |z| family.picture(z, SIZE, coords)));

    let arch: Arch = "4;cache:2,cos:2,gaussian:2,identity:1,sigmoid:2,sin:2,tanh:2;z:2".parse()?;
    let network = arch.network();
    let mask = Mask::all(network.weight_count());
    let problem = Problem {
        network: network.clone(),
        mask,
        inputs: seen.inputs(coords),
        target: seen.pictures.clone(),
        start: None,
    };
    let mut trainer = Trainer::new(problem, TrainConfig { steps: 3000, ..TrainConfig::default() })?;
    trainer.run(&mut ());
    let model = Model::new(network, trainer.state().weights.clone());

    let found = Recombination::of(&model, &seen, &held_out, coords);
    println!(
        "{} combinations of {} seen, {} held out: R² {:.3} and {:.3}",
        seen.conditions.len(),
        family.factors().join(" and "),
        held_out.conditions.len(),
        found.held_out_r2 + found.gap,
        found.held_out_r2,
    );
    // What it should draw, and below what it draws, where both factors are moved.
    let rows = [held_out.picture(0), model.at(&held_out.conditions[0]).picture(SIZE, coords)];
    let rgb = rows.iter().flat_map(|row| row.rgb.clone()).collect();
    let sheet = Picture { width: SIZE, height: 2 * SIZE, rgb };
    std::fs::write(&out, sheet.to_png(&[]))?;
    println!("one of them is in {}", out.display());
    Ok(())
}
