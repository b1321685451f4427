//! The toolkit of figures: nothing is broken by odd data, and files are whole. What charts show is
//! `tests/rooms/plots.rs`'s to say.

use crate::hostile::without_script;
use picloom::figures::axis::Axis;
use picloom::figures::charts::{Dots, Figure, Group, Heat, Panel, Point, Rule, Series};
use picloom::figures::files::{SaveError, svg_to_rgb, with_metadata};
use picloom::figures::html::{Kind, Page, Section, Shot, Table, Tile};
use picloom::figures::sheets::{Block, Pane, Sheet};
use picloom::figures::style::colour;
use picloom::figures::{Marker, Provenance, save, svg_to_png};
use picloom::network::Picture;

fn one(panel: Panel) -> String {
    Figure::new("").draw(&[panel])
}

fn with_points(points: Vec<Point>, log: bool) -> String {
    let axis = |name: &str| {
        let axis = Axis::new(name);
        if log { axis.log() } else { axis }
    };
    let series = Series { points, ..Series::line("s", colour(0), []).marked(Marker::Circle) };
    one(Panel::new("odd data", axis("x"), axis("y"), vec![series]))
}

#[test]
fn charts_without_data_say_so() {
    for svg in [
        one(Panel::default()),
        with_points(vec![], false),
        with_points(vec![Point::new(f64::NAN, f64::NAN)], false),
        with_points(vec![Point::new(-1.0, 0.0)], true),
        one(Dots::default().panel()),
        one(Heat::default().panel("", "", "")),
        Figure::new("").draw(&[]),
    ] {
        assert!(svg.contains("no data"));
        svg_to_png(&svg, 1.0, &Provenance::none()).unwrap();
    }
    assert!(Sheet::default().draw().contains("no pictures"));
}

#[test]
fn odd_values_never_reach_the_file() {
    let odd =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e-300, -1e300, 1e300, 5.0, 5.0];
    let points = |scale: f64| -> Vec<Point> {
        let mut all = Vec::new();
        for &x in &odd {
            for &y in &odd {
                all.push(Point::new(x, y * scale).between(y - 1.0, f64::NAN).label("p"));
            }
        }
        all
    };
    for log in [false, true] {
        for scale in [1.0, 1e-5, 0.0] {
            let svg = with_points(points(scale), log);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{log} {scale}");
            svg_to_png(&svg, 0.5, &Provenance::none()).unwrap();
        }
        let same = with_points(vec![Point::new(5.0, 5.0); 3], log);
        assert!(!same.contains("NaN") && !same.contains("no data"));
    }
    let group = |value: f64| Group {
        name: "g".into(),
        estimates: vec![Some(Point::value(value).between(f64::NAN, value)), None],
    };
    for lying in [false, true] {
        for bars in [false, true] {
            let groups = odd.iter().map(|&v| group(v)).collect();
            let svg = one(Dots { groups, lying, bars, ..Dots::default() }.panel());
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}

#[test]
fn a_line_is_cut_at_a_fixed_range() {
    let (x, y) = (Axis::new("x").range(0.0, 1.0), Axis::new("y").range(0.0, 1.0));
    let series = Series::line("s", colour(0), [(-1.0, 0.5), (2.0, 0.5)]);
    let svg = one(Panel::new("", x, y, vec![series]));
    let stroke = format!("stroke=\"{}\"", colour(0).hex().to_uppercase());
    let line = svg.lines().find(|l| l.contains(&stroke)).unwrap();
    let points = line.split("points=\"").nth(1).unwrap();
    let points = points.split('"').next().unwrap();
    let xs: Vec<f64> = points.split([',', ' ']).step_by(2).filter_map(|x| x.parse().ok()).collect();
    assert_eq!(xs.len(), 2, "{line}");
    assert!(xs[0] > 0.0 && xs[1] < 8600.0 && xs[0] < xs[1], "{xs:?}");
}

#[test]
fn every_text_is_escaped() {
    let evil = "</text><script>alert(1)</script>&\"'";
    let svg = Figure::new(evil).subtitle(evil).note(evil).draw(&[Panel {
        title: evil.into(),
        x: Axis::new(evil),
        y: Axis::new(evil),
        series: vec![
            Series::cloud(evil, colour(0), Marker::Cross, [Point::new(1.0, 1.0).label(evil)]),
            Series::line(evil, colour(1), [(0.0, 0.0), (1.0, 2.0)]),
        ],
        x_rules: vec![Rule::new(0.5, evil)],
        ..Panel::default()
    }]);
    let sheet = Sheet {
        title: evil.into(),
        blocks: vec![Block::of_panes(evil, &[Pane::new(Picture::filled(2, 2, [0.5; 3]), evil)], 1)],
        ..Sheet::default()
    }
    .draw();
    let page = Page::new(evil, evil)
        .fact(evil, evil)
        .footer(evil)
        .section(
            Section::new(evil)
                .heading(evil)
                .paragraph(evil)
                .list([evil])
                .figure("<svg></svg>", evil)
                .pictures(
                    [Shot::new(&Picture::filled(2, 2, [0.5; 3]), evil).second_line(evil)],
                    64,
                    evil,
                )
                .tiles([Tile {
                    value: evil.into(),
                    what: evil.into(),
                    more: evil.into(),
                    tone: None,
                    means: "score",
                }])
                .callout(Kind::Bad, evil, evil)
                .code(evil)
                .details(evil, Section::new("").paragraph(evil))
                .table(Table {
                    caption: evil.into(),
                    headers: vec![evil.into()],
                    rows: vec![vec![evil.into()]],
                    ..Table::default()
                }),
        )
        .render();
    let provenance = Provenance::none().with("command", evil);
    let page = without_script(&page);
    for text in [&svg, &sheet, &page, &with_metadata(&svg, &provenance)] {
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains("</text><"));
    }
    roxmltree::Document::parse(&svg).unwrap();
    roxmltree::Document::parse(&sheet).unwrap();
    roxmltree::Document::parse(&with_metadata(&svg, &provenance)).unwrap();
}

