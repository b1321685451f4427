//! Small PNGs: a palette of at most 256 colours.
//!
//! For what many are kept of: strips of changed pictures, sheets of them. A picture of few colours
//! loses nothing; of others, paper, words and frames (colours of at least a thousandth of
//! the pixels) stay exact, and the rest is given the nearest colour of a NeuQuant palette.

use crate::base::png::finish_png;
use color_quant::NeuQuant;

/// Colours that are kept exactly at most.
const EXACT: usize = 32;
/// NeuQuant looks at every `SAMPLING`-th pixel.
const SAMPLING: i32 = 3;

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// PNG bytes with a palette of at most `most` colours (100 to 256) and pinned settings: the same
/// bytes for the same pixels. `rgb` is (height · width · 3,), `texts` are (keyword, text).
pub fn encode_small_png(
    width: usize,
    height: usize,
    rgb: &[u8],
    most: usize,
    texts: &[(&str, &str)],
) -> Vec<u8> {
    let (palette, indices) = palette(rgb, most.clamp(100, 256));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    finish_png(encoder, texts, &indices);
    bytes
}

/// The palette of a picture, and the index of each of its pixels.
fn palette(rgb: &[u8], most: usize) -> (Vec<Rgb>, Vec<u8>) {
    let (pixels, _) = rgb.as_chunks::<3>();
    let colours = counted(pixels);
    let palette = palette_of(pixels, &colours, most);
    let nearest: Vec<u8> = colours.iter().map(|c| nearest(&palette, c.0)).collect();
    let index = |p| colours.binary_search_by_key(p, |c| c.0).map_or(0, |i| nearest[i]);
    let indices = pixels.iter().map(index).collect();
    (palette, indices)
}

/// At most 256 colours for many pictures alike: all of them, if there are no more in `pixels`.
pub fn common_palette(pixels: &[Rgb]) -> Vec<Rgb> {
    palette_of(pixels, &counted(pixels), 256)
}

/// At most `most` colours for `pixels`, whose counted colours are these.
fn palette_of(pixels: &[Rgb], colours: &[(Rgb, usize)], most: usize) -> Vec<Rgb> {
    let mut palette: Vec<Rgb> = if colours.len() <= most {
        colours.iter().map(|c| c.0).collect()
    } else {
        let mut common: Vec<&(Rgb, usize)> =
            colours.iter().filter(|c| c.1 * 1000 >= pixels.len()).collect();
        common.sort_by_key(|c| (std::cmp::Reverse(c.1), c.0));
        common.iter().take(EXACT).map(|c| c.0).collect()
    };
    if colours.len() > most {
        palette.sort_unstable();
        let rest = pixels.iter().filter(|p| palette.binary_search(p).is_err());
        let rest: Vec<u8> = rest.flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let learned = NeuQuant::new(SAMPLING, most - palette.len(), &rest).color_map_rgb();
        palette.extend(learned.as_chunks::<3>().0);
    }
    palette
}

/// The colours of a picture in their order, and how many pixels each has.
fn counted(pixels: &[Rgb]) -> Vec<(Rgb, usize)> {
    let mut sorted = pixels.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
}

/// Index of the nearest colour, the first of equals.
pub fn nearest(palette: &[Rgb], colour: Rgb) -> u8 {
    let distance = |other: &Rgb| -> i32 {
        (0..3).map(|c| (i32::from(other[c]) - i32::from(colour[c])).pow(2)).sum()
    };
    let best = (0..palette.len()).min_by_key(|&i| distance(&palette[i]));
    best.unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Picture;

    fn decoded(bytes: &[u8]) -> Vec<u8> {
        let picture = image::load_from_memory(bytes).unwrap();
        picture.to_rgb8().into_raw()
    }

    #[test]
    fn few_colours_lose_nothing() {
        let rgb: Vec<u8> = (0..=255).flat_map(|v| [v, 0, 255 - v]).collect();
        assert_eq!(decoded(&encode_small_png(16, 16, &rgb, 256, &[])), rgb);
    }

    #[test]
    fn many_colours_stay_near_and_paper_and_frames_exact() {
        // A smooth picture of 16 384 colours on white, with a frame of one colour.
        let (side, frame) = (160, [213, 60, 0]);
        let mut picture = Picture::filled(side, side, [1.0; 3]);
        for y in 0..128 {
            for x in 0..128 {
                let at = 3 * ((y + 16) * side + x + 16);
                let shade = [x as f32 / 127.0, y as f32 / 127.0, 0.5];
                picture.rgb[at..at + 3].copy_from_slice(&shade);
            }
        }
        let mut rgb = picture.to_bytes();
        rgb[..3 * side].as_chunks_mut::<3>().0.fill(frame);
        let bytes = encode_small_png(side, side, &rgb, 256, &[("seed", "7")]);
        assert_eq!(bytes, encode_small_png(side, side, &rgb, 256, &[("seed", "7")]));
        assert!(3 * bytes.len() < rgb.len());
        let back = decoded(&bytes);
        assert_eq!(&back[..3 * side], &rgb[..3 * side]);
        assert_eq!(&back[3 * side..6 * side], &[255; 3 * 160]);
        let off: i32 =
            back.iter().zip(&rgb).map(|(a, b)| (i32::from(*a) - i32::from(*b)).pow(2)).sum();
        let rmse = f64::from(off) / rgb.len() as f64;
        assert!(rmse.sqrt() < 6.0, "{}", rmse.sqrt());
    }
}
