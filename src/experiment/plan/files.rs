//! The files a plan carries, packed on the machine that plans and unpacked into the store.

use super::error::PlanError;
use crate::experiment::record::{ROWS, STUDY};
use crate::experiment::spec::Places;
use crate::math::hash::json_id;
use crate::network::base64::{base64, from_base64};
use crate::network::files::{create_folder, write_atomic};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// A file in a plan: as text if it is text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// Its place: below the folder above that of a spec, of which there may be several.
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// Packs specs and what they name.
#[derive(Default)]
pub(super) struct Packer {
    /// Folders above specs.
    roots: Vec<PathBuf>,
    files: BTreeMap<String, Carried>,
}

/// All texts in a value.
fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Table(table) => table.iter().for_each(|(_, value)| texts(value, found)),
        _ => {}
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> PlanError {
    PlanError::refused(path, "a file to carry", error.to_string())
}

impl Packer {
    /// Packs a spec and every file it names; its place in the plan.
    pub(super) fn add(&mut self, spec: &Path) -> Result<String, PlanError> {
        let (root, at) = self.place(spec, spec)?;
        let bytes = std::fs::read(spec).map_err(|e| unreadable(spec, &e))?;
        let table: Table = String::from_utf8_lossy(&bytes).parse().unwrap_or_default();
        self.put(&at, &bytes);
        let (places, mut named) = (Places::of(spec), Vec::new());
        table.values().for_each(|value| texts(value, &mut named));
        for name in named {
            // Any text may be a path: what is a file is carried. One that begins at the root of the file
            // system must be there on every machine.
            let file = places.file(Path::new(name));
            if Path::new(name).is_absolute() || !file.is_file() {
                continue;
            }
            let (of, at) = self.place(&file, spec)?;
            if of != root {
                let expected = format!("paths that stay below {}", self.roots[root].display());
                return Err(PlanError::refused(spec, expected, format!("{name:?}")));
            }
            self.put(&at, &std::fs::read(&file).map_err(|e| unreadable(&file, &e))?);
        }
        Ok(at)
    }

    /// Packs the result of the study `of` from its folder, on which the cells of a spec depend, where they look for it.
    pub(super) fn add_record(
        &mut self,
        spec: &Path,
        of: &str,
        folder: &Path,
    ) -> Result<(), PlanError> {
        let (root, _) = self.place(spec, spec)?;
        for name in [STUDY, ROWS] {
            let file = folder.join(name);
            let bytes = std::fs::read(&file).map_err(|e| unreadable(&file, &e))?;
            self.put(&format!("{root}/figures/{of}/{name}"), &bytes);
        }
        Ok(())
    }

    /// The root of a spec, and a file's place in the plan.
    fn place(&mut self, file: &Path, spec: &Path) -> Result<(usize, String), PlanError> {
        let real = |path: &Path| std::fs::canonicalize(path).map_err(|e| unreadable(path, &e));
        let beside = real(spec)?.parent().map(Path::to_path_buf).unwrap_or_default();
        let above = beside.parent().map(Path::to_path_buf).unwrap_or(beside);
        let root = self.roots.iter().position(|root| *root == above).unwrap_or_else(|| {
            self.roots.push(above.clone());
            self.roots.len() - 1
        });
        let real = real(file)?;
        let Ok(inside) = real.strip_prefix(&above) else {
            let expected = format!("a file below {}, which is carried", above.display());
            let found =
                format!("{}; give its path from / on if all machines have it", real.display());
            return Err(PlanError::refused(spec, expected, found));
        };
        let names: Vec<_> = inside.iter().map(|name| name.to_string_lossy()).collect();
        Ok((root, format!("{root}/{}", names.join("/"))))
    }

    fn put(&mut self, path: &str, bytes: &[u8]) {
        let (text, base64) = match std::str::from_utf8(bytes) {
            Ok(text) => (Some(text.to_string()), None),
            Err(_) => (None, Some(base64(bytes))),
        };
        self.files.insert(path.into(), Carried { path: path.into(), text, base64 });
    }

    pub(super) fn files(self) -> Vec<Carried> {
        self.files.into_values().collect()
    }
}

impl Carried {
    fn bytes(&self) -> Option<Vec<u8>> {
        match (&self.text, &self.base64) {
            (Some(text), None) => Some(text.clone().into_bytes()),
            (None, Some(code)) => from_base64(code),
            _ => None,
        }
    }
}

/// Where a store has the files of its plans. No study has such a name.
pub(super) const INPUTS: &str = ".inputs";

/// True for a path that does not leave the folder that it is joined to.
pub(super) fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The folder with the plan's files in the store, where they are put if they are missing.
pub(super) fn unpack(files: &[Carried], store: &Path) -> Result<PathBuf, PlanError> {
    let id = json_id(files);
    let folder = store.join(INPUTS).join(id);
    for file in files {
        let inside = Path::new(&file.path);
        let path = folder.join(inside);
        let (Some(bytes), true) = (file.bytes(), stays_inside(inside)) else {
            let expected = "a file below the store, as text or base64";
            return Err(PlanError::refused(inside, expected, "something else"));
        };
        if std::fs::read(&path).ok().as_ref() != Some(&bytes) {
            create_folder(path.parent().expect("in the folder"))?;
            write_atomic(&path, &bytes)?;
        }
    }
    Ok(folder)
}
