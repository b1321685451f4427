//! Sizes that no machine has the memory for are refused with their product, before anything is computed.

use crate::PROGRAM;
use crate::genomes::genome;
use crate::line::Place;
use std::process::Command;

#[test]
fn what_does_not_fit_into_memory_is_refused_with_its_product() {
    let place = Place::new();
    for search in ["interactive", "vlm --breeder mock"] {
        let line = format!("evolve --search {search} --population 100000 --cell 512 --out bred");
        place.refused(&line, 2, &["262144 pixels × 100000 pictures × 27 bytes"]);
        assert!(!place.at("bred/sheet.png").exists());
    }
    // A chain of 40 000 nodes, whose maps are 2.7 TB.
    let hidden: Vec<u64> = (5..40_000).collect();
    let ends = [(0, 5, 1.0), (39_999, 4, 1.0)].into_iter();
    let links = ends.chain(hidden.windows(2).map(|pair| (pair[0], pair[1], 1.0)));
    let text = genome(&hidden, &links.collect::<Vec<_>>(), 0);
    place.write("long.json", text);
    for search in ["target --target ROOT/experiments/targets/face.png", "novelty", "map-elites"] {
        let line = "--from long.json --population 100000 --size 16 --out vast";
        let expected = "100000 genomes × 79996 genes × 400 bytes";
        place.refused(&format!("evolve --search {search} {line}"), 2, &[expected]);
    }
    assert!(!place.at("vast").exists());
    for line in [
        "maps --genome long.json --size 4096 --out maps.png",
        "score --genome long.json --size 4096",
        "sweep --genome long.json --size 4096 --out sweep",
    ] {
        place.refused(line, 2, &["16777216 pixels × 400"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_counts_as_the_memory_there_is() {
    let line = "maps --genome bred_moth --size 4096 --out /dev/null/maps.png";
    let script = format!("ulimit -v 1500000 && exec {PROGRAM} {line}");
    let done = Command::new("sh").args(["-c", &script]).output().unwrap();
    let error = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{error}");
    assert!(error.contains("16777216 pixels × "), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn of_a_collection_there_are_never_all_genomes_in_memory() {
    let place = Place::new();
    let one = include_str!("../foreign/vlm.json").replace("MORE", "").replace("HIDDEN", "\"sin\"");
    let entry = |i: usize| format!("\"g{i}\":{}", one.replace("0.8", &format!("0.{}", i + 3)));
    place.write("many.json", format!("{{{}}}", (0..2000).map(entry).collect::<Vec<_>>().join(",")));
    place.write(
        "many.toml",
        "kind = \"networks\"\nname = \"many\"\nquestion = \"?\"\nsize = 8\nsteps = 4\nseeds = [0]\n\
        [[targets]]\ngenomes = [\"many.json\"]\n[[arms]]\nname = \"evolved\"\nwiring = \"evolved\"\n",
    );
    // Glibc's own aligned blocks took 265 kB a genome.
    let line = "experiment run many.toml --dry-run --threads 1";
    let script = format!("ulimit -v 300000 && exec {PROGRAM} {line}");
    let done =
        Command::new("sh").args(["-c", &script]).current_dir(place.at(".")).output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap() + &String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && said.contains("2000 of 2000 chains"), "{said}");
}

#[test]
fn a_study_of_more_cells_than_can_be_is_refused_at_once() {
    let place = Place::new();
    let list = |end: usize| (0..end).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!(
        "kind = \"networks\"\nname = \"vast\"\nquestion = \"How many?\"\nsize = 8\nsteps = 4\n\
        seeds = [{}]\noffsets = [{}]\n[[targets]]\nname = \"face\"\npicture = \"face.png\"\n\
        arch = \"2;gaussian:2\"\n[[arms]]\nname = \"dense\"\nwiring = \"dense\"\n",
        list(1001),
        list(1000)
    );
    place.write("vast.toml", text);
    let expected =
        "at most 1000000 cells, found 1 targets × 1 variants × 1000 offsets × 1001 seeds";
    place.refused("experiment run vast.toml --dry-run", 1, &[expected]);
}
