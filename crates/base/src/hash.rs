//! SHA-256 as text: ids of configs, identities of files, pictures and weights.

use serde::Serialize;
use sha2::{Digest, Sha256};

/// Hex digits of `bytes`, two each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 in 64 hex digits.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(bytes))
}

/// [`sha256_hex`] of the little-endian bytes of `values`.
pub fn sha256_of_floats(values: &[f32]) -> String {
    sha256_hex(values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

/// The first 16 digits of [`sha256_hex`]: an id.
pub fn short_id(bytes: impl AsRef<[u8]>) -> String {
    sha256_hex(bytes)[..16].to_string()
}

/// The canonical JSON of a value. Ids are hashes of this text.
///
/// Fields stand in the order of their declaration; floats have the fewest digits that read back to the same bits.
/// Renaming or moving a field changes ids, and then `tests/studies/ids.rs` fails.
///
/// JSON writes NaN and infinity as `null`, so hash weights with [`sha256_of_floats`].
///
/// ```
/// use picloom_base::hash::canonical_json;
///
/// assert_eq!(canonical_json(&("sp", [true], 1.0_f32, 0.1)), r#"["sp",[true],1.0,0.1]"#);
/// ```
///
/// # Panics
/// The value has a map whose keys are not text.
pub fn canonical_json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// The [`short_id`] of the [`canonical_json`] of a value.
pub fn json_id(value: &(impl Serialize + ?Sized)) -> String {
    short_id(canonical_json(value))
}
