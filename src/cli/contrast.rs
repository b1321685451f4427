//! `picloom contrast`: differences between groups of networks in a table.

use super::output::Output;
use crate::base::refusal::Refusal;
use crate::base::table::{Filter, Table};
use crate::study::contrast::{Basis, ContrastSpec, Found, contrast};
use crate::study::record::{Head, STUDY};
use clap::Args;
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// The options are the keys of a contrast in a spec.
#[derive(Args, Serialize)]
pub(super) struct ContrastArgs {
    /// Table of results, rows.csv or rows.csv.gz; of several the column `study` tells the rows apart
    #[arg(required = true)]
    #[serde(skip)]
    rows: Vec<PathBuf>,
    /// Number that is compared: a column, log2(column), ln(column) or max(column,number) [default: score]
    #[arg(long, value_name = "MEASURE")]
    of: Option<String>,
    /// Groups, a condition each: the first less each of the others (arm=sp,arm=random); conditions of one group are
    /// joined by & (arm=sp&level=2,arm=dense)
    #[arg(long, value_name = "GROUPS", required_unless_present = "on")]
    between: Option<String>,
    /// Slope of the measure on this number within each unit, instead of differences between groups
    #[arg(long, value_name = "MEASURE", conflicts_with = "between")]
    on: Option<String>,
    /// Columns in which the two networks of a pair agree; an empty cell agrees with every value [default: target,seed]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pair: Option<Vec<String>>,
    /// Columns in which the networks of a group that are in the same pairs may differ: they are averaged
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    average: Option<Vec<String>>,
    /// Rows that take part, as conditions: level=2|3,offset=0 [default: all]
    #[arg(long = "where", value_name = "CONDITIONS")]
    #[serde(rename = "where")]
    rows_where: Option<String>,
    /// Bases, the first decides: finished, end, unfit-zero, fixed-delta, equal-fit, equal-fit>=R², at:R² or each-fit;
    /// may be given several times [default: as the study beside the table says, else finished]
    #[arg(long, value_name = "BASIS")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    basis: Vec<String>,
    /// Column whose values are the independent units [default: target]
    #[arg(long, value_name = "COLUMN")]
    unit: Option<String>,
    /// The contrast for each value of this column by itself
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// mixed: a mixed model with units at random; student: Student's t over the means of units
    /// [default: mixed]
    #[arg(long)]
    mean: Option<String>,
    /// each: every pair; mean: each network of the first group against the mean of those that pair with it
    /// [default: each]
    #[arg(long)]
    against: Option<String>,
    /// Smallest difference that matters [default: 0.05]
    #[arg(long)]
    margin: Option<f64>,
    /// greater, smaller, equivalent, different, above or sign [default: greater]
    #[arg(long)]
    rule: Option<String>,
}

impl ContrastArgs {
    /// The options as a spec's table.
    fn table(&self) -> toml::Table {
        let mut table = toml::Table::try_from(self).expect("options are plain data");
        if let Some(groups) = &self.between {
            let groups: Vec<String> = groups.split(',').map(|g| g.replace('&', ",")).collect();
            table.insert("between".into(), groups.into());
        }
        table.insert("id".into(), "contrast".into());
        table
    }
}

/// The table of several files. Of more than one, the column `study` names the study of each row.
pub(super) fn read_tables(paths: &[PathBuf]) -> Result<Table, Refusal> {
    let mut tables = Vec::new();
    for path in paths {
        let table = Table::read(path)?;
        let head = path.parent().map(|folder| folder.join(STUDY));
        let head = head.and_then(|path| Head::read(&path).ok());
        let name = head.and_then(|head| Some(head.fields.get("study")?.as_str()?.to_string()));
        let name = name.unwrap_or_else(|| path.display().to_string());
        tables.push(match paths.len() {
            1 => table,
            _ => table.with_constant("study", &name),
        });
    }
    Ok(match tables.len() {
        1 => tables.remove(0),
        _ => Table::concat(tables),
    })
}

/// The contrast defaults of the study beside a table.
fn defaults(paths: &[PathBuf]) -> toml::Table {
    let table = || {
        let [path] = paths else { return None };
        let head = Head::read(&path.with_file_name(STUDY)).ok()?;
        let said = head.fields.get("contrast_defaults")?.clone();
        serde_json::from_value::<toml::Table>(said).ok()
    };
    let mut table = table().unwrap_or_default();
    table.remove("tables");
    table
}

/// Refuses an R² on the way that no row of the table has.
fn check_levels(table: &Table, spec: &ContrastSpec) -> Result<(), Refusal> {
    for basis in &spec.basis {
        let Basis::At(levels) = basis else { continue };
        let at = table.column("at")?;
        let is_there = |level: &f64| (0..table.len()).any(|row| at.number(row) == Some(*level));
        if let Some(level) = levels.iter().find(|level| !is_there(level)) {
            let known: Vec<&str> = at.distinct().filter(|text| !text.is_empty()).collect();
            let expected = format!("an R² of the column at: {}", known.join(", "));
            return Err(Refusal::new("--basis", expected, level.to_string()));
        }
    }
    Ok(())
}

pub(super) fn run(args: ContrastArgs, out: &Output) -> anyhow::Result<()> {
    let (defaults, given) = (defaults(&args.rows), args.table());
    let spec = ContrastSpec::all(&defaults, std::slice::from_ref(&given))?.remove(0);
    let table = read_tables(&args.rows)?;
    if args.between.is_some() {
        for group in &spec.between {
            group.check_values(&table).map_err(|refusal| refusal.within("--between"))?;
        }
    }
    if let Some(rows) = &args.rows_where {
        let rows: Filter = rows.parse()?;
        rows.check_values(&table).map_err(|refusal| refusal.within("--where"))?;
    }
    check_levels(&table, &spec)?;
    let found = contrast(&table, &spec)?;
    if table.get("fit").is_none() {
        out.note("the table has no column `fit`: every row counts, whatever its network learned");
    }
    let taken: Vec<&str> =
        defaults.keys().filter(|key| !given.contains_key(*key)).map(String::as_str).collect();
    if !taken.is_empty() {
        let rows = if spec.rows.is_empty() { String::new() } else { format!(" ({})", spec.rows) };
        out.note(&format!("as the study says: {}{rows}", taken.join(", ")));
    }
    let decides = match found.first() {
        Some(first) if found.iter().any(|one| one.basis != first.basis) => {
            format!("decides: the first basis, {}\n", first.basis.says())
        }
        _ => String::new(),
    };
    out.result(&json!({ "spec": spec, "found": found }), &(decides + &told(&found)))
}

/// The results for people, basis by basis.
pub(super) fn told(found: &[Found]) -> String {
    let mut text = String::new();
    let mut last = None;
    for one in found {
        if last != Some(&one.basis) {
            text += &format!("{}\n", one.basis.says());
            last = Some(&one.basis);
        }
        text += &format!("  {}\n", one.text());
    }
    text
}
