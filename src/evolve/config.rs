//! Every number of evolution by name, and the two presets.
//!
//! A field's doc says: meaning, unit, range, and the presets' values with their source. Sources:
//! PB = the published Python replication of Picbreeder (picbreeder-vlm) and FER appendix A;
//! NEAT = Stanley & Miikkulainen 2002 §4.1; NEAT-C++ = the parameter file shipped with Stanley's
//! implementation; `\[ours\]` = a choice of this program.

use crate::genome::Input;
use crate::math::Activation;
use crate::math::names::names;
use crate::math::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// A named set of values for every field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Picbreeder's: small population, one operator a child, no species.
    #[default]
    Picbreeder,
    /// NEAT's: species, fitness sharing, aligned crossover.
    Neat,
}

names! { Preset, "preset": Picbreeder "picbreeder", Neat "neat" }

/// The whole of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolveConfig {
    /// Which preset the other values came from before they were overridden.
    pub preset: Preset,
    /// The first generation.
    pub start: StartConfig,
    /// Mutation operators.
    pub mutation: MutationConfig,
    /// Recombination of two parents.
    pub crossover: CrossoverConfig,
    /// Species.
    pub species: SpeciesConfig,
    /// Who has children, and how many.
    pub reproduction: ReproductionConfig,
}

/// The first generation. Every first genome has the same ids, so that genes align.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartConfig {
    /// True: outputs hue, saturation, brightness. False: ink only. Both presets true \[PB\].
    pub colour: bool,
    /// Inputs that links may read, now and later. Both presets: x, y, d, bias \[PB\].
    pub inputs: Vec<Input>,
    /// Hidden nodes between inputs and outputs (0: inputs go straight to the outputs).
    /// picbreeder 1 \[ours\], neat 0 \[NEAT\].
    pub hidden: usize,
    /// Activations of hue, one drawn a genome. picbreeder sin \[PB\]; neat sin \[ours\].
    pub hue: Vec<Activation>,
    /// Activations of saturation. picbreeder sigmoid \[PB\]; neat sigmoid \[ours\].
    pub saturation: Vec<Activation>,
    /// Activations of brightness or ink. Both presets: the list of `mutation.activations`.
    pub brightness: Vec<Activation>,
    /// True: links into hue and saturation start at weight 0, so that the first generation is
    /// grey. picbreeder true \[ours\], neat false \[ours\].
    pub grey: bool,
}

/// How the operators combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MutationScheme {
    /// Exactly one operator a child, drawn in proportion to the rates (Picbreeder).
    One,
    /// Each operator on its own, with its rate as probability (NEAT).
    Each,
}

/// What happens to a link when a node is put on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitRule {
    /// It stays; both new links get random weights (Picbreeder).
    Keep,
    /// It is disabled; the new links get weight 1 and the old weight (NEAT).
    Disable,
}

/// The distribution of a weight's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Perturbation {
    /// N(0, σ) (Picbreeder).
    Normal,
    /// U(−σ, σ) (NEAT).
    Uniform,
}

