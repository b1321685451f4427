//! The figure, the sheets and the report of `picloom compare`, drawn from its table and its networks.

use super::axis::Axis;
use super::charts::{Dots, Figure, Group, Point};
use super::files::{Provenance, SaveError, save, svg_to_jpeg, svg_to_png};
use super::html::{Section, Shot};
use super::losses::{table_of_curves, thinned};
use super::methods::{Methods, citation, facts};
use super::of_spec::draw;
use super::plot::{Drawing, FigureSpec, Hex, Kind, Source};
use super::sheets::{FeatureSheet, feature_sheet};
use super::study_report::{Report, arms_section};
use super::style::{self, Colour, fixed, number, percent};
use super::usual::{ArmRow, Arms, arms_of};
use super::views::judged_sheet;
use super::wiring::{Wiring, wiring};
use crate::base::files::{create_folder, write_atomic};
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::experiment::compare::{Comparison, Shown};
use crate::genome::{ConnectionGene, Genome, GenomeInfo};
use crate::network::{Layered, layerize};
use crate::score::FIT_GATE;
use crate::study::record::{Head, Record};
use crate::study::spec::check_name;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A network that is shown, beside its arm in the table.
struct Arm<'a> {
    row: &'a ArmRow,
    shown: &'a Shown,
    colour: Colour,
    /// Name of the files of its pictures.
    file: String,
}

impl Arm<'_> {
    /// Its name, for people.
    fn label(&self) -> &str {
        &self.row.names[0]
    }

    /// The score of its networks that learned the picture, if there are.
    fn score(&self) -> Option<(f64, (f64, f64))> {
        Some((self.row.score?, self.row.interval?))
    }

    /// `2 of 3 fit`; of one network that it is not, or nothing.
    fn counts(&self) -> String {
        match (self.row.networks, self.row.fit) {
            (1, 0) => " (unfit)".into(),
            (1, _) => String::new(),
            (all, fit) => format!(" ({fit} of {all} fit)"),
        }
    }
}

