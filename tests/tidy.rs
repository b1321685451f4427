//! The shape of the tree: one-way arrows, no circles, file sizes, and pages that belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms in the order data flows through them.
const ROOMS: [&str; 15] = [
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
    "site",
    "figures",
    "studio",
    "cli",
];

/// The sources of the instrument: the engine, and what stands on it.
const SOURCES: [&str; 2] = ["crates/engine/src", "src"];

/// Packages without rooms: each is looked at as one.
const FLAT: [&str; 5] = [
    "crates/base/src",
    "crates/plot/src",
    "crates/python/src",
    "crates/study/src",
    "crates/web/src",
];

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

/// No line of these files has anything wrong with it, as `of` tells it.
#[track_caller]
fn assert_lines(
    paths: impl IntoIterator<Item = PathBuf>,
    mut of: impl FnMut(&Path, &str) -> Vec<String>,
) {
    let mut wrong = Vec::new();
    for path in paths {
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let at = format!("{}:{}", path.display(), number + 1);
            wrong.extend(of(&path, line).into_iter().map(|said| format!("{at} {said}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_room_uses_only_itself_and_rooms_to_its_left() {
    assert_lines(SOURCES.into_iter().flat_map(rust_files), |path, line| {
        // Links in documentation may point anywhere.
        let room = room_of(path).filter(|_| !line.trim_start().starts_with("//"));
        let others = ROOMS.iter().skip(room.map_or(ROOMS.len(), |room| room + 1));
        let used = others.filter(|name| line.contains(&format!("crate::{name}::")));
        used.map(|name| format!("uses {name}, a room to its right")).collect()
    });
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
            // What stands before a semicolon is a `use`, with other code before it, or code alone.
            for statement in text.split(';') {
                let lines: Vec<&str> = statement.lines().collect();
                let begin = lines.iter().rposition(|line| is_use(line)).unwrap_or(lines.len());
                let tree = lines[begin..].concat();
                for path in branches(tree.split_once("use ").map_or("", |(_, tree)| tree)) {
                    match absolute(module, &path, &known) {
                        Some(path) if tree.trim_start().starts_with("pub") => {
                            passed_on.insert(path.last().unwrap().clone(), path);
                        }
                        path => used.extend(path),
                    }
                }
                let code = lines[..begin].join("\n");
                let is_apart = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
                for path in code.split(is_apart).filter(|word| word.contains("::")) {
                    let path: Vec<String> = path.split("::").map(String::from).collect();
                    used.extend(absolute(module, &path, &known));
                }
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

/// Does a `use` statement begin with this line?
fn is_use(line: &str) -> bool {
    let line = line.trim_start();
    let after =
        line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or("", |r| r.1));
    after.starts_with("use ")
}

/// `a::{b, c::{d, e}}` as a::b, a::c::d, a::c::e.
fn branches(tree: &str) -> Vec<Vec<String>> {
    let (mut found, mut stems, mut path) = (Vec::new(), Vec::new(), String::new());
    for c in tree.replace(" as ", "@").chars().filter(|c| !c.is_whitespace()).chain([',']) {
        match c {
            '{' => stems.push(path.clone()),
            ',' | '}' => {
                if !path.is_empty() && !path.ends_with(':') {
                    let path = path.split('@').next().unwrap();
                    found.push(path.split("::").map(String::from).collect());
                }
                path = String::new();
                if c == ',' {
                    path = stems.last().cloned().unwrap_or_default();
                } else {
                    stems.pop();
                }
            }
            c => path.push(c),
        }
    }
    found
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

#[test]
fn no_two_files_of_a_room_import_each_other_in_a_circle() {
    assert_eq!(
        branches("a::{b, c::{d as e, self}}").concat(),
        ["a", "b", "a", "c", "d", "a", "c", "self"]
    );
    for sources in SOURCES.into_iter().chain(FLAT) {
        assert_eq!(circles(sources), BTreeSet::new(), "{sources}");
    }
    // The table of figures lists its drawers, the drawers return its types.
    let known = circles("experiments/src");
    let inside = |file: &String| file == "figures" || file.starts_with("figures/");
    assert!(!known.is_empty() && known.iter().flatten().all(inside), "{known:?}");
}

/// The circles of imports of a package, each as its files.
fn circles(sources: &str) -> BTreeSet<Vec<String>> {
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
    let in_circles = reached.iter().filter(|(from, to)| to.contains(*from));
    let circle = |(from, to): (&&Module, &BTreeSet<&Module>)| {
        to.iter().filter(|other| reached[**other].contains(*from)).map(|m| m.join("/")).collect()
    };
    in_circles.map(circle).collect()
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
    let mut used = BTreeSet::new();
    let texts = SOURCES.iter().flat_map(|sources| files(sources, &["rs", "js", "html", "css"]));
    assert_lines(texts, |path, line| {
        let Some(word) = names_the_paper(line, &studies) else { return Vec::new() };
        let name = path.to_str().unwrap();
        match OTHERWISE.iter().find(|(file, part, _)| name.contains(file) && line.contains(part)) {
            Some((_, part, _)) => drop(used.insert(*part)),
            None => return vec![format!("knows the paper: {word:?} in {}", line.trim())],
        }
        Vec::new()
    });
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
    assert_lines(pages_and_code(), |path, line| {
        // Every section sign after the name; the page itself cites without it.
        let after = match path.ends_with("docs/METHODS.md") {
            true => line,
            false => line.split_once("METHODS").map_or("", |(_, after)| after),
        };
        let number = |text: &str| -> String {
            text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect()
        };
        let cited = after.split('§').skip(1).map(number);
        let is_gone = |section: &String| {
            !section.is_empty() && !sections.contains(section.trim_end_matches('.'))
        };
        cited.filter(is_gone).map(|section| format!("cites §{section}")).collect()
    });
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
    for path in files("tests/cases", &["txt"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        names.extend(text.lines().filter_map(|line| line.strip_prefix("== ")).map(String::from));
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
    assert_lines(pages_and_code(), |_, line| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || "_-/.".contains(c)));
        let is_gone = |word: &&str| {
            let is_path = (word.starts_with("tests/") && word.ends_with(".rs"))
                || (word.starts_with("docs/") && word.ends_with(".md"));
            is_path && !root().join(word).exists()
        };
        words.map(|word| word.trim_end_matches('.')).filter(is_gone).map(String::from).collect()
    });
}

#[test]
fn python_knows_every_activation() {
    let text = std::fs::read_to_string(root().join("crates/python/lib/picloom/torch.py")).unwrap();
    for activation in picloom::math::Activation::ALL {
        assert!(text.contains(&format!("\"{activation}\": ")), "torch.py: {activation}");
    }
}
