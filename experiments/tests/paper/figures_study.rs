//! The figures of the study, drawn from committed records: every number is theirs, nothing is broken by records in which
//! nothing went well, and the docs' table is the code's.

pub(crate) mod records;

use crate::claims::StudySpec;
use crate::figures::arms::OWN;
use crate::figures::page::page;
use crate::figures::report::study_report;
use crate::figures::{DrawError, FIGURES, Sources, figure};
use crate::paper::answers::hold_generated;
use crate::paper::hostile::assert_alone;
use crate::paper::said::assert_says;
use crate::paper::{drawn, root, words};
use picloom::figures::{Provenance, style};
use records::{Odd, spoil, study};
use std::collections::BTreeMap;

#[test]
fn what_a_figure_says_is_what_the_record_holds() {
    let temporary = tempfile::tempdir().unwrap();
    study(temporary.path(), |_| ());
    let sources = Sources::new(temporary.path());
    // Evolved less each dense network that learned the picture, on average over targets.
    let record = sources.networks("wirings").unwrap();
    let mut by_target = BTreeMap::<&str, Vec<f64>>::new();
    for row in record.rows.iter().filter(|row| row.arm == "dense") {
        let evolved = record.rows.iter().find(|o| o.arm == "evolved" && o.target == row.target);
        let [evolved, dense] = [evolved.unwrap(), row].map(|row| row.result.as_ref().unwrap());
        if dense.fit {
            let less = evolved.score().unwrap() - dense.score().unwrap();
            by_target.entry(&row.target).or_default().push(less);
        }
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let means: Vec<f64> = by_target.values().map(|all| mean(all)).collect();
    let drawing = drawn("evolved-against-dense", &sources);
    let said = format!("{:.3} [", mean(&means));
    assert_says(&drawing.says, &[&said, &format!("over {} targets", means.len())]);
    assert!(words(&drawing.svg).join(" ").contains("bred in one tree"), "moth and lamp");
}

#[test]
fn records_in_which_nothing_went_well_are_drawn_or_refused_but_never_break() {
    type Fate = fn(Option<u64>) -> Option<Odd>;
    let fates: [Fate; 4] = [
        |_| Some(Odd::Unfit),
        |_| Some(Odd::Failed),
        |_| Some(Odd::Silent),
        |seed| (seed == Some(0)).then_some(Odd::Failed),
    ];
    for fate in fates {
        for (targets, seeds) in [(usize::MAX, 2), (1, 1), (0, 0)] {
            let temporary = tempfile::tempdir().unwrap();
            study(temporary.path(), |record| {
                let some: Vec<String> =
                    record.targets().into_iter().take(targets).map(String::from).collect();
                let is_kept = |row: &picloom::experiment::NetworkRow| {
                    some.contains(&row.target) && row.seed.is_none_or(|seed| seed < seeds)
                };
                record.rows.retain(is_kept);
                for row in &mut record.rows {
                    fate(row.seed).into_iter().for_each(|odd| spoil(row, odd));
                }
            });
            let sources = Sources::new(temporary.path());
            for f in FIGURES.iter() {
                match (f.draw)(&sources) {
                    Ok(drawing) => {
                        // Pictures are letters at random.
                        let mut lines = drawing.svg.lines().filter(|l| !l.contains("base64,"));
                        assert!(lines.all(|line| !line.contains("NaN")), "{}", f.name);
                        picloom::figures::svg_to_png(&drawing.svg, 0.25, &Provenance::none())
                            .unwrap();
                    }
                    Err(DrawError::Nothing { expected, .. }) => assert!(!expected.is_empty()),
                    Err(DrawError::Missing { study, .. }) => {
                        assert!(!temporary.path().join(study).exists(), "{}", f.name);
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
    study(temporary.path(), |_| ());
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
        assert!(error.to_string().contains(".evolved."), "{error}");
    }
}

#[test]
fn the_report_is_one_file_with_every_figure_and_no_link_out_of_it() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    study(folder, |_| ());
    let sources = Sources::new(folder);
    let count = FIGURES.iter().filter(|f| (f.draw)(&sources).is_ok()).count();
    assert!(count > 20, "{count}");
    let html = study_report(folder, "picloom-experiments report --out 'a b.html'");
    assert_alone(&html);
    assert!(html.contains(&format!("{count} of {}", FIGURES.len())));
    assert_eq!(html.matches("<title>").count(), count + 1, "the page's own, and one a figure");
    for claim in StudySpec::read(&root().join("experiments/study.toml")).unwrap().claims {
        // Up to a quotation mark, which HTML writes otherwise.
        let says = claim.says.split('\'').next().unwrap();
        assert!(html.contains(says), "{}", claim.id);
    }
    // The commands that made it: records alone were run somewhere, and collected here.
    assert!(html.contains("picloom-experiments report --out 'a b.html'"));
    let run = "picloom-experiments run experiments/depth.toml --store runs\n";
    assert!(html.contains(run) && !html.contains("Smoke run"), "{html}");
    // Without a record: the page says what is missing, and how to make it.
    let nothing = tempfile::tempdir().unwrap();
    let html = study_report(nothing.path(), "c");
    assert!(html.contains("Not drawn") && html.contains("experiments/depth.toml"));
}

#[test]
fn smoke_results_stand_under_a_banner_and_their_commands_name_the_folder_that_they_lie_in() {
    let guard = tempfile::tempdir().unwrap();
    let folder = guard.path().join("made here");
    study(&folder, |record| record.profile = "smoke".into());
    std::fs::create_dir(folder.join("depth/cells")).unwrap();
    let html = study_report(&folder, "c");
    let (banner, story) = (html.find("Smoke run").unwrap(), html.find("The story</h2>").unwrap());
    assert!(banner < story && html.contains("numbers and verdicts mean nothing"));
    // A report is passed on: it does not say where the folder lay.
    let last = picloom::base::text::word(picloom::base::text::portable(&folder));
    let run = format!("experiments/depth.toml --profile smoke --store {last}\n");
    assert!(html.contains(&run), "{run}");
    assert!(html.contains(&format!("picloom-experiments figures --records {last} score-by-depth")));
}

#[test]
fn the_docs_table_is_the_codes() {
    let begin = "## The paper's figures";
    let text = page();
    hold_generated("../figures/README.md", [begin, ""], text.strip_prefix(begin).unwrap());
    // Every figure of the paper is answered or explained.
    let named = |n: u32| {
        let lists = FIGURES.iter().map(|f| f.paper);
        let without = crate::figures::page::WITHOUT.iter().map(|w| w.0);
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
fn no_two_arms_share_a_key_or_a_colour_and_no_other_series_has_one() {
    crate::kinds();
    for (i, a) in OWN.iter().enumerate() {
        assert_eq!(style::arm(a.key), Some((style::ARMS.len() + i, a)));
        for b in style::ARMS.iter().chain(&OWN[..i]) {
            assert!(a.colour != b.colour && a.key != b.key, "{} and {}", a.key, b.key);
        }
        assert!(style::PALETTE.iter().all(|colour| *colour != a.colour), "{}", a.key);
    }
}