/// The arms with a network; finished runs have their own names and colours.
fn arms_shown<'a>(comparison: &'a Comparison, arms: &'a Arms) -> Vec<Arm<'a>> {
    let own = comparison.subject.is_none();
    let row = |shown: &Shown| arms.rows.iter().find(|row| row.arm == shown.arm);
    let shown = comparison.networks.iter().filter_map(|shown| Some((row(shown)?, shown)));
    let of = |(i, (row, shown)): (usize, (&'a ArmRow, &'a Shown))| Arm {
        row,
        shown,
        colour: match (style::arm(&shown.arm), own) {
            (_, true) => style::colour(i),
            (Some((_, arm)), _) => arm.colour,
            (None, _) => style::INK,
        },
        file: match !own && check_name("arm", &shown.arm).is_ok() {
            true => format!("{}.png", shown.arm),
            false => format!("{}.png", i + 1),
        },
    };
    shown.enumerate().map(of).collect()
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
    let path = out.join("report.html");
    let refused =
        |refusal: Refusal| SaveError::Draw { path: path.clone(), problem: refusal.to_string() };
    for folder in ["pictures", "maps", "sweeps", "wiring"] {
        create_folder(&out.join(folder))?;
    }
    let Comparison { record, made, subject, networks, .. } = comparison;
    let genome = subject.as_ref().map(|subject| portable(&subject.path));
    let mut provenance = Provenance::none().with("command", command);
    if let Some(genome) = genome {
        provenance = provenance.with("genome", genome);
    }
    let provenance = provenance.with("version", env!("CARGO_PKG_VERSION"));
    let (head, table) = record.parts();
    let head = Head { made: made.clone(), ..head };
    // The name of a run's folder is its own, whatever arms have that name.
    let own = networks.iter().filter(|_| subject.is_none());
    let labels: BTreeMap<String, String> =
        own.map(|shown| (format!("arm={}", shown.arm), shown.arm.clone())).collect();
    let arms = arms_of(&table, &labels).map_err(refused)?;
    let arms = arms.expect("a table of networks has these columns");
    let all = arms_shown(comparison, &arms);
    let target = networks[0].target.to_png(&provenance.texts());
    write_atomic(&out.join("pictures/target.png"), &target)?;
    let mut changed = Section::new("One weight changed").paragraph(
        "Each little picture is the same network after one weight was changed until the picture differs by the same amount in every network. Green: the judge calls it a clean picture. Yellow: it is not sure. Red: damaged.",
    );
    let mut inside = Section::new("Inside the networks").paragraph(
        "The map of every unit, layer by layer from the inputs to the picture. In many evolved networks the maps are few and simple; in many trained ones they are alike, or mix many things.",
    );
    let evolved = subject.as_ref().and_then(|subject| subject.genome.as_ref());
    for (i, arm) in all.iter().enumerate() {
        let (label, view) = (arm.label(), &arm.shown.view);
        let name = |folder: &str| out.join(folder).join(&arm.file);
        write_atomic(&name("pictures"), &view.picture().to_png(&provenance.texts()))?;
        let draw = |folder: &str, svg: &str| -> Result<(Vec<u8>, usize), SaveError> {
            let fail = |problem| SaveError::Draw { path: name(folder), problem };
            write_atomic(&name(folder), &svg_to_png(svg, 1.0, &provenance).map_err(fail)?)?;
            svg_to_jpeg(svg).map_err(fail)
        };
        let sweep = judged_sheet(label, &arm.shown.changed, record.effect);
        draw("sweeps", &sweep)?;
        let (maps, maps_width) = draw("maps", &maps_sheet(arm))?;
        let (links, links_width) = draw("wiring", &wiring_figure(arm, evolved))?;
        changed = match subject.is_none() || i < LEADING {
            true => changed.figure(sweep, label),
            false => changed.details(
                format!("{label}: changed weights"),
                Section::new("").figure(sweep, label),
            ),
        };
        let sheets = Section::new("")
            .sheet(maps, maps_width, format!("{label}: maps; pale units do not reach the picture"))
            .sheet(links, links_width, format!("{label}: links"));
        inside = match i {
            0 => Section { blocks: [inside.blocks, sheets.blocks].concat(), ..inside },
            _ => inside.details(format!("{label}: maps and links"), sheets),
        };
    }
    let figure = score_figure(comparison, &arms, &all);
    save(&figure, &out.join("comparison"), &provenance)?;
    let losses = loss_figure(&all).map_err(refused)?;
    save(&losses.svg, &out.join("losses"), &provenance)?;
    let short = Section::new("In short")
        .paragraph(in_words(&all))
        .figure(figure, "The score of every network. Higher means: a changed weight more likely leaves a clean picture.");
    let pictures = Section::new("The pictures").pictures(
        shots(comparison, &all),
        128,
        "The picture, and what each network draws (first seed).",
    );
    let about = about(comparison, all.len());
    let report = Report {
        study: &about.title,
        question: &about.question,
        facts: [about.facts, facts(&head, &table)].concat(),
        remarks: about.remarks,
        sections: vec![short, arms_section(&arms), pictures, changed, inside],
        methods: Methods { head: &head, machine: None, labels: &labels, decisions: &[] }.text(),
        citation: citation(),
        decisions: &[],
        figures: &[losses],
        command,
    };
    write_atomic(&path, report.render().as_bytes())?;
    Ok(path)
}

/// Arms whose changed pictures are open in the report; those of the others are folded.
const LEADING: usize = 3;

/// The head of the report.
struct About {
    title: String,
    question: String,
    facts: Vec<(String, String)>,
    remarks: Vec<String>,
}

