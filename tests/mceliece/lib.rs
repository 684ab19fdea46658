//! Code that the tests and the timings of Classic McEliece share.

use falcon_keccak::{Shake256, Shake256Reader};
use rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;

/// A deterministic generator: SHAKE256 of a label.
pub struct Repeatable(Shake256Reader);

impl Repeatable {
    /// Creates the generator of `label`.
    pub fn new(label: &str) -> Self {
        Self(Shake256::reader(label.as_bytes()))
    }

    /// Returns the next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        self.0.read_array()
    }

    /// Fills `out` with the next bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        self.0.read(out);
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
        self.fill(out);
        Ok(())
    }
}

impl TryCryptoRng for Repeatable {}
