//! The config of an evolution run: one TOML table over a preset.

use super::descriptors::Descriptor;
use super::kind::SearchKind;
use crate::base::files::{WriteError, write_atomic};
use crate::base::hash::json_id;
use crate::base::names::names;
use crate::base::settings::{Settings, settings};
use crate::evolve::{Axis, EvolveConfig, NoveltyConfig, Preset, preset_of};
use crate::network::family::Support;
use crate::network::{Coords, Squaring};
use serde::{Deserialize, Serialize};
use std::path::Path;

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

settings! {
    /// From picture to fitness.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct FitnessConfig: keys "The search" {
        /// Likeness to the target: mse, ssim or both.
        ///
        /// By MSE alone a grey disc is nearly as good as a face: small dark parts are few pixels. SSIM sees edges.
        measure as "fitness": Measure = Measure::Mse => Measure::Mse => Measure::Both,
            unless: "both with the preset drawing, else mse";
        /// Weight of SSIM in `both`.
        ssim_weight: f64 = 0.5, range: Range::SHARE;
        /// Fitness subtracted for each enabled link.
        ///
        /// Without it a search grows links that do nothing, up to `max_links`.
        complexity_pressure as "complexity_pressure": f64 = 0.0 => 0.0 => 0.0004, range: Range::at_least(0.0),
            value: "PRICE", unless: "0.0004 with the preset drawing, else 0";
    }
}

impl FitnessConfig {
    /// The measure, in words.
    pub(super) fn in_words(&self) -> String {
        let likeness = match self.measure {
            Measure::Mse => "minus the mean squared error".to_string(),
            Measure::Ssim => "structural similarity (SSIM)".to_string(),
            Measure::Both => {
                let weight = self.ssim_weight;
                format!("{} of R² and {weight} of structural similarity (SSIM)", 1.0 - weight)
            }
        };
        match self.complexity_pressure {
            price if price > 0.0 => format!("{likeness}, less {price} a link"),
            _ => likeness,
        }
    }
}

/// The use of weights learned by gradient descent within a generation.
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

settings! {
    /// Gradient refinement of each genome before it is judged: Adam on the normalised gradient of
    /// the MSE.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct RefineConfig: keys "The search" {
        /// Gradient descent before judging: none, lamarck (inherited) or baldwin (not inherited).
        ///
        /// In three minutes a search without it finds the outline of a drawing, and with it the drawing.
        mode as "refine": RefineMode = RefineMode::None => RefineMode::None => RefineMode::Lamarck,
            unless: "lamarck with the preset drawing, else none";
        /// Its steps a genome a generation.
        steps as "refine_steps": usize = 10 => 10 => 25, range: Range::between(1.0, 1e4), value: "STEPS",
            unless: "25 with the preset drawing, else 10";
        /// Its learning rate.
        learning_rate: f64 = 0.03, range: Range::POSITIVE, source: "ours";
    }
}

settings! {
    /// Novelty search on pictures.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct NoveltySection: keys "The search" {
        /// What counts as different.
        descriptors: Vec<Descriptor> = vec![
            Descriptor::Thumbnail,
            Descriptor::Symmetry,
            Descriptor::Complexity,
            Descriptor::Colourfulness,
        ];
        /// k-NN and archive.
        search: NoveltyConfig;
    }
}

settings! {
    /// MAP-Elites on pictures.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct MapElitesSection: keys "The search" {
        /// The grid; each axis names a scalar descriptor, its ends and its number of cells.
        axes: Vec<Axis> = vec![
            axis(Descriptor::Complexity, 0.0, 0.16),
            axis(Descriptor::Colourfulness, 0.0, 0.6),
        ];
        /// What is best in a cell: a descriptor's value, or likeness to the target if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        quality: Option<Descriptor> = Some(Descriptor::Clarity);
    }
}

fn axis(descriptor: Descriptor, low: f64, high: f64) -> Axis {
    Axis { descriptor: descriptor.name().to_string(), low, high, cells: 8 }
}

/// Bytes of a pixel on a sheet: a picture and its place, each of three floats, and the bytes of the file.
pub(super) const SHEET_PIXEL: usize = 27;

/// Searches that judge pictures by numbers.
const JUDGED: &[&str] = &["target", "novelty", "map-elites"];

