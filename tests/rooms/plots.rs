//! Figures as data: what is drawn from a small table, and what is refused.

use crate::answers::hold;
use crate::refusals::assert_refused;
use crate::said::assert_says;
use crate::svg::words;
use picloom::base::table::Table;
use picloom::figures::Provenance;
use picloom::figures::of_spec::{check_labels, draw};
use picloom::figures::plot::{
    Drawing, DrawnSeries, FigureSpec, Format, Source, encode, save_drawing,
};
use picloom::figures::usual::usual_figures;
use picloom::study::contrast::ContrastSpec;
use std::fmt::Write as _;
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

/// A column laid over the table's, or a new one.
fn with(table: Table, name: &str, value: impl Fn(&dyn Fn(&str) -> String) -> String) -> Table {
    let old: Vec<String> = table.columns().iter().map(|column| column.name().into()).collect();
    let is_new = !old.iter().any(|column| column == name);
    let mut found = Table::new(old.iter().map(String::as_str).chain(is_new.then_some(name)));
    for row in 0..table.len() {
        let of = |name: &str| table.column(name).unwrap().text(row).to_string();
        let cells = old.iter().map(|column| if column == name { value(&of) } else { of(column) });
        found.push(&cells.chain(is_new.then(|| value(&of))).collect::<Vec<_>>());
    }
    found
}

/// The tables that the golden figures are of, by name; pictures lie in the folder.
fn sources(name: &str, folder: &Path) -> Vec<Source> {
    // SP's eighth of the links unfit, but for one network of the moth.
    let fit = |of: &dyn Fn(&str) -> String| {
        (of("level") != "2" || (of("target") == "moth" && of("seed") == "0")).to_string()
    };
    let rough =
        |of: &dyn Fn(&str) -> String| (-2.0 * of("score").parse::<f64>().unwrap()).to_string();
    let table = match name {
        "partly fit" => with(table(), "fit", fit),
        "roughness" => with(table(), "roughness", rough),
        "curves" => {
            let mut curves =
                Table::new(["target", "arm", "seed", "at", "curve_step", "curve_loss"]);
            for (seed, loss) in [("0", "[0.1,0.001]"), ("1", "[0.1,0.1]")] {
                curves.push(&["moth", "dense", seed, "", "[0,100]", loss]);
            }
            curves.push(&["moth", "evolved", "", "", "", ""]);
            curves
        }
        "two studies" => {
            return ["one", "two"].map(|name| Source { folder: name.into(), ..source() }).into();
        }
        "" | "no contrasts" => table(),
        // Scores of one network after the other.
        scores => {
            let mut table = Table::new(["target", "arm", "seed", "score"]);
            let scores = if scores == "3000" {
                (0..3000).map(|n| n.to_string()).collect()
            } else {
                scores.split(' ').map(String::from).collect::<Vec<_>>()
            };
            let target = if scores == ["long"] { "m".repeat(2001) } else { "moth".into() };
            for (seed, score) in scores.iter().enumerate() {
                table.push(&[&target, "sp", &seed.to_string(), score]);
            }
            table
        }
    };
    vec![Source { table, folder: folder.into(), facts: "64² pixels, profile quick".into() }]
}

fn contrast(text: &str) -> Vec<ContrastSpec> {
    ContrastSpec::all(&toml::Table::new(), &[toml::from_str(text).unwrap()]).unwrap()
}

/// A figure as a reader sees it, or why there is none.
fn told(input: &str, folder: &Path) -> String {
    let (table, keys) = match input.strip_prefix("of ") {
        Some(rest) => rest.split_once('\n').unwrap(),
        None => ("", input),
    };
    let spec = match toml::from_str::<FigureSpec>(&format!("name = \"figure\"\n{keys}")) {
        Ok(spec) => spec,
        Err(error) => return format!("refused: {}", error.message()),
    };
    let contrasts = match table {
        "no contrasts" => Vec::new(),
        "roughness" => contrast(
            "id = 'fewer'\neach = ['score', '-roughness']\nbetween = [{ level = 2 }, { level = 0 }]\n\
             rule = 'different'\ntest = false",
        ),
        _ => contrast(
            "id = 'C1'\nbetween = [{ arm = 'sp' }, { arm = 'dense' }]\nbasis = ['finished', 'end']\n\
             margin = 0.05",
        ),
    };
    let drawing = match draw(&spec, &sources(table, folder), &contrasts) {
        Ok(drawing) => drawing,
        Err(refusal) => return format!("refused: {refusal}").replace(folder.to_str().unwrap(), ""),
    };
    let tree = roxmltree::Document::parse(&drawing.svg).unwrap();
    let root =
        ["width", "height", "viewBox"].map(|key| tree.root_element().attribute(key).unwrap());
    let mut text = format!("{} panels; {}\n", drawing.panels, root.join(", "));
    for of in &drawing.series {
        let DrawnSeries { value, label, marks, rows } = of;
        let _ = writeln!(text, "series {value:?} as {label:?}: {marks} marks of {rows} networks");
    }
    let counts = ["circle", "polygon", "polyline", "line", "rect", "image"].map(|tag| {
        let count = tree.descendants().filter(|node| node.has_tag_name(tag)).count();
        format!("{count} {tag}")
    });
    let words = words(&drawing.svg).join(" | ");
    text + &format!("{}\ncaption: {}\nwords: {words}", counts.join(", "), drawing.caption)
}

