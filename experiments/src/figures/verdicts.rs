//! The ledger as a forest plot: every effect a claim is decided on, with its interval, effects of one
//! kind on one axis. Of a rule with several halves, those that do not hold come first.

use super::data::distinct;
use super::{DrawError, Drawing, Sources, some};
use crate::claims::{ClaimRow, Special};
use crate::claims::{Valued, named};
use crate::finding::{Quantity, Verdict};
use picloom::figures::axis::{Axis, Laid};
use picloom::figures::fonts::wrapped;
use picloom::figures::style::{self, Colour, fixed, size};
use picloom::figures::svg::{Anchor, Svg};
use picloom::study::contrast::{self, Decision, Found};

const MARGIN: f64 = 18.0;
const WIDTH: f64 = 1090.0;
const LINE: f64 = 18.0;
/// Lines of an effect's name.
const SMALL: f64 = 15.0;
/// Left end and width of the claims' words, and of the effects' names.
const WORDS: (f64, f64) = (56.0, 220.0);
const NAMES: (f64, f64) = (296.0, 240.0);
/// Left and right end of the drawn effects.
const PLOT: (f64, f64) = (560.0, 800.0);

/// Colour of a claim's verdict; one whose word is not the rule's is not decided.
pub(super) fn shown(claim: &ClaimRow) -> Colour {
    match claim.verdict {
        _ if claim.text.word.is_some() => style::GREY,
        Verdict::Supported => Colour(0, 130, 96),
        Verdict::NotSupported => Colour(190, 62, 0),
        Verdict::Inconclusive => style::GREY,
    }
}

/// `0.12 [0.03, 0.21]`.
pub(super) fn numbers((estimate, ends): Valued) -> String {
    match (estimate, ends) {
        (Some(e), Some((l, h))) => style::interval(e, l, h, 2),
        (Some(e), None) => format!("{} (one target)", fixed(e, 2)),
        (None, _) => "no data".into(),
    }
}

/// An arm's name in a figure: `SP`, `layer counts`.
fn spoken(name: &str) -> String {
    let word = |word: &str| match word.strip_prefix("sp") {
        Some(rest) if rest.is_empty() || rest.starts_with(['-', ',']) => format!("SP{rest}"),
        _ => word.to_string(),
    };
    let words: Vec<String> = name.split(' ').map(word).collect();
    let text = words.join(" ").replace("=-", " −").replace("|-", " or −").replace('|', " or ");
    let mut spoken = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_inside = spoken.ends_with(|c: char| c.is_alphanumeric());
        let is_name = is_inside && rest.peek().is_some_and(|next| next.is_alphanumeric());
        spoken.push(if (c == '-' || c == '=') && is_name { ' ' } else { c });
    }
    spoken
}

