//! The families and their scenes, in numbers.

use super::scene::Shape::{Below, Ellipse, Gable, Petals, Rectangle, Rings, Stripes};
use super::scene::{Part, Scene, Shape};
use crate::base::names::names;
use crate::network::{Coords, Picture};
use serde::{Deserialize, Serialize};

/// A family of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Family {
    Boat,
    Clock,
    Face,
    Fish,
    Flower,
    House,
    Lamps,
    Moth,
    Rings,
    Stripes,
    Sun,
    Tree,
}

names! {
    Family, "family of pictures":
    Boat "boat", Clock "clock", Face "face", Fish "fish", Flower "flower", House "house", Lamps "lamps", Moth "moth",
    Rings "rings", Stripes "stripes", Sun "sun", Tree "tree",
}

impl Family {
    /// The meaning of each factor, z1 first.
    pub fn factors(self) -> &'static [&'static str] {
        match self {
            Family::Boat => &["place of the boat", "size of the sail", "height of the sea"],
            Family::Clock => &["size of the face", "length of the hand", "hue of the face"],
            Family::Face => &["distance of the eyes", "height of the mouth"],
            Family::Fish => &["length of the body", "place of the eye"],
            Family::Flower => &["length of the petals", "hue of the heart"],
            Family::House => &["place of the door", "height of the roof"],
            Family::Lamps => &["left lamp", "middle lamp", "right lamp"],
            Family::Moth => &["symmetry of the wings", "place of the spots"],
            Family::Rings => &["density of the rings", "place of their middle"],
            Family::Stripes => &["density across", "density down"],
            Family::Sun => &["place of the sun", "height of the sun", "hue of the sky"],
            Family::Tree => &["height of the trunk", "size of the crown", "hue of the crown"],
        }
    }

    /// The scene at `z`, one value per factor in [−1, 1].
    ///
    /// # Panics
    /// If `z` has another number of values.
    pub fn scene(self, z: &[f64]) -> Scene {
        assert_eq!(z.len(), self.factors().len(), "one value a factor");
        scene(self, z)
    }

    /// (size, size, 3) picture at `z`.
    ///
    /// ```
    /// use picloom_engine::network::{Coords, family::Family};
    ///
    /// let left = Family::Sun.picture(&[-1.0, 0.0, 0.0], 32, Coords::Fer);
    /// let right = Family::Sun.picture(&[1.0, 0.0, 0.0], 32, Coords::Fer);
    /// assert!(left.mse(&right) > 0.01);
    /// ```
    pub fn picture(self, z: &[f64], size: usize, coords: Coords) -> Picture {
        self.scene(z).picture(size, coords)
    }
}

fn part(name: &'static str, shapes: impl Into<Vec<Shape>>, colour: [f64; 3]) -> Part {
    Part { name, shapes: shapes.into(), colour, presence: 1.0 }
}

fn at_presence(z: f64, part: Part) -> Part {
    Part { presence: 0.5 + 0.5 * z, ..part }
}

