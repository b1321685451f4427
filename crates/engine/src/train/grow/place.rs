//! Where a link or a unit can go, and what the gradient promises of it.
//!
//! M (U, U): `M[i][j] = Σ_p δ_i(p) a_j(p)`, the gradient of the loss by the weight of a link from unit j to unit i, whether
//! it is there or not. One pass of the kernel gives all of M for j before i in topological order.

use crate::base::SimRng;
use crate::genome::{ConnectionGene, Genome, InnovationId, NodeGene, NodeId, Role};
use crate::math::Activation;
use crate::network::kernel::Objective;
use crate::network::{Link, Mask, Network, PixelInputs, Unit, compile, unit_nodes};
use serde::{Deserialize, Serialize};

/// Incoming links of a new unit (k').
pub const SOURCES: usize = 2;
/// Outgoing links of a new unit at most (k).
pub const TARGETS: usize = 2;
/// Incoming weights of a drawn unit lie within ± this: Picbreeder's range of weights.
const WIDEST: f64 = 3.0;

/// What a stage adds, but for its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Kind {
    /// The first network.
    Start,
    /// One link.
    Link,
    /// A unit with its links.
    Unit {
        /// What it computes.
        activation: Activation,
        /// Its outgoing links; its incoming ones are [`SOURCES`].
        targets: usize,
    },
}

impl Kind {
    /// Links that it adds to a network.
    pub fn links(self) -> usize {
        match self {
            Kind::Start => super::FIRST_LINKS,
            Kind::Link => 1,
            Kind::Unit { targets, .. } => SOURCES + targets,
        }
    }

    /// For people and tables: `link`, `sin`, …: a unit by its activation.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Start => "start",
            Kind::Link => "link",
            Kind::Unit { activation, .. } => activation.name(),
        }
    }
}

/// A link or a unit at its place, with the weights that it begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    /// What it is.
    pub kind: Kind,
    /// Where its incoming links come from, with their weights; of a link its source, of weight 0.
    pub sources: Vec<(NodeId, f64)>,
    /// Where its outgoing links go to, with their weights; of a link its target, of weight 0.
    pub targets: Vec<(NodeId, f64)>,
    /// Norm of the gradient by the weights that begin at 0; 0 where nobody looked.
    pub promise: f64,
}

impl Addition {
    /// The genome with it.
    ///
    /// # Panics
    /// If its place is not in the genome, or closes a cycle.
    pub fn to(&self, genome: &Genome) -> Genome {
        let mut grown = genome.clone();
        let last = genome.connections().map(|c| c.innovation.0).max();
        let mut next = last.map_or(0, |last| last + 1);
        let mut link = |grown: &mut Genome, source, target, weight| {
            let gene = ConnectionGene::new(InnovationId(next), source, target, weight);
            grown.add_connection(gene).expect("the place was looked for in this genome");
            next += 1;
        };
        match self.kind {
            Kind::Unit { activation, .. } => {
                let id = genome.next_node_id();
                let node = NodeGene::new(id, Role::Hidden, activation);
                grown.add_node(node).expect("a new id");
                self.sources.iter().for_each(|&(source, w)| link(&mut grown, source, id, w));
                self.targets.iter().for_each(|&(target, w)| link(&mut grown, id, target, w));
            }
            _ => link(&mut grown, self.sources[0].0, self.targets[0].0, self.targets[0].1),
        }
        grown
    }
}

/// A grown genome with all its pairs of units.
pub struct Places {
    /// Nodes in topological order, inputs first.
    pub nodes: Vec<NodeId>,
    network: Network,
    weights: Vec<f32>,
    /// (U, U): is there a link from j to i?
    linked: Vec<Vec<bool>>,
}

/// A unit with random inputs: activation, and source and weight of each incoming link.
type Drawn = (Activation, [(usize, f64); SOURCES]);

impl Places {
    /// Of a genome whose nodes all reach an output.
    pub fn of(genome: &Genome) -> Self {
        let (network, weights) = compile(genome);
        let units = network.units.len();
        let mut linked = vec![vec![false; units]; units];
        for link in &network.links {
            linked[link.target][link.source] = true;
        }
        Places { nodes: unit_nodes(genome), network, weights: weights.0, linked }
    }

