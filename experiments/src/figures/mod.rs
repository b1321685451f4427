//! The figures of the study, each drawn from records only, and the report made of them.
//!
//! In: a folder of records (`FOLDER/STUDY/rows.csv.gz`, the views beside them, `FOLDER/claims.json`).
//! Out: SVG with a sentence that says in numbers what is to be seen. [`FIGURES`] is the table. A new figure
//! is a `[[figures]]` of its study's spec; only a figure that this cannot describe is a row of `FIGURES`.
//!
//! | file | draws |
//! |---|---|
//! | `pictures` | grids of pictures; what stands in charts is [`picloom::figures::charts`] |
//! | `networks`, `data` | what they take from a networks record |
//! | `wirings` | sheets of changed weights and maps, losses of the evolved graph |
//! | `depth` | depth by compression |
//! | `regime` | pictures of networks of neighbouring depths |
//! | `pruning` | maps and pictures of pruned networks |
//! | `orthogonality` | interference of the maps of a layer |
//! | `domain` | pictures of drawings that nobody evolved |
//! | `of_specs` | the `[[figures]]` of the specs |
//! | `optimizers` | loss by optimizer, Muon by its Newton–Schulz steps |
//! | `theory` | the theory, alone and beside trained networks |
//! | `structural` | do parts of a picture live in subnetworks of their own |
//! | `verdicts` | the ledger as a forest plot |
//! | [`page`] | the table of the paper's figures in `figures/README.md` |
//! | [`report`] | the whole study in one page |

#[doc(hidden)]
pub(crate) mod arms;
mod board;
mod data;
mod depth;
mod domain;
mod mechanisms;
mod networks;
mod of_specs;
mod optimizers;
mod orthogonality;
#[cfg(test)]
pub(crate) mod page;
mod pictures;
mod pruning;
mod regime;
pub(crate) mod report;
mod structural;
#[doc(hidden)]
pub(crate) mod theory;
mod verdicts;
mod wirings;

pub(crate) use networks::Drawing;

use crate::claims::Ledger;
use networks::Nothing;
use picloom::base::files::{LARGEST_STATE, read_text};
use picloom::base::text::word;
use picloom::experiment::networks::NetworksRecord;
use picloom::network::Picture;
use picloom::study::Record;
use picloom::study::contrast::{Basis, Found};
use picloom::study::grid::{Grid, GridRecord};
use picloom::study::record::{ROWS, STUDY, study_of};
use picloom::study::spec::STANDARD;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

/// Why a figure was not drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DrawError {
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
    #[error("{study}: expected {expected}, found none")]
    Nothing {
        /// The study.
        study: String,
        /// The thing that is missing.
        expected: String,
    },
}

impl From<Nothing> for DrawError {
    fn from(Nothing { study, expected }: Nothing) -> Self {
        DrawError::Nothing { study, expected }
    }
}

/// Draws a figure from records.
pub(crate) type Draw = dyn Fn(&Sources) -> Result<Drawing, DrawError> + Send + Sync;

/// One figure.
pub(crate) struct Figure {
    /// Its name: that of its files, and on the command line.
    pub name: &'static str,
    /// Studies whose records it is drawn from; its files lie beside the first's. Empty: the ledger.
    pub studies: &'static [&'static str],
    /// A description, in a sentence.
    pub shows: &'static str,
    /// Figures of the paper it answers to; `–` if it answers to a claim without a figure.
    pub paper: &'static str,
    /// Claims it belongs to.
    pub claims: &'static str,
    /// Draws it.
    pub draw: Box<Draw>,
}

impl Figure {
    /// Its files without extension, relative to the folder of the records.
    pub(crate) fn path(&self) -> PathBuf {
        match self.studies.first() {
            Some(study) => Path::new(study).join(self.name),
            None => PathBuf::from(self.name),
        }
    }

    /// The records it is drawn from, relative to their folder.
    pub(crate) fn records(&self) -> Vec<String> {
        match self.studies {
            [] => vec!["claims.json".into()],
            studies => studies.iter().map(|study| format!("{study}/rows.csv.gz")).collect(),
        }
    }
}

/// Builds [`drawn`]: name, studies, figure of the paper, claims, drawer; caption.
macro_rules! figures {
    ($($name:literal, [$($study:literal),*], $paper:literal, $claims:literal, $draw:expr; $shows:literal;)*) => {
        /// The figures that no spec can describe.
        fn drawn() -> Vec<Figure> {
            vec![$(Figure {
                name: $name,
                studies: &[$($study),*],
                shows: $shows,
                paper: $paper,
                claims: $claims,
                draw: Box::new($draw),
            }),*]
        }
    };
}

