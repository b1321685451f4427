//! The project's own labelled pictures, drawn again: 2 040 changes of 142 networks (`experiments/labels`).
//!
//! The repository keeps the networks and the changes, not the pictures: `key.csv` names the network, the link and the
//! change of its weight. Nine pruned or wired networks of the first set were trained by a kernel that summed in
//! another order; what they drew is kept as PNG.

use picloom::base::files::{LARGEST_CONFIG, create_folder, read_plain, write_atomic};
use picloom::network::weight_files::{read_arch, read_weights};
use picloom::network::{Coords, Model, Wiring, read_genome};
use picloom::probe::{Change, View};
use picloom::score::labels::{KeyRow, read_key};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The sets: folder, labelled set, side of the pictures in pixels.
pub(crate) const SETS: [(&str, &str, usize); 3] =
    [("first", "labels.csv", 112), ("second", "labels2.csv", 96), ("third", "labels3.csv", 96)];

/// Writes the three labelled sets with their pictures into `out`, `out/first/labels.csv` and so on, from the
/// folder `labels` of this package. Returns the labelled sets' files.
///
/// # Errors
/// A file of a set or of a network is missing or wrong, or `out` cannot be written.
pub(crate) fn draw_sets(labels: &Path, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    SETS.iter().map(|&(set, file, size)| draw_set(labels, (set, file, size), out)).collect()
}

fn draw_set(
    labels: &Path,
    (set, file, size): (&str, &str, usize),
    out: &Path,
) -> anyhow::Result<PathBuf> {
    let (from, to) = (labels.join(set), out.join(set));
    create_folder(&to)?;
    let mut networks: BTreeMap<(String, String), Vec<KeyRow>> = BTreeMap::new();
    for row in read_key(&from.join("key.csv"))? {
        networks.entry((row.network.clone(), row.target.clone())).or_default().push(row);
    }
    for ((name, target), rows) in networks {
        if from.join(&rows[0].base).exists() {
            for file in rows.iter().map(|row| &row.image).chain([&rows[0].base]) {
                write_atomic(&to.join(file), &read_plain(&from.join(file), LARGEST_CONFIG)?)?;
            }
            continue;
        }
        let model = network(labels, &name, &target)?;
        let view = View::new(&model, size, Coords::Fer);
        write_atomic(&to.join(&rows[0].base), &view.picture().to_png(&[]))?;
        let mut painter = view.painter();
        for row in rows {
            let changed = painter.draw(Change::By { link: row.link, delta: row.delta });
            write_atomic(&to.join(&row.image), &changed.to_png(&[]))?;
        }
    }
    let path = to.join(file);
    write_atomic(&path, &read_plain(&from.join(file), LARGEST_CONFIG)?)?;
    Ok(path)
}

/// A network by its name: trained weights of `networks`, or a genome as it was evolved.
fn network(labels: &Path, name: &str, target: &str) -> anyhow::Result<Model> {
    let genome = |name: &str| {
        let own = labels.join(format!("targets/{name}.json"));
        let path = match own.exists() {
            true => own,
            false => labels.join(format!("../../genomes/{name}.json")),
        };
        read_genome(&path, Wiring::Graph)
    };
    if let Some(evolved) = name.strip_prefix("evolved_") {
        return Ok(Model::of_genome(&genome(evolved)?, Wiring::Graph));
    }
    let weights = labels.join(format!("networks/{name}.safetensors"));
    if name.starts_with("graph_") {
        let network = Model::of_genome(&genome(target)?, Wiring::Graph).network;
        return Ok(Model::new(network.clone(), read_weights(&weights, &network)?));
    }
    Ok(Model::read(&read_arch(&weights)?, &weights)?)
}
