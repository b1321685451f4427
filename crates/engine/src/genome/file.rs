//! Genomes from files: by the ending of the file, and by name or number where it holds several.

use super::collection::{Collection, Cursor, LISTED, chosen, counted, holds_many, is_packed, open};
use super::neat::NeatFile;
use super::picbreeder::not_utf8;
use super::picbreeder::{xml_in_zip, xml_of_several};
use super::vlm::{from_vlm_json, is_vlm};
use super::win::from_win_json;
use super::{
    BUILTIN, Genome, builtin, from_json, to_dot, to_json, to_picbreeder_xml, to_picbreeder_zip,
    to_vlm_json,
};
use crate::base::files::read_plain;
use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Largest genome file that is read, in bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// The file of a genome, and which one in it is meant: `series.xml#3`, where no file has the whole name.
pub fn picked(path: &Path) -> (&Path, Option<&str>) {
    let text = path.to_str().filter(|_| !path.exists()).unwrap_or_default();
    let cuts = text.match_indices('#').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
    let found = cuts.into_iter().find(|(file, _)| file.is_file());
    found.map_or((path, None), |(file, name)| (file, Some(name)))
}

/// Reads a genome by its extension: `.json` (own, of picbreeder-vlm, win-Picbreeder, neat-python or automated-picbreeder), `.zip` or `.xml` (Picbreeder); or one that
/// comes with the program, by its name ([`builtin`]), where no such file is. Of several in a Picbreeder file the last,
/// which is the published one, or that of a number: `series.xml#3`. Of a map of genomes (`.json`, `.json.gz`) the one
/// that is named: `genomes.json.gz#ID`.
///
/// # Errors
/// The file cannot be read, or its content is refused; the message has the path, what was
/// expected and what was found.
pub fn read(path: &Path) -> Result<Genome, Refusal> {
    Reader::default().read(path)
}

/// Reads genomes, and remembers its place in a file of many: in the file's order they take one pass.
#[derive(Default)]
pub struct Reader(Mutex<Option<Cursor>>);

impl Reader {
    /// [`read`]s a genome.
    ///
    /// # Errors
    /// As there.
    pub fn read(&self, path: &Path) -> Result<Genome, Refusal> {
        read_from(path, &mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read_from(path: &Path, cursor: &mut Option<Cursor>) -> Result<Genome, Refusal> {
    let refused = |refusal: Refusal| refusal.in_file(path);
    let (file, pick) = picked(path);
    if let Some((_, text)) = builtin(file).filter(|_| !file.exists()) {
        return from_json(text).map_err(refused);
    }
    if file.extension().is_none() && !file.exists() {
        let hint = did_you_mean(&file.to_string_lossy(), BUILTIN.iter().map(|(name, _)| *name));
        let expected = "a genome file (.json, .zip or .xml) or a genome that comes with the program (`picloom genome list`)";
        return Err(refused(Refusal::new("", expected, format!("neither{hint}"))));
    }
    let text = |bytes| String::from_utf8(bytes).map_err(|e| refused(not_utf8(e)));
    let unread = |e| Refusal::unreadable(path, "a genome", &e);
    let end = file.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let texts = match end.as_str() {
        "json" | "gz" if end == "json" || is_packed(file) => {
            return match (holds_many(file), pick) {
                (true, Some(pick)) => chosen(file, pick, cursor).map_err(refused),
                (true, None) => {
                    let Collection { count, ids } = counted(file, LISTED).map_err(refused)?;
                    let path = path.display();
                    let advice = format!("name one: {path}#{} or {path}#1", ids[0]);
                    let refusal = Refusal::new("", "one genome", format!("a file of {count}"));
                    Err(refused(refusal.advising(advice)))
                }
                (false, pick) => {
                    let bytes = match is_packed(file) {
                        true => read_packed(file).map_err(unread)?,
                        false => read_plain(file, LARGEST_FILE).map_err(unread)?,
                    };
                    let name = file.file_stem().unwrap_or_default().to_string_lossy();
                    let neat = NeatFile::of(&bytes).map_err(refused)?;
                    let is_session = neat.as_ref().is_some_and(|neat| neat.keys().is_some());
                    if let Some(pick) = pick.filter(|_| !is_session) {
                        let expected = "a file of one genome without # and a name";
                        return Err(refused(Refusal::new("", expected, format!("{pick:?}"))));
                    }
                    if let Some(neat) = neat {
                        return neat.genome(pick, &name).map_err(refused);
                    }
                    if let Some(genome) = from_win_json(&bytes, &name).map_err(refused)? {
                        return Ok(genome);
                    }
                    if is_vlm(&bytes) {
                        return from_vlm_json(&bytes, &name).map_err(refused);
                    }
                    from_json(&text(bytes)?).map_err(refused)
                }
            };
        }
        "xml" => vec![text(read_plain(file, LARGEST_FILE).map_err(unread)?)?],
        "zip" => {
            let bytes = read_plain(file, LARGEST_FILE).map_err(unread)?;
            xml_in_zip(&bytes).map_err(refused)?
        }
        other => {
            let expected = "a genome file (.json, .zip or .xml)";
            return Err(refused(Refusal::new("", expected, format!("extension {other:?}"))));
        }
    };
    xml_of_several(&texts, pick).map_err(refused)
}

/// The bytes of a genome's file by the extension of its `path`: `.json` (own, or `.vlm.json` of picbreeder-vlm), `.xml` or
/// `.zip` (Picbreeder), `.dot` (Graphviz).
///
/// # Errors
/// Another extension; a genome that the format cannot hold.
pub fn bytes_for(genome: &Genome, path: &Path) -> Result<Vec<u8>, Refusal> {
    Ok(match path.extension().and_then(|end| end.to_str()) {
        Some("json") if path.to_string_lossy().ends_with(".vlm.json") => {
            to_vlm_json(genome)?.into_bytes()
        }
        Some("json") => to_json(genome).into_bytes(),
        Some("xml") => to_picbreeder_xml(genome)?.into_bytes(),
        Some("zip") => to_picbreeder_zip(genome)?,
        Some("dot") => to_dot(genome).into_bytes(),
        other => {
            let found = other.map_or("none".into(), |other| format!(".{other}"));
            let expected = "an output ending in .json, .xml, .zip or .dot";
            return Err(Refusal::new(path.display(), expected, found));
        }
    })
}

fn read_packed(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The genomes in a file of many, counted; `None` for any other file.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn collection(path: &Path) -> Result<Option<Collection>, Refusal> {
    if let Some(many) = map_of_genomes(path, LISTED)? {
        return Ok(Some(many));
    }
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) {
        return Ok(None);
    }
    let bytes =
        read_plain(path, LARGEST_FILE).map_err(|e| Refusal::unreadable(path, "a genome", &e))?;
    let keys = NeatFile::of(&bytes).ok().flatten().and_then(|neat| neat.keys());
    Ok(keys
        .map(|keys| Collection { count: keys.len(), ids: keys.into_iter().take(LISTED).collect() }))
}

/// The genomes in a map of picbreeder-vlm, counted, with the first `listed` ids; `None` for any other file.
///
/// # Errors
/// It is damaged.
pub fn map_of_genomes(path: &Path, listed: usize) -> Result<Option<Collection>, Refusal> {
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    if !(is_json || is_packed(path)) || !holds_many(path) {
        return Ok(None);
    }
    counted(path, listed).map(Some).map_err(|refusal| refusal.in_file(path))
}
