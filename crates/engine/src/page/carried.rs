//! A trained network as a text of its own: what a link or a site carries.

use crate::base::refusal::Refusal;
use crate::genome::{Genome, from_json, to_json};
use crate::network::{Arch, Coords, Model, Weights, Wiring};
use serde::{Deserialize, Serialize};

/// Most links of a network that a page draws and trains.
const MOST_LINKS: usize = 1 << 16;
/// Most nodes of a genome.
const MOST_NODES: usize = 4096;

fn refused<T>(at: &str, expected: impl Into<String>, found: impl ToString) -> Result<T, Refusal> {
    Err(Refusal::new(at, expected, found.to_string()))
}

/// A trained network as text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedNetwork {
    /// `CarriedNetwork::FORMAT`.
    pub format: String,
    /// Its name, for people.
    pub name: String,
    /// Id of the picture that it learned; empty: one of the visitor's own.
    #[serde(default)]
    pub target: String,
    /// Layers and activations. `None` if the network is the graph of `genome`.
    #[serde(default)]
    pub arch: Option<String>,
    /// The genome whose graph was trained, as JSON.
    #[serde(default)]
    pub genome: Option<String>,
    /// Coordinate convention.
    pub coords: Coords,
    /// Pixels along the picture that it learned, 8 to 256.
    pub size: usize,
    /// R² of its picture. `None` if it is not known.
    #[serde(default)]
    pub r2: Option<f64>,
    /// Weights: the bits of each as eight hexadecimal digits.
    pub weights: String,
}

impl CarriedNetwork {
    /// The name and version of the text's format.
    pub(crate) const FORMAT: &str = "picloom-network/1";

    /// Whether a text says that it is one.
    pub fn is_one(text: &str) -> bool {
        text.contains(Self::FORMAT)
    }

    /// A model without a name, a target or an R², at 128 pixels. A graph is kept with its genome.
    pub fn of(model: &Model, genome: Option<&Genome>) -> Self {
        let arch = model.network.arch.as_ref().map(ToString::to_string);
        let weights = model.weights.0.iter().map(|w| format!("{:08x}", w.to_bits()));
        CarriedNetwork {
            format: Self::FORMAT.into(),
            name: String::new(),
            target: String::new(),
            genome: genome.filter(|_| arch.is_none()).map(to_json),
            arch,
            coords: Coords::Fer,
            size: 128,
            r2: None,
            weights: weights.collect(),
        }
    }

    /// Reads one.
    ///
    /// # Errors
    /// It is no such document, or its network cannot be shown.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let read: Self = serde_json::from_str(text)
            .map_err(|e| Refusal::other_text(format!("a {} document", Self::FORMAT), e))?;
        read.model().map(|_| read)
    }

    /// The network, and its genome where it is a graph.
    ///
    /// # Errors
    /// It has no wiring or two, too many links, or weights that are no finite numbers.
    pub fn model(&self) -> Result<(Model, Option<Genome>), Refusal> {
        let (network, genome) = match (&self.arch, &self.genome) {
            (Some(arch), None) => {
                let arch: Arch = arch.parse().map_err(|e: Refusal| e.within("arch"))?;
                drawable(arch.dense_params())?;
                (arch.network(), None)
            }
            (None, Some(text)) => {
                let genome = carried_genome(text)?;
                (Model::of_genome(&genome, Wiring::Graph).network, Some(genome))
            }
            _ => return refused("", "an arch or a genome", "both or none"),
        };
        let links = network.weight_count();
        let digits = self.weights.as_bytes();
        if digits.len() != 8 * links {
            let expected = format!("{} digits for {links} links", 8 * links);
            return refused("weights", expected, digits.len());
        }
        let weight = |eight: &[u8]| {
            let text = std::str::from_utf8(eight).ok();
            text.and_then(|text| u32::from_str_radix(text, 16).ok()).map(f32::from_bits)
        };
        let Some(weights) = digits.chunks_exact(8).map(weight).collect::<Option<Vec<f32>>>() else {
            return refused("weights", "hexadecimal digits", "other text");
        };
        if let Some(i) = weights.iter().position(|w| !w.is_finite()) {
            let found = format!("{} at link {i}", weights[i]);
            return refused("weights", "finite numbers", found);
        }
        if !(8..=256).contains(&self.size) {
            return refused("size", "8 to 256 pixels", self.size);
        }
        Ok((Model::new(network, Weights(weights)), genome))
    }
}

/// A genome of at most so many nodes and links as a page can show.
///
/// # Errors
/// It is none, or larger.
pub fn carried_genome(text: &str) -> Result<Genome, Refusal> {
    let genome = from_json(text)?;
    let (nodes, links) = (genome.nodes().len(), genome.connections().len());
    if nodes > MOST_NODES || links > MOST_LINKS {
        let expected = format!("a genome of at most {MOST_NODES} nodes and {MOST_LINKS} links");
        let refusal = Refusal::new("", expected, format!("{nodes} and {links}"));
        return Err(refusal.advising("draw it with the command picloom"));
    }
    Ok(genome)
}

/// Refuses a network of more links than a page can show.
///
/// # Errors
/// It has more.
pub fn drawable(links: usize) -> Result<(), Refusal> {
    let expected = format!("a network of at most {MOST_LINKS} links");
    Refusal::unless(links <= MOST_LINKS, "", expected, links)
        .map_err(|refusal| refusal.advising("take the genome as it was evolved"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_comes_back_with_its_bits_and_a_damaged_one_is_refused_in_words() {
        let network = "2;identity:1,sin:2".parse::<Arch>().unwrap().network();
        let links = network.weight_count();
        let weights = (0..links).map(|i| i as f32 / 7.0 - 1.0).collect();
        let model = Model::new(network, Weights(weights));
        let carried = CarriedNetwork { size: 64, ..CarriedNetwork::of(&model, None) };
        let text = serde_json::to_string(&carried).unwrap();
        assert!(CarriedNetwork::is_one(&text));
        let (back, genome) = CarriedNetwork::read(&text).unwrap().model().unwrap();
        assert_eq!((back.weights.0, genome.is_none()), (model.weights.0, true));
        for (change, said) in [
            (CarriedNetwork { size: 4, ..carried.clone() }, "size: expected 8 to 256"),
            (CarriedNetwork { arch: None, ..carried.clone() }, "an arch or a genome"),
            (CarriedNetwork { arch: Some("9;sin:500".into()), ..carried.clone() }, "at most 65536"),
            (CarriedNetwork { weights: "7f800000".repeat(links), ..carried.clone() }, "finite"),
            (CarriedNetwork { weights: "7f80".into(), ..carried.clone() }, "digits for"),
            (
                CarriedNetwork { weights: carried.weights.replace('0', "x"), ..carried },
                "other text",
            ),
        ] {
            let error = change.model().unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
