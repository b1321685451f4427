//! `picloom judge sheets` and `judge labels`: perturbations of several networks, shuffled and
//! numbered, to label without knowing who drew what.

use crate::base::files::{write_atomic, write_json};
use crate::base::folder::{FolderKind, ensure_file};
use crate::cli::names::one_of;
use crate::cli::output::Output;
use crate::cli::source::{Usage, check_size};
use crate::figures::judge::save_pair_sheets;
use crate::network::{Arch, Coords, Wiring};
use crate::probe::Delta;
use crate::run::{LoadOptions, NetworkPath, Source};
use crate::score::JudgeChoice;
use crate::score::labels::{
    Drawer, KeyRow, NumberedPairs, PairSettings, merge, read_answers, read_key, viewer_agreement,
};
use anyhow::Context;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct SheetsArgs {
    /// Run folders, genome files, or ARCH@PARAMS; TARGET=… before one names what it draws
    #[arg(required = true, value_name = "[TARGET=]RUN|GENOME|ARCH@PARAMS")]
    sources: Vec<String>,
    /// Pairs in all, shared out equally among the networks
    #[arg(long, default_value_t = 320)]
    count: usize,
    /// How far a weight is moved: effect:E (RMSE between the pictures) or fixed:D; of several, parted by
    /// commas, each network's changes are shared out among them
    #[arg(long, default_values_t = [Delta::default()], value_delimiter = ',')]
    delta: Vec<Delta>,
    /// Draw evenly over this judge's P(damaged), so that hard cases are there
    #[arg(long, value_name = "JUDGE")]
    even_over: Option<JudgeChoice>,
    /// Side of the pictures in pixels
    #[arg(long, default_value_t = 112)]
    size: usize,
    /// Coordinate convention of genomes and of ARCH@PARAMS [default: fer]
    #[arg(long, value_parser = one_of::<Coords>())]
    coords: Option<Coords>,
    /// Pairs on a sheet
    #[arg(long, default_value_t = 20)]
    page: usize,
    /// Seed of the sample and of the shuffle
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder for the pictures, the sheets, key.csv, answers.csv and sheets.json
    #[arg(long)]
    out: PathBuf,
}

