//! Drawings that no genome draws.

use super::data::Group as Networks;
use super::data::{look, spoken};
use super::pictures::{ChangeSheet, OfTarget, Pictured, pictured};
use super::{DrawError, Drawing, Sources};
use picloom::experiment::networks::record::NetworksRecord;
use picloom::network::Picture;

const STUDY: &str = "out_of_domain";
const ARMS: [(&str, usize); 3] = [("dense", 0), ("sp", 1), ("sp-layer-counts", 1)];

/// Here no network has a twin.
fn name(arm: &str) -> String {
    match arm {
        "dense" => "dense, trained".into(),
        other => look(other).0,
    }
}

/// The drawing itself: `views/TARGET-target.png`, or the copy in the folder of one of its runs.
fn drawing(sources: &Sources, record: &NetworksRecord, target: &str) -> Option<Picture> {
    let folder = sources.folder().join(STUDY);
    let beside = folder.join(format!("views/{target}-target.png"));
    let runs = record.rows.iter().filter(|r| r.target == target);
    let runs = runs.filter_map(|r| r.result.as_ref()?.run_id.as_ref());
    std::iter::once(beside)
        .chain(runs.map(|id| folder.join(id).join("images/target.png")))
        .filter(|path| path.exists())
        .find_map(|path| Picture::read(&path).ok())
}

pub(super) fn pictures(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let networks = |target: &str| -> Vec<Pictured> {
        let of = |(arm, level)| pictured(sources, STUDY, target, Networks::of(arm, level));
        let named = |one: Pictured| Pictured {
            label: name(&one.arm),
            facts: format!("L {}, {}", one.layers, one.facts),
            ..one
        };
        ARMS.into_iter().filter_map(of).map(named).collect()
    };
    let picture = |target: &str| drawing(sources, &record, target);
    let targets = record.targets().into_iter();
    let without: Vec<String> = targets
        .filter(|target| picture(target).is_none() && !networks(target).is_empty())
        .map(spoken)
        .collect();
    let mut note = "First the drawing, then what the network draws of it at the predicted depth, then its picture with one weight changed. First seed.".to_string();
    if !without.is_empty() {
        note += &format!(" The drawing is not beside the record: {}.", without.join(", "));
    }
    let title = "Drawings that nobody evolved, and one weight changed at a time";
    let before = Some(("drawing", &picture as OfTarget<'_>));
    let sheet = ChangeSheet { title, note, changes: 7, before, ..ChangeSheet::default() };
    sheet.draw(sources, &record, &networks)
}
