//! The kernel's program: a network and a mask compiled to stages over rows of a tile.
//!
//! A tile is a run of pixels; a row holds one value for each of its pixels. Rows 0..4 are the inputs, every
//! computed unit has a row, in unit order. Not computed are units from which no kept path leads to
//! an output, and relays: a linear unit with exactly one kept link is an alias of its root (the
//! computed unit or input at the start of the chain), times the product of the chain's weights.
//! Readers of a relay read its root, with that product folded into their weight, so a relay costs
//! nothing per pixel; its gradient follows from the readers' sums (see `prepared`).

use crate::math::Activation;
use crate::math::lanes::LANES;
use crate::network::Network;
use std::collections::BTreeMap;
use std::ops::Range;

/// Vectors that a tile's used part is a multiple of.
pub(super) const STEP: usize = 4;
/// Vectors that the sparse loops hold in registers at once, a multiple of STEP: a row and its
/// gradient take 2 · 12 of the 32, and a sparse program's tile is one piece wide.
pub(super) const PIECE: usize = 12;
/// Rows of a register block of the dense kernels, at most.
pub(super) const BLOCK_ROWS: usize = 6;
/// Sides of a register block of the weight gradient, at most.
pub(super) const OUTER: usize = 4;
/// A layer at least this full runs dense.
const DENSE_FROM: f64 = 0.5;
/// Edges 0..3 are the readings of the three outputs; links follow.
pub(super) const OUTPUTS: usize = 3;

/// Which parts of a network to compute, and how.
pub(super) struct Options<'a> {
    /// Links that exist.
    pub keep: &'a dyn Fn(usize) -> bool,
    /// May the linear unit whose only kept link this is be an alias?
    pub relay: &'a dyn Fn(usize) -> bool,
    /// Compute units that reach no output too.
    pub everything: bool,
    /// Visit every row in the backward pass, for a slope of its own may be added there.
    pub every_row: bool,
}

/// A compiled pass. See the module.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Vectors of 16 pixels in a row of a tile.
    pub stride: usize,
    /// Computed rows, inputs included.
    pub rows: usize,
    /// Rows of the slope buffer: one a nonlinear unit.
    pub slopes: usize,
    /// Row of each unit; relays have their root's, `None` is not computed.
    pub row_of: Vec<Option<usize>>,
    /// True for relays.
    pub is_relay: Vec<bool>,
    /// Relays in topological order.
    pub relays: Vec<Relay>,
    /// In topological order.
    pub stages: Vec<Stage>,
    /// Row and unit each output reads; with no unit it reads 0 · row 0.
    pub outputs: [Output; OUTPUTS],
    /// Sparse edges, those of one unit together.
    pub edges: Vec<Edge>,
    /// Row offset (in blocks) of each edge's source; parallel to `edges`.
    pub edge_at: Vec<u32>,
    /// Where dL/dz of each row, then of the three outputs, stands: a row of a buffer of `places`
    /// rows, which is reused once its last reader is done, so that it stays in the first-level cache.
    pub place: Vec<usize>,
    pub places: usize,
    /// Readers of each row, grouped by row: offset (in blocks) of the reader's place.
    pub back_at: Vec<u32>,
    /// The edge each entry of `back_at` belongs to.
    pub back_edge: Vec<u32>,
    /// The entries of `back_at` that read each input: the first rows.
    pub input_readers: Vec<Range<usize>>,
    /// Floats of packed weights for the dense stages.
    pub panel_floats: usize,
    /// Vectors of the accumulated gradient: dense blocks, then one lane an entry of `back_at`.
    pub slots: usize,
    /// First slot of the entries of `back_at`.
    pub edge_slot: usize,
}

/// A linear unit that is an alias.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relay {
    pub unit: usize,
    pub link: usize,
    pub source: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub row: usize,
    pub unit: Option<usize>,
}

/// A link read by a computed unit of a sparse stage, or (the first three) an output's reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Index of its weight; `usize::MAX` for outputs.
    pub link: usize,
    /// The unit it comes from (perhaps a relay).
    pub source: Option<usize>,
    /// Row of the root.
    pub row: usize,
}

/// One step of the pass.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    Dense(Dense),
    Sparse(Sparse),
}

