//! Map roughness: how wrinkled a feature map is.
//!
//! R = (mean|∂x a| + mean|∂y a|)/2, differences between neighbouring pixels of the
//! S × S map, ≥ 0. Per pixel, so it halves when the resolution doubles: compare at one size.
//! \[measured\] mean over hidden units that vary (METHODS §7's .02–.04 and .07–.12): at 64² evolved skull
//! .038, butterfly .033, SGD .093 and .120; at 256² a quarter of that.
//!
//! In: maps (n, P). Out: a number per map; their mean, `None` if no map varies.
//! Cost: no drawing; 2P differences a map.
//!
//! Source: \[ours\], after FER's observation that SGD's maps look like fractured, high-frequency
//! versions of the evolved ones (Kumar et al. 2025, Figs. 4–6).
//!
//! **What it does not mean:** smooth is not organised. A network that draws nothing is the
//! smoothest of all.

/// R of one (height · width,) map, row by row. 0 for a single pixel.
///
/// # Panics
/// If the map's length is not height · width.
pub(crate) fn roughness(map: &[f32], width: usize, height: usize) -> f64 {
    assert_eq!(map.len(), width * height, "one value a pixel");
    let step = |a: f32, b: f32| f64::from((a - b).abs());
    let across: f64 = map
        .chunks_exact(width.max(1))
        .flat_map(|row| row.windows(2))
        .map(|w| step(w[1], w[0]))
        .sum();
    let down: f64 = map.iter().zip(map.iter().skip(width)).map(|(&a, &b)| step(b, a)).sum();
    let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
    let columns = mean(across, height * width.saturating_sub(1));
    let rows = mean(down, width * height.saturating_sub(1));
    (columns + rows) / 2.0
}

/// Mean R over the maps that vary at all (unused units of a layerized network are constant);
/// `None` if none does.
///
/// # Panics
/// If a map's length is not height · width.
pub fn mean_roughness(maps: &[&[f32]], width: usize, height: usize) -> Option<f64> {
    let found: Vec<f64> = maps
        .iter()
        .filter(|map| map.iter().any(|v| *v != map[0]))
        .map(|map| roughness(map, width, height))
        .collect();
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_and_checkerboards_have_their_slopes() {
        // A ramp of .1 a column on 3 × 2: across .1, down 0.
        let ramp = [0.0, 0.1, 0.2, 0.0, 0.1, 0.2];
        assert!((roughness(&ramp, 3, 2) - 0.05).abs() < 1e-8);
        let board = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0];
        assert_eq!(roughness(&board, 3, 3), 2.0);
        assert_eq!(roughness(&[0.7; 9], 3, 3), 0.0);
        assert_eq!(roughness(&[0.7], 1, 1), 0.0);
        // 2 × 1: only across counts.
        assert_eq!(roughness(&[0.0, 1.0], 2, 1), 0.5);
        // Constant maps do not count: mean of .05 and 0 ignored.
        let flat = [0.3; 6];
        assert!((mean_roughness(&[&ramp, &flat], 3, 2).unwrap() - 0.05).abs() < 1e-8);
        assert_eq!(mean_roughness(&[&flat], 3, 2), None);
    }
}
