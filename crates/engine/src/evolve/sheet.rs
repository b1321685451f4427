//! Interactive evolution, one step: a sheet of pictures, a selection, the next sheet.
//!
//! Reference: Secretan et al. 2008 (Picbreeder). It neither draws the sheet nor asks anybody: command,
//! studio and Python do, each through a [`Breeding`](super::Breeding).

use super::population::first_brood;
use super::sketch::Shown;
use super::{Birth, Breeder, Brood, EvolveConfig, Parent, Parts};
use crate::base::SimRng;
use crate::base::refusal::Refusal;
use crate::genome::Genome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A person's choice on one sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Places on the sheet, from 0, row by row; at least one, without repeats.
    pub chosen: Vec<usize>,
    /// Mutation slider s ∈ [0, 1] for the children; the config's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slider: Option<f64>,
    /// 0; another number draws other children from the same selection ("once more").
    #[serde(default, skip_serializing_if = "is_zero")]
    pub roll: u64,
    /// The parts of the children that may change. Default: everything.
    #[serde(default, skip_serializing_if = "Parts::is_both")]
    pub parts: Parts,
    /// In a session's file: the step whose sheet it was made on, 0 for the first sheet; `None` for
    /// the step before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// The chooser's reason; the program never reads it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

fn is_zero(roll: &u64) -> bool {
    *roll == 0
}

impl Selection {
    /// These places, with the config's slider.
    pub fn of(chosen: &[usize]) -> Self {
        Selection {
            chosen: chosen.to_vec(),
            slider: None,
            roll: 0,
            parts: Parts::Both,
            after: None,
            why: String::new(),
        }
    }
}

/// Rolls of one selection: 24 bits of the 64 that name a stream of random numbers.
const MOST_ROLLS: u64 = 1 << 24;

/// The refusal of a place on a sheet of `count` pictures.
pub fn not_on_sheet(count: usize, place: usize) -> Refusal {
    let expected = format!("places 0 to {}", count.saturating_sub(1));
    Refusal::new("", expected, place.to_string()).as_failure()
}

/// A sheet to choose from, and what its children are bred with. It does not know the way to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    breeder: Breeder,
    brood: Brood,
    distinct: Option<f64>,
}

impl Sheet {
    /// The first sheet: founders, or the ancestors and their children.
    pub(super) fn first(
        config: EvolveConfig,
        seed: u64,
        ancestors: &[Genome],
        distinct: Option<f64>,
    ) -> Self {
        let mut breeder = Breeder::new(config, seed, ancestors);
        let brood = first_brood(&mut breeder, ancestors, distinct);
        Sheet { breeder, brood, distinct }
    }

    /// The genomes, (N,).
    pub fn genomes(&self) -> &[Genome] {
        &self.brood.genomes
    }

    /// Their births, (N,). Sheets of different branches count births apart.
    pub fn births(&self) -> &[Birth] {
        &self.brood.births
    }

    /// Number of selections that led here.
    pub fn generation(&self) -> u64 {
        self.breeder.generation()
    }

    /// Breeds the next sheet: the chosen parents first (if `keep_parents`), then children, each of
    /// one parent drawn uniformly among the chosen, or of two with `crossover.rate`. Where only a part
    /// may change, each has one parent: a cross mixes everything.
    ///
    /// A child that draws a parent's picture, or that of one before it on the sheet, is drawn again.
    pub(super) fn bred(&self, selection: &Selection) -> Result<Sheet, Refusal> {
        let (old, n) = (&self.brood, self.brood.len());
        let slider = selection.slider.unwrap_or(self.breeder.config.mutation.slider);
        if selection.chosen.is_empty() {
            return Err(Refusal::new("", "at least one chosen picture", "none"));
        }
        if !(0.0..=1.0).contains(&slider) {
            return Err(Refusal::new("", "a slider in [0, 1]", slider.to_string()));
        }
        if selection.roll >= MOST_ROLLS {
            let expected = format!("a roll below {MOST_ROLLS}");
            return Err(Refusal::new("", expected, selection.roll.to_string()));
        }
        let mut seen = BTreeSet::new();
        for &place in &selection.chosen {
            if place >= n {
                return Err(not_on_sheet(n, place));
            }
            if !seen.insert(place) {
                let found = format!("place {place} twice");
                return Err(Refusal::new("", "each picture chosen at most once", found));
            }
            if selection.parts == Parts::Colour && !old.genomes[place].is_colour() {
                let expected = "colour genomes to change the colour of";
                return Err(Refusal::new("", expected, format!("a grey one at place {place}")));
            }
        }

        let mut breeder = self.breeder.clone();
        let generation = breeder.generation();
        let mut rng = SimRng::new(breeder.seed, "select", generation | (selection.roll << 32));
        breeder.begin_generation();
        let parent = |place: usize| Parent {
            genome: &old.genomes[place],
            id: old.births[place].id,
            fitness: 0.0,
        };
        let mut brood = Brood::default();
        if breeder.config.reproduction.keep_parents {
            // At least one place is left for a child.
            for &place in selection.chosen.iter().take(n - 1) {
                brood.push((old.genomes[place].clone(), old.births[place].clone()));
            }
        }
        // Small changes are wanted small: what counts as another picture shrinks with the slider.
        let distinct = self.distinct.map(|distinct| distinct * (2.0 * slider).min(1.0));
        let parents = selection.chosen.iter().map(|&place| &old.genomes[place]);
        let mut shown = Shown::new(parents, distinct);
        while brood.len() < n {
            let mother = *rng.choose(&selection.chosen).expect("checked above");
            let mut parents = vec![parent(mother)];
            let may_cross = selection.chosen.len() > 1 && selection.parts.is_both();
            if may_cross && rng.chance(breeder.config.crossover.rate) {
                let others: Vec<usize> =
                    selection.chosen.iter().copied().filter(|&p| p != mother).collect();
                parents.push(parent(*rng.choose(&others).expect("two are chosen")));
            }
            let made = shown.another(&mut breeder, |breeder, _| {
                let stream = (selection.roll << 40) | rng.next_u64() >> 24;
                breeder.child(&parents, slider, selection.parts, Some(stream))
            });
            brood.push(made);
        }
        Ok(Sheet { breeder, brood, distinct: self.distinct })
    }
}