fn about(comparison: &Comparison, runs: usize) -> About {
    let Comparison { record, subject, usual_steps, networks, .. } = comparison;
    let asks = "Change one weight at a time: is the result still a clean picture?";
    let fact = |name: &str, value: String| (name.to_string(), value);
    let mut remarks: Vec<String> = comparison.obstacle().into_iter().collect();
    let mut facts = Vec::new();
    let Some(subject) = subject else {
        if record.targets().len() > 1 {
            remarks.push("**Not the same picture.** These runs draw different pictures, or draw them at different sizes. Losses and scores of different pictures say little about each other.".into());
        }
        facts.extend(networks.iter().map(|shown| fact(&shown.arm, shown.made.clone())));
        let question = format!("Finished networks, measured in the same way. {asks}");
        return About { title: format!("{runs} runs side by side"), question, facts, remarks };
    };
    let (title, path) = (&subject.title, portable(&subject.path));
    let question = match &subject.genome {
        Some(genome) => {
            let info = GenomeInfo::of(genome);
            facts.push(fact("genome", format!("{title} ({path})")));
            facts.push(fact("made by", genome.provenance.made_by.clone()));
            facts.push(fact("network", format!("{} nodes, {} links", info.nodes, info.links)));
            "One picture, drawn by an evolved network and by networks trained on it."
        }
        None => {
            let fit = subject.fit.map_or(String::new(), |how| format!(" (fit: {})", how.name()));
            facts.push(fact("picture", path + &fit));
            let layers = format!("{} hidden layers", subject.predicted_layers());
            facts.push(fact("predicted depth", layers));
            "One picture, drawn by networks trained on it; no genome draws it, so there is **no evolved network** beside them."
        }
    };
    if remarks.is_empty() && record.steps < *usual_steps {
        let [steps, usual] = [record.steps, *usual_steps].map(|steps| number(steps as f64, 6));
        remarks.push(format!("**A short run.** Trained for {steps} steps; the profile's are {usual}. It shows that everything works; its numbers say little of what the networks can learn."));
    }
    remarks.extend(comparison.not_made());
    let question = format!("{question} {asks}");
    About {
        title: format!("Is {title} still a picture when one weight changes?"),
        question,
        facts,
        remarks,
    }
}

