//! A figure as a spec writes it: `[[figures]]`. Its keys are declared here: options, checks and the tables of
//! `docs/PLOTS.md` are made from the declaration.

use crate::charts::Spread;
use crate::style::Colour;
use picloom_base::names::names;
use picloom_base::refusal::Refusal;
use picloom_base::settings::{Range, Settings, Value, data, of_file, settings};
use picloom_base::table::{Fewest, Filter, Measure};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

settings! {
    /// One `[[figures]]` of a spec. A key that its kind does not use is refused.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct FigureSpec: flags "Figure" with checked {
        /// Name of its files; needed in a spec.
        name as "": String = String::new();
        /// How it is drawn: dots, lines, scatter, heatmap, forest, verdicts, curves or pictures; needed in a spec.
        kind: Kind = Kind::Dots, unless: "what suits x and y";
        /// Horizontal axis: a column, `log2(column)`, `ln(column)` or `max(column,number)`, each also with a minus before
        /// it; for dots, heatmap and pictures a column of categories; of curves `curve_step` or `curve_evaluations`.
        x: Option<Measure>, value: "COLUMN";
        /// Vertical axis, written as `x` is; for heatmap and pictures the column of the rows.
        y: Option<Measure>, value: "COLUMN";
        /// The number in the cells of a heatmap, or below pictures.
        of: Option<Measure>, value: "COLUMN";
        /// Column whose values get a colour and a marker each.
        series: Option<String>, value: "COLUMN";
        /// Column whose values get a panel each.
        panel: Option<String>, value: "COLUMN";
        /// Rows that are drawn: conditions with `=` (values with `|` between them), `!=`, `>=`, `<=`, `>` or `<`, as text
        /// (`arm=sp|imp,fit=true`) or as a table (`{ arm = ["sp", "imp"], fit = true }`); `at=` means "no value".
        #[serde(default, rename = "where")]
        rows as "where": Filter = Filter::default(), value: "CONDITIONS", unless: "those at the end of training";
        /// First reduce each group to one row, as in contrasts: the least value at which enough rows hold.
        fewest as "": Option<Fewest>;
        /// Column of the independent units; `row`: every row is one.
        unit: Option<String>, value: "COLUMN", unless: "target, or seed within targets; scatter: row";
        /// Column whose values are the points of a line or scatter; x and y are averaged within each.
        by: Option<String>, value: "COLUMN", unless: "the values of x; scatter: the units";
        /// Order of values, of any column: dense,sp. Others follow.
        #[serde(default)]
        order: Vec<String> = Vec::new(), value: "VALUES", unless: "by size; arms in house order; else as in the table";
        /// Names of values and columns: sp=SP,score=score,level=2=a quarter. The key `""` shows rows without a value, which
        /// are left out otherwise.
        #[serde(default)]
        labels: BTreeMap<String, String> = BTreeMap::new(), value: "VALUE=NAME,…", unless: "house names";
        /// Colours of values, of a forest those of its bases: sp=#0072b2.
        #[serde(default)]
        colours: BTreeMap<String, Hex> = BTreeMap::new(), value: "VALUE=#RRGGBB,…", unless: "house colours";
        /// Title above the figure.
        #[serde(default)]
        title: String = String::new(), value: "TEXT";
        /// Whether sizes, seeds, judge and profile stand below the title, from `study.json`.
        #[serde(default)]
        subtitle: bool = false;
        /// Sentence about the figure, for lists and reports; not drawn.
        #[serde(default)]
        says as "": String = String::new();
        /// Facts of your own, for lists, `{ topic = "depth" }`; not drawn.
        #[serde(default)]
        tags as "": BTreeMap<String, String> = BTreeMap::new();
        /// Conditions that rows must meet to count, written as `where` is. A mark without such rows is hollow.
        #[serde(default)]
        counts: Filter = Filter::default(), value: "CONDITIONS", unless: "all rows count; plot --kind: fit=true";
        /// Column whose every value must be there: targets and seeds that lack a counting row for one are left out.
        complete: Option<String>, value: "COLUMN";
        /// Name of one more category: the mean over the others.
        #[serde(default)]
        overall: String = String::new(), value: "NAME";
        /// Whether a line joins the marks of each value of `by`.
        #[serde(default)]
        join: bool = false;
        /// Bases on which a forest draws its contrasts.
        #[serde(default)]
        bases: Vec<String> = Vec::new(), value: "BASES", unless: "those of each contrast";
        /// How a forest or heatmap averages its contrasts, mixed or student.
        mean: Option<String>, value: "HOW", unless: "as each contrast says";
        /// Title of the horizontal axis.
        x_label: Option<String>, value: "TEXT", unless: "the label of its column";
        /// Title of the vertical axis.
        y_label: Option<String>, value: "TEXT", unless: "the label of its column";
        /// Text below the figure; `true`: what marks and intervals are.
        #[serde(default)]
        caption: Caption = Caption::None, value: "TEXT", unless: "none";
        /// Width in mm, or as 8.5cm, 3.3in, column (85 mm) or page (180 mm).
        #[serde(default = "page")]
        width: Length = page(), range: SIDE, value: "LENGTH", unless: "page";
        /// Height, written as the width is.
        height: Option<Length>, range: SIDE, value: "LENGTH", unless: "as the content needs";
        /// Size of tick labels in pt; all else follows it.
        #[serde(default = "font_size")]
        font_size: f64 = font_size(), range: Range::between(3.0, 40.0), value: "PT";
        /// Panels in a row; pictures with `numbers`: pictures.
        columns: Option<usize>, range: Range::between(1.0, 50.0), value: "N", unless: "as many as are wide enough";
        /// Axes with a logarithmic scale: x, y or x,y; dots only y.
        #[serde(default)]
        log: Vec<Which> = Vec::new(), value: "AXES";
        /// Range of the horizontal axis, 0:1 or `[0, 1]`; what lies outside is cut.
        x_range: Option<[f64; 2]>, value: "LOW:HIGH", unless: "that of the data";
        /// Range of the vertical axis.
        y_range: Option<[f64; 2]>, value: "LOW:HIGH", unless: "that of the data";
        /// Range of the colours of a heatmap.
        range: Option<[f64; 2]>, value: "LOW:HIGH", unless: "that of the data";
        /// Dashed lines at these values of y.
        #[serde(default, deserialize_with = "of_file")]
        reference: Vec<f64> = Vec::new(), value: "NUMBERS";
        /// How the interval is drawn: band, whiskers or none.
        interval: Option<Spread>, value: "HOW", unless: "lines: band; others: whiskers";
        /// Whether every unit is drawn beside the mean, as a small dot or thin line.
        units: Option<bool>, unless: "dots alone";
        /// Units that an interval needs; networks or units below which a cell of a heatmap is hatched.
        least: Option<usize>, value: "N", unless: "3; heatmap: 1";
        /// Whether the categories of dots run down, for long names.
        #[serde(default)]
        horizontal: bool = false;
        /// Whether the name of each mark of a scatter stands beside it.
        #[serde(default)]
        names: bool = false;
        /// Whether a scatter has the line y = x.
        #[serde(default)]
        diagonal: bool = false;
        /// A share from 0 to 1, drawn as a bar in each cell of a heatmap: fit.
        bar: Option<Measure>, value: "COLUMN";
        /// Whether the highest cell of each heatmap is outlined; with `bar` the highest value times bar.
        #[serde(default)]
        outline: bool = false;
        /// Whether a heatmap is red below 0, white at 0, blue above.
        signed: Option<bool>, unless: "with contrasts";
        /// Digits after the point.
        decimals: Option<usize>, range: Range::between(0.0, 6.0), value: "N", unless: "2";
        /// Ids of the spec's contrasts, in order; in a heatmap the one of each cell, on its first basis and groups.
        #[serde(default)]
        contrasts: Vec<String> = Vec::new(), value: "IDS", unless: "forest: all";
        /// Column with paths of PNG files, or a path with columns in braces (`views/{target}-target.png`), relative to the
        /// table.
        picture: Option<String>, value: "COLUMN";
        /// Groups whose mean of `of` stands below each picture; then x is the column of the pictures.
        #[serde(default)]
        numbers as "": Vec<Group> = Vec::new();
        /// Paths of pictures row by row, `[["a.png", "b.png"]]`; `""` leaves a place free.
        #[serde(default)]
        files as "": Vec<Vec<String>> = Vec::new();
        /// Names of the rows of `files`.
        #[serde(default)]
        row_labels as "": Vec<String> = Vec::new();
        /// Studies whose tables are drawn; the column `study` tells their rows apart.
        #[serde(default)]
        tables as "": Vec<String> = Vec::new(), unless: "its own; forest: those of its first contrast";
        /// Formats that `picloom experiment figures` writes: svg, png, pdf.
        #[serde(default)]
        formats as "": Vec<String> = Vec::new(), unless: "svg";
        /// Names of the columns of `files`.
        #[serde(default)]
        column_labels as "": Vec<String> = Vec::new();
    }
}