/// Mutation operators. The six rates are relative weights under [`MutationScheme::One`] and
/// probabilities under [`MutationScheme::Each`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutationConfig {
    /// How the operators combine. picbreeder `one` \[PB\], neat `each` \[NEAT\].
    pub scheme: MutationScheme,
    /// Rate of weight mutation, ≥ 0. picbreeder 10 (of 21) \[PB\], neat 0.8 \[NEAT\].
    pub weights: f64,
    /// Rate of adding a link. picbreeder 6 \[PB\], neat 0.05 \[NEAT\].
    pub add_link: f64,
    /// Rate of putting a node on a link. picbreeder 4 \[PB\], neat 0.03 \[NEAT\].
    pub add_node: f64,
    /// Rate of redrawing activations. picbreeder 1 \[PB\], neat 0.02 \[ours; NEAT has one
    /// activation\].
    pub activation: f64,
    /// Rate of deleting a link. Both presets 0 (an option) \[ours\].
    pub delete_link: f64,
    /// Rate of deleting a hidden node. Both presets 0 (an option) \[ours\].
    pub delete_node: f64,
    /// Weight mutation: probability that one link changes, (0, 1]. picbreeder 0.20 \[PB\],
    /// neat 1 \[NEAT\]. If none is drawn, one link is drawn uniformly \[ours\]: never a no-op.
    pub link_rate: f64,
    /// Of the changing links, the share drawn anew instead of moved, [0, 1]. picbreeder 0 \[PB\],
    /// neat 0.1 \[NEAT\].
    pub redraw_rate: f64,
    /// Distribution of the change. picbreeder `normal` \[PB\], neat `uniform` \[NEAT\].
    pub perturbation: Perturbation,
    /// Width of the change with the slider at 0, weight units, > 0. picbreeder 0.01 \[PB\],
    /// neat 2.5 \[NEAT-C++ `weight_mut_power`\].
    pub width_low: f64,
    /// What the slider at 1 adds to the width, ≥ 0. picbreeder 1.99 \[PB\], neat 0.
    pub width_span: f64,
    /// The mutation slider s of Picbreeder, [0, 1]; σ = low + span·s. picbreeder 0.5 \[PB\].
    pub slider: f64,
    /// New weights are U(−r, r), > 0. picbreeder 3 \[PB\], neat 1 \[NEAT-C++\].
    pub new_weight: f64,
    /// Weights are clamped to ±limit, > 0. picbreeder 3 \[PB\], neat 8 \[NEAT-C++\].
    pub weight_limit: f64,
    /// What happens to a split link. picbreeder `keep` \[PB\], neat `disable` \[NEAT\].
    pub split: SplitRule,
    /// Activation mutation: probability a node, (0, 1]. Both presets 0.05 \[PB\]. If none is
    /// drawn, one node is drawn uniformly \[ours\].
    pub activation_rate: f64,
    /// What hidden nodes may compute. picbreeder sin, sigmoid, gaussian, cos, identity \[PB\];
    /// neat the same \[ours\].
    pub activations: Vec<Activation>,
    /// True: activation mutation may touch output nodes too. Both presets true \[PB\].
    pub output_activations: bool,
    /// True: outputs may feed other nodes, as in Picbreeder's files. picbreeder true, neat false.
    pub outputs_feed: bool,
    /// Adding a node is refused at this many hidden nodes. Both presets 300 \[ours\].
    pub max_hidden: usize,
    /// Adding a link is refused at this many links. Both presets 3000 \[ours\].
    pub max_links: usize,
}

/// How two parents' genes are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CrossoverKind {
    /// All genes of both; matching weights averaged, matching activations 50/50 (Picbreeder).
    Union,
    /// Matching genes from either, the rest from the fitter (NEAT).
    Aligned,
}

/// Recombination.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossoverConfig {
    /// How genes are put together. picbreeder `union` \[PB\], neat `aligned` \[NEAT\].
    pub kind: CrossoverKind,
    /// Probability that a child has two parents, [0, 1]. picbreeder 0.3 \[PB\], neat 0.75 \[NEAT\].
    pub rate: f64,
    /// Probability that a gene disabled in either parent stays disabled, [0, 1]. Both 0.75 \[NEAT\].
    pub stay_disabled: f64,
    /// Probability that the second parent comes from another species, [0, 1]. Both 0.001 \[NEAT\].
    pub interspecies: f64,
    /// Probability that a child of two parents is mutated too, [0, 1]. picbreeder 1 \[PB\],
    /// neat 0.8 \[NEAT-C++ `mate_only_prob` 0.2\].
    pub mutate_after: f64,
}

/// Species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeciesConfig {
    /// False: everybody is one species. picbreeder false \[PB\], neat true \[NEAT\].
    pub enabled: bool,
    /// c1, weight of excess genes in δ, ≥ 0. 1 \[NEAT\].
    pub excess: f64,
    /// c2, weight of disjoint genes in δ, ≥ 0. 1 \[NEAT\].
    pub disjoint: f64,
    /// c3, weight of the mean weight difference in δ, ≥ 0. 0.4 \[NEAT\].
    pub weight: f64,
    /// Genomes with fewer genes than this count as N = 1. 20 \[NEAT\].
    pub small: usize,
    /// Two genomes with δ below this are of one species, > 0. 3 \[NEAT\].
    pub threshold: f64,
    /// If set, the threshold moves by `threshold_step` a generation towards this many species.
    /// Both presets: not set \[NEAT\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_species: Option<usize>,
    /// Step of the adaptive threshold, > 0. 0.1 \[ours\].
    pub threshold_step: f64,
    /// A species without a better best for this many generations has no children. 15 \[NEAT\].
    pub stagnation: u64,
    /// The best species up to this number are exempt from stagnation. 1 \[ours\].
    pub protected: usize,
    /// If nobody improves for this many generations, only the two best species have children.
    /// 20 \[NEAT\].
    pub population_stagnation: u64,
}

