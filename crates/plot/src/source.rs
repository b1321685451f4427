//! Tables of results, and where their pictures lie.

use picloom_base::table::Table;
use std::path::PathBuf;

/// A table and the folder that its pictures are relative to.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The rows.
    pub table: Table,
    /// Folder of its file.
    pub folder: PathBuf,
    /// What the subtitle says of it.
    pub facts: String,
}

impl Source {
    /// The name of its study, where the table does not say.
    fn study(&self) -> String {
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| "table".into())
    }
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
