//! Pruning methods of other crates: a type that scores links, known by a name.
//!
//! A program adds its method once ([`add_method`]). From then on `own:NAME` is a method like the others, in plans, in
//! specs and on its command line.

use crate::base::SimRng;
use crate::base::choice::options;
use crate::base::command::Word;
use crate::base::refusal::Refusal;
use crate::prune::context::{EdgeContext, EdgeScores, PruneError};
use crate::prune::round::{Prunes, Round};
use crate::prune::select::Rule;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// A pruning method: a score for every link. What stays by the scores, the guards that keep the outputs fed, and
/// the exact count are the same for all methods.
///
/// ```
/// use picloom_engine::base::SimRng;
/// use picloom_engine::network::{Arch, Coords, Mask, PixelInputs, Weights, kernel::feature_maps};
/// use picloom_engine::prune::{EdgeContext, LinkScorer, Orphans, Rule, add_method, prune};
///
/// /// Keeps links whose weight is far from the mean weight.
/// struct FarFromMean;
///
/// impl LinkScorer for FarFromMean {
///     fn scores(&self, round: &EdgeContext<'_>, _: Rule, _: &mut SimRng) -> Result<Vec<f64>, String> {
///         let weights = &round.weights.0;
///         let mean = weights.iter().sum::<f32>() / weights.len() as f32;
///         Ok(weights.iter().map(|w| f64::from((w - mean).abs())).collect())
///     }
/// }
///
/// add_method("far-from-mean", FarFromMean)?;
/// let network = "2;cache:2,sin:2".parse::<Arch>()?.network();
/// let mut rng = SimRng::new(1, "doc", 0);
/// let weights = Weights((0..network.weight_count()).map(|_| rng.normal() as f32).collect());
/// let mask = Mask::all(network.weight_count());
/// let maps = feature_maps(&network, &weights, &PixelInputs::full(8, Coords::Fer));
/// let context = EdgeContext::new(&network, &weights, &mask).with_maps(&maps);
/// let method = "own:far-from-mean".parse()?;
/// let pruned = prune(method, Rule::Budget(20), Orphans::Refill, &context, &mut rng)?;
/// assert_eq!(pruned.kept, 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LinkScorer: Send + Sync + 'static {
    /// (W,) a finite score for every link of the network; larger: stays. Links that are not in the mask are left out
    /// whatever they score. A function of its arguments: whatever is random comes from `rng`.
    ///
    /// # Errors
    /// Why there are no scores.
    fn scores(
        &self,
        round: &EdgeContext<'_>,
        rule: Rule,
        rng: &mut SimRng,
    ) -> Result<Vec<f64>, String>;
}

type Methods = BTreeMap<String, Arc<dyn LinkScorer>>;

static METHODS: RwLock<Methods> = RwLock::new(Methods::new());

/// Adds a method under a name. Its version belongs into the name, for records know nothing else of it.
///
/// # Errors
/// The name is empty, has other letters than `a–z`, `0–9`, `-` and `_`, or is taken.
pub fn add_method(name: &str, method: impl LinkScorer) -> Result<(), Refusal> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let whole = !name.is_empty() && name.chars().all(fits);
    let at = "name of a pruning method";
    Refusal::unless(whole, at, "letters a-z, digits, - and _", format!("{name:?}"))?;
    let mut methods = METHODS.write().unwrap_or_else(PoisonError::into_inner);
    Refusal::unless(!methods.contains_key(name), at, "one that is not taken", name)?;
    methods.insert(name.into(), Arc::new(method));
    Ok(())
}

/// Removes the method that was added under a name, if there is one.
pub fn remove_method(name: &str) {
    METHODS.write().unwrap_or_else(PoisonError::into_inner).remove(name);
}

options! {
    /// Options of `own`.
    #[derive(Copy)]
    pub struct Own {
        /// Name under which a program has added the method.
        method: Word = Word::default(), value: "NAME", unless: "none";
    }
}

impl Prunes for Own {
    fn scores(&self, round: &Round, rng: &mut SimRng) -> Result<EdgeScores, PruneError> {
        let name = self.method.text();
        let methods = METHODS.read().unwrap_or_else(PoisonError::into_inner).clone();
        let found = methods.get(name).ok_or_else(|| {
            let all: Vec<&str> = methods.keys().map(String::as_str).collect();
            let all = if all.is_empty() {
                "one that the program has added".into()
            } else {
                all.join(", ")
            };
            Refusal::new("pruning method own", all, format!("{name:?}"))
        })?;
        let scores = found.scores(&round.context, round.rule, rng).map_err(|problem| {
            Refusal::new(format!("pruning method own:{name}"), "scores", problem).as_failure()
        })?;
        let (expected, found) = (round.context.network.weight_count(), scores.len());
        if expected != found {
            return Err(PruneError::wrong_length("scores of own", expected, found));
        }
        Ok(EdgeScores::of(round.context.mask, |link| scores[link]))
    }
}
