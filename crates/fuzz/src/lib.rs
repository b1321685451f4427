//! One function a parser: it may refuse, but not panic, hang, or take memory out of proportion.

mod seeds;

use picloom::evolve::{Breeding, Preset, Session};
use picloom::experiment::evolution::{
    EvolutionConfig, EvolutionJob, EvolutionObserver, GenerationRecord, SearchKind, evolve,
    read_config,
};
use picloom::experiment::kinds::KINDS;
use picloom::experiment::networks::NetworksRecord;
use picloom::genome::{self, Genome, GenomeInfo};
use picloom::network::kernel::picture;
use picloom::network::npz::read_npz;
use picloom::network::weight_files::read_weights;
use picloom::network::{Arch, Coords, Mask, Network, Picture, compile};
use picloom::prune::Method;
use picloom::run::{Target as Drawn, TrainJob, load_run, mask_from_json, read_metrics, train_run};
use picloom::score::labels::{read_answers, read_key, read_labels};
use picloom::score::vlm::{read_choice, read_completion, read_vote};
use picloom::score::{DlModel, JudgeChoice};
use picloom::study::Record;
use picloom::study::kinds::read_study;
use picloom::study::spec::SpecFile;
use picloom::train::{OptimizerConfig, TrainConfig, TrainObserver, TrainState};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// A parser by name, what it is fed, and seeds that it accepts.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// The parser.
    pub feed: fn(&[u8]),
    /// Whole files to begin from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All parsers.
pub const TARGETS: [Target; 16] = [
    Target { name: "genome_json", feed: genome_json, seeds: seeds::genomes_of_all },
    Target { name: "picbreeder_xml", feed: picbreeder_xml, seeds: seeds::xmls },
    Target { name: "picbreeder_zip", feed: picbreeder_zip, seeds: seeds::zips },
    Target { name: "npz", feed: npz, seeds: || vec![seeds::weights("w.npz")] },
    Target {
        name: "safetensors",
        feed: safetensors,
        seeds: || vec![seeds::weights("w.safetensors")],
    },
    Target { name: "picture", feed: read_picture, seeds: seeds::pictures },
    Target { name: "mask", feed: mask, seeds: || vec![seeds::run_file("mask.json")] },
    Target { name: "run_config", feed: run_config, seeds: || vec![seeds::run_file("config.toml")] },
    Target { name: "metrics", feed: metrics, seeds: || vec![seeds::run_file("metrics.jsonl")] },
    Target { name: "checkpoint", feed: checkpoint, seeds: || vec![seeds::checkpoint()] },
    Target { name: "search", feed: search, seeds: || vec![seeds::search_checkpoint()] },
    Target { name: "spec", feed: spec, seeds: seeds::specs },
    Target { name: "record", feed: record, seeds: seeds::records },
    Target { name: "labels", feed: labels, seeds: seeds::labels },
    Target { name: "answers", feed: answers, seeds: seeds::answers },
    Target { name: "texts", feed: texts, seeds: seeds::texts },
];

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// A folder in memory where there is one: every feeding writes files and waits for them.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.expect("a temporary folder")
}

/// Runs `read` on a file with this content.
fn as_file(name: &str, data: &[u8], read: impl FnOnce(&Path)) {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(folder);
    let path = FOLDER.path().join(name);
    std::fs::write(&path, data).expect("room in it");
    read(&path);
}

fn small() -> Network {
    "2;cache:1,gaussian:2,sin:1".parse::<Arch>().expect("a fixed arch").network()
}

/// All that is done with a genome that was accepted.
fn use_genome(genome: &Genome) {
    let again = genome::from_json(&genome::to_json(genome)).expect("our own file is read again");
    assert_eq!(*genome, again, "a round trip changes nothing");
    GenomeInfo::of(genome);
    genome::to_dot(genome);
    if let Ok(xml) = genome::to_picbreeder_xml(genome) {
        genome::from_picbreeder_xml(&xml).expect("and so is XML");
    }
    let (network, weights) = compile(genome);
    picture(&network, &weights, 4, Coords::Fer);
    if genome.nodes().len() <= 60 {
        let layered = picloom::network::layerize(genome);
        picture(&layered.network, &layered.weights, 4, Coords::Picbreeder);
    }
}

/// JSON of every program whose genomes are read; of several the one with the key or number 1.
fn genome_json(data: &[u8]) {
    as_file("genome.json", data, |path| {
        for path in [path.to_path_buf(), format!("{}#1", path.display()).into()] {
            if let Ok(genome) = genome::read(&path) {
                use_genome(&genome);
            }
        }
        let _ = genome::collection(path);
    });
}

fn picbreeder_xml(data: &[u8]) {
    if let Some(Ok(genome)) = text(data).map(genome::from_picbreeder_xml) {
        use_genome(&genome);
    }
}

fn picbreeder_zip(data: &[u8]) {
    if let Ok(genome) = genome::from_picbreeder_zip(data) {
        use_genome(&genome);
    }
}

fn npz(data: &[u8]) {
    let _ = read_npz(data);
    read_as_weights("w.npz", data);
}

fn safetensors(data: &[u8]) {
    read_as_weights("w.safetensors", data);
}

