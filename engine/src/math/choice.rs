//! A choice from a table by name, with options: the one parser behind every
//! `name:option=value,option=value` of the command line and of specs.
//!
//! In files the same choice is a table with its `name`: `{ name = "muon", steps = 20 }`. `choices!`
//! makes the type, its table and both forms from one row a choice.

use super::names::unknown_name;
use super::refusal::Refusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt;

/// Options that know their ranges.
pub trait Options {
    /// Refuses options outside their range.
    ///
    /// # Errors
    /// One is.
    fn check(&self) -> Result<(), Refusal>;
}

/// A type made by `choices!`.
pub trait Choice: Serialize + DeserializeOwned {
    /// What is chosen, for messages: `optimizer`.
    const KIND: &'static str;

    /// Every name, in the table's order.
    fn names() -> Vec<&'static str>;

    /// The choice of this name with its default options.
    fn named(name: &str) -> Option<Self>;

    /// Its name.
    fn name(&self) -> &'static str;

    /// Refuses options outside their range.
    ///
    /// # Errors
    /// One is.
    fn check(&self) -> Result<(), Refusal>;
}

/// [`Choice::check`], with the name of the choice in the error.
///
/// # Errors
/// An option is outside its range.
pub fn check<C: Choice>(choice: &C) -> Result<(), Refusal> {
    choice.check().map_err(|option| Refusal {
        at: format!("{} {}: {}", C::KIND, choice.name(), option.at),
        ..option
    })
}

/// Reads `name`, or `name:option=value,…` with dots into nested options:
/// `sam:rho=0.1,base.name=adam`.
///
/// # Errors
/// No such name, no such option, or an option outside its range.
pub fn parse<C: Choice>(text: &str) -> Result<C, Refusal> {
    let (name, options) = match text.split_once(':') {
        Some((name, options)) => (name, Some(options)),
        None => (text, None),
    };
    let default = C::named(name).ok_or_else(|| unknown_name(C::KIND, C::names(), name))?;
    let Some(options) = options else {
        return Ok(default);
    };
    let fail = |problem: String| {
        Refusal::new(format!("{} {text:?}", C::KIND), "name:option=value,…", problem)
    };
    let split = |option| str::split_once(option, '=').ok_or(option);
    let options: Vec<(&str, &str)> = options
        .split(',')
        .map(split)
        .collect::<Result<_, _>>()
        .map_err(|option| fail(format!("{option:?} without '='")))?;
    // The options whose bit is set in `words` are words, whatever they look like.
    const MOST: usize = 8;
    let read = |words: usize| -> Result<C, Refusal> {
        let mut tree = Map::new();
        tree.insert("name".into(), name.into());
        for (k, &(key, text)) in options.iter().enumerate() {
            let value =
                serde_json::from_str(text).ok().filter(|_| k >= MOST || words >> k & 1 == 0);
            let value = value.unwrap_or_else(|| Value::from(text));
            plant(&mut tree, key, value).map_err(|()| fail(format!("{key:?} twice")))?;
        }
        serde_json::from_value(Value::Object(tree)).map_err(|e| fail(e.to_string()))
    };
    let some_words = || (1..1 << options.len().min(MOST)).find_map(|words| read(words).ok());
    let choice = read(0).or_else(|error| some_words().ok_or(error))?;
    check(&choice)?;
    Ok(choice)
}

/// Sets `a.b.c` in a tree of maps; an error where something already stands.
fn plant(tree: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), ()> {
    if let Some((first, rest)) = key.split_once('.') {
        let inner = tree.entry(first).or_insert_with(|| Value::Object(Map::new()));
        return plant(inner.as_object_mut().ok_or(())?, rest, value);
    }
    match tree.insert(key.into(), value) {
        None => Ok(()),
        Some(_) => Err(()),
    }
}

/// Writes the text that parses back to `choice`: the name, then the options that are not default.
///
/// # Errors
/// As the formatter.
pub fn write<C: Choice>(choice: &C, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let tree = |choice: &C| serde_json::to_value(choice).map_err(|_| fmt::Error);
    let default = C::named(choice.name()).ok_or(fmt::Error)?;
    let mut options = Vec::new();
    differences("", &tree(choice)?, &tree(&default)?, &mut options);
    f.write_str(choice.name())?;
    for (i, option) in options.iter().enumerate() {
        write!(f, "{}{option}", if i == 0 { ":" } else { "," })?;
    }
    Ok(())
}

