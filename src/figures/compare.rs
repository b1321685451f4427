//! The figure, the sheets, the table and the report of `picloom compare`.

use super::axis::Axis;
use super::charts::{Dots, Figure, Group, Point};
use super::files::{Provenance, SaveError, save, svg_to_png};
use super::html::{Align, Cell, Kind, Page, Section, Shot, Table, Tile};
use super::losses::{LossCurve, losses};
use super::sheets::{FeatureSheet, feature_sheet};
use super::style::{self, Colour, arm as arm_style, percent};
use super::views::judged_sheet;
use super::wiring::{Wiring, wiring};
use crate::experiment::Record;
use crate::experiment::compare::{
    ArmRecord, ArmView, CompareConfig, CompareRecord, Comparison, PictureRecord,
};
use crate::math::text;
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::score::FIT_GATE;
use crate::train::StopReason;
use std::path::{Path, PathBuf};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A figure could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// A table could not be written.
    #[error("{path}: cannot write table: {source}")]
    Table {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: csv::Error,
    },
}

/// An arm over its seeds.
struct ArmSummary<'a> {
    key: &'a str,
    records: Vec<&'a ArmRecord>,
}

impl ArmSummary<'_> {
    fn label(&self) -> &str {
        arm_style(self.key).map_or(self.key, |(_, a)| a.label)
    }

    fn colour(&self) -> Colour {
        arm_style(self.key).map_or(style::INK, |(_, a)| a.colour)
    }

    fn fit(&self) -> bool {
        self.records.iter().all(|r| r.score.counts)
    }

    /// Mean score of the seeds, with the interval of these networks: their errors are independent.
    fn pooled(&self) -> Option<(f64, (f64, f64))> {
        let found = self.records.iter().filter_map(|r| r.score.score.zip(r.score.interval));
        let n = found.clone().count() as f64;
        let mean = found.clone().map(|(score, _)| score).sum::<f64>() / n;
        let side = |of: &dyn Fn(f64, (f64, f64)) -> f64| {
            found.clone().map(|(score, i)| of(score, i) * of(score, i)).sum::<f64>().sqrt() / n
        };
        let (low, high) = (side(&|score, i| score - i.0), side(&|score, i| i.1 - score));
        (n > 0.0).then_some((mean, (mean - low, mean + high)))
    }

    fn mean_r2(&self) -> f64 {
        self.records.iter().map(|r| r.fit.r2).sum::<f64>() / self.records.len() as f64
    }
}

fn summaries(record: &CompareRecord) -> Vec<ArmSummary<'_>> {
    let mut all: Vec<ArmSummary> = Vec::new();
    for r in &record.arms {
        match all.iter_mut().find(|a| a.key == r.arm) {
            Some(arm) => arm.records.push(r),
            None => all.push(ArmSummary { key: &r.arm, records: vec![r] }),
        }
    }
    all
}

/// Writes everything of a comparison into `out`: pictures, sheets, `scores.csv`, `study.json` with `rows.csv.gz`,
/// the figure, `report.html`. Returns the path of the report.
///
/// # Errors
/// The folder cannot be written.
pub fn write_comparison(
    comparison: &Comparison,
    out: &Path,
    command: &str,
) -> Result<PathBuf, ReportError> {
    let record = &comparison.record;
    for folder in ["pictures", "maps", "sweeps", "wiring"] {
        create_folder(&out.join(folder))?;
    }
    let provenance = Provenance(vec![
        ("command".into(), command.into()),
        ("genome".into(), record.genome.clone()),
        ("version".into(), record.version.clone()),
    ]);
    let texts = [("command", command), ("genome", record.genome.as_str())];
    write_atomic(&out.join("pictures/target.png"), &comparison.target.to_png(&texts))?;
    let mut sheets = Vec::new();
    for view in &comparison.views {
        let name = |folder: &str| out.join(folder).join(format!("{}.png", view.arm));
        write_atomic(&name("pictures"), &view.view.picture().to_png(&texts))?;
        let swept = sweep_sheet(view, record);
        let draw = |folder: &str, svg: &str| -> Result<Vec<u8>, ReportError> {
            let png = svg_to_png(svg, 1.0, &provenance)
                .map_err(|problem| SaveError::Draw { path: name(folder), problem })?;
            write_atomic(&name(folder), &png)?;
            Ok(png)
        };
        draw("sweeps", &swept)?;
        sheets.push(Sheets {
            maps: draw("maps", &maps_sheet(view))?,
            wiring: draw("wiring", &wiring_figure(view))?,
            sweep: swept,
        });
    }
    let figure = score_figure(record, &comparison.name);
    save(&figure, &out.join("comparison"), &provenance)?;
    let curves = loss_figure(comparison);
    save(&curves, &out.join("losses"), &provenance)?;
    write_csv(record, &out.join("scores.csv"))?;
    record.save(out)?;
    let path = out.join("report.html");
    let html = report(comparison, &figure, &curves, &sheets, command);
    write_atomic(&path, html.as_bytes())?;
    Ok(path)
}

