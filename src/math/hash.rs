//! SHA-256 as text: ids of configs, identities of files, pictures and weights.

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
