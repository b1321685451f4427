//! The whole study in one self-contained page: the story first, then part by part.

use super::data::spoken;
use super::verdicts::{halves, numbers, shown, tally};
use super::{DrawError, Drawing, FIGURES, Figure, Sources, collect, make};
use crate::claims::named;
use crate::claims::{ClaimRow, Ledger};
use picloom::base::text::{portable, word};
use picloom::figures::html::{Align, Cell, Kind, Page, Section, Table};
use picloom::score::dl::LABELLED_BY;
use std::path::{Path, PathBuf};

/// The first figure of the page.
const MAP: &str = "regime-map";

/// The figures that tell the story, each with the claims it answers to.
const STORY: [(&str, &[&str]); 3] = [
    ("evolved-against-dense", &["C1"]),
    ("score-by-depth", &["C5", "C6"]),
    ("pruning-score", &["C3", "C4"]),
];

/// Titles of the parts, by study.
const PARTS: [(&str, &str, &str); 10] = [
    (
        "regime",
        "The regime map",
        "Networks of seven depths, pruned step by step: which links remain, or how many, and at which depth? The map itself stands at the top of the page.",
    ),
    (
        "wirings",
        "Evolved and trained",
        "Networks bred by choosing pictures, and networks of the same shape trained on the same pictures by gradient descent.",
    ),
    (
        "depth",
        "Depth",
        "The same pictures learned by networks of different depth, dense and pruned once by similarity.",
    ),
    (
        "pruning",
        "Pruning",
        "One dense network a seed, pruned by every method to the same number of links and retrained to the same fit.",
    ),
    (
        "out_of_domain",
        "Out of domain",
        "The recipe on drawings that no genome draws, at the depth predicted from their compressibility.",
    ),
    (
        "controls",
        "Controls",
        "Depth and pruning once more under other learning rates, schedules, initial weights, optimizers and fewer pixels.",
    ),
    (
        "optimizers",
        "Optimizers",
        "Every optimizer from the same initial weights, and Muon by its Newton–Schulz steps.",
    ),
    (
        "optimizer_scores",
        "Scores by optimizer",
        "Dense networks and SP's, trained by Adam and by Muon with 5 and 20 Newton–Schulz steps: does the optimizer shape what they are made of?",
    ),
    (
        "theory",
        "Theory",
        "How large a share of all networks of a shape can be compositional at all, exactly and by Monte Carlo.",
    ),
    (
        "structural",
        "Structural compositionality",
        "Do the parts of a picture live in subnetworks of their own that can be taken out?",
    ),
];

/// The report on the records under `folder`, with `claims.json` if it is there, written by `command`. Figures whose records are missing are named, with the command
/// that makes them.
pub(crate) fn study_report(folder: &Path, command: &str) -> String {
    let sources = Sources::new(folder);
    let ledger = sources.ledger();
    let drawn: Vec<(&Figure, Result<Drawing, DrawError>)> =
        FIGURES.iter().map(|figure| (figure, (figure.draw)(&sources))).collect();
    let there = drawn.iter().filter(|d| d.1.is_ok()).count();
    let mut page = Page::new(
        "Evolved, trained, pruned",
        "Which published claims on fractured and unified representations do our own runs support?",
    )
    .fact("figures", format!("{there} of {}", drawn.len()));
    if let Ok(ledger) = &ledger {
        page = page.fact("claims", tally(&ledger.claims));
    }
    let smoke: Vec<String> = smoked(&sources).iter().map(|study| spoken(study)).collect();
    if !smoke.is_empty() {
        page = page.banner(
            Kind::Warning,
            "Smoke run",
            format!(
                "The records of {} are of the profile smoke: tiny pictures, a few steps. They show that everything runs; their numbers and verdicts mean nothing.",
                smoke.join(", ")
            ),
        );
    }
    if let Ok(ledger) = &ledger {
        let mut section = Section::new("In short");
        if let (Some(figure), Some(map)) = (super::figure(MAP), find(&drawn, MAP)) {
            section = section.figure(map.svg.clone(), caption(figure, map));
        }
        page = page.section(section.list(ledger.sentences().to_vec()));
    }
    page = page.section(story(&drawn, ledger.as_deref().ok()));
    page = page.section(match &ledger {
        Ok(ledger) => verdict_section(ledger, &drawn),
        Err(error) => {
            Section::new("Verdicts").callout(Kind::Warning, "No ledger", format!("{error}"))
        }
    });
    // The parts in their order, then studies that have no title of their own.
    let mut studies: Vec<&str> = PARTS.iter().map(|p| p.0).collect();
    for study in FIGURES.iter().flat_map(|f| f.studies.first()) {
        if !studies.contains(study) {
            studies.push(study);
        }
    }
    for study in studies {
        page = page.section(part(&sources, study, &drawn));
    }
    page = page.section(Section::new("Repeat it").code(command).paragraph(
        "This command wrote the page, from records; the commands that make the records stand at the end of each part.",
    ));
    page.footer(
        "Written by `picloom-experiments report` from records only; figure numbers of the paper are in `figures/README.md`.",
    )
    .render()
}