/// The large pictures of one arm.
struct Sheets {
    /// PNG of the feature maps.
    maps: Vec<u8>,
    /// PNG of the links.
    wiring: Vec<u8>,
    /// SVG of changed weights.
    sweep: String,
}

/// Compositional score of each arm, with intervals; unfit arms hollow. `name`: the genome's.
pub fn score_figure(record: &CompareRecord, name: &str) -> String {
    let all = summaries(record);
    let groups = all
        .iter()
        .map(|arm| {
            let estimate = arm.pooled().map(|(value, (low, high))| {
                let seeds = arm.records.iter().filter_map(|r| r.score.score);
                let text = if arm.fit() {
                    style::fixed(value, 2)
                } else {
                    format!("{} unfit", style::fixed(value, 2))
                };
                let mut e = Point::value(value)
                    .between(low, high)
                    .hollow(!arm.fit())
                    .coloured(arm.colour())
                    .label(text);
                if arm.records.len() > 1 {
                    e = e.seeds(seeds);
                }
                e
            });
            Group { name: arm.label().to_string(), estimates: vec![estimate] }
        })
        .collect();
    let seeds = record.config.seeds.len();
    let dots = Dots {
        value: Axis::new("compositional score").range(0.0, 1.15),
        groups,
        bars: true,
        lying: true,
        ..Dots::default()
    };
    Figure::new("Share of weight changes that leave a clean picture")
        .subtitle(format!("{name}, {}², effect {} RMSE", record.config.size, record.config.effect))
        .note(format!(
                "{} Hollow: the network does not draw the picture (R² < {FIT_GATE}), its score does not count.",
                match seeds {
                    1 => "One network an arm, one seed; whiskers: 95 % interval over its weight changes and the judge's error.".to_string(),
                    n => format!("Mean of {n} seeds; whiskers: 95 % interval of these networks, over their weight changes and the judge's error; rings: single seeds."),
                }
            ))
        .sized(860, 450)
        .draw(&[dots.panel()])
}

/// Training loss of the first seed of each trained arm.
fn loss_figure(comparison: &Comparison) -> String {
    let curves: Vec<LossCurve> = comparison
        .views
        .iter()
        .filter(|v| !v.curve.is_empty())
        .map(|v| {
            let (label, colour) = arm_style(&v.arm)
                .map_or((v.arm.as_str(), style::INK), |(_, a)| (a.label, a.colour));
            LossCurve::of_run(label, colour, &v.curve, 200)
        })
        .collect();
    let subtitle = "first seed; pruned arms go on from the trained dense twin";
    losses("Training loss", subtitle, "Geometric means of neighbouring steps.", &curves)
}

fn maps_sheet(view: &ArmView) -> String {
    feature_sheet(&FeatureSheet {
        title: arm_style(&view.arm).map_or(view.arm.as_str(), |(_, a)| a.label),
        subtitle: "what each unit draws: red −1, white 0, blue +1",
        network: &view.view.model().network,
        maps: &view.view.maps().values,
        size: view.view.size(),
        alive: Some(&view.view.alive_units()),
        pane: 40,
    })
}

