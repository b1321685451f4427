//! Drawings that no genome draws.

use super::board::{sweep, verdicts};
use super::data::Group as Networks;
use super::data::{look, spoken, what};
use super::pictures::pictured;
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::networks::record::NetworksRecord;
use picloom::figures::sheets::{Block, Pane, Row, Sheet};
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

/// Changed weights shown of each network.
const CHANGES: usize = 7;

pub(super) fn pictures(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let (mut blocks, mut without) = (Vec::new(), Vec::new());
    for target in record.targets() {
        let picture = drawing(sources, &record, target);
        let mut rows = Vec::new();
        for (arm, level) in ARMS {
            let Some(one) = pictured(sources, STUDY, target, Networks::of(arm, level)) else {
                continue;
            };
            let first = picture.clone().filter(|_| rows.is_empty());
            let mut tiles = vec![first.map(|picture| Pane::new(picture, ""))];
            tiles.extend(sweep(sources, STUDY, &one.views, CHANGES)?);
            let sub = format!("L {}, {}", one.layers, one.facts);
            rows.push(Row { label: name(arm), sub, tone: Some(one.tone), panes: tiles });
        }
        if !rows.is_empty() {
            if picture.is_none() {
                without.push(spoken(target));
            }
            blocks.push(Block { heading: spoken(target), rows });
        }
    }
    let blocks = some(blocks, STUDY, "pictures of changed weights (views)")?;
    let mut note = "First the drawing, then what the network draws of it at the predicted depth, then its picture with one weight changed. First seed.".to_string();
    if !without.is_empty() {
        note += &format!(" The drawing is not beside the record: {}.", without.join(", "));
    }
    let svg = Sheet {
        title: "Drawings that nobody evolved, and one weight changed at a time".into(),
        subtitle: what(&record),
        note,
        legend: verdicts(),
        heads: vec![
            (1, "drawing".into()),
            (1, "network".into()),
            (CHANGES, "one weight changed".into()),
        ],
        blocks,
        pane: 58,
        apart: vec![1, 2],
        ..Sheet::default()
    }
    .draw();
    Ok(svg.into())
}
