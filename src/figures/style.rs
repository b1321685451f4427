//! The house of every figure of networks: what arms and columns are called, their colours and their order.
//!
//! The arms' colours ([`ARMS`]) are those of Okabe and Ito (2008, "Color Universal
//! Design"), which people with any common form of colour blindness can tell apart; beyond eight, dark
//! tones of Paul Tol's "muted" set follow; none is in [`PALETTE`]. Every arm also has its own marker, so no figure
//! depends on colour alone.

use crate::score::Call;
use crate::score::dl::labelled_by;
use crate::score::measures::own;
use picloom_plot::{House, Numbers};
use std::sync::OnceLock;

pub use picloom_plot::style::*;
pub use picloom_plot::{Arm, row};

/// Border of a picture judged clean.
pub const CLEAN: Colour = Colour(0, 158, 115);
/// Border of a picture of which the judge is not sure.
pub const UNCLEAR: Colour = Colour(240, 214, 40);
/// Border of a picture judged damaged.
pub const DAMAGED: Colour = Colour(213, 60, 0);
/// Border of a picture that was judged.
pub fn called(call: Call) -> Colour {
    match call {
        Call::Clean => CLEAN,
        Call::Unclear => UNCLEAR,
        Call::Damaged => DAMAGED,
    }
}

/// Wirings and pruning methods as arms, in the order every figure and table shows them.
pub const ARMS: [Arm; 21] = [
    row("evolved", "evolved", "evolved", Colour(0, 158, 115), Marker::Diamond),
    row("dense", "dense twin, trained", "dense", Colour(213, 94, 0), Marker::Square),
    row("dense-l1", "dense twin, L1 penalty", "dense, L1", Colour(148, 103, 189), Marker::Square),
    row("graph", "evolved graph, retrained", "graph", Colour(204, 121, 167), Marker::Triangle),
    row(
        "layerized",
        "evolved layers, retrained",
        "layers",
        Colour(136, 34, 85),
        Marker::TriangleDown,
    ),
    row("sp", "similarity-pruned (SP)", "SP", Colour(0, 114, 178), Marker::Circle),
    row("sp-threshold", "SP, by threshold", "SP thresh.", Colour(26, 84, 140), Marker::Square),
    row("sp-signed", "SP, signed shares", "SP signed", Colour(86, 180, 233), Marker::Circle),
    row("sp-mrmr", "SP, mRMR", "SP mRMR", Colour(51, 34, 136), Marker::Ring),
    row("sp-merge", "SP, merging", "SP merge", Colour(68, 170, 153), Marker::Ring),
    row("imp", "lottery ticket (IMP)", "IMP", Colour(160, 110, 20), Marker::TriangleDown),
    row("wanda", "Wanda", "Wanda", Colour(153, 153, 51), Marker::Square),
    row("wanda-only", "Wanda, not retrained", "Wanda only", Colour(190, 190, 110), Marker::Cross),
    row("wanda-layer", "Wanda, by layer", "Wanda layer", Colour(122, 122, 36), Marker::Diamond),
    row("wanda-global", "Wanda, global", "Wanda global", Colour(98, 98, 20), Marker::Plus),
    row("taylor", "Taylor groups", "Taylor", Colour(170, 68, 153), Marker::Diamond),
    row("magnitude", "magnitude-pruned", "magnitude", Colour(230, 159, 0), Marker::Triangle),
    row("random", "random, same counts", "random", Colour(140, 140, 140), Marker::Cross),
    row(
        "sp-layer-counts",
        "random, SP's layer counts",
        "SP counts",
        Colour(96, 96, 104),
        Marker::TriangleDown,
    ),
    row(
        "layer-counts",
        "random, as many a layer",
        "layer counts",
        Colour(110, 104, 96),
        Marker::TriangleDown,
    ),
    row("rewired", "SP, other parents", "rewired", Colour(176, 160, 150), Marker::Diamond),
];

static ADDED: OnceLock<&'static [Arm]> = OnceLock::new();

/// Adds a program's own arms, which come after [`ARMS`]. The first call counts.
pub fn add_arms(arms: &'static [Arm]) {
    ADDED.get_or_init(|| arms);
}

/// Every arm, in order.
pub fn arms() -> impl Iterator<Item = &'static Arm> {
    ARMS.iter().chain(ADDED.get().copied().unwrap_or_default())
}

/// The arm with this key, and its place in the order; `None` for a key the house style does not
/// know (give such a series a [`colour`] by its index).
pub fn arm(key: &str) -> Option<(usize, &'static Arm)> {
    arms().enumerate().find(|(_, a)| a.key == key)
}

/// Columns of a study's table: name, label, numbers.
const COLUMNS: [(&str, &str, Numbers); 29] = [
    ("score", "compositional score", Numbers::Share),
    ("fixed_score", "score at one fixed change", Numbers::Share),
    ("target", "picture", Numbers::Plain),
    ("layers", "hidden layers", Numbers::Whole),
    ("offset", "hidden layers, off the reference", Numbers::Signed),
    ("level", "level", Numbers::Whole),
    ("seed", "seed", Numbers::Whole),
    ("at", "R² on the way", Numbers::Plain),
    ("links", "links of the dense network", Numbers::Plain),
    ("kept", "links kept", Numbers::Plain),
    ("share", "links kept", Numbers::Percent),
    ("alive", "links alive", Numbers::Plain),
    ("mse", "loss (MSE)", Numbers::Plain),
    ("r2", "R²", Numbers::AtMostOne),
    ("fit", "networks that fit", Numbers::Percent),
    ("steps", "training steps", Numbers::Plain),
    ("evaluations", "gradient evaluations", Numbers::Plain),
    ("collapses", "collapses", Numbers::Whole),
    ("clean_share", "clean share", Numbers::Share),
    ("clean", "changes judged clean", Numbers::Plain),
    ("unclear", "changes judged unclear", Numbers::Plain),
    ("damaged", "changes judged damaged", Numbers::Plain),
    ("silent", "silent weights", Numbers::Plain),
    ("interference", "interference of maps", Numbers::Plain),
    ("excess", "interference above the Welch bound", Numbers::Plain),
    ("roughness", "roughness", Numbers::Plain),
    ("decoded", "variance decoded linearly", Numbers::AtMostOne),
    ("png_ratio", "PNG ratio", Numbers::Plain),
    ("one_coordinate", "R² of one coordinate", Numbers::AtMostOne),
];

/// The names and looks of figures of networks: [`arms`], the columns of their tables, those of other crates' measures.
pub(crate) fn house() -> House {
    let own = own::columns().into_iter().map(|column| (column.name, column.label, Numbers::Plain));
    House {
        columns: COLUMNS.into_iter().chain(own).collect(),
        untitled: &["arm", "target", "variant", "study"],
        arms: arms().copied().collect(),
        row: "network",
        unfit: "no network learned its picture",
    }
}

/// A judge's name, with who labelled the pictures that it was fitted to.
pub(crate) fn judged_by(judge: &str) -> String {
    match labelled_by(judge) {
        Some(who) => format!("{judge}; {who}"),
        None => judge.into(),
    }
}