fn sweep_sheet(view: &ArmView, record: &CompareRecord) -> String {
    let title = arm_style(&view.arm).map_or(view.arm.as_str(), |(_, a)| a.label);
    judged_sheet(title, &view.perturbed, record.config.effect)
}

fn wiring_figure(view: &ArmView) -> String {
    let model = view.view.model();
    wiring(&Wiring {
        title: arm_style(&view.arm).map_or(view.arm.as_str(), |(_, a)| a.label),
        subtitle: "links: blue positive, red negative, stronger = larger weight",
        network: &model.network,
        mask: &model.mask,
        weights: &model.weights,
        maps: Some((&view.view.maps().values, view.view.size())),
        untangle: true,
    })
}

fn write_csv(record: &CompareRecord, path: &Path) -> Result<(), ReportError> {
    let fail = |source| ReportError::Table { path: path.to_path_buf(), source };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record([
            "arm",
            "seed",
            "links",
            "kept",
            "alive",
            "mse",
            "r2",
            "fit",
            "coherent",
            "unclear",
            "fractured",
            "silent",
            "score",
            "low",
            "high",
            "stop",
            "steps",
            "collapsed_attempts",
            "run_id",
        ])
        .map_err(fail)?;
    let number = |v: Option<f64>| v.map_or(String::new(), |v| format!("{v:.6}"));
    for r in &record.arms {
        let s = &r.score;
        writer
            .write_record([
                text::cell(&r.arm),
                r.seed.map_or(String::new(), |s| s.to_string()),
                r.links.to_string(),
                r.kept.to_string(),
                r.alive.to_string(),
                format!("{:.6e}", r.fit.mse),
                format!("{:.6}", r.fit.r2),
                if s.counts { "fit" } else { "unfit" }.to_string(),
                s.coherent.to_string(),
                s.unclear.to_string(),
                s.fractured.to_string(),
                s.silent.to_string(),
                number(s.score),
                number(s.interval.map(|i| i.0)),
                number(s.interval.map(|i| i.1)),
                r.train.as_ref().map_or("evolved".to_string(), |t| stop_word(&t.stop)),
                r.train.as_ref().map_or(String::new(), |t| t.steps.to_string()),
                r.train.as_ref().map_or(String::new(), |t| t.collapses.len().to_string()),
                r.run_id.clone().unwrap_or_default(),
            ])
            .map_err(fail)?;
    }
    let bytes = writer.into_inner().map_err(|e| fail(e.into_error().into()))?;
    Ok(write_atomic(path, &bytes)?)
}

fn stop_word(stop: &StopReason) -> String {
    serde_json::to_value(stop)
        .ok()
        .and_then(|v| v.get("reason").and_then(|r| r.as_str().map(String::from)))
        .unwrap_or_default()
}

