//! `picloom evolve`: a search, into a run folder; or a breeding session, one selection a call; or
//! breeding by a model that looks.

use super::interrupt::{self, Interrupted};
use super::judge::{VlmArgs, usage_text};
use super::output::Output;
use super::source::Usage;
use crate::evolve::{Preset, Selection, Session};
use crate::experiment::evolution::{
    BreedRequest, BreederKind, DecisionRecord, EvolutionConfig, EvolutionJob, EvolutionObserver,
    EvolutionResult, EyeResult, GenerationRecord, Measure, RefineMode, SearchKind, StopCause,
    VlmSection, breed, breed_by_eye, evolve, read_config,
};
use crate::experiment::targets;
use crate::figures::axis::Axis;
use crate::figures::charts::{Frame, Plot, Series, plot};
use crate::figures::{Provenance, save, style};
use crate::network::Coords;
use crate::network::lock::FolderLock;
use crate::score::{Breeder, Decision, MockBreeder};
use anyhow::Context;
use clap::Args;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct EvolveArgs {
    /// What leads the search: target, novelty, map-elites, interactive or vlm [default: target]
    #[arg(long)]
    search: Option<SearchKind>,
    /// Picture or genome to draw
    #[arg(long, value_name = "IMG|GENOME")]
    target: Option<String>,
    /// Generations [default: 100]
    #[arg(long)]
    generations: Option<u64>,
    /// Genomes a generation [default: the preset's: 15 or 150]
    #[arg(long)]
    population: Option<usize>,
    /// Seed [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    /// Folder of the run
    #[arg(long, required_unless_present = "draw_targets")]
    out: Option<PathBuf>,
    /// Go on with the run in --out
    #[arg(long)]
    resume: bool,
    /// TOML file laid over the preset (keys as in the run's config.toml)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Numbers of evolution: picbreeder or neat [default: picbreeder]
    #[arg(long)]
    preset: Option<Preset>,
    /// Side of the judged pictures in pixels [default: 64]
    #[arg(long)]
    size: Option<usize>,
    /// Coordinate convention: fer or picbreeder
    #[arg(long)]
    coords: Option<Coords>,
    /// Likeness to the target: mse, ssim or both
    #[arg(long, value_parser = named::<Measure>)]
    fitness: Option<Measure>,
    /// Gradient descent before judging: none, lamarck (inherited) or baldwin (not inherited)
    #[arg(long, value_parser = named::<RefineMode>)]
    refine: Option<RefineMode>,
    /// Its steps a genome a generation
    #[arg(long, value_name = "STEPS")]
    refine_steps: Option<usize>,
    /// Grey genomes (one output, ink) instead of colour
    #[arg(long)]
    grey: bool,
    /// Genome that generation 0 begins from (may be repeated)
    #[arg(long, value_name = "GENOME")]
    from: Vec<String>,
    /// Interactive: session file to replay, and to write back with the new selection
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Interactive: places on the sheet to breed from, e.g. 3,8
    #[arg(long, value_delimiter = ',', requires = "script")]
    select: Vec<usize>,
    /// Interactive: mutation slider of this selection, 0 to 1
    #[arg(long, requires = "select")]
    slider: Option<f64>,
    /// Interactive: another number draws other children from the same selection
    #[arg(long, requires = "select", default_value_t = 0)]
    roll: u64,
    /// Interactive: a word on the choice, kept in the session
    #[arg(long, requires = "select", default_value = "")]
    why: String,
    /// Interactive: take back this many selections first
    #[arg(long, requires = "script", default_value_t = 0)]
    undo: usize,
    /// Interactive and vlm: side of a sheet's cells in pixels [default: 160]
    #[arg(long)]
    cell: Option<usize>,
    /// Vlm: who looks at the sheets, vlm or mock (seeded tosses) [default: vlm]
    #[arg(long, value_parser = named::<BreederKind>)]
    breeder: Option<BreederKind>,
    /// Vlm: pictures to publish before the run ends [default: 1]
    #[arg(long, value_name = "N")]
    publish: Option<usize>,
    #[command(flatten)]
    vlm: VlmArgs,
    /// Draw our own target pictures into a folder, and do nothing else
    #[arg(long, value_name = "DIR")]
    draw_targets: Option<PathBuf>,
}