/// Who has children.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReproductionConfig {
    /// Genomes a generation, N ≥ 2. picbreeder 15 (3 × 5) \[PB\], neat 150 \[NEAT\].
    pub population: usize,
    /// Best share of a species that has children, (0, 1]. Both presets 0.2 \[NEAT-C++\].
    pub survival: f64,
    /// Champions copied unchanged from each species that is large enough. Both presets 1 \[NEAT\].
    pub elites: usize,
    /// … which means at least this many members. picbreeder 1 \[ours\], neat 5 \[NEAT\].
    pub elite_species_size: usize,
    /// Breeding: the selected parents stay on the next sheet. Both presets true \[PB\].
    pub keep_parents: bool,
    /// How often another operator is tried when the drawn one cannot act, ≥ 1. 8 \[ours\].
    pub attempts: usize,
}

const PICTURE_ACTIVATIONS: [Activation; 5] = [
    Activation::Sin,
    Activation::Sigmoid,
    Activation::Gaussian,
    Activation::Cos,
    Activation::Identity,
];

impl EvolveConfig {
    /// The values of a preset.
    ///
    /// ```
    /// use picloom::evolve::{EvolveConfig, Preset};
    /// let picbreeder = EvolveConfig::preset(Preset::Picbreeder);
    /// assert_eq!(picbreeder.reproduction.population, 15);
    /// assert_eq!(picbreeder.mutation.width_low + picbreeder.mutation.width_span, 2.0);
    /// let neat = EvolveConfig::preset(Preset::Neat);
    /// assert_eq!((neat.species.threshold, neat.species.weight), (3.0, 0.4));
    /// assert_eq!((neat.species.stagnation, neat.reproduction.survival), (15, 0.2));
    /// ```
    pub fn preset(preset: Preset) -> Self {
        match preset {
            Preset::Picbreeder => Self::picbreeder(),
            Preset::Neat => Self::neat(),
        }
    }

    fn picbreeder() -> Self {
        EvolveConfig {
            preset: Preset::Picbreeder,
            start: StartConfig {
                colour: true,
                inputs: Input::ALL.to_vec(),
                hidden: 1,
                hue: vec![Activation::Sin],
                saturation: vec![Activation::Sigmoid],
                brightness: PICTURE_ACTIVATIONS.to_vec(),
                grey: true,
            },
            mutation: MutationConfig {
                scheme: MutationScheme::One,
                weights: 10.0,
                add_link: 6.0,
                add_node: 4.0,
                activation: 1.0,
                delete_link: 0.0,
                delete_node: 0.0,
                link_rate: 0.2,
                redraw_rate: 0.0,
                perturbation: Perturbation::Normal,
                width_low: 0.01,
                width_span: 1.99,
                slider: 0.5,
                new_weight: 3.0,
                weight_limit: 3.0,
                split: SplitRule::Keep,
                activation_rate: 0.05,
                activations: PICTURE_ACTIVATIONS.to_vec(),
                output_activations: true,
                outputs_feed: true,
                max_hidden: 300,
                max_links: 3000,
            },
            crossover: CrossoverConfig {
                kind: CrossoverKind::Union,
                rate: 0.3,
                stay_disabled: 0.75,
                interspecies: 0.001,
                mutate_after: 1.0,
            },
            species: SpeciesConfig { enabled: false, ..Self::neat_species() },
            reproduction: ReproductionConfig {
                population: 15,
                survival: 0.2,
                elites: 1,
                elite_species_size: 1,
                keep_parents: true,
                attempts: 8,
            },
        }
    }

