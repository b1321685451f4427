//! A model prepared for one picture size: what it draws, and what it draws when weights change.

use super::change::Change;
use super::sweep::{self, Delta, Moved, Perturbation, Search, WeightSweep};
use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::network::kernel::{FeatureMaps, PerturbScratch, Perturber, render};
use crate::network::{Coords, Mask, Model, Picture, PixelInputs};
use crate::prune::alive_units;
use rayon::prelude::*;

/// A model at one picture size and coordinate convention.
///
/// Holds every unit's activation at every pixel (U · P floats), so that a changed picture costs
/// only the units that feel the change. Every picture has the bits that
/// [`Model::picture`](crate::network::Model::picture) gives for the changed weights.
///
/// ```
/// use picloom_engine::genome::from_json;
/// use picloom_engine::network::{Coords, Model, Wiring};
/// use picloom_engine::probe::{Change, Delta, Selection, View};
///
/// let genome = from_json(include_str!("../../../../genomes/bred_moth.json"))?;
/// let view = View::new(&Model::of_genome(&genome, Wiring::Graph), 32, Coords::Fer);
/// let changed = view.picture_with(Change::By { link: 0, delta: 0.5 });
/// assert_eq!((changed.width, changed.height), (32, 32));
/// let links = Selection::Links(vec![0, 1]).links(view.model(), 0)?;
/// let sweep = view.sweep(&links, Delta::Effect(0.18), &|_| {});
/// assert_eq!(sweep.perturbations.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct View {
    perturber: Perturber,
    drawn: Picture,
    coords: Coords,
}

impl View {
    /// Prepares `model` for pictures of `size`² pixels.
    ///
    /// # Panics
    /// If there is not one weight a link.
    pub fn new(model: &Model, size: usize, coords: Coords) -> Self {
        let perturber = Perturber::new(model, &PixelInputs::full(size, coords));
        let drawn = Picture { width: size, height: size, rgb: perturber.base().to_vec() };
        View { perturber, drawn, coords }
    }

    /// Prepares a conditional model for its pictures of `size`² pixels under these conditions, one below the other as one
    /// picture.
    ///
    /// # Panics
    /// No condition, one with another number of values than the model has factors, or not one weight a link.
    pub fn under(model: &Model, size: usize, coords: Coords, conditions: &[Vec<f64>]) -> Self {
        let inputs = PixelInputs::full(size, coords).under(conditions);
        let perturber = Perturber::new(model, &inputs);
        let height = size * conditions.len();
        let drawn = Picture { width: size, height, rgb: perturber.base().to_vec() };
        View { perturber, drawn, coords }
    }

