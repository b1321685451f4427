//! The figures of the study, each drawn from records only, and the report made of them.
//!
//! In: a folder of records (`FOLDER/STUDY/record.json`, the views beside them, `FOLDER/claims.json`).
//! Out: SVG with a sentence that says in numbers what is to be seen. [`FIGURES`] is the table; a new
//! figure is a row of it, whatever kind of record it needs ([`Sources::read`]).
//!
//! | file | draws |
//! |---|---|
//! | [`wirings`](self) | evolved against dense, the evolved wiring retrained, sheets of changed weights and maps |
//! | `depth` | score by depth, depth by compression |
//! | `pruning`, `orthogonality` | methods at equal counts |
//! | `domain` | drawings that nobody evolved |
//! | `controls` | other ways of training |
//! | `volume` | the theory, alone and beside trained networks; structural compositionality |
//! | `verdicts` | the ledger as a forest plot |
//! | [`page`] | the table of the paper's figures in `docs/FIGURES.md` |
//! | [`report`] | the whole study in one page |

mod board;
mod controls;
mod data;
mod depth;
mod domain;
mod orthogonality;
pub mod page;
mod pruning;
pub mod report;
mod verdicts;
mod volume;
mod wirings;

use super::studies;
use crate::experiment::Record;
use crate::experiment::claims::Ledger;
use crate::experiment::networks::NetworksRecord;
use crate::experiment::training::TrainingRecord;
use crate::network::Picture;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The SVG.
    pub svg: String,
    /// What it says in numbers, in a sentence or two; may be empty.
    pub says: String,
}

impl From<String> for Drawing {
    fn from(svg: String) -> Self {
        Drawing { svg, says: String::new() }
    }
}

/// Why a figure was not drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// Its record is not there.
    #[error("{path}: expected a record of the study {study}, found no file; to make it: {make}")]
    Missing {
        /// The file.
        path: PathBuf,
        /// The study.
        study: String,
        /// The command that makes it.
        make: String,
    },
    /// A record or a picture beside it cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The record holds nothing of what the figure shows.
    #[error("{study}/record.json: expected {expected}, found none")]
    Nothing {
        /// The study.
        study: String,
        /// What is not in it.
        expected: String,
    },
}

/// One figure.
pub struct Figure {
    /// Its name: that of its files, and on the command line.
    pub name: &'static str,
    /// Studies whose records it is drawn from; its files lie beside the first's. None: the ledger.
    pub studies: &'static [&'static str],
    /// What it shows, in a sentence.
    pub shows: &'static str,
    /// Figures of the paper it answers to; `–` if it answers to a claim without a figure.
    pub paper: &'static str,
    /// Claims it belongs to.
    pub claims: &'static str,
    /// Draws it.
    pub draw: fn(&Sources) -> Result<Drawing, DrawError>,
}

impl Figure {
    /// Its files without extension, relative to the folder of the records.
    pub fn path(&self) -> PathBuf {
        match self.studies.first() {
            Some(study) => Path::new(study).join(self.name),
            None => PathBuf::from(self.name),
        }
    }

    /// The records it is drawn from, relative to their folder.
    pub fn records(&self) -> Vec<String> {
        match self.studies {
            [] => vec!["claims.json".into()],
            studies => studies.iter().map(|study| format!("{study}/record.json")).collect(),
        }
    }
}

