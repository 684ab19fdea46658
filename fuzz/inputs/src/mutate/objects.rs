//! Encoded keys and signatures of every kind.

use super::{Rng, pick, signatures, signing_keys, verifying_keys};
use crate::known::{SIGNATURES, SIGNING_KEYS, VERIFYING_KEYS};

/// Changes an encoded key or signature of any kind.
pub(super) fn object(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    // A signing key and a signature in the constant-time format have the same header.
    signing_keys::mutate(rng, bytes)
        .or_else(|| verifying_keys::mutate(rng, bytes))
        .or_else(|| signatures::mutate(rng, bytes))
}

/// Returns a stored key or signature, encoded.
pub(super) fn stored_object(rng: &mut Rng) -> Vec<u8> {
    let objects = [&*SIGNATURES, &*SIGNING_KEYS, &*VERIFYING_KEYS];
    let kind = pick(rng, &objects);
    pick(rng, kind)
}