fn report(
    comparison: &Comparison,
    figure: &str,
    curves: &str,
    sheets: &[Sheets],
    command: &str,
) -> String {
    let record = &comparison.record;
    let all = summaries(record);
    let config = &record.config;
    let name = &comparison.name;

    let leading: &[&str] = match &record.picture {
        None => &["evolved", "dense", "sp"],
        Some(_) => &["dense", "sp", "sp-predicted"],
    };
    let tiles = all.iter().filter(|a| leading.contains(&a.key)).map(|arm| {
        let (value, more) = match arm.pooled() {
            Some((value, (low, high))) => (
                style::fixed(value, 2),
                format!("95 % interval {} to {}", style::fixed(low, 2), style::fixed(high, 2)),
            ),
            None => ("none".into(), "no change had an effect".into()),
        };
        let more = if arm.fit() {
            more
        } else {
            format!("unfit (R² {}): does not count", style::fixed(arm.mean_r2(), 2))
        };
        Tile { value, what: arm.label().to_string(), more, tone: Some(arm.colour()) }
    });
    let shots = std::iter::once(Shot::new(&comparison.target, "the picture").second_line(
        match record.picture {
            None => "drawn by the genome",
            Some(_) => "as it was given",
        },
    ))
    .chain(comparison.views.iter().zip(&all).map(|(view, arm)| {
        let r2 = arm.records[0].fit.r2;
        let fit = if arm.records[0].score.counts { "fit" } else { "unfit" };
        Shot::new(view.view.picture(), arm.label())
            .second_line(format!("R² {}, {fit}", style::fixed(r2, 3)))
            .framed(arm.colour())
    }));
    let question = format!("Do the parts of {name} mean something?");
    let mut page = match (&record.info, &record.picture) {
        (Some(info), _) => Page::new(
            question,
            "One picture, drawn by an evolved network and by networks trained on it. Change one weight at a time: is the result still a clean picture?",
        )
        .fact("genome", format!("{name} ({})", record.genome))
        .fact("made by", record.made_by.clone())
        .fact("network", format!("{} nodes, {} links; layered: {}", info.nodes, info.links, record.arch)),
        (None, picture) => Page::new(
            question,
            "One picture, drawn by networks trained on it; no genome draws it, so there is **no evolved network** beside them. Change one weight at a time: is the result still a clean picture?",
        )
        .fact("picture", match picture.as_ref().and_then(|p| p.fit) {
            Some(how) => format!("{} (fit: {})", record.genome, how.name()),
            None => record.genome.clone(),
        })
        .fact("network", record.arch.clone())
        .fact("depth", picture.as_ref().map_or(String::new(), depth_words)),
    };
    page = page.fact(
        "profile",
        format!(
            "{:?}: {}², {} steps, {} seed{}",
            config.profile,
            config.size,
            config.steps,
            config.seeds.len(),
            if config.seeds.len() == 1 { "" } else { "s" }
        )
        .to_lowercase(),
    );

    let usual = CompareConfig::of(config.profile).steps;
    if config.steps < usual {
        page = page.banner(
            Kind::Warning,
            "A short run",
            format!(
                "Trained for {} steps; the profile's are {}. It shows that everything works; its numbers say little of what the networks can learn.",
                style::number(config.steps as f64, 6),
                style::number(usual as f64, 6)
            ),
        );
    }
    page = page.section(
        Section::new("In short")
            .tiles(tiles)
            .paragraph(units(config.seeds.len()))
            .paragraph(in_words(&all))
            .figure(figure.to_string(), "The compositional score of every arm. Higher means: more of its weights can be changed without damage."),
    );
    page = page.section(Section::new("The pictures").pictures(
        shots,
        128,
        "The target and what each network draws (first seed).",
    ));
    let mut changed = Section::new("One weight changed").paragraph(
        "Each little picture is the same network after one weight was changed until the picture differs by the same amount everywhere. Green: the judge calls it a clean picture. Yellow: it is not sure. Red: damaged.",
    );
    for (Sheets { sweep: swept, .. }, arm) in sheets.iter().zip(&all) {
        if leading.contains(&arm.key) {
            changed =
                changed.figure(swept.clone(), format!("{}: {}", arm.label(), count_line(arm)));
        } else {
            let inside = Section::new("").figure(swept.clone(), count_line(arm));
            changed = changed.details(format!("{}: changed weights", arm.label()), inside);
        }
    }
    page = page.section(changed);
    page = page.section(numbers(&all));

    let mut inside = Section::new("Inside the networks").paragraph(
        "What every unit draws, layer by layer from the inputs to the picture. In a network whose parts mean something, the maps are simple and recognisable.",
    );
    for (Sheets { maps, wiring, .. }, arm) in sheets.iter().zip(&all) {
        let show = |section: Section| {
            section
                .sheet(
                    maps.clone(),
                    960,
                    format!("{}: feature maps; pale units do not reach the picture", arm.label()),
                )
                .sheet(wiring.clone(), 960, format!("{}: links", arm.label()))
        };
        inside = match arm.key {
            key if key == leading[0] => show(inside),
            _ => inside.details(
                format!("{}: feature maps and links", arm.label()),
                show(Section::new("")),
            ),
        };
    }
    page = page.section(inside);
    let of_genome = |text: &str| record.info.as_ref().map(|_| text.to_string());
    page = page.section(
        Section::new("How it was done")
            .list([
                of_genome("Evolved: the genome, layered (relay units carry values across layers); its non-zero weights."),
                Some(format!("Dense twin: the same layers, every link, trained from random weights with FER's recipe (gradient divided by its norm, Adam, rate 3e-3) for {} steps.", config.steps)),
                of_genome("Evolved graph and evolved layers: only the links that evolution found, trained from random weights."),
                record.picture.as_ref().map(|picture| format!("At the predicted depth: the same once more with as many layers as the picture's compressibility predicts. {}.", depth_words(picture))),
                Some(format!("SP: links of the trained dense twin whose two units draw similar pictures (|cos| ≥ {}) stay; then trained on. Magnitude: as many links, the largest.", config.sp_threshold)),
                Some(format!("Score: {} weights of each network, both directions, |δ| ≤ 16 chosen so that the picture changes by {} ± 15 % RMSE; weights that cannot are silent and not scored.", config.sample.map_or("all non-zero".to_string(), |n| format!("up to {n}")), config.effect)),
                Some(format!("Judge: {}.", record.arms[0].score.judge)),
                Some(format!("Fit gate: a score counts only if the network explains at least {} % of the picture's variance.", 100.0 * FIT_GATE)),
            ].into_iter().flatten())
            .figure(curves.to_string(), "Loss before each logged step.")
            .callout(
                Kind::Note,
                "What is ours",
                "The publication's full text is not public. Matched effect, the fit gate, the similarity threshold and the embedded judge are this program's own definitions; the publication used a fixed change and a vision-language model.",
            ),
    );
    page = page.section(
        Section::new("Repeat it").code(command.to_string()).paragraph(
            "The same command gives the same numbers at any number of threads. rows.csv.gz and scores.csv beside this file hold every number; runs/ holds the trained networks.",
        ),
    );
    page.footer(format!("picloom {}", record.version)).render()
}

