//! Figures as data: what is drawn from a small table, and what is refused.

use crate::refusals::assert_refused;
use picloom::figures::Provenance;
use picloom::figures::plot::{
    Drawing, FigureSpec, Format, Kind, Source, check_labels, draw, encode, save_drawing,
    usual_figures,
};
use picloom::study::contrast::ContrastSpec;
use picloom::study::table::Table;
use std::path::Path;

/// Three targets, two arms, two seeds each; SP at two levels; one row on the way of each network.
fn table() -> Table {
    let mut table = Table::new([
        "target", "arm", "level", "seed", "layers", "at", "alive", "score", "fit", "file",
    ]);
    for (t, target) in ["moth", "cat", "lamp"].into_iter().enumerate() {
        for seed in 0..2 {
            for (arm, level) in [("dense", 0), ("sp", 1), ("sp", 2)] {
                for at in ["", "0.9"] {
                    let score = 0.1 * (t + 1) as f64
                        + 0.02 * f64::from(seed)
                        + 0.2 * f64::from(level)
                        + if at.is_empty() { 0.0 } else { 0.05 };
                    table.push(&[
                        target.to_string(),
                        arm.to_string(),
                        level.to_string(),
                        seed.to_string(),
                        (4 + t).to_string(),
                        at.to_string(),
                        (128 >> level).to_string(),
                        format!("{score:.3}"),
                        "true".to_string(),
                        format!("{target}.png"),
                    ]);
                }
            }
        }
    }
    table
}

fn source() -> Source {
    Source { table: table(), ..Source::default() }
}

fn spec(keys: &str) -> FigureSpec {
    toml::from_str(&format!("name = \"figure\"\n{keys}")).unwrap()
}

fn drawn(keys: &str) -> Drawing {
    draw(&spec(keys), &[source()], &[]).unwrap()
}

fn assert_undrawn(keys: &str, refusal: [&str; 3]) {
    assert_refused(&draw(&spec(keys), &[source()], &[]).unwrap_err(), refusal);
}

/// Text nodes of an SVG, in order.
fn texts(svg: &str) -> Vec<String> {
    let tree = roxmltree::Document::parse(svg).unwrap();
    let nodes = tree.descendants().filter(|node| node.has_tag_name("text"));
    nodes.map(|node| node.text().unwrap_or_default().to_string()).collect()
}

fn has(svg: &str, wanted: &[&str]) {
    let texts = texts(svg);
    for text in wanted {
        assert!(texts.iter().any(|found| found == text), "{text:?} is not among {texts:?}");
    }
}

const DOTS: &str = "kind = \"dots\"\nx = \"arm\"\ny = \"score\"\n";

#[test]
fn dots_show_each_target_and_the_mean_of_networks_at_the_end_of_training() {
    let drawing = drawn(&format!("{DOTS}where = \"level=0|1\"\nunits = true"));
    assert_eq!(drawing.panels, 1);
    assert_eq!(drawing.series.len(), 1);
    assert_eq!((drawing.series[0].marks, drawing.series[0].networks), (2, 12));
    has(&drawing.svg, &["dense", "SP", "compositional score"]);
    assert_eq!(
        drawing.caption,
        "Means over 3 targets, each target averaged first. Small dots: one target. Whiskers: 95\u{a0}% intervals, \
         Student's t over targets."
    );
    // Two means and three small dots each, every one a disc with its ring.
    assert_eq!(drawing.svg.matches("<circle ").count(), 8);
    assert!(!texts(&drawing.svg).contains(&drawing.caption));
}

#[test]
fn labels_colours_order_and_caption_are_options() {
    let drawing = drawn(&format!(
        "{DOTS}series = \"level\"\nunits = false\norder = [\"sp\", \"dense\"]\ncaption = \"Read me.\"\n\
         title = \"A title\"\ny_label = \"how good\"\n\
         labels = {{ sp = \"pruned\", dense = \"whole\", \"level=1\" = \"half\", \"level=2\" = \"quarter\" }}\n\
         colours = {{ \"level=1\" = \"#123456\" }}"
    ));
    has(
        &drawing.svg,
        &["A title", "pruned", "whole", "half", "quarter", "level 0", "how good", "Read me."],
    );
    assert!(drawing.svg.contains("#123456"));
    let all = texts(&drawing.svg);
    let place = |text: &str| all.iter().position(|found| found == text).unwrap();
    assert!(place("pruned") < place("whole"), "{all:?}");
    let own = drawn(&format!("{DOTS}caption = true"));
    assert!(
        texts(&own.svg).iter().any(|line| line.starts_with("Means over 3 targets, each target"))
    );
}

