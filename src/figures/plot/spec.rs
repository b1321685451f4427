//! A figure as a spec writes it: `[[figures]]`. What each key means stands in `docs/PLOTS.md`.

use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::figures::charts::Spread;
use crate::figures::style::Colour;
use crate::study::contrast::{Basis, Mean};
use crate::study::table::{Fewest, Filter, Measure};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// One `[[figures]]` of a spec. A key that its kind does not use is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Name of its files.
    pub name: String,
    /// How it is drawn.
    pub kind: Kind,
    /// Horizontal axis: a number, or the column of the categories (dots, heatmap, pictures).
    pub x: Option<Measure>,
    /// Vertical axis: a number, or the column of the rows (heatmap, pictures).
    pub y: Option<Measure>,
    /// The number in the cells of a heatmap.
    pub of: Option<Measure>,
    /// Column whose values get a colour each.
    pub series: Option<String>,
    /// Column whose values get a panel each.
    pub panel: Option<String>,
    /// Rows that are drawn. Default: those at the end of training.
    #[serde(default, rename = "where")]
    pub rows: Filter,
    /// The rows are put together before they are drawn: of each group the least value at which enough rows hold. Default:
    /// they are drawn as they are.
    pub fewest: Option<Fewest>,
    /// Column of the independent units; `row`: every row is one. Default: `target`; scatter: `row`.
    pub unit: Option<String>,
    /// Column whose values are the points of a line or of a scatter. Default: the values of `x`; scatter: the units.
    pub by: Option<String>,
    /// Order of values, for every column of the figure. Default: by size, then the house order of arms.
    #[serde(default)]
    pub order: Vec<String>,
    /// Name of a value or a column: `sp = "SP"`, `"level=2" = "a quarter"`, `score = "score"`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Colour of a value, `#rrggbb`.
    #[serde(default)]
    pub colours: BTreeMap<String, Hex>,
    /// Written above. Default: nothing.
    #[serde(default)]
    pub title: String,
    /// Whether pixels, steps, seeds, judge and profile of the study stand below the title. Default: no.
    #[serde(default)]
    pub subtitle: bool,
    /// Description of the figure, in a sentence, for lists and reports. It is not drawn.
    #[serde(default)]
    pub says: String,
    /// Facts of your own about the figure, for lists. They are not drawn.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// Conditions that rows must meet to count. A mark without such a row is hollow. Default: all rows count.
    #[serde(default)]
    pub counts: Filter,
    /// Column whose every value a network must have: targets and seeds that lack one are left out.
    pub complete: Option<String>,
    /// Name of one more category: the mean over the others. Default: none.
    #[serde(default)]
    pub overall: String,
    /// Whether a line joins the marks of each value of `by`. Default: no.
    #[serde(default)]
    pub join: bool,
    /// Bases on which a forest draws its contrasts. Default: those of each contrast.
    #[serde(default)]
    pub bases: Vec<Basis>,
    /// How a forest or heatmap averages its contrasts. Default: as each contrast says.
    pub mean: Option<Mean>,
    /// Title of the horizontal axis. Default: the label of its column.
    pub x_label: Option<String>,
    /// Title of the vertical axis. Default: the label of its column.
    pub y_label: Option<String>,
    /// Text below. Default: nothing; `true`: an explanation of the marks.
    #[serde(default)]
    pub caption: Caption,
    /// Width in mm, or as text: `"85mm"`, `"8.5cm"`, `"3.3in"`, `"column"` (85 mm), `"page"` (180 mm). Default: 180.
    #[serde(default = "width", deserialize_with = "length")]
    pub width: f64,
    /// Height, written as `width` is. Default: as the content needs.
    #[serde(default, deserialize_with = "some_length")]
    pub height: Option<f64>,
    /// Size of the smallest text in pt. Default: 8.
    #[serde(default = "font_size")]
    pub font_size: f64,
    /// Panels in a row. Default: as many as are wide enough.
    pub columns: Option<usize>,
    /// Axes with a logarithmic scale: `["x", "y"]`.
    #[serde(default)]
    pub log: Vec<Which>,
    /// Range of the horizontal axis. Default: that of the data.
    pub x_range: Option<[f64; 2]>,
    /// Range of the vertical axis. Default: that of the data.
    pub y_range: Option<[f64; 2]>,
    /// Range of the colours of a heatmap. Default: that of the data.
    pub range: Option<[f64; 2]>,
    /// Dashed lines at these values of `y`.
    #[serde(default)]
    pub reference: Numbers,
    /// How the interval is drawn. Default: lines `band`, dots and scatter `whiskers`.
    pub interval: Option<Spread>,
    /// Whether every unit is drawn beside the mean. Default: dots yes, lines and forest no.
    pub units: Option<bool>,
    /// Dots, lines, scatter: units that an interval needs (default 3). Heatmap: networks below which a cell is
    /// hatched (default 1).
    pub least: Option<usize>,
    /// Whether the categories of dots run down, for long names. Default: no.
    #[serde(default)]
    pub horizontal: bool,
    /// Whether the points of a scatter are named after `by` or `unit`. Default: no.
    #[serde(default)]
    pub names: bool,
    /// Whether a scatter has the line y = x. Default: no.
    #[serde(default)]
    pub diagonal: bool,
    /// A share from 0 to 1, drawn as a bar in each cell of a heatmap: `fit`.
    pub bar: Option<Measure>,
    /// Whether the highest cell of each heatmap is outlined; with `bar`: the highest value times bar. Default: no.
    #[serde(default)]
    pub outline: bool,
    /// Whether a heatmap is red below 0 and blue above. Default: no; yes with `contrasts`.
    pub signed: Option<bool>,
    /// Decimals of the numbers that are written. Default: 2.
    pub decimals: Option<usize>,
    /// Ids of the contrasts of a forest, in order (default: all); of a heatmap: the one evaluated in each cell.
    #[serde(default)]
    pub contrasts: Vec<String>,
    /// Column with the paths of the pictures, relative to the table, or a path with names of columns:
    /// `views/{target}-target.png`.
    pub picture: Option<String>,
    /// Numbers below each picture: the mean of `of` over the rows of these groups that count.
    #[serde(default)]
    pub numbers: Vec<Group>,
    /// Paths of pictures, row by row, relative to the table.
    #[serde(default)]
    pub files: Vec<Vec<String>>,
    /// Labels of the rows of `files`.
    #[serde(default)]
    pub row_labels: Vec<String>,
    /// Studies whose tables are drawn, by name; the column `study` tells their rows apart. Default: the spec's own; of a
    /// forest those that its first contrast reads.
    #[serde(default)]
    pub tables: Vec<String>,
    /// Forms that `picloom experiment figures` writes: svg, png, pdf. Default: svg.
    #[serde(default)]
    pub formats: Vec<String>,
    /// Labels of the columns of `files`.
    #[serde(default)]
    pub column_labels: Vec<String>,
}

