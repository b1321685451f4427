//! Settings, declared once: a struct made by `settings!` knows of each of its fields the meaning, range, default and
//! source. The command's options, Python's keyword arguments, keys of files and the tables of docs/SETTINGS.md are
//! made from these rows ([`Setting`]); whoever gives values gives a table that is laid over the defaults.

mod overlay;
mod value;

pub use overlay::Overlay;
pub use value::{Value, of_file};
pub use value::{data, text_in_files, texts};

use super::names::did_you_mean;
use super::refusal::Refusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use toml::{Table, Value as Toml};

/// Numbers that a setting may have, all of them finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    /// The lowest number is not among them.
    above: bool,
    /// The highest number is not among them.
    below: bool,
}

impl Range {
    /// Every finite number.
    pub(crate) const ANY: Range = Range::between(f64::NEG_INFINITY, f64::INFINITY);
    /// [0, 1].
    pub const SHARE: Range = Range::between(0.0, 1.0);
    /// (0, 1].
    pub const SOME_SHARE: Range = Range { above: true, ..Range::SHARE };
    /// [0, 1).
    pub const RATE: Range = Range { below: true, ..Range::SHARE };
    /// (0, 1).
    pub const INSIDE: Range = Range { above: true, ..Range::RATE };
    /// Above 0.
    pub const POSITIVE: Range = Range { above: true, ..Range::at_least(0.0) };

    /// From `low` to `high`, both among them.
    pub const fn between(low: f64, high: f64) -> Self {
        Range { low, high, above: false, below: false }
    }

    /// From `low` up.
    pub const fn at_least(low: f64) -> Self {
        Range::between(low, f64::INFINITY)
    }

    /// Above 0, up to `high`.
    pub const fn positive_to(high: f64) -> Self {
        Range { above: true, ..Range::between(0.0, high) }
    }

    /// True if `number` is among them.
    pub(crate) fn contains(&self, number: f64) -> bool {
        let low = number > self.low || (number == self.low && !self.above);
        let high = number < self.high || (number == self.high && !self.below);
        number.is_finite() && low && high
    }

    /// The range in words, of whole numbers or of any.
    fn words(&self, whole: bool) -> String {
        let Range { low, high, above, below } = *self;
        match (low.is_finite(), high.is_finite(), whole) {
            (true, true, true) => format!("{low} to {high}"),
            (true, true, false) => {
                let (open, close) = (if above { '(' } else { '[' }, if below { ')' } else { ']' });
                format!("a number in {open}{low}, {high}{close}")
            }
            (true, ..) if above => format!("a finite number above {low}"),
            (true, ..) if whole => format!("a whole number of at least {low}"),
            (true, ..) => format!("a finite number of at least {low}"),
            (_, _, true) => "a whole number of at least 0".into(),
            _ => "a finite number".into(),
        }
    }
}

/// The declaration of a setting, apart from its name, type and default.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Numbers that it may have.
    pub range: Range,
    /// Placeholder of its value in help: `STEPS`. Empty: its name.
    pub value: &'static str,
    /// The value where nothing sets it, in words: `all`. Empty: the default, as it is printed.
    pub unless: &'static str,
    /// Where its default comes from.
    pub source: &'static str,
    /// Name of the setting without which it means nothing; empty if there is none.
    pub needs: &'static str,
    /// Names of the searches that it belongs to. Empty: all.
    pub only: &'static [&'static str],
}

impl About {
    /// Nothing is said.
    pub const PLAIN: About =
        About { range: Range::ANY, value: "", unless: "", source: "", needs: "", only: &[] };
}

/// One setting of a table of settings.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its name as an option (with `-`), keyword argument and key of specs; empty if it stands in files only.
    pub name: &'static str,
    /// Where it stands in a file: `schedule.lr`.
    pub path: String,
    /// Its meaning, in one sentence or two.
    pub means: String,
    /// The rest of its declaration.
    pub about: About,
    /// Its default in each preset.
    pub defaults: [Option<String>; PRESETS],
    /// Kind of its values.
    pub kind: Kind,
}

