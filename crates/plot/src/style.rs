//! Colours, markers, sizes, how numbers are written.

use picloom_base::tone;

pub use picloom_base::text::{fixed, interval, number, percent, signed, superscript};

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
    pub(crate) fn brightness(self) -> f64 {
        (0.2126 * f64::from(self.0) + 0.7152 * f64::from(self.1) + 0.0722 * f64::from(self.2))
            / 255.0
    }

    /// [`INK`] or white, whichever can be read on this colour.
    pub(crate) fn text_on(self) -> Colour {
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
pub const BLANK: Colour = of(tone::BLANK);

/// Negative values and weights.
pub const NEGATIVE: Colour = of(tone::NEGATIVE);
/// Positive values and weights.
pub const POSITIVE: Colour = of(tone::POSITIVE);

/// Red −1, white 0, blue +1; values beyond are clipped, NaN is grey.
pub fn signed_colour(value: f32) -> Colour {
    of(tone::signed_colour(value))
}

/// A colour of the base.
const fn of([r, g, b]: [u8; 3]) -> Colour {
    Colour(r, g, b)
}

/// Lines and frames that matter less.
pub const SILVER: Colour = Colour(160, 166, 174);

/// Categorical colours in the order in which series take them (Paul Tol's "bright" and "vibrant" sets).
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
    pub(crate) const ALL: [Marker; 8] = [
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
