//! Compatibility distance δ = c1·E/N + c2·D/N + c3·W̄ between two genomes.
//!
//! Reference: Stanley & Miikkulainen 2002, equation 1. It does not look at activations.

use super::SpeciesConfig;
use crate::genome::Genome;

/// How the genes of two genomes line up by innovation number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Genes in both.
    pub matching: usize,
    /// Genes in one, with a number within the other's range.
    pub disjoint: usize,
    /// Genes in one, with a number beyond the other's range.
    pub excess: usize,
    /// Sum over matching genes of |w − w'|.
    pub weight_difference: f64,
}

/// Lines up the link genes (disabled ones too) of `a` and `b`. Symmetric.
pub fn align(a: &Genome, b: &Genome) -> Alignment {
    let mut result = Alignment { matching: 0, disjoint: 0, excess: 0, weight_difference: 0.0 };
    let last = |g: &Genome| g.connections().next_back().map(|c| c.innovation);
    let common_end = last(a).min(last(b));
    let (mut left, mut right) = (a.connections().peekable(), b.connections().peekable());
    loop {
        let alone = match (left.peek(), right.peek()) {
            (None, None) => return result,
            (Some(x), Some(y)) if x.innovation == y.innovation => {
                result.matching += 1;
                result.weight_difference += (x.weight - y.weight).abs();
                left.next();
                right.next();
                continue;
            }
            (Some(x), Some(y)) if x.innovation > y.innovation => right.next(),
            (None, Some(_)) => right.next(),
            _ => left.next(),
        };
        if alone.map(|c| c.innovation) > common_end {
            result.excess += 1;
        } else {
            result.disjoint += 1;
        }
    }
}

/// δ = c1·E/N + c2·D/N + c3·W̄, ≥ 0; N = genes of the larger genome, 1 if both have fewer than
/// `small`; W̄ = mean weight difference of matching genes (0 if there are none).
pub fn compatibility_distance(a: &Genome, b: &Genome, config: &SpeciesConfig) -> f64 {
    let aligned = align(a, b);
    let larger = a.connections().len().max(b.connections().len());
    let n = if larger < config.small { 1.0 } else { larger as f64 };
    let mean = if aligned.matching == 0 {
        0.0
    } else {
        aligned.weight_difference / aligned.matching as f64
    };
    (config.excess * aligned.excess as f64 + config.disjoint * aligned.disjoint as f64) / n
        + config.weight * mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::SimRng;
    use crate::evolve::{EvolveConfig, Preset, first_genome};
    use crate::genome::{ConnectionGene, InnovationId, NodeGene, NodeId, Role};
    use crate::math::Activation;

    /// The first genome of the preset (12 genes) with hidden nodes fed from x by these numbers.
    fn with_links(numbers: &[u64]) -> Genome {
        let config = EvolveConfig::preset(Preset::Neat);
        let mut genome = first_genome(&config, &mut SimRng::new(1, "test", 0));
        for &n in numbers {
            let id = NodeId(100 + n as u32);
            genome.add_node(NodeGene::new(id, Role::Hidden, Activation::Sin)).unwrap();
            genome
                .add_connection(ConnectionGene::new(InnovationId(n), NodeId(0), id, 1.0))
                .unwrap();
        }
        genome
    }

    #[test]
    fn genes_are_counted_as_in_the_papers_figure_4() {
        // Figure 4: one parent has gene 8 alone, the other 6 and 7 (disjoint), 9 and 10 (excess);
        // here behind 12 common genes, so numbers are moved up by 12.
        let a = with_links(&[13, 14, 15, 16, 17, 20]);
        let mut b = with_links(&[13, 14, 15, 16, 17, 18, 19, 21, 22]);
        b.set_weight(InnovationId(13), 3.0).unwrap();
        let aligned = align(&a, &b);
        assert_eq!((aligned.matching, aligned.disjoint, aligned.excess), (17, 3, 2));
        assert_eq!(align(&b, &a), aligned);
        let mut config = EvolveConfig::preset(Preset::Neat).species;
        // N = 21 genes (not small): 2/21 + 3/21 + 0.4 · 2/17.
        let expected = 5.0 / 21.0 + 0.4 * 2.0 / 17.0;
        assert!((compatibility_distance(&a, &b, &config) - expected).abs() < 1e-12);
        config.small = 22;
        let expected = 5.0 + 0.4 * 2.0 / 17.0;
        assert!((compatibility_distance(&a, &b, &config) - expected).abs() < 1e-12);
        assert_eq!(compatibility_distance(&a, &a, &config), 0.0);
    }
}
