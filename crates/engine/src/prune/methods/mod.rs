//! The pruning methods, a file each, and their table: one row each, by which a method is named, parsed, documented and
//! run. A new one is a file here with its options and what they do (`Prunes`), a row below, and rows in
//! `docs/PRUNING.md` and `docs/METHODS.md`; a test holds the tables together. The maps of the bias are constant: a method
//! whose scores depend on spread spares its links, as `similarity` does.

mod command;
mod controls;
mod magnitude;
pub mod merge;
pub mod mrmr;
mod own;
mod pattern;
pub mod similarity;
pub mod sparse_training;
pub mod swarm;
pub mod taylor;
pub mod wanda;

use crate::base::choice::choices;
use crate::base::refusal::Refusal;
use crate::prune::retrain::Retrain;
use crate::prune::round::Prunes;

pub use crate::base::command::Command;
pub use command::Question;
pub use controls::{Evolved, Random, SpInverted, SpLayerCounts, SpPermuted, SpUntrained};
pub use magnitude::{Imp, Magnitude};
pub use merge::SpMerge;
pub use mrmr::SpMrmr;
pub use own::{LinkScorer, Own, add_method, remove_method};
pub use pattern::{LayerCounts, Rewired, SameLinks};
pub use similarity::{Sp, SpSigned};
pub use sparse_training::SparseTraining;
pub use swarm::Settings as Swarm;
pub use taylor::Taylor;
pub use wanda::Wanda;

/// A method's need beyond network, weights and mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Feature maps of the trained network.
    Maps,
    /// ∂L/∂w.
    Gradient,
    /// Feature maps of the untrained network.
    UntrainedMaps,
    /// The evolved mask.
    Evolved,
    /// The masks of another arm.
    Pattern,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodRow {
    /// Name in files and on the command line.
    pub name: &'static str,
    /// Score of link j → i, as text.
    pub formula: &'static str,
    /// Publication, or `\[ours\]`.
    pub source: &'static str,
    /// Its needs.
    pub needs: &'static [Need],
    /// Removes whole units: a budget is met from below, not exactly.
    pub structured: bool,
    /// Retraining starts from the first weights unless told otherwise, as published.
    pub rewinds: bool,
}

impl MethodRow {
    /// Single links, by weights alone, retrained from where they are.
    const PLAIN: MethodRow = MethodRow {
        name: "",
        formula: "",
        source: "",
        needs: &[],
        structured: false,
        rewinds: false,
    };
}

