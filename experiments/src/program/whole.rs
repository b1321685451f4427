//! `picloom-experiments run` and what else is done with studies; once the parts of the whole study are run, its claims
//! are decided, its figures drawn and its report written.

use super::{claims, figures};
use crate::claims::StudySpec;
use crate::kinds;
use picloom::base::lock::{FolderLock, LockError};
use picloom::base::text::{portable, word};
use picloom::cli::{Output, StudyArgs, StudyCommand, tell, with_study};
use serde_json::json;

/// The program's name, in what it says.
const WORDS: &str = "picloom-experiments";

/// Does what the command says.
pub(super) fn run(command: StudyCommand, out: &Output) -> anyhow::Result<()> {
    let whole = match &command {
        StudyCommand::Run { study, dry_run: false, .. } if study.is_whole()? => Some(study.clone()),
        _ => None,
    };
    // Rules that cannot be read are refused before the parts are run.
    let decided = whole.map(|args| Ok::<_, anyhow::Error>((StudySpec::read(&args.spec)?, args)));
    let decided = decided.transpose()?;
    let mut said = with_study(command, &kinds(), WORDS, out)?;
    // Of several workers one that ends when all cells are there decides and draws.
    if let Some((spec, args)) = decided.filter(|_| said.0["missing"] == 0) {
        let _lock = match FolderLock::take(&args.store) {
            Err(LockError::Held { .. }) => return tell(&said, WORDS, out),
            lock => lock?,
        };
        let (ledger, text) = claims::write(&spec, &args.store)?;
        let drawn = figures::draw_all(&args.store, &command_line(&args))?;
        let report = args.store.join("report.html");
        said.1 += &text;
        said.1 += &format!("{} figures, {}", drawn.len(), report.display());
        said.0["figures"] = json!(drawn);
        said.0["report"] = json!(report.to_string_lossy());
        said.0["claims"] = json!(ledger.claims);
    }
    tell(&said, WORDS, out)
}

fn command_line(args: &StudyArgs) -> String {
    let profile = args.profile.as_ref().map(|name| format!(" --profile {name}"));
    let (spec, profile) = (word(portable(&args.spec)), profile.unwrap_or_default());
    format!("picloom-experiments run {spec}{profile} --store {}", word(portable(&args.store)))
}
