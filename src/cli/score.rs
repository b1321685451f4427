//! `picloom score`: perturb the weights, judge the pictures; with `--all`, the card of a network.

use super::collection::{self, is_score_file};
use super::judge::{JudgeArg, usage_text};
use super::output::Output;
use super::settings::Laid;
use super::source::{SourceArgs, Usage, check_size, chosen_links};
use super::sweep::PART;
use crate::base::files::{hidden_beside, write_atomic, write_json};
use crate::base::folder::{FolderKind, ensure_file};
use crate::base::lock::FolderLock;
use crate::experiment::changes;
use crate::figures::views::card_of;
use crate::figures::{Provenance, save};
use crate::run::{SIZE, Source, resumable_sweep};
use crate::score::card::CardRecord;
use crate::score::labels::read_labels;
use crate::score::measures::Measure;
use crate::score::measures::command::MeasureChoice;
use crate::score::{Calls, Exhibit, Judge, Measurement, PictureLabel, Protocol, ScoreRecord};
use anyhow::Context;
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct ScoreArgs {
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    judge: JudgeArg,
    #[command(flatten)]
    protocol: Laid<Protocol>,
    /// Also take measures of your own, by a program, as in cmd:./measure.py (docs/PLUGINS.md)
    #[arg(long, value_name = "cmd:COMMAND")]
    measure: Option<MeasureChoice>,
    /// Every measure; with --out the whole card: measures, changed pictures, maps and wiring as one figure
    #[arg(long)]
    all: bool,
    /// Correct the score by labels of a random part of its pictures: judge sheets, judge labels (docs/JUDGES.md)
    #[arg(long, value_name = "LABELS.csv")]
    labels: Option<PathBuf>,
    /// Record to write (.json), or a row for each changed weight (.csv, docs/COLUMNS.md); with --all, folder for card.svg,
    /// card.png and card.json; of a file of many genomes, folder for a study of all of them
    #[arg(long, value_name = "FILE.json|FILE.csv|DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: ScoreArgs, out: &Output) -> anyhow::Result<()> {
    let network = &args.source.network;
    if let Some((file, _)) = collection::named(network)? {
        collection::refuse(&[
            ("--seed", args.protocol.has("seed")),
            ("--judge-model, --vlm-…", args.judge.has_more()),
            ("--measure", args.measure.is_some()),
            ("--all", args.all),
            ("--labels", args.labels.is_some()),
            ("--target", args.source.target.is_some()),
            ("--coords", network.coords.is_some()),
            ("--wiring", network.wiring.is_some()),
            ("--at", network.at.is_some()),
        ])?;
        let protocol = args.protocol.over(&Protocol::default())?;
        let size = args.source.size.map_or(Ok(SIZE), check_size)?;
        let measured = (&protocol, args.judge.choice());
        return collection::score(file, size, measured, args.out.as_ref(), out);
    }
    if let Some(path) = args.out.as_ref().filter(|p| is_score_file(p) == args.all) {
        let expected =
            if args.all { "a folder (for the card)" } else { "a file ending in .json or .csv" };
        let found = path.display();
        return Err(Usage(format!("--out: expected {expected}, found {found}")).into());
    }
    if let (true, Some(folder)) = (args.all, &args.out) {
        FolderKind::Card.ensure(folder)?;
    }
    let protocol = args.protocol.over(&Protocol::default())?;
    let judge = args.judge.build()?;
    let measure = args.measure.map(MeasureChoice::found).transpose()?;
    if let Some(file) = args.out.as_deref().filter(|_| !args.all) {
        let mark = if is_csv(file) { "network,link,layer" } else { "\"picloom-score/" };
        ensure_file(file, "an earlier score", mark)?;
    }
    let source = args.source.load_so_far()?;
    let links = chosen_links(&protocol, &source.model)?;
    let labels = match &args.labels {
        Some(path) => Some((path, labels_of(path, &source.label_name())?)),
        None => None,
    };
    let exhibit = source.exhibit()?;
    let view = exhibit.view();
    let bar = out.progress(links.len() as u64, "weights");
    let kept = match &args.out {
        Some(folder) if args.all => {
            let lock = FolderLock::take(folder)?;
            FolderKind::Card.mark(folder)?;
            Some((lock, folder.join(PART)))
        }
        Some(file) => Some((FolderLock::of_file(file)?, beside(file))),
        None => None,
    };
    let swept = match &kept {
        Some((_, part)) => {
            resumable_sweep(view, &links, protocol.delta, part, &|done| bar.inc(done as u64))?
        }
        None => view.sweep(&links, protocol.delta, &|_| bar.inc(1)),
    };
    bar.finish_and_clear();
    let found = Measurement::of(&exhibit, swept, judge.as_ref())?;
    let corrected = match &labels {
        Some((path, labels)) => {
            Some(found.corrected(labels).with_context(|| path.display().to_string())?)
        }
        None => None,
    };
    let take = |measure: MeasureChoice| measure.of(view, source.target.as_ref(), protocol.seed);
    let record = ScoreRecord {
        own: measure.map(take).transpose()?.unwrap_or_default(),
        unfinished: source.unfinished,
        judge_model_sha256: judge.identity().sha256,
        judge_usage: judge.usage(),
        corrected,
        ..ScoreRecord::of(&source.name, &exhibit, &found, &protocol.samples, protocol.seed)
    };
    let mut text = table(&record);
    text += &usage_text(record.judge_usage.as_ref());
    match &args.out {
        folder if args.all => {
            let judged = (record, judge.as_ref());
            card(&source, &exhibit, &found, judged, folder.as_deref(), text, out)?;
        }
        Some(path) => {
            let bytes = match is_csv(path) {
                true => changes::table_of(&record.network, &record.perturbations).to_csv(),
                false => (serde_json::to_string_pretty(&record)? + "\n").into_bytes(),
            };
            write_atomic(path, &bytes)?;
            text += &format!("wrote   {}\n", path.display());
            out.result(&record, &text)?;
        }
        None => out.result(&record, &text)?,
    }
    if let Some((_, part)) = &kept {
        let _ = std::fs::remove_file(part);
    }
    Ok(())
}

fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "csv")
}

/// The labels of the network `name` in a labelled set; of a set of one network its own.
fn labels_of(path: &Path, name: &str) -> anyhow::Result<Vec<PictureLabel>> {
    let set = read_labels(path)?;
    let networks: BTreeSet<&str> = set.rows.iter().map(|row| row.network.as_str()).collect();
    let shown = path.display();
    if networks.len() > 1 && !networks.contains(name) {
        let found = networks.into_iter().collect::<Vec<_>>().join(", ");
        anyhow::bail!("{shown}: expected labels of {name}, found those of {found}");
    }
    let rows = set.rows.iter().filter(|row| networks.len() == 1 || row.network == name);
    rows.map(|row| {
        let (link, delta) = row.change.with_context(|| {
            format!(
                "{shown}: expected columns link and delta, found none: the labels of what change?"
            )
        })?;
        Ok(PictureLabel { link, delta, label: row.label, weight: row.weight })
    })
    .collect()
}

/// Where the sweep of the record `file` is kept until that is written.
fn beside(file: &Path) -> PathBuf {
    hidden_beside(file, PART)
}

/// Measures all the rest, draws it and writes it into `folder`.
fn card(
    source: &Source,
    exhibit: &Exhibit,
    found: &Measurement,
    (score, judge): (ScoreRecord, &dyn Judge),
    folder: Option<&Path>,
    mut text: String,
    out: &Output,
) -> anyhow::Result<()> {
    let view = exhibit.view();
    let behind = source.behind();
    let record = CardRecord::of((view, &found.sweep), score, judge, behind.as_ref())?;
    text += &format!("\n{}\n", measures_text(&record.measures));
    let Some(folder) = folder else { return out.result(&record, &text) };
    let stands = source.unfinished.map_or(String::new(), |at| format!(" ({at})"));
    let name = source.short_name() + &stands;
    let provenance = Provenance::none()
        .with("command", "picloom score --all")
        .with("network", &name)
        .with("judge", &record.score.score.judge)
        .with("delta", &record.score.score.delta)
        .with("samples", &record.score.samples)
        .with("seed", record.score.seed)
        .with("version", env!("CARGO_PKG_VERSION"));
    let svg = card_of(&name, &record, view, source.target.as_ref());
    let (svg, png) = save(&svg, &folder.join("card"), &provenance)?;
    let json = folder.join("card.json");
    write_json(&json, &record)?;
    let shown: Vec<String> = [&svg, &png, &json].map(|p| p.display().to_string()).to_vec();
    text += &format!("wrote   {}\n", shown.join("\n        "));
    out.result(&record, &text)
}

