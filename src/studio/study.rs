//! A study as it lies in its folder: figures, what it decided, and each of its networks.

use super::answer::{Answer, Rejection, json_of, of_bytes};
use super::library::study_name;
use super::pixels::is_picture_file;
use super::state::Studio;
use crate::base::files::read_plain;
use crate::experiment::networks::NetworksRecord;
use crate::study::record::{ROWS, Record, STUDY};
use axum::http::{HeaderValue, header};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Largest figure that is sent, in bytes, and rows of a table.
const LARGEST_FIGURE: u64 = 32 << 20;
const MOST_ROWS: usize = 2000;

/// Which study.
#[derive(Deserialize)]
pub(super) struct AskedStudy {
    id: String,
    #[serde(default)]
    name: String,
}

#[derive(Serialize)]
struct Shown {
    name: String,
    question: String,
    figures: Vec<Figure>,
    claims: Option<Vec<Claim>>,
    rows: Vec<Row>,
    /// Rows that are not sent.
    left_out: usize,
}

#[derive(Serialize)]
struct Figure {
    name: String,
    caption: String,
    url: String,
}

#[derive(Serialize)]
struct Claim {
    id: String,
    claim: String,
    verdict: String,
}

#[derive(Serialize)]
struct Row {
    label: String,
    target: String,
    arm: String,
    depth: Option<usize>,
    level: usize,
    seed: Option<u64>,
    kept: Option<usize>,
    r2: Option<f64>,
    /// Whether R² is high enough for the score to count.
    fit: Option<bool>,
    score: Option<f64>,
    /// The network, where one is kept: a genome or the folder of a run.
    run: Option<String>,
}

/// The head of every record.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    study: String,
    name: String,
    question: String,
}

/// `/api/study`.
pub(super) fn study(studio: &Studio, AskedStudy { id, .. }: AskedStudy) -> Answer {
    let folder = folder(studio, &id)?;
    let text = studio.root.text(&folder.join(STUDY))?.unwrap_or_default();
    let said: Said = serde_json::from_str(&text).unwrap_or_default();
    let name = study_name(studio, &folder, [said.study, said.name]);
    let mut rows = rows(studio, &folder, &name);
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let claims = decided(studio, &folder);
    json_of(&Shown {
        name,
        question: said.question,
        figures: figures(studio, &id, &folder),
        claims,
        rows,
        left_out,
    })
}

/// Reads a study's decisions, where its folder has a `claims.json` with a list of `claims`: of each
/// its id, its text and the verdict. A list without these is shown as if there were no file.
fn decided(studio: &Studio, folder: &Path) -> Option<Vec<Claim>> {
    #[derive(Deserialize)]
    struct Decided {
        claims: Vec<Row>,
    }
    #[derive(Deserialize)]
    struct Row {
        id: String,
        says: String,
        verdict: String,
        /// Shown in place of the verdict.
        word: Option<String>,
        /// Not a claim of the study's own source.
        #[serde(default)]
        apart: bool,
    }
    let text = studio.root.text(&folder.join("claims.json")).ok()??;
    let Decided { claims } = serde_json::from_str(&text).ok()?;
    let claim = |Row { id, says, verdict, word, apart }: Row| Claim {
        id,
        claim: format!("{says}{}", if apart { " (Not the paper's claim.)" } else { "" }),
        verdict: word.unwrap_or_else(|| verdict.replace('-', " ")),
    };
    Some(claims.into_iter().map(claim).collect())
}

fn folder(studio: &Studio, id: &str) -> Result<PathBuf, Rejection> {
    let folder = studio.root.path(id)?;
    match studio.root.marker(&folder) {
        Some(marker) if marker.kind.is_study() => Ok(folder),
        _ => Err(Rejection::none(format!("{id}: expected the folder of a study, found none"))),
    }
}

/// Figures of a folder; one as SVG and PNG is shown as SVG.
fn figures(studio: &Studio, id: &str, folder: &Path) -> Vec<Figure> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for entry in studio.root.entries(folder) {
        let path = entry.path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
        let Some((stem, end)) = name.rsplit_once('.') else { continue };
        if end == "svg" || (is_picture_file(&path) && !found.contains_key(stem)) {
            found.insert(stem.to_string(), name.to_string());
        }
    }
    let figures = found.into_iter().map(|(stem, name)| Figure {
        caption: title(studio, &folder.join(&name)).unwrap_or_else(|| stem.replace('-', " ")),
        url: format!("/api/study/figure?id={}&name={}", encoded(id), encoded(&name)),
        name,
    });
    figures.collect()
}

