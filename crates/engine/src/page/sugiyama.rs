//! Where the units of a drawn network stand so that its links cross little and run straight
//! (the method of Sugiyama, Tagawa and Toda 1981: layers, bends where a link passes a layer,
//! barycentres; heights by isotonic regression).

/// Heights of units and bends, in pixels from the top.
pub struct Layout {
    /// Height of each unit (0 for those not shown).
    pub y: Vec<f64>,
    /// For each link, its bends: (layer, height), one for every layer it passes.
    pub bends: Vec<Vec<(usize, f64)>>,
    /// Height of all.
    pub height: f64,
}

/// Lays out the shown units of a layered graph.
///
/// `layer[u]` is the column of unit `u`; `links` are (source, target), each target in a later
/// layer; `unit` and `bend` are the room in pixels a unit and a passing link need for themselves.
pub fn layout(
    layer: &[usize],
    shown: &[bool],
    links: &[(usize, usize)],
    (unit, bend): (f64, f64),
) -> Layout {
    // Nodes: the units, then the bends of each link.
    let mut graph = Graph {
        units: layer.len(),
        layer: layer.to_vec(),
        room: vec![unit; layer.len()],
        before: vec![Vec::new(); layer.len()],
        after: vec![Vec::new(); layer.len()],
        columns: vec![Vec::new(); layer.iter().max().map_or(0, |l| l + 1)],
        y: vec![0.0; layer.len()],
    };
    for (u, &l) in layer.iter().enumerate() {
        if shown[u] {
            graph.columns[l].push(u);
        }
    }
    let mut chains: Vec<Vec<usize>> = Vec::with_capacity(links.len());
    for &(source, target) in links {
        let mut chain = vec![source];
        for l in layer[source] + 1..layer[target] {
            chain.push(graph.node(l, bend));
        }
        chain.push(target);
        for pair in chain.windows(2) {
            graph.after[pair[0]].push(pair[1]);
            graph.before[pair[1]].push(pair[0]);
        }
        chains.push(chain);
    }
    graph.settle();
    let low = graph.extent(f64::INFINITY, |y, room| y - room / 2.0, f64::min);
    let high = graph.extent(f64::NEG_INFINITY, |y, room| y + room / 2.0, f64::max);
    let height = (high - low).max(0.0);
    let (y, of) = (&graph.y, &graph.layer);
    Layout {
        bends: chains
            .iter()
            .map(|chain| chain[1..chain.len() - 1].iter().map(|&v| (of[v], y[v] - low)).collect())
            .collect(),
        y: (0..layer.len()).map(|u| if shown[u] { y[u] - low } else { 0.0 }).collect(),
        height,
    }
}

struct Graph {
    /// Nodes below this are units, the others bends.
    units: usize,
    layer: Vec<usize>,
    room: Vec<f64>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    columns: Vec<Vec<usize>>,
    y: Vec<f64>,
}

impl Graph {
    fn node(&mut self, layer: usize, room: f64) -> usize {
        let v = self.layer.len();
        self.layer.push(layer);
        self.room.push(room);
        self.before.push(Vec::new());
        self.after.push(Vec::new());
        self.y.push(0.0);
        self.columns[layer].push(v);
        v
    }

