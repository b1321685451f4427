//! `picloom-experiments claims`: the ledger, from committed records.

use crate::claims::ClaimRow;
use crate::claims::{Ledger, Results, StudySpec};
use clap::Args;
use picloom::base::files::write_atomic;
use picloom::cli::Output;
use std::path::{Path, PathBuf};

/// Which records the claims are decided from.
#[derive(Args)]
pub(super) struct ClaimsArgs {
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
pub(super) fn run(args: ClaimsArgs, out: &Output) -> anyhow::Result<()> {
    let spec = StudySpec::read(&args.spec)?;
    let results = Results::below(&args.records, spec.studies());
    if results.is_empty() {
        let (folder, names) = (args.records.display(), results.missing().join(", "));
        anyhow::bail!(
            "{folder}: expected FOLDER/PART/rows.csv.gz of at least one part ({names}), found none"
        );
    }
    if !args.check {
        let (ledger, text) = write(&spec, &args.records)?;
        return out.result(&ledger, text.trim_end());
    }
    let ledger = Ledger::of(&spec, &args.records)?;
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

/// Which parts there is no result of, for people.
fn without(results: &Results) -> String {
    match results.missing().as_slice() {
        [] => String::new(),
        names => format!("no result of {}: what is decided on them is open\n", names.join(", ")),
    }
}

/// Writes `claims.json` and `claims.md` into the folder of the results.
pub(super) fn write(spec: &StudySpec, folder: &Path) -> anyhow::Result<(Ledger, String)> {
    let ledger = Ledger::of(spec, folder)?;
    let (json, page) = (folder.join("claims.json"), folder.join("claims.md"));
    write_atomic(&json, ledger.to_json().as_bytes())?;
    write_atomic(&page, ledger.to_markdown().as_bytes())?;
    let mut text = table(&ledger) + &without(&Results::below(folder, spec.studies()));
    text += &format!("wrote {}\n      {}\n", json.display(), page.display());
    Ok((ledger, text))
}

fn table(ledger: &Ledger) -> String {
    ledger.claims.iter().map(ClaimRow::told).collect()
}