    /// Pairs (source, target) that a link may join: absent, source before target, target no input.
    pub fn absent(&self) -> Vec<(usize, usize)> {
        let pairs =
            (self.network.inputs.len()..self.nodes.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        pairs.filter(|&(j, i)| !self.linked[i][j]).collect()
    }

    /// A place for what is of this kind, drawn uniformly; a unit's incoming weights are drawn too and its outgoing
    /// ones are 0. None if no absent link is left.
    pub fn draw(&self, kind: Kind, rng: &mut SimRng) -> Option<Addition> {
        let (sources, targets) = match kind {
            Kind::Unit { targets, .. } => {
                let targets = distinct(targets, self.network.inputs.len()..self.nodes.len(), rng);
                let first = *targets.iter().min().expect("one or two targets");
                let sources = distinct(SOURCES, 0..first, rng);
                let sources = sources.into_iter().map(|j| (j, rng.uniform_in(-WIDEST, WIDEST)));
                (sources.collect(), targets)
            }
            _ => {
                let (j, i) = *rng.choose(&self.absent())?;
                (vec![(j, 0.0)], vec![i])
            }
        };
        let targets = targets.into_iter().map(|i| (i, 0.0)).collect();
        Some(self.addition(kind, sources, targets, 0.0))
    }

    fn addition(
        &self,
        kind: Kind,
        sources: Vec<(usize, f64)>,
        targets: Vec<(usize, f64)>,
        promise: f64,
    ) -> Addition {
        let named = |list: Vec<(usize, f64)>| {
            let mut list = list;
            list.sort_by_key(|(unit, _)| *unit);
            list.into_iter().map(|(unit, w)| (self.nodes[unit], w)).collect()
        };
        Addition { kind, sources: named(sources), targets: named(targets), promise }
    }

    /// M of every pair, row i before column j (0 for j ≥ i and for inputs i), and the gradient by the weight 0 of a link
    /// from each drawn unit to each unit (0 where it may not go).
    pub fn gradients(
        &self,
        drawn: &[Drawn],
        inputs: &PixelInputs,
        target: &[f32],
    ) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        // Drawn units stand after the last of their sources, which shifts the units behind.
        let units = self.nodes.len();
        let after = |d: &Drawn| d.1.iter().map(|(source, _)| *source).max().expect("two sources");
        let mut order: Vec<(usize, Option<usize>)> = (0..units).map(|u| (u, None)).collect();
        // No drawn unit stands before an input.
        order.extend(drawn.iter().enumerate().map(|(k, d)| (after(d).max(3), Some(k))));
        order.sort_by_key(|&(unit, d)| (unit, d.map_or(0, |d| d + 1)));
        let mut place = vec![0; units];
        for (at, (unit, _)) in order.iter().enumerate().filter(|(_, (_, d))| d.is_none()) {
            place[*unit] = at;
        }
        let mut weight = vec![vec![0.0f32; units]; units];
        for (link, w) in self.network.links.iter().zip(&self.weights) {
            weight[link.target][link.source] = *w;
        }
        let (mut all, mut links, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        // Of each link, whose gradient it is: target, source unit, or drawn unit.
        let mut whose: Vec<Option<(usize, usize, bool)>> = Vec::new();
        for (at, &(unit, d)) in order.iter().enumerate() {
            let first = links.len();
            let mut link = |source: usize, w: f32, of| {
                links.push(Link { source, target: at });
                weights.push(w);
                whose.push(of);
            };
            let activation = match d {
                Some(d) => {
                    let mut sources = drawn[d].1;
                    sources.sort_by_key(|(source, _)| *source);
                    sources.iter().for_each(|&(source, w)| link(place[source], w as f32, None));
                    drawn[d].0
                }
                None => {
                    let before = if unit < self.network.inputs.len() { 0 } else { at };
                    for (source, &(j, d)) in order.iter().enumerate().take(before) {
                        match d {
                            None => link(source, weight[unit][j], Some((unit, j, false))),
                            Some(d) => link(source, 0.0, Some((unit, d, true))),
                        }
                    }
                    self.network.units[unit].activation
                }
            };
            // Every unit but the inputs hears one of the layer before, or none of its own layer.
            let layer = if d.is_none() && unit < self.network.inputs.len() { 0 } else { at };
            all.push(Unit { activation, layer, links: first..links.len() });
        }
        let outputs = self.network.outputs.map(|unit| unit.map(|unit| place[unit]));
        let inputs_of = self.network.inputs.clone();
        let network =
            Network { inputs: inputs_of, units: all, links, outputs, blocks: vec![], arch: None };
        let mask = Mask::all(weights.len());
        let mut gradient = vec![0.0; weights.len()];
        Objective::new(&network, &mask, inputs, target).loss_and_gradient(&weights, &mut gradient);
        let mut m = vec![vec![0.0; units]; units];
        let mut of_drawn = vec![vec![0.0; units]; drawn.len()];
        for (of, g) in whose.into_iter().zip(gradient) {
            match of {
                Some((i, j, false)) => m[i][j] = f64::from(g),
                Some((i, d, true)) => of_drawn[d][i] = f64::from(g),
                None => {}
            }
        }
        (m, of_drawn)
    }

    /// What the gradient proposes: the absent links with the largest gradients, units by GradMax, and the drawn units
    /// with the largest gradients per link. At most `most` links each. `step` is the first step of GradMax's units.
    pub fn proposals(
        &self,
        config: &super::GrowConfig,
        (inputs, target): (&PixelInputs, &[f32]),
        (step, most): (f64, usize),
        rng: &mut SimRng,
    ) -> Vec<Addition> {
        let curved: Vec<Activation> =
            config.unit_activations.iter().copied().filter(|a| !a.is_linear()).collect();
        let drawn: Vec<Drawn> = (0..config.draws)
            .map(|k| {
                let sources = distinct(SOURCES, 0..self.nodes.len() - 1, rng);
                let drawn = [0, 1].map(|s| (sources[s], rng.uniform_in(-WIDEST, WIDEST)));
                (curved[k % curved.len()], drawn)
            })
            .collect();
        let (m, of_drawn) = self.gradients(&drawn, inputs, target);
        let mut found: Vec<Addition> = self
            .absent()
            .into_iter()
            .map(|(j, i)| self.addition(Kind::Link, vec![(j, 0.0)], vec![(i, 0.0)], m[i][j].abs()))
            .collect();
        take_best(&mut found, config.tries);

        let best = (1..=TARGETS).filter_map(|k| grad_max(&m, k));
        let per_link = |place: &GradMax| place.norm / (SOURCES + place.targets.len()) as f64;
        let best = best.max_by(|a, b| per_link(a).total_cmp(&per_link(b)));
        for &activation in &config.unit_activations {
            let slope = activation.derivative(0.0);
            let Some(place) = best.as_ref().filter(|best| best.norm > 0.0) else { break };
            if activation.value(0.0) != 0.0 || slope == 0.0 {
                continue;
            }
            // Down the gradient φ′(0) Mᵀv, whose direction is the right singular vector.
            let sources = place.sources.iter().map(|&(j, u)| (j, -step * slope.signum() * u));
            let kind = Kind::Unit { activation, targets: place.targets.len() };
            let promise = slope.abs() * place.norm;
            found.push(self.addition(kind, sources.collect(), place.targets.clone(), promise));
        }

        let mut units: Vec<Addition> = Vec::new();
        for ((activation, sources), gradient) in drawn.into_iter().zip(of_drawn) {
            let mut targets: Vec<usize> = (self.network.inputs.len()..self.nodes.len()).collect();
            targets.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
            let of = |k: usize| {
                let targets: Vec<_> = targets[..k].iter().map(|&i| (i, 0.0)).collect();
                let norm = targets.iter().map(|&(i, _)| gradient[i].powi(2)).sum::<f64>().sqrt();
                let kind = Kind::Unit { activation, targets: k };
                self.addition(kind, sources.to_vec(), targets, norm)
            };
            // Where it may not go, and where it can do nothing, its gradient is 0.
            let two = targets.get(1).filter(|i| gradient[**i] != 0.0).map(|_| of(2));
            let one = of(1);
            let better = two.filter(|two| per_added(two) > per_added(&one));
            units.push(better.unwrap_or(one));
        }
        units.retain(|unit| unit.promise > 0.0);
        take_best(&mut units, config.tries);
        found.extend(units);
        found.retain(|addition| addition.kind.links() <= most);
        found
    }
}

fn per_added(addition: &Addition) -> f64 {
    addition.promise / addition.kind.links() as f64
}

/// Keeps the `count` that promise most per link; of equals the first.
fn take_best(list: &mut Vec<Addition>, count: usize) {
    list.sort_by(|a, b| per_added(b).total_cmp(&per_added(a)));
    list.truncate(count);
}

/// `count` different numbers of the range, or all of it, as they are drawn.
fn distinct(count: usize, range: std::ops::Range<usize>, rng: &mut SimRng) -> Vec<usize> {
    let mut left: Vec<usize> = range.collect();
    (0..count.min(left.len())).map(|_| left.swap_remove(rng.below(left.len()))).collect()
}

/// GradMax's place for a unit: its links, and the unit vectors u and v of their directions.
#[derive(Clone, Debug, PartialEq)]
pub struct GradMax {
    /// Sources, each with its part of u.
    pub sources: Vec<(usize, f64)>,
    /// Targets, each with its part of v.
    pub targets: Vec<(usize, f64)>,
    /// Norm of Mᵀv on the sources: the largest singular value of M there.
    pub norm: f64,
}

/// The [`SOURCES`] sources and `k` (1 or 2) targets, all sources before all targets, on which the largest singular value
/// of M is largest, with its singular vectors [Evci et al. 2022; sparse: ours]. `m` is (U, U), inputs 0..4.
///
/// O(U² log U + U^k · few): pairs of sources are looked at from the longest columns on, until no further pair can win.
pub fn grad_max(m: &[Vec<f64>], k: usize) -> Option<GradMax> {
    let units = m.len();
    let mut best: Option<GradMax> = None;
    for i in 4..units {
        let others: Vec<Option<usize>> =
            if k == 1 { vec![None] } else { (i + 1..units).map(Some).collect() };
        for other in others {
            // (j, squared length of column j on the targets), longest first.
            let below = |j: usize| (m[i][j], other.map_or(0.0, |other| m[other][j]));
            let mut columns: Vec<(usize, f64)> = (0..i)
                .map(|j| {
                    let (a, b) = below(j);
                    (j, a * a + b * b)
                })
                .collect();
            columns.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (at, &(first, long)) in columns.iter().enumerate() {
                for &(second, short) in &columns[at + 1..] {
                    let bar = best.as_ref().map_or(0.0, |best| best.norm * best.norm);
                    if long + short <= bar {
                        break;
                    }
                    let (norm, v, u) = largest(below(first), below(second));
                    if norm * norm > bar {
                        let targets = [Some((i, v[0])), other.map(|other| (other, v[1]))];
                        let sources = vec![(first, u[0]), (second, u[1])];
                        let targets = targets.into_iter().flatten().collect();
                        best = Some(GradMax { sources, targets, norm });
                    }
                }
            }
        }
    }
    best
}

/// Largest singular value of the 2 × 2 matrix with these columns, its left vector v and right vector u.
fn largest(p: (f64, f64), q: (f64, f64)) -> (f64, [f64; 2], [f64; 2]) {
    // A·Aᵀ = [a c; c b], whose larger eigenvalue is λ.
    let (a, b, c) = (p.0 * p.0 + q.0 * q.0, p.1 * p.1 + q.1 * q.1, p.0 * p.1 + q.0 * q.1);
    let half = 0.5 * (a - b);
    let root = (half * half + c * c).sqrt();
    let lambda = 0.5 * (a + b) + root;
    let mut v = if half >= 0.0 { [half + root, c] } else { [c, root - half] };
    let length = (v[0] * v[0] + v[1] * v[1]).sqrt();
    v = if length > 0.0 { v.map(|x| x / length) } else { [1.0, 0.0] };
    let norm = lambda.max(0.0).sqrt();
    let u = [v[0] * p.0 + v[1] * p.1, v[0] * q.0 + v[1] * q.1];
    let u = if norm > 0.0 { u.map(|x| x / norm) } else { [1.0, 0.0] };
    (norm, v, u)
}