fn width() -> f64 {
    PAGE
}

/// Width of a printed page's text in mm, about.
const PAGE: f64 = 180.0;
/// Width of one of its two columns in mm, about.
const COLUMN: f64 = 85.0;

/// A length in mm: `85`, `85mm`, `8.5cm`, `3.3in`, `column` or `page`.
///
/// # Errors
/// If the text is no length: what was expected and what was found.
pub fn length_of(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let named = [("column", COLUMN), ("page", PAGE)].into_iter().find(|(name, _)| *name == text);
    if let Some((_, mm)) = named {
        return Ok(mm);
    }
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4), ("", 1.0)];
    let found = units.into_iter().find_map(|(unit, mm)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        number.is_finite().then_some(number * mm)
    });
    found.ok_or_else(|| {
        format!(
            "expected a length, for example 85, 85mm, 8.5cm, 3.3in, column or page, found {text:?}"
        )
    })
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number of mm, or a text like \"85mm\" or \"column\"")]
enum Length {
    Mm(f64),
    Text(String),
}

impl Length {
    fn mm(self) -> Result<f64, String> {
        match self {
            Length::Mm(mm) => Ok(mm),
            Length::Text(text) => length_of(&text),
        }
    }
}

fn length<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Length::deserialize(from)?.mm().map_err(D::Error::custom)
}

fn some_length<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let found = Option::<Length>::deserialize(from)?;
    found.map(Length::mm).transpose().map_err(D::Error::custom)
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

impl Kind {
    /// Every kind with its name and the keys that it uses besides [`ALWAYS`].
    const ALL: [(Kind, &str, &str); 8] = [
        (
            Kind::Dots,
            "dots",
            "x y series panel unit order colours x_label y_label columns log y_range \
             reference interval units least horizontal counts complete fewest overall",
        ),
        (
            Kind::Lines,
            "lines",
            "x y series panel unit by order colours x_label y_label columns log x_range \
             y_range reference interval units least counts complete fewest",
        ),
        (
            Kind::Scatter,
            "scatter",
            "x y series panel unit by order colours x_label y_label columns log x_range \
             y_range reference interval least names diagonal counts complete fewest join",
        ),
        (
            Kind::Heatmap,
            "heatmap",
            "x y of panel unit order x_label y_label columns range least bar outline \
             mean counts signed decimals contrasts",
        ),
        (
            Kind::Forest,
            "forest",
            "contrasts bases mean units colours x_label x_range decimals columns",
        ),
        (Kind::Verdicts, "verdicts", "contrasts x_label y_label range decimals"),
        (
            Kind::Curves,
            "curves",
            "x series panel order colours x_label y_label columns log x_range y_range units",
        ),
        (
            Kind::Pictures,
            "pictures",
            "x y picture files row_labels column_labels order of numbers counts columns decimals",
        ),
    ];

