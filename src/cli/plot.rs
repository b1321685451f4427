//! `picloom plot`: a figure of any table of results. Builds the same spec as `[[figures]]`, draws it and writes it.

use super::output::Output;
use super::settings::Laid;
use super::source::Usage;
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::figures::Provenance;
use crate::figures::plot::{FigureSpec, Format, Kind, Source, check_labels, draw, save_drawing};
use crate::study::analysis::Analysis;
use crate::study::spec::read_analysis;
use crate::study::table::{Filter, Measure, Table};
use clap::Args;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Every key, its unit and default: docs/PLOTS.md.")]
pub(super) struct PlotArgs {
    /// Tables of results, CSV, packed or not; several are put one under the other, with a column `study`
    #[arg(required = true, value_name = "ROWS")]
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
    #[command(flatten)]
    keys: KeyArgs,
}

/// The keys of a figure as options.
#[derive(Args)]
pub(super) struct KeyArgs {
    /// Write this below the figure; without a text: what the marks and intervals are
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    caption: Option<String>,
    #[command(flatten)]
    keys: Laid<FigureSpec>,
    /// Resolution of a PNG in dots an inch
    #[arg(long, default_value_t = 300.0, value_parser = dpi)]
    pub dpi: f64,
}

impl KeyArgs {
    /// The keys that were given.
    pub(super) fn keys(&self) -> anyhow::Result<Map<String, Value>> {
        let given = serde_json::to_value(self.keys.given())?;
        let mut keys = given.as_object().cloned().unwrap_or_default();
        if let Some(caption) = &self.caption {
            let caption = if caption.is_empty() { json!(true) } else { json!(caption) };
            keys.insert("caption".into(), caption);
        }
        Ok(keys)
    }
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
    let is_own = args.spec.is_none() || args.keys.keys.has("kind");
    if !keys.contains_key("kind") && args.spec.is_none() {
        let kind = usual_kind(&keys, &Source::read(&args.rows[0])?.table);
        if kind == Kind::Dots {
            for (axis, column) in [("x", "arm"), ("y", "score")] {
                keys.entry(axis).or_insert(json!(column));
            }
        }
        let of = |axis: &str| keys.get(axis).and_then(Value::as_str).unwrap_or("?");
        out.note(&format!("--kind {kind}: {} by {}; --kind chooses another", of("y"), of("x")));
        keys.insert("kind".into(), json!(kind.name()));
    }
    let rows_where = keys.get("where").and_then(Value::as_str).map(str::to_string);
    let mut figures = figures(&args, keys, (!is_own).then(|| of_spec(&spec)).transpose()?)?;
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
    let mut tables = Vec::new();
    for path in &args.rows {
        tables.push(Source::read(path)?);
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
        save_drawing(&drawing, &path, args.keys.dpi, &facts)?;
        drawing.boxes(Format::of(&path)?).into_iter().for_each(|says| out.note(&says));
        text += &format!("{}  {} × {} mm\n", path.display(), drawing.size[0], drawing.size[1]);
        if !drawing.caption.is_empty() {
            text += &format!("    {}\n", drawing.caption);
        }
        drawn.push(json!({ "path": path.to_string_lossy(), "figure": drawing }));
    }
    out.result(&drawn, &text)
}

/// The figures of a spec, each laid over the spec's `figure_defaults`.
pub(super) fn of_spec(spec: &Analysis) -> anyhow::Result<Vec<Map<String, Value>>> {
    let figure = |own: &toml::Table| {
        let mut laid = spec.figure_defaults.clone();
        laid.extend(own.clone());
        serde_json::to_value(laid).map(|value| value.as_object().cloned().unwrap_or_default())
    };
    Ok(spec.figures.iter().map(figure).collect::<Result<_, _>>()?)
}

fn wrong(refusal: Refusal) -> anyhow::Error {
    Usage(refusal.to_string()).into()
}

/// The figures to draw: that of the options, or those of the spec with the options laid over them.
fn figures(
    args: &PlotArgs,
    options: Map<String, Value>,
    of_spec: Option<Vec<Map<String, Value>>>,
) -> anyhow::Result<Vec<FigureSpec>> {
    let own = || vec![Map::from_iter([("name".to_string(), json!("plot"))])];
    let mut all = of_spec.unwrap_or_else(own);
    let names: Vec<String> =
        all.iter().filter_map(|figure| Some(figure.get("name")?.as_str()?.to_string())).collect();
    if let Some(name) = args.figure.iter().find(|name| !names.contains(name)) {
        let expected = format!("one of {}", names.join(", "));
        return Err(wrong(Refusal::new("--figure", expected, format!("{name:?}"))));
    }
    if !args.figure.is_empty() {
        all.retain(|figure| args.figure.iter().any(|name| figure["name"] == **name));
    }
    if all.is_empty() {
        let refusal = Refusal::new("--spec", "[[figures]]", "none");
        return Err(wrong(refusal.advising("add one, or give --kind")));
    }
    let of = |mut figure: Map<String, Value>| {
        let name = figure.get("name").and_then(Value::as_str).unwrap_or("plot").to_string();
        figure.extend(options.clone());
        serde_json::from_value(Value::Object(figure))
            .map_err(|e| Usage(format!("figure {name}: {e}")).into())
    };
    all.into_iter().map(of).collect()
}

/// The options as keys of a figure.
fn options(args: &PlotArgs) -> anyhow::Result<Map<String, Value>> {
    let mut keys = args.keys.keys()?;
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