fn read_as_weights(name: &str, data: &[u8]) {
    as_file(name, data, |path| {
        if let Ok(weights) = read_weights(path, &small()) {
            assert!(weights.0.iter().all(|w| w.is_finite()));
        }
    });
}

fn read_picture(data: &[u8]) {
    as_file("p.png", data, |path| {
        if let Ok(picture) = Picture::read(path) {
            assert_eq!(picture.rgb.len(), 3 * picture.pixels());
            picture.resized(8);
        }
    });
}

fn mask(data: &[u8]) {
    if let Some(text) = text(data)
        && let Ok(mask) = mask_from_json(text, "mask.json".as_ref(), &small())
    {
        assert_eq!(mask.0.len(), small().weight_count());
    }
}

/// Stops when it is first asked.
struct Stop;

impl TrainObserver for Stop {
    fn step_done(&mut self, _: &TrainState) -> bool {
        false
    }
}

impl EvolutionObserver for Stop {
    fn generation(&mut self, _: &GenerationRecord, _: f64) {}

    fn stop(&mut self) -> bool {
        true
    }
}

/// A tiny training, which is over after `steps`.
fn job(steps: u64) -> TrainJob {
    let rgb = (0..3 * 64).map(|i| (i % 7) as f32 / 7.0).collect();
    let target = Drawn::of_picture("t.png".into(), Picture { width: 8, height: 8, rgb });
    let (network, train) = (small(), TrainConfig { steps, log_every: 1, ..Default::default() });
    let wiring = (network.clone(), Mask::all(network.weight_count()));
    TrainJob::new("dense", &target, Coords::Fer, wiring, None, None, train)
}

/// The folder of a finished one.
static RUN: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = folder();
    train_run(folder.path(), job(5), false, &mut ()).expect("a run");
    folder
});

fn run_config(data: &[u8]) {
    std::fs::write(RUN.path().join("config.toml"), data).expect("room in it");
    let _ = load_run(RUN.path());
}

fn metrics(data: &[u8]) {
    std::fs::write(RUN.path().join("metrics.jsonl"), data).expect("room in it");
    let _ = read_metrics(RUN.path());
}

fn checkpoint(data: &[u8]) {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| seeds::begun().0);
    std::fs::write(FOLDER.path().join("checkpoint.json"), data).expect("room in it");
    let _ = train_run(FOLDER.path(), job(50), true, &mut Stop);
    let _ = std::fs::remove_file(FOLDER.path().join("result.json"));
}

fn search_job() -> EvolutionJob {
    let mut config = EvolutionConfig::new(Preset::Picbreeder);
    (config.search, config.size, config.generations) = (SearchKind::Novelty, 8, 100);
    config.evolve.reproduction.population = 8;
    EvolutionJob::new(config).expect("a search")
}

fn search(data: &[u8]) {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| seeds::searched().0);
    static JOB: LazyLock<EvolutionJob> = LazyLock::new(search_job);
    std::fs::write(FOLDER.path().join("checkpoint.json"), data).expect("room in it");
    let _ = evolve(&JOB, FOLDER.path(), true, &mut Stop);
    as_file("config.toml", data, |path| drop(read_config(path, None)));
}

fn spec(data: &[u8]) {
    as_file("spec.toml", data, |path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Ok(file) = SpecFile::parse(path, &text) {
            let _ = read_study(&KINDS, &file, None, "nowhere".as_ref());
        }
    });
}

fn record(data: &[u8]) {
    let rows = b"target,arm,level,seed,at,score\nm,sp,1,0,,0.5\n";
    as_file("study.json", data, |path| {
        let folder = path.parent().expect("a file in a folder");
        std::fs::write(folder.join("rows.csv.gz"), rows).expect("a folder that can be written");
        if let Ok(record) = NetworksRecord::read(folder) {
            record.parts();
            record.summary();
            record.findings();
        }
    });
}

fn labels(data: &[u8]) {
    as_file("t_labels.csv", data, |path| {
        let _ = read_labels(path);
        let _ = read_answers(path);
        let _ = read_key(path);
    });
    as_file("model.json", data, |path| {
        if let Ok(model) = DlModel::read(path) {
            assert!(model.intercept.is_finite());
        }
    });
}

fn answers(data: &[u8]) {
    let Some(body) = text(data) else { return };
    let said = read_completion(body).unwrap_or_else(|_| body.to_string());
    if let Ok(probability) = read_vote(&said) {
        assert!((0.0..=1.0).contains(&probability));
    }
    let _ = read_choice(&said, 15);
}

fn texts(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(arch) = text.parse::<Arch>() {
        assert_eq!(arch.to_string().parse::<Arch>().as_ref(), Ok(&arch));
    }
    if let Ok(optimizer) = text.parse::<OptimizerConfig>() {
        assert_eq!(optimizer.to_string().parse::<OptimizerConfig>().ok(), Some(optimizer));
    }
    if let Ok(method) = text.parse::<Method>() {
        assert_eq!(method.to_string().parse::<Method>().ok(), Some(method));
    }
    let _ = text.parse::<JudgeChoice>();
    if let Ok(session) = Session::from_toml(text)
        && session.step.len() < 4
        && session.config.reproduction.population <= 32
    {
        let _ = Breeding::new(session, &[]);
    }
}