    /// Orders the columns by sweeps, keeps the order with the fewest crossings, straightens.
    fn settle(&mut self) {
        for c in 0..self.columns.len() {
            self.place(c, |_| (0.0, 1.0));
        }
        let mut best = (self.crossings(), self.columns.clone(), self.y.clone());
        for sweep in 0..24 {
            let forward = sweep % 2 == 0;
            for k in 0..self.columns.len() {
                let c = if forward { k } else { self.columns.len() - 1 - k };
                let mut keyed: Vec<(f64, usize)> = self.columns[c]
                    .iter()
                    .map(|&v| {
                        let near = if forward { &self.before[v] } else { &self.after[v] };
                        (mean(&self.y, near).unwrap_or(self.y[v]), v)
                    })
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                self.columns[c] = keyed.iter().map(|k| k.1).collect();
                self.place(c, |i| (keyed[i].0, 1.0));
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.columns.clone(), self.y.clone());
            }
        }
        (_, self.columns, self.y) = best;
        for sweep in 0..40 {
            for k in 0..self.columns.len() {
                let c = if sweep % 2 == 0 { k } else { self.columns.len() - 1 - k };
                let wanted: Vec<(f64, f64)> =
                    self.columns[c].iter().map(|&v| self.pull(v)).collect();
                self.place(c, |i| wanted[i]);
            }
        }
    }

    /// Mean height of a node's neighbours, and how strongly it is pulled there. A link that passes
    /// layers should run straight: its own bends pull most (Gansner et al. 1993).
    fn pull(&self, v: usize) -> (f64, f64) {
        let bend = |v: usize| v >= self.units;
        let (mut sum, mut total) = (0.0, 0.0);
        for &u in self.before[v].iter().chain(&self.after[v]) {
            let weight = match (bend(v), bend(u)) {
                (false, false) => 1.0,
                (true, true) => 8.0,
                _ => 2.0,
            };
            sum += weight * self.y[u];
            total += weight;
        }
        if total > 0.0 { (sum / total, total) } else { (self.y[v], 0.01) }
    }

    /// Puts a column's nodes, in its order, as near to the heights wanted as their rooms allow:
    /// weighted least squares under y_{i+1} − y_i ≥ (room_i + room_{i+1})/2, by pooling adjacent
    /// violators. `wanted(i)` is (height, weight) of the column's `i`th node.
    fn place(&mut self, column: usize, wanted: impl Fn(usize) -> (f64, f64)) {
        let nodes = &self.columns[column];
        let mut offset = Vec::with_capacity(nodes.len());
        let mut at = 0.0;
        for (i, &v) in nodes.iter().enumerate() {
            if i > 0 {
                at += (self.room[nodes[i - 1]] + self.room[v]) / 2.0;
            }
            offset.push(at);
        }
        // Blocks of (weighted sum, weight, count), each mean at least the one before.
        let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
        for (i, offset) in offset.iter().enumerate() {
            let (height, weight) = wanted(i);
            let mut block = (weight * (height - offset), weight, 1);
            while let Some(&(sum, weight, count)) = blocks.last() {
                if sum / weight <= block.0 / block.1 {
                    break;
                }
                block = (block.0 + sum, block.1 + weight, block.2 + count);
                blocks.pop();
            }
            blocks.push(block);
        }
        let mut i = 0;
        for (sum, weight, count) in blocks {
            for _ in 0..count {
                self.y[nodes[i]] = sum / weight + offset[i];
                i += 1;
            }
        }
    }

    /// Number of pairs of links that cross.
    fn crossings(&self) -> usize {
        let mut rank = vec![0; self.layer.len()];
        for column in &self.columns {
            for (i, &v) in column.iter().enumerate() {
                rank[v] = i;
            }
        }
        let mut crossings = 0;
        for column in &self.columns {
            let mut ends: Vec<usize> = Vec::new();
            for &v in column {
                let mut targets: Vec<usize> = self.after[v].iter().map(|&t| rank[t]).collect();
                targets.sort_unstable();
                for &t in &targets {
                    crossings += ends.iter().filter(|&&e| e > t).count();
                }
                ends.extend(targets);
            }
        }
        crossings
    }

    fn extent(
        &self,
        start: f64,
        edge: impl Fn(f64, f64) -> f64,
        pick: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let all = self.columns.iter().flatten();
        let end = all.fold(start, |a, &v| pick(a, edge(self.y[v], self.room[v])));
        if end.is_finite() { end } else { 0.0 }
    }
}

fn mean(y: &[f64], near: &[usize]) -> Option<f64> {
    (!near.is_empty()).then(|| near.iter().map(|&v| y[v]).sum::<f64>() / near.len() as f64)
}
