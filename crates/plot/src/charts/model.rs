//! Figures, panels and what stands in them, as data.

use crate::axis::Axis;
use crate::style::{self, Colour, Marker, size};
use serde::{Deserialize, Serialize};

/// Name, colour and marker of a series.
pub type Look = (String, Colour, Marker);

/// Texts and size of a figure, and how its panels stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The title, a few words. May be empty.
    pub title: String,
    /// A second line in grey. May be empty.
    pub subtitle: String,
    /// Under the chart, in grey: what the intervals are, what was left out. May be empty.
    pub note: String,
    /// Width in pixels. Default: 860.
    pub width: u32,
    /// Height of the whole figure or of each plotting area. Default: 560 pixels in all.
    pub height: Height,
    /// Panels in a row, at most. Default: 1.
    pub columns: usize,
    /// One x range and one y range for all panels. Default: no.
    pub share: (bool, bool),
}

/// A height in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Height {
    /// Of the whole figure.
    Whole(f64),
    /// Of each plotting area.
    Each(f64),
}

impl Figure {
    /// A figure of the usual size with this title.
    pub fn new(title: impl Into<String>) -> Self {
        Figure {
            title: title.into(),
            subtitle: String::new(),
            note: String::new(),
            width: size::CHART.0,
            height: Height::Whole(f64::from(size::CHART.1)),
            columns: 1,
            share: (false, false),
        }
    }

    /// With a line under the title.
    pub fn subtitle(mut self, text: impl Into<String>) -> Self {
        self.subtitle = text.into();
        self
    }

    /// With a note under the chart.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = text.into();
        self
    }

    /// With another size in pixels.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, Height::Whole(f64::from(height)));
        self
    }

    /// Small multiples: panels in a row, width of the figure, height of each plotting area.
    pub fn multiples(mut self, columns: usize, width: u32, each: u32) -> Self {
        (self.columns, self.width, self.height) = (columns, width, Height::Each(f64::from(each)));
        self
    }

    /// With one x range, one y range for all panels.
    pub fn shared(mut self, x: bool, y: bool) -> Self {
        self.share = (x, y);
        self
    }
}

/// One chart: series over two axes, or cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Above its plotting area. May be empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Later series are drawn over earlier ones.
    pub series: Vec<Series>,
    /// Vertical rules.
    pub x_rules: Vec<Rule>,
    /// Horizontal rules.
    pub y_rules: Vec<Rule>,
    /// Draws the line y = x.
    pub diagonal: bool,
    /// The categories, by [`Dots::panel`](super::Dots::panel).
    pub slots: Option<Slots>,
    /// Cells, by [`Heat::panel`].
    pub heat: Option<Heat>,
}

impl Panel {
    /// Series over two axes.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Panel { title: title.into(), x, y, series, ..Panel::default() }
    }

    /// The names of its rows; empty: it has numbers there.
    pub(crate) fn rows(&self) -> &[(f64, String)] {
        match &self.slots {
            Some(slots) if slots.texts_right => &[],
            _ => &self.y.names,
        }
    }

    /// Leaves out the names of the rows: those of the panel beside it count for this one too.
    pub(crate) fn unname(&mut self) {
        self.y.label.clear();
        self.y.names.iter_mut().for_each(|name| name.1.clear());
    }
}

/// How an interval is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// A band along the line.
    Band,
    /// A whisker at each mark.
    Whiskers,
    /// Not at all.
    None,
}

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Line {
    #[default]
    Solid,
    Dashed,
    /// Points only.
    None,
}

/// One mark: an estimate, and what is known of its uncertainty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Place on the x axis.
    pub x: f64,
    /// Place on the y axis. NaN breaks the line.
    pub y: f64,
    /// Interval of x, drawn as a whisker.
    pub x_interval: Option<(f64, f64)>,
    /// Interval of y, drawn as a whisker or as part of a band.
    pub y_interval: Option<(f64, f64)>,
    /// Single observations behind it (seeds), drawn as small rings.
    pub seeds: Vec<f64>,
    /// Observations that do not count, drawn as hollow dots; those that count are filled then. None: there is no such
    /// difference.
    pub apart: Option<Vec<f64>>,
    /// Drawn hollow and off the line: a value that does not count (an unfit network).
    pub hollow: bool,
    /// Another colour than its series'.
    pub colour: Option<Colour>,
    /// Written beside the mark, where it collides with nothing; may be empty.
    pub label: String,
}

impl Point {
    /// A bare point.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, ..Point::default() }
    }

    /// A bare value; its place is given later.
    pub fn value(y: f64) -> Self {
        Point::new(0.0, y)
    }

    /// With a label.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With an interval of y.
    pub fn between(mut self, low: f64, high: f64) -> Self {
        self.y_interval = Some((low, high));
        self
    }

    /// With the observations behind it.
    pub fn seeds(mut self, seeds: impl IntoIterator<Item = f64>) -> Self {
        self.seeds = seeds.into_iter().collect();
        self
    }

    /// With the observations that count and those that do not.
    pub fn counted(mut self, counting: Vec<f64>, apart: Vec<f64>) -> Self {
        (self.seeds, self.apart) = (counting, Some(apart));
        self
    }

    /// Every observation behind it.
    pub(super) fn observations(&self) -> impl Iterator<Item = f64> {
        self.seeds.iter().chain(self.apart.iter().flatten()).copied()
    }

    /// Hollow.
    pub fn hollow(mut self, hollow: bool) -> Self {
        self.hollow = hollow;
        self
    }

    /// In its own colour.
    pub fn coloured(mut self, colour: Colour) -> Self {
        self.colour = Some(colour);
        self
    }
}

