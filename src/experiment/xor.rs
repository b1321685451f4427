//! NEAT's classic check: can the evolution room solve XOR as the paper's did?
//!
//! In: an [`XorSpec`] (`experiments/xor.toml`). Out: an [`XorReport`] beside the published numbers.
//! Reference: Stanley & Miikkulainen 2002, §4.1: 100 runs, population 150, fitness
//! (4 − Σ|error|)², sigmoid 1/(1 + e^(−4.9 z)); solved in 32 generations (4 755 evaluations) on
//! average with 2.35 hidden nodes, never later than generation 90, never failing.
//!
//! The genome is an ordinary one of this program: x and y are the two inputs, bias the bias, d is
//! never connected (`start.inputs`), ink is the output. The phenotype is the paper's: every
//! hidden and output node computes the steep unipolar sigmoid, whatever its gene says.

use crate::evolve::{EvolveConfig, Evolver, Feedback, Judged, Population, Preset, Search};
use crate::genome::{Genome, Input, NodeId, Output, Role};
use crate::math::real;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The study, as its TOML file says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XorSpec {
    /// Always `xor`.
    pub kind: String,
    /// Independent runs, with seeds `seed`, `seed` + 1, ….
    pub runs: u64,
    /// Generations after which a run has failed.
    pub generations: u64,
    /// First seed.
    pub seed: u64,
    /// Slope of the sigmoid; 4.9 in the paper.
    pub slope: f64,
    /// Numbers of evolution, laid over the `neat` preset.
    pub evolve: EvolveConfig,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct XorRun {
    /// Its seed.
    pub seed: u64,
    /// Generations judged until the solution, counted from 1; `None`: not solved.
    pub generations: Option<u64>,
    /// Genomes judged.
    pub evaluations: u64,
    /// Hidden nodes of the solution.
    pub hidden: Option<usize>,
    /// Enabled links of the solution.
    pub links: Option<usize>,
}

/// Means over the solved runs, beside the published ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct XorReport {
    /// Runs solved.
    pub solved: usize,
    /// Runs made.
    pub runs: usize,
    /// Mean generations to the solution. Published: 32.
    pub mean_generations: f64,
    /// Standard deviation of the same, over runs.
    pub sd_generations: f64,
    /// Latest generation of a solution. Published: 90.
    pub worst_generations: u64,
    /// Mean genomes judged. Published: 4 755 (standard deviation 2 553).
    pub mean_evaluations: f64,
    /// Mean hidden nodes of the solution. Published: 2.35.
    pub mean_hidden: f64,
    /// Mean enabled links of the solution. Published: 7.48.
    pub mean_links: f64,
    /// Each run, by seed.
    pub each: Vec<XorRun>,
}

impl XorSpec {
    /// A spec from TOML text; `[evolve]` is laid over the `neat` preset.
    ///
    /// # Errors
    /// Not TOML, unknown keys, impossible values, as text with the key.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let mut table: toml::Table =
            text.parse().map_err(|e| format!("expected TOML, found: {e}"))?;
        let overrides = match table.remove("evolve") {
            None => toml::Table::new(),
            Some(toml::Value::Table(overrides)) => overrides,
            Some(other) => return Err(format!("evolve: expected a table, found {other}")),
        };
        let evolve = EvolveConfig::over_preset(Preset::Neat, overrides)?;
        evolve.validate().map_err(|e| e.to_string())?;
        let evolve = toml::Value::try_from(evolve).map_err(|e| e.to_string())?;
        table.insert("evolve".into(), evolve);
        let spec: XorSpec = table.try_into().map_err(|e: toml::de::Error| e.to_string())?;
        let wanted = [Input::X, Input::Y, Input::Bias];
        if spec.evolve.start.colour || spec.evolve.start.inputs != wanted {
            return Err(
                "evolve.start: expected colour = false, inputs = [\"x\", \"y\", \"bias\"]".into()
            );
        }
        if spec.runs == 0 || spec.generations == 0 || spec.slope <= 0.0 {
            return Err("expected runs, generations and slope above 0".into());
        }
        Ok(spec)
    }
}

/// The output of a genome for two inputs, in (0, 1).
pub fn output(genome: &Genome, slope: f64, x: f64, y: f64) -> f64 {
    let mut incoming: BTreeMap<NodeId, Vec<(NodeId, f64)>> = BTreeMap::new();
    for c in genome.connections().filter(|c| c.enabled) {
        incoming.entry(c.target).or_default().push((c.source, c.weight));
    }
    let mut values: BTreeMap<NodeId, f64> = BTreeMap::new();
    for id in genome.topological_order() {
        let value = match genome.node(id).expect("ordered nodes exist").role {
            Role::Input(Input::X) => x,
            Role::Input(Input::Y) => y,
            Role::Input(Input::Bias) => 1.0,
            Role::Input(Input::D) => 0.0,
            Role::Hidden | Role::Output(_) => {
                let links = incoming.get(&id).map_or(&[][..], |l| l);
                let z: f64 = links.iter().map(|(from, w)| w * values[from]).sum();
                1.0 / (1.0 + real::exp(-slope * z))
            }
        };
        values.insert(id, value);
    }
    values[&genome.output(Output::Ink).expect("a grey genome").id]
}

