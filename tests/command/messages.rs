//! Every message of wrong use and bad input, word for word: `tests/golden/messages.txt` holds command lines, and below
//! each its exit code and what it says on stderr. A new message is a new line there:
//! `UPDATE_GOLDEN=1 cargo test --test command messages` writes what the commands say now.
//!
//! No command of the file prints a result, and none leaves or changes a file.

use crate::answers::hold;
use crate::files::files;
use crate::line::Place;
use picloom::network::Picture;
use std::io::Write;
use std::path::Path;

/// The files of `tests/messages`, and genomes, pictures, runs and sessions for the lines of the golden file.
fn fixture() -> Place {
    let place = Place::with(&[
        "genomes/mask.json",
        "genomes/bred_moth.json",
        "genomes/target_apple.json",
        "experiments/targets/face.png",
        "figures/fer-recipe/losses.csv",
    ]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    place.write("white.png", Picture::filled(8, 8, [1.0; 3]).to_png(&[]));
    let mut wide = Picture::filled(24, 12, [1.0; 3]);
    wide.rgb[0] = 0.0;
    place.write("wide.png", wide.to_png(&[]));
    for (name, bytes) in files(&root.join("tests/messages")) {
        place.write(&name, bytes);
    }
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a", zip::write::SimpleFileOptions::default()).unwrap();
    (0..40).for_each(|_| zip.write_all(&vec![b' '; 1 << 20]).unwrap());
    place.write("bad/bomb.zip", zip.finish().unwrap().into_inner());
    std::fs::copy(root.join("figures/wirings/rows.csv.gz"), place.at("wirings.csv.gz")).unwrap();

    for line in [
        "genome layerize mask.json --out w.npz",
        "train --genome mask.json --target mask.json --size 16 --steps 120 --seed 1 --out dense",
        "train --arch 2;cache:3,sin:1 --target mask.json --size 16 --steps 1 --out small",
        "prune dense --budget 60 --steps 1 --no-pictures --out sp",
        "evolve --search novelty --population 12 --size 16 --generations 2 --out novelty",
        "evolve --search interactive --cell 16 --seed 4 --select 1 --out bred",
        "evolve --search interactive --cell 16 --save 4 owl --out bred",
        "experiment new links.toml --targets mask.json",
        "judge sheets mask.json bred_moth.json --count 24 --size 48 --out sheets",
    ] {
        place.done(line);
    }
    let spec = place.text("links.toml");
    for (name, from, to) in [
        ("column", "y = \"score\"", "y = \"scroe\""),
        ("formats", "kind = \"dots\"", "kind = \"dots\"\nformats = [\"eps\"]"),
        ("few", "[\"share:0.7\", \"share:0.5\"]", "[\"budget:90\", \"budget:4\"]"),
        ("many", "[\"share:0.7\", \"share:0.5\"]", "[\"budget:400000\", \"share:0.5\"]"),
        ("program", "method = \"sp\"", "method = \"cmd:python3 gone.py\""),
        ("arm", "between = [{ arm = \"decay\"", "between = [{ arm = \"deca\""),
        ("key", "between =", "betwen ="),
        ("no-power", "id = \"fewer-links\"", "id = \"fewer-links\"\nof = \"alive\""),
    ] {
        assert!(spec.contains(from), "{from}");
        place.write(&format!("specs/{name}.toml"), spec.replacen(from, to, 1));
    }
    let answers: String = (1..=24).map(|n| format!("{n},{}\n", ["c", "f"][n % 2])).collect();
    place.write("sheets/answers.csv", format!("number,label\n{answers}"));
    place.write("sheets/wrong.csv", "image,base,label\nx.png,y.png,fine\n");
    place.done("judge labels sheets --from sheets/answers.csv --out sheets/labels.csv");
    place.write("cache-6.json", place.text("dense/mask.json").replace("cache:5", "cache:6"));
    place.copy("dense", "weightless", |name| name != "weights.safetensors");
    place.copy("novelty", "half", |name| ["config.toml", "picloom.json"].contains(&name));
    let checkpoint = place.bytes("novelty/checkpoint.json");
    place.write("half/checkpoint.json", &checkpoint[..checkpoint.len() / 2]);
    place
}

#[cfg(all(unix, feature = "studio", feature = "vlm"))]
#[test]
fn every_message_of_wrong_use_and_bad_input_is_the_golden_files() {
    let place = fixture();
    let folder = place.path();
    // Locks are no output.
    let output = || {
        let mut all = files(folder);
        all.retain(|name, _| !name.ends_with(".lock"));
        all
    };
    let (mut before, mut wrong) = (output(), Vec::new());
    hold("messages", |line| {
        let said = place.run(line.strip_prefix("picloom ").unwrap());
        if !said.out.is_empty() || output() != before {
            wrong.push(format!("{line} printed a result, or left or changed a file"));
            before = output();
        }
        assert!(!said.error.contains(folder.to_str().unwrap()), "a path of this machine: {said:?}");
        format!("exit {}\n{}", said.code.unwrap(), said.error)
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}
