//! Decapsulation.
//!
//! Whether a ciphertext is good stays secret: the session key is the hash of the error vector or of
//! the secret `s`, chosen by a mask.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Decap; with `pc` a ciphertext is
//! good only if it ends with `H(2 | e)`.

use crate::bits::{from_bytes, to_bytes};
use crate::code::{Code, MAX_WORDS};
use crate::decode::{DecodingKey, Values, decode, inverse_squares, no_values};
use crate::hash::{self, hash};
use crate::layout::{Parts, parts};
use crate::mask;
use crate::stack::wipe_below;
use falcon_lanes::{Isa, wipe};
use zeroize::Zeroizing;

/// Ciphertexts, and the places of their session keys.
pub(crate) trait Jobs<'a>: Iterator<Item = (&'a [u8], &'a mut [u8; 32])> {}
impl<'a, T: Iterator<Item = (&'a [u8], &'a mut [u8; 32])>> Jobs<'a> for T {}

/// Writes the session keys of ciphertexts. Key and ciphertexts have their lengths.
pub(crate) fn decapsulate<'a, I: Isa>(isa: I, code: &Code, secret_key: &[u8], jobs: impl Jobs<'a>) {
    match code.m {
        12 => decapsulate_on::<I, 12>(isa, code, secret_key, jobs),
        _ => decapsulate_on::<I, 13>(isa, code, secret_key, jobs),
    }
}

fn decapsulate_on<'a, I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    secret_key: &[u8],
    jobs: impl Jobs<'a>,
) {
    let parts = parts(code, secret_key);
    let mut values = no_values::<M>();
    inverse_squares(isa, parts.goppa, &mut values);
    for (ciphertext, session_key) in jobs {
        decapsulate_one(isa, code, &parts, &values, ciphertext, session_key);
    }
    wipe(values.0.as_flattened_mut().as_flattened_mut());
    wipe_below();
}

fn decapsulate_one<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    parts: &Parts<'_>,
    values: &Values<M>,
    ciphertext: &[u8],
    session_key: &mut [u8; 32],
) {
    let (syndrome, confirmation) = ciphertext.split_at(code.syndrome_len());
    let mut v = [0; MAX_WORDS];
    from_bytes(syndrome, &mut v);
    let key = DecodingKey {
        code,
        control: parts.control,
    };
    let mut e = [0; MAX_WORDS];
    let mut good = decode(isa, &key, values, &v, &mut e);
    let mut bytes = [0; 8 * MAX_WORDS];
    let input = &mut bytes[..code.error_len()];
    to_bytes(&e, input);
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
    wipe(&mut e);
    wipe(&mut bytes);
}
