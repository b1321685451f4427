//! Hostile texts, and checks that they stayed texts.

/// Markup, quotes, the end of a CDATA section, orders to a terminal, a turn of the writing.
pub(crate) const EVIL: &str =
    "=1+1</text><script>alert(\"1\")</script>]]>'\u{1b}[31m\u{9b}2J\u{7}\u{202e}&amp;";
/// A command that holds it, as a shell would be given it.
pub(crate) const COMMAND: &str =
    "picloom compare '=1+1</code><script>alert(1)</script>]]>\u{1b}[31m.json'";

/// A page without the one script that it has.
pub(crate) fn without_script(page: &str) -> String {
    page.replacen(&format!("<script>{}</script>", include_str!("../../assets/report.js")), "", 1)
}

/// Nothing that a browser or a terminal would follow.
#[track_caller]
pub(crate) fn assert_harmless(what: &str, text: &str) {
    let text = &without_script(text);
    for bad in ["<script", "alert(\"1", "</script", "\u{1b}", "\u{9b}", "\u{7}", "\u{202e}"] {
        assert!(!text.contains(bad), "{what}: {bad:?}");
    }
}

/// One file, without a link out of it.
#[allow(dead_code, reason = "not every target writes reports")]
#[track_caller]
pub(crate) fn assert_alone(page: &str) {
    let own = without_script(page).replace("http://www.w3.org/2000/svg", "");
    for outside in ["http://", "https://", "src=\"/", "url(/", "<script"] {
        assert!(!own.contains(outside), "{outside}");
    }
}

/// No cell that a spreadsheet would compute, and none that breaks the table.
#[track_caller]
pub(crate) fn assert_table(what: &str, csv: &str) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    assert!(!rows.is_empty(), "{what}");
    for cell in rows.iter().flatten() {
        let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        assert!(!formula || cell.parse::<f64>().is_ok(), "{what}: {cell:?}");
    }
}

/// Whole XML, and harmless.
#[track_caller]
pub(crate) fn parse(what: &str, svg: &str) {
    roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_harmless(what, svg);
}
