//! Genomes of other programs: each file, those of `tests/foreign` too, is made by the schema of its program.

use crate::answers::{changed, hold};
use picloom::base::real;
use picloom::evolve::{Breeding, EvolveConfig, Preset, Selection, Session};
use picloom::genome::{
    BUILTIN, Genome, Role, collection, from_picbreeder_xml, picked, read, to_picbreeder_xml,
    to_vlm_json,
};
use picloom::network::reference::forward;
use picloom::network::{Coords, Model, PixelInputs, Wiring};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A grey genome of Picbreeder: x and the bias feed a gaussian, the hidden node with these attributes, which draws.
fn genome(id: usize, branch: &str, hidden: &str) -> String {
    let text = include_str!("../foreign/picbreeder.xml").replace("AGE", &id.to_string());
    text.replace("BRANCH", branch).replace("MORE", hidden)
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

/// The refusal of a genome's file.
#[track_caller]
fn refused(path: &Path) -> String {
    read(path).unwrap_err().to_string()
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
            let error = refused(&of(&path, none));
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
    assert_eq!(error.expected, "a file of one genome without # and a name", "{error}");
}

#[test]
fn a_series_that_is_not_published_has_words_as_its_branches() {
    let read = |branch| from_picbreeder_xml(&genome(1, branch, "")).unwrap();
    let [word, same, other] = ["shouldBeBranch", "shouldBeBranch", "another"].map(read);
    let marks = |genome: &Genome| genome.nodes().map(|n| n.marking.unwrap()).collect::<Vec<_>>();
    assert_eq!(marks(&word), marks(&same));
    assert!(marks(&word)[5].branch != marks(&other)[5].branch && marks(&word)[5].id == 5);
    assert!(marks(&word)[5].branch >= 1 << 30);
    assert_eq!(
        marks(&from_picbreeder_xml(&to_picbreeder_xml(&word).unwrap()).unwrap()),
        marks(&word)
    );
}

#[test]
fn a_document_type_is_skipped_unless_it_defines_entities() {
    let own = genome(1, "7", "");
    for (before, is_read) in [
        ("<!DOCTYPE data SYSTEM \"a>b.dtd\">", true),
        (
            "<?xml version=\"1.0\"?>\n<!-- it's -->\n<!DOCTYPE data [\n<!ELEMENT data ANY><!-- don't > -->]>\n",
            true,
        ),
        ("<!DOCTYPE data [<!ENTITY a \"aaa\">]>", false),
        ("<!DOCTYPE data [", false),
    ] {
        match from_picbreeder_xml(&format!("{before}{own}")) {
            Ok(genome) => assert!(is_read && genome.nodes().len() == 6, "{before}"),
            Err(error) => {
                assert!(!is_read && error.to_string().contains("DOCTYPE"), "{before}: {error}");
            }
        }
    }
    let lines = format!("<!DOCTYPE data [\n\n]>{}", own.replace("age=\"1\"", "=\"1\""));
    assert!(from_picbreeder_xml(&lines).unwrap_err().to_string().contains(" at 3:"));
}

#[test]
fn the_bias_of_a_node_is_a_link_from_the_bias() {
    let weights = |node: &str| {
        let genome = from_picbreeder_xml(&genome(1, "7", node)).unwrap();
        let own = genome.connections().map(|c| (c.source.0, c.target.0, c.weight));
        own.collect::<Vec<_>>()
    };
    let plain = [(0, 5, 1.5), (3, 5, 1.75), (5, 4, 2.0)];
    assert_eq!(weights("bias=\"0.0\""), plain);
    assert_eq!(weights("bias=\"1.5\""), [plain[0], (3, 5, 3.25), plain[2]]);
    let xml = genome(1, "7", "").replace("label=\"ink\"", "label=\"ink\" bias=\"-1\"");
    let drawn = from_picbreeder_xml(&xml).unwrap();
    let last = drawn.connections().last().unwrap();
    assert_eq!((last.source.0, last.target.0, last.weight), (3, 4, -1.0));
}

fn zipped(folder: &TempDir, entries: &[(&str, &str)]) -> PathBuf {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    written(folder, "a.zip", zip.finish().unwrap().into_inner())
}

#[test]
fn of_a_zip_the_genomes_are_read_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let (own, notes, more) = (genome(1, "7", ""), "<notes/>", series(2));
    let read = |entries: &[(&str, &str)]| read(&zipped(&folder, entries));
    for entries in [
        &[("./one.xml", &*own), ("__MACOSX/._one.xml", "\u{0}"), ("._one.xml", "\u{0}")][..],
        &[("rep", &own)],
        &[("one.XML", &own), ("one.png", "\u{0}"), ("about.xml", notes)],
    ] {
        assert_eq!(name(&read(entries).unwrap()), ("7_1", None));
    }
    let several = read(&[("a.xml", &own), ("b.xml", &more)]).unwrap();
    assert_eq!(name(&several), ("7_2", Some("3 of 3")));
    let error = read(&[("a.png", ""), ("b.png", "")]).unwrap_err().to_string();
    assert!(error.contains("a genome's XML among"), "{error}");
}

