//! One network on one page: what it draws, its score, what changed weights do to the picture, the
//! further measures, its maps and its wiring.

mod inside;
mod page;

pub use crate::score::card::Measure;

use super::fonts::{ellipsized, text_width, wrapped};
use super::style::{self, Colour, size};
use super::svg::Anchor;
use crate::network::{Network, Picture, Weights};
use crate::probe::SampledShare;
use crate::score::{CompositionalScore, Label};
use page::Page;

/// A picture of the network after one weight was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// What it draws then.
    pub picture: Picture,
    /// What the judge said.
    pub label: Label,
    /// Under it: `layer 2, w7 +0.31`.
    pub caption: String,
}

/// All that a card shows.
#[derive(Clone, Copy, Debug)]
pub struct Card<'a> {
    /// The network's name.
    pub title: &'a str,
    /// How it was measured.
    pub subtitle: &'a str,
    /// What it draws.
    pub drawn: &'a Picture,
    /// What it should draw.
    pub target: Option<&'a Picture>,
    /// Its score.
    pub score: &'a CompositionalScore,
    /// The score of all weights as estimated from a sample of them.
    pub sampled: Option<&'a SampledShare>,
    /// Some of its changed pictures.
    pub changed: &'a [Changed],
    /// Its further measures.
    pub measures: &'a [Measure],
    /// A word on how they were taken.
    pub measures_note: &'a str,
    /// Its topology.
    pub network: &'a Network,
    /// Its weights.
    pub weights: &'a Weights,
    /// Its feature maps, (U, P) unit by unit, and their side in pixels.
    pub maps: (&'a [f32], usize),
    /// Units with influence on the picture, (U,); the others are drawn pale.
    pub alive: &'a [bool],
}

const WIDTH: f64 = 1180.0;
const MARGIN: f64 = 28.0;
const ROOM: f64 = WIDTH - 2.0 * MARGIN;
const SHOT: f64 = 212.0;
const GAP: f64 = 26.0;
/// Changed pictures a row, their side, and the room between them.
const ACROSS: usize = 12;
const PANE: f64 = 82.0;
/// Pixels of an embedded picture for each pixel of the SVG.
const SHARP: f64 = 2.0;
/// Tallest a row of maps and wiring may be.
const TALLEST: f64 = 1400.0;

/// Draws a card.
pub fn card(card: &Card<'_>) -> String {
    let mut page = Page { y: MARGIN, marks: Vec::new() };
    for line in wrapped(card.title, 1.2 * size::TITLE, true, ROOM, 2) {
        page.words(MARGIN, 1.2 * size::TITLE, &line, true, style::INK);
    }
    for line in wrapped(card.subtitle, size::SUBTITLE, false, ROOM, 3) {
        page.words(MARGIN, size::SUBTITLE, &line, false, style::GREY);
    }
    page.y += 16.0;
    summary(&mut page, card);
    changed(&mut page, card);
    measures(&mut page, card);
    inside::inside(&mut page, card);
    page.finish(card.title)
}

/// Pictures, the score, and the score of each layer.
fn summary(page: &mut Page, card: &Card<'_>) {
    let top = page.y;
    let mut x = MARGIN;
    let shots = [(Some(card.drawn), "it draws"), (card.target, "it should draw")];
    for (picture, name) in shots {
        let Some(picture) = picture else { continue };
        page.text((x, top + 11.0), size::TICK, name, true, style::GREY, Anchor::Start);
        page.picture((x, top + 20.0), SHOT, picture, style::UNJUDGED, 1.0);
        x += SHOT + GAP;
    }
    let low = score_panel(page, card, x, top);
    let left = x + 312.0;
    let bars = layers(page, card.score, left, WIDTH - MARGIN - left, top);
    page.y = (top + 20.0 + SHOT).max(low).max(bars) + 30.0;
}

