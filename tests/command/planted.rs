//! Files that the crash campaign planted in folders: each stays refused or replaced.

use crate::line::Place;

#[cfg(unix)]
#[test]
fn a_manual_page_is_not_written_through_a_link() {
    let place = Place::new();
    place.write("precious", "years of work");
    std::fs::create_dir(place.at("man")).unwrap();
    let page = "man/picloom-train.1";
    std::os::unix::fs::symlink(place.at("precious"), place.at(page)).unwrap();
    place.done("man --out man");
    assert_eq!(place.text("precious"), "years of work");
    assert!(place.text(page).contains("picloom train"));
}

#[test]
fn a_folder_in_the_place_of_a_rounds_picture_is_refused_and_the_pictures_come_afterwards() {
    let place = Place::new();
    place.done("train --genome bred_moth --target bred_moth --size 8 --steps 2 --out dense");
    let prune = "prune dense --budget 200 --steps 2 --out sp";
    place.done(prune);
    let images = place.at("sp/images");
    let names = ["wiring.svg", "wiring.png", "maps-before.png", "maps-after.png", "change.svg"];
    for name in names.into_iter().chain(["change.png"]) {
        std::fs::remove_file(images.join(name)).unwrap();
    }
    let change = images.join("change.png");
    std::fs::create_dir(&change).unwrap();
    let said = place.says(prune, 1);
    assert!(said.error.contains("change.png") && said.error.contains("found a folder"), "{said:?}");
    std::fs::remove_dir(&change).unwrap();
    place.done(prune);
    assert!(change.is_file() && names.iter().all(|name| images.join(name).is_file()));
}

#[cfg(unix)]
#[test]
fn a_table_takes_no_file_along_that_a_link_in_the_place_of_a_picture_leads_to() {
    let place = Place::with(&["genomes/bred_moth.json"]);
    let spec = "kind = \"networks\"\nname = \"small\"\nquestion = \"?\"\nsize = 16\nsteps = 1\nseeds = [0]\nsample = 4\n\
        [[targets]]\nname = \"moth\"\ngenome = \"bred_moth.json\"\n[[arms]]\nname = \"evolved\"\nwiring = \"evolved\"\n\
        [show]\narms = [\"evolved\"]\n";
    place.write("small.toml", spec);
    place.done("experiment run small.toml --store store");
    place.write("secret", "a key");
    let pictures = std::fs::read_dir(place.at("store/small/views")).unwrap();
    let pictures = pictures.map(|entry| entry.unwrap().path());
    let is_row = |path: &std::path::PathBuf| !path.to_string_lossy().ends_with("-target.png");
    let files: Vec<_> = pictures.filter(is_row).collect();
    for (end, expected) in [
        (".png", "expected a picture that the record names, found: no PNG"),
        (".csv.gz", "expected a table of changed weights"),
    ] {
        let file = files.iter().find(|path| path.to_string_lossy().ends_with(end)).unwrap();
        let own = std::fs::read(file).unwrap();
        std::fs::remove_file(file).unwrap();
        std::os::unix::fs::symlink(place.at("secret"), file).unwrap();
        let said = place.says("experiment collect small.toml --store store --out table", 1);
        assert!(said.error.contains(expected), "{said:?}");
        assert!(!place.at("table/views").join(file.file_name().unwrap()).exists());
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, own).unwrap();
    }
}
