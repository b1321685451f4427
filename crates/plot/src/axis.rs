//! Axes: what range to show, where the ticks stand, what they say.
//!
//! Ranges come from the data unless given. NaN and infinite values are left out (and values ≤ 0 on
//! a logarithmic axis); a range of no width is padded; logarithmic ranges longer than 1.7
//! decades end on decades.

use super::style;
use picloom_base::real;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// How values become places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Place proportional to the value.
    #[default]
    Linear,
    /// Place proportional to log₁₀ of the value; ends on decades.
    Log,
}

/// How tick labels are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As many decimals as the step needs.
    #[default]
    Plain,
    /// 0.25 → `25 %`.
    Percent,
    /// Whole numbers only, with a sign: `−3 … +3` (offsets).
    Signed,
}

/// One axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The quantity in the reader's words, with its unit.
    pub label: String,
    /// Linear or logarithmic. Default: linear.
    pub scale: Scale,
    /// Shown range; `None` takes it from the data. Default: `None`.
    pub range: Option<(f64, f64)>,
    /// The range taken from the data must include this value. Default: `None`.
    pub include: Option<f64>,
    /// Ticks at whole numbers only. Default: false.
    pub whole: bool,
    /// Writing of tick labels. Default: plain.
    pub format: Format,
    /// Named ticks instead of numbers: (value, name). Default: none.
    pub names: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis with this label.
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// Logarithmic.
    pub fn log(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    /// With a fixed range.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The range includes this value (0, a baseline).
    pub fn include(mut self, value: f64) -> Self {
        self.include = Some(value);
        self
    }

    /// Ticks at whole numbers only.
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Ticks as percentages of 1.
    pub fn percent(mut self) -> Self {
        self.format = Format::Percent;
        self
    }

    /// Ticks at whole numbers, with a sign.
    pub fn signed(mut self) -> Self {
        self.whole = true;
        self.format = Format::Signed;
        self
    }

    /// With named ticks instead of numbers.
    pub fn named(mut self, names: impl IntoIterator<Item = (f64, String)>) -> Self {
        self.names = names.into_iter().collect();
        self
    }

    /// Whether its ticks are names.
    pub(crate) fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// Lays the axis over these values, with about `count` labelled ticks.
    pub fn over(&self, values: impl IntoIterator<Item = f64>, count: f64) -> Laid {
        let shown = |v: &f64| v.is_finite() && (self.scale == Scale::Linear || *v > 0.0);
        let given =
            self.range.map(|(a, b)| (a.min(b), a.max(b))).filter(|(a, b)| shown(a) && shown(b));
        let (low, high) = given.unwrap_or_else(|| {
            let named = self.names.iter().map(|(v, _)| *v);
            let all = values.into_iter().chain(self.include).chain(named).filter(shown);
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        });
        let count = count.max(1.0);
        match self.scale {
            Scale::Linear => self.linear(low, high, given.is_some(), count),
            Scale::Log => logarithmic(low, high, given.is_some(), count),
        }
    }

    fn linear(&self, mut low: f64, mut high: f64, given: bool, count: f64) -> Laid {
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low <= 1e-12 * high.abs().max(low.abs()) {
            let pad = if low == 0.0 { 0.5 } else { 0.1 * low.abs() };
            let pad = if self.whole { pad.max(1.0) } else { pad };
            (low, high) = (low - pad, high + pad);
        } else if !given {
            let pad = 0.04 * (high - low);
            // A value that must be included and is the extreme stands on the edge: bars on 0.
            // Padding never crosses 0: amounts do not become negative.
            if self.include != Some(low) {
                low = if low >= 0.0 { (low - pad).max(0.0) } else { low - pad };
            }
            if self.include != Some(high) {
                high = if high <= 0.0 { (high + pad).min(0.0) } else { high + pad };
            }
        }
        let named = || self.names.iter().filter(|(v, _)| *v >= low && *v <= high).cloned();
        let ticks = match self.names.is_empty() {
            true => self.linear_ticks(low, high, count),
            false => named().collect(),
        };
        Laid { scale: Scale::Linear, low, high, ticks, small: Vec::new() }
    }

    fn linear_ticks(&self, low: f64, high: f64, count: f64) -> Vec<(f64, String)> {
        let (step, decimals) = nice_step((high - low) / count, self.whole);
        // The slack keeps a tick that rounding moved past the edge.
        let slack = 1e-9 * (high - low);
        let first = ((low - slack) / step).ceil();
        let last = ((high + slack) / step).floor();
        // The last digits are lost where the numbers dwarf their range.
        let big = low.abs().max(high.abs());
        if last - first > 100.0 || big > 1e15 * step {
            return Vec::new();
        }
        let scientific = !(1e-3..1e6).contains(&big);
        let label = |v: f64| match self.format {
            Format::Percent => style::percent(v, (decimals - 2).max(0) as usize),
            Format::Signed if v > 0.5 => format!("+{}", style::fixed(v, 0)),
            _ if scientific => {
                let lost = real::log10(big / step).ceil() as usize + 1;
                style::number(if v.abs() < step / 2.0 { 0.0 } else { v }, lost.min(6))
            }
            _ => style::fixed(v, decimals.max(0) as usize),
        };
        let ticks = (0..=(last - first) as i64).map(|i| (first + i as f64) * step);
        ticks.map(|v| (v, label(v))).collect()
    }
}