/// The kind of a setting's values.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its type in Python.
    pub python: String,
    /// Whether it is a list.
    pub is_list: bool,
    /// Every name that it may have; empty if it is not one of a few names.
    pub names: Vec<&'static str>,
    /// Whether options may follow the name: `muon:steps=20`.
    pub is_choice: bool,
    /// Its range in words; empty if it is no number.
    pub range: String,
    accept: fn(&Toml, &Range) -> Result<Toml, String>,
    text: fn(&Toml) -> Option<String>,
}

impl Setting {
    /// The value that a file, Python or an option says, as a file would have it.
    ///
    /// # Errors
    /// It is not of this kind or outside the range: what was expected, and what was found.
    pub fn accept(&self, value: &Toml) -> Result<Toml, String> {
        (self.kind.accept)(value, &self.about.range)
    }

    /// Formats a value of this setting as for an option; `None` if the value is of another kind.
    pub fn text(&self, value: &Toml) -> Option<String> {
        (self.kind.text)(value)
    }

    /// The name with `-`, as an option has it.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Returns its help text: its meaning, and its default where it has one.
    pub fn help(&self) -> String {
        let mut text = self.means.clone();
        if self.kind.is_choice {
            text += &format!(" [one of: {}]", self.kind.names.join(", "));
        }
        let default = self.defaults[0].as_deref().unwrap_or_default();
        match (self.about.unless, default) {
            ("", "") | ("none", _) => text,
            ("", default) | (default, _) => format!("{text} [default: {default}]"),
        }
    }
}

/// Presets that a declaration may have defaults for. Where it names fewer, its last default holds for the rest.
pub const PRESETS: usize = 3;

/// A field of a struct of settings: a setting, or a struct of them.
pub trait Field: Sized {
    /// Its rows; `defaults` are its values in the presets, `None` where a preset has no value.
    fn rows(defaults: [Option<&Self>; PRESETS], own: Own) -> Vec<Setting>;

    /// Refuses numbers outside their range.
    ///
    /// # Errors
    /// One is.
    fn check(&self, path: &str, range: &Range) -> Result<(), Refusal>;
}

/// A field that is a struct of settings itself, or an `Option` of one, which begins as none.
pub trait Nested {
    /// Its value in a preset.
    fn at(preset: usize) -> Self;
}

/// The rows of a struct of settings that is a field of another.
pub fn rows_below<S: Settings>(own: Own) -> Vec<Setting> {
    let mut rows = S::settings();
    for row in &mut rows {
        row.path = format!("{}.{}", own.field, row.path);
        if row.about.only.is_empty() {
            row.about.only = own.about.only;
        }
    }
    rows
}

/// Refuses numbers outside their range in a struct of settings that is a field of another.
pub fn check_below<S: Settings>(inner: &S, path: &str) -> Result<(), Refusal> {
    let checked = inner.check_ranges();
    checked.map_err(|refusal| Refusal { at: format!("{path}.{}", refusal.at), ..refusal })
}

/// The declaration of one field.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// Its name; empty if it stands in files only.
    pub name: &'static str,
    /// The field.
    pub field: &'static str,
    /// The lines of its doc.
    pub doc: &'static [&'static str],
    /// The rest.
    pub about: About,
}

impl<T> Nested for Option<T> {
    fn at(_: usize) -> Self {
        None
    }
}

impl<T: Field> Field for Option<T> {
    fn rows(defaults: [Option<&Self>; PRESETS], own: Own) -> Vec<Setting> {
        T::rows(defaults.map(|value| value?.as_ref()), own)
    }

    fn check(&self, path: &str, range: &Range) -> Result<(), Refusal> {
        self.as_ref().map_or(Ok(()), |value| value.check(path, range))
    }
}

impl<T: Value> Field for T {
    fn rows(defaults: [Option<&Self>; PRESETS], own: Own) -> Vec<Setting> {
        let Own { name, field, doc, about } = own;
        let lines = doc.iter().map(|line| line.trim()).take_while(|line| !line.is_empty());
        let means = lines.collect::<Vec<_>>().join(" ").trim_end_matches('.').to_string();
        let kind = Kind {
            python: T::python(),
            is_list: T::IS_LIST,
            is_choice: T::IS_CHOICE,
            names: T::names(),
            range: T::range(&about.range),
            accept: accept::<T>,
            text: |value| T::of(value).ok()?.text(),
        };
        let defaults = defaults.map(|value| value.and_then(Value::text));
        vec![Setting { name, path: field.into(), means, about, defaults, kind }]
    }

