//! Every number of evolution by name, and the presets.
//!
//! Sources: PB = the published Python replication of Picbreeder (picbreeder-vlm) and FER appendix A;
//! NEAT = Stanley & Miikkulainen 2002 §4.1; NEAT-C++ = the parameter file shipped with Stanley's
//! implementation; ours = a choice of this program. Where there are two, the second is of the preset neat. Numbers of
//! the preset drawing that differ from neat's are ours (METHODS §2).

use crate::base::names::names;
use crate::base::refusal::Refusal;
use crate::base::settings::{Settings, settings};
use crate::genome::{Input, Palette};
use crate::math::Activation;
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
    /// To draw a given picture: NEAT's species, Picbreeder's operators, and deletions.
    Drawing,
}

names! { Preset, "preset": Picbreeder "picbreeder", Neat "neat", Drawing "drawing" }

/// How the operators combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MutationScheme {
    /// Exactly one operator a child, drawn in proportion to the rates (Picbreeder).
    One,
    /// Each operator on its own, with its rate as probability (NEAT).
    Each,
}

names! { MutationScheme, "scheme of mutation": One "one", Each "each" }

/// How a link is treated when a node is put on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SplitRule {
    /// It stays; both new links get random weights (Picbreeder).
    Keep,
    /// It is disabled; the new links get weight 1 and the old weight (NEAT).
    Disable,
}

names! { SplitRule, "rule of a split link": Keep "keep", Disable "disable" }

/// The distribution of a weight's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Perturbation {
    /// N(0, σ) (Picbreeder).
    Normal,
    /// U(−σ, σ) (NEAT).
    Uniform,
}

names! { Perturbation, "distribution of a change": Normal "normal", Uniform "uniform" }

/// How two parents' genes are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CrossoverKind {
    /// All genes of both; matching weights averaged, matching activations 50/50 (Picbreeder).
    Union,
    /// Matching genes from either, the rest from the fitter (NEAT).
    Aligned,
}

names! { CrossoverKind, "crossover": Union "union", Aligned "aligned" }

/// The symmetry of a picture. It is made by restricting the inputs of the first genomes, and
/// offspring keep it `[ours]`: instead of x they read a unit `|x|` that reads x alone and that no
/// mutation changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Symmetry {
    /// Nothing.
    #[default]
    None,
    /// The left half mirrors the right.
    LeftRight,
    /// The upper half mirrors the lower.
    TopBottom,
    /// Both: four equal quarters.
    FourFold,
    /// Rings: only the distance from the centre counts.
    Radial,
}

names! {
    Symmetry, "symmetry":
    None "none", LeftRight "left-right", TopBottom "top-bottom", FourFold "four-fold", Radial "radial",
}

impl Symmetry {
    /// True if there is none.
    pub fn is_none(&self) -> bool {
        *self == Symmetry::None
    }

    /// The coordinates that nothing may read.
    pub(super) fn hidden(self) -> &'static [Input] {
        match self {
            Symmetry::None => &[],
            Symmetry::LeftRight => &[Input::X],
            Symmetry::TopBottom => &[Input::Y],
            Symmetry::FourFold | Symmetry::Radial => &[Input::X, Input::Y],
        }
    }

    /// The coordinates that are read through their mirror.
    pub(super) fn mirrored(self) -> &'static [Input] {
        match self {
            Symmetry::Radial => &[],
            symmetry => symmetry.hidden(),
        }
    }
}

/// The background into which the first pictures fade towards their edges `[ours]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Background {
    /// Whatever is drawn there.
    #[default]
    Free,
    /// Black.
    Dark,
    /// White.
    Light,
}

names! { Background, "background": Free "free", Dark "dark", Light "light" }

impl Background {
    /// True if it is whatever is drawn there.
    pub(crate) fn is_free(&self) -> bool {
        *self == Background::Free
    }
}

const PICTURE_ACTIVATIONS: [Activation; 5] = [
    Activation::Sin,
    Activation::Sigmoid,
    Activation::Gaussian,
    Activation::Cos,
    Activation::Identity,
];