/// A fully connected layer.
#[derive(Clone, Debug)]
pub(super) struct Dense {
    /// First link.
    pub offset: usize,
    /// First row it reads, and how many.
    pub source: usize,
    pub n_in: usize,
    /// First row it writes, and how many.
    pub target: usize,
    pub n_out: usize,
    /// Where its packed weights begin: forward, then (if the sources want it) backward.
    pub forward: usize,
    pub backward: Option<usize>,
    /// First slot of its gradient.
    pub slot: usize,
    /// Rows of one activation each, linear ones left out.
    pub runs: Vec<Run>,
    /// Readers of its rows outside dense stages.
    pub readers: Vec<Readers>,
}

/// Units that do not read each other, each with a list of edges.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    /// By number of edges, so that loops have the length of the one before.
    pub units: Vec<Single>,
    /// Rows of one activation each, linear ones left out.
    pub runs: Vec<Run>,
    /// Readers of its rows, by their number.
    pub readers: Vec<Readers>,
}

/// A unit of a sparse stage: its row and its range of `Program::edges`.
#[derive(Clone, Debug)]
pub(super) struct Single {
    pub row: usize,
    pub edges: Range<usize>,
}

/// Who reads a row, for the backward pass.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    pub row: usize,
    /// Entries of `back_at`.
    pub back: Range<usize>,
    /// A dense stage has already written what it contributes.
    pub add: bool,
    /// Its slopes, in a sparse stage, if it is not linear.
    pub slope: Option<usize>,
}

impl Readers {
    fn of(row: usize) -> Self {
        Readers { row, back: 0..0, add: false, slope: None }
    }
}

/// Consecutive rows with one nonlinear activation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub activation: Activation,
    pub row: usize,
    pub count: usize,
    pub slope: usize,
}

/// The part of `0..n` that block `b` of `blocks` nearly equal ones covers.
#[inline]
pub(super) fn part(n: usize, blocks: usize, b: usize) -> Range<usize> {
    let (size, larger) = (n / blocks, n % blocks);
    let start = b * size + b.min(larger);
    start..start + size + usize::from(b < larger)
}

impl Program {
    /// Compiles `network` as `options` say.
    pub(super) fn compile(network: &Network, options: &Options) -> Program {
        let (first, units) = (network.inputs.len(), network.units.len());
        let keep = options.keep;
        // Which block a unit is a target of, if it runs dense.
        let mut dense_of: Vec<Option<usize>> = vec![None; units];
        for (b, block) in network.blocks.iter().enumerate() {
            let kept = block.weights().filter(|&i| keep(i)).count();
            if kept as f64 >= DENSE_FROM * block.weights().len() as f64
                && !block.weights().is_empty()
            {
                block.targets.clone().for_each(|u| dense_of[u] = Some(b));
            }
        }
        let mut live = vec![options.everything; units];
        let mut pinned = vec![false; units];
        for u in network.outputs.into_iter().flatten() {
            live[u] = true;
        }
        for u in (first..units).rev() {
            if let Some(b) = dense_of[u] {
                live[u] = true;
                for s in network.blocks[b].sources.clone() {
                    live[s] = true;
                    pinned[s] = true;
                }
            } else if live[u] {
                for i in network.units[u].links.clone().filter(|&i| keep(i)) {
                    live[network.links[i].source] = true;
                }
            }
        }

        let mut row_of: Vec<Option<usize>> = (0..units).map(|u| (u < first).then_some(u)).collect();
        let mut is_relay = vec![false; units];
        let mut relays = Vec::new();
        let mut rows = first;
        for u in first..units {
            if !live[u] {
                continue;
            }
            let unit = &network.units[u];
            let mut kept = unit.links.clone().filter(|&i| keep(i));
            let only = match (kept.next(), kept.next()) {
                (Some(i), None) => Some(i),
                _ => None,
            };
            match only {
                Some(link)
                    if unit.activation.is_linear()
                        && dense_of[u].is_none()
                        && !pinned[u]
                        && (options.relay)(link) =>
                {
                    let source = network.links[link].source;
                    row_of[u] = row_of[source];
                    is_relay[u] = true;
                    relays.push(Relay { unit: u, link, source });
                }
                _ => {
                    row_of[u] = Some(rows);
                    rows += 1;
                }
            }
        }

        let row = |u: usize| row_of[u].expect("what a live unit reads is live");
        let outputs = network.outputs.map(|unit| Output { row: unit.map_or(0, row), unit });
        let mut program = Program {
            stride: 0,
            rows,
            slopes: 0,
            is_relay,
            relays,
            stages: Vec::new(),
            outputs,
            edges: Vec::new(),
            edge_at: Vec::new(),
            place: Vec::new(),
            places: 0,
            back_at: Vec::new(),
            back_edge: Vec::new(),
            input_readers: vec![0..0; first],
            panel_floats: 0,
            slots: 0,
            edge_slot: 0,
            row_of: Vec::new(),
        };
        // With everything computed, stages must stand in order whichever links come to life later.
        program.add_stages(network, &row_of, &dense_of, &|i| options.everything || keep(i));
        program.row_of = row_of;
        program.number_edges(network, keep, options.every_row);
        program
    }

