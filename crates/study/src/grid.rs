//! A kind of study as a grid: the axes of a spec, a function of one cell, and a table with a row per cell.
//!
//! In: a type with `impl` [`Grid`]: the spec, its cells, and how one is computed. Out: a [`GridStudy`], which is run,
//! planned, resumed and collected as any study, and a [`GridRecord`], whose columns are the fields of the row's
//! types with their doc comments ([`columns!`](crate::columns)). Names, profiles, unknown keys, cell ids, failures and
//! files are this package's; a kind is its science and some eighty lines:
//!
//! ```
//! use picloom_study::cells::run_cells;
//! use picloom_study::grid::{Grid, GridRecord, GridStudy, axis};
//! use picloom_study::record::Record;
//! use picloom_study::contrast::{Verdict, contrast};
//! use picloom_study::spec::{SpecError, read_analysis};
//! use picloom_base::table::Table;
//! use picloom_study::workers::Ask;
//! use picloom_base::SimRng;
//! use serde::{Deserialize, Serialize};
//! use std::path::Path;
//!
//! /// How well do random points estimate the volume of a ball?
//! #[derive(Debug, Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Balls {
//!     #[serde(deserialize_with = "axis::counts")]
//!     dimensions: Vec<usize>,
//!     #[serde(deserialize_with = "axis::values")]
//!     seeds: Vec<u64>,
//!     #[serde(deserialize_with = "axis::count")]
//!     points: usize,
//! }
//!
//! picloom_study::columns! {
//!     /// One estimate.
//!     #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
//!     pub struct Ball {
//!         /// Dimensions of the space.
//!         pub dimensions: usize,
//!         /// Seed of the points.
//!         pub seed: u64,
//!         /// Points drawn.
//!         pub points: usize,
//!     }
//! }
//!
//! picloom_study::columns! {
//!     /// What came out.
//!     #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
//!     pub struct Share {
//!         /// Share of the cube's points that lie in the ball.
//!         pub share: f64,
//!     }
//! }
//!
//! impl Grid for Balls {
//!     const KIND: &'static str = "balls";
//!     const FORMAT: &'static str = "example-balls/1";
//!     type Inputs = ();
//!     type Cell = Ball;
//!     type Key = Ball;
//!     type Found = Share;
//!
//!     fn inputs(&self, _: &Path) -> Result<(), SpecError> {
//!         Ok(())
//!     }
//!
//!     fn cells(&self, _: &()) -> Vec<Ball> {
//!         let points = self.points;
//!         let of = |&dimensions| self.seeds.iter().map(move |&seed| Ball { dimensions, seed, points });
//!         self.dimensions.iter().flat_map(of).collect()
//!     }
//!
//!     fn label(cell: &Ball) -> String {
//!         format!("{} dimensions, seed {}", cell.dimensions, cell.seed)
//!     }
//!
//!     fn key(_: &(), cell: &Ball) -> Ball {
//!         cell.clone()
//!     }
//!
//!     fn compute(_: &(), cell: &Ball, _: &Path, _: Ask<'_>) -> Result<Option<Share>, String> {
//!         let mut rng = SimRng::new(cell.seed, "balls", cell.dimensions as u64);
//!         let mut square = || (0..cell.dimensions).map(|_| rng.uniform().powi(2)).sum::<f64>();
//!         let inside = (0..cell.points).filter(|_| square() <= 1.0).count();
//!         Ok(Some(Share { share: inside as f64 / cell.points as f64 }))
//!     }
//!
//!     fn summary(record: &GridRecord<Self>) -> String {
//!         let line = |row: &_| format!("{row:?}\n");
//!         record.rows.iter().map(line).collect()
//!     }
//! }
//!
//! let folder = tempfile::tempdir().unwrap();
//! let spec = folder.path().join("balls.toml");
//! let text = r#"
//! kind = "balls"
//! dimensions = [1, 2, 3]
//! seeds = [0, 1, 2, 3, 4, 5, 6, 7]
//! points = 100
//!
//! [profiles.quick]
//! seeds = [0]
//!
//! ## The rule `greater`, the default, is supported where the first group less the second lies above 0. `unit` and `pair`
//! ## are `target` and `target`, `seed` where a contrast does not say them; `end` are rows whose column `at` is empty, or all.
//! [[contrasts]]
//! id = "less-inside"
//! says = "In two dimensions more of the cube lies in the ball than in three."
//! of = "share"
//! between = [{ dimensions = 2 }, { dimensions = 3 }]
//! pair = ["seed"]
//! unit = "seed"
//! basis = ["end"]
//! "#;
//! std::fs::write(&spec, text).unwrap();
//! let study = GridStudy::<Balls>::read(&spec, Some("quick")).unwrap();
//! let record = run_cells(&study, folder.path(), &mut ()).unwrap().unwrap();
//! assert_eq!(record.rows.len(), 3);
//! assert_eq!(record.rows[0].result, Some(Share { share: 1.0 }));
//! let read = GridRecord::<Balls>::read(&folder.path().join("balls")).unwrap();
//! assert_eq!(read.text(), record.text());
//! assert_eq!(read.parts().0.columns[3].says, "Share of the cube's points that lie in the ball.");
//!
//! // All seeds, whose table takes the place of the other, by rules that lie beside it from before the first cell. A
//! // program that reads kinds of study does both by `kinds::begin`.
//! let study = GridStudy::<Balls>::read(&spec, None).unwrap();
//! let (of_study, analysis) = (folder.path().join("balls"), read_analysis(&spec).unwrap());
//! analysis.fix_rules(&of_study, "standard").unwrap();
//! run_cells(&study, folder.path(), &mut ()).unwrap().unwrap();
//! let table = Table::read(&of_study.join("rows.csv.gz")).unwrap();
//! assert_eq!(analysis.changed_since(&of_study, "standard"), Some(vec![]));
//! let found = &contrast(&table, &analysis.contrasts[0]).unwrap()[0];
//! assert_eq!((found.verdict, found.units.len()), (Verdict::Supported, 8));
//! assert!((found.estimate.unwrap() - 0.26).abs() < 0.1); // π/4 − π/6
//! ```
//!
//! A program hands its kinds in together with the instrument's: `[&picloom::experiment::kinds::KINDS[..], &[grid::kind::<Balls>()]].concat()`.

