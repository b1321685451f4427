//! Pictures of networks of neighbouring depths on the regime map.

use super::data::Group;
use super::pictures::{self, ChangeSheet, OWN_FIRST, Pictured, pictured};
use super::{DrawError, Drawing, Sources};
use picloom::experiment::depth::Sweep;
use picloom::figures::style;

const STUDY: &str = "regime";

/// Networks of as many links as SP's that differ from them only in which.
pub(super) const CONTROLS: &[&[&str]] =
    &[&["layer-counts", "sp-layer-counts"], &["rewired", "sp-permuted"]];

/// SP's networks at about a quarter of the links, one layer fewer than the reference, as many, one more:
/// those whose pictures were kept.
fn neighbours(sources: &Sources, target: &str) -> Vec<Pictured> {
    let networks = [-1, 0, 1].into_iter().filter_map(|offset| {
        let group = Group { offset, ..Group::of(Sweep::SP.arm, QUARTER) };
        let one = pictured(sources, STUDY, target, group)?;
        Some(Pictured { label: format!("n = {}, L {}", style::signed(offset), one.layers), ..one })
    });
    networks.collect()
}

/// The level of pruning that keeps about a quarter.
const QUARTER: usize = 2;

/// Draws SP's networks of three neighbouring depths, unchanged and with one weight changed.
pub(super) fn neighbours_changed(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let title = "Neighbouring depths: what SP's networks draw with one weight changed";
    let note = "n: hidden layers more than the reference. About a quarter of the links.";
    let sheet = ChangeSheet { title, note: format!("{note}{OWN_FIRST}"), ..ChangeSheet::default() };
    sheet.draw(sources, &record, &|target| neighbours(sources, target))
}

/// Maps of the units of SP's networks of three neighbouring depths, side by side.
pub(super) fn neighbours_maps(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let title =
        "Neighbouring depths: units of SP's networks with one layer fewer, as many, one more";
    pictures::maps(sources, &record, title, 8, &|target| neighbours(sources, target))
}