fn scene(family: Family, z: &[f64]) -> Scene {
    let (a, b, c) = (z[0], z[1], z.get(2).copied().unwrap_or(0.0));
    let (ground, parts) = match family {
        Family::Boat => {
            let (x, sea) = (0.4 * a, 0.35 + 0.15 * c);
            let tall = 0.55 + 0.2 * b;
            let hull = part("hull", [Rectangle([x, sea], [0.3, 0.1])], [0.05, 0.8, 0.5]);
            let sail = part("sail", [Gable([x, sea - 0.1], 0.6 * tall, tall)], [0.0, 0.05, 0.95]);
            ([0.55, 0.3, 0.85], vec![sail, hull, part("sea", [Below(sea)], [0.6, 0.7, 0.5])])
        }
        Family::Clock => {
            let size = 0.65 + 0.2 * a;
            let hand = 0.28 + 0.18 * b;
            let dial = part("dial", [Ellipse([0.0, 0.0], [size; 2])], [0.35 + 0.25 * c, 0.5, 0.9]);
            let hand = part("hand", [Rectangle([0.0, -hand], [0.07, hand])], [0.0, 0.2, 0.15]);
            ([0.1, 0.2, 0.3], vec![dial, hand])
        }
        Family::Face => {
            let apart = 0.3 + 0.12 * a;
            let eyes = [-apart, apart].map(|x| Ellipse([x, -0.2], [0.13, 0.13]));
            let mouth = Ellipse([0.0, 0.38 + 0.14 * b], [0.32, 0.1]);
            let head = part("head", [Ellipse([0.0, 0.0], [0.75, 0.9])], [0.09, 0.45, 0.85]);
            let eyes = part("eyes", eyes, [0.6, 0.7, 0.2]);
            ([0.55, 0.2, 0.4], vec![head, eyes, part("mouth", [mouth], [0.98, 0.75, 0.6])])
        }
        Family::Fish => {
            let long = 0.5 + 0.15 * a;
            let body = part("body", [Ellipse([0.0, 0.0], [long, 0.35])], [0.07, 0.8, 0.9]);
            let tail = part("tail", [Rectangle([0.75, 0.0], [0.12, 0.3])], [0.02, 0.8, 0.7]);
            let eye = [Ellipse([-0.15 + 0.2 * b, -0.05], [0.1, 0.1])];
            ([0.55, 0.6, 0.4], vec![tail, body, part("eye", eye, [0.0, 0.0, 0.1])])
        }
        Family::Flower => {
            let middle = [0.0, -0.15];
            let petals = part("petals", [Petals(middle, 6, 0.6 + 0.15 * a)], [0.9, 0.5, 0.9]);
            let heart = part("heart", [Ellipse(middle, [0.2, 0.2])], [0.15 + 0.12 * b, 0.9, 0.85]);
            let stem = part("stem", [Rectangle([0.0, 0.55], [0.06, 0.45])], [0.33, 0.7, 0.45]);
            ([0.6, 0.15, 0.9], vec![stem, petals, heart])
        }
        Family::House => {
            let wall = part("wall", [Rectangle([0.0, 0.3], [0.55, 0.4])], [0.11, 0.35, 0.9]);
            let roof = part("roof", [Gable([0.0, -0.1], 0.7, 0.5 + 0.2 * b)], [0.0, 0.75, 0.55]);
            let door = [Rectangle([0.32 * a, 0.45], [0.14, 0.25])];
            let lawn = part("lawn", [Below(0.7)], [0.3, 0.6, 0.5]);
            ([0.58, 0.4, 0.85], vec![lawn, wall, roof, part("door", door, [0.07, 0.8, 0.35])])
        }
        Family::Lamps => {
            let lamp = |name, x: f64, hue, z| {
                at_presence(z, part(name, [Ellipse([x, 0.0], [0.22, 0.22])], [hue, 0.9, 1.0]))
            };
            let board = part("board", [Rectangle([0.0, 0.0], [0.9, 0.4])], [0.0, 0.0, 0.2]);
            let lamps = [
                lamp("left lamp", -0.55, 0.0, a),
                lamp("middle lamp", 0.0, 0.15, b),
                lamp("right lamp", 0.55, 0.35, c),
            ];
            ([0.6, 0.2, 0.55], [board].into_iter().chain(lamps).collect())
        }
        Family::Moth => {
            let wing = |x: f64, size: f64| Ellipse([x, -0.05], [0.38 * size, 0.55 * size]);
            let wings = [wing(-0.42, 1.0 + 0.3 * a), wing(0.42, 1.0 - 0.3 * a)];
            let spots = [-0.42, 0.42].map(|x| Ellipse([x, -0.05 + 0.22 * b], [0.12, 0.12]));
            let body = part("body", [Ellipse([0.0, 0.0], [0.1, 0.7])], [0.08, 0.5, 0.3]);
            let wings = part("wings", wings, [0.12, 0.45, 0.85]);
            ([0.65, 0.3, 0.25], vec![wings, part("spots", spots, [0.75, 0.7, 0.5]), body])
        }
        Family::Rings => {
            let rings = part("rings", [Rings([0.35 * b, 0.0], 1.6 + 0.4 * a)], [0.13, 0.7, 0.95]);
            ([0.65, 0.6, 0.4], vec![rings])
        }
        Family::Stripes => {
            let columns = [Stripes { across: true, often: 1.5 + 0.4 * a }];
            let rows = [Stripes { across: false, often: 1.5 + 0.4 * b }];
            let rows = Part { presence: 0.6, ..part("rows", rows, [0.55, 0.7, 0.6]) };
            ([0.1, 0.15, 0.95], vec![part("columns", columns, [0.0, 0.75, 0.75]), rows])
        }
        Family::Sun => {
            let sun = [Ellipse([0.5 * a, 0.4 * b], [0.3, 0.3])];
            ([0.6 + 0.2 * c, 0.5, 0.6], vec![part("sun", sun, [0.13, 0.8, 1.0])])
        }
        Family::Tree => {
            let top = 0.15 - 0.2 * a;
            let crown = [Ellipse([0.0, top - 0.25], [0.45 + 0.13 * b, 0.4 + 0.13 * b])];
            let trunk = [Rectangle([0.0, (top + 0.8) / 2.0], [0.1, (0.8 - top) / 2.0])];
            let lawn = part("lawn", [Below(0.75)], [0.2, 0.5, 0.5]);
            let trunk = part("trunk", trunk, [0.08, 0.7, 0.35]);
            let crown = part("crown", crown, [0.25 + 0.12 * c, 0.75, 0.55]);
            ([0.55, 0.3, 0.9], vec![lawn, trunk, crown])
        }
    };
    Scene { ground, parts }
}
