//! Pairs to label without knowing the network: perturbations of several networks, shuffled and
//! numbered.

use super::KeyRow;
use crate::math::SimRng;
use crate::math::hash::{sha256_hex, sha256_of_floats};
use crate::math::text;
use crate::network::files::{WriteError, create_folder, write_atomic};
use crate::network::{Coords, Model, Picture};
use crate::probe::{Delta, Perturbation, Selection, View};
use serde::Serialize;
use std::path::Path;

/// What a viewer is asked; the vision-language judge gets the same words.
const PROMPT: &str = include_str!("../../../assets/prompts/judge.txt");

/// A network to draw pairs from.
#[derive(Clone, Debug)]
pub struct Drawer {
    /// What it was made to draw.
    pub target: String,
    /// Its own name.
    pub name: String,
    /// The network.
    pub model: Model,
    /// Coordinate convention.
    pub coords: Coords,
    /// The picture it should draw, at the size of the pairs; none if it has none of its own.
    pub picture: Option<Picture>,
}

/// How pairs are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSettings {
    /// Pairs in all, shared out equally among the networks.
    pub count: usize,
    /// How far a weight is moved.
    pub delta: Delta,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// Seed of the sample and of the shuffle.
    pub seed: u64,
}

/// Numbered pairs, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct NumberedPairs {
    /// What each network draws.
    pub bases: Vec<Picture>,
    /// What is kept of each network.
    pub networks: Vec<DrawerRecord>,
    /// Index of the network, what was changed, and the picture then.
    pub pairs: Vec<(usize, Perturbation, Picture)>,
}

/// One network of a set of pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawerRecord {
    /// What it was made to draw.
    pub target: String,
    /// Its own name.
    pub network: String,
    /// Links that may be non-zero.
    pub links: usize,
    /// SHA-256 of its weights.
    pub weights_sha256: String,
    /// R² at the size of the pairs; none if the network has no target of its own.
    pub fit: Option<f64>,
    /// Its pairs.
    pub pairs: usize,
}

/// `sheets.json`: how to draw the same sheets again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SheetsRecord {
    /// The command.
    pub command: String,
    /// Version of this crate.
    pub picloom: &'static str,
    /// How far weights were moved.
    pub delta: String,
    /// Side of the pictures in pixels.
    pub size: usize,
    /// Seed of the sample and of the shuffle.
    pub seed: u64,
    /// SHA-256 of what viewers are asked.
    pub prompt_sha256: String,
    /// The networks.
    pub networks: Vec<DrawerRecord>,
    /// Pairs in all.
    pub pairs: usize,
    /// Sheets they are on.
    pub sheets: usize,
}

impl NumberedPairs {
    /// Draws the pairs: distinct links while there are enough, either sign by a toss; a network
    /// with too few changes that have an effect gives fewer.
    pub fn draw(networks: &[Drawer], settings: &PairSettings) -> Self {
        let (n, count) = (networks.len(), settings.count);
        let mut all = NumberedPairs { bases: Vec::new(), networks: Vec::new(), pairs: Vec::new() };
        for (i, network) in networks.iter().enumerate() {
            let view = View::new(&network.model, settings.size, network.coords);
            let share = (i + 1) * count / n - i * count / n;
            let pairs = changed(&view, share, settings, i as u64);
            let base = view.picture().clone();
            all.networks.push(DrawerRecord {
                target: network.target.clone(),
                network: network.name.clone(),
                links: network.model.mask.kept(),
                weights_sha256: sha256_of_floats(&network.model.weights.0),
                fit: network.picture.as_ref().map(|t| 1.0 - base.mse(t) / t.variance()),
                pairs: pairs.len(),
            });
            all.bases.push(base);
            all.pairs.extend(pairs.into_iter().map(|(p, picture)| (i, p, picture)));
        }
        SimRng::new(settings.seed, "judge-sheets-shuffle", 0).shuffle(&mut all.pairs);
        all
    }

