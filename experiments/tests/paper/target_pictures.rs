//! The drawn targets of studies, and their parts.

use crate::targets::{ALL, write_all};

#[test]
fn names_are_unique_and_sorted() {
    assert!(ALL.windows(2).all(|pair| pair[0].name < pair[1].name));
}

#[test]
fn parts_cover_the_figure_once() {
    let mut with_parts = 0;
    for target in ALL.iter().filter(|t| t.name.ends_with("_plain")) {
        let Some(parts) = target.parts(48) else {
            continue;
        };
        with_parts += 1;
        let picture = target.draw(48);
        for p in 0..48 * 48 {
            let owners = parts.iter().filter(|(_, r)| r[p]).count();
            let white = picture.rgb[3 * p..3 * p + 3] == [1.0; 3];
            assert!(owners <= 1 && !(white && owners == 1), "{} {p}", target.name);
        }
        // What no part owns is background, or an edge between parts and background.
        for (name, region) in &parts {
            let pixels = region.iter().filter(|r| **r).count();
            assert!(pixels >= 20, "{} {name}: {pixels}", target.name);
        }
    }
    assert_eq!(with_parts, 5);
    let find = |name: &str| ALL.iter().find(|t| t.name == name).unwrap();
    assert_eq!(find("letter_a").parts(16), None);
    // The sphere stands before the cube: the pixel at its centre is the sphere's.
    let found = find("cube_sphere").parts(32).unwrap();
    let at = 21 * 32 + 22;
    assert!(found[1].1[at] && !found[0].1[at]);
    let cube = 16 * 32 + 8;
    assert!(found[0].1[cube]);
}

#[test]
fn the_committed_targets_are_what_the_generator_draws() {
    let place = tempfile::tempdir().unwrap();
    let drawn = write_all(place.path()).unwrap();
    assert_eq!(drawn.len(), 15);
    for path in drawn {
        let committed = std::path::Path::new("targets").join(path.file_name().unwrap());
        assert!(
            std::fs::read(&path).unwrap() == std::fs::read(&committed).unwrap(),
            "{}: run `picloom-experiments targets experiments/targets`",
            committed.display()
        );
    }
}