/// What is known of the best depth of a picture.
fn depth_words(picture: &PictureRecord) -> String {
    let off = picture
        .error
        .map_or(String::new(), |e| format!(", off by {} layers on average", style::fixed(e, 1)));
    format!(
        "PNG bytes / raw bytes {} at {}² predict {} hidden layers{off}",
        style::fixed(picture.png_ratio, 3),
        picture.ratio_at,
        picture.predicted_layers
    )
}

fn count_line(arm: &ArmSummary) -> String {
    let s = &arm.records[0].score;
    format!(
        "{} coherent, {} unclear, {} fractured, {} silent",
        s.coherent, s.unclear, s.fractured, s.silent
    )
}

/// What an interval is over: changes of weights, never seeds.
fn units(seeds: usize) -> String {
    match seeds {
        1 => "One network an arm, one seed: each interval is over the weight changes of that network and the judge's error. How much another seed would differ, it does not say.".into(),
        n => format!("{n} networks an arm, one a seed (the evolved network has none): each interval is over the weight changes of all {n} and the judge's error. How much seeds differ is in [the numbers](#the-numbers)."),
    }
}

/// What the numbers say, in sentences that follow from them.
fn in_words(all: &[ArmSummary]) -> String {
    let of = |key: &str| all.iter().find(|a| a.key == key);
    let mut text = String::new();
    if let (Some(evolved), Some(dense)) = (of("evolved"), of("dense"))
        && let (Some((e, (e_low, _))), Some((d, (_, d_high)))) = (evolved.pooled(), dense.pooled())
    {
        text += &match dense.fit() {
            false => format!(
                "The dense twin did not learn the picture well enough (R² {}) to be compared. ",
                style::fixed(dense.mean_r2(), 2)
            ),
            true if e_low > d_high => format!(
                "Of the changes to the evolved network {} leave a clean picture, of those to the dense twin {}; the intervals do not touch. ",
                percent(e, 0),
                percent(d, 0)
            ),
            true => format!(
                "Evolved network {}, dense twin {}: the intervals touch, this run does not tell them apart. ",
                percent(e, 0),
                percent(d, 0)
            ),
        };
    }
    if let (Some(sp), Some(dense)) = (of("sp"), of("dense"))
        && let (Some((s, s_interval)), Some((d, d_interval))) = (sp.pooled(), dense.pooled())
        && sp.fit()
        && dense.fit()
        && s < d
    {
        text += &format!(
            "Here pruning by similarity (SP) did not help: SP scores {}, below the {} of the dense twin it was cut from; {}. ",
            percent(s, 0),
            percent(d, 0),
            touching(s_interval, d_interval)
        );
    }
    if let (Some(sp), Some(magnitude)) = (of("sp"), of("magnitude"))
        && let (Some((s, s_interval)), Some((m, m_interval))) = (sp.pooled(), magnitude.pooled())
    {
        let count = sp.records[0].kept;
        text += &match (sp.fit(), magnitude.fit()) {
            (true, true) => {
                let tell = touching(s_interval, m_interval);
                format!("At the same count of links ({count}), pruning by similarity scores {} and by magnitude {}; {tell}. ", percent(s, 0), percent(m, 0))
            }
            _ => "A pruned twin did not learn the picture well enough, so which links stay is not compared here. ".to_string(),
        };
    }
    if let (Some(sp), Some(predicted)) = (of("sp"), of("sp-predicted"))
        && (sp.fit() && predicted.fit())
        && let (Some((s, _)), Some((p, _))) = (sp.pooled(), predicted.pooled())
    {
        let (s, p) = (percent(s, 0), percent(p, 0));
        text += &format!(
            "Pruned by similarity, the network of the usual depth scores {s}, the one of the predicted depth {p}. "
        );
    }
    let unfit: Vec<&str> = all.iter().filter(|a| !a.fit()).map(ArmSummary::label).collect();
    if !unfit.is_empty() {
        text += &format!("Unfit: {}. ", unfit.join("; "));
    }
    text
}

