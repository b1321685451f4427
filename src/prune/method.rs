//! The table of methods. A new method is one variant, one row of [`Method::info`] and one arm of
//! [`super::edge_scores`] (or of [`super::prune`], where it does more than score); the compiler asks
//! for each. `docs/PRUNING.md` shows the same table; a test holds them together.

use super::select::Scope;
use super::{mrmr, taylor};
use serde::{Deserialize, Serialize};

/// A way to choose links. In TOML and JSON: `{ name = "wanda", scope = "layer" }`; every option has a default.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Method {
    /// Similarity: |cos(a_j, a_i)|. The study's own method.
    Sp {},
    /// Signed share of the child's sum, see [`super::similarity::shares`].
    SpSigned {
        /// Rank by |share|: a parent that works against the child's sum counts as much. Default: false.
        #[serde(default)]
        absolute: bool,
    },
    /// Relevant and not redundant parents, refitted, see [`mrmr`].
    SpMrmr {
        /// τ_red in (0, 1]. Default: [`mrmr::REDUNDANCY`].
        #[serde(default = "redundancy")]
        redundancy: f64,
    },
    /// Similar units merged and folded, see [`super::merge`].
    SpMerge {},
    /// Lottery ticket: |w|, over many rounds with rewinding, see [`super::schedule`].
    Imp {},
    /// |w|·‖x‖, see [`super::wanda`].
    Wanda {
        /// Within what scores are compared. Default: `row` (per output, as published).
        #[serde(default = "row")]
        scope: Scope,
        /// Pass pruned activations on to the next layer. Default: true, as published.
        #[serde(default = "yes")]
        sequential: bool,
    },
    /// Hidden units by the change of the loss, see [`taylor`].
    Taylor {
        /// |Σ s| of each vector in place of Σ|s|. Default: false.
        #[serde(default)]
        vectorize: bool,
        /// Which Taylor term. Default: `first`.
        #[serde(default)]
        order: taylor::Order,
        /// Rank again after every unit. Default: false, as published.
        #[serde(default)]
        update: bool,
    },
    /// |w|, one-shot.
    Magnitude {},
    /// Uniform scores.
    Random {},
    /// Control: random with SP's count in every layer.
    SpLayerCounts {},
    /// Control: 1 − |cos|, the least similar links stay.
    SpInverted {},
    /// Control: SP on the maps of the untrained network.
    SpUntrained {},
    /// Control: SP's similarities on the wrong parents, see [`super::similarity`].
    SpPermuted {},
    /// Control: the non-zero links of the layerized evolved network, whatever the rule.
    Evolved {},
    /// |w|, the largest of each matrix and at least a few inputs a unit; trained so from the start,
    /// see [`super::sparse_training`].
    SparseTraining {
        /// Inputs every unit keeps. Default: 2.
        #[serde(default = "two")]
        min_inputs: usize,
    },
    /// |w| of the best network a swarm finds, each judged as |w| masks it, see [`super::swarm`].
    Swarm {
        /// Networks in the swarm, ≥ 2. Default: 8.
        #[serde(default = "particles")]
        particles: usize,
        /// Moves of the swarm. Default: 40.
        #[serde(default = "moves")]
        moves: usize,
        /// Training steps of each particle before the swarm moves. Default: 100.
        #[serde(default = "warm_up")]
        steps: u64,
        /// σ of the factors 1 + σ·N(0, 1) on the weights of every particle but the first, ≥ 0. Default: 0.1.
        #[serde(default = "spread")]
        spread: f64,
    },
}

fn redundancy() -> f64 {
    mrmr::REDUNDANCY
}
fn row() -> Scope {
    Scope::Row
}
fn yes() -> bool {
    true
}
fn two() -> usize {
    2
}
fn particles() -> usize {
    8
}
fn moves() -> usize {
    40
}
fn warm_up() -> u64 {
    100
}
fn spread() -> f64 {
    0.1
}

