//! What the tests share: their extent, repeatable randomness, keys.

use falcon_core::seams::hash::{Shake256, Shake256Reader};
use falcon_core::{Parameters, SigningKey};
use rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;

/// The variable that asks for the whole extent of every test.
pub const FULL_VARIABLE: &str = "FALCON_FULL";

/// `full` if [`FULL_VARIABLE`] is 1, else `quick`; says which on stderr.
pub fn extent<T: std::fmt::Display>(what: &str, quick: T, full: T) -> T {
    let all = std::env::var(FULL_VARIABLE).is_ok_and(|value| value == "1");
    let chosen = if all { full } else { quick };
    eprintln!("{what}: {chosen} ({FULL_VARIABLE}=1 for all)");
    chosen
}

/// A generator that repeats: SHAKE256 of a label.
pub struct Repeatable(Shake256Reader);

impl Repeatable {
    /// The generator of `label`.
    pub fn new(label: &str) -> Self {
        Self(Shake256::reader(label.as_bytes()))
    }

    /// The next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        self.0.read_array()
    }

    /// The next `len` bytes.
    pub fn vec(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.0.read(&mut out);
        out
    }
}

impl TryRng for Repeatable {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.0.read(out);
        Ok(())
    }
}

impl TryCryptoRng for Repeatable {}

/// The signing key number `i` of the tests.
pub fn key<P: Parameters>(i: u8) -> SigningKey<P> {
    SigningKey::from_seed(&[i; 32])
}

/// The README's code, which compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
