//! How well a judge agrees with labels, or with another judge.

use super::{LabelRow, LabelSet, judge_rows};
use crate::base::refusal::Refusal;
use crate::base::stats::{Confusion, Interval, auc_delong, wilson};
use crate::score::judge::{Judge, JudgeError, Label, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Bins of the reliability table.
const BINS: usize = 10;
/// Coverage of every interval.
const LEVEL: f64 = 0.95;

/// Agreement over one set of pictures. "True" is the label, or the judge compared against.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// Pictures.
    pub pictures: usize,
    /// `counts[true][judge]`, in the order clean, damaged.
    pub confusion: [[usize; 2]; 2],
    /// Share of equal labels, in [0, 1].
    pub accuracy: f64,
    /// Cohen's κ (1 = full agreement, 0 = as by chance); `None` if all pictures got one label.
    pub kappa: Option<Interval>,
    /// Area under the ROC curve of the judge's evidence for damaged, with DeLong's interval; `None`
    /// with fewer than two pictures of a label.
    pub auc: Option<Interval>,
    /// Mean of (P(damaged) − true)², in [0, 1]; ¼ for a judge that always says ½.
    pub brier: f64,
    /// Σ over bins of share · |mean P − share damaged|: 0 = every probability means what it says.
    pub calibration_error: f64,
    /// Non-empty tenths of P(damaged).
    pub reliability: Vec<ReliabilityBin>,
}

/// One bin of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Lower end of P(damaged).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Pictures in it.
    pub pictures: usize,
    /// Mean P(damaged) the judge gave.
    pub probability: f64,
    /// Share truly damaged, with Wilson's interval.
    pub damaged: Interval,
}

impl Agreement {
    /// Of labels and verdicts in one order; `None` if there are no pictures.
    pub(crate) fn of(truth: &[Label], verdicts: &[Verdict]) -> Option<Self> {
        let class = |label: Label| usize::from(label == Label::Damaged);
        let true_class: Vec<usize> = truth.iter().map(|&l| class(l)).collect();
        let judged: Vec<usize> = verdicts.iter().map(|v| class(v.likelier())).collect();
        let table = Confusion::of(&true_class, &judged, 2).ok()?;
        let n = truth.len() as f64;
        let evidence = |of: usize| -> Vec<f64> {
            let pairs = verdicts.iter().zip(&true_class);
            pairs.filter(|(_, c)| **c == of).map(|(v, _)| v.evidence).collect()
        };
        let mut bins = vec![(0usize, 0.0f64, 0usize); BINS];
        let mut brier = 0.0;
        for (verdict, &class) in verdicts.iter().zip(&true_class) {
            let p = verdict.p_damaged;
            let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
            bin.0 += 1;
            bin.1 += p;
            bin.2 += class;
            brier += (p - class as f64) * (p - class as f64) / n;
        }
        let filled = bins.into_iter().enumerate().filter(|(_, bin)| bin.0 > 0);
        let reliability: Vec<ReliabilityBin> = filled
            .map(|(i, (pictures, sum, damaged))| ReliabilityBin {
                low: i as f64 / BINS as f64,
                high: (i + 1) as f64 / BINS as f64,
                pictures,
                probability: sum / pictures as f64,
                damaged: wilson(damaged, pictures, LEVEL).expect("a bin with pictures"),
            })
            .collect();
        let off =
            |b: &ReliabilityBin| b.pictures as f64 / n * (b.probability - b.damaged.estimate).abs();
        Some(Agreement {
            pictures: truth.len(),
            confusion: [[table.counts[0], table.counts[1]], [table.counts[2], table.counts[3]]],
            accuracy: table.accuracy(),
            kappa: table.kappa(LEVEL).ok().map(|k| k.kappa),
            auc: auc_delong(&evidence(1), &evidence(0), LEVEL).ok(),
            brier,
            calibration_error: reliability.iter().map(off).sum(),
            reliability,
        })
    }
}

/// Agreement over all pictures and per target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The judge.
    pub judge: String,
    /// The reference it is compared with: `labels` or another judge.
    pub against: String,
    /// All pictures together.
    pub pooled: Agreement,
    /// By target.
    pub targets: BTreeMap<String, Agreement>,
}