#[test]
fn the_size_is_in_mm_and_text_has_the_size_asked_for() {
    let root = |keys: &str| {
        let drawing = drawn(&format!("{DOTS}{keys}"));
        let first = drawing.svg.lines().next().unwrap().to_string();
        (first, drawing)
    };
    let (line, drawing) = root("width = 85\nfont_size = 8\nheight = 60");
    assert!(line.contains(" width=\"85mm\" height="), "{line}");
    assert!((drawing.size[1] - 60.0).abs() < 0.5, "{:?}", drawing.size);
    // 85 mm are 406 pixels of 8/13.5 pt.
    assert!(line.contains("viewBox=\"0 0 4070 "), "{line}");
    assert!(root("width = 85\nfont_size = 4").0.contains("viewBox=\"0 0 8130 "));
    let narrow = format!("{DOTS}width = 25\nfont_size = 12");
    assert_undrawn(&narrow, ["width", "at least 60 mm", "25 mm"]);
    assert_undrawn(&format!("{DOTS}font_size = 1"), ["font_size", "3 to 40 pt", "1"]);
}

#[test]
fn lines_take_the_mean_of_x_and_y_within_the_column_they_run_along() {
    let keys =
        "kind = \"lines\"\nx = \"log2(alive)\"\ny = \"score\"\nby = \"level\"\nseries = \"arm\"\n";
    let drawing = drawn(keys);
    let marks: Vec<(String, usize)> =
        drawing.series.iter().map(|s| (s.value.clone(), s.marks)).collect();
    assert_eq!(marks, [("dense".to_string(), 1), ("sp".to_string(), 2)]);
    has(&drawing.svg, &["log₂ of links alive", "dense twin, trained", "similarity-pruned (SP)"]);
    // The squares of the dense networks and their legend, and one band over the two levels of SP.
    assert_eq!(drawing.svg.matches("<polygon ").count(), 3);
    let whiskers = drawn(&format!("{keys}interval = \"whiskers\"\nunits = true"));
    assert_eq!(whiskers.svg.matches("<polygon ").count(), 2);
    assert!(
        whiskers.caption.contains("Whiskers: 95\u{a0}%") && whiskers.caption.contains("Thin lines")
    );
    // Checkpoints are drawn only if the figure speaks of them.
    let on_the_way = drawn("kind = \"lines\"\nx = \"at\"\ny = \"score\"\nseries = \"arm\"");
    assert_eq!(on_the_way.series[1].networks, 12);
}

#[test]
fn a_scatter_has_a_mark_for_each_network_or_group() {
    let keys = "kind = \"scatter\"\nx = \"alive\"\ny = \"score\"\nlog = [\"x\"]\n";
    assert_eq!(drawn(keys).series[0].marks, 18);
    assert_eq!(drawn(&format!("{keys}unit = \"target\"")).series[0].marks, 3);
    let named =
        drawn(&format!("{keys}by = \"level\"\nnames = true\nlabels = {{ \"level=2\" = \"two\" }}"));
    assert_eq!(named.series[0].marks, 3);
    has(&named.svg, &["two"]);
}

#[test]
fn a_heatmap_writes_the_mean_into_each_cell_and_hatches_those_of_few_networks() {
    let keys =
        "kind = \"heatmap\"\nx = \"layers\"\ny = \"level\"\nof = \"score\"\nwhere = \"arm=sp\"\n";
    let drawing =
        drawn(&format!("{keys}unit = \"seed\"\nleast = 2\noutline = true\nbar = \"fit\""));
    assert_eq!((drawing.series[0].marks, drawing.series[0].networks), (6, 12));
    // Means over two seeds: 0.2 a level, 0.1 a target, and 0.01.
    has(&drawing.svg, &["0.31", "0.41", "0.51", "0.61", "0.71", "hidden layers", "4", "5", "6"]);
    assert!(!drawing.caption.contains("Hatched"));
    let few = drawn(&format!("{keys}least = 3\ncaption = true"));
    assert!(few.caption.contains("Hatched: fewer than 3 networks."), "{}", few.caption);
    let lines = |svg: &str| svg.matches("<polyline ").count() + svg.matches("<line ").count();
    assert!(lines(&few.svg) > lines(&drawn(keys).svg) + 6);
}

fn contrasts() -> Vec<ContrastSpec> {
    #[derive(serde::Deserialize)]
    struct Spec {
        contrasts: Vec<ContrastSpec>,
    }
    let text = "[[contrasts]]\nid = \"C1\"\nbetween = [{ arm = \"sp\" }, { arm = \"dense\" }]\n\
                basis = [\"finished\", \"end\"]\nmargin = 0.05\n";
    toml::from_str::<Spec>(text).unwrap().contrasts
}

