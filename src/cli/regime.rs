//! `picloom regime`: the score of one picture by depth and number of links.

use super::experiment::tell;
use super::names::one_of;
use super::output::Output;
use super::settings::{Laid, of_profile};
use super::source::fit_help;
use super::template::{make, write_spec};
use crate::base::text::word_of;
use crate::experiment::networks::StudySettings;
use crate::experiment::template::{Changes, Subject, Template};
use crate::network::Squaring;
use clap::Args;
use clap::builder::PossibleValuesParser;
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
    let (_, (json, mut text)) = make(&single, &args.out, out)?;
    let picture = word_of(args.picture.as_os_str());
    text += &format!("\nfor the smallest network that learns it: picloom distil {picture}");
    tell(&(json, text), "picloom experiment", out)
}
