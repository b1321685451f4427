//! HSV to RGB, with its gradient (METHODS §1).
//!
//! A network draws (h, s, v) for each pixel; the picture is
//! `rgb = hsv2rgb((h + 1) mod 1, clip(s, 0, 1), clip(|v|, 0, 1))`.

/// The picture's colour for the raw outputs `h, s, v` of a network.
///
/// Returns (r, g, b), each in [0, 1].
pub(crate) fn hsv_to_rgb(h: f64, s: f64, v: f64) -> [f64; 3] {
    hsv_to_rgb_with_gradient(h, s, v).0
}

/// The colour and its Jacobian `J[channel][output]`, output = h, s, v.
///
/// The sub-gradient is 0 where `s` or `|v|` is clipped, and sign(v) carries the absolute value
/// (0 at v = 0).
pub(crate) fn hsv_to_rgb_with_gradient(h: f64, s: f64, v: f64) -> ([f64; 3], [[f64; 3]; 3]) {
    let hue = (h + 1.0) - libm::floor(h + 1.0);
    let sat = s.clamp(0.0, 1.0);
    let val = v.abs().clamp(0.0, 1.0);
    let ds = if s > 0.0 && s < 1.0 { 1.0 } else { 0.0 };
    let dv = if v.abs() < 1.0 {
        if v > 0.0 {
            1.0
        } else if v < 0.0 {
            -1.0
        } else {
            0.0
        }
    } else {
        0.0
    };

    // Each channel is val·(1 - sat·k(hue)), k = clip(|6h mod 6 - centre| - 1, 0, 1) about its sextant.
    let h6 = 6.0 * hue;
    let (kr, dkr) = tooth(h6, 0.0, true);
    let (kg, dkg) = tooth(h6, 2.0, false);
    let (kb, dkb) = tooth(h6, 4.0, false);
    let mut rgb = [0.0; 3];
    let mut jacobian = [[0.0; 3]; 3];
    for (c, (k, dk)) in [(kr, dkr), (kg, dkg), (kb, dkb)].into_iter().enumerate() {
        rgb[c] = val * (1.0 - sat * k);
        jacobian[c] = [-val * sat * dk * 6.0, -val * k * ds, (1.0 - sat * k) * dv];
    }
    (rgb, jacobian)
}

/// Distance of hue (in sixths) from a channel's centre, less 1, clipped to [0, 1]; and its slope.
fn tooth(h6: f64, centre: f64, wraps: bool) -> (f64, f64) {
    // Red is centred on 0 = 6: fold the upper half down.
    let (x, sign) = if wraps && h6 > 3.0 { (6.0 - h6, -1.0) } else { (h6 - centre, 1.0) };
    let (distance, slope) = if x < 0.0 { (-x, -sign) } else { (x, sign) };
    let k = (distance - 1.0).clamp(0.0, 1.0);
    (k, if distance > 1.0 && distance < 2.0 { slope } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primary_colours_are_where_they_belong() {
        assert_eq!(hsv_to_rgb(0.0, 1.0, 1.0), [1.0, 0.0, 0.0]);
        let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12);
        assert!(close(hsv_to_rgb(1.0 / 3.0, 1.0, -1.0), [0.0, 1.0, 0.0]));
        assert!(close(hsv_to_rgb(-1.0 / 3.0, 2.0, 0.5), [0.0, 0.0, 0.5]));
        assert!(close(hsv_to_rgb(0.5, 0.5, 1.0), [0.5, 1.0, 1.0]));
        assert!(close(hsv_to_rgb(7.3, -3.0, 0.25), [0.25, 0.25, 0.25]));
    }

    #[test]
    fn jacobian_matches_central_differences_away_from_kinks() {
        let e = 1e-6;
        for i in 0..60 {
            let hsv = [
                (i as f64) * 0.0371 - 1.1,
                0.05 + 0.9 * ((i * 7) % 60) as f64 / 60.0,
                0.937 - (i as f64) * 0.031,
            ];
            let (_, jacobian) = hsv_to_rgb_with_gradient(hsv[0], hsv[1], hsv[2]);
            for output in 0..3 {
                let (mut lo, mut hi) = (hsv, hsv);
                lo[output] -= e;
                hi[output] += e;
                let (a, b) = (hsv_to_rgb(lo[0], lo[1], lo[2]), hsv_to_rgb(hi[0], hi[1], hi[2]));
                for c in 0..3 {
                    let numeric = (b[c] - a[c]) / (2.0 * e);
                    let error = (numeric - jacobian[c][output]).abs();
                    assert!(error < 1e-6, "pixel {i} channel {c} output {output}: error {error}");
                }
            }
        }
    }
}
