//! The words and looks of a house: what a figure takes where its spec gives none.

use crate::style::{Colour, Marker};

/// Names, colours and order that hold in every figure of a project; empty for a stranger's table.
#[derive(Clone, Debug, Default)]
pub struct House {
    /// Columns that it knows: name, label, how numbers are written.
    pub columns: Vec<(&'static str, &'static str, Numbers)>,
    /// Columns whose values say what they are: their axis needs no title.
    pub untitled: &'static [&'static str],
    /// Values of the column `arm`, in the order in which every figure shows them.
    pub arms: Vec<Arm>,
    /// What a row is, `network`; empty: `row`.
    pub row: &'static str,
    /// What `fit=true` is of no row, in words: `no network learned its picture`; empty: `no row meets fit=true`.
    pub unfit: &'static str,
}

/// How the numbers of a column are written on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As they are.
    Plain,
    /// With ticks at whole numbers only.
    Whole,
    /// Whole, with their sign.
    Signed,
    /// From 0 to 1; intervals end there.
    Share,
    /// The same, in percent.
    Percent,
    /// At most 1; intervals end there.
    AtMostOne,
}

/// How one arm of an experiment looks in every figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Key, as in tables: lower case, words joined by `-`.
    pub key: &'static str,
    /// Name in legends and tables.
    pub label: &'static str,
    /// A word or two, for crowded axes.
    pub short: &'static str,
    /// Its colour.
    pub colour: Colour,
    /// Its marker.
    pub marker: Marker,
}

/// An arm as a row of a table of arms.
pub const fn row(
    key: &'static str,
    label: &'static str,
    short: &'static str,
    colour: Colour,
    marker: Marker,
) -> Arm {
    Arm { key, label, short, colour, marker }
}

impl House {
    /// What a row is.
    pub(crate) fn row(&self) -> &'static str {
        if self.row.is_empty() { "row" } else { self.row }
    }

    /// Says that no row meets `counts`.
    pub(crate) fn unfit(&self, counts: &str) -> String {
        match (counts, self.unfit) {
            ("fit=true", words) if !words.is_empty() => words.into(),
            _ => format!("no {} meets {counts}", self.row()),
        }
    }

    /// How the numbers of a column are written, and its label.
    pub(crate) fn column(&self, name: &str) -> Option<(&'static str, Numbers)> {
        self.columns.iter().find(|row| row.0 == name).map(|row| (row.1, row.2))
    }

    /// The arm that is a value of a column, and its place in the order.
    pub(crate) fn arm(&self, column: &str, value: &str) -> Option<(usize, &Arm)> {
        let arms = || self.arms.iter().enumerate().find(|(_, arm)| arm.key == value);
        (column == "arm").then(arms).flatten()
    }
}
