//! The config of an evolution run: one TOML table over a preset.

use super::by_eye::VlmSection;
use super::descriptors::Descriptor;
use crate::evolve::{Axis, EvolveConfig, NoveltyConfig, Preset, lay_over};
use crate::math::hash::json_id;
use crate::math::names::names;
use crate::math::refusal::Refusal;
use crate::network::{Coords, Squaring};
use serde::{Deserialize, Serialize};

/// What leads the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    /// Likeness to a target picture.
    #[default]
    Target,
    /// Distance to what was seen.
    Novelty,
    /// The best of each cell of a descriptor grid.
    MapElites,
    /// Selections from a session file.
    Interactive,
    /// Selections of a model that looks at the sheets.
    Vlm,
}

names! {
    SearchKind, "search":
    Target "target", Novelty "novelty", MapElites "map-elites", Interactive "interactive", Vlm "vlm",
}

/// How likeness to the target is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// −MSE over pixels and channels, in [−1, 0].
    #[default]
    Mse,
    /// Mean structural similarity, in [−1, 1] (Wang et al. 2004, uniform 7 × 7 windows).
    Ssim,
    /// (1 − w)·(1 − MSE/Var(target)) + w·SSIM, w = `ssim_weight` `\[ours\]`.
    Both,
}

names! { Measure, "fitness": Mse "mse", Ssim "ssim", Both "both" }

/// From picture to fitness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitnessConfig {
    /// Likeness. Default `mse`.
    pub measure: Measure,
    /// Weight of SSIM in `both`, [0, 1]. Default 0.5.
    pub ssim_weight: f64,
    /// Fitness subtracted for each enabled link, ≥ 0. Default 0.
    pub complexity_pressure: f64,
}

/// What happens to weights learned by gradient descent within a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefineMode {
    /// Nothing is learned.
    #[default]
    None,
    /// They are judged and inherited.
    Lamarck,
    /// They are judged but not inherited (Hinton & Nowlan 1987).
    Baldwin,
}

names! { RefineMode, "refinement": None "none", Lamarck "lamarck", Baldwin "baldwin" }

/// Gradient refinement of each genome before it is judged: Adam on the normalised gradient of
/// the MSE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefineConfig {
    /// Who profits. Default `none`.
    pub mode: RefineMode,
    /// Training steps a genome a generation, 1 to 10000. Default 10.
    pub steps: usize,
    /// Learning rate, > 0. Default 0.03 `\[ours\]`.
    pub learning_rate: f64,
}

/// Novelty search on pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoveltySection {
    /// What counts as different. Default: thumbnail, symmetry, complexity, colourfulness.
    pub descriptors: Vec<Descriptor>,
    /// k-NN and archive.
    pub search: NoveltyConfig,
}

/// MAP-Elites on pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapElitesSection {
    /// The grid; each axis names a scalar descriptor. Default: complexity × colourfulness.
    pub axes: Vec<Axis>,
    /// What is best in a cell: a descriptor's value, or likeness to the target if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Descriptor>,
}

/// A whole evolution run. With the target's pixels, all that its result depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionConfig {
    /// Which search. Default target.
    pub search: SearchKind,
    /// Generations to run, ≥ 1; may be raised when a run is resumed. Default 100.
    pub generations: u64,
    /// Seed of everything. Default 0.
    pub seed: u64,
    /// Side of the judged pictures in pixels, 8 to 1024. Default 64.
    pub size: usize,
    /// Coordinate convention. Default fer.
    pub coords: Coords,
    /// Target picture or genome, for people; its pixels enter by `target_sha256`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What becomes of a target picture that is not square; none: it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_fit: Option<Squaring>,
    /// SHA-256 of the target's float pixels at `size`; filled in by the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_sha256: Option<String>,
    /// Stops when the best fitness reaches this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at: Option<f64>,
    /// Genome files that generation 0 begins from; empty: founders of `evolve.start`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<String>,
    /// From picture to fitness.
    pub fitness: FitnessConfig,
    /// Gradient refinement.
    pub refine: RefineConfig,
    /// Novelty search.
    pub novelty: NoveltySection,
    /// MAP-Elites.
    pub map_elites: MapElitesSection,
    /// Breeding by eye; present in such runs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vlm: Option<VlmSection>,
    /// Operators, species, reproduction.
    pub evolve: EvolveConfig,
}

