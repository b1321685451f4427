//! Text for people: what a terminal is sent, messages, progress.

use picloom::cli::{Bar, ascii_controls, duration, plain, shortened};

#[test]
fn a_terminal_is_never_sent_what_a_file_put_into_a_name() {
    assert_eq!(plain("a\u{1b}[31m\tb\nc\u{9b}"), "a\\u{1b}[31m\tb\nc\\u{9b}");
    assert_eq!(plain("\u{202e}txt"), "\\u{202e}txt");
    let json = serde_json::to_string("a\u{1b}\u{9b}\u{202e}é").unwrap();
    assert_eq!(ascii_controls(&json), r#""a\u001b\u009b\u202eé""#);
}

#[test]
fn long_messages_keep_their_ends() {
    let long = format!("path: {}the end", "x".repeat(20_000));
    let short = shortened(&long);
    assert!(short.starts_with("path: ") && short.ends_with("the end"));
    assert!(short.chars().count() < 1300);
    assert_eq!(shortened("short"), "short");
}

#[test]
fn a_line_says_what_the_bar_shows() {
    let bar = Bar::new(40, "weights", true);
    bar.inc(12);
    bar.set_message("loss 1e-3");
    let text = bar.text();
    assert!(text.starts_with("12/40 weights, loss 1e-3, 0 s"), "{text}");
}

#[test]
fn durations_have_the_unit_that_people_think_in() {
    assert_eq!(duration(44.7), "45 s");
    // No estimate jumps from one unit to another: 90, 101 and 120 seconds are told apart.
    let told = [59.4, 90.0, 101.0, 120.0, 594.0, 3_570.0].map(duration);
    assert_eq!(told, ["59 s", "1 min 30 s", "1 min 40 s", "2 min", "9 min 55 s", "1 h 0 min"]);
    assert_eq!(duration(720.0), "12 min");
    assert_eq!(duration(12_000.0), "3 h 20 min");
}
