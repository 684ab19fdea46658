//! Repeatable generators that several tests use.

use falcon_kat::Drbg;
use rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;

/// The generator of the vectors, as a generator of `rand_core`.
pub struct Nist(pub Drbg);

impl Nist {
    /// A generator whose entropy is 48 times `byte`.
    pub fn repeated(byte: u8) -> Self {
        Self(Drbg::new(&[byte; 48]))
    }
}

impl TryRng for Nist {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.0.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.0.bytes()))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(out);
        Ok(())
    }
}

impl TryCryptoRng for Nist {}