settings! {
    /// The numbers of evolution.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct EvolveConfig: keys "Evolution" {
        /// Which preset the other values came from before they were overridden.
        preset: Preset = Preset::Picbreeder => Preset::Neat => Preset::Drawing;
        /// The first generation.
        start: StartConfig;
        /// Mutation operators.
        mutation: MutationConfig;
        /// Recombination of two parents.
        crossover: CrossoverConfig;
        /// Species.
        species: SpeciesConfig;
        /// Who has children, and how many.
        reproduction: ReproductionConfig;
    }
}

settings! {
    /// The first generation. Every first genome has the same ids, so that genes align.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct StartConfig: keys "Evolution" {
        /// True: outputs hue, saturation, brightness. False: ink only.
        colour: bool = true, source: "PB";
        /// Inputs that links may read, now and later, functions such as abs(x) among them; z1 to z4 make the genomes conditional.
        inputs: Vec<Input> = Input::OF_PIXEL.to_vec(), source: "PB";
        /// Hidden nodes between inputs and outputs (0: inputs go straight to the outputs).
        hidden: usize = 1 => 0, range: Range::between(0.0, 64.0), source: "ours, NEAT";
        /// Activations of hue, one drawn a genome.
        hue: Vec<Activation> = vec![Activation::Sin], source: "PB, ours";
        /// Activations of saturation.
        saturation: Vec<Activation> = vec![Activation::Sigmoid], source: "PB, ours";
        /// Activations of brightness or ink.
        brightness: Vec<Activation> = PICTURE_ACTIVATIONS.to_vec(), source: "PB, ours";
        /// True: links into hue and saturation start at weight 0, so that the first generation is grey.
        ///
        /// A session that is begun anew has false: its first sheet is in colour.
        grey: bool = true => false, source: "ours";
        /// Symmetry of the first genomes, which their offspring keep.
        #[serde(default, skip_serializing_if = "Symmetry::is_none")]
        symmetry as "symmetry": Symmetry = Symmetry::None, source: "ours";
        /// What the first pictures fade into towards their edges.
        #[serde(default, skip_serializing_if = "Background::is_free")]
        background as "background": Background = Background::Free, source: "ours";
        /// Colours that pictures are drawn in: free (every colour), ember, ocean, forest, dusk, candy, or 2 to 8 of one's
        /// own, RRGGBB,RRGGBB.
        ///
        /// A genome's file names its palette. Training and likeness to a target know the free one only.
        #[serde(default, skip_serializing_if = "Palette::is_free")]
        palette as "palette": Palette = Palette::Free, source: "ours", only: &["interactive", "vlm"];
    }
}

