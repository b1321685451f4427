//! The best depth of a picture: measured by a depth sweep, and predicted from how well the picture
//! compresses (METHODS §8).
//!
//! Optimal depth: argmax of the mean score over seeds, by the one-standard-error rule. Networks that
//! have not learned their picture do not count. Predictor: c = PNG bytes / raw bytes of the target,
//! L̂ = round(b0 + b1·ln c), Theil–Sen. The ratio depends on encoder and resolution: both are pinned
//! (this crate's encoder, the study's size) and stated.

use super::networks::record::{NetworkRow, NetworksRecord};
use super::networks::spec::BASE;
use crate::base::SimRng;
use crate::base::real::ln;
use crate::base::stats::{
    Candidate, PermutationTest, Tail, mean, median, one_standard_error, spearman_test,
    standard_error, theil_sen,
};
use crate::network::Picture;
use crate::study::record::{Head, Record, STUDY};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// PNG bytes / raw bytes (3 a pixel) of a picture, by this crate's encoder; above 0.
pub fn png_ratio(picture: &Picture) -> f64 {
    picture.to_png(&[]).len() as f64 / (3 * picture.pixels()) as f64
}

/// One depth of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthPoint {
    /// Layers more than the reference's.
    pub offset: i64,
    /// L.
    pub layers: usize,
    /// Scores of the seeds that count.
    pub scores: Vec<f64>,
    /// Seeds that do not: unfit, failed, or nothing to judge.
    pub unfit: usize,
    /// Scores whatever the fit, for figures.
    pub all: Vec<f64>,
}

/// The scores of one target by depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthCurve {
    /// The target.
    pub target: String,
    /// PNG bytes / raw bytes of the target.
    pub ratio: f64,
    /// Points, shallowest first.
    pub points: Vec<DepthPoint>,
    /// L of the largest mean; `None` if no depth counts.
    pub best: Option<usize>,
    /// L by the one-standard-error rule; `None` if no depth counts.
    pub chosen: Option<usize>,
}

/// The depth curves of one arm: its name, level of pruning and way of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep<'a> {
    /// Name of the arm.
    pub arm: &'a str,
    /// Level of pruning; 0: not pruned.
    pub level: usize,
    /// Name of the way of training.
    pub variant: &'a str,
}

impl Sweep<'static> {
    /// The dense networks.
    pub const DENSE: Self = Sweep { arm: "dense", level: 0, variant: BASE };
    /// The networks after one round of similarity-based pruning: the recipe's.
    pub const SP: Self = Sweep { arm: "sp", level: 1, variant: BASE };
}

/// Seeds that must count for a depth to be a candidate: more than half.
fn counts(point: &DepthPoint) -> bool {
    point.scores.len() > point.unfit
}

impl DepthCurve {
    /// From points, shallowest first.
    pub fn of(target: &str, ratio: f64, mut points: Vec<DepthPoint>) -> Self {
        points.sort_by_key(|p| p.layers);
        let candidates: Vec<&DepthPoint> = points.iter().filter(|p| counts(p)).collect();
        let found = one_standard_error(
            &candidates
                .iter()
                .map(|p| Candidate {
                    mean: mean(&p.scores).unwrap_or(0.0),
                    standard_error: standard_error(&p.scores).unwrap_or(0.0),
                })
                .collect::<Vec<_>>(),
        )
        .ok();
        DepthCurve {
            target: target.into(),
            ratio,
            best: found.map(|f| candidates[f.0].layers),
            chosen: found.map(|f| candidates[f.1].layers),
            points,
        }
    }

    /// True if the best depth is the shallowest or the deepest that counts: then the sweep does
    /// not show a peak. False without one.
    pub fn at_edge(&self) -> bool {
        let layers = || self.points.iter().filter(|p| counts(p)).map(|p| p.layers);
        self.best.is_some() && (self.best == layers().min() || self.best == layers().max())
    }
}

/// A curve a target, of one arm.
pub fn depth_curves(record: &NetworksRecord, sweep: Sweep<'_>) -> Vec<DepthCurve> {
    let of = |row: &&NetworkRow| {
        row.arm == sweep.arm && row.level == sweep.level && row.variant == sweep.variant
    };
    let mut curves = Vec::new();
    for target in record.targets() {
        let mut points: Vec<DepthPoint> = Vec::new();
        for row in record.rows.iter().filter(of).filter(|r| r.target == target) {
            let known = points.iter().position(|p| p.layers == row.layers);
            let at = known.unwrap_or_else(|| {
                points.push(DepthPoint {
                    offset: row.offset,
                    layers: row.layers,
                    scores: Vec::new(),
                    unfit: 0,
                    all: Vec::new(),
                });
                points.len() - 1
            });
            let score = row.result.as_ref().and_then(|r| r.score().map(|s| (s, r.fit)));
            points[at].all.extend(score.map(|s| s.0));
            match score {
                Some((score, true)) => points[at].scores.push(score),
                _ => points[at].unfit += 1,
            }
        }
        if !points.is_empty() {
            let ratio = record.png_ratio.get(target).copied().unwrap_or(f64::NAN);
            curves.push(DepthCurve::of(target, ratio, points));
        }
    }
    curves
}