/// A kebab-case name of a config enum.
fn named<T: serde::de::DeserializeOwned>(name: &str) -> Result<T, String> {
    T::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name))
        .map_err(|e| e.to_string())
}

pub fn run(args: EvolveArgs, out: &Output) -> anyhow::Result<()> {
    if let Some(folder) = &args.draw_targets {
        let files = targets::write_all(folder)?;
        let text = format!("{} pictures in {}", files.len(), folder.display());
        return out.result(&files, &text);
    }
    let folder = args.out.clone().expect("clap requires --out");
    let config = config(&args, &folder)?;
    if config.search == SearchKind::Interactive {
        return interactive(&args, &folder, config, out);
    }
    if config.search == SearchKind::Vlm {
        return by_eye(&args, &folder, config, out);
    }
    let job = EvolutionJob::new(config)?;
    let _lock = FolderLock::take(&folder)?;
    interrupt::saves_for_resume(&folder.join("config.toml"));
    let mut progress = Progress { bar: out.progress(job.config.generations, "generations") };
    let result = evolve(&job, &folder, args.resume, &mut progress)?;
    progress.bar.finish_and_clear();
    if result.cause == StopCause::Interrupted {
        return Err(Interrupted.into());
    }
    plots(&folder, &job.config)?;
    out.result(&result, &describe(&result, &folder))
}

/// Defaults, then the config file (or, resuming, the run's own), then the flags.
fn config(args: &EvolveArgs, folder: &Path) -> anyhow::Result<EvolutionConfig> {
    let preset = args.preset.unwrap_or_default();
    let own = folder.join("config.toml");
    let mut config = match &args.config {
        Some(path) => read_config(path, preset)?,
        None if args.resume && own.exists() => read_config(&own, preset)?,
        None => EvolutionConfig::new(preset),
    };
    if args.config.is_some() && args.preset.is_some_and(|p| p != config.evolve.preset) {
        let message = "the config file names another preset than --preset";
        return Err(Usage(message.into()).into());
    }
    let set = &mut config;
    if let Some(search) = args.search {
        set.search = search;
    }
    if args.target.is_some() {
        set.target.clone_from(&args.target);
    }
    if let Some(generations) = args.generations {
        set.generations = generations;
    }
    if let Some(population) = args.population {
        set.evolve.reproduction.population = population;
    }
    if let Some(seed) = args.seed {
        set.seed = seed;
    }
    if let Some(size) = args.size {
        set.size = size;
    }
    if let Some(coords) = args.coords {
        set.coords = coords;
    }
    if let Some(measure) = args.fitness {
        set.fitness.measure = measure;
    }
    if let Some(mode) = args.refine {
        set.refine.mode = mode;
    }
    if let Some(steps) = args.refine_steps {
        set.refine.steps = steps;
    }
    if args.grey {
        set.evolve.start.colour = false;
    }
    if !args.from.is_empty() {
        set.ancestors.clone_from(&args.from);
    }
    if set.search == SearchKind::Vlm {
        let section = set.vlm.get_or_insert_with(VlmSection::default);
        if let Some(cell) = args.cell {
            section.cell = cell;
        }
        if let Some(breeder) = args.breeder {
            section.breeder = breeder;
        }
        if let Some(publish) = args.publish {
            section.publish = publish;
        }
    } else if args.breeder.is_some() || args.publish.is_some() {
        let message = "--breeder and --publish are for --search vlm";
        return Err(Usage(message.into()).into());
    }
    Ok(config)
}

/// The model of the options, to look at the sheets; its name goes into the config.
#[cfg(feature = "vlm")]
fn model(args: &VlmArgs, section: &mut VlmSection) -> anyhow::Result<Box<dyn Breeder>> {
    let options = args.options().map_err(|e| match e.is::<Usage>() {
        // The options are shared with the judge, and so are their messages.
        true => Usage(e.to_string().replace("--judge vlm", "--search vlm")).into(),
        false => e,
    })?;
    let config = options.config()?;
    section.model = Some(config.model.clone());
    Ok(Box::new(crate::score::vlm::VlmBreeder::new(config)?))
}

#[cfg(not(feature = "vlm"))]
fn model(_args: &VlmArgs, _section: &mut VlmSection) -> anyhow::Result<Box<dyn Breeder>> {
    let text = "this build has no vlm breeder: build it with --features vlm";
    Err(Usage(text.into()).into())
}

