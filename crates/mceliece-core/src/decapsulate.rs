//! Decapsulation.
//!
//! Whether a ciphertext is good stays secret: the session key is the hash of the error vector or of
//! the secret `s`, chosen by a mask.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Decap; with `pc` a ciphertext is
//! good only if it ends with `H(2 | e)`.

use crate::code::{Code, MAX_WORDS};
use crate::decode::{GoppaCode, decode};
use crate::hash::{self, hash};
use crate::layout::parts;
use crate::mask;
use crate::weight::{from_bytes, to_bytes};
use falcon_lanes::Isa;
use zeroize::Zeroizing;

/// Writes the session key of `ciphertext`. Key and ciphertext have their lengths.
pub(crate) fn decapsulate<I: Isa>(
    isa: I,
    code: &Code,
    secret_key: &[u8],
    ciphertext: &[u8],
    session_key: &mut [u8; 32],
) {
    let parts = parts(code, secret_key);
    let (syndrome, confirmation) = ciphertext.split_at(code.syndrome_len());
    let mut v = [0; MAX_WORDS];
    from_bytes(syndrome, &mut v);
    let key = GoppaCode {
        code,
        goppa: parts.goppa,
        control: parts.control,
    };
    let mut e = Zeroizing::new([0; MAX_WORDS]);
    let mut good = match code.m {
        12 => decode::<I, 12>(isa, &key, &v, &mut e),
        _ => decode::<I, 13>(isa, &key, &v, &mut e),
    };
    let mut bytes = Zeroizing::new([0; 8 * MAX_WORDS]);
    let input = &mut bytes[..code.error_len()];
    to_bytes(&*e, input);
    if !confirmation.is_empty() {
        let mut expected = Zeroizing::new([0; 32]);
        hash(hash::CONFIRMATION, &[input], &mut expected);
        let pairs = expected.iter().zip(confirmation);
        let different = pairs.fold(0, |all, (a, b)| all | (a ^ b));
        good &= !mask::nonzero(u64::from(different));
    }
    let good = mask::hidden(good) as u8;
    for (byte, &s) in input.iter_mut().zip(parts.s) {
        *byte = *byte & good | s & !good;
    }
    let first = hash::SESSION & good | hash::REJECTION & !good;
    hash(first, &[input, ciphertext], session_key);
}