settings! {
    /// A whole evolution run. With the target's pixels, all that its result depends on.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    pub struct EvolutionConfig: keys "The search" {
        /// What leads the search.
        search as "search": SearchKind = SearchKind::Target;
        /// Generations.
        ///
        /// May be raised when a run is resumed.
        generations as "generations": u64 = 100 => 100 => 1000, range: Range::at_least(1.0),
            only: &["target", "novelty", "map-elites", "vlm"], unless: "300 with the preset drawing, else 100";
        /// Genomes judged and gradients computed, in all, with which the search ends.
        ///
        /// Searches with other `refine_steps` are compared at equal budgets. The generation that reaches it is the
        /// last. May be raised when a run is resumed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget as "budget": Option<u64> = None, range: Range::at_least(1.0), value: "EVALUATIONS", only: JUDGED,
            unless: "all generations are made";
        /// Seed.
        seed as "seed": u64 = 0;
        /// Side of the judged pictures in pixels.
        size as "size": usize = 64, range: Range::between(8.0, 1024.0), only: JUDGED;
        /// Coordinate convention.
        coords as "coords": Coords = Coords::Fer;
        /// Picture or genome to draw, or `family:NAME`: one genome with factors draws a family of pictures.
        ///
        /// For people; its pixels enter by `target_sha256`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target as "target": Option<String> = None, value: "IMG|GENOME|family:NAME", only: JUDGED;
        /// Which combinations of its factors a family shows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        support as "support": Option<Support> = None, needs: "target", unless: "random:0.6, of a family";
        /// Values of each factor of a family.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        values as "values": Option<usize> = None, range: Range::between(2.0, 16.0), value: "N", needs: "target",
            unless: "5, or 3 where there are three factors";
        /// What becomes of a target picture that is not square.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_fit as "fit": Option<Squaring> = None, needs: "target", unless: "it is refused";
        /// SHA-256 of the target's float pixels at `size`; filled in by the program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_sha256: Option<String> = None;
        /// Stops when the best fitness reaches this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_at: Option<f64> = None;
        /// Genome that generation 0 begins from (may be repeated).
        ///
        /// Where there is none, founders of `evolve.start`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ancestors as "from": Vec<String> = Vec::new(), value: "GENOME";
        /// From picture to fitness.
        fitness: FitnessConfig, only: JUDGED;
        /// Gradient refinement.
        refine: RefineConfig, only: JUDGED;
        /// Novelty search.
        novelty: NoveltySection, only: &["novelty"];
        /// MAP-Elites.
        map_elites: MapElitesSection;
        /// Breeding by eye; present in such runs only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        vlm: Option<VlmSection>;
        /// Operators, species, reproduction.
        evolve: EvolveConfig;
    }
}

impl RefineConfig {
    /// Gradients that a genome costs in a generation, at most: refining ends early where there is no slope.
    pub(crate) fn gradients(&self) -> u64 {
        if self.mode == RefineMode::None { 0 } else { self.steps as u64 }
    }
}

impl EvolutionConfig {
    /// The defaults with a preset.
    pub fn new(preset: Preset) -> Self {
        Self::of_preset(preset as usize)
    }

    /// The defaults with `overrides` laid over them; `evolve.preset` chooses the preset,
    /// `default` if it is not there.
    ///
    /// # Errors
    /// Unknown keys and values of the wrong type, as text with the key.
    pub fn over_defaults(default: Preset, overrides: toml::Table) -> Result<Self, String> {
        let preset = match overrides.get("evolve") {
            None => default,
            Some(toml::Value::Table(table)) => preset_of(table, default)?,
            Some(other) => return Err(format!("evolve: expected a table, found {other}")),
        };
        EvolutionConfig::new(preset).over(overrides)
    }

    /// How sheets are drawn and looked at.
    pub(crate) fn sheets(&self) -> VlmSection {
        self.vlm.clone().unwrap_or_default()
    }

    /// Writes `config.toml` of the run in `folder`.
    pub(super) fn write(&self, folder: &Path) -> Result<(), WriteError> {
        let text = toml::to_string(self).expect("a config is plain data");
        write_atomic(&folder.join("config.toml"), text.as_bytes())
    }

    /// Identity of a run: the first 16 hex digits of the SHA-256 of the config as JSON, without
    /// `generations` and `budget` (a run may go on), the target's name and its fit (its pixels count).
    pub fn hash(&self) -> String {
        let mut identity = self.clone();
        identity.generations = 1;
        identity.budget = None;
        identity.target = identity.target.map(|_| String::new());
        identity.target_fit = None;
        json_id(&identity)
    }
}

/// Who looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BreederKind {
    /// A vision-language model on an OpenAI-compatible server.
    #[default]
    Vlm,
    /// Seeded tosses, to test the plumbing: publishes in generation
    /// [`VlmSection::MOCK_PUBLISHES_IN`].
    Mock,
}

names! { BreederKind, "breeder": Vlm "vlm", Mock "mock" }

settings! {
    /// Breeding by a model that looks.
    #[derive(Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    pub struct VlmSection: keys "The search" {
        /// Who looks at the sheets, vlm or mock (seeded tosses).
        breeder as "breeder": BreederKind = BreederKind::Vlm, only: &["vlm"];
        /// The model, as its server knows it; none for the mock.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String> = None;
        /// Side of a sheet's cells in pixels.
        cell as "cell": usize = 160, range: Range::between(16.0, 512.0), value: "PIXELS",
            only: &["vlm", "interactive"];
        /// Pictures to publish before the run ends.
        ///
        /// After each but the last, the published picture is bred from.
        publish as "publish": usize = 1, range: Range::at_least(1.0), value: "N", only: &["vlm"];
    }
}

impl VlmSection {
    /// Generation in which the mock breeder begins to publish.
    pub(crate) const MOCK_PUBLISHES_IN: usize = 3;
}
