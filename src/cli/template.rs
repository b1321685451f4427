//! Writes the spec of a study of one picture or genome, instead of doing it.

use super::study::Said;
use crate::base::text::word_of;
use crate::experiment::template::{Changes, Subject, Template};
use crate::network::Squaring;
use serde_json::json;
use std::path::Path;

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
