//! Measures that are somebody's program: a network in files, numbers out (docs/PLUGINS.md).
//!
//! In `network.json` and `arrays.npz`; out `measures.json`, a finite number by each name.

use crate::base::choice::choices;
use crate::base::command::{Command, CommandError, read_answer};
use crate::base::refusal::Refusal;
use crate::network::npz::write_npz;
use crate::network::{Arrays, Mask, Picture};
use crate::probe::View;
use crate::prune::alive;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The beginning of a column's name in tables; the name that the program gives follows.
pub(crate) const OWN: &str = "own_";

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeasureRow {
    /// Name in files and on the command line.
    pub name: &'static str,
}

choices! {
    /// Who takes measures of one's own.
    #[derive(Copy)]
    pub enum MeasureChoice, "measure", rows MeasureRow;

    /// A program.
    Cmd(Command) "cmd" {}
}

/// Numbers of a network by their names.
pub type Named = BTreeMap<String, f64>;

/// What a measure of one's own is asked: `network.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    protocol: &'static str,
    /// Side of `picture` and of maps in pixels.
    size: usize,
    /// For what is drawn at random.
    seed: u64,
    #[serde(flatten)]
    network: Arrays,
}

/// A name, a shape and values in C order.
pub type NamedArray = (String, Vec<usize>, Vec<f32>);

impl Question {
    /// Asks about the network of a view; a conditional one is asked about under one condition.
    pub fn of(view: &View, seed: u64) -> Self {
        let model = view.model();
        let weights = model.weights.0.iter().map(|&weight| f64::from(weight)).collect();
        let alive = alive(&model.network, &Mask::non_zero(&model.weights)).0;
        let network = Arrays::of(&model.network, weights, alive);
        Question { protocol: "picloom-measure/1", size: view.size(), seed, network }
    }

    /// What is drawn, with the picture that should be: `picture` and `target`, S × S × 3 each, and `maps`, U × P.
    pub fn arrays(view: &View, target: Option<&Picture>) -> Vec<NamedArray> {
        let picture = |name: &str, picture: &Picture| {
            (name.to_string(), vec![picture.height, picture.width, 3], picture.rgb.clone())
        };
        let maps = view.maps();
        let maps = ("maps".to_string(), vec![maps.units, maps.pixels], maps.values);
        let drawn = [picture("picture", view.picture()), maps];
        drawn.into_iter().chain(target.map(|target| picture("target", target))).collect()
    }
}

impl MeasureChoice {
    /// The same with the hash of the program's files.
    ///
    /// # Errors
    /// The program is not there, or is not that of the hash.
    pub fn found(self) -> Result<Self, Refusal> {
        let MeasureChoice::Cmd(command) = self;
        let found = command.found().map_err(|refusal| refusal.within("measure"));
        found.map(MeasureChoice::Cmd)
    }

    /// The numbers of a view's network.
    ///
    /// # Errors
    /// The program is not there, fails, takes too long or answers something else; somebody asked to stop.
    pub fn of(
        &self,
        view: &View,
        target: Option<&Picture>,
        seed: u64,
    ) -> Result<Named, CommandError> {
        let MeasureChoice::Cmd(command) = self;
        let fill = |folder: &Path| {
            let arrays = write_npz(&Question::arrays(view, target));
            std::fs::write(folder.join("arrays.npz"), arrays)?;
            let question = serde_json::to_vec(&Question::of(view, seed))?;
            std::fs::write(folder.join("network.json"), question)
        };
        command.run(fill, |folder| {
            let expected = "measures.json with a finite number by each name";
            let found = read_answer(&folder.join("measures.json"), MOST, expected)?;
            checked(found).map_err(|refusal| refusal.within("measures.json"))
        })
    }
}

/// Names that an answer has room for.
const MOST: usize = 256;

/// Whether a column has the name of a measure of one's own.
pub fn is_own_column(name: &str) -> bool {
    name.strip_prefix(OWN).is_some_and(is_name)
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= 40 && name.chars().all(fits)
}

/// Refuses numbers that no table can have.
///
/// # Errors
/// A name that is none, or a number that is not finite.
pub fn checked(found: Named) -> Result<Named, Refusal> {
    for (name, value) in &found {
        let expected = "names of at most 40 letters a-z, digits and _, a letter first";
        Refusal::unless(is_name(name), "", expected, format!("{name:?}"))?;
        Refusal::unless(value.is_finite(), name, "a finite number", value)?;
    }
    Ok(found)
}
