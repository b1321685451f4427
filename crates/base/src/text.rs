//! Numbers as people read them in print: significant digits, true minus signs, thin spaces; and texts as
//! shells and spreadsheets read them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Reads a count below 2^`BITS`, which can grow without overflow.
///
/// # Errors
/// It is larger, or no count.
pub fn count<'de, const BITS: u32, D: Deserializer<'de>, T: TryFrom<u64>>(
    from: D,
) -> Result<T, D::Error> {
    let found = u64::deserialize(from)?;
    let fits = (found >> BITS == 0).then(|| T::try_from(found).ok()).flatten();
    let fail =
        || serde::de::Error::custom(format!("expected a count below 2^{BITS}, found {found}"));
    fits.ok_or_else(fail)
}

/// Reads a number as JSON has it, which writes null for NaN.
///
/// # Errors
/// Neither a number nor null.
pub fn number_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Returns NaN, the default of a field that is absent and read by [`number_or_null`].
pub fn nan() -> f64 {
    f64::NAN
}

/// A number for people: up to `digits` significant digits, a true minus sign, thin spaces between
/// thousands, powers of ten as `4.3·10⁻⁴`; `–` for NaN, `∞` for infinities.
pub fn number(value: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 17);
    if value.is_nan() {
        return "–".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    // Rust prints the correctly rounded decimal digits: no logarithm is needed to find the power.
    let text = format!("{:.*e}", digits - 1, value.abs());
    let (mantissa, power) = text.split_once('e').expect("{:e} writes an e");
    let power: i32 = power.parse().expect("{:e} writes an integer power");
    let sign = if value < 0.0 { "−" } else { "" };
    if (-3..6).contains(&power) {
        let decimals = (digits as i32 - 1 - power).max(0) as usize;
        let mut plain = format!("{:.*}", decimals, value.abs());
        if plain.contains('.') {
            plain = plain.trim_end_matches('0').trim_end_matches('.').into();
        }
        format!("{sign}{}", grouped(&plain))
    } else {
        let mut mantissa = mantissa.to_string();
        if mantissa.contains('.') {
            mantissa = mantissa.trim_end_matches('0').trim_end_matches('.').into();
        }
        if mantissa == "1" {
            format!("{sign}10{}", superscript(power))
        } else {
            format!("{sign}{mantissa}·10{}", superscript(power))
        }
    }
}

/// A number with a fixed count of decimals, a true minus sign and thin spaces between thousands.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return number(value, 1);
    }
    let plain = format!("{:.*}", decimals, value.abs());
    let zero = plain.bytes().all(|b| b == b'0' || b == b'.');
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    format!("{sign}{}", grouped(&plain))
}

/// A whole number with its sign: `+3`, `−3`, `0`.
pub fn signed(value: i64) -> String {
    match value {
        0 => "0".into(),
        v if v > 0 => format!("+{v}"),
        v => format!("−{}", v.unsigned_abs()),
    }
}

/// `0.123` → `12.3 %` with `decimals` decimals.
pub fn percent(value: f64, decimals: usize) -> String {
    if value.is_finite() {
        format!("{}\u{a0}%", fixed(100.0 * value, decimals))
    } else {
        number(value, 1)
    }
}

/// `0.71 [0.65, 0.76]`: an estimate and its interval with `decimals` decimals.
pub fn interval(value: f64, low: f64, high: f64, decimals: usize) -> String {
    format!("{} [{}, {}]", fixed(value, decimals), fixed(low, decimals), fixed(high, decimals))
}

/// Thin no-break spaces between groups of three digits, from 10 000 on.
fn grouped(plain: &str) -> String {
    let (whole, rest) = match plain.find('.') {
        Some(dot) => plain.split_at(dot),
        None => (plain, ""),
    };
    if whole.len() < 5 {
        return plain.into();
    }
    let mut text = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text + rest
}

/// An integer in superscript: −12 → `⁻¹²`.
pub fn superscript(power: i32) -> String {
    power
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32(0x2070 + digit as u32 - '0' as u32).unwrap_or(digit),
        })
        .collect()
}