fn logarithmic(low: f64, high: f64, given: bool, count: f64) -> Laid {
    let (mut low, mut high) =
        if low > high { (-1.0, 0.0) } else { (real::log10(low), real::log10(high)) };
    if !given && high - low > 1.7 {
        low = (low + 1e-9).floor();
        high = (high - 1e-9).ceil();
    } else if !given {
        // On a short range whole decades could leave half the chart empty.
        let pad = 0.05 * (high - low);
        (low, high) = (low - pad, high + pad);
    }
    if high - low < 1e-9 {
        (low, high) = ((low - 0.5).floor(), (high + 0.5).ceil());
    }
    let decades = high - low;
    // One way of writing for the whole axis: 0.01 … 1000, or powers.
    let plain = low > -3.1 && high < 4.1;
    let powers = (low - 1e-9).ceil() as i32..=(high + 1e-9).floor() as i32;
    let many = |stride: i32| powers.clone().filter(|p| p.rem_euclid(stride) == 0).count() > 1;
    let wanted = (decades / count).ceil().max(1.0) as i32;
    let stride = (1..=wanted).rev().find(|stride| many(*stride)).unwrap_or(1);
    let inside = |place: f64| place >= low - 1e-9 && place <= high + 1e-9;
    // 2 and 5 have a label where there is room for it; the fewer decades there are, the more digits
    // must have one, for one tick says nothing of a scale.
    let between: &[i32] = if decades * 3.0 < count + 1.0 { &[1, 2, 5] } else { &[1] };
    let (mut ticks, mut small) = (Vec::new(), Vec::new());
    for digits in [between, &[1, 2, 5], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
        (ticks, small) = (Vec::new(), Vec::new());
        for power in powers.start() - 1..=*powers.end() {
            for digit in (1..10).filter(|digit| *digit == 1 || stride == 1) {
                let place = f64::from(power) + real::log10(f64::from(digit));
                let labelled = match digit {
                    1 => power.rem_euclid(stride) == 0,
                    _ => digits.contains(&digit),
                };
                match labelled {
                    _ if !inside(place) => {}
                    true if digit == 1 => ticks.push((place, decade(power, plain))),
                    true => ticks.push((place, style::number(real::pow(10.0, place), 1))),
                    false => small.push(place),
                }
            }
        }
        if ticks.len() > 1 {
            break;
        }
    }
    if ticks.len() < 2 {
        // Between two digits of one decade: as on a linear axis.
        let (from, to) = (real::pow(10.0, low), real::pow(10.0, high));
        let even = [2.0, 3.0, 4.0, 6.0].map(|count| Axis::default().linear_ticks(from, to, count));
        let even = even.into_iter().find(|ticks| ticks.len() > 1).unwrap_or_default();
        ticks = even.into_iter().map(|(value, label)| (real::log10(value), label)).collect();
    }
    Laid { scale: Scale::Log, low, high, ticks, small }
}