fn by_eye(
    args: &EvolveArgs,
    folder: &Path,
    mut config: EvolutionConfig,
    out: &Output,
) -> anyhow::Result<()> {
    let seed = config.seed;
    let section = config.vlm.get_or_insert_with(VlmSection::default);
    let breeder: Box<dyn Breeder> = match section.breeder {
        BreederKind::Mock => {
            Box::new(MockBreeder { seed, generations: VlmSection::MOCK_PUBLISHES_IN })
        }
        BreederKind::Vlm => model(&args.vlm, section)?,
    };
    let job = EvolutionJob::new(config)?;
    let _lock = FolderLock::take(folder)?;
    interrupt::saves_for_resume(&folder.join("config.toml"));
    let mut progress = Progress { bar: out.progress(job.config.generations, "generations") };
    let result = breed_by_eye(&job, folder, args.resume, breeder.as_ref(), &mut progress)?;
    progress.bar.finish_and_clear();
    if result.cause == StopCause::Interrupted {
        return Err(Interrupted.into());
    }
    let text = describe_eye(&result, folder) + &usage_text(breeder.usage().as_ref());
    out.result(&result, &text)
}

fn describe_eye(result: &EyeResult, folder: &Path) -> String {
    let why = match result.cause {
        StopCause::Published => "published",
        StopCause::Stopped => "found nothing worth breeding",
        _ => "the generations are over",
    };
    let mut text = format!(
        "bred by {}: {} sheets, {} published; end: {why}\n",
        result.breeder,
        result.generations,
        result.published.len()
    );
    if let Some(reason) = &result.last_reason {
        text += &format!("last reason: {reason}\n");
    }
    for file in &result.published {
        text += &format!("{}\n", folder.join(file).display());
    }
    text + &format!("{}\n", folder.join("decisions.jsonl").display())
}

fn interactive(
    args: &EvolveArgs,
    folder: &Path,
    config: EvolutionConfig,
    out: &Output,
) -> anyhow::Result<()> {
    let script = args.script.as_ref().ok_or_else(|| {
        Usage("--search interactive: expected a session file (--script), found none".into())
    })?;
    config.validate()?;
    let request = BreedRequest {
        undo: args.undo,
        selection: (!args.select.is_empty()).then(|| Selection {
            chosen: args.select.clone(),
            slider: args.slider,
            roll: args.roll,
            why: args.why.clone(),
        }),
        cell: args.cell.unwrap_or(160),
        coords: config.coords,
    };
    let _locks = (FolderLock::take(folder)?, FolderLock::of_file(script)?);
    let fresh = || Session::new(config.evolve.clone(), config.seed, config.ancestors.clone());
    let report = breed(script, fresh, folder, &request)?;
    let text = format!(
        "sheet {} with {} pictures: {}\nchoose with --select N,N",
        report.generation,
        report.genomes,
        report.sheet.display()
    );
    out.result(&report, &text)
}

/// Shows the best fitness, and stops the search when asked to.
struct Progress {
    bar: ProgressBar,
}

impl EvolutionObserver for Progress {
    fn generation(&mut self, record: &GenerationRecord, _seconds: f64) {
        self.bar.set_position(record.generation + 1);
        let mut text = format!(
            "best {:.5}, median {:.5}, {:.1} links",
            record.best, record.median, record.links
        );
        if !record.species.is_empty() {
            text += &format!(", {} species", record.species.len());
        }
        if let Some(filled) = record.filled {
            text += &format!(", filled {filled:.2}");
        }
        self.bar.set_message(text);
    }

    fn decided(&mut self, record: &DecisionRecord) {
        self.bar.set_position(record.generation + 1);
        let what = match &record.choice.decision {
            Decision::Select(chosen) => format!("selected {chosen:?}"),
            Decision::Publish(picture) => format!("published {picture}"),
            Decision::Stop => "stopped".to_string(),
        };
        self.bar.set_message(format!("{what}: {}", record.choice.reason));
    }

    fn stop(&mut self) -> bool {
        interrupt::asked()
    }
}

