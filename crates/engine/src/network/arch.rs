//! Arch strings: `L;act:count,…`, e.g. `12;cache:15,gaussian:4,identity:2,sin:1`; after it `;in:abs(x),y,bias` if it reads
//! other inputs than x, y, d and bias, then `;z:K` if it has K factors.

use super::{DenseBlock, Link, Network, Unit};
use crate::base::refusal::Refusal;
use crate::genome::{Input, Inputs};
use crate::math::Activation;
use std::fmt;
use std::str::FromStr;

/// Shape of a layered network: L hidden layers, each with the same block of units.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch {
    /// Hidden layers, L ≥ 1.
    pub layers: usize,
    /// Units of each activation in every hidden layer, alphabetical, counts ≥ 1.
    pub block: Vec<(Activation, usize)>,
    /// Inputs of a pixel; with factors the bias is among them.
    pub inputs: Inputs,
    /// Inputs beside those: 0 for a network of one picture, 1 to 4 for a conditional one.
    pub factors: usize,
}

/// Weights of the largest network that an arch may name: a gigabyte with its links.
pub const LARGEST_NETWORK: usize = 1 << 25;

impl Arch {
    /// Units in each hidden layer.
    pub fn width(&self) -> usize {
        self.block.iter().map(|(_, n)| n).sum()
    }

    /// The same with so many times the units of each activation, one at least.
    pub fn times(&self, width: f64) -> Arch {
        let times = |n: usize| ((n as f64 * width).round() as usize).max(1);
        Arch { block: self.block.iter().map(|&(a, n)| (a, times(n))).collect(), ..self.clone() }
    }

    /// The same with other inputs.
    ///
    /// # Errors
    /// A conditional network without the bias, which its factors move.
    pub fn reading(self, inputs: Inputs) -> Result<Arch, Refusal> {
        let fits = self.factors == 0 || inputs.contains(&Input::Bias);
        Refusal::unless(fits, "inputs", "bias among them, for there are factors", &inputs)?;
        Ok(Arch { inputs, ..self })
    }

    /// Weights of the dense network: IW + (L − 1)W² + 3W, I = inputs + factors.
    pub fn dense_params(&self) -> usize {
        let w = self.width();
        (self.inputs.len() + self.factors) * w + (self.layers - 1) * w * w + 3 * w
    }

    /// The dense network of this shape: its inputs and factors; linear head h, s, v.
    pub fn network(&self) -> Network {
        let width = self.width();
        let inputs = [&self.inputs, &Input::FACTORS[..self.factors]].concat();
        let mut units: Vec<Unit> = (0..inputs.len())
            .map(|_| Unit { activation: Activation::Identity, layer: 0, links: 0..0 })
            .collect();
        let mut links = Vec::with_capacity(self.dense_params());
        let mut blocks = Vec::with_capacity(self.layers + 1);
        let block: Vec<Activation> =
            self.block.iter().flat_map(|&(a, n)| std::iter::repeat_n(a, n)).collect();
        debug_assert_eq!(block.len(), width);
        let head = [Activation::Identity; 3];
        for layer in 1..=self.layers + 1 {
            let activations: &[Activation] = if layer <= self.layers { &block } else { &head };
            let sources =
                if layer == 1 { 0..inputs.len() } else { units.len() - width..units.len() };
            let targets = units.len()..units.len() + activations.len();
            blocks.push(DenseBlock {
                offset: links.len(),
                sources: sources.clone(),
                targets: targets.clone(),
            });
            for (target, &activation) in targets.zip(activations) {
                let first = links.len();
                links.extend(sources.clone().map(|source| Link { source, target }));
                units.push(Unit { activation, layer, links: first..links.len() });
            }
        }
        let o = units.len() - 3;
        Network {
            inputs,
            units,
            links,
            outputs: [Some(o), Some(o + 1), Some(o + 2)],
            blocks,
            arch: Some(self.clone()),
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", self.layers)?;
        for (i, (activation, count)) in self.block.iter().enumerate() {
            write!(f, "{}{activation}:{count}", if i == 0 { "" } else { "," })?;
        }
        if !self.inputs.is_default() {
            write!(f, ";in:{}", self.inputs)?;
        }
        if self.factors > 0 {
            write!(f, ";z:{}", self.factors)?;
        }
        Ok(())
    }
}

impl FromStr for Arch {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let fail = |problem: String| {
            let expected = "an arch such as \"12;cache:15,gaussian:4\" (layers;activation:count,…, alphabetical)";
            Refusal::new("", expected, format!("{text:?}: {problem}"))
        };
        let (layers, block) = text.split_once(';').ok_or_else(|| fail("no ';'".into()))?;
        let mut parts = block.split(';');
        let block = parts.next().unwrap_or_default();
        let mut end = parts.next();
        let mut inputs = Inputs::default();
        if let Some(own) = end.and_then(|end| end.trim().strip_prefix("in:")) {
            inputs = own.parse().map_err(|e: Refusal| fail(e.to_string()))?;
            end = parts.next();
        }
        let factors = match end {
            None => 0,
            Some(end) => {
                let count = end.trim().strip_prefix("z:").and_then(|n| n.parse().ok());
                let most = Input::FACTORS.len();
                let found = count.filter(|n| (1..=most).contains(n) && parts.next().is_none());
                found.ok_or_else(|| {
                    fail(format!(
                        "expected in:INPUT,… then z:1 to z:{most} after the units, found {end:?}"
                    ))
                })?
            }
        };
        let layers: usize = layers
            .trim()
            .parse()
            .map_err(|_| fail(format!("{layers:?} is no number of layers")))?;
        if !(1..=1000).contains(&layers) {
            return Err(fail(format!("expected 1 to 1000 hidden layers, found {layers}")));
        }
        let mut parsed: Vec<(Activation, usize)> = Vec::new();
        for item in block.split(',') {
            let (name, count) =
                item.split_once(':').ok_or_else(|| fail(format!("{item:?} has no ':'")))?;
            let activation: Activation = name.trim().parse().map_err(|e| fail(format!("{e}")))?;
            let count: usize = count
                .trim()
                .parse()
                .map_err(|_| fail(format!("{count:?} is no number of units")))?;
            if !(1..=4096).contains(&count) {
                return Err(fail(format!("expected 1 to 4096 units, found {count}")));
            }
            if parsed.last().is_some_and(|(last, _)| *last >= activation) {
                return Err(fail(format!("{name} is out of alphabetical order or doubled")));
            }
            parsed.push((activation, count));
        }
        let arch = Arch { layers, block: parsed, inputs: Inputs::default(), factors };
        let arch = arch.reading(inputs).map_err(|e| fail(e.to_string()))?;
        match arch.dense_params() {
            count if count > LARGEST_NETWORK => {
                Err(fail(format!("expected at most {LARGEST_NETWORK} weights, found {count}")))
            }
            _ => Ok(arch),
        }
    }
}

