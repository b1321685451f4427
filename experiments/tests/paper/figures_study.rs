//! The figures of the study: each drawn from small made-up records, twice alike, with the numbers
//! that are in them; nothing broken by records in which nothing went well; the docs' table is the
//! code's.

pub(crate) mod records;

use crate::command::run;
use crate::hostile::without_script;
use crate::whole::assert_whole;
use crate::{drawn, root};
use picloom::experiment::networks::NetworksRecord;
use picloom::figures::{Provenance, save, style};
use picloom::study::Record;
use picloom_experiments::claims::{Ledger, StudySpec};
use picloom_experiments::figures::arms::{OWN, arm};
use picloom_experiments::figures::page::page;
use picloom_experiments::figures::report::study_report;
use picloom_experiments::figures::{DrawError, FIGURES, Sources, figure};
use records::{Odd, study};
use std::path::{Path, PathBuf};

/// Where `PICLOOM_FIGURES_DEMO` says, or a folder that goes away.
fn folder() -> (PathBuf, Option<tempfile::TempDir>) {
    match std::env::var_os("PICLOOM_FIGURES_DEMO") {
        Some(path) => (PathBuf::from(path), None),
        None => {
            let temporary = tempfile::tempdir().unwrap();
            (temporary.path().to_path_buf(), Some(temporary))
        }
    }
}

fn spec() -> StudySpec {
    StudySpec::read(&root().join("experiments/study.toml")).unwrap()
}

fn optimizers(folder: &Path) {
    let to = folder.join("optimizers");
    std::fs::create_dir_all(&to).unwrap();
    for name in ["study.json", "rows.csv.gz"] {
        std::fs::copy(root().join("figures/optimizers").join(name), to.join(name)).unwrap();
    }
}

const TARGETS: [&str; 4] = ["moth", "letter_a", "bowl", "eye"];

/// Records, and the ledger that follows from them.
fn whole(folder: &Path) {
    study(folder, &TARGETS, 3, |_| Odd::No);
    optimizers(folder);
    decide(folder);
}

/// Writes the ledger of the records in `folder` beside them.
fn decide(folder: &Path) -> Ledger {
    let ledger = Ledger::of(&spec(), folder).unwrap();
    std::fs::write(folder.join("claims.json"), ledger.to_json()).unwrap();
    ledger
}

#[test]
fn every_figure_of_the_table_is_drawn_twice_alike_and_saved_with_its_provenance() {
    let (folder, _guard) = folder();
    whole(&folder);
    let (first, second) = (Sources::new(&folder), Sources::new(&folder));
    for f in FIGURES.iter() {
        if !known(f.studies) {
            continue;
        }
        let drawing = (f.draw)(&first).unwrap_or_else(|e| panic!("{}: {e}", f.name));
        assert!(drawing == (f.draw)(&second).unwrap(), "{} differs", f.name);
        assert!(!drawing.svg.contains("NaN") && !drawing.says.contains("NaN"));
        // The ledger may hold an effect without a pair that counts.
        let empty = drawing.svg.contains("no data") && f.name != "claims";
        assert!(!empty, "{}", f.name);
        let facts = Provenance::none().with("profile", first.profile(f));
        save(&drawing.svg, &folder.join(f.path()), &facts).unwrap();
    }
}

/// The studies that this test makes records of; others have their own tests.
fn known(studies: &[&str]) -> bool {
    const MADE: [&str; 8] = [
        "wirings",
        "depth",
        "mechanisms",
        "pruning",
        "regime",
        "out_of_domain",
        "controls",
        "optimizers",
    ];
    studies.iter().all(|s| MADE.contains(s))
}

