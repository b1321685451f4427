//! Pictures and films from the studio: every size and format of the command, and refused before they begin.

use super::client::studio;
use crate::prints::{drawn, moth};
use picloom::network::{Canvas, Coords, Point, Size};
use serde_json::json;

const MOTH: &str = "/api/download?id=genomes/bred_moth.json";

#[test]
fn a_picture_is_saved_in_any_size_and_format() {
    let (_root, served) = studio();
    let mut model = moth();
    model.weights.0[2] = -1.25;
    let canvas = Canvas {
        center: Point { x: 0.5, y: -0.25 },
        zoom: 2.0,
        samples: 2,
        ..Canvas::whole(Size { width: 90, height: 60 }, Coords::Fer)
    };
    let expected = drawn(&model, canvas).to_bytes();
    let query = "size=90x60&set=2:-1.25&frame=0,-0.75,1,1&samples=2";
    let png = served.get(&format!("{MOTH}&{query}")).ok();
    assert!(png.header("content-disposition").unwrap().contains("bred_moth-90x60.png"));
    assert_eq!(png.header("content-type"), Some("image/png"));
    assert_eq!(image::load_from_memory(&png.body).unwrap().to_rgb8().into_raw(), expected);
    let tiff = served.get(&format!("{MOTH}&{query}&format=tiff")).ok();
    assert!(tiff.body.ends_with(&expected) && tiff.body.starts_with(b"MM"));
    let fine = served.get(&format!("{MOTH}&{query}&format=tiff&bits=16")).ok();
    assert!(fine.body.len() > 2 * expected.len());
    let jpeg = served.get(&format!("{MOTH}&size=1200x300&format=jpeg")).ok();
    assert_eq!(image::load_from_memory(&jpeg.body).unwrap().width(), 1200);
}

#[test]
fn what_is_too_large_is_said_before_anything_is_saved() {
    let (_root, served) = studio();
    let limits = served.json("/api/saves?id=genomes/bred_moth.json");
    assert_eq!(limits["side"], 32_768);
    assert!(limits["pixels"].as_u64().unwrap() >= 1 << 30, "{limits}");
    let checked = served.get(&format!("{MOTH}&size=32768&check=1")).ok();
    assert_eq!(checked.json(), json!(null));
}

#[test]
fn a_film_is_saved_of_a_weight_and_of_a_lineage() {
    let (_root, served) = studio();
    let film = "/api/film?size=32&seconds=0.4";
    let weight = served.get(&format!("{film}&id=genomes/bred_moth.json&link=3&from=-1&to=2")).ok();
    assert!(weight.body.starts_with(b"GIF89a"), "{:?}", &weight.body[..8]);
    assert_eq!(weight.header("content-type"), Some("image/gif"));
    let own =
        served.get(&format!("{film}&id=genomes/bred_moth.json&link=3&format=apng&back=1")).ok();
    let reader = png::Decoder::new(std::io::Cursor::new(&own.body)).read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 18);
    let session = json!({ "name": "line", "seed": 5 });
    let begun = served.made("/api/sessions", &session);
    let choice = json!({ "version": begun["version"], "at": 0, "chosen": [4] });
    served.post("/api/sessions/line/breed", &choice).ok();
    let id = "studio/sessions/line.toml";
    let line = served.get(&format!("{film}&id={id}/1/9")).ok();
    assert!(line.body.starts_with(b"GIF89a"));
    // From one picture to another.
    let moth = format!("{film}&id=genomes/bred_moth.json");
    let morph = served.get(&format!("{moth}&with=genomes/bred_skull.json")).ok();
    assert!(morph.body.starts_with(b"GIF89a") && morph.body != line.body);
    served.get(&format!("{moth}&with=genomes/none.json")).refused(404, "found none");
}
