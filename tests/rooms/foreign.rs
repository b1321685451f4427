//! Genomes of other programs: each file is made here, by the schema of its program.

use picloom::genome::{Genome, GenomeProblem, picked, read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A grey genome of Picbreeder: x and the bias feed a gaussian, which draws.
fn genome(id: usize, branch: &str, hidden: &str) -> String {
    let node = |id: usize, kind: &str, more: &str| {
        format!("<node {more} type=\"{kind}\"><marking branch=\"{branch}\" id=\"{id}\"/><activation>gaussian(x)</activation></node>\n")
    };
    let link = |id: usize, from: usize, to: usize| {
        format!("<link><marking branch=\"{branch}\" id=\"{id}\"/><source branch=\"{branch}\" id=\"{from}\"/><target branch=\"{branch}\" id=\"{to}\"/><weight>{}</weight></link>\n", id as f64 / 4.0)
    };
    let inputs = ["x", "y", "d", "bias"].iter().enumerate();
    let inputs: String = inputs.map(|(i, name)| node(i, "in", &format!("label=\"{name}\""))).collect();
    format!(
        "<genome age=\"{id}\"><identifier branch=\"7\" id=\"{id}\"/>\n<nodes>{inputs}{}{}</nodes>\n<links>{}{}{}</links></genome>\n",
        node(4, "out", "label=\"ink\""),
        node(5, "hidden", hidden),
        link(6, 0, 5),
        link(7, 3, 5),
        link(8, 5, 4),
    )
}

fn series(count: usize) -> String {
    let generation = |i| format!("<generation number=\"{i}\">{}</generation>", genome(i, "7", ""));
    format!("<data><storage>{}</storage></data>", (1..=count).map(generation).collect::<String>())
}

fn written(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn of(path: &Path, pick: &str) -> PathBuf {
    format!("{}#{pick}", path.display()).into()
}

fn name(genome: &Genome) -> (&str, Option<&str>) {
    (&genome.provenance.name, genome.provenance.series())
}

#[test]
fn of_a_series_the_last_genome_is_read_or_the_one_that_is_named() {
    let folder = TempDir::new().unwrap();
    let roots = format!("<data>{}</data><data>{}</data>", genome(1, "7", ""), genome(2, "7", ""));
    for (file, xml, last) in [("series.xml", series(3), 3), ("roots.xml", roots, 2)] {
        let path = written(&folder, file, xml);
        let said = format!("{last} of {last}");
        assert_eq!(name(&read(&path).unwrap()), (&*format!("7_{last}"), Some(&*said)));
        let first = read(&of(&path, "1")).unwrap();
        assert_eq!(name(&first), ("7_1", Some(&*format!("1 of {last}"))));
        assert_eq!(first.provenance.title(&path), format!("7_1 (1 of {last})"));
        for none in ["0", "4", "x", ""] {
            let error = read(&of(&path, none)).unwrap_err().to_string();
            assert!(error.contains(&format!("1 to {last}, found {none:?}")), "{error}");
        }
    }
    let one = written(&folder, "one.xml", genome(4, "7", ""));
    assert_eq!(name(&read(&one).unwrap()), ("7_4", None));
    // A file whose whole name is there goes first.
    let odd = written(&folder, "one.xml#1", "");
    assert_eq!(picked(&odd), (&*odd, None));
    let own = written(&folder, "own.json", "{}");
    let error = read(&of(&own, "2")).unwrap_err();
    assert!(matches!(*error.problem, GenomeProblem::Picked(_)), "{error}");
}
