//! A choice from a table by name, with options: the one parser behind every
//! `name:option=value,option=value` of the command line and of specs.
//!
//! In files the same choice is a table with its `name`: `{ name = "muon", steps = 20 }`. `choices!`
//! makes the type, its table and both forms from one row a choice.

use super::names::{did_you_mean, unknown_name};
use super::refusal::Refusal;
use super::settings::{Setting, refused};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt;

/// A type made by `choices!`.
pub trait Choice: Serialize + DeserializeOwned {
    /// The kind of choice, for messages: `optimizer`.
    const KIND: &'static str;

    /// Every name, in the table's order.
    fn names() -> Vec<&'static str>;

    /// The choice of this name with its default options.
    fn named(name: &str) -> Option<Self>;

    /// Its name.
    fn name(&self) -> &'static str;

    /// The declarations of the options of the choice `name`.
    fn options_of(name: &str) -> Vec<Setting>;

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
    let rows = C::options_of(name);
    let (options, rest) = with_rest(&rows, options);
    let fail = |problem: String| {
        Refusal::new(format!("{} {text:?}", C::KIND), "name:option=value,…", problem)
    };
    let split = |option| str::split_once(option, '=').ok_or(option);
    let mut options: Vec<(&str, &str)> =
        options
            .into_iter()
            .map(split)
            .collect::<Result<_, _>>()
            .map_err(|option| fail(format!("{option:?} without '='")))?;
    options.extend(rest);
    let mut tree = Map::new();
    tree.insert("name".into(), name.into());
    for (key, text) in gathered(&rows, &options) {
        let value = value_of(&rows, &key, &text)
            .map_err(|option| option.prefixed(&format!("{} {name}: ", C::KIND)))?;
        plant(&mut tree, &key, value).map_err(|()| fail(format!("{key:?} twice")))?;
    }
    let choice = serde_json::from_value(Value::Object(tree)).map_err(|e| fail(e.to_string()))?;
    check(&choice)?;
    Ok(choice)
}

/// The options that are the rest of the text, whatever it holds: `cmd:timeout=60,./mine.py --a=1,2`, `own:mine`.
const REST: [&str; 2] = ["command", "method"];

/// The options of a text, and the one that is the rest of it, of a choice that has such a one.
fn with_rest<'a>(
    rows: &[Setting],
    text: &'a str,
) -> (Vec<&'a str>, Option<(&'static str, &'a str)>) {
    let Some(key) = REST.into_iter().find(|key| rows.iter().any(|row| row.path == *key)) else {
        return (text.split(',').collect(), None);
    };
    let is_option = |part: &str| {
        let name = part.split_once('=').map_or("", |(name, _)| name);
        name != key && rows.iter().any(|row| row.path == name)
    };
    let (mut options, mut rest) = (Vec::new(), text);
    while is_option(rest) {
        let (option, after) = rest.split_once(',').unwrap_or((rest, ""));
        options.push(option);
        rest = after;
    }
    let named = rest.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
    (options, Some((key, named.unwrap_or(rest))))
}

/// The options, where those of an option that is a choice itself are one text: `base.name=adam,base.beta1=0.5` is
/// `base=adam:beta1=0.5`.
fn gathered(rows: &[Setting], options: &[(&str, &str)]) -> Vec<(String, String)> {
    let below = |row: &Setting, key: &str| match row.kind.is_choice {
        true => key.strip_prefix(&row.path)?.strip_prefix('.').map(String::from),
        false => None,
    };
    let is_own = |key: &str| rows.iter().all(|row| below(row, key).is_none());
    let own = options.iter().filter(|(key, _)| is_own(key));
    let mut all: Vec<_> = own.map(|(key, text)| (key.to_string(), text.to_string())).collect();
    for row in rows {
        let parts = options.iter().filter_map(|(key, text)| Some((below(row, key)?, *text)));
        let (names, rest): (Vec<_>, Vec<_>) = parts.partition(|(key, _)| key == "name");
        let rest: Vec<String> = rest.iter().map(|(key, text)| format!("{key}={text}")).collect();
        let name = names.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(" ");
        match (name.is_empty(), rest.is_empty()) {
            (true, true) => {}
            (_, true) => all.push((row.path.clone(), name)),
            (_, false) => all.push((row.path.clone(), format!("{name}:{}", rest.join(",")))),
        }
    }
    all
}

