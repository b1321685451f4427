//! `picloom evolve`: a search, into a run folder; or a breeding session, one selection a call; or
//! breeding by a model that looks.

use super::interrupt::{self, Interrupted};
use super::judge::usage_text;
use super::names::one_of;
use super::output::{Output, tell, tell_begins};
use super::progress::Bar;
use super::settings::{Laid, belongs_to};
use super::source::Usage;
use crate::base::files::{LARGEST_STATE, of_json_lines, read_text};
use crate::base::folder::FolderKind;
use crate::base::lock::FolderLock;
use crate::base::settings::Settings;
use crate::base::text::word;
use crate::evolve::{Preset, Session};
use crate::experiment::evolution::{
    BreedRequest, BreederKind, DecisionRecord, EvolutionConfig, EvolutionError, EvolutionJob,
    EvolutionObserver, EvolutionResult, EyeResult, GenerationRecord, SESSION_FILE, SearchKind,
    Shown, StopCause, VlmSection, ancestor_file, breed, breed_by_eye, evolve, read_config,
};
use crate::figures::axis::Axis;
use crate::figures::charts::{Figure, Panel, Series};
use crate::figures::{Provenance, save, style};
use crate::genome::{self, Output::Hue};
use crate::score::judges::Vlm;
use crate::score::{Breeder, Decision, MockBreeder};
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(mut_arg("redo", |arg| arg.conflicts_with("undo")))]
pub(super) struct EvolveArgs {
    /// Folder of the run
    #[arg(long)]
    out: PathBuf,
    /// Go on with the run in --out
    #[arg(long)]
    resume: bool,
    /// TOML file laid over the preset (keys as in the run's config.toml)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Numbers of evolution [default: drawing for a target search, else picbreeder]
    #[arg(long, value_parser = one_of::<Preset>())]
    preset: Option<Preset>,
    /// Grey genomes (one output, ink) instead of colour
    #[arg(long)]
    grey: bool,
    #[command(flatten)]
    options: Laid<EvolutionConfig>,
    #[command(flatten)]
    request: Laid<BreedRequest>,
    /// Keep the genome at place N of the sheet as NAME.json in --out, with NAME.png (may be
    /// repeated)
    #[arg(long, num_args = 2, value_names = ["N", "NAME"], conflicts_with = "select")]
    #[arg(help_heading = BreedRequest::HEADING)]
    save: Vec<String>,
    #[command(flatten)]
    vlm: Laid<Vlm>,
}

pub(super) fn run(mut args: EvolveArgs, out: &Output) -> anyhow::Result<()> {
    let folder = args.out.clone();
    if args.resume && args.options.get("search") != Some(SearchKind::Interactive.name()) {
        // Its config is read first.
        FolderKind::Evolution.ensure(&folder)?;
    }
    let config = config(&args, &folder)?;
    let search = config.search;
    args.options.check_only("search", search.name())?;
    args.request.check_only("search", search.name())?;
    if search == SearchKind::Interactive {
        refuse_grey_of_colour(&args, &config, &folder)?;
        return interactive(&args, &folder, config, out);
    }
    if !args.save.is_empty() {
        return Err(belongs_to("save", "search", &["interactive"], search.name()).into());
    }
    tell_begins(&folder, args.resume, out);
    args.resume &= FolderKind::of(&folder).is_some();
    refuse_grey_of_colour(&args, &config, &folder)?;
    match search {
        SearchKind::Vlm => by_eye(&args, &folder, config, out),
        _ => measured(&args, &folder, config, out),
    }
}

/// A search whose pictures are measured.
fn measured(
    args: &EvolveArgs,
    folder: &Path,
    config: EvolutionConfig,
    out: &Output,
) -> anyhow::Result<()> {
    let best = folder.join("best.png");
    let tell_best = move |r2: Option<f64>| {
        if best.exists() {
            let r2 = r2.map_or(String::new(), |r2| format!(", R² {r2:.3},"));
            tell(&format!("the best picture so far{r2} is {}", best.display()));
        }
    };
    let told = tell_best.clone();
    interrupt::saves_and(move || told(None));
    let job = EvolutionJob::of_file(config, &config_file(args, folder))?;
    let _lock = FolderLock::take(folder)?;
    let result =
        watched(&job, folder, out, &mut |progress| evolve(&job, folder, args.resume, progress))?;
    if result.cause == StopCause::Interrupted {
        tell_best(result.best_r2);
        return Err(Interrupted.into());
    }
    plots(folder, &job.config)?;
    out.result(&result, &describe(&result, &job.config, folder))
}

/// Runs a job that may be interrupted, and shows how far it is.
fn watched<R>(
    job: &EvolutionJob,
    folder: &Path,
    out: &Output,
    run: &mut dyn FnMut(&mut Progress) -> Result<R, EvolutionError>,
) -> Result<R, EvolutionError> {
    interrupt::saves_for_resume(&folder.join("config.toml"));
    let bar = out.progress(job.config.generations, "generations");
    let mut progress = Progress { bar, search: job.config.search };
    let result = run(&mut progress)?;
    progress.bar.finish_and_clear();
    Ok(result)
}

