//! The kinds of study that this crate has.

use super::networks::{NetworksSpec, NetworksStudy};
use crate::study::kinds::Kind;
use crate::study::spec::Spec;

/// The kinds of study that this crate has. A program with others of its own hands these in together with them.
pub const KINDS: [Kind; 1] = [Kind {
    name: NetworksSpec::KIND,
    read: |file, profile, runs| Ok(Box::new(NetworksStudy::of(file, profile, runs)?)),
    decided: Some((
        |file, profile| Ok(file.spec::<NetworksSpec>(profile)?.0.depth_from),
        |file, profile| Ok(Box::new(NetworksStudy::of_undecided(file, profile)?)),
    )),
}];
