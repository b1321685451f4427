//! The card of a network: its score and everything else that is measured of it, with what each
//! number is compared with.

use super::measures::disentanglement::{self, Disentanglement};
use super::measures::summary::Summary;
use super::measures::{Measure, OF_SWEEPS};
use super::{Exhibit, Judge, JudgeError, Protocol, ScoreRecord};
use crate::base::SimRng;
use crate::base::text::number;
use crate::network::transform::shuffled;
use crate::network::{Coords, Model};
use crate::probe::{Delta, Selection, View, WeightSweep};
use serde::Serialize;
use serde_json::{Map, Value};

/// Side of the maps that are measured: METHODS §7 gives its reference values there.
pub(crate) const MEASURED_AT: usize = 64;

/// `card.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CardRecord {
    /// `picloom-card/1`.
    pub format: &'static str,
    /// The compositional score and each verdict.
    pub score: ScoreRecord,
    /// Side of the maps behind `summary`.
    pub measured_at: usize,
    /// The measures beside the score.
    pub summary: Summary,
    /// The same of the network with its weights shuffled within layers.
    pub shuffled: Summary,
    /// The same of the evolved network behind a trained one.
    pub evolved: Option<Summary>,
    /// The result of each of `OF_SWEEPS`, under its name.
    #[serde(flatten)]
    pub of_sweep: Map<String, Value>,
    /// All of it as rows with references.
    pub measures: Vec<Measure>,
    /// Names of the card's files: the record must not depend on where it was written.
    pub written: Vec<String>,
}

impl CardRecord {
    /// Measures a scored sweep of `view`.
    ///
    /// `behind` is the evolved network behind a trained one, in the same kind of wiring.
    ///
    /// # Errors
    /// The judge could not judge a picture.
    pub fn of(
        (view, sweep): (&View, &WeightSweep),
        score: ScoreRecord,
        judge: &dyn Judge,
        behind: Option<&Model>,
    ) -> Result<Self, JudgeError> {
        let (model, coords, seed) = (view.model(), view.coords(), score.seed);
        let summary = summarise(model, coords, seed);
        let null = shuffled(model, seed);
        let control = summarise(&null, coords, seed);
        let evolved = behind.map(|model| summarise(model, coords, seed));
        let other = |model: &Model| View::new(model, view.size(), coords);
        let mut measures = main_measures(view, &score, judge, behind)?;
        measures.extend(of_summary(&summary, &control, evolved.as_ref()));
        let mut links: Vec<usize> = sweep.perturbations.iter().map(|p| p.link).collect();
        links.dedup();
        let delta = score.score.delta.parse().unwrap_or_default();
        let null = other(&null);
        let of_null = null.sweep(&links, delta, &|_| {});
        let of_evolved = behind.map(|model| {
            let view = other(model);
            let mut rng = SimRng::new(seed, "card-evolved", 0);
            let links = Selection::Sample(COMPARED).draw(model, &mut rng);
            let sweep = view.sweep(&links, delta, &|_| {});
            (view, sweep)
        });
        let mut of_sweep = Map::new();
        for (name, measure) in OF_SWEEPS {
            let (found, mut rows) = measure(view, sweep);
            of_sweep.insert(name.into(), found);
            for (row, shuffled) in rows.iter_mut().zip(measure(&null, &of_null).1) {
                row.null = row.null.or(shuffled.value);
            }
            let evolved =
                of_evolved.as_ref().map_or(Vec::new(), |(view, sweep)| measure(view, sweep).1);
            for (row, other) in rows.iter_mut().zip(evolved) {
                row.evolved = row.evolved.or(other.value);
            }
            measures.extend(rows);
        }
        Ok(CardRecord {
            format: "picloom-card/1",
            score,
            measured_at: MEASURED_AT,
            summary,
            shuffled: control,
            evolved,
            of_sweep,
            measures,
            written: ["card.svg", "card.png", "card.json"].map(String::from).to_vec(),
        })
    }
}

/// Weights that are moved to score a network that the card only compares with.
const COMPARED: usize = 60;