impl EvolutionConfig {
    /// The defaults with a preset.
    pub fn new(preset: Preset) -> Self {
        let axis = |descriptor: Descriptor, low, high| Axis {
            descriptor: descriptor.name().to_string(),
            low,
            high,
            cells: 8,
        };
        EvolutionConfig {
            search: SearchKind::Target,
            generations: 100,
            seed: 0,
            size: 64,
            coords: Coords::Fer,
            target: None,
            target_fit: None,
            target_sha256: None,
            stop_at: None,
            ancestors: Vec::new(),
            fitness: FitnessConfig {
                measure: Measure::Mse,
                ssim_weight: 0.5,
                complexity_pressure: 0.0,
            },
            refine: RefineConfig { mode: RefineMode::None, steps: 10, learning_rate: 0.03 },
            novelty: NoveltySection {
                descriptors: vec![
                    Descriptor::Thumbnail,
                    Descriptor::Symmetry,
                    Descriptor::Complexity,
                    Descriptor::Colourfulness,
                ],
                search: NoveltyConfig::default(),
            },
            map_elites: MapElitesSection {
                axes: vec![
                    axis(Descriptor::Complexity, 0.0, 0.16),
                    axis(Descriptor::Colourfulness, 0.0, 0.6),
                ],
                quality: Some(Descriptor::Clarity),
            },
            vlm: None,
            evolve: EvolveConfig::preset(preset),
        }
    }

    /// The defaults with `overrides` laid over them; `evolve.preset` chooses the preset,
    /// `default` if it is not there.
    ///
    /// # Errors
    /// Unknown keys and values of the wrong type, as text with the key.
    pub fn over_defaults(default: Preset, mut overrides: toml::Table) -> Result<Self, String> {
        let evolve = match overrides.remove("evolve") {
            None => toml::Table::new(),
            Some(toml::Value::Table(table)) => table,
            Some(other) => return Err(format!("evolve: expected a table, found {other}")),
        };
        let mut config = EvolutionConfig::new(default);
        config.evolve = EvolveConfig::over_preset(default, evolve)?;
        let mut table = toml::Table::try_from(config).map_err(|e| e.to_string())?;
        lay_over(&mut table, overrides);
        table.try_into().map_err(|e: toml::de::Error| e.to_string().trim().replace('\n', " "))
    }

