//! Encapsulation.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Encap; with `pc` the ciphertext
//! ends with `H(2 | e)`.

use crate::code::{Code, MAX_WORDS};
use crate::encode::Encoding;
use crate::hash::{self, hash};
use crate::weight::{ErrorVector, fixed_weight, to_bytes};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// An encapsulation that has drawn its error vector and waits for the public key.
pub(crate) struct Encapsulation {
    e: ErrorVector,
    pub(crate) encoding: Encoding,
}

impl Encapsulation {
    /// Draws an error vector.
    pub(crate) fn new<R: CryptoRng + ?Sized>(code: &Code, rng: &mut R) -> Self {
        let mut e = Zeroizing::new([0; MAX_WORDS]);
        fixed_weight(code, rng, &mut *e);
        let encoding = Encoding::new(code, &e);
        Self { e, encoding }
    }

    /// Writes ciphertext and session key, where all rows of the public key have been added.
    pub(crate) fn finish(&self, code: &Code, ciphertext: &mut [u8], session_key: &mut [u8; 32]) {
        let mut bytes = Zeroizing::new([0; 8 * MAX_WORDS]);
        let e = &mut bytes[..code.error_len()];
        to_bytes(&*self.e, e);
        let (syndrome, confirmation) = ciphertext.split_at_mut(code.syndrome_len());
        syndrome.copy_from_slice(self.encoding.syndrome(code));
        if let Some(confirmation) = confirmation.first_chunk_mut() {
            hash(hash::CONFIRMATION, &[e], confirmation);
        }
        hash(hash::SESSION, &[e, ciphertext], session_key);
    }
}
