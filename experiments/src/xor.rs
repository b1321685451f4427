//! NEAT's classic check: can the evolution room solve XOR as the paper's did?
//!
//! In: `experiments/xor.toml` ([`XorStudy`]). Out: an [`XorRecord`] with a row a run, and an
//! [`XorReport`] beside the published numbers.
//! Reference: Stanley & Miikkulainen 2002, §4.1: 100 runs, population 150, fitness
//! (4 − Σ|error|)², sigmoid 1/(1 + e^(−4.9 z)); solved in 32 generations (4 755 evaluations) on
//! average with 2.35 hidden nodes, never later than generation 90, never failing.
//!
//! The genome is an ordinary one of this program: x and y are the two inputs, bias the bias, d is
//! never connected (`start.inputs`), ink is the output. The phenotype is the paper's: every
//! hidden and output node computes the steep unipolar sigmoid, whatever its gene says.

use picloom::evolve::{EvolveConfig, Evolver, Feedback, Judged, Population, Preset, Search};
use picloom::experiment::cells::CellStudy;
use picloom::experiment::cost;
use picloom::experiment::record::Record;
use picloom::experiment::spec::{Spec, SpecError, SpecFile, check_name};
use picloom::experiment::workers::Ask;
use picloom::genome::{Genome, Input, NodeId, Output, Role};
use picloom::math::real;
use picloom::math::refusal::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The study, as its TOML file says it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XorSpec {
    /// Name of the study. Default: xor.
    #[serde(default = "name")]
    pub name: String,
    /// What is asked, in one sentence.
    #[serde(default)]
    pub question: String,
    /// Independent runs, with seeds `seed`, `seed` + 1, ….
    pub runs: u64,
    /// Generations after which a run has failed.
    pub generations: u64,
    /// First seed.
    pub seed: u64,
    /// Slope of the sigmoid; 4.9 in the paper.
    pub slope: f64,
    /// Numbers of evolution, laid over the `neat` preset.
    #[serde(default)]
    pub evolve: toml::Table,
}

fn name() -> String {
    XorSpec::KIND.into()
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
    /// Why it could not be made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// What decides a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct XorCell {
    /// Seed.
    pub seed: u64,
    /// Generations after which it has failed.
    pub generations: u64,
    /// Slope of the sigmoid.
    pub slope: f64,
    /// Numbers of evolution.
    pub evolve: EvolveConfig,
}

/// The record of the check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct XorRecord {
    /// `picloom-xor/1`.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// What is asked.
    pub question: String,
    /// The profile.
    pub profile: String,
    /// Each run, by seed.
    pub runs: Vec<XorRun>,
}

/// Means over the solved runs, beside the published ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
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
}

impl Spec for XorSpec {
    const KIND: &'static str = "xor";

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.name)?;
        let above = self.runs > 0 && self.generations > 0 && self.slope > 0.0;
        let found = format!("{}, {}, {}", self.runs, self.generations, self.slope);
        Refusal::unless(above, "runs, generations, slope", "numbers above 0", found)?;
        self.config().map(|_| ())
    }
}

impl XorSpec {
    /// Its numbers of evolution, laid over the `neat` preset.
    fn config(&self) -> Result<EvolveConfig, Refusal> {
        let problem = |found: String| Refusal::new("evolve", "numbers of evolution", found);
        let evolve =
            EvolveConfig::over_preset(Preset::Neat, self.evolve.clone()).map_err(problem)?;
        evolve.validate().map_err(|e| problem(e.to_string()))?;
        let fits = !evolve.start.colour && evolve.start.inputs == [Input::X, Input::Y, Input::Bias];
        let expected = "colour = false, inputs = [\"x\", \"y\", \"bias\"]";
        let found = format!("{}, {:?}", evolve.start.colour, evolve.start.inputs);
        Refusal::unless(fits, "evolve.start", expected, found)?;
        Ok(evolve)
    }
}

/// The check in one profile.
#[derive(Clone, Debug)]
pub struct XorStudy {
    /// What the spec says.
    pub spec: XorSpec,
    /// The profile.
    pub profile: String,
    /// Numbers of evolution.
    pub evolve: EvolveConfig,
}

impl XorStudy {
    /// Reads the spec at `path` in a profile; `None` is `standard`.
    ///
    /// # Errors
    /// Not readable, of another kind, no such profile, unknown keys, impossible values.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub fn of(file: &SpecFile<'_>, profile: Option<&str>) -> Result<Self, SpecError> {
        let (spec, profile): (XorSpec, String) = file.spec(profile)?;
        let path = file.path();
        let evolve = spec.config().map_err(|problem| problem.in_file(path))?;
        Ok(XorStudy { spec, profile, evolve })
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
pub fn run_once(spec: &XorCell) -> XorRun {
    let seed = spec.seed;
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
                error: None,
            };
        }
        evaluations += judged.len() as u64;
        let told = judged
            .into_iter()
            .map(|(fitness, _)| Judged { fitness, ..Judged::default() })
            .collect();
        search.tell(Feedback::Judged(told)).expect("finite fitness");
    }
    XorRun { seed, generations: None, evaluations, hidden: None, links: None, error: None }
}

