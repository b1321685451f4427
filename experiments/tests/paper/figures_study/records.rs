//! The committed records of networks studies, cut down to some targets and two seeds, and changed.

use crate::claims::{Ledger, StudySpec};
use crate::paper::root;
use picloom::experiment::NetworkRow;
use picloom::experiment::networks::NetworksRecord;
use picloom::score::measures::summary::Summary;
use picloom::study::Record;
use std::path::Path;
use std::sync::OnceLock;

/// A network that is not there or went wrong somehow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Odd {
    /// It did not learn its picture.
    Unfit,
    /// It failed.
    Failed,
    /// Nothing could be judged, measured or drawn.
    Silent,
}

/// Makes a network what its fate says.
pub(crate) fn spoil(row: &mut NetworkRow, odd: Odd) {
    let Some(result) = row.result.as_mut() else { return };
    match odd {
        Odd::Unfit => (result.fit, result.mse, result.r2) = (false, 0.05, 0.4),
        Odd::Failed => (row.result, row.error) = (None, Some("it failed".into())),
        Odd::Silent => {
            result.silent += result.clean + result.unclear + result.damaged;
            (result.clean, result.unclear, result.damaged) = (0, 0, 0);
            (result.score, result.fixed, result.views) = (None, None, None);
            result.measures = Summary::default();
        }
    }
}

const STUDIES: [&str; 7] =
    ["wirings", "mechanisms", "depth", "pruning", "regime", "out_of_domain", "controls"];
const TARGETS: [&str; 8] =
    ["moth", "lamp", "bowl", "letter_a", "car", "car_plain", "cat", "cat_plain"];
/// Of the many arms of the map.
const ARMS: [&str; 3] = ["dense", "sp", "layer-counts"];

/// Writes every record under `folder`, changed, with the pictures of its networks, and the ledger that follows from them.
pub(crate) fn study(folder: &Path, change: impl Fn(&mut NetworksRecord)) {
    static COMMITTED: OnceLock<Vec<NetworksRecord>> = OnceLock::new();
    let committed = COMMITTED.get_or_init(|| {
        let read =
            |study: &&str| NetworksRecord::read(&root().join("figures").join(study)).unwrap();
        let mut all: Vec<NetworksRecord> = STUDIES.iter().map(read).collect();
        for record in &mut all {
            let is_map = record.study == "regime";
            record.rows.retain(|row| {
                TARGETS.contains(&row.target.as_str())
                    && row.seed.unwrap_or(0) < 2
                    && (!is_map || ARMS.contains(&row.arm.as_str()))
            });
        }
        all
    });
    for record in committed {
        let mut record = record.clone();
        change(&mut record);
        let [from, to] = [root().join("figures"), folder.into()].map(|at| at.join(&record.study));
        std::fs::create_dir_all(to.join("views")).unwrap();
        for views in record.rows.iter().filter_map(|row| row.result.as_ref()?.views.as_ref()) {
            for file in views.files().filter(|file| from.join(file).exists()) {
                std::fs::copy(from.join(file), to.join(file)).unwrap();
            }
        }
        record.save(&to).unwrap();
    }
    let spec = StudySpec::read(&root().join("experiments/study.toml")).unwrap();
    let ledger = Ledger::of(&spec, folder).unwrap();
    std::fs::write(folder.join("claims.json"), ledger.to_json()).unwrap();
}
