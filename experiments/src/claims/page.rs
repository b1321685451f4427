//! `claims.md`: four sentences, a table of verdicts, then each claim with its effects, by basis, and its notes.

use super::ledger::{ClaimRow, Earlier, Ledger, difference, named};
use super::special::Special;
use crate::finding::Finding;
use picloom::experiment::contrast::{Basis, Decision, Found, Verdict};
use picloom::math::text::{cell, fixed};

const HEAD: &str = "# Claims

Written by `picloom-experiments claims` from the tables beside it. The rules are the contrasts in the specs of the studies
(`experiments/*.toml`); `experiments/study.toml` says which study decides which claim. Each was fixed before the runs that it decides
(what was changed after earlier ones: the audit in `experiments/study.md`). The unit of an interval is a target, seeds averaged within
it, unless the claim says otherwise; intervals are 95 %. A claim that is not supported here is a result of these runs, at their sizes
and step budgets, and no more than that.

Words: *supported*: the rule holds. *Smaller than the margin*: an effect of the margin is excluded; beside it stands whether the effect
differs from 0. *Contradicted*: the effect has the other sign, or lies outside the margin of an equivalence. *Inconclusive*: neither; of
an open claim the smallest effect that the design could see is told. *Not supported* is short for smaller than the margin or contradicted.

";

impl Ledger {
    /// The page.
    pub fn to_markdown(&self) -> String {
        let mut page = String::from(HEAD);
        for sentence in self.sentences() {
            page += &format!("- {sentence}\n");
        }
        for (apart, whose) in
            [(false, "The paper's claims"), (true, "Claims that are not the paper's")]
        {
            page +=
                &format!("\n{whose}:\n\n| claim | says | effect | verdict |\n|---|---|---|---|\n");
            for claim in self.claims.iter().filter(|claim| claim.text.apart == apart) {
                let effect = claim.first().map_or("–".into(), difference);
                let (id, says) = (&claim.text.id, &claim.text.says);
                page += &format!("| {id} | {says} | {effect} | {} |\n", claim.word());
            }
        }
        self.claims.iter().for_each(|claim| page += &section(claim));
        page
    }
}

fn section(claim: &ClaimRow) -> String {
    let ClaimRow { text, .. } = claim;
    let mut page = format!("\n## {}: {}\n\n{}\n\n", claim.named(), claim.word(), text.says);
    if let Some(note) = &text.note {
        page += &format!("{note}\n\n");
    }
    page += &format!("{}\n\nRule: {} Source: {}.\n", basis(claim), text.rule, text.source);
    page += &decided(claim);
    for decision in claim.deciding() {
        page += &by_basis(decision);
    }
    page += &beside(claim);
    page += &earlier(claim);
    if !claim.notes.is_empty() {
        page += "\nNotes:\n\n";
        claim.notes.iter().for_each(|note| page += &format!("- {note}\n"));
    }
    for Special { finding, .. } in &claim.findings {
        finding.notes.iter().for_each(|note| page += &format!("- {}: {note}\n", finding.statistic));
    }
    let links: Vec<String> = claim.records.iter().map(|r| format!("[{r}]({r})")).collect();
    if !links.is_empty() {
        page += &format!("\nFrom {}.\n", links.join(", "));
    }
    page
}

/// The verdict with its finer word, and on what it stands.
fn basis(claim: &ClaimRow) -> String {
    let exactly = match claim.exactly {
        Some(word @ (Verdict::SmallerThanMargin | Verdict::Contradicted)) => {
            format!(": {}", word.text())
        }
        _ => String::new(),
    };
    let rule =
        if claim.text.word.is_some() { "The rule, applied to its numbers" } else { "Verdict" };
    let mut bases: Vec<String> = Vec::new();
    for found in claim.effects() {
        let says = found.basis.says();
        if !bases.contains(&says) {
            bases.push(says);
        }
    }
    let mut on = Vec::new();
    on.extend(claim.study.as_ref().map(|study| format!("Study {study}")));
    on.extend(claim.seeds.map(|seeds| format!("{seeds} seeds")));
    let margins: Vec<f64> = claim.deciding().map(|decision| decision.contrast.margin).collect();
    on.extend(match margins.as_slice() {
        [first, rest @ ..] if rest.iter().all(|margin| margin == first) && *first > 0.0 => {
            Some(format!("margin {first}"))
        }
        _ => None,
    });
    on.extend((!bases.is_empty()).then(|| format!("compared: {}", bases.join("; "))));
    let on = if on.is_empty() { String::new() } else { format!(" {}.", on.join(", ")) };
    format!("{rule}: **{}{exactly}**.{on}", claim.verdict.text())
}

/// The verdict of an effect in words.
fn word(found: &Found) -> String {
    let differs = match (found.verdict, found.differs_from_0) {
        (Verdict::SmallerThanMargin, true) => ", differs from 0",
        _ => "",
    };
    format!("{}{differs}", found.verdict.text())
}

