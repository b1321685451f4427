//! Palettes: the few colours that a genome's picture is drawn in.
//!
//! A network draws hue, saturation and brightness. A palette puts a circle of its own colours in the place of
//! HSV's hues `[ours]`: a pixel is v·(1 − s·(1 − c(h))), where c(h) lies between two neighbouring colours of the
//! palette, the last beside the first. It acts on the finished picture: network and training know nothing of it.
//! A picture in grey stays as it is.

use crate::base::names::did_you_mean;
use crate::base::refusal::Refusal;
use crate::base::settings::text_in_files;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The colours of a picture: in files, on the command line and in links a name, or 2 to 8 colours of one's own as
/// `RRGGBB,RRGGBB,…`.
///
/// ```
/// use picloom_engine::genome::Palette;
/// // Pure red is hue 0, a palette's first colour; grey is nobody's.
/// assert_eq!(Palette::Candy.colour([1.0, 0.0, 0.0]).map(|c| (255.0 * c).round()), [255.0, 190.0, 11.0]);
/// assert_eq!(Palette::Candy.colour([0.5; 3]), [0.5; 3]);
/// assert_eq!(Palette::Free.colour([0.1, 0.2, 0.3]), [0.1, 0.2, 0.3]);
/// let own: Palette = "#ff8000,#0040ff".parse()?;
/// assert_eq!(own.colour([1.0, 0.0, 0.0]).map(|c| (255.0 * c).round()), [255.0, 128.0, 0.0]);
/// assert_eq!(own.to_string(), "ff8000,0040ff");
/// # Ok::<(), picloom_engine::base::refusal::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Palette {
    /// Every colour, as the network draws it.
    #[default]
    Free,
    /// Yellow, orange, red and a deep red.
    Ember,
    /// Sand, aqua, blue and navy.
    Ocean,
    /// Straw, moss, green and bark.
    Forest,
    /// Peach, rose, mauve and slate.
    Dusk,
    /// Five bright colours, yellow to blue.
    Candy,
    /// Colours of one's own.
    Own(Circle),
}

/// Colours around the circle of hues, 2 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle {
    count: usize,
    colours: [[u8; 3]; MOST],
}

/// Most colours of one's own.
const MOST: usize = 8;

/// The palettes that have a name.
const NAMED: [(&str, Palette); 6] = [
    ("free", Palette::Free),
    ("ember", Palette::Ember),
    ("ocean", Palette::Ocean),
    ("forest", Palette::Forest),
    ("dusk", Palette::Dusk),
    ("candy", Palette::Candy),
];

text_in_files!(Palette);
crate::base::settings::texts!(Palette);

impl FromStr for Palette {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        if let Some((_, palette)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*palette);
        }
        let refuse = || {
            let names = NAMED.map(|(name, _)| name);
            let found = format!("{text:?}{}", did_you_mean(text, names));
            let expected = format!("{} or 2 to {MOST} colours, RRGGBB,RRGGBB", names.join(", "));
            Refusal::new("", expected, found)
        };
        let channel = |hex: &str, at| hex.get(at..at + 2).map(|two| u8::from_str_radix(two, 16));
        let colour = |word: &str| -> Option<[u8; 3]> {
            let hex = word.trim().trim_start_matches('#');
            let is_hex = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            let channels = [0, 2, 4].map(|at| channel(hex, at)?.ok());
            let [Some(red), Some(green), Some(blue)] = channels else { return None };
            is_hex.then_some([red, green, blue])
        };
        let found: Option<Vec<[u8; 3]>> = text.split(',').map(colour).collect();
        let found = found.filter(|all| (2..=MOST).contains(&all.len())).ok_or_else(refuse)?;
        let mut colours = [[0; 3]; MOST];
        colours[..found.len()].copy_from_slice(&found);
        Ok(Palette::Own(Circle { count: found.len(), colours }))
    }
}

impl fmt::Display for Palette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, palette)| palette == self) {
            return f.write_str(name);
        }
        let hex = self.colours().iter().map(|[r, g, b]| format!("{r:02x}{g:02x}{b:02x}"));
        f.write_str(&hex.collect::<Vec<String>>().join(","))
    }
}

impl Palette {
    /// True if every colour stays as the network draws it.
    pub fn is_free(&self) -> bool {
        *self == Palette::Free
    }

