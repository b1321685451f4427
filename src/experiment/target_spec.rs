//! Targets as a spec says them: a picture, a family of pictures, and the network that is to draw it.

use crate::base::memory;
use crate::base::refusal::Refusal;
use crate::base::text::{path_text_if_any, portable};
use crate::genome::{builtin, map_of_genomes};
use crate::network::family::{Conditions, Family, Support};
use crate::network::{Arch, Squaring};
use crate::run::RunError;
use crate::study::spec::{ARCHIVE, Places, check_cells};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where the paths of the spec at `path` lead; genomes that come with the program lie nowhere.
pub fn places_of(path: &Path) -> Places {
    Places::of(path).or(|path| builtin(path).is_some())
}

/// A family of pictures to draw, and which of its combinations of factors training sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilySpec {
    /// Which family (`picloom family`); default: what the target's genome draws, which then has factors.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<Family>,
    /// Which combinations are seen: random:SHARE, connected, minimal, disconnected or value.
    pub support: Support,
    /// Values of each factor, evenly from −1 to 1, 2 to 16. Default 5.
    #[serde(default = "five")]
    pub values: usize,
    /// Seed of a random support. Default 0.
    #[serde(default)]
    pub seed: u64,
}

fn five() -> usize {
    5
}

impl FamilySpec {
    /// Refuses a number of values that is none; `key` says where it stands.
    pub(super) fn check(&self, key: &str) -> Result<(), Refusal> {
        let fits = (2..=16).contains(&self.values);
        Refusal::unless(
            fits,
            format!("{key}, values"),
            "2 to 16 values of each factor",
            self.values,
        )
    }

    /// Refuses more pictures of `size`² than there is memory for; `key` says where it stands.
    pub(super) fn ensure_memory(
        &self,
        key: &str,
        factors: usize,
        size: usize,
    ) -> Result<(), Refusal> {
        let pictures = self.values.checked_pow(factors as u32).unwrap_or(usize::MAX);
        let counts = [(size, "pixels"), (size, "pixels"), (pictures, "pictures")];
        // Colours, and the inputs in both precisions.
        memory::ensure(key, &counts, 3 * 4 + (4 + factors) * (8 + 4))
    }

    /// Its conditions, of a family or genome with so many factors.
    pub(crate) fn conditions(&self, factors: usize) -> Conditions {
        self.support.conditions(factors, self.values, self.seed)
    }
}

/// A picture to draw and the network that is to draw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Its name in records and figures.
    pub name: String,
    /// A family of pictures instead of one; its networks have the factors as inputs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub family: Option<FamilySpec>,
    /// Picture file, or a genome rendered in float. Default: the genome.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text_if_any")]
    pub picture: Option<PathBuf>,
    /// How to make a picture square: crop, pad or squash. Default: refuse one that is not square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Squaring>,
    /// Genome whose wirings are trained; this, `arch` or both.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "path_text_if_any")]
    pub genome: Option<PathBuf>,
    /// Arch of the dense network. Default: that of the genome's layered network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<Arch>,
    /// Pictures or genomes that few weights are to lead to, its relatives in a breeding session; with `organisation`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub relatives: Vec<PathBuf>,
    /// True of a genome that the spec does not name itself, but the file of many that it is in.
    #[serde(skip)]
    pub is_of_many: bool,
}

impl TargetSpec {
    /// A target for each genome, where its genome is a file of many: `NAME-ID`.
    ///
    /// # Errors
    /// The file is damaged, or holds more genomes than a study has cells.
    pub(super) fn spread(self, places: &Places) -> Result<Vec<TargetSpec>, RunError> {
        let file = self.genome.as_deref().and_then(|genome| Some((genome, places.find(genome)?)));
        let Some((genome, path)) = file else { return Ok(vec![self]) };
        let Some(many) = map_of_genomes(&path, usize::MAX)? else { return Ok(vec![self]) };
        check_cells("genome", &[(many.count as u64, "genomes")])?;
        let of = |id: &String| TargetSpec {
            name: format!("{}-{}", self.name, plain_id(id)),
            genome: Some(format!("{}#{id}", genome.display()).into()),
            is_of_many: true,
            ..self.clone()
        };
        Ok(many.ids.iter().map(of).collect())
    }

    /// Refuses a target that is not said, or said twice.
    pub fn check(&self) -> Result<(), Refusal> {
        let key = format!("target {}", self.name);
        let wired = self.genome.is_some() || self.arch.is_some();
        Refusal::unless(wired, &key, "a genome or an arch", "neither")?;
        let twice = self.genome.is_some() && self.arch.is_some() && self.family.is_some();
        Refusal::unless(!twice, &key, "a family with a genome or an arch", "both")?;
        let of_code = self.family.as_ref().is_some_and(|family| family.name.is_some());
        let drawn = self.genome.is_some() || self.picture.is_some() || of_code;
        Refusal::unless(drawn, &key, "a picture or a family with an arch", "none")?;
        if let Some(family) = &self.family {
            let alone = self.picture.is_none() && (of_code || self.genome.is_some());
            let expected = "a family by name, or a genome's own, and no picture";
            Refusal::unless(alone, &key, expected, "another choice")?;
            family.check(&format!("{key}, family"))?;
        }
        let alone = self.relatives.is_empty() || self.family.is_none();
        Refusal::unless(alone, &key, "relatives of one picture", "a family")?;
        let used = self.fit.is_none() || self.picture.is_some();
        Refusal::unless(used, &key, "fit with a picture", "fit without one")
    }

    /// The same for ids: where its files lie on this machine alone is no part of what is computed.
    pub(crate) fn portable(&self) -> TargetSpec {
        let named = |path: &Option<PathBuf>| path.as_deref().map(|path| portable(path).into());
        let (picture, genome) = (named(&self.picture), named(&self.genome));
        let relatives = self.relatives.iter().map(|path| portable(path).into()).collect();
        TargetSpec { picture, genome, relatives, ..self.clone() }
    }

    /// Whether its picture or its genome is other people's data: its pictures are not kept.
    pub(crate) fn is_archived(&self) -> bool {
        let mut files = [&self.picture, &self.genome].into_iter().flatten();
        files.any(|path| path.to_string_lossy().starts_with(ARCHIVE))
    }

    /// The file of what is drawn, if it is not a family by name.
    pub fn drawn(&self) -> Option<&Path> {
        self.picture.as_deref().or(self.genome.as_deref())
    }
}

/// An id in letters that names are made of, each id in others: of other bytes the number, `_41`.
pub(crate) fn plain_id(id: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let letter = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("_{byte:02x}"),
    };
    id.bytes().map(letter).collect()
}

/// Refuses a side that no picture has.
///
/// # Errors
/// The size.
pub fn check_size(size: usize) -> Result<(), Refusal> {
    Refusal::unless((2..=4096).contains(&size), "size", "2 to 4096 pixels", size.to_string())
}
