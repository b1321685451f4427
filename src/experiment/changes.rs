//! The changes of single weights behind a score, as a table: one row per changed weight and direction.

use crate::base::table::Table;
use crate::base::text::cell;
use crate::score::{Call, Judged};

/// The columns, with what they mean.
pub const COLUMNS: [(&str, &str); 8] = [
    ("network", "The network: its arm in a comparison, else the path that was scored."),
    ("link", "Number of the link whose weight was changed, from 0."),
    ("layer", "Layer of the unit that the link leads to; 1: the first hidden layer."),
    ("delta", "What was added to the weight."),
    ("effect", "How far the picture changed: RMSE over pixels and channels, in [0, 1]."),
    (
        "verdict",
        "`clean`, `unclear` or `damaged`; `silent`: no change alters the picture by the wanted effect, and it was not judged.",
    ),
    (
        "p_damaged",
        "The judge's probability that the picture is damaged, in [0, 1]; empty if silent.",
    ),
    ("evidence", "The judge's own number behind it; larger: more damaged. Empty if silent."),
];

/// The changes of a network as rows.
pub(crate) fn table_of(network: &str, judged: &[Judged]) -> Table {
    let mut table = Table::new(COLUMNS.map(|column| column.0));
    for Judged { perturbation, verdict } in judged {
        let called = match verdict.as_ref().map(|verdict| verdict.call) {
            Some(Call::Clean) => "clean",
            Some(Call::Unclear) => "unclear",
            Some(Call::Damaged) => "damaged",
            None => "silent",
        };
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        table.push(&[
            cell(network),
            perturbation.link.to_string(),
            perturbation.layer.to_string(),
            perturbation.delta.to_string(),
            perturbation.rmse.to_string(),
            called.into(),
            number(verdict.as_ref().map(|verdict| verdict.p_damaged)),
            number(verdict.as_ref().map(|verdict| verdict.evidence)),
        ]);
    }
    table
}
