//! The ledger as a forest plot: every effect a claim is decided on, with its interval.

use super::{DrawError, Drawing, Sources, some};
use crate::experiment::claims::{ClaimRow, Effect};
use crate::experiment::finding::Verdict;
use crate::figures::fonts::{ellipsized, text_width, wrapped};
use crate::figures::style::{self, Colour, size};
use crate::figures::svg::{Anchor, Svg};

const MARGIN: f64 = 18.0;
const WIDTH: f64 = 1090.0;
const LINE: f64 = 18.0;
/// Effects drawn of one claim, at most.
const MOST: usize = 6;
/// Left and right end of the drawn effects: ±1.
const PLOT: (f64, f64) = (560.0, 800.0);

/// Colour of a verdict.
pub(super) fn tone(verdict: Verdict) -> Colour {
    match verdict {
        Verdict::Supported => Colour(0, 130, 96),
        Verdict::NotSupported => Colour(190, 62, 0),
        Verdict::Inconclusive => style::GREY,
    }
}

/// `0.12 [0.03, 0.21]`.
pub(super) fn numbers(effect: &Effect) -> String {
    match (effect.estimate, effect.low, effect.high) {
        (Some(e), Some(l), Some(h)) => style::interval(e, l, h, 2),
        (Some(e), ..) => format!("{} (one target)", style::fixed(e, 2)),
        _ => "no data".into(),
    }
}

/// How many claims have each verdict: `2 supported, 1 not supported, 12 inconclusive`.
pub(super) fn tally(claims: &[ClaimRow]) -> String {
    let all = [Verdict::Supported, Verdict::NotSupported, Verdict::Inconclusive];
    let parts = all.map(|v| {
        let n = claims.iter().filter(|c| c.verdict == v).count();
        format!("{n} {}", v.text())
    });
    parts.join(", ")
}

fn x(value: f64) -> f64 {
    let middle = (PLOT.0 + PLOT.1) / 2.0;
    middle + value.clamp(-1.0, 1.0) * (PLOT.1 - PLOT.0) / 2.0
}

