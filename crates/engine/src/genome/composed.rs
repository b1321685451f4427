//! Genomes assembled from parts: networks whose organisation is known, to test measures of organisation with.
//!
//! Each part is a small subnetwork that draws a mask, and one expression puts the parts together. Every node and
//! connection carries the name of its part as its label; those that put parts together are labelled `compose`.
//!
//! | name | parts | put together by |
//! |---|---|---|
//! | `face` | head, eyes (one subnetwork on \|x\|), mouth, hat | maximum: a + relu(b − a) |
//! | `scene` | sky, sun, hill, house | products, as sums of cosines: sin a · sin b = (cos(a − b) − cos(a + b))/2 |
//! | `pattern` | columns on \|x\|, rows on \|y\|, ring | sum |
//!
//! The seed moves, stretches and colours the parts. A conditional one has two factors: z1 and z2 move two of its parts
//! (of `pattern` z2 changes the hue), by links that carry the part's name. `[ours]`

use super::{
    ConnectionGene, Genome, InnovationId, Input, NodeGene, NodeId, Output, Provenance, Role,
};
use crate::base::SimRng;
use crate::base::names::names;
use crate::math::Activation;
use std::f64::consts::FRAC_PI_4;

/// A kind of picture that is assembled from parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// A face with a hat; the brightest part wins.
    Face,
    /// A hill, a sun and a house before a sky; what is in front hides what is behind.
    Scene,
    /// Stripes both ways and a ring, added up.
    Pattern,
}

names! { Composed, "composed picture": Face "face", Scene "scene", Pattern "pattern" }

/// The label of what puts parts together.
pub(crate) const COMPOSE: &str = "compose";

/// A sum of weighted nodes.
type Sum = Vec<(NodeId, f64)>;

impl Composed {
    /// A picture of this kind; `seed` decides places, sizes and colours.
    ///
    /// ```
    /// use picloom_engine::genome::Composed;
    ///
    /// let face = Composed::Face.genome(1);
    /// assert!(face.nodes().any(|node| node.labels == ["eyes"]));
    /// assert_ne!(face, Composed::Face.genome(2));
    /// ```
    pub fn genome(self, seed: u64) -> Genome {
        self.with_factors(seed, 0)
    }

    /// The same with the factors z1 and z2; at 0 it draws what [`genome`](Self::genome) draws.
    ///
    /// | name | z1 | z2 |
    /// |---|---|---|
    /// | `face` | distance of the eyes | height of the mouth |
    /// | `scene` | height of the sun | place of the house |
    /// | `pattern` | size of the ring | hue |
    pub fn conditional(self, seed: u64) -> Genome {
        self.with_factors(seed, 2)
    }

    fn with_factors(self, seed: u64, factors: usize) -> Genome {
        let mut builder = Builder::new(SimRng::new(seed, self.name(), 0), factors);
        let [hue, saturation, brightness] = match self {
            Composed::Face => builder.face(),
            Composed::Scene => builder.scene(),
            Composed::Pattern => builder.pattern(),
        };
        builder.finish(self.name(), seed, [hue, saturation, brightness])
    }
}

struct Builder {
    rng: SimRng,
    factors: usize,
    nodes: Vec<NodeGene>,
    links: Vec<ConnectionGene>,
}

const OUTPUTS: [Output; 3] = [Output::Hue, Output::Saturation, Output::Brightness];

impl Builder {
    fn new(rng: SimRng, factors: usize) -> Self {
        let inputs = Input::OF_PIXEL
            .into_iter()
            .chain(Input::FACTORS.into_iter().take(factors))
            .map(Role::Input);
        let roles = inputs.chain(OUTPUTS.map(Role::Output));
        let node = |(id, role)| NodeGene::new(NodeId(id), role, Activation::Identity);
        Builder { rng, factors, nodes: (0..).zip(roles).map(node).collect(), links: Vec::new() }
    }

    fn input(input: Input) -> NodeId {
        NodeId(input.place().expect("no function") as u32)
    }

