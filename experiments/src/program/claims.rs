//! `picloom-experiments claims`: the ledger, from committed records.

use crate::claims::{Ledger, Records, StudySpec};
use clap::Args;
use picloom::cli::Output;
use picloom::network::files::write_atomic;
use std::path::{Path, PathBuf};

/// Which records the claims are decided from.
#[derive(Args)]
pub struct ClaimsArgs {
    /// Study with the rules
    #[arg(long, default_value = "experiments/study.toml")]
    spec: PathBuf,
    /// Folder of the records, FOLDER/PART/rows.csv.gz; claims.json and claims.md are written there
    #[arg(long, default_value = "figures", value_name = "FOLDER")]
    records: PathBuf,
    /// Write nothing; fail if the verdicts of FOLDER/claims.json do not follow from the records
    #[arg(long)]
    check: bool,
}

/// Decides, or checks what was decided.
pub fn run(args: ClaimsArgs, out: &Output) -> anyhow::Result<()> {
    let spec = StudySpec::read(&args.spec)?;
    let records = Records::read(&args.records)?;
    if records.is_empty() {
        let (folder, names) = (args.records.display(), records.missing().join(", "));
        anyhow::bail!(
            "{folder}: expected FOLDER/PART/rows.csv.gz of at least one part ({names}), found none"
        );
    }
    if !args.check {
        let (ledger, text) = write(&spec, &args.records, &records)?;
        return out.result(&ledger, text.trim_end());
    }
    let ledger = Ledger::of(&spec, &records);
    let path = args.records.join("claims.json");
    let committed = Ledger::read(&path)?;
    let differs: Vec<&str> = ledger
        .claims
        .iter()
        .filter(|claim| !committed.claims.contains(claim))
        .map(|claim| claim.text.id.as_str())
        .collect();
    if !differs.is_empty() || committed.claims.len() != ledger.claims.len() {
        anyhow::bail!(
            "{}: expected what follows from the records in {}, found other rows for {}; write it anew with `picloom-experiments claims`",
            path.display(),
            args.records.display(),
            differs.join(", ")
        );
    }
    let text = format!("{}: follows from the records", path.display());
    out.result(&ledger, &(table(&ledger) + &text))
}

/// Which records there are none of, for people.
fn without(records: &Records) -> String {
    match records.missing().as_slice() {
        [] => String::new(),
        names => format!("no record of {}: what is decided on them is open\n", names.join(", ")),
    }
}

/// Writes `claims.json` and `claims.md` into the folder of the records.
pub(super) fn write(
    spec: &StudySpec,
    folder: &Path,
    records: &Records,
) -> anyhow::Result<(Ledger, String)> {
    let ledger = Ledger::of(spec, records);
    let (json, page) = (folder.join("claims.json"), folder.join("claims.md"));
    write_atomic(&json, ledger.to_json().as_bytes())?;
    write_atomic(&page, ledger.to_markdown().as_bytes())?;
    let mut text = table(&ledger) + &without(records);
    text += &format!("wrote {}\n      {}\n", json.display(), page.display());
    Ok((ledger, text))
}

fn table(ledger: &Ledger) -> String {
    let mut text = String::new();
    for claim in &ledger.claims {
        let effect = claim.effects.first().and_then(|e| {
            let (low, high) = (e.low?, e.high?);
            Some(format!("{:.3} [{low:.3}, {high:.3}]", e.estimate?))
        });
        text += &format!(
            "{:<4} {:<14} {:<24} {}\n",
            claim.text.id,
            claim.word(),
            effect.unwrap_or("-".into()),
            claim.says()
        );
    }
    text
}