/// Studies whose record is of the profile `smoke`.
fn smoked(sources: &Sources) -> Vec<&'static str> {
    let mut studies: Vec<&str> = FIGURES.iter().flat_map(|f| f.studies).copied().collect();
    studies.dedup();
    studies.sort_unstable();
    studies.dedup();
    studies.retain(|study| sources.profile_of(study).as_deref() == Some("smoke"));
    studies
}

fn find<'a>(drawn: &'a [(&Figure, Result<Drawing, DrawError>)], name: &str) -> Option<&'a Drawing> {
    let found = drawn.iter().find(|d| d.0.name == name)?;
    found.1.as_ref().ok()
}

/// With a capital at its beginning.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|c| c.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// A figure's caption: what it shows, then its numbers.
fn caption(figure: &Figure, drawing: &Drawing) -> String {
    let shows = capital(figure.shows);
    match drawing.says.is_empty() {
        true => format!("{shows}."),
        false => format!("{shows}. **In numbers:** {}", drawing.says),
    }
}

fn story(drawn: &[(&Figure, Result<Drawing, DrawError>)], ledger: Option<&Ledger>) -> Section {
    let mut section = Section::new("The story").paragraph(format!(
        "A picture can be drawn by a small network that was bred, or by one that was trained. Change one weight of each: if the \
         picture still looks like a whole, its parts are in the right places of the network. The share of such changes is the \
         **compositional score**. Three questions: do evolved networks have a higher one than trained ones; does a trained \
         network's depth matter; and does it matter which of its links are pruned away? A small model judges the pictures: {LABELLED_BY}.",
    ));
    for (name, ids) in STORY {
        let figure = FIGURES.iter().find(|f| f.name == name);
        let (Some(figure), Some(drawing)) = (figure, find(drawn, name)) else {
            continue;
        };
        section = section.figure(drawing.svg.clone(), caption(figure, drawing));
        let claims = ledger.iter().flat_map(|l| &l.claims);
        let answers: Vec<String> = claims
            .filter(|c| ids.contains(&c.text.id.as_str()))
            .map(|c| {
                let verdict = c.word();
                format!("{} **{}: {verdict}.**", c.says(), c.text.id)
            })
            .collect();
        if !answers.is_empty() {
            section = section.list(answers);
        }
    }
    section
}

fn verdict_section(ledger: &Ledger, drawn: &[(&Figure, Result<Drawing, DrawError>)]) -> Section {
    let rows = ledger.claims.iter().map(|claim| {
        let ClaimRow { text, .. } = claim;
        let first = halves(claim).into_iter().next();
        vec![
            Cell::new(text.id.clone()).swatch(shown(claim)),
            Cell::new(claim.says()),
            Cell::new(first.as_ref().map_or("none".into(), |half| half.name.clone())),
            Cell::new(first.as_ref().map_or("–".into(), |half| half.numbers.clone())),
            Cell::new(match (claim.seeds, first) {
                (Some(seeds), Some(half)) if half.targets > 0 => {
                    format!("{seeds} × {}", half.targets)
                }
                (Some(seeds), _) => format!("{seeds}"),
                _ => "–".into(),
            }),
            Cell::new(claim.word()).strong(claim.word() == "supported"),
        ]
    });
    let mut section = Section::new("Verdicts")
        .paragraph(
            "The rules were written before the runs. The unit of every interval is a target, seeds averaged within it; intervals are \
             95 %. A claim that is not supported here is a result of these runs, at their sizes and step budgets, and no more than that.",
        )
        .table(Table {
            caption: "Every claim, the effect it is decided on (of several, one that does not hold), and the verdict".into(),
            headers: ["claim", "says", "decided on", "95 %", "seeds × targets", "verdict"]
                .map(String::from)
                .to_vec(),
            align: vec![
                Align::Left,
                Align::Left,
                Align::Left,
                Align::Right,
                Align::Middle,
                Align::Left,
            ],
            rows: rows.collect(),
        });
    if let Some(drawing) = find(drawn, "claims") {
        section = section.figure(
            drawing.svg.clone(),
            "Every effect that a claim is decided on, with its interval.",
        );
    }
    let mut all = Section::new("");
    for claim in &ledger.claims {
        let note = claim.text.note.iter().cloned();
        let mut items: Vec<String> = note.collect();
        items.extend([
            format!("Rule: {}", claim.text.rule),
            format!("Source: {}", claim.text.source),
        ]);
        for decision in &claim.decisions {
            let kind = if decision.contrast.beside { "Beside it" } else { "Decided on" };
            for found in decision.primary() {
                let of = numbers((found.estimate, found.low.zip(found.high)));
                items.push(format!("{kind}: {}: {of}", named(found)));
            }
        }
        for one in &claim.findings {
            let kind = if one.beside { "Beside it" } else { "Decided on" };
            items.push(format!("{kind}: {}: {}", one.finding.statistic, numbers(one.value())));
        }
        items.extend(claim.notes.iter().map(|n| format!("Note: {n}")));
        if !claim.records.is_empty() {
            items.push(format!("Records: {}", claim.records.join(", ")));
        }
        let summary = format!("{}, {}: {}", claim.text.id, claim.word(), claim.says());
        all = all.heading(summary).list(items);
    }
    section.details("Every claim with its rule, effects, controls and notes", all)
}