/// The value that the text of the option `key` says.
fn value_of(rows: &[Setting], key: &str, text: &str) -> Result<Value, Refusal> {
    let names = || rows.iter().map(|row| row.path.as_str());
    let Some(row) = rows.iter().find(|row| row.path == key) else {
        let all = names().collect::<Vec<_>>().join(", ");
        let expected = if all.is_empty() { "none".into() } else { format!("one of {all}") };
        return Err(Refusal::new(
            "option",
            expected,
            format!("{key:?}{}", did_you_mean(key, names())),
        ));
    };
    let value =
        row.accept(&toml::Value::String(text.into())).map_err(|said| refused(key, &said))?;
    serde_json::to_value(value).map_err(|error| refused(key, &error.to_string()))
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
    let rest = |option: &str| {
        REST.iter().find_map(|key| Some(option.strip_prefix(key)?.strip_prefix('=')?.len()))
    };
    options.sort_by_key(|option| rest(option).is_some());
    for option in &mut options {
        if let Some(length) = rest(option) {
            option.drain(..option.len() - length);
        }
    }
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

/// Options of choices, declared once each as `settings!` does: they are compared and cloned, and files may leave them
/// out but have no others.
#[doc(hidden)]
#[macro_export]
macro_rules! __options {
    ($( $(#[$meta:meta])* pub struct $Name:ident $(with $check:ident)? { $($fields:tt)* } )*) => { $(
        $crate::settings::settings! {
            $(#[$meta])*
            #[derive(Clone, Debug, PartialEq)]
            #[serde(default, deny_unknown_fields)]
            pub struct $Name: keys "" $(with $check)? { $($fields)* }
        }
    )* };
}
pub use __options as options;

/// The type of a choice from its table: one row a choice, with its options (a struct made by `options!`),
/// its name and what the table says of it.
///
/// `does` is the trait every options struct implements, reached through `options()`. `rows` is the type of a
/// row, with a field `name`.
#[doc(hidden)]
#[macro_export]
macro_rules! __choices {
    ($(#[$doc:meta])* pub enum $Choice:ident, $kind:literal, does $Does:ident, rows $Row:ident; $($table:tt)*) => {
        $crate::choice::choices! {
            $(#[$doc])* pub enum $Choice, $kind, rows $Row; $($table)*
        }
        $crate::choice::choices! { @does $Choice $Does $($table)* }
    };
    (@does $Choice:ident $Does:ident
     $( $(#[$about:meta])* $variant:ident($options:ty) $name:literal { $($row:tt)* } )*) => {
        impl $Choice {
            fn options(&self) -> &dyn $Does {
                match self { $( $Choice::$variant(options) => options, )* }
            }
        }
    };
    ($(#[$doc:meta])* pub enum $Choice:ident, $kind:literal, rows $Row:ident;
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
            pub fn check(&self) -> Result<(), $crate::refusal::Refusal> {
                $crate::choice::check(self)
            }
        }

        impl $crate::choice::Choice for $Choice {
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

            fn options_of(name: &str) -> Vec<$crate::settings::Setting> {
                match name {
                    $( $name => <$options as $crate::settings::Settings>::settings(), )*
                    _ => Vec::new(),
                }
            }

            fn check(&self) -> Result<(), $crate::refusal::Refusal> {
                match self {
                    $( $Choice::$variant(options) => {
                        $crate::settings::Settings::check_ranges(options)
                    } )*
                }
            }
        }

        impl $crate::settings::Value for $Choice {
            fn python() -> String {
                "str".into()
            }

            const IS_CHOICE: bool = true;

            fn names() -> Vec<&'static str> {
                Self::TABLE.iter().map(|row| row.name).collect()
            }

            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|error: $crate::refusal::Refusal| error.to_string())
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
            type Err = $crate::refusal::Refusal;

            /// `name`, or `name:option=value,…`.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::choice::parse(text)
            }
        }

        impl std::fmt::Display for $Choice {
            /// The text that parses back to this choice: its name, then the options that are not
            /// default.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::choice::write(self, f)
            }
        }
    };
}
pub use __choices as choices;
