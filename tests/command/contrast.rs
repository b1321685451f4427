//! `picloom contrast`, `experiment decide`, `figures`, `new` and `power`: what they say of tables.

use crate::cases::cases;
use crate::line::Place;
use picloom::base::table::Table;

cases! {
    contrast:
    a_contrast_of_the_committed_map_is_the_ledgers,
    a_new_study_is_run_decided_drawn_and_powered_without_code,
    a_new_study_has_names_that_run_whatever_its_files_are_called,
    rows_that_differ_in_a_column_are_averaged_or_chosen,
    a_truth_value_is_one_value_however_it_is_written,
    before_a_run_power_is_simulated_as_the_spec_assumes,
}

#[test]
fn a_row_leads_to_its_run_and_a_spec_that_asks_for_no_figures_has_the_usual_ones() {
    let place = Place::new();
    place.done("experiment new links.toml");
    place.done("experiment run links.toml --profile smoke");
    let rows = Table::read(&place.at("runs/smoke/links/rows.csv.gz")).unwrap();
    let paths = rows.column("path").unwrap();
    for row in (0..rows.len()).filter(|row| !paths.text(*row).is_empty()) {
        let run = place.at("runs/smoke/links").join(paths.text(row));
        assert!(run.join("result.json").exists(), "{}", run.display());
    }
    let text = place.text("links.toml");
    let (head, _) = text.split_once("[figure_defaults]").unwrap();
    place.write("plain.toml", head);
    place.done("experiment figures plain.toml --profile smoke --out usual --format pdf");
    for name in ["score-by-arm", "score-by-links", "fit-by-arm", "losses", "effects"] {
        assert!(place.bytes(&format!("usual/{name}.pdf")).starts_with(b"%PDF"), "{name}");
    }
    place.done("experiment report plain.toml --profile smoke --out plain.html");
    assert!(place.text("plain.html").contains("<svg"));
}
