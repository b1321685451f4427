//! How much the maps of a layer interfere, by arm.

use super::data::{self, arms, cut, look, says, t_interval, what};
use super::{DrawError, Drawing, Sources, some};
use crate::experiment::claims::effects::{Effect, Group as Networks};
use crate::experiment::networks::record::NetworkResult;
use crate::figures::axis::Axis;
use crate::figures::charts::{Bars, Estimate, Frame, Grid, Group, Mark, Panel, grid};
use crate::figures::style::{self, Marker};
use crate::math::stats::mean;

const STUDY: &str = "pruning";

fn measured(result: &NetworkResult) -> Option<f64> {
    result.measures.interference.filter(|_| result.fit)
}

/// Whatever the fit.
fn any(result: &NetworkResult) -> Option<f64> {
    result.measures.interference
}

/// The bound of the same layers: interference less its excess over it.
fn welch(result: &NetworkResult) -> Option<f64> {
    let (i, excess) = (result.measures.interference?, result.measures.excess?);
    Some(i - excess).filter(|_| result.fit)
}

pub(super) fn interference(sources: &Sources) -> Result<Drawing, DrawError> {
    let record = sources.networks(STUDY)?;
    let arms = arms(&record);
    let levels: std::collections::BTreeSet<usize> =
        arms.iter().map(|a| a.1).filter(|l| *l > 0).collect();
    let levels = some(levels.into_iter().collect(), STUDY, "pruned networks")?;
    let (mut panels, mut most) = (Vec::new(), 0);
    for &level in &levels {
        let mut groups = Vec::new();
        for (arm, at) in arms.iter().filter(|a| a.1 == 0 || a.1 == level) {
            let group = Networks::of(arm, *at);
            let values = |value| -> Vec<f64> {
                let by = data::by_target(&record, group, value);
                by.into_iter().map(|t| t.1).collect()
            };
            let (found, bound) = (values(measured), values(welch));
            let mark = |values: &[f64]| {
                let e = Estimate::new(mean(values).ok()?).seeds(values.iter().copied());
                Some(e.coloured(look(arm).1))
            };
            let mark = match mark(&found) {
                Some(mut e) => {
                    e.interval = t_interval(&found).map(cut);
                    Some(e)
                }
                None => {
                    let targets = record.targets().into_iter();
                    let unfit: Vec<f64> = targets
                        .filter_map(|t| mean(&data::cell(&record, t, group, any).unfit).ok())
                        .collect();
                    mark(&unfit).map(|e| e.faint(true))
                }
            };
            let bound = mean(&bound).ok().map(Estimate::new);
            groups.push(Group { name: look(arm).0, estimates: vec![mark, bound] });
        }
        most = most.max(groups.len());
        panels.push(Panel::Bars(Bars {
            frame: Frame::new(format!("level {level}")),
            value: Axis::new("interference I").unit("mean squared cosine").include(0.0),
            series: vec![
                ("interference".into(), style::INK, Marker::Circle),
                ("its Welch bound".into(), style::GREY, Marker::Plus),
            ],
            groups,
            mark: Mark::Dot,
            lying: true,
            ..Bars::default()
        }));
    }
    let columns = panels.len();
    let svg = grid(&Grid {
        frame: Frame::new("Interference of the maps of a layer, by pruning method")
            .subtitle(what(&record))
            .note("Lower is more orthogonal. Alive units, relays merged; networks that learned their picture. Marks: means over targets, whiskers 95 % t-intervals over targets, rings targets; hollow: none learned its picture. The Welch bound is the least that so many maps of so many dimensions can have: 0 where the maps are no more than their dimensions. “random, SP's layer counts” is the control: as many links in every layer, other ones.")
            .sized(560 * columns.min(3) as u32, 210 + 30 * most as u32),
        columns,
        panels,
        share_x: false,
        share_y: true,
    });
    let dense = Networks::of("dense", 0);
    let sp = [1, 2].map(|l| Networks::of("sp", l));
    let same = [1, 2].map(|l| Networks::of("sp-layer-counts", l));
    let parts = [
        ("interference, dense − sp", [(dense, sp[0]), (dense, sp[1])]),
        ("random with sp's counts − sp", [(same[0], sp[0]), (same[1], sp[1])]),
    ]
    .map(|(name, pairs)| says(&Effect::paired(name, &record, &pairs, measured)));
    Ok(Drawing { svg, says: format!("{}.", parts.join("; ")) })
}
