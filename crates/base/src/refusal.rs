//! One way to refuse bad input: where, expected, found, what to do, and whose fault it is.

use std::fmt;
use std::path::Path;

/// Input that cannot be used. Shown as `where: expected …, found …; what to do`.
#[derive(Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The file, option or key that holds the input.
    pub at: String,
    /// The values that are allowed.
    pub expected: String,
    /// The value that was found.
    pub found: String,
    /// How to mend it; empty if the expectation makes that clear.
    pub advice: String,
    /// True if the program was used in a wrong way: a command that fails with this exits with 2, not 1.
    pub is_usage: bool,
}

impl Refusal {
    /// A refusal of wrong use, without advice.
    pub fn new(
        at: impl fmt::Display,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Refusal { at: at.to_string(), expected, found, advice: String::new(), is_usage: true }
    }

    /// A refusal with these words unless `holds`.
    ///
    /// # Errors
    /// The refusal.
    pub fn unless(
        holds: bool,
        at: impl fmt::Display,
        expected: impl Into<String>,
        found: impl fmt::Display,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Refusal::new(at, expected, found.to_string())) }
    }

    /// The refusal of a file that the system does not let us read: `what` it should hold, and the system's words.
    pub fn unreadable(path: &Path, what: &str, error: &std::io::Error) -> Self {
        Refusal::new("", format!("{what} that can be read"), error.to_string()).in_file(path)
    }

    /// The refusal of a text that is not what is `expected`, with the words of its reader.
    pub fn other_text(expected: impl Into<String>, error: impl fmt::Display) -> Self {
        Refusal::new("", expected, format!("other text: {error}"))
    }

    /// The same of something that lies there, and was not asked for: the work failed.
    pub fn as_failure(self) -> Self {
        Refusal { is_usage: false, ..self }
    }

    /// The same of a value in the file at `path`: the work failed.
    pub fn in_file(self, path: &Path) -> Self {
        self.within(path.display()).as_failure()
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

/// As it is shown: a `main` that returns it prints it so.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { at, expected, found, advice, .. } = self;
        if !at.is_empty() {
            write!(f, "{at}: ")?;
        }
        write!(f, "expected {expected}, found {found}")?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_where_what_and_whose_fault_it_is() {
        let refusal = Refusal::new("seeds", "at least one", "none").advising("name one");
        assert!(refusal.is_usage);
        assert_eq!(refusal.to_string(), "seeds: expected at least one, found none; name one");
        let in_file = refusal.in_file(Path::new("a.toml"));
        assert!(!in_file.is_usage && in_file.to_string().starts_with("a.toml: seeds: expected"));
    }
}
