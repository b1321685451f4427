//! `picloom score --all`: everything measured of one network, as one figure and one record.

use super::Scored;
use crate::cli::output::Output;
use crate::cli::source::SourceArgs;
use crate::experiment::{Wiring, load_run, resolve_wiring};
use crate::figures::card::{Card, Changed, Measure, card};
use crate::figures::style;
use crate::figures::{Provenance, save};
use crate::genome::{self, Genome};
use crate::math::SimRng;
use crate::network::files::{create_folder, write_atomic};
use crate::network::kernel::{Perturber, feature_maps, picture};
use crate::network::{Coords, Mask, Network, Picture, PixelInputs, Weights};
use crate::probe::{Delta, sweep};
use crate::prune::guard;
use crate::score::measures::attributes::Attributes;
use crate::score::measures::dci::{Dci, dci, sweep_importance};
use crate::score::measures::label_agreement::{
    LabelAgreement, differences, label_agreement, labelled_links,
};
use crate::score::measures::summary::Summary;
use crate::score::measures::symmetry::{SweepSymmetry, sweep_symmetry};
use serde::Serialize;
use std::path::Path;

/// Side of the maps that are measured: METHODS §7 gives its reference values there.
const MEASURED_AT: usize = 64;
/// Changed pictures on a card.
const SHOWN: usize = 24;
/// Links with people's labels that are compared with each other.
const MOST_LABELLED: usize = 400;
/// Shuffles of the labels.
const PERMUTATIONS: usize = 1000;

/// `card.json`.
#[derive(Serialize)]
struct CardRecord<'a> {
    format: &'static str,
    score: &'a super::Record,
    /// Side of the maps behind `summary`.
    measured_at: usize,
    summary: &'a Summary,
    /// The same of the network with its weights shuffled within layers.
    shuffled: &'a Summary,
    /// The same of the evolved network behind a trained one.
    evolved: Option<&'a Summary>,
    symmetry: SweepSymmetry,
    dci: Dci,
    labels: Option<LabelAgreement>,
    measures: &'a [Measure],
    written: Vec<String>,
}

