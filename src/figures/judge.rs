//! What `picloom judge` draws: sheets of numbered pairs to label blind, the reliability diagram,
//! the ROC curve.

use super::axis::Axis;
use super::charts::{Figure, Panel, Point, Series};
use super::sheets::{Block, Pane, Sheet};
use super::style::{self, COHERENT, FRACTURED, GREY, INK, Marker, fixed, number};
use super::svg::{Anchor, Svg};
use super::{Provenance, SaveError, svg_to_png};
use crate::network::Picture;
use crate::network::files::{create_folder, write_atomic};
use crate::network::picture::PictureError;
use crate::score::Label;
use crate::score::calibrate::{NumberedPairs, Report};
use std::path::Path;

/// A base picture and its perturbed copy under a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberedPair {
    /// The number.
    pub number: usize,
    /// Shown left.
    pub base: Picture,
    /// Shown right.
    pub perturbed: Picture,
}

/// Pairs a row of a sheet.
pub const PAIR_COLUMNS: usize = 4;

/// A sheet of numbered pairs, A left and B right; `pane` is the side of a picture in pixels. It
/// says nothing of where a pair comes from.
pub fn pair_sheet(pairs: &[NumberedPair], pane: usize) -> String {
    const CAPTION: f64 = 18.0;
    const GAP: f64 = 3.0;
    const APART: f64 = 18.0;
    let side = pane as f64;
    let (cell_width, cell_height) = (2.0 * side + GAP + APART, side + CAPTION + APART / 2.0);
    let rows = pairs.len().div_ceil(PAIR_COLUMNS);
    let mut svg =
        Svg::new(PAIR_COLUMNS as f64 * cell_width + APART, rows as f64 * cell_height + APART);
    for (i, pair) in pairs.iter().enumerate() {
        let x = APART + (i % PAIR_COLUMNS) as f64 * cell_width;
        let y = APART / 2.0 + (i / PAIR_COLUMNS) as f64 * cell_height;
        let text = pair.number.to_string();
        svg.text((x, y + CAPTION - 5.0), &text, 14.0, true, INK, Anchor::Start);
        for (k, picture) in [&pair.base, &pair.perturbed].into_iter().enumerate() {
            let left = x + k as f64 * (side + GAP);
            let at = (left, y + CAPTION);
            svg.image(at, (side, side), &picture.to_png(&[]), false);
            svg.rect(left, at.1, side, side, None, Some((GREY, 0.6)));
        }
    }
    svg.finish("numbered pairs of pictures: left before, right after one weight was changed")
}

/// Side of a picture on a saved sheet, in pixels.
const PANE: usize = 168;

/// Writes the pairs into `folder`, `page` of them on a sheet: `sheet_01.png` and on. Returns the
/// number of sheets.
///
/// # Errors
/// The folder cannot be written.
pub fn save_pair_sheets(
    all: &NumberedPairs,
    page: usize,
    folder: &Path,
) -> Result<usize, SaveError> {
    create_folder(folder)?;
    let pages = all.pairs.chunks(page.max(1));
    let sheets = pages.len();
    for (s, pairs) in pages.enumerate() {
        let pairs: Vec<NumberedPair> = pairs
            .iter()
            .enumerate()
            .map(|(k, pair)| NumberedPair {
                number: s * page + k + 1,
                base: all.bases[pair.network].clone(),
                perturbed: pair.picture.clone(),
            })
            .collect();
        let path = folder.join(format!("sheet_{:02}.png", s + 1));
        let png = svg_to_png(&pair_sheet(&pairs, PANE), 1.0, &Provenance::none())
            .map_err(|problem| SaveError::Draw { path: path.clone(), problem })?;
        write_atomic(&path, &png)?;
    }
    Ok(sheets)
}

/// Predicted probability against observed share, with Wilson's intervals and the counts beside
/// the points.
pub fn reliability(report: &Report) -> String {
    let pooled = &report.pooled;
    let points = pooled.reliability.iter().map(|bin| {
        Point::new(bin.probability, bin.fractured.estimate)
            .between(bin.fractured.low, bin.fractured.high)
            .label(format!("n = {}", bin.pictures))
    });
    let x = Axis::new("mean P(fractured) the judge gave").range(0.0, 1.0);
    let y = Axis::new("share truly fractured").range(0.0, 1.0);
    let cloud = Series::cloud("", FRACTURED, Marker::Circle, points);
    Figure::new("Does P(fractured) mean what it says?")
        .subtitle(format!(
                "{} against {}: n = {}, calibration error {}, Brier {}",
                report.judge,
                report.against,
                pooled.pictures,
                number(pooled.calibration_error, 2),
                number(pooled.brier, 2)
            ))
        .note("Tenths of P(fractured). Whiskers: Wilson 95 % intervals, pictures taken as independent.")
        .sized(720, 620)
        .draw(&[Panel { diagonal: true, ..Panel::new("", x, y, vec![cloud]) }])
}