    fn neat() -> Self {
        let picbreeder = Self::picbreeder();
        EvolveConfig {
            preset: Preset::Neat,
            start: StartConfig { hidden: 0, grey: false, ..picbreeder.start },
            mutation: MutationConfig {
                scheme: MutationScheme::Each,
                weights: 0.8,
                add_link: 0.05,
                add_node: 0.03,
                activation: 0.02,
                link_rate: 1.0,
                redraw_rate: 0.1,
                perturbation: Perturbation::Uniform,
                width_low: 2.5,
                width_span: 0.0,
                new_weight: 1.0,
                weight_limit: 8.0,
                split: SplitRule::Disable,
                outputs_feed: false,
                ..picbreeder.mutation
            },
            crossover: CrossoverConfig {
                kind: CrossoverKind::Aligned,
                rate: 0.75,
                mutate_after: 0.8,
                ..picbreeder.crossover
            },
            species: Self::neat_species(),
            reproduction: ReproductionConfig {
                population: 150,
                elite_species_size: 5,
                ..picbreeder.reproduction
            },
        }
    }

    fn neat_species() -> SpeciesConfig {
        SpeciesConfig {
            enabled: true,
            excess: 1.0,
            disjoint: 1.0,
            weight: 0.4,
            small: 20,
            threshold: 3.0,
            target_species: None,
            threshold_step: 0.1,
            stagnation: 15,
            protected: 1,
            population_stagnation: 20,
        }
    }

    /// A preset with `overrides` laid over it, key by key: an override may name one number and
    /// leave its neighbours. `overrides.preset` chooses the preset; `default` if it is not there.
    ///
    /// # Errors
    /// Unknown keys and values of the wrong type, as text with the key. Impossible values are left
    /// to [`validate`](Self::validate).
    pub fn over_preset(default: Preset, overrides: toml::Table) -> Result<Self, String> {
        let preset = match overrides.get("preset") {
            None => default,
            Some(toml::Value::String(name)) => name.parse().map_err(|e: Refusal| e.to_string())?,
            Some(other) => return Err(format!("expected a preset's name, found {other}")),
        };
        let mut table = toml::Table::try_from(Self::preset(preset)).map_err(|e| e.to_string())?;
        lay_over(&mut table, overrides);
        table.try_into().map_err(|e: toml::de::Error| e.to_string().trim().to_string())
    }

