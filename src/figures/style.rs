//! House style: colours, the arms' fixed order, sizes, how numbers are written.
//!
//! The arms' colours ([`ARMS`], the one table of them) are those of Okabe and Ito (2008, "Color Universal
//! Design"), which people with any common form of colour blindness can tell apart; beyond eight, dark
//! tones of Paul Tol's "muted" set follow. Every arm also has its own marker, so no figure depends on
//! colour alone.

use crate::page;
use crate::score::Call;
use crate::score::dl::labelled_by;

pub use crate::base::text::{fixed, interval, number, percent, signed, superscript};

/// An sRGB colour, 8 bits a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The mixture (1 − t)·self + t·other, t in [0, 1], channel by channel.
    pub fn mix(self, other: Colour, t: f64) -> Colour {
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        let blend = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
        Colour(blend(self.0, other.0), blend(self.1, other.1), blend(self.2, other.2))
    }

    /// Relative brightness in [0, 1] (Rec. 709 weights on the encoded channels): decides whether
    /// text on this colour is dark or light.
    pub fn brightness(self) -> f64 {
        (0.2126 * f64::from(self.0) + 0.7152 * f64::from(self.1) + 0.0722 * f64::from(self.2))
            / 255.0
    }

    /// [`INK`] or white, whichever can be read on this colour.
    pub fn text_on(self) -> Colour {
        if self.brightness() > 0.55 { INK } else { PAPER }
    }
}

/// Background of every figure.
pub const PAPER: Colour = Colour(255, 255, 255);
/// Text and axes.
pub const INK: Colour = Colour(31, 35, 40);
/// Secondary text: subtitles, ticks, captions.
pub const GREY: Colour = Colour(98, 105, 115);
/// Grid lines.
pub const GRID: Colour = Colour(228, 231, 235);
/// Missing values, removed parts.
pub const BLANK: Colour = of(page::BLANK);

/// Negative values and weights.
pub const NEGATIVE: Colour = of(page::NEGATIVE);
/// Positive values and weights.
pub const POSITIVE: Colour = of(page::POSITIVE);

/// Red −1, white 0, blue +1; values beyond are clipped, NaN is grey.
pub fn signed_colour(value: f32) -> Colour {
    of(page::signed_colour(value))
}

/// A colour of the engine's.
const fn of([r, g, b]: [u8; 3]) -> Colour {
    Colour(r, g, b)
}

/// Border of a picture judged clean.
pub const CLEAN: Colour = Colour(0, 158, 115);
/// Border of a picture of which the judge is not sure.
pub const UNCLEAR: Colour = Colour(240, 214, 40);
/// Border of a picture judged damaged.
pub const DAMAGED: Colour = Colour(213, 60, 0);
/// Border of a picture not judged: a silent weight, the base itself.
pub const UNJUDGED: Colour = Colour(160, 166, 174);

/// Border of a picture that was judged.
pub fn called(call: Call) -> Colour {
    match call {
        Call::Clean => CLEAN,
        Call::Unclear => UNCLEAR,
        Call::Damaged => DAMAGED,
    }
}

/// Categorical colours in the order series that are no arms take them (Paul Tol's "bright" and "vibrant"
/// sets): none is an arm's, so that a colour that stands for an arm stands for it in every figure.
pub const PALETTE: [Colour; 12] = [
    Colour(68, 119, 170),
    Colour(238, 102, 119),
    Colour(34, 136, 51),
    Colour(204, 187, 68),
    Colour(102, 204, 238),
    Colour(170, 51, 119),
    Colour(0, 68, 136),
    Colour(238, 119, 51),
    Colour(0, 153, 136),
    Colour(204, 51, 17),
    Colour(187, 187, 187),
    Colour(90, 60, 40),
];

/// The `i`th categorical colour; begins again after the last.
pub fn colour(i: usize) -> Colour {
    PALETTE[i % PALETTE.len()]
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Marker {
    #[default]
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
    Plus,
    Cross,
    Ring,
}

impl Marker {
    /// Every marker, in the order series take them.
    pub const ALL: [Marker; 8] = [
        Marker::Circle,
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::TriangleDown,
        Marker::Plus,
        Marker::Cross,
        Marker::Ring,
    ];
}

/// How one arm looks in every figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Key, as in records: lower case, words joined by `-`.
    pub key: &'static str,
    /// Name in legends and tables.
    pub label: &'static str,
    /// A word or two, for crowded axes.
    pub short: &'static str,
    /// Its colour.
    pub colour: Colour,
    /// Its marker.
    pub marker: Marker,
}

