//! The figure, the sheets and the report of `picloom compare`, drawn from its table and its networks.

use super::axis::Axis;
use super::charts::{Dots, Figure, Group, Point};
use super::files::{Provenance, SaveError, save, svg_to_jpeg, svg_to_png};
use super::html::{Align, Cell, Kind, Page, Section, Shot, Table, Tile};
use super::losses::{LossCurve, losses};
use super::sheets::{FeatureSheet, feature_sheet};
use super::style::{self, Colour, arm as arm_style, fixed, judged_by, percent};
use super::views::judged_sheet;
use super::wiring::{Wiring, wiring};
use crate::base::files::{create_folder, write_atomic};
use crate::base::stats::mean;
use crate::base::text::portable;
use crate::experiment::compare::{About, ArmScore, Comparison, Shown};
use crate::experiment::depth::DepthModel;
use crate::experiment::networks::{NetworkResult, NetworksRecord, Scored};
use crate::genome::{ConnectionGene, Genome, GenomeInfo};
use crate::network::{Layered, layerize, link_genes};
use crate::score::FIT_GATE;
use crate::score::dl::labelled_by;
use crate::score::measures::disentanglement::NULL;
use crate::study::spec::check_name;
use crate::train::StopReason;
use std::path::{Path, PathBuf};

/// An arm over its seeds.
struct Arm<'a> {
    /// Its name in the table.
    key: &'a str,
    /// Its name, for people.
    label: &'a str,
    colour: Colour,
    /// Seed and result of each network, in the table's order.
    seeds: Vec<(Option<u64>, &'a NetworkResult)>,
    /// The network of its first seed.
    shown: &'a Shown,
    /// Name of the files of its pictures.
    file: String,
}

impl Arm<'_> {
    /// The score over the seeds that learned the picture.
    fn score(&self) -> ArmScore {
        ArmScore::of(self.seeds.iter().map(|(_, result)| *result))
    }

    /// True if a network of it learned the picture: those count, the others do not.
    fn fit(&self) -> bool {
        self.score().fit > 0
    }

    /// Its score with the interval, where both are known.
    fn pooled(&self) -> Option<(f64, (f64, f64))> {
        let score = self.score().score?;
        Some((score.score, score.low.zip(score.high)?))
    }

    /// Scores of its networks that learned the picture, or of those that did not.
    fn scores(&self, fit: bool) -> Vec<f64> {
        let of = self.seeds.iter().filter(|(_, result)| result.fit == fit);
        of.filter_map(|(_, result)| result.score()).collect()
    }

    fn mean_r2(&self) -> f64 {
        self.seeds.iter().map(|(_, r)| r.r2).sum::<f64>() / self.seeds.len() as f64
    }

    /// `2 of 3 seeds learned the picture`; nothing if all or none did.
    fn partly(&self) -> String {
        let ArmScore { fit, all, .. } = self.score();
        match fit > 0 && fit < all {
            true => format!("{fit} of {all} seeds learned the picture"),
            false => String::new(),
        }
    }
}

/// The arms of a comparison; finished runs have their own names and colours.
fn arms(comparison: &Comparison) -> Vec<Arm<'_>> {
    let own = comparison.about.is_none();
    let all = comparison.arms().into_iter().zip(&comparison.networks).enumerate();
    all.map(|(i, ((key, rows), shown))| {
        let style = arm_style(key).filter(|_| !own);
        Arm {
            key,
            label: style.map_or(key, |(_, arm)| arm.label),
            colour: match (style, own) {
                (Some((_, arm)), _) => arm.colour,
                (None, true) => style::colour(i),
                (None, false) => style::INK,
            },
            seeds: rows.into_iter().filter_map(|r| Some((r.seed, r.result.as_deref()?))).collect(),
            shown,
            file: match !own && check_name("arm", key).is_ok() {
                true => format!("{key}.png"),
                false => format!("{}.png", i + 1),
            },
        }
    })
    .collect()
}