impl Report {
    /// Of verdicts on these rows, whose truth is `truth`; `None` if there are no rows.
    pub fn of(
        judge: &str,
        against: &str,
        rows: &[&LabelRow],
        truth: &[Label],
        verdicts: &[Verdict],
    ) -> Option<Self> {
        let mut targets: BTreeMap<&str, (Vec<Label>, Vec<Verdict>)> = BTreeMap::new();
        for ((row, label), verdict) in rows.iter().zip(truth).zip(verdicts) {
            let of = targets.entry(&row.target).or_default();
            of.0.push(*label);
            of.1.push(verdict.clone());
        }
        let by_target = targets.into_iter().filter_map(|(name, (truth, verdicts))| {
            Some((name.to_string(), Agreement::of(&truth, &verdicts)?))
        });
        Some(Report {
            judge: judge.to_string(),
            against: against.to_string(),
            pooled: Agreement::of(truth, verdicts)?,
            targets: by_target.collect(),
        })
    }

    /// The report as a table for people.
    pub fn table(&self) -> String {
        let shown = |interval: Option<Interval>| match interval {
            Some(i) => format!("{:.3} [{:.3}, {:.3}]", i.estimate, i.low, i.high),
            None => "none".to_string(),
        };
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
        text += "\nP(damaged)  pictures  mean P  share damaged [95 %]\n";
        for bin in &self.pooled.reliability {
            text += &format!(
                "{:.1} to {:.1}    {:>8}  {:>6.3}  {}\n",
                bin.low,
                bin.high,
                bin.pictures,
                bin.probability,
                shown(Some(bin.damaged))
            );
        }
        text + &format!("calibration error {:.3}\n", self.pooled.calibration_error)
    }
}

/// Compares a judge with the labels.
///
/// # Errors
/// A picture cannot be read or judged.
pub fn test_judge(sets: &[LabelSet], judge: &dyn Judge) -> Result<Report, JudgeError> {
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let truth: Vec<Label> = rows.iter().map(|r| r.label).collect();
    let verdicts = judge_rows(&rows, judge)?;
    Report::of(&judge.name(), "labels", &rows, &truth, &verdicts).ok_or_else(no_pictures)
}

/// Compares a judge with another, whose labels count as true.
///
/// # Errors
/// A picture cannot be read or judged.
pub fn compare_judges(
    sets: &[LabelSet],
    judge: &dyn Judge,
    against: &dyn Judge,
) -> Result<Report, JudgeError> {
    let rows: Vec<&LabelRow> = sets.iter().flat_map(|s| &s.rows).collect();
    let truth: Vec<Label> = judge_rows(&rows, against)?.iter().map(Verdict::likelier).collect();
    let verdicts = judge_rows(&rows, judge)?;
    let names = (judge.name(), against.name());
    Report::of(&names.0, &names.1, &rows, &truth, &verdicts).ok_or_else(no_pictures)
}

/// The refusal of sets without a picture.
pub fn no_pictures() -> JudgeError {
    Refusal::new("", "labelled pictures", "none").as_failure().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_by_hand() {
        use Label::{Clean, Damaged};
        let truth = [Clean, Clean, Clean, Damaged, Damaged, Damaged];
        let verdicts: Vec<Verdict> =
            [0.1, 0.2, 0.6, 0.55, 0.9, 0.95].map(Verdict::from_probability).to_vec();
        let a = Agreement::of(&truth, &verdicts).unwrap();
        assert_eq!(a.confusion, [[2, 1], [0, 3]]);
        // p_o 5/6, p_e (3·2 + 3·4)/36 = 1/2 → κ 2/3; one of nine pairs is out of order.
        assert!((a.kappa.unwrap().estimate - 2.0 / 3.0).abs() < 1e-12);
        assert!((a.auc.unwrap().estimate - 8.0 / 9.0).abs() < 1e-12);
        let brier = (0.01 + 0.04 + 0.36 + 0.2025 + 0.01 + 0.0025) / 6.0;
        assert!((a.brier - brier).abs() < 1e-12);
        let bins: Vec<usize> = a.reliability.iter().map(|b| b.pictures).collect();
        assert_eq!(bins, [1, 1, 1, 1, 2]);
        assert!(Agreement::of(&[], &[]).is_none());
    }
}