#[test]
fn figures_are_drawn_as_the_golden_ones_or_refused_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["moth", "cat", "lamp"] {
        let path = folder.path().join(format!("{name}.png"));
        image::RgbImage::from_pixel(6, 4, image::Rgb([200, 40, 10])).save(path).unwrap();
    }
    hold("plots", |input| told(input, folder.path()));
}

const DOTS: &str = "kind = \"dots\"\nx = \"arm\"\ny = \"score\"\n";

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
    let font = ["/FontFile2", "DejaVuSans-Bold", "/ToUnicode", "/Identity-H"];
    assert_says(&text, &font);
    assert_says(&text, &["/MediaBox [0 0 510."]);
    assert_eq!(pdf, encode(&drawing, Format::Pdf, 300.0, &facts).unwrap());
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
    let columns = "target arm level seed at score fit file curve_step curve_loss";
    let mut table = Table::new(columns.split(' '));
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
    let contrasts = [0, 1].map(|i| {
        let arm = rows[i + 1];
        contrast(&format!("id = 'C{i}'\nbetween = [{{ arm = '{arm}' }}, {{ arm = 'dense' }}]"))
    });
    let contrasts = contrasts.concat();
    let source = Source { table, folder: folder.path().into(), ..Source::default() };
    let labels = format!("labels = {{ C0 = \"{}\", C1 = \"{}\" }}", rows[1], rows[2]);
    let (x, y) = (format!("x_label = \"{axis}\""), format!("y_label = \"{axis}\""));
    for keys in [
        format!("dots'\nx = 'arm'\ny = 'score'\nhorizontal = true\ncounts = 'fit=true'\n{x}"),
        format!("dots'\nx = 'arm'\ny = 'score'\ncounts = 'fit=true'\n{y}"),
        format!("lines'\nx = 'level'\ny = 'score'\nseries = 'arm'\npanel = 'target'\n{x}"),
        format!("scatter'\nx = 'level'\ny = 'score'\nseries = 'arm'\n{x}\n{y}"),
        format!("heatmap'\nx = 'target'\ny = 'arm'\nof = 'score'\n{x}"),
        format!("heatmap'\nx = 'arm'\ny = 'target'\nof = 'score'\n{y}"),
        format!("forest'\n{labels}\n{x}"),
        format!("verdicts'\n{labels}\n{x}"),
        format!("curves'\nseries = 'arm'\npanel = 'arm'\n{x}\n{y}"),
        "pictures'\npicture = 'file'\nx = 'arm'\ny = 'target'".to_string(),
        "pictures'\npicture = 'file'\nx = 'target'\ny = 'arm'".to_string(),
    ] {
        let figure = spec(&format!("width = 'column'\nkind = '{keys}"));
        let drawing = draw(&figure, std::slice::from_ref(&source), &contrasts)
            .unwrap_or_else(|e| panic!("{keys}: {e}"));
        let of_some = keys.contains("counts").then_some("30/36");
        let wanted = rows[1..].iter().copied().chain(keys.contains(axis).then_some(axis));
        let texts = laid(&drawing.svg);
        let all: Vec<&str> = texts.iter().map(|text| text.0.as_str()).collect();
        let all = all.join(" ");
        for wanted in wanted.chain(of_some) {
            assert!(all.contains(wanted), "{keys}: {wanted:?} is not whole in {all:?}");
        }
        for (text, inside) in &texts {
            assert!(inside, "{keys}: {text:?} is not on the page");
        }
        assert!(!all.contains('…'), "{keys}: {all}");
    }
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
    assert!(!words(&dots).contains(&"1.5".to_string()), "{:?}", words(&dots));
}
