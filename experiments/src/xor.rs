//! NEAT's classic check: can the evolution room solve XOR as the paper's did?
//!
//! In: `experiments/xor.toml` ([`Xor`]). Out: an `XorRecord` with a row a run, and an
//! [`XorReport`] beside the published numbers.
//! Reference: Stanley & Miikkulainen 2002, §4.1: 100 runs, population 150, fitness
//! (4 − Σ|error|)², sigmoid 1/(1 + e^(−4.9 z)); solved in 32 generations (4 755 evaluations) on
//! average with 2.35 hidden nodes, never later than generation 90, never failing.
//!
//! The genome is an ordinary one of this program: x and y are the two inputs, bias the bias, d is
//! never connected (`start.inputs`), ink is the output. The phenotype is the paper's: every
//! hidden and output node computes the steep unipolar sigmoid, whatever its gene says.

use picloom::base::real;
use picloom::base::refusal::Refusal;
use picloom::evolve::{EvolveConfig, Judged, Population, Preset, Search};
use picloom::experiment::cost;
use picloom::genome::{Genome, Input, NodeId, Output, Role};
use picloom::study::columns;
use picloom::study::grid::{Grid, GridRecord, axis};
use picloom::study::spec::{SpecError, check_cells};
use picloom::study::workers::Ask;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The study, as its TOML file says it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Xor {
    /// Independent runs, with seeds `seed`, `seed` + 1, ….
    #[serde(deserialize_with = "axis::count")]
    pub runs: u64,
    /// Generations after which a run has failed.
    #[serde(deserialize_with = "axis::count")]
    pub generations: u64,
    /// First seed.
    pub seed: u64,
    /// Slope of the sigmoid; 4.9 in the paper.
    #[serde(deserialize_with = "axis::above_zero")]
    pub slope: f64,
    /// Numbers of evolution, laid over the `neat` preset.
    #[serde(default)]
    pub evolve: toml::Table,
}
/// Its record: a row a run, by seed.
pub(crate) type XorRecord = GridRecord<Xor>;

/// All that decides the outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct XorCell {
    /// Seed.
    pub seed: u64,
    /// Generations after which it has failed.
    pub generations: u64,
    /// Slope of the sigmoid.
    pub slope: f64,
    /// Numbers of evolution.
    pub evolve: EvolveConfig,
}

columns! {
    /// Which run.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct XorKey {
        /// Seed of the run.
        pub seed: u64,
    }
}

columns! {
    /// The result of a run.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct XorRun {
        /// Generations judged until the solution, counted from 1; empty if there is none.
        pub generations: Option<u64>,
        /// Genomes judged.
        pub evaluations: u64,
        /// Hidden nodes of the solution.
        pub hidden: Option<usize>,
        /// Enabled links of the solution.
        pub links: Option<usize>,
    }
}

/// Means over the solved runs, beside the published ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct XorReport {
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

impl Xor {
    /// Its numbers of evolution, laid over the `neat` preset.
    ///
    /// # Errors
    /// They are none, or those of another problem.
    pub(crate) fn config(&self) -> Result<EvolveConfig, Refusal> {
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

/// The output of a genome for two inputs, in (0, 1).
pub(crate) fn output(genome: &Genome, slope: f64, x: f64, y: f64) -> f64 {
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
            Role::Input(_) => 0.0,
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
pub(crate) fn judge(genome: &Genome, slope: f64) -> (f64, bool) {
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
pub(crate) fn run_once(spec: &XorCell) -> XorRun {
    let mut search = Search::Target(Population::new(spec.evolve.clone(), spec.seed, &[]));
    let mut evaluations = 0;
    for generation in 1..=spec.generations {
        let judged: Vec<(f64, bool)> = search.ask().iter().map(|g| judge(g, spec.slope)).collect();
        if let Some(first) = judged.iter().position(|(_, solved)| *solved) {
            let genome = &search.ask()[first];
            let hidden = genome.nodes().filter(|n| n.role == Role::Hidden).count();
            return XorRun {
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
        search.tell(told).expect("finite fitness");
    }
    XorRun { generations: None, evaluations, hidden: None, links: None }
}

/// Means over the solved runs of a record.
pub(crate) fn report(record: &XorRecord) -> XorReport {
    let runs = record.rows.iter().filter_map(|row| row.result.as_ref());
    let solved: Vec<&XorRun> = runs.filter(|run| run.generations.is_some()).collect();
    let n = solved.len().max(1) as f64;
    let mean = |value: &dyn Fn(&XorRun) -> f64| solved.iter().map(|r| value(r)).sum::<f64>() / n;
    let generations = |r: &XorRun| r.generations.unwrap_or(0) as f64;
    let mean_generations = mean(&generations);
    let squares =
        mean(&|r| (generations(r) - mean_generations) * (generations(r) - mean_generations));
    XorReport {
        solved: solved.len(),
        runs: record.rows.len(),
        mean_generations,
        sd_generations: squares.sqrt(),
        worst_generations: solved.iter().filter_map(|r| r.generations).max().unwrap_or(0),
        mean_evaluations: mean(&|r| r.evaluations as f64),
        mean_hidden: mean(&|r| r.hidden.unwrap_or(0) as f64),
        mean_links: mean(&|r| r.links.unwrap_or(0) as f64),
    }
}

impl Grid for Xor {
    const KIND: &'static str = "xor";
    const FORMAT: &'static str = "picloom-xor/1";
    const CELLS: &'static str = "runs";
    type Inputs = ();
    type Cell = XorCell;
    type Key = XorKey;
    type Found = XorRun;

    fn check(&self) -> Result<(), Refusal> {
        check_cells("runs", &[(self.runs, "runs")])?;
        self.config().map(|_| ())
    }

    fn inputs(&self, _: &Path) -> Result<(), SpecError> {
        Ok(())
    }

    fn cells(&self, _: &()) -> Vec<XorCell> {
        let (generations, slope) = (self.generations, self.slope);
        let evolve = self.config().expect("verified");
        let seeds = self.seed..self.seed + self.runs;
        seeds.map(|seed| XorCell { seed, generations, slope, evolve: evolve.clone() }).collect()
    }

    fn label(cell: &XorCell) -> String {
        format!("seed {}", cell.seed)
    }

    fn cost(cell: &XorCell) -> f64 {
        cost::search(cell.generations, cell.evolve.reproduction.population, 4)
    }

    fn key(_: &(), cell: &XorCell) -> XorKey {
        XorKey { seed: cell.seed }
    }

    fn compute(_: &(), cell: &XorCell, _: &Path, _: Ask<'_>) -> Result<Option<XorRun>, String> {
        Ok(Some(run_once(cell)))
    }

    fn summary(record: &XorRecord) -> String {
        let report = report(record);
        format!(
            "solved {} of {} runs\nmean over solved runs: {:.1} generations, {:.0} evaluations, {:.2} hidden nodes\npublished (Stanley, Miikkulainen 2002): 32 generations, 4755 evaluations, 2.35 hidden nodes\n",
            report.solved,
            report.runs,
            report.mean_generations,
            report.mean_evaluations,
            report.mean_hidden
        )
    }

    fn findings(record: &XorRecord) -> Value {
        let mut findings = json!(report(record));
        findings["each"] = json!(record.rows);
        findings
    }
}
