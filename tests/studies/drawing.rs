//! The means of drawing figures: axes, fonts, sheets, cards, pages.

use picloom::figures::axis::Axis;
use picloom::figures::charts::{Point, Series, Spread};
use picloom::figures::fonts::{BOLD, FACE, REGULAR, ellipsized, text_width, wrapped};
use picloom::figures::html::{Page, Section};
use picloom::figures::losses::thinned;
use picloom::figures::plot::geometric_mean;
use picloom::figures::sheets::{Block, Pane, Sheet, mosaic};
use picloom::figures::style::{ARMS, PALETTE};
use picloom::figures::svg::{escaped, n};
use picloom::figures::{Colour, Marker, arm};
use picloom::network::Picture;
use picloom::page::sugiyama::layout;
use picloom::train::LogLine;
use std::sync::Arc;

#[test]
fn a_range_of_no_width_is_padded_and_nan_is_left_out() {
    for values in [&[3.0, 3.0][..], &[0.0], &[f64::NAN, -2.0], &[], &[f64::NAN]] {
        for axis in [Axis::new(""), Axis::new("").log(), Axis::new("").whole()] {
            let laid = axis.over(values.iter().copied(), 5.0);
            assert!(laid.high > laid.low, "{values:?} {laid:?}");
            assert!(laid.low.is_finite() && laid.high.is_finite());
            assert!(laid.labels().count() >= 2, "{values:?} {laid:?}");
        }
    }
}