fn p(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.001 => "< 0.001".into(),
        Some(p) => fixed(p, 3),
        None => "–".into(),
    }
}

fn value(found: &Found) -> String {
    difference((found.estimate, found.low.zip(found.high)))
}

/// The effects that the claim hangs on.
fn decided(claim: &ClaimRow) -> String {
    let mut rows = Vec::new();
    for decision in claim.deciding() {
        for found in decision.primary() {
            let units = match found.without.len() {
                0 => found.units.len().to_string(),
                n => format!("{} (none on {n} more)", found.units.len()),
            };
            let word = if decision.asked { word(found) } else { "not asked".into() };
            rows.push([cell(&named(found)), value(found), p(found.p), units, word]);
        }
    }
    for one in claim.found() {
        let (finding, of) = (&one.finding, difference(one.value()));
        let word = finding.verdict.text().to_string();
        rows.push([cell(&finding.statistic), of, p(None), finding.units.to_string(), word]);
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut page = String::from(
        "\n| decided on | difference | p | targets or units | verdict |\n|---|---|---|---|---|\n",
    );
    rows.iter().for_each(|row| page += &format!("| {} |\n", row.join(" | ")));
    page
}

/// The bases of a decision, each once.
fn bases(decision: &Decision) -> Vec<&Basis> {
    let mut bases: Vec<&Basis> = Vec::new();
    for found in &decision.found {
        if !bases.contains(&&found.basis) {
            bases.push(&found.basis);
        }
    }
    bases
}

/// `−0.095 [−0.132, −0.058] (13)`.
fn counted(found: &Found) -> String {
    format!("{} ({})", value(found), found.units.len())
}

/// A row for each basis, a column for each effect.
fn by_basis(decision: &Decision) -> String {
    let bases = bases(decision);
    if bases.len() < 2 {
        return String::new();
    }
    let of = |basis: &Basis| -> Vec<&Found> {
        let mut found: Vec<&Found> = Vec::new();
        for one in decision.found.iter().filter(|one| one.basis == *basis) {
            // `each-fit` ends with networks at the end of training, which may be a basis of their own.
            if !found.iter().any(|known| known.name == one.name) {
                found.push(one);
            }
        }
        found
    };
    let names = of(bases[0]).into_iter().map(|found| cell(&named(found)));
    let names: Vec<String> = names.collect();
    let mut page = format!(
        "\nBy basis, with the number of targets:\n\n| compared | {} |\n|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for basis in bases {
        let cells: Vec<String> = of(basis).into_iter().map(counted).collect();
        page += &format!("| {} | {} |\n", basis.says(), cells.join(" | "));
    }
    page
}

/// What an earlier study left open.
fn earlier(claim: &ClaimRow) -> String {
    let Some(Earlier { study, decisions }) = &claim.earlier else { return String::new() };
    let deciding = decisions.iter().filter(|decision| !decision.contrast.beside);
    let effects: Vec<String> = deciding
        .flat_map(Decision::primary)
        .map(|e| format!("{} {}", named(e), counted(e)))
        .collect();
    format!(
        "\nThe first study, {study}, left it open by the same rule and does not count here: {}.\n",
        effects.join("; ")
    )
}

/// What stands beside the verdict: contrasts on the same bases in one table, with a column for each basis but single R²,
/// then findings.
fn beside(claim: &ClaimRow) -> String {
    let all = |decision: &Decision| -> Vec<Basis> {
        let bases = bases(decision).into_iter();
        bases.filter(|basis| !matches!(basis, Basis::At(_))).cloned().collect()
    };
    let mut page = String::new();
    let mut last: Option<Vec<Basis>> = None;
    for decision in claim.decisions.iter().filter(|decision| decision.contrast.beside) {
        let own = all(decision);
        if last.as_ref() != Some(&own) {
            let heads: Vec<String> = own.iter().map(Basis::says).collect();
            page += &format!(
                "\n| beside it | {} | targets | verdict |\n|---|{}---|---|\n",
                heads.join(" | "),
                "---|".repeat(heads.len())
            );
        }
        for found in decision.primary() {
            let on = |basis: &Basis| {
                let mut all = decision.found.iter();
                all.find(|one| one.basis == *basis && one.name == found.name)
                    .map_or("–".into(), value)
            };
            page += &format!(
                "| {}: {} | {} | {} | {} |\n",
                decision.contrast.id,
                cell(&named(found)),
                own.iter().map(on).collect::<Vec<String>>().join(" | "),
                found.units.len(),
                word(found)
            );
        }
        last = Some(own);
    }
    let findings: Vec<&Special> = claim.findings.iter().filter(|one| one.beside).collect();
    if !findings.is_empty() {
        page += "\n| beside it | value | units |\n|---|---|---|\n";
    }
    for one in findings {
        let Finding { statistic, units, .. } = &one.finding;
        page += &format!("| {} | {} | {units} |\n", cell(statistic), difference(one.value()));
    }
    page
}