/// How many claims have each verdict: `2 supported, 1 not supported, 10 inconclusive, 2 not testable`.
pub(super) fn tally(claims: &[ClaimRow]) -> String {
    let all = [Verdict::Supported, Verdict::NotSupported, Verdict::Inconclusive].map(Verdict::text);
    let own = distinct(claims.iter().filter(|c| c.text.word.is_some()).map(ClaimRow::word));
    let parts = all.into_iter().chain(own).map(|word| {
        let n = claims.iter().filter(|c| c.word() == word).count();
        format!("{n} {word}")
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The unit of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scores,
    Seeds,
    Cosine,
    Rho,
    Held,
    Parts,
    Separable,
    Decoded,
    LayersPart,
    Doubling,
}

impl Kind {
    /// That of an effect, by what its contrast measures.
    fn of(measure: &str) -> Kind {
        match measure {
            "fit" => Kind::Seeds,
            "interference" => Kind::Cosine,
            "decoded_components" => Kind::Decoded,
            _ => Kind::Scores,
        }
    }

    /// That of a finding, by the quantity that its rule asks for.
    fn of_finding(quantity: Option<Quantity>) -> Kind {
        match quantity {
            Some(Quantity::ShareOfIntervals) => Kind::Held,
            Some(Quantity::RankCorrelation) => Kind::Rho,
            Some(Quantity::LayersPerPart) => Kind::LayersPart,
            Some(Quantity::DoublingsOfLoss) => Kind::Doubling,
            Some(Quantity::StructuralCompositionality) | None => Kind::Separable,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Kind::Scores => "difference of compositional scores",
            Kind::Seeds => "difference of shares of seeds that learn the picture",
            Kind::Cosine => "difference of interference, mean squared cosine",
            Kind::Rho => "Spearman's ρ",
            Kind::Held => "share of intervals; wanted: .95",
            Kind::Parts => "share of parts; wanted: more than half",
            Kind::Separable => "separability (SC) less that of random masks",
            Kind::Decoded => "difference of decoded R²; wanted: equal",
            Kind::LayersPart => "layers a part",
            Kind::Doubling => "log₂ loss for each doubling of the steps; wanted: below 0",
        }
    }

    /// The value that says nothing.
    fn none(self) -> f64 {
        match self {
            Kind::Held => 0.95,
            Kind::Parts => 0.5,
            _ => 0.0,
        }
    }

    /// Its axis over these values: the whole range where there is one.
    fn axis(self, values: impl IntoIterator<Item = f64>) -> Laid {
        let axis = Axis::new("");
        let axis = match self {
            Kind::Scores | Kind::Seeds | Kind::Rho => axis.range(-1.0, 1.0),
            Kind::Parts => axis.range(0.0, 1.0),
            Kind::Decoded => axis.range(-0.4, 0.4),
            _ => axis.include(self.none()),
        };
        axis.over(values, 4.0)
    }

    /// Whether a finding of this kind holds.
    fn holds(self, estimate: Option<f64>, interval: Option<(f64, f64)>) -> bool {
        match (self, interval) {
            (_, None) => false,
            (Kind::Held, Some((_, high))) => high >= 0.95,
            (Kind::Parts, Some(_)) => estimate.is_some_and(|e| e > 0.5),
            (Kind::Doubling, Some((_, high))) => high < 0.0,
            (Kind::LayersPart, Some((low, high))) => low > 0.0 || high < 0.0,
            (_, Some((low, _))) => low > 0.0,
        }
    }
}

/// One half of what a claim is decided on.
pub(super) struct Half {
    kind: Kind,
    /// The comparison, in words.
    pub name: String,
    /// Its value in words.
    pub numbers: String,
    /// Targets behind it.
    pub targets: usize,
    estimate: Option<f64>,
    interval: Option<(f64, f64)>,
    /// The smallest difference that matters.
    margin: f64,
    holds: bool,
}

impl Half {
    /// An effect of a contrast.
    fn of(decision: &Decision, found: &Found) -> Self {
        let interval = found.low.zip(found.high);
        Half {
            kind: Kind::of(&found.of),
            name: spoken(&named(found)),
            numbers: numbers((found.estimate, interval)),
            targets: found.units.len(),
            estimate: found.estimate,
            interval,
            margin: decision.contrast.margin,
            holds: decision.asked && found.verdict == contrast::Verdict::Supported,
        }
    }

    /// A finding. Of Monte Carlo's no estimate may lie far off either, so that its own verdict counts.
    fn of_finding(Special { finding, .. }: &Special) -> Self {
        let (kind, ends) = (Kind::of_finding(finding.quantity), finding.interval);
        let interval = ends.map(|i| (i.low, i.high));
        let is_decided = kind != Kind::Held || finding.verdict == Verdict::Supported;
        Half {
            kind,
            name: finding.statistic.clone(),
            numbers: numbers((finding.effect, interval)),
            targets: 0,
            estimate: finding.effect,
            interval,
            margin: 0.0,
            holds: is_decided && kind.holds(finding.effect, interval),
        }
    }
}

/// The halves of a claim's decision, those that do not hold first. One claim has a half that is in
/// the notes of its finding.
pub(super) fn halves(claim: &ClaimRow) -> Vec<Half> {
    let effects = claim.deciding().flat_map(|d| d.primary().map(move |found| Half::of(d, found)));
    let noted = claim.found().flat_map(|one| &one.finding.notes).filter_map(|note| share_of(note));
    let mut all: Vec<Half> =
        noted.chain(claim.found().map(Half::of_finding)).chain(effects).collect();
    all.sort_by_key(|half| half.holds);
    all
}

/// `20 of 63 parts have D_sub > 0 and D_abl < 0: 0.32 [0.22, 0.44]`.
fn share_of(note: &str) -> Option<Half> {
    let (name, numbers) = note.split_once(": ")?;
    if !name.starts_with(|c: char| c.is_ascii_digit()) || !name.contains(" parts have ") {
        return None;
    }
    let mut ends = numbers.split(['[', ',', ']']).map(|n| n.trim().parse::<f64>());
    let mut next = || ends.next()?.ok();
    let (estimate, low, high) = (next()?, next()?, next()?);
    Some(Half {
        kind: Kind::Parts,
        name: name.into(),
        numbers: numbers.into(),
        targets: 0,
        estimate: Some(estimate),
        interval: Some((low, high)),
        margin: 0.0,
        holds: Kind::Parts.holds(Some(estimate), Some((low, high))),
    })
}

/// Effects of one kind that a claim is decided on, and what stands beside them.
struct Block<'a> {
    claim: &'a ClaimRow,
    words: Vec<String>,
    /// Each with its name in lines.
    halves: Vec<(Half, Vec<String>)>,
}

impl Block<'_> {
    fn height(&self) -> f64 {
        let halves: f64 = self.halves.iter().map(|(_, name)| row(name)).sum();
        halves.max(self.words.len() as f64 * LINE) + 12.0
    }
}

