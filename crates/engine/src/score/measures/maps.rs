//! How alike two maps are.

/// Two maps with |cosine| above this are one map: a relay and its source differ by f32 rounding.
pub(crate) const SAME_MAP: f64 = 0.999;

/// Σ aᵢbᵢ in f64, in order.
#[inline]
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// cos(a, b), uncentred, in [−1, 1]; 0 if either is all zero.
#[inline]
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let norms = (dot(a, a) * dot(b, b)).sqrt();
    if norms == 0.0 { 0.0 } else { (dot(a, b) / norms).clamp(-1.0, 1.0) }
}

/// Classes of equal maps: for each map the index of the first one with |cos| > [`SAME_MAP`]
/// (itself if there is none, or if it is all zero and no earlier map is).
///
/// # Panics
/// If the maps have different lengths.
pub(super) fn classes(maps: &[&[f32]]) -> Vec<usize> {
    let squares: Vec<f64> = maps.iter().map(|m| dot(m, m)).collect();
    let mut first: Vec<usize> = Vec::with_capacity(maps.len());
    for (i, map) in maps.iter().enumerate() {
        assert_eq!(map.len(), maps[0].len(), "maps over the same pixels");
        let same = (0..i).filter(|&j| first[j] == j).find(|&j| {
            let norms = (squares[i] * squares[j]).sqrt();
            if norms == 0.0 {
                squares[i] == squares[j]
            } else {
                dot(map, maps[j]).abs() / norms > SAME_MAP
            }
        });
        first.push(same.unwrap_or(i));
    }
    first
}
