//! Score by depth, and depth by compression.

use super::data::{look, spoken, what};
use super::{DrawError, Drawing, Sources};
use picloom::base::real;
use picloom::experiment::depth::{DepthCurve, DepthModel, Sweep, depth_curves};
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Figure, Panel, Point, Series};
use picloom::figures::style::{self, Marker, fixed, number};

const STUDY: &str = "depth";

pub(super) fn predicted(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let nothing = |_| DrawError::Nothing {
        study: STUDY.into(),
        expected: "a depth whose networks learned their picture".into(),
    };
    // As the predictor itself: pruned networks, dense ones if no pruned one counts.
    let fitted = |sweep| DepthModel::fit(&depth_curves(&record, sweep), record.size);
    let (arm, sweep, model) = match fitted(Sweep::SP) {
        Ok(model) => ("sp", Sweep::SP, model),
        Err(_) => ("dense", Sweep::DENSE, fitted(Sweep::DENSE).map_err(nothing)?),
    };
    let (label, colour, marker) = look(arm);
    let curves = depth_curves(&record, sweep);
    let (mut found, mut guessed) = (Vec::new(), Vec::new());
    for (target, ratio, layers) in &model.fitted {
        let y = *layers as f64;
        let mut point = Point::new(*ratio, y).label(spoken(target));
        if model.fitted.len() >= 3 {
            let others: Vec<DepthCurve> =
                curves.iter().filter(|c| c.target != *target).cloned().collect();
            if let Ok(other) = DepthModel::fit(&others, record.size) {
                let guess = other.layers(*ratio) as f64;
                guessed.push(Point::new(*ratio, guess));
                point = point.between(guess.min(y), guess.max(y));
            }
        }
        found.push(point);
    }
    let ratios = || model.fitted.iter().map(|f| f.1);
    let (low, high) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
    let line: Vec<(f64, f64)> = (0..=40)
        .map(|i| {
            let c = low * real::exp(real::ln(high / low) * f64::from(i) / 40.0);
            (c, (model.b0 + model.b1 * real::ln(c)).max(1.0))
        })
        .collect();
    let mut series = vec![Series::line("Theil–Sen line", style::INK, line).dashed()];
    if !guessed.is_empty() {
        let name = "predicted from the other targets";
        series.push(Series::cloud(name, style::GREY, Marker::Ring, guessed));
    }
    series.push(Series::cloud(format!("optimal depth, {label}"), colour, marker, found));
    let targets = model.fitted.len();
    let slope = fixed(model.b1, 2);
    let mut says = match model.b1_interval.filter(|_| targets >= 3) {
        Some((l, h)) => format!(
            "Slope on ln c: {slope} [{}, {}] layers (95 %, {targets} targets)",
            fixed(l, 2),
            fixed(h, 2)
        ),
        None => {
            format!("Slope on ln c: {slope} layers (no interval: {targets} of 3 targets or more)")
        }
    };
    if let (Some(error), Some(median)) = (model.error, model.median_error) {
        says += &format!(
            "; error on the target left out {} layers, of the median of the others {}",
            fixed(error, 2),
            fixed(median, 2)
        );
    }
    if let Some(s) = &model.spearman {
        let exact = if s.exact { "exact " } else { "" };
        says += &format!("; Spearman's ρ {}, {exact}p {}", fixed(s.statistic, 2), number(s.p, 2));
    }
    says.push('.');
    let x = Axis::new("c, PNG bytes / raw bytes of the target").log();
    let y = Axis::new("optimal depth (hidden layers)").whole();
    let svg = Figure::new("Optimal depth against the compressibility of the picture")
            .subtitle(what(&record))
            .note(format!(
                "{says} Whiskers join each target with its prediction. c: bytes of the PNG / raw bytes at this size, this crate's encoder."
            ))
            .sized(860, 580)
            .draw(&[Panel::new("", x, y, series)]);
    Ok(Drawing { svg, says })
}
