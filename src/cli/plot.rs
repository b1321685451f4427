//! `picloom plot`: a figure of any table of results. Builds the same spec as `[[figures]]`, draws it and writes it.

use super::output::Output;
use super::settings::Laid;
use super::source::Usage;
use crate::base::refusal::Refusal;
use crate::base::table::{Filter, Measure, Table};
use crate::base::text::portable;
use crate::experiment::compare::names;
use crate::figures::Provenance;
use crate::figures::compare::shortened;
use crate::figures::losses::{table_of_curves, thinned};
use crate::figures::of_spec::{check_labels, draw, of_spec, read_source};
use crate::figures::plot::{FigureSpec, Format, Kind, Source, save_drawing};
use crate::run::read_metrics;
use crate::study::spec::read_analysis;
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(after_help = "Every key, its unit and default: docs/PLOTS.md.")]
pub(super) struct PlotArgs {
    /// Tables of results, CSV, packed or not; several are put one under the other, with a column `study`. Or run folders
    /// and CSVs with the columns step and mse: their loss curves
    #[arg(required = true, value_name = "ROWS|RUN")]
    rows: Vec<PathBuf>,
    /// Where to write: FILE.svg, FILE.png or FILE.pdf; a folder for all figures of --spec
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Any key of docs/PLOTS.md, as in a spec: --set outline=true
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A spec: its [[contrasts]], and its [[figures]] unless --kind is given
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// Figures of --spec to draw [default: all]; options override their keys
    #[arg(long, value_name = "NAME", requires = "spec", conflicts_with = "kind")]
    figure: Vec<String>,
    /// Write this below the figure; without a text: what the marks and intervals are
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    caption: Option<String>,
    #[command(flatten)]
    keys: Laid<FigureSpec>,
    /// Resolution of a PNG in dots an inch
    #[arg(long, default_value_t = 300.0, value_parser = dpi)]
    dpi: f64,
}

/// The column that says which networks learned their picture.
const FIT: &str = "fit";

/// The kind of a figure that has none: pictures, cells, dots over categories, lines of a series, else a scatter.
fn usual_kind(keys: &Map<String, Value>, table: &Table) -> Kind {
    let is_number = |name: &str| {
        let of = name.parse::<Measure>().map_err(|_| ());
        let column = of.as_ref().ok().and_then(|of| table.get(of.column()));
        column.is_none_or(|column| (0..table.len()).any(|row| column.number(row).is_some()))
    };
    let has = |key: &str| keys.contains_key(key);
    match keys.get("x").and_then(Value::as_str) {
        _ if has("picture") => Kind::Pictures,
        _ if has("of") => Kind::Heatmap,
        Some(x) if is_number(x) && has("series") => Kind::Lines,
        Some(x) if is_number(x) => Kind::Scatter,
        _ => Kind::Dots,
    }
}

