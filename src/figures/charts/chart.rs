//! What each kind of chart must say for itself to stand on a figure.

use super::canvas::{Area, Canvas};
use super::cartesian::{Cartesian, Place};
use super::frame::{Frame, Key};

/// What a chart has in view: the x and the y of everything it shows (bars and heatmaps: their
/// values as y).
pub(super) type Values = (Vec<f64>, Vec<f64>);

/// What each kind of chart must say for itself to stand on a figure.
pub(super) trait Chart {
    fn frame(&self) -> &Frame;
    fn keys(&self) -> Vec<Key>;
    fn values(&self) -> Values;
    /// Its axes over these values in a panel of about this size; `None` if there is nothing to show.
    fn lay(&self, area: Area, values: &Values) -> Option<Cartesian>;
    /// `values` are those that its axes were laid over.
    fn paint(&self, canvas: &Canvas<'_>, axes: &Cartesian, place: Place, values: &Values);
}
