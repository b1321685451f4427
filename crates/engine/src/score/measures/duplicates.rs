//! Duplicate maps: how many units repeat what another unit already says.
//!
//! In order, a unit joins the first class to whose first map its own has |cos| > .999 (uncentred, over
//! the pixels), or else begins one; maps that are 0 everywhere are one class. duplicates = units − classes,
//! share = duplicates/units, in [0, 1).
//!
//! In: maps (n, P). Out: the class of each map, the number of duplicates, the share.
//! Cost: no drawing; at most n²/2 scalar products of P numbers.
//!
//! Source: \[ours\], after FER's *fracture*: one piece of information held in several places.
//!
//! **What it does not mean:** a layerized evolved network is full of duplicates by construction
//! (relays), so count within a layer, and leave `cache` units out when comparing networks.

use super::maps::classes;
use serde::{Deserialize, Serialize};

/// Copies among a set of maps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duplicates {
    /// Maps looked at.
    pub maps: usize,
    /// Maps that repeat an earlier one.
    pub duplicates: usize,
    /// `duplicates / maps`; 0 without maps.
    pub share: f64,
    /// Class of each map: the index of the first map it equals up to a factor.
    pub class: Vec<usize>,
}

/// Classes of equal maps among (n, P) `maps`.
///
/// # Panics
/// If the maps have different lengths.
pub fn duplicates(maps: &[&[f32]]) -> Duplicates {
    let class = classes(maps);
    let count = class.iter().enumerate().filter(|(i, c)| *i != **c).count();
    Duplicates {
        maps: maps.len(),
        duplicates: count,
        share: if maps.is_empty() { 0.0 } else { count as f64 / maps.len() as f64 },
        class,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_found_up_to_a_factor_and_zeros_are_one_class() {
        let maps: [&[f32]; 6] =
            [&[1.0, 2.0], &[-3.0, -6.0], &[2.0, 1.0], &[0.0, 0.0], &[0.0, 0.0], &[4.0, 2.0]];
        let found = duplicates(&maps);
        assert_eq!(found.class, [0, 0, 2, 3, 3, 2]);
        assert_eq!((found.duplicates, found.share), (3, 0.5));
        assert_eq!(duplicates(&[]).share, 0.0);
    }
}
