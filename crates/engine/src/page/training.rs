//! Training as somebody looks on: a few steps an answer, with the picture, the loss and every unit's map; links can
//! be pruned and given back meanwhile.

use super::carried::CarriedNetwork;
use super::drawing::Drawing;
use super::networks::{Atlas, ensure_pixels};
use super::shelf::{Answered, NetworkRequest, PageNetwork, Shelf, WatchedAnswer, answer, bad};
use crate::base::SimRng;
use crate::genome::{Genome, Palette};
use crate::network::kernel::feature_maps;
use crate::network::{Coords, Mask, Model, Picture, PixelInputs, Weights, Wiring};
use crate::prune::guard::smallest_feeding;
use crate::prune::{self, EdgeContext, Method, Orphans, Rule};
use crate::train::{LogLine, Problem, Schedule, TrainConfig, TrainObserver, TrainState, Trainer};
use serde::{Deserialize, Serialize};

/// Steps after which a training that nobody stops ends.
const MOST_STEPS: u64 = 1_000_000;
/// Steps between two points of the curve.
const LOG_EVERY: u64 = 10;

/// A request for a training. Where the request has bytes, they are the picture: RGB, `size`² pixels.
#[derive(Deserialize)]
pub(super) struct BeginTraining {
    size: usize,
    seed: u64,
    lr: f64,
    /// Id of the picture to learn; `None` for the one that the network learned or draws.
    target: Option<String>,
}

/// A training that a page looks on at.
pub struct Training {
    /// The training itself, with the picture that it learns.
    pub trainer: Trainer,
    /// Its settings.
    pub config: TrainConfig,
    /// The genome whose graph it trains.
    pub genome: Option<Genome>,
    /// Coordinate convention.
    pub coords: Coords,
    /// How it came to its links, as arms of studies are called.
    pub arm: &'static str,
    whole_arm: &'static str,
    /// Id of the picture that it learns; empty for one that a page brought.
    pub target_id: String,
    /// Its name, for people.
    name: String,
    palette: Palette,
    /// (W,) links that there are at most.
    most: Mask,
    /// (W,) weights of links that were pruned, as they were before.
    before: Weights,
    variance: f64,
    /// Steps made, also those of attempts that collapsed and of other links.
    steps: u64,
    /// Why it has ended.
    why: Option<String>,
}

#[derive(Serialize)]
struct Begun<'a> {
    job: usize,
    name: &'a str,
    size: usize,
    /// Links that there are at most, and those that the outputs need.
    most: usize,
    least: usize,
    #[serde(flatten)]
    drawing: Drawing,
}

struct Chunk<'a> {
    left: u64,
    made: u64,
    lines: Vec<(u64, f64)>,
    before: u64,
    has_left: &'a dyn Fn() -> bool,
}

impl TrainObserver for Chunk<'_> {
    fn logged(&mut self, line: &LogLine) {
        if line.loss.is_finite() {
            self.lines.push((self.before + self.made, line.loss));
        }
    }

    fn step_done(&mut self, _: &TrainState) -> bool {
        self.left = self.left.saturating_sub(1);
        self.made += 1;
        self.left > 0 && !(self.has_left)()
    }
}

fn config(lr: f64, seed: u64) -> Answered<TrainConfig> {
    if !(lr.is_finite() && lr > 0.0 && lr <= 1.0) {
        return Err(bad(format!("rate: expected a number above 0 and at most 1, found {lr}")));
    }
    Ok(TrainConfig {
        steps: MOST_STEPS,
        seed,
        log_every: LOG_EVERY,
        schedule: Schedule::constant(lr),
        ..TrainConfig::default()
    })
}

/// The bytes of a picture in a palette.
fn shown(mut picture: Picture, palette: Palette) -> Vec<u8> {
    palette.recolour(&mut picture.rgb);
    picture.to_rgba()
}

/// The trained wiring, in words.
fn says(wiring: Wiring) -> &'static str {
    match wiring {
        Wiring::Dense => "dense network",
        Wiring::Layerized => "evolved wiring, in layers",
        Wiring::Graph => "evolved wiring",
    }
}