/// Every figure, in the order of the paper's.
pub static FIGURES: &[Figure] = &[
    Figure {
        name: "evolved-against-dense",
        studies: &["wirings"],
        shows: "compositional score of evolved networks and of dense ones trained on the same pictures, by target",
        paper: "1",
        claims: "C1",
        draw: wirings::evolved_against_dense,
    },
    Figure {
        name: "evolved-wiring-retrained",
        studies: &["wirings"],
        shows: "the same beside the evolved wiring trained from random weights, as a graph and in layers",
        paper: "2",
        claims: "C2",
        draw: wirings::evolved_wiring_retrained,
    },
    Figure {
        name: "score-by-depth",
        studies: &["depth"],
        shows: "score against the number of hidden layers by target, dense and pruned; optimal depth by the one-standard-error rule",
        paper: "3, 16, 17",
        claims: "C5",
        draw: depth::score_by_depth,
    },
    Figure {
        name: "depth-predicted-by-compression",
        studies: &["depth"],
        shows: "optimal depth against the PNG ratio of the target with the Theil–Sen line and the depth predicted for each target left out",
        paper: "4",
        claims: "C6",
        draw: depth::predicted,
    },
    Figure {
        name: "out-of-domain",
        studies: &["out_of_domain"],
        shows: "score on drawings that no genome draws, at the predicted depth and 3 layers off it",
        paper: "5",
        claims: "C7",
        draw: domain::scores,
    },
    Figure {
        name: "volume-ratio",
        studies: &["theory"],
        shows: "share of networks that can be compositional, by depth and width, in four readings",
        paper: "6",
        claims: "C8",
        draw: |s| volume::of_theory(s, "volume-ratio"),
    },
    Figure {
        name: "fixed-budget",
        studies: &["theory"],
        shows: "chance that a network of exactly K edges has two separate spanning parts, by depth",
        paper: "6",
        claims: "C8",
        draw: |s| volume::of_theory(s, "fixed-budget"),
    },
    Figure {
        name: "monte-carlo-agreement",
        studies: &["theory"],
        shows: "exact probabilities against two Monte Carlo estimators",
        paper: "6",
        claims: "C8",
        draw: |s| volume::of_theory(s, "monte-carlo-agreement"),
    },
    Figure {
        name: "trained-counterpart",
        studies: &["depth"],
        shows: "trained networks beside what the theory expects of wirings like theirs",
        paper: "6",
        claims: "C8",
        draw: volume::counterpart,
    },
    Figure {
        name: "orthogonality",
        studies: &["pruning"],
        shows: "interference of the maps of a layer and its Welch bound by arm, with the control of SP's counts",
        paper: "8",
        claims: "C9",
        draw: orthogonality::interference,
    },
    Figure {
        name: "interference-bounds",
        studies: &["pruning"],
        shows: "interference of every layer against its Welch bound",
        paper: "8",
        claims: "C9",
        draw: volume::bounds,
    },
    Figure {
        name: "volume-ratio-by-parts",
        studies: &["theory"],
        shows: "the volume ratio by the number of parts P, with the best depth of each",
        paper: "9",
        claims: "C10",
        draw: |s| volume::of_theory(s, "volume-ratio-by-parts"),
    },
    Figure {
        name: "perturbation-sheets",
        studies: &["wirings"],
        shows: "what evolved, dense and retrained networks draw when one weight is changed, with the verdicts",
        paper: "10–12, 18–23",
        claims: "C1, C2",
        draw: wirings::perturbation_sheets,
    },
    Figure {
        name: "feature-maps",
        studies: &["wirings"],
        shows: "maps of the units of evolved, dense and pruned networks, layer by layer",
        paper: "10–12",
        claims: "C1",
        draw: wirings::feature_maps,
    },
    Figure {
        name: "muon-newton-schulz",
        studies: &["optimizers"],
        shows: "loss at the end of training by Newton–Schulz steps of Muon, with the exact polar factor",
        paper: "13",
        claims: "C11",
        draw: |s| optimizers(s, "muon-newton-schulz"),
    },
    Figure {
        name: "muon-loss",
        studies: &["optimizers"],
        shows: "training loss of Muon by Newton–Schulz steps, at four learning rates",
        paper: "13",
        claims: "C11",
        draw: |s| optimizers(s, "muon-loss"),
    },
    Figure {
        name: "out-of-domain-pictures",
        studies: &["out_of_domain"],
        shows: "each drawing, what the networks draw of it, and what they draw when one weight is changed",
        paper: "24–29",
        claims: "C7",
        draw: domain::pictures,
    },
    Figure {
        name: "pruning-score",
        studies: &["pruning"],
        shows: "score by pruning method at both levels, with links kept and alive",
        paper: "30–37",
        claims: "C3, C4",
        draw: pruning::score,
    },
    Figure {
        name: "pruning-score-by-target",
        studies: &["pruning"],
        shows: "the same target by target",
        paper: "30–37",
        claims: "C3, C4",
        draw: pruning::by_target,
    },
    Figure {
        name: "pruning-score-against-kept",
        studies: &["pruning"],
        shows: "score against the links kept, method by method",
        paper: "30–37",
        claims: "C3, C4",
        draw: pruning::against_kept,
    },
    Figure {
        name: "pruning-score-against-loss",
        studies: &["pruning"],
        shows: "score against the loss, network by network",
        paper: "30–37",
        claims: "C3",
        draw: pruning::against_loss,
    },
    Figure {
        name: "pruning-maps",
        studies: &["pruning"],
        shows: "maps of the units before and after pruning",
        paper: "30–37",
        claims: "C3, C9",
        draw: pruning::maps,
    },
    Figure {
        name: "pruning-pictures",
        studies: &["pruning"],
        shows: "what pruned networks draw, and what they draw when one weight is changed",
        paper: "30–37",
        claims: "C3",
        draw: pruning::pictures,
    },
    Figure {
        name: "optimizer-loss-by-steps",
        studies: &["optimizers"],
        shows: "training loss by optimizer at four learning rates, against steps",
        paper: "38–41",
        claims: "C11",
        draw: |s| optimizers(s, "optimizer-loss-by-steps"),
    },
    Figure {
        name: "optimizer-loss-by-evaluations",
        studies: &["optimizers"],
        shows: "the same against gradient evaluations",
        paper: "38–41",
        claims: "C11",
        draw: |s| optimizers(s, "optimizer-loss-by-evaluations"),
    },
    Figure {
        name: "raw-graph-loss",
        studies: &["wirings"],
        shows: "training loss of the raw evolved graph, of its links in layers and of the dense twin",
        paper: "–",
        claims: "C12",
        draw: wirings::raw_graph_loss,
    },
    Figure {
        name: "decodable-against-organised",
        studies: &["wirings"],
        shows: "score against what can be decoded linearly from the last hidden layer, evolved and dense",
        paper: "–",
        claims: "C14",
        draw: wirings::decodable_against_organised,
    },
    Figure {
        name: "controls-depth",
        studies: &["controls"],
        shows: "score at three depths under other rates, schedules, initial weights, optimizers and fewer pixels",
        paper: "–",
        claims: "C15",
        draw: controls::depth,
    },
    Figure {
        name: "controls-pruning",
        studies: &["controls"],
        shows: "score of SP less that of random links with its counts, under the same",
        paper: "–",
        claims: "C15",
        draw: controls::pruning,
    },
    Figure {
        name: "structural-compositionality",
        studies: &["structural"],
        shows: "do parts of a picture live in subnetworks of their own: D_sub and D_abl by arm, beside random masks",
        paper: "–",
        claims: "C13",
        draw: |s| volume::of_structural(s, "structural-compositionality"),
    },
    Figure {
        name: "structural-parts",
        studies: &["structural"],
        shows: "the same part by part: SC of every part of every picture",
        paper: "–",
        claims: "C13",
        draw: |s| volume::of_structural(s, "structural-parts"),
    },
    Figure {
        name: "claims",
        studies: &[],
        shows: "the effects every claim is decided on, with intervals and verdicts",
        paper: "–",
        claims: "C1–C15",
        draw: verdicts::forest,
    },
];

