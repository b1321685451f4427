//! Grids of pictures: what networks draw, with one weight changed, and the maps of their units.

use super::board::{MapBoard, MapPanel, map_sheet, sweep, verdicts};
use super::data::Group;
use super::data::{look, rows, spoken, what};
use super::{DrawError, Drawing, Sources, some};
use picloom::experiment::networks::record::{NetworkResult, NetworksRecord, Views};
use picloom::figures::sheets::{Block, Pane, Row, Sheet};
use picloom::figures::style::{self, Colour};
use picloom::network::Picture;

/// A network whose pictures were kept beside the record of a study.
pub(super) struct Pictured {
    pub study: &'static str,
    pub arm: String,
    pub level: usize,
    pub label: String,
    pub tone: Colour,
    /// Score and fit.
    pub facts: String,
    /// Hidden layers.
    pub layers: usize,
    pub views: Views,
}

/// The first network of a group on a target whose pictures were kept by a study.
pub(super) fn pictured(
    sources: &Sources,
    study: &'static str,
    target: &str,
    group: Group<'_>,
) -> Option<Pictured> {
    let record = sources.networks(study).ok()?;
    rows(&record, target, group).find_map(|row| {
        let result = row.result.as_deref()?;
        let (label, tone, _) = look(group.arm);
        Some(Pictured {
            study,
            arm: group.arm.into(),
            level: group.level,
            label,
            tone,
            facts: facts(result),
            layers: row.layers,
            views: result.views.clone()?,
        })
    })
}

/// Score and fit of a network, for the line under its name.
fn facts(result: &NetworkResult) -> String {
    let score = match result.score() {
        Some(score) => format!("score {}", style::fixed(score, 2)),
        None => "no score".into(),
    };
    let fit = if result.fit { "" } else { ", not learned" };
    format!("{score}, R² {}{fit}", style::fixed(result.r2, 2))
}

/// Units shown of a layer.
const UNITS: usize = 12;

/// Maps of the units of some networks of each target: at most `most` rows of three, which is what
/// can be read.
pub(super) fn maps(
    sources: &Sources,
    record: &NetworksRecord,
    title: &str,
    most: usize,
    networks: &dyn Fn(&str) -> Vec<Pictured>,
) -> Result<Drawing, DrawError> {
    let mut rows: Vec<(String, Vec<MapPanel>)> = Vec::new();
    for target in record.targets() {
        let mut panels = Vec::new();
        for one in networks(target) {
            if let Some(maps) = &one.views.maps {
                let sheet = map_sheet(sources, one.study, maps, UNITS)?;
                panels.push((one.label, one.facts, one.tone, sheet));
            }
        }
        let mut heading = spoken(target);
        while !panels.is_empty() && rows.len() < most {
            let rest = panels.split_off(panels.len().min(3));
            rows.push((std::mem::take(&mut heading), panels));
            panels = rest;
        }
    }
    let svg = MapBoard {
        title: title.into(),
        subtitle: what(record),
        note: "One row a layer from the first hidden layer down to hue, saturation and brightness; at most 12 alive units of each. Grey places: units without a path to the picture. Right: alive units of all in the layer.".into(),
        rows: some(rows, &record.study, "maps of units (views)")?,
        most: UNITS,
    }
    .draw();
    Ok(svg.into())
}

/// A picture of a target, if there is one.
pub(super) type OfTarget<'a> = &'a dyn Fn(&str) -> Option<Picture>;

/// A sheet of what networks draw, and what with one weight changed: a row a network.
pub(super) struct ChangeSheet<'a> {
    pub title: &'a str,
    pub note: String,
    /// Head of the network's own picture.
    pub head: &'a str,
    /// Changed weights shown of each network.
    pub changes: usize,
    /// Side of a picture in pixels.
    pub pane: u32,
    /// The picture that stands before those of each target's first network.
    pub before: Option<(&'a str, OfTarget<'a>)>,
}

impl Default for ChangeSheet<'_> {
    fn default() -> Self {
        let head = "network";
        ChangeSheet { title: "", note: String::new(), head, changes: 9, pane: 58, before: None }
    }
}

impl ChangeSheet<'_> {
    /// Draws it of some networks of each target.
    pub(super) fn draw(
        self,
        sources: &Sources,
        record: &NetworksRecord,
        networks: &dyn Fn(&str) -> Vec<Pictured>,
    ) -> Result<Drawing, DrawError> {
        let mut blocks = Vec::new();
        for target in record.targets() {
            let mut rows: Vec<Row> = Vec::new();
            for one in networks(target) {
                let mut tiles = sweep(sources, one.study, &one.views, self.changes)?;
                if let Some((_, picture)) = self.before {
                    let first = picture(target).filter(|_| rows.is_empty());
                    tiles.insert(0, first.map(|picture| Pane::new(picture, "")));
                }
                rows.push(Row {
                    label: one.label,
                    sub: one.facts,
                    tone: Some(one.tone),
                    panes: tiles,
                });
            }
            if !rows.is_empty() {
                blocks.push(Block { heading: spoken(target), rows });
            }
        }
        let before = usize::from(self.before.is_some());
        let mut heads: Vec<_> = self.before.iter().map(|(head, _)| (1, head.to_string())).collect();
        heads.push((1, self.head.into()));
        heads.push((self.changes, "one weight changed".into()));
        let svg = Sheet {
            title: self.title.into(),
            subtitle: what(record),
            note: self.note,
            legend: verdicts(),
            heads,
            blocks: some(blocks, &record.study, "pictures of changed weights (views)")?,
            pane: self.pane,
            apart: (1..=before + 1).collect(),
            ..Sheet::default()
        }
        .draw();
        Ok(svg.into())
    }
}

/// The end of the note under sheets that begin with the network's own picture.
pub(super) const OWN_FIRST: &str =
    " First the network's own picture, then one weight changed. First seed.";