/// The score in large, its interval on a line from 0 to 1, fit and counts. Returns its lower end.
fn score_panel(page: &mut Page, card: &Card<'_>, x: f64, top: f64) -> f64 {
    const WIDE: f64 = 270.0;
    let score = card.score;
    let tone = if score.counts { style::INK } else { style::UNJUDGED };
    let head = "compositional score";
    page.text((x, top + 11.0), size::TICK, head, true, style::GREY, Anchor::Start);
    let value = score.score.map_or("none".into(), |v| style::fixed(v, 2));
    page.text((x - 2.0, top + 66.0), 56.0, &value, true, tone, Anchor::Start);
    if !score.counts {
        let at = x + 10.0 + text_width(&value, 56.0, true);
        let wide = text_width("UNFIT", size::LABEL, true) + 16.0;
        page.fill((at, top + 38.0), (wide, 26.0), style::FRACTURED);
        let middle = (at + wide / 2.0, top + 56.5);
        page.text(middle, size::LABEL, "UNFIT", true, style::PAPER, Anchor::Middle);
    }
    let axis = top + 92.0;
    page.fill((x, axis - 1.0), (WIDE, 2.0), style::GRID);
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let at = x + WIDE * share;
        page.fill((at - 0.5, axis - 5.0), (1.0, 10.0), style::UNJUDGED);
        let text = style::number(share, 2);
        let below = (at, axis + 20.0);
        page.text(below, size::CAPTION, &text, false, style::GREY, Anchor::Middle);
    }
    if let (Some(value), Some((low, high))) = (score.score, score.interval) {
        let colour = tone;
        let wide = (WIDE * (high - low)).max(2.0);
        page.fill((x + WIDE * low, axis - 4.0), (wide, 8.0), style::PAPER.mix(colour, 0.3));
        page.fill((x + WIDE * value - 2.0, axis - 9.0), (4.0, 18.0), colour);
    }
    let mut lines: Vec<(String, Colour)> = Vec::new();
    match score.interval {
        Some((low, high)) => lines.push((
            format!("95 % interval {} to {}", style::fixed(low, 2), style::fixed(high, 2)),
            style::INK,
        )),
        None => lines.push(("no change had an effect".into(), style::INK)),
    }
    if let Some(s) = card.sampled.filter(|s| s.drawn < s.population) {
        lines.push((
            format!(
                "of all {} weights: {} ± {} (s.e.)",
                style::fixed(s.population as f64, 0),
                style::fixed(s.share, 3),
                style::fixed(s.standard_error, 3)
            ),
            style::INK,
        ));
    }
    let (fit, colour) = match score.fit {
        Some(fit) if score.counts => (format!("fit: R² {}", style::fixed(fit.r2, 4)), style::INK),
        Some(fit) => (
            format!(
                "R² {}: the score does not count (≥ {})",
                style::fixed(fit.r2, 3),
                style::number(crate::score::FIT_GATE, 2)
            ),
            style::FRACTURED,
        ),
        None => ("fit: not measured, no target".into(), style::GREY),
    };
    lines.push((fit, colour));
    lines.push((
        format!(
            "{} of {} weights, both signs",
            style::fixed(score.weights as f64, 0),
            style::fixed(score.non_zero as f64, 0)
        ),
        style::INK,
    ));
    let mut y = axis + 48.0;
    for (line, colour) in lines {
        let line = ellipsized(&line, size::TICK, false, WIDE + 30.0);
        page.text((x, y), size::TICK, &line, false, colour, Anchor::Start);
        y += 20.0;
    }
    y
}

