//! How the paper's own arms look: rows after those of `picloom::figures::style::ARMS`.

use picloom::figures::style::{self, Arm, Colour, Marker, row};

/// Controls of pruning, other ways to few links, depths that were predicted, and other optimizers.
pub(crate) static OWN: [Arm; 12] = [
    row("sp-inverted", "SP inverted", "inverted", Colour(176, 58, 58), Marker::Plus),
    row(
        "sp-untrained",
        "SP of untrained weights",
        "untrained",
        Colour(116, 150, 190),
        Marker::Cross,
    ),
    row("sp-permuted", "SP, shares permuted", "permuted", Colour(160, 160, 190), Marker::Plus),
    row("evolved-mask", "evolved mask, retrained", "mask", Colour(122, 72, 138), Marker::Cross),
    row("sparse-training", "weight-sparse training", "sparse", Colour(31, 35, 40), Marker::Plus),
    row("swarm", "swarm in weight space", "swarm", Colour(17, 119, 51), Marker::Plus),
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

/// Label, colour and marker of an arm; of one that no table knows, its own name.
pub(crate) fn look(key: &str) -> (String, Colour, Marker) {
    match style::arm(key) {
        Some((_, a)) => (a.label.into(), a.colour, a.marker),
        None => (key.replace('-', " "), style::GREY, Marker::Plus),
    }
}