    fn row(self) -> &'static (Kind, &'static str, &'static str) {
        Kind::ALL.iter().find(|row| row.0 == self).expect("every kind has its row")
    }

    /// Its name in a spec.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The keys that a figure of the kind may have.
    pub fn keys(self) -> impl Iterator<Item = &'static str> {
        ALWAYS.split_whitespace().chain(self.row().2.split_whitespace())
    }

    /// The names of all kinds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Kind::ALL.iter().map(|row| row.1)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let known = Kind::ALL.iter().find(|row| row.1 == text).map(|row| row.0);
        known.ok_or_else(|| {
            let names: Vec<&str> = Kind::names().collect();
            let found = format!("{text:?}{}", did_you_mean(text, names.iter().copied()));
            Refusal::new("kind", format!("one of {}", names.join(", ")), found)
        })
    }
}

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Which {
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

/// The text below a figure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "YesOrText", into = "YesOrText")]
pub enum Caption {
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

/// One number or several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "OneOrMany", into = "Vec<f64>")]
pub struct Numbers(pub Vec<f64>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(f64),
    Many(Vec<f64>),
}

impl From<OneOrMany> for Numbers {
    fn from(written: OneOrMany) -> Self {
        match written {
            OneOrMany::One(number) => Numbers(vec![number]),
            OneOrMany::Many(numbers) => Numbers(numbers),
        }
    }
}

impl From<Numbers> for Vec<f64> {
    fn from(numbers: Numbers) -> Self {
        numbers.0
    }
}

impl FigureSpec {
    /// A figure with every default.
    pub fn new(name: &str, kind: Kind) -> Self {
        let written = serde_json::json!({ "name": name, "kind": kind.name() });
        serde_json::from_value(written).expect("every other key has a default")
    }

    /// The keys that every kind has.
    pub fn always() -> impl Iterator<Item = &'static str> {
        ALWAYS.split_whitespace()
    }

    /// The columns that it reads, each with the key that names it. Empty with `fewest`, which makes another table first.
    pub fn columns(&self) -> Vec<(&'static str, &str)> {
        if self.fewest.is_some() {
            return Vec::new();
        }
        let measures = [("x", &self.x), ("y", &self.y), ("of", &self.of), ("bar", &self.bar)];
        let measures =
            measures.into_iter().filter_map(|(key, m)| Some((key, m.as_ref()?.column())));
        let picture = self.picture.clone().filter(|path| !path.contains('{'));
        let names = [
            ("series", &self.series),
            ("panel", &self.panel),
            ("by", &self.by),
            ("unit", &self.unit),
            ("complete", &self.complete),
            ("picture", if picture.is_some() { &self.picture } else { &None }),
        ];
        let names = names.into_iter().filter_map(|(key, name)| Some((key, name.as_deref()?)));
        let filters = [("where", &self.rows), ("counts", &self.counts)];
        let filters =
            filters.into_iter().flat_map(|(key, rows)| rows.columns().map(move |name| (key, name)));
        measures.chain(names).chain(filters).filter(|(_, name)| *name != ROW).collect()
    }

    /// Refuses what cannot be drawn, whatever the table.
    ///
    /// # Errors
    /// A key is missing, is not one of its kind, or has a value outside its range.
    pub fn check(&self) -> Result<(), Refusal> {
        self.checked().map_err(|refusal| refusal.within(format!("figure {}", self.name)))
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
        let within = |key: &str, value: f64, low: f64, high: f64, unit: &str| match value >= low
            && value <= high
        {
            true => Ok(()),
            false => {
                let expected = format!("{low} to {high} {unit}");
                Err(Refusal::new(key, expected, value.to_string()))
            }
        };
        within("font_size", self.font_size, 3.0, 40.0, "pt")?;
        within("width", self.width, 20.0, 2000.0, "mm")?;
        if let Some(height) = self.height {
            within("height", height, 20.0, 2000.0, "mm")?;
        }
        if let Some(decimals) = self.decimals {
            within("decimals", decimals as f64, 0.0, 6.0, "digits")?;
        }
        if let Some(columns) = self.columns {
            within("columns", columns as f64, 1.0, 50.0, "panels")?;
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
        if let Some(number) = self.reference.0.iter().find(|n| !n.is_finite()) {
            return Err(Refusal::new("reference", "finite numbers", number.to_string()));
        }
        Ok(())
    }
}
