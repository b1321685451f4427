//! The table of the paper's figures: `docs/FIGURES.md`, held to [`FIGURES`] by a test.

use super::{FIGURES, PROFILE, make};
use std::path::Path;

/// Figures of the paper that are not in [`FIGURES`], and why.
pub const WITHOUT: &[(&str, &str)] = &[(
    "14, 15",
    "no caption is public; they stand between those of Muon (13) and of neighbouring depths (16, 17), so `muon-loss` and `neighbouring-depths` are the nearest that we have",
)];

/// The page: a row a figure, in the table's order.
pub fn page() -> String {
    let mut page = String::from(
        "# Figures\n\n\
         Every figure below is drawn from records only, by `picloom-experiments figures NAME --records FOLDER` (all of them without a name), and lies\n\
         beside its record: a chart as SVG (with `--png` as PNG too), a sheet of pictures as PNG with a palette of 256 colours. Each names its\n\
         command, record and profile inside. `picloom-experiments figures --list` says which of them the records in a folder suffice for, and\n\
         `picloom-experiments report --out OUT.html` makes one page of all.\n\n\
         The paper's full text is not public: its figures are known by their numbers and by the claims they belong to (METHODS §10).\n\
         “Paper” is the number of the figure ours answers to, not one it copies.\n\
         The apple of the paper's figures 8, 12, 15 and 44 is missing: it is not among our targets, and our figures of these numbers show other\n\
         pictures. (The `apple` of the replication is a genome that our search evolved towards a drawing of our own.)\n\n\
         | paper | ours | claims | command | record | shows |\n|---|---|---|---|---|---|\n",
    );
    for f in FIGURES.iter() {
        page += &format!(
            "| {} | `{}` | {} | `picloom-experiments figures {}` | {} | {} |\n",
            f.paper,
            f.name,
            f.claims,
            f.name,
            f.records().iter().map(|r| format!("`{r}`")).collect::<Vec<_>>().join(", "),
            f.shows
        );
    }
    page += "\n## Figures of the paper without one of ours in this table\n\n| paper | why |\n|---|---|\n";
    for (paper, why) in WITHOUT {
        page += &format!("| {paper} | {why} |\n");
    }
    page += "\n## How the records are made\n\n\
             At `quick`; without `--profile`, at `standard`. Each committed record names its profile; so do its figures and \
             [figures/README.md](../figures/README.md).\n\n| record | command |\n|---|---|\n\
             | all of them, and every figure | `picloom-experiments run experiments/study.toml --profile quick --store runs` |\n";
    let mut studies: Vec<&str> = Vec::new();
    for study in FIGURES.iter().flat_map(|f| f.studies) {
        if !studies.contains(study) {
            studies.push(study);
        }
    }
    for study in studies {
        let command = make(study, PROFILE, Path::new("runs"));
        page += &format!("| `{study}/rows.csv.gz` | `{command}` |\n");
    }
    page += "| `claims.json` | `picloom-experiments claims` |\n\n\
             ## House style\n\n\
             Arms have one colour, marker and place in the order in every figure (`src/figures/style.rs`); nothing else has an arm's colour.\n\
             Scores of networks that did not learn their picture (R² < 0.95) are hollow and do not count. Whiskers and bands are 95 %\n\
             intervals; the note under each figure says over what (seeds or targets). Of three values or fewer there is no interval: the\n\
             values are dots. An arrow ends an interval that goes on beyond its axis. No figure depends on colour alone.\n\n\
             The bred genomes moth, cat, lamp and face are of one breeding tree (`genomes/README.md`): kin, not independent pictures.\n";
    page
}
