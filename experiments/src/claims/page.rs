//! `claims.md`: four sentences, two tables of verdicts, and a note where a reader needs one. Every effect, group and basis
//! stands in `claims.json`.

use super::claim_row::{ClaimRow, named};
use super::ledger::Ledger;
use super::results::difference;
use picloom::base::text::cell;
use picloom::study::contrast::{Basis, Decision, Found, combined, verdict};

const HEAD: &str = "# Claims

Written by `picloom-experiments claims` from the tables beside it; `claims.json` has every effect on every basis. Rules are the
contrasts in the specs (`experiments/*.toml`); `experiments/study.toml` says which study decides which claim. What was changed
after runs were seen stands in `experiments/corrections.md`. An interval is 95 %, over targets, seeds averaged within them.

*Supported*: the rule holds. *Not supported*: an effect of the margin is excluded, or the effect has the other sign.
*Inconclusive*: neither. Finished networks (end of training, R² of at least .95) decide where a score is compared; the older
basis, networks at equal R² on their way, stands beside them. Each effect is the weakest of those that must hold.

";

/// The margin that stands beside a larger one.
const FINE: f64 = 0.05;

impl Ledger {
    /// The page.
    pub(crate) fn to_markdown(&self) -> String {
        let mut page = String::from(HEAD);
        for sentence in self.sentences() {
            page += &format!("- {sentence}\n");
        }
        for (apart, whose) in
            [(false, "The paper's claims"), (true, "Claims that are not the paper's")]
        {
            page += &format!(
                "\n{whose}:\n\n| claim | says | effect | at equal fit | margin | verdict | at margin .05 |\n|---|---|---|---|---|---|---|\n"
            );
            for claim in self.claims.iter().filter(|claim| claim.text.apart == apart) {
                page += &row(claim);
            }
        }
        page += "\nNotes:\n\n";
        for claim in &self.claims {
            if let Some(note) = &claim.text.note {
                page += &format!("- {}: {note}\n", claim.text.id);
            }
            if let Some(earlier) = &claim.earlier {
                let study = &earlier.study;
                page += &format!("- {}: the first study, {study}, left it open.\n", claim.text.id);
            }
        }
        page
    }
}

fn row(claim: &ClaimRow) -> String {
    let told = |found: Option<&Found>| {
        found.map_or("–".into(), |found| {
            format!("{} {}", named(found), difference((found.estimate, found.low.zip(found.high))))
        })
    };
    let effect = match weakest(effects(claim, false)) {
        Some(found) => told(Some(found)),
        None => claim.first().map_or("–".into(), difference),
    };
    let older = told(weakest(effects(claim, true)).filter(|_| claim.deciding().any(is_finished)));
    let margin = claim.deciding().map(|decision| decision.contrast.margin).reduce(f64::max);
    let fine = match margin {
        Some(margin) if margin > FINE => {
            let of = |decision: &Decision| {
                let rule = decision.contrast.rule;
                let all = decision.primary().map(move |found| {
                    verdict(rule, FINE, found.low.zip(found.high), found.permuted)
                });
                all.collect::<Vec<_>>()
            };
            combined(claim.deciding().flat_map(of)).text().to_string()
        }
        _ => "–".into(),
    };
    let margin = margin.filter(|margin| *margin > 0.0).map_or("–".into(), |m| m.to_string());
    let cells = [&*claim.text.id, &claim.text.says, &effect, &older, &margin, claim.word(), &fine];
    format!("| {} |\n", cells.map(|text| cell(text).replace('|', "\\|")).join(" | "))
}

/// The effects that decide, or the same at equal fit.
fn effects(claim: &ClaimRow, older: bool) -> Vec<&Found> {
    let mut effects = Vec::new();
    for decision in claim.deciding().filter(|decision| decision.asked) {
        let first = decision.found.first().map(|first| &first.basis);
        let is = |found: &&Found| match older {
            true => matches!(found.basis, Basis::EqualFit(None)),
            false => Some(&found.basis) == first,
        };
        effects.extend(decision.found.iter().filter(is).filter(|found| found.estimate.is_some()));
    }
    effects
}

/// The effect whose interval reaches lowest.
fn weakest(found: Vec<&Found>) -> Option<&Found> {
    let low = |found: &Found| found.low.unwrap_or(f64::INFINITY);
    found.into_iter().min_by(|a, b| low(a).total_cmp(&low(b)))
}

fn is_finished(decision: &Decision) -> bool {
    decision.found.first().is_some_and(|first| first.basis == Basis::Finished)
}