#[test]
fn saved_files_carry_their_provenance_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b/figure 0.5");
    let provenance = Provenance::none()
        .with("command", "picloom figures é <1>")
        .with("", "dropped")
        .with("seed", 7);
    let (svg_path, png_path) = save(&one(Panel::default()), &path, &provenance).unwrap();
    assert_eq!(svg_path, folder.path().join("a.b/figure 0.5.svg"));
    let svg = std::fs::read_to_string(svg_path).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let metadata = document
        .descendants()
        .find(|n| n.has_tag_name(("http://www.w3.org/2000/svg", "metadata")))
        .unwrap();
    assert_eq!(metadata.text().unwrap().trim(), "command: picloom figures é <1>\nseed: 7");
    let file = std::io::BufReader::new(std::fs::File::open(&png_path).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    let info = reader.info();
    assert_eq!((info.width, info.height), (1720, 1120));
    let texts: Vec<(String, String)> =
        info.utf8_text.iter().map(|t| (t.keyword.clone(), t.get_text().unwrap())).collect();
    assert_eq!(
        texts,
        [("command".into(), "picloom figures é <1>".into()), ("seed".to_string(), "7".to_string())]
    );
    let left: Vec<_> = std::fs::read_dir(folder.path().join("a.b")).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing but the two files");
}

#[test]
fn what_cannot_be_saved_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let error = save("no svg", &folder.path().join("x"), &Provenance::none()).unwrap_err();
    let SaveError::Draw { path, .. } = error else { panic!("{error}") };
    assert_eq!(path, folder.path().join("x.png"));
    assert!(!folder.path().join("x.svg").exists());
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = save(&one(Panel::default()), &folder.path().join("file/x"), &Provenance::none());
    let error = error.unwrap_err();
    let SaveError::Write(error) = error else { panic!("{error}") };
    assert!(error.path.starts_with(folder.path().join("file")), "{error}");
}

#[test]
fn no_picture_depends_on_fonts_of_the_system() {
    // The words of a chart are drawn by resvg from the embedded font: ink appears where they stand.
    let svg = Figure::new("Words").sized(400, 300).draw(&[]);
    let (width, _, rgb) = svg_to_rgb(&svg, 1.0).unwrap();
    let dark = (18..40)
        .flat_map(|y| (18..90).map(move |x| 3 * (y * width + x)))
        .filter(|&i| rgb[i] < 100)
        .count();
    assert!(dark > 100, "{dark} dark pixels where the title should be");
}