/// The score of each arm, with intervals; an arm of which nothing counts has no bar.
fn score_figure(comparison: &Comparison, arms: &Arms, all: &[Arm<'_>]) -> String {
    let groups = all.iter().map(|arm| {
        let row = arm.row;
        let estimate = match row.score {
            Some(score) => {
                let estimate = Point::value(score).label(fixed(score, 2) + &arm.counts());
                Point { y_interval: row.interval, ..estimate }
            }
            // No bar: a score that does not count has no height.
            None => Point::value(0.0).label(format!("no result{}", arm.counts())),
        };
        let estimate = match row.networks {
            1 => estimate.coloured(arm.colour),
            _ => estimate.coloured(arm.colour).counted(row.scores.clone(), row.unfit.clone()),
        };
        Group { name: arm.label().to_string(), estimates: vec![Some(estimate)] }
    });
    let (title, height) = match &comparison.subject {
        Some(subject) => (format!("{}, {}²", subject.title, comparison.record.size), 450),
        None => ("one network a run".into(), 190 + 50 * all.len() as u32),
    };
    let mut note = arms.interval().to_string();
    // Only what occurs is explained.
    if all.iter().any(|arm| arm.row.networks > 1 && !arm.row.unfit.is_empty()) {
        note += " Hollow dots: seeds that did not learn the picture; they do not count.";
    }
    if all.iter().any(|arm| arm.row.fit == 0) {
        note += &format!(" No result: no network of the arm draws the picture (R² < {FIT_GATE}).");
    }
    let dots = Dots {
        value: Axis::new("compositional score").range(0.0, 1.0),
        groups: groups.collect(),
        bars: true,
        lying: true,
        texts_right: true,
        ..Dots::default()
    };
    Figure::new("How likely a change of one weight leaves a clean picture")
        .subtitle(format!("{title}, effect {} RMSE", comparison.record.effect))
        .note(note)
        .sized(860, height)
        .draw(&[dots.panel()])
}

/// Training loss of the first seed of each trained arm.
fn loss_figure(all: &[Arm<'_>]) -> Result<Drawing, Refusal> {
    let trained = || all.iter().filter(|arm| !arm.shown.curve.is_empty());
    let curve = |arm: &Arm<'_>| (arm.label().to_string(), thinned(&arm.shown.curve, 200));
    let own = |arm: &Arm<'_>| (arm.label().to_string(), shortened(arm.label()));
    let figure = FigureSpec {
        series: Some("run".into()),
        order: trained().map(|arm| arm.label().to_string()).collect(),
        labels: trained().map(own).collect(),
        colours: trained().map(|arm| (arm.label().to_string(), Hex(arm.colour))).collect(),
        ..FigureSpec::new("losses", Kind::Curves)
    };
    let table = table_of_curves(trained().map(curve));
    draw(&figure, &[Source { table, ..Source::default() }], &[])
}

/// A name that fits into the figure: of a long one, its beginning and its end.
pub(crate) fn shortened(name: &str) -> String {
    const BEGINNING: usize = 30;
    const END: usize = 12;
    let letters: Vec<char> = name.chars().collect();
    match letters.len().checked_sub(END).filter(|end| *end > BEGINNING) {
        Some(end) => [&letters[..BEGINNING], &['…'], &letters[end..]].concat().iter().collect(),
        None => name.into(),
    }
}

fn maps_sheet(arm: &Arm<'_>) -> String {
    let view = &arm.shown.view;
    feature_sheet(&FeatureSheet {
        title: arm.label(),
        subtitle: "what each unit draws: red −1, white 0, blue +1",
        network: &view.model().network,
        maps: &view.maps().values,
        size: view.size(),
        alive: Some(&view.alive_units()),
        pane: 40,
    })
}

/// People's labels of a genome's links, on those of an arm that has its wiring.
fn link_labels(shown: &Shown, genome: Option<&Genome>) -> Vec<(usize, String)> {
    let Some(genome) = genome else { return Vec::new() };
    let labelled = genome.connections().filter(|gene| gene.enabled && !gene.labels.is_empty());
    match shown.arm.as_str() {
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
        labels: &link_labels(arm.shown, genome),
        title: arm.label(),
        subtitle: "links: blue positive, red negative, stronger = larger weight",
        network: &model.network,
        mask: &model.mask,
        weights: &model.weights,
        maps: Some((&view.maps().values, view.size())),
        untangle: true,
    })
}

/// The pictures that were to be drawn, each before the first network that drew it, and what was drawn.
fn shots(comparison: &Comparison, all: &[Arm<'_>]) -> Vec<Shot> {
    let record = &comparison.record;
    let (mut shots, mut before) = (Vec::new(), None);
    for arm in all {
        let shown = arm.shown;
        let row = record.rows.iter().find(|row| row.arm == shown.arm && row.result.is_some());
        let Some((row, result)) = row.and_then(|row| Some((row, row.result.as_ref()?))) else {
            continue;
        };
        if before.replace(&row.target) != Some(&row.target) {
            let target = Path::new(&row.target).file_name().unwrap_or_default();
            let target = target.to_string_lossy();
            shots.push(Shot::new(&shown.target, "the picture").second_line(target));
        }
        let fit = if result.fit { "fit" } else { "unfit" };
        let drawn = Shot::new(shown.view.picture(), arm.label());
        let line = format!("R² {}, {fit}", fixed(result.r2, 3));
        shots.push(drawn.second_line(line).framed(arm.colour));
    }
    shots
}

/// The scores in sentences: the first arm against each other, and the arms that do not count.
fn in_words(all: &[Arm<'_>]) -> String {
    let scored: Vec<(&Arm<'_>, f64, (f64, f64))> = all
        .iter()
        .filter_map(|arm| arm.score().map(|(score, interval)| (arm, score, interval)))
        .collect();
    let mut text = String::new();
    if let Some(((first, score, (low, high)), others)) = scored.split_first() {
        let is_apart = |of: &(f64, f64)| of.1 < *low || *high < of.0;
        let named = |apart: bool| {
            let of = others.iter().filter(|other| is_apart(&other.2) == apart);
            let of = of.map(|(arm, score, _)| format!("{} ({})", arm.label(), percent(*score, 0)));
            of.collect::<Vec<_>>().join("; ")
        };
        text = format!(
            "A change of one weight leaves a clean picture with a chance of {} in **{}**.",
            percent(*score, 0),
            first.label()
        );
        let [apart, alike] = [named(true), named(false)];
        if !apart.is_empty() {
            text += &format!(" Of these the intervals do not touch its own: {apart}.");
        }
        if !alike.is_empty() {
            text += &format!(
                " Of these they touch, so this run does not tell them apart from it: {alike}."
            );
        }
    }
    let unfit = all.iter().filter(|arm| arm.row.fit == 0).map(Arm::label);
    let unfit = unfit.collect::<Vec<_>>().join("; ");
    if !unfit.is_empty() {
        text += &format!(" No result, for no network of them learned the picture: {unfit}.");
    }
    for arm in all.iter().filter(|arm| (1..arm.row.networks).contains(&arm.row.fit)) {
        let ArmRow { fit, networks, .. } = arm.row;
        text += &format!(
            " {}: {fit} of {networks} seeds learned the picture; the others do not count.",
            arm.label()
        );
    }
    text.trim().into()
}
