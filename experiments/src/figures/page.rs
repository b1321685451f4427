//! The table of the paper's figures: `docs/FIGURES.md`, held to [`FIGURES`] by a test.

use super::FIGURES;

/// Figures of the paper that are not in [`FIGURES`], and why.
pub const WITHOUT: &[(&str, &str)] = &[("14, 15", "no caption is public")];

/// The page: one row for each group of the paper's figures, in the table's order.
pub fn page() -> String {
    let mut page = String::from(
        "# Figures\n\n\
         Every figure is drawn from records only, and names its command, record and profile inside.\n\n\
         - `picloom-experiments figures --list`: what each figure shows, and how to make a record that is missing.\n\
         - `picloom-experiments figures NAME --records FOLDER`: draw one beside its record, or all without a name; `--png` writes PNG, too.\n\
         - `picloom-experiments report --out OUT.html`: all figures on one page.\n\
         - `picloom-experiments run experiments/study.toml --profile quick --store runs`: make all records and figures.\n\n\
         The paper's full text is not public: ours answer to its figures by their numbers and claims (METHODS §10), and copy none.\n\n\
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
    page += "\nWhiskers and bands are 95 % intervals. Networks that did not learn their picture (R² < 0.95) are hollow and do not count. The bred genomes\n\
             moth, cat, lamp and face are of one breeding tree: kin, not independent pictures.\n";
    page
}