figures! {
    "depth-predicted-by-compression", ["depth"], "4", "C6", depth::predicted;
        "optimal depth against the PNG ratio of the target with the Theil–Sen line and the depth predicted for each target left out";
    "volume-ratio", ["theory"], "6", "C8", |s| Ok(theory::volume_ratio(&*record(s, "theory")?).into());
        "share of networks that can be compositional, by depth and width, in four readings";
    "fixed-budget", ["theory"], "6", "C8", |s| Ok(theory::fixed_budget(&*record(s, "theory")?).into());
        "chance that a network of exactly K edges has two separate spanning parts, by depth";
    "monte-carlo-agreement", ["theory"], "6", "C8", |s| Ok(theory::monte_carlo_agreement(&*record(s, "theory")?).into());
        "exact probabilities against two Monte Carlo estimators";
    "trained-counterpart", ["depth"], "6", "C8", theory::trained_counterpart;
        "trained networks beside what the theory expects of wirings like theirs, depths compared within targets";
    "mechanisms", ["mechanisms"], "7", "–", mechanisms::against_dense;
        "flatness, gradient noise and norm of pruned and nearly evolved networks against dense ones, where they fit equally";
    "orthogonality-by-share", ["regime"], "8", "C9", orthogonality::against_parent;
        "interference of the maps of a layer less that of the dense parent, by kept share, with both controls";
    "interference-bounds", ["pruning"], "8", "C9", orthogonality::bounds;
        "interference of every layer against its Welch bound, and what it exceeds it by, target by target";
    "volume-ratio-by-parts", ["theory"], "9", "C10", |s| Ok(theory::volume_ratio_by_parts(&*record(s, "theory")?).into());
        "the volume ratio by the number of parts P, with the best depth of each; that the paper's Fig. 9 shows this is a guess";
    "perturbation-sheets", ["wirings"], "10–12", "C1, C2", wirings::perturbation_sheets;
        "what evolved, dense and retrained networks draw when one weight is changed, with the verdicts";
    "feature-maps", ["wirings"], "10–12", "C1", wirings::feature_maps;
        "maps of the units of evolved, dense and pruned networks, layer by layer";
    "optimizer-pictures", ["optimizer_scores"], "18–23", "C11", optimizers::pictures;
        "what SP's networks of three optimizers draw when one weight is changed";
    "muon-loss", ["optimizers"], "13", "C11", |s| Ok(optimizers::muon_loss(&*record(s, "optimizers")?).into());
        "training loss of Muon by Newton–Schulz steps, at four learning rates";
    "out-of-domain-pictures", ["out_of_domain"], "24–29", "C7", domain::pictures;
        "each drawing, what the networks draw of it, and what they draw when one weight is changed";
    "pruning-maps", ["pruning"], "30–37", "C3, C9", pruning::maps;
        "maps of the units before and after pruning";
    "pruning-pictures", ["pruning"], "30–37", "C3", pruning::sheets;
        "what pruned networks draw, and what they draw when one weight is changed";
    "optimizer-loss-by-steps", ["optimizers"], "38–41", "C11", |s| Ok(optimizers::optimizer_loss(&*record(s, "optimizers")?, false).into());
        "training loss by optimizer at four learning rates, against steps";
    "optimizer-loss-by-evaluations", ["optimizers"], "38–41", "C11", |s| Ok(optimizers::optimizer_loss(&*record(s, "optimizers")?, true).into());
        "the same against gradient evaluations";
    "raw-graph-loss", ["wirings"], "–", "C12", wirings::raw_graph_loss;
        "training loss of the raw evolved graph, of its links in layers and of the dense twin";
    "structural-compositionality", ["structural"], "–", "C13", |s| Ok(structural::by_arm(&*record(s, "structural")?)?.into());
        "do parts of a picture live in subnetworks of their own: D_sub and D_abl by arm, beside random masks";
    "structural-parts", ["structural"], "–", "C13", |s| Ok(structural::by_part(&*record(s, "structural")?)?.into());
        "the same part by part: SC of every part of every picture";
    "structural-penalty", ["structural"], "–", "C13", |s| Ok(structural::by_penalty(&*record(s, "structural")?)?.into());
        "the same with masks learned under other penalties on their links";
    "neighbouring-depths", ["regime"], "16, 17", "C5", regime::neighbours_changed;
        "what SP's networks of one layer fewer, as many and one more draw when one weight is changed";
    "multi-cppn", ["regime"], "42–44", "C5", regime::neighbours_maps;
        "maps of the units of the same three networks side by side; that the paper's \"Multi-CPPN\" means this is a guess";
    "claims", [], "–", "C1–C15", verdicts::forest;
        "the effects every claim is decided on, those of one kind on one axis, with intervals and verdicts";
}

/// Every figure, in the order of the paper's: those drawn here, and the `[[figures]]` of the specs.
pub(crate) static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| {
    picloom::figures::style::add_arms(&arms::OWN);
    let mut all = drawn();
    all.extend(of_specs::figures().unwrap_or_else(|error| panic!("{error}")));
    let number = |figure: &Figure| {
        let digits = figure.paper.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(u32::MAX)
    };
    all.sort_by_key(|figure| (figure.studies.is_empty(), number(figure)));
    all
});