impl Training {
    /// Begins a training. `bytes`: the picture to learn, where the page brings it.
    pub(super) fn begin<S: Shelf>(
        shelf: &mut S,
        asked: &NetworkRequest,
        wanted: &BeginTraining,
        bytes: &[u8],
    ) -> Answered<Self> {
        let size = wanted.size;
        if !(16..=128).contains(&size) {
            return Err(bad(format!("size: expected 16 to 128 pixels, found {size}")));
        }
        let network = shelf.network(asked)?;
        let is_own = bytes.is_empty() && wanted.target.is_none();
        let (target_id, target) = match bytes {
            [] => match shelf.target(&network, wanted.target.as_deref(), size)? {
                Some(found) => found,
                None => {
                    let evolved = shelf.network(&NetworkRequest::graph(&asked.id))?;
                    let PageNetwork { model, coords, .. } = S::parts(&evolved);
                    (asked.id.clone(), model.picture(size, coords))
                }
            },
            bytes if bytes.len() == 3 * size * size => {
                let rgb = bytes.iter().map(|b| f32::from(*b) / 255.0).collect();
                (String::new(), Picture { width: size, height: size, rgb })
            }
            bytes => {
                let (expected, found) = (3 * size * size, bytes.len());
                return Err(bad(format!("picture: expected {expected} bytes, found {found}")));
            }
        };
        if target.variance() <= 1e-12 {
            let problem = "R², how well it is learned, is not defined there";
            return Err(bad(format!(
                "picture: expected more than one colour, found one: {problem}"
            )));
        }
        let about = shelf.about(&asked.id, &network);
        let PageNetwork { model, genome, coords, trained, palette, .. } = S::parts(&network);
        let goes_on = trained && is_own;
        let name = match (is_own, goes_on) {
            (_, true) => about.name,
            (true, _) => format!("{}: {}", about.picture, says(asked.wiring)),
            (false, _) => format!("my picture: {}", says(asked.wiring)),
        };
        let whole_arm = if goes_on { "retrained" } else { asked.wiring.name() };
        let config = config(wanted.lr, wanted.seed)?;
        let problem = Problem {
            network: model.network.clone(),
            mask: model.mask.clone(),
            inputs: PixelInputs::full(size, coords),
            start: goes_on.then(|| model.weights.clone()),
            target,
        };
        let variance = problem.target.variance().max(f64::MIN_POSITIVE);
        let trainer = Trainer::new(problem, config.clone()).map_err(bad)?;
        Ok(Training {
            before: trainer.state().weights.clone(),
            trainer,
            config,
            name,
            genome: genome.cloned(),
            coords,
            palette: if is_own { palette } else { Palette::Free },
            arm: whole_arm,
            whole_arm,
            most: model.mask.clone(),
            target_id,
            variance,
            steps: 0,
            why: None,
        })
    }

    /// Everything to draw the network by itself, and the picture that it learns, as it is trained on.
    pub(super) fn begun(&self, job: usize) -> Answered<WatchedAnswer> {
        let (model, problem) = (self.model(), self.trainer.problem());
        let drawing = Drawing::of(&model, None, self.coords, self.palette);
        let (size, most) = (problem.target.width, self.most.kept());
        let least = smallest_feeding(&problem.network, &self.most.0).len();
        let begun = Begun { job, name: &self.name, size, most, least, drawing };
        answer(&begun, shown(problem.target.clone(), self.palette))
    }

    fn weights(&self) -> &Weights {
        &self.trainer.state().weights
    }

    /// The model as it stands.
    pub fn model(&self) -> Model {
        let Problem { network, mask, .. } = self.trainer.problem();
        Model { network: network.clone(), mask: mask.clone(), weights: self.weights().clone() }
    }

    /// Draws it at the size that it is trained at.
    fn drawn(&self) -> Picture {
        self.model().picture(self.trainer.problem().target.width, self.coords)
    }

    fn r2(&self, drawn: &Picture) -> f64 {
        1.0 - drawn.mse(&self.trainer.problem().target) / self.variance
    }

    /// Trains on; the picture, the maps and the weights follow.
    pub(super) fn step(
        &mut self,
        wanted: &Step,
        has_left: &dyn Fn() -> bool,
    ) -> Answered<WatchedAnswer> {
        let (left, before) = (wanted.steps, self.steps);
        let mut chunk = Chunk { left, made: 0, lines: Vec::new(), before, has_left };
        if wanted.steps > 0 && self.why.is_none() {
            let report = self.trainer.run(&mut chunk);
            let stop = serde_json::to_value(report.stop).map_err(bad)?;
            let reason = stop["reason"].as_str().unwrap_or_default();
            self.why = (reason != "interrupted").then(|| reason.to_string());
            self.steps += chunk.made;
        }
        let model = self.model();
        let mut bytes = Vec::new();
        let drawn = self.drawn();
        if let Some(size) = wanted.picture {
            let picture = match size == drawn.width {
                true => drawn.clone(),
                false => model.picture(size.clamp(8, 512), self.coords),
            };
            bytes.extend(shown(picture, self.palette));
        }
        let picture = bytes.len();
        let mut columns = 0;
        if let Some(size) = wanted.maps {
            let size = size.clamp(8, 128);
            let units = model.network.units.len();
            ensure_pixels(units, size, &format!("the maps of {units} units"))?;
            let inputs = PixelInputs::full(size, self.coords);
            let atlas = Atlas::of_units(&model, &model.weights, &inputs, size);
            columns = atlas.columns;
            bytes.extend(atlas.picture.to_rgba());
        }
        let maps = bytes.len() - picture;
        bytes.extend(model.weights.0.iter().flat_map(|w| w.to_le_bytes()));
        let stepped = Stepped {
            step: self.steps,
            lines: chunk.lines,
            r2: self.r2(&drawn),
            kept: model.mask.kept(),
            columns,
            picture,
            maps,
            why: self.why.clone(),
        };
        answer(&stepped, bytes)
    }

