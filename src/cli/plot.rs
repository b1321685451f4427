//! `picloom plot`: a figure of any table of results. Builds the same spec as `[[figures]]`, draws it and writes it.

use super::output::Output;
use super::source::Usage;
use crate::base::refusal::Refusal;
use crate::base::text::portable;
use crate::figures::Provenance;
use crate::figures::plot::{
    FigureSpec, Format, Kind, Source, check_labels, draw, length_of, save_drawing,
};
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
    /// dots, lines, scatter, heatmap, forest, verdicts, curves or pictures [default: what suits x and y]
    #[arg(long)]
    kind: Option<String>,
    /// Horizontal axis: a column, log2(column), ln(column) or max(column,number)
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,
    /// Vertical axis
    #[arg(long, value_name = "COLUMN")]
    y: Option<String>,
    /// The number in the cells of a heatmap
    #[arg(long, value_name = "COLUMN")]
    of: Option<String>,
    /// Column whose values get a colour each
    #[arg(long, value_name = "COLUMN")]
    series: Option<String>,
    /// Column whose values get a panel each
    #[arg(long, value_name = "COLUMN")]
    panel: Option<String>,
    /// Rows that are drawn, e.g. arm=sp|imp,fit=true [default: those at the end of training]
    #[arg(long = "where", value_name = "CONDITIONS")]
    rows_where: Option<String>,
    /// Column of the independent units; `row`: every row [default: target; scatter: row]
    #[arg(long, value_name = "COLUMN")]
    unit: Option<String>,
    /// Column whose values are the points of a line or scatter [default: the values of x; the units]
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Panels in a row [default: as many as are wide enough]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,
    /// Dashed lines at these values of y, e.g. 0
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    reference: Vec<f64>,
    /// band, whiskers or none
    #[arg(long, value_name = "HOW")]
    interval: Option<String>,
    /// Run the categories of dots down, for long names
    #[arg(long)]
    horizontal: bool,
    /// Contrasts of --spec to draw in a forest, or the one of a heatmap [default: all]
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    contrasts: Vec<String>,
    /// Column with the paths of pictures, relative to the table
    #[arg(long, value_name = "COLUMN")]
    picture: Option<String>,
    /// Any other key of docs/PLOTS.md, as in a spec: --set outline=true
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A spec: its [[contrasts]], and its [[figures]] unless --kind is given
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// Figures of --spec to draw [default: all]; options override their keys
    #[arg(long, value_name = "NAME", requires = "spec", conflicts_with = "kind")]
    figure: Vec<String>,
    #[command(flatten)]
    look: LookArgs,
}

/// How a figure looks: size, words, colours.
#[derive(Args)]
#[command(next_help_heading = "The look")]
pub(super) struct LookArgs {
    /// Order of values, e.g. dense,sp,imp
    #[arg(long, value_name = "VALUES", value_delimiter = ',')]
    order: Vec<String>,
    /// Names of values and columns, e.g. sp=SP,score=score,level=2=a quarter
    #[arg(long, value_name = "VALUE=NAME,…")]
    labels: Vec<String>,
    /// Colours of values, e.g. sp=#0072b2
    #[arg(long, value_name = "VALUE=#RRGGBB,…")]
    colours: Vec<String>,
    /// Title above the figure [default: none]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Title of the horizontal axis [default: the name of its column]
    #[arg(long, value_name = "TEXT")]
    x_label: Option<String>,
    /// Title of the vertical axis
    #[arg(long, value_name = "TEXT")]
    y_label: Option<String>,
    /// Write this below the figure; without a text: what the marks and intervals are
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    caption: Option<String>,
    /// Width in mm, or as 8.5cm, 3.3in, column (85 mm) or page (180 mm) [default: page]
    #[arg(long, value_name = "LENGTH", value_parser = length_of)]
    width: Option<f64>,
    /// Height, written as the width is [default: as the content needs]
    #[arg(long, value_name = "LENGTH", value_parser = length_of)]
    height: Option<f64>,
    /// Size of the smallest text in pt [default: 8]
    #[arg(long, value_name = "PT", value_parser = pt)]
    font_size: Option<f64>,
    /// Axes with a logarithmic scale: x, y or x,y
    #[arg(long, value_name = "AXES", value_delimiter = ',')]
    log: Vec<String>,
    /// Range of the horizontal axis, e.g. 0:1
    #[arg(long, value_name = "LOW:HIGH", value_parser = range)]
    x_range: Option<Value>,
    /// Range of the vertical axis
    #[arg(long, value_name = "LOW:HIGH", value_parser = range)]
    y_range: Option<Value>,
    /// Resolution of a PNG in dots an inch
    #[arg(long, default_value_t = 300.0, value_parser = dpi)]
    pub dpi: f64,
}