settings! {
    /// Mutation operators. The six rates are relative weights under [`MutationScheme::One`] and
    /// probabilities under [`MutationScheme::Each`].
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct MutationConfig: keys "Evolution" {
        /// How the operators combine.
        scheme: MutationScheme = MutationScheme::One => MutationScheme::Each => MutationScheme::One, source: "PB, NEAT";
        /// Rate of weight mutation.
        weights: f64 = 10.0 => 0.8 => 4.0, range: Range::at_least(0.0), source: "PB (10 of 21), NEAT";
        /// Rate of adding a link.
        add_link: f64 = 6.0 => 0.05 => 6.0, range: Range::at_least(0.0), source: "PB, NEAT";
        /// Rate of putting a node on a link.
        add_node: f64 = 4.0 => 0.03 => 5.0, range: Range::at_least(0.0), source: "PB, NEAT";
        /// Rate of redrawing activations.
        ///
        /// NEAT has one activation.
        activation: f64 = 1.0 => 0.02 => 2.0, range: Range::at_least(0.0), source: "PB, ours";
        /// Rate of deleting a link.
        delete_link: f64 = 0.0 => 0.0 => 1.0, range: Range::at_least(0.0), source: "ours";
        /// Rate of deleting a hidden node.
        delete_node: f64 = 0.0 => 0.0 => 0.5, range: Range::at_least(0.0), source: "ours";
        /// Weight mutation: probability that one link changes.
        ///
        /// If none is drawn, one link is drawn uniformly \[ours\]: never a no-op.
        link_rate: f64 = 0.2 => 1.0 => 0.2, range: Range::SHARE, source: "PB, NEAT";
        /// Of the changing links, the share drawn anew instead of moved.
        redraw_rate: f64 = 0.0 => 0.1, range: Range::SHARE, source: "PB, NEAT";
        /// Distribution of the change.
        perturbation: Perturbation = Perturbation::Normal => Perturbation::Uniform => Perturbation::Normal, source: "PB, NEAT";
        /// Width of the change with the slider at 0, in units of weight.
        width_low: f64 = 0.01 => 2.5 => 0.5, range: Range::POSITIVE, source: "PB, NEAT-C++ weight_mut_power";
        /// What the slider at 1 adds to the width.
        width_span: f64 = 1.99 => 0.0, range: Range::at_least(0.0), source: "PB";
        /// The mutation slider s of Picbreeder; σ = low + span·s.
        slider: f64 = 0.5, range: Range::SHARE, source: "PB";
        /// New weights are U(−r, r).
        ///
        /// A weight far beyond ±3 saturates every unit; larger ranges overflow what is drawn from them.
        new_weight: f64 = 3.0 => 1.0, range: Range::positive_to(1e6), source: "PB, NEAT-C++";
        /// Weights are clamped to ±limit.
        weight_limit: f64 = 3.0 => 8.0 => 6.0, range: Range::positive_to(1e6), source: "PB, NEAT-C++";
        /// What happens to a split link.
        split: SplitRule = SplitRule::Keep => SplitRule::Disable => SplitRule::Keep, source: "PB, NEAT";
        /// Activation mutation: probability a node.
        ///
        /// If none is drawn, one node is drawn uniformly \[ours\].
        activation_rate: f64 = 0.05, range: Range::SHARE, source: "PB";
        /// What hidden nodes may compute.
        activations: Vec<Activation> = PICTURE_ACTIVATIONS.to_vec(), source: "PB, ours";
        /// True: activation mutation may touch output nodes too.
        output_activations: bool = true, source: "PB";
        /// True: outputs may feed other nodes, as in Picbreeder's files.
        outputs_feed: bool = true => false => true, source: "PB, NEAT";
        /// Adding a node is refused at this many hidden nodes.
        max_hidden: usize = 300 => 300 => 48, source: "ours";
        /// No child has more links than this, unless an ancestor from a file has.
        max_links: usize = 3000, source: "ours";
    }
}

settings! {
    /// Recombination.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct CrossoverConfig: keys "Evolution" {
        /// How genes are put together.
        kind: CrossoverKind = CrossoverKind::Union => CrossoverKind::Aligned, source: "PB, NEAT";
        /// Probability that a child has two parents.
        rate: f64 = 0.3 => 0.75, range: Range::SHARE, source: "PB, NEAT";
        /// Probability that a gene disabled in either parent stays disabled.
        stay_disabled: f64 = 0.75, range: Range::SHARE, source: "NEAT";
        /// Probability that the second parent comes from another species.
        interspecies: f64 = 0.001, range: Range::SHARE, source: "NEAT";
        /// Probability that a child of two parents is mutated too.
        mutate_after: f64 = 1.0 => 0.8, range: Range::SHARE, source: "PB, NEAT-C++ mate_only_prob 0.2";
    }
}

