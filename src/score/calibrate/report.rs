//! How well a judge agrees with labels, or with another judge.

use super::{LabelRow, WithinNetworks};
use crate::math::stats::{Confusion, Interval, auc_delong, wilson};
use crate::score::judge::{Label, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Bins of the reliability table.
const BINS: usize = 10;
/// Coverage of every interval.
const LEVEL: f64 = 0.95;

/// Agreement over one set of pictures. "True" is the label, or the judge compared against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Pictures.
    pub pictures: usize,
    /// `counts[true][judge]`, in the order coherent, fractured.
    pub confusion: [[usize; 2]; 2],
    /// Share of equal labels, in [0, 1].
    pub accuracy: f64,
    /// Cohen's κ (1 = full agreement, 0 = as by chance); none if all pictures got one label.
    pub kappa: Option<Interval>,
    /// Area under the ROC curve of the judge's evidence for fractured, with DeLong's interval; none
    /// with fewer than two pictures of a label.
    pub auc: Option<Interval>,
    /// Mean of (P(fractured) − true)², in [0, 1]; ¼ for a judge that always says ½.
    pub brier: f64,
    /// Σ over bins of share · |mean P − share fractured|: 0 = every probability means what it says.
    pub calibration_error: f64,
    /// Corners of the ROC curve from (0, 0) to (1, 1): (coherent, fractured) pictures called fractured,
    /// as shares. Empty without pictures of both labels.
    pub roc: Vec<(f64, f64)>,
    /// Non-empty tenths of P(fractured).
    pub reliability: Vec<ReliabilityBin>,
}

/// One bin of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Lower end of P(fractured).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Pictures in it.
    pub pictures: usize,
    /// Mean P(fractured) the judge gave.
    pub probability: f64,
    /// Share truly fractured, with Wilson's interval.
    pub fractured: Interval,
}

impl Agreement {
    /// Of labels and verdicts in one order; none if there are none.
    pub fn of(truth: &[Label], verdicts: &[Verdict]) -> Option<Self> {
        let n = truth.len().min(verdicts.len());
        if n == 0 {
            return None;
        }
        let class = |label: Label| usize::from(label == Label::Fractured);
        let true_class: Vec<usize> = truth.iter().map(|&l| class(l)).collect();
        let judged: Vec<usize> = verdicts.iter().map(|v| class(v.likelier())).collect();
        let table = Confusion::of(&true_class, &judged, 2).ok()?;
        let evidence = |of: usize| -> Vec<f64> {
            let pairs = verdicts.iter().zip(&true_class);
            pairs.filter(|(_, c)| **c == of).map(|(v, _)| v.evidence).collect()
        };
        let mut bins = vec![(0usize, 0.0f64, 0usize); BINS];
        let mut brier = 0.0;
        for (verdict, &class) in verdicts.iter().zip(&true_class) {
            let p = verdict.p_fractured;
            let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += 1;
            bin.1 += p;
            bin.2 += class;
            brier += (p - class as f64) * (p - class as f64) / n as f64;
        }
        let reliability: Vec<ReliabilityBin> = bins
            .iter()
            .enumerate()
            .filter(|(_, bin)| bin.0 > 0)
            .map(|(i, &(pictures, sum, fractured))| ReliabilityBin {
                low: i as f64 / BINS as f64,
                high: (i + 1) as f64 / BINS as f64,
                pictures,
                probability: sum / pictures as f64,
                fractured: wilson(fractured, pictures, LEVEL).expect("a bin with pictures"),
            })
            .collect();
        Some(Agreement {
            pictures: n,
            confusion: [[table.counts[0], table.counts[1]], [table.counts[2], table.counts[3]]],
            accuracy: table.accuracy(),
            kappa: table.kappa(LEVEL).ok().map(|k| k.kappa),
            auc: auc_delong(&evidence(1), &evidence(0), LEVEL).ok(),
            brier,
            calibration_error: reliability
                .iter()
                .map(|b| {
                    b.pictures as f64 / n as f64 * (b.probability - b.fractured.estimate).abs()
                })
                .sum(),
            roc: roc(&evidence(1), &evidence(0)),
            reliability,
        })
    }
}

/// The corners of the ROC curve of evidence for `fractured` and `coherent` pictures.
fn roc(fractured: &[f64], coherent: &[f64]) -> Vec<(f64, f64)> {
    if fractured.is_empty() || coherent.is_empty() {
        return Vec::new();
    }
    let mut cuts = [fractured, coherent].concat();
    cuts.sort_by(|a, b| b.total_cmp(a));
    cuts.dedup();
    let above = |values: &[f64], cut: f64| {
        values.iter().filter(|v| **v >= cut).count() as f64 / values.len() as f64
    };
    let corners = cuts.iter().map(|&c| (above(coherent, c), above(fractured, c)));
    std::iter::once((0.0, 0.0)).chain(corners).collect()
}

/// A picture that the judge and the viewer see differently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mistake {
    /// The perturbed picture's file.
    pub image: String,
    /// Its target.
    pub target: String,
    /// Its network.
    pub network: String,
    /// The label.
    pub label: Label,
    /// True if the viewer was in doubt.
    pub unsure: bool,
    /// The judge's P(fractured).
    pub p: f64,
    /// Where base and perturbed picture lie; not written to files.
    #[serde(skip)]
    pub paths: (PathBuf, PathBuf),
}

/// Mistakes that a report keeps.
const WORST: usize = 10;

