//! `picloom contrast`: differences between groups of networks in a table.

use super::output::Output;
use crate::experiment::contrast::{Against, Basis, ContrastSpec, Found, Mean, Rule, contrast};
use crate::experiment::record::{Head, STUDY};
use crate::experiment::table::{Filter, Measure, Table};
use crate::math::refusal::Refusal;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct ContrastArgs {
    /// Table of results, rows.csv or rows.csv.gz; of several the column `study` tells the rows apart
    #[arg(required = true)]
    rows: Vec<PathBuf>,
    /// Number that is compared: a column, log2(column), ln(column) or max(column,number)
    #[arg(long, value_name = "MEASURE", default_value = "score")]
    of: Measure,
    /// Groups, a condition each: the first less each of the others (arm=sp,arm=random); conditions of one group are
    /// joined by & (arm=sp&level=2,arm=dense)
    #[arg(long, value_name = "GROUPS", required_unless_present = "on")]
    between: Option<String>,
    /// Slope of the measure on this number within each unit, instead of differences between groups
    #[arg(long, value_name = "MEASURE", conflicts_with = "between")]
    on: Option<Measure>,
    /// Columns in which the two networks of a pair agree; an empty cell agrees with every value
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', default_value = "target,seed")]
    pair: Vec<String>,
    /// Rows that take part, as conditions: level=2|3,offset=0 [default: those that the study names for its contrasts]
    #[arg(long = "where", value_name = "CONDITIONS")]
    rows_where: Option<Filter>,
    /// Bases, the first decides: finished, end, unfit-zero, fixed-delta, equal-fit, equal-fit>=R², at:R² or each-fit;
    /// may be given several times [default: those that the study names, else finished]
    #[arg(long, value_name = "BASIS")]
    basis: Vec<Basis>,
    /// Column whose values are the independent units
    #[arg(long, default_value = "target")]
    unit: String,
    /// mixed: a mixed model with units at random and sign flips; student: Student's t over the means of units
    #[arg(long, default_value = "mixed", value_parser = parsed::<Mean>)]
    mean: Mean,
    /// each: every pair; mean: each network of the first group against the mean of those that pair with it
    #[arg(long, default_value = "each", value_parser = parsed::<Against>)]
    against: Against,
    /// Smallest difference that matters
    #[arg(long, default_value_t = 0.05)]
    margin: f64,
    /// greater, smaller, equivalent or different
    #[arg(long, default_value = "greater", value_parser = parsed::<Rule>)]
    rule: Rule,
}

/// Reads a value by the name it has in specs.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(json!(text)).map_err(|e| e.to_string())
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
        _ => Table::concat(&tables),
    })
}

/// What the study beside a table says of its contrasts: rows and bases.
fn defaults(paths: &[PathBuf]) -> Option<(Filter, Vec<Basis>)> {
    let [path] = paths else { return None };
    let head = Head::read(&path.with_file_name(STUDY)).ok()?;
    let said = head.fields.get("contrast_defaults")?.clone();
    let rows = said.get("where").cloned().unwrap_or_default();
    let basis = said.get("basis").cloned().unwrap_or_default();
    Some((
        serde_json::from_value(rows).unwrap_or_default(),
        serde_json::from_value(basis).unwrap_or_default(),
    ))
}

pub fn run(args: ContrastArgs, out: &Output) -> anyhow::Result<()> {
    let mut between = Vec::new();
    for group in args.between.iter().flat_map(|groups| groups.split(',')) {
        between.push(group.replace('&', ",").parse::<Filter>().map_err(|r| r.within("--between"))?);
    }
    let (rows, basis) = defaults(&args.rows).unwrap_or_default();
    let table = read_tables(&args.rows)?;
    let mut spec = ContrastSpec::new("contrast", between);
    let taken_over = args.rows_where.is_none() && !rows.is_empty();
    spec.rows = args.rows_where.unwrap_or(rows);
    spec.basis = if args.basis.is_empty() { basis } else { args.basis };
    if spec.basis.is_empty() {
        spec.basis = vec![Basis::Finished];
    }
    (spec.of, spec.on, spec.pair, spec.unit) = (args.of, args.on, args.pair, args.unit);
    (spec.mean, spec.against) = (args.mean, args.against);
    (spec.margin, spec.rule) = (args.margin, args.rule);
    let found = contrast(&table, &spec)?;
    if taken_over {
        out.note(&format!("rows: {} (as the study says; --where changes it)", spec.rows));
    }
    out.result(&json!({ "spec": spec, "found": found }), &told(&found))
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