/// Sides of a figure in mm.
const SIDE: Range = Range::between(20.0, 2000.0);
/// Width of a printed page's text in mm, about.
const PAGE: f64 = 180.0;
/// Width of one of its two columns in mm, about.
const COLUMN: f64 = 85.0;

fn page() -> Length {
    Length(PAGE)
}

/// A length in mm; as text `85`, `85mm`, `8.5cm`, `3.3in`, `column` or `page`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Length(pub f64);

impl Value for Length {
    fn python() -> String {
        "float | str".into()
    }

    fn range(range: &Range) -> String {
        f64::range(range)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let named = [("column", COLUMN), ("page", PAGE)].into_iter();
        let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4), ("", 1.0)].into_iter();
        let measured = |(unit, mm)| {
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            number.is_finite().then_some(number * mm)
        };
        let found = named.clone().find(|(name, _)| *name == text).map(|(_, mm)| mm);
        found.or_else(|| units.clone().find_map(measured)).map(Length).ok_or_else(|| {
            format!(
                "expected a length, for example 85, 85mm, 8.5cm, 3.3in, column or page, found {text:?}"
            )
        })
    }

    fn toml(&self) -> Option<toml::Value> {
        self.0.toml()
    }

    fn text(&self) -> Option<String> {
        Some(format!("{} mm", self.0))
    }

    fn outside(&self, range: &Range) -> Option<String> {
        self.0.outside(range)
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        of_file(from)
    }
}

