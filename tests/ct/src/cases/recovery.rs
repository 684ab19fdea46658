//! Recoverable signatures, made after one signature was discarded.

use super::case::{MESSAGE, secret_key};
use crate::valgrind::classify;
use falcon_core::rand_core::{TryCryptoRng, TryRng};
use falcon_core::seams::lanes::Baseline;
use falcon_core::{Parameters, recovery};
use std::convert::Infallible;
use std::hint::black_box;

/// A generator that returns one secret byte again and again.
struct Secret(u8);

impl TryRng for Secret {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("a seed is bytes")
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("a seed is bytes")
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        out.fill(self.0);
        classify(out);
        Ok(())
    }
}

impl TryCryptoRng for Secret {}

/// Signs with a seed whose first signature is discarded because its `s2` is not invertible.
pub(super) fn signed<P: Parameters>() {
    let key = secret_key::<P, _>(Baseline);
    let seed = match P::LOGN {
        9 => 80,
        _ => 1,
    };
    let signature = recovery::sign_with_rng(&*key, &mut Secret(seed), MESSAGE).expect("no fault");
    let mut first = key.sign_stream_from_seed(&[seed; 32]);
    first.update(MESSAGE);
    let first = first.finish().expect("no fault");
    assert_ne!(signature.nonce(), first.nonce(), "none was discarded");
    black_box(signature.to_bytes());
}