    fn check(&self, path: &str, range: &Range) -> Result<(), Refusal> {
        match self.outside(range) {
            None => Ok(()),
            Some(found) => Err(Refusal::new(path, T::range(range), found)),
        }
    }
}

fn accept<T: Value>(value: &Toml, range: &Range) -> Result<Toml, String> {
    let taken = T::of(value)?;
    let refused = |found| format!("expected {}, found {found}", T::range(range));
    taken.outside(range).map_or(Ok(()), |found| Err(refused(found)))?;
    taken.toml().ok_or_else(|| refused(value.to_string()))
}

/// A struct of settings, made by `settings!`.
pub trait Settings: Serialize + DeserializeOwned {
    /// Heading of its options in help: `Training`.
    const HEADING: &'static str;

    /// The defaults of a preset, by its place from 0.
    fn of_preset(preset: usize) -> Self;

    /// Every setting, in order.
    fn settings() -> Vec<Setting>;

    /// Refuses numbers outside their range, and values that do not go together where the declaration names a check.
    ///
    /// # Errors
    /// One is, by its path.
    fn check_ranges(&self) -> Result<(), Refusal>;

    /// These settings with others by their names, as options, keyword arguments and specs give them.
    ///
    /// # Errors
    /// No such name, or no such value.
    fn with(&self, given: &Table) -> Result<Self, Refusal> {
        let table = Self::by_key(given)?;
        self.over(table).map_err(|said| Refusal::new("settings", "those of one kind", said))
    }

    /// Settings by their names, as a file has them.
    ///
    /// # Errors
    /// No such name, or no such value.
    fn by_key(given: &Table) -> Result<Table, Refusal> {
        let rows = Self::settings();
        let mut table = Table::new();
        for (name, value) in given {
            let row = row_named(&rows, name)?;
            let value = row.accept(value).map_err(|said| refused(name, &said))?;
            plant(&mut table, &row.path, value);
        }
        Ok(table)
    }

    /// These settings with a table laid over them, whose keys are those of a file. Ranges are left to
    /// [`check_ranges`](Self::check_ranges).
    ///
    /// # Errors
    /// Unknown keys and values of another type, in words.
    fn over(&self, table: Table) -> Result<Self, String> {
        let said = |error: &dyn Display| error.to_string().trim().replace('\n', " ");
        let mut all = Table::try_from(self).map_err(|error| said(&error))?;
        lay_over(&mut all, table);
        all.try_into().map_err(|error: toml::de::Error| said(&error))
    }
}

fn row_named<'a>(rows: &'a [Setting], name: &str) -> Result<&'a Setting, Refusal> {
    let names = || rows.iter().map(|row| row.name).filter(|name| !name.is_empty());
    let found = rows.iter().find(|row| row.name == name && !name.is_empty());
    found.ok_or_else(|| {
        let expected = format!("one of {}", names().collect::<Vec<_>>().join(", "));
        Refusal::new("settings", expected, format!("{name:?}{}", did_you_mean(name, names())))
    })
}

/// `where: expected …, found …`, as [`Setting::accept`] says it, of the setting `name`.
pub(super) fn refused(name: &str, said: &str) -> Refusal {
    let parts = said.split_once("expected ").and_then(|(at, said)| {
        let (expected, found) = said.split_once(", found ")?;
        Some((at.trim_end_matches(": "), expected, found))
    });
    match parts {
        Some(("", expected, found)) => Refusal::new(name, expected, found),
        Some((at, expected, found)) => Refusal::new(format!("{name}: {at}"), expected, found),
        None => Refusal::new(name, "a value that it can have", said),
    }
}

/// Sets `a.b.c` in a tree of tables.
fn plant(table: &mut Table, path: &str, value: Toml) {
    match path.split_once('.') {
        None => {
            table.insert(path.into(), value);
        }
        Some((first, rest)) => {
            let inner = table.entry(first).or_insert_with(|| Toml::Table(Table::new()));
            if let Toml::Table(inner) = inner {
                plant(inner, rest, value);
            }
        }
    }
}

