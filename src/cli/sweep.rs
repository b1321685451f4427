//! `picloom sweep`: change weights one by one and draw the pictures.

use super::collection;
use super::output::Output;
use super::settings::{Laid, with_default};
use super::source::{SourceArgs, Usage, chosen_links};
use crate::base::files::write_atomic;
use crate::base::folder::{FolderKind, Marker};
use crate::base::hash::short_id;
use crate::base::lock::FolderLock;
use crate::base::{SimRng, memory};
use crate::experiment::target_spec::plain_id;
use crate::figures::{Provenance, save, views};
use crate::genome;
use crate::probe::{Delta, Selection, directions};
use crate::run::{LoadOptions, Source, resumable_sweep};
use crate::score::Protocol;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Weights that are changed unless the options say which.
const SAMPLES: usize = 24;

#[derive(Args)]
#[command(mut_arg("samples", |option| with_default(option, &SAMPLES.to_string())))]
pub(super) struct SweepArgs {
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    protocol: Laid<Protocol>,
    /// Pictures in each strip, from w − 1 to w + 1
    #[arg(long, default_value_t = 9)]
    steps: usize,
    /// Also draw this many random directions over all non-zero weights, sorted by variance
    #[arg(long, value_name = "N")]
    directions: Option<usize>,
    /// Folder for the sheets, the animation and sweep.json; of a file of many genomes, for a folder of each
    #[arg(long)]
    out: PathBuf,
}

/// The partial result of a sweep, in its folder.
pub(super) const PART: &str = ".sweep.part";

/// The record of a sweep, written last.
const RESULT: &str = "sweep.json";

/// Directions that are drawn at random, at most.
const LARGEST_COUNT: usize = 10_000;

pub(super) fn run(args: SweepArgs, out: &Output) -> anyhow::Result<()> {
    if !(2..=101).contains(&args.steps) {
        return Err(
            Usage(format!("--steps: expected 2 to 101 pictures, found {}", args.steps)).into()
        );
    }
    let usual = Protocol { samples: Selection::Sample(SAMPLES), ..Protocol::default() };
    let protocol = args.protocol.over(&usual)?;
    let wanted = wanted_directions(args.directions, protocol.delta)?;
    if let Some((file, ids)) = collection::named(&args.source.network)? {
        return sweep_all(file, &ids, &args, (&protocol, wanted), out);
    }
    FolderKind::Sweep.ensure(&args.out)?;
    let source = args.source.load()?;
    let (json, text) = sweep(&source, &args.out, args.steps, (&protocol, wanted), out)?;
    out.result(&json, &text)
}

/// A protocol, and the random directions that are drawn beside: how many, of which effect.
type Wanted<'a> = (&'a Protocol, Option<(usize, f64)>);

/// Sweeps each genome of a file of many, in a folder of its own named by its id. Those that have a result are left as they are.
fn sweep_all(
    file: &Path,
    ids: &[String],
    args: &SweepArgs,
    wanted: Wanted<'_>,
    out: &Output,
) -> anyhow::Result<()> {
    let SourceArgs { network, target, size, .. } = &args.source;
    collection::refuse(&[("--target", target.is_some()), ("--at", network.at.is_some())])?;
    let length = file.metadata()?.len();
    let about = (file.canonicalize()?, length, network.wiring, network.coords, size, args.steps);
    let marker = Marker::new(FolderKind::Sweep)
        .about(short_id(format!("{about:?} {wanted:?}")), file.display().to_string());
    marker.ensure(&args.out)?;
    let _lock = FolderLock::take(&args.out)?;
    marker.write(&args.out)?;
    let options = LoadOptions { size: *size, coords: network.coords, ..LoadOptions::default() };
    let (reader, wiring) = (genome::Reader::default(), network.wiring());
    let (mut swept, mut failed) = (0, Vec::new());
    let (bar, silent) = (out.progress(ids.len() as u64, "genomes"), Output { quiet: true, ..*out });
    for id in ids {
        bar.inc(1);
        let folder = args.out.join(plain_id(id));
        if folder.join(RESULT).exists() {
            continue;
        }
        let path = PathBuf::from(format!("{}#{id}", file.display()));
        let one = || -> anyhow::Result<()> {
            let source = Source::of_genome(reader.read(&path)?, &path, wiring, options)?;
            sweep(&source, &folder, args.steps, wanted, &silent).map(drop)
        };
        match one() {
            Ok(()) => swept += 1,
            Err(why) => failed.push(format!("{id}: {why}")),
        }
    }
    bar.finish_and_clear();
    let (there, place) = (ids.len() - swept - failed.len(), args.out.display());
    let text =
        format!("{swept} genomes swept, {there} had been, {} failed; in {place}", failed.len());
    let json = json!({ "swept": swept, "before": there, "failed": failed, "folder": args.out });
    out.result(&json, &text)?;
    match failed.is_empty() {
        true => Ok(()),
        false => anyhow::bail!("not swept:\n  {}", failed.join("\n  ")),
    }
}

