//! How the paper's own arms look: rows after those of [`style::ARMS`].

use picloom::figures::style::{self, Arm, Colour, Marker, row};

/// Depths that were predicted, and other optimizers.
pub(crate) const OWN: [Arm; 6] = [
    row(
        "dense-predicted",
        "dense, predicted depth",
        "dense, depth",
        Colour(166, 70, 0),
        Marker::Square,
    ),
    row("sp-predicted", "SP, predicted depth", "SP, depth", Colour(0, 70, 116), Marker::Circle),
    row("dense-muon", "dense, Muon", "dense, Muon", Colour(240, 140, 80), Marker::Diamond),
    row("dense-muon-20", "dense, Muon, 20 steps", "dense, 20", Colour(130, 50, 0), Marker::Plus),
    row("sp-muon", "SP, Muon", "SP, Muon", Colour(90, 160, 214), Marker::Diamond),
    row("sp-muon-20", "SP, Muon, 20 steps", "SP, 20", Colour(0, 50, 110), Marker::Plus),
];

/// The arm with this key, and its place in the order of all.
pub(crate) fn arm(key: &str) -> Option<(usize, &'static Arm)> {
    let own = || OWN.iter().position(|arm| arm.key == key);
    style::arm(key).or_else(|| own().map(|i| (style::ARMS.len() + i, &OWN[i])))
}

/// The arm at a place of that order.
pub(crate) fn at(place: usize) -> &'static Arm {
    style::ARMS.get(place).unwrap_or_else(|| &OWN[place - style::ARMS.len()])
}

/// Label, colour and marker of an arm; of one that no table knows, its own name.
pub(crate) fn look(key: &str) -> (String, Colour, Marker) {
    match arm(key) {
        Some((_, a)) => (a.label.into(), a.colour, a.marker),
        None => (key.replace('-', " "), style::GREY, Marker::Plus),
    }
}
