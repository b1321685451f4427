//! Some settings by their names, kept until they are laid over others.

use super::{Setting, Settings, refused, row_named};
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use toml::{Table, Value as Toml};

/// Some settings of a `C` by their names, to be laid over others: what a variant or an arm of a spec changes.
#[derive(Clone)]
pub struct Overlay<C> {
    given: Table,
    of: PhantomData<fn() -> C>,
}

impl<C> Default for Overlay<C> {
    fn default() -> Self {
        Overlay { given: Table::new(), of: PhantomData }
    }
}

impl<C> fmt::Debug for Overlay<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.given, f)
    }
}

impl<C> PartialEq for Overlay<C> {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given
    }
}

impl<C> Overlay<C> {
    /// True if nothing is laid over.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }
}

impl<C: Settings> Overlay<C> {
    /// `base` with these values.
    pub fn over(&self, base: &C) -> C
    where
        C: Clone,
    {
        if self.given.is_empty() {
            return base.clone();
        }
        base.with(&self.given).expect("verified: settings and values of theirs")
    }

    /// Returns the value given for the setting `name`.
    pub fn get(&self, name: &str) -> Option<&Toml> {
        self.given.get(name)
    }

    /// The values, in the order of the settings.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, &Toml)> {
        let named = |row: Setting| Some((row.name, self.given.get(row.name)?));
        C::settings().into_iter().filter_map(named)
    }
}

impl<C: Settings> Serialize for Overlay<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.values())
    }
}

impl<'de, C: Settings> Deserialize<'de> for Overlay<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader { rows: C::settings(), of: PhantomData })
    }
}

/// Reads an overlay key by key, so that an error is told with the line of its key.
struct Reader<C> {
    rows: Vec<Setting>,
    of: PhantomData<fn() -> C>,
}

impl<'de, C: Settings> Visitor<'de> for Reader<C> {
    type Value = Overlay<C>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Overlay<C>, A::Error> {
        let mut given = Table::new();
        while let Some(row) = map.next_key_seed(KeyOf(&self.rows))? {
            given.insert(row.name.into(), map.next_value_seed(ValueOf(row))?);
        }
        Ok(Overlay { given, of: PhantomData })
    }
}

struct KeyOf<'a>(&'a [Setting]);

impl<'de, 'a> DeserializeSeed<'de> for KeyOf<'a> {
    type Value = &'a Setting;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<&'a Setting, D::Error> {
        row_named(self.0, &String::deserialize(key)?).map_err(D::Error::custom)
    }
}

struct ValueOf<'a>(&'a Setting);

impl<'de> DeserializeSeed<'de> for ValueOf<'_> {
    type Value = Toml;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Toml, D::Error> {
        let value = Toml::deserialize(value)?;
        let accepted =
            self.0.accept(&value).map_err(|said| D::Error::custom(refused(self.0.name, &said)))?;
        // A choice stays as it was written: `muon:steps=20`.
        Ok(if accepted.is_table() && value.is_str() { value } else { accepted })
    }
}