#[test]
fn a_forest_has_an_estimate_for_each_contrast_and_basis_and_shades_the_margin() {
    let spec =
        spec("kind = \"forest\"\nwhere = \"level=0|1\"\nlabels = { C1 = \"pruned less dense\" }");
    let drawing = draw(&spec, &[source()], &contrasts()).unwrap();
    assert_eq!(drawing.series.len(), 2);
    assert!(drawing.series.iter().all(|series| series.marks == 1 && series.networks == 3));
    has(
        &drawing.svg,
        &["pruned less dense", "difference of compositional score", "0.20 [0.20, 0.20]"],
    );
    assert!(drawing.caption.contains("± the margin of 0.05"), "{}", drawing.caption);
    let wrong = FigureSpec { contrasts: vec!["C2".into()], ..spec.clone() };
    let refusal = draw(&wrong, &[source()], &contrasts()).unwrap_err();
    assert_refused(&refusal, ["contrasts", "ids of [[contrasts]]: C1", "\"C2\""]);
    let refusal = draw(&spec, &[source()], &[]).unwrap_err();
    assert_refused(&refusal, ["contrasts", "ids of [[contrasts]] of the spec", "[]"]);
    // The same contrast in each cell of a heatmap.
    let heat = self::spec(
        "kind = \"heatmap\"\nx = \"target\"\ny = \"fit\"\ncontrasts = [\"C1\"]\nwhere = \"level=0|1\"",
    );
    let heat = draw(&heat, &[source()], &contrasts()).unwrap();
    assert_eq!(heat.series[0].marks, 3);
    assert_eq!(texts(&heat.svg).iter().filter(|text| *text == "0.20").count(), 3);
}

#[test]
fn verdicts_are_a_row_a_number_and_a_column_a_contrast() {
    let one = toml::toml! {
        id = "fewer"
        each = ["score", "-roughness"]
        between = [{ level = 2 }, { level = 0 }]
        rule = "different"
        test = false
    };
    let contrasts = ContrastSpec::all(&toml::Table::new(), &[one]).unwrap();
    let figure = spec(
        "kind = \"verdicts\"\ncontrasts = [\"fewer\"]\nlabels = { fewer = \"an eighth less all\" }",
    );
    let whole = table();
    let mut table = Table::new(whole.columns().iter().map(|c| c.name()).chain(["roughness"]));
    for row in 0..whole.len() {
        let score = whole.column("score").unwrap().number(row).unwrap();
        let cells = whole.columns().iter().map(|column| column.text(row).to_string());
        table.push(&cells.chain([(-2.0 * score).to_string()]).collect::<Vec<_>>());
    }
    let drawn = draw(&figure, &[Source { table, ..Source::default() }], &contrasts).unwrap();
    has(&drawn.svg, &["compositional score", "−roughness", "an eighth less all"]);
    assert!(drawn.caption.contains("outlined: the contrast is supported"), "{}", drawn.caption);
    let other = FigureSpec { contrasts: vec!["fewest".into()], ..figure };
    let refusal = draw(&other, &[source()], &contrasts).unwrap_err();
    assert_refused(&refusal, ["contrasts", "ids of [[contrasts]]: fewer", "\"fewest\""]);
}

/// The table with SP's eighth of the links unfit, but for one network of the moth.
fn partly_fit() -> Source {
    let whole = table();
    let mut table = Table::new(whole.columns().iter().map(|column| column.name()));
    for row in 0..whole.len() {
        let text = |name: &str| whole.column(name).unwrap().text(row).to_string();
        let fit = text("level") != "2" || (text("target") == "moth" && text("seed") == "0");
        let cells = whole.columns().iter().map(|column| match column.name() {
            "fit" => fit.to_string(),
            name => text(name),
        });
        table.push(&cells.collect::<Vec<_>>());
    }
    Source { table, ..Source::default() }
}

#[test]
fn marks_whose_rows_do_not_count_are_hollow_and_stay_out_of_means() {
    let of = |keys: &str| draw(&spec(keys), &[partly_fit()], &[]).unwrap();
    let by_target = "kind = \"dots\"\nx = \"target\"\ny = \"score\"\nwhere = \"level=2\"\n\
                     counts = \"fit=true\"\noverall = \"mean\"\ncaption = true";
    let dots = of(by_target);
    has(&dots.svg, &["mean", "1/2"]);
    for said in ["Hollow: no network learned its picture", "n/m: n of m networks", "“mean”"] {
        assert!(dots.caption.contains(said), "{said:?} is not in {}", dots.caption);
    }
    // One network of six counts.
    let every =
        "kind = \"heatmap\"\nx = \"level\"\ny = \"arm\"\nof = \"score\"\nwhere = \"level=2\"\n";
    has(&of(&format!("{every}counts = {{ fit = true }}")).svg, &["0.50"]);
    has(&of(every).svg, &["0.61"]);
    for kind in ["lines", "scatter"] {
        let keys = format!(
            "kind = \"{kind}\"\nx = \"layers\"\ny = \"score\"\nwhere = \"level=2\"\ncounts = \"fit=true\""
        );
        assert!(of(&keys).caption.contains("Hollow"), "{kind}");
    }
}