/// Wirings and pruning methods as arms, in the order every figure and table shows them.
pub const ARMS: [Arm; 27] = [
    row("evolved", "evolved", "evolved", Colour(0, 158, 115), Marker::Diamond),
    row("dense", "dense twin, trained", "dense", Colour(213, 94, 0), Marker::Square),
    row("dense-l1", "dense twin, L1 penalty", "dense, L1", Colour(148, 103, 189), Marker::Square),
    row("graph", "evolved graph, retrained", "graph", Colour(204, 121, 167), Marker::Triangle),
    row(
        "layerized",
        "evolved layers, retrained",
        "layers",
        Colour(136, 34, 85),
        Marker::TriangleDown,
    ),
    row("sp", "similarity-pruned (SP)", "SP", Colour(0, 114, 178), Marker::Circle),
    row("sp-threshold", "SP, by threshold", "SP thresh.", Colour(26, 84, 140), Marker::Square),
    row("sp-signed", "SP, signed shares", "SP signed", Colour(86, 180, 233), Marker::Circle),
    row("sp-mrmr", "SP, mRMR", "SP mRMR", Colour(51, 34, 136), Marker::Ring),
    row("sp-merge", "SP, merging", "SP merge", Colour(68, 170, 153), Marker::Ring),
    row("imp", "lottery ticket (IMP)", "IMP", Colour(160, 110, 20), Marker::TriangleDown),
    row("wanda", "Wanda", "Wanda", Colour(153, 153, 51), Marker::Square),
    row("wanda-only", "Wanda, not retrained", "Wanda only", Colour(190, 190, 110), Marker::Cross),
    row("wanda-layer", "Wanda, by layer", "Wanda layer", Colour(122, 122, 36), Marker::Diamond),
    row("wanda-global", "Wanda, global", "Wanda global", Colour(98, 98, 20), Marker::Plus),
    row("taylor", "Taylor groups", "Taylor", Colour(170, 68, 153), Marker::Diamond),
    row("magnitude", "magnitude-pruned", "magnitude", Colour(230, 159, 0), Marker::Triangle),
    row("random", "random, same counts", "random", Colour(140, 140, 140), Marker::Cross),
    row(
        "sp-layer-counts",
        "random, SP's layer counts",
        "SP counts",
        Colour(96, 96, 104),
        Marker::TriangleDown,
    ),
    row(
        "layer-counts",
        "random, as many a layer",
        "layer counts",
        Colour(110, 104, 96),
        Marker::TriangleDown,
    ),
    row("rewired", "SP, other parents", "rewired", Colour(176, 160, 150), Marker::Diamond),
    row("sp-inverted", "SP inverted", "inverted", Colour(176, 58, 58), Marker::Plus),
    row(
        "sp-untrained",
        "SP of untrained weights",
        "untrained",
        Colour(116, 150, 190),
        Marker::Cross,
    ),
    row("sp-permuted", "SP, shares permuted", "permuted", Colour(160, 160, 190), Marker::Plus),
    row("evolved-mask", "evolved mask, retrained", "mask", Colour(122, 72, 138), Marker::Cross),
    row("sparse-training", "weight-sparse training", "sparse", Colour(31, 35, 40), Marker::Plus),
    row("swarm", "swarm in weight space", "swarm", Colour(17, 119, 51), Marker::Plus),
];

/// An arm as a row of a table of arms.
pub const fn row(
    key: &'static str,
    label: &'static str,
    short: &'static str,
    colour: Colour,
    marker: Marker,
) -> Arm {
    Arm { key, label, short, colour, marker }
}

/// The arm with this key, and its place in the order; `None` for a key the house style does not
/// know (give such a series a [`colour`] by its index).
pub fn arm(key: &str) -> Option<(usize, &'static Arm)> {
    ARMS.iter().enumerate().find(|(_, a)| a.key == key)
}

/// Text heights in pixels (em), chosen to be readable when an 860-pixel figure is printed across a
/// column of 160 mm.
pub mod size {
    /// Width and height of a single chart.
    pub(crate) const CHART: (u32, u32) = (860, 560);
    /// Figure title (bold).
    pub const TITLE: f64 = 19.0;
    /// Line under the title.
    pub const SUBTITLE: f64 = 14.5;
    /// Axis labels and legend.
    pub const LABEL: f64 = 15.0;
    /// Tick labels, values beside bars, notes.
    pub const TICK: f64 = 13.5;
    /// Captions of small pictures.
    pub const CAPTION: f64 = 11.5;
}

/// A judge's name, with who labelled the pictures that it was fitted to.
pub fn judged_by(judge: &str) -> String {
    match labelled_by(judge) {
        Some(who) => format!("{judge}; {who}"),
        None => judge.into(),
    }
}
