//! Seeds of keys: from the system, or from a file.

use crate::{
    error::{Error, Result},
    input::read_object,
};
use std::path::Path;
use zeroize::Zeroizing;

/// Length of a seed in bytes.
pub const SEED_LEN: usize = 32;

/// Longest file that is read, so that a wrong path costs little.
const MAX_FILE: u64 = 64 * 1024;

/// A seed of fresh random bytes from the operating system.
///
/// # Errors
/// The system has none.
pub fn fresh_seed() -> Result<Zeroizing<[u8; SEED_LEN]>> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    getrandom::fill(&mut *seed)
        .map_err(|error| Error::new("the system has no random bytes").because(error))?;
    Ok(seed)
}

/// Reads a seed from a file: 32 bytes, or 64 hexadecimal digits.
///
/// # Errors
/// The file cannot be read, or is not a seed.
pub fn read_seed(path: &Path) -> Result<Zeroizing<[u8; SEED_LEN]>> {
    let bytes = read_object(path, MAX_FILE, "seed")?;
    if bytes.len() == SEED_LEN && bytes.iter().all(is_text) {
        return Err(Error::at(
            path,
            "is 32 characters of text: too easy to guess for a seed",
        )
        .hint("a seed is 32 random bytes or 64 hexadecimal digits; 32 digits are 16 bytes"));
    }
    parse_seed(&bytes).ok_or_else(|| {
        Error::at(
            path,
            "is not a seed: neither 32 bytes nor 64 hexadecimal digits",
        )
        .hint("make one with: head -c 32 /dev/urandom > FILE")
    })
}

/// Random bytes are all text once in 10^13 times.
fn is_text(byte: &u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// 32 bytes as they are, or as digits with one line end.
fn parse_seed(bytes: &[u8]) -> Option<Zeroizing<[u8; SEED_LEN]>> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    if bytes.len() == SEED_LEN {
        seed.copy_from_slice(bytes);
        return Some(seed);
    }
    let digits = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
    if digits.len() != 2 * SEED_LEN {
        return None;
    }
    base16ct::mixed::decode(digits, &mut *seed).ok()?;
    Some(seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_bytes_or_digits() {
        let expected: [u8; SEED_LEN] = core::array::from_fn(|i| 0xf0 ^ i as u8);
        let digits = base16ct::lower::encode_string(&expected);
        for text in [
            digits.clone(),
            format!("{digits}\n"),
            format!("{digits}\r\n"),
            digits.to_ascii_uppercase(),
        ] {
            assert_eq!(*parse_seed(text.as_bytes()).unwrap(), expected);
        }
        assert_eq!(*parse_seed(&expected).unwrap(), expected);
    }

    #[test]
    fn anything_else_is_no_seed() {
        let digits = "0".repeat(2 * SEED_LEN);
        for text in [
            "",
            &digits[1..],
            &format!("{digits}0"),
            &format!("{digits}\n\n"),
            &digits.replacen('0', "g", 1),
            &digits.replacen('0', "+", 1),
        ] {
            assert!(parse_seed(text.as_bytes()).is_none(), "{text}");
        }
    }
}