impl serde::Serialize for Arch {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Arch {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_counts_are_the_published_ones() {
        for (text, width, params) in [
            ("12;cache:15,gaussian:4,identity:2,sin:1", 22, 5478),
            ("16;cache:17,gaussian:4,sigmoid:1,sin:1", 23, 8096),
        ] {
            let arch: Arch = text.parse().unwrap();
            assert_eq!((arch.width(), arch.dense_params()), (width, params));
            assert_eq!(arch.network().weight_count(), params);
            assert_eq!(arch.to_string(), text);
        }
    }

    #[test]
    fn factors_are_inputs_after_the_bias() {
        let arch: Arch = "3;sin:5;z:2".parse().unwrap();
        assert_eq!(arch.to_string(), "3;sin:5;z:2");
        let network = arch.network();
        assert_eq!(network.inputs, [&Input::OF_PIXEL[..], &Input::FACTORS[..2]].concat());
        assert_eq!((network.factors(), network.units.len()), (2, 6 + 15 + 3));
        assert_eq!(network.weight_count(), 6 * 5 + 2 * 25 + 3 * 5);
        assert_eq!(network.weight_count(), arch.dense_params());
    }

    #[test]
    fn own_inputs_are_part_of_the_arch_and_the_default_ones_are_not_written() {
        let arch: Arch = "3;sin:5;in:abs(x),bias,sin(-0.5d);z:1".parse().unwrap();
        assert_eq!(arch.to_string(), "3;sin:5;in:abs(x),bias,sin(-0.5d);z:1");
        let network = arch.network();
        let names: Vec<String> = network.inputs.iter().map(Input::to_string).collect();
        assert_eq!((names.join(" ").as_str(), network.factors()), ("abs(x) bias sin(-0.5d) z1", 1));
        assert_eq!(network.weight_count(), 4 * 5 + 2 * 25 + 3 * 5);
        assert_eq!(network.weight_count(), arch.dense_params());
        assert_eq!("3;sin:5;in:x,y,d,bias".parse::<Arch>().unwrap().to_string(), "3;sin:5");
    }

    #[test]
    fn wrong_arches_are_refused() {
        for text in [
            "",
            "3",
            "0;sin:1",
            "3;sin:0",
            "3;sine:1",
            "3;sin:1,cache:1",
            "3;sin:1,sin:2",
            "x;sin:1",
            "1000;sin:4096",
            "3;sin:1;z:0",
            "3;sin:1;z:5",
            "3;sin:1;y:2",
            "3;sin:1;z:1;z:1",
            "3;sin:1;in:",
            "3;sin:1;in:abs(q)",
            "3;sin:1;in:x,x",
            "3;sin:1;in:x,z1",
            "3;sin:1;in:x,y;z:1",
            "3;sin:1;z:1;in:x,bias",
            "3;sin:1;in:x;in:y",
        ] {
            assert!(text.parse::<Arch>().is_err(), "{text}");
        }
    }
}
