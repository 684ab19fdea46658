//! Seeds of keys, from the operating system or from a file.

use crate::{
    access::warn_if_exposed,
    error::{Error, Result},
    input::read_object,
    ui::Ui,
};
use std::path::Path;
use zeroize::Zeroizing;

/// Length of a seed in bytes.
pub const SEED_LEN: usize = 32;

/// Length in bytes of the longest file that is read. The length is bounded, so that a wrong path
/// costs little time.
const MAX_FILE: u64 = 64 * 1024;

/// Returns a seed of fresh random bytes from the operating system.
///
/// # Errors
/// If the system has no random bytes.
pub fn fresh_seed() -> Result<Zeroizing<[u8; SEED_LEN]>> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    getrandom::fill(&mut *seed)
        .map_err(|error| Error::new("the system has no random bytes").because(error))?;
    Ok(seed)
}

/// Reads a seed from a file: `N` bytes, or `2 N` hexadecimal digits. `options` lists the seed
/// lengths that the program accepts, each with its option. Warns if other users can read the file.
///
/// # Errors
/// If the file cannot be read, or is not a seed of this length.
pub fn read_seed<const N: usize>(
    path: &Path,
    options: &[(usize, &str)],
    ui: Ui,
) -> Result<Zeroizing<[u8; N]>> {
    let bytes = read_object(path, MAX_FILE, "seed")?;
    if bytes.len() == N && bytes.iter().all(is_text) {
        return Err(Error::at(
            path,
            format_args!("is {N} characters of text: too easy to guess for a seed"),
        )
        .hint(format_args!(
            "a seed is {N} random bytes or {} hexadecimal digits; {N} digits are {} bytes",
            2 * N,
            N / 2
        )));
    }
    let seed = parse_seed(&bytes).ok_or_else(|| {
        let error = Error::at(
            path,
            format_args!(
                "is not a seed: neither {N} bytes nor {} hexadecimal digits",
                2 * N
            ),
        );
        let fits = |&&(len, _): &&(usize, &str)| len != N && is_seed(len, &bytes);
        match options.iter().find(fits) {
            Some((_, option)) => error.hint(format_args!("name it with {option}")),
            None => error.hint(format_args!(
                "make one with: (umask 077; head -c {N} /dev/urandom > FILE)"
            )),
        }
    })?;
    // If the file is not a seed, it need not be secret.
    warn_if_exposed(path, "secret seed", ui);
    Ok(seed)
}

/// Returns true for a byte that occurs in text. A random seed consists only of such bytes with a
/// probability of 10^-13.
fn is_text(byte: &u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// True if `bytes` have the form of a seed of `len` bytes.
fn is_seed(len: usize, bytes: &[u8]) -> bool {
    let digits = digits_of(bytes);
    bytes.len() == len || digits.len() == 2 * len && digits.iter().all(u8::is_ascii_hexdigit)
}

/// Removes one line end from the end of a text.
fn digits_of(bytes: &[u8]) -> &[u8] {
    let digits = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    digits.strip_suffix(b"\r").unwrap_or(digits)
}

/// Parses `N` bytes, or their hexadecimal digits with at most one line end.
fn parse_seed<const N: usize>(bytes: &[u8]) -> Option<Zeroizing<[u8; N]>> {
    let mut seed = Zeroizing::new([0; N]);
    if bytes.len() == N {
        seed.copy_from_slice(bytes);
        return Some(seed);
    }
    let digits = digits_of(bytes);
    if digits.len() != 2 * N {
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
        fn check<const N: usize>() {
            let expected: [u8; N] = core::array::from_fn(|i| 0xf0 ^ i as u8);
            let digits = base16ct::lower::encode_string(&expected);
            for text in [
                digits.clone(),
                format!("{digits}\n"),
                format!("{digits}\r\n"),
                digits.to_ascii_uppercase(),
            ] {
                assert_eq!(*parse_seed(text.as_bytes()).unwrap(), expected);
                assert!(is_seed(N, text.as_bytes()));
            }
            assert_eq!(*parse_seed(&expected).unwrap(), expected);
            assert!(is_seed(N, &expected));
        }
        check::<SEED_LEN>();
        check::<48>();
    }

    #[test]
    fn anything_else_is_no_seed() {
        fn check<const N: usize>() {
            let digits = "0".repeat(2 * N);
            for text in [
                "",
                &digits[1..],
                &format!("{digits}0"),
                &format!("{digits}\n\n"),
                &digits.replacen('0', "g", 1),
                &digits.replacen('0', "+", 1),
            ] {
                assert!(parse_seed::<N>(text.as_bytes()).is_none(), "{text}");
                assert!(!is_seed(N, text.as_bytes()), "{text}");
            }
        }
        check::<SEED_LEN>();
        check::<48>();
    }
}