fn touching(a: (f64, f64), b: (f64, f64)) -> &'static str {
    match a.0 > b.1 || b.0 > a.1 {
        true => "the intervals do not touch",
        false => "the intervals touch",
    }
}

fn numbers(all: &[ArmSummary]) -> Section {
    let mut rows = Vec::new();
    let mut collapsed = false;
    for arm in all {
        for r in &arm.records {
            let s = &r.score;
            let unfit = !s.counts;
            let cell = |text: String| Cell::new(text).faint(unfit);
            let collapses = r.train.as_ref().map_or(0, |t| t.earlier().len());
            collapsed |= collapses > 0;
            let mut end = cell(
                r.train.as_ref().map_or("evolved".into(), |t| stop_word(&t.stop).replace('-', " ")),
            );
            if collapses > 0 {
                end.text += &format!(" ({collapses} collapsed before)");
            }
            rows.push(vec![
                Cell::new(arm.label()).swatch(arm.colour()).faint(unfit),
                cell(r.seed.map_or("–".into(), |s| s.to_string())),
                cell(r.kept.to_string()),
                cell(r.alive.to_string()),
                cell(format!("{:.2e}", r.fit.mse)),
                cell(style::fixed(r.fit.r2, 4) + if unfit { ", unfit" } else { "" }),
                cell(match (s.score, s.interval) {
                    (Some(v), Some((low, high))) => style::interval(v, low, high, 3),
                    _ => "none".into(),
                })
                .strong(!unfit && s.score.is_some_and(|v| v >= 0.5)),
                cell(format!("{} / {} / {} / {}", s.coherent, s.unclear, s.fractured, s.silent)),
                end,
            ]);
        }
    }
    let headers = [
        "arm",
        "seed",
        "kept",
        "alive",
        "MSE",
        "R²",
        "score [95 %]",
        "coherent / unclear / fractured / silent",
        "end of training",
    ];
    let mut align = vec![Align::Left];
    align.extend([Align::Right; 7]);
    align.push(Align::Left);
    let mut notes = vec!["alive: kept links on a path from an input to the picture. Grey rows are unfit: their scores do not count.".to_string()];
    if collapsed {
        notes.push("A collapsed attempt became one colour and was started again from the next init stream.".into());
    }
    Section::new("The numbers").table(Table {
        caption: "Every network of the comparison.".into(),
        headers: headers.map(String::from).to_vec(),
        align,
        rows,
        notes,
    })
}