/// The title of an SVG: the text of its first element of that name.
fn title(studio: &Studio, path: &Path) -> Option<String> {
    if path.extension()? != "svg" {
        return None;
    }
    let text = studio.root.text(path).ok()??;
    let document = roxmltree::Document::parse(&text).ok()?;
    let title = document.descendants().find(|node| node.has_tag_name((SVG, "title")))?;
    title.text().map(String::from)
}

const SVG: &str = "http://www.w3.org/2000/svg";

/// A part of an address, as `encodeURIComponent` writes it.
pub(super) fn encoded(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&b);
    let one = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    text.bytes().map(one).collect()
}

/// The networks of a record of networks; other records have none to look into.
fn rows(studio: &Studio, folder: &Path, study: &str) -> Vec<Row> {
    let runs = runs(studio, folder);
    let files = [STUDY, ROWS].map(|name| studio.root.text(&folder.join(name)));
    let is_inside = files.iter().all(Result::is_ok);
    let Some(record) = is_inside.then(|| NetworksRecord::read(folder).ok()).flatten() else {
        return Vec::new();
    };
    let genomes = genomes(studio, folder, study);
    let rows = record.rows.into_iter().map(|row| {
        let result = row.result.as_ref();
        let level = if row.level > 0 { format!(" {}", row.level) } else { String::new() };
        let variant = if row.variant == "base" { "" } else { &row.variant };
        Row {
            label: format!("{} {variant} {}{level}", row.target, row.arm).replace("  ", " "),
            depth: Some(row.layers),
            level: row.level,
            seed: row.seed,
            kept: result.map(|r| r.kept),
            r2: result.map(|r| r.r2),
            fit: result.map(|r| r.fit),
            score: result.and_then(|r| r.score()),
            run: match (row.arm.as_str(), result.and_then(|r| r.run_id.as_deref())) {
                (_, Some(run)) => runs.get(run).cloned(),
                ("evolved", None) => genomes.get(&row.target).cloned(),
                _ => None,
            },
            target: row.target,
            arm: row.arm,
        }
    });
    rows.collect()
}

/// The finished runs that a study keeps, by their ids; each round of a pruning is one.
pub(super) fn runs(studio: &Studio, folder: &Path) -> BTreeMap<String, String> {
    let below = |folder: &Path| studio.root.folders(folder);
    let mut places = vec![folder.to_path_buf(), folder.join("work")];
    places.extend(below(&folder.join("runs")));
    let mut folders: Vec<PathBuf> = places.iter().flat_map(|place| below(place)).collect();
    folders.extend(folders.iter().flat_map(|run| below(run)).collect::<Vec<_>>());
    let run = |folder: &PathBuf| {
        let marker = studio.root.marker(folder).filter(|marker| marker.kind.is_run())?;
        let is_finished = folder.join("result.json").exists();
        Some((marker.id.filter(|_| is_finished)?, studio.root.id(folder)?))
    };
    folders.iter().filter_map(run).collect()
}

/// The genomes of a study's targets, by name, from the spec in its folder, or in `experiments/`.
fn genomes(studio: &Studio, folder: &Path, study: &str) -> BTreeMap<String, String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Spec {
        targets: Vec<Target>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Target {
        name: String,
        genome: Option<String>,
    }
    let path = studio.root.path(&format!("experiments/{study}.toml"));
    let places = [Some(folder.join("spec.toml")), path.ok()];
    let text = places.into_iter().flatten().find_map(|path| studio.root.text(&path).ok()?);
    let text = text.unwrap_or_default();
    let spec: Spec = toml::from_str(&text).unwrap_or_default();
    let known = spec.targets.into_iter().filter_map(|target| {
        let genome = studio.root.id_of_named(&target.genome?)?;
        Some((target.name, genome))
    });
    known.collect()
}

/// `/api/study/figure`: a figure as it lies there, able to do nothing but be seen.
pub(super) fn figure(studio: &Studio, AskedStudy { id, name }: AskedStudy) -> Answer {
    folder(studio, &id)?;
    figure_file(&studio.root.path(&format!("{id}/{name}"))?)
}

/// A figure's file as it lies there.
pub(super) fn figure_file(path: &Path) -> Answer {
    let svg = path.extension().is_some_and(|e| e == "svg");
    let kind = match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("jpg" | "jpeg") => "image/jpeg",
        _ => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(Rejection::bad(format!("{name}: expected a figure (SVG, PNG)")));
        }
    };
    let bytes = read_plain(path, LARGEST_FIGURE).map_err(Rejection::none)?;
    let mut response = of_bytes(kind, bytes);
    if svg {
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
        let value = HeaderValue::from_static(policy);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value);
    }
    Ok(response)
}
