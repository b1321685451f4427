//! The answers of a page about networks and sessions, and the trainings and scores that it looks on at, written once over
//! a [`Shelf`]: the files of the studio, or the memory of the engine in a browser. In: requests. Out: pictures, and plain
//! data that becomes JSON. It knows no file and no server.

mod asked;
mod carried;
mod drawing;
mod moves;
mod networks;
mod places;
mod scoring;
mod sessions;
mod shelf;
pub mod sugiyama;
mod tone;
mod training;
mod tree;
mod watched;

pub use carried::{CarriedNetwork, carried_genome, drawable};
pub use drawing::{Drawing, DrawnLink, DrawnUnit};
pub use moves::{Matched, Ranked};
pub use networks::{
    Atlas, Description, LinkRequest, PictureRequest, ensure_side, genome, is_view_kept, maps,
    matched, network, picture, ranked, side_by_side, tags,
};
pub use scoring::Scoring;
pub use sessions::{
    Choice, Foreseen, LARGEST_GRID, Move, PlaceRequest, SessionRequest, SessionSheet,
    SheetPictures, SheetRequest, Way, as_seen, begin, breed, draw, ensure_seen, foresee, go,
    place_genome, place_picture, placed, sheet, show,
};
pub use shelf::{
    About, Answered, Label, NetworkRequest, PageError, PageNetwork, Shelf, WatchedAnswer,
};
pub use tone::signed_picture;
pub use training::Training;
pub use tree::Shown;
pub use watched::{Watched, Works, watch};