/// Replaces values of `base` by those of `top`, table by table. A table with a `name` is a choice with its options,
/// and is replaced whole.
pub(crate) fn lay_over(base: &mut Table, top: Table) {
    for (key, value) in top {
        match (base.get_mut(&key), value) {
            (Some(Toml::Table(below)), Toml::Table(above)) if !above.contains_key("name") => {
                lay_over(below, above);
            }
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// A struct of settings from its declaration: each field with its doc (the first paragraph is what help says), its
/// type, its default (`= one => other => third` where further presets have others) and what [`About`] has beside.
///
/// `flags` gives every field a name outside of files, `keys` only those with `as "name"`. A field without a
/// default is a struct of settings itself, or an `Option` of one. `with check` after the heading names the struct's
/// method that refuses values which do not go together.
#[doc(hidden)]
#[macro_export]
macro_rules! __settings {
    (@at $preset:expr, $type:ty) => { <$type as $crate::settings::Nested>::at($preset) };
    (@at $preset:expr, $type:ty, $one:expr) => { $one };
    (@at $preset:expr, $type:ty, $one:expr, $other:expr) => {
        if $preset == 0 { $one } else { $other }
    };
    (@at $preset:expr, $type:ty, $one:expr, $other:expr, $third:expr) => {
        match $preset { 0 => $one, 1 => $other, _ => $third }
    };
    (@name $mode:ident $field:ident $name:literal) => { $name };
    (@name flags $field:ident) => { stringify!($field) };
    (@name keys $field:ident) => { "" };
    ($(#[$meta:meta])* pub struct $Name:ident: $mode:ident $heading:literal $(with $check:ident)? {
        $( $(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])?
        $field:ident $(as $name:literal)?: $type:ty $(= $one:expr $(=> $other:expr $(=> $third:expr)?)?)?
        $(, $key:ident: $value:expr)*; )*
    }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        pub struct $Name {
            $( $(#[doc = $doc])* $(#[serde($($serde)*)])? pub $field: $type, )*
        }

        impl Default for $Name {
            fn default() -> Self {
                <$Name as $crate::settings::Settings>::of_preset(0)
            }
        }

        impl $crate::settings::Settings for $Name {
            const HEADING: &'static str = $heading;

            fn of_preset(preset: usize) -> Self {
                let _ = preset;
                $Name { $( $field: $crate::settings::settings!(
                    @at preset, $type $(, $one $(, $other $(, $third)?)?)?
                ), )* }
            }

            #[allow(unused)]
            fn settings() -> Vec<$crate::settings::Setting> {
                use $crate::settings::{About, Field, Own, Range};
                let presets = [Self::of_preset(0), Self::of_preset(1), Self::of_preset(2)];
                let mut rows = Vec::new();
                $( rows.extend(Field::rows(presets.each_ref().map(|preset| Some(&preset.$field)), Own {
                    name: $crate::settings::settings!(@name $mode $field $($name)?),
                    field: stringify!($field),
                    doc: &[$($doc),*],
                    about: About { $($key: $value,)* ..About::PLAIN },
                })); )*
                rows
            }

            #[allow(unused)]
            fn check_ranges(&self) -> Result<(), $crate::refusal::Refusal> {
                use $crate::settings::{About, Field, Range};
                $(
                    let about = About { $($key: $value,)* ..About::PLAIN };
                    Field::check(&self.$field, stringify!($field), &about.range)?;
                )*
                $( self.$check()?; )?
                Ok(())
            }
        }

        impl $crate::settings::Nested for $Name {
            fn at(preset: usize) -> Self {
                <$Name as $crate::settings::Settings>::of_preset(preset)
            }
        }

        impl $crate::settings::Field for $Name {
            fn rows(
                _: [Option<&Self>; $crate::settings::PRESETS],
                own: $crate::settings::Own,
            ) -> Vec<$crate::settings::Setting> {
                $crate::settings::rows_below::<$Name>(own)
            }

            fn check(
                &self,
                path: &str,
                _: &$crate::settings::Range,
            ) -> Result<(), $crate::refusal::Refusal> {
                $crate::settings::check_below(self, path)
            }
        }
    };
}
pub use __settings as settings;
