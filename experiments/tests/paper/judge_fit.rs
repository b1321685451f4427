//! The smallest model of labelled pictures, and what it knows within networks.

use crate::judge::logistic::{FitError, Labelled, fit_logistic};
use crate::judge::within::{Seen, WithinNetworks};
use picloom::base::{SimRng, real};
use picloom::score::dl::{CLIP, KNOTS};

#[test]
fn a_line_that_bends_follows_what_a_straight_one_cannot_and_the_loss_is_flat_there() {
    // Damaged in the middle only.
    let rows: Vec<Labelled> = (-30..=30)
        .map(|i| Labelled {
            x: vec![f64::from(i)],
            positive: i32::abs(i) < 10,
            weight: if i % 3 == 0 { 0.5 } else { 1.0 },
        })
        .collect();
    let rows: Vec<&Labelled> = rows.iter().collect();
    let ridge = 1e-3;
    let bent = fit_logistic(&rows, ridge).unwrap();
    let x = |value: f64| ((value - bent.means[0]) / bent.spreads[0]).clamp(-CLIP, CLIP);
    let odds = |value: f64| {
        let above = bent.above[0].iter().zip(KNOTS).map(|(w, k)| w * (x(value) - k).max(0.0));
        bent.intercept + bent.weights[0] * x(value) + above.sum::<f64>()
    };
    let at = [0.0, 30.0, -30.0].map(odds);
    assert!(at[0] > 0.0 && at[1] < 0.0 && at[2] < 0.0, "{at:?}");
    let total: f64 = rows.iter().map(|r| r.weight).sum();
    let slope = |along: &dyn Fn(f64) -> f64| -> f64 {
        let part = |r: &&Labelled| {
            let p = 1.0 / (1.0 + real::exp(-odds(r.x[0])));
            r.weight * (p - f64::from(u8::from(r.positive))) * along(x(r.x[0])) / total
        };
        rows.iter().map(part).sum()
    };
    assert!((slope(&|x| x) + ridge * bent.weights[0]).abs() < 1e-9);
    assert!((slope(&|x| (x - KNOTS[1]).max(0.0)) + ridge * bent.above[0][1]).abs() < 1e-9);
}

#[test]
fn one_class_and_no_ridge_are_refused() {
    let [clean, broken] =
        [false, true].map(|positive| Labelled { x: vec![0.0], positive, weight: 1.0 });
    let one = fit_logistic(&[&broken, &broken], 0.1);
    assert!(matches!(one, Err(FitError::OneClass { damaged: 2, .. })));
    assert_eq!(fit_logistic(&[&broken, &clean], 0.0), Err(FitError::Ridge(0.0)));
}

fn seen(network: &str, damaged: bool, p: f64) -> Seen {
    let (network, second) = (network.into(), Some(damaged));
    Seen { network, damaged, sure: p > 0.8, second, weight: 1.0, p, told: 0.4 }
}

#[test]
fn pairs_within_networks_and_kappas_by_hand() {
    // a and b are mixed, c is not. In a one of two pairs is in order, in b both, c has none.
    let mut all = [
        ("a", true, 0.6),
        ("a", false, 0.7),
        ("a", false, 0.2),
        ("b", true, 0.9),
        ("b", false, 0.1),
        ("b", false, 0.3),
        ("c", true, 0.9),
        ("c", true, 0.8),
        ("c", true, 0.2),
    ]
    .map(|(network, damaged, p)| seen(network, damaged, p));
    all[8].second = Some(false);
    let found = WithinNetworks::of(&all).unwrap();
    assert_eq!((found.networks, found.mixed, found.pairs), (3, 2, 4));
    assert!((found.auc.unwrap().estimate - 0.75).abs() < 1e-12);
    // Judge: 7 of 9 right; truth 5 damaged, judge 5: p_e = (5·5 + 4·4)/81.
    // The majority is clean in a and b, damaged in c: 7 of 9, 3 called damaged.
    for (k, p_e) in [(found.judge, 41.0 / 81.0), (found.majority, 39.0 / 81.0)] {
        let expected = (7.0 / 9.0 - p_e) / (1.0 - p_e);
        assert!((k.all.unwrap().estimate - expected).abs() < 1e-12);
        assert_eq!((k.pictures, k.mixed_pictures), (9, 6));
    }
    // Two networks are too few for a jackknife.
    assert!(found.judge.mixed.is_none() && found.scores.is_none());
    // Outside [¼, ¾] lie six, three of them in a and b; the viewer was sure of two.
    let (clear, sure) = (found.clear, found.sure.pictures);
    assert_eq!((clear.pictures, clear.mixed_pictures, sure), (6, 3, 2));
    assert_eq!(found.viewers.pictures, 9);
}

#[test]
fn a_judge_that_is_right_about_every_network_has_no_error_between_them() {
    let mut rng = SimRng::new(5, "test", 0);
    let mut scores = |shift: f64| {
        let mut all = Vec::new();
        for k in 0..120 {
            let p = 0.1 + 0.8 * rng.uniform();
            let side = if k % 2 == 0 { shift } else { -shift };
            let said = (p + side).clamp(0.0, 1.0);
            all.extend((0..16).map(|_| seen(&k.to_string(), rng.chance(p), said)));
        }
        WithinNetworks::of(&all).unwrap().scores.unwrap()
    };
    let right = scores(0.0);
    assert!(right.between < 0.04 && right.bias.abs() < 0.03, "{right:?}");
    assert!((0.9..=0.99).contains(&right.coverage), "{right:?}");
    // One that is off by .1 either way: the error is found, and the interval carries it.
    let off = scores(0.1);
    assert!((off.between - 0.1).abs() < 0.03, "{off:?}");
    assert!((0.88..=1.0).contains(&off.coverage), "{off:?}");
}
