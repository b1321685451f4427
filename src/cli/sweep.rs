//! `picloom sweep`: change weights one by one and draw the pictures.

use super::interrupt;
use super::output::Output;
use super::source::{SourceArgs, Usage, chosen_links};
use crate::experiment::Source;
use crate::figures::apng::{animate, there_and_back};
use crate::figures::sheets::{Pane, PaneGroup, Sheet, Strip, Strips, contact_sheet, strips};
use crate::figures::style::number;
use crate::figures::{Provenance, save};
use crate::math::SimRng;
use crate::network::Picture;
use crate::network::files::{create_folder, write_atomic};
use crate::probe::{
    Delta, DirectionRecord, Directions, Selection, View, WeightSweep, directions, spread,
};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub struct SweepArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Weights to change: all, a number (sampled within layers), or link numbers (0,17,42)
    #[arg(long, default_value = "24", value_name = "all|N|IDS")]
    weights: Selection,
    /// How far: effect:E (RMSE between the pictures) or fixed:D
    #[arg(long, default_value = "effect:0.18")]
    delta: Delta,
    /// Pictures in each strip, from w − 1 to w + 1
    #[arg(long, default_value_t = 9)]
    steps: usize,
    /// Also draw this many random directions over all non-zero weights, sorted by variance
    #[arg(long, value_name = "N")]
    directions: Option<usize>,
    /// Seed of the sample and of the directions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder for the sheets, the animation and sweep.json
    #[arg(long)]
    out: PathBuf,
}

/// Strips and frames are for looking at: no more weights than this are drawn.
const MOST_STRIPS: usize = 48;

/// Directions that vary most and directions that vary least: rows of each on their sheet.
const MOST_DIRECTIONS: usize = 8;
/// Directions that are drawn at random, at most.
const LARGEST_COUNT: usize = 10_000;

/// `directions.json`: largest variance first.
#[derive(Serialize)]
struct DirectionsRecord {
    format: &'static str,
    seed: u64,
    /// Length of a step t = 1, the same for all directions.
    radius: f64,
    /// Median RMSE of the farther end.
    effect: f64,
    steps: usize,
    links: usize,
    sorted: Vec<DirectionRecord>,
}

#[derive(Serialize)]
struct Summary {
    network: String,
    non_zero: usize,
    weights: usize,
    silent: usize,
    written: Vec<String>,
}

pub fn run(args: SweepArgs, out: &Output) -> anyhow::Result<()> {
    interrupt::listen();
    if !(2..=101).contains(&args.steps) {
        return Err(
            Usage(format!("--steps: expected 2 to 101 pictures, found {}", args.steps)).into()
        );
    }
    let wanted = wanted_directions(&args)?;
    let source = args.source.load()?;
    let links = chosen_links(&args.weights, &source.model, args.seed)?;
    create_folder(&args.out)?;
    let view = source.view();
    let bar = out.progress(links.len() as u64, "weights");
    let swept = view.sweep(&links, args.delta, &|_| bar.inc(1));
    bar.finish_and_clear();

    let provenance = Provenance(vec![
        ("command".into(), "picloom sweep".into()),
        ("network".into(), source.name.clone()),
        ("delta".into(), swept.delta.clone()),
    ]);
    let mut written = Vec::new();
    let mut keep = |(svg, png): (PathBuf, PathBuf)| written.extend([svg, png]);
    keep(save(&contacts(&source, &view, &swept), &args.out.join("contact-sheet"), &provenance)?);
    keep(save(
        &strip_sheet(&source, &view, &links, args.steps),
        &args.out.join("strips"),
        &provenance,
    )?);
    let animation = args.out.join("sweep.png");
    write_atomic(&animation, &animated(&view, &links, args.steps)?)?;
    written.push(animation);
    let json = args.out.join("sweep.json");
    write_atomic(&json, &serde_json::to_vec_pretty(&swept)?)?;
    written.push(json);
    if let Some(wanted) = wanted {
        let (found, svg) = direction_sheet(&source, &view, &args, wanted)?;
        let (svg, png) = save(&svg, &args.out.join("directions"), &provenance)?;
        let json = args.out.join("directions.json");
        write_atomic(&json, &serde_json::to_vec_pretty(&found)?)?;
        written.extend([svg, png, json]);
    }

    let silent = swept.perturbations.iter().filter(|p| p.silent).count();
    let written: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
    let text = format!(
        "{} of {} non-zero weights, both signs, {}: {silent} perturbations silent\nwrote {}",
        swept.weights,
        swept.non_zero,
        swept.delta,
        written.join("\n      ")
    );
    let summary = Summary {
        network: source.name,
        non_zero: swept.non_zero,
        weights: swept.weights,
        silent,
        written,
    };
    out.result(&summary, &text)
}

/// Every perturbation that had an effect, by layer.
fn contacts(source: &Source, view: &View, swept: &WeightSweep) -> String {
    let mut painter = view.painter();
    let mut groups: Vec<PaneGroup> = Vec::new();
    for p in swept.perturbations.iter().filter(|p| !p.silent) {
        let picture = painter.draw(p).clone();
        let heading = format!("layer {}", p.layer);
        if groups.last().is_none_or(|g| g.heading != heading) {
            groups.push(PaneGroup { heading, panes: Vec::new() });
        }
        let caption = format!(
            "w{} {}{}",
            p.link,
            if p.delta < 0.0 { "−" } else { "+" },
            number(p.delta.abs(), 2)
        );
        groups.last_mut().expect("pushed above").panes.push(Pane::new(picture, caption));
    }
    contact_sheet(&Sheet {
        title: source.name.clone(),
        subtitle: format!(
            "each picture: one weight changed, {}; silent weights are not shown",
            swept.delta
        ),
        groups,
        columns: 12,
        pane: 72,
        ..Sheet::default()
    })
}

