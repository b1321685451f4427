//! Training as somebody looks on: a few steps an answer, with the picture, the loss and every unit's map; links can
//! be pruned and given back meanwhile.

use crate::held::{Loaded, short, stem};
use crate::state::{Answer, Answered, Desk, Training};
use picloom_engine::base::SimRng;
use picloom_engine::genome::Palette;
use picloom_engine::network::kernel::feature_maps;
use picloom_engine::network::{Mask, Model, Picture, PixelInputs, Weights, Wiring};
use picloom_engine::page::{Atlas, Drawing, NetworkRequest, Shelf};
use picloom_engine::prune::{EdgeContext, Method, Orphans, Rule};
use picloom_engine::train::{
    LogLine, Problem, Schedule, TrainConfig, TrainObserver, TrainState, Trainer,
};
use serde::{Deserialize, Serialize};

/// Steps after which a training that nobody stops ends.
const MOST_STEPS: u64 = 1_000_000;
/// Steps between two points of the curve.
const LOG_EVERY: u64 = 10;

/// A request for a training. Where the request has bytes, they are the picture: RGB, `size`² pixels.
#[derive(Deserialize)]
pub(crate) struct BeginTraining {
    size: usize,
    seed: u64,
    lr: f64,
}

#[derive(Serialize)]
struct Begun<'a> {
    job: usize,
    name: &'a str,
    size: usize,
    /// Links that there are at most.
    most: usize,
    #[serde(flatten)]
    drawing: Drawing,
}

struct Chunk {
    left: u64,
    lines: Vec<(u64, f64)>,
    before: u64,
}

impl TrainObserver for Chunk {
    fn logged(&mut self, line: &LogLine) {
        if line.loss.is_finite() {
            self.lines.push((self.before + line.step, line.loss));
        }
    }

