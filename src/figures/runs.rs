//! The report of `picloom compare RUN RUN…`: finished runs side by side.

use super::axis::Axis;
use super::charts::{Dots, Figure, Group, Point};
use super::compare::ReportError;
use super::files::{Provenance, SaveError, save, svg_to_png};
use super::html::{Align, Cell, Kind, Page, Section, Shot, Table, Tile};
use super::losses::{LossCurve, losses};
use super::style::{self, fixed};
use super::views::{judged_sheet, unit_sheet};
use crate::experiment::Record;
use crate::experiment::compare_runs::{RunRow, RunsComparison, RunsRecord};
use crate::network::files::{create_folder, write_atomic};
use crate::score::FIT_GATE;
use std::path::{Path, PathBuf};

/// The large pictures of one run.
struct Sheets {
    /// PNG of the feature maps.
    maps: Vec<u8>,
    /// SVG of changed weights.
    sweep: String,
}

/// Writes everything of a comparison of runs into `out`: pictures, sheets, `scores.csv`, `study.json` with `rows.csv.gz`,
/// the figures, `report.html`. Returns the path of the report.
///
/// # Errors
/// The folder cannot be written.
pub fn write_runs(
    comparison: &RunsComparison,
    out: &Path,
    command: &str,
) -> Result<PathBuf, ReportError> {
    let record = &comparison.record;
    for folder in ["pictures", "maps", "sweeps"] {
        create_folder(&out.join(folder))?;
    }
    let provenance =
        Provenance::none().with("command", command).with("version", record.version.clone());
    let mut sheets = Vec::new();
    for (i, (run, seen)) in record.runs.iter().zip(&comparison.views).enumerate() {
        let name = |folder: &str| out.join(folder).join(format!("{}.png", i + 1));
        let png = |path: &Path, svg: &str| -> Result<Vec<u8>, ReportError> {
            let png = svg_to_png(svg, 1.0, &provenance)
                .map_err(|problem| SaveError::Draw { path: path.into(), problem })?;
            write_atomic(path, &png)?;
            Ok(png)
        };
        let texts = [("command", command), ("run", run.run_id.as_str())];
        write_atomic(&name("pictures"), &seen.view.picture().to_png(&texts))?;
        let sweep = judged_sheet(&run.name, &seen.perturbed, record.config.effect);
        png(&name("sweeps"), &sweep)?;
        let maps = png(&name("maps"), &unit_sheet(&run.name, &seen.view))?;
        sheets.push(Sheets { maps, sweep });
    }
    let (figure, curves) = (score_figure(record), loss_figure(comparison));
    save(&figure, &out.join("comparison"), &provenance)?;
    save(&curves, &out.join("losses"), &provenance)?;
    record.parts().1.write(&out.join("scores.csv"))?;
    record.save(out)?;
    let path = out.join("report.html");
    let page = report(comparison, &figure, &curves, &sheets, command);
    write_atomic(&path, page.render().as_bytes())?;
    Ok(path)
}

/// Compositional score of each run, with intervals; unfit runs hollow.
fn score_figure(record: &RunsRecord) -> String {
    let estimate = |(i, run): (usize, &RunRow)| {
        let estimate = run.score.score.zip(run.score.interval).map(|(value, (low, high))| {
            let unfit = if run.score.counts { "" } else { " unfit" };
            Point::value(value)
                .between(low, high)
                .hollow(!run.score.counts)
                .coloured(style::colour(i))
                .label(format!("{}{unfit}", fixed(value, 2)))
        });
        Group { name: run.name.clone(), estimates: vec![estimate] }
    };
    let dots = Dots {
        value: Axis::new("compositional score").range(0.0, 1.15),
        groups: record.runs.iter().enumerate().map(estimate).collect(),
        bars: true,
        lying: true,
        ..Dots::default()
    };
    Figure::new("Share of weight changes that leave a clean picture")
        .subtitle(format!("one network a run, effect {} RMSE", record.config.effect))
        .note(format!(
            "Whiskers: 95 % interval over the weight changes of one network and the judge's error. Hollow: the network does not draw its picture (R² < {FIT_GATE}), its score does not count."
        ))
        .sized(860, 190 + 50 * record.runs.len() as u32)
        .draw(&[dots.panel()])
}

fn loss_figure(comparison: &RunsComparison) -> String {
    let curves: Vec<LossCurve> = comparison
        .record
        .runs
        .iter()
        .zip(&comparison.views)
        .enumerate()
        .map(|(i, (run, seen))| LossCurve::of_run(&run.name, style::colour(i), &seen.curve, 200))
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let subtitle = "last attempt of each run; a pruned run begins from its parent's weights";
    losses("Training loss", subtitle, "Geometric means of neighbouring steps.", &curves)
}