use super::cells::{CellStudy, hashed_id, work_folder};
use super::kinds::{Kind, Study};
use super::record::Record;
use super::spec::{Spec, SpecError, SpecFile, check_name};
use super::workers::Ask;
use picloom_base::refusal::Refusal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A kind of study. The type is its spec: what the TOML file says besides `name`, `question` and `rules`.
pub trait Grid: DeserializeOwned + Sync + Sized + 'static {
    /// The `kind` of its specs; also the name of a study whose spec has none.
    const KIND: &'static str;

    /// Kind and version of its record: `example-balls/1`.
    const FORMAT: &'static str;

    /// The name of cells, for people.
    const CELLS: &'static str = "cells";

    /// Whether a cell's folder is part of the result: it is `STUDY/ID`, not `STUDY/work/ID`.
    const KEEPS_FOLDERS: bool = false;

    /// The data read once from the files that the spec names; `()` if it names none.
    type Inputs: Sync;

    /// The resolved config of a cell: all that its outcome depends on.
    type Cell: Serialize + Clone + Sync;

    /// The columns of a row that describe its cell.
    type Key: Columns + Serialize + DeserializeOwned + Clone + Debug + PartialEq;

    /// The result of a cell: the other columns of its row.
    type Found: Columns + Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send;

    /// Adapts the spec to a profile's `changes`, beyond laying them over it. Default: does nothing.
    fn adapt(_spec: &mut DeTable<'_>, _changes: &DeTable<'_>) {}

    /// Verifies what the types and the [`axis`] readers do not. Default: nothing.
    ///
    /// # Errors
    /// The first value outside its range.
    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Reads the files that the spec at `path` names.
    ///
    /// # Errors
    /// A file cannot be read.
    fn inputs(&self, path: &Path) -> Result<Self::Inputs, SpecError>;

    /// Every cell, in the order of the rows.
    fn cells(&self, inputs: &Self::Inputs) -> Vec<Self::Cell>;

    /// Fields of the record's head about the spec. Default: only name, question and rules.
    fn notes(&self) -> Map<String, Value> {
        Map::new()
    }

    /// The name of a cell's files; `None`, the default, for a hash of its config.
    fn id(_cell: &Self::Cell) -> Option<String> {
        None
    }

    /// A cell in a few words, for people.
    fn label(cell: &Self::Cell) -> String;

    /// About how long a cell takes, in seconds of one core. Default: one.
    fn cost(_cell: &Self::Cell) -> f64 {
        1.0
    }

    /// The columns that describe a cell, for its row.
    fn key(inputs: &Self::Inputs, cell: &Self::Cell) -> Self::Key;

    /// Computes a cell; `None` if `ask` said no. `folder` is the cell's own, for what is in progress.
    ///
    /// # Errors
    /// Why it has no outcome, in words.
    fn compute(
        inputs: &Self::Inputs,
        cell: &Self::Cell,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<Self::Found>, String>;

    /// Refuses a result in a cell's file that this cell cannot have. Default: accepts all.
    ///
    /// # Errors
    /// If it does, with a description of the result that was found.
    fn check_found(
        _inputs: &Self::Inputs,
        _cell: &Self::Cell,
        _found: &Self::Found,
    ) -> Result<(), String> {
        Ok(())
    }

    /// The findings, for people.
    fn summary(record: &GridRecord<Self>) -> String;

    /// The findings, for programs. Default: empty.
    fn findings(_record: &GridRecord<Self>) -> Value {
        Value::Object(Map::new())
    }
}

