//! SamplerZ: integers from a Gaussian of given centre and deviation.
//!
//! Source: Falcon specification v1.2, algorithms 12 to 15.

mod base;
mod ber_exp;
mod first_byte;
mod serial;

pub use serial::SerialSampler;

use crate::tree::Leaf;

/// The source of the integers at the leaves of ffSampling.
pub trait SamplerZ {
    /// One value of every lane.
    type Real: Copy;

    /// The two independent integers of a leaf, around `centers`, in this
    /// order. A lane consumes its own randomness only.
    fn sample_pair(&mut self, centers: [Self::Real; 2], leaf: &Leaf) -> [Self::Real; 2];
}

/// Where the sampler's random bytes come from.
pub trait ByteSource {
    /// The next 8 bytes, little-endian.
    fn next_u64(&mut self) -> u64;
    /// The next byte.
    fn next_u8(&mut self) -> u8;

    /// What every attempt of the sampler reads: [`next_u64`](Self::next_u64),
    /// then three times [`next_u8`](Self::next_u8).
    #[inline(always)]
    fn next_attempt(&mut self) -> [u8; 11] {
        let mut out = [0; 11];
        let (low, bytes) = out.split_at_mut(8);
        low.copy_from_slice(&self.next_u64().to_le_bytes());
        for byte in bytes {
            *byte = self.next_u8();
        }
        out
    }
}

impl ByteSource for crate::prng::Prng {
    #[inline(always)]
    fn next_u64(&mut self) -> u64 {
        Self::next_u64(self)
    }
    #[inline(always)]
    fn next_u8(&mut self) -> u8 {
        Self::next_u8(self)
    }
    #[inline(always)]
    fn next_attempt(&mut self) -> [u8; 11] {
        Self::next_attempt(self)
    }
}

#[cfg(test)]
mod tests;
