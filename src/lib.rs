//! Networks that draw pictures: evolve them, retrain them, prune them, and measure whether they stay pictures when a
//! weight moves.
//!
//! A CPPN is a small network that is asked for the colour of every pixel. Found by evolution, it often draws another
//! clean picture when one weight changes. Trained by gradient descent to draw the same picture, it smears. This crate makes both kinds of network and
//! measures the difference. What every method is, and where its definition comes from, is in
//! `docs/METHODS.md`; the command `picloom` is built from the same functions.
//!
//! # The rooms
//!
//! In the order data flows through them; a room uses itself and those before it.
//!
//! | room | what it does |
//! |---|---|
//! | [`math`] | activations, colours, lanes |
//! | [`genome`] | the graph that evolution edits, and its files (our JSON, Picbreeder's XML) |
//! | [`evolve`] | operators, species, and every search behind one `ask` and `tell` |
//! | [`network`] | a genome as a flat network; pictures, feature maps, losses and gradients |
//! | [`train`] | gradient descent: optimizers, schedules, reasons to stop, checkpoints |
//! | [`prune`] | which links stay: every method under the same rules and guards |
//! | [`probe`] | change weights by a matched effect and look; no judgement |
//! | [`score`] | judges, labels to test them with, the compositional score, further measures |
//! | [`page`] | what a page is told of networks and sessions, whoever serves it |
//! | [`run`] | networks as they are kept: run folders, targets, sweeps that go on; opened from wherever they are |
//! | [`experiment`] | studies of networks, searches that are kept, benchmarks |
//! | [`site`] | the page that needs no server, as one file or a folder |
//! | `figures` | records as charts, picture sheets, reports (feature `figures`) |
//! | `studio` | a local web page: breed, look inside, compare, train (feature `studio`) |
//! | `cli` | the command line (feature `cli`) |
//!
//! # What to reach for
//!
//! | to | use |
//! |---|---|
//! | read or write a genome | [`genome::read`], [`genome::from_json`], [`genome::to_json`] |
//! | breed by eye | [`evolve::Breeding`], [`evolve::Session`], [`evolve::Selection`]; in a file: [`experiment::evolution::open`] |
//! | search by a number | [`evolve::Search`]; whole runs: [`experiment::evolution::evolve`] |
//! | a network of a genome, of an arch | [`network::Model`]; its topology alone: [`network::compile()`], [`network::layerize()`], [`network::Arch`] |
//! | a picture, what each unit draws | [`network::Model::picture`], [`network::Model::maps`] |
//! | a loss and its gradient | [`network::kernel::Objective`]; slow and plain: [`mod@network::reference`] |
//! | train | [`train::Trainer`] with a [`train::Problem`] and a [`train::TrainConfig`] |
//! | prune | [`prune::prune`] with an [`prune::EdgeContext`], a [`prune::Method`] and a [`prune::Rule`] |
//! | change weights | [`probe::View`]: its sweeps, strips and changed pictures; [`probe::directions`] |
//! | score | [`score::Protocol`], [`score::score`] with a [`score::Judge`], by default [`score::DlJudge`]; [`score::measures`] |
//! | open a kept network | [`run::Source`], [`run::load_target`], [`run::load_run`] |
//! | store runs and studies | [`run::train_run`], [`experiment::prune_run`], [`experiment::networks`] |
//! | serve the page | `studio::Studio`, `studio::bind` |
//!
//! # Features
//!
//! `cli`, `figures`, `studio` and `vlm` (a vision-language model as judge) are on by default. Without them
//! (`default-features = false`) everything up to [`experiment`] is there, and no argument parser, chart
//! library, web server or signal handler is built. `tls` lets the model be asked over HTTPS.
//!
//! # Six things to do
//!
//! Each is a file in `examples/` too, longer and with a picture: `cargo run --release --example breed`.
//!
//! **Breed**: a sheet of fifteen pictures, a choice, the next sheet.
//!
//! ```
//! use picloom::evolve::{Breeding, EvolveConfig, Preset, Selection, Session};
//!
//! let session = Session::new(EvolveConfig::preset(Preset::Picbreeder), 7, Vec::new());
//! let mut breeding = Breeding::new(session, &[])?;
//! breeding.select(Selection::of(&[3, 8]))?;
//! let sheet = breeding.now().genomes();
//! assert_eq!((breeding.at(), sheet.len()), (1, 15));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Render** a genome, and the layered network that draws the same picture.
//!
//! ```
//! use picloom::genome::from_json;
//! use picloom::network::{Coords, compile, kernel::picture, layerize};
//!
//! let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
//! let (network, weights) = compile(&genome);
//! let drawn = picture(&network, &weights, 32, Coords::Fer);
//! let twin = layerize(&genome);
//! let same = picture(&twin.network, &twin.weights, 32, Coords::Fer);
//! assert!(drawn.mse(&same) < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Train** a dense network to draw a picture, from random weights, by FER's recipe.
//!
//! ```
//! use picloom::network::{Arch, Coords, Mask, Picture, PixelInputs};
//! use picloom::train::{Problem, StopReason, TrainConfig, Trainer};
//!
//! let network = "3;gaussian:3,sin:3".parse::<Arch>()?.network();
//! let inputs = PixelInputs::full(16, Coords::Fer);
//! let target = Picture { width: 16, height: 16, rgb: inputs.plane(picloom::genome::Input::D)
//!     .unwrap().iter().flat_map(|&d| [(d < 0.8) as u8 as f32; 3]).collect() }; // a white disc
//! let mask = Mask::all(network.weight_count());
//! let problem = Problem { network, mask, inputs, target, start: None };
//! let config = TrainConfig { steps: 2000, target_loss: Some(0.02), ..TrainConfig::default() };
//! let report = Trainer::new(problem, config)?.run(&mut ());
//! assert_eq!(report.stop, StopReason::TargetLoss);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Prune** it: keep the twenty links whose two units draw most alike.
//!
//! ```
//! use picloom::base::SimRng;
//! use picloom::network::{Arch, Coords, Mask, PixelInputs, kernel::feature_maps};
//! use picloom::prune::{EdgeContext, Orphans, Rule, prune};
//! use picloom::train::{Init, init};
//!
//! let network = "2;cache:2,sin:2".parse::<Arch>()?.network();
//! let mask = Mask::all(network.weight_count());
//! let mut rng = SimRng::new(1, "example", 0);
//! let weights = init(&network, &mask, &Init::default(), &mut rng)?;
//! let maps = feature_maps(&network, &weights, &PixelInputs::full(16, Coords::Fer));
//! let context = EdgeContext::new(&network, &weights, &mask).with_maps(&maps);
//! let pruned = prune("sp".parse()?, Rule::Budget(20), Orphans::Refill, &context, &mut rng)?;
//! assert_eq!((pruned.kept, pruned.alive), (20, 20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Sweep**: move weights one at a time until the picture has changed by the same amount.
//!
//! ```
//! use picloom::genome::from_json;
//! use picloom::network::{Coords, Model, Wiring};
//! use picloom::probe::{Delta, View};
//!
//! let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
//! let view = View::new(&Model::of_genome(&genome, Wiring::Graph), 32, Coords::Fer);
//! let swept = view.sweep(&[0, 1, 2], Delta::Effect(0.18), &|_| {});
//! assert_eq!(swept.perturbations.len(), 6); // each weight down and up
//! for p in swept.perturbations.iter().filter(|p| !p.silent) {
//!     println!("link {} by {:+.3}: the picture changes by {:.3} RMSE", p.link, p.delta, p.rmse);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Score**: how likely the picture is still clean after such a change, the mean of the judge's probabilities.
//!
//! ```
//! use picloom::genome::from_json;
//! use picloom::network::{Coords, Model, Wiring};
//! use picloom::probe::{Delta, Selection};
//! use picloom::score::{DlJudge, Exhibit, score};
//!
//! let genome = from_json(include_str!("../genomes/bred_moth.json"))?;
//! let exhibit = Exhibit::new(&Model::of_genome(&genome, Wiring::Graph), 64, Coords::Fer, None);
//! let view = exhibit.view();
//! let links = Selection::Sample(8).links(view.model(), 0)?;
//! let swept = view.sweep(&links, Delta::default(), &|_| {});
//! let (score, judged) = score(&exhibit, &swept, &DlJudge::default())?;
//! assert_eq!(score.clean + score.damaged + score.silent, judged.len());
//! println!("{} of {} changes leave a clean picture", score.clean, judged.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
// `pub` is what another package calls: without the command, what only it calls is left over.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(feature = "cli")]
pub mod cli;
pub mod experiment;
#[cfg(feature = "figures")]
pub mod figures;
pub mod run;
pub mod site;
#[doc(inline)]
pub use picloom_engine::{base, evolve, genome, math, network, page, probe, prune, score, train};
#[doc(no_inline)]
pub use picloom_study as study;
#[cfg(feature = "studio")]
pub mod studio;
