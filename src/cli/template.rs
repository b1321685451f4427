//! Studies of one picture or genome: begins one, or writes its spec instead.

use super::decide::ResultsArgs;
use super::figures::draw_beside;
use super::interrupt;
use super::output::Output;
use super::study::{Said, run_study};
use crate::base::files::{LARGEST_CONFIG, read_text};
use crate::base::folder::STUDY;
use crate::base::text::word_of;
use crate::experiment::template::{Changes, SPEC, Single, Subject, Template};
use crate::network::Squaring;
use crate::study::cells::claim;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Runs a study in a store, draws its figures and writes its report there; returns its folder.
pub(super) fn make(single: &Single, runs: &Path, out: &Output) -> anyhow::Result<(PathBuf, Said)> {
    interrupt::saves();
    let folder = begin(single, runs, out)?;
    let mut said = run_study(&single.study, runs, None, out)?;
    draw(&folder, runs, &mut said)?;
    Ok((folder, said))
}

/// Draws the figures of a study that is finished, writes its report, and adds where they are.
pub(super) fn draw(folder: &Path, runs: &Path, (json, said): &mut Said) -> anyhow::Result<()> {
    let results =
        ResultsArgs { spec: folder.join(SPEC), profile: None, results: Some(runs.into()) };
    let (figures, problems, report) = draw_beside(&results)?;
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    json["figures"] = figures.iter().map(text).collect();
    json["report"] = json!(text(&report));
    json["not_drawn"] = json!(problems);
    for problem in &problems {
        *said += &format!("\nnot drawn: {problem}");
    }
    for path in figures.iter().chain([&report]) {
        *said += &format!("\n{}", path.display());
    }
    Ok(())
}

/// Makes the folder of a study in a store, with its spec.
pub(super) fn begin(single: &Single, runs: &Path, out: &Output) -> anyhow::Result<PathBuf> {
    let folder = claim(runs, &single.study.spec.name)?;
    tell_replaced(single, &folder, out);
    single.write_into(&folder)?;
    Ok(folder)
}

/// Says so if the results in `folder` are of other settings.
pub(super) fn tell_replaced(single: &Single, folder: &Path, out: &Output) {
    let before = read_text(&folder.join(SPEC), LARGEST_CONFIG);
    if before.is_ok_and(|text| text != single.spec) && folder.join(STUDY).exists() {
        out.note(&format!(
            "{}: the results of other settings are replaced; their networks stay, and their line finds them again",
            folder.display()
        ));
    }
}

/// Writes the spec of a template with this subject and these changes to `path`.
pub(super) fn write_spec(
    template: Template,
    subject: &Path,
    fit: Option<Squaring>,
    changes: &Changes,
    path: &Path,
) -> anyhow::Result<Said> {
    let single = template.of(Subject::read(subject, fit)?, changes)?;
    single.write(path)?;
    let quoted = word_of(path.as_os_str());
    let text = format!("{}\nrun it with `picloom experiment run {quoted}`", path.display());
    Ok((json!({ "spec": path.to_string_lossy(), "study": single.study.spec.name }), text))
}
