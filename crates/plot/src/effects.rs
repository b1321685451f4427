//! Effects that a figure shows and does not compute: differences, slopes, correlations, with their intervals.

use crate::words::Words;
use picloom_base::refusal::Refusal;
use picloom_base::table::{Filter, Table};

/// Whoever computes the effects of forests, verdicts and heatmaps. `()` has none.
pub trait Contrasts {
    /// The names that a figure may give labels and colours to: ids of contrasts, and of their bases.
    fn names(&self) -> Vec<String>;

    /// The effects that the figure asks for, in its order, computed from these rows of the table.
    ///
    /// # Errors
    /// There is no such contrast, or it cannot be evaluated.
    fn effects(
        &self,
        words: &Words<'_>,
        table: &Table,
        rows: &Filter,
    ) -> Result<Vec<Effect>, Refusal>;
}

/// One effect: a row of a forest, a cell of a heatmap or of a table of verdicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// Its contrast: a column of the verdicts.
    pub contrast: String,
    /// The number that is compared: a row of the verdicts.
    pub number: String,
    /// Title of its axis; the rows of a forest that share it stand in one panel.
    pub axis: String,
    /// Its name.
    pub name: String,
    /// How it was compared, in a sentence.
    pub how: String,
    /// What its units are.
    pub unit: String,
    /// The smallest size that matters; 0 shades nothing.
    pub margin: f64,
    /// Its estimates. The first decides, the others stand beside it.
    pub estimates: Vec<Estimate>,
}

/// An effect on one basis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The basis, as labels and colours name it.
    pub basis: String,
    /// The same in words.
    pub says: String,
    /// The estimate; `None` without data.
    pub value: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// The effect in each unit.
    pub units: Vec<f64>,
    /// Whether it is as its contrast expects.
    pub supported: bool,
}

impl Contrasts for () {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn effects(&self, words: &Words<'_>, _: &Table, _: &Filter) -> Result<Vec<Effect>, Refusal> {
        let expected = "a figure without contrasts: nobody computes any here";
        Err(Refusal::new("contrasts", expected, format!("{:?}", words.spec.contrasts)))
    }
}