/// The score of another network at the size of `view`.
fn score_of(
    model: &Model,
    view: &View,
    judge: &dyn Judge,
    seed: u64,
) -> Result<Option<f64>, JudgeError> {
    let exhibit = Exhibit::new(model, view.size(), view.coords(), None);
    let protocol = Protocol::sampled(Some(COMPARED), Delta::EFFECT, seed);
    Ok(protocol.measure(&exhibit, judge)?.score.score)
}

/// The row of the score.
fn of_score(record: &ScoreRecord, null: Option<f64>, evolved: Option<f64>) -> Measure {
    let (low, high) = record.score.interval.unzip();
    let says = "how likely a changed weight leaves a clean picture";
    Measure {
        low,
        high,
        null,
        evolved,
        ..Measure::alone("score", "compositional score", record.score.score, "0 to 1", says)
    }
}

/// The score and the measure that is recommended beside it, each beside the same links with their weights shuffled, and
/// beside the evolved network `behind` a trained one.
///
/// # Errors
/// The judge could not judge a picture.
pub(crate) fn main_measures(
    view: &View,
    score: &ScoreRecord,
    judge: &dyn Judge,
    behind: Option<&Model>,
) -> Result<Vec<Measure>, JudgeError> {
    let scored = |model: &Model| score_of(model, view, judge, score.seed);
    let null = scored(&shuffled(view.model(), score.seed))?;
    let evolved = behind.map(scored).transpose()?.flatten();
    Ok(vec![of_score(score, null, evolved), of_disentanglement(view, behind, score.seed)])
}

/// The row of disentanglement.
fn of_disentanglement(view: &View, behind: Option<&Model>, seed: u64) -> Measure {
    let (key, says) = (disentanglement::KEY, disentanglement::SAYS);
    let found = Disentanglement::of(view, seed);
    let of_evolved = |model: &Model| {
        let view = View::new(model, view.size(), view.coords());
        Some(Disentanglement::of(&view, seed)?.value)
    };
    let (low, high) = found.and_then(|found| found.interval).unzip();
    Measure {
        low,
        high,
        null: found.and_then(|_| Disentanglement::shuffled(view, seed)),
        evolved: behind.and_then(of_evolved),
        recommended: true,
        ..Measure::alone(key, key, found.map(|found| found.value), "0 to 1", says)
    }
}

fn summarise(model: &Model, coords: Coords, seed: u64) -> Summary {
    let mut rng = SimRng::new(seed, "card-measures", 0);
    Summary::of(&View::new(model, MEASURED_AT, coords), &mut rng)
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
                number(some.iter().sum::<f64>() / n as f64, 3)
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
            |s| s.duplicates,
            "0 to 1",
            "share of units, relays included".into(),
        ),
        (
            "effective-fan-in",
            "effective fan-in",
            |s| s.effective_fan_in,
            "1 up",
            "1: every unit listens to one input".into(),
        ),
        (
            "reuse",
            "reuse of units",
            |s| s.reuse,
            "0 up",
            "mean live out-degree without relays".into(),
        ),
        (
            "modules",
            "modules",
            |s| s.modules.map(|m| m as f64),
            "0 up",
            "Louvain communities of |weight|".into(),
        ),
        (
            "modularity",
            "modularity Q",
            |s| s.q,
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
            null: of(control),
            evolved: evolved.and_then(of),
            ..Measure::alone(key, name, of(own), range, reference)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Arch, Weights};

    #[test]
    fn the_control_keeps_the_links_and_each_layers_weights_and_moves_them() {
        let network = "2;sin:3".parse::<Arch>().unwrap().network();
        let count = network.weight_count();
        let weights = Weights((0..count).map(|i| (i % 5) as f32).collect());
        let model = Model::new(network, weights);
        let mixed = shuffled(&model, 3);
        assert_ne!(mixed, model);
        for block in &model.network.blocks {
            let mut values = mixed.weights.0[block.weights()].to_vec();
            values.sort_by(f32::total_cmp);
            let mut own = model.weights.0[block.weights()].to_vec();
            own.sort_by(f32::total_cmp);
            assert_eq!(values, own);
        }
        assert_eq!(mixed.mask, model.mask);
        assert_eq!(mixed, shuffled(&model, 3));
    }
}