    /// Refuses values that cannot be.
    ///
    /// # Errors
    /// The first impossible value, by its key.
    pub fn validate(&self) -> Result<(), Refusal> {
        let fail = |key: &str, expected: &str, found: String| {
            Err(Refusal::new(format!("impossible value of {key}"), expected, found))
        };
        if self.generations == 0 {
            return fail("generations", "at least 1", "0".into());
        }
        // TOML has no larger integers.
        let publish = self.vlm.as_ref().map_or(0, |vlm| vlm.publish);
        for (key, number) in [
            ("seed", self.seed),
            ("generations", self.generations),
            ("vlm.publish", publish as u64),
        ] {
            if i64::try_from(number).is_err() {
                return fail(key, "at most 9223372036854775807", number.to_string());
            }
        }
        if !(8..=1024).contains(&self.size) {
            return fail("size", "8 to 1024 pixels", self.size.to_string());
        }
        let fitness = &self.fitness;
        if !(0.0..=1.0).contains(&fitness.ssim_weight) {
            let found = fitness.ssim_weight.to_string();
            return fail("fitness.ssim_weight", "a number in [0, 1]", found);
        }
        let pressure = fitness.complexity_pressure;
        if !(pressure.is_finite() && pressure >= 0.0) {
            let found = pressure.to_string();
            return fail("fitness.complexity_pressure", "a number from 0 up", found);
        }
        if !(1..=10_000).contains(&self.refine.steps) {
            return fail("refine.steps", "1 to 10000", self.refine.steps.to_string());
        }
        let rate = self.refine.learning_rate;
        if !(rate.is_finite() && rate > 0.0) {
            return fail("refine.learning_rate", "a number above 0", rate.to_string());
        }
        if self.novelty.descriptors.is_empty() {
            return fail("novelty.descriptors", "at least one", "none".into());
        }
        if self.novelty.search.neighbours == 0 {
            return fail("novelty.search.neighbours", "at least 1", "0".into());
        }
        let axes = &self.map_elites.axes;
        if axes.is_empty() || axes.len() > 4 {
            return fail("map_elites.axes", "1 to 4 axes", axes.len().to_string());
        }
        for axis in axes {
            let known = axis.descriptor.parse::<Descriptor>();
            if !known.is_ok_and(|d| d.is_scalar()) {
                return fail(
                    "map_elites.axes.descriptor",
                    "the name of a scalar descriptor",
                    format!("{:?}", axis.descriptor),
                );
            }
            if !(axis.low.is_finite() && axis.high.is_finite() && axis.high > axis.low) {
                let found = format!("{} to {}", axis.low, axis.high);
                return fail("map_elites.axes", "low below high", found);
            }
            if !(1..=1000).contains(&axis.cells) {
                return fail("map_elites.axes.cells", "1 to 1000", axis.cells.to_string());
            }
        }
        if self.map_elites.quality.is_some_and(|d| !d.is_scalar()) {
            return fail("map_elites.quality", "a scalar descriptor", "thumbnail".into());
        }
        if let Some(vlm) = &self.vlm {
            if !(16..=512).contains(&vlm.cell) {
                return fail("vlm.cell", "16 to 512 pixels", vlm.cell.to_string());
            }
            if vlm.publish == 0 {
                return fail("vlm.publish", "at least 1", "0".into());
            }
        }
        self.evolve.validate()?;
        let needs_target = match self.search {
            SearchKind::Target => true,
            SearchKind::MapElites => self.map_elites.quality.is_none(),
            _ => self.refine.mode != RefineMode::None,
        };
        if needs_target && self.target.is_none() {
            return fail("target", "a picture or genome file (--target)", "none".into());
        }
        Ok(())
    }

    /// Identity of a run: the first 16 hex digits of the SHA-256 of the config as JSON, without
    /// `generations` (a run may go on), the target's name and its fit (its pixels count).
    pub fn hash(&self) -> String {
        let mut identity = self.clone();
        identity.generations = 1;
        identity.target = identity.target.map(|_| String::new());
        identity.target_fit = None;
        json_id(&identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str) -> Result<EvolutionConfig, String> {
        EvolutionConfig::over_defaults(Preset::Picbreeder, text.parse().unwrap())
    }

    #[test]
    fn overrides_reach_every_depth_and_unknown_keys_are_refused() {
        let config = over(
            "size = 32\n[evolve]\npreset = \"neat\"\n[evolve.mutation]\nadd_node = 0.1\n[fitness]\nmeasure = \"both\"",
        )
        .unwrap();
        assert_eq!((config.size, config.fitness.measure), (32, Measure::Both));
        assert_eq!(config.evolve.mutation.add_node, 0.1);
        assert_eq!(config.evolve.reproduction.population, 150);
        for (text, key) in [
            ("sise = 32", "sise"),
            ("[fitness]\nmeasures = 1", "measures"),
            ("[evolve.mutation]\nadd_nod = 0.1", "add_nod"),
            ("[novelty]\ndescriptors = [\"smell\"]", "smell"),
        ] {
            assert!(over(text).unwrap_err().contains(key), "{text}");
        }
    }

    #[test]
    fn impossible_values_are_refused_by_name() {
        for (text, message) in [
            ("size = 4", "impossible value of size: expected 8 to 1024 pixels, found 4"),
            ("generations = 0", "impossible value of generations"),
            ("search = \"target\"", "impossible value of target: expected a picture"),
            ("[refine]\nlearning_rate = -1.0", "refine.learning_rate"),
            ("[evolve.reproduction]\npopulation = 0", "reproduction.population"),
        ] {
            let error = over(text).unwrap().validate().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn the_hash_is_the_run_and_not_its_length() {
        let base = over("search = \"novelty\"").unwrap();
        let longer = over("search = \"novelty\"\ngenerations = 7").unwrap();
        let other = over("search = \"novelty\"\nseed = 7").unwrap();
        assert_eq!(base.hash(), longer.hash());
        assert_ne!(base.hash(), other.hash());
    }
}
