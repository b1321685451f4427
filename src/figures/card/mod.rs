//! One network on one page: what it draws, its score, what changed weights do to the picture, the
//! further measures, its maps and its wiring.

mod inside;
mod parts;

pub(crate) use parts::{Card, Changed};

use super::fonts::{text_width, wrapped};
use super::page::{CAPTION, NAME, NOTE, PLAIN, Page, SUBTITLE};
use super::raster::pictures;
use super::style::{self, Colour, size};
use super::svg::Anchor;
use super::words::meaning;
use crate::network::Picture;
use crate::score::{Call, Calls, CompositionalScore};
use parts::{ACROSS, GAP, MARGIN, PANE, ROOM, SHOT, WIDTH, heading};

/// A heading over a number or a picture.
const OVER: super::page::Look = (size::TICK, true, style::GREY);

/// Draws a card.
pub(crate) fn card(card: &Card<'_>) -> String {
    let mut page = Page::new(WIDTH, MARGIN);
    page.words(card.title, (1.2 * size::TITLE, true, style::INK), 2);
    page.words(card.subtitle, SUBTITLE, 3);
    page.y += 16.0;
    summary(&mut page, card);
    changed(&mut page, card);
    measures(&mut page, card);
    inside::inside(&mut page, card);
    page.finish(MARGIN, card.title)
}

/// A picture in a frame.
fn picture(page: &mut Page, at: (f64, f64), side: f64, shown: &Picture, colour: Colour, line: f64) {
    pictures(page, at, side, side, &[Some(shown)]);
    page.frame(at, side, colour, line);
}