/// Measures, draws and writes the card of a scored network.
pub fn write(
    args: &SourceArgs,
    scored: &Scored<'_>,
    folder: &Path,
    table: &str,
    out: &Output,
) -> anyhow::Result<()> {
    create_folder(folder)?;
    let (source, record) = (scored.source, scored.record);
    let (network, weights) = (&source.network, &source.weights);
    let seed = record.seed;
    let summary = summarise(network, &source.mask, weights, source.coords, seed);
    let mixed = shuffled(network, weights, seed);
    let control = summarise(network, &Mask::non_zero(&mixed), &mixed, source.coords, seed);
    let behind = match &args.run {
        Some(run) => load_run(run)?.genome,
        None => None,
    };
    // Relays count as units: layers are compared with layers, a graph with a graph.
    let like = match network.is_layered() {
        true => Wiring::Layerized,
        false => Wiring::Graph,
    };
    let evolved = behind.map(|genome| {
        let (network, mask, weights) = resolve_wiring(&genome, like);
        summarise(&network, &mask, &weights, source.coords, seed)
    });
    let labels = match &args.genome {
        Some(path) => labels(&genome::read(path)?, source.coords, record),
        None => None,
    };
    let symmetry = sweep_symmetry(&weights.0, scored.perturber, scored.swept);
    let base =
        Picture { width: source.size, height: source.size, rgb: scored.perturber.base().to_vec() };
    let importance =
        sweep_importance(&weights.0, scored.perturber, scored.swept, &Attributes::of(&base));
    let dci = dci(&importance);
    let mut measures = of_summary(&summary, &control, evolved.as_ref());
    measures.extend(of_sweep(&symmetry, &dci, labels.as_ref()));

    let side = source.size.min(96);
    let inputs = PixelInputs::full(side, source.coords);
    let maps = feature_maps(network, weights, &inputs);
    let non_zero = Mask::non_zero(weights);
    let reach = guard::reach(network, &non_zero.0);
    let alive: Vec<bool> =
        reach.from_input.iter().zip(&reach.to_output).map(|(a, b)| *a && *b).collect();
    let changed = changed(scored);
    let subtitle = format!(
        "{} links, {} non-zero, {} layers; {} at {}²; judge {}",
        style::fixed(record.links as f64, 0),
        style::fixed(record.score.non_zero as f64, 0),
        network.depth(),
        record.score.delta,
        source.size,
        record.score.judge
    );
    let note = format!(
        "taken at {MEASURED_AT}², means over hidden layers; shuffled: the same weights in other places of their layers"
    );
    let name = short(&source.name);
    let svg = card(&Card {
        title: &name,
        subtitle: &subtitle,
        drawn: &base,
        target: source.target.as_ref(),
        score: &record.score,
        sampled: record.sampled.as_ref(),
        changed: &changed,
        measures: &measures,
        measures_note: &note,
        network,
        weights,
        maps: (&maps.values, side),
        alive: &alive,
    });
    let provenance = Provenance::none()
        .with("command", "picloom score --all")
        .with("network", &name)
        .with("judge", &record.score.judge)
        .with("delta", &record.score.delta)
        .with("samples", &record.samples)
        .with("seed", seed)
        .with("version", env!("CARGO_PKG_VERSION"));
    let (svg, png) = save(&svg, &folder.join("card"), &provenance)?;
    let json = folder.join("card.json");
    let shown: Vec<String> = [&svg, &png, &json].map(|p| p.display().to_string()).to_vec();
    let mut text = table.to_string() + "\n" + &measures_text(&measures);
    text += &format!("\nwrote   {}\n", shown.join("\n        "));
    let whole = CardRecord {
        format: "picloom-card/1",
        score: record,
        measured_at: MEASURED_AT,
        summary: &summary,
        shuffled: &control,
        evolved: evolved.as_ref(),
        symmetry,
        dci,
        labels,
        measures: &measures,
        // Names only: the record must not depend on where it was written.
        written: vec!["card.svg".into(), "card.png".into(), "card.json".into()],
    };
    write_atomic(&json, (serde_json::to_string_pretty(&whole)? + "\n").as_bytes())?;
    out.result(&whole, &text)
}

/// File or folder name of a network, without what only this machine knows.
fn short(name: &str) -> String {
    let path = Path::new(name);
    path.file_name().map_or(name.to_string(), |n| n.to_string_lossy().into_owned())
}

fn summarise(
    network: &Network,
    mask: &Mask,
    weights: &Weights,
    coords: Coords,
    seed: u64,
) -> Summary {
    let inputs = PixelInputs::full(MEASURED_AT, coords);
    let maps = feature_maps(network, weights, &inputs);
    let drawn = picture(network, weights, MEASURED_AT, coords);
    let mut rng = SimRng::new(seed, "card-measures", 0);
    Summary::of(network, mask, weights, &maps, &drawn, &mut rng)
}

/// The non-zero weights in other places of the same layer: as many links in every layer, of the
/// same sizes, and nothing else kept.
fn shuffled(network: &Network, weights: &Weights, seed: u64) -> Weights {
    let mut mixed = weights.clone();
    for layer in 1..=network.depth() {
        let places: Vec<usize> = (0..weights.0.len())
            .filter(|&i| network.units[network.links[i].target].layer == layer)
            .collect();
        let mut values: Vec<f32> = places.iter().map(|&i| weights.0[i]).collect();
        SimRng::new(seed, "card-shuffle", layer as u64).shuffle(&mut values);
        for (&i, value) in places.iter().zip(values) {
            mixed.0[i] = value;
        }
    }
    mixed
}

