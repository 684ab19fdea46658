//! A generator that repeats itself, for tests.

use core::convert::Infallible;
use rand_core::{TryCryptoRng, TryRng, utils::next_word_via_fill};

/// A generator that starts again with these bytes at each call, and repeats them as often as
/// needed.
///
/// ```
/// use falcon_kat::Again;
/// use rand_core::TryRng;
///
/// let mut out = [0; 3];
/// Again([1, 2]).try_fill_bytes(&mut out).unwrap();
/// assert_eq!(out, [1, 2, 1]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Again<B>(pub B);

impl<B: AsRef<[u8]>> TryRng for Again<B> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        next_word_via_fill(self)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        next_word_via_fill(self)
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        let bytes = self.0.as_ref();
        assert!(!bytes.is_empty(), "no bytes to repeat");
        let bytes = bytes.iter().cycle();
        out.iter_mut()
            .zip(bytes)
            .for_each(|(out, byte)| *out = *byte);
        Ok(())
    }
}

/// Predictable on purpose: the trait exists for functions that require it.
impl<B: AsRef<[u8]>> TryCryptoRng for Again<B> {}