/// Blocks of one kind, on one axis; of none, if nothing is known.
struct Section<'a> {
    kind: Option<Kind>,
    /// A half of a claim whose other halves are of other kinds: it stands beside them.
    alone: bool,
    blocks: Vec<Block<'a>>,
}

/// Height of an effect with this name.
fn row(name: &[String]) -> f64 {
    (name.len() as f64 * SMALL + 5.0).max(LINE + 2.0)
}

/// The blocks of every kind, in the order in which the claims come to it.
fn sections(claims: &[ClaimRow]) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for claim in claims {
        let all = halves(claim);
        let is_open = claim.verdict == Verdict::Inconclusive;
        let (held, count) = (all.iter().filter(|half| half.holds).count(), all.len());
        let kinds = distinct(all.iter().map(|half| half.kind));
        let mut halves: Vec<Option<Half>> = all.into_iter().map(Some).collect();
        // What nothing is known of has a place too.
        let wanted = if kinds.is_empty() { vec![None] } else { kinds.iter().map(Some).collect() };
        for (k, kind) in wanted.into_iter().map(|kind| kind.copied()).enumerate() {
            let own = halves.iter_mut().filter(|half| half.as_ref().map(|h| h.kind) == kind);
            let own: Vec<Half> = own.filter_map(Option::take).collect();
            let alone = kinds.len() > 1;
            let said = match own.first().is_some_and(|half| half.holds) {
                _ if !alone => "",
                _ if held == 0 || held == count => "(The same claim.)",
                true if is_open => "(This half holds, the other is open.)",
                true => "(This half holds, the other does not.)",
                false if is_open => "(This half is open, the other holds.)",
                false => "(This half does not hold, the other does.)",
            };
            // The claim itself is not said twice.
            let says = match k {
                0 if said.starts_with("(The same") => claim.says(),
                0 => format!("{} {said}", claim.says()),
                _ => said.to_string(),
            };
            let words = wrapped(&says, size::TICK, false, WORDS.1, 9);
            let named = own.into_iter().map(|half| {
                let name = wrapped(&half.name, size::CAPTION, false, NAMES.1, 9);
                (half, name)
            });
            let block = Block { claim, words, halves: named.collect() };
            match sections.iter_mut().find(|s| s.kind == kind && !s.alone && !alone) {
                Some(section) => section.blocks.push(block),
                None => sections.push(Section { kind, alone, blocks: vec![block] }),
            }
        }
    }
    sections
}