/// The score as a table for people.
fn table(record: &ScoreRecord) -> String {
    let score = &record.score;
    let mut text =
        format!("{}\njudge   {}\ndelta   {}\n", record.network, score.judge, score.delta);
    if let Some(at) = &record.unfinished {
        text += &format!("at      {at}, not finished\n");
    }
    match (score.score, score.interval) {
        (Some(value), Some((low, high))) => {
            text += &format!("score   {value:.3}  (95 % interval {low:.3} to {high:.3})\n");
        }
        (Some(value), None) => {
            text += &format!("score   {value:.3}  (too few weights for an interval)\n");
        }
        _ => text += "score   none: no perturbation had an effect\n",
    }
    if let Some(share) = score.clean_share {
        text += &format!("clean   {share:.3}  of the judged changes leave a clean picture\n");
    }
    if let Some(judge) = score.judge_error {
        let sample = score.sampling_error.map_or("unknown".into(), |e| format!("{e:.3}"));
        text += &format!(
            "error   {judge:.3} of the judge, {sample} of the weights not moved (standard errors)\n"
        );
    }
    if let Some(c) = &record.corrected {
        text += &format!(
            "labels  {:.3}  (95 % interval {:.3} to {:.3}), corrected by {:+.3} from {} labels\n",
            c.score, c.interval.0, c.interval.1, c.correction, c.labels
        );
    }
    match score.fit {
        Some(fit) if score.counts => {
            text += &format!("fit     r2 {:.4}, mse {:.3e}, at {}²\n", fit.r2, fit.mse, record.size)
        }
        Some(fit) => {
            text += &format!(
                "fit     r2 {:.4}, mse {:.3e}, at {}²: UNFIT, the score does not count (r2 must reach {})\n",
                fit.r2,
                fit.mse,
                record.size,
                crate::score::FIT_GATE
            );
        }
        None => text += "fit     not measured: no target\n",
    }
    text += &format!(
        "weights {} of {} non-zero, {} clean, {} unclear, {} damaged, {} silent\n",
        score.weights, score.non_zero, score.clean, score.unclear, score.damaged, score.silent
    );
    for (name, value) in &record.own {
        text += &format!("own     {name} {value}\n");
    }
    text += "\nlayer  clean  unclear  damaged  silent\n";
    for (i, &Calls { clean, unclear, damaged, silent }) in score.layers.iter().enumerate() {
        text += &format!("{:>5}  {clean:>8}  {unclear:>7}  {damaged:>9}  {silent:>6}\n", i + 1);
    }
    text
}

fn measures_text(measures: &[Measure]) -> String {
    let number = |v: Option<f64>| v.map_or("-".to_string(), |v| format!("{v:.4}"));
    let head = ["measure", "value", "95 % interval", "shuffled", "evolved"];
    let mut text = format!(
        "{:<32} {:>8} {:>16} {:>9} {:>9}  range\n",
        head[0], head[1], head[2], head[3], head[4]
    );
    // The score comes first.
    let is_main = |at: usize| at == 0 || measures[at].recommended;
    for (at, m) in measures.iter().enumerate() {
        let name = if is_main(at) { format!("{} *", m.name) } else { m.name.clone() };
        let interval = m.low.zip(m.high);
        let interval = interval.map_or("-".into(), |(low, high)| format!("[{low:.3}, {high:.3}]"));
        text += &format!(
            "{:<32} {:>8} {:>16} {:>9} {:>9}  {}\n",
            name,
            number(m.value),
            interval,
            number(m.null),
            number(m.evolved),
            m.range
        );
    }
    for (_, m) in measures.iter().enumerate().filter(|(at, _)| is_main(*at)) {
        text += &format!("* {}: {}\n", m.name, m.reference);
    }
    text
}