#[test]
fn only_targets_and_seeds_with_every_value_of_complete_are_drawn() {
    let of = |keys: &str| draw(&spec(keys), &[partly_fit()], &[]).unwrap();
    let lines =
        "kind = \"lines\"\nx = \"level\"\ny = \"score\"\nwhere = \"arm=sp\"\ncounts = \"fit=true\"";
    let networks = |keys: &str| of(keys).series[0].networks;
    // All twelve, hollow ones too; then both levels of the one seed that learned both.
    assert_eq!(networks(&format!("{lines}\nunit = \"row\"")), 12 - 5);
    assert_eq!(networks(&format!("{lines}\nunit = \"row\"\ncomplete = \"level\"")), 2);
}

#[test]
fn a_scatter_joins_marks_and_a_forest_draws_units_on_other_bases() {
    let scatter =
        "kind = \"scatter\"\nx = \"alive\"\ny = \"score\"\nby = \"target\"\nseries = \"arm\"\n";
    let lines = |keys: &str| drawn(keys).svg.matches("<polyline").count();
    assert_eq!(lines(&format!("{scatter}join = true")), lines(scatter) + 3);
    let forest = "kind = \"forest\"\nwhere = \"level=0|1\"\nlabels = { C1 = \"\" }\n";
    let of = |keys: &str| draw(&spec(keys), &[source()], &contrasts()).unwrap();
    let (plain, other) =
        (of(forest), of(&format!("{forest}bases = [\"end\"]\nmean = \"student\"\nunits = true")));
    assert_eq!((plain.series.len(), other.series.len()), (2, 1));
    has(&plain.svg, &["SP − dense"]);
    assert!(other.caption.contains("Small dots: one unit"), "{}", other.caption);
}

#[test]
fn facts_of_the_study_stand_below_the_title_if_asked_for() {
    let facts = "64² pixels, profile quick".to_string();
    let source = Source { facts, ..source() };
    let of = |keys: &str| {
        draw(&spec(&format!("{DOTS}{keys}")), std::slice::from_ref(&source), &[]).unwrap().svg
    };
    has(&of("title = \"Score\"\nsubtitle = true"), &["64² pixels, profile quick"]);
    let plain = of("says = \"score by arm\"\ntags = { paper = \"Fig. 3\" }");
    assert!(!plain.contains("64²") && !plain.contains("Fig. 3") && !plain.contains("by arm"));
}

#[test]
fn a_sheet_of_pictures_reads_files_relative_to_the_table() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["moth", "cat", "lamp"] {
        image::RgbImage::from_pixel(6, 4, image::Rgb([200, 40, 10]))
            .save(folder.path().join(format!("{name}.png")))
            .unwrap();
    }
    let source = Source { folder: folder.path().into(), ..source() };
    let sheet = spec("kind = \"pictures\"\npicture = \"file\"\nx = \"target\"\ny = \"arm\"");
    let drawing = draw(&sheet, std::slice::from_ref(&source), &[]).unwrap();
    assert_eq!(drawing.series[0].marks, 6);
    has(&drawing.svg, &["moth", "cat", "lamp", "similarity-pruned (SP)"]);
    assert_eq!(drawing.svg.matches("<image ").count(), 6);
    let list = spec(
        "kind = \"pictures\"\nfiles = [[\"moth.png\", \"\"], [\"cat.png\", \"lamp.png\"]]\nrow_labels = [\"one\"]",
    );
    assert_eq!(draw(&list, std::slice::from_ref(&source), &[]).unwrap().series[0].marks, 3);
    let missing = spec("kind = \"pictures\"\nfiles = [[\"dog.png\"]]");
    let refusal = draw(&missing, &[source], &[]).unwrap_err();
    assert_refused(&refusal, ["dog.png", "a PNG file", ""]);
}

#[test]
fn several_tables_are_told_apart_by_their_study() {
    let sources = ["one", "two"].map(|name| Source { folder: name.into(), ..source() });
    let figure = spec("kind = \"dots\"\nx = \"study\"\ny = \"score\"\nwhere = \"arm=sp\"");
    let drawing = draw(&figure, &sources, &[]).unwrap();
    has(&drawing.svg, &["one", "two"]);
    assert_eq!(drawing.series[0].networks, 24);
}