#[test]
fn what_a_figure_says_is_what_the_record_holds() {
    let temporary = tempfile::tempdir().unwrap();
    whole(temporary.path());
    let sources = Sources::new(temporary.path());
    let says = |name| drawn(name, &sources).says;
    let basin = drawn("evolved-basin", &sources);
    assert!(basin.svg.contains("evolved − 10 % noise"), "{}", basin.svg);
    let first = says("evolved-against-dense");
    // Evolved .9, dense .5, .55, .6 on every target: .35 exactly.
    assert!(first.contains("0.350 [0.350, 0.350] over 4 targets"), "{first}");
    // One depth for all: slope 0, nothing left to predict.
    let predicted = says("depth-predicted-by-compression");
    assert!(predicted.contains("0.00 [0.00, 0.00]"), "{predicted}");
    // Half of the dense networks' on every target.
    let felt = says("mechanisms");
    assert!(felt.contains("trace of the Hessian, SP at a quarter: ×0.50 at 0.95"), "{felt}");
    assert!(felt.contains("variance of pixels' gradients, evolved, shaken: ×1.00"), "{felt}");
    let sheet = drawn("perturbation-sheets", &sources);
    // The same changes on four targets; SP's pictures are the pruning study's.
    let wirings = NetworksRecord::read(&temporary.path().join("wirings")).unwrap();
    let views = wirings.rows[0].result.as_ref().unwrap().views.as_ref().unwrap();
    let clean = views.changes.iter().filter(|change| change.clean).count();
    let said = format!("evolved {} of {}", 4 * clean, 4 * views.changes.len());
    assert!(sheet.says.contains(&said) && sheet.says.contains("SP"), "{said}: {}", sheet.says);
    let tiles = sheet.svg.matches("<image").count();
    assert_eq!(tiles, 4 * 5 * 2, "targets × arms × (drawn, changes side by side)");
}

#[test]
fn networks_that_did_not_learn_are_hollow_and_do_not_count() {
    let temporary = tempfile::tempdir().unwrap();
    let fate: records::Fate = |one| match (one.target.as_str(), one.arm.as_str(), one.seed) {
        ("moth", "dense", _) | ("bowl", "dense", Some(0)) => Odd::Unfit,
        _ => Odd::No,
    };
    study(temporary.path(), &TARGETS, 3, fate);
    decide(temporary.path());
    let sources = Sources::new(temporary.path());
    let drawing = drawn("evolved-against-dense", &sources);
    assert!(drawing.says.contains("over 3 targets"), "{}", drawing.says);
    assert!(drawing.svg.contains(">2/3<") || drawing.svg.contains("2/3"), "share of fit seeds");
}

#[test]
fn records_in_which_nothing_went_well_are_drawn_or_refused_but_never_break() {
    let fates: [records::Fate; 4] = [
        |_| Odd::Unfit,
        |_| Odd::Failed,
        |_| Odd::Silent,
        |one| match one.seed {
            Some(0) => Odd::Failed,
            _ => Odd::No,
        },
    ];
    for fate in fates {
        for (targets, seeds) in [(&TARGETS[..], 2), (&TARGETS[..1], 1), (&[][..], 0)] {
            let temporary = tempfile::tempdir().unwrap();
            study(temporary.path(), targets, seeds, fate);
            decide(temporary.path());
            let sources = Sources::new(temporary.path());
            for f in FIGURES.iter() {
                match (f.draw)(&sources) {
                    Ok(drawing) => {
                        assert!(!drawing.svg.contains("NaN"), "{}", f.name);
                        picloom::figures::svg_to_png(&drawing.svg, 0.25, &Provenance::none())
                            .unwrap();
                    }
                    Err(DrawError::Nothing { expected, .. }) => assert!(!expected.is_empty()),
                    Err(DrawError::Missing { study, .. }) => {
                        assert!(!known(&[study.as_str()]) || study == "optimizers")
                    }
                    Err(e) => panic!("{}: {e}", f.name),
                }
            }
            assert!(study_report(temporary.path(), "c").contains("</html>"));
        }
    }
}

#[test]
fn a_picture_that_is_not_beside_its_record_or_is_cut_off_is_named() {
    let temporary = tempfile::tempdir().unwrap();
    whole(temporary.path());
    for entry in std::fs::read_dir(temporary.path().join("wirings/views")).unwrap() {
        let path = entry.unwrap().path();
        match path.to_str().unwrap().ends_with("-maps.png") {
            true => std::fs::remove_file(path).unwrap(),
            false => std::fs::write(path, "no picture").unwrap(),
        }
    }
    let sources = Sources::new(temporary.path());
    for name in ["perturbation-sheets", "feature-maps"] {
        let error = (figure(name).unwrap().draw)(&sources).unwrap_err();
        assert!(error.to_string().contains("moth.evolved."), "{error}");
    }
}

