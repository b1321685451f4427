//! Tables of results, and where their pictures lie.

use crate::base::refusal::Refusal;
use crate::figures::style::number;
use crate::study::record::{Head, STUDY};
use crate::study::table::Table;
use std::path::{Path, PathBuf};

/// A table and the folder that its pictures are relative to.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The rows.
    pub table: Table,
    /// Folder of its file.
    pub folder: PathBuf,
    /// Pixels, steps, judge and profile of its study in words, where `study.json` beside it says them.
    pub facts: String,
}

impl Source {
    /// Reads `rows.csv` or `rows.csv.gz`.
    ///
    /// # Errors
    /// The file is no table.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let table = Table::read(path)?;
        let facts = Head::read(&folder.join(STUDY)).map(|head| facts(&head, &table));
        Ok(Source { table, folder, facts: facts.unwrap_or_default() })
    }

    /// The name of its study, where the table does not say.
    fn study(&self) -> String {
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "table".into())
    }
}

/// `64² pixels, 20 000 steps, 3 seeds, judge dl/4, profile standard`, as far as it is known.
fn facts(head: &Head, table: &Table) -> String {
    let count = |key: &str| head.fields.get(key).and_then(serde_json::Value::as_f64);
    let text = |key: &str| head.fields.get(key).and_then(serde_json::Value::as_str);
    let seeds =
        table.get("seed").map(|column| column.distinct().filter(|seed| !seed.is_empty()).count());
    let plural =
        |n: f64, one: &str| format!("{} {one}{}", number(n, 6), if n == 1.0 { "" } else { "s" });
    let facts = [
        count("size").map(|size| format!("{size}² pixels")),
        count("steps").map(|steps| plural(steps, "step")),
        seeds.filter(|n| *n > 0).map(|n| plural(n as f64, "seed")),
        count("sample").map(|n| format!("{} changed in each network", plural(n, "weight"))),
        text("judge")
            .map(|judge| format!("judge {}", judge.split(" fitted").next().unwrap_or(judge))),
        text("profile").map(|profile| format!("profile {profile}")),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The rows of all tables, with the column `study` if there are several.
pub(super) fn together(tables: &[Source]) -> Table {
    let named = tables.iter().map(|source| {
        let table = source.table.clone();
        match tables.len() > 1 && table.get("study").is_none() {
            true => table.with_constant("study", &source.study()),
            false => table,
        }
    });
    Table::concat(named)
}