pub(super) fn run(args: PlotArgs, out: &Output) -> anyhow::Result<()> {
    let spec = args.spec.as_deref().map(read_analysis).transpose()?.unwrap_or_default();
    let mut keys = options(&args)?;
    let is_of_curves = keys.get("kind").is_none_or(|kind| *kind == Kind::Curves.name());
    let may_be_curves = is_of_curves && !keys.contains_key("x") && !keys.contains_key("y");
    let (tables, runs) = sources(&args.rows, may_be_curves && args.spec.is_none())?;
    let is_own = args.spec.is_none() || args.keys.has("kind");
    if !keys.contains_key("kind") && args.spec.is_none() {
        let kind = match runs.is_empty() {
            true => usual_kind(&keys, &tables[0].table),
            false => Kind::Curves,
        };
        if kind == Kind::Dots {
            for (axis, column) in [("x", "arm"), ("y", "score")] {
                keys.entry(axis).or_insert(json!(column));
            }
        }
        if kind != Kind::Curves {
            let of = |axis: &str| keys.get(axis).and_then(Value::as_str).unwrap_or("?");
            out.note(&format!("--kind {kind}: {} by {}; --kind chooses another", of("y"), of("x")));
        }
        keys.insert("kind".into(), json!(kind.name()));
    }
    if is_own && !runs.is_empty() {
        keys.entry("series").or_insert(json!(RUN));
        let given = keys.get("labels").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut labels: Map<String, Value> =
            runs.into_iter().map(|name| (name.clone(), json!(shortened(&name)))).collect();
        labels.extend(given);
        keys.insert("labels".into(), labels.into());
    }
    let rows_where = keys.get("where").and_then(Value::as_str).map(str::to_string);
    let mut figures =
        figures(&args, keys, (!is_own).then(|| of_spec(&spec)).transpose().map_err(wrong)?)?;
    let folder = Format::of(&args.out).is_err();
    if folder && (args.spec.is_none() || args.out.extension().is_some()) {
        Format::of(&args.out).map_err(wrong)?;
    }
    if !folder && figures.len() > 1 {
        let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
        let found = format!("{} ({})", args.out.display(), names.join(", "));
        let refusal = Refusal::new("--out", "a folder for several figures", found);
        return Err(wrong(refusal.advising("or choose one with --figure NAME")));
    }
    // Of several tables one may lack a value, and the column `study` is not there yet.
    if let (Some(rows), [one]) = (rows_where, tables.as_slice()) {
        let rows: Filter = rows.parse().map_err(wrong)?;
        rows.check_values(&one.table).map_err(|refusal| wrong(refusal.within("--where")))?;
    }
    // A network that did not learn its picture does not count, and is marked so, unless its figure says otherwise.
    if is_own && tables.iter().all(|one| one.table.get(FIT).is_some()) {
        figures.iter_mut().for_each(FigureSpec::mark_unfit);
    }
    let facts = Provenance::none()
        .with("command", "picloom plot")
        .with("rows", args.rows.iter().map(|p| portable(p)).collect::<Vec<_>>().join(", "));
    let (mut drawn, mut text) = (Vec::new(), String::new());
    for figure in &figures {
        if is_own {
            check_labels(figure, &tables, &spec.contrasts).map_err(wrong)?;
        }
        let drawing = draw(figure, &tables, &spec.contrasts).map_err(wrong)?;
        let path =
            if folder { args.out.join(format!("{}.svg", figure.name)) } else { args.out.clone() };
        save_drawing(&drawing, &path, args.dpi, &facts)?;
        drawing.boxes(Format::of(&path)?).into_iter().for_each(|says| out.note(&says));
        text += &format!("{}  {} × {} mm\n", path.display(), drawing.size[0], drawing.size[1]);
        if !drawing.caption.is_empty() {
            text += &format!("    {}\n", drawing.caption);
        }
        drawn.push(json!({ "path": path.to_string_lossy(), "figure": drawing }));
    }
    out.result(&drawn, &text)
}

/// The column of the names of runs in a table of their loss curves.
const RUN: &str = "run";

/// Points of a drawn curve at the most.
const MOST_POINTS: usize = 400;

/// The tables, and one of the loss curves of all runs; with the names of these. A table of the columns step and mse is a
/// loss curve if it may be one: where no option asks for its columns.
fn sources(paths: &[PathBuf], may_be_curves: bool) -> anyhow::Result<(Vec<Source>, Vec<String>)> {
    let (mut tables, mut curves) = (Vec::new(), Vec::new());
    let folders: Vec<PathBuf> = paths.iter().filter(|path| path.is_dir()).cloned().collect();
    let mut runs = names(&folders).into_iter();
    for path in paths {
        let name = |of: Option<&OsStr>| of.unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            let lines = read_metrics(path)?;
            curves.push((runs.next().expect("one a folder"), thinned(&lines, MOST_POINTS)));
            continue;
        }
        let source = read_source(path)?;
        if let Some((first, second)) = repeated(&source.table) {
            let found = format!("the same row in lines {} and {}", first + 2, second + 2);
            return Err(Refusal::new(path.display(), "each network once", found).into());
        }
        let columns = source.table.get("step").zip(source.table.get("mse"));
        let Some((steps, losses)) = columns.filter(|_| may_be_curves) else {
            tables.push(source);
            continue;
        };
        steps.ensure_numbers().and(losses.ensure_numbers()).map_err(|r| r.in_file(path))?;
        let point = |row: usize| Some((steps.number(row)?, losses.number(row)?));
        // FOLDER/losses.csv is called after its folder.
        let folder = path.parent().and_then(Path::file_name);
        let points = (0..source.table.len()).filter_map(point).collect();
        curves.push((name(folder.or(path.file_stem())), points));
    }
    let runs = curves.iter().map(|(name, _)| name.clone()).collect();
    if !curves.is_empty() {
        tables.push(Source { table: table_of_curves(curves), ..Source::default() });
    }
    Ok((tables, runs))
}

