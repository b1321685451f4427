//! The changes of a weight.

/// One weight changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// `delta` is added to the weight of `link`, in f64.
    By {
        /// The link.
        link: usize,
        /// The change of its weight.
        delta: f64,
    },
    /// The weight of `link` becomes `value`.
    To {
        /// The link.
        link: usize,
        /// Its new weight.
        value: f32,
    },
}