/// Leaves of `tree` that `default` does not have. A nested choice (`base.name`) that differs brings
/// all its leaves.
fn differences(path: &str, tree: &Value, default: &Value, found: &mut Vec<String>) {
    if tree == default {
        return;
    }
    match tree {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                // A nested table that is written at all carries its name.
                let same = key != "name" || path == "name";
                let other = default.get(key).filter(|_| same).unwrap_or(&Value::Null);
                differences(&path, value, other, found);
            }
        }
        Value::String(word) => found.push(format!("{path}={word}")),
        other => found.push(format!("{path}={other}")),
    }
}

/// The type of a choice from its table: one row a choice, with its options (a struct with serde and
/// `Default`), its name and what the table says of it.
///
/// `does` is the trait every options struct implements, reached through `options()`; it has a
/// `check`. `rows` is the type of a row, with a field `name`.
macro_rules! choices {
    ($(#[$doc:meta])* pub enum $Choice:ident, $kind:literal, does $Does:ident, rows $Row:ident;
     $( $(#[$about:meta])* $variant:ident($options:ty) $name:literal { $($row:tt)* } )*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "name")]
        pub enum $Choice {
            $( $(#[$about])* #[serde(rename = $name)] $variant($options), )*
        }

        impl $Choice {
            /// The table, in order.
            pub const TABLE: &'static [$Row] = &[ $( $Row { name: $name, $($row)* }, )* ];

            /// Every choice of the table, with its default options.
            pub fn all() -> Vec<Self> {
                vec![ $( $Choice::$variant(<$options>::default()), )* ]
            }

            /// The choice of this name, with its default options.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $( $name => Some($Choice::$variant(<$options>::default())), )*
                    _ => None,
                }
            }

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $( $Choice::$variant(_) => $name, )* }
            }

            /// Its row of the table.
            pub fn row(&self) -> &'static $Row {
                let name = self.name();
                Self::TABLE.iter().find(|row| row.name == name).expect("every choice has a row")
            }

            /// Refuses options outside their range.
            ///
            /// # Errors
            /// One is.
            pub fn check(&self) -> Result<(), $crate::math::refusal::Refusal> {
                $crate::math::choice::check(self)
            }

            fn options(&self) -> &dyn $Does {
                match self { $( $Choice::$variant(options) => options, )* }
            }
        }

        impl $crate::math::choice::Choice for $Choice {
            const KIND: &'static str = $kind;

            fn names() -> Vec<&'static str> {
                Self::TABLE.iter().map(|row| row.name).collect()
            }

            fn named(name: &str) -> Option<Self> {
                $Choice::named(name)
            }

            fn name(&self) -> &'static str {
                $Choice::name(self)
            }

            fn check(&self) -> Result<(), $crate::math::refusal::Refusal> {
                self.options().check()
            }
        }

        impl $crate::math::settings::Value for $Choice {
            fn python() -> String {
                "str".into()
            }

            const IS_CHOICE: bool = true;

            fn names() -> Vec<&'static str> {
                Self::TABLE.iter().map(|row| row.name).collect()
            }

            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|error: $crate::math::refusal::Refusal| error.to_string())
            }

            fn of(value: &toml::Value) -> Result<Self, String> {
                match value {
                    toml::Value::String(text) => Self::parse(text),
                    other => {
                        let choice: Self =
                            other.clone().try_into().map_err(|e: toml::de::Error| e.to_string())?;
                        choice.check().map_err(|error| error.to_string())?;
                        Ok(choice)
                    }
                }
            }

            fn toml(&self) -> Option<toml::Value> {
                toml::Value::try_from(self).ok()
            }

            fn text(&self) -> Option<String> {
                Some(self.to_string())
            }
        }

        impl std::str::FromStr for $Choice {
            type Err = $crate::math::refusal::Refusal;

            /// `name`, or `name:option=value,…`.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::math::choice::parse(text)
            }
        }

        impl std::fmt::Display for $Choice {
            /// The text that parses back to this choice: its name, then the options that are not
            /// default.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::math::choice::write(self, f)
            }
        }
    };
}
pub(crate) use choices;