/// The figure of this name.
pub(crate) fn figure(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|figure| figure.name == name)
}

/// The records of a folder, each read once, when it is asked for.
pub(crate) struct Sources {
    folder: PathBuf,
    read: RefCell<BTreeMap<PathBuf, Rc<dyn Any>>>,
}

impl Sources {
    /// The records under `folder`.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Sources { folder: folder.into(), read: RefCell::new(BTreeMap::new()) }
    }

    /// The folder of the records.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// `FOLDER/STUDY`, the folder of its record.
    pub(crate) fn path(&self, study: &str) -> PathBuf {
        self.folder.join(study)
    }

    /// The record of `study`, of any kind, by its own reader.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub(crate) fn read<R: 'static, E: std::fmt::Display>(
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
        if !path.join(STUDY).exists() && !path.is_file() {
            return Err(DrawError::Missing {
                study: study.into(),
                make: make(study, PROFILE, &self.folder),
                path: if study == "claims" { path } else { path.join(ROWS) },
            });
        }
        // A study of one's own may take a study's place, another one's record may not.
        let is_other = |other: &String| {
            other != study && FIGURES.iter().any(|f| f.studies.contains(&other.as_str()))
        };
        if let Some(other) = study_of(&path).filter(is_other) {
            let path = path.display();
            let found = format!("{path}: expected a record of {study}, found one of {other}");
            return Err(DrawError::Unreadable(found));
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
    pub(crate) fn networks(&self, study: &str) -> Result<Rc<NetworksRecord>, DrawError> {
        self.read(study, NetworksRecord::read)
    }

    /// The claims, `FOLDER/claims.json`.
    ///
    /// # Errors
    /// It is not there, or cannot be read.
    pub(crate) fn ledger(&self) -> Result<Rc<Ledger>, DrawError> {
        self.cached(self.folder.join("claims.json"), "claims", Ledger::read)
    }

    /// The ledger's results of a contrast of a study, on the given basis or the one that decides.
    ///
    /// # Errors
    /// There is no ledger.
    fn found(
        &self,
        study: &str,
        contrast: &str,
        basis: Option<&Basis>,
    ) -> Result<Vec<Found>, DrawError> {
        Ok(self.ledger()?.found(study, contrast, basis).into_iter().cloned().collect())
    }

    /// The same of several contrasts in a caption's words; empty without a ledger.
    fn said(&self, study: &str, contrasts: &[&str]) -> Vec<String> {
        let found = contrasts.iter().flat_map(|id| self.found(study, id, None).unwrap_or_default());
        found.map(|found| data::says(&found)).collect()
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

    /// The profile of the record of `study`, if it is there and of one.
    pub(crate) fn profile_of(&self, study: &str) -> Option<String> {
        #[derive(serde::Deserialize)]
        struct Head {
            profile: Option<String>,
        }
        let text = read_text(&self.path(study).join(STUDY), LARGEST_STATE).ok()?;
        serde_json::from_str::<Head>(&text).ok()?.profile
    }

    /// Name and profile of every record a figure is drawn from, as far as they are there: for its
    /// provenance.
    pub(crate) fn profile(&self, figure: &Figure) -> String {
        let profiles: Vec<String> =
            figure.studies.iter().filter_map(|study| self.profile_of(study)).collect();
        match profiles.is_empty() {
            true => "of the records named in it".into(),
            false => profiles.join(", "),
        }
    }
}

/// The profile of commands for records that are not there yet.
pub(crate) const PROFILE: &str = "quick";

/// The command that makes the record of `study` in `folder`.
pub(crate) fn make(study: &str, profile: &str, folder: &Path) -> String {
    match study {
        "claims" => "picloom-experiments claims".into(),
        _ => format!(
            "picloom-experiments run {} --store {}",
            spec(study, profile),
            word(folder.display())
        ),
    }
}

/// The command that copies the record of `study` out of its runs.
fn collect(study: &str, profile: &str, runs: &Path, record: &Path) -> String {
    format!(
        "picloom-experiments collect {} --store {} \\\n    --out {}",
        spec(study, profile),
        word(runs.display()),
        word(record.display())
    )
}

/// The spec of a study in a profile, as an argument.
fn spec(study: &str, profile: &str) -> String {
    match profile {
        STANDARD => format!("experiments/{study}.toml"),
        _ => format!("experiments/{study}.toml --profile {profile}"),
    }
}

/// The record of a grid.
fn record<K: Grid>(sources: &Sources, study: &str) -> Result<Rc<GridRecord<K>>, DrawError> {
    sources.read(study, GridRecord::read)
}

/// Fails if there is nothing of what is to be drawn.
fn some<T>(found: Vec<T>, study: &str, expected: &str) -> Result<Vec<T>, DrawError> {
    Ok(networks::some(found, study, expected)?)
}
