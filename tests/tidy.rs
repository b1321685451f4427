//! The shape of the tree: one-way arrows, no circles, file sizes, and pages that belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms in the order data flows through them.
const ROOMS: [&str; 14] = [
    "math",
    "genome",
    "evolve",
    "network",
    "train",
    "prune",
    "probe",
    "score",
    "page",
    "run",
    "experiment",
    "figures",
    "studio",
    "cli",
];

/// The sources of the instrument: the engine, and what stands on it.
const SOURCES: [&str; 2] = ["crates/engine/src", "src"];

/// Packages without rooms: each is looked at as one.
const FLAT: [&str; 4] =
    ["crates/base/src", "crates/python/src", "crates/study/src", "crates/web/src"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &str) -> Vec<PathBuf> {
    files(folder, &["rs"])
}

/// The files with these extensions in a folder and all below it, sorted.
fn files(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn room_of(path: &Path) -> Option<usize> {
    let inside = SOURCES.iter().find_map(|sources| path.strip_prefix(root().join(sources)).ok())?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    ROOMS.iter().position(|room| *room == first)
}

#[test]
fn a_room_uses_only_itself_and_rooms_to_its_left() {
    let mut wrong = Vec::new();
    for path in SOURCES.into_iter().flat_map(rust_files) {
        let Some(room) = room_of(&path) else { continue };
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            // Links in documentation may point anywhere.
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (other, name) in ROOMS.iter().enumerate().skip(room + 1) {
                if line.contains(&format!("crate::{name}::")) {
                    wrong.push(format!(
                        "{}:{} uses {name}, room {other} of {room}",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let mut sizes: Vec<(usize, PathBuf)> = SOURCES
        .into_iter()
        .chain(FLAT)
        .chain(["experiments/src"])
        .flat_map(rust_files)
        .map(|path| (std::fs::read_to_string(&path).unwrap().lines().count(), path))
        .collect();
    sizes.sort();
    let (largest, path) = sizes.last().unwrap();
    assert!(*largest <= 800, "{} has {largest} lines", path.display());
    let median = sizes[sizes.len() / 2].0;
    assert!(median < 300, "the median file has {median} lines");
}

#[test]
fn every_study_stands_in_the_table_of_studies() {
    let folder = root().join("experiments");
    let table = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_spec = path.extension().is_some_and(|e| e == "toml") && name != "Cargo.toml";
        let written = "is not in experiments/README.md; experiments/pages.py --write writes it";
        assert!(!is_spec || table.contains(&format!("({name})")), "{name} {written}");
    }
}

/// A source file as a path of modules: `["network", "kernel", "tile"]`.
type Module = Vec<String>;

/// The imports between the files of a package's sources, private uses and those in expressions.
///
/// `pub use` only says where a name lives, so it is no import; a name taken through it is taken from
/// the file that has it. Unit tests are left out.
struct Imports {
    modules: BTreeMap<Module, Vec<Vec<String>>>,
    /// Of each module: name → where `pub use` takes it from.
    passed_on: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

impl Imports {
    fn read(sources: &str) -> Self {
        let mut texts: BTreeMap<Module, String> = BTreeMap::new();
        for path in rust_files(sources) {
            let inside = path.strip_prefix(root().join(sources)).unwrap().with_extension("");
            let mut module: Module =
                inside.iter().map(|part| part.to_str().unwrap().to_string()).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let code: Vec<&str> =
                text.lines().map(|line| line.split("//").next().unwrap()).collect();
            texts.insert(module, code.join("\n"));
        }
        let mut imports = Imports { modules: BTreeMap::new(), passed_on: BTreeMap::new() };
        for (module, text) in &texts {
            let known = |module: &[String]| texts.contains_key(module);
            let (mut used, mut passed_on) = (Vec::new(), BTreeMap::new());
            let mut rest = text.clone();
            while let Some(at) = find_use(&rest) {
                let end = at + rest[at..].find(';').expect("a use ends with a semicolon");
                let before = rest[..at].rsplit('\n').next().unwrap();
                let is_public = before.trim().starts_with("pub");
                for path in branches(rest[at + 4..end].trim()) {
                    if let Some(path) = absolute(module, &path, &known) {
                        if is_public {
                            passed_on.insert(path.last().unwrap().clone(), path);
                        } else {
                            used.push(path);
                        }
                    }
                }
                rest.replace_range(at..=end, "");
            }
            for path in rest
                .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
                .filter(|word| word.contains("::"))
            {
                let path: Vec<String> = path.split("::").map(String::from).collect();
                used.extend(absolute(module, &path, &known));
            }
            imports.modules.insert(module.clone(), used);
            imports.passed_on.insert(module.clone(), passed_on);
        }
        imports
    }

    /// The file that has what `path` names.
    fn home(&self, path: &[String]) -> Option<Module> {
        let mut path = path.to_vec();
        for _ in 0..8 {
            let length = (1..=path.len()).rev().find(|&n| self.modules.contains_key(&path[..n]))?;
            let (module, rest) = path.split_at(length);
            let Some(from) = rest.first().and_then(|name| self.passed_on[module].get(name)) else {
                return Some(module.to_vec());
            };
            path = [from, &rest[1..]].concat();
        }
        panic!("{path:?} is passed on for ever");
    }

    /// From each file to the others of its room that it imports; a flat package is one room.
    fn within_rooms(&self, is_flat: bool) -> BTreeMap<Module, BTreeSet<Module>> {
        let others = |module: &Module, used: &Vec<Vec<String>>| {
            let homes = used.iter().filter_map(|path| self.home(path));
            let near = |home: &Module| home.first() == module.first() || is_flat;
            homes.filter(|home| home != module && near(home)).collect()
        };
        self.modules.iter().map(|(m, used)| (m.clone(), others(m, used))).collect()
    }
}

/// Where the next `use` statement begins, after any `pub`.
fn find_use(text: &str) -> Option<usize> {
    let starts_one = |at: usize| {
        let line = text[..at].rsplit('\n').next().unwrap().trim();
        let tree = text[at + 4..].split(';').next().unwrap();
        (line.is_empty() || line.starts_with("pub"))
            && tree.chars().all(|c| c.is_alphanumeric() || "_:{},* \n".contains(c))
    };
    text.match_indices("use ").map(|(at, _)| at).find(|&at| starts_one(at))
}

/// `a::{b, c::{d, e}}` as a::b, a::c::d, a::c::e.
fn branches(tree: &str) -> Vec<Vec<String>> {
    let Some((stem, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap();
        return vec![path.split("::").map(|part| part.trim().to_string()).collect()];
    };
    let inner = inner.trim_end().strip_suffix('}').expect("braces are closed");
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inner.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(c);
    }
    let stem: Vec<String> =
        stem.split("::").map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect();
    parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
        .flat_map(branches)
        .map(|branch| [stem.clone(), branch].concat())
        .collect()
}

/// A path as seen from the crate; `None` if it leads out of it.
fn absolute(
    module: &Module,
    path: &[String],
    known: &dyn Fn(&[String]) -> bool,
) -> Option<Vec<String>> {
    let mut base = match path[0].as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.clone(),
        child if known(&[module.as_slice(), &[child.to_string()]].concat()) => {
            return Some([module.as_slice(), path].concat());
        }
        _ => return None,
    };
    let mut rest = path;
    while let [first, more @ ..] = rest
        && ["crate", "self", "super"].contains(&first.as_str())
    {
        if first == "super" {
            base.pop()?;
        }
        rest = more;
    }
    let rest: Vec<String> = rest.iter().filter(|part| *part != "self").cloned().collect();
    let path = [base, rest].concat();
    (!path.is_empty()).then_some(path)
}

/// Files that may import each other in a circle, by the folder that holds them all, and why.
const CIRCLES: [(&str, &str); 1] =
    [("figures", "the table of figures lists its drawers, the drawers return its types")];

#[test]
fn no_two_files_of_a_room_import_each_other_in_a_circle() {
    assert_circles("crates/engine/src", &[]);
    assert_circles("src", &[]);
    assert_circles("experiments/src", &CIRCLES);
    for package in FLAT {
        assert_circles(package, &[]);
    }
}

/// Every circle of imports is inside one of these folders, and each of them has one.
fn assert_circles(sources: &str, known: &[(&str, &str)]) {
    let imports = Imports::read(sources).within_rooms(FLAT.contains(&sources));
    // Everything that a file leads to.
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = imports
        .keys()
        .map(|from| {
            let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
            while let Some(module) = next.pop() {
                next.extend(imports[module].iter().filter(|to| reached.insert(*to)));
            }
            (from, reached)
        })
        .collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, to) in &reached {
        let circle: Vec<String> = to
            .iter()
            .filter(|other| reached[**other].contains(*from))
            .map(|m| m.join("/"))
            .collect();
        if to.contains(*from) {
            circles.insert(circle);
        }
    }
    let mut used = BTreeSet::new();
    let (mut wrong, mut shown) = (Vec::new(), Vec::new());
    for circle in &circles {
        let inside = |folder: &str| {
            circle.iter().all(|file| file == folder || file.starts_with(&format!("{folder}/")))
        };
        shown.push(circle.join(" "));
        match known.iter().find(|(folder, _)| inside(folder)) {
            Some((folder, _)) => drop(used.insert(*folder)),
            None => wrong.push(circle.join(", ")),
        }
    }
    println!("{}", shown.join("\n"));
    assert!(wrong.is_empty(), "circles of imports:\n{}", wrong.join("\n"));
    for (folder, _) in known {
        assert!(
            used.contains(folder),
            "{sources}/{folder} has no circle any more: leave it out of the list"
        );
    }
}

/// The paper's studies, by their specs. A name of two words means nothing else; the others are named by their files.
fn studies() -> Vec<String> {
    let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_string());
    let specs = files("experiments", &["toml", "md"]);
    let own = specs.into_iter().filter(|path| path.parent() == Some(&root().join("experiments")));
    own.filter_map(stem).filter(|name| !["Cargo", "README"].contains(&name.as_str())).collect()
}

/// A word of a text that names a claim, a figure by its number, or a study of the paper, if there is one.
fn names_the_paper<'a>(line: &'a str, studies: &[String]) -> Option<&'a str> {
    let is_word = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let mut words = line.split(|c: char| !is_word(c)).map(|word| word.trim_matches(['.', '-']));
    let is_claim = |word: &str| {
        let number = word.strip_prefix('C').filter(|digits| digits.len() <= 2);
        number.and_then(|n| n.parse::<u32>().ok()).is_some_and(|n| (1..=15).contains(&n))
    };
    let is_file = |word: &str| {
        let ends = [".toml", ".md", "/study.json", "/rows.csv.gz"];
        let path = ends.iter().find_map(|end| word.strip_suffix(end));
        let name = path.and_then(|path| path.rsplit('/').next());
        name.is_some_and(|name| {
            !word.contains("assets/") && studies.iter().any(|study| study == name)
        })
    };
    let is_study = |word: &str| word.contains('_') && studies.iter().any(|study| study == word);
    let found = words.find(|word| is_claim(word) || is_study(word) || is_file(word));
    found.or_else(|| line.find("Fig. ").map(|at| &line[at..]))
}

/// Lines of the instrument in which such a word means something else: part of the path, part of the line, why.
const OTHERWISE: [(&str, &str, &str); 4] = [
    ("evolution/fitness.rs", "C1", "a constant of SSIM"),
    ("evolution/fitness.rs", "C2", "a constant of SSIM"),
    ("evolve/crossover.rs", "Stanley & Miikkulainen 2002", "a figure of NEAT's paper"),
    ("score/measures/symmetry.rs", "Kumar et al. 2025", "a figure of FER's paper"),
];

#[test]
fn the_instrument_names_no_claim_figure_or_study_of_the_paper() {
    let studies = studies();
    assert_eq!(names_the_paper("rivals of C4.", &studies), Some("C4"));
    assert_eq!(names_the_paper("as out_of_domain does", &studies), Some("out_of_domain"));
    assert_eq!(names_the_paper("the paper's Fig. 3", &studies), Some("Fig. 3"));
    assert_eq!(
        names_the_paper("`experiments/theory.toml`", &studies),
        Some("experiments/theory.toml")
    );
    assert_eq!(names_the_paper("C16 C0 AC4 sC1 the wirings, assets/compare.toml", &studies), None);
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for path in SOURCES.iter().flat_map(|sources| files(sources, &["rs", "js", "html", "css"])) {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_string();
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let Some(word) = names_the_paper(line, &studies) else { continue };
            match OTHERWISE
                .iter()
                .find(|(file, part, _)| name.contains(file) && line.contains(part))
            {
                Some((_, part, _)) => drop(used.insert(*part)),
                None => wrong.push(format!("{name}:{}: {word:?} in {}", number + 1, line.trim())),
            }
        }
    }
    assert!(wrong.is_empty(), "the instrument does not know the paper:\n{}", wrong.join("\n"));
    assert_eq!(used.len(), OTHERWISE.len(), "an exception that is used no more");
}