/// The file that the config is laid over: the one that is named, else the run's own.
fn config_file(args: &EvolveArgs, folder: &Path) -> PathBuf {
    args.config.clone().unwrap_or_else(|| folder.join("config.toml"))
}

/// Defaults, then the config file (or, resuming, the run's own), then the options.
fn config(args: &EvolveArgs, folder: &Path) -> anyhow::Result<EvolutionConfig> {
    let search = args.options.get("search").map(str::parse::<SearchKind>).transpose()?;
    let preset = args.preset.or(search.map(|search| search.stored().preset()));
    let file = config_file(args, folder);
    let is_laid_over = args.config.is_some() || args.resume && file.exists();
    let mut base = if is_laid_over {
        read_config(&file, preset)?
    } else {
        let search = search.unwrap_or_default().stored();
        search.defaults(preset.unwrap_or(search.preset()))
    };
    if args.options.has("target") {
        // Another picture than the one beside the file.
        base.target_sha256 = None;
    }
    if args.config.is_some() && args.preset.is_some_and(|p| p != base.evolve.preset) {
        let message = "the config file names another preset than --preset";
        return Err(Usage(message.into()).into());
    }
    let mut config = with_options(&base, args)?;
    if config.search == SearchKind::Vlm {
        config.vlm.get_or_insert_default();
    }
    Ok(config)
}

/// `base` with what the options say.
fn with_options(base: &EvolutionConfig, args: &EvolveArgs) -> Result<EvolutionConfig, Usage> {
    let mut config = args.options.over(base)?;
    config.evolve.start.colour &= !args.grey;
    Ok(config)
}

/// Grey is how founders begin: children of a genome in colour have its colours.
fn refuse_grey_of_colour(
    args: &EvolveArgs,
    config: &EvolutionConfig,
    folder: &Path,
) -> anyhow::Result<()> {
    let file = config_file(args, folder);
    for path in config.ancestors.iter().filter(|_| args.grey) {
        let genome = genome::read(&ancestor_file(&file, path))?;
        if genome.output(Hue).is_some() {
            let text = format!("--grey: expected ancestors in grey, found one in colour: {path}");
            return Err(Usage(text).into());
        }
    }
    Ok(())
}

/// The model of the options, to look at the sheets; its name goes into the config.
#[cfg(feature = "vlm")]
fn model(args: &Laid<Vlm>, section: &mut VlmSection) -> anyhow::Result<Box<dyn Breeder>> {
    let config = super::judge::server(args, "--search vlm")?.config()?;
    section.model = Some(config.model.clone());
    Ok(Box::new(crate::score::vlm::VlmBreeder::new(config)?))
}

#[cfg(not(feature = "vlm"))]
fn model(_args: &Laid<Vlm>, _section: &mut VlmSection) -> anyhow::Result<Box<dyn Breeder>> {
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
    let job = EvolutionJob::of_file(config, &config_file(args, folder))?;
    let _lock = FolderLock::take(folder)?;
    let result = watched(&job, folder, out, &mut |progress| {
        breed_by_eye(&job, folder, args.resume, breeder.as_ref(), progress)
    })?;
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
    let request = args.request.over(&BreedRequest::default())?;
    let own = || folder.join(SESSION_FILE);
    let script = &request.script.clone().unwrap_or_else(own);
    if args.resume && !script.exists() {
        anyhow::bail!("{}: expected a session to go on with, found none", script.display());
    }
    config.validate()?;
    let (keep, cell, coords) = (to_save(&args.save)?, config.sheets().cell, config.coords);
    // Of a session that is there, a config file says everything and options what they name.
    let asked = |found: Option<&Session>| {
        let mut config = config.clone();
        if let Some(found) = found.filter(|_| args.config.is_none()) {
            let Session { seed, ancestors, config: evolve, .. } = found.clone();
            config = EvolutionConfig { seed, ancestors, evolve, ..config };
            config.evolve.preset = args.preset.unwrap_or(config.evolve.preset);
            config = with_options(&config, args).expect("laid over another config before");
        }
        let distinct = found.map(|found| found.distinct);
        let new = Session::new(config.evolve, config.seed, config.ancestors);
        Session { distinct: distinct.unwrap_or(new.distinct), ..new }
    };
    let _folder = FolderLock::take(folder)?;
    let _script = FolderLock::of_file(script)?;
    let report = breed(script, asked, folder, &request, &Shown { keep, cell, coords })?;
    let mut text = String::new();
    if !request.select.is_empty() {
        let places: Vec<String> = request.select.iter().map(ToString::to_string).collect();
        text += &format!("bred from {}\n", places.join(", "));
    }
    for path in &report.saved {
        text += &format!("kept {}\n", path.display());
    }
    let of = match report.sheets {
        1 => String::new(),
        sheets => format!(" of 0 to {}", sheets - 1),
    };
    text += &format!(
        "sheet {}{of} with {} pictures: {}\nchoose with --select N,N, keep with --save N NAME",
        report.at,
        report.genomes,
        report.sheet.display()
    );
    out.result(&report, &text)
}

