//! Contrasts: how they are written, what their rules decide.

use crate::answers::hold;
use crate::refusals::assert_refused;
use picloom::base::SimRng;
use picloom::base::table::Table;
use picloom::study::contrast::{
    Basis, ContrastSpec, Rule, Tables, Verdict, block_p, combined, contrast, decide,
    rank_correlation, slope, verdict,
};
use serde::Deserialize;

#[test]
fn a_contrast_that_is_excluded_decides_against_all_and_one_open_leaves_it_open() {
    use Verdict::{Contradicted, Inconclusive, SmallerThanMargin, Supported};
    assert_eq!(combined([Supported, Supported]), Supported);
    assert_eq!(combined([Supported, Inconclusive]), Inconclusive);
    assert_eq!(combined([Inconclusive, SmallerThanMargin]), SmallerThanMargin);
    assert_eq!(combined([SmallerThanMargin, Contradicted]), Contradicted);
    assert_eq!(combined([]), Inconclusive);
}

#[test]
fn contrasts_are_laid_over_their_defaults_and_asked_one_after_the_other() {
    let mut table = Table::new(["target", "arm", "seed", "level", "score", "fit"]);
    for (n, target) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        for seed in 0..3 {
            let noise = 0.01 * ((n + seed) % 3) as f64;
            for (arm, score) in [("sp", 0.8), ("random", 0.5), ("dense", 0.81)] {
                let (seed, score) = (seed.to_string(), (score + noise).to_string());
                table.push(&[target, arm, &seed, "1", &score, "true"]);
            }
        }
    }
    #[derive(Deserialize)]
    struct Spec {
        contrast_defaults: toml::Table,
        contrasts: Vec<toml::Table>,
    }
    let spec: Spec = toml::from_str(
        r#"
        contrast_defaults = { where = { level = 1 }, margin = 0.1 }
        [[contrasts]]
        id = "against-dense"
        between = [{ arm = "sp" }, { arm = "dense" }]
        [[contrasts]]
        id = "against-random"
        between = [{ arm = "sp" }, { arm = "random" }]
        [[contrasts]]
        id = "later"
        after = "against-dense"
        between = [{ arm = "sp" }, { arm = "random" }]
        "#,
    )
    .unwrap();
    let contrasts = ContrastSpec::all(&spec.contrast_defaults, &spec.contrasts).unwrap();
    assert_eq!(contrasts[0].rows.to_string(), "level=1");
    let mut tables = Tables::below([]).with("own", table);
    let decided = decide("own", &contrasts, &mut tables).unwrap();
    let verdicts: Vec<Verdict> = decided.iter().map(|d| d.verdict).collect();
    let wanted = [Verdict::Contradicted, Verdict::Supported, Verdict::Inconclusive];
    assert_eq!(verdicts, wanted, "{decided:?}");
    assert!(decided[1].asked && !decided[2].asked);
    let twice = [spec.contrasts[0].clone(), spec.contrasts[0].clone()];
    let refused = ContrastSpec::all(&spec.contrast_defaults, &twice).unwrap_err();
    assert_refused(&refused, ["contrast against-dense", "another id", "one given twice"]);
    let missing = decide("other", &contrasts, &mut tables).unwrap_err();
    assert_refused(&missing, ["other", "its result, ", "none"]);
}

#[test]
fn one_question_is_asked_of_several_numbers_in_units_of_their_own_spread() {
    let mut table = Table::new(["target", "arm", "seed", "score", "roughness", "fit"]);
    for (n, target) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        // Evolved networks differ by 1 and by 100; the others lie .5 of that below, give or take a little.
        let evolved = n as f64;
        let other = evolved - 0.9 - 0.1 * (n % 2) as f64;
        for (arm, value) in [("evolved", evolved), ("dense", other)] {
            let (score, rough) = (value.to_string(), (-100.0 * value).to_string());
            table.push(&[target, arm, "0", &score, &rough, "true"]);
        }
    }
    let both = r#"
        id = "G3"
        claim = "gate"
        each = ["score", "-roughness"]
        scale = { arm = "evolved" }
        between = [{ arm = "evolved" }, { arm = "dense" }]
        test = false
    "#;
    let all = |text: &str| ContrastSpec::all(&toml::Table::new(), &[toml::from_str(text).unwrap()]);
    let specs = all(both).unwrap();
    let named: Vec<(&str, Option<&str>, &str)> =
        specs.iter().map(|c| (c.id.as_str(), c.claim.as_deref(), c.base_id())).collect();
    let claims = ["gate.score", "gate.roughness"].map(Some);
    assert_eq!(named, [("G3.score", claims[0], "G3"), ("G3.roughness", claims[1], "G3")]);
    let found: Vec<f64> =
        specs.iter().map(|c| contrast(&table, c).unwrap()[0].estimate.unwrap()).collect();
    // The standard deviation of 0 to 5 is 1.871.
    assert!((found[0] - 0.95 / 3.5f64.sqrt()).abs() < 1e-9, "{found:?}");
    assert!((found[0] - found[1]).abs() < 1e-9, "{found:?}");
    let flat =
        all(&both.replace("arm = \"evolved\" }\n", "target = \"a\", arm = \"dense\" }\n")).unwrap();
    let refused = contrast(&table, &flat[0]).unwrap_err();
    assert_refused(&refused, ["scale", "rows in which score differs", "1 rows"]);
    // A contrast asks of one number where the others ask of several.
    let several = toml::from_str("each = [\"score\", \"-roughness\"]").unwrap();
    let one = "id = \"one\"\neach = []\nbetween = [{ arm = \"evolved\" }, { arm = \"dense\" }]";
    let one = ContrastSpec::all(&several, &[toml::from_str(one).unwrap()]).unwrap();
    assert_eq!(one.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["one"]);
    // Beside each, the same of some of its rows.
    let also = "also = { rough = { rough = \">300\" } }\nwhere = { seed = 0 }\n";
    let specs = all(&format!("{also}{both}")).unwrap();
    let named: Vec<(&str, bool, String)> =
        specs.iter().map(|c| (c.id.as_str(), c.beside, c.rows.to_string())).collect();
    assert_eq!(named[1].0, "G3.roughness");
    assert_eq!(named[2], ("G3-rough.score", true, "rough>300,seed=0".to_string()));
    assert_eq!(specs[2].claim.as_deref(), Some("gate.score"));
}