#[derive(Args)]
pub(super) struct LabelsArgs {
    /// Folder made by judge sheets
    folder: PathBuf,
    /// Answers: columns number, label (c or clean, d or damaged; ? after it if in doubt)
    #[arg(long, value_name = "ANSWERS.csv")]
    from: PathBuf,
    /// Answers of a second viewer: kept beside the first's, to say how well the two agree
    #[arg(long, value_name = "ANSWERS.csv")]
    second: Option<PathBuf>,
    /// Labelled set to write (default: labels.csv in the folder)
    #[arg(long)]
    out: Option<PathBuf>,
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Loads one source of the command line.
fn load(text: &str, args: &SheetsArgs) -> anyhow::Result<Drawer> {
    let (given, place) = match text.split_once('=') {
        Some((target, place)) => (Some(target.to_string()), place),
        None => (None, text),
    };
    let path = Path::new(place);
    let mut wanted =
        LoadOptions { size: Some(args.size), coords: args.coords, ..LoadOptions::default() };
    let arch;
    let kept = if let Some((text_, params)) = place.split_once('@') {
        arch = text_.parse::<Arch>().map_err(|e| Usage(format!("{text}: {e}")))?;
        NetworkPath::Weights(&arch, Path::new(params))
    } else if path.is_dir() {
        wanted.coords = None;
        NetworkPath::Run(path)
    } else {
        wanted.target = Some(path);
        NetworkPath::Genome(path, Wiring::Graph)
    };
    let source = Source::load(kept, wanted)?;
    let target = match (&source.config, kept) {
        (Some(own), _) => stem(Path::new(&own.target)),
        (
            None,
            NetworkPath::Genome(path, _) | NetworkPath::Run(path) | NetworkPath::Weights(_, path),
        ) => stem(path),
    };
    Ok(Drawer {
        target: given.unwrap_or(target),
        name: source.label_name(),
        model: source.model,
        coords: source.coords,
        picture: source.target,
    })
}

pub(super) fn run_sheets(args: &SheetsArgs, out: &Output) -> anyhow::Result<()> {
    check_size(args.size)?;
    if args.count == 0 || args.page == 0 {
        return Err(Usage("--count and --page: expected 1 or more, found 0".into()).into());
    }
    FolderKind::JudgeSheets.ensure(&args.out)?;
    let answers = args.out.join("answers.csv");
    if answers.exists() {
        let found = answers.display();
        return Err(Usage(format!("expected no answers yet, found {found}")).into());
    }
    let networks: Vec<Drawer> = args
        .sources
        .iter()
        .map(|text| load(text, args).with_context(|| format!("source {text}")))
        .collect::<Result<_, _>>()?;
    let settings = PairSettings {
        count: args.count,
        deltas: args.delta.clone(),
        size: args.size,
        seed: args.seed,
    };
    let judge = args.even_over.as_ref().map(JudgeChoice::build).transpose()?;
    let judge = judge.as_deref();
    let pairs = NumberedPairs::draw(&networks, &settings, judge)?;
    FolderKind::JudgeSheets.mark(&args.out)?;
    pairs.write(&args.out)?;
    let sheets = save_pair_sheets(&pairs, args.page, &args.out.join("sheets"))?;
    let record = pairs.record(&settings, judge, args.page, sheets);
    write_json(&args.out.join("sheets.json"), &record)?;
    let text = format!(
        "{} pairs of {} networks on {sheets} sheets in {}\nlook at sheets/, write answers.csv (c: clean, d: damaged; c? or d? in doubt), then: picloom judge labels {} --from {}\nleave key.csv shut until then\n",
        record.pairs,
        networks.len(),
        args.out.display(),
        args.out.display(),
        answers.display()
    );
    out.result(&record, &text)
}

/// The key with paths of pictures as they are from `beside`, where the labelled set will lie.
fn from_folder(mut key: Vec<KeyRow>, folder: &Path, beside: &Path) -> anyhow::Result<Vec<KeyRow>> {
    let whole = |path: &Path| match path.as_os_str().is_empty() {
        true => Path::new(".").canonicalize(),
        false => path.canonicalize(),
    };
    let (folder, beside) = (whole(folder)?, whole(beside).context(beside.display().to_string())?);
    if folder == beside {
        return Ok(key);
    }
    let common = beside.ancestors().find(|above| folder.starts_with(above)).unwrap_or(&beside);
    let (up, down) = (beside.strip_prefix(common)?, folder.strip_prefix(common)?);
    let way: PathBuf = up.iter().map(|_| Path::new("..")).chain([down]).collect();
    for row in &mut key {
        for file in [&mut row.image, &mut row.base] {
            *file = way.join(&*file).to_string_lossy().replace('\\', "/");
        }
    }
    Ok(key)
}

pub(super) fn run_labels(args: &LabelsArgs, out: &Output) -> anyhow::Result<()> {
    use crate::score::Label;
    let key = read_key(&args.folder.join("key.csv"))?;
    let answers = read_answers(&args.from)?;
    let default = || args.folder.join("labels.csv");
    let path = args.out.clone().unwrap_or_else(default);
    let second = args.second.as_deref().map(read_answers).transpose()?;
    // Neither a viewer's answers nor the key.
    ensure_file(&path, "an earlier labelled set", "image,base,label,")?;
    let beside = path.parent().unwrap_or(Path::new(""));
    let key = from_folder(key, &args.folder, beside)?;
    write_atomic(&path, merge(&key, &answers, second.as_ref(), &args.from)?.as_bytes())?;
    let agreement = second.and_then(|second| viewer_agreement(&answers, &second));
    let count = |label| answers.values().filter(|a| a.label == label).count();
    let (clean, damaged) = (count(Label::Clean), count(Label::Damaged));
    let unsure = answers.values().filter(|a| a.unsure).count();
    let (unanswered, written) = (key.len() - answers.len(), path.display().to_string());
    let mut text = format!(
        "{clean} clean, {damaged} damaged ({unsure} of them unsure), {unanswered} unanswered\nwrote {written}\n"
    );
    if let Some(a) = &agreement {
        let kappa = a.kappa.map_or("none".to_string(), |k| {
            format!("{:.3} [{:.3}, {:.3}]", k.estimate, k.low, k.high)
        });
        let [[cc, cf], [fc, ff]] = a.confusion;
        text += &format!(
            "two viewers on {} pairs: kappa {kappa}; c/c {cc}, c/f {cf}, f/c {fc}, f/f {ff}\n",
            a.pictures
        );
    }
    let json = json!({
        "written": written, "clean": clean, "damaged": damaged, "unsure": unsure,
        "unanswered": unanswered, "agreement": agreement,
    });
    out.result(&json, &text)
}
