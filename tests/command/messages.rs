//! Every message of wrong use and bad input, word for word: `tests/golden/messages.txt` holds command lines, and below
//! each its exit code and what it says on stderr. A new message is a new line there:
//! `UPDATE_GOLDEN=1 cargo test --test command messages` writes what the commands say now.
//!
//! No command of the file prints a result, and none leaves or changes a file.

use crate::line::Place;
use picloom::network::Picture;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const XML: &str = r#"<?xml version="1.0"?><data><genome age="3"><nodes>
<node label="x" type="in"><marking branch="1" id="0"/><activation>identity(x)</activation></node>
<node label="y" type="in"><marking branch="1" id="1"/><activation>identity(x)</activation></node>
<node label="d" type="in"><marking branch="1" id="2"/><activation>identity(x)</activation></node>
<node label="bias" type="in"><marking branch="1" id="3"/><activation>identity(x)</activation></node>
<node label="ink" type="out"><marking branch="1" id="4"/><activation>gaussian(x)</activation></node>
<node type="hidden"><marking branch="2" id="4"/><activation>ACT(x)</activation></node></nodes><links>
<link><marking branch="1" id="5"/><source branch="1" id="2"/><target branch="2" id="4"/><weight>WEIGHT</weight></link>
<link><marking branch="1" id="6"/><source branch="2" id="4"/><target branch="1" id="4"/><weight>1.5</weight></link>
LINK</links></genome></data>"#;

/// A small Picbreeder file in which nodes (1, 4) and (2, 4) differ by their branch only.
pub(crate) fn xml(activation: &str, weight: &str, link: &str) -> String {
    XML.replace("ACT", activation).replace("WEIGHT", weight).replace("LINK", link)
}

/// Scores of two arms on three pictures.
pub(crate) const ROWS: &str = "target,arm,level,seed,alive,score\n\
    moth,dense,0,0,128,0.1\nmoth,sp,1,0,64,0.3\ncat,dense,0,0,128,0.2\ncat,sp,1,0,64,0.5\n\
    lamp,dense,0,0,128,0.2\nlamp,sp,1,0,64,0.2\n";

/// A contrast and two figures of [`ROWS`].
pub(crate) const STUDY: &str = "kind = \"networks\"\n\
    [[contrasts]]\nid = \"C1\"\nbetween = [{ arm = \"sp\" }, { arm = \"dense\" }]\nbasis = [\"end\"]\n\
    [[figures]]\nname = \"score\"\nkind = \"dots\"\nx = \"arm\"\ny = \"score\"\n\
    [[figures]]\nname = \"effect\"\nkind = \"forest\"\n";

/// A table of four pictures, two arms and three seeds: of each what `ends` says of its arm and seed.
pub(crate) fn table(header: &str, ends: impl Fn(&str, usize) -> Vec<String>) -> String {
    let mut text = format!("{header}\n");
    for target in ["a", "b", "c", "d"] {
        for (arm, seed) in ["sp", "random"].into_iter().flat_map(|arm| [0, 1, 2].map(|s| (arm, s)))
        {
            let rows = ends(arm, seed);
            rows.iter().for_each(|end| text += &format!("{target},{arm},{seed},{end}\n"));
        }
    }
    text
}