/// Agreement with people's labels, where the genome has any.
fn labels(genome: &Genome, coords: Coords, record: &super::Record) -> Option<LabelAgreement> {
    let (network, weights, labels) = labelled_links(genome);
    let links: Vec<usize> = (0..labels.len())
        .filter(|&i| labels[i].is_some() && weights.0[i] != 0.0)
        .take(MOST_LABELLED)
        .collect();
    if links.len() < 3 {
        return None;
    }
    let delta: Delta = record.score.delta.parse().ok()?;
    let inputs = PixelInputs::full(MEASURED_AT, coords);
    let perturber = Perturber::new(&network, &weights, &inputs);
    let swept = sweep(&network, &weights, &perturber, MEASURED_AT, &links, delta, &|_| {});
    let moved = differences(&weights.0, &perturber, &swept);
    let (links, moved): (Vec<usize>, Vec<Vec<f32>>) = moved.into_iter().unzip();
    let names: Vec<&str> = links.iter().filter_map(|&i| labels[i].as_deref()).collect();
    let mut rng = SimRng::new(record.seed, "card-labels", 0);
    // None: one label only, or no two links with the same one.
    label_agreement(&moved, &names, PERMUTATIONS, &mut rng).ok()
}

/// Perturbations with a verdict, evenly spread over layers and signs.
fn changed(scored: &Scored<'_>) -> Vec<Changed> {
    let judged: Vec<_> = scored
        .record
        .perturbations
        .iter()
        .filter_map(|j| j.verdict.as_ref().map(|v| (j.perturbation, v.label)))
        .collect();
    let size = scored.source.size;
    let mut scratch = scored.perturber.scratch();
    let shown = judged.len().min(SHOWN);
    (0..shown)
        .map(|k| {
            let (p, label) = judged[k * judged.len() / shown];
            let mut picture = Picture::filled(size, size, [0.0; 3]);
            let value = (f64::from(scored.source.weights.0[p.link]) + p.delta) as f32;
            scored.perturber.with_weight(&mut scratch, p.link, value, &mut picture.rgb);
            let sign = if p.delta < 0.0 { "−" } else { "+" };
            let step = style::number(p.delta.abs(), 2);
            Changed { picture, label, caption: format!("L{} w{} {sign}{step}", p.layer, p.link) }
        })
        .collect()
}

/// The rows of a summary, beside its control and the evolved network's.
fn of_summary(own: &Summary, control: &Summary, evolved: Option<&Summary>) -> Vec<Measure> {
    type Of = fn(&Summary) -> Option<f64>;
    let welch = {
        let some: Vec<f64> = own.layers.iter().filter(|o| o.maps > 1).map(|o| o.welch).collect();
        match some.len() {
            0 => "no layer has two maps".to_string(),
            n => format!(
                "Welch bound {}; low is not compositional",
                style::number(some.iter().sum::<f64>() / n as f64, 3)
            ),
        }
    };
    let rows: [(&str, &str, Of, &str, String); 11] = [
        ("interference", "interference of maps", |s| s.interference, "0 to 1", welch),
        (
            "excess-interference",
            "excess over the Welch bound",
            |s| s.excess,
            "0 to 1",
            "0: as far apart as their number allows".into(),
        ),
        (
            "roughness",
            "roughness of maps",
            |s| s.roughness,
            "0 up",
            "FER's skull, butterfly: evolved .02–.04, SGD .07–.12".into(),
        ),
        (
            "duplicates",
            "repeated maps",
            |s| Some(s.duplicates),
            "0 to 1",
            "share of units, relays included".into(),
        ),
        (
            "effective-fan-in",
            "effective fan-in",
            |s| Some(s.effective_fan_in),
            "1 up",
            "1: every unit listens to one input".into(),
        ),
        (
            "reuse",
            "reuse of units",
            |s| Some(s.reuse),
            "0 up",
            "mean live out-degree without relays".into(),
        ),
        (
            "modules",
            "modules",
            |s| Some(s.modules as f64),
            "0 up",
            "Louvain communities of |weight|".into(),
        ),
        (
            "modularity",
            "modularity Q",
            |s| Some(s.q),
            "−½ to 1",
            "Q alone grows with sparsity: read z".into(),
        ),
        (
            "modularity-z",
            "modularity z",
            |s| s.q_z,
            "any",
            "0 ± 1: weights shuffled within layers".into(),
        ),
        (
            "decodability",
            "linear decodability R²",
            |s| s.decoded,
            "up to 1",
            "decodable is not organised (FER)".into(),
        ),
        (
            "widest-layer-rank",
            "rank of the widest layer",
            |s| s.layers.iter().map(|o| o.rank as f64).reduce(f64::max),
            "0 up",
            match own.layers.iter().map(|o| o.maps).max() {
                Some(maps) => format!("at most its {maps} different maps"),
                None => "no hidden layer".into(),
            },
        ),
    ];
    rows.into_iter()
        .map(|(key, name, of, range, reference)| Measure {
            key: key.into(),
            name: name.into(),
            value: of(own),
            range: range.into(),
            shuffled: of(control),
            evolved: evolved.and_then(of),
            reference,
        })
        .collect()
}