settings! {
    /// Species.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct SpeciesConfig: keys "Evolution" {
        /// False: everybody is one species.
        enabled: bool = false => true, source: "PB, NEAT";
        /// c1, weight of excess genes in δ.
        excess: f64 = 1.0, range: Range::at_least(0.0), source: "NEAT";
        /// c2, weight of disjoint genes in δ.
        disjoint: f64 = 1.0, range: Range::at_least(0.0), source: "NEAT";
        /// c3, weight of the mean weight difference in δ.
        weight: f64 = 0.4, range: Range::at_least(0.0), source: "NEAT";
        /// Genomes with fewer genes than this count as N = 1.
        small: usize = 20, source: "NEAT";
        /// Two genomes with δ below this are of one species.
        threshold: f64 = 3.0, range: Range::POSITIVE, source: "NEAT";
        /// If set, the threshold moves by threshold_step a generation towards this many species.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_species: Option<usize> = None => None => Some(6), range: Range::at_least(1.0), source: "NEAT";
        /// Step of the adaptive threshold.
        threshold_step: f64 = 0.1, range: Range::POSITIVE, source: "ours";
        /// A species without a better best for this many generations has no children.
        stagnation: u64 = 15, source: "NEAT";
        /// The best species up to this number are exempt from stagnation.
        protected: usize = 1, source: "ours";
        /// If nobody improves for this many generations, only the two best species have children.
        population_stagnation: u64 = 20, source: "NEAT";
    }
}

settings! {
    /// Who has children.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct ReproductionConfig: keys "Evolution" {
        /// Genomes a generation.
        population as "population": usize = 15 => 150 => 60, range: Range::between(2.0, 1e5), source: "PB (3 × 5), NEAT",
            unless: "the preset's: 15, 150 or 60";
        /// Best share of a species that has children.
        survival: f64 = 0.2, range: Range::SOME_SHARE, source: "NEAT-C++";
        /// Champions copied unchanged from each species that is large enough.
        elites: usize = 1, source: "NEAT";
        /// Members of a species that is large enough.
        elite_species_size: usize = 1 => 5, source: "ours, NEAT";
        /// Breeding: the selected parents stay on the next sheet.
        keep_parents: bool = true, source: "PB";
        /// How often another operator is tried when the drawn one cannot act.
        attempts: usize = 8, range: Range::between(1.0, 1000.0), source: "ours";
    }
}

/// The preset that a table names, else the other.
pub fn preset_of(table: &toml::Table, otherwise: Preset) -> Result<Preset, String> {
    match table.get("preset") {
        None => Ok(otherwise),
        Some(toml::Value::String(name)) => name.parse().map_err(|e: Refusal| e.to_string()),
        Some(other) => Err(format!("expected a preset's name, found {other}")),
    }
}

impl EvolveConfig {
    /// The values of a preset.
    ///
    /// ```
    /// use picloom_engine::evolve::{EvolveConfig, Preset};
    /// let picbreeder = EvolveConfig::preset(Preset::Picbreeder);
    /// assert_eq!(picbreeder.reproduction.population, 15);
    /// assert_eq!(picbreeder.mutation.width_low + picbreeder.mutation.width_span, 2.0);
    /// let neat = EvolveConfig::preset(Preset::Neat);
    /// assert_eq!((neat.species.threshold, neat.species.weight), (3.0, 0.4));
    /// assert_eq!((neat.species.stagnation, neat.reproduction.survival), (15, 0.2));
    /// ```
    pub fn preset(preset: Preset) -> Self {
        Self::of_preset(preset as usize)
    }

    /// The values with which a breeding session begins anew: a preset's, and colour from the first sheet on.
    pub fn of_session(preset: Preset) -> Self {
        let mut config = Self::preset(preset);
        config.start.grey = false;
        config
    }

    /// A preset with `overrides` laid over it, key by key: an override may name one number and
    /// leave its neighbours. `overrides.preset` chooses the preset; `default` if it is not there.
    ///
    /// # Errors
    /// Unknown keys and values of the wrong type, as text with the key. Impossible values are left
    /// to [`validate`](Self::validate).
    pub fn over_preset(default: Preset, overrides: toml::Table) -> Result<Self, String> {
        Self::preset(preset_of(&overrides, default)?).over(overrides)
    }