/// A stacked bar a layer: coherent, fractured, silent. Returns its lower end.
fn layers(page: &mut Page, score: &CompositionalScore, x: f64, wide: f64, top: f64) -> f64 {
    let name = "by layer of the weight";
    page.text((x, top + 11.0), size::TICK, name, true, style::GREY, Anchor::Start);
    let count = score.layers.len().max(1) as f64;
    let pitch = (168.0 / count).clamp(15.0, 26.0);
    let high = pitch - 4.0;
    let (label, numbers) = (30.0, 96.0);
    let room = (wide - label - numbers).max(40.0);
    let mut y = top + 22.0;
    for (i, &(coherent, fractured, silent)) in score.layers.iter().enumerate() {
        let base = y + high / 2.0 + 4.5;
        let em = size::CAPTION.min(high);
        let name = (i + 1).to_string();
        page.text((x + label - 8.0, base), em, &name, false, style::INK, Anchor::End);
        let all = coherent + fractured + silent;
        let mut at = x + label;
        page.fill((at, y), (room, high), style::BLANK);
        for (share, colour) in [(coherent, style::COHERENT), (fractured, style::FRACTURED)] {
            let part = room * share as f64 / all.max(1) as f64;
            if part > 0.0 {
                page.fill((at, y), (part, high), colour);
            }
            at += part;
        }
        let text = format!("{coherent} / {fractured} / {silent}");
        let right = (x + label + room + 10.0, base);
        page.text(right, em, &text, false, style::GREY, Anchor::Start);
        y += pitch;
    }
    y += 10.0;
    let mut at = x;
    for (colour, text) in [
        (style::COHERENT, format!("{} coherent", score.coherent)),
        (style::FRACTURED, format!("{} fractured", score.fractured)),
        (style::BLANK, format!("{} silent", score.silent)),
    ] {
        page.fill((at, y), (13.0, 13.0), colour);
        let words = (at + 19.0, y + 11.5);
        page.text(words, size::TICK, &text, false, style::INK, Anchor::Start);
        at += 19.0 + text_width(&text, size::TICK, false) + 18.0;
    }
    y + 22.0
}

/// Rows of changed pictures.
fn changed(page: &mut Page, card: &Card<'_>) {
    if card.changed.is_empty() {
        return;
    }
    let more = format!(
        "each: the whole network after one weight moved ({}); green frame: judged coherent, red: fractured",
        card.score.delta
    );
    page.heading("One weight changed", &more);
    let apart = (ROOM - ACROSS as f64 * PANE) / (ACROSS - 1) as f64;
    for row in card.changed.chunks(ACROSS) {
        for (i, one) in row.iter().enumerate() {
            let x = MARGIN + i as f64 * (PANE + apart);
            let colour = match one.label {
                Label::Coherent => style::COHERENT,
                Label::Fractured => style::FRACTURED,
            };
            page.picture((x, page.y + 3.0), PANE, &one.picture, colour, 3.0);
            let caption = ellipsized(&one.caption, 10.0, false, PANE + apart);
            let at = (x + PANE / 2.0, page.y + PANE + 18.0);
            page.text(at, 10.0, &caption, false, style::GREY, Anchor::Middle);
        }
        page.y += PANE + 30.0;
    }
    page.y += 14.0;
}