/// An axis laid over its data: range and ticks in axis units (log₁₀ of the value on a logarithmic
/// axis).
#[derive(Clone, Debug, PartialEq)]
pub struct Laid {
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Labelled ticks: place and label.
    pub ticks: Vec<(f64, String)>,
    /// Places between them that have a faint grid line.
    pub small: Vec<f64>,
}

impl Laid {
    /// The place of a value in axis units; `None` if it has none (NaN, ≤ 0 on a log axis).
    pub fn place(&self, value: f64) -> Option<f64> {
        match self.scale {
            _ if !value.is_finite() => None,
            Scale::Linear => Some(value),
            Scale::Log if value > 0.0 => Some(real::log10(value)),
            Scale::Log => None,
        }
    }

    /// The place of a value if it lies in the shown range.
    pub fn shown(&self, value: f64) -> Option<f64> {
        let slack = 1e-9 * (self.high - self.low);
        self.place(value).filter(|p| *p >= self.low - slack && *p <= self.high + slack)
    }

    /// The place of a value, moved to the nearer end where it lies outside the range; one below
    /// every place of a log axis is at its low end.
    pub fn clamped(&self, value: f64) -> f64 {
        self.place(value).unwrap_or(self.low).clamp(self.low, self.high)
    }

    /// Whether a value lies beyond the range, to which [`clamped`](Self::clamped) moves it.
    pub(crate) fn beyond(&self, value: f64) -> bool {
        self.place(value).is_some() && self.shown(value).is_none()
    }

    /// The label of the tick that stands at a place.
    pub(crate) fn label(&self, at: f64) -> Option<&str> {
        self.ticks.iter().find(|t| t.0 == at).map(|t| t.1.as_str())
    }

    /// Labels of the ticks.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.ticks.iter().map(|t| t.1.as_str())
    }
}

/// plotters' coordinate: places to drawing units.
impl Ranged for Laid {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (place - self.low) / (self.high - self.low);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => self.small.clone(),
            false => self.ticks.iter().map(|t| t.0).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Laid {
    fn format_ext(&self, place: &f64) -> String {
        self.label(*place).unwrap_or_default().into()
    }
}

/// The least of 1, 2, 2.5, 5 × 10ⁿ that is at least `raw`, and its decimals.
fn nice_step(raw: f64, whole: bool) -> (f64, i32) {
    if !(raw.is_finite() && raw > 0.0) {
        return (1.0, 0);
    }
    let mut power = real::log10(raw).floor() as i32;
    for _ in 0..3 {
        let decade = real::pow(10.0, f64::from(power));
        for (factor, decimals) in [(1.0, 0), (2.0, 0), (2.5, 1), (5.0, 0)] {
            let step = factor * decade;
            let is_whole = power + 1 > decimals && step >= 1.0 - 1e-9;
            if step >= raw * (1.0 - 1e-9) && (!whole || is_whole) {
                return (step, decimals - power);
            }
        }
        power = if whole { (power + 1).max(0) } else { power + 1 };
    }
    (1.0, 0)
}

/// `0.01`, `1`, `100`, or `10⁻²`, `1`, `10²`.
fn decade(power: i32, plain: bool) -> String {
    match power {
        0 => "1".into(),
        1 => "10".into(),
        2.. if plain => style::fixed(real::pow(10.0, f64::from(power)), 0),
        _ if plain => style::fixed(real::pow(10.0, f64::from(power)), -power as usize),
        _ => format!("10{}", style::superscript(power)),
    }
}