fn describe(result: &EvolutionResult, folder: &Path) -> String {
    let mut text = format!(
        "{} search {}: {} generations, {} genomes judged\n",
        result.search.name(),
        result.config_hash,
        result.generations,
        result.evaluations
    );
    if let Some(fitness) = result.best_fitness {
        text += &format!(
            "best fitness {fitness:.5} ({} links, {} hidden nodes)\n",
            result.best_links, result.best_hidden
        );
    }
    if let (Some(mse), Some(r2)) = (result.best_mse, result.best_r2) {
        text += &format!("mse {mse:.5}, r2 {r2:.4}\n");
    }
    text + &format!("{}", folder.join("gallery.png").display())
}

/// Fitness, species and complexity over generations, from the run's own records.
fn plots(folder: &Path, config: &EvolutionConfig) -> anyhow::Result<()> {
    let path = folder.join("metrics.jsonl");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let records: Vec<GenerationRecord> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .with_context(|| path.display().to_string())?;
    let along = |value: &dyn Fn(&GenerationRecord) -> f64| -> Vec<(f64, f64)> {
        records.iter().map(|r| (r.generation as f64, value(r))).collect()
    };
    let chart = |title: &str, y: &str, series: Vec<Series>| Plot {
        frame: Frame::new(title).subtitle(format!(
            "{} search, population {}, seed {}",
            config.search.name(),
            config.evolve.reproduction.population,
            config.seed
        )),
        x: Axis::new("generation"),
        y: Axis::new(y),
        series,
        ..Plot::default()
    };
    let provenance = Provenance::none().with("picloom config", config.hash());
    let fitness = chart(
        "Fitness over generations",
        "fitness",
        vec![
            Series::line("median", style::colour(1), along(&|r| r.median)).dashed(),
            Series::line("best", style::colour(0), along(&|r| r.best)),
        ],
    );
    let complexity = chart(
        "Complexity over generations",
        "genes",
        vec![
            Series::line("links, mean", style::colour(0), along(&|r| r.links)),
            Series::line("hidden nodes, mean", style::colour(1), along(&|r| r.hidden)),
            Series::line("links of the best", style::colour(0), along(&|r| r.best_links as f64))
                .dashed(),
        ],
    );
    let plots_folder = folder.join("plots");
    let mut charts = vec![("fitness", fitness), ("complexity", complexity)];
    if records.iter().any(|r| !r.species.is_empty()) {
        charts.push(("species", chart("Species over generations", "members", species(&records))));
    }
    if records.iter().any(|r| r.filled.is_some()) {
        let (title, y) = match config.search {
            SearchKind::MapElites => ("Cells filled over generations", "share of cells"),
            _ => ("Archive over generations", "genomes"),
        };
        let filled = along(&|r| r.filled.unwrap_or(0.0));
        let line = Series::line("", style::colour(0), filled);
        charts.push(("filled", chart(title, y, vec![line])));
    }
    for (name, chart) in charts {
        save(&plot(&chart), &plots_folder.join(name), &provenance)?;
    }
    Ok(())
}

/// A line for each of the eight species with the most members over the run, and one for the rest.
fn species(records: &[GenerationRecord]) -> Vec<Series> {
    let mut totals = std::collections::BTreeMap::new();
    for (id, members) in records.iter().flat_map(|r| &r.species) {
        *totals.entry(*id).or_insert(0) += members;
    }
    let mut order: Vec<(u64, usize)> = totals.into_iter().collect();
    order.sort_by_key(|&(id, total)| (std::cmp::Reverse(total), id));
    let shown: Vec<u64> = order.iter().take(8).map(|(id, _)| *id).collect();
    let mut series: Vec<Series> = shown
        .iter()
        .enumerate()
        .map(|(i, &id)| {
            let points = records.iter().filter_map(|r| {
                let members = r.species.iter().find(|s| s.0 == id)?.1;
                Some((r.generation as f64, members as f64))
            });
            Series::line(format!("species {id}"), style::colour(i), points)
        })
        .collect();
    if order.len() > shown.len() {
        let rest = records.iter().map(|r| {
            let others = r.species.iter().filter(|s| !shown.contains(&s.0));
            (r.generation as f64, others.map(|s| s.1).sum::<usize>() as f64)
        });
        series.push(Series::line("all others", style::GREY, rest).dashed());
    }
    series
}