/// Writes what is drawn of a comparison into `out`: pictures, sheets, the figure, `report.html`. Returns the path of
/// the report.
///
/// # Errors
/// The folder cannot be written.
pub fn write_comparison(
    comparison: &Comparison,
    out: &Path,
    command: &str,
) -> Result<PathBuf, SaveError> {
    for folder in ["pictures", "maps", "sweeps", "wiring"] {
        create_folder(&out.join(folder))?;
    }
    let mut texts = vec![("command", command.to_string())];
    let genome = comparison.about.as_ref().map(|about| portable(&about.subject.path));
    texts.extend(genome.map(|genome| ("genome", genome)));
    texts.push(("version", env!("CARGO_PKG_VERSION").into()));
    let provenance = Provenance(texts.iter().map(|(k, v)| ((*k).into(), v.clone())).collect());
    let texts: Vec<(&str, &str)> = texts.iter().map(|(key, text)| (*key, text.as_str())).collect();
    let all = arms(comparison);
    write_atomic(&out.join("pictures/target.png"), &all[0].shown.target.to_png(&texts))?;
    let mut sheets = Vec::new();
    let evolved = comparison.about.as_ref().and_then(|about| about.subject.genome.as_ref());
    for arm in &all {
        let name = |folder: &str| out.join(folder).join(&arm.file);
        write_atomic(&name("pictures"), &arm.shown.view.picture().to_png(&texts))?;
        let sweep = judged_sheet(arm.label, &arm.shown.changed, comparison.record.effect);
        let draw = |folder: &str, svg: &str| -> Result<(Vec<u8>, usize), SaveError> {
            let fail = |problem| SaveError::Draw { path: name(folder), problem };
            write_atomic(&name(folder), &svg_to_png(svg, 1.0, &provenance).map_err(fail)?)?;
            svg_to_jpeg(svg).map_err(fail)
        };
        draw("sweeps", &sweep)?;
        let (maps, wiring) =
            (draw("maps", &maps_sheet(arm))?, draw("wiring", &wiring_figure(arm, evolved))?);
        sheets.push(Sheets { maps, wiring, sweep });
    }
    let figure = score_figure(comparison, &all);
    save(&figure, &out.join("comparison"), &provenance)?;
    let curves = loss_figure(&all);
    save(&curves, &out.join("losses"), &provenance)?;
    let path = out.join("report.html");
    let html = report(comparison, &all, &figure, &curves, &sheets, command);
    write_atomic(&path, html.as_bytes())?;
    Ok(path)
}

/// The large pictures of one arm, as the report holds them: JPEGs, and their widths. The PNGs lie beside it.
struct Sheets {
    /// The feature maps.
    maps: (Vec<u8>, usize),
    /// The links.
    wiring: (Vec<u8>, usize),
    /// SVG of changed weights.
    sweep: String,
}

