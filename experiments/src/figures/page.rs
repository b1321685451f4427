//! The table of the paper's figures, the last section of `figures/README.md`, held to [`FIGURES`] by a test.

use super::FIGURES;

/// Figures of the paper that are not in [`FIGURES`], and why.
pub(crate) const WITHOUT: &[(&str, &str)] = &[("14, 15", "no caption is public")];

/// The section: one row for each group of the paper's figures, in the table's order.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "## The paper's figures\n\n\
         The paper's full text is not public: ours answer to its figures by their numbers and claims (METHODS §10), and copy none. \
         `picloom-experiments figures --list` says what each shows. Whiskers and bands are 95 % intervals. Networks that did not learn \
         their picture (R² < 0.95) are hollow and do not count.\n\n\
         | paper | ours |\n|---|---|\n",
    );
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for figure in FIGURES.iter() {
        let name = format!("`{}`", figure.name);
        match rows.iter_mut().find(|(paper, _)| *paper == figure.paper) {
            Some((_, names)) => names.push(name),
            None => rows.push((figure.paper, vec![name])),
        }
    }
    for (paper, names) in rows {
        page += &format!("| {paper} | {} |\n", names.join(", "));
    }
    for (paper, why) in WITHOUT {
        page += &format!("| {paper} | none: {why} |\n");
    }
    page
}