fn part(
    sources: &Sources,
    study: &str,
    drawn: &[(&Figure, Result<Drawing, DrawError>)],
) -> Section {
    let known = PARTS.iter().find(|p| p.0 == study);
    let mut section = Section::new(known.map_or_else(|| spoken(study), |p| p.1.to_string()));
    if let Some((_, _, words)) = known {
        section = section.paragraph(*words);
    }
    if let Ok(record) = sources.networks(study) {
        section = section.paragraph(format!(
            "**Asked:** {} **Run:** {} networks of {} targets ({}); {}.",
            record.question,
            record.rows.len(),
            record.targets().len(),
            record.targets().iter().map(|t| spoken(t)).collect::<Vec<_>>().join(", "),
            super::data::what(&record),
        ));
        if let Some(kin) = super::data::kin(&record) {
            section = section.paragraph(kin);
        }
        if !record.left_out.is_empty() {
            section = section.callout(
                Kind::Note,
                "Left out",
                format!(
                    "{}: their pictures are in an archive that was not there.",
                    record.left_out.join(", ")
                ),
            );
        }
    }
    let mut missing: Vec<String> = Vec::new();
    for (figure, result) in drawn {
        if figure.studies.first() != Some(&study) {
            continue;
        }
        match result {
            Ok(_) if figure.name == MAP => {}
            // The story has it already.
            Ok(drawing) if STORY.iter().any(|s| s.0 == figure.name) => {
                section = section.paragraph(format!(
                    "`{}` is in [the story](#the-story): {}",
                    figure.name, drawing.says
                ));
            }
            Ok(drawing) => {
                section = section
                    .heading(capital(&spoken(figure.name)))
                    .figure(drawing.svg.clone(), caption(figure, drawing));
            }
            Err(error) => {
                let line = error.to_string();
                if !missing.contains(&line) {
                    missing.push(line);
                }
            }
        }
    }
    for error in missing {
        section = section.callout(Kind::Warning, "Not drawn", error);
    }
    let names: Vec<&str> =
        drawn.iter().filter(|d| d.0.studies.first() == Some(&study)).map(|d| d.0.name).collect();
    // Lines that fit the page.
    let names: Vec<String> = names.chunks(3).map(|c| c.join(" ")).collect();
    section.code(format!(
        "{}\npicloom-experiments figures --records {} {}",
        made(sources, study),
        word(portable(sources.folder())),
        names.join(" \\\n    ")
    ))
}

/// The commands that made the record of a study, in its profile: in the folder of the runs, or copied
/// out of it.
fn made(sources: &Sources, study: &str) -> String {
    let profile = sources.profile_of(study);
    // A report is passed on: it does not say where the folder lies.
    let folder = PathBuf::from(portable(sources.folder()));
    match profile {
        Some(profile) if !sources.path(study).join("cells").exists() => {
            let runs = Path::new("runs");
            let record = PathBuf::from(portable(&sources.path(study)));
            format!("{}\n{}", make(study, &profile, runs), collect(study, &profile, runs, &record))
        }
        Some(profile) => make(study, &profile, &folder),
        None => make(study, super::PROFILE, &folder),
    }
}
