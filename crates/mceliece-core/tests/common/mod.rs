//! Repeatable generators that several tests use.

use falcon_kat::Drbg;

/// A generator whose entropy is 48 times `byte`.
pub fn repeated(byte: u8) -> Drbg {
    Drbg::new(&[byte; 48])
}