fn font_size() -> f64 {
    8.0
}

/// Rows that a figure gives one number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name.
    pub label: String,
    /// Its rows.
    #[serde(rename = "where")]
    pub rows: Filter,
    /// Its colour, `#rrggbb`.
    pub colour: Option<Hex>,
}

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Kind {
    /// Categories: a dot for each unit, the mean and its interval.
    Dots,
    /// Means along a number, with a band or whiskers.
    Lines,
    /// A dot for each network, unit or group, two numbers each.
    Scatter,
    /// Cells with the mean of a number, or with the estimate of a contrast.
    Heatmap,
    /// Contrasts with their intervals, the margin shaded.
    Forest,
    /// Contrasts of several numbers: a row a number, a column a contrast.
    Verdicts,
    /// Loss curves of training.
    Curves,
    /// Pictures in rows and columns.
    Pictures,
}

/// The unit that is every row.
pub(super) const ROW: &str = "row";

impl FigureSpec {
    /// Counts only networks that learned their picture, where it does not say itself which count.
    pub fn mark_unfit(&mut self) {
        let measures = [&self.x, &self.y, &self.of].into_iter().flatten().map(Measure::column);
        let asks = self.rows.columns().chain(measures).any(|column| column == "fit");
        if !asks && self.counts.is_empty() && self.kind.keys().any(|key| key == "counts") {
            self.counts = self.counts.and("fit", "true");
        }
    }
}

/// Keys that every kind uses.
const ALWAYS: &str = "name kind where labels title subtitle says tags caption width height font_size \
    tables formats";

