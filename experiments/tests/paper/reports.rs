//! The report for a reader who reads nothing else: the worth of a short run, and the commands that
//! made the figures.

use crate::figures_study::records::{self, Odd};
use crate::{drawn, root, words};
use picloom::experiment::networks::NetworksRecord;
use picloom::study::Record;
use picloom_experiments::figures::Sources;
use picloom_experiments::figures::report::study_report;
use std::path::PathBuf;

/// Records of a study, in this profile.
fn study(profile: &str) -> (PathBuf, tempfile::TempDir) {
    let guard = tempfile::tempdir().unwrap();
    let folder = guard.path().join("made here");
    records::study(&folder, &["moth", "lamp", "bowl"], 2, |_| Odd::No);
    for study in ["wirings", "depth", "pruning", "out_of_domain", "controls"] {
        let mut record = NetworksRecord::read(&folder.join(study)).unwrap();
        record.profile = profile.into();
        record.save(&folder.join(study)).unwrap();
    }
    (folder, guard)
}

#[test]
fn smoke_results_stand_under_a_banner() {
    let (folder, _guard) = study("smoke");
    let html = study_report(&folder, "c");
    let (banner, story) = (html.find("Smoke run").unwrap(), html.find("The story</h2>").unwrap());
    assert!(banner < story && html.contains("numbers and verdicts mean nothing"));
    let (folder, _guard) = study("standard");
    assert!(!study_report(&folder, "c").contains("Smoke run"));
}

#[test]
fn the_commands_of_a_report_are_those_that_made_it() {
    let (folder, _guard) = study("smoke");
    // A report is passed on: it does not say where the folder lay.
    let last = picloom::base::text::word(picloom::base::text::portable(&folder));
    let html = study_report(&folder, "picloom-experiments report --out 'a b.html'");
    assert!(html.contains("picloom-experiments report --out 'a b.html'"));
    // Records alone: run somewhere, then collected here.
    let run = "picloom-experiments run experiments/depth.toml --profile smoke --store runs\n";
    assert!(html.contains(run), "{html}");
    let to = folder.join("depth");
    let to = picloom::base::text::word(picloom::base::text::portable(&to));
    assert!(html.contains(&format!("--out {to}")));
    assert!(html.contains(&format!("picloom-experiments figures --records {last} score-by-depth")));
    // The folder the runs are in.
    std::fs::create_dir(folder.join("depth/cells")).unwrap();
    let html = study_report(&folder, "c");
    let run = format!("experiments/depth.toml --profile smoke --store {last}\n");
    assert!(html.contains(&run));
    let (folder, _guard) = study("standard");
    let html = study_report(&folder, "c");
    assert!(html.contains("picloom-experiments run experiments/depth.toml --store runs\n"));
}

#[test]
fn pictures_of_one_breeding_tree_are_called_kin() {
    let (folder, _guard) = study("standard");
    let html = study_report(&folder, "c");
    assert!(html.contains("bred in one tree: moth and lamp"));
    let sources = Sources::new(&folder);
    let drawing = drawn("evolved-against-dense", &sources);
    assert!(words(&drawing.svg).join(" ").contains("bred in one tree"), "the figure says it too");
}

/// What figures of the committed records say, and do not.
#[test]
fn figures_of_the_committed_records_name_what_they_show() {
    let committed = Sources::new(root().join("figures"));
    for (name, has, lacks) in [
        (
            "depth-predicted-by-compression",
            &["moth", "face", "eye", "letter a", "bowl", "drawn face", "skull", "butterfly"][..],
            &[][..],
        ),
        ("perturbation-sheets", &["moth", "cat", "lamp", "bowl", "letter a", "eye"], &[]),
        // Methods at other counts are starred.
        (
            "pruning-score",
            &["SP, by threshold *", "Taylor groups *", "SP, merging *"],
            &["Wanda *", "lottery ticket (IMP) *"],
        ),
    ] {
        let svg = drawn(name, &committed).svg;
        let is_named = |text: &&str| svg.contains(&format!(">{text}</text>"));
        assert!(has.iter().all(is_named), "{name}");
        assert!(!lacks.iter().any(is_named), "{name}");
        assert!(!svg.contains("at equal counts"), "{name}");
    }
    let drawn = |name: &str| drawn(name, &committed).svg;
    let sheets = words(&drawn("perturbation-sheets")).join(" ");
    assert!(sheets.contains("No pictures are kept of skull, butterfly"));
    // Rates are written as powers.
    let losses = words(&drawn("optimizer-loss-by-steps")).join(" ");
    for rate in ["5·10⁻³", "10⁻³", "5·10⁻⁴", "10⁻⁴"] {
        assert!(losses.contains(&format!(", rate {rate} ")), "{rate}");
    }
    // Bands are drawn as polygons; three seeds have dots.
    assert!(!drawn("score-by-depth").contains("opacity=\"0.18\""));
}