#[test]
fn refusals_say_where_what_and_what_else_there_is() {
    let score = "\"scor\"; did you mean \"score\"?";
    for (keys, refusal) in [
        ("y = \"score\"", ["figure figure: x", "a value, for example x = \"arm\"", "none"]),
        ("x = \"arm\"\ny = \"scor\"", ["y", "one of target, arm", score]),
        ("x = \"arm\"\ny = \"arm\"", ["y", "numbers in the column arm", "\"dense\""]),
    ] {
        assert_undrawn(&format!("kind = \"dots\"\n{keys}"), refusal);
    }
    for (keys, refusal) in [
        ("bar = \"fit\"", ["bar", "keys of kind dots: name, kind", "\"bar\""]),
        ("order = [\"spp\"]", ["order", "values of the columns", "\"spp\"; did you mean \"sp\"?"]),
        ("where = \"arm=imp\"", ["where", "rows where arm=imp", "none"]),
        ("unit = \"picture\"", ["unit", "one of target, arm", "\"picture\""]),
        ("y_range = [1, 0]", ["y_range", "two numbers, the lower first", "[1.0, 0.0]"]),
    ] {
        assert_undrawn(&format!("{DOTS}{keys}"), refusal);
    }
    let heatmap = "kind = \"heatmap\"\nx = \"layers\"\ny = \"level\"";
    assert_undrawn(heatmap, ["of", "a value, for example of = \"score\"", "none"]);
    let name = FigureSpec { name: "../up".into(), ..spec(DOTS) };
    assert!(draw(&name, &[source()], &[]).unwrap_err().at.ends_with("name"));
    assert_refused(&"pie".parse::<Kind>().unwrap_err(), ["kind", "one of dots, lines", "\"pie\""]);
    // What no figure can be read from.
    for (keys, found) in [("colors = {}", "`colors`"), ("colours = { sp = \"blue\" }", "\"blue\"")]
    {
        let text = format!("name = \"figure\"\n{DOTS}{keys}");
        let error = toml::from_str::<FigureSpec>(&text).unwrap_err();
        assert!(error.message().contains(found), "{error}");
    }
}

#[test]
fn a_drawing_is_written_as_svg_png_or_pdf_by_its_extension() {
    let drawing = drawn(&format!("{DOTS}width = 100"));
    let folder = tempfile::tempdir().unwrap();
    let facts = Provenance::none().with("command", "test");
    let write = |name: &str| {
        let path = folder.path().join(name);
        save_drawing(&drawing, &path, 254.0, &facts).map(|()| std::fs::read(path).unwrap())
    };
    let svg = String::from_utf8(write("a/figure.svg").unwrap()).unwrap();
    assert!(svg.contains("command: test") && svg.contains("<title>figure</title>"));
    // 100 mm at 254 dots an inch.
    let png = image::load_from_memory(&write("figure.png").unwrap()).unwrap();
    assert!(png.width().abs_diff(1000) <= 1, "{}", png.width());
    for name in ["figure.jpg", "figure"] {
        let expected = "a file that ends in .svg, .png or .pdf";
        assert_refused(&write(name).unwrap_err(), [name, expected, ""]);
    }
    assert!(Format::of(Path::new("F.SVG")).is_ok());
}

#[cfg(feature = "pdf")]
#[test]
fn a_pdf_embeds_its_font_and_keeps_text_as_text() {
    let drawing = drawn(&format!("{DOTS}title = \"Bold\""));
    let facts = Provenance::none();
    let pdf = encode(&drawing, Format::Pdf, 300.0, &facts).unwrap();
    assert!(pdf.starts_with(b"%PDF-1.7"));
    let text = String::from_utf8_lossy(&pdf);
    for wanted in
        ["/FontFile2", "DejaVuSans-Bold", "/ToUnicode", "/Identity-H", "/MediaBox [0 0 510."]
    {
        assert!(text.contains(wanted), "{wanted}");
    }
    assert_eq!(pdf, encode(&drawing, Format::Pdf, 300.0, &facts).unwrap());
}

#[test]
fn every_key_of_every_kind_has_its_row_in_the_docs() {
    let page = include_str!("../../docs/PLOTS.md");
    for name in Kind::names() {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
        for key in name.parse::<Kind>().unwrap().keys() {
            let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
            let found =
                cells.into_iter().any(|cell| cell.split(", ").any(|k| k == format!("`{key}`")));
            assert!(found, "{key} of {name} has no row in docs/PLOTS.md");
        }
    }
}