fn strip_sheet(source: &Source, view: &View, links: &[usize], steps: usize) -> String {
    let rows = spread(links, MOST_STRIPS)
        .map(|&link| Strip {
            label: format!("weight {link}"),
            sub: format!(
                "layer {}, w = {:.2}",
                source.model.layer_of(link),
                source.model.weights.0[link]
            ),
            panes: view.strip(link, 1.0, steps).into_iter().map(|p| Pane::new(p, "")).collect(),
        })
        .collect();
    strips(&Strips {
        title: source.name.clone(),
        subtitle: "each row: one weight swept from w − 1 to w + 1".into(),
        heads: heads(steps, "w"),
        rows,
        pane: 72,
        ..Strips::default()
    })
}

/// How many directions, and the median effect they are matched to; none if none are asked for.
fn wanted_directions(args: &SweepArgs) -> anyhow::Result<Option<(usize, f64)>> {
    let Some(count) = args.directions else {
        return Ok(None);
    };
    if !(1..=LARGEST_COUNT).contains(&count) {
        let message = format!("--directions: expected 1 to {LARGEST_COUNT}, found {count}");
        return Err(Usage(message).into());
    }
    match args.delta {
        Delta::Effect(effect) => Ok(Some((count, effect))),
        Delta::Fixed(_) => {
            let expected = "--directions: expected --delta effect:E, which all directions together are matched to, found";
            Err(Usage(format!("{expected} {}", args.delta)).into())
        }
    }
}

/// Random directions over the non-zero weights, and the sheet of those that vary most and least.
fn direction_sheet(
    source: &Source,
    view: &View,
    args: &SweepArgs,
    (count, wanted): (usize, f64),
) -> anyhow::Result<(DirectionsRecord, String)> {
    let links = chosen_links(&Selection::All, view.model(), args.seed)?;
    let mut rng = SimRng::new(args.seed, "sweep-directions", 0);
    let steps = args.steps;
    let found: Directions = directions(view, &links, count, steps, wanted, &mut rng);
    let n = found.sorted.len();
    let shown: Vec<usize> = if n <= 2 * MOST_DIRECTIONS {
        (0..n).collect()
    } else {
        (0..MOST_DIRECTIONS).chain(n - MOST_DIRECTIONS..n).collect()
    };
    let rows = shown
        .into_iter()
        .map(|k| {
            let direction = &found.sorted[k];
            let pictures = direction.pictures(view, found.radius, steps);
            Strip {
                label: format!("{} of {n}", k + 1),
                sub: format!("variance {}", number(direction.variance, 2)),
                panes: pictures.into_iter().map(|p| Pane::new(p, "")).collect(),
            }
        })
        .collect();
    let sheet = strips(&Strips {
        title: format!("{}: random directions", source.name),
        subtitle: format!(
            "{} weights moved together by ±{} along a unit direction (median RMSE at the ends {}); most variance first{}",
            links.len(),
            number(found.radius, 3),
            number(found.effect, 2),
            if n > 2 * MOST_DIRECTIONS {
                format!(", the {MOST_DIRECTIONS} most and the {MOST_DIRECTIONS} least")
            } else {
                String::new()
            }
        ),
        heads: heads(steps, "t = 0"),
        rows,
        pane: 72,
        ..Strips::default()
    });
    let record = DirectionsRecord {
        format: "picloom-directions/1",
        seed: args.seed,
        radius: found.radius,
        effect: found.effect,
        steps,
        links: links.len(),
        sorted: found.sorted.iter().map(|d| d.record()).collect(),
    };
    Ok((record, sheet))
}

/// Heads of the columns of a strip from −1 to 1; `middle` for 0.
fn heads(steps: usize, middle: &str) -> Vec<String> {
    (0..steps)
        .map(|k| {
            let t = 2.0 * k as f64 / (steps - 1) as f64 - 1.0;
            if t.abs() < 1e-9 {
                middle.into()
            } else {
                format!("{}{:.2}", if t < 0.0 { "−" } else { "+" }, t.abs())
            }
        })
        .collect()
}

/// An animated PNG: the chosen weights side by side, all swept together.
fn animated(view: &View, links: &[usize], steps: usize) -> anyhow::Result<Vec<u8>> {
    let columns: Vec<Vec<Picture>> =
        spread(links, MOST_STRIPS).map(|&link| view.strip(link, 1.0, steps)).collect();
    let frames: Vec<Picture> = (0..steps)
        .map(|k| {
            let panes = columns.iter().map(|c| Pane::new(c[k].resized(96), "")).collect();
            crate::figures::sheets::mosaic(&Sheet {
                groups: vec![PaneGroup { heading: String::new(), panes }],
                columns: 8,
                pane: 96,
                ..Sheet::default()
            })
        })
        .collect();
    Ok(animate(&there_and_back(frames), 80, &[("command", "picloom sweep")])?)
}