/// A session of these ancestors after its first two pictures were selected.
fn bred(ancestors: &[Genome]) -> Breeding {
    let session = Session::new(
        EvolveConfig::preset(Preset::Picbreeder),
        5,
        vec!["a".into(); ancestors.len()],
    );
    let mut breeding = Breeding::new(session, ancestors).unwrap();
    breeding.select(Selection { slider: Some(0.2), ..Selection::of(&[0, 1]) }).unwrap();
    breeding
}

#[test]
fn ancestors_of_different_origin_cross() {
    let known = |name: &str| read(Path::new(name)).unwrap();
    let marked = |branch: &str, hidden: &str| {
        from_picbreeder_xml(&genome(1, branch, hidden).replace("<genome", "<genome ")).unwrap()
    };
    let grey = marked("7", "");
    let mut shifted = genome(2, "7", "");
    // A later generation of the same series: the hidden node stands elsewhere in the file.
    shifted = shifted.replace("<nodes>", "<nodes><node type=\"hidden\"><marking branch=\"7\" id=\"99\"/><activation>sin(x)</activation></node>");
    let shifted = from_picbreeder_xml(&shifted).unwrap();
    for (what, ancestors) in [
        ("two searches", vec![known("target_apple"), known("target_car")]),
        ("two sessions", vec![known("bred_moth"), known("bred_skull")]),
        ("two branches", vec![grey.clone(), marked("8", "")]),
        ("grey and colour", vec![grey.clone(), known("bred_moth")]),
        ("colour and grey", vec![known("bred_moth"), grey.clone()]),
        ("one series", vec![grey.clone(), shifted.clone()]),
        ("three", vec![known("bred_cat"), known("bred_bear"), grey.clone()]),
    ] {
        let breeding = bred(&ancestors);
        let first = breeding.sheet(0).unwrap();
        for (own, there) in ancestors.iter().zip(first.genomes()) {
            there.check().unwrap();
            let draw = |genome| Model::of_genome(genome, Wiring::Graph).picture(32, Coords::Fer);
            assert!(draw(own).mse(&draw(there)) < 1e-9, "{what}");
        }
        let [a, b] = [0, 1].map(|i| &first.genomes()[i]);
        let children = &breeding.now().genomes()[2..];
        let births = &breeding.now().births()[2..];
        let crossed = births.iter().zip(children).filter(|(birth, _)| birth.parents.len() == 2);
        let crossed: Vec<&Genome> = crossed.map(|(_, child)| child).collect();
        assert!(!crossed.is_empty(), "{what}");
        let of = |genome: &Genome, child: &Genome| {
            genome.nodes().filter(|node| child.node(node.id).is_some()).count()
        };
        let both = |child: &&&Genome| of(a, child) > 7 && of(b, child) > 7;
        assert!(
            what.contains("grey")
                || what.starts_with("one")
                || what == "two branches"
                || crossed.iter().any(|c| both(&c)),
            "{what}"
        );
    }
    // Of one series the hidden node is one node, and the new one is numbered behind.
    let first = bred(&[grey.clone(), shifted]);
    let ids = |genome: &Genome| genome.nodes().map(|n| n.id.0).collect::<Vec<_>>();
    assert_eq!(ids(&first.sheet(0).unwrap().genomes()[1]), [0, 1, 2, 3, 4, 5, 7]);
    // Of one origin every number stays.
    let own = bred(&[known("bred_moth"), known("bred_skull")]);
    let siblings = [own.now().genomes()[2].clone(), own.now().genomes()[7].clone()];
    let numbers = |g: &Genome| g.connections().map(|c| c.innovation).collect::<Vec<_>>();
    for (there, sibling) in bred(&siblings).sheet(0).unwrap().genomes().iter().zip(&siblings) {
        assert_eq!((ids(there), numbers(there)), (ids(sibling), numbers(sibling)));
    }
}

