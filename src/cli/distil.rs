//! `picloom distil`: the fewest links with which descent learns a picture.

use super::experiment::tell;
use super::interrupt;
use super::names::one_of;
use super::output::Output;
use super::settings::{Laid, of_profile};
use super::source::{Usage, fit_help};
use super::study::{run_study, wall};
use super::template::{begin, draw, write_spec};
use super::train::tell_palette;
use crate::base::text::word_of;
use crate::experiment::distil::{Told, distilled, left_out, parts};
use crate::experiment::networks::plan::Chain;
use crate::experiment::networks::{NetworksRecord, StudySettings};
use crate::experiment::template::{Changes, Single, Subject, Template};
use crate::network::Squaring;
use crate::study::Record;
use crate::study::cells::study_folder;
use crate::study::kinds::Study;
use crate::study::record::ROWS;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Args)]
#[command(mut_args(of_profile))]
pub(super) struct DistilArgs {
    /// Picture, or a genome
    #[arg(value_name = "PICTURE|GENOME")]
    picture: PathBuf,
    /// standard (64²) or smoke (seconds)
    #[arg(long, default_value = "standard", value_parser = PossibleValuesParser::new(Template::Distil.profiles()))]
    profile: String,
    /// Side of the picture in pixels, instead of the profile's
    #[arg(long)]
    size: Option<usize>,
    /// Optimizer steps of each dense network, instead of the profile's
    #[arg(long)]
    steps: Option<u64>,
    /// Seeds of the trainings, instead of the profile's: 0,1,2
    #[arg(long, value_delimiter = ',')]
    seeds: Vec<u64>,
    #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    #[command(flatten)]
    own: Laid<StudySettings>,
    /// Minutes that the search may take: what is found by then is told, and more minutes go on from there
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Folder of the networks and their table, in a folder of the picture's name
    #[arg(long, default_value = "picloom-distil")]
    out: PathBuf,
    /// Write the spec of this search for `picloom experiment run`, and search nothing
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    spec: Option<PathBuf>,
}

pub(super) fn run(args: DistilArgs, out: &Output) -> anyhow::Result<()> {
    let changes = Changes {
        profile: Some(args.profile.clone()),
        size: args.size,
        steps: args.steps,
        seeds: Some(args.seeds.clone()).filter(|seeds| !seeds.is_empty()),
        own: args.own.by_key()?,
        ..Changes::default()
    };
    if let Some(path) = &args.spec {
        let (json, text) = write_spec(Template::Distil, &args.picture, args.fit, &changes, path)?;
        return out.result(&json, &text);
    }
    tell_palette(&args.picture, out)?;
    let subject = Subject::read(&args.picture, args.fit)?;
    interrupt::saves();
    let Searched { single, mut json, left_out } = search(&args, &subject, &changes, out)?;
    let folder = study_folder(&single.study, &args.out);
    json["left_out"] = json!(left_out);
    let left_out = match left_out.is_empty() {
        true => String::new(),
        false => format!(
            "\nleft out, for {} minutes are over: {}; the same command with more --minutes goes on",
            args.minutes,
            left_out.join(", ")
        ),
    };
    let Some(found) = distilled(&NetworksRecord::read(&folder)?) else {
        json["links"] = json!(null);
        let text = format!(
            "no pruned network learned the picture, R² of .95 or more; try more --steps, or a smaller --size\n{}{left_out}",
            folder.join(ROWS).display()
        );
        return out.result(&json, &text);
    };
    let mut text = found.text() + &left_out;
    let more = json!(found);
    json.as_object_mut().expect("a table").extend(more.as_object().expect("a struct").clone());
    let run = |of: &Told| of.run.as_ref().map(|run| folder.join(run));
    let [fewest, highest] = [run(&found.found), run(&found.highest)];
    let path = |run: &Option<PathBuf>| json!(run.as_ref().map(|run| run.to_string_lossy()));
    json["run"] = path(&fewest);
    json["highest"]["run"] = path(&highest);
    for (name, run) in [("fewest links", &fewest), ("highest score", &highest)] {
        text += &run.as_ref().map_or(String::new(), |run| format!("\n{name}: {}", run.display()));
    }
    if let (Some(run), Some(dense)) = (&fewest, found.dense.as_ref().and_then(run)) {
        let [run, dense] = [run, &dense].map(|path| word_of(path.as_os_str()));
        text += &format!("\nside by side with the dense one: picloom compare {run} {dense}");
    }
    let mut said = (json, text);
    draw(&folder, &args.out, &mut said)?;
    tell(&said, "picloom experiment", out)
}

/// A search as far as its time went.
struct Searched {
    /// The largest part that is finished.
    single: Single,
    json: Value,
    /// What it lacks of the whole.
    left_out: Vec<String>,
}

/// Makes one part of the search after the other, as long as the next is thought to fit into the time; the first in any case.
fn search(
    args: &DistilArgs,
    subject: &Subject,
    changes: &Changes,
    out: &Output,
) -> anyhow::Result<Searched> {
    let fits = args.minutes > 0.0 && args.minutes.is_finite();
    if !fits {
        return Err(Usage(format!("--minutes: expected above 0, found {}", args.minutes)).into());
    }
    let whole = Template::Distil.of(subject.clone(), changes)?;
    begin(&whole, &args.out, out)?;
    let (begun, mut pace, mut before, mut done) = (Instant::now(), 1.0, 0.0, 0);
    let mut made: Option<(Single, Value)> = None;
    for (arms, seeds) in parts(&Template::Distil.spec(changes)?) {
        let changes = Changes { arms: Some(arms), seeds: Some(seeds), ..changes.clone() };
        let single = Template::Distil.of(subject.clone(), &changes)?;
        let cost: f64 = single.study.chains.iter().map(Chain::cost).sum();
        let left = single.study.status(&args.out)?.core_seconds_left;
        let estimate = wall(left.min(cost - before));
        let now = begun.elapsed().as_secs_f64();
        if made.is_some() && now + pace * estimate > 60.0 * args.minutes {
            break;
        }
        let (mut json, _) = run_study(&single.study, &args.out, None, out)?;
        done += json["done"].as_u64().unwrap_or(0);
        json["done"] = json!(done);
        // Beside other work, or on collapsing networks, it takes longer than was thought.
        if estimate > 1.0 {
            pace = ((begun.elapsed().as_secs_f64() - now) / estimate).clamp(0.5, 10.0);
        }
        (made, before) = (Some((single, json)), cost);
    }
    let (single, json) = made.expect("a search has a first part");
    let left_out = left_out(&single.study.spec, &whole.study.spec);
    Ok(Searched { single, json, left_out })
}