/// Places and names of the genomes to keep.
fn to_save(given: &[String]) -> Result<Vec<(usize, String)>, Usage> {
    let pairs = given.chunks_exact(2).map(|pair| {
        let place = pair[0].parse().map_err(|_| {
            Usage(format!("--save: expected a place on the sheet and a name, found {:?}", pair[0]))
        })?;
        Ok((place, pair[1].clone()))
    });
    pairs.collect()
}

/// Shows the best fitness, and stops the search when asked to.
struct Progress {
    bar: Bar,
    search: SearchKind,
}

impl EvolutionObserver for Progress {
    fn generation(&mut self, record: &GenerationRecord, _seconds: f64) {
        self.bar.set_position(record.generation + 1);
        let mut text = match (record.best_r2, record.best_ever_links) {
            (Some(r2), Some(links)) => format!("best R² {r2:.3} with {links} links"),
            _ => format!("best {:.3}", record.best_ever),
        };
        text += &format!(", mean {:.0} links", record.links);
        if !record.species.is_empty() {
            text += &format!(", {} species", record.species.len());
        }
        if let Some(filled) = record.filled {
            text += &format!(", {}", self.search.stored().filled_in_words(filled));
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

/// Describes the result, its folder, and the next steps.
fn describe(result: &EvolutionResult, config: &EvolutionConfig, folder: &Path) -> String {
    let mut text = format!(
        "{} search: {} generations, {} genomes judged",
        result.search.name(),
        result.generations,
        result.evaluations
    );
    if result.gradients > 0 {
        text += &format!(", up to {} gradients", result.gradients);
    }
    text += "\n";
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (links, hidden) = (result.best_links, result.best_hidden);
    let size = format!("{} and {}", plural(links, "link"), plural(hidden, "hidden node"));
    if let Some(r2) = result.best_r2 {
        text += &format!(
            "the best has {size} and draws the target with R² {r2:.3} (1: the same picture)\n"
        );
    }
    if let Some(r2) = result.best_held_out_r2 {
        text += &format!("on the combinations that were held out: R² {r2:.3}\n");
    }
    if let Some(fitness) = result.best_fitness {
        let meaning = config.search.stored().fitness_in_words(config);
        text += &match result.best_r2 {
            Some(_) => format!("its fitness is {fitness:.4}: {meaning}\n"),
            None => format!("the best has {size}, and fitness {fitness:.4}: {meaning}\n"),
        };
    }
    let at = |name: &str| folder.join(name).display().to_string();
    text += &format!("picture  {}\ngenome   {}\n", at("best.png"), at("best.json"));
    let count = result.genomes.len();
    text += &format!("gallery  {}: {count} genomes in {}\n", at("gallery.png"), at("genomes"));
    let genome = word(at("best.json"));
    text +=
        &format!("breed from it:  picloom evolve --search interactive --from {genome} --out DIR\n");
    text +=
        &format!("print it:       picloom render --genome {genome} --size 4096 --out print.png\n");
    let longer = match (result.cause, config.budget) {
        (StopCause::Budget, Some(budget)) => format!("--budget {}", 2 * budget),
        _ => format!("--generations {}", 2 * config.generations),
    };
    text + &format!("search longer:  the same line with --resume {longer}")
}

/// Fitness, species and complexity over generations, from the run's own records.
fn plots(folder: &Path, config: &EvolutionConfig) -> anyhow::Result<()> {
    let path = folder.join("metrics.jsonl");
    let text = read_text(&path, LARGEST_STATE).with_context(|| path.display().to_string())?;
    let records: Vec<GenerationRecord> =
        of_json_lines(&text, "a generation").map_err(|refusal| refusal.in_file(&path))?;
    let along = |value: &dyn Fn(&GenerationRecord) -> f64| -> Vec<(f64, f64)> {
        records.iter().map(|r| (r.generation as f64, value(r))).collect()
    };
    let subtitle = format!(
        "{} search, population {}, seed {}",
        config.search.name(),
        config.evolve.reproduction.population,
        config.seed
    );
    let chart = |title: &str, y: &str, series: Vec<Series>| {
        let panel = Panel::new("", Axis::new("generation"), Axis::new(y), series);
        Figure::new(title).subtitle(&subtitle).draw(&[panel])
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
        let [title, y] = config.search.stored().filled_chart();
        let filled = along(&|r| r.filled.unwrap_or(0.0));
        let line = Series::line("", style::colour(0), filled);
        charts.push(("filled", chart(title, y, vec![line])));
    }
    for (name, chart) in charts {
        save(&chart, &plots_folder.join(name), &provenance)?;
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