fn report(
    comparison: &RunsComparison,
    figure: &str,
    curves: &str,
    sheets: &[Sheets],
    command: &str,
) -> Page {
    let RunsComparison { record, views } = comparison;
    let RunsRecord { config, runs, .. } = record;
    let sample = config.sample.map_or("all non-zero".into(), |n| format!("up to {n}"));
    let tiles = runs.iter().enumerate().map(|(i, run)| Tile {
        value: run.score.score.map_or("none".into(), |score| fixed(score, 2)),
        what: run.name.clone(),
        more: match (run.score.counts, run.score.interval) {
            (false, _) => format!("unfit (R² {}): does not count", fixed(run.fit.r2, 2)),
            (true, Some((low, high))) => {
                format!("95 % interval {} to {}", fixed(low, 2), fixed(high, 2))
            }
            (true, None) => "no change had an effect".into(),
        },
        tone: Some(style::colour(i)),
    });
    let mut short = Section::new("In short").tiles(tiles).paragraph(
        "One network a run: each interval is over the weight changes of that one network and the judge's error, not over trainings.",
    );
    if !record.same_picture() {
        short = short.callout(
            Kind::Warning,
            "Not the same picture",
            "These runs draw different pictures, or draw them at different sizes. Losses and scores of different pictures say little about each other.",
        );
    }
    short = short.figure(
        figure,
        "The compositional score of every run. Higher means: more of its weights can be changed without damage.",
    );
    let mut shots = Vec::new();
    for (i, (run, seen)) in runs.iter().zip(views).enumerate() {
        if i == 0 || !record.same_picture() {
            let file = Path::new(&run.target).file_name().unwrap_or_default();
            let picture = Shot::new(&seen.target, "the picture");
            shots.push(picture.second_line(file.to_string_lossy()));
        }
        let fit = if run.score.counts { "fit" } else { "unfit" };
        let drawn = Shot::new(seen.view.picture(), run.name.clone());
        shots.push(
            drawn
                .second_line(format!("R² {}, {fit}", fixed(run.fit.r2, 3)))
                .framed(style::colour(i)),
        );
    }
    let mut changed = Section::new("One weight changed").paragraph(
        "Each little picture is the same network after one weight was changed until the picture differs by the same amount everywhere. Green: the judge calls it a clean picture. Yellow: it is not sure. Red: damaged.",
    );
    let mut inside = Section::new("Inside the networks")
        .paragraph("Each square is what one unit draws: red −1, white 0, blue +1.");
    for (run, Sheets { maps, sweep }) in runs.iter().zip(sheets) {
        let s = &run.score;
        let counts = format!(
            "{} coherent, {} unclear, {} fractured, {} silent",
            s.coherent, s.unclear, s.fractured, s.silent
        );
        changed = changed.figure(sweep.clone(), format!("{}: {counts}", run.name));
        let caption = format!("{}: feature maps; pale units do not reach the picture", run.name);
        inside = inside.sheet(maps.clone(), width(maps).min(960), caption);
    }
    Page::new(
        format!("{} runs side by side", runs.len()),
        "Finished networks, measured in the same way. Change one weight at a time: is the result still a clean picture?",
    )
    .fact("weights", sample)
    .fact("effect", format!("{} RMSE", config.effect))
    .fact("judge", runs.first().map_or(String::new(), |run| run.score.judge.clone()))
    .section(short)
    .section(Section::new("The pictures").pictures(
        shots,
        128,
        "What each network was trained on and what it draws.",
    ))
    .section(changed)
    .section(Section::new("The numbers").table(numbers(runs)))
    .section(Section::new("Training").figure(curves, "Loss before each logged step."))
    .section(inside)
    .section(Section::new("Repeat it").code(command).paragraph(
        "The same command gives the same numbers at any number of threads. rows.csv.gz and scores.csv beside this file hold every number.",
    ))
    .footer(format!("picloom {}", record.version))
}

/// Pixels across, as the PNG's head says.
fn width(png: &[u8]) -> usize {
    let field = png.get(16..20).and_then(|bytes| bytes.try_into().ok());
    field.map_or(960, u32::from_be_bytes) as usize
}

fn numbers(runs: &[RunRow]) -> Table {
    let row = |(i, run): (usize, &RunRow)| {
        let s = &run.score;
        let cell = |text: String| Cell::new(text).faint(!s.counts);
        vec![
            Cell::new(run.name.clone()).swatch(style::colour(i)).faint(!s.counts),
            cell(run.arm.clone()),
            cell(run.kept.to_string()),
            cell(run.alive.to_string()),
            cell(format!("{:.2e}", run.train.final_loss)),
            cell(fixed(run.fit.r2, 4)),
            cell(s.score.map_or("none".into(), |score| fixed(score, 3))),
            cell(s.interval.map_or(String::new(), |(low, high)| {
                format!("{} to {}", fixed(low, 3), fixed(high, 3))
            })),
        ]
    };
    let headers = ["run", "arm", "kept", "alive", "loss", "R²", "score", "95 % interval"];
    let mut align = vec![Align::Left; 2];
    align.extend([Align::Right; 6]);
    let mut notes = vec!["alive: kept links on a path from an input to the picture. Grey rows are unfit: their scores do not count.".to_string()];
    notes.extend(runs.iter().map(|run| {
        let network = run.arch.clone().unwrap_or("a genome's own graph".into());
        format!("{}: {network}", run.name)
    }));
    Table {
        caption: "Every run of the comparison.".into(),
        headers: headers.map(String::from).to_vec(),
        align,
        rows: runs.iter().enumerate().map(row).collect(),
        notes,
    }
}