    /// Refuses values that cannot be.
    ///
    /// # Errors
    /// The first impossible value, by its key.
    pub fn validate(&self) -> Result<(), Refusal> {
        self.check_ranges()?;
        let check = |ok: bool, key, expected: &str, found: &dyn std::fmt::Debug| {
            if ok { Ok(()) } else { Err(Refusal::new(key, expected, format!("{found:?}"))) }
        };
        let (start, m) = (&self.start, &self.mutation);
        let some = !start.inputs.is_empty();
        check(some, "start.inputs", "at least one, such as x", &start.inputs)?;
        let once =
            start.nodes().collect::<std::collections::BTreeSet<_>>().len() == start.nodes().count();
        check(once, "start.inputs", "each function once", &start.inputs)?;
        let plain = !start.inputs.iter().any(|input| matches!(input, Input::Of(_)));
        let fits = plain || start.symmetry.is_none();
        check(fits, "start.inputs", "no functions of x, y and d beside a symmetry", &start.inputs)?;
        let last = Input::FACTORS.iter().rposition(|z| start.inputs.contains(z));
        let whole = last.is_none_or(|last| last < start.factors());
        check(whole, "start.inputs", "every factor before the last, z1 first", &start.inputs)?;
        let seen = |input: &Input| start.sees(*input) || start.mirrors().contains(input);
        let some = start.inputs.iter().any(seen);
        check(some, "start.inputs", "one that the symmetry leaves", &start.inputs)?;
        for (key, list) in [
            ("start.hue", &start.hue),
            ("start.saturation", &start.saturation),
            ("start.brightness", &start.brightness),
            ("mutation.activations", &m.activations),
        ] {
            check(!list.is_empty(), key, "at least one activation", list)?;
            let made = list.contains(&Activation::Cache);
            check(!made, key, "no `cache` (it is made by layerizing)", list)?;
        }
        let rates = [
            ("mutation.weights", m.weights),
            ("mutation.add_link", m.add_link),
            ("mutation.add_node", m.add_node),
            ("mutation.activation", m.activation),
            ("mutation.delete_link", m.delete_link),
            ("mutation.delete_node", m.delete_node),
        ];
        for (key, rate) in rates {
            let fits = m.scheme == MutationScheme::One || rate <= 1.0;
            check(fits, key, "a number in [0, 1] with scheme \"each\"", &rate)?;
        }
        let some = rates.iter().any(|(_, rate)| *rate > 0.0);
        check(some, "mutation", "at least one operator with a rate above 0", &"all rates 0")?;
        let (r, key) = (&self.reproduction, "reproduction.elites");
        check(r.elites <= r.population, key, "at most the population", &r.elites)
    }
}

impl StartConfig {
    /// The inputs that the genomes have, by node id: x, y, d, bias, the factors, functions of x, y and d.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Input> {
        let factors = Input::FACTORS.into_iter().take(self.factors());
        let functions = self.inputs.iter().filter(|input| matches!(input, Input::Of(_))).copied();
        Input::OF_PIXEL.into_iter().chain(factors).chain(functions)
    }

    /// Number of factors that the genomes have beside x, y, d and bias.
    pub(crate) fn factors(&self) -> usize {
        Input::FACTORS.iter().take_while(|z| self.inputs.contains(z)).count()
    }

    /// True if links may read this input itself.
    pub(super) fn sees(&self, input: Input) -> bool {
        self.inputs.contains(&input) && !self.symmetry.hidden().contains(&input)
    }

    /// The inputs that are read through their mirror.
    pub(super) fn mirrors(&self) -> Vec<Input> {
        let mirrored = self.symmetry.mirrored().iter().copied();
        mirrored.filter(|input| self.inputs.contains(input)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_possible_and_survive_toml() {
        for &preset in Preset::ALL {
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
            "reproduction.population: expected 2 to 100000, found 1"
        );
        assert!(refused(&|c| c.mutation.weights = 1.5).contains("mutation.weights"));
        assert!(refused(&|c| c.mutation.slider = f64::NAN).contains("NaN"));
        assert!(refused(&|c| c.start.inputs.clear()).contains("start.inputs"));
        assert!(refused(&|c| c.mutation.activations.clear()).contains("mutation.activations"));
        assert!(refused(&|c| c.reproduction.survival = 0.0).contains("survival"));
    }
}
