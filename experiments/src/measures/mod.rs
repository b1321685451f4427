//! Measures that only the paper's studies ask for (METHODS §7), by `organisation = true` and `mechanisms = true`. The
//! program adds them to the instrument; one file each, with formula, shapes, range, source, cost, and what it does **not**
//! mean.
//!
//! | file | measure | range |
//! |---|---|---|
//! | `candidates` | those that the gate tries, taken together | |
//! | `axis_advantage` | do single weights mean more than random directions? `scaling`: do units? | −1…1 |
//! | `effective_units` | how many units a pixel hangs on, and how unequally | 1…units, 0…1 |
//! | `locality` | is what a unit does confined to a part of the picture? | 0…1 |
//! | `influence` | do units act on the picture in ways of their own? | 0…1 |
//! | `brittleness` | how far the picture moves when one weight does | 0… |
//! | `interaction` | do two changes together do what each does alone? | 0… |
//! | `unified` | are parts that look alike drawn by the same units? | −1…1 |
//! | `unit_edits` | do units reach edits of parts better than mixtures of them? | −1…1 |
//! | `few_weight_edits` | can a part be changed by a few weights? | −1…1 |
//! | `plasticity` | do a few weights teach what was held out? | 0…1 |
//! | [`label_agreement`] | do links people labelled alike act alike? | AUC |
//! | `mechanisms` | sharpness, Hessian trace, gradient noise, norm at a network | 0… |
//! | [`structural`] | are parts of the picture drawn by separable subnetworks? A study of its own | −1…1 |

pub(crate) mod axis_advantage;
pub(crate) mod brittleness;
pub(crate) mod candidates;
pub(crate) mod effective_units;
pub(crate) mod few_weight_edits;
pub(crate) mod influence;
pub(crate) mod interaction;
pub mod label_agreement;
pub(crate) mod locality;
pub(crate) mod mechanisms;
pub(crate) mod plasticity;
pub(crate) mod scaling;
pub mod structural;
pub(crate) mod unified;
pub(crate) mod unit_edits;

use picloom::score::measures::own::{Measures, add_measures};
use std::sync::Once;

/// Every measure that is added.
pub(crate) static ALL: [&dyn Measures; 5] = [
    &candidates::Candidates,
    &plasticity::Plasticity,
    &label_agreement::Labels,
    &mechanisms::OfDescent,
    &few_weight_edits::TowardsRelatives,
];

/// Adds the measures to the instrument, once.
pub(crate) fn add() {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| {
        for measures in ALL {
            add_measures(measures).expect("each column is here once");
        }
    });
}