choices! {
    /// A way to choose links; every option has a default.
    ///
    /// In TOML and JSON `{ name = "wanda", scope = "layer" }`, as text
    /// `wanda:scope=layer,sequential=false`. The order is that of METHODS §5.
    #[derive(Copy)]
    pub enum Method, "pruning method", does Prunes, rows MethodRow;

    /// Similarity: |w|·‖a_j‖·|cos(a_j, a_i)|. The study's own method.
    Sp(Sp) "sp" {
        formula: "|w_ij| |a_j| |cos(a_j, a_i)|",
        source: "[ours]",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Signed share of the child's sum, see [`super::similarity::shares`].
    SpSigned(SpSigned) "sp-signed" {
        formula: "w_ij <a_j, z_i> / |z_i|^2",
        source: "[ours]",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Relevant and not redundant parents, refitted, see [`super::mrmr`].
    SpMrmr(SpMrmr) "sp-mrmr" {
        formula: "|cos(a_j, z_i)|, less 1 where redundant",
        source: "[ours], after Peng, Long, Ding 2005",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Similar units merged and folded, see [`super::merge`].
    SpMerge(SpMerge) "sp-merge" {
        formula: "units of a layer with high |cos(a_k, a_r)|, folded",
        source: "[ours]",
        needs: &[Need::Maps],
        structured: true,
        ..MethodRow::PLAIN
    }
    /// Lottery ticket: |w|, over many rounds with rewinding, see [`super::schedule`].
    Imp(Imp) "imp" {
        formula: "|w_ij|",
        source: "Frankle, Carbin 2019; Frankle et al. 2020",
        rewinds: true,
        ..MethodRow::PLAIN
    }
    /// |w|·‖x‖, see [`super::wanda`].
    Wanda(Wanda) "wanda" {
        formula: "|w_ij| |x_j|_2",
        source: "Sun, Liu, Bair, Kolter 2023",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Hidden units by the change of the loss, see [`super::taylor`].
    Taylor(Taylor) "taylor" {
        formula: "I_k = sum |w dL/dw| over a unit's in- and outgoing weights",
        source: "Ma, Fang, Wang 2023 (LLM-Pruner)",
        needs: &[Need::Gradient],
        structured: true,
        ..MethodRow::PLAIN
    }
    /// |w|, one-shot.
    Magnitude(Magnitude) "magnitude" {
        formula: "|w_ij|",
        source: "Han et al. 2015",
        ..MethodRow::PLAIN
    }
    /// Uniform scores.
    Random(Random) "random" {
        formula: "U(0, 1)",
        source: "control",
        ..MethodRow::PLAIN
    }
    /// Control: random with SP's count in every layer.
    SpLayerCounts(SpLayerCounts) "sp-layer-counts" {
        formula: "U(0, 1) with SP's count in every layer",
        source: "control [ours]",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Control: 1 − |cos|, the least similar links stay.
    SpInverted(SpInverted) "sp-inverted" {
        formula: "1 - |cos(a_j, a_i)|",
        source: "control [ours]",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Control: SP on the maps of the untrained network.
    SpUntrained(SpUntrained) "sp-untrained" {
        formula: "|cos(a_j, a_i)| before training",
        source: "control [ours]",
        needs: &[Need::UntrainedMaps],
        ..MethodRow::PLAIN
    }
    /// Control: SP's similarities on the wrong parents.
    SpPermuted(SpPermuted) "sp-permuted" {
        formula: "|cos(a_pi(j), a_i)|",
        source: "control [ours]",
        needs: &[Need::Maps],
        ..MethodRow::PLAIN
    }
    /// Control: random with another arm's count in every layer.
    LayerCounts(LayerCounts) "layer-counts" {
        formula: "U(0, 1) with another arm's count in every layer",
        source: "control [ours]",
        needs: &[Need::Pattern],
        ..MethodRow::PLAIN
    }
    /// Control: another arm's links.
    SameLinks(SameLinks) "same-links" {
        formula: "1 where another arm keeps j -> i",
        source: "control [ours]",
        needs: &[Need::Pattern],
        ..MethodRow::PLAIN
    }
    /// Control: another arm's links with the parents of each layer exchanged.
    Rewired(Rewired) "rewired" {
        formula: "1 where another arm keeps pi(j) -> i",
        source: "control [ours]",
        needs: &[Need::Pattern],
        ..MethodRow::PLAIN
    }
    /// Control: the non-zero links of the layerized evolved network, whatever the rule.
    Evolved(Evolved) "evolved" {
        formula: "1 where the evolved weight is not 0",
        source: "control [ours]",
        needs: &[Need::Evolved],
        ..MethodRow::PLAIN
    }
    /// |w|, the largest of each matrix and at least a few inputs a unit; trained so from the start,
    /// see [`super::sparse_training`].
    SparseTraining(SparseTraining) "sparse-training" {
        formula: "|w_ij|, top k of each matrix at every step",
        source: "Gao et al. 2025",
        rewinds: true,
        ..MethodRow::PLAIN
    }
    /// |w| of the best network a swarm finds, each judged as |w| masks it, see [`super::swarm`].
    Swarm(Swarm) "swarm" {
        formula: "|w_ij| of the swarm's best",
        source: "Feng et al. 2024 (Model Swarms); Kennedy, Eberhart 1995",
        ..MethodRow::PLAIN
    }
    /// Scores by a program of one's own, see docs/PLUGINS.md.
    Cmd(Command) "cmd" {
        formula: "a program's answer",
        source: "one's own",
        needs: &[Need::Maps, Need::Gradient],
        ..MethodRow::PLAIN
    }
    /// Scores by a type of another crate, see [`LinkScorer`].
    Own(Own) "own" {
        formula: "a type's answer",
        source: "one's own",
        needs: &[Need::Maps, Need::Gradient],
        ..MethodRow::PLAIN
    }
}

impl Method {
    /// Where retraining starts as the method was published: lottery tickets and weight-sparse training begin again
    /// from the initial weights.
    pub fn retrain(&self) -> Retrain {
        if self.row().rewinds { Retrain::Rewind { step: 0 } } else { Retrain::Finetune }
    }

    /// Whether it is a lottery ticket: it has a published schedule of rounds, and is never fine-tuned.
    pub fn is_lottery(&self) -> bool {
        matches!(self, Method::Imp(_))
    }

    /// Its options, as the trait that does the rounds.
    pub(in crate::prune) fn does(&self) -> &dyn Prunes {
        self.options()
    }

    /// The same; of a program, with the hash of its files.
    ///
    /// # Errors
    /// The program is not there, or is not that of the hash.
    pub fn found(self) -> Result<Self, Refusal> {
        match self {
            Method::Cmd(command) => Ok(Method::Cmd(command.found()?)),
            other => Ok(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_written_with_its_options_and_read_back() {
        for method in Method::all() {
            assert_eq!(method.to_string(), method.name());
            assert_eq!(method.name().parse(), Ok(method));
        }
        for text in [
            "wanda:scope=layer,sequential=false",
            "taylor:vectorize=true,order=second",
            "sp:reading=corr-maps",
            "sp-signed:absolute=true",
            "sparse-training:min_inputs=1",
            "swarm:particles=4,spread=0.25",
            "cmd:timeout=2.5,python3 mine.py --share=1,3",
            "own:far-from-mean",
        ] {
            let method: Method = text.parse().unwrap();
            assert!(method != Method::named(method.name()).unwrap());
            assert_eq!(method.to_string().parse(), Ok(method), "{text}");
            // The order of options is the declaration's.
            let sorted = |text: &str| {
                let mut parts: Vec<String> = text.split(',').map(String::from).collect();
                parts.sort();
                parts
            };
            let after = method.name().len() + 1;
            assert_eq!(sorted(&method.to_string()[after..]), sorted(&text[after..]));
        }
    }

    #[test]
    fn text_that_is_no_method_is_refused_with_what_was_expected() {
        let refuse = |text: &str| text.parse::<Method>().unwrap_err().to_string();
        assert!(refuse("wandaa").contains("expected one of sp, sp-signed"));
        assert!(refuse("wanda:scope").contains("\"scope\" without '='"));
        assert!(refuse("wanda:scope=all").contains("expected one of global, layer, row"));
        assert!(
            refuse("sp:scope=row")
                .contains("expected one of reading, weighted, keep_inputs, found \"scope\"")
        );
        assert!(refuse("wanda:scope=row,scope=layer").contains("\"scope\" twice"));
        assert!(refuse("wanda:name=sp").contains("expected one of scope, sequential"));
        assert!(refuse("wanda:").contains("without '='"));
    }
}