/// The row of [`Kind`]s of a grid.
pub const fn kind<K: Grid>() -> Kind {
    fn read<K: Grid>(
        file: &SpecFile,
        profile: Option<&str>,
        _runs: &Path,
    ) -> Result<Box<dyn Study>, SpecError> {
        Ok(Box::new(GridStudy::<K>::of(file, profile)?))
    }
    Kind { name: K::KIND, read: read::<K>, decided: None }
}

/// The columns of a table that a type's fields become.
pub trait Columns {
    /// Each field with what it means, in order.
    fn columns() -> Vec<(&'static str, &'static str)>;
}

/// Declares a struct and makes its fields, with their doc comments, the columns of a table
/// ([`Columns`](crate::grid::Columns)).
#[macro_export]
macro_rules! columns {
    (@doc doc = $doc:literal) => { $doc };
    (@doc $($other:tt)*) => { "" };
    (
        $(#[$($of:tt)*])*
        pub struct $name:ident {
            $($(#[$($attribute:tt)*])* pub $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$($of)*])*
        pub struct $name {
            $($(#[$($attribute)*])* pub $field: $type),*
        }

        impl $crate::grid::Columns for $name {
            fn columns() -> Vec<(&'static str, &'static str)> {
                vec![$((
                    stringify!($field),
                    concat!($($crate::columns!(@doc $($attribute)*)),*).trim_ascii(),
                )),*]
            }
        }
    };
}

/// The head of every grid's spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct About {
    /// Name of the study: its folder under `runs/` and `figures/`. Default: its kind.
    pub name: String,
    /// The question, in one sentence.
    #[serde(default)]
    pub question: String,
    /// Decision rules by claim, written before the runs.
    #[serde(default)]
    pub rules: BTreeMap<String, String>,
}

/// The keys of [`About`].
const ABOUT: [&str; 3] = ["name", "question", "rules"];

/// The spec of a grid in one profile.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(bound = "")]
pub struct GridSpec<K: Grid> {
    /// The head.
    pub about: About,
    /// The keys of this kind.
    pub own: K,
}

impl<K: Grid> Spec for GridSpec<K> {
    const KIND: &'static str = K::KIND;

    fn adapt(spec: &mut DeTable<'_>, changes: &DeTable<'_>) {
        K::adapt(spec, changes);
    }

    /// Puts the keys of [`About`] into its table, all others into that of the kind.
    fn sort(spec: &mut DeTable<'_>) {
        let table = |table| Spanned::new(0..0, DeValue::Table(table));
        let key = |key: &'static str| Spanned::new(0..0, DeString::from(key));
        let mut own = std::mem::take(spec);
        let about = ABOUT.iter().filter_map(|key| own.remove_entry(*key));
        let mut about: DeTable<'_> = about.collect();
        about.entry(key("name")).or_insert(Spanned::new(0..0, DeValue::String(K::KIND.into())));
        spec.extend([(key("about"), table(about)), (key("own"), table(own))]);
    }

    fn other_keys() -> Vec<&'static str> {
        ABOUT.to_vec()
    }

    fn check(&self) -> Result<(), Refusal> {
        check_name("name", &self.about.name)?;
        self.own.check()
    }
}

/// Readers of a spec's axes and counts, for `#[serde(deserialize_with = "…")]`.
pub mod axis {
    use serde::de::{DeserializeOwned, Deserializer, Error};
    use serde::{Deserialize, de};
    use std::collections::HashSet;
    use std::fmt::{Debug, Display};

    fn list<'de, D: Deserializer<'de>, T: DeserializeOwned + Debug>(
        from: D,
        expected: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, D::Error> {
        let values = Vec::<T>::deserialize(from)?;
        // By their texts: equal values have equal ones, and lists are long.
        let mut seen = HashSet::new();
        let mut is_new = |value: &&T| seen.insert(format!("{value:?}"));
        let found = match values.iter().find(|value| !fits(value)) {
            Some(value) => format!("{value:?}"),
            None if values.is_empty() => "none".into(),
            None => match values.iter().find(|value| !is_new(value)) {
                Some(value) => format!("{value:?} twice"),
                None => return Ok(values),
            },
        };
        let expected = format!("{expected}, at least one and each once");
        Err(de::Error::custom(format!("expected {expected}, found {found}")))
    }

    /// A list with at least one value and none twice.
    ///
    /// # Errors
    /// Another list.
    pub fn values<'de, D: Deserializer<'de>, T: DeserializeOwned + Debug>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        list(from, "values", |_| true)
    }

    /// The same of numbers of at least 1.
    ///
    /// # Errors
    /// Another list.
    pub fn counts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<usize>, D::Error> {
        list(from, "numbers of at least 1", |count| *count > 0)
    }

    /// The same of finite numbers above 0.
    ///
    /// # Errors
    /// Another list.
    pub fn rates<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        list(from, "finite numbers > 0", |rate: &f64| rate.is_finite() && *rate > 0.0)
    }

    /// The same of shares in (0, 1].
    ///
    /// # Errors
    /// Another list.
    pub fn shares<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
        list(from, "shares in (0, 1]", |share| *share > 0.0 && *share <= 1.0)
    }

    /// A number of at least 1.
    ///
    /// # Errors
    /// 0.
    pub fn count<'de, D: Deserializer<'de>, T>(from: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + Default + PartialOrd + Display,
    {
        let count = T::deserialize(from)?;
        match count > T::default() {
            true => Ok(count),
            false => {
                Err(D::Error::custom(format!("expected a number of at least 1, found {count}")))
            }
        }
    }

    /// A finite number above 0.
    ///
    /// # Errors
    /// Another number.
    pub fn above_zero<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        let value = f64::deserialize(from)?;
        match value.is_finite() && value > 0.0 {
            true => Ok(value),
            false => Err(D::Error::custom(format!("expected a number above 0, found {value}"))),
        }
    }
}

/// A grid in one profile, its files read.
#[derive(Clone, Debug)]
pub struct GridStudy<K: Grid> {
    /// The spec in the profile.
    pub spec: K,
    /// Its name, question and rules.
    pub about: About,
    /// The profile.
    pub profile: String,
    /// The data from the files that it names.
    pub inputs: K::Inputs,
    /// Every cell, in the order of the rows.
    pub cells: Vec<K::Cell>,
    /// The spec in the profile.
    resolved: toml::Table,
}

impl<K: Grid> GridStudy<K> {
    /// Reads the spec at `path` in a profile; `None` is `standard`.
    ///
    /// # Errors
    /// Not readable, of another kind, no such profile, unknown keys, values outside their range, files that cannot be
    /// read.
    pub fn read(path: &Path, profile: Option<&str>) -> Result<Self, SpecError> {
        Self::of(&SpecFile::read(path)?, profile)
    }

    /// The same of a spec that is read.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn of(file: &SpecFile, profile: Option<&str>) -> Result<Self, SpecError> {
        let (GridSpec { about, own: spec }, profile) = file.spec(profile)?;
        let spec: K = spec;
        let inputs = spec.inputs(file.path())?;
        let resolved = file.resolved::<GridSpec<K>>(&profile)?;
        Ok(GridStudy { cells: spec.cells(&inputs), spec, about, profile, inputs, resolved })
    }

    /// The study with a changed spec; its files are not read again.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut K)) -> Self {
        change(&mut self.spec);
        self.cells = self.spec.cells(&self.inputs);
        self
    }

    /// Where a cell works.
    fn cell_folder(&self, id: &str, folder: &Path) -> PathBuf {
        if K::KEEPS_FOLDERS { folder.join(id) } else { work_folder(folder, id) }
    }
}