#[test]
fn a_contrast_is_read_with_its_defaults_and_says_what_is_wrong() {
    let read = |text: &str| toml::from_str::<ContrastSpec>(text);
    let spec =
        read("id = \"which-links\"\nbetween = [{ arm = \"sp\" }, { arm = \"imp\" }]").unwrap();
    assert_eq!(spec, {
        let groups = ["arm=sp", "arm=imp"].map(|g| g.parse().unwrap());
        ContrastSpec::new("which-links", groups.to_vec())
    });
    assert!(spec.check().is_ok() && spec.asks_p());
    for basis in ["finished", "equal-fit>=0.9", "at:0.95,0.97", "each-fit", "fixed-delta"] {
        assert_eq!(basis.parse::<Basis>().unwrap().to_string(), basis);
    }
    hold("refusals/contrasts", |text| {
        match ContrastSpec::all(&toml::Table::new(), &[text.parse().unwrap()]) {
            Ok(specs) => specs[0].check().unwrap_err().to_string(),
            Err(refusal) => refusal.to_string(),
        }
    });
}

/// Three targets, the price of `a` twice that of `b` on each, and a number that rises with it.
#[test]
fn prices_are_compared_and_correlated_over_targets() {
    let mut table = Table::new(["target", "arm", "level", "seed", "times", "fit", "size", "score"]);
    for (target, price, size) in [("x", 1, "3"), ("y", 2, "5"), ("z", 4, "9"), ("u", 4, "8")] {
        for (arm, price) in [("a", 2 * price), ("b", price)] {
            for (level, times) in [(1, 1), (2, 2), (3, 4)] {
                for seed in ["0", "1"] {
                    let fit = (times >= price).to_string();
                    let (level, times) = (level.to_string(), times.to_string());
                    table.push(&[target, arm, &level, seed, &times, &fit, size, ".5"]);
                }
            }
        }
    }
    let read = |text: &str| toml::from_str::<ContrastSpec>(text).unwrap();
    let dearer = read(
        "id = 'price'\nof = 'log2(times)'\nfewest = { of = 'times', share = 0.5, never = 8 }\n\
         between = [{ arm = 'a' }, { arm = 'b' }]\npair = ['target']\nbasis = ['end']",
    );
    let found = &contrast(&table, &dearer).unwrap()[0];
    assert_eq!((found.estimate, found.units.len()), (Some(1.0), 4));
    let grows = read(
        "id = 'why'\nof = 'times'\non = 'size'\nmean = 'spearman'\nwhere = { arm = 'b' }\n\
         fewest = { of = 'times' }",
    );
    let found = &contrast(&table, &grows).unwrap()[0];
    // Ranks 1, 2, 3.5, 3.5 against 1, 2, 4, 3: 4.5 over the root of 5 times 4.5.
    assert!((found.estimate.unwrap() - 4.5 / 22.5f64.sqrt()).abs() < 1e-12, "{found:?}");
}

/// Within each arm `size` falls as the score rises; arm `b` has more of both, so that over both arms it rises.
#[test]
fn ranks_are_correlated_within_groups_only() {
    let mut table = Table::new(["target", "arm", "seed", "fit", "size", "score"]);
    for target in ["x", "y", "z"] {
        for (arm, base) in [("a", 0), ("b", 10)] {
            for seed in 0..4 {
                let (size, score) =
                    (base + seed, 0.02 * f64::from(base) + 0.1 - 0.01 * f64::from(seed));
                let [seed, size, score] = [seed.to_string(), size.to_string(), score.to_string()];
                table.push(&[target, arm, &seed, "true", &size, &score]);
            }
        }
    }
    let of = |within: &str| {
        let text = format!("id = 'a'\non = 'size'\nmean = 'ranks'\nwithin = '{within}'");
        let spec = toml::from_str::<ContrastSpec>(&text).unwrap();
        contrast(&table, &spec).unwrap().remove(0)
    };
    let found = of("arm");
    // Three units of one sign: two of eight sign patterns are as far from 0.
    assert_eq!(found.permuted, Some(0.25));
    assert!((found.estimate.unwrap() + 1.0).abs() < 1e-12, "{found:?}");
    assert_eq!(found.units.len(), 3);
    assert!(of("target").estimate.unwrap() > 0.5);
    // Groups of one row have no ranks.
    assert_eq!(rank_correlation([vec![(1.0, 2.0)]].into_iter()), None);
}