/// The worst mistakes, worst first.
pub(super) fn mistakes(rows: &[&LabelRow], verdicts: &[Verdict]) -> Vec<Mistake> {
    let wrong = |(row, verdict): (&&LabelRow, &Verdict)| {
        (row.label != verdict.likelier()).then(|| Mistake {
            image: row.image.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            target: row.target.clone(),
            network: row.network.clone(),
            label: row.label,
            unsure: row.unsure,
            p: verdict.p_fractured,
            paths: (row.base.clone(), row.image.clone()),
        })
    };
    let mut found: Vec<Mistake> = rows.iter().zip(verdicts).filter_map(wrong).collect();
    found.sort_by(|a, b| (b.p - 0.5).abs().total_cmp(&(a.p - 0.5).abs()));
    found.truncate(WORST);
    found
}

/// Agreement over all pictures and per target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The judge.
    pub judge: String,
    /// What it is compared against: `labels` or another judge.
    pub against: String,
    /// All pictures together.
    pub pooled: Agreement,
    /// By target.
    pub targets: BTreeMap<String, Agreement>,
    /// What it knows within networks; none against another judge.
    pub within: Option<WithinNetworks>,
    /// The ten worst mistakes; empty against another judge.
    pub mistakes: Vec<Mistake>,
}

impl Report {
    /// Of verdicts on pictures of these targets; none if there are none.
    pub fn of(
        judge: &str,
        against: &str,
        targets: &[&str],
        truth: &[Label],
        verdicts: &[Verdict],
    ) -> Option<Self> {
        let mut names: Vec<&str> = targets.to_vec();
        names.sort_unstable();
        names.dedup();
        let by_target = names.into_iter().filter_map(|name| {
            let of = |i: &usize| targets[*i] == name;
            let places: Vec<usize> = (0..targets.len()).filter(of).collect();
            let truth: Vec<Label> = places.iter().map(|&i| truth[i]).collect();
            let verdicts: Vec<Verdict> = places.iter().map(|&i| verdicts[i].clone()).collect();
            Some((name.to_string(), Agreement::of(&truth, &verdicts)?))
        });
        Some(Report {
            judge: judge.to_string(),
            against: against.to_string(),
            pooled: Agreement::of(truth, verdicts)?,
            targets: by_target.collect(),
            within: None,
            mistakes: Vec::new(),
        })
    }

    /// The report as a table for people.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{} against {}\n{:<28} {:>5}  {:<22} {:<22} {:>5}  confusion (true→judged)\n",
            self.judge, self.against, "target", "n", "kappa [95 %]", "AUC [95 %]", "Brier"
        );
        let rows = self.targets.iter().map(|(name, a)| (name.as_str(), a));
        for (name, a) in rows.chain([("all", &self.pooled)]) {
            let [[cc, cf], [fc, ff]] = a.confusion;
            text += &format!(
                "{name:<28} {:>5}  {:<22} {:<22} {:>5.3}  c→c {cc} c→f {cf} f→c {fc} f→f {ff}\n",
                a.pictures,
                shown(a.kappa),
                shown(a.auc),
                a.brier
            );
        }
        text += "\nP(fractured)  pictures  mean P  share fractured [95 %]\n";
        for bin in &self.pooled.reliability {
            text += &format!(
                "{:.1} to {:.1}    {:>8}  {:>6.3}  {}\n",
                bin.low,
                bin.high,
                bin.pictures,
                bin.probability,
                shown(Some(bin.fractured))
            );
        }
        text += &format!("calibration error {:.3}\n", self.pooled.calibration_error);
        if let Some(within) = &self.within {
            text += &format!("\n{}", within.table());
        }
        text
    }
}

fn shown(interval: Option<Interval>) -> String {
    match interval {
        Some(i) => format!("{:.3} [{:.3}, {:.3}]", i.estimate, i.low, i.high),
        None => "none".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_by_hand() {
        use Label::{Coherent, Fractured};
        let truth = [Coherent, Coherent, Coherent, Fractured, Fractured, Fractured];
        let verdicts: Vec<Verdict> =
            [0.1, 0.2, 0.6, 0.55, 0.9, 0.95].map(Verdict::from_probability).to_vec();
        let a = Agreement::of(&truth, &verdicts).unwrap();
        assert_eq!(a.confusion, [[2, 1], [0, 3]]);
        // p_o 5/6, p_e (3·2 + 3·4)/36 = 1/2 → κ 2/3; one of nine pairs is out of order.
        assert!((a.kappa.unwrap().estimate - 2.0 / 3.0).abs() < 1e-12);
        assert!((a.auc.unwrap().estimate - 8.0 / 9.0).abs() < 1e-12);
        let brier = (0.01 + 0.04 + 0.36 + 0.2025 + 0.01 + 0.0025) / 6.0;
        assert!((a.brier - brier).abs() < 1e-12);
        let third = 1.0 / 3.0;
        let corners = [
            (0.0, 0.0),
            (0.0, third),
            (0.0, 2.0 * third),
            (third, 2.0 * third),
            (third, 1.0),
            (2.0 * third, 1.0),
            (1.0, 1.0),
        ];
        assert_eq!(a.roc, corners);
        let bins: Vec<usize> = a.reliability.iter().map(|b| b.pictures).collect();
        assert_eq!(bins, [1, 1, 1, 1, 2]);
        assert!(Agreement::of(&[], &[]).is_none());
    }
}
