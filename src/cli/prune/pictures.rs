//! The pictures of a round: the wiring that survives, what went, the feature maps before and after.

use crate::base::files::write_atomic;
use crate::experiment::round_folder;
use crate::figures::sheets::{FeatureSheet, feature_sheet};
use crate::figures::style::fixed;
use crate::figures::wiring::{Wiring, wiring, wiring_change};
use crate::figures::{Provenance, save, svg_to_png};
use crate::network::kernel::feature_maps;
use crate::network::{Mask, Model, Network, PixelInputs, Weights};
use crate::prune::{RoundRecord, alive_units, round_mask};
use crate::run::{LoadedRun, load_run};
use std::path::{Path, PathBuf};

/// Side of a map in the pictures, in pixels, at most.
const SIDE: usize = 64;

/// The files of a round.
const PICTURES: [&str; 6] =
    ["wiring.svg", "wiring.png", "maps-before.png", "maps-after.png", "change.svg", "change.png"];

/// True for a plain file; a link, a pipe or a folder is none.
fn is_own(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Draws every finished round into its folder's `images`, where that is not done.
pub(super) fn draw(
    parent: &Model,
    out: &Path,
    records: &[RoundRecord],
    rounds: usize,
) -> anyhow::Result<()> {
    let (mut mask, mut weights) = (parent.mask.clone(), parent.weights.clone());
    for record in records {
        let folder = round_folder(out, record.round, rounds);
        if !folder.join("result.json").exists() {
            break;
        }
        let run = load_run(&folder)?;
        let kept = round_mask(&mask, record);
        let round = Round {
            record,
            folder: folder.join("images"),
            before: (&mask, &weights),
            kept: &kept,
            run: &run,
        };
        round.draw()?;
        (mask, weights) = (kept, run.model.weights);
    }
    Ok(())
}

struct Round<'a> {
    record: &'a RoundRecord,
    folder: PathBuf,
    before: (&'a Mask, &'a Weights),
    kept: &'a Mask,
    run: &'a LoadedRun,
}

impl Round<'_> {
    fn draw(&self) -> anyhow::Result<()> {
        let (record, run) = (self.record, self.run);
        if PICTURES.iter().all(|name| is_own(&self.folder.join(name))) {
            return Ok(());
        }
        let provenance =
            Provenance::none().with("command", "picloom prune").with("run", &run.result.run_id);
        let network = &run.model.network;
        let (before, after) = (self.maps(self.before.1), self.maps(&run.model.weights));
        let (was, links) = (self.before.0.kept(), self.kept.0.len());
        let name = format!("{}, round {}", record.method, record.round);
        let dead = record.kept - record.alive;
        let words = format!(
            "{} of {} links kept{}; each unit is what it draws",
            count(record.kept),
            count(links),
            match dead {
                0 => String::new(),
                n => format!(", {} of them without a path to the picture", count(n)),
            },
        );
        let drawing = Wiring {
            title: &name,
            subtitle: &words,
            network,
            mask: &run.model.mask,
            weights: &run.model.weights,
            maps: Some((&after, self.side())),
            labels: &[],
            untangle: false,
        };
        save(&wiring(&drawing), &self.folder.join("wiring"), &provenance)?;
        for (file, state, maps, mask) in [
            ("maps-before.png", "before", &before, self.before.0),
            ("maps-after.png", "after", &after, self.kept),
        ] {
            let title = format!("{name}: {state}");
            let sheet = self.sheet(&title, network, maps, mask);
            let png = svg_to_png(&sheet, 1.0, &provenance).map_err(anyhow::Error::msg)?;
            write_atomic(&self.folder.join(file), &png)?;
        }
        let words = format!(
            "{} of {} links removed{}",
            count(record.change.removed.len()),
            count(was),
            match record.change.reopened.len() {
                0 => String::new(),
                n => format!(", {} new", count(n)),
            },
        );
        let change = Wiring { subtitle: &words, mask: self.kept, maps: None, ..drawing };
        let svg = wiring_change(&change, self.before.0);
        save(&svg, &self.folder.join("change"), &provenance)?;
        Ok(())
    }

    fn side(&self) -> usize {
        self.run.config.size.min(SIDE)
    }

    /// (U, SIDE²) maps of the network with these weights.
    fn maps(&self, weights: &Weights) -> Vec<f32> {
        let inputs = PixelInputs::full(self.side(), self.run.config.coords);
        feature_maps(&self.run.model.network, weights, &inputs).values
    }

    fn sheet(&self, title: &str, network: &Network, maps: &[f32], mask: &Mask) -> String {
        feature_sheet(&FeatureSheet {
            title,
            subtitle: "one square a unit: red −1, white 0, blue +1; pale units do not reach the picture",
            network,
            maps,
            size: self.side(),
            alive: Some(&alive_units(network, mask)),
            pane: 64,
        })
    }
}

fn count(n: usize) -> String {
    fixed(n as f64, 0)
}