#[test]
fn log_axes_end_on_decades() {
    let laid = Axis::new("").log().over([3e-4, 0.2, -1.0, f64::NAN], 10.0);
    assert_eq!((laid.low, laid.high), (-4.0, 0.0));
    assert_eq!(laid.labels().collect::<Vec<_>>(), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
    let one = Axis::new("").log().over([100.0], 10.0);
    assert_eq!((one.low, one.high), (1.0, 3.0));
    let short = Axis::new("").log().over([0.011, 0.15], 10.0);
    assert!(short.low > -2.1 && short.high < -0.75, "{short:?}");
    assert_eq!(short.labels().collect::<Vec<_>>(), ["0.01", "0.02", "0.05", "0.1"]);
    assert_eq!(laid.place(0.0), None);
    // Little room: one decade among the ticks is not enough to read a scale by.
    let narrow = Axis::new("").log().over([130.0, 4000.0], 3.9);
    assert!(narrow.labels().count() >= 2, "{narrow:?}");
}

#[test]
fn every_log_axis_has_two_ticks_however_short_it_is_and_little_its_room() {
    for low in [1e-9, 3.3e-4, 0.021, 0.11, 0.201, 1.0, 7.3, 4096.0] {
        for times in [1.0, 1.04, 1.3, 1.9, 2.4, 4.0, 9.0, 30.0, 80.0, 1e5] {
            for count in [0.3, 1.0, 2.5, 6.0, 14.0] {
                let laid = Axis::new("").log().over([low, low * times], count);
                let labels: Vec<&str> = laid.labels().collect();
                assert!(labels.len() >= 2, "{low} × {times}, {count}: {laid:?}");
                assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
                let ends = laid.low - 1e-6..=laid.high + 1e-6;
                assert!(laid.ticks.iter().all(|t| ends.contains(&t.0)), "{laid:?}");
            }
        }
    }
}

#[test]
fn widths_are_those_in_the_font_file() {
    // hmtx of DejaVu Sans: M 1767, i 569 of 2048 units an em.
    let close = |text: &str, units: f64| {
        let width = text_width(text, 100.0, false);
        assert!((width - units / 20.48).abs() < 0.1, "{text}: {width}");
    };
    close("M", 1767.0);
    close("MiM", 1767.0 + 569.0 + 1767.0);
    close("", 0.0);
}

#[test]
fn the_subset_covers_what_figures_write() {
    let text = "AZaz09~ éßØ αΩμσ −×±≤≥·…→²³⁻¹⁰₁₂ “”‘’–—†‡•′″ √∞≈≠∑∏∂∇∈⌊⌋ ▲▼◆●○✓✗ \u{202f}\u{a0}";
    for bytes in [REGULAR, BOLD] {
        let face = resvg::usvg::fontdb::Source::Binary(Arc::new(bytes.to_vec()));
        let mut database = resvg::usvg::fontdb::Database::new();
        let id = database.load_font_source(face)[0];
        assert_eq!(database.face(id).unwrap().families[0].0, FACE);
        assert!(bytes.len() <= 80 * 1024);
    }
    let missing = text_width("\u{e000}", 100.0, false);
    for c in text.chars() {
        // `.notdef` is 1229 units wide; nothing we write has exactly that width.
        let width = text_width(&c.to_string(), 100.0, false);
        assert!((width - missing).abs() > 1e-6, "{c:?} is not in the subset");
    }
}

#[test]
fn text_is_cut_and_wrapped_to_width() {
    let text = "evolved layers, retrained from random weights";
    for line in wrapped(text, 12.0, false, 120.0, 3) {
        assert!(text_width(&line, 12.0, false) <= 120.0, "{line}");
    }
    assert_eq!(wrapped(text, 12.0, false, 120.0, 2).len(), 2);
    assert!(wrapped(text, 12.0, false, 120.0, 2)[1].ends_with('…'));
    assert_eq!(wrapped("a b", 12.0, false, 500.0, 2), ["a b"]);
    assert_eq!(wrapped("magnitude-pruned", 12.0, false, 80.0, 2), ["magnitude-", "pruned"]);
    assert!(wrapped("", 12.0, false, 500.0, 2).is_empty());
    assert_eq!(ellipsized(text, 12.0, false, 0.0), "…");
}

#[test]
fn arms_have_their_own_key_and_no_two_series_share_a_colour() {
    for (i, a) in ARMS.iter().enumerate() {
        assert_eq!(arm(a.key), Some((i, a)));
        let others = ARMS[..i].iter().map(|arm| arm.colour).chain(PALETTE.iter().copied());
        assert!(others.into_iter().all(|colour| colour != a.colour), "{}", a.key);
    }
    assert!((0..PALETTE.len()).all(|i| !PALETTE[..i].contains(&PALETTE[i])));
    assert_eq!(arm("no such arm"), None);
}

#[test]
fn coordinates_are_short_and_never_nan() {
    assert_eq!(n(12.0), "12");
    assert_eq!(n(-0.001), "0");
    assert_eq!(n(1.256), "1.26");
    assert_eq!(n(100.0), "100");
    assert_eq!(n(f64::NAN), "0");
}

#[test]
fn markup_in_text_is_escaped() {
    assert_eq!(
        escaped("<a href='x'>\"&\u{1}\u{9b}\u{202e}]]>"),
        "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\u{fffd}\u{fffd}\u{fffd}]]&gt;"
    );
}

#[test]
fn crossed_links_are_uncrossed_and_run_straight() {
    // 0, 1 | 2, 3 with 0 → 3 and 1 → 2.
    let out = layout(&[0, 0, 1, 1], &[true; 4], &[(0, 3), (1, 2)], (10.0, 4.0));
    assert_eq!((out.y[0] < out.y[1]), (out.y[3] < out.y[2]));
    assert!((out.y[0] - out.y[3]).abs() < 1e-9);
    assert_eq!(out.height, 20.0);
}

#[test]
fn a_link_that_passes_a_layer_bends_beside_its_units() {
    let out = layout(&[0, 1, 2], &[true; 3], &[(0, 1), (1, 2), (0, 2)], (10.0, 4.0));
    let (layer, y) = out.bends[2][0];
    assert_eq!(layer, 1);
    assert!((y - out.y[1]).abs() >= 7.0 - 1e-9);
    assert!(out.bends[0].is_empty());
}

#[test]
fn what_does_not_count_is_hollow_and_has_no_interval() {
    let estimates = [
        (1.0, Point::value(0.5).between(0.4, 0.6).seeds([0.4, 0.6])),
        (2.0, Point::value(0.7).between(0.6, 0.8).hollow(true)),
        (3.0, Point::value(0.9).seeds([0.8, 1.0])),
    ];
    let look = || ("arm".to_string(), Colour(0, 0, 0), Marker::Circle);
    let points = Series::course(look(), estimates.clone(), Spread::Band).points;
    assert_eq!((points[0].y_interval, points[0].seeds.len()), (Some((0.4, 0.6)), 0));
    assert_eq!((points[1].y_interval, points[1].hollow), (None, true));
    // Too few values for an interval: the values themselves.
    assert_eq!(points[2].seeds, [0.8, 1.0]);
    let bare = Series::course(look(), estimates, Spread::None).points;
    assert!(bare.iter().all(|p| p.y_interval.is_none() && p.seeds.is_empty()));
}

#[test]
fn a_mosaic_has_its_pictures_where_they_belong() {
    let red = Picture::filled(4, 4, [1.0, 0.0, 0.0]);
    let sheet = Sheet {
        blocks: vec![Block::of_panes(
            "",
            &[
                Pane::new(red.clone(), ""),
                Pane::new(red.clone(), "").bordered(Colour(0, 0, 255)),
                Pane::new(red, ""),
            ],
            2,
        )],
        pane: 10,
        ..Sheet::default()
    };
    let picture = mosaic(&sheet);
    assert_eq!((picture.width, picture.height), (34, 34));
    assert_eq!(picture.at(4, 4), [1.0, 0.0, 0.0]);
    assert_eq!(picture.at(3, 4), [1.0, 1.0, 1.0]);
    assert_eq!(picture.at(3, 20), [0.0, 0.0, 1.0]);
    assert_eq!(picture.at(20, 20), [1.0, 1.0, 1.0]);
    assert_eq!(picture.at(29, 13), [1.0, 0.0, 0.0]);
}

#[test]
fn inline_marks_are_understood_and_everything_else_is_escaped() {
    for (text, wanted) in [
        (
            "a `x<y` **b & `c`** [d](#e) * 2 < 3",
            "a <code>x&lt;y</code> <b>b &amp; <code>c</code></b> <a href=\"#e\">d</a> * 2 &lt; 3",
        ),
        (
            "[out](http://x) <script>alert('`')</script>",
            "[out](http://x) &lt;script&gt;alert('`')&lt;/script&gt;",
        ),
        ("[a](#\"><b>)", "<a href=\"#&quot;&gt;&lt;b&gt;\">a</a>"),
        ("unclosed ` and ** and [ é", "unclosed ` and ** and [ é"),
    ] {
        let html = Page::new("t", "").section(Section::new("s").paragraph(text)).render();
        assert!(html.contains(&format!("<p>{wanted}</p>")), "{text}: {html}");
    }
}

#[test]
fn sections_get_ids_of_their_own() {
    let page = Page::new("t", "")
        .section(Section::new("What, then?"))
        .section(Section::new("What then"))
        .section(Section::new("∑"));
    let html = page.render();
    let at = ["what-then", "what-then-2", "section"]
        .map(|id| html.find(&format!("<h2 id=\"{id}\">")).unwrap_or_else(|| panic!("{id}")));
    assert!(at.is_sorted());
}

#[test]
fn long_runs_are_thinned_to_their_geometric_mean_and_old_attempts_left_out() {
    let line = |attempt, step, loss| LogLine {
        attempt,
        step,
        loss,
        grad_norm: 1.0,
        lr: 1e-3,
        evaluations: 0,
        seconds: 0.0,
    };
    let lines =
        [line(0, 0, 9.0), line(1, 0, 1.0), line(1, 10, 0.01), line(1, 20, 4.0), line(1, 30, 1.0)];
    let points = thinned(&lines, 2);
    assert_eq!(points.len(), 2);
    assert!((points[0].0 - 5.0).abs() < 1e-12 && (points[0].1 - 0.1).abs() < 1e-12);
    assert!((points[1].1 - 2.0).abs() < 1e-12);
}

#[test]
fn curves_are_averaged_geometrically_and_a_short_one_stays_at_its_last_loss() {
    let curve = |x: &[u64], loss: &[f64]| -> Vec<(u64, f64)> {
        x.iter().copied().zip(loss.iter().copied()).collect()
    };
    for (short, long, mean) in
        [(&[0, 1], &[0, 1, 2], [2.0, 6.0, 2.0]), (&[0, 3], &[0, 2, 5], [2.0, 3.0, 2.0])]
    {
        let found = geometric_mean(&[curve(short, &[1.0, 4.0]), curve(long, &[4.0, 9.0, 1.0])]);
        assert_eq!(found.len(), 3);
        for ((f, x), y) in found.iter().zip(long).zip(mean) {
            assert!(f.0 == *x as f64 && (f.1 - y).abs() < 1e-12, "{f:?}: {x}, {y}");
        }
    }
    // The longest in steps, however many points another has.
    let found = geometric_mean(&[curve(&[0, 1, 2], &[1.0; 3]), curve(&[0, 9], &[4.0; 2])]);
    assert_eq!(found.iter().map(|point| point.0).collect::<Vec<_>>(), [0.0, 9.0]);
    // From where they begin on average, the latest one's first loss until it begins.
    let found = geometric_mean(&[curve(&[0, 2, 4], &[1.0; 3]), curve(&[8, 12], &[4.0, 9.0])]);
    assert_eq!(found.iter().map(|point| point.0).collect::<Vec<_>>(), [4.0, 8.0, 12.0]);
    assert!((found[0].1 - 2.0).abs() < 1e-12 && (found[2].1 - 3.0).abs() < 1e-12);
    assert!(geometric_mean(&[]).is_empty());
}
