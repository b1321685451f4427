//! Maps, values with a sign, as pictures.

use crate::base::tone::signed_colour;
use crate::network::Picture;

/// A feature map, (P,) values, as a picture: red −1, white 0, blue +1.
///
/// # Panics
/// If `map` has not size² values.
pub fn signed_picture(map: &[f32], size: usize) -> Picture {
    assert_eq!(map.len(), size * size, "size² values a map");
    let channels = |&value: &f32| signed_colour(value).map(|channel| f32::from(channel) / 255.0);
    Picture { width: size, height: size, rgb: map.iter().flat_map(channels).collect() }
}