names! {
    Kind, "kind": Dots "dots", Lines "lines", Scatter "scatter", Heatmap "heatmap", Forest "forest",
    Verdicts "verdicts", Curves "curves", Pictures "pictures"
}

impl Kind {
    /// The keys that a figure of the kind may have.
    pub fn keys(self) -> impl Iterator<Item = &'static str> {
        let own = match self {
            Kind::Dots => {
                "x y series panel unit order colours x_label y_label columns log y_range \
                 reference interval units least horizontal counts complete fewest overall"
            }
            Kind::Lines => {
                "x y series panel unit by order colours x_label y_label columns log x_range \
                 y_range reference interval units least counts complete fewest"
            }
            Kind::Scatter => {
                "x y series panel unit by order colours x_label y_label columns log x_range \
                 y_range reference interval least names diagonal counts complete fewest join"
            }
            Kind::Heatmap => {
                "x y of panel unit order x_label y_label columns range least bar outline mean \
                 counts signed decimals contrasts"
            }
            Kind::Forest => "contrasts bases mean units colours x_label x_range decimals columns",
            Kind::Verdicts => "contrasts x_label y_label range decimals",
            Kind::Curves => {
                "x series panel order colours x_label y_label columns log x_range y_range units"
            }
            Kind::Pictures => {
                "x y picture files row_labels column_labels order of numbers counts columns \
                 decimals"
            }
        };
        ALWAYS.split_whitespace().chain(own.split_whitespace())
    }
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub(crate) enum Which {
    X,
    Y,
}

/// A colour, `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hex(pub Colour);

impl FromStr for Hex {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii());
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, r, g, b] = number
            .ok_or_else(|| Refusal::new("colours", "a colour like #0072b2", format!("{text:?}")))?
            .to_be_bytes();
        Ok(Hex(Colour(r, g, b)))
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.hex())
    }
}

/// Lets a type that is read from and written as text stand in a spec.
macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl TryFrom<String> for $type {
            type Error = Refusal;

            fn try_from(text: String) -> Result<Self, Refusal> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    )*};
}

as_text!(Kind, Hex);
data! {
    Hex, "str";
    Which, "str";
    Spread, "str";
    Caption, "bool | str";
    Group, "dict";
}

/// The text below a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "YesOrText", into = "YesOrText")]
pub(crate) enum Caption {
    /// Nothing: it belongs into the paper.
    #[default]
    None,
    /// An explanation of the marks and intervals, and of the rows left out.
    Own,
    /// This.
    Text(String),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum YesOrText {
    Yes(bool),
    Text(String),
}

impl From<YesOrText> for Caption {
    fn from(written: YesOrText) -> Self {
        match written {
            YesOrText::Yes(true) => Caption::Own,
            YesOrText::Yes(false) => Caption::None,
            YesOrText::Text(text) => Caption::Text(text),
        }
    }
}

impl From<Caption> for YesOrText {
    fn from(caption: Caption) -> Self {
        match caption {
            Caption::None => YesOrText::Yes(false),
            Caption::Own => YesOrText::Yes(true),
            Caption::Text(text) => YesOrText::Text(text),
        }
    }
}

impl FigureSpec {
    /// A figure with every default.
    pub fn new(name: &str, kind: Kind) -> Self {
        FigureSpec { name: name.into(), kind, ..FigureSpec::default() }
    }

    /// The keys that every kind has.
    pub fn always() -> impl Iterator<Item = &'static str> {
        ALWAYS.split_whitespace()
    }

