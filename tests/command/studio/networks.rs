//! Looking inside: the numbers and pixels of the library, through HTTP.

use super::client::{root, serve, studio};
use crate::cases::cases;
use crate::line::list;
use picloom::figures::sheets::signed_picture;
use picloom::genome::{self, Composed, Palette, to_json};
use picloom::network::export::live_glsl;
use picloom::network::kernel::render;
use picloom::network::{Coords, Frame, Model, Picture, PixelInputs, Wiring};
use picloom::probe::{Change, View};
use std::path::Path;

fn model(name: &str, wiring: Wiring) -> Model {
    Model::of_genome(&genome::read(&Path::new("genomes").join(name)).unwrap(), wiring)
}

fn rgba(picture: &Picture) -> Vec<u8> {
    picture.to_bytes().chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect()
}

cases! {
    networks:
    a_dropped_file_is_kept_if_it_is_what_it_says,
    what_cannot_be_read_is_told_and_hides_nothing_else,
    hostile_names_stay_text,
}

#[test]
fn the_page_is_told_the_very_network_and_is_sent_the_librarys_own_pixels() {
    let (_root, served) = studio();
    for wiring in [Wiring::Graph, Wiring::Layerized, Wiring::Dense] {
        let model = model("bred_moth.json", wiring);
        let told = served.json(&format!("/api/network?id=genomes/bred_moth.json&wiring={wiring}"));
        assert_eq!(list(&told["units"]).len(), model.network.units.len());
        let links = list(&told["links"]);
        assert_eq!(links.len(), model.weights.0.len());
        for (i, link) in links.iter().enumerate() {
            assert_eq!(link["source"], model.network.links[i].source);
            assert_eq!(link["target"], model.network.links[i].target);
            // The number reads back to the same bits.
            let weight: f32 = link["weight"].to_string().parse().unwrap();
            assert_eq!(weight.to_bits(), model.weights.0[i].to_bits());
        }
        // What is drawn stands on the drawing, and no unit lies over another.
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let (width, height) = (number(&told["width"]), number(&told["height"]));
        let side = number(&told["side"]);
        let places = list(&told["units"]).iter().filter(|unit| !unit["at"].is_null());
        let places: Vec<[f64; 2]> =
            places.map(|unit| [0, 1].map(|i| number(&unit["at"][i]))).collect();
        for (i, &[x, y]) in places.iter().enumerate() {
            assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{x}, {y}");
            let apart = |[a, b]: &[f64; 2]| (x - a).abs() > side || (y - b).abs() > side;
            assert!(places[..i].iter().all(apart), "{wiring}: a unit over another at {x}, {y}");
        }
        let shader = live_glsl(&model, Coords::Fer, Palette::Free);
        assert_eq!(told["shader"].as_str(), shader.as_deref());
    }
    let skull = model("bred_skull.json", Wiring::Graph);
    let at = |more: &str| {
        served.get(&format!("/api/picture?id=genomes/bred_skull.json&raw=1{more}")).ok().body
    };
    let drawn = skull.picture(64, Coords::Fer);
    assert_eq!(at("&size=64"), rgba(&drawn));
    assert_eq!(at("&size=64&frame=-1,-1,2,2"), rgba(&drawn));
    let view = View::new(&skull, 64, Coords::Fer);
    let set = [Change::To { link: 2, value: -1.25 }, Change::To { link: 0, value: 0.5 }];
    assert_eq!(at("&size=64&set=2:-1.25,0:0.5"), rgba(view.painter().draw_all(set)));
    let frame = Frame { x: 0.25, y: -3.0, width: 0.5, height: 6.0 };
    let rgb = render(&skull.network, &skull.weights, &PixelInputs::framed(32, Coords::Fer, frame));
    let zoomed = Picture { width: 32, height: 32, rgb };
    assert_eq!(at("&size=32&frame=0.25,-3,0.5,6"), rgba(&zoomed));

    let maps = served.get("/api/maps?id=genomes/bred_skull.json&size=16&raw=1").ok();
    let columns: usize = maps.header("x-columns").unwrap().parse().unwrap();
    let values = skull.maps(16, Coords::Fer);
    for unit in 0..values.units {
        let map = rgba(&signed_picture(values.unit(unit), 16));
        for row in 0..16 {
            let at = 4 * ((unit / columns * 16 + row) * columns * 16 + unit % columns * 16);
            assert_eq!(maps.body[at..at + 64], map[64 * row..64 * (row + 1)], "unit {unit}");
        }
    }
    let png = served.get("/api/download?id=genomes/bred_moth.json&size=96").ok();
    assert!(png.header("content-disposition").unwrap().contains("bred_moth-96.png"));
    assert_eq!(&png.body[1..4], b"PNG");
    assert_eq!(&served.get("/api/thumb?id=genomes/mask.json").ok().body[1..4], b"PNG");
    let genome = served.get("/api/genome?id=genomes/mask.json").ok().text();
    assert_eq!(genome, std::fs::read_to_string("genomes/mask.json").unwrap());
}

#[test]
fn pages_are_sent_once() {
    let (_root, served) = studio();
    let page = served.get("/main.js").ok();
    let tag = page.header("etag").unwrap().to_string();
    let again = served.request("GET /main.js", &format!("if-none-match: {tag}\r\n"), b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn a_network_with_factors_is_drawn_where_they_have_the_values_that_are_asked_for() {
    let root = root();
    let genome = Composed::Face.conditional(1);
    root.write("genomes/family.json", to_json(&genome));
    let served = serve(root.path());
    let told = served.network("genomes/family.json");
    assert_eq!(list(&told["inputs"]).len(), 6);
    assert_eq!(told["at"], serde_json::json!([0.0, 0.0]));
    let model = Model::of_genome(&genome, Wiring::Graph);
    let at = |more: &str| {
        served.get(&format!("/api/picture?id=genomes/family.json&size=32&raw=1{more}")).ok().body
    };
    let under = |z: [f64; 2]| {
        let inputs = PixelInputs::full(32, Coords::Fer).under(&[z.to_vec()]);
        let rgb = render(&model.network, &model.weights, &inputs);
        rgba(&Picture { width: 32, height: 32, rgb })
    };
    assert_eq!(at(""), under([0.0, 0.0]));
    assert_eq!(at("&at=0.5,-1"), under([0.5, -1.0]));
    assert_ne!(at("&at=0.5,-1"), at(""));
    let still = served.get("/api/maps?id=genomes/family.json&size=16&raw=1").ok().body;
    let moved = served.get("/api/maps?id=genomes/family.json&size=16&raw=1&at=0.5,-1").ok().body;
    assert_ne!(still, moved);
}
