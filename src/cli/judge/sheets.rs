//! `picloom judge sheets` and `judge labels`: perturbations of several networks, shuffled and
//! numbered, to label without knowing who drew what.

use crate::cli::output::Output;
use crate::cli::source::{Usage, check_size};
use crate::experiment::{Kept, Source, Wanted};
use crate::figures::judge::{NumberedPair, pair_sheet};
use crate::figures::{Provenance, svg_to_png};
use crate::math::SimRng;
use crate::network::files::{create_folder, write_atomic};
use crate::network::{Arch, Coords, Picture, Wiring};
use crate::probe::{Delta, Perturbation, Selection};
use crate::score::calibrate::{
    KeyRow, ViewerAgreement, merge, read_answers, read_key, viewer_agreement,
};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What a viewer is asked; the vision-language judge gets the same words.
const PROMPT: &str = include_str!("../../../assets/prompts/judge.txt");
/// Side of a picture on a sheet.
const PANE: usize = 168;

#[derive(Args)]
pub struct SheetsArgs {
    /// Run folders, genome files, or ARCH@PARAMS; TARGET=… before one names what it draws
    #[arg(required = true, value_name = "[TARGET=]RUN|GENOME|ARCH@PARAMS")]
    sources: Vec<String>,
    /// Pairs in all, shared out equally among the networks
    #[arg(long, default_value_t = 320)]
    count: usize,
    /// How far a weight is moved: effect:E (RMSE between the pictures) or fixed:D
    #[arg(long, default_value = "effect:0.18")]
    delta: Delta,
    /// Side of the pictures in pixels
    #[arg(long, default_value_t = 112)]
    size: usize,
    /// Coordinate convention of genomes and of ARCH@PARAMS: fer or picbreeder
    #[arg(long)]
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
pub struct LabelsArgs {
    /// Folder made by judge sheets
    folder: PathBuf,
    /// Answers: columns number, label (c or coherent, f or fractured)
    #[arg(long, value_name = "ANSWERS.csv")]
    from: PathBuf,
    /// Answers of a second viewer, to say how well the two agree
    #[arg(long, value_name = "ANSWERS.csv")]
    second: Option<PathBuf>,
    /// Labelled set to write (default: labels.csv in the folder)
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A network to draw from.
struct Named {
    target: String,
    name: String,
    source: Source,
}

/// What `sheets.json` keeps: how to draw the same sheets again.
#[derive(Serialize)]
struct Record {
    command: String,
    picloom: &'static str,
    delta: String,
    size: usize,
    seed: u64,
    prompt_sha256: String,
    networks: Vec<NetworkRecord>,
    pairs: usize,
    sheets: usize,
}

#[derive(Serialize)]
struct NetworkRecord {
    target: String,
    network: String,
    links: usize,
    weights_sha256: String,
    /// R² at the size of the sheets; none if the network has no target of its own.
    fit: Option<f64>,
    pairs: usize,
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|b| format!("{b:02x}")).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Loads one source of the command line.
fn load(text: &str, args: &SheetsArgs) -> anyhow::Result<Named> {
    let (given, place) = match text.split_once('=') {
        Some((target, place)) => (Some(target.to_string()), place),
        None => (None, text),
    };
    let path = Path::new(place);
    let mut wanted = Wanted { size: Some(args.size), coords: args.coords, target: None };
    let arch;
    let (kept, name) = if let Some((text_, params)) = place.split_once('@') {
        arch = text_.parse::<Arch>().map_err(|e| Usage(format!("{text}: {e}")))?;
        (Kept::Weights(&arch, Path::new(params)), stem(Path::new(params)))
    } else if path.is_dir() {
        wanted.coords = None;
        (Kept::Run(path), stem(path))
    } else {
        wanted.target = Some(path);
        (Kept::Genome(path, Wiring::Graph), format!("evolved_{}", stem(path)))
    };
    let source = Source::load(kept, wanted)?;
    let target = match (&source.target_name, kept) {
        (Some(own), _) => stem(Path::new(own)),
        (None, Kept::Genome(path, _) | Kept::Run(path) | Kept::Weights(_, path)) => stem(path),
    };
    Ok(Named { target: given.unwrap_or(target), name, source })
}

/// At most `count` perturbations with an effect: distinct links while there are enough, either
/// sign by a toss.
fn draw(
    named: &Named,
    count: usize,
    args: &SheetsArgs,
    index: u64,
) -> Vec<(Perturbation, Picture)> {
    let source = &named.source;
    let mut rng = SimRng::new(args.seed, "judge-sheets", index);
    let links = Selection::Sample(4 * count).draw(&source.model, &mut rng);
    let view = source.view();
    let swept = view.sweep(&links, args.delta, &|_| {});
    let mut pairs: Vec<[Perturbation; 2]> = swept
        .perturbations
        .chunks_exact(2)
        .map(|pair| {
            let turn = usize::from(rng.chance(0.5));
            [pair[turn], pair[1 - turn]]
        })
        .collect();
    rng.shuffle(&mut pairs);
    let first = pairs.iter().map(|pair| pair[0]);
    let mut painter = view.painter();
    first
        .chain(pairs.iter().map(|pair| pair[1]))
        .filter(|p| !p.silent)
        .take(count)
        .map(|p| (p, painter.draw(p).clone()))
        .collect()
}

pub fn run_sheets(args: &SheetsArgs, out: &Output) -> anyhow::Result<()> {
    check_size(args.size)?;
    if args.count == 0 || args.page == 0 {
        return Err(Usage("--count and --page: expected 1 or more, found 0".into()).into());
    }
    let answers = args.out.join("answers.csv");
    if answers.exists() {
        let found = answers.display();
        return Err(Usage(format!("expected no answers yet, found {found}")).into());
    }
    let named: Vec<Named> = args
        .sources
        .iter()
        .map(|text| load(text, args).with_context(|| format!("source {text}")))
        .collect::<Result<_, _>>()?;
    create_folder(&args.out)?;
    let mut bases = Vec::new();
    let mut networks = Vec::new();
    let mut drawn: Vec<(usize, Perturbation, Picture)> = Vec::new();
    for (i, network) in named.iter().enumerate() {
        let share = (i + 1) * args.count / named.len() - i * args.count / named.len();
        let source = &network.source;
        let base = source.model.picture(args.size, source.coords);
        let fit = source.target.as_ref().map(|t| 1.0 - base.mse(t) / t.variance());
        write_atomic(
            &args.out.join(base_file(i)),
            &base.to_png(&[("command", "picloom judge sheets")]),
        )?;
        bases.push(base);
        let pairs = draw(network, share, args, i as u64);
        let floats = source.model.weights.0.iter().flat_map(|w| w.to_le_bytes());
        networks.push(NetworkRecord {
            target: network.target.clone(),
            network: network.name.clone(),
            links: source.model.mask.kept(),
            weights_sha256: hex(floats.collect::<Vec<u8>>()),
            fit,
            pairs: pairs.len(),
        });
        drawn.extend(pairs.into_iter().map(|(p, picture)| (i, p, picture)));
    }
    SimRng::new(args.seed, "judge-sheets-shuffle", 0).shuffle(&mut drawn);

    let mut key = csv::Writer::from_writer(Vec::new());
    let mut blank = String::from("number,label\n");
    for (k, (i, p, picture)) in drawn.iter().enumerate() {
        let row = KeyRow {
            number: k + 1,
            image: format!("{:03}.png", k + 1),
            base: base_file(*i),
            target: named[*i].target.clone(),
            network: named[*i].name.clone(),
            link: p.link,
            layer: p.layer,
            delta: p.delta,
            rmse: p.rmse,
        };
        write_atomic(&args.out.join(&row.image), &picture.to_png(&[]))?;
        blank += &format!("{},\n", row.number);
        key.serialize(row)?;
    }
    write_atomic(&args.out.join("key.csv"), &key.into_inner()?)?;
    write_atomic(&answers, blank.as_bytes())?;
    let mut sheets = 0;
    for (s, page) in drawn.chunks(args.page).enumerate() {
        let pairs: Vec<NumberedPair> = page
            .iter()
            .enumerate()
            .map(|(k, (i, _, picture))| NumberedPair {
                number: s * args.page + k + 1,
                base: bases[*i].clone(),
                perturbed: picture.clone(),
            })
            .collect();
        let png = svg_to_png(&pair_sheet(&pairs, PANE), 1.0, &Provenance::none())
            .map_err(|e| anyhow::anyhow!("cannot draw a sheet: {e}"))?;
        let folder = args.out.join("sheets");
        create_folder(&folder)?;
        write_atomic(&folder.join(format!("sheet_{:02}.png", s + 1)), &png)?;
        sheets += 1;
    }
    let names: Vec<&str> = networks.iter().map(|n| n.network.as_str()).collect();
    let record = Record {
        command: format!(
            "picloom judge sheets {} --count {} --delta {} --size {} --page {} --seed {}",
            names.join(" "),
            args.count,
            args.delta,
            args.size,
            args.page,
            args.seed
        ),
        picloom: env!("CARGO_PKG_VERSION"),
        delta: args.delta.to_string(),
        size: args.size,
        seed: args.seed,
        prompt_sha256: hex(PROMPT),
        pairs: drawn.len(),
        sheets,
        networks,
    };
    write_atomic(
        &args.out.join("sheets.json"),
        (serde_json::to_string_pretty(&record)? + "\n").as_bytes(),
    )?;
    let text = format!(
        "{} pairs of {} networks on {sheets} sheets in {}\nlook at sheets/, write answers.csv, then: picloom judge labels {} --from {}\nleave key.csv shut until then\n",
        record.pairs,
        named.len(),
        args.out.display(),
        args.out.display(),
        answers.display()
    );
    out.result(&record, &text)
}

fn base_file(index: usize) -> String {
    format!("base_{:02}.png", index + 1)
}

#[derive(Serialize)]
struct LabelsRecord {
    written: String,
    coherent: usize,
    fractured: usize,
    unanswered: usize,
    agreement: Option<ViewerAgreement>,
}

pub fn run_labels(args: &LabelsArgs, out: &Output) -> anyhow::Result<()> {
    use crate::score::Label;
    let key = read_key(&args.folder.join("key.csv"))?;
    let answers = read_answers(&args.from)?;
    let default = || args.folder.join("labels.csv");
    let path = args.out.clone().unwrap_or_else(default);
    write_atomic(&path, merge(&key, &answers, &args.from)?.as_bytes())?;
    let agreement = match &args.second {
        Some(second) => viewer_agreement(&answers, &read_answers(second)?),
        None => None,
    };
    let count = |label| answers.values().filter(|l| **l == label).count();
    let record = LabelsRecord {
        written: path.display().to_string(),
        coherent: count(Label::Coherent),
        fractured: count(Label::Fractured),
        unanswered: key.len() - answers.len(),
        agreement,
    };
    let mut text = format!(
        "{} coherent, {} fractured, {} unanswered\nwrote {}\n",
        record.coherent, record.fractured, record.unanswered, record.written
    );
    if let Some(a) = &record.agreement {
        let kappa = a.kappa.map_or("none".to_string(), |k| {
            format!("{:.3} [{:.3}, {:.3}]", k.estimate, k.low, k.high)
        });
        let [[cc, cf], [fc, ff]] = a.confusion;
        text += &format!(
            "two viewers on {} pairs: kappa {kappa}; c/c {cc}, c/f {cf}, f/c {fc}, f/f {ff}\n",
            a.pictures
        );
    }
    out.result(&record, &text)
}
