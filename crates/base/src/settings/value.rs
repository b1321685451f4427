//! The values that settings can have: numbers, names, text, choices, lists.

use super::Range;
use crate::names::Named;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Value as Toml;

/// A value that one setting can have.
pub trait Value: Sized {
    /// Its type in Python.
    fn python() -> String;

    /// Every name that it may have.
    fn names() -> Vec<&'static str> {
        Vec::new()
    }

    /// A range in words; nothing if it is no number.
    fn range(_: &Range) -> String {
        String::new()
    }

    /// True of lists.
    const IS_LIST: bool = false;

    /// True of names with options.
    const IS_CHOICE: bool = false;

    /// Reads it.
    ///
    /// # Errors
    /// If the text is no such value: what was expected and what was found.
    fn parse(text: &str) -> Result<Self, String>;

    /// Takes it from a file or from Python.
    ///
    /// # Errors
    /// If it is no such value: what was expected and what was found.
    fn of(value: &Toml) -> Result<Self, String> {
        match value {
            Toml::String(text) => Self::parse(text),
            other => Self::parse(&other.to_string()),
        }
    }

    /// The value as in a file; `None` if it is left out there.
    fn toml(&self) -> Option<Toml>;

    /// The value as an option's text; `None` if it is left out there.
    fn text(&self) -> Option<String>;

    /// The number that is outside the range, if one is.
    fn outside(&self, _: &Range) -> Option<String> {
        None
    }
}

/// Reads a value from a file as an option would read it, too: a choice may be its text or its table. For
/// `#[serde(deserialize_with = "…")]`.
///
/// # Errors
/// If it is no such value: what was expected and what was found.
pub fn of_file<'de, T: Value, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::of(&Toml::deserialize(from)?).map_err(D::Error::custom)
}

macro_rules! numbers {
    ($($type:ty, $python:literal, $whole:literal, $expected:literal;)*) => { $(
        impl Value for $type {
            fn python() -> String {
                $python.into()
            }

            fn range(range: &Range) -> String {
                range.words($whole)
            }

            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("expected {}, found {text}", $expected))
            }

            fn toml(&self) -> Option<Toml> {
                Toml::try_from(*self).ok()
            }

            fn text(&self) -> Option<String> {
                let text = self.to_string();
                Some(if text.starts_with("0.0000") { format!("{self:e}") } else { text })
            }

            fn outside(&self, range: &Range) -> Option<String> {
                // TOML has no larger integers.
                let fits = range.contains(*self as f64) && self.toml().is_some();
                (!fits).then(|| format!("{self:?}"))
            }
        }
    )* };
}

numbers! {
    f64, "float", false, "a number";
    u64, "int", true, "a whole number of at least 0";
    u32, "int", true, "a whole number of at least 0";
    usize, "int", true, "a whole number of at least 0";
}

/// Makes settings of types that are text in files.
#[doc(hidden)]
#[macro_export]
macro_rules! __texts {
    ($($type:ty),*) => { $(
        impl $crate::settings::Value for $type {
            fn python() -> String {
                "str".into()
            }

            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|error| format!("{error}"))
            }

            fn toml(&self) -> Option<toml::Value> {
                Some(toml::Value::String(self.to_string()))
            }

            fn text(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )* };
}
pub use __texts as texts;

/// Makes settings of types that serde reads: as an option they are the text that a file may have.
#[doc(hidden)]
#[macro_export]
macro_rules! __data {
    ($($type:ty, $python:literal;)*) => { $(
        impl $crate::settings::Value for $type {
            fn python() -> String {
                $python.into()
            }

            fn parse(text: &str) -> Result<Self, String> {
                <Self as $crate::settings::Value>::of(&toml::Value::String(text.into()))
            }

            fn of(value: &toml::Value) -> Result<Self, String> {
                value.clone().try_into().map_err(|error: toml::de::Error| error.message().into())
            }

            fn toml(&self) -> Option<toml::Value> {
                toml::Value::try_from(self).ok()
            }

            fn text(&self) -> Option<String> {
                match $crate::settings::Value::toml(self)? {
                    toml::Value::String(text) => Some(text),
                    other => Some(other.to_string()),
                }
            }
        }
    )* };
}
pub use __data as data;

/// The two conversions by which serde has types as their text: `#[serde(try_from = "String", into = "String")]`.
#[doc(hidden)]
#[macro_export]
macro_rules! __text_in_files {
    ($($type:ty),*) => { $(
        impl TryFrom<String> for $type {
            type Error = <$type as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.to_string()
            }
        }
    )* };
}
pub use __text_in_files as text_in_files;
texts!(String);