/// Genomes, pictures, tables, specs, runs, sessions and damaged files for the lines of the golden file.
fn fixture() -> Place {
    let place = Place::with(&[
        "genomes/mask.json",
        "genomes/bred_moth.json",
        "genomes/target_apple.json",
        "experiments/targets/face.png",
        "figures/fer-recipe/losses.csv",
    ]);
    let folder = place.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let write = |name: &str, bytes: &[u8]| place.write(name, bytes);
    write("white.png", &Picture::filled(8, 8, [1.0; 3]).to_png(&[]));
    let mut wide = Picture::filled(24, 12, [1.0; 3]);
    wide.rgb[0] = 0.0;
    write("wide.png", &wide.to_png(&[]));
    write("text.png", b"GIF, honestly");
    write("file", b"in the way");

    let link = |from: &str, to: &str| {
        format!(
            "<link><marking branch=\"1\" id=\"7\"/><source {from}/><target {to}/><weight>1</weight></link>"
        )
    };
    let (ink, hidden) = ("branch=\"1\" id=\"4\"", "branch=\"2\" id=\"4\"");
    let whole = xml("sin", "2", "");
    write("bad/half.xml", &whole.as_bytes()[..whole.len() / 2]);
    write("bad/activation.xml", xml("sawtooth", "2", "").as_bytes());
    let dangling = link("branch=\"9\" id=\"9\"", ink);
    write("bad/dangling.xml", xml("sin", "2", &dangling).as_bytes());
    write("bad/cycle.xml", xml("sin", "2", &link(ink, hidden)).as_bytes());
    write("bad/nan.xml", xml("sin", "NaN", "").as_bytes());
    write("bad/heavy.xml", xml("sin", "heavy", "").as_bytes());
    write("bad/text.zip", b"not a zip at all");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a", zip::write::SimpleFileOptions::default()).unwrap();
    (0..40).for_each(|_| zip.write_all(&vec![b' '; 1 << 20]).unwrap());
    write("bad/bomb.zip", &zip.finish().unwrap().into_inner());
    write("bad/other.json", br#"{"format":"other/2","nodes":[],"connections":[]}"#);
    write("bad/text.json", b"{]");
    write("bad/weights.json", br#"{"weights": 3}"#);
    write("bad/g.txt", b"");

    write("unknown.toml", b"stepz = 3\n");
    write("unknown-key.toml", b"[evolve.mutation]\nadd_nodes = 3.0\n");
    write("impossible.toml", b"[evolve.mutation]\nlink_rate = 2.0\n");
    write("garbage.toml", b"size = [\n");
    write("other.toml", b"search = \"interactive\"\n[evolve.mutation]\nlink_rate = 0.5\n");
    write("rows.csv", ROWS.as_bytes());
    write("words.csv", b"step,mse\n0,much\n");
    for (name, column, ends) in [
        ("percent", "fit", &["true,53.9%"][..]),
        ("comma", "fit", &["true,\"0,95\""]),
        ("perhaps", "fit", &["perhaps,0.5"]),
        ("levels", "level", &["1,.5", "2,.6"]),
        ("optimizers", "optimizer", &["adam,.5", "sgd,.6"]),
        ("twice", "at", &[",.5", ",.5"]),
        ("large", "fit", &["true,SIGN1e308"]),
    ] {
        let sign = |arm: &str| if arm == "sp" { "" } else { "-" };
        let ends = |arm: &str, _| ends.iter().map(|end| end.replace("SIGN", sign(arm))).collect();
        let text = table(&format!("target,arm,seed,{column},score"), ends);
        write(&format!("tables/{name}.csv"), text.as_bytes());
    }
    write("tables/semicolons.csv", b"target;arm;seed;score\na;sp;0;0.5\n");
    write("pbs", b"{{walltime}}");
    write("study.toml", STUDY.as_bytes());
    write(
        "parts.toml",
        b"kind = \"study\"\nname = \"s\"\nquestion = \"?\"\nparts = [\"none.toml\"]\n",
    );
    std::fs::copy(root.join("figures/wirings/rows.csv.gz"), folder.join("wirings.csv.gz")).unwrap();

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
        write(&format!("specs/{name}.toml"), spec.replacen(from, to, 1).as_bytes());
    }
    let answers: String = (1..=24).map(|n| format!("{n},{}\n", ["c", "f"][n % 2])).collect();
    write("sheets/answers.csv", format!("number,label\n{answers}").as_bytes());
    write("sheets/wrong.csv", b"image,base,label\nx.png,y.png,fine\n");
    place.done("judge labels sheets --from sheets/answers.csv --out sheets/labels.csv");
    let mask = std::fs::read_to_string(folder.join("dense/mask.json")).unwrap();
    write("cache-6.json", mask.replace("cache:5", "cache:6").as_bytes());
    std::fs::create_dir(folder.join("weightless")).unwrap();
    for entry in std::fs::read_dir(folder.join("dense")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_file() && name != "weights.safetensors" {
            std::fs::copy(&path, folder.join("weightless").join(name)).unwrap();
        }
    }
    std::fs::create_dir(folder.join("half")).unwrap();
    for name in ["config.toml", "picloom.json"] {
        std::fs::copy(folder.join("novelty").join(name), folder.join("half").join(name)).unwrap();
    }
    let checkpoint = std::fs::read(folder.join("novelty/checkpoint.json")).unwrap();
    write("half/checkpoint.json", &checkpoint[..checkpoint.len() / 2]);
    place
}

/// Every file below the folder, its length and when it was changed; locks are no output.
fn files(folder: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            let about = entry.metadata().unwrap();
            if about.is_dir() {
                open.push(entry.path());
            } else if !entry.file_name().to_string_lossy().ends_with(".lock") {
                found.insert(entry.path(), (about.len(), about.modified().unwrap()));
            }
        }
    }
    found
}

#[cfg(all(unix, feature = "studio", feature = "vlm"))]
#[test]
fn every_message_of_wrong_use_and_bad_input_is_the_golden_files() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/messages.txt");
    let wanted = std::fs::read_to_string(&golden).unwrap();
    let place = fixture();
    let folder = place.path();
    let mut before = files(folder);
    let (mut found, mut wrong, mut lines) = (String::new(), Vec::new(), 0);
    for line in wanted.lines() {
        if line.starts_with('#') {
            found += &format!("{}{line}\n", if found.is_empty() { "" } else { "\n" });
        }
        let Some(arguments) = line.strip_prefix("$ picloom ") else { continue };
        let said = place.run(arguments);
        if !said.out.is_empty() || files(folder) != before {
            wrong.push(format!("{line} printed a result, or left or changed a file"));
            before = files(folder);
        }
        found += &format!("\n{line}\n    exit {}\n", said.code.unwrap());
        for said in said.error.lines() {
            found += format!("    {said}").trim_end();
            found.push('\n');
        }
        lines += 1;
    }
    assert!(!found.contains(folder.to_str().unwrap()), "no path of this machine: {found}");
    assert!(lines > 0 && wrong.is_empty(), "{wrong:#?}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &found).unwrap();
        return;
    }
    for (found, wanted) in found.split("\n$ ").zip(wanted.split("\n$ ")) {
        assert!(found == wanted, "it said\n$ {wanted}\nand now says\n$ {found}");
    }
    assert_eq!(found, wanted);
}