/// The ROC curve over all pictures, and one for each target in grey.
pub fn roc(report: &Report) -> String {
    let pooled = &report.pooled;
    let mut series: Vec<Series> = report
        .targets
        .values()
        .filter(|a| a.auc.is_some())
        .map(|a| Series { width: 0.9, ..Series::line("", style::UNJUDGED, a.roc.iter().copied()) })
        .collect();
    series.push(Series::line("", FRACTURED, pooled.roc.iter().copied()));
    let auc = pooled
        .auc
        .map_or("none".to_string(), |a| format!("{:.3} [{:.3}, {:.3}]", a.estimate, a.low, a.high));
    let x = Axis::new("coherent pictures called fractured").range(0.0, 1.0).percent();
    let y = Axis::new("fractured pictures called fractured").range(0.0, 1.0).percent();
    Figure::new("How well are fractured and coherent pictures told apart?")
        .subtitle(format!(
            "{}, against {}: {} pictures, AUC {auc}",
            report.judge, report.against, pooled.pictures
        ))
        .note("Thick: all pictures. Grey: each target by itself.")
        .sized(720, 620)
        .draw(&[Panel { diagonal: true, ..Panel::new("", x, y, series) }])
}

/// The worst mistakes of a report: base and changed picture side by side, framed by the label.
///
/// # Errors
/// A picture cannot be read.
pub fn worst_mistakes(report: &Report) -> Result<String, PictureError> {
    let mut panes = Vec::new();
    for m in &report.mistakes {
        let (base, image) = &m.paths;
        panes.push(Pane::new(Picture::read(base)?, m.network.clone()));
        let doubt = if m.unsure { "?" } else { "" };
        let (said, colour) = match m.label {
            Label::Coherent => ("coherent", COHERENT),
            Label::Fractured => ("fractured", FRACTURED),
        };
        let caption = format!("{said}{doubt} P {}", fixed(m.p, 2));
        panes.push(Pane::new(Picture::read(image)?, caption).bordered(colour));
    }
    let sheet = Sheet {
        title: "The worst mistakes".into(),
        subtitle: format!(
            "{}: left the base, right the change; framed by the label (? in doubt), P is the judge's P(fractured)",
            report.judge
        ),
        legend: vec![
            (COHERENT, "labelled coherent".into()),
            (FRACTURED, "labelled fractured".into()),
        ],
        blocks: vec![Block::of_panes("", &panes, 4)],
        pane: 128,
        ..Sheet::default()
    };
    Ok(sheet.draw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Verdict;

    #[test]
    fn sheets_carry_numbers_and_two_pictures_a_pair() {
        let picture = Picture::filled(8, 8, [0.2; 3]);
        let pairs: Vec<NumberedPair> = (17..22)
            .map(|number| NumberedPair {
                number,
                base: picture.clone(),
                perturbed: picture.clone(),
            })
            .collect();
        let svg = pair_sheet(&pairs, 40);
        assert_eq!(svg.matches("<image").count(), 10);
        assert!(svg.contains(">17</text>") && svg.contains(">21</text>"));
        assert!(crate::figures::svg_to_png(&svg, 1.0, &super::super::Provenance::none()).is_ok());
    }

    #[test]
    fn diagrams_show_every_bin_and_the_pooled_area() {
        let truth = [Label::Coherent, Label::Fractured, Label::Fractured, Label::Coherent];
        let verdicts = [0.1, 0.9, 0.6, 0.7].map(Verdict::from_probability);
        let report = Report::of("dl", "labels", &["owl"; 4], &truth, &verdicts).unwrap();
        let svg = reliability(&report);
        assert_eq!(svg.matches("n = 1").count(), 4, "{svg}");
        assert!(roc(&report).contains("0.750"));
    }
}