    /// Refuses values that cannot be.
    ///
    /// # Errors
    /// The first impossible value, by its key.
    pub fn validate(&self) -> Result<(), Refusal> {
        let check = |ok: bool, key, expected, found: &dyn std::fmt::Debug| {
            Refusal::unless(
                ok,
                format!("impossible value of {key}"),
                expected,
                format!("{found:?}"),
            )
        };
        let positive = |key, v: f64| check(v.is_finite() && v > 0.0, key, "a number above 0", &v);
        // A weight far beyond ±3 saturates every unit; larger ranges overflow what is drawn from them.
        let weight =
            |key, v: f64| check(v > 0.0 && v <= 1e6, key, "a number above 0, at most 1e6", &v);
        let rate = |key, v: f64| check(v.is_finite() && v >= 0.0, key, "a number from 0 up", &v);
        let share = |key, v: f64| check((0.0..=1.0).contains(&v), key, "a number in [0, 1]", &v);
        let list = |key, v: &[Activation]| {
            check(!v.is_empty(), key, "at least one activation", &v)?;
            check(!v.contains(&Activation::Cache), key, "no `cache` (it is made by layerizing)", &v)
        };

        let start = &self.start;
        check(
            !start.inputs.is_empty(),
            "start.inputs",
            "at least one of x, y, d, bias",
            &start.inputs,
        )?;
        check(start.hidden <= 64, "start.hidden", "at most 64", &start.hidden)?;
        list("start.hue", &start.hue)?;
        list("start.saturation", &start.saturation)?;
        list("start.brightness", &start.brightness)?;

        let m = &self.mutation;
        let rates = [
            ("mutation.weights", m.weights),
            ("mutation.add_link", m.add_link),
            ("mutation.add_node", m.add_node),
            ("mutation.activation", m.activation),
            ("mutation.delete_link", m.delete_link),
            ("mutation.delete_node", m.delete_node),
        ];
        for (key, value) in rates {
            match m.scheme {
                MutationScheme::One => rate(key, value)?,
                MutationScheme::Each => share(key, value)?,
            }
        }
        check(
            rates.iter().any(|(_, r)| *r > 0.0),
            "mutation",
            "at least one operator with a rate above 0",
            &"all rates 0",
        )?;
        share("mutation.link_rate", m.link_rate)?;
        share("mutation.redraw_rate", m.redraw_rate)?;
        positive("mutation.width_low", m.width_low)?;
        rate("mutation.width_span", m.width_span)?;
        share("mutation.slider", m.slider)?;
        weight("mutation.new_weight", m.new_weight)?;
        weight("mutation.weight_limit", m.weight_limit)?;
        share("mutation.activation_rate", m.activation_rate)?;
        list("mutation.activations", &m.activations)?;

        let c = &self.crossover;
        share("crossover.rate", c.rate)?;
        share("crossover.stay_disabled", c.stay_disabled)?;
        share("crossover.interspecies", c.interspecies)?;
        share("crossover.mutate_after", c.mutate_after)?;

        let s = &self.species;
        rate("species.excess", s.excess)?;
        rate("species.disjoint", s.disjoint)?;
        rate("species.weight", s.weight)?;
        positive("species.threshold", s.threshold)?;
        positive("species.threshold_step", s.threshold_step)?;
        check(
            s.target_species != Some(0),
            "species.target_species",
            "at least 1",
            &s.target_species,
        )?;

        let r = &self.reproduction;
        check(
            (2..=100_000).contains(&r.population),
            "reproduction.population",
            "2 to 100000 genomes",
            &r.population,
        )?;
        share("reproduction.survival", r.survival)?;
        positive("reproduction.survival", r.survival)?;
        check(
            r.elites <= r.population,
            "reproduction.elites",
            "at most the population",
            &r.elites,
        )?;
        check((1..=1000).contains(&r.attempts), "reproduction.attempts", "1 to 1000", &r.attempts)
    }
}

/// Replaces values of `base` by those of `top`, table by table.
pub(crate) fn lay_over(base: &mut toml::Table, top: toml::Table) {
    for (key, value) in top {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_possible_and_survive_toml() {
        for preset in [Preset::Picbreeder, Preset::Neat] {
            let config = EvolveConfig::preset(preset);
            config.validate().unwrap();
            let text = toml::to_string(&config).unwrap();
            assert_eq!(toml::from_str::<EvolveConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn picbreeder_operator_weights_sum_to_twenty_one() {
        let m = EvolveConfig::preset(Preset::Picbreeder).mutation;
        assert_eq!(m.weights + m.add_link + m.add_node + m.activation, 21.0);
    }

    #[test]
    fn an_override_changes_one_number_and_unknown_keys_are_refused() {
        let over =
            |text: &str| EvolveConfig::over_preset(Preset::Picbreeder, text.parse().unwrap());
        let config = over("[mutation]\nslider = 0.25").unwrap();
        assert_eq!(config.mutation.slider, 0.25);
        assert_eq!(config.mutation.link_rate, 0.2);
        assert_eq!(over("preset = \"neat\"").unwrap(), EvolveConfig::preset(Preset::Neat));
        assert!(over("[mutation]\nsliver = 0.25").unwrap_err().contains("sliver"));
        assert!(over("preset = \"sane\"").unwrap_err().contains("sane"));
    }

    #[test]
    fn impossible_values_are_refused_by_name() {
        let refused = |edit: &dyn Fn(&mut EvolveConfig)| {
            let mut config = EvolveConfig::preset(Preset::Neat);
            edit(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(
            refused(&|c| c.reproduction.population = 1),
            "impossible value of reproduction.population: expected 2 to 100000 genomes, found 1"
        );
        assert!(refused(&|c| c.mutation.weights = 1.5).contains("mutation.weights"));
        assert!(refused(&|c| c.mutation.slider = f64::NAN).contains("NaN"));
        assert!(refused(&|c| c.start.inputs.clear()).contains("start.inputs"));
        assert!(refused(&|c| c.mutation.activations.clear()).contains("mutation.activations"));
        assert!(refused(&|c| c.reproduction.survival = 0.0).contains("survival"));
    }
}