/// The record of the depth study `study`, under `runs` or `root/figures`.
///
/// # Errors
/// There is none, it is not finished, or cannot be read.
pub(crate) fn find_record(study: &str, runs: &Path, root: &Path) -> Result<NetworksRecord, String> {
    let places = [runs.to_path_buf(), root.join("figures")];
    let mut folders = places.iter().map(|folder| folder.join(study));
    let folder = folders.find(|folder| folder.join(STUDY).exists()).ok_or_else(|| {
        format!("no record of {study} under {}; run {study} there first", runs.display())
    })?;
    match Head::read(&folder.join(STUDY))?.missing {
        0 => NetworksRecord::read(&folder).map_err(|e| e.to_string()),
        missing => Err(format!(
            "{} with {missing} cells missing; run {study} to its end first",
            folder.display()
        )),
    }
}

/// A target, its ratio c, its optimal L.
pub(crate) type Fitted = (String, f64, usize);

/// Predicts the depth of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthModel {
    /// L̂ = round(b0 + b1·ln c), at least 1.
    pub b0: f64,
    /// Slope on ln c.
    pub b1: f64,
    /// 95 % interval of the slope; `None` if there were too few targets.
    pub b1_interval: Option<(f64, f64)>,
    /// Side of the pictures whose ratio is taken.
    pub size: usize,
    /// The points of the fit: target, c, optimal L.
    pub fitted: Vec<Fitted>,
    /// Mean absolute error on each target left out.
    pub error: Option<f64>,
    /// The same for predicting the median of the others.
    pub median_error: Option<f64>,
    /// Spearman's ρ of c and L with its exact permutation p.
    pub spearman: Option<PermutationTest>,
}

/// Permutations drawn where there are too many targets to go through all.
const DRAWS: usize = 20_000;

/// L = b0 + b1·ln c.
struct Line {
    b0: f64,
    b1: f64,
    interval: Option<(f64, f64)>,
}

/// Intercept and slope of Theil–Sen on ln c; the median depth if the ratios are all the same.
fn line(points: &[Fitted]) -> Option<Line> {
    let x: Vec<f64> = points.iter().map(|p| ln(p.1)).collect();
    let y: Vec<f64> = points.iter().map(|p| p.2 as f64).collect();
    match theil_sen(&x, &y, 0.95) {
        Ok(fit) => Some(Line {
            b0: fit.intercept,
            b1: fit.slope.estimate,
            interval: Some((fit.slope.low, fit.slope.high)),
        }),
        Err(_) => median(&y).ok().map(|m| Line { b0: m, b1: 0.0, interval: None }),
    }
}

impl DepthModel {
    /// From depth curves, those with a chosen depth.
    ///
    /// # Errors
    /// None has one: no network of the sweep learned its picture.
    pub fn fit(curves: &[DepthCurve], size: usize) -> Result<Self, String> {
        let fitted: Vec<Fitted> = curves
            .iter()
            .filter_map(|c| c.chosen.map(|l| (c.target.clone(), c.ratio, l)))
            .collect();
        let fit = line(&fitted).ok_or("no depth whose networks learned their picture")?;
        let (mut errors, mut medians) = (Vec::new(), Vec::new());
        if fitted.len() >= 3 {
            for left_out in 0..fitted.len() {
                let mut others = fitted.clone();
                let (_, ratio, layers) = others.remove(left_out);
                let line = line(&others).expect("at least two");
                let depths: Vec<f64> = others.iter().map(|p| p.2 as f64).collect();
                let guess = rounded(line.b0 + line.b1 * ln(ratio)) as f64;
                errors.push((guess - layers as f64).abs());
                medians.push((median(&depths).expect("at least two") - layers as f64).abs());
            }
        }
        let x: Vec<f64> = fitted.iter().map(|p| p.1).collect();
        let y: Vec<f64> = fitted.iter().map(|p| p.2 as f64).collect();
        let mut rng = SimRng::new(0, "depth-spearman", 0);
        Ok(DepthModel {
            b0: fit.b0,
            b1: fit.b1,
            b1_interval: fit.interval,
            size,
            error: mean(&errors).ok(),
            median_error: mean(&medians).ok(),
            spearman: spearman_test(&x, &y, Tail::TwoSided, DRAWS, &mut rng).ok(),
            fitted,
        })
    }

    /// From the record of a depth study: networks pruned once by similarity, or the dense ones if
    /// none of those counts.
    ///
    /// # Errors
    /// No depth counts.
    pub fn of_record(record: &NetworksRecord) -> Result<Self, String> {
        Self::fit(&depth_curves(record, Sweep::SP), record.size)
            .or_else(|_| Self::fit(&depth_curves(record, Sweep::DENSE), record.size))
    }

    /// The model of the depth study that comes with the program, fitted to a committed sweep of depths on many pictures.
    pub fn shipped() -> Self {
        let json = include_str!("../../assets/depth-model.json");
        serde_json::from_str(json).expect("the shipped model is sound")
    }

    /// The median of the depths it was fitted to, rounded: what a predictor blind to the picture says.
    pub fn median(&self) -> usize {
        let depths: Vec<f64> = self.fitted.iter().map(|f| f.2 as f64).collect();
        rounded(median(&depths).expect("fitted to something"))
    }

    /// L̂ for a picture of PNG ratio `c`.
    pub fn layers(&self, c: f64) -> usize {
        rounded(self.b0 + self.b1 * ln(c))
    }
}

/// The nearest number of layers, at least 1.
fn rounded(layers: f64) -> usize {
    layers.round().max(1.0) as usize
}
