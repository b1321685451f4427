//! Files from strangers: refused with a message, never a panic, never more work than their size.

use crate::determinism_evolve::StopAfter;
use crate::genomes::genome;
use crate::refusals::assert_refused;
use crate::refusals::refusal_of;
use crate::stop::StopAt;
use crate::tiny::dense;
use picloom::evolve::{Preset, Session};
use picloom::experiment::evolution::{EvolutionConfig, EvolutionJob, SearchKind, evolve};
use picloom::genome::{LARGEST_ID, from_json, from_picbreeder_xml, to_json, to_picbreeder_xml};
use picloom::network::export::{Format, export};
use picloom::network::kernel::picture;
use picloom::network::npz::write_npz;
use picloom::network::weight_files::read_weights;
use picloom::network::{
    Arch, Coords, LARGEST_NETWORK, Model, Picture, Wiring, compile, layered_arch, layerize,
    read_genome,
};
use picloom::run::{RunError, TrainJob, load_checkpoint, read_metrics, train_run};
use picloom::train::{TrainConfig, TrainObserver, TrainState};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A few times what the slowest machine needs; the files below once took minutes.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn nodes_that_hear_only_constants_are_layered_after_them() {
    // 5 hears nothing; 6 hears 5; 4 hears 6 and x: the link from 5 to 6 once had no layer to start in.
    let json = genome(&[5, 6], &[(5, 6, 1.5), (6, 4, 0.5), (0, 4, 1.0)], 0);
    let genome = from_json(&json).unwrap();
    let layered = layerize(&genome);
    // Hue and saturation are added behind the ink.
    assert_eq!(layered.arch().layers, 4);
    let (graph, weights) = compile(&genome);
    let layers: Vec<usize> = graph.units.iter().map(|u| u.layer).collect();
    assert_eq!(layers, [0, 0, 0, 0, 1, 2, 3]);
    let drawn = picture(&graph, &weights, 16, Coords::Fer);
    let twin = picture(&layered.network, &layered.weights, 16, Coords::Fer);
    let worst = drawn.rgb.iter().zip(&twin.rgb).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn an_input_with_an_activation_of_its_own_is_for_graphs_only() {
    let text = genome(&[], &[(0, 4, 1.0)], 0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("genome.json");
    std::fs::write(&path, text.replacen("identity", "sin", 1)).unwrap();
    let genome = read_genome(&path, Wiring::Graph).unwrap();
    let refusal = read_genome(&path, Wiring::Layerized).unwrap_err();
    assert_eq!(refusal.found, "sin at node 0");
    // In memory its layered twin draws the same.
    let drawn = [Wiring::Graph, Wiring::Layerized]
        .map(|wiring| Model::of_genome(&genome, wiring).picture(16, Coords::Fer));
    assert!(drawn[0].mse(&drawn[1]) < 1e-12);
    // As a graph it draws sin x, and so does what is exported.
    let model = Model::of_genome(&genome, Wiring::Graph);
    let shader = String::from_utf8(export(
        &model,
        Coords::Fer,
        picloom::genome::Palette::Free,
        Format::Glsl,
    ))
    .unwrap();
    assert!(shader.contains("float u0 = f_sin(xy.x);"), "{shader}");
    assert!(shader.contains("float u1 = xy.y;"), "{shader}");
}

#[test]
fn ids_leave_room_for_what_is_added_later() {
    for (hidden, first) in [(vec![u64::from(u32::MAX)], 0), (vec![], u64::MAX - 8)] {
        let links: &[_] = if hidden.is_empty() { &[(0, 4, 1.0)] } else { &[] };
        let error = from_json(&genome(&hidden, links, first)).unwrap_err();
        assert_eq!(error.expected, format!("ids of at most {LARGEST_ID}"));
    }
    // The largest that may be: edits go beyond.
    for (hidden, first) in [(vec![LARGEST_ID], 0), (vec![], LARGEST_ID)] {
        let grey = from_json(&genome(&hidden, &[(0, 4, 1.0)], first)).unwrap();
        assert!(grey.with_colour_outputs().is_colour());
    }
}

#[test]
fn weights_that_networks_cannot_hold_are_refused() {
    let error = from_json(&genome(&[], &[(0, 4, 1e300)], 0)).unwrap_err();
    assert_refused(&error, ["link from 0 to 4", "a finite weight (of 32 bits)", "1e300"]);
    let network = "1;sin:1".parse::<Arch>().unwrap().network();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.npz");
    let arrays = [
        ("Dense_0.kernel".to_string(), vec![4, 1], vec![0.0, f32::NAN, 0.0, 0.0]),
        ("Dense_1.kernel".to_string(), vec![1, 3], vec![f32::INFINITY; 3]),
    ];
    std::fs::write(&path, write_npz(&arrays)).unwrap();
    let refusal = read_weights(&path, &network).unwrap_err();
    assert!(refusal.at.starts_with(&path.display().to_string()), "{refusal}");
    assert_eq!(refusal.found, "NaN");
}

#[test]
fn a_cycle_is_named_by_the_first_link_that_closes_it() {
    let json =
        genome(&[5, 6], &[(0, 5, 1.0), (5, 6, 1.0), (6, 4, 1.0), (6, 5, 1.0), (5, 4, 1.0)], 0);
    let cycle = |json: &str| from_json(json).unwrap_err().found;
    assert_eq!(cycle(&json), "a cycle: a link from 6 to 5 lets 5 feed itself");
    let own = cycle(&genome(&[5], &[(5, 5, 1.0)], 0));
    assert_eq!(own, "a cycle: a link from 5 to 5 lets 5 feed itself");
    let whole = from_json(&genome(&[5], &[(5, 4, 1.0)], 0)).unwrap();
    let mut edited = whole.clone();
    let back = picloom::genome::ConnectionGene::new(
        picloom::genome::InnovationId(9),
        picloom::genome::NodeId(4),
        picloom::genome::NodeId(5),
        1.0,
    );
    assert!(edited.add_connection(back).unwrap_err().found.starts_with("a cycle"));
    assert_eq!(edited, whole);
}

#[test]
fn a_genome_of_many_links_is_read_and_layered_in_time_of_its_size() {
    let start = Instant::now();
    let hidden: Vec<u64> = (5..405).collect();
    let layer = |k: usize| &hidden[200 * k..200 * (k + 1)];
    let mut links = Vec::new();
    for &a in layer(0) {
        links.push((0, a, 1.0));
        links.extend(layer(1).iter().map(|&b| (a, b, 0.01)));
    }
    links.extend(layer(1).iter().map(|&b| (b, 4, 0.01)));
    let json = genome(&hidden, &links, 0);
    let genome = from_json(&json).unwrap();
    assert_eq!(compile(&genome).0.links.len(), 200 + 200 * 200 + 200);
    assert_eq!(from_json(&to_json(&genome)).unwrap(), genome);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn labels_come_back_from_xml_whatever_is_in_them() {
    let json = genome(&[5], &[(5, 4, 1.0), (0, 5, 1.0)], 0);
    let json = json.replace(
        r#""role":"hidden""#,
        r#""role":"hidden","labels":["wings & <eyes>","mouth","bell\u0001"]"#,
    );
    let one = from_json(&json).unwrap();
    let labels = |genome: &picloom::genome::Genome| -> Vec<String> {
        genome.nodes().flat_map(|node| node.labels.clone()).collect()
    };
    assert_eq!(labels(&one).len(), 3);
    let back = from_picbreeder_xml(&to_picbreeder_xml(&one).unwrap()).unwrap();
    assert_eq!(labels(&back), ["wings & <eyes>", "mouth", "bell\u{fffd}"]);
}

#[test]
fn an_element_of_very_many_attributes_is_refused_at_once() {
    let start = Instant::now();
    let mut xml = String::from("<data><genome age=\"1\"\n");
    for i in 0..120_000 {
        write!(xml, " a{i}=\"1\"").unwrap();
    }
    xml += "/></data>";
    let lacks = |xml: &str| {
        let refusal = from_picbreeder_xml(xml).unwrap_err();
        (refusal.at, refusal.expected)
    };
    let attributes = lacks(&xml);
    assert_eq!(attributes.0, "line 2", "{attributes:?}");
    // Quotes in comments are none, and hide none.
    let quoted =
        format!("<data><!-- {} don't --><genome age=\"1\"></genome></data>", "\"w\" ".repeat(70));
    assert_eq!(lacks(&quoted).1, "a <nodes> list");
    let hidden = xml.replace("<data>", "<data><!-- don't -->");
    assert_eq!(lacks(&hidden).1, attributes.1);
    // Comments that never end, one in the other.
    let error = from_picbreeder_xml(&format!("<data>{}", "<!--".repeat(500_000))).unwrap_err();
    assert_eq!(error.expected, "well-formed XML", "{error}");
    let fine = "<data><genome note=\"a &lt; 'b' > c\"></genome></data>";
    assert_eq!(lacks(fine).1, "a <nodes> list");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn a_long_list_of_nodes_is_read_in_time_of_its_length() {
    let start = Instant::now();
    let mut xml = String::from("<genome><nodes>\n");
    for (i, (kind, label)) in
        [("in", "x"), ("in", "y"), ("in", "d"), ("in", "bias"), ("out", "ink")].iter().enumerate()
    {
        writeln!(xml, "<node type=\"{kind}\" label=\"{label}\"><marking branch=\"0\" id=\"{i}\"/><activation>cos(x)</activation></node>").unwrap();
    }
    for i in 5..60_000 {
        writeln!(xml, "<node type=\"hidden\"><marking branch=\"0\" id=\"{i}\"/><activation>cos(x)</activation></node>").unwrap();
    }
    xml += "</nodes><links></links></genome>";
    assert_eq!(from_picbreeder_xml(&xml).unwrap().nodes().len(), 60_000);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn sessions_with_ranges_that_overflow_are_refused() {
    for text in ["new_weight = 1.5e308", "new_weight = nan", "slider = nan", "weight_limit = inf"] {
        let toml = format!("format = \"picloom-session/1\"\nseed = 1\n[config.mutation]\n{text}\n");
        let refusal = Session::from_toml(&toml).unwrap_err();
        let name = text.split(' ').next().unwrap();
        assert_eq!(refusal.at.rsplit('.').next(), Some(name), "{refusal}");
    }
}

#[test]
fn a_genome_whose_layered_network_fits_nowhere_is_refused_where_it_would_be_made() {
    let start = Instant::now();
    // A chain of nodes, and as many that wait in the first layer until the last: 1500³ weights.
    let (chain, wait): (Vec<u64>, Vec<u64>) = ((5..1505).collect(), (1505..3005).collect());
    let mut links = vec![(0, chain[0], 1.0), (chain[1499], 4, 1.0)];
    links.extend(chain.windows(2).map(|pair| (pair[0], pair[1], 1.0)));
    links.extend(wait.iter().flat_map(|&id| [(1, id, 1.0), (id, 4, 0.01)]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.json");
    std::fs::write(&path, genome(&[chain, wait].concat(), &links, 0)).unwrap();
    for wiring in [Wiring::Dense, Wiring::Layerized] {
        let refusal = read_genome(&path, wiring).unwrap_err();
        let weights: usize = refusal.found.split(' ').next().unwrap().parse().unwrap();
        assert!(weights > LARGEST_NETWORK, "{refusal}");
        assert_eq!(refusal.at, path.display().to_string());
    }
    // As a graph it is small.
    let long = read_genome(&path, Wiring::Graph).unwrap();
    picture(&compile(&long).0, &compile(&long).1, 4, Coords::Fer);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn the_arch_is_known_before_the_network_is_made() {
    for entry in std::fs::read_dir("genomes").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let genome = picloom::genome::read(&path).unwrap();
            let layered = layerize(&genome);
            assert_eq!(layered_arch(&genome), *layered.arch(), "{}", path.display());
            assert_eq!(layered.arch().dense_params(), layered.network.weight_count());
        }
    }
}

#[test]
fn an_archive_of_zeros_unpacks_to_no_more_than_is_meant() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, mebibytes) in [("a", 1), ("b", 256)] {
        let header = format!(
            "{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}\n",
            mebibytes << 18
        );
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        for _ in 0..mebibytes {
            zip.write_all(&vec![0; 1 << 20]).unwrap();
        }
    }
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 1 << 20, "{}", bytes.len());
    let error = picloom::network::npz::read_npz(&bytes).unwrap_err();
    assert_refused(&error, ["array \"b\"", "at most 256 MiB of arrays", "more (a zip bomb?)"]);
}

/// A tiny training.
fn job() -> TrainJob {
    dense("1;sin:2", 4, TrainConfig { steps: 20, log_every: 1, ..TrainConfig::default() })
}

/// The folder of one that was stopped half-way.
fn begun() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    train_run(folder.path(), job(), false, &mut StopAt(10)).unwrap();
    folder
}

#[test]
fn a_run_whose_log_lacks_lines_begins_anew() {
    let whole = tempfile::tempdir().unwrap();
    let result = train_run(whole.path(), job(), false, &mut ()).unwrap();
    let steps = |folder: &Path| -> Vec<u64> {
        read_metrics(folder).unwrap().iter().map(|line| line.step).collect()
    };
    // Of another attempt: cut in the middle of a line, a line too few, one twice, no line; and one
    // that is longer.
    type Damage = fn(&str) -> String;
    let damages: [(Damage, bool); 5] = [
        (|text| text[..text.len() - 3].into(), true),
        (|text| text.split_inclusive('\n').skip(1).collect(), true),
        (|text| text.split_inclusive('\n').take(1).collect::<String>() + text, true),
        (|_| String::new(), true),
        (|text| text.to_string() + "{\"attempt\":0,\"st", false),
    ];
    for (damage, anew) in damages {
        let folder = begun();
        let log = folder.path().join("metrics.part.jsonl");
        let text = std::fs::read_to_string(&log).unwrap();
        assert_eq!(steps(folder.path()).len(), 10);
        std::fs::write(&log, damage(&text)).unwrap();
        struct First(Option<u64>);
        impl TrainObserver for First {
            fn step_done(&mut self, state: &TrainState) -> bool {
                self.0.get_or_insert(state.step);
                true
            }
        }
        let mut first = First(None);
        assert_eq!(train_run(folder.path(), job(), true, &mut first).unwrap(), result);
        assert_eq!(first.0, Some(if anew { 1 } else { 11 }));
        assert_eq!(steps(folder.path()), steps(whole.path()));
        assert!(!log.exists());
    }
}

#[test]
fn counters_of_a_checkpoint_that_would_overflow_are_refused() {
    let folder = begun();
    let path = folder.path().join("checkpoint.json");
    let whole: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for counter in ["attempt", "step", "evaluations", "constant_for", "best_step"] {
        let mut wrong = whole.clone();
        assert!(wrong["state"][counter].is_u64(), "{counter}");
        wrong["state"][counter] = u64::MAX.into();
        std::fs::write(&path, wrong.to_string()).unwrap();
        let error = train_run(folder.path(), job(), true, &mut ()).unwrap_err().to_string();
        assert!(error.contains("expected a count below 2^"), "{counter}: {error}");
    }
}

#[test]
fn a_run_that_another_worker_finished_meanwhile_keeps_no_log_of_an_attempt() {
    /// Is stopped right after its first question, until another worker has finished the run.
    struct Stopped<'a> {
        folder: &'a Path,
        asked: usize,
    }
    impl TrainObserver for Stopped<'_> {
        fn step_done(&mut self, _: &TrainState) -> bool {
            false
        }

        fn may_write(&mut self) -> bool {
            self.asked += 1;
            if self.asked == 1 {
                train_run(self.folder, job(), true, &mut ()).unwrap();
            }
            self.asked == 1
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let mut stopped = Stopped { folder: folder.path(), asked: 0 };
    let error = train_run(folder.path(), job(), true, &mut stopped).unwrap_err();
    assert!(matches!(error, RunError::TakenOver(_)), "{error}");
    assert!(folder.path().join("result.json").exists());
    assert!(!folder.path().join("metrics.part.jsonl").exists());
}

#[test]
fn a_run_that_was_taken_over_writes_nothing_more() {
    /// Loses the run after its fifth step, when another worker has made ten.
    struct Overtaken<'a> {
        folder: &'a Path,
        is_lost: bool,
    }
    impl TrainObserver for Overtaken<'_> {
        fn step_done(&mut self, state: &TrainState) -> bool {
            if state.step == 5 {
                train_run(self.folder, job(), true, &mut StopAt(10)).unwrap();
                self.is_lost = true;
            }
            state.step < 8
        }

        fn may_write(&mut self) -> bool {
            !self.is_lost
        }
    }
    let (folder, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut overtaken = Overtaken { folder: folder.path(), is_lost: false };
    let error = train_run(folder.path(), job(), true, &mut overtaken).unwrap_err();
    assert!(matches!(error, RunError::TakenOver(_)), "{error}");
    assert_eq!(read_metrics(folder.path()).unwrap().len(), 10, "those of the other");
    let result = train_run(folder.path(), job(), true, &mut ()).unwrap();
    assert_eq!(train_run(whole.path(), job(), false, &mut ()).unwrap(), result);
    assert_eq!(read_metrics(folder.path()).unwrap().len(), 20);
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let (own, other) = (begun(), tempfile::tempdir().unwrap());
    let mut second = job();
    second.config.train.seed = 1;
    train_run(other.path(), second.clone(), false, &mut StopAt(10)).unwrap();
    let copy = |name: &str| std::fs::copy(own.path().join(name), other.path().join(name)).unwrap();
    copy("metrics.part.jsonl");
    load_checkpoint(other.path()).unwrap();
    copy("checkpoint.json");
    let [own, id] = [job().config.run_id(), second.config.run_id()];
    let error = train_run(other.path(), second, true, &mut ()).unwrap_err();
    let RunError::Other(refusal) = error else { panic!("{error}") };
    assert!(refusal.expected.ends_with(&id) && refusal.found.ends_with(&own), "{refusal}");
    let error = load_checkpoint(other.path()).unwrap_err();
    assert!(refusal_of(&error).found.ends_with(&own), "{error}");
    assert!(!other.path().join("result.json").exists());
}

#[test]
fn a_checkpoint_that_death_left_beside_a_result_goes() {
    let folder = tempfile::tempdir().unwrap();
    let result = train_run(folder.path(), job(), false, &mut ()).unwrap();
    let path = folder.path().join("checkpoint.json");
    std::fs::write(&path, "{}").unwrap();
    assert_eq!(train_run(folder.path(), job(), false, &mut ()).unwrap(), result);
    assert!(!path.exists());
}

#[test]
fn a_picture_without_pixels_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.gif");
    // A screen of 2 columns and no row, two colours, an image of one pixel.
    let gif =
        b"GIF89a\x02\0\0\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";
    std::fs::write(&path, gif).unwrap();
    let error = Picture::read(&path).unwrap_err();
    assert_eq!(error.found, "one of 2×0 pixels", "{error}");
}