#[test]
fn labels_are_permuted_within_their_block() {
    let mut rng = SimRng::new(1, "test", 0);
    // Two others and the first highest in n blocks of the same values: p is the share of draws in which it is
    // the first in all of them, 3⁻ⁿ.
    let blocks = vec![(1.0, vec![0.0, 0.0]); 3];
    let p = block_p(&blocks, 60_000, &mut rng).unwrap();
    assert!((p - 1.0 / 27.0).abs() < 0.003, "{p}");
    assert_eq!(block_p(&[(0.5, vec![0.5, 0.5])], 99, &mut rng), Some(1.0));
    assert_eq!(block_p(&[], 99, &mut rng), None);
}

#[test]
fn a_rule_decides_by_the_interval_and_the_margin() {
    let of = |rule, low, high| verdict(rule, 0.1, Some((low, high)), Some(0.0));
    assert_eq!(of(Rule::Greater, 0.01, 0.3), Verdict::Supported);
    assert_eq!(of(Rule::Greater, -0.02, 0.05), Verdict::SmallerThanMargin);
    assert_eq!(of(Rule::Greater, -0.3, -0.05), Verdict::Contradicted);
    assert_eq!(of(Rule::Greater, -0.1, 0.3), Verdict::Inconclusive);
    assert_eq!(of(Rule::Smaller, -0.3, -0.01), Verdict::Supported);
    assert_eq!(of(Rule::Smaller, -0.05, 0.2), Verdict::SmallerThanMargin);
    assert_eq!(of(Rule::Equivalent, -0.05, 0.09), Verdict::Supported);
    assert_eq!(of(Rule::Equivalent, 0.11, 0.3), Verdict::Contradicted);
    assert_eq!(of(Rule::Different, -0.3, -0.01), Verdict::Supported);
    assert_eq!(of(Rule::Different, -0.05, 0.05), Verdict::SmallerThanMargin);
    assert_eq!(verdict(Rule::Greater, 0.1, Some((0.2, 0.3)), Some(0.2)), Verdict::Inconclusive);
    assert_eq!(verdict(Rule::Greater, 0.1, None, None), Verdict::Inconclusive);
}

#[test]
fn a_slope_needs_three_points_that_differ() {
    assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), Some(2.0));
    assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0)]), None);
    assert_eq!(slope(&[(1.0, 1.0); 4]), None);
}

#[test]
fn a_group_by_itself_is_compared_with_zero() {
    let mut table = Table::new(["target", "arm", "seed", "gap", "fit"]);
    for (n, target) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        for seed in ["0", "1"] {
            let gap = (0.2 + 0.01 * n as f64).to_string();
            table.push(&[target, "dense", seed, &gap, "true"]);
            table.push(&[target, "other", seed, "-1", "true"]);
        }
    }
    let read = |more: &str| -> ContrastSpec {
        toml::from_str(&format!(
            "id = \"x\"\nof = \"gap\"\nbetween = [{{ arm = \"dense\" }}]\n{more}"
        ))
        .unwrap()
    };
    let found = &contrast(&table, &read("")).unwrap()[0];
    assert!((found.estimate.unwrap() - 0.225).abs() < 1e-9, "{found:?}");
    assert_eq!((found.name.as_str(), found.units.len()), ("dense", 6));
    assert_eq!(found.verdict, Verdict::Supported);
}

#[test]
fn rows_of_other_groups_within_a_unit_are_other_networks() {
    let mut table = Table::new(["target", "arm", "repeat", "score"]);
    for (target, arm, repeat) in
        [("x", "a", "0"), ("x", "a", "1"), ("x", "b", "0"), ("x", "b", "1")]
    {
        for target in [target, "y"] {
            table.push(&[target, arm, repeat, if arm == "a" { "0.5" } else { "0.2" }]);
        }
    }
    let text = "id = 'r'\nbetween = [{ arm = 'a' }, { arm = 'b' }]\npair = ['target', 'repeat']\nwithin = 'repeat'";
    let spec = toml::from_str::<ContrastSpec>(text).unwrap();
    assert_eq!(contrast(&table, &spec).unwrap()[0].pairs, 4);
    let within = ContrastSpec { pair: vec!["target".into()], ..spec };
    assert_eq!(contrast(&table, &within).unwrap()[0].pairs, 8);
}
