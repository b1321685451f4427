//! Labelled pictures: is a judge right? In: perturbations that someone labelled. Out: sheets to label
//! blind, labelled sets, and how well a judge agrees with one (AUC, κ, confusion table, reliability), in all and
//! per target. It does not know who labelled; a judge is only as good as the labels.

mod agreement;
mod answers;
mod set;
mod sheets;

pub use agreement::{Agreement, ReliabilityBin, Report, compare_judges, no_pictures, test_judge};
pub use answers::{
    Answer, KeyRow, ViewerAgreement, merge, read_answers, read_key, viewer_agreement,
};
pub use set::{LabelRow, LabelSet, judge_rows, measure_rows, read_labels};
pub use sheets::{Drawer, DrawerRecord, NumberedPairs, Pair, PairSettings, Pick, SheetsRecord};