/// ((4 − Σ|error|)², all four outputs on the right side of ½).
pub fn judge(genome: &Genome, slope: f64) -> (f64, bool) {
    let (mut error, mut solved) = (0.0, true);
    for (x, y) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
        let wanted = if x == y { 0.0 } else { 1.0 };
        let miss = (output(genome, slope, x, y) - wanted).abs();
        error += miss;
        solved &= miss < 0.5;
    }
    ((4.0 - error) * (4.0 - error), solved)
}

/// One run from its seed.
pub fn run_once(spec: &XorSpec, seed: u64) -> XorRun {
    let mut search = Search::Target(Population::new(spec.evolve.clone(), seed, &[]));
    let mut evaluations = 0;
    for generation in 1..=spec.generations {
        let judged: Vec<(f64, bool)> = search.ask().iter().map(|g| judge(g, spec.slope)).collect();
        if let Some(first) = judged.iter().position(|(_, solved)| *solved) {
            let genome = &search.ask()[first];
            let hidden = genome.nodes().filter(|n| n.role == Role::Hidden).count();
            return XorRun {
                seed,
                generations: Some(generation),
                // Judged one by one, as the paper counts: up to and with the solution.
                evaluations: evaluations + first as u64 + 1,
                hidden: Some(hidden),
                links: Some(genome.connections().filter(|c| c.enabled).count()),
            };
        }
        evaluations += judged.len() as u64;
        let told = judged
            .into_iter()
            .map(|(fitness, _)| Judged { fitness, ..Judged::default() })
            .collect();
        search.tell(Feedback::Judged(told)).expect("finite fitness");
    }
    XorRun { seed, generations: None, evaluations, hidden: None, links: None }
}

/// All runs, on all cores.
pub fn run(spec: &XorSpec) -> XorReport {
    let each: Vec<XorRun> =
        (0..spec.runs).into_par_iter().map(|i| run_once(spec, spec.seed + i)).collect();
    let solved: Vec<&XorRun> = each.iter().filter(|r| r.generations.is_some()).collect();
    let n = solved.len().max(1) as f64;
    let mean = |value: &dyn Fn(&XorRun) -> f64| solved.iter().map(|r| value(r)).sum::<f64>() / n;
    let generations = |r: &XorRun| r.generations.unwrap_or(0) as f64;
    let mean_generations = mean(&generations);
    let squares =
        mean(&|r| (generations(r) - mean_generations) * (generations(r) - mean_generations));
    XorReport {
        solved: solved.len(),
        runs: each.len(),
        mean_generations,
        sd_generations: squares.sqrt(),
        worst_generations: solved.iter().filter_map(|r| r.generations).max().unwrap_or(0),
        mean_evaluations: mean(&|r| r.evaluations as f64),
        mean_hidden: mean(&|r| r.hidden.unwrap_or(0) as f64),
        mean_links: mean(&|r| r.links.unwrap_or(0) as f64),
        each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::{ConnectionGene, InnovationId, NodeGene, Provenance};
    use crate::math::Activation;

    #[test]
    fn a_network_solved_by_hand_is_solved_and_an_or_gate_is_not() {
        let node = |id, role| NodeGene::new(NodeId(id), role, Activation::Sigmoid);
        let nodes = || {
            let mut nodes: Vec<NodeGene> = Input::ALL
                .iter()
                .enumerate()
                .map(|(i, input)| node(i as u32, Role::Input(*input)))
                .collect();
            nodes.push(node(4, Role::Output(Output::Ink)));
            nodes.push(node(5, Role::Hidden));
            nodes
        };
        let genome = |links: &[(u32, u32, f64)]| {
            let genes = links
                .iter()
                .enumerate()
                .map(|(i, &(a, b, w))| {
                    ConnectionGene::new(InnovationId(i as u64), NodeId(a), NodeId(b), w)
                })
                .collect();
            Genome::new(nodes(), genes, Provenance::default()).unwrap()
        };
        // Hidden = x and y; output = x or y, unless hidden.
        let xor = genome(&[
            (0, 5, 2.0),
            (1, 5, 2.0),
            (3, 5, -3.0),
            (0, 4, 2.0),
            (1, 4, 2.0),
            (3, 4, -1.0),
            (5, 4, -5.0),
        ]);
        let (fitness, solved) = judge(&xor, 4.9);
        assert!(solved && fitness > 15.0, "{fitness}");
        let or = genome(&[(0, 4, 2.0), (1, 4, 2.0), (3, 4, -1.0)]);
        let (fitness, solved) = judge(&or, 4.9);
        assert!(!solved && fitness < 9.5, "{fitness}");
    }

    #[test]
    fn a_spec_for_another_problem_is_refused() {
        let text = "kind = \"xor\"\nruns = 1\ngenerations = 1\nseed = 1\nslope = 4.9\n";
        assert!(XorSpec::from_toml(text).unwrap_err().contains("evolve.start"));
        assert!(XorSpec::from_toml(&format!("{text}sloppe = 1\n")).unwrap_err().contains("sloppe"));
    }
}