/// A text as a shell takes it for one word: in quotes where it needs them.
pub fn word(text: impl std::fmt::Display) -> String {
    let text = text.to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// An argument as a shell takes it for one word, also one that is no UTF-8: bash and zsh read `$'\xff'`.
pub fn word_of(argument: &OsStr) -> String {
    if let Some(text) = argument.to_str() {
        return word(text);
    }
    let written = |&byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("$'{}'", argument.as_encoded_bytes().iter().map(written).collect::<String>())
}

/// A path as something that is passed on may say it: as it is if it leads down from the folder at hand, else its
/// last part alone. Where a file lay on this machine is nobody's business.
pub fn portable(path: &Path) -> String {
    match path.file_name() {
        Some(name) if !leads_down(path) => name.to_string_lossy().into_owned(),
        _ => path.display().to_string(),
    }
}

/// A setting without places of this machine: a path, and every path in a command (`cmd:`), becomes what [`portable`] leaves.
pub fn portable_text(text: &str) -> String {
    let of = |word: &str| match word.starts_with(['/', '.']) {
        true => portable(Path::new(word)),
        false => word.to_string(),
    };
    match text.strip_prefix("cmd:") {
        Some(command) => {
            format!("cmd:{}", command.split(' ').map(of).collect::<Vec<_>>().join(" "))
        }
        None => of(text),
    }
}

/// True if a path leads down from the folder at hand: it can mean the same on another machine.
pub fn leads_down(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Serialises a path as people read it: JSON holds no other text than UTF-8, and file names may be other.
///
/// # Errors
/// As the serializer says.
pub fn path_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// [`path_text`] of a path that may be missing.
///
/// # Errors
/// As there.
pub fn path_text_if_any<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

/// [`path_text`] of each of some paths.
///
/// # Errors
/// As there.
pub fn path_texts<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// A text as a cell of a table: spreadsheets compute what begins like a formula, so a text that does,
/// and is no number, gets an apostrophe before it.
pub fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula && text.parse::<f64>().is_err() { format!("'{text}") } else { text.into() }
}

/// The text that [`cell`] wrote.
pub fn of_cell(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => text,
        _ => cell,
    }
}

/// Says why a text is not JSON. Python writes NaN and Infinity, and JSON allows neither.
pub fn json_flaw(text: &[u8], error: &serde_json::Error) -> String {
    let has = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
    match ["NaN", "Infinity"].into_iter().find(|word| has(word)).filter(|_| error.is_syntax()) {
        Some(word) => format!("{word}, where a number has to be finite"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula_and_numbers_stay_numbers() {
        for (text, wanted) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3", "'-2+3"),
            ("\t=1", "'\t=1"),
            ("-0.5", "-0.5"),
            ("+3", "+3"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(cell(text), wanted);
        }
    }

    #[test]
    fn a_text_with_a_space_or_a_quote_is_one_word_of_a_command() {
        let words = ["a/b-1.json", "my moth.json", "it's", ""].map(word);
        assert_eq!(words, ["a/b-1.json", "'my moth.json'", r"'it'\''s'", "''"]);
    }

    #[test]
    fn numbers_read_as_in_print() {
        for (value, digits, text) in [
            (0.0, 3, "0"),
            (-0.0, 3, "0"),
            (0.5, 3, "0.5"),
            (-1.25, 3, "−1.25"),
            (4.294e-4, 3, "4.29·10⁻⁴"),
            (1e-12, 3, "10⁻¹²"),
            (5478.0, 4, "5478"),
            (100000.0, 6, "100\u{202f}000"),
            (99.96, 3, "100"),
            (1234567.0, 3, "1.23·10⁶"),
            (f64::NAN, 3, "–"),
            (f64::NEG_INFINITY, 3, "−∞"),
        ] {
            assert_eq!(number(value, digits), text, "{value}");
        }
        assert_eq!(fixed(-0.0004, 2), "0.00");
        assert_eq!(fixed(-12345.678, 1), "−12\u{202f}345.7");
        assert_eq!([3, 0, -12].map(signed), ["+3", "0", "−12"]);
        assert_eq!(percent(0.9234, 1), "92.3\u{a0}%");
        assert_eq!(interval(0.7, 0.65, 0.76, 2), "0.70 [0.65, 0.76]");
    }

    #[test]
    fn no_setting_says_where_a_file_lay_on_this_machine() {
        for (text, said) in [
            ("/home/me/moth.json", "moth.json"),
            ("../me/moth.json", "moth.json"),
            ("genomes/moth.json", "genomes/moth.json"),
            ("cmd:python3 /home/me/mine.py --deep", "cmd:python3 mine.py --deep"),
            ("either/or", "either/or"),
        ] {
            assert_eq!(portable_text(text), said);
        }
    }
}
