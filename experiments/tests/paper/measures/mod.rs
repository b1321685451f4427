//! The measures that only the paper's studies ask for.

mod axis_advantage;
mod effective_units;
mod few_weight_edits;
mod interaction;
mod label_agreement;
mod locality;
mod mechanisms;
mod oracle;
mod plasticity;
mod scaling;
mod structural;
mod studies;
mod unified;
