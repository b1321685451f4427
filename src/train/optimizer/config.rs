//! The table of optimizers: one row each, by which it is named, parsed, checked and documented.

use super::adam::{AdamConfig, AdamWConfig};
use super::lbfgs::LbfgsConfig;
use super::lion::LionConfig;
use super::muon::MuonConfig;
use super::rmsprop::RmsPropConfig;
use super::sam::SamConfig;
use super::setting::SettingError;
use super::sgd::SgdConfig;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;

/// One row of [`TABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name used in configs and on the command line.
    pub name: &'static str,
    /// The update of one weight `w` with gradient `g` at rate `lr`.
    pub formula: &'static str,
    /// Where the definition and its constants come from.
    pub source: &'static str,
    /// Loss-and-gradient evaluations of one step.
    pub evaluations: &'static str,
}

macro_rules! optimizers {
    ($( $(#[$doc:meta])* $variant:ident($config:ty) $name:literal,
        $formula:literal, $source:literal, $evaluations:literal; )*) => {
        /// Which optimizer, with its settings; every setting has a default.
        ///
        /// In files a table with its `name`, e.g. `{ name = "adam", beta1 = 0.9 }`; unknown settings
        /// are refused. As text `name` or `name:setting=value,…`, e.g. `muon:steps=20`.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "name")]
        pub enum OptimizerConfig {
            $( $(#[$doc])* #[serde(rename = $name)] $variant($config), )*
        }

        /// Every optimizer, one row each.
        pub const TABLE: &[Row] = &[ $( Row {
            name: $name, formula: $formula, source: $source, evaluations: $evaluations,
        }, )* ];

        impl OptimizerConfig {
            /// The optimizer of that name with its default settings.
            fn named(name: &str) -> Option<Self> {
                match name {
                    $( $name => Some(OptimizerConfig::$variant(<$config>::default())), )*
                    _ => None,
                }
            }

            /// Its name in [`TABLE`].
            pub fn name(&self) -> &'static str {
                match self { $( OptimizerConfig::$variant(_) => $name, )* }
            }

            /// Refuses settings outside their range.
            pub fn check(&self) -> Result<(), OptimizerError> {
                match self { $( OptimizerConfig::$variant(config) => config.check(), )* }
                    .map_err(|setting| OptimizerError::Setting { optimizer: self.name(), setting })
            }
        }
    };
}

optimizers! {
    /// Gradient descent, with momentum and Nesterov's look-ahead as options.
    Sgd(SgdConfig) "sgd",
        "m = μm + g; w -= lr·m (nesterov: w -= lr·(g + μm))",
        "Sutskever et al. 2013, in torch's form", "1";
    /// Adam; the `fer` recipe's.
    Adam(AdamConfig) "adam",
        "m = β₁m + (1-β₁)g; v = β₂v + (1-β₂)g²; w -= lr·m̂/(√v̂ + ε)",
        "Kingma & Ba 2015; ε outside the root as in torch and optax", "1";
    /// Adam with decoupled weight decay.
    AdamW(AdamWConfig) "adamw",
        "w -= lr·(m̂/(√v̂ + ε) + λw)",
        "Loshchilov & Hutter 2019; λ as in torch", "1";
    /// RMSprop, torch's.
    RmsProp(RmsPropConfig) "rmsprop",
        "v = αv + (1-α)g²; b = μb + g/(√v + ε); w -= lr·b",
        "Tieleman & Hinton 2012; α .99 and ε outside the root as in torch", "1";
    /// Lion: the sign of an interpolated momentum.
    Lion(LionConfig) "lion",
        "w -= lr·(sign(β₁m + (1-β₁)g) + λw); m = β₂m + (1-β₂)g",
        "Chen et al. 2023", "1";
    /// Sharpness-aware minimisation around a first-order base.
    Sam(SamConfig) "sam",
        "step of the base with the gradient at w + ρ·g/‖g‖",
        "Foret et al. 2021", "2";
    /// Limited-memory BFGS with a strong Wolfe line search; takes the raw gradient and no learning rate.
    Lbfgs(LbfgsConfig) "lbfgs",
        "w += t·d, d = -H·g by the two-loop recursion, t by strong Wolfe search",
        "Nocedal & Wright 2006, algorithms 7.4, 3.5 and 3.6", "1 or more, counted";
    /// Momentum orthogonalised matrix by matrix.
    Muon(MuonConfig) "muon",
        "m = μm + (1-μ)g; w -= lr·√max(1, out/in)·orthogonalize(μm + (1-μ)g)",
        "Jordan et al. 2024; Newton-Schulz in f64", "1";
}

impl Default for OptimizerConfig {
    /// Adam with its default settings, as in the `fer` recipe.
    fn default() -> Self {
        OptimizerConfig::Adam(AdamConfig::default())
    }
}

/// Why there is no such optimizer.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum OptimizerError {
    /// The name is in no row of [`TABLE`].
    #[error("unknown optimizer: expected one of {expected}, found {found:?}", expected = names())]
    Unknown {
        /// The name as it was found.
        found: String,
    },
    /// The part after the colon is no list of settings of that optimizer.
    #[error("optimizer {text:?}: expected name:setting=value,…, found {problem}")]
    Text {
        /// The text as it was found.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A setting is outside its range.
    #[error("optimizer {optimizer}: {setting}")]
    Setting {
        /// Name of the optimizer.
        optimizer: &'static str,
        /// Which setting, what it may be, what it is.
        setting: SettingError,
    },
    /// A saved state that belongs to another optimizer or network.
    #[error("saved optimizer state: expected {expected}, found {found}")]
    State {
        /// What this run needs.
        expected: String,
        /// What the state is for.
        found: String,
    },
}

fn names() -> String {
    let names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
    names.join(", ")
}

impl FromStr for OptimizerConfig {
    type Err = OptimizerError;

    /// `name`, or `name:setting=value,…` with dots into nested settings:
    /// `sam:rho=0.1,base.name=adam`.
    fn from_str(text: &str) -> Result<Self, OptimizerError> {
        let (name, settings) = match text.split_once(':') {
            Some((name, settings)) => (name, Some(settings)),
            None => (text, None),
        };
        let default =
            Self::named(name).ok_or_else(|| OptimizerError::Unknown { found: name.to_string() })?;
        let Some(settings) = settings else {
            return Ok(default);
        };
        let fail = |problem: String| OptimizerError::Text { text: text.to_string(), problem };
        let mut tree = Map::new();
        tree.insert("name".into(), name.into());
        for item in settings.split(',') {
            let (key, value) =
                item.split_once('=').ok_or_else(|| fail(format!("{item:?} without '='")))?;
            if key == "name" {
                return Err(fail("a second name".into()));
            }
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            plant(&mut tree, key, value).map_err(|()| fail(format!("{key:?} twice")))?;
        }
        let config: Self =
            serde_json::from_value(Value::Object(tree)).map_err(|e| fail(e.to_string()))?;
        config.check()?;
        Ok(config)
    }
}

/// Sets `a.b.c` in a tree of maps; an error where something already stands.
fn plant(tree: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), ()> {
    if let Some((first, rest)) = key.split_once('.') {
        let inner = tree.entry(first).or_insert_with(|| Value::Object(Map::new()));
        return plant(inner.as_object_mut().ok_or(())?, rest, value);
    }
    match tree.insert(key.into(), value) {
        None => Ok(()),
        Some(_) => Err(()),
    }
}

impl fmt::Display for OptimizerConfig {
    /// The text that parses back to this config: the name, then the settings that are not default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = |config: &Self| serde_json::to_value(config).map_err(|_| fmt::Error);
        let default = Self::named(self.name()).ok_or(fmt::Error)?;
        let mut settings = Vec::new();
        differences("", &tree(self)?, &tree(&default)?, &mut settings);
        f.write_str(self.name())?;
        for (i, setting) in settings.iter().enumerate() {
            write!(f, "{}{setting}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// Leaves of `tree` that `default` does not have. A nested choice (`base.name`) that differs brings
/// all its leaves.
fn differences(path: &str, tree: &Value, default: &Value, found: &mut Vec<String>) {
    if tree == default {
        return;
    }
    match tree {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                // A nested table that is written at all carries its name.
                let same = key != "name" || path == "name";
                let other = default.get(key).filter(|_| same).unwrap_or(&Value::Null);
                differences(&path, value, other, found);
            }
        }
        Value::String(word) => found.push(format!("{path}={word}")),
        other => found.push(format!("{path}={other}")),
    }
}
