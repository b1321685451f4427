//! Decides each claim from the contrasts of the studies and the special findings.

use super::claim_row::{ClaimRow, Earlier};
use super::results::{LedgerError, Results, all_of, path};
use super::spec::{ClaimText, StudySpec};
use super::special::SPECIAL;
use crate::finding::Verdict;
use picloom::base::table::Table;
use picloom::study::contrast::{self, ContrastSpec, Decision, combined};
use picloom::study::record::{Head, RecordError, STUDY, damaged};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A contrast's verdict in the three words of the ledger.
fn plain(verdict: contrast::Verdict) -> Verdict {
    match verdict {
        contrast::Verdict::Supported => Verdict::Supported,
        contrast::Verdict::Inconclusive => Verdict::Inconclusive,
        contrast::Verdict::SmallerThanMargin | contrast::Verdict::Contradicted => {
            Verdict::NotSupported
        }
    }
}

/// The decisions of one study on a claim.
struct Decided<'a> {
    study: &'a str,
    decisions: Vec<Decision>,
    verdict: contrast::Verdict,
    profile: String,
    notes: Vec<String>,
    seeds: Option<usize>,
    earlier: Option<Earlier>,
}

/// The row of a claim, beside those of the claims before it.
pub(super) fn row(
    spec: &StudySpec,
    text: &ClaimText,
    results: &mut Results,
    earlier: &[ClaimRow],
) -> Result<ClaimRow, LedgerError> {
    let mut row = ClaimRow::open(text.clone());
    let supported =
        |id: &String| earlier.iter().any(|r| r.text.id == *id && r.verdict == Verdict::Supported);
    if let Some(after) = text.after.as_ref().filter(|after| !supported(after)) {
        row.notes = vec![format!("not asked: its rule asks only where {after} is supported")];
        return Ok(row);
    }
    let mut verdicts = Vec::new();
    if let Some((_, find)) = SPECIAL.iter().find(|one| Some(one.0) == text.special.as_deref()) {
        let found = find(results)?;
        verdicts.push(found.verdict);
        (row.findings, row.notes) = (found.findings, found.notes);
        (row.seeds, row.records) = (found.seeds, found.records);
    }
    if let Some(decided) = by_first(spec, text, results)? {
        verdicts.push(plain(decided.verdict));
        row.exactly = Some(decided.verdict);
        row.study = Some(decided.study.to_string());
        row.records.push(path(decided.study));
        row.seeds = decided.seeds.or(row.seeds);
        (row.decisions, row.earlier) = (decided.decisions, decided.earlier);
        row.notes.extend(decided.notes);
    } else if let Some(first) = text.decided_by.first() {
        row.notes.push(format!("no record of {first}: it has not been run"));
        // A second half that is not there leaves the first alone.
        if text.special.is_none() {
            verdicts.push(Verdict::Inconclusive);
        }
    } else if text.special.is_none() {
        row.notes.push("no contrast decides it: its rule stands in words".into());
    }
    if !verdicts.is_empty() {
        row.verdict = all_of(&verdicts);
    }
    for study in &text.beside {
        if let Some(beside) = beside(spec, text, study, results)? {
            row.decisions.extend(beside);
            row.records.push(path(study));
        }
    }
    Ok(row)
}

/// By the first study; where it leaves the claim open, by the next one that is there in the same profile.
fn by_first<'a>(
    spec: &StudySpec,
    text: &'a ClaimText,
    results: &mut Results,
) -> Result<Option<Decided<'a>>, LedgerError> {
    let mut decided: Option<Decided<'a>> = None;
    for study in &text.decided_by {
        let Some(mut next) = by_study(spec, &text.id, study, results)? else { continue };
        match &decided {
            Some(first) if first.verdict != contrast::Verdict::Inconclusive => break,
            Some(first) if first.profile != next.profile => break,
            _ => {}
        }
        next.earlier = decided.map(|Decided { study, decisions, .. }| {
            let study = study.to_string();
            Earlier { study, decisions }
        });
        decided = Some(next);
    }
    Ok(decided)
}

/// Decides a claim by the contrasts of one study; `None` if the study has no result.
fn by_study<'a>(
    spec: &StudySpec,
    claim: &str,
    study: &'a str,
    results: &mut Results,
) -> Result<Option<Decided<'a>>, LedgerError> {
    let Some(folder) = results.of(study)? else { return Ok(None) };
    let contrasts: Vec<ContrastSpec> = spec.of_claim(study, claim).cloned().collect();
    let table = results.tables.of(study).map_err(LedgerError::Table)?;
    let head = head(&folder)?;
    let mut notes = circumstances(&head, &table);
    let mut is_whole = true;
    let decisions = match contrast::decide(study, &contrasts, &mut results.tables) {
        Ok(decisions) => decisions,
        // A result of another design than the spec's may lack a column: such a contrast is left out, and said.
        Err(_) => {
            let mut is_there = |one: &ContrastSpec| {
                let alone = ContrastSpec { after: None, ..one.clone() };
                let found = contrast::decide(study, &[alone], &mut results.tables);
                let refused = found.err().map(|refusal| {
                    is_whole &= one.beside;
                    notes.push(format!("left out: {refusal}"));
                });
                refused.is_none()
            };
            let there: Vec<ContrastSpec> =
                contrasts.into_iter().filter(|one| is_there(one)).collect();
            contrast::decide(study, &there, &mut results.tables).map_err(LedgerError::Table)?
        }
    };
    let deciding = || decisions.iter().filter(|decision| !decision.contrast.beside);
    notes.extend(learned(&table, deciding().map(|decision| &decision.contrast)));
    let verdict = if is_whole {
        combined(deciding().map(|decision| decision.verdict))
    } else {
        contrast::Verdict::Inconclusive
    };
    let profile = field(&head, "profile");
    let seeds = seeds(&table);
    Ok(Some(Decided { study, verdict, decisions, profile, notes, seeds, earlier: None }))
}

