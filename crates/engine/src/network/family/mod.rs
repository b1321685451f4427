//! Families of pictures f(x, y; z): one scene under two or three factors, drawn by code at any size.
//!
//! In: a family, values of its factors in [−1, 1], a size. Out: the picture and a mask of each part. A [`Support`] says
//! which combinations of values are seen in training; the others are held out (METHODS §11).
//!
//! | family | parts | factors |
//! |---|---|---|
//! | `boat` | sky, sea, hull, sail | place of the boat, size of its sail, height of the sea |
//! | `clock` | face, hand | size of the face, length of the hand, hue of the face |
//! | `face` | head, eyes, mouth | distance of the eyes, height of the mouth |
//! | `fish` | water, body, tail, eye | length of the body, place of the eye |
//! | `flower` | petals, heart, stem | number of petals seen (their length), hue of the heart |
//! | `house` | sky, ground, wall, roof, door | place of the door, height of the roof |
//! | `lamps` | board, three lamps | presence of the left, of the middle and of the right lamp |
//! | `moth` | wings, body, spots | symmetry (size of the left wing against the right), place of the spots |
//! | `rings` | ground, rings | repetition (how dense the rings are), place of their middle |
//! | `stripes` | columns, rows | repetition across, repetition down |
//! | `sun` | sky, sun | place across, height, hue of the sky |
//! | `tree` | sky, ground, trunk, crown | height of the trunk, size of the crown, hue of the crown |
//!
//! Edges are soft over .06 of the picture's half width, at every size, so that no factor moves a picture in steps. `[ours]`

mod scene;
mod scenes;
pub mod support;

pub use scene::{Part, Scene, Shape};
pub use scenes::Family;
pub use support::{Conditions, Support};

use super::{Coords, Picture, PixelInputs};

/// The pictures of a family under C conditions, all of one size, one below the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditioned {
    /// One value a factor each.
    pub conditions: Vec<Vec<f64>>,
    /// (C · size, size, 3).
    pub pictures: Picture,
}

impl Conditioned {
    /// Draws one picture a condition; all are of one size.
    pub fn of(conditions: Vec<Vec<f64>>, draw: impl Fn(&[f64]) -> Picture) -> Self {
        let drawn: Vec<Picture> = conditions.iter().map(|z| draw(z)).collect();
        let width = drawn.first().map_or(0, |picture| picture.width);
        let height = drawn.iter().map(|picture| picture.height).sum();
        let rgb = drawn.into_iter().flat_map(|picture| picture.rgb).collect();
        Conditioned { conditions, pictures: Picture { width, height, rgb } }
    }

    /// Side of one picture in pixels.
    pub(crate) fn size(&self) -> usize {
        self.pictures.width
    }

    /// The picture under condition `i`.
    pub fn picture(&self, i: usize) -> Picture {
        self.pictures.stacked(i)
    }

    /// The pixels of all of them.
    pub fn inputs(&self, coords: Coords) -> PixelInputs {
        PixelInputs::full(self.size(), coords).under(&self.conditions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of −1, 0 and 1.
    fn grid(factors: usize) -> Vec<Vec<f64>> {
        Support::combinations(factors, 3)
    }

    #[test]
    fn every_factor_changes_every_picture_and_nothing_is_of_one_colour() {
        for &family in Family::ALL {
            let factors = family.factors().len();
            assert!((2..=3).contains(&factors));
            for z in grid(factors) {
                let picture = family.picture(&z, 24, Coords::Fer);
                assert!(picture.rgb.iter().all(|v| (0.0..=1.0).contains(v)), "{family} {z:?}");
                assert!(picture.variance() > 1e-3, "{family} {z:?}");
                for k in (0..factors).filter(|&k| z[k] < 0.5) {
                    let mut moved = z.clone();
                    moved[k] += 1.0;
                    let change = picture.mse(&family.picture(&moved, 24, Coords::Fer));
                    assert!(change > 2e-4, "{family} {z:?} factor {k}: {change}");
                }
            }
        }
    }

    #[test]
    fn a_larger_picture_shows_the_same_scene() {
        for &family in Family::ALL {
            let z = vec![0.3; family.factors().len()];
            let [small, large] =
                [48, 96].map(|size| family.picture(&z, size, Coords::Picbreeder).resized(24));
            assert!(small.mse(&large) < 1e-3, "{family}: {}", small.mse(&large));
        }
    }

    #[test]
    fn parts_have_masks_and_no_name_stands_twice() {
        for &family in Family::ALL {
            let scene = family.scene(&vec![0.0; family.factors().len()]);
            let masks = scene.masks(32, Coords::Fer);
            let names: std::collections::BTreeSet<_> =
                masks.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.len(), masks.len(), "{family}");
            let seen = |mask: &[bool]| mask.iter().any(|inside| *inside);
            assert!(masks.iter().any(|(_, mask)| seen(mask)), "{family}");
        }
    }
}
