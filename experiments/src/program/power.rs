//! `picloom-experiments power`: how often the rules would find an effect, before a study is run.

use crate::regime::power::{STUDIES, power};
use crate::regime::rules::MARGIN;
use clap::Args;
use picloom::cli::Said;
use picloom::experiment::Record;
use picloom::experiment::networks::{NetworksRecord, NetworksSpec};
use picloom::experiment::spec::read_spec;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Which study is simulated.
#[derive(Args)]
pub struct PowerArgs {
    /// Spec of a study of networks (.toml)
    pub spec: PathBuf,
    /// Profile: standard, or one of the spec's
    #[arg(long)]
    pub profile: Option<String>,
    /// Folder of a result whose variances are taken; may be given for several [default: those of the spec]
    #[arg(long, value_name = "FOLDER")]
    pub pilot: Vec<PathBuf>,
    /// The smallest difference of scores that matters to the rules of the regime map
    #[arg(long, default_value_t = MARGIN, value_parser = margin)]
    pub margin: f64,
}

/// Reads a difference of scores that matters.
fn margin(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|margin| (0.0..1.0).contains(margin));
    found.ok_or_else(|| format!("expected a difference of scores in [0, 1), found {text}"))
}

/// Simulates the rules of a study on its design.
pub fn power_of(
    spec: &Path,
    profile: Option<&str>,
    pilots: &[PathBuf],
    margin: f64,
) -> anyhow::Result<Said> {
    let (spec, profile): (NetworksSpec, String) = read_spec(spec, profile)?;
    let pilots: Vec<NetworksRecord> =
        pilots.iter().map(|path| NetworksRecord::read(path)).collect::<Result<_, _>>()?;
    let report = power(&spec, &pilots, margin, STUDIES);
    let left_out = match report.left_out.as_slice() {
        [] => String::new(),
        names => format!(
            "not simulated, without a --pilot record whose means they are: {}",
            names.join(", ")
        ),
    };
    if report.rules.is_empty() {
        let why =
            if left_out.is_empty() { "no rule is decided on such a study" } else { &left_out };
        anyhow::bail!("{}: expected a study of rules to simulate, found: {why}", spec.name);
    }
    let mut text = format!("{} ({profile}): {}", spec.name, report.table());
    match report.weak().as_slice() {
        [] => {
            text += "\nevery rule of the table finds an effect of .15 (an equivalence: that there is none) in at least 80 % of the studies"
        }
        weak => {
            text += &format!(
                "\nbelow 80 % at an effect of .15 (an equivalence: at none): {}; more targets help most",
                weak.join(", ")
            );
        }
    }
    if !left_out.is_empty() {
        text += &format!("\n{left_out}");
    }
    Ok((json!({ "study": spec.name, "profile": profile, "power": report }), text))
}
