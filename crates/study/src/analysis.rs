//! The contrasts and figures of a spec. Any kind of study may have them.

use super::contrast::ContrastSpec;
use picloom_base::files::{LARGEST_CONFIG, WriteError, create_folder, read_text, write_new};
use picloom_base::hash::json_id;
use picloom_base::refusal::Refusal;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

fn rules_path(folder: &Path, profile: &str) -> PathBuf {
    folder.join("rules").join(format!("{profile}.json"))
}

/// The keys of a spec that are about its table, beside those of its kind.
pub(super) const KEYS: [&str; 4] = ["contrast_defaults", "contrasts", "figure_defaults", "figures"];

/// `[[contrasts]]` and `[[figures]]` of a spec.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The study: the folder of its result below `runs/` and `figures/`.
    pub study: String,
    /// Defaults of every contrast.
    pub contrast_defaults: toml::Table,
    /// The contrasts, in order.
    pub contrasts: Vec<ContrastSpec>,
    /// Defaults of every figure.
    pub figure_defaults: toml::Table,
    /// The figures as they are written; whoever draws reads them.
    pub figures: Vec<toml::Table>,
}

impl Analysis {
    /// A hash of the contrasts: the rules that a result is decided by.
    pub fn rules(&self) -> String {
        json_id(&self.contrasts)
    }

    /// Writes the contrasts into a study's folder before its first run in a profile, and never again: `rules/PROFILE.json`.
    /// A result is decided by rules that were there before it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn fix_rules(&self, folder: &Path, profile: &str) -> Result<(), WriteError> {
        let path = rules_path(folder, profile);
        if self.contrasts.is_empty() || path.exists() {
            return Ok(());
        }
        create_folder(path.parent().expect("a file in a folder"))?;
        let text = serde_json::to_string_pretty(&self.contrasts).expect("contrasts are plain data");
        match write_new(&path, (text + "\n").as_bytes()) {
            // Another worker was first.
            Err(error) if error.source.kind() == ErrorKind::AlreadyExists => Ok(()),
            written => written,
        }
    }

    /// Ids of the contrasts that were changed, added or taken out since the first run in a profile;
    /// `None` if the rules of that run are not stored.
    pub fn changed_since(&self, folder: &Path, profile: &str) -> Option<Vec<String>> {
        let text = read_text(&rules_path(folder, profile), LARGEST_CONFIG).ok()?;
        let before: Vec<ContrastSpec> = serde_json::from_str(&text).ok()?;
        let now = &self.contrasts;
        let differs = |contrast: &&ContrastSpec, other: &[ContrastSpec]| !other.contains(contrast);
        let changed = now.iter().filter(|c| differs(c, &before));
        let gone = before.iter().filter(|c| now.iter().all(|other| other.id != c.id));
        Some(changed.chain(gone).map(|contrast| contrast.id.clone()).collect())
    }

    /// From the values of [`KEYS`].
    pub(super) fn of(study: &str, mut values: toml::Table) -> Result<Self, Refusal> {
        let mut table = |key: &str| match values.remove(key) {
            None => Ok(toml::Table::new()),
            Some(toml::Value::Table(table)) => Ok(table),
            Some(other) => Err(Refusal::new(key, "a table", other.type_str())),
        };
        let (contrast_defaults, figure_defaults) =
            (table("contrast_defaults")?, table("figure_defaults")?);
        let mut tables = |key: &str| -> Result<Vec<toml::Table>, Refusal> {
            let expected = format!("tables, each under [[{key}]]");
            let fail = |found: &str| Refusal::new(key, expected.clone(), found);
            match values.remove(key) {
                None => Ok(Vec::new()),
                Some(toml::Value::Array(all)) => {
                    let one = |value: toml::Value| match value {
                        toml::Value::Table(table) => Ok(table),
                        other => Err(fail(other.type_str())),
                    };
                    all.into_iter().map(one).collect()
                }
                Some(other) => Err(fail(other.type_str())),
            }
        };
        let contrasts = ContrastSpec::all(&contrast_defaults, &tables("contrasts")?)?;
        let figures = tables("figures")?;
        let study = study.to_string();
        Ok(Analysis { study, contrast_defaults, contrasts, figure_defaults, figures })
    }
}