impl CellStudy for XorStudy {
    type Cell = XorCell;
    type Outcome = XorRun;
    type Record = XorRecord;

    const CELLS: &'static str = "runs";

    fn name(&self) -> &str {
        &self.spec.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.spec.runs as usize
    }

    fn cell(&self, number: usize) -> Cow<'_, XorCell> {
        let XorSpec { generations, slope, seed, .. } = self.spec;
        let seed = seed + number as u64;
        Cow::Owned(XorCell { seed, generations, slope, evolve: self.evolve.clone() })
    }

    fn label(&self, cell: &XorCell) -> String {
        format!("seed {}", cell.seed)
    }

    fn cost(&self, cell: &XorCell) -> f64 {
        cost::search(cell.generations, cell.evolve.reproduction.population, 4)
    }

    fn compute(&self, cell: &XorCell, _: &Path, ask: Ask<'_>) -> Result<Option<XorRun>, String> {
        Ok(ask.going_on().then(|| run_once(cell)))
    }

    fn record(&self, outcomes: Vec<Result<XorRun, String>>) -> XorRecord {
        let seeds = self.spec.seed..;
        let none = |seed, error| XorRun {
            seed,
            generations: None,
            evaluations: 0,
            hidden: None,
            links: None,
            error: Some(error),
        };
        let run = |(seed, outcome): (u64, Result<XorRun, String>)| {
            outcome.unwrap_or_else(|error| none(seed, error))
        };
        XorRecord {
            format: XorRecord::FORMAT.into(),
            study: self.spec.name.clone(),
            question: self.spec.question.clone(),
            profile: self.profile.clone(),
            runs: seeds.zip(outcomes).map(run).collect(),
        }
    }
}

impl XorRecord {
    /// Means over the solved runs.
    pub fn report(&self) -> XorReport {
        let solved: Vec<&XorRun> = self.runs.iter().filter(|r| r.generations.is_some()).collect();
        let n = solved.len().max(1) as f64;
        let mean =
            |value: &dyn Fn(&XorRun) -> f64| solved.iter().map(|r| value(r)).sum::<f64>() / n;
        let generations = |r: &XorRun| r.generations.unwrap_or(0) as f64;
        let mean_generations = mean(&generations);
        let squares =
            mean(&|r| (generations(r) - mean_generations) * (generations(r) - mean_generations));
        XorReport {
            solved: solved.len(),
            runs: self.runs.len(),
            mean_generations,
            sd_generations: squares.sqrt(),
            worst_generations: solved.iter().filter_map(|r| r.generations).max().unwrap_or(0),
            mean_evaluations: mean(&|r| r.evaluations as f64),
            mean_hidden: mean(&|r| r.hidden.unwrap_or(0) as f64),
            mean_links: mean(&|r| r.links.unwrap_or(0) as f64),
        }
    }
}

impl Record for XorRecord {
    const FORMAT: &'static str = "picloom-xor/1";

    const LISTS: &'static [&'static str] = &["runs"];

    const COLUMNS: &'static [(&'static str, &'static str)] = &[
        ("seed", "Seed of the run."),
        ("generations", "Generations to the solution; empty if there is none."),
        ("evaluations", "Genomes judged."),
        ("hidden", "Hidden nodes of the solution."),
        ("links", "Its enabled links."),
        ("error", "Why there is no result."),
    ];

    fn summary(&self) -> String {
        let report = self.report();
        format!(
            "solved {} of {} runs\nmean over solved runs: {:.1} generations, {:.0} evaluations, {:.2} hidden nodes\npublished (Stanley, Miikkulainen 2002): 32 generations, 4755 evaluations, 2.35 hidden nodes\n",
            report.solved,
            report.runs,
            report.mean_generations,
            report.mean_evaluations,
            report.mean_hidden
        )
    }

    fn findings(&self) -> Value {
        let mut findings = json!(self.report());
        findings["each"] = json!(self.runs);
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picloom::experiment::spec::read_text;
    use picloom::genome::{ConnectionGene, InnovationId, NodeGene, Provenance};
    use picloom::math::Activation;

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
        let error = |text: &str| {
            let read = read_text::<XorSpec>(Path::new("x.toml"), text, None);
            read.unwrap_err().to_string()
        };
        assert!(error(text).contains("x.toml: evolve.start: expected"), "{}", error(text));
        assert!(error(&format!("{text}sloppe = 1\n")).contains("sloppe"));
    }
}
