//! Encapsulation.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Encap; with `pc` the ciphertext
//! ends with `H(2 | e)`.

use crate::code::Code;
use crate::encode::Encoding;
use crate::hash::{self, hash};

/// Writes ciphertext and session key, after all rows of the public key have been added.
pub(crate) fn finish(
    encoding: &mut Encoding,
    code: &Code,
    ciphertext: &mut [u8],
    session_key: &mut [u8; 32],
) {
    let (syndrome, confirmation) = ciphertext.split_at_mut(code.syndrome_len());
    syndrome.copy_from_slice(encoding.syndrome(code));
    let e = encoding.error_vector(code);
    if let Some(confirmation) = confirmation.first_chunk_mut() {
        hash(hash::CONFIRMATION, &[e], confirmation);
    }
    hash(hash::SESSION, &[e, ciphertext], session_key);
}