/// Sweeps one network into `folder`: its record and its words for people.
fn sweep(
    source: &Source,
    folder: &Path,
    steps: usize,
    (protocol, wanted): Wanted<'_>,
    out: &Output,
) -> anyhow::Result<(serde_json::Value, String)> {
    if wanted.is_some() {
        let factors = [(source.size * source.size, "pixels"), (steps, "pictures")];
        memory::ensure("--size, --steps", &factors, 12)?;
    }
    let links = chosen_links(protocol, &source.model)?;
    let _lock = FolderLock::take(folder)?;
    let view = source.view()?;
    let bar = out.progress(links.len() as u64, "weights");
    let part = folder.join(PART);
    let swept =
        resumable_sweep(&view, &links, protocol.delta, &part, &|done| bar.inc(done as u64))?;
    bar.finish_and_clear();
    FolderKind::Sweep.mark(folder)?;

    let provenance = Provenance(vec![
        ("command".into(), "picloom sweep".into()),
        ("network".into(), source.name.clone()),
        ("delta".into(), swept.delta.clone()),
    ]);
    let mut written = Folder { path: folder, provenance, written: Vec::new() };
    let title = &source.short_name();
    written.sheet("contact-sheet", &views::sweep_sheet(title, &view, &swept))?;
    written.sheet("strips", &views::strip_sheet(title, &view, &links, steps))?;
    let texts = [("command", "picloom sweep")];
    written.file("sweep.png", &views::sweep_animation(&view, &links, steps, &texts))?;
    if wanted.is_none() {
        // Those of another sweep would stand beside this one's.
        for extension in ["svg", "png", "json"] {
            let _ = std::fs::remove_file(folder.join("directions").with_extension(extension));
        }
    }
    if let Some((count, effect)) = wanted {
        let all = chosen_links(&Protocol::default(), view.model())?;
        let mut rng = SimRng::new(protocol.seed, "sweep-directions", 0);
        let found = directions(&view, &all, count, steps, effect, &mut rng);
        let sheet = views::direction_sheet(title, &view, &found, all.len(), steps);
        written.sheet("directions", &sheet)?;
        let record = found.record(protocol.seed, all.len(), steps);
        written.file("directions.json", &serde_json::to_vec_pretty(&record)?)?;
    }
    // Last: with it the others are there.
    written.file(RESULT, &serde_json::to_vec_pretty(&swept)?)?;
    let _ = std::fs::remove_file(part);

    let silent = swept.perturbations.iter().filter(|p| p.silent).count();
    let written: Vec<String> = written.written.iter().map(|p| p.display().to_string()).collect();
    let text = format!(
        "{} of {} non-zero weights, both signs, {}: {silent} perturbations silent\nwrote {}",
        swept.weights,
        swept.non_zero,
        swept.delta,
        written.join("\n      ")
    );
    let json = json!({
        "network": source.name, "non_zero": swept.non_zero, "weights": swept.weights, "silent": silent,
        "written": written,
    });
    Ok((json, text))
}

/// Where the sheets go, and what went there.
struct Folder<'a> {
    path: &'a Path,
    provenance: Provenance,
    written: Vec<PathBuf>,
}

impl Folder<'_> {
    fn sheet(&mut self, name: &str, svg: &str) -> anyhow::Result<()> {
        let (svg, png) = save(svg, &self.path.join(name), &self.provenance)?;
        self.written.extend([svg, png]);
        Ok(())
    }

    fn file(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.path.join(name);
        write_atomic(&path, bytes)?;
        self.written.push(path);
        Ok(())
    }
}

/// How many directions, and the median effect they are matched to; `None` without `--directions`.
fn wanted_directions(count: Option<usize>, delta: Delta) -> anyhow::Result<Option<(usize, f64)>> {
    let Some(count) = count else {
        return Ok(None);
    };
    if !(1..=LARGEST_COUNT).contains(&count) {
        let message = format!("--directions: expected 1 to {LARGEST_COUNT}, found {count}");
        return Err(Usage(message).into());
    }
    match delta {
        Delta::Effect(effect) => Ok(Some((count, effect))),
        Delta::Fixed(_) => {
            let expected = "--directions: expected --delta effect:E, which all directions together are matched to, found";
            Err(Usage(format!("{expected} {delta}")).into())
        }
    }
}
