//! Our own genome file: sorted JSON, byte-stable, exact round trip.

use super::{ConnectionGene, Genome, NodeGene, Palette, Provenance};
use crate::base::refusal::Refusal;
use serde::{Deserialize, Serialize};

const FORMAT: &str = "picloom-genome/1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    #[serde(default)]
    provenance: Provenance,
    #[serde(default)]
    palette: Palette,
    nodes: Vec<NodeGene>,
    connections: Vec<ConnectionGene>,
}

/// The genome as JSON text: nodes by id, connections by innovation, one gene a line.
pub fn to_json(genome: &Genome) -> String {
    // One gene a line keeps diffs readable; the pretty printer would spread each over many.
    let nodes: Vec<String> = genome.nodes().map(line).collect();
    let connections: Vec<String> = genome.connections().map(line).collect();
    let palette = match genome.palette {
        Palette::Free => String::new(),
        palette => format!("\"palette\": \"{palette}\",\n"),
    };
    format!(
        "{{\n\"format\": \"{FORMAT}\",\n\"provenance\": {},\n{palette}\"nodes\": [\n{}\n],\n\"connections\": [\n{}\n]\n}}\n",
        serde_json::to_string(&genome.provenance).expect("provenance is plain data"),
        nodes.join(",\n"),
        connections.join(",\n"),
    )
}

fn line<T: Serialize>(gene: &T) -> String {
    serde_json::to_string(gene).expect("genes are plain data with finite numbers")
}

/// A genome from JSON text.
///
/// # Errors
/// Not JSON, unknown fields, another format, or a breach of the genome's invariants.
pub fn from_json(text: &str) -> Result<Genome, Refusal> {
    let file: File = serde_json::from_str(text)
        .map_err(|e| Refusal::other_text(format!("a {FORMAT} document"), e))?;
    if file.format != FORMAT {
        let found = format!("{:?}", file.format);
        return Err(Refusal::new("", format!("format {FORMAT:?}"), found));
    }
    let mut genome = Genome::new(file.nodes, file.connections, file.provenance)?;
    genome.palette = file.palette;
    Ok(genome)
}
