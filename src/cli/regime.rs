//! `picloom regime`: the score of one picture by depth and number of links.

use super::interrupt;
use super::names::one_of;
use super::output::Output;
use super::settings::{Laid, of_profile};
use super::source::fit_help;
use super::study::run_study;
use super::template::{begin, write_spec};
use crate::base::text::{portable, word_of};
use crate::experiment::networks::{NetworksRecord, StudySettings};
use crate::experiment::template::{Changes, Subject, Template};
use crate::figures::networks::regime_map_of;
use crate::figures::{Provenance, save};
use crate::network::Squaring;
use crate::study::Record;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
#[command(mut_args(of_profile))]
pub(super) struct RegimeArgs {
    /// Picture, or a genome
    #[arg(value_name = "PICTURE|GENOME")]
    picture: PathBuf,
    /// quick (five depths, 48², under ten minutes on two cores), standard (seven, 64²) or smoke (seconds)
    #[arg(long, default_value = "quick", value_parser = PossibleValuesParser::new(Template::Regime.profiles()))]
    profile: String,
    #[arg(long, help = fit_help(), value_parser = one_of::<Squaring>())]
    fit: Option<Squaring>,
    #[command(flatten)]
    own: Laid<StudySettings>,
    /// Folder of the map and all it is made of, in a folder of the picture's name
    #[arg(long, default_value = "picloom-regime")]
    out: PathBuf,
    /// Write the spec of this map for `picloom experiment run`, and make no map
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    spec: Option<PathBuf>,
}

pub(super) fn run(args: RegimeArgs, out: &Output) -> anyhow::Result<()> {
    let changes = Changes {
        profile: Some(args.profile.clone()),
        own: args.own.by_key()?,
        ..Changes::default()
    };
    if let Some(path) = &args.spec {
        let (json, text) = write_spec(Template::Regime, &args.picture, args.fit, &changes, path)?;
        return out.result(&json, &text);
    }
    let single = Template::Regime.of(Subject::read(&args.picture, args.fit)?, &changes)?;
    interrupt::saves();
    let folder = begin(&single, &args.out, out)?;
    let (mut json, mut text) = run_study(&single.study, &args.out, None, out)?;
    let record = NetworksRecord::read(&folder)?;
    let provenance = Provenance::none()
        .with("command", "picloom regime")
        .with("picture", portable(&args.picture));
    let drawing = regime_map_of(&record)?;
    let (svg, png) = save(&drawing.svg, &folder.join("regime-map"), &provenance)?;
    text += &format!("\nmap: {}", png.display());
    json["figure"] = json!([svg.to_string_lossy(), png.to_string_lossy()]);
    let picture = word_of(args.picture.as_os_str());
    text += &format!("\nfor the smallest network that learns it: picloom distil {picture}");
    out.result(&json, &text)?;
    match json["failed"].as_u64() {
        Some(failed) if failed > 0 => {
            anyhow::bail!("{failed} failed; the record in {} says why", folder.display())
        }
        _ => Ok(()),
    }
}