#[test]
fn the_report_is_one_file_with_every_figure_and_no_link_out_of_it() {
    let (folder, _guard) = folder();
    whole(&folder);
    let html = study_report(&folder, "c");
    assert!(html == study_report(&folder, "c"));
    let found = without_script(&html).replace("http://www.w3.org/2000/svg", "");
    for outside in ["http://", "https://", "src=\"/", "url(/", "<script"] {
        assert!(!found.contains(outside), "{outside}");
    }
    let count = FIGURES.iter().filter(|f| known(f.studies)).count();
    assert!(html.contains(&format!("{count} of {}", FIGURES.len())));
    assert_eq!(html.matches("<title>").count(), count + 1, "the page's own, and one a figure");
    for claim in spec().claims {
        // Up to a quotation mark, which HTML writes otherwise.
        let says = claim.says.split('\'').next().unwrap();
        assert!(html.contains(says), "{}", claim.id);
    }
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("study.html"), html).unwrap();
    // Without a record: the page says what is missing, and how to make it.
    let nothing = tempfile::tempdir().unwrap();
    let html = study_report(nothing.path(), "c");
    assert!(html.contains("Not drawn") && html.contains("experiments/depth.toml"));
}

#[test]
fn the_docs_table_is_the_codes() {
    let path = root().join("docs/FIGURES.md");
    let wanted = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == wanted,
        "UPDATE_GOLDEN=1 cargo test -p picloom-experiments the_docs_table writes it"
    );
    // Every figure of the paper is answered or explained.
    let named = |n: u32| {
        let lists = FIGURES.iter().map(|f| f.paper);
        let without = picloom_experiments::figures::page::WITHOUT.iter().map(|w| w.0);
        lists.chain(without).flat_map(|l| l.split(", ")).any(|part| {
            let ends: Vec<u32> = part.split('–').filter_map(|e| e.parse().ok()).collect();
            matches!(ends[..], [one] if one == n)
                || matches!(ends[..], [low, high] if (low..=high).contains(&n))
        })
    };
    for n in 1..=44 {
        assert!(named(n), "figure {n}");
    }
}

#[test]
fn the_command_draws_what_there_is_and_says_what_is_missing() {
    let temporary = tempfile::tempdir().unwrap();
    study(temporary.path(), &TARGETS[..2], 2, |_| Odd::No);
    std::fs::remove_dir_all(temporary.path().join("depth")).unwrap();
    let figures = |more: &str| run(temporary.path(), &format!("figures --records . {more}"));
    let (code, said, _) = figures("--list");
    assert!(code == Some(0) && said.contains("experiments/depth.toml"), "{said}");
    let there = |file: &str| temporary.path().join(file).exists();
    assert!(!there("pruning/pruning-score.svg"));
    let (code, said, error) = figures("");
    assert!(code == Some(0) && said.contains("not drawn"), "{said}{error}");
    let svg = std::fs::read_to_string(temporary.path().join("pruning/pruning-score.svg")).unwrap();
    for fact in [
        "command: picloom-experiments figures pruning-score",
        "record: pruning/rows.csv.gz",
        "profile: made-up",
    ] {
        assert!(svg.contains(fact), "{fact}");
    }
    assert!(!there("depth/score-by-depth.svg"));
    // A chart is an SVG, a sheet of pictures a PNG, unless both are asked for.
    assert!(!there("pruning/pruning-score.png"));
    assert!(there("pruning/pruning-pictures.png") && !there("pruning/pruning-pictures.svg"));
    for (more, code) in [("pruning-score --png", 0), ("score-by-depth", 1), ("pruning-score", 0)] {
        assert_eq!(figures(more).0, Some(code), "{more}");
    }
    assert!(there("pruning/pruning-score.png"));
    let (code, _, error) = run(temporary.path(), "report --records . --out report.html");
    assert_eq!(code, Some(0), "{error}");
    assert_whole(&temporary.path().join("report.html"));
}

#[test]
fn a_missing_record_says_where_it_should_be_and_how_to_make_it() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Sources::new(folder.path());
    let error = sources.networks("depth").unwrap_err();
    let DrawError::Missing { path, study, make } = error else { panic!("{error}") };
    assert_eq!((path, study.as_str()), (folder.path().join("depth/rows.csv.gz"), "depth"));
    assert!(make.contains("experiments/depth.toml"), "{make}");
    std::fs::create_dir(folder.path().join("depth")).unwrap();
    std::fs::write(folder.path().join("depth/study.json"), "{}").unwrap();
    assert!(matches!(sources.networks("depth"), Err(DrawError::Unreadable(_))));
}

#[test]
fn no_two_arms_share_a_key_or_a_colour_and_no_other_series_has_one() {
    for (i, a) in OWN.iter().enumerate() {
        assert_eq!(arm(a.key), Some((style::ARMS.len() + i, a)));
        for b in style::ARMS.iter().chain(&OWN[..i]) {
            assert!(a.colour != b.colour && a.key != b.key, "{} and {}", a.key, b.key);
        }
        assert!(style::PALETTE.iter().all(|colour| *colour != a.colour), "{}", a.key);
    }
}