    /// A sum that grows by `by` from a factor's 0 to its 1; the sum itself where there are no factors.
    fn moved(&self, mut of: Sum, factor: Input, by: f64) -> Sum {
        if self.factors > 0 {
            of.push((Self::input(factor), by));
        }
        of
    }

    /// A constant.
    fn constant(value: f64) -> (NodeId, f64) {
        (Self::input(Input::Bias), value)
    }

    /// A hidden node of `part`.
    fn node(&mut self, part: &str, activation: Activation, of: Sum) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let node = NodeGene::new(id, Role::Hidden, activation);
        self.nodes.push(NodeGene { labels: vec![part.into()], ..node });
        self.link(part, of, id);
        id
    }

    /// Links of `part` into a node; several from one node are one.
    fn link(&mut self, part: &str, of: Sum, target: NodeId) {
        let mut sums: Sum = Vec::new();
        for (source, weight) in of {
            match sums.iter_mut().find(|(known, _)| *known == source) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((source, weight)),
            }
        }
        for (source, weight) in sums.into_iter().filter(|(_, weight)| *weight != 0.0) {
            let id = InnovationId(self.links.len() as u64);
            let link = ConnectionGene::new(id, source, target, weight);
            self.links.push(ConnectionGene { labels: vec![part.into()], ..link });
        }
    }

    /// |of|.
    fn absolute(&mut self, part: &str, of: NodeId) -> Sum {
        [1.0, -1.0].map(|sign| (self.node(part, Activation::Relu, vec![(of, sign)]), 1.0)).to_vec()
    }

    /// 1 within `centre` ± `half` of a sum, −1 far from it.
    fn bump(&mut self, part: &str, of: &Sum, centre: f64, half: f64) -> NodeId {
        let mut sum: Sum = of.iter().map(|&(node, weight)| (node, weight / half)).collect();
        sum.push(Self::constant(-centre / half));
        self.node(part, Activation::Gaussian, sum)
    }

    /// A mask in (−1, 1), above 0 on a rounded patch about (x, y).
    fn patch(
        &mut self,
        part: &str,
        across: &Sum,
        down: &Sum,
        [x, y]: [f64; 2],
        [w, h]: [f64; 2],
    ) -> NodeId {
        let bumps = [self.bump(part, across, x, w), self.bump(part, down, y, h)];
        self.node(
            part,
            Activation::Sigmoid,
            vec![(bumps[0], 7.0), (bumps[1], 7.0), Self::constant(-6.0)],
        )
    }

    /// `level` where a mask is 1, 0 where it is −1.
    fn painted(mask: NodeId, level: f64) -> Sum {
        vec![(mask, level / 2.0), Self::constant(level / 2.0)]
    }

    /// The larger of two sums.
    fn larger(&mut self, a: &Sum, b: &Sum) -> Sum {
        let less = a.iter().map(|&(node, weight)| (node, -weight));
        let excess = self.node(COMPOSE, Activation::Relu, b.iter().copied().chain(less).collect());
        a.iter().copied().chain([(excess, 1.0)]).collect()
    }

    /// The product of two masks as shares: 1 where both are 1, 0 where one of them is −1. `signs` of −1 take a mask's
    /// reverse.
    fn both(&mut self, part: &str, masks: [NodeId; 2], signs: [f64; 2]) -> Sum {
        let mut angle = |sign: f64| {
            let sum = vec![
                (masks[0], FRAC_PI_4 * signs[0]),
                (masks[1], sign * FRAC_PI_4 * signs[1]),
                Self::constant(FRAC_PI_4 * (1.0 + sign)),
            ];
            self.node(part, Activation::Cos, sum)
        };
        vec![(angle(-1.0), 0.5), (angle(1.0), -0.5)]
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        self.rng.uniform_in(low, high)
    }

    fn axis(input: Input) -> Sum {
        vec![(Self::input(input), 1.0)]
    }

    fn face(&mut self) -> [Sum; 3] {
        let (across, down) = (Self::axis(Input::X), Self::axis(Input::Y));
        let [x, y] = [self.within(-0.08, 0.08), self.within(-0.05, 0.1)];
        let size = [self.within(0.6, 0.8), self.within(0.75, 0.95)];
        let head = self.patch("head", &across, &down, [x, y], size);
        // One subnetwork draws both eyes.
        let centred =
            self.node("eyes", Activation::Identity, vec![(across[0].0, 1.0), Self::constant(-x)]);
        let fold = self.absolute("eyes", centred);
        let [apart, up, eye] =
            [self.within(0.2, 0.28), self.within(0.12, 0.25), self.within(0.14, 0.2)];
        let fold = self.moved(fold, Input::Z1, -0.08);
        let eyes = self.patch("eyes", &fold, &down, [apart, y - up], [eye, eye]);
        let [low, wide, thick] =
            [self.within(0.28, 0.38), self.within(0.3, 0.42), self.within(0.09, 0.14)];
        let lower = self.moved(down.clone(), Input::Z2, -0.12);
        let mouth = self.patch("mouth", &across, &lower, [x, y + low], [wide, thick]);
        let [brim, tall] = [self.within(0.45, 0.6), self.within(0.2, 0.3)];
        let hat = self.patch("hat", &across, &down, [x, y - 0.72], [brim, tall]);
        let mut bright = Self::painted(head, self.rng.uniform_in(0.4, 0.5));
        for (part, level) in [(hat, 0.65), (mouth, 0.8), (eyes, 1.0)] {
            bright = self.larger(&bright, &Self::painted(part, level));
        }
        let bright = [bright, vec![Self::constant(0.06)]].concat();
        let mut hue = Self::painted(hat, self.rng.uniform_in(0.3, 0.6));
        hue.extend(Self::painted(mouth, -0.1));
        hue.push(Self::constant(self.rng.uniform_in(0.05, 0.15)));
        let saturation = [Self::painted(head, 0.5), Self::painted(eyes, -0.4)].concat();
        [hue, saturation, bright]
    }

    fn scene(&mut self) -> [Sum; 3] {
        let (across, down) = (Self::axis(Input::X), Self::axis(Input::Y));
        let x = across[0].0;
        let [wave, high, ground] =
            [self.within(2.0, 3.5), self.within(0.1, 0.2), self.within(0.2, 0.4)];
        let shift = self.within(-1.5, 1.5);
        let ridge = self.node("hill", Activation::Sin, vec![(x, wave), Self::constant(shift)]);
        let under = vec![(down[0].0, 14.0), (ridge, 14.0 * high), Self::constant(-14.0 * ground)];
        let hill = self.node("hill", Activation::Sigmoid, under);
        let [sun_x, sun_y, radius] =
            [self.within(-0.6, 0.6), self.within(-0.65, -0.35), self.within(0.25, 0.35)];
        let lower = self.moved(down.clone(), Input::Z1, -0.2);
        let sun = self.patch("sun", &across, &lower, [sun_x, sun_y], [radius, radius]);
        let side = if sun_x > 0.0 { -1.0 } else { 1.0 };
        let [house_x, wide, tall] =
            [side * self.within(0.25, 0.5), self.within(0.2, 0.3), self.within(0.3, 0.4)];
        let box_of = |builder: &mut Self, of: &Sum, centre: f64, half: f64| {
            let bump = builder.bump("house", of, centre, half);
            builder.node("house", Activation::Sigmoid, vec![(bump, 14.0), Self::constant(-3.0)])
        };
        let beside = self.moved(across.clone(), Input::Z2, -0.2);
        let walls =
            [box_of(self, &beside, house_x, wide), box_of(self, &down, ground + 0.15, tall)];
        let house = self.both("house", walls, [1.0, 1.0]);
        // As a mask again, to put it before the rest.
        let doubled = house.iter().map(|&(node, weight)| (node, 2.0 * weight));
        let house = doubled.chain([Self::constant(-1.0)]).collect();
        let house = self.node("house", Activation::Identity, house);
        let glow = self.within(0.2, 0.35);
        let sky =
            self.node("sky", Activation::Identity, vec![(down[0].0, glow), Self::constant(0.2)]);
        // Sky and sun above the hill, hill beside the house, house.
        let above = self.both(COMPOSE, [sun, hill], [1.0, -1.0]);
        let clear = self.both(COMPOSE, [sky, hill], [1.0, -1.0]);
        let beside = self.both(COMPOSE, [hill, house], [1.0, -1.0]);
        let scaled =
            |sum: &Sum, level: f64| -> Sum { sum.iter().map(|&(n, w)| (n, w * level)).collect() };
        let green = self.within(0.3, 0.45);
        let [dark, light] = [self.within(0.3, 0.45), self.within(0.8, 0.95)];
        let bright = [
            scaled(&clear, 0.55),
            scaled(&above, 0.4),
            scaled(&beside, dark),
            Self::painted(house, light - 0.2),
        ];
        let hue = [
            vec![Self::constant(0.6)],
            scaled(&beside, green - 0.6),
            Self::painted(house, -0.55),
            scaled(&above, -0.45),
        ];
        let saturation = [vec![Self::constant(0.45)], scaled(&above, 0.4)];
        [hue.concat(), saturation.concat(), bright.concat()]
    }

    fn pattern(&mut self) -> [Sum; 3] {
        let (x, y, d) = (Self::input(Input::X), Self::input(Input::Y), Self::input(Input::D));
        let [columns, rows] = [("columns", x), ("rows", y)].map(|(part, axis)| {
            let fold = self.absolute(part, axis);
            let [often, shift] = [self.within(5.0, 9.0), self.within(0.0, 3.0)];
            let mut wave: Sum = fold.iter().map(|&(node, weight)| (node, often * weight)).collect();
            wave.push(Self::constant(shift));
            let wave = self.node(part, Activation::Sin, wave);
            self.node(part, Activation::Sigmoid, vec![(wave, 6.0)])
        });
        let [radius, width] = [self.within(0.5, 0.8), self.within(0.15, 0.25)];
        let grown = self.moved(vec![(d, 1.0)], Input::Z1, -0.2);
        let ring = self.bump("ring", &grown, radius, width);
        let [tint, strength] = [self.within(0.2, 0.5), self.within(0.3, 0.45)];
        let bright =
            [Self::painted(columns, 0.3), Self::painted(rows, 0.3), Self::painted(ring, 0.35)];
        let tint = self.moved(vec![Self::constant(tint)], Input::Z2, 0.15);
        let hue = [tint, Self::painted(columns, 0.25)];
        [hue.concat(), Self::painted(ring, strength), bright.concat()]
    }

    fn finish(mut self, name: &str, seed: u64, outputs: [Sum; 3]) -> Genome {
        for (k, sum) in outputs.into_iter().enumerate() {
            self.link(COMPOSE, sum, NodeId((Input::OF_PIXEL.len() + self.factors + k) as u32));
        }
        let provenance = Provenance {
            name: format!("{name}-{seed}"),
            made_by: match self.factors {
                0 => "picloom genome compose".into(),
                _ => "picloom genome compose --conditional".into(),
            },
            seed: Some(seed),
            ..Provenance::default()
        };
        Genome::new(self.nodes, self.links, provenance).expect("assembled without cycles")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_a_valid_genome_with_all_its_parts_labelled() {
        for &kind in Composed::ALL {
            for seed in 0..20 {
                let genome = kind.genome(seed);
                assert!(genome.connections().all(|link| link.labels.len() == 1));
                let parts: std::collections::BTreeSet<&String> =
                    genome.nodes().flat_map(|node| &node.labels).collect();
                assert!(parts.len() >= 3, "{kind}: {parts:?}");
                assert_eq!(genome, kind.genome(seed));
                let conditional = kind.conditional(seed);
                assert_eq!((genome.factors(), conditional.factors()), (0, 2));
                assert_eq!(conditional.connections().len(), {
                    let of_factors = |link: &&ConnectionGene| (4..6).contains(&link.source.0);
                    genome.connections().len()
                        + conditional.connections().filter(of_factors).count()
                });
            }
        }
    }
}
