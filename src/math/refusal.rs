//! One way to refuse bad input: where, expected, found, what to do.

use std::fmt;

/// Input that cannot be used. Shown as `where: expected …, found …; what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file, option or key that holds the input.
    pub at: String,
    /// What it may be.
    pub expected: String,
    /// What it is.
    pub found: String,
    /// What to do; empty if the expectation says it.
    pub advice: String,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(
        at: impl fmt::Display,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Refusal { at: at.to_string(), expected, found, advice: String::new() }
    }

    /// The same with what to do.
    pub fn advising(self, advice: impl Into<String>) -> Self {
        Refusal { advice: advice.into(), ..self }
    }

    /// The same input, named with these words before: `training setting lr`.
    pub fn prefixed(self, words: &str) -> Self {
        Refusal { at: format!("{words}{}", self.at), ..self }
    }

    /// The same input, named by where it stands: `at: …`.
    pub fn within(self, at: impl fmt::Display) -> Self {
        let inner = if self.at.is_empty() { String::new() } else { format!(": {}", self.at) };
        Refusal { at: format!("{at}{inner}"), ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { at, expected, found, advice } = self;
        if !at.is_empty() {
            write!(f, "{at}: ")?;
        }
        write!(f, "expected {expected}, found {found}")?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}

impl std::error::Error for Refusal {}