    /// Writes the pictures, `key.csv` and an empty `answers.csv` into `folder`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        create_folder(folder)?;
        let base_file = |index: usize| format!("base_{:02}.png", index + 1);
        for (i, base) in self.bases.iter().enumerate() {
            let png = base.to_png(&[("command", "picloom judge sheets")]);
            write_atomic(&folder.join(base_file(i)), &png)?;
        }
        let mut key = csv::Writer::from_writer(Vec::new());
        let mut blank = String::from("number,label\n");
        for (k, (i, p, picture)) in self.pairs.iter().enumerate() {
            let row = KeyRow {
                number: k + 1,
                image: format!("{:03}.png", k + 1),
                base: base_file(*i),
                target: text::cell(&self.networks[*i].target),
                network: text::cell(&self.networks[*i].network),
                link: p.link,
                layer: p.layer,
                delta: p.delta,
                rmse: p.rmse,
            };
            write_atomic(&folder.join(&row.image), &picture.to_png(&[]))?;
            blank += &format!("{},\n", row.number);
            key.serialize(row).expect("a row is plain data, written to memory");
        }
        let key = key.into_inner().expect("written to memory");
        write_atomic(&folder.join("key.csv"), &key)?;
        write_atomic(&folder.join("answers.csv"), blank.as_bytes())
    }

    /// The record of these pairs on so many `sheets` of at most `page` pairs.
    pub fn record(&self, settings: &PairSettings, page: usize, sheets: usize) -> SheetsRecord {
        let names: Vec<&str> = self.networks.iter().map(|n| n.network.as_str()).collect();
        let PairSettings { count, delta, size, seed } = settings;
        SheetsRecord {
            command: format!(
                "picloom judge sheets {} --count {count} --delta {delta} --size {size} --page {page} --seed {seed}",
                names.join(" ")
            ),
            picloom: env!("CARGO_PKG_VERSION"),
            delta: delta.to_string(),
            size: *size,
            seed: *seed,
            prompt_sha256: sha256_hex(PROMPT),
            networks: self.networks.clone(),
            pairs: self.pairs.len(),
            sheets,
        }
    }
}

/// At most `count` perturbations with an effect, and the pictures then.
fn changed(
    view: &View,
    count: usize,
    settings: &PairSettings,
    index: u64,
) -> Vec<(Perturbation, Picture)> {
    let mut rng = SimRng::new(settings.seed, "judge-sheets", index);
    let links = Selection::Sample(4 * count).draw(view.model(), &mut rng);
    let swept = view.sweep(&links, settings.delta, &|_| {});
    let mut pairs: Vec<[Perturbation; 2]> = swept
        .perturbations
        .chunks_exact(2)
        .map(|pair| {
            let turn = usize::from(rng.chance(0.5));
            [pair[turn], pair[1 - turn]]
        })
        .collect();
    rng.shuffle(&mut pairs);
    let mut painter = view.painter();
    let first = pairs.iter().map(|pair| pair[0]);
    first
        .chain(pairs.iter().map(|pair| pair[1]))
        .filter(|p| !p.silent)
        .take(count)
        .map(|p| (p, painter.draw(p).clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genome::from_json;
    use crate::network::Wiring;

    #[test]
    fn pairs_are_shared_out_audible_and_the_same_for_a_seed() {
        let genome = from_json(include_str!("../../../genomes/bred_moth.json")).unwrap();
        let model = Model::of_genome(&genome, Wiring::Graph);
        let drawer = |name: &str, picture| Drawer {
            target: "moth".into(),
            name: name.into(),
            model: model.clone(),
            coords: Coords::Fer,
            picture,
        };
        let own = model.picture(16, Coords::Fer);
        let networks = [drawer("a", Some(own)), drawer("b", None)];
        let settings = PairSettings { count: 5, delta: Delta::Effect(0.18), size: 16, seed: 3 };
        let found = NumberedPairs::draw(&networks, &settings);
        let counts: Vec<usize> = found.networks.iter().map(|n| n.pairs).collect();
        assert_eq!(counts, [2, 3]);
        assert_eq!((found.networks[0].fit, found.networks[1].fit), (Some(1.0), None));
        for (i, p, picture) in &found.pairs {
            assert!(!p.silent && (picture.mse(&found.bases[*i]).sqrt() - p.rmse).abs() < 1e-5);
        }
        assert_eq!(NumberedPairs::draw(&networks, &settings).pairs, found.pairs);
        let record = found.record(&settings, 4, 2);
        assert_eq!((record.pairs, record.sheets), (5, 2));
        assert!(record.command.starts_with("picloom judge sheets a b --count 5 "));
    }
}