/// The figure of this name.
pub fn figure(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.name == name)
}

/// The records of a folder, each read once, when it is asked for.
pub struct Sources {
    folder: PathBuf,
    ledger: Option<Ledger>,
    read: RefCell<BTreeMap<PathBuf, Rc<dyn Any>>>,
}

impl Sources {
    /// The records under `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Sources { folder: folder.into(), ledger: None, read: RefCell::new(BTreeMap::new()) }
    }

    /// With this ledger in place of `claims.json`.
    pub fn with_ledger(mut self, ledger: Ledger) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// The folder of the records.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// `FOLDER/STUDY/record.json`.
    pub fn path(&self, study: &str) -> PathBuf {
        self.folder.join(study).join("record.json")
    }

    /// The record of `study`, of any kind, by its own reader.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn read<R: 'static, E: std::fmt::Display>(
        &self,
        study: &str,
        reader: impl FnOnce(&Path) -> Result<R, E>,
    ) -> Result<Rc<R>, DrawError> {
        self.cached(self.path(study), study, reader)
    }

    fn cached<R: 'static, E: std::fmt::Display>(
        &self,
        path: PathBuf,
        study: &str,
        reader: impl FnOnce(&Path) -> Result<R, E>,
    ) -> Result<Rc<R>, DrawError> {
        let known = self.read.borrow().get(&path).cloned();
        if let Some(record) = known.and_then(|r| r.downcast::<R>().ok()) {
            return Ok(record);
        }
        if !path.exists() {
            return Err(DrawError::Missing {
                study: study.into(),
                make: make(study, &self.folder),
                path,
            });
        }
        let record = reader(&path).map_err(|e| DrawError::Unreadable(e.to_string()))?;
        let record = Rc::new(record);
        self.read.borrow_mut().insert(path, record.clone());
        Ok(record)
    }

    /// The record of a networks study.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn networks(&self, study: &str) -> Result<Rc<NetworksRecord>, DrawError> {
        self.read(study, NetworksRecord::read)
    }

    /// The claims: those given, or `FOLDER/claims.json`.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub fn ledger(&self) -> Result<Rc<Ledger>, DrawError> {
        match &self.ledger {
            Some(ledger) => Ok(Rc::new(ledger.clone())),
            None => {
                let path = self.folder.join("claims.json");
                self.cached(path, "claims", Ledger::read)
            }
        }
    }

    /// A picture beside the record of `study`.
    fn picture(&self, study: &str, file: &str) -> Result<Rc<Picture>, DrawError> {
        let path = self.folder.join(study).join(file);
        let known = self.read.borrow().get(&path).cloned();
        if let Some(picture) = known.and_then(|r| r.downcast::<Picture>().ok()) {
            return Ok(picture);
        }
        let picture = Picture::read(&path).map_err(|e| DrawError::Unreadable(e.to_string()))?;
        let picture = Rc::new(picture);
        self.read.borrow_mut().insert(path, picture.clone());
        Ok(picture)
    }

    /// Name and profile of every record a figure is drawn from, as far as they are there: for its
    /// provenance.
    pub fn profile(&self, figure: &Figure) -> String {
        let profiles: Vec<String> = figure
            .studies
            .iter()
            .filter_map(|study| {
                let text = std::fs::read_to_string(self.path(study)).ok()?;
                let json: serde_json::Value = serde_json::from_str(&text).ok()?;
                Some(json["profile"].as_str()?.to_string())
            })
            .collect();
        match profiles.is_empty() {
            true => "of the records named in it".into(),
            false => profiles.join(", "),
        }
    }
}