/// Compositional score of each arm, with intervals; unfit arms hollow.
fn score_figure(comparison: &Comparison, all: &[Arm<'_>]) -> String {
    let record = &comparison.record;
    let groups = all.iter().map(|arm| {
        let (found, unfit) = (arm.score(), arm.scores(false));
        let counts = match found.all {
            1 if !arm.fit() => " (unfit)".to_string(),
            1 => String::new(),
            _ => format!(" ({})", found.counts()),
        };
        let estimate = match found.score {
            Some(Scored { score, low, high, .. }) => {
                let estimate = Point::value(score).label(fixed(score, 2) + &counts);
                Some(Point { y_interval: low.zip(high), ..estimate })
            }
            // A hollow bar says how high the networks stand that do not count.
            None => mean(&unfit).ok().map(|height| {
                Point::value(height).hollow(true).label(format!("no result{counts}"))
            }),
        };
        let estimate = estimate.map(|estimate| match found.all {
            1 => estimate.coloured(arm.colour),
            _ => estimate.coloured(arm.colour).counted(arm.scores(true), unfit),
        });
        Group { name: arm.label.to_string(), estimates: vec![estimate] }
    });
    let (title, height) = match &comparison.about {
        Some(about) => (format!("{}, {}²", about.subject.title, record.size), 450),
        None => ("one network a run".into(), 190 + 50 * all.len() as u32),
    };
    let over = match (most_seeds(all), comparison.about.is_some()) {
        (_, false) => "Whiskers: 95 % interval over the weight changes of one network and the judge's error.".to_string(),
        (1, true) => "One network an arm, one seed; whiskers: 95 % interval over its weight changes and the judge's error.".to_string(),
        (n, true) => format!("Up to {n} seeds an arm; bars: mean of the seeds that learned the picture (R² ≥ {FIT_GATE}), which are the filled dots; whiskers: 95 % interval that covers these seeds (Student's t) and the judge's error."),
    };
    // Only what occurs is explained.
    let apart = match all.iter().any(|arm| arm.score().all > 1 && !arm.scores(false).is_empty()) {
        true => " Hollow dots: seeds that did not learn the picture; they do not count.",
        false => "",
    };
    let hollow = match all.iter().all(Arm::fit) {
        true => String::new(),
        false => format!(
            " Hollow bars are no result: no network of the arm draws the picture (R² < {FIT_GATE})."
        ),
    };
    let dots = Dots {
        value: Axis::new("compositional score").range(0.0, 1.0),
        groups: groups.collect(),
        bars: true,
        lying: true,
        texts_right: true,
        ..Dots::default()
    };
    Figure::new("How likely a change of one weight leaves a clean picture")
        .subtitle(format!("{title}, effect {} RMSE", record.effect))
        .note(format!("{over}{apart}{hollow}"))
        .sized(860, height)
        .draw(&[dots.panel()])
}

/// Seeds of the arm that has most.
fn most_seeds(all: &[Arm<'_>]) -> usize {
    all.iter().map(|arm| arm.seeds.len()).max().unwrap_or(0)
}

/// Training loss of the first seed of each trained arm.
fn loss_figure(all: &[Arm<'_>]) -> String {
    let trained = all.iter().filter(|arm| !arm.shown.curve.is_empty());
    let curve = |arm: &Arm<'_>| LossCurve::of_run(arm.label, arm.colour, &arm.shown.curve, 200);
    let curves: Vec<LossCurve> = trained.map(curve).collect();
    let subtitle = "first seed; a pruned network goes on from the weights that it was pruned from";
    losses("Training loss", subtitle, "Geometric means of neighbouring steps.", &curves)
}

fn maps_sheet(arm: &Arm<'_>) -> String {
    let view = &arm.shown.view;
    feature_sheet(&FeatureSheet {
        title: arm.label,
        subtitle: "what each unit draws: red −1, white 0, blue +1",
        network: &view.model().network,
        maps: &view.maps().values,
        size: view.size(),
        alive: Some(&view.alive_units()),
        pane: 40,
    })
}

/// People's labels of a genome's links, on those of an arm that has its wiring.
fn link_labels(arm: &Arm<'_>, genome: Option<&Genome>) -> Vec<(usize, String)> {
    let Some(genome) = genome else { return Vec::new() };
    let labelled = genome.connections().filter(|gene| gene.enabled && !gene.labels.is_empty());
    match arm.key {
        "graph" => {
            let genes = link_genes(genome);
            let of = |gene: &ConnectionGene| genes.iter().position(|one| *one == gene.innovation);
            labelled.filter_map(|gene| Some((of(gene)?, gene.labels.join(", ")))).collect()
        }
        "evolved" | "layerized" => {
            let Layered { network, weights, units } = layerize(genome);
            // The link into the node's unit that has the gene's weight: the others come from other nodes.
            let of = |gene: &ConnectionGene| {
                let links = network.units[*units.get(&gene.target)?].links.clone();
                let mut its = links.filter(|&link| weights.0[link] == gene.weight as f32);
                its.next().filter(|_| its.next().is_none())
            };
            labelled.filter_map(|gene| Some((of(gene)?, gene.labels.join(", ")))).collect()
        }
        _ => Vec::new(),
    }
}

fn wiring_figure(arm: &Arm<'_>, genome: Option<&Genome>) -> String {
    let (view, model) = (&arm.shown.view, arm.shown.view.model());
    wiring(&Wiring {
        labels: &link_labels(arm, genome),
        title: arm.label,
        subtitle: "links: blue positive, red negative, stronger = larger weight",
        network: &model.network,
        mask: &model.mask,
        weights: &model.weights,
        maps: Some((&view.maps().values, view.size())),
        untangle: true,
    })
}

/// Writes the head of the report: the question, and the networks that are compared.
fn head(comparison: &Comparison, all: &[Arm<'_>]) -> Page {
    let record = &comparison.record;
    let asks = "Change one weight at a time: is the result still a clean picture?";
    let Some(About { subject, arch, usual_steps }) = &comparison.about else {
        let sample = record.sample.map_or("all non-zero".into(), |n| format!("up to {n}"));
        return Page::new(
            format!("{} runs side by side", all.len()),
            format!("Finished networks, measured in the same way. {asks}"),
        )
        .fact("weights", sample)
        .fact("effect", format!("{} RMSE", record.effect))
        .fact("judge", judged_by(&record.judge));
    };
    let (question, path) = (
        format!("Is {} still a picture when one weight changes?", subject.title),
        portable(&subject.path),
    );
    let page = match &subject.genome {
        Some(genome) => {
            let info = GenomeInfo::of(genome);
            let about = format!(
                "One picture, drawn by an evolved network and by networks trained on it. {asks}"
            );
            let network = format!("{} nodes, {} links; layered: {arch}", info.nodes, info.links);
            Page::new(question, about)
                .fact("genome", format!("{} ({path})", subject.title))
                .fact("made by", genome.provenance.made_by.clone())
                .fact("network", network)
        }
        None => {
            let about = format!(
                "One picture, drawn by networks trained on it; no genome draws it, so there is **no evolved network** beside them. {asks}"
            );
            let fit = subject.fit.map_or(String::new(), |how| format!(" (fit: {})", how.name()));
            Page::new(question, about)
                .fact("picture", format!("{path}{fit}"))
                .fact("network", arch.to_string())
                .fact("depth", depth_words(comparison))
        }
    };
    let seeds = match most_seeds(all) {
        1 => "1 seed".to_string(),
        n => format!("{n} seeds"),
    };
    let profile = format!("{}: {}², {} steps, {seeds}", record.profile, record.size, record.steps);
    let page = page.fact("profile", profile);
    if let Some(obstacle) = comparison.obstacle() {
        return page.banner(Kind::Warning, "Not learned", obstacle);
    }
    if record.steps >= *usual_steps {
        return page;
    }
    let number = |steps: u64| style::number(steps as f64, 6);
    page.banner(
        Kind::Warning,
        "A short run",
        format!(
            "Trained for {} steps; the profile's are {}. It shows that everything works; its numbers say little of what the networks can learn.",
            number(record.steps),
            number(*usual_steps)
        ),
    )
}

/// The score of an arm as a tile.
fn tile(arm: &Arm<'_>) -> Tile {
    let found = arm.score();
    let (value, more) = match arm.pooled() {
        Some((value, (low, high))) => {
            let counts = match found.all {
                1 => String::new(),
                _ => format!("; {}", found.counts()),
            };
            let interval = format!("95 % interval {} to {}", fixed(low, 2), fixed(high, 2));
            let share = found.score.and_then(|score| score.clean_share);
            let clean = share.map_or(String::new(), |s| format!("clean share {}; ", fixed(s, 2)));
            (fixed(value, 2), clean + &interval + &counts)
        }
        None if arm.fit() => ("none".into(), "no change had an effect".into()),
        None => {
            let r2 = fixed(arm.mean_r2(), 2);
            (
                "no result".into(),
                format!("{}: the picture was not learned (R² {r2})", found.counts()),
            )
        }
    };
    Tile { value, what: arm.label.to_string(), more, tone: Some(arm.colour), means: "score" }
}

/// The pictures that were to be drawn, each before the first network that drew it, and what was drawn.
fn shots(comparison: &Comparison, all: &[Arm<'_>], same_picture: bool) -> Vec<Shot> {
    let mut shots = Vec::new();
    for (i, arm) in all.iter().enumerate() {
        let shown = arm.shown;
        if i == 0 || !same_picture {
            let says = match &comparison.about {
                Some(About { subject, .. }) if subject.genome.is_some() => "drawn by the genome",
                Some(_) => "as it was given",
                None => comparison.record.rows.get(i).map_or("", |row| &row.target),
            };
            let says = Path::new(says).file_name().unwrap_or_default().to_string_lossy();
            shots.push(Shot::new(&shown.target, "the picture").second_line(says));
        }
        let result = arm.seeds[0].1;
        let fit = if result.fit { "fit" } else { "unfit" };
        let line = format!("R² {}, {fit}", fixed(result.r2, 3));
        let drawn = Shot::new(shown.view.picture(), arm.label);
        shots.push(drawn.second_line(line).framed(arm.colour));
    }
    shots
}

fn report(
    comparison: &Comparison,
    all: &[Arm<'_>],
    figure: &str,
    curves: &str,
    sheets: &[Sheets],
    command: &str,
) -> String {
    let genome = comparison.about.as_ref().map(|about| about.subject.genome.is_some());
    let leading: Vec<&str> = match genome {
        Some(true) => vec!["evolved", "dense", "dense-l1"],
        Some(false) => vec!["dense", "dense-l1", "magnitude"],
        None => all.iter().map(|arm| arm.key).collect(),
    };
    let leads = |arm: &&Arm<'_>| leading.contains(&arm.key);
    let same_picture = comparison.record.targets().len() == 1;
    let labelled = labelled_by(&comparison.record.judge);
    let labelled =
        labelled.map_or(String::new(), |who| format!(" The judge is a small model: {who}."));
    let mut short = Section::new("In short")
        .tiles(all.iter().filter(leads).map(tile))
        .paragraph(units(most_seeds(all), genome.is_some()) + &labelled);
    short = match genome {
        Some(_) => short.paragraph(in_words(all)),
        None if same_picture => short,
        None => short.callout(
            Kind::Warning,
            "Not the same picture",
            "These runs draw different pictures, or draw them at different sizes. Losses and scores of different pictures say little about each other.",
        ),
    };
    let short = short.figure(figure, "The compositional score of every network. Higher means: a changed weight more likely leaves a clean picture.");
    let mut changed = Section::new("One weight changed").paragraph(
        "Each little picture is the same network after one weight was changed until the picture differs by the same amount in every network. Green: the judge calls it a clean picture. Yellow: it is not sure. Red: damaged.",
    );
    let mut inside = Section::new("Inside the networks").paragraph(
        "What every unit draws, layer by layer from the inputs to the picture. In many evolved networks the maps are few and simple; in many trained ones they are alike, or mix many things.",
    );
    for (i, (Sheets { maps, wiring, sweep }, arm)) in sheets.iter().zip(all).enumerate() {
        changed = match leads(&arm) {
            true => changed.figure(sweep.as_str(), format!("{}: {}", arm.label, count_line(arm))),
            false => {
                let more = Section::new("").figure(sweep.as_str(), count_line(arm));
                changed.details(format!("{}: changed weights", arm.label), more)
            }
        };
        let caption = format!("{}: feature maps; pale units do not reach the picture", arm.label);
        let show = |section: Section| {
            section.sheet(maps.0.clone(), maps.1, caption).sheet(
                wiring.0.clone(),
                wiring.1,
                format!("{}: links", arm.label),
            )
        };
        inside = match i {
            0 => show(inside),
            _ => {
                let more = show(Section::new(""));
                inside.details(format!("{}: feature maps and links", arm.label), more)
            }
        };
    }
    let kept = match genome {
        Some(_) => {
            "rows.csv.gz beside this file holds every number; runs/ holds the trained networks; spec.toml says what was run."
        }
        None => "rows.csv.gz beside this file holds every number.",
    };
    head(comparison, all)
        .section(short)
        .section(Section::new("The pictures").pictures(
            shots(comparison, all, same_picture),
            128,
            "What was to be drawn and what each network draws (first seed).",
        ))
        .section(changed)
        .section(numbers(&comparison.record, all))
        .section(inside)
        .section(how(comparison, curves))
        .section(Section::new("Repeat it").code(command).paragraph(format!(
            "The same command gives the same numbers at any number of threads. {kept}"
        )))
        .footer(format!("picloom {}", env!("CARGO_PKG_VERSION")))
        .render()
}

/// How the networks were made and measured.
fn how(comparison: &Comparison, curves: &str) -> Section {
    let record = &comparison.record;
    let trained = comparison.about.iter().flat_map(|about| {
        let is_genome = about.subject.genome.is_some();
        let of_genome = |text: &str| is_genome.then(|| text.to_string());
        [
            of_genome("Evolved: the genome, layered (relay units carry values across layers); its non-zero weights."),
            Some(format!("Dense twin: the same layers, every link, trained from random weights with FER's recipe (gradient divided by its norm, Adam, rate 3e-3) for {} steps.", record.steps)),
            of_genome("Evolved layers, retrained: only the links that evolution found, trained from random weights."),
            Some("Dense with L1: the same with a penalty on the weights (3e-5). Pruned from it, if it learned the picture, to 30 % of its links in three rounds under the same penalty: by magnitude the largest weights stay, by similarity (SP) the links that carry a picture which both their units draw.".into()),
        ]
    });
    let sample = record.sample.map_or("all non-zero".to_string(), |n| format!("up to {n}"));
    let measured = [
        format!(
            "Score: {sample} weights of each network, both directions, |δ| ≤ 16 chosen so that the picture changes by {} ± 15 % RMSE; weights that cannot are silent and not scored.",
            record.effect
        ),
        format!("Judge: {}.", judged_by(&record.judge)),
        format!(
            "Fit gate: a score counts only if the network explains at least {} % of the picture's variance.",
            100.0 * FIT_GATE
        ),
    ];
    let section = Section::new("How it was done").list(trained.flatten().chain(measured));
    section.figure(curves, "Loss before each logged step.").callout(
        Kind::Note,
        "What is ours",
        "Matched effect, the fit gate, similarity and the embedded judge are this program's own definitions (docs/METHODS.md).",
    )
}

/// Describes what is known of the best depth of a picture.
fn depth_words(comparison: &Comparison) -> String {
    let Some(About { subject, .. }) = &comparison.about else { return String::new() };
    let model = DepthModel::shipped();
    let off = model
        .error
        .map_or(String::new(), |e| format!(", off by {} layers on average", fixed(e, 1)));
    format!(
        "PNG bytes / raw bytes {} at {}² predict {} hidden layers{off}",
        fixed(subject.png_ratio, 3),
        model.size,
        subject.predicted_layers()
    )
}

fn count_line(arm: &Arm<'_>) -> String {
    let s = arm.seeds[0].1;
    format!("{} clean, {} unclear, {} damaged, {} silent", s.clean, s.unclear, s.damaged, s.silent)
}

/// Says over which units an interval is.
fn units(seeds: usize, trained: bool) -> String {
    match (seeds, trained) {
        (_, false) => "One network a run: each interval is over the weight changes of that one network and the judge's error, not over trainings.".into(),
        (1, true) => "One network an arm, one seed: each interval is over the weight changes of that network and the judge's error. How much another seed would differ, it does not say.".into(),
        (n, true) => format!("{n} networks an arm, one a seed (the evolved network has none). A score is the mean over the seeds that learned the picture; its interval covers these seeds (Student's t) and the judge's error. Seeds that did not learn it do not count. Every seed is in [the numbers](#the-numbers)."),
    }
}

/// Describes the numbers, in sentences that follow from them.
fn in_words(all: &[Arm<'_>]) -> String {
    let of = |key: &str| all.iter().find(|a| a.key == key);
    let mut text = String::new();
    if let (Some(evolved), Some(dense)) = (of("evolved"), of("dense")) {
        text += &match (evolved.pooled(), dense.pooled()) {
            _ if !dense.fit() => format!(
                "There is no result for the dense twin: it did not learn the picture well enough (R² {}). ",
                fixed(dense.mean_r2(), 2)
            ),
            (Some((e, (e_low, _))), Some((d, (_, d_high)))) if e_low > d_high => format!(
                "A change of one weight leaves a clean picture with a chance of {} in the evolved network, of {} in the dense twin; the intervals do not touch. ",
                percent(e, 0),
                percent(d, 0)
            ),
            (Some((e, _)), Some((d, _))) => format!(
                "Evolved network {}, dense twin {}: the intervals touch, this run does not tell them apart. ",
                percent(e, 0),
                percent(d, 0)
            ),
            _ => String::new(),
        };
    }
    if let (Some(penalised), Some(dense)) = (of("dense-l1"), of("dense"))
        && let (Some((p, p_interval)), Some((d, d_interval))) = (penalised.pooled(), dense.pooled())
    {
        text += &format!(
            "Trained with a penalty on its weights (L1), nothing pruned, the dense twin scores {}, without it {}; {}. ",
            percent(p, 0),
            percent(d, 0),
            touching(p_interval, d_interval)
        );
    }
    if let (Some(sp), Some(magnitude)) = (of("sp"), of("magnitude")) {
        let count = magnitude.seeds[0].1.kept;
        text += &match (sp.pooled(), magnitude.pooled()) {
            (Some((s, s_interval)), Some((m, m_interval))) => {
                let tell = touching(s_interval, m_interval);
                format!("Pruned from that to {count} links it scores {} by magnitude and {} by similarity; {tell}. ", percent(m, 0), percent(s, 0))
            }
            _ if sp.fit() && magnitude.fit() => String::new(),
            _ => "A pruned twin did not learn the picture well enough, so which links stay is not compared here. ".to_string(),
        };
    }
    let unfit: Vec<&str> = all.iter().filter(|a| !a.fit()).map(|a| a.label).collect();
    if !unfit.is_empty() {
        text += &format!(
            "No result, for no network of them learned the picture: {}. ",
            unfit.join("; ")
        );
    }
    for arm in all.iter().filter(|arm| !arm.partly().is_empty()) {
        text += &format!("{}: {}; the others do not count. ", arm.label, arm.partly());
    }
    text
}

fn touching(a: (f64, f64), b: (f64, f64)) -> &'static str {
    match a.0 > b.1 || b.0 > a.1 {
        true => "the intervals do not touch",
        false => "the intervals touch",
    }
}

/// Why a training ended, in words.
fn stop_word(stop: &StopReason) -> String {
    let json = serde_json::to_value(stop).unwrap_or_default();
    json["reason"].as_str().unwrap_or_default().replace('-', " ")
}

/// Disentanglement, and in brackets that of the shuffled weights.
fn organised(result: &NetworkResult) -> String {
    let of = |ending: &str| result.organisation.get(&format!("disentanglement{ending}"));
    let two = |value: Option<&f64>| value.map_or("–".into(), |value| fixed(*value, 2));
    let null = of(NULL).map_or(String::new(), |null| format!(" ({})", fixed(*null, 2)));
    two(of("")) + &null
}

fn numbers(record: &NetworksRecord, all: &[Arm<'_>]) -> Section {
    let mut rows = Vec::new();
    let mut collapsed = false;
    for arm in all {
        for (seed, s) in &arm.seeds {
            let cell = |text: String| Cell::new(text).faint(!s.fit);
            let train = s.train.as_ref();
            let collapses = train.map_or(0, |t| t.stop.attempts_before(t.collapses));
            collapsed |= collapses > 0;
            let mut end = cell(train.map_or("evolved".into(), |t| stop_word(&t.stop)));
            if collapses > 0 {
                end.text += &format!(" ({collapses} collapsed before)");
            }
            rows.push(vec![
                Cell::new(arm.label).swatch(arm.colour).faint(!s.fit),
                cell(seed.map_or("–".into(), |s| s.to_string())),
                cell(format!("{} / {}", s.kept, s.alive)),
                cell(fixed(s.r2, 4) + if s.fit { "" } else { ", unfit" }),
                cell(match (s.score(), s.interval()) {
                    (Some(v), Some((low, high))) => style::interval(v, low, high, 3),
                    _ => "none".into(),
                })
                .strong(s.fit && s.score().is_some_and(|v| v >= 0.5)),
                cell(s.clean_share().map_or("–".into(), |share| fixed(share, 2))),
                cell(organised(s)),
                cell(format!("{} / {} / {} / {}", s.clean, s.unclear, s.damaged, s.silent)),
                end,
            ]);
        }
    }
    let headers = [
        "network",
        "seed",
        "kept / alive",
        "R²",
        "score [95 %]",
        "clean share",
        "disentangled (shuffled)",
        "clean / unclear / damaged / silent",
        "end of training",
    ];
    let mut align = vec![Align::Left];
    align.extend([Align::Right; 7]);
    align.push(Align::Left);
    let mut notes = vec!["alive: kept links on a path from an input to the picture. Grey rows are unfit: their scores do not count.".to_string()];
    notes.push("disentangled: how far a weight moves one attribute of the picture only, 0 to 1; in brackets that of the same links with their weights shuffled within layers. Where the two are alike, the links alone give the number. It is the one measure of organisation that the gate recommends beside the score (docs/MEASURE.md); compare networks that learned their picture.".into());
    if collapsed {
        notes.push("A collapsed attempt became one colour and was started again from the next init stream.".into());
    }
    let named = all.iter().filter(|arm| !arm.shown.made.is_empty());
    let mut left_out = Vec::new();
    for row in &record.rows {
        let Some(why) = &row.not_made else { continue };
        let line = format!(
            "{}: not made; {why}.",
            arm_style(&row.arm).map_or(row.arm.as_str(), |(_, arm)| arm.label)
        );
        if !left_out.contains(&line) {
            left_out.push(line);
        }
    }
    notes.extend(left_out);
    notes.extend(named.map(|arm| format!("{}: {}", arm.label, arm.shown.made)));
    Section::new("The numbers").table(Table {
        caption: "Every network of the comparison.".into(),
        headers: headers.map(String::from).to_vec(),
        align,
        rows,
        notes,
    })
}
