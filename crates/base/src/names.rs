//! One of a few names: the one parser of every plain enumeration of the command line and of specs,
//! with the nearest name where there is none.

use super::refusal::Refusal;

/// A type with a name for each of its values.
pub trait Named: Copy + Send + Sync + 'static {
    /// The kind of thing that is named, for messages: `wiring`.
    const KIND: &'static str;

    /// Every value, in order.
    const ALL: &'static [Self];

    /// The name used in files and on the command line.
    fn name(self) -> &'static str;

    /// The value of this name.
    ///
    /// # Errors
    /// There is none.
    fn named(name: &str) -> Result<Self, Refusal> {
        let found = Self::ALL.iter().copied().find(|value| value.name() == name);
        found.ok_or_else(|| unknown_name(Self::KIND, Self::ALL.iter().map(|v| v.name()), name))
    }
}

/// Refuses `found`, which is none of the `names` of this kind.
pub fn unknown_name<'a>(
    kind: &str,
    names: impl IntoIterator<Item = &'a str>,
    found: &str,
) -> Refusal {
    let names: Vec<&str> = names.into_iter().collect();
    let expected = format!("one of {}", names.join(", "));
    let hint = did_you_mean(found, names);
    Refusal::new(format!("unknown {kind}"), expected, format!("{found:?}"))
        .advising(hint.trim_start_matches("; "))
}

/// `; did you mean "moth"?` if one of the names is much like `found`, else nothing.
pub fn did_you_mean<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    // Jaro similarity, and its bound, as in clap's own hints.
    let like = names.into_iter().map(|name| (strsim::jaro(found, name), name));
    let nearest = like.filter(|(like, _)| *like > 0.7).max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map_or(String::new(), |(_, name)| format!("; did you mean {name:?}?"))
}

/// The name that `found` is a misspelling of, if there is one: so like it that hardly another was meant.
pub fn misspelled<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names.into_iter().find(|name| *name != found && strsim::jaro(found, name) > 0.9)
}

/// Gives the values of an enumeration their names.
#[doc(hidden)]
#[macro_export]
macro_rules! __names {
    ($Type:ident, $kind:literal: $($variant:ident $name:literal),+ $(,)?) => {
        #[allow(unreachable_pub)]
        impl $Type {
            /// Every one, in order.
            pub const ALL: &'static [$Type] = &[$($Type::$variant),+];

            /// The name used in files and on the command line.
            pub fn name(self) -> &'static str {
                match self { $($Type::$variant => $name),+ }
            }
        }

        impl $crate::names::Named for $Type {
            const KIND: &'static str = $kind;
            const ALL: &'static [Self] = $Type::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl std::str::FromStr for $Type {
            type Err = $crate::refusal::Refusal;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::names::Named::named(name)
            }
        }

        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub use __names as names;

#[cfg(test)]
mod tests {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Fruit {
        Apple,
        Pear,
    }

    use super::names;

    names! { Fruit, "fruit": Apple "apple", Pear "pear" }

    #[test]
    fn a_name_gives_its_value_and_an_unknown_one_the_nearest() {
        assert_eq!("pear".parse(), Ok(Fruit::Pear));
        assert_eq!(Fruit::Apple.to_string(), "apple");
        let said = |name: &str| name.parse::<Fruit>().unwrap_err().to_string();
        let expected = "unknown fruit: expected one of apple, pear, found";
        assert_eq!(said("aple"), format!("{expected} \"aple\"; did you mean \"apple\"?"));
        assert_eq!(said("zzz"), format!("{expected} \"zzz\""));
    }
}