#[test]
fn a_width_is_a_number_of_mm_a_length_or_a_place_on_the_page() {
    for (width, mm) in [
        ("85", "85mm"),
        ("\"85mm\"", "85mm"),
        ("\"8.5 cm\"", "85mm"),
        ("\"3in\"", "76.2mm"),
        ("\"column\"", "85mm"),
        ("\"page\"", "180mm"),
    ] {
        let drawing = drawn(&format!("{DOTS}font_size = 5\nwidth = {width}"));
        assert!(drawing.svg.contains(&format!("width=\"{mm}\"")), "{width}");
    }
    let read = |width: &str| {
        toml::from_str::<FigureSpec>(&format!("name = \"figure\"\n{DOTS}width = {width}"))
    };
    assert!(read("\"wide\"").is_err() && read("\"column\"").is_ok());
    assert!(drawn(&format!("{DOTS}height = \"6cm\"")).size[1] == 60.0);
}

#[test]
fn curves_are_the_geometric_means_of_the_networks_of_each_series() {
    let mut table = Table::new(["target", "arm", "seed", "at", "curve_step", "curve_loss"]);
    for (seed, loss) in [("0", "[0.1,0.001]"), ("1", "[0.1,0.1]")] {
        table.push(&["moth", "dense", seed, "", "[0,100]", loss]);
    }
    table.push(&["moth", "evolved", "", "", "", ""]);
    let spec = spec("kind = \"curves\"\nseries = \"arm\"\ncaption = true\nwidth = \"column\"");
    let source = Source { table: table.clone(), ..Source::default() };
    let drawing = draw(&spec, &[source], &[]).unwrap();
    let networks: Vec<usize> = drawing.series.iter().map(|series| series.networks).collect();
    assert!(networks.contains(&2) && networks.contains(&0), "{networks:?}");
    has(&drawing.svg, &["step", "mean squared error"]);
    assert!(drawing.caption.contains("Geometric means"));
    let only = spec_of_evolved();
    let source = Source { table, ..Source::default() };
    let refused = draw(&only, &[source], &[]).unwrap_err().to_string();
    assert!(refused.contains("an evolved network is not trained"), "{refused}");
}

fn spec_of_evolved() -> FigureSpec {
    spec("kind = \"curves\"\nseries = \"arm\"\nwhere = \"arm=evolved\"")
}

#[test]
fn the_usual_figures_show_the_gap_where_combinations_were_held_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let names = |gaps: [&str; 2]| {
        let rows = format!("arm,score,fit,gap\na,.5,true,{}\nb,.6,true,{}\n", gaps[0], gaps[1]);
        std::fs::write(&path, rows).unwrap();
        let figures = usual_figures(&Table::read(&path).unwrap(), false);
        figures.into_iter().map(|figure| figure.name).collect::<Vec<_>>()
    };
    assert_eq!(names(["", ""]), ["score-by-arm"]);
    assert_eq!(names([".1", ""]), ["score-by-arm", "gap-by-arm"]);
}

/// A table with a column of these values; all else is of one network after the other.
fn numbers(values: impl IntoIterator<Item = f64>) -> Source {
    let mut table = Table::new(["target", "arm", "seed", "score"]);
    for (seed, value) in values.into_iter().enumerate() {
        table.push(&["moth", "sp", &seed.to_string(), &value.to_string()]);
    }
    Source { table, ..Source::default() }
}

#[test]
fn a_logarithmic_axis_counts_what_it_has_no_place_for_and_an_empty_figure_is_refused() {
    let scatter = spec("kind = \"scatter\"\nx = \"seed\"\ny = \"score\"\nlog = [\"y\"]");
    for (values, said) in [
        (vec![1.0, 2.0, 3.0], None),
        (vec![1.0, 0.0, 3.0], Some("1 mark at 0 or below is left out")),
        (vec![1.0, 0.0, -3.0], Some("2 marks at 0 or below are left out")),
    ] {
        let caption = draw(&scatter, &[numbers(values)], &[]).unwrap().caption;
        assert!(said.map_or(!caption.contains("or below"), |said| caption.contains(said)));
    }
    let refused = draw(&scatter, &[numbers([0.0, -1.0])], &[]).unwrap_err();
    assert_refused(&refused, ["rows", "at least one mark to draw", "2, all at 0 or below"]);
    // A place for each of so many values would be no picture.
    let dots = spec("kind = \"dots\"\nx = \"seed\"\ny = \"score\"");
    let many = numbers((0..3000).map(f64::from));
    let refused = draw(&dots, std::slice::from_ref(&many), &[]).unwrap_err();
    assert_refused(&refused, ["seed", "a column of at most 2000 values", "3000"]);
    assert!(draw(&spec("kind = \"scatter\"\nx = \"seed\"\ny = \"score\""), &[many], &[]).is_ok());
}

#[test]
fn letters_that_the_font_lacks_are_named_where_it_draws() {
    let drawing = drawn(&format!("{DOTS}title = \"Ж Ω 日本 日\""));
    assert!(drawing.boxes(Format::Svg).is_none());
    let says = drawing.boxes(Format::Png).unwrap();
    assert!(says.contains("日本:") && !says.contains('Ω'), "{says}");
    assert!(drawn(DOTS).boxes(Format::Pdf).is_none());
}