    /// Keeps the links that a method scores highest; training goes on from there. Links that
    /// come back have the weights that they had when they went.
    pub(super) fn prune(&mut self, wanted: &Pruning) -> Answered<WatchedAnswer> {
        let (method, arm) = match wanted.method.as_str() {
            "sp" => (Method::Sp(Default::default()), "sp"),
            "magnitude" => (Method::Magnitude(Default::default()), "magnitude"),
            "random" => (Method::Random(Default::default()), "random"),
            other => {
                let expected = "expected sp, magnitude or random";
                return Err(bad(format!("method: {expected}, found {other:?}")));
            }
        };
        let Problem { network, mask, inputs, target, .. } = self.trainer.problem();
        let mut weights = self.before.clone();
        for (i, kept) in mask.0.iter().enumerate() {
            if *kept {
                weights.0[i] = self.weights().0[i];
            }
        }
        let (mask, start) = if wanted.keep >= self.most.kept() {
            self.arm = self.whole_arm;
            (self.most.clone(), weights.clone())
        } else {
            let maps = feature_maps(network, &weights, inputs);
            let context = EdgeContext::new(network, &weights, &self.most).with_maps(&maps);
            let rule = Rule::Budget(wanted.keep.max(1));
            let rng = &mut SimRng::new(self.config.seed, "prune", 0);
            let pruned = prune::prune(method, rule, Orphans::Refill, &context, rng).map_err(bad)?;
            self.arm = arm;
            (pruned.live, pruned.weights)
        };
        let problem = Problem {
            network: network.clone(),
            mask,
            inputs: inputs.clone(),
            target: target.clone(),
            start: Some(start),
        };
        let trainer = Trainer::new(problem, self.config.clone()).map_err(bad)?;
        (self.trainer, self.before, self.why) = (trainer, weights, None);
        let kept = self.trainer.problem().mask.kept();
        answer(&serde_json::json!({ "kept": kept }), Vec::new())
    }

    /// Goes on at another rate.
    pub(super) fn rate(&mut self, wanted: &Rate) -> Answered<WatchedAnswer> {
        self.config = config(wanted.lr, self.config.seed)?;
        let (problem, state) = (self.trainer.problem().clone(), self.trainer.state().clone());
        self.trainer = Trainer::resume(problem, self.config.clone(), state).map_err(bad)?;
        answer(&wanted.lr, Vec::new())
    }

    /// The network as it stands, as text.
    pub(super) fn text(&self) -> Answered<WatchedAnswer> {
        let carried = CarriedNetwork {
            name: self.name.chars().take(80).collect(),
            target: self.target_id.clone(),
            coords: self.coords,
            size: self.trainer.problem().target.width,
            r2: Some(self.r2(&self.drawn())),
            ..CarriedNetwork::of(&self.model(), self.genome.as_ref())
        };
        let text = serde_json::to_string(&carried).map_err(bad)?;
        answer(&serde_json::json!({ "text": text }), Vec::new())
    }
}

/// How far to train, and what to show of it.
#[derive(Deserialize)]
pub(super) struct Step {
    steps: u64,
    /// Side of the picture; `None` for no picture.
    picture: Option<usize>,
    /// Side of every unit's map; `None` for no maps.
    maps: Option<usize>,
}

#[derive(Serialize)]
struct Stepped {
    step: u64,
    lines: Vec<(u64, f64)>,
    r2: f64,
    kept: usize,
    columns: usize,
    /// Bytes of the picture and of the maps; the weights follow them.
    picture: usize,
    maps: usize,
    why: Option<String>,
}

/// How many links stay.
#[derive(Deserialize)]
pub(super) struct Pruning {
    keep: usize,
    method: String,
}

/// The learning rate from now on.
#[derive(Deserialize)]
pub(super) struct Rate {
    lr: f64,
}