    /// Its colours around the circle of hues, from hue 0; empty for [`Palette::Free`].
    pub(crate) fn colours(&self) -> &[[u8; 3]] {
        match self {
            Palette::Free => &[],
            Palette::Ember => &[[255, 209, 102], [247, 127, 0], [214, 40, 40], [106, 4, 15]],
            Palette::Ocean => &[[244, 227, 193], [72, 202, 228], [0, 119, 182], [3, 4, 94]],
            Palette::Forest => &[[233, 216, 166], [163, 177, 138], [58, 120, 72], [127, 79, 36]],
            Palette::Dusk => &[[255, 205, 178], [229, 120, 140], [141, 91, 150], [53, 80, 112]],
            Palette::Candy => {
                &[[255, 190, 11], [251, 86, 7], [255, 0, 110], [131, 56, 236], [58, 134, 255]]
            }
            Palette::Own(circle) => &circle.colours[..circle.count],
        }
    }

    /// A colour in this palette; channels in [0, 1].
    pub fn colour(&self, rgb: [f32; 3]) -> [f32; 3] {
        let circle = self.colours();
        let [r, g, b] = rgb;
        let value = r.max(g).max(b);
        let chroma = value - r.min(g).min(b);
        if circle.is_empty() || chroma <= 0.0 {
            return rgb;
        }
        // Hue in sixths of the circle, 0 to 6.
        let sixths = if value == r {
            (g - b) / chroma + if g < b { 6.0 } else { 0.0 }
        } else if value == g {
            (b - r) / chroma + 2.0
        } else {
            (r - g) / chroma + 4.0
        };
        let place = sixths / 6.0 * circle.len() as f32;
        let (first, share) = (place as usize % circle.len(), place - place.floor());
        let next = (first + 1) % circle.len();
        [0, 1, 2].map(|c| {
            let [from, to] = [first, next].map(|i| f32::from(circle[i][c]) / 255.0);
            let hue = from + share * (to - from);
            value - chroma * (1.0 - hue)
        })
    }

    /// A picture, three channels a pixel, in this palette.
    pub fn recolour(&self, rgb: &mut [f32]) {
        if !self.is_free() {
            for pixel in rgb.chunks_exact_mut(3) {
                pixel.copy_from_slice(&self.colour([pixel[0], pixel[1], pixel[2]]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::color::hsv_to_rgb;

    #[test]
    fn a_palette_stands_in_the_place_of_the_hues() {
        let own: Palette = "102030, #A0b0c0, ffffff".parse().unwrap();
        for palette in NAMED.map(|(_, palette)| palette).into_iter().skip(1).chain([own]) {
            let circle = palette.colours();
            for (i, colour) in circle.iter().enumerate() {
                let hue = i as f64 / circle.len() as f64;
                for (s, v) in [(1.0, 1.0), (0.4, 1.0), (1.0, 0.5), (0.3, 0.7)] {
                    let drawn = palette.colour(hsv_to_rgb(hue, s, v).map(|c| c as f32));
                    for (c, drawn) in drawn.into_iter().enumerate() {
                        let own = f64::from(colour[c]) / 255.0;
                        let expected = v * (1.0 - s * (1.0 - own));
                        assert!(
                            (f64::from(drawn) - expected).abs() < 1e-5,
                            "{palette} {i} {s} {v}"
                        );
                    }
                }
            }
            // The circle has no seam.
            let [below, above] =
                [-1e-6, 1e-6].map(|h| palette.colour(hsv_to_rgb(h, 1.0, 1.0).map(|c| c as f32)));
            assert!(below.iter().zip(above).all(|(a, b)| (a - b).abs() < 1e-3), "{palette}");
        }
    }

    #[test]
    fn what_is_no_palette_is_refused_and_any_other_written_and_read_back() {
        for text in ["free", "candy", "102030,a0b0c0", "000000,ffffff,000000,ff0000"] {
            let palette: Palette = text.parse().unwrap();
            assert_eq!(palette.to_string(), text);
            assert_eq!(serde_json::to_string(&palette).unwrap(), format!("{text:?}"));
        }
        for text in [
            "",
            "cand",
            "102030",
            "10203,a0b0c0",
            "1020+0,a0b0c0",
            "é02030,a0b0c0",
            &"000000,".repeat(9),
        ] {
            let error = text.parse::<Palette>().unwrap_err().to_string();
            assert!(error.contains("or 2 to 8 colours, RRGGBB,RRGGBB"), "{error}");
        }
    }
}