    fn step_done(&mut self, _: &TrainState) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

fn config(lr: f64, seed: u64) -> Result<TrainConfig, String> {
    if !(lr.is_finite() && lr > 0.0 && lr <= 1.0) {
        return Err(format!("rate: expected a number above 0 and at most 1, found {lr}"));
    }
    Ok(TrainConfig {
        steps: MOST_STEPS,
        seed,
        log_every: LOG_EVERY,
        schedule: Schedule::constant(lr),
        ..TrainConfig::default()
    })
}

/// Begins a training: the picture to learn follows, as it is trained on.
pub(crate) fn begin(
    desk: &mut Desk,
    asked: &NetworkRequest,
    wanted: &BeginTraining,
    bytes: &[u8],
) -> Answered {
    let size = wanted.size;
    if !(16..=128).contains(&size) {
        return Err(format!("size: expected 16 to 128 pixels, found {size}"));
    }
    let of = desk.network(asked)?;
    let own = bytes.is_empty();
    if !own && bytes.len() != 3 * size * size {
        return Err(format!("picture: expected {} bytes, found {}", 3 * size * size, bytes.len()));
    }
    let target_id = match (&of.learned, own) {
        (_, false) => String::new(),
        (Some((target, _)), true) => target.clone(),
        (None, true) => asked.id.clone(),
    };
    let target = match own {
        false => {
            let rgb = bytes.iter().map(|b| f32::from(*b) / 255.0).collect();
            Picture { width: size, height: size, rgb }
        }
        true => {
            let evolved = NetworkRequest::graph(&target_id);
            let known = if target_id.is_empty() { of.clone() } else { desk.network(&evolved)? };
            known.model.picture(size, known.coords)
        }
    };
    let trained = of.learned.is_some() && own;
    let name = match own {
        true => format!("{}: {}", short(stem(&target_id), 40), says(asked.wiring)),
        false => format!("my picture: {}", says(asked.wiring)),
    };
    let loaded = Loaded {
        model: of.model.clone(),
        genome: of.genome.clone(),
        coords: of.coords,
        size,
        name: if trained { of.name.clone() } else { name },
        what: "trained network".into(),
        learned: None,
        palette: if own { of.palette } else { Palette::Free },
    };
    let config = config(wanted.lr, wanted.seed)?;
    let most = loaded.model.mask.clone();
    let start = trained.then(|| loaded.model.weights.clone());
    let training = Training::new(loaded, config, most, start, target, target_id)?;
    let now = Model {
        weights: training.trainer.state().weights.clone(),
        ..training.loaded.model.clone()
    };
    let palette = training.loaded.palette;
    let drawing = Drawing::of(&now, None, training.loaded.coords, palette);
    let job = desk.trainings.keys().last().map_or(1, |last| last + 1);
    let target = shown(training.trainer.problem().target.clone(), palette);
    let most = training.most.kept();
    let answer =
        Answer::with(&Begun { job, name: &training.loaded.name, size, most, drawing }, target);
    desk.trainings.insert(job, training);
    answer
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
    fn new(
        loaded: Loaded,
        config: TrainConfig,
        most: Mask,
        start: Option<Weights>,
        target: Picture,
        target_id: String,
    ) -> Result<Self, String> {
        let problem = Problem {
            network: loaded.model.network.clone(),
            mask: most.clone(),
            inputs: PixelInputs::full(target.width, loaded.coords),
            target,
            start,
        };
        let variance = problem.target.variance().max(f64::MIN_POSITIVE);
        let trainer = Trainer::new(problem, config.clone()).map_err(|e| e.to_string())?;
        let before = trainer.state().weights.clone();
        Ok(Training {
            trainer,
            config,
            loaded,
            most,
            before,
            target_id,
            variance,
            steps: 0,
            why: None,
        })
    }

    fn weights(&self) -> &Weights {
        &self.trainer.state().weights
    }

    /// The model as it stands.
    fn model(&self) -> Model {
        let Problem { network, mask, .. } = self.trainer.problem();
        Model { network: network.clone(), mask: mask.clone(), weights: self.weights().clone() }
    }

    /// Draws it at the size that it is trained at.
    fn drawn(&self) -> Picture {
        self.model().picture(self.trainer.problem().target.width, self.loaded.coords)
    }

    fn r2(&self, drawn: &Picture) -> f64 {
        1.0 - drawn.mse(&self.trainer.problem().target) / self.variance
    }

    /// Keeps the best `keep` links by a method's scores; the weights of all others are as they were before they went.
    fn prune(&mut self, method: Method, keep: usize) -> Result<(), String> {
        let Problem { network, mask, inputs, target, .. } = self.trainer.problem();
        let mut weights = self.before.clone();
        for (i, kept) in mask.0.iter().enumerate() {
            if *kept {
                weights.0[i] = self.weights().0[i];
            }
        }
        let all = self.most.kept();
        let (mask, start) = if keep >= all {
            (self.most.clone(), weights.clone())
        } else {
            let maps = feature_maps(network, &weights, inputs);
            let context = EdgeContext::new(network, &weights, &self.most).with_maps(&maps);
            let rule = Rule::Budget(keep.max(1));
            let rng = &mut SimRng::new(self.config.seed, "prune", 0);
            let pruned = picloom_engine::prune::prune(method, rule, Orphans::Refill, &context, rng);
            let pruned = pruned.map_err(|e| e.to_string())?;
            (pruned.live, pruned.weights)
        };
        let problem = Problem {
            network: network.clone(),
            mask,
            inputs: inputs.clone(),
            target: target.clone(),
            start: Some(start),
        };
        let trainer = Trainer::new(problem, self.config.clone()).map_err(|e| e.to_string())?;
        self.steps += self.trainer.state().step;
        (self.trainer, self.before, self.why) = (trainer, weights, None);
        Ok(())
    }
}

fn known(desk: &mut Desk, job: usize) -> Result<&mut Training, String> {
    let gone = "this page does not have the training any more; begin it again";
    desk.trainings.get_mut(&job).ok_or_else(|| gone.into())
}

/// How far to train, and what to show of it.
#[derive(Deserialize)]
pub(crate) struct Step {
    job: usize,
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

/// Trains on; the picture, the maps and the weights follow.
pub(crate) fn step(desk: &mut Desk, wanted: &Step) -> Answered {
    let training = known(desk, wanted.job)?;
    let mut chunk = Chunk { left: wanted.steps, lines: Vec::new(), before: training.steps };
    if wanted.steps > 0 && training.why.is_none() {
        let report = training.trainer.run(&mut chunk);
        let stop = serde_json::to_value(report.stop).map_err(|e| e.to_string())?;
        let reason = stop["reason"].as_str().unwrap_or_default();
        training.why = (reason != "interrupted").then(|| reason.to_string());
    }
    let model = training.model();
    let coords = training.loaded.coords;
    let mut bytes = Vec::new();
    let drawn = training.drawn();
    if let Some(size) = wanted.picture {
        bytes.extend(match size == drawn.width {
            true => shown(drawn.clone(), training.loaded.palette),
            false => shown(model.picture(size.clamp(8, 512), coords), training.loaded.palette),
        });
    }
    let picture = bytes.len();
    let mut columns = 0;
    if let Some(size) = wanted.maps {
        let size = size.clamp(8, 128);
        let inputs = PixelInputs::full(size, coords);
        let atlas = Atlas::of_units(&model, &model.weights, &inputs, size);
        columns = atlas.columns;
        bytes.extend(atlas.picture.to_rgba());
    }
    let maps = bytes.len() - picture;
    bytes.extend(model.weights.0.iter().flat_map(|w| w.to_le_bytes()));
    let (step, why) = (training.steps + training.trainer.state().step, training.why.clone());
    let stepped = Stepped {
        step,
        lines: chunk.lines,
        r2: training.r2(&drawn),
        kept: model.mask.kept(),
        columns,
        picture,
        maps,
        why,
    };
    Answer::with(&stepped, bytes)
}

/// How many links stay.
#[derive(Deserialize)]
pub(crate) struct Pruning {
    job: usize,
    keep: usize,
    method: String,
}

/// Keeps the links that a method scores highest; training goes on from there.
pub(crate) fn prune(desk: &mut Desk, wanted: &Pruning) -> Answered {
    let method = match wanted.method.as_str() {
        "sp" => Method::Sp(Default::default()),
        "magnitude" => Method::Magnitude(Default::default()),
        "random" => Method::Random(Default::default()),
        other => return Err(format!("method: expected sp, magnitude or random, found {other:?}")),
    };
    let training = known(desk, wanted.job)?;
    training.prune(method, wanted.keep)?;
    Answer::of(&serde_json::json!({ "kept": training.trainer.problem().mask.kept() }))
}

/// Goes on at another rate.
pub(crate) fn rate(desk: &mut Desk, job: usize, lr: f64) -> Answered {
    let training = known(desk, job)?;
    training.config = config(lr, training.config.seed)?;
    let (problem, state) = (training.trainer.problem().clone(), training.trainer.state().clone());
    training.trainer =
        Trainer::resume(problem, training.config.clone(), state).map_err(|e| e.to_string())?;
    Answer::of(&lr)
}

/// The network as it stands, as text.
pub(crate) fn text(desk: &mut Desk, job: usize) -> Answered {
    let training = known(desk, job)?;
    let r2 = training.r2(&training.drawn());
    let text = training.loaded.carry(&training.model(), &training.target_id, r2);
    Answer::of(
        &serde_json::json!({ "text": serde_json::to_string(&text).map_err(|e| e.to_string())? }),
    )
}

/// Lets a training go.
pub(crate) fn end(desk: &mut Desk, job: usize) -> Answered {
    desk.trainings.remove(&job);
    Answer::of(&job)
}
