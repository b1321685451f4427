//! A network as a judge is shown it, drawn large enough to be judged.

use super::Fit;
use super::dl::canonical::SIDE;
use crate::base::refusal::Refusal;
use crate::network::{Coords, Model, Picture};
use crate::probe::View;

/// Least side of the pictures that are judged, in pixels \[ours\]: the shipped judge looks at copies of this size.
///
/// Smaller pictures are blurred when they are enlarged, and blur looks like damage. A network draws its picture
/// at any size, so a network that was trained on a smaller picture is judged at this size.
pub const JUDGED_AT: usize = SIDE;

/// A network as a judge is shown it, and how well it drew its picture.
///
/// Its [`view`](Self::view) has the size that the network was trained at, or [`JUDGED_AT`] where that is larger. Weights
/// are moved and pictures are judged there, so effects, δ and silent weights belong to that size. The fit is that
/// of the network's own size. Scores are taken of exhibits only, so that none is taken of a smaller picture.
///
/// ```
/// use picloom_engine::genome::from_json;
/// use picloom_engine::network::{Coords, Model, Wiring};
/// use picloom_engine::score::{Exhibit, JUDGED_AT};
///
/// let genome = from_json(include_str!("../../../../genomes/bred_moth.json"))?;
/// let model = Model::of_genome(&genome, Wiring::Graph);
/// let target = model.picture(16, Coords::Fer);
/// let exhibit = Exhibit::new(&model, 16, Coords::Fer, Some(&target));
/// assert_eq!((exhibit.size(), exhibit.view().size()), (16, JUDGED_AT));
/// assert_eq!(exhibit.fit().map(|fit| fit.r2), Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exhibit {
    view: View,
    size: usize,
    fit: Option<Fit>,
}

impl Exhibit {
    /// Prepares a network for pictures of its own `size`, or of [`JUDGED_AT`]. `target` is what it should draw, at
    /// its own size.
    ///
    /// # Panics
    /// If there is not one weight a link, or `target` has another size.
    pub fn new(model: &Model, size: usize, coords: Coords, target: Option<&Picture>) -> Self {
        Exhibit::of(View::new(model, size.max(JUDGED_AT), coords), size, target)
    }

    /// The same, if the machine has the memory for it.
    ///
    /// # Errors
    /// It has not.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn fitting(
        model: &Model,
        size: usize,
        coords: Coords,
        target: Option<&Picture>,
    ) -> Result<Self, Refusal> {
        let view = View::fitting(model, size.max(JUDGED_AT), coords)?;
        Ok(Exhibit::of(view, size, target))
    }

    fn of(view: View, size: usize, target: Option<&Picture>) -> Self {
        let fit = target.map(|target| match view.size() == size {
            true => Fit::of(view.picture(), target),
            false => Fit::of(&view.model().picture(size, view.coords()), target),
        });
        Exhibit { view, size, fit }
    }

    /// The network at the size that it is judged at.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The view alone.
    pub fn into_view(self) -> View {
        self.view
    }

    /// The network's own size in pixels: that of the fit.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How well it draws its target; `None` without a target.
    pub fn fit(&self) -> Option<Fit> {
        self.fit
    }
}