    /// The columns that it shows, each with the key that names it.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let measures = [("x", &self.x), ("y", &self.y), ("of", &self.of), ("bar", &self.bar)];
        let measures =
            measures.into_iter().filter_map(|(key, of)| Some((key, of.as_ref()?.column())));
        let names = [
            ("series", &self.series),
            ("panel", &self.panel),
            ("by", &self.by),
            ("unit", &self.unit),
            ("picture", &self.picture),
            ("complete", &self.complete),
        ];
        let names = names.into_iter().filter_map(|(key, name)| Some((key, name.as_deref()?)));
        // A path with columns in braces names several.
        let is_column = |(key, name): &(&str, &str)| *key != "picture" || !name.contains('{');
        names.filter(is_column).chain(measures)
    }

    /// The columns that it reads, each with the key that names it. Empty with `fewest`, which makes another table first.
    pub fn columns(&self) -> Vec<(&'static str, &str)> {
        if self.fewest.is_some() {
            return Vec::new();
        }
        let filters = [("where", &self.rows), ("counts", &self.counts)];
        let filters =
            filters.into_iter().flat_map(|(key, rows)| rows.columns().map(move |name| (key, name)));
        self.shown().chain(filters).filter(|(_, name)| *name != ROW).collect()
    }

    /// Refuses what cannot be drawn, whatever the table.
    ///
    /// # Errors
    /// A key is missing, is not one of its kind, or has a value outside its range.
    pub fn check(&self) -> Result<(), Refusal> {
        self.check_ranges().map_err(|refusal| refusal.within(format!("figure {}", self.name)))
    }

    fn checked(&self) -> Result<(), Refusal> {
        let safe = |c: char| c.is_alphanumeric() || "-_.+ ".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(safe) {
            let expected = "a file name of letters, digits and - _ . +";
            return Err(Refusal::new("name", expected, format!("{:?}", self.name)));
        }
        let keys = |spec: &FigureSpec| serde_json::to_value(spec).expect("plain data");
        let (own, default) = (keys(self), keys(&FigureSpec::new(&self.name, self.kind)));
        for (key, value) in own.as_object().expect("a struct") {
            if default[key] != *value && !self.kind.keys().any(|known| known == key) {
                let keys: Vec<&str> = self.kind.keys().collect();
                let expected = format!("keys of kind {}: {}", self.kind, keys.join(", "));
                return Err(Refusal::new(key, expected, format!("{key:?}")));
            }
        }
        let needs = |key: &str, given: bool, example: &str| match given {
            true => Ok(()),
            false => Err(Refusal::new(key, format!("a value, for example {example}"), "none")),
        };
        match self.kind {
            Kind::Dots => {
                needs("x", self.x.is_some(), "x = \"arm\"")?;
                needs("y", self.y.is_some(), "y = \"score\"")?;
            }
            Kind::Lines | Kind::Scatter => {
                needs("x", self.x.is_some(), "x = \"alive\"")?;
                needs("y", self.y.is_some(), "y = \"score\"")?;
            }
            Kind::Heatmap => {
                needs("x", self.x.is_some(), "x = \"layers\"")?;
                needs("y", self.y.is_some(), "y = \"level\"")?;
                let value = self.of.is_some() != (self.contrasts.len() == 1);
                needs("of", value, "of = \"score\", or contrasts = [\"which-links\"] instead")?;
            }
            Kind::Forest | Kind::Verdicts | Kind::Curves => {}
            Kind::Pictures => {
                let value = self.picture.is_some() == self.files.is_empty();
                needs("picture", value, "picture = \"file\", or files = [[\"a.png\"]] instead")?;
                let alone = self.numbers.is_empty() || self.picture.is_some() && self.y.is_none();
                let found = "files, or y";
                Refusal::unless(alone, "numbers", "numbers with picture and x", found)?;
                needs("x", self.numbers.is_empty() || self.x.is_some(), "x = \"target\"")?;
            }
        }
        for (key, range) in
            [("x_range", self.x_range), ("y_range", self.y_range), ("range", self.range)]
        {
            if range.is_some_and(|[low, high]| !(low.is_finite() && high.is_finite() && low < high))
            {
                let expected = "two numbers, the lower first";
                return Err(Refusal::new(
                    key,
                    expected,
                    format!("{:?}", range.unwrap_or_default()),
                ));
            }
        }
        for form in &self.formats {
            let known = ["svg", "png", "pdf"].contains(&form.as_str());
            Refusal::unless(known, "formats", "svg, png or pdf", format!("{form:?}"))?;
        }
        if let Some(number) = self.reference.iter().find(|n| !n.is_finite()) {
            return Err(Refusal::new("reference", "finite numbers", number.to_string()));
        }
        Ok(())
    }
}