    /// The same, if the machine has the memory for it: U · P floats and some more for the picture.
    ///
    /// # Errors
    /// It has not.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn fitting(model: &Model, size: usize, coords: Coords) -> Result<Self, Refusal> {
        let pixels = size.saturating_mul(size);
        // Of each pixel: four coordinates in both precisions and the colour, a value of each unit.
        let units = model.network.units.len() + 16;
        memory::ensure("size", &[(pixels, "pixels"), (units, "units")], 4)?;
        Ok(View::new(model, size, coords))
    }

    /// The unchanged model.
    pub fn model(&self) -> &Model {
        self.perturber.model()
    }

    /// Side of the pictures in pixels.
    pub fn size(&self) -> usize {
        self.drawn.width
    }

    /// Coordinate convention of the pictures.
    pub fn coords(&self) -> Coords {
        self.coords
    }

    /// The picture of the unchanged model.
    pub fn picture(&self) -> &Picture {
        &self.drawn
    }

    /// Draws the picture with one weight changed. For many pictures: [`View::painter`].
    ///
    /// # Panics
    /// If there is no such link.
    pub fn picture_with(&self, change: impl Into<Change>) -> Picture {
        let mut painter = self.painter();
        painter.draw(change);
        painter.picture
    }

    /// Draws changed pictures one after another without allocating. One a thread.
    pub fn painter(&self) -> Painter<'_> {
        Painter {
            view: self,
            scratch: self.perturber.scratch(),
            changes: Vec::new(),
            picture: self.drawn.clone(),
        }
    }

    /// (U, P) what each unit draws.
    pub fn maps(&self) -> FeatureMaps {
        self.perturber.maps()
    }

    /// (U,) units with an influence on the picture: those on a path of non-zero weights from an
    /// input to an output.
    pub fn alive_units(&self) -> Vec<bool> {
        let model = self.model();
        alive_units(&model.network, &Mask::non_zero(&model.weights))
    }

    /// Moves the weight of each link downwards and upwards.
    ///
    /// The result does not depend on the number of threads. `progress` is called with the number
    /// of links done.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn sweep(
        &self,
        links: &[usize],
        delta: Delta,
        progress: &(dyn Fn(usize) + Sync),
    ) -> WeightSweep {
        let moved = self.search(links, delta, progress);
        WeightSweep::of(self.model(), self.size(), delta, moved)
    }

    /// The drawings that [`View::sweep`] takes for each of `links`, both ways together.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn drawings(&self, links: &[usize], delta: Delta) -> Vec<usize> {
        self.search(links, delta, &|_| {}).into_iter().map(|m| m.drawings).collect()
    }

    fn search(
        &self,
        links: &[usize],
        delta: Delta,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Moved> {
        let effect = || {
            let mut painter = self.painter();
            move |change| painter.effect(change)
        };
        sweep::search(self.model(), links, (delta, Search::Secant), progress, effect)
    }

    /// [`View::sweep`] the plain way, to compare with: every picture drawn afresh, matched effects found
    /// by doubling and halving.
    ///
    /// The pictures of one change have the same bits; effects differ in the rounding of their sums.
    pub fn sweep_plainly(&self, links: &[usize], delta: Delta) -> WeightSweep {
        let (model, size) = (self.model(), self.size());
        let inputs = &PixelInputs::full(size, self.coords);
        let effect = || {
            let mut weights = model.weights.clone();
            move |change| {
                let (link, value) = self.resolve(change);
                weights.0[link] = value;
                let rgb = render(&model.network, &weights, inputs);
                weights.0[link] = model.weights.0[link];
                Picture { width: size, height: size, rgb }.mse(&self.drawn).sqrt()
            }
        };
        let moved = sweep::search(model, links, (delta, Search::Plain), &|_| {}, effect);
        WeightSweep::of(model, size, delta, moved)
    }

    /// Applies `see` to the picture under each perturbation of a sweep of this view, in the order
    /// of the sweep; `None` for silent ones. Runs on all threads.
    ///
    /// # Panics
    /// While iterating, if the sweep has a link that the network has not.
    pub(crate) fn changed<'a, T: Send>(
        &'a self,
        sweep: &'a WeightSweep,
        see: impl Fn(&Perturbation, &Picture) -> T + Sync + Send + 'a,
    ) -> impl IndexedParallelIterator<Item = (Perturbation, Option<T>)> + 'a {
        sweep.perturbations.par_iter().map_init(
            || self.painter(),
            move |painter, p| (*p, (!p.silent).then(|| see(p, painter.draw(p)))),
        )
    }

    /// The pictures of one link at `steps` weights from w − span to w + span (FER's strip).
    ///
    /// # Panics
    /// If there is no such link.
    pub fn strip(&self, link: usize, span: f64, steps: usize) -> Vec<Picture> {
        self.strip_of(link, span, steps, Picture::clone)
    }

    /// Applies `see` to each picture of [`strip`](Self::strip), one picture in memory at a time.
    ///
    /// # Panics
    /// As there.
    pub fn strip_of<T>(
        &self,
        link: usize,
        span: f64,
        steps: usize,
        see: impl Fn(&Picture) -> T,
    ) -> Vec<T> {
        let mut painter = self.painter();
        (0..steps)
            .map(|k| {
                let t = if steps > 1 { 2.0 * k as f64 / (steps - 1) as f64 - 1.0 } else { 0.0 };
                see(painter.draw(Change::By { link, delta: span * t }))
            })
            .collect()
    }

    /// The link of a change and its new weight.
    fn resolve(&self, change: Change) -> (usize, f32) {
        match change {
            Change::To { link, value } => (link, value),
            Change::By { link, delta } => {
                (link, (f64::from(self.model().weights.0[link]) + delta) as f32)
            }
        }
    }
}