/// One series: a line, or a cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; empty: not in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Marker at each point; `None`: none.
    pub marker: Option<Marker>,
    /// How the points are joined, in the order given.
    pub line: Line,
    /// Width of the line in pixels. Default: 2.4.
    pub width: f64,
    /// Diameter of the markers in pixels. Default: 9.5.
    pub diameter: f64,
    /// How intervals of y are drawn. Default: whiskers.
    pub spread: Spread,
    /// The points.
    pub points: Vec<Point>,
}

impl Series {
    /// A line through these points.
    pub fn line(
        name: impl Into<String>,
        colour: Colour,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Series {
            name: name.into(),
            colour,
            marker: None,
            line: Line::Solid,
            width: 2.4,
            diameter: 9.5,
            spread: Spread::Whiskers,
            points: points.into_iter().map(|(x, y)| Point::new(x, y)).collect(),
        }
    }

    /// A cloud of points.
    pub fn cloud(
        name: impl Into<String>,
        colour: Colour,
        marker: Marker,
        points: impl IntoIterator<Item = Point>,
    ) -> Self {
        Series {
            marker: Some(marker),
            line: Line::None,
            points: points.into_iter().collect(),
            ..Series::line(name, colour, [])
        }
    }

    /// Estimates along an axis: a marked line over those that count, hollow marks for those that do not,
    /// rings for the values behind an estimate where an interval was asked for and they are too few for
    /// one.
    pub fn course(
        (name, colour, marker): Look,
        estimates: impl IntoIterator<Item = (f64, Point)>,
        spread: Spread,
    ) -> Self {
        let mut points: Vec<Point> =
            estimates.into_iter().map(|(x, estimate)| Point { x, ..estimate }).collect();
        for point in &mut points {
            point.y_interval = point.y_interval.filter(|_| !point.hollow && spread != Spread::None);
            let few = point.y_interval.is_none() && spread != Spread::None && !point.hollow;
            if !few || point.seeds.len() < 2 {
                point.seeds.clear();
            }
        }
        Series { spread, ..Series::cloud(name, colour, marker, points) }.joined()
    }

    fn joined(mut self) -> Self {
        self.line = Line::Solid;
        self
    }

    /// With a marker at each point.
    pub fn marked(mut self, marker: Marker) -> Self {
        self.marker = Some(marker);
        self
    }

    /// With a broken line.
    pub fn dashed(mut self) -> Self {
        self.line = Line::Dashed;
        self
    }

    /// With intervals as a band.
    pub fn banded(mut self) -> Self {
        self.spread = Spread::Band;
        self
    }
}

/// A line across the chart at one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The value.
    pub at: f64,
    /// Written at its end; may be empty.
    pub label: String,
    /// Its colour. Default: grey.
    pub colour: Colour,
}

impl Rule {
    /// A grey rule.
    pub fn new(at: f64, label: impl Into<String>) -> Self {
        Rule { at, label: label.into(), colour: style::GREY }
    }

    /// In a colour.
    pub(crate) fn coloured(mut self, colour: Colour) -> Self {
        self.colour = colour;
        self
    }
}

/// The categories of a panel of groups, beside its series.
#[derive(Clone, Debug, PartialEq)]
pub struct Slots {
    pub(super) lying: bool,
    pub(crate) bars: bool,
    pub(super) texts_right: bool,
    /// Groups.
    pub(super) count: usize,
    /// Room of one mark on the category axis.
    pub(super) step: f64,
    /// Ranges of values to shade: middle on the category axis, range.
    pub(super) shades: Vec<(f64, (f64, f64))>,
}

/// How values become colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tones {
    /// Pale to dark blue: amounts.
    #[default]
    Amount,
    /// Red for negative, white for 0, blue for positive: differences, correlations.
    Signed,
}

/// A matrix; [`panel`](Self::panel) makes a panel of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, top to bottom.
    pub rows: Vec<String>,
    /// `values[row][column]`; NaN: grey, no number.
    pub values: Vec<Vec<f64>>,
    /// The meaning of the colour, beside the scale. All matrices of a figure have one range.
    pub value: Axis,
    /// Colours.
    pub tones: Tones,
    /// Decimals of the numbers in the cells; `None`: no numbers.
    pub decimals: Option<usize>,
    /// Shares in [0, 1], `bars[row][column]`, each drawn as a bar along the lower edge of its cell, whole
    /// width = 1; empty: none.
    pub bars: Vec<Vec<f64>>,
    /// Cells that count for little, hatched, and those without a value in which nothing counts, grey and hatched:
    /// (row, column).
    pub hatched: Vec<(usize, usize)>,
    /// Cells to outline: (row, column), for example the best of each row.
    pub outlined: Vec<(usize, usize)>,
}
