//! `picloom score --all`: everything measured of one network, as one figure and one record.

use super::Scored;
use crate::cli::output::Output;
use crate::figures::card::{Card, Changed, Measure, card};
use crate::figures::style;
use crate::figures::{Provenance, save};
use crate::genome::Genome;
use crate::math::SimRng;
use crate::network::files::{create_folder, write_atomic};
use crate::network::{Coords, Model, Wiring};
use crate::probe::{Delta, View, spread};
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
pub fn write(scored: &Scored<'_>, folder: &Path, table: &str, out: &Output) -> anyhow::Result<()> {
    create_folder(folder)?;
    let (source, view, record) = (scored.source, scored.view, scored.record);
    let model = view.model();
    let (network, weights) = (&model.network, &model.weights);
    let seed = record.seed;
    let summary = summarise(model, source.coords, seed);
    let control = summarise(&shuffled(model, seed), source.coords, seed);
    // Relays count as units: layers are compared with layers, a graph with a graph.
    let like = match network.is_layered() {
        true => Wiring::Layerized,
        false => Wiring::Graph,
    };
    let (behind, labelled) = match source.trained {
        true => (source.genome.as_ref(), None),
        false => (None, source.genome.as_ref()),
    };
    let evolved =
        behind.map(|genome| summarise(&Model::of_genome(genome, like), source.coords, seed));
    let labels = labelled.and_then(|genome| labels(genome, source.coords, record));
    let symmetry = sweep_symmetry(view, scored.swept);
    let base = view.picture();
    let dci = dci(&sweep_importance(view, scored.swept, &Attributes::of(base)));
    let mut measures = of_summary(&summary, &control, evolved.as_ref());
    measures.extend(of_sweep(&symmetry, &dci, labels.as_ref()));

    let side = source.size.min(96);
    let maps = model.maps(side, source.coords);
    let alive = view.alive_units();
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
    let name = source.short_name();
    let svg = card(&Card {
        title: &name,
        subtitle: &subtitle,
        drawn: base,
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

fn summarise(model: &Model, coords: Coords, seed: u64) -> Summary {
    let mut rng = SimRng::new(seed, "card-measures", 0);
    Summary::of(&View::new(model, MEASURED_AT, coords), &mut rng)
}

/// The non-zero weights in other places of the same layer: as many links in every layer, of the
/// same sizes, and nothing else kept.
fn shuffled(model: &Model, seed: u64) -> Model {
    let mut mixed = model.weights.clone();
    for layer in 1..=model.network.depth() {
        let places: Vec<usize> =
            (0..mixed.0.len()).filter(|&i| model.layer_of(i) == layer).collect();
        let mut values: Vec<f32> = places.iter().map(|&i| mixed.0[i]).collect();
        SimRng::new(seed, "card-shuffle", layer as u64).shuffle(&mut values);
        for (&i, value) in places.iter().zip(values) {
            mixed.0[i] = value;
        }
    }
    Model::new(model.network.clone(), mixed)
}

/// Agreement with people's labels, where the genome has any.
fn labels(genome: &Genome, coords: Coords, record: &super::Record) -> Option<LabelAgreement> {
    let (model, labels) = labelled_links(genome);
    let links: Vec<usize> = (0..labels.len())
        .filter(|&i| labels[i].is_some() && model.weights.0[i] != 0.0)
        .take(MOST_LABELLED)
        .collect();
    if links.len() < 3 {
        return None;
    }
    let delta: Delta = record.score.delta.parse().ok()?;
    let view = View::new(&model, MEASURED_AT, coords);
    let moved = differences(&view, &view.sweep(&links, delta, &|_| {}));
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
    let mut painter = scored.view.painter();
    spread(&judged, SHOWN)
        .map(|&(p, label)| {
            let picture = painter.draw(p).clone();
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
    use crate::network::{Arch, Weights};

    #[test]
    fn the_control_keeps_each_layers_weights_and_moves_them() {
        let network = "2;sin:3".parse::<Arch>().unwrap().network();
        let count = network.weight_count();
        let weights = Weights((0..count).map(|i| i as f32).collect());
        let model = Model::new(network, weights);
        let mixed = shuffled(&model, 3);
        assert_ne!(mixed, model);
        for block in &model.network.blocks {
            let mut values = mixed.weights.0[block.weights()].to_vec();
            values.sort_by(f32::total_cmp);
            assert_eq!(values, model.weights.0[block.weights()]);
        }
        assert_eq!(mixed, shuffled(&model, 3));
    }
}