/// Every text that people write: code, pages, specs.
fn pages_and_code() -> Vec<PathBuf> {
    let mut all = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    for folder in
        ["crates", "src", "tests", "benches", "examples", "docs", "experiments", "genomes"]
    {
        all.extend(files(folder, &["rs", "py", "md", "toml"]));
    }
    all
}

#[test]
fn every_section_of_the_methods_page_that_is_cited_exists() {
    let page = std::fs::read_to_string(root().join("docs/METHODS.md")).unwrap();
    let sections: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.trim_start_matches('#').trim().strip_prefix('§'))
        .map(|heading| heading.split(' ').next().unwrap())
        .collect();
    assert!((1..=10).all(|n| sections.contains(n.to_string().as_str())), "{sections:?}");
    let mut wrong = Vec::new();
    for path in pages_and_code() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            // Every section sign after the name; the page itself cites without it.
            let of_the_page = path.ends_with("docs/METHODS.md");
            let after = if of_the_page {
                line
            } else {
                line.split_once("METHODS").map_or("", |(_, after)| after)
            };
            for citation in after.split('§').skip(1) {
                let section: String =
                    citation.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
                if !section.is_empty() && !sections.contains(section.trim_end_matches('.')) {
                    wrong.push(format!("{}:{} cites §{section}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_test_that_the_methods_page_names_exists() {
    let mut names = BTreeSet::new();
    for path in ["crates", "src", "tests", "experiments/src", "experiments/tests"]
        .into_iter()
        .flat_map(rust_files)
    {
        let text = std::fs::read_to_string(&path).unwrap();
        for function in text.split("fn ").skip(1) {
            names.insert(function.split('(').next().unwrap().to_string());
        }
    }
    let page = std::fs::read_to_string(root().join("docs/METHODS.md")).unwrap();
    let mut wrong = Vec::new();
    for word in page.split('`').skip(1).step_by(2) {
        let is_a_name =
            word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if is_a_name && word.matches('_').count() >= 3 && !names.contains(word) {
            wrong.push(word);
        }
    }
    assert!(wrong.is_empty(), "no such tests: {}", wrong.join(", "));
}

#[test]
fn every_test_file_and_page_that_is_named_exists() {
    let mut wrong = Vec::new();
    for path in pages_and_code() {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in text.split(|c: char| !(c.is_alphanumeric() || "_-/.".contains(c))) {
            let word = word.trim_end_matches('.');
            let is_path = (word.starts_with("tests/") && word.ends_with(".rs"))
                || (word.starts_with("docs/") && word.ends_with(".md"));
            if is_path && !root().join(word).exists() {
                wrong.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn python_knows_every_activation() {
    let text = std::fs::read_to_string(root().join("crates/python/lib/picloom/torch.py")).unwrap();
    for activation in picloom::math::Activation::ALL {
        assert!(text.contains(&format!("\"{activation}\": ")), "torch.py: {activation}");
    }
}
