//! The effect of each hidden unit: the picture without it, less the picture.
//!
//! A unit's *doing* is the picture with all its outgoing weights at 0, less the picture, (3P,) at 32². Units whose
//! doing is 0 are left out. Source: METHODS §7; silencing by 0 is \[ours\].
//!
//! Cost: one drawing of 32² pixels a hidden unit, taken once for all that is measured of it.

use super::maps::{classes, dot};
use crate::network::Model;
use crate::probe::{Change, View};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Side of the pictures that units are compared by.
pub const SIDE: usize = 32;

/// Hidden units whose silencing changes the picture, and how it does.
pub struct Silenced {
    /// (N,) numbers of the units.
    pub units: Vec<usize>,
    /// (N, 3P) differences, channels interleaved.
    pub doings: Vec<Vec<f32>>,
    /// The network at 32².
    pub view: View,
}

impl Silenced {
    /// Of a view's model. The same bits at any thread count.
    pub fn of(view: &View) -> Self {
        let view = View::new(view.model(), SIDE, view.coords());
        let Model { network, weights, .. } = view.model();
        let mut outgoing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, link) in network.links.iter().enumerate() {
            if link.source >= network.inputs.len() && weights.0[i] != 0.0 {
                outgoing.entry(link.source).or_default().push(i);
            }
        }
        let outgoing: Vec<(usize, Vec<usize>)> = outgoing.into_iter().collect();
        let (units, doings) = outgoing
            .par_iter()
            .map_init(
                || view.painter(),
                |painter, (unit, links)| {
                    let off = links.iter().map(|&link| Change::To { link, value: 0.0 });
                    let silenced = &painter.draw_all(off).rgb;
                    let pairs = silenced.iter().zip(&view.picture().rgb);
                    (*unit, pairs.map(|(a, b)| a - b).collect::<Vec<f32>>())
                },
            )
            .filter(|(_, doing)| dot(doing, doing) > 0.0)
            .unzip();
        Silenced { units, doings, view }
    }

    /// The doings without copies: of those with |cos| > .999 the first. A relay does what the unit does that it
    /// carries.
    pub fn different(&self) -> Vec<&[f32]> {
        let all: Vec<&[f32]> = self.doings.iter().map(Vec::as_slice).collect();
        let first = classes(&all);
        (0..all.len()).filter(|&i| first[i] == i).map(|i| all[i]).collect()
    }

    /// (N, P) contribution maps C_i(p): the length of a unit's doing at each pixel.
    pub fn contributions(&self) -> Vec<Vec<f64>> {
        let length = |rgb: &[f32]| rgb.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
        self.doings.iter().map(|doing| doing.chunks_exact(3).map(length).collect()).collect()
    }
}