/// What a method reads beyond network, weights and mask.
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
    /// Random numbers.
    Rng,
    /// Its own training loop before the mask is taken.
    Training,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Name in files and on the command line.
    pub name: &'static str,
    /// Score of link j → i, as text.
    pub formula: &'static str,
    /// Publication, or `\[ours\]`.
    pub source: &'static str,
    /// What it reads.
    pub needs: &'static [Need],
    /// Removes whole units: a budget is met from below, not exactly.
    pub structured: bool,
    /// Returns changed weights (a refit or a fold), not only a mask.
    pub changes_weights: bool,
}

impl Method {
    /// Every method with its default options, in the order of METHODS §5.
    pub const ALL: [Method; 16] = [
        Method::Sp {},
        Method::SpSigned { absolute: false },
        Method::SpMrmr { redundancy: mrmr::REDUNDANCY },
        Method::SpMerge {},
        Method::Imp {},
        Method::Wanda { scope: Scope::Row, sequential: true },
        Method::Taylor { vectorize: false, order: taylor::Order::First, update: false },
        Method::Magnitude {},
        Method::Random {},
        Method::SpLayerCounts {},
        Method::SpInverted {},
        Method::SpUntrained {},
        Method::SpPermuted {},
        Method::Evolved {},
        Method::SparseTraining { min_inputs: 2 },
        Method::Swarm { particles: 8, moves: 40, steps: 100, spread: 0.1 },
    ];

    /// The method's row of the table.
    pub fn info(self) -> MethodInfo {
        let row = |name, formula, source, needs| MethodInfo {
            name,
            formula,
            source,
            needs,
            structured: false,
            changes_weights: false,
        };
        match self {
            Method::Sp {} => row("sp", "|cos(a_j, a_i)|", "[ours]", &[Need::Maps]),
            Method::SpSigned { .. } => {
                row("sp-signed", "w_ij <a_j, z_i> / |z_i|^2", "[ours]", &[Need::Maps])
            }
            Method::SpMrmr { .. } => MethodInfo {
                changes_weights: true,
                ..row(
                    "sp-mrmr",
                    "|cos(a_j, z_i)|, less 1 where redundant",
                    "[ours], after Peng, Long, Ding 2005",
                    &[Need::Maps],
                )
            },
            Method::SpMerge {} => MethodInfo {
                structured: true,
                changes_weights: true,
                ..row(
                    "sp-merge",
                    "units of a layer with high |cos(a_k, a_r)|, folded",
                    "[ours]",
                    &[Need::Maps],
                )
            },
            Method::Imp {} => {
                row("imp", "|w_ij|", "Frankle, Carbin 2019; Frankle et al. 2020", &[])
            }
            Method::Wanda { .. } => {
                row("wanda", "|w_ij| |x_j|_2", "Sun, Liu, Bair, Kolter 2023", &[Need::Maps])
            }
            Method::Taylor { .. } => MethodInfo {
                structured: true,
                ..row(
                    "taylor",
                    "I_k = sum |w dL/dw| over a unit's in- and outgoing weights",
                    "Ma, Fang, Wang 2023 (LLM-Pruner)",
                    &[Need::Gradient],
                )
            },
            Method::Magnitude {} => row("magnitude", "|w_ij|", "Han et al. 2015", &[]),
            Method::Random {} => row("random", "U(0, 1)", "control", &[Need::Rng]),
            Method::SpLayerCounts {} => row(
                "sp-layer-counts",
                "U(0, 1) with SP's count in every layer",
                "control [ours]",
                &[Need::Maps, Need::Rng],
            ),
            Method::SpInverted {} => {
                row("sp-inverted", "1 - |cos(a_j, a_i)|", "control [ours]", &[Need::Maps])
            }
            Method::SpUntrained {} => row(
                "sp-untrained",
                "|cos(a_j, a_i)| before training",
                "control [ours]",
                &[Need::UntrainedMaps],
            ),
            Method::SpPermuted {} => row(
                "sp-permuted",
                "|cos(a_pi(j), a_i)|",
                "control [ours]",
                &[Need::Maps, Need::Rng],
            ),
            Method::Evolved {} => row(
                "evolved",
                "1 where the evolved weight is not 0",
                "control [ours]",
                &[Need::Evolved],
            ),
            Method::SparseTraining { .. } => row(
                "sparse-training",
                "|w_ij|, top k of each matrix at every step",
                "Gao et al. 2025",
                &[Need::Training],
            ),
            Method::Swarm { .. } => row(
                "swarm",
                "|w_ij| of the swarm's best",
                "Feng et al. 2024 (Model Swarms); Kennedy, Eberhart 1995",
                &[Need::Training, Need::Rng],
            ),
        }
    }