/// The rows of the sweep and of people's labels.
fn of_sweep(symmetry: &SweepSymmetry, dci: &Dci, labels: Option<&LabelAgreement>) -> Vec<Measure> {
    let row = |key: &str, name: &str, value: Option<f64>, reference: String| Measure {
        key: key.into(),
        name: name.into(),
        value,
        range: "0 to 1".into(),
        shuffled: None,
        evolved: None,
        reference,
    };
    let error = style::number(symmetry.base_error, 2);
    let mirrored = if symmetry.base_error > 0.05 {
        format!("the picture is not symmetric (error {error}): says little")
    } else {
        format!("½: knows nothing of the axis; mirror error {error}")
    };
    let moved = dci.attributes.iter().flatten().count();
    let mut rows = vec![
        row("symmetry-preservation", "symmetry of changes", symmetry.preservation, mirrored),
        row(
            "dci-disentanglement",
            "sweep DCI: disentanglement",
            Some(dci.disentanglement),
            format!("1: a weight moves one of {moved} attributes"),
        ),
        row(
            "dci-completeness",
            "sweep DCI: completeness",
            Some(dci.completeness),
            "1: an attribute hangs on one weight".into(),
        ),
    ];
    if let Some(l) = labels {
        rows.push(row(
            "label-agreement",
            "agreement with people's labels",
            Some(l.auc.estimate),
            format!(
                "½: chance; [{}, {}], p {}, {} links, {} labels",
                style::fixed(l.auc.low, 2),
                style::fixed(l.auc.high, 2),
                style::number(l.p, 2),
                l.links,
                l.labels
            ),
        ));
    }
    rows
}

fn measures_text(measures: &[Measure]) -> String {
    let number = |v: Option<f64>| v.map_or("-".to_string(), |v| format!("{v:.4}"));
    let mut text =
        format!("{:<32} {:>10} {:>10} {:>10}  range\n", "measure", "value", "shuffled", "evolved");
    for m in measures {
        text += &format!(
            "{:<32} {:>10} {:>10} {:>10}  {}\n",
            m.name,
            number(m.value),
            number(m.shuffled),
            number(m.evolved),
            m.range
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Arch;

    #[test]
    fn the_control_keeps_each_layers_weights_and_moves_them() {
        let network = "2;sin:3".parse::<Arch>().unwrap().network();
        let count = network.weight_count();
        let weights = Weights((0..count).map(|i| i as f32).collect());
        let mixed = shuffled(&network, &weights, 3);
        assert_ne!(mixed, weights);
        for block in &network.blocks {
            let mut values = mixed.0[block.weights()].to_vec();
            values.sort_by(f32::total_cmp);
            assert_eq!(values, weights.0[block.weights()]);
        }
        assert_eq!(mixed, shuffled(&network, &weights, 3));
    }
}
