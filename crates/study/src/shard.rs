//! A worker's own cells.

use picloom_base::refusal::Refusal;
use std::fmt;
use std::str::FromStr;

/// Share `number` of `of` of a study's cells: those whose place in the study, divided by `of`, leaves the same rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Counted from 0.
    number: usize,
    of: usize,
}

impl Shard {
    /// Every cell.
    pub const ALL: Shard = Shard { number: 0, of: 1 };

    /// True if the cell of this number is in the shard.
    pub fn has(self, cell: usize) -> bool {
        cell % self.of == self.number
    }
}

impl FromStr for Shard {
    type Err = Refusal;

    /// `1/4` to `4/4`.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => {
                Ok(Shard { number: number - 1, of })
            }
            _ => Err(Refusal::new("shard", "a share from 1/N to N/N", format!("{text:?}"))),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number + 1, self.of)
    }
}
