//! Pictures and maps of pruned networks.

use super::board::{sweep, verdicts};
use super::data::Group as Networks;
use super::data::{arms, look, named, spoken, what};
use super::pictures::{self, Pictured, pictured};
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::networks::record::NetworksRecord;
use picloom::figures::sheets::{Block, Row, Sheet};

const STUDY: &str = "pruning";

/// The networks of a target whose pictures were kept, in the order of arms.
fn kept(sources: &Sources, record: &NetworksRecord, target: &str) -> Vec<Pictured> {
    let all = arms(record).into_iter();
    all.filter_map(|(arm, level)| pictured(sources, STUDY, target, Networks::of(&arm, level)))
        .collect()
}

pub(super) fn maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let title = "Maps of the units before and after pruning";
    pictures::maps(sources, &record, title, 4, &|target| {
        let mut all = kept(sources, &record, target);
        for one in &mut all {
            one.label = named(&one.arm, one.level);
        }
        all
    })
}

/// Targets on the sheet of pictures, and changed weights beside each network's picture.
const SHEET: (usize, usize) = (4, 3);

pub(super) fn sheets(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let (most, changes) = SHEET;
    let networks = record.targets().into_iter().map(|t| (t, kept(sources, &record, t)));
    let targets: Vec<_> = networks.filter(|(_, kept)| !kept.is_empty()).take(most).collect();
    let wide = changes + 1;
    let mut rows = Vec::new();
    for (arm, level) in arms(&record) {
        let mut tiles = Vec::new();
        for (i, (_, kept)) in targets.iter().enumerate() {
            if let Some(one) = kept.iter().find(|one| one.arm == arm && one.level == level) {
                tiles.extend(sweep(sources, STUDY, &one.views, changes)?);
            }
            tiles.resize_with((i + 1) * wide, || None);
        }
        if tiles.iter().any(Option::is_some) {
            let (label, tone, _) = look(&arm);
            let sub = if level > 0 { format!("level {level}") } else { String::new() };
            rows.push(Row { label, sub, tone: Some(tone), panes: tiles });
        }
    }
    let rows = some(rows, STUDY, "pictures of pruned networks (views)")?;
    let heads = targets.iter().map(|(t, _)| (wide, spoken(t)));
    let svg = Sheet {
        title: "What pruned networks draw, and with one weight changed".into(),
        subtitle: what(&record),
        note: "Of each target: the network's own picture, then three with one weight changed. First seed.".into(),
        legend: verdicts(),
        heads: heads.collect(),
        blocks: vec![Block { heading: String::new(), rows }],
        pane: 44,
        apart: (1..targets.len()).map(|i| i * wide).collect(),
        ..Sheet::default()
    }
    .draw();
    Ok(svg.into())
}
