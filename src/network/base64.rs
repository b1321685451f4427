//! Bytes as text, for data URIs and plans.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 (RFC 4648, with padding).
pub fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .enumerate()
            .fold(0u32, |word, (i, &b)| word | u32::from(b) << (16 - 8 * i));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(char::from(LETTERS[(word >> (18 - 6 * i)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// The bytes of a [`base64`] text; none if it is not one.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in text.as_bytes().chunks(4) {
        let letters: Vec<u8> = chunk.iter().copied().take_while(|c| *c != b'=').collect();
        let mut word = 0u32;
        for (i, letter) in letters.iter().enumerate() {
            let value = LETTERS.iter().position(|l| l == letter)? as u32;
            word |= value << (18 - 6 * i);
        }
        let count = letters.len().checked_sub(1).filter(|count| *count > 0)?;
        out.extend_from_slice(&word.to_be_bytes()[1..=count]);
    }
    // Nothing that another text could mean.
    (base64(&out) == text).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_vectors_of_rfc_4648() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
            assert_eq!(from_base64(coded).unwrap(), plain.as_bytes());
        }
        assert_eq!(base64(&[255, 254, 253]), "//79");
        for wrong in ["Z", "Zg", "Zg=", "Zh==", "Z===", "Zm9vYg==Zg==", "Zm 9"] {
            assert_eq!(from_base64(wrong), None, "{wrong}");
        }
    }
}