/// Two rows of a table of networks that are the same, by number: a network would count twice.
fn repeated(table: &Table) -> Option<(usize, usize)> {
    table.get("seed")?;
    let same = |a: usize, b: usize| table.columns().iter().all(|of| of.text(a) == of.text(b));
    let mut known: BTreeMap<u64, usize> = BTreeMap::new();
    (0..table.len()).find_map(|row| {
        let mut hash = DefaultHasher::new();
        table.columns().iter().for_each(|column| column.text(row).hash(&mut hash));
        let first = known.insert(hash.finish(), row)?;
        same(first, row).then_some((first, row))
    })
}

fn wrong(refusal: Refusal) -> anyhow::Error {
    Usage(refusal.to_string()).into()
}

/// The figures to draw: that of the options, or those of the spec with the options laid over them.
fn figures(
    args: &PlotArgs,
    options: Map<String, Value>,
    of_spec: Option<Vec<FigureSpec>>,
) -> anyhow::Result<Vec<FigureSpec>> {
    let own = || vec![FigureSpec::new("plot", Kind::Dots)];
    let mut all = of_spec.unwrap_or_else(own);
    let names: Vec<&str> = all.iter().map(|figure| figure.name.as_str()).collect();
    if let Some(name) = args.figure.iter().find(|name| !names.contains(&name.as_str())) {
        let expected = format!("one of {}", names.join(", "));
        return Err(wrong(Refusal::new("--figure", expected, format!("{name:?}"))));
    }
    if !args.figure.is_empty() {
        all.retain(|figure| args.figure.contains(&figure.name));
    }
    if all.is_empty() {
        let refusal = Refusal::new("--spec", "[[figures]]", "none");
        return Err(wrong(refusal.advising("add one, or give --kind")));
    }
    let of = |figure: FigureSpec| {
        let mut keys = serde_json::to_value(&figure)?;
        keys.as_object_mut().expect("a struct").extend(options.clone());
        serde_json::from_value(keys)
            .map_err(|e| Usage(format!("figure {}: {e}", figure.name)).into())
    };
    all.into_iter().map(of).collect()
}

/// The options as keys of a figure.
fn options(args: &PlotArgs) -> anyhow::Result<Map<String, Value>> {
    let given = serde_json::to_value(args.keys.given())?;
    let mut keys = given.as_object().cloned().unwrap_or_default();
    if let Some(caption) = &args.caption {
        let is_drawn = caption.parse().ok().or(caption.is_empty().then_some(true));
        keys.insert("caption".into(), is_drawn.map_or(json!(caption), |drawn: bool| json!(drawn)));
    }
    for set in &args.set {
        let (key, value) = set.split_once('=').ok_or_else(|| {
            wrong(Refusal::new("--set", "KEY=VALUE, for example outline=true", format!("{set:?}")))
        })?;
        // As in a spec; a bare word is a text.
        let value = toml::from_str::<Map<String, Value>>(&format!("value = {value}"))
            .ok()
            .and_then(|mut map| map.remove("value"))
            .unwrap_or_else(|| json!(value));
        keys.insert(key.trim().replace('-', "_"), value);
    }
    Ok(keys)
}

fn dpi(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|dpi| (10.0..=2400.0).contains(dpi));
    number.ok_or_else(|| format!("expected dots an inch from 10 to 2400, found {text:?}"))
}
