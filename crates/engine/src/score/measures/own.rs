//! Measures of other crates: numbers of a network for which a study's table gets columns of their own.
//!
//! A program adds its measures once ([`add_measures`]). From then on a study may ask for them by their key, and tables,
//! contrasts and figures know their columns.

use crate::base::refusal::Refusal;
use crate::genome::Genome;
use crate::network::family::Conditioned;
use crate::network::{Model, Picture};
use crate::probe::{Delta, View};
use crate::score::{Judge, JudgeError};
use std::sync::{PoisonError, RwLock};

/// A column of a study's table, a number of each network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// Its name in figures.
    pub label: &'static str,
    /// Its meaning, in a sentence.
    pub says: &'static str,
    /// The column that it stands before; `None`: at the end of the table.
    pub before: Option<&'static str>,
}

/// The network that is measured, and what a study knows of it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The network.
    pub model: &'a Model,
    /// The network at the size at which it is judged; a conditional one under its first condition.
    pub view: &'a View,
    /// The picture that it should draw, (S, S).
    pub target: &'a Picture,
    /// Pictures that few weights are to lead to.
    pub relatives: &'a [Picture],
    /// The conditions that it was trained on and those held out; `None` for a network of one picture.
    pub family: Option<(&'a Conditioned, &'a Conditioned)>,
    /// The genome of an evolved network.
    pub genome: Option<&'a Genome>,
    /// The judge of the study.
    pub judge: &'a dyn Judge,
    /// How far the study moves weights.
    pub delta: Delta,
    /// Seed of whatever is random.
    pub seed: u64,
}

/// Numbers of a network, each under the name of its column.
pub type Numbers = Vec<(&'static str, f64)>;

/// A measure, or several that are taken together.
///
/// ```
/// use picloom_engine::score::JudgeError;
/// use picloom_engine::score::measures::own::{
///     Column, Measures, Numbers, Subject, add_measures, with_key,
/// };
///
/// /// The largest weight.
/// struct Largest;
///
/// impl Measures for Largest {
///     fn key(&self) -> &'static str {
///         "organisation"
///     }
///
///     fn columns(&self) -> &[Column] {
///         &[Column { name: "largest", label: "largest |w|", says: "Its largest weight.", before: None }]
///     }
///
///     fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError> {
///         let sizes = network.model.weights.0.iter().map(|w| f64::from(w.abs()));
///         Ok(vec![("largest", sizes.fold(0.0, f64::max))])
///     }
/// }
///
/// add_measures(&Largest)?;
/// assert_eq!(with_key("organisation").len(), 1);
/// assert!(add_measures(&Largest).is_err(), "its column is there already");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Measures: Send + Sync {
    /// The key of a study that asks for them.
    fn key(&self) -> &'static str;

    /// Their columns.
    fn columns(&self) -> &[Column];

    /// Takes them; those that the network has no number for are left out. The same at any thread count.
    ///
    /// # Errors
    /// The judge could not judge a picture.
    fn of(&self, network: &Subject<'_>) -> Result<Numbers, JudgeError>;
}

static ADDED: RwLock<Vec<&'static dyn Measures>> = RwLock::new(Vec::new());

/// Adds measures.
///
/// # Errors
/// A column of that name is there already.
pub fn add_measures(measures: &'static dyn Measures) -> Result<(), Refusal> {
    let mut all = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    for column in measures.columns() {
        let taken = columns_of(&all).iter().any(|known| known.name == column.name);
        Refusal::unless(!taken, "name of a measure", "one that is not taken", column.name)?;
    }
    all.push(measures);
    Ok(())
}

fn columns_of(measures: &[&'static dyn Measures]) -> Vec<Column> {
    measures.iter().flat_map(|one| one.columns()).copied().collect()
}

/// The columns of all measures that the program has added.
pub fn columns() -> Vec<Column> {
    columns_of(&ADDED.read().unwrap_or_else(PoisonError::into_inner))
}

/// The measures that a study asks for by this key.
pub fn with_key(key: &str) -> Vec<&'static dyn Measures> {
    let all = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().filter(|one| one.key() == key).copied().collect()
}