impl Value for PathBuf {
    fn python() -> String {
        "str".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.into())
    }

    fn toml(&self) -> Option<Toml> {
        self.text().map(Toml::String)
    }

    fn text(&self) -> Option<String> {
        self.to_str().map(String::from)
    }
}

impl Value for bool {
    fn python() -> String {
        "bool".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| format!("expected true or false, found {text}"))
    }

    fn toml(&self) -> Option<Toml> {
        Some(Toml::Boolean(*self))
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<T: Named> Value for T {
    fn python() -> String {
        "str".into()
    }

    fn names() -> Vec<&'static str> {
        T::ALL.iter().map(|value| value.name()).collect()
    }

    fn parse(text: &str) -> Result<Self, String> {
        T::named(text).map_err(|error| error.to_string())
    }

    fn toml(&self) -> Option<Toml> {
        self.text().map(Toml::String)
    }

    fn text(&self) -> Option<String> {
        Some(self.name().into())
    }
}

impl<T: Value> Value for Vec<T> {
    fn python() -> String {
        format!("{0} | Sequence[{0}]", T::python())
    }

    fn range(range: &Range) -> String {
        T::range(range)
    }

    const IS_LIST: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        text.split(',').map(|one| T::parse(one.trim())).collect()
    }

    fn of(value: &Toml) -> Result<Self, String> {
        match value {
            Toml::Array(values) => values.iter().map(T::of).collect(),
            Toml::String(text) => Self::parse(text),
            other => T::of(other).map(|one| vec![one]),
        }
    }

    fn toml(&self) -> Option<Toml> {
        self.iter().map(T::toml).collect::<Option<_>>().map(Toml::Array)
    }

    fn text(&self) -> Option<String> {
        let texts: Vec<String> = self.iter().filter_map(T::text).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }

    fn outside(&self, range: &Range) -> Option<String> {
        self.iter().find_map(|one| one.outside(range))
    }
}

/// The lower end and the higher: `0:1`.
impl Value for [f64; 2] {
    fn python() -> String {
        "tuple[float, float]".into()
    }

    fn parse(text: &str) -> Result<Self, String> {
        let ends: Option<Vec<f64>> = text.split(':').map(|end| end.trim().parse().ok()).collect();
        let ends = ends.and_then(|ends| ends.try_into().ok());
        ends.ok_or_else(|| format!("expected LOW:HIGH, for example 0:1, found {text:?}"))
    }

    fn of(value: &Toml) -> Result<Self, String> {
        match value {
            Toml::String(text) => Self::parse(text),
            other => {
                other.clone().try_into().map_err(|_| format!("expected two numbers, found {other}"))
            }
        }
    }

    fn toml(&self) -> Option<Toml> {
        Toml::try_from(self).ok()
    }

    fn text(&self) -> Option<String> {
        Some(format!("{}:{}", self[0], self[1]))
    }
}

/// `sp=SP,imp=IMP`; a part without `=` belongs to the value before it, and the last `=` parts key and value.
impl<T: Value> Value for BTreeMap<String, T> {
    fn python() -> String {
        format!("dict[str, {}]", T::python())
    }

    const IS_LIST: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !part.contains('=') => *last = format!("{last},{part}"),
                _ => parts.push(part.to_string()),
            }
        }
        let pair = |part: String| match part.rsplit_once('=') {
            Some((key, value)) => Ok((key.trim().to_string(), T::parse(value.trim())?)),
            None => Err(format!("expected VALUE=NAME, for example sp=SP, found {part:?}")),
        };
        parts.into_iter().map(pair).collect()
    }

    fn of(value: &Toml) -> Result<Self, String> {
        match value {
            Toml::String(text) => Self::parse(text),
            Toml::Table(table) => {
                table.iter().map(|(key, value)| Ok((key.clone(), T::of(value)?))).collect()
            }
            other => Err(format!("expected a table, found {other}")),
        }
    }

    fn toml(&self) -> Option<Toml> {
        let pairs = self.iter().map(|(key, value)| Some((key.clone(), value.toml()?)));
        pairs.collect::<Option<_>>().map(Toml::Table)
    }

    fn text(&self) -> Option<String> {
        let pair = |(key, value): (&String, &T)| Some(format!("{key}={}", value.text()?));
        let pairs: Vec<String> = self.iter().filter_map(pair).collect();
        (!pairs.is_empty()).then(|| pairs.join(","))
    }
}
