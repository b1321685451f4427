//! The toolkit of figures: the same bytes for the same data, nothing broken by odd data, and every
//! kind of figure drawn once for people to look at.

#[path = "figures/demo.rs"]
mod demo;
#[path = "figures/pages.rs"]
mod pages;

use demo::scores;
use pages::{features, sweep_strips as sweeps};

use picloom::figures::{Provenance, save};
use std::path::PathBuf;

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

#[test]
fn every_chart_is_drawn_twice_alike_and_saved() {
    let (folder, _guard) = folder();
    let provenance = Provenance::none()
        .with("command", "picloom figures demo")
        .with("seed", 1);
    for ((name, svg), (_, again)) in demo::charts().into_iter().zip(demo::charts()) {
        assert!(svg == again, "{name} differs between two drawings");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        let (svg_path, png_path) = save(&svg, &folder.join(name), &provenance).unwrap();
        assert!(svg_path.is_file() && png_path.is_file());
    }
}

#[test]
fn every_sheet_is_drawn_twice_alike_and_saved() {
    let (folder, _guard) = folder();
    for (name, draw) in [
        ("contact-sheet", pages::contact as fn() -> String),
        ("strips", pages::sweep_strips),
        ("feature-maps", pages::features),
    ] {
        let svg = draw();
        assert!(svg == draw(), "{name} differs between two drawings");
        save(&svg, &folder.join(name), &Provenance::none()).unwrap();
    }
}

#[test]
fn a_report_is_one_file_without_links_out_of_it() {
    let (folder, _guard) = folder();
    let html = pages::report();
    assert!(html == pages::report());
    for outside in ["http://", "https://", "src=\"/", "url(/", "<script"] {
        let found = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(outside), "{outside}");
    }
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("report.html"), html).unwrap();
}

#[test]
fn every_network_is_drawn_twice_alike_and_saved() {
    let (folder, _guard) = folder();
    for ((name, svg), (_, again)) in pages::wirings().into_iter().zip(pages::wirings()) {
        assert!(svg == again, "{name} differs between two drawings");
        save(&svg, &folder.join(name), &Provenance::none()).unwrap();
    }
}