/// Draws changed pictures of a [`View`] into one buffer, from [`View::painter`].
#[derive(Clone, Debug)]
pub struct Painter<'v> {
    view: &'v View,
    scratch: PerturbScratch,
    changes: Vec<(usize, f32)>,
    picture: Picture,
}

impl Painter<'_> {
    /// The picture under one change.
    ///
    /// # Panics
    /// If there is no such link; so for all methods.
    pub fn draw(&mut self, change: impl Into<Change>) -> &Picture {
        self.draw_all([change.into()])
    }

    /// The picture under several changes at once; of several of one link the last counts.
    pub fn draw_all(&mut self, changes: impl IntoIterator<Item = Change>) -> &Picture {
        self.resolve(changes);
        let Painter { view, scratch, changes, picture } = self;
        view.perturber.with_weights(scratch, changes, &mut picture.rgb);
        picture
    }

    /// The effect of a change: RMSE between the two pictures, over pixels and channels.
    pub fn effect(&mut self, change: impl Into<Change>) -> f64 {
        self.effect_of_all([change.into()])
    }

    /// The effect of several changes at once.
    pub fn effect_of_all(&mut self, changes: impl IntoIterator<Item = Change>) -> f64 {
        self.resolve(changes);
        self.view.perturber.rmse_with_weights(&mut self.scratch, &self.changes)
    }

    fn resolve(&mut self, changes: impl IntoIterator<Item = Change>) {
        self.changes.clear();
        self.changes.extend(changes.into_iter().map(|change| self.view.resolve(change)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::network::{Arch, Weights};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        #[test]
        fn every_way_to_a_changed_picture_gives_the_same_bits(
            seed in any::<u64>(),
            layers in 1usize..6,
            size in 5usize..24,
            delta in -3.0f64..3.0,
        ) {
            let network = format!("{layers};cache:1,gaussian:2,sin:2").parse::<Arch>().unwrap().network();
            let mut rng = SimRng::new(seed, "test", 0);
            let weights = (0..network.weight_count())
                .map(|_| if rng.chance(0.2) { 0.0 } else { rng.normal() as f32 });
            let weights = Weights(weights.collect());
            let model = Model::new(network, weights);
            let view = View::new(&model, size, Coords::Picbreeder);
            let link = rng.below(model.weights.0.len());
            let value = (f64::from(model.weights.0[link]) + delta) as f32;

            let mut changed = model.clone();
            changed.weights.0[link] = value;
            let afresh = changed.picture(size, Coords::Picbreeder);
            let by = Change::By { link, delta };
            prop_assert_eq!(&view.picture_with(by), &afresh);
            prop_assert_eq!(&view.picture_with(Change::To { link, value }), &afresh);
            let view_of_changed = View::new(&changed, size, Coords::Picbreeder);
            prop_assert_eq!(view_of_changed.picture(), &afresh);
            let mut painter = view.painter();
            let other = Change::To { link: rng.below(model.weights.0.len()), value: 7.0 };
            painter.draw(other);
            painter.effect(other);
            prop_assert_eq!(painter.draw(by), &afresh);
            prop_assert_eq!(painter.draw_all([Change::To { link, value: 9.0 }, by]), &afresh);
            let effect = painter.effect(by);
            prop_assert!((effect - afresh.mse(view.picture()).sqrt()).abs() <= 1e-4 * effect);
            let strip = view.strip(link, delta, 3);
            prop_assert_eq!(&strip[2], &afresh);
            prop_assert_eq!(&strip[1], view.picture());
            let swept = view.sweep(&[link], Delta::Fixed(delta.abs().max(0.01)), &|_| {});
            let seen: Vec<_> = view.changed(&swept, |_, picture| picture.clone()).collect();
            for (p, picture) in seen {
                prop_assert_eq!(picture, Some(view.picture_with(p)));
            }
            // And the unchanged network.
            prop_assert_eq!(view.picture(), &model.picture(size, Coords::Picbreeder));
            prop_assert_eq!(view.maps(), model.maps(size, Coords::Picbreeder));
        }
    }
}