    /// The method of this name, with default options.
    pub fn named(name: &str) -> Option<Self> {
        Method::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.info().name
    }
}

impl std::fmt::Display for Method {
    /// The text that parses back to this method: its name, then the options that are not default.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        let options = |method: &Method| match serde_json::to_value(method) {
            Ok(serde_json::Value::Object(map)) => Ok(map),
            _ => Err(std::fmt::Error),
        };
        let default = Method::named(self.name()).ok_or(std::fmt::Error)?;
        let default = options(&default)?;
        let mut mark = ':';
        for (key, value) in options(self)? {
            if default.get(&key) != Some(&value) {
                match value.as_str() {
                    Some(word) => write!(f, "{mark}{key}={word}")?,
                    None => write!(f, "{mark}{key}={value}")?,
                }
                mark = ',';
            }
        }
        Ok(())
    }
}

/// A text that is no method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseMethodError {
    /// No method of this name.
    #[error("unknown pruning method: expected one of {expected}, found {found:?}", expected = Method::ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name as it was found.
        found: String,
    },
    /// The options after the colon are none of this method's.
    #[error("pruning method {text:?}: expected name:option=value,option=value, found {problem}")]
    Options {
        /// The text as it was found.
        text: String,
        /// What is wrong.
        problem: String,
    },
}

impl std::str::FromStr for Method {
    type Err = ParseMethodError;

    /// `name`, or `name:option=value,…`: `wanda:scope=layer,sequential=false`.
    fn from_str(text: &str) -> Result<Self, ParseMethodError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let method = Method::named(name)
            .ok_or_else(|| ParseMethodError::Unknown { found: name.to_string() })?;
        if name.len() == text.len() {
            return Ok(method);
        }
        let fail = |problem: String| ParseMethodError::Options { text: text.to_string(), problem };
        let mut map = serde_json::Map::new();
        map.insert("name".into(), name.into());
        for option in options.split(',') {
            let (key, value) =
                option.split_once('=').ok_or_else(|| fail(format!("{option:?} without '='")))?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            if map.insert(key.into(), value).is_some() {
                return Err(fail(format!("{key:?} twice")));
            }
        }
        serde_json::from_value(map.into()).map_err(|e| fail(e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_written_with_its_options_and_read_back() {
        for method in Method::ALL {
            assert_eq!(method.to_string(), method.name());
            assert_eq!(method.name().parse(), Ok(method));
        }
        for text in [
            "wanda:scope=layer,sequential=false",
            "taylor:vectorize=true,order=second",
            "sp-signed:absolute=true",
            "sparse-training:min_inputs=1",
            "swarm:particles=4,spread=0.25",
        ] {
            let method: Method = text.parse().unwrap();
            assert!(method != Method::named(method.name()).unwrap());
            assert_eq!(method.to_string().parse(), Ok(method), "{text}");
            let mut found: Vec<String> = method.to_string()[method.name().len() + 1..]
                .split(',')
                .map(String::from)
                .collect();
            let mut expected: Vec<&str> = text[method.name().len() + 1..].split(',').collect();
            found.sort();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn text_that_is_no_method_is_refused_with_what_was_expected() {
        let refuse = |text: &str| text.parse::<Method>().unwrap_err().to_string();
        assert!(refuse("wandaa").contains("expected one of sp, sp-signed"));
        assert!(refuse("wanda:scope").contains("\"scope\" without '='"));
        assert!(refuse("wanda:scope=all").contains("unknown variant `all`"));
        assert!(refuse("sp:scope=row").contains("unknown field `scope`"));
        assert!(refuse("wanda:scope=row,scope=layer").contains("\"scope\" twice"));
        assert!(refuse("wanda:name=sp").contains("\"name\" twice"));
        assert!(refuse("wanda:").contains("without '='"));
    }
}