/// The command that makes the record of `study` in `folder`.
pub fn make(study: &str, folder: &Path) -> String {
    match study {
        "claims" => "picloom claims".into(),
        _ => format!(
            "picloom experiment run experiments/{study}.toml --profile quick --runs {}",
            folder.display()
        ),
    }
}

/// A figure of the optimizers study.
fn optimizers(sources: &Sources, name: &str) -> Result<Drawing, DrawError> {
    let record = sources.read("optimizers", TrainingRecord::read)?;
    let figure = studies::figure(name).expect("a test holds the two tables together");
    Ok((figure.draw)(&record).into())
}

/// Fails if there is nothing of what is to be drawn.
fn some<T>(found: Vec<T>, study: &str, expected: &str) -> Result<Vec<T>, DrawError> {
    match found.is_empty() {
        true => Err(DrawError::Nothing { study: study.into(), expected: expected.into() }),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_other_table_is_in_this_one() {
        for f in FIGURES {
            assert!(std::ptr::eq(figure(f.name).unwrap(), f), "{}", f.name);
        }
        for f in studies::FIGURES {
            let row = figure(f.name).unwrap();
            assert_eq!((row.studies, row.paper), (&[f.study][..], f.paper));
            assert_eq!(row.shows, f.shows);
        }
        for f in crate::figures::theory::FIGURES {
            assert_eq!(figure(f.name).unwrap().studies, [f.study], "{}", f.name);
        }
        for f in crate::figures::structural::FIGURES {
            assert_eq!(figure(f.name).unwrap().studies, [f.study], "{}", f.name);
        }
    }

    #[test]
    fn a_missing_record_says_where_it_should_be_and_how_to_make_it() {
        let folder = tempfile::tempdir().unwrap();
        let sources = Sources::new(folder.path());
        let error = sources.networks("depth").unwrap_err().to_string();
        assert!(error.contains("depth/record.json") || error.contains("depth\\record.json"));
        assert!(error.contains("experiments/depth.toml"), "{error}");
        std::fs::create_dir(folder.path().join("depth")).unwrap();
        std::fs::write(sources.path("depth"), "{}").unwrap();
        assert!(matches!(sources.networks("depth"), Err(DrawError::Unreadable(_))));
    }
}