    /// Stages by depth; edges and readers are filled in by `number_edges`.
    fn add_stages(
        &mut self,
        network: &Network,
        row_of: &[Option<usize>],
        dense_of: &[Option<usize>],
        keep: &dyn Fn(usize) -> bool,
    ) {
        // Depth of each computed unit: one more than the deepest it reads.
        let mut depth = vec![0; row_of.len()];
        let mut by_depth: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for u in (network.inputs.len()..row_of.len()).filter(|&u| row_of[u].is_some()) {
            let links = network.units[u].links.clone();
            let read = |i: usize| depth[network.links[i].source];
            depth[u] = match dense_of[u] {
                Some(_) => 1 + links.map(read).max().unwrap_or(0),
                None if self.is_relay[u] => links.filter(|&i| keep(i)).map(read).max().unwrap_or(0),
                None => 1 + links.filter(|&i| keep(i)).map(read).max().unwrap_or(0),
            };
            if !self.is_relay[u] {
                by_depth.entry(depth[u]).or_default().push(u);
            }
        }
        let row = |u: usize| row_of[u].expect("only computed units are listed");
        for units in by_depth.into_values() {
            let (dense, sparse): (Vec<usize>, Vec<usize>) =
                units.into_iter().partition(|&u| dense_of[u].is_some());
            for layer in dense.chunk_by(|&u, &v| dense_of[u] == dense_of[v]) {
                let b = dense_of[layer[0]].expect("partitioned");
                let block = &network.blocks[b];
                assert_eq!(layer.len(), block.targets.len(), "a dense layer is one stage");
                let (n_in, n_out) = (block.sources.len(), block.targets.len());
                let forward = self.panel_floats;
                self.panel_floats += n_in * n_out;
                let backward =
                    (block.sources.start >= network.inputs.len()).then_some(self.panel_floats);
                if backward.is_some() {
                    self.panel_floats += n_in * n_out;
                }
                let stage = Dense {
                    offset: block.offset,
                    source: row(block.sources.start),
                    n_in,
                    target: row(layer[0]),
                    n_out,
                    forward,
                    backward,
                    slot: self.slots,
                    runs: self.runs(network, layer, row_of),
                    readers: layer.iter().map(|&u| Readers::of(row(u))).collect(),
                };
                self.stages.push(Stage::Dense(stage));
                self.slots += n_out.div_ceil(OUTER) * n_in.div_ceil(OUTER);
            }
            if sparse.is_empty() {
                continue;
            }
            let runs = self.runs(network, &sparse, row_of);
            let slope = |row: usize| {
                let run = runs.iter().find(|r| (r.row..r.row + r.count).contains(&row));
                run.map(|r| r.slope + row - r.row)
            };
            let stage = Sparse {
                units: sparse.iter().map(|&u| Single { row: row(u), edges: 0..0 }).collect(),
                readers: sparse
                    .iter()
                    .map(|&u| Readers { slope: slope(row(u)), ..Readers::of(row(u)) })
                    .collect(),
                runs,
            };
            self.stages.push(Stage::Sparse(stage));
        }
        // Tiles: all rows of a tile, their slopes and gradients stay in the second-level cache.
        self.stride = match (self.panel_floats > 0, self.rows) {
            (_, 1200..) => 4,
            (true, _) => 8,
            (false, 400..) => PIECE,
            (false, _) => 2 * PIECE,
        };
    }

