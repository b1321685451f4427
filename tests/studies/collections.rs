//! Studies of files of many genomes.

use crate::spec_folder::{in_repository, read};
use picloom::experiment::networks::plan::Chain;
use picloom::experiment::networks::{NetworkRow, NetworksStudy};
use picloom::study::cells::{run_cells, status};
use std::path::Path;

const HEAD: &str = "kind = \"networks\"\nname = \"many\"\nquestion = \"?\"\nsize = 12\nsteps = 4\nseeds = [0]\nsample = 2\n";
const ARMS: &str = "[[arms]]\nname = \"evolved\"\nwiring = \"evolved\"\n[[arms]]\nname = \"dense\"\nwiring = \"dense\"\n";
const IDS: [&str; 3] = ["a", "Run 2/#7", "3"];
const NAMES: [&str; 3] = ["a", "_52un_202_2f_237", "3"];

fn genome(number: usize, hidden: &str) -> String {
    let text = include_str!("../foreign/vlm.json").trim_end().replace("MORE", "");
    text.replace("HIDDEN", hidden).replace("0.8", &format!("0.{}", number + 3))
}

/// The text of a collection of three.
fn collection() -> String {
    let entry = |(number, id): (usize, &&str)| format!("{id:?}:{}", genome(number, "\"sin\""));
    format!("{{{}}}", IDS.iter().enumerate().map(entry).collect::<Vec<_>>().join(","))
}

/// The rows of a study, of targets named without their file, and without the runs that are named by it.
fn rows(study: &NetworksStudy, runs: &Path) -> Vec<NetworkRow> {
    let mut rows = run_cells(study, runs, &mut ()).unwrap().unwrap().rows;
    for row in &mut rows {
        row.target = row.target.replace("many-", "");
        let result = row.result.as_mut().unwrap_or_else(|| panic!("{:?}", row.error));
        (result.run_id, result.path) = (None, None);
    }
    rows
}

#[test]
fn a_collection_is_a_target_for_each_of_its_genomes() {
    // It lies in the folder above the spec's.
    let spec = format!("{HEAD}[[targets]]\ngenomes = [\"many*.json\"]\n{ARMS}");
    let (folder, path) = in_repository(&spec);
    let file = folder.path().join("many.json");
    std::fs::write(&file, collection()).unwrap();
    let study = read(&path, None);
    let names: Vec<&str> = study.spec.targets.iter().map(|target| &target.name[5..]).collect();
    assert_eq!(names, NAMES);

    let target = |(number, name): (usize, &&str)| {
        let at = format!("genomes/{name}.json");
        std::fs::write(folder.path().join(&at), genome(number, "\"sin\"")).unwrap();
        format!("[[targets]]\nname = \"{name}\"\ngenome = \"{at}\"\n")
    };
    let targets: String = NAMES.iter().enumerate().map(target).collect();
    let alone_spec = path.with_file_name("alone.toml");
    std::fs::write(&alone_spec, format!("{HEAD}{targets}{ARMS}")).unwrap();
    let alone = read(&alone_spec, None);

    let runs = folder.path().join("runs");
    let status = || status(&study, &runs).unwrap();
    assert_eq!((status().to_make, status().total), (3, 6));
    let (many, one_by_one) = (rows(&study, &runs), rows(&alone, &folder.path().join("alone")));
    assert_eq!(many.len(), 6);
    for (row, expected) in many.iter().zip(&one_by_one) {
        // A genome's name is that of its entry, or of its file: it is part of its hash, not of what is measured.
        assert_eq!(row, expected);
    }
    assert_eq!(status().done, 6);

    // The files of a plan may not change before it is run.
    let study = read(&alone_spec, None);
    std::fs::write(folder.path().join("genomes/a.json"), genome(6, "\"sin\"")).unwrap();
    let record = run_cells(&study, &folder.path().join("later"), &mut ()).unwrap().unwrap();
    let errors: Vec<_> = record.rows.iter().filter_map(|row| row.error.as_ref()).collect();
    assert!(errors.len() == 2 && errors[0].contains("as the study was planned"), "{errors:?}");
    let is_same = |chain: &Chain| chain.source.load().is_ok();
    assert!(study.chains.iter().all(|chain| is_same(chain) == (chain.key.target.name != "a")));
}

#[test]
fn a_genome_of_a_collection_that_cannot_be_read_is_left_out_by_name_and_a_damaged_file_refused() {
    let spec = format!("{HEAD}[[targets]]\nname = \"x\"\ngenome = \"genomes/many.json\"\n{ARMS}");
    let (folder, path) = in_repository(&spec);
    let read = |text: String| {
        std::fs::write(folder.path().join("genomes/many.json"), text).unwrap();
        NetworksStudy::read(&path, None, Path::new("nowhere"))
    };
    let refused = |text: String| read(text).err().unwrap().to_string();
    for damage in ["\"square\"", "7"] {
        let study = read(collection().replacen("\"cos\"", damage, 1)).unwrap();
        let [left_out] = &study.left_out[..] else { panic!("{:?}", study.left_out) };
        assert!(left_out.starts_with("x-a (expected "), "{left_out}");
        assert_eq!(study.chains.len(), 4, "the evolved and one seed of each of the others");
    }
    // A picture that is not there is nobody's damage: without it there is no study.
    let pictured = spec.replace("many.json\"", "many.json\"\npicture = \"none.png\"");
    std::fs::write(&path, pictured).unwrap();
    let error = refused(collection());
    assert!(error.contains("target x-a: ") && error.contains("none.png"), "{error}");
    std::fs::write(&path, &spec).unwrap();
    let error = refused(collection().replace("Run 2/#7", "a"));
    assert!(error.contains("\"x-a\" twice"), "{error}");
    let error = refused(collection()[..collection().len() - 20].to_string());
    assert!(error.contains("target x: ") && error.contains("whole map of genomes"), "{error}");
}