/// The table of further measures.
fn measures(page: &mut Page, card: &Card<'_>) {
    if card.measures.is_empty() {
        return;
    }
    page.heading("Further measures", card.measures_note);
    let evolved = card.measures.iter().any(|m| m.evolved.is_some());
    // Right ends of the numbers' columns, left end of the words.
    let (value, shuffled) = (MARGIN + 326.0, MARGIN + 506.0);
    let (range, reference) = (shuffled + 26.0, shuffled + 150.0);
    let ends = if evolved { Some(MARGIN + 590.0) } else { None };
    let push = if evolved { 84.0 } else { 0.0 };
    let head = |page: &mut Page, x: f64, text: &str, anchor: Anchor| {
        let at = (x, page.y + 12.0);
        page.text(at, size::CAPTION, text, true, style::GREY, anchor);
    };
    head(page, MARGIN + 8.0, "measure", Anchor::Start);
    head(page, value, "this network", Anchor::End);
    head(page, shuffled, "weights shuffled", Anchor::End);
    if let Some(x) = ends {
        head(page, x, "evolved", Anchor::End);
    }
    head(page, range + push, "range", Anchor::Start);
    head(page, reference + push, "compare with", Anchor::Start);
    page.y += 20.0;
    let number = |v: Option<f64>| v.map_or("–".to_string(), |v| style::number(v, 3));
    for (i, m) in card.measures.iter().enumerate() {
        if i % 2 == 0 {
            page.fill((MARGIN, page.y), (ROOM, 22.0), style::GRID.mix(style::PAPER, 0.6));
        }
        let base = page.y + 15.5;
        let name = ellipsized(&m.name, size::TICK, false, 220.0);
        page.text((MARGIN + 8.0, base), size::TICK, &name, false, style::INK, Anchor::Start);
        page.text((value, base), size::TICK, &number(m.value), true, style::INK, Anchor::End);
        let text = number(m.shuffled);
        page.text((shuffled, base), size::TICK, &text, false, style::GREY, Anchor::End);
        if let Some(x) = ends {
            let text = number(m.evolved);
            page.text((x, base), size::TICK, &text, false, style::GREY, Anchor::End);
        }
        let em = size::CAPTION;
        page.text((range + push, base), em, &m.range, false, style::GREY, Anchor::Start);
        let room = WIDTH - MARGIN - reference - push;
        let words = ellipsized(&m.reference, em, false, room);
        page.text((reference + push, base), em, &words, false, style::INK, Anchor::Start);
        page.y += 22.0;
    }
    page.y += 24.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;
    use crate::score::Fit;

    fn score(counts: bool) -> CompositionalScore {
        CompositionalScore {
            judge: "mock/0".into(),
            delta: "effect:0.18".into(),
            coherent: 6,
            fractured: 2,
            silent: 4,
            score: Some(0.75),
            interval: Some((0.41, 0.93)),
            layers: vec![(4, 0, 2), (2, 2, 2)],
            fit: Some(Fit { mse: 0.1, r2: if counts { 0.99 } else { 0.4 } }),
            counts,
            non_zero: 30,
            weights: 6,
        }
    }

    fn drawn(counts: bool) -> String {
        let picture = Picture::filled(8, 8, [0.2, 0.4, 0.6]);
        let changed = [Changed {
            picture: picture.clone(),
            label: Label::Fractured,
            caption: "layer 1, w3 +0.2".into(),
        }];
        let row = Measure {
            key: "reuse".into(),
            name: "reuse".into(),
            value: Some(1.25),
            range: "0 up".into(),
            shuffled: None,
            evolved: None,
            reference: "a < b".into(),
        };
        let network = "2;sin:3".parse::<Arch>().unwrap().network();
        let weights = Weights(vec![0.5; network.weight_count()]);
        let maps = vec![0.25; 16 * network.units.len()];
        card(&Card {
            title: "net",
            subtitle: "how",
            drawn: &picture,
            target: None,
            score: &score(counts),
            sampled: None,
            changed: &changed,
            measures: &[row],
            measures_note: "",
            network: &network,
            weights: &weights,
            maps: (&maps, 4),
            alive: &vec![true; network.units.len()],
        })
    }

    #[test]
    fn a_card_is_one_svg_with_its_numbers_and_both_inner_figures() {
        let svg = drawn(true);
        let (_, _, rgb) = super::super::files::svg_to_rgb(&svg, 0.5).unwrap();
        let ink = |c: Colour| rgb.chunks_exact(3).filter(|p| p == &[c.0, c.1, c.2]).count();
        assert!(ink(style::COHERENT) > 100 && ink(style::FRACTURED) > 100);
        assert_eq!(svg.matches("<svg ").count(), 3);
        assert_eq!(svg.matches("<title>").count(), 1);
        for words in ["0.75", "0.41 to 0.93", "a &lt; b", "1.25", "4 silent", "R² 0.99"] {
            assert!(svg.contains(words), "{words}");
        }
        assert!(!svg.contains("UNFIT"));
    }

    #[test]
    fn an_unfit_network_says_so_in_its_card() {
        let svg = drawn(false);
        assert!(svg.contains("UNFIT") && svg.contains("does not count"));
    }
}