/// A genome of picbreeder-vlm: x feeds hue, y a hidden node of this activation, which feeds saturation and brightness;
/// disabled links close a cycle, and lead from a node that nothing enters.
fn of_vlm(hidden: &str, more: &str) -> String {
    include_str!("../foreign/vlm.json").trim_end().replace("HIDDEN", hidden).replace("MORE", more)
}

fn packed(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the formulas of another program")]
fn genomes_of_picbreeder_vlm_draw_what_they_draw_there() {
    let folder = TempDir::new().unwrap();
    let path = written(
        &folder,
        "one.json",
        of_vlm(
            "\"gaussian\"",
            ",\"outAct\":[\"identity\",\"cos\",\"sin\"],\"inAct\":[\"sin\",\"identity\",\"cos\",\"identity\"]",
        ),
    );
    let genome = read(&path).unwrap();
    genome.check().unwrap();
    let drawn = Model::of_genome(&genome, Wiring::Graph).picture(8, Coords::Picbreeder);
    for (row, column) in [(0, 0), (3, 6), (7, 2)] {
        let at = |i: usize| (2.0 * i as f64 - 7.0) / 8.0;
        let (x, y) = (at(column), at(row));
        let hidden = 2.0 * (-(1.5 * y) * (1.5 * y)).exp() - 1.0;
        let hue = (0.8 * x.sin()).sin();
        let saturation = (2.0 / (1.0 + (-2.0 * hidden).exp()) - 1.0).cos().clamp(0.0, 1.0);
        let value = (0.7 * hidden).cos().sin().abs().clamp(0.0, 1.0);
        let sector = (hue + 1.0).rem_euclid(1.0) * 6.0;
        let channel = |shift: f64| {
            let k = (sector + shift).rem_euclid(6.0);
            value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0)
        };
        let expected = [channel(5.0), channel(3.0), channel(1.0)];
        for (found, expected) in drawn.at(row, column).into_iter().zip(expected) {
            assert!((f64::from(found) - expected).abs() < 1e-4, "{found} {expected}");
        }
    }
}

#[test]
fn what_is_written_for_picbreeder_vlm_draws_the_same_when_read() {
    let folder = TempDir::new().unwrap();
    let mut written_ones = 0;
    for (name, _) in BUILTIN {
        let genome = read(Path::new(name)).unwrap();
        let draw = |genome| Model::of_genome(genome, Wiring::Graph).picture(24, Coords::Picbreeder);
        match to_vlm_json(&genome) {
            Ok(text) => {
                let again = read(&written(&folder, "a.vlm.json", text)).unwrap();
                assert!(draw(&genome).mse(&draw(&again)) < 1e-9, "{name}");
                written_ones += 1;
            }
            Err(refusal) => {
                let known = ["identity, sin, cos, sigmoid or gaussian", "nodes that hear an input"];
                assert!(known.contains(&&*refusal.expected), "{name}: {refusal}");
            }
        }
    }
    assert!(written_ones > 5, "{written_ones}");
}

#[test]
fn of_a_map_of_genomes_one_is_named() {
    let folder = TempDir::new().unwrap();
    let entry = |i: usize| {
        format!(
            "\"id \\\"{i}\\\" #\": {}",
            of_vlm("\"sin\"", "").replace("0.8", &format!("0.{i}1"))
        )
    };
    let map = format!(
        " {{{}, \"2\": {} }}",
        (1..7).map(entry).collect::<Vec<_>>().join(",\n"),
        of_vlm("\"cos\"", "")
    );
    for (file, bytes) in [("g.json", map.clone().into_bytes()), ("g.json.gz", packed(&map))] {
        let path = written(&folder, file, bytes);
        let found = collection(&path).unwrap().unwrap();
        assert_eq!((found.count, found.ids.len(), &*found.ids[0]), (7, 5, "id \"1\" #"));
        for (pick, name) in [("id \"3\" #", "id \"3\" #"), ("4", "id \"4\" #"), ("2", "2")] {
            let genome = read(&of(&path, pick)).unwrap();
            assert_eq!(genome.provenance.name, name);
        }
        let error = refused(&of(&path, "8"));
        assert!(error.contains("an id or a number from 1 to 7, found \"8\""), "{error}");
        let error = refused(&path);
        assert!(error.contains("found a file of 7; name one: ") && error.contains("#1"), "{error}");
        assert!(picloom::run::is_genome(&of(&path, "4")));
    }
    for cut in [map.len() - 3, 300, 5] {
        let path = written(&folder, "cut.json", &map[..cut]);
        assert!(read(&of(&path, "2")).is_err() && read(&path).is_err(), "{cut}");
    }
    let long = format!("{{\"{}\":{{}}}}", "a".repeat(5000));
    let error = refused(&of(&written(&folder, "long.json", long), "1"));
    assert!(error.contains("without #"), "{error}");
    assert_eq!(collection(Path::new("genomes/bred_moth.json")).unwrap(), None);
}