#[test]
fn unfit_networks_are_marked_unless_the_figure_is_of_those_that_learned() {
    let counts = |keys: &str| {
        let mut figure = spec(keys);
        figure.mark_unfit();
        figure.counts.to_string()
    };
    let scatter = "kind = \"scatter\"\nx = \"alive\"\ny = \"score\"\n";
    assert_eq!(counts(scatter), "fit=true");
    assert_eq!(counts(&format!("{scatter}counts = \"r2>=0.9\"")), "r2>=0.9");
    assert_eq!(counts(&format!("{scatter}where = \"fit=true\"")), "");
    assert_eq!(counts("kind = \"dots\"\nx = \"arm\"\ny = \"fit\""), "");
    assert_eq!(counts("kind = \"forest\"\ncontrasts = [\"a\"]"), "");
}

/// Texts of a figure and whether each lies inside the page, by the program that draws the PNG.
fn laid(svg: &str) -> Vec<(String, bool)> {
    use resvg::usvg::{Group, Node, Options, Tree, fontdb::Database};
    fn read(group: &Group, page: (f32, f32), out: &mut Vec<(String, bool)>) {
        for node in group.children() {
            let at = node.abs_bounding_box();
            let inside = at.left() >= -1.0 && at.top() >= -1.0;
            match node {
                Node::Group(group) => read(group, page, out),
                Node::Text(text) => out.push((
                    text.chunks().iter().map(|chunk| chunk.text()).collect(),
                    inside && at.right() <= page.0 + 1.0 && at.bottom() <= page.1 + 1.0,
                )),
                _ => {}
            }
        }
    }
    let mut fonts = Database::new();
    for face in [picloom::figures::fonts::REGULAR, picloom::figures::fonts::BOLD] {
        fonts.load_font_data(face.to_vec());
    }
    let family = picloom::figures::fonts::FACE.to_string();
    let options = Options { fontdb: fonts.into(), font_family: family, ..Options::default() };
    let tree = Tree::from_str(svg, &options).unwrap();
    let mut out = Vec::new();
    read(tree.root(), (tree.size().width(), tree.size().height()), &mut out);
    out
}

