//! How the state of a search is written: genomes as their genes, maps as lists of pairs.

use crate::genome::{ConnectionGene, Genome, NodeGene, Palette, Provenance};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize)]
struct Genes<'a> {
    provenance: &'a Provenance,
    #[serde(skip_serializing_if = "Palette::is_free")]
    palette: Palette,
    nodes: Vec<&'a NodeGene>,
    connections: Vec<&'a ConnectionGene>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedGenes {
    provenance: Provenance,
    #[serde(default)]
    palette: Palette,
    nodes: Vec<NodeGene>,
    connections: Vec<ConnectionGene>,
}

impl Serialize for Genome {
    /// Its genes in id order, as in a genome file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Genes {
            provenance: &self.provenance,
            palette: self.palette,
            nodes: self.nodes().collect(),
            connections: self.connections().collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Genome {
    /// Every invariant is checked again.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let genes = OwnedGenes::deserialize(deserializer)?;
        let mut genome = Genome::new(genes.nodes, genes.connections, genes.provenance)
            .map_err(serde::de::Error::custom)?;
        genome.palette = genes.palette;
        Ok(genome)
    }
}

/// A `BTreeMap` as a list of (key, value) in key order.
pub(super) mod pairs {
    use super::*;
    use std::collections::BTreeMap;

    pub(crate) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(crate) fn deserialize<
        'de,
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    >(
        deserializer: D,
    ) -> Result<BTreeMap<K, V>, D::Error> {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