/// The contrasts of a study that stands beside a claim: those for the claim, and those for the study itself. None
/// without its result, or without one that they read, or if these are of different sizes or lengths.
fn beside(
    spec: &StudySpec,
    text: &ClaimText,
    study: &str,
    results: &mut Results,
) -> Result<Option<Vec<Decision>>, LedgerError> {
    let contrasts = [study, &text.id].into_iter().flat_map(|claim| spec.of_claim(study, claim));
    let contrasts: Vec<ContrastSpec> = contrasts.cloned().collect();
    let mut read: BTreeSet<&str> = BTreeSet::from([study]);
    read.extend(contrasts.iter().flat_map(|one| &one.tables).map(String::as_str));
    let mut designs = BTreeSet::new();
    for part in read {
        let Some(folder) = results.of(part)? else { return Ok(None) };
        let head = head(&folder)?;
        designs.insert((field(&head, "size"), field(&head, "steps")));
    }
    if designs.len() > 1 {
        return Ok(None);
    }
    let decisions = contrast::decide(study, &contrasts, &mut results.tables).ok();
    Ok(decisions.map(|mut decisions| {
        decisions.iter_mut().for_each(|decision| decision.contrast.beside = true);
        decisions
    }))
}

/// Reads the head of a study's record.
fn head(folder: &Path) -> Result<Head, RecordError> {
    let path = folder.join(STUDY);
    Head::read(&path).map_err(|found| damaged(&path, "what a study says of itself", found))
}

/// A field of a study as text; empty without it.
fn field(head: &Head, name: &str) -> String {
    match head.fields.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// How a study was run, and what became of its networks.
fn circumstances(head: &Head, table: &Table) -> Vec<String> {
    let of = |name| field(head, name);
    let mut notes = vec![format!(
        "profile {}, {}², {} steps, judge {}",
        of("profile"),
        of("size"),
        of("steps"),
        of("judge")
    )];
    if let Some(Value::Array(names)) = head.fields.get("left_out")
        && !names.is_empty()
    {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        notes.push(format!("left out, no archive: {}", names.join(", ")));
    }
    if head.fields.get("predicted") == Some(&Value::Bool(false)) {
        notes.push(
            "no depth was predicted: no network of the depth study learned its picture".into(),
        );
    }
    let ends: Vec<usize> = (0..table.len()).filter(|&row| is_end(table, row)).collect();
    let text = |name: &str, row: usize| table.get(name).map_or("", |column| column.text(row));
    let number = |name: &str, row| table.get(name).and_then(|c| c.number(row)).unwrap_or(0.0);
    let count = |holds: &dyn Fn(usize) -> bool| ends.iter().filter(|&&row| holds(row)).count();
    let collapsed = |row| text("stop", row) == "collapsed";
    let again = |row| number("collapses", row) > if collapsed(row) { 1.0 } else { 0.0 };
    for (count, what) in [
        (count(&|row| !text("error", row).is_empty()), "networks failed"),
        (count(&again), "networks collapsed and began again"),
        (count(&collapsed), "networks ended collapsed, of one colour"),
    ] {
        if count > 0 {
            notes.push(format!("{count} of {} {what}", ends.len()));
        }
    }
    notes
}

/// Whether a row is a network at the end of training.
fn is_end(table: &Table, row: usize) -> bool {
    table.get("at").is_none_or(|at| at.text(row).is_empty())
}

fn seeds(table: &Table) -> Option<usize> {
    let seeds = table.get("seed")?.distinct().filter(|seed| !seed.is_empty()).count();
    (seeds > 0).then_some(seeds)
}

/// How many networks of each arm that is compared learned their picture, in a sentence.
fn learned<'a>(table: &Table, contrasts: impl Iterator<Item = &'a ContrastSpec>) -> Option<String> {
    let fit = table.get("fit")?;
    let mut arms: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for spec in contrasts.filter(|spec| spec.tables.is_empty()) {
        for group in &spec.between {
            let groups = match group.values("arm") {
                Some(arms) => {
                    arms.iter().map(|a| (a.as_str(), group.without("arm").and("arm", a))).collect()
                }
                None => vec![("all", group.clone())],
            };
            for (arm, group) in groups {
                let rows = group.over(&spec.rows).rows(table).ok()?;
                let of_arm = arms.entry(arm).or_default();
                of_arm.extend(rows.into_iter().filter(|&row| is_end(table, row)));
                if !order.contains(&arm) {
                    order.push(arm);
                }
            }
        }
    }
    let of_arm = |arm: &&str| {
        let rows = &arms[arm];
        let fit = rows.iter().filter(|&&row| fit.number(row) == Some(1.0)).count();
        (!rows.is_empty()).then(|| format!("{arm} {fit} of {}", rows.len()))
    };
    let said: Vec<String> = order.iter().filter_map(of_arm).collect();
    (!said.is_empty())
        .then(|| format!("learned their picture by the end of training: {}", said.join(", ")))
}
