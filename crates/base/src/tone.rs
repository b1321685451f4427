//! The colours of values with a sign, on pages and in figures.

/// Missing values.
pub const BLANK: [u8; 3] = [236, 238, 241];
/// Negative values and weights.
pub const NEGATIVE: [u8; 3] = [202, 44, 31];
/// Positive values and weights.
pub const POSITIVE: [u8; 3] = [21, 92, 178];

/// Red −1, white 0, blue +1; values beyond are clipped, NaN is grey.
pub fn signed_colour(value: f32) -> [u8; 3] {
    if value.is_nan() {
        return BLANK;
    }
    let full = if value < 0.0 { NEGATIVE } else { POSITIVE };
    let share = f64::from(value.abs()).min(1.0);
    full.map(|channel| (255.0 + share * (f64::from(channel) - 255.0)).round() as u8)
}
