//! The report of any study that has figures or contrasts: one page, everything in it.

use super::html::{Align, Cell, Page, Section, Table};
use super::plot::Drawing;
use super::usual::Arms;
use crate::base::text::fixed;
use crate::score::FIT_GATE;
use crate::study::contrast::{Decision, Found};

/// The content of a study's report.
pub(crate) struct Report<'a> {
    /// Name of the study.
    pub study: &'a str,
    /// Its question.
    pub question: &'a str,
    /// Facts for the head of the page: profile, judge, sizes.
    pub facts: Vec<(String, String)>,
    /// Warnings for the reader before the numbers: contrasts that were changed, another profile.
    pub remarks: Vec<String>,
    /// Sections before the decisions: its arms, of a study of networks.
    pub sections: Vec<Section>,
    /// How it was made, in words; may be empty.
    pub methods: String,
    /// How the program is cited.
    pub citation: String,
    /// The decisions.
    pub decisions: &'a [Decision],
    /// The figures, in order.
    pub figures: &'a [Drawing],
    /// The command that writes the page.
    pub command: &'a str,
}

impl Report<'_> {
    /// The page as HTML.
    pub(crate) fn render(&self) -> String {
        let mut page = Page::new(self.study, self.question);
        for (name, value) in &self.facts {
            page = page.fact(name.clone(), value.clone());
        }
        if !self.remarks.is_empty() {
            page = page.banner(super::html::Kind::Warning, "Note", self.remarks.join("\n"));
        }
        page.sections.extend(self.sections.clone());
        if !self.decisions.is_empty() {
            let mut section = Section::new("What was decided")
                .paragraph("One row per contrast: the difference of the groups on the basis that decides. A contrast is supported if its rule holds for every group.")
                .table(self.verdicts());
            for decision in self.decisions {
                let inside = Section::new(&decision.contrast.id).table(effects(&decision.found));
                let summary = format!("{}, on every basis", decision.contrast.id);
                section = section.details(summary, inside);
            }
            page = page.section(section);
        }
        if !self.figures.is_empty() {
            let mut section = Section::new("Figures");
            for figure in self.figures {
                section = section.figure(figure.svg.clone(), figure.caption.clone());
            }
            page = page.section(section);
        }
        let mut methods = Section::new("Methods");
        for text in [&self.methods, &self.citation].into_iter().filter(|text| !text.is_empty()) {
            methods = methods.paragraph(text.as_str());
        }
        page = page.section(methods);
        page.section(Section::new("How to repeat it").code(self.command)).render()
    }

    fn verdicts(&self) -> Table {
        let head = ["contrast", "what it says", "effect", "basis", "units", "verdict"];
        let mut rows = Vec::new();
        for decision in self.decisions {
            for (k, found) in decision.primary().enumerate() {
                let (id, says) = match k {
                    0 => (decision.contrast.id.as_str(), decision.contrast.says.as_str()),
                    _ => ("", ""),
                };
                let verdict = match (decision.asked, decision.contrast.beside) {
                    (false, _) => "not asked".into(),
                    (true, true) => format!("{} (beside)", found.verdict_text()),
                    (true, false) => found.verdict_text(),
                };
                rows.push(vec![
                    Cell::new(id).strong(true),
                    Cell::new(says),
                    Cell::new(format!("{}: {}", found.name, effect(found))),
                    Cell::new(found.basis.says()),
                    Cell::new(found.units.len().to_string()),
                    Cell::new(verdict),
                ]);
            }
        }
        table(&head, rows)
    }
}

/// The arms of a study of networks, with the meaning of their numbers.
pub(crate) fn arms_section(arms: &Arms) -> Section {
    let unit = &arms.unit;
    let says = format!(
        "One row per arm, at the end of training. A score is the mean over {unit}s of the networks that learned their picture (R² ≥ {FIT_GATE}); grey rows have none, and do not count. {}",
        arms.interval()
    );
    Section::new("The networks").paragraph(says).table(arms_table(arms))
}

/// The arms as a table.
fn arms_table(arms: &Arms) -> Table {
    let rest = ["networks", "learned", "score", "clean share", "over", "links kept", "R²"];
    let headers = arms.columns.iter().map(String::as_str).chain(rest).map(String::from);
    let number =
        |value: Option<f64>, decimals: usize| value.map_or("–".into(), |v| fixed(v, decimals));
    let row = |arm: &super::usual::ArmRow| {
        let score = match (arm.score, arm.interval) {
            (Some(score), Some((low, high))) => {
                format!("{} [{}, {}]", fixed(score, 2), fixed(low, 2), fixed(high, 2))
            }
            (score, _) => number(score, 2),
        };
        let plural = if arm.units == 1 { "" } else { "s" };
        let rest = [
            arm.networks.to_string(),
            format!("{} of {}", arm.fit, arm.networks),
            score,
            number(arm.clean_share, 2),
            format!("{} {}{plural}", arm.units, arms.unit),
            number(arm.kept, 0),
            number(arm.r2, 3),
        ];
        let cells = arm.names.iter().cloned().chain(rest);
        cells.map(|text| Cell::new(text).faint(arm.fit == 0)).collect()
    };
    let align = vec![Align::Left; arms.columns.len()].into_iter().chain([Align::Right; 7]);
    Table {
        headers: headers.collect(),
        align: align.collect(),
        rows: arms.rows.iter().map(row).collect(),
        ..Table::default()
    }
}

/// `0.12 [0.05, 0.19]`.
fn effect(found: &Found) -> String {
    match (found.estimate, found.low, found.high) {
        (Some(e), Some(l), Some(h)) => {
            format!("{} [{}, {}]", fixed(e, 3), fixed(l, 3), fixed(h, 3))
        }
        (Some(e), ..) => fixed(e, 3),
        _ => "no data".into(),
    }
}

fn effects(found: &[Found]) -> Table {
    let head = ["basis", "groups", "effect", "p", "units", "pairs not comparable", "verdict"];
    let row = |found: &Found| {
        vec![
            Cell::new(found.basis.says()),
            Cell::new(&found.name),
            Cell::new(effect(found)),
            Cell::new(match found.p {
                Some(p) if p < 0.001 => "< 0.001".into(),
                p => p.map_or(String::new(), |p| fixed(p, 3)),
            }),
            Cell::new(found.units.len().to_string()),
            Cell::new(found.missing.to_string()),
            Cell::new(found.verdict_text()),
        ]
    };
    table(&head, found.iter().map(row).collect())
}

fn table(head: &[&str], rows: Vec<Vec<Cell>>) -> Table {
    Table {
        headers: head.iter().map(|text| (*text).to_string()).collect(),
        rows,
        ..Table::default()
    }
}