#[test]
fn a_search_that_no_search_can_come_to_is_refused() {
    for kind in [SearchKind::Novelty, SearchKind::MapElites] {
        let mut config = EvolutionConfig::new(Preset::Neat);
        (config.search, config.size, config.generations) = (kind, 8, 3);
        config.evolve.reproduction.population = 6;
        let job = EvolutionJob::new(config).unwrap();
        let folder = tempfile::tempdir().unwrap();
        evolve(&job, folder.path(), false, &mut StopAfter(2)).unwrap();
        let path = folder.path().join("checkpoint.json");
        let text = std::fs::read_to_string(&path).unwrap();
        let is_grid = kind == SearchKind::MapElites;
        let (population, more) = match is_grid {
            true => ("", vec![("/grid/0/0", json!([0]), "cells of the grid")]),
            false => {
                let member = "/population/species/0/members/0";
                let few = ("/population/improved", 9.into(), "improvements up to now");
                ("/population", vec![(member, 6.into(), "each genome in one species"), few])
            }
        };
        let both = [
            ("/brood/births", json!([]), "genomes, each with its birth"),
            ("/breeder/next_id", 1.into(), "births up to now"),
            (
                "/breeder/innovations/next_node",
                1.into(),
                "numbers of new genes above those of the genomes",
            ),
            ("/breeder/seed", 77.into(), "a search with the settings of its config"),
        ];
        let both = both.map(|(at, value, said)| (format!("{population}{at}"), value, said));
        let more = more.into_iter().map(|(at, value, said)| (at.to_string(), value, said));
        for (at, value, expected) in both.into_iter().chain(more) {
            let mut found: Value = serde_json::from_str(&text).unwrap();
            *found["search"]["state"].pointer_mut(&at).unwrap() = value;
            std::fs::write(&path, found.to_string()).unwrap();
            let error = evolve(&job, folder.path(), true, &mut StopAfter(2)).unwrap_err();
            assert_eq!(refusal_of(&error).expected, expected, "{at}: {error}");
        }
        std::fs::write(&path, &text).unwrap();
        evolve(&job, folder.path(), true, &mut StopAfter(2)).unwrap();
    }
}
