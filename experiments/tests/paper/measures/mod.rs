//! The measures that only the paper's studies ask for.

mod few_weight_edits;
mod label_agreement;
mod mechanisms;
mod oracle;
mod plasticity;
mod scaling;
mod structural;
mod studies;
