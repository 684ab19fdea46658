//! Signing in which the first attempt is refused, because it does not fit the padded format.
//!
//! For Falcon-1024, one attempt in 1200 is refused for this reason. For Falcon-512, none of 200,000
//! attempts was refused for it. Both degrees use the same code.

use super::case::{MESSAGE, check, secret_key, with_scratch};
use crate::valgrind::classify;
use falcon_core::hazmat::{
    BatchSignRaw, FaultError, Fit, RawJob, RawRandomness, SecretKey, sign_raw_on,
    sign_with_seeds_on,
};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::seams::{LaneEngine, expand_on};
use falcon_core::{Falcon1024, Scratch, Signature};
use sha3::digest::{ExtendableOutput, Update, XofReader};

const NONCE: [u8; 40] = [2; 40];

/// A seed whose first attempt is refused.
const REFUSED: [u8; 8] = 1304_u64.to_le_bytes();
/// A seed whose first attempt is accepted.
const ACCEPTED: [u8; 8] = [0; 8];

/// Signs with the sampler seeds that the stream of `seed` gives.
///
/// # Panics
/// Panics if the verdict on the first attempt does not match the name of `seed`.
fn sign<B: SigningIsa>(
    b: B,
    key: &impl SecretKey<Falcon1024>,
    seed: [u8; 8],
    scratch: &mut Scratch<'_, Falcon1024>,
) -> Signature<Falcon1024> {
    let mut stream = sha3::Shake256::default().chain(seed).finalize_xof();
    let mut attempts = 0;
    let next_seed = |seed: &mut [u8; 56]| {
        attempts += 1;
        stream.read(seed);
        classify(seed);
        Ok::<_, FaultError>(())
    };
    let signature = sign_with_seeds_on(b, key, &NONCE, next_seed, MESSAGE, Fit::Padded, scratch);
    let signature = signature.expect("no fault");
    check(&signature);
    assert_eq!(attempts, if seed == REFUSED { 2 } else { 1 });
    signature
}

/// Signs one message at a time, with both forms of the key.
pub(super) fn alone<B: SigningIsa>(b: B) {
    let key = secret_key(b);
    let expanded = expand_on(b, &key);
    with_scratch(|scratch| {
        let expected = sign(b, &*key, REFUSED, scratch);
        let seed = REFUSED;
        classify(&seed);
        let randomness = RawRandomness {
            nonce: &NONCE,
            seed: &seed,
        };
        let signature =
            sign_raw_on(b, &expanded, randomness, MESSAGE, Fit::Padded, scratch).expect("no fault");
        check(&signature);
        assert_eq!(signature, expected);
    });
}

/// Signs one job more than there are lanes. The first attempt of every other job is refused. The
/// last job is one of these, and is signed on one lane.
pub(super) fn batch<B: SigningIsa, F: Fft>(arith: B, fft: F) {
    let key = secret_key(arith);
    let expanded = expand_on(arith, &key);
    let public: Vec<_> = (0..=F::LANES)
        .map(|job| [REFUSED, ACCEPTED][job % 2])
        .collect();
    let seeds = public.clone();
    classify(&seeds[..]);
    let randomness = seeds.iter().map(|seed| RawRandomness {
        nonce: &NONCE,
        seed,
    });
    let jobs: Vec<_> = randomness
        .map(|randomness| RawJob::new(&expanded, MESSAGE, randomness))
        .collect();
    let mut out = vec![Signature::EMPTY; jobs.len()];
    LaneEngine { arith, fft }
        .sign_batch_raw(&jobs, Fit::Padded, &mut out)
        .expect("as many results as jobs");
    out.iter().for_each(check);
    with_scratch(|scratch| {
        for seed in [REFUSED, ACCEPTED] {
            let expected = sign(arith, &expanded, seed, scratch);
            for (signature, _) in out.iter().zip(&public).filter(|(_, of)| **of == seed) {
                assert_eq!(*signature, expected);
            }
        }
    });
}