impl<K: Grid> CellStudy for GridStudy<K> {
    type Cell = K::Cell;
    type Outcome = K::Found;
    type Record = GridRecord<K>;

    const CELLS: &'static str = K::CELLS;

    fn name(&self) -> &str {
        &self.about.name
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn count(&self) -> usize {
        self.cells.len()
    }

    fn cell(&self, number: usize) -> Cow<'_, K::Cell> {
        Cow::Borrowed(&self.cells[number])
    }

    fn id(&self, cell: &K::Cell) -> String {
        K::id(cell).unwrap_or_else(|| hashed_id::<GridRecord<K>>(cell))
    }

    fn label(&self, cell: &K::Cell) -> String {
        K::label(cell)
    }

    fn cost(&self, cell: &K::Cell) -> f64 {
        K::cost(cell)
    }

    fn compute(
        &self,
        cell: &K::Cell,
        folder: &Path,
        ask: Ask<'_>,
    ) -> Result<Option<K::Found>, String> {
        if !ask.going_on() {
            return Ok(None);
        }
        K::compute(&self.inputs, cell, &self.cell_folder(&self.id(cell), folder), ask)
    }

    fn check_outcome(&self, cell: &K::Cell, found: &K::Found) -> Result<(), String> {
        K::check_found(&self.inputs, cell, found)
    }

