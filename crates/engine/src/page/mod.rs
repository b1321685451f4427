//! The data of a page about networks and sessions, whoever serves it: the studio's server, or the
//! engine in the browser itself. In: models, views, breeding sessions. Out: plain data that becomes
//! JSON. It draws nothing.

mod asked;
mod carried;
mod drawing;
mod moves;
mod places;
pub mod sugiyama;
mod tone;
mod tree;

pub use asked::{condition, frame, weights_to_set};
pub use carried::{CarriedError, CarriedNetwork, carried_genome, drawable};
pub use drawing::{Drawing, DrawnLink, DrawnUnit};
pub use moves::{EFFECTS, Matched, Ranked, matched, ranked};
pub use places::{Places, places};
pub use tone::{BLANK, NEGATIVE, POSITIVE, signed_colour};
pub use tree::{Place, Tree, TreeNode, choose};
