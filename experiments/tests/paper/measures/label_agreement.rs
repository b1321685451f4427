//! Labels by hand, and the links that have them.

use crate::measures::label_agreement::label_agreement;
use picloom::base::SimRng;

#[test]
fn links_that_act_in_one_place_agree_with_labels_that_say_so() {
    // Two places, three links each, with either sign: within 1, between 0.
    let at = |k: usize, v: f32| {
        let mut d = vec![0.0; 4];
        d[k] = v;
        d
    };
    let d = [at(0, 1.0), at(0, -2.0), at(0, 3.0), at(1, 1.0), at(1, -1.0), at(1, 5.0)];
    let mut rng = SimRng::new(1, "test", 0);
    let labels = ["eye", "eye", "eye", "mouth", "mouth", "mouth"];
    let found = label_agreement(&d, &labels, 2000, &mut rng).unwrap();
    assert_eq!((found.within, found.between, found.labels), (6, 9, 2));
    assert_eq!((found.mean_within, found.mean_between), (1.0, 0.0));
    assert_eq!((found.auc.estimate, found.auc.low), (1.0, 1.0));
    // Mixtures of both places have nothing to agree with.
    assert!(found.rotated < 0.9, "{}", found.rotated);
    // 2 of C(6, 3) = 20 splits are perfect.
    assert!((found.p - 0.1).abs() < 0.02, "{}", found.p);
    let mixed = ["eye", "mouth", "eye", "mouth", "eye", "mouth"];
    let poor = label_agreement(&d, &mixed, 200, &mut rng).unwrap();
    // Within: {1,2,4} pairs… eye: 0,2,4: one pair alike of three; mouth: 1,3,5: one of three.
    // 2 of 6 within and 4 of 9 between are alike: AUC = ½ + (1/3 − 4/9)/2.
    assert!((poor.auc.estimate - (0.5 + (1.0 / 3.0 - 4.0 / 9.0) / 2.0)).abs() < 1e-12);
    assert!(poor.p > 0.3);
    assert!(label_agreement(&d, &["a"; 6], 10, &mut rng).is_err());
    assert!(label_agreement(&d[..2], &["a", "b"], 10, &mut rng).is_err());
}