#[test]
fn every_kind_has_its_long_names_whole_and_on_the_page_at_the_width_of_a_column() {
    let rows = [
        "dense",
        "mirror pruned: no x (left half alone)",
        "mirror pruned: no x (right half alone)",
    ];
    let axis = "difference of the compositional score from what the dense network has";
    let folder = tempfile::tempdir().unwrap();
    image::RgbImage::new(4, 4).save(folder.path().join("moth.png")).unwrap();
    let mut table = Table::new([
        "target",
        "arm",
        "level",
        "seed",
        "at",
        "score",
        "fit",
        "file",
        "curve_step",
        "curve_loss",
    ]);
    for (i, (target, arm)) in
        ["moth", "cat", "lamp"].iter().flat_map(|t| rows.map(|arm| (t, arm))).enumerate()
    {
        for seed in 0..12 {
            let score = format!("{}", 0.1 + 0.07 * (i % 5) as f64 + 0.01 * f64::from(seed));
            let (level, seed, fit) = ((i % 3).to_string(), seed.to_string(), seed > 1);
            let cells = [target, arm, &level, &seed, "", &score, &fit.to_string(), "moth.png"];
            table.push(&cells.into_iter().chain(["[0,100]", "[0.1,0.01]"]).collect::<Vec<_>>());
        }
    }
    #[derive(serde::Deserialize)]
    struct Spec {
        contrasts: Vec<ContrastSpec>,
    }
    let contrasts = rows[1..].iter().enumerate().map(|(i, arm)| {
        format!("[[contrasts]]\nid = \"C{i}\"\nbetween = [{{ arm = \"{arm}\" }}, {{ arm = \"dense\" }}]\n")
    });
    let contrasts: Spec = toml::from_str(&contrasts.collect::<String>()).unwrap();
    let source = Source { table, folder: folder.path().into(), ..Source::default() };
    let labels = format!("labels = {{ C0 = \"{}\", C1 = \"{}\" }}", rows[1], rows[2]);
    let (x, y) = (format!("x_label = \"{axis}\""), format!("y_label = \"{axis}\""));
    for (kind, keys, wanted) in [
        (
            "dots",
            format!("x = \"arm\"\ny = \"score\"\nhorizontal = true\ncounts = \"fit=true\"\n{x}"),
            &[rows[1], rows[2], axis, "30/36"][..],
        ),
        (
            "dots",
            format!("x = \"arm\"\ny = \"score\"\ncounts = \"fit=true\"\n{y}"),
            &[rows[1], rows[2], axis, "30/36"],
        ),
        (
            "lines",
            format!("x = \"level\"\ny = \"score\"\nseries = \"arm\"\npanel = \"target\"\n{x}"),
            &[rows[1], rows[2], axis],
        ),
        (
            "scatter",
            format!("x = \"level\"\ny = \"score\"\nseries = \"arm\"\n{x}\n{y}"),
            &[rows[1], rows[2], axis],
        ),
        (
            "heatmap",
            format!("x = \"target\"\ny = \"arm\"\nof = \"score\"\n{x}"),
            &[rows[1], rows[2], axis],
        ),
        (
            "heatmap",
            format!("x = \"arm\"\ny = \"target\"\nof = \"score\"\n{y}"),
            &[rows[1], rows[2], axis],
        ),
        ("forest", format!("{labels}\n{x}"), &[rows[1], rows[2], axis]),
        ("verdicts", format!("{labels}\n{x}"), &[rows[1], rows[2], axis]),
        (
            "curves",
            format!("series = \"arm\"\npanel = \"arm\"\n{x}\n{y}"),
            &[rows[1], rows[2], axis],
        ),
        (
            "pictures",
            "picture = \"file\"\nx = \"arm\"\ny = \"target\"".to_string(),
            &[rows[1], rows[2]],
        ),
        (
            "pictures",
            "picture = \"file\"\nx = \"target\"\ny = \"arm\"".to_string(),
            &[rows[1], rows[2]],
        ),
    ] {
        let figure = spec(&format!("kind = \"{kind}\"\nwidth = \"column\"\n{keys}"));
        let drawing = draw(&figure, std::slice::from_ref(&source), &contrasts.contrasts)
            .unwrap_or_else(|e| panic!("{kind}: {e}"));
        let texts = laid(&drawing.svg);
        let all: Vec<&str> = texts.iter().map(|text| text.0.as_str()).collect();
        let all = all.join(" ");
        for wanted in wanted {
            assert!(all.contains(wanted), "{kind}: {wanted:?} is not whole in {all:?}");
        }
        for (text, inside) in &texts {
            assert!(inside, "{kind}: {text:?} is not on the page");
        }
        assert!(!all.contains('…'), "{kind}: {all}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_width_that_would_do() {
    let long = "a title of many words, each of which would like to be read, ".repeat(2);
    let keys = format!("{DOTS}width = 85\ntitle = \"{long}\"");
    assert_undrawn(&keys, ["width", "at least 145 mm, at which every text is whole", "85 mm"]);
    let word = format!("{DOTS}width = 85\ntitle = \"{}\"", "supercali".repeat(99));
    assert_undrawn(&word, ["width", "shorter texts", "85 mm"]);
}

#[test]
fn labels_of_nothing_are_refused_where_a_person_gives_them() {
    let check = |labels: &str| {
        check_labels(&spec(&format!("{DOTS}labels = {{ {labels} }}")), &[source()], &[])
    };
    for (labels, found) in [
        ("dnese = \"x\"", "\"dnese\"; did you mean \"dense\"?"),
        ("\"level=9\" = \"x\"", "\"level=9\""),
    ] {
        let refusal = ["labels", "values, `column=value`, columns", found];
        assert_refused(&check(labels).unwrap_err(), refusal);
    }
    check("magnitude = \"an arm that is still to come\", arm = \"method\"").unwrap();
    // Another profile of a study may have it.
    drawn(&format!("{DOTS}labels = {{ later = \"x\" }}"));
}

#[test]
fn arms_that_the_house_does_not_know_have_colours_and_markers_of_their_own() {
    let mut table = Table::new(["target", "arm", "level", "r2"]);
    for arm in ["magnitude", "ours", "theirs", "mine"] {
        for (target, r2) in [("moth", ".99"), ("cat", ".2"), ("lamp", ".98")] {
            table.push(&[target, arm, "1", r2]);
        }
    }
    let source = Source { table, ..Source::default() };
    let of = |keys: &str| draw(&spec(keys), std::slice::from_ref(&source), &[]).unwrap().svg;
    let dots = of("kind = \"dots\"\nx = \"arm\"\ny = \"r2\"");
    let lines = of(
        "kind = \"lines\"\nx = \"level\"\ny = \"r2\"\nseries = \"arm\"\ninterval = \"whiskers\"",
    );
    for (i, svg) in [(0, &dots), (1, &dots), (2, &dots), (0, &lines), (1, &lines), (2, &lines)] {
        let colour = picloom::figures::style::colour(i).hex();
        assert!(svg.to_lowercase().contains(&colour), "{colour}");
    }
    // Of three targets the interval would end at 1.8; R² ends at 1.
    assert!(!texts(&dots).contains(&"1.5".to_string()), "{:?}", texts(&dots));
}