    fn made(&self) -> Map<String, Value> {
        Map::from_iter([("spec".to_string(), json!(self.resolved))])
    }

    fn record(&self, outcomes: Vec<Result<K::Found, String>>) -> GridRecord<K> {
        let row = |(cell, outcome): (&K::Cell, Result<K::Found, String>)| GridRow {
            key: K::key(&self.inputs, cell),
            error: outcome.as_ref().err().cloned(),
            result: outcome.ok(),
        };
        let About { name, question, rules } = self.about.clone();
        GridRecord {
            format: K::FORMAT.into(),
            study: name,
            question,
            rules,
            profile: self.profile.clone(),
            notes: self.spec.notes(),
            rows: self.cells.iter().zip(outcomes).map(row).collect(),
        }
    }
}

/// The result of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GridRecord<K: Grid> {
    /// Kind and version.
    pub format: String,
    /// Name of the study.
    pub study: String,
    /// The question.
    pub question: String,
    /// Decision rules by claim, as they stood in the spec.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub rules: BTreeMap<String, String>,
    /// The profile.
    pub profile: String,
    /// The other fields of its head.
    #[serde(flatten)]
    pub notes: Map<String, Value>,
    /// A row per cell, in order.
    pub rows: Vec<GridRow<K>>,
}

impl<K: Grid> GridRecord<K> {
    /// A note of its head; `None` if there is none of this type.
    pub fn note<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.notes.get(key).and_then(|value| T::deserialize(value).ok())
    }
}

/// A row: what it says of its cell, and what the cell left. The fields of the key are read through it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GridRow<K: Grid> {
    /// The columns that describe its cell.
    #[serde(flatten)]
    pub key: K::Key,
    /// The cell's result; `None` if it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<K::Found>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

impl<K: Grid> Deref for GridRow<K> {
    type Target = K::Key;

    fn deref(&self) -> &K::Key {
        &self.key
    }
}

impl<K: Grid> Record for GridRecord<K> {
    const FORMAT: &'static str = K::FORMAT;

    const LISTS: &'static [&'static str] = &["rows"];

    fn describe(_name: &str, path: &str) -> Option<(usize, &'static str)> {
        let (of_key, of_result) = (K::Key::columns(), K::Found::columns());
        let keys = of_key.len();
        let error = [("error", "Why there is no result.")];
        let columns = of_key.into_iter().chain(of_result).chain(error).enumerate();
        let (field, first) = path.strip_prefix("result.").map_or((path, 0), |field| (field, keys));
        let field = field.split('.').next()?;
        let column = columns.skip(first).find(|(_, column)| column.0 == field);
        column.map(|(at, column)| (at, column.1))
    }

    fn summary(&self) -> String {
        K::summary(self)
    }

    fn findings(&self) -> Value {
        K::findings(self)
    }
}