impl LookArgs {
    /// The options as keys of a figure.
    pub(super) fn keys(&self) -> anyhow::Result<Map<String, Value>> {
        let mut keys = Map::new();
        let texts =
            [("title", &self.title), ("x_label", &self.x_label), ("y_label", &self.y_label)];
        keys.extend(
            texts.into_iter().filter_map(|(key, v)| Some((key.into(), json!(v.as_ref()?)))),
        );
        let numbers =
            [("width", self.width), ("height", self.height), ("font_size", self.font_size)];
        keys.extend(numbers.into_iter().filter_map(|(key, v)| Some((key.into(), json!(v?)))));
        for (key, list) in [("order", &self.order), ("log", &self.log)] {
            if !list.is_empty() {
                keys.insert(key.into(), json!(list));
            }
        }
        for (key, range) in [("x_range", &self.x_range), ("y_range", &self.y_range)] {
            keys.extend(range.iter().map(|range| (key.into(), range.clone())));
        }
        for (key, pairs) in [("labels", &self.labels), ("colours", &self.colours)] {
            if !pairs.is_empty() {
                keys.insert(key.into(), Value::Object(named(key, &pairs.join(","))?));
            }
        }
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
fn usual_kind(args: &PlotArgs, table: &Table) -> Kind {
    let is_number = |name: &String| {
        let of = name.parse::<Measure>().map_err(|_| ());
        let column = of.as_ref().ok().and_then(|of| table.get(of.column()));
        column.is_none_or(|column| (0..table.len()).any(|row| column.number(row).is_some()))
    };
    match (&args.picture, &args.of, &args.x) {
        (Some(_), ..) => Kind::Pictures,
        (None, Some(_), _) => Kind::Heatmap,
        (None, None, Some(x)) if is_number(x) && args.series.is_some() => Kind::Lines,
        (None, None, Some(x)) if is_number(x) => Kind::Scatter,
        _ => Kind::Dots,
    }
}

pub(super) fn run(mut args: PlotArgs, out: &Output) -> anyhow::Result<()> {
    let spec = args.spec.as_deref().map(read_analysis).transpose()?.unwrap_or_default();
    if args.kind.is_none() && args.spec.is_none() {
        let kind = usual_kind(&args, &Source::read(&args.rows[0])?.table);
        if kind == Kind::Dots {
            args.x.get_or_insert("arm".into());
            args.y.get_or_insert("score".into());
        }
        let of = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".into());
        out.note(&format!(
            "--kind {kind}: {} by {}; --kind chooses another",
            of(&args.y),
            of(&args.x)
        ));
        args.kind = Some(kind.to_string());
    }
    let mut figures = figures(&args, of_spec(&spec)?)?;
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
    if let (Some(rows), [one]) = (&args.rows_where, tables.as_slice()) {
        let rows: Filter = rows.parse().map_err(wrong)?;
        rows.check_values(&one.table).map_err(|refusal| wrong(refusal.within("--where")))?;
    }
    // A network that did not learn its picture does not count, and is marked so, unless its figure says otherwise.
    if args.kind.is_some() && tables.iter().all(|one| one.table.get(FIT).is_some()) {
        figures.iter_mut().for_each(FigureSpec::mark_unfit);
    }
    let facts = Provenance::none()
        .with("command", "picloom plot")
        .with("rows", args.rows.iter().map(|p| portable(p)).collect::<Vec<_>>().join(", "));
    let (mut drawn, mut text) = (Vec::new(), String::new());
    for figure in &figures {
        if args.kind.is_some() {
            check_labels(figure, &tables, &spec.contrasts).map_err(wrong)?;
        }
        let drawing = draw(figure, &tables, &spec.contrasts).map_err(wrong)?;
        let path =
            if folder { args.out.join(format!("{}.svg", figure.name)) } else { args.out.clone() };
        save_drawing(&drawing, &path, args.look.dpi, &facts)?;
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
fn figures(args: &PlotArgs, of_spec: Vec<Map<String, Value>>) -> anyhow::Result<Vec<FigureSpec>> {
    let options = options(args)?;
    let mut all = match args.kind {
        Some(_) => vec![Map::from_iter([("name".to_string(), json!("plot"))])],
        None => of_spec,
    };
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
    let texts = [
        ("kind", &args.kind),
        ("x", &args.x),
        ("y", &args.y),
        ("of", &args.of),
        ("series", &args.series),
        ("panel", &args.panel),
        ("where", &args.rows_where),
        ("unit", &args.unit),
        ("by", &args.by),
        ("interval", &args.interval),
        ("picture", &args.picture),
    ];
    let mut keys = args.look.keys()?;
    keys.extend(texts.into_iter().filter_map(|(key, v)| Some((key.into(), json!(v.as_ref()?)))));
    if !args.contrasts.is_empty() {
        keys.insert("contrasts".into(), json!(args.contrasts));
    }
    keys.extend(args.columns.map(|columns| ("columns".into(), json!(columns))));
    if !args.reference.is_empty() {
        keys.insert("reference".into(), json!(args.reference));
    }
    if args.horizontal {
        keys.insert("horizontal".into(), json!(true));
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

/// `sp=SP,imp=IMP`; a part without `=` belongs to the name before it, and the last `=` parts value and name.
fn named(key: &str, text: &str) -> anyhow::Result<Map<String, Value>> {
    let mut parts: Vec<String> = Vec::new();
    for part in text.split(',') {
        match parts.last_mut() {
            Some(last) if !part.contains('=') => *last = format!("{last},{part}"),
            _ => parts.push(part.to_string()),
        }
    }
    let pair = |part: String| match part.rsplit_once('=') {
        Some((value, name)) => Ok((value.trim().to_string(), json!(name.trim()))),
        None => Err(wrong(Refusal::new(
            format!("--{key}"),
            "VALUE=NAME, for example sp=SP",
            format!("{part:?}"),
        ))),
    };
    parts.into_iter().map(pair).collect()
}

fn pt(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches("pt").trim().parse().ok();
    number.ok_or_else(|| format!("expected a number of pt, found {text:?}"))
}

fn dpi(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|dpi| (10.0..=2400.0).contains(dpi));
    number.ok_or_else(|| format!("expected dots an inch from 10 to 2400, found {text:?}"))
}

fn range(text: &str) -> Result<Value, String> {
    let ends: Option<Vec<f64>> = text.split(':').map(|end| end.trim().parse().ok()).collect();
    match ends.as_deref() {
        Some([low, high]) => Ok(json!([low, high])),
        _ => Err(format!("expected LOW:HIGH, for example 0:1, found {text:?}")),
    }
}