/// A pickle as Python writes it, protocol 4: one array of floats, and what it calls to make it.
fn pickled(values: &[f32], module: &str) -> Vec<u8> {
    let text = |text: &str| [&[0x8c, text.len() as u8], text.as_bytes(), &[0x94]].concat();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let count = (values.len() as u32).to_le_bytes();
    [
        b"\x80\x04\x95\0\0\0\0\0\0\0\0".to_vec(),
        text(module),
        text("_reconstruct"),
        b"\x93\x94".to_vec(),
        text("numpy"),
        text("ndarray"),
        b"\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94(K\x01J".to_vec(),
        count.to_vec(),
        b"\x85\x94h\x03".to_vec(),
        text("dtype"),
        b"\x93\x94".to_vec(),
        text("f4"),
        b"\x89\x88\x87\x94R\x94(K\x03".to_vec(),
        text("<"),
        b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t\x94b\x89B".to_vec(),
        (bytes.len() as u32).to_le_bytes().to_vec(),
        bytes,
        b"\x94t\x94b.".to_vec(),
    ]
    .concat()
}

#[test]
fn a_folder_of_fer_is_read_in_the_order_of_flax_and_no_code_of_it_is_run() {
    use picloom::network::weight_files::{fer_arch, read_weights, write_weights};
    use picloom::network::{Arch, Weights};
    let folder = TempDir::new().unwrap();
    let arch: Arch = "11;cos:1,sin:1".parse().unwrap();
    let network = arch.network();
    let weights = Weights((0..network.weight_count()).map(|i| i as f32).collect());
    // The kernels in × out, in the order of their names as texts.
    let npz = folder.path().join("own.npz");
    write_weights(&npz, &network, &weights).unwrap();
    let arrays = picloom::network::npz::read_npz(&std::fs::read(&npz).unwrap()).unwrap();
    let names: Vec<&str> = arrays.keys().map(String::as_str).collect();
    assert_eq!(names[1..4], ["Dense_1.kernel", "Dense_10.kernel", "Dense_11.kernel"]);
    let flat: Vec<f32> = arrays.values().flat_map(|a| a.values.iter().map(|v| *v as f32)).collect();
    let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (COUNT,), }\n";
    let head = head.replace("COUNT", &flat.len().to_string());
    let bytes = flat.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let npy = [b"\x93NUMPY\x01\0", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), &bytes]
        .concat();
    written(&folder, "params.npy", npy);
    written(&folder, "params.pkl", pickled(&flat, "numpy.core.multiarray"));
    assert_eq!(fer_arch(folder.path()).unwrap(), None);
    let text = arch.to_string();
    written(
        &folder,
        "arch.pkl",
        [b"\x80\x04\x8c", &[text.len() as u8][..], text.as_bytes(), b"\x94."].concat(),
    );
    assert_eq!(fer_arch(folder.path()).unwrap(), Some(arch));
    for name in ["params.npy", "params.pkl"] {
        assert_eq!(read_weights(&folder.path().join(name), &network).unwrap(), weights, "{name}");
    }
    let whole = pickled(&flat, "numpy.core.multiarray");
    for (bytes, expected) in [
        (pickled(&flat, "os"), "a call of os._reconstruct"),
        (b"\x80\x04cos\nsystem\n\x8c\x04true\x85R.".to_vec(), "a call of os.system"),
        (whole[..whole.len() - 9].to_vec(), "cut off"),
        ([&b"\x80\x04"[..], &b"("[..].repeat(9000)].concat(), "instructions"),
        (pickled(&flat[1..], "numpy.core.multiarray"), "weights for arch"),
        (b"\x80\x04}.".to_vec(), "other objects"),
    ] {
        let path = written(&folder, "params.pkl", bytes);
        let error = read_weights(&path, &network).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_genome_of_win_picbreeder_is_read() {
    let folder = TempDir::new().unwrap();
    let text = include_str!("../foreign/win.json");
    let bare = text.replace("\"seedID\":\"1\",", "");
    let genome = read(&written(&folder, "seed.json", &bare)).unwrap();
    assert!(genome == read(&written(&folder, "seed.json", text)).unwrap());
    let parts: Vec<String> =
        genome.nodes().map(|n| format!("{} {}", n.role, n.activation)).collect();
    assert_eq!(
        parts[1..5],
        ["input x identity", "input y identity", "input d identity", "output hue sin"]
    );
    assert_eq!(
        (name(&genome).0, &*parts[7], genome.connections().len()),
        ("seed", "hidden gaussian", 3)
    );
}

/// A file of neat-python.
const NEAT: &str = include_str!("../foreign/neat.json");

/// Hue, saturation and brightness as neat-python computes them.
fn computed(x: f64, y: f64) -> [f64; 3] {
    let distance = (x * x + y * y).sqrt();
    let sigmoid = |z: f64| 1.0 / (1.0 + real::exp(-5.0 * z));
    let five = real::sin(5.0 * (0.25 + 0.5 * (0.8 * x - 1.1 * distance)));
    let six = sigmoid(-0.4 + 0.9 * five + 0.7 * y);
    let hue = sigmoid(-0.2 + 1.5 * 1.3 * six);
    let saturation = real::tanh(2.5 * (0.1 - 0.6 * six + 0.2 * 0.6));
    let last = 0.3 - 0.7 * (1.2 * six + 0.5 * hue);
    [hue, saturation, real::exp(-5.0 * last * last)]
}

#[test]
fn a_genome_of_neat_python_computes_what_it_computes_there() {
    let folder = TempDir::new().unwrap();
    // With a disabled link, a unit that hears nothing, and an output that another reads.
    let path = written(&folder, "neat.json", NEAT);
    assert_eq!(collection(&path).unwrap().unwrap().ids, ["11"]);
    assert!(refused(&path).contains("FILE#11") && refused(&of(&path, "2")).contains("from 1 to 1"));
    let genome = read(&of(&path, "11")).unwrap();
    let Model { network, weights, .. } = Model::of_genome(&genome, Wiring::Graph);
    let weights: Vec<f64> = weights.0.iter().map(|weight| f64::from(*weight)).collect();
    let values = forward(&network, &weights, &PixelInputs::full(9, Coords::Fer));
    for pixel in 0..81 {
        let [x, y, ..] = Coords::Fer.at(9, pixel / 9, pixel % 9);
        let shown = network.outputs.map(|unit| values[(pixel, unit.unwrap())]);
        for (found, there) in shown.into_iter().zip(computed(x, y)) {
            assert!((found - there).abs() < 1e-5, "pixel {pixel}: {found}, there {there}");
        }
    }
}

#[test]
fn a_graph_of_automated_picbreeder_is_the_genome() {
    let moth = read("bred_moth".as_ref()).unwrap();
    let nodes = moth.nodes().map(|node| {
        let label = match node.role {
            Role::Input(input) => format!("{input:?}").to_lowercase(),
            Role::Output(output) => format!("{output:?}").to_lowercase(),
            Role::Hidden => String::new(),
        };
        json!({ "id": node.id.to_string(), "label": label, "activation": node.activation.name() })
    });
    let links = moth.connections().filter(|link| link.enabled).map(|link| {
        let (source, target) = (link.source.to_string(), link.target.to_string());
        json!({ "source": source, "target": target, "weight": link.weight })
    });
    let text = json!({
        "format": "fer_picbreeder_graph_v1", "name": "moth",
        "nodes": nodes.collect::<Vec<_>>(), "links": links.collect::<Vec<_>>(),
    });
    let folder = TempDir::new().unwrap();
    let graph = read(&written(&folder, "graph.json", text.to_string())).unwrap();
    assert_eq!(graph.provenance.name, "moth");
    let drawn = |genome| Model::of_genome(genome, Wiring::Graph).picture(32, Coords::Fer);
    assert_eq!(drawn(&graph), drawn(&moth));
}

#[test]
fn what_other_programs_have_and_genomes_here_have_not_is_refused() {
    hold("refusals/genomes", |input| {
        let (of_program, changes) = input.split_once('\n').unwrap();
        let (text, pick) = match of_program {
            "of picbreeder" => (genome(1, "7", ""), None),
            "of win" => (include_str!("../foreign/win.json").to_string(), None),
            "of vlm" => (format!("{{\"a\":{}}}", of_vlm("\"sin\"", "")), Some("a")),
            "of neat" => (NEAT.to_string(), Some("11")),
            other => panic!("{other}"),
        };
        let name = if pick.is_none() && text.starts_with('<') { "a.xml" } else { "a.json" };
        let folder = TempDir::new().unwrap();
        let path = written(&folder, name, changed(&text, changes));
        let said = refused(&pick.map_or(path.clone(), |pick| of(&path, pick)));
        said.replace(&format!("{}/", folder.path().display()), "")
    });
}