    /// The nonlinear ones of `units`, consecutive rows of one activation together.
    fn runs(&mut self, network: &Network, units: &[usize], row_of: &[Option<usize>]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for &u in units {
            let activation = network.units[u].activation;
            let row = row_of[u].expect("only computed units are listed");
            if activation.is_linear() {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.activation == activation && run.row + run.count == row => {
                    run.count += 1;
                }
                _ => runs.push(Run { activation, row, count: 1, slope: self.slopes }),
            }
            self.slopes += 1;
        }
        runs
    }

    /// Numbers the sparse edges and lists every row's readers.
    fn number_edges(&mut self, network: &Network, keep: &dyn Fn(usize) -> bool, all: bool) {
        let inputs = self.input_readers.len();
        let mut unit_of_row = vec![0; self.rows];
        for (u, row) in self.row_of.iter().enumerate() {
            if let (Some(row), false) = (row, self.is_relay[u]) {
                unit_of_row[*row] = u;
            }
        }
        let mut edges: Vec<Edge> = self
            .outputs
            .iter()
            .map(|o| Edge { link: usize::MAX, source: o.unit, row: o.row })
            .collect();
        // (root row, reader's row, edge)
        let mut reads: Vec<(usize, usize, usize)> = self
            .outputs
            .iter()
            .enumerate()
            .filter(|(_, o)| o.unit.is_some())
            .map(|(o, output)| (output.row, self.rows + o, o))
            .collect();
        let mut dense_fed = vec![false; self.rows];
        for stage in self.stages.iter_mut().rev() {
            match stage {
                Stage::Sparse(stage) => {
                    let kept = |row: usize| {
                        let links = network.units[unit_of_row[row]].links.clone();
                        links.filter(|&i| keep(i))
                    };
                    stage.units.sort_by_key(|unit| kept(unit.row).count());
                    for unit in &mut stage.units {
                        let first = edges.len();
                        for i in kept(unit.row) {
                            let source = network.links[i].source;
                            let row = self.row_of[source].expect("a live unit's sources are live");
                            reads.push((row, unit.row, edges.len()));
                            edges.push(Edge { link: i, source: Some(source), row });
                        }
                        unit.edges = first..edges.len();
                    }
                }
                Stage::Dense(stage) => {
                    dense_fed[stage.source..stage.source + stage.n_in].fill(true);
                }
            }
        }
        self.assign_places(&reads);

        // Readers of one row together, rows in the order in which the backward pass comes to them.
        let mut of_row: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.rows];
        for &(row, reader, edge) in &reads {
            of_row[row].push((reader, edge));
        }
        let count: Vec<usize> = of_row.iter().map(Vec::len).collect();
        let mut list = |row: usize| {
            of_row[row].sort_unstable();
            let first = self.back_at.len();
            for &(reader, edge) in &of_row[row] {
                self.back_at.push((self.place[reader] * self.stride) as u32);
                self.back_edge.push(edge as u32);
            }
            first..self.back_at.len()
        };
        for stage in self.stages.iter_mut().rev() {
            let (Stage::Sparse(Sparse { readers, .. }) | Stage::Dense(Dense { readers, .. })) =
                stage;
            readers.sort_by_key(|r| count[r.row]);
            for r in readers.iter_mut() {
                r.back = list(r.row);
                r.add = dense_fed[r.row];
            }
            readers.retain(|r| all || !r.add || !r.back.is_empty() || r.slope.is_some());
        }
        self.input_readers = (0..inputs).map(list).collect();
        self.edge_at = edges.iter().map(|e| (e.row * self.stride) as u32).collect();
        self.edge_slot = self.slots;
        self.slots += self.back_at.len().div_ceil(LANES);
        self.edges = edges;
        self.check();
    }

    /// Gives every row and output its place. `reads` are (row, reader's row, edge).
    fn assign_places(&mut self, reads: &[(usize, usize, usize)]) {
        const NONE: usize = usize::MAX;
        let inputs = self.input_readers.len();
        // The stage after which a row's place is free, in the backward order.
        let mut stage_of = vec![NONE; self.rows];
        for (s, stage) in self.stages.iter().enumerate() {
            match stage {
                Stage::Sparse(stage) => stage.units.iter().for_each(|u| stage_of[u.row] = s),
                Stage::Dense(d) => stage_of[d.target..d.target + d.n_out].fill(s),
            }
        }
        let mut last = stage_of.clone();
        last.resize(self.rows + OUTPUTS, self.stages.len());
        for &(row, reader, _) in reads {
            // The inputs come after all stages.
            last[reader] = last[reader].min(if row < inputs { 0 } else { stage_of[row] });
        }
        let mut free_after: Vec<Vec<usize>> = vec![Vec::new(); self.stages.len() + 1];
        let mut place = vec![NONE; self.rows + OUTPUTS];
        let mut taken: Vec<bool> = vec![true; OUTPUTS];
        // First fit of consecutive places.
        let take = |rows: Range<usize>, place: &mut [usize], taken: &mut Vec<bool>| {
            if place[rows.start] != NONE {
                return;
            }
            let mut first = 0;
            while taken[first..].iter().take(rows.len()).any(|&t| t) {
                first += 1;
            }
            taken.resize(taken.len().max(first + rows.len()), false);
            taken[first..first + rows.len()].fill(true);
            for (i, row) in rows.enumerate() {
                place[row] = first + i;
            }
        };
        for o in 0..OUTPUTS {
            place[self.rows + o] = o;
            free_after[last[self.rows + o]].push(self.rows + o);
        }
        for (s, stage) in self.stages.iter().enumerate().rev() {
            match stage {
                Stage::Sparse(stage) => {
                    for unit in &stage.units {
                        take(unit.row..unit.row + 1, &mut place, &mut taken);
                        free_after[last[unit.row]].push(unit.row);
                    }
                }
                Stage::Dense(d) => {
                    let targets = d.target..d.target + d.n_out;
                    take(targets.clone(), &mut place, &mut taken);
                    if d.backward.is_some() {
                        take(d.source..d.source + d.n_in, &mut place, &mut taken);
                    }
                    for row in targets {
                        free_after[last[row]].push(row);
                    }
                }
            }
            for row in free_after[s].drain(..) {
                taken[place[row]] = false;
            }
        }
        place[..inputs].fill(0);
        self.places = taken.len();
        self.place = place;
    }

    /// Asserts what the tile loops rely on instead of checking every index: edges come from earlier
    /// rows, and a row's readers have other places than the row itself.
    fn check(&self) {
        let before = |edges: &Range<usize>, row: usize| {
            self.edge_at[edges.clone()].iter().all(|&at| (at as usize) < row * self.stride)
        };
        let elsewhere = |r: &Readers| {
            self.back_at[r.back.clone()].iter().all(|&at| {
                let at = at as usize;
                at != self.place[r.row] * self.stride && at < self.places * self.stride
            })
        };
        let aligned = |at: &u32| (*at as usize).is_multiple_of(self.stride);
        let stages = self.stages.iter().all(|stage| match stage {
            Stage::Sparse(s) => {
                s.units.iter().all(|u| before(&u.edges, u.row) && u.row < self.rows)
                    && s.readers.iter().all(elsewhere)
            }
            Stage::Dense(s) => {
                s.source + s.n_in <= s.target
                    && s.target + s.n_out <= self.rows
                    && s.readers.iter().all(elsewhere)
            }
        });
        let ordered = stages
            && before(&(0..OUTPUTS), self.rows)
            && self.input_readers.iter().all(|back| {
                self.back_at[back.clone()]
                    .iter()
                    .all(|&at| (at as usize) < self.places * self.stride)
            })
            && self.place.iter().all(|&p| p < self.places)
            && self.edge_at.iter().all(aligned)
            && self.back_at.iter().all(aligned);
        assert!(ordered, "units of a network are in topological order");
    }

    /// The most entries of `back_at` in one stage, or at the inputs.
    pub(super) fn widest(&self) -> usize {
        let of_stages = self.stages.iter().map(|stage| {
            let (Stage::Sparse(Sparse { readers, .. }) | Stage::Dense(Dense { readers, .. })) =
                stage;
            readers.iter().map(|r| r.back.len()).sum()
        });
        let of_inputs = self.input_readers.iter().map(|r| r.len()).sum();
        of_stages.max().unwrap_or(0).max(of_inputs)
    }

    /// Pixels of a full tile, T.
    pub(super) fn tile_pixels(&self) -> usize {
        self.stride * LANES
    }
}
