//! Line search for the strong Wolfe conditions, by bracketing and zooming with cubic interpolation.
//!
//! φ(t) = loss at w + t·d. Accepted t: φ(t) ≤ φ(0) + c₁tφ'(0) and |φ'(t)| ≤ -c₂φ'(0).
//! Reference: Nocedal & Wright 2006, algorithms 3.5 and 3.6 and equation 3.59. The bounds on
//! extrapolation (at most 10-fold) and interpolation (10 % from either end) are the customary ones.

/// φ and φ' at t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    pub(super) t: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// Constants of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wolfe {
    pub(super) c1: f64,
    pub(super) c2: f64,
    pub(super) max_evaluations: usize,
}

/// Searches along φ from `start` (t = 0, slope < 0), trying `first` > 0 first.
///
/// `probe(t)` evaluates φ and φ'; it is called last with the t that is returned, or `keep(t)` has
/// been called right after the probe of that t and no later. Returns the accepted trial; when the
/// evaluations run out, the best trial that satisfies the first condition; `None` if there is none.
pub(super) fn strong_wolfe<S>(
    state: &mut S,
    start: Trial,
    first: f64,
    wolfe: Wolfe,
    probe: impl Fn(&mut S, f64) -> Trial,
    keep: impl Fn(&mut S),
) -> Option<Trial> {
    let decreases = |x: &Trial| {
        x.value.is_finite()
            && x.slope.is_finite()
            && x.value <= start.value + wolfe.c1 * x.t * start.slope
    };
    let flat = |x: &Trial| x.slope.abs() <= -wolfe.c2 * start.slope;

    // Bracketing. `low` is the last trial that decreases; its point is what `keep` has kept.
    let mut low = start;
    let mut t = first;
    let mut left = wolfe.max_evaluations;
    let mut high;
    loop {
        if left == 0 {
            return (low.t > 0.0).then_some(low);
        }
        left -= 1;
        let x = probe(state, t);
        if !decreases(&x) || (low.t > 0.0 && x.value >= low.value) {
            high = x;
            break;
        }
        keep(state);
        if flat(&x) {
            return Some(x);
        }
        if x.slope >= 0.0 {
            high = low;
            low = x;
            break;
        }
        let step = x.t - low.t;
        t = cubic_minimum(low, x).clamp(x.t + 0.01 * step, 10.0 * x.t);
        low = x;
    }

    // Zooming: an acceptable t lies between `low`, the best trial so far, and `high`.
    while left > 0 {
        let width = (high.t - low.t).abs();
        if width * low.slope.abs() <= f64::EPSILON * low.value.abs().max(f64::MIN_POSITIVE) {
            break; // φ cannot be told apart inside the bracket
        }
        let margin = 0.1 * width;
        let (a, b) = (low.t.min(high.t) + margin, low.t.max(high.t) - margin);
        left -= 1;
        let x = probe(state, cubic_minimum(low, high).clamp(a, b));
        if !decreases(&x) || x.value >= low.value {
            high = x;
            continue;
        }
        keep(state);
        if flat(&x) {
            return Some(x);
        }
        if x.slope * (high.t - low.t) >= 0.0 {
            high = low;
        }
        low = x;
    }
    (low.t > 0.0).then_some(low)
}

/// Minimiser of the cubic through values and slopes of `a` and `b`; their middle where there is
/// none (or a trial is not finite).
fn cubic_minimum(a: Trial, b: Trial) -> f64 {
    let middle = 0.5 * (a.t + b.t);
    let d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.t - b.t);
    let square = d1 * d1 - a.slope * b.slope;
    if square.is_nan() || square < 0.0 {
        return middle;
    }
    let d2 = square.sqrt() * (b.t - a.t).signum();
    let t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2));
    if t.is_finite() { t } else { middle }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches φ(t) = t⁴/4 - t² + t·0 … given as closures; returns the trial and the count.
    fn search(
        value: impl Fn(f64) -> f64,
        slope: impl Fn(f64) -> f64,
        first: f64,
        c2: f64,
    ) -> (Option<Trial>, usize, f64) {
        let at = |t: f64| Trial { t, value: value(t), slope: slope(t) };
        let wolfe = Wolfe { c1: 1e-4, c2, max_evaluations: 25 };
        // (evaluations, last probed, kept)
        let mut state = (0usize, 0.0, 0.0);
        let found = strong_wolfe(
            &mut state,
            at(0.0),
            first,
            wolfe,
            |s, t| {
                s.0 += 1;
                s.1 = t;
                at(t)
            },
            |s| s.2 = s.1,
        );
        (found, state.0, state.2)
    }

    #[test]
    fn the_cubic_is_exact_on_a_cubic() {
        // φ = t³ - 3t has its minimum at 1.
        let at = |t: f64| Trial { t, value: t * t * t - 3.0 * t, slope: 3.0 * t * t - 3.0 };
        assert!((cubic_minimum(at(0.0), at(3.0)) - 1.0).abs() < 1e-12);
        assert!((cubic_minimum(at(3.0), at(0.0)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn both_conditions_hold_from_tiny_and_huge_first_steps() {
        let value = |t: f64| (t - 7.0) * (t - 7.0);
        let slope = |t: f64| 2.0 * (t - 7.0);
        for first in [1e-6, 0.1, 6.9, 14.0, 1e5] {
            let (found, evaluations, kept) = search(value, slope, first, 0.1);
            let x = found.unwrap();
            assert!(x.value <= 49.0 - 1e-4 * x.t * 14.0, "{x:?}");
            assert!(x.slope.abs() <= 1.4, "{x:?}");
            assert_eq!(kept, x.t, "the kept point is the returned one");
            assert!(evaluations <= 12, "{evaluations} from {first}");
        }
    }

    #[test]
    fn infinite_losses_shorten_the_step_and_rising_slopes_find_nothing() {
        let wall = |t: f64| if t > 1.0 { f64::INFINITY } else { -t };
        let (found, ..) = search(wall, |_| -1.0, 64.0, 0.9);
        let x = found.unwrap();
        assert!(x.t > 0.0 && x.t <= 1.0, "{x:?}");
        // The slope promises a descent that the values do not give.
        let (found, ..) = search(|t| t, |_| -1.0, 1.0, 0.9);
        assert_eq!(found, None);
    }
}