pub(super) fn forest(sources: &Sources) -> Result<Drawing, DrawError> {
    let ledger = sources.ledger()?;
    let claims = some(ledger.claims.iter().collect::<Vec<_>>(), "claims", "claims")?;
    // Each claim: its words on the left, its effects on the right, as high as the higher of both.
    let left = 270.0;
    let words: Vec<Vec<String>> =
        claims.iter().map(|c| wrapped(&c.text.says, size::TICK, false, left - 40.0, 4)).collect();
    let lines = |c: &ClaimRow| {
        let shown = c.effects.len().min(MOST);
        (shown + usize::from(c.effects.len() > MOST)).max(1)
    };
    let heights: Vec<f64> = claims
        .iter()
        .zip(&words)
        .map(|(c, w)| w.len().max(lines(c)) as f64 * LINE + 14.0)
        .collect();
    let top = 108.0;
    let bottom = top + heights.iter().sum::<f64>();
    let note = format!(
        "Effects as the rules of the claims name them (most: a difference of compositional scores in the direction claimed), 95 % intervals (over targets, if nothing else is said), their numbers at the right; marks beyond ±1 stand at the edge. Pale band: effects smaller than {} do not matter. Filled: the interval excludes 0. The verdict is the rule's, which may ask for more than one effect above 0.",
        style::number(ledger.margin, 2)
    );
    let note = wrapped(&note, size::TICK, false, WIDTH - 2.0 * MARGIN, 4);
    let mut svg = Svg::new(WIDTH, bottom + 34.0 + LINE * note.len() as f64);
    let text = |svg: &mut Svg, at, text: &str, em, bold, colour| {
        svg.text(at, text, em, bold, colour, Anchor::Start);
    };
    text(&mut svg, (MARGIN, 34.0), "The claims", size::TITLE, true, style::INK);
    let all: Vec<ClaimRow> = ledger.claims.clone();
    text(&mut svg, (MARGIN, 57.0), &tally(&all), size::SUBTITLE, false, style::GREY);
    // The scale.
    let band = (x(-ledger.margin), x(ledger.margin));
    svg.rect(band.0, top - 8.0, band.1 - band.0, bottom - top + 4.0, Some(style::BLANK), None);
    for value in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let at = x(value);
        let colour = if value == 0.0 { style::GREY } else { style::GRID };
        svg.rect(at - 0.5, top - 8.0, 1.0, bottom - top + 4.0, Some(colour), None);
        let label = style::number(value, 2);
        svg.text((at, top - 14.0), &label, size::TICK, false, style::GREY, Anchor::Middle);
    }
    let mut y = top;
    for ((claim, words), height) in claims.iter().zip(&words).zip(&heights) {
        svg.rect(MARGIN, y - 5.0, WIDTH - 2.0 * MARGIN, 0.8, Some(style::GRID), None);
        let colour = tone(claim.verdict);
        text(&mut svg, (MARGIN, y + 13.0), &claim.text.id, size::TICK, true, colour);
        for (i, line) in words.iter().enumerate() {
            let at = (MARGIN + 38.0, y + 13.0 + i as f64 * LINE);
            text(&mut svg, at, line, size::TICK, false, style::INK);
        }
        let verdict = claim.verdict.text();
        svg.text((WIDTH - MARGIN, y + 13.0), verdict, size::TICK, true, colour, Anchor::End);
        for (i, effect) in claim.effects.iter().take(MOST).enumerate() {
            one(&mut svg, y + i as f64 * LINE, effect, colour);
        }
        let at = (MARGIN + left + 6.0, y + 13.0 + MOST as f64 * LINE);
        if claim.effects.len() > MOST {
            let more = format!("and {} more", claim.effects.len() - MOST);
            text(&mut svg, at, &more, size::CAPTION, false, style::GREY);
        } else if claim.effects.is_empty() {
            let at = (at.0, y + 13.0);
            let why = claim.notes.first().map_or("no data", String::as_str);
            let why = ellipsized(why, size::CAPTION, false, PLOT.0 - at.0 - 12.0);
            text(&mut svg, at, &why, size::CAPTION, false, style::GREY);
        }
        y += height;
    }
    for (i, line) in note.iter().enumerate() {
        let at = (MARGIN, bottom + 20.0 + i as f64 * LINE);
        text(&mut svg, at, line, size::TICK, false, style::GREY);
    }
    let parts: Vec<String> =
        claims.iter().map(|c| format!("{} {}", c.text.id, c.verdict.text())).collect();
    Ok(Drawing {
        svg: svg.finish("The claims"),
        says: format!("{}: {}.", tally(&all), parts.join(", ")),
    })
}

/// One effect: its name, its interval, its numbers.
fn one(svg: &mut Svg, y: f64, effect: &Effect, colour: Colour) {
    let start = MARGIN + 276.0;
    let name = ellipsized(&effect.name, size::CAPTION, false, PLOT.0 - start - 14.0);
    svg.text((start, y + 12.0), &name, size::CAPTION, false, style::GREY, Anchor::Start);
    let middle = y + 8.0;
    let interval = effect.low.zip(effect.high);
    if let Some((low, high)) = interval {
        let (a, b) = (x(low), x(high));
        svg.rect(a, middle - 1.0, (b - a).max(0.5), 2.0, Some(colour), None);
        for (end, at) in [(low, a), (high, b)] {
            // An end inside the scale has a cap; one beyond it runs on.
            if end.abs() <= 1.0 {
                svg.rect(at - 0.8, middle - 4.0, 1.6, 8.0, Some(colour), None);
            }
        }
    }
    if let Some(value) = effect.estimate {
        let clear = interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
        let fill = if clear { colour } else { style::PAPER };
        svg.circle((x(value), middle), 4.2, fill, Some((colour, 1.8)));
    }
    let numbers = numbers(effect);
    let room = WIDTH - MARGIN - 118.0 - PLOT.1 - 14.0;
    let em = if text_width(&numbers, size::CAPTION, false) > room {
        size::CAPTION - 1.5
    } else {
        size::CAPTION
    };
    svg.text((PLOT.1 + 14.0, y + 12.0), &numbers, em, false, style::INK, Anchor::Start);
}