/// Pictures, the score, and the score of each layer.
fn summary(page: &mut Page, card: &Card<'_>) {
    let top = page.y;
    let mut x = MARGIN;
    let shots = [(Some(card.drawn), "it draws"), (card.target, "it should draw")];
    for (shown, name) in shots {
        let Some(shown) = shown else { continue };
        page.text((x, top + 11.0), name, OVER, Anchor::Start);
        picture(page, (x, top + 20.0), SHOT, shown, style::SILVER, 1.0);
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
    let tone = if score.counts { style::INK } else { style::SILVER };
    page.text((x, top + 11.0), "compositional score", OVER, Anchor::Start);
    let value = score.score.map_or("none".into(), |v| style::fixed(v, 2));
    page.svg.open(meaning("score").unwrap_or_default());
    page.text((x - 2.0, top + 66.0), &value, (56.0, true, tone), Anchor::Start);
    page.svg.close();
    if !score.counts {
        let at = x + 10.0 + text_width(&value, 56.0, true);
        let wide = text_width("UNFIT", size::LABEL, true) + 16.0;
        page.fill((at, top + 38.0), (wide, 26.0), style::DAMAGED);
        let middle = (at + wide / 2.0, top + 56.5);
        page.text(middle, "UNFIT", (size::LABEL, true, style::PAPER), Anchor::Middle);
    }
    let axis = top + 92.0;
    page.fill((x, axis - 1.0), (WIDE, 2.0), style::GRID);
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let at = x + WIDE * share;
        page.fill((at - 0.5, axis - 5.0), (1.0, 10.0), style::SILVER);
        page.text((at, axis + 20.0), &style::number(share, 2), CAPTION, Anchor::Middle);
    }
    if let (Some(value), Some((low, high))) = (score.score, score.interval) {
        let wide = (WIDE * (high - low)).max(2.0);
        page.fill((x + WIDE * low, axis - 4.0), (wide, 8.0), style::PAPER.mix(tone, 0.3));
        page.fill((x + WIDE * value - 2.0, axis - 9.0), (4.0, 18.0), tone);
    }
    let interval = match score.interval {
        Some((low, high)) => {
            format!("95 % interval {} to {}", style::fixed(low, 2), style::fixed(high, 2))
        }
        None => "no change had an effect".into(),
    };
    let mut lines = vec![(interval, style::INK)];
    if let Some(share) = score.clean_share {
        lines.push((format!("clean share {}", style::fixed(share, 2)), style::INK));
    }
    if let Some(s) = card.sampled.filter(|s| s.drawn < s.population) {
        lines.push((
            format!(
                "of all {} weights, s.e. of the sample {}",
                style::fixed(s.population as f64, 0),
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
            style::DAMAGED,
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
        page.cut((x, y), &line, (size::TICK, false, colour), Anchor::Start, WIDE + 30.0);
        y += 20.0;
    }
    y
}

/// A stacked bar a layer: clean, unclear, damaged, silent. Returns its lower end.
fn layers(page: &mut Page, score: &CompositionalScore, x: f64, wide: f64, top: f64) -> f64 {
    page.text((x, top + 11.0), "by layer of the weight", OVER, Anchor::Start);
    let count = score.layers.len().max(1) as f64;
    let pitch = (168.0 / count).clamp(15.0, 26.0);
    let high = pitch - 4.0;
    let (label, numbers) = (30.0, 118.0);
    let room = (wide - label - numbers).max(40.0);
    let mut y = top + 22.0;
    for (i, &calls) in score.layers.iter().enumerate() {
        let Calls { clean, unclear, damaged, silent } = calls;
        let base = y + high / 2.0 + 4.5;
        let em = size::CAPTION.min(high);
        let name = (i + 1).to_string();
        page.text((x + label - 8.0, base), &name, (em, false, style::INK), Anchor::End);
        let all = calls.judged() + silent;
        let mut at = x + label;
        page.fill((at, y), (room, high), style::BLANK);
        for (share, call) in
            [(clean, Call::Clean), (unclear, Call::Unclear), (damaged, Call::Damaged)]
        {
            let part = room * share as f64 / all.max(1) as f64;
            if part > 0.0 {
                page.fill((at, y), (part, high), style::called(call));
            }
            at += part;
        }
        let text = format!("{clean} / {unclear} / {damaged} / {silent}");
        let right = (x + label + room + 10.0, base);
        page.text(right, &text, (em, false, style::GREY), Anchor::Start);
        y += pitch;
    }
    y += 10.0;
    let mut at = x;
    for (colour, text) in [
        (style::CLEAN, format!("{} clean", score.clean)),
        (style::UNCLEAR, format!("{} unclear", score.unclear)),
        (style::DAMAGED, format!("{} damaged", score.damaged)),
        (style::BLANK, format!("{} silent", score.silent)),
    ] {
        let width = 19.0 + text_width(&text, size::TICK, false);
        if at > x && at + width > x + wide {
            (at, y) = (x, y + 20.0);
        }
        page.fill((at, y), (13.0, 13.0), colour);
        page.text((at + 19.0, y + 11.5), &text, PLAIN, Anchor::Start);
        at += width + 18.0;
    }
    y + 22.0
}

/// Rows of changed pictures.
fn changed(page: &mut Page, card: &Card<'_>) {
    if card.changed.is_empty() {
        return;
    }
    let more = format!(
        "each: the whole network after one weight moved ({}); green frame: judged clean, yellow: unclear, red: damaged",
        card.score.delta
    );
    heading(page, "One weight changed", &more);
    let apart = (ROOM - ACROSS as f64 * PANE) / (ACROSS - 1) as f64;
    for row in card.changed.chunks(ACROSS) {
        for (i, one) in row.iter().enumerate() {
            let x = MARGIN + i as f64 * (PANE + apart);
            let colour = style::called(one.call);
            picture(page, (x, page.y + 3.0), PANE, &one.picture, colour, 3.0);
            let at = (x + PANE / 2.0, page.y + PANE + 18.0);
            page.cut(at, &one.caption, (10.0, false, style::GREY), Anchor::Middle, PANE + apart);
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
    heading(page, "Further measures", card.measures_note);
    let evolved = card.measures.iter().any(|m| m.evolved.is_some());
    // Right ends of the numbers' columns, left end of the words.
    let (value, shuffled) = (MARGIN + 326.0, MARGIN + 506.0);
    let (range, reference) = (shuffled + 26.0, shuffled + 150.0);
    let ends = if evolved { Some(MARGIN + 590.0) } else { None };
    let push = if evolved { 84.0 } else { 0.0 };
    let heads = [
        (Some(MARGIN + 8.0), "measure", Anchor::Start),
        (Some(value), "this network", Anchor::End),
        (Some(shuffled), "weights shuffled", Anchor::End),
        (ends, "evolved", Anchor::End),
        (Some(range + push), "range", Anchor::Start),
        (Some(reference + push), "what it is", Anchor::Start),
    ];
    for (x, text, anchor) in heads {
        let Some(x) = x else { continue };
        page.text((x, page.y + 12.0), text, (size::CAPTION, true, style::GREY), anchor);
    }
    page.y += 20.0;
    let number = |v: Option<f64>| v.map_or("–".to_string(), |v| style::number(v, 3));
    for (i, m) in card.measures.iter().enumerate() {
        let room = WIDTH - MARGIN - reference - push;
        let words = wrapped(&m.reference, size::CAPTION, false, room, 3);
        let high = 22.0 + 14.0 * words.len().saturating_sub(1) as f64;
        if i % 2 == 0 {
            page.fill((MARGIN, page.y), (ROOM, high), style::GRID.mix(style::PAPER, 0.6));
        }
        let base = page.y + 15.5;
        page.svg.open(&format!("{}: {}. {}", m.name, m.range, m.reference));
        page.cut((MARGIN + 8.0, base), &m.name, PLAIN, Anchor::Start, 220.0);
        page.text((value, base), &number(m.value), NAME, Anchor::End);
        page.text((shuffled, base), &number(m.null), NOTE, Anchor::End);
        if let Some(x) = ends {
            page.text((x, base), &number(m.evolved), NOTE, Anchor::End);
        }
        page.text((range + push, base), &m.range, CAPTION, Anchor::Start);
        for (line, text) in words.iter().enumerate() {
            let at = (reference + push, base + 14.0 * line as f64);
            page.text(at, text, (size::CAPTION, false, style::INK), Anchor::Start);
        }
        page.svg.close();
        page.y += high;
    }
    page.y += 24.0;
}