pub(super) fn forest(sources: &Sources) -> Result<Drawing, DrawError> {
    let ledger = sources.ledger()?;
    some(ledger.claims.iter().collect::<Vec<_>>(), "claims", "claims")?;
    let sections = sections(&ledger.claims);
    let note = "Effects as the rules of the claims name them, those of one kind on one axis, with 95 % intervals (over targets, if nothing else is said) and numbers. Of a rule with several halves, the one that does not hold stands first. Arrows: the interval goes on beyond the axis. Pale bands: differences too small to matter, by the rule of the claim. Filled: the half holds. The verdict is the rule's; undecidable and not testable are said in its place.";
    let note = wrapped(note, size::TICK, false, WIDTH - 2.0 * MARGIN, 6);
    let (top, heading) = (84.0, 50.0);
    let of = |blocks: &[Block<'_>]| blocks.iter().map(Block::height).sum::<f64>();
    let bottom = top + sections.iter().map(|s| heading + of(&s.blocks)).sum::<f64>();
    let mut svg = Svg::new(WIDTH, bottom + 30.0 + LINE * note.len() as f64);
    let text = |svg: &mut Svg, at, text: &str, em, bold, colour| {
        svg.text(at, text, em, bold, colour, Anchor::Start);
    };
    text(&mut svg, (MARGIN, 34.0), "The claims", size::TITLE, true, style::INK);
    text(&mut svg, (MARGIN, 57.0), &tally(&ledger.claims), size::SUBTITLE, false, style::GREY);
    let mut y = top;
    for Section { kind, blocks, .. } in &sections {
        let axis = kind.map(|kind| {
            let shown = blocks.iter().flat_map(|b| &b.halves).map(|h| &h.0);
            let ends = |h: &Half| h.interval.map_or([h.estimate; 2], |(a, b)| [Some(a), Some(b)]);
            kind.axis(shown.flat_map(|h| ends(h).into_iter().flatten()))
        });
        let title = kind.map_or("not decided", Kind::title);
        text(&mut svg, (MARGIN, y + 22.0), title, size::LABEL, true, style::INK);
        y += heading;
        if let (Some(kind), Some(axis)) = (kind, &axis) {
            let mut top = y - 4.0;
            for block in blocks {
                let margin = block.halves.iter().map(|half| half.0.margin).fold(0.0, f64::max);
                band(&mut svg, axis, (kind.none(), margin), (top, top + block.height()));
                top += block.height();
            }
            scale(&mut svg, axis, kind.none(), (y - 4.0, top));
        }
        for block in blocks {
            let claim = block.claim;
            svg.rect(MARGIN, y - 5.0, WIDTH - 2.0 * MARGIN, 0.8, Some(style::GRID), None);
            let colour = shown(claim);
            text(&mut svg, (MARGIN, y + 13.0), &claim.text.id, size::TICK, true, colour);
            for (i, line) in block.words.iter().enumerate() {
                let at = (WORDS.0, y + 13.0 + i as f64 * LINE);
                text(&mut svg, at, line, size::TICK, false, style::INK);
            }
            let verdict = claim.word();
            let at = (WIDTH - MARGIN, y + 13.0);
            svg.text(at, verdict, size::TICK, true, colour, Anchor::End);
            let mut at = y;
            for (half, name) in &block.halves {
                for (i, line) in name.iter().enumerate() {
                    let at = (NAMES.0, at + 12.0 + i as f64 * SMALL);
                    text(&mut svg, at, line, size::CAPTION, false, style::GREY);
                }
                if let Some(axis) = &axis {
                    one(&mut svg, at, half, axis, colour);
                }
                at += row(name);
            }
            if block.halves.is_empty() {
                let why = claim.notes.first().map_or("no data", String::as_str);
                for (i, line) in wrapped(why, size::CAPTION, false, 500.0, 3).iter().enumerate() {
                    let at = (NAMES.0, y + 12.0 + i as f64 * SMALL);
                    text(&mut svg, at, line, size::CAPTION, false, style::GREY);
                }
            }
            y += block.height();
        }
    }
    for (i, line) in note.iter().enumerate() {
        let at = (MARGIN, bottom + 22.0 + i as f64 * LINE);
        text(&mut svg, at, line, size::TICK, false, style::GREY);
    }
    let all = &ledger.claims;
    let parts: Vec<String> = all.iter().map(|c| format!("{} {}", c.text.id, c.word())).collect();
    Ok(Drawing {
        svg: svg.finish("The claims"),
        says: format!("{}: {}.", tally(all), parts.join(", ")),
    })
}

/// Pixel of a value; one beyond the axis stands at its end.
fn x(axis: &Laid, value: f64) -> f64 {
    let share = (axis.clamped(value) - axis.low) / (axis.high - axis.low);
    PLOT.0 + share * (PLOT.1 - PLOT.0)
}

/// A pale band about the value that says nothing, behind the rows between `top` and `bottom`.
fn band(svg: &mut Svg, axis: &Laid, (none, margin): (f64, f64), (top, bottom): (f64, f64)) {
    if margin > 0.0 {
        let (a, b) = (x(axis, none - margin), x(axis, none + margin));
        svg.rect(a, top, b - a, bottom - top, Some(style::BLANK), None);
    }
}

/// Ticks above the rows between `top` and `bottom`, and lines through them.
fn scale(svg: &mut Svg, axis: &Laid, none: f64, (top, bottom): (f64, f64)) {
    for (value, label) in &axis.ticks {
        let at = x(axis, *value);
        svg.rect(at - 0.5, top, 1.0, bottom - top, Some(style::GRID), None);
        svg.text((at, top - 6.0), label, size::CAPTION, false, style::GREY, Anchor::Middle);
    }
    svg.rect(x(axis, none) - 0.5, top, 1.0, bottom - top, Some(style::GREY), None);
}

/// One effect: its interval and its numbers.
fn one(svg: &mut Svg, y: f64, half: &Half, axis: &Laid, colour: Colour) {
    let middle = y + 8.0;
    if let Some((low, high)) = half.interval {
        let (a, b) = (x(axis, low), x(axis, high));
        svg.rect(a, middle - 1.0, (b - a).max(0.5), 2.0, Some(colour), None);
        for (end, at, way) in [(low, a, -1.0), (high, b, 1.0)] {
            // An end inside the axis has a cap; one beyond it an arrow.
            match axis.shown(end) {
                Some(_) => svg.rect(at - 0.8, middle - 4.0, 1.6, 8.0, Some(colour), None),
                None => svg.arrow((at + 8.0 * way, middle), way, colour),
            }
        }
    }
    if let Some(value) = half.estimate {
        let fill = if half.holds { colour } else { style::PAPER };
        let at = x(axis, value);
        match axis.shown(value) {
            Some(_) => svg.circle((at, middle), 4.2, fill, Some((colour, 1.8))),
            None => {
                let way = if value < axis.low { -1.0 } else { 1.0 };
                svg.arrow((at + 8.0 * way, middle), way, colour);
            }
        }
    }
    let at = (PLOT.1 + 20.0, y + 12.0);
    svg.text(at, &half.numbers, size::CAPTION, false, style::INK, Anchor::Start);
}
