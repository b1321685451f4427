//! Which links stay: every pruning method of the study behind one function (METHODS §5).
//!
//! In: a network, its weights, the links kept so far, feature maps (and a gradient, where a method
//! asks for one). Out: a [`Pruned`]: mask, weights, the score of every link, what the guards did.
//! [`prune`] is a pure function of data; [`rounds`] repeats it with training in between. No files: a
//! [`Keeper`] is told of each round as it comes.
//!
//! Dimension letters: P pixels, U units, W links (= weights), L hidden layers, K links to keep.
//!
//! ```
//! use picloom_engine::base::SimRng;
//! use picloom_engine::network::{Arch, Coords, Mask, PixelInputs, Weights, kernel::feature_maps};
//! use picloom_engine::prune::{EdgeContext, Orphans, Rule, prune};
//!
//! let network = "2;cache:2,sin:2".parse::<Arch>()?.network();
//! let mut rng = SimRng::new(1, "doc", 0);
//! let weights = Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
//! let maps = feature_maps(&network, &weights, &PixelInputs::full(16, Coords::Fer));
//! let mask = Mask::all(network.weight_count());
//! let context = EdgeContext::new(&network, &weights, &mask).with_maps(&maps);
//! let pruned = prune("sp".parse()?, Rule::Budget(20), Orphans::Refill, &context, &mut rng)?;
//! assert_eq!((pruned.kept, pruned.alive), (20, 20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod context;
pub mod guard;
mod keep;
pub mod methods;
mod origin;
mod plan;
mod retrain;
mod round;
mod rounds;
pub mod schedule;
mod select;
mod swarm_search;

pub use apply::{edge_scores, prune};
pub use context::{EdgeContext, EdgeScores, Pattern, PruneError};
pub use guard::{GuardReport, Orphans, alive, alive_units};
pub use keep::{InMemory, Keeper, Links, Retrained, RoundJob};
pub use methods::{
    LinkScorer, Method, Need, Question, add_method, merge, mrmr, remove_method, similarity,
    sparse_training, swarm, taylor, wanda,
};
pub use plan::{Began, Cost, PrunePlan, RoundRecord, Trained};
pub use retrain::{MaskChange, Retrain};
pub use round::Pruned;
pub use rounds::{round_mask, rounds};
pub use select::{Rule, Scope};
pub use swarm::Search;
