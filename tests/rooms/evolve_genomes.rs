//! The committed genomes are what their provenance says.

use picloom::evolve::{Breeding, Session};
use picloom::genome::{self, Genome};
use picloom::network::{Coords, Picture, compile, kernel, layerize};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn committed() -> Vec<(String, Genome)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir("genomes")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        // Composed by hand, as the subject of tests and of the optimizer study.
        .filter(|path| !path.ends_with("mask.json"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_string();
            (name, genome::read(&path).unwrap())
        })
        .filter(|(name, _)| SEARCHES.iter().any(|s| name.starts_with(s)))
        .collect()
}

/// The genomes of the gallery; `mask.json` was composed by hand.
const SEARCHES: [&str; 4] = ["bred_", "target_", "novelty_", "elite_"];

#[test]
fn at_least_sixteen_genomes_say_how_they_were_made_and_stand_in_the_gallery() {
    let gallery = std::fs::read_to_string("genomes/README.md").unwrap();
    let genomes = committed();
    assert!(genomes.len() >= 16, "{}", genomes.len());
    for search in SEARCHES {
        assert!(genomes.iter().any(|(name, _)| name.starts_with(search)));
    }
    assert!(genomes.iter().any(|(_, g)| g.is_colour()));
    assert!(genomes.iter().any(|(_, g)| !g.is_colour()));
    for (name, genome) in genomes {
        genome.check().unwrap();
        let p = &genome.provenance;
        assert_eq!(p.name, name);
        assert!(p.made_by.starts_with("picloom evolve --search "), "{name}");
        assert!(p.seed.is_some() && p.generations.is_some(), "{name}");
        assert!(!p.parents.is_empty() && p.notes.contains_key("config"), "{name}");
        assert!(gallery.contains(&format!("`{name}`")), "{name}");
        let shown = Picture::read(format!("genomes/pictures/{name}.png").as_ref()).unwrap();
        let (network, weights) = compile(&genome);
        let mut drawn = kernel::picture(&network, &weights, shown.width, Coords::Fer);
        genome.palette.recolour(&mut drawn.rgb);
        assert!(drawn.to_bytes() == shown.to_bytes(), "{name} draws another picture");
        let text = std::fs::read_to_string(format!("genomes/{name}.json")).unwrap();
        assert!(genome::to_json(&genome) == text, "{name} is in canonical form");
        assert!(layerize(&genome).network.weight_count() > 0);
    }
}

#[test]
fn bred_genomes_are_found_again_by_replaying_their_sessions() {
    let (mut found, mut sessions) = (0, BTreeMap::new());
    for (name, genome) in committed() {
        let notes = &genome.provenance.notes;
        let Some(path) = notes.get("session") else {
            continue;
        };
        let number = |key: &str| notes[key].parse::<usize>().unwrap();
        let breeding = sessions.entry(path.clone()).or_insert_with(|| {
            let text = std::fs::read_to_string(path).unwrap();
            Breeding::new(Session::from_toml(&text).unwrap(), &[]).unwrap()
        });
        let mut again = breeding.sheet(number("sheet")).unwrap().genomes()[number("place")].clone();
        again.provenance = genome.provenance.clone();
        assert!(again == genome, "{name} differs from what {path} breeds");
        found += 1;
    }
    assert!(found >= 10, "{found} bred genomes");
}
