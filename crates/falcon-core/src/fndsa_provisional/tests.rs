//! Tests each bound with a vector that no other bound refuses.

use super::batch::{FnDsa, VerifyJob};
use super::signing_key::Signer;
use super::*;
use crate::batch::lanes::Scheme;
use crate::engine::Engine;
use crate::params::Q;
use crate::{Falcon512, error::FaultError};
use std::vec;

type P = Falcon512;

/// Makes the key with the polynomial `h`.
fn key(h: [u16; 512]) -> crate::VerifyingKey<P> {
    let mut key = crate::VerifyingKey::EMPTY;
    key.set(Best::find(), &h);
    key
}

/// Returns `x mod q`.
fn residue(x: i32) -> u16 {
    x.rem_euclid(Q as i32) as u16
}

/// Returns a vector of zeros, except for `count` coefficients `value` from the 17th on.
fn vector(value: i16, count: usize) -> [i16; 512] {
    let mut vector = [0; 512];
    vector[16..][..count].fill(value);
    vector
}

/// Coefficients at the bound on magnitudes and one beyond the bound, and whether they are valid.
const AT_THE_BOUND: [(i16, bool); 4] = [(840, true), (-840, true), (841, false), (-841, false)];

/// Number of coefficients of value 600 that a squared norm of 34,034,726 allows.
const AT_THE_NORM: usize = 94;

#[test]
fn verification_bounds_each_coefficient_of_s1() {
    let (nonce, mu) = ([3; NONCE_LEN], [4; MU_LEN]);
    let mut point = [0; 512];
    point_of(&nonce, &mu, &mut point);
    // With s2 = 1, s1 = c - h.
    let mut s2 = [0; 512];
    s2[0] = 1;
    let signature = crate::Signature::<P> { nonce, s2 };
    let signature = Signature { signature };
    for (value, valid) in AT_THE_BOUND {
        let s1 = vector(value, 1);
        let h = core::array::from_fn(|i| residue(i32::from(point[i]) - i32::from(s1[i])));
        let key = VerifyingKey::of(&key(h));
        let verified = key.verify_mu(&mu, &signature);
        assert_eq!(verified.is_ok(), valid, "{value}");
        let job = VerifyJob {
            key: &key,
            message: Message::Mu(&mu),
            signature: &signature,
        };
        for engine in Engine::available() {
            let verdicts = VerifyingKey::verify_batch(engine, &[job; 5]);
            assert_eq!(verdicts, [verified; 5], "{engine}, {value}");
        }
    }
}

/// Signs after the public polynomial of the signing key was replaced. Then no attempt gives a
/// signature, as on a faulty device.
#[test]
fn a_lasting_fault_is_an_error() {
    let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    let mut signer =
        SigningKey::<P>::from(crate::SigningKey::from_seed(&[7; 32]).expect("no fault"));
    let mu = [4; MU_LEN];
    assert!(signer.sign_mu_with_rng(&mut rng, &mu).is_ok());
    signer.set_public(key([1; 512]));
    let fault = Err(FaultError);
    assert_eq!(signer.sign_mu_with_rng(&mut rng, &mu), fault);
    assert_eq!(
        signer.sign_with_rng(&mut rng, Context::EMPTY, b"message"),
        fault
    );
    for engine in Engine::available() {
        let signed = signer.sign_batch_with_rng(engine, &mut rng, &[Message::Mu(&mu); 9]);
        assert_eq!(signed, [fault; 9], "{engine}");
    }
}

#[test]
fn a_signature_is_within_the_norm_by_itself() {
    for (count, valid) in [(AT_THE_NORM, true), (AT_THE_NORM + 1, false)] {
        let mut bytes = [0; 666];
        let s2 = vector(600, count);
        let encoded = lsb_first::encode_signature(9, &[1; NONCE_LEN], &s2, &mut bytes);
        assert!(encoded.is_some(), "{count} fit");
        let decoded = Signature::<P>::try_from(&bytes[..]);
        assert_eq!(decoded.err(), (!valid).then_some(DecodeError::Range));
        for engine in Engine::available() {
            for count in [1, 20] {
                let encoded = vec![&bytes[..]; count];
                let mut s2s = vec![0; count << 9];
                let read =
                    on_engine!(engine, arith, _fft => FnDsa.read(arith, 9, &encoded, &mut s2s));
                let expected = valid.then_some([1; NONCE_LEN]).ok_or(DecodeError::Range);
                assert_eq!(read, vec![expected; count], "{engine}");
            }
        }
    }
}

/// Returns true if the signer would accept `s1` and `s2`. With `h = 1`, `s1 = c - s2`.
fn is_signature(s1: [i16; 512], s2: [i16; 512]) -> bool {
    let mut one = [0; 512];
    one[0] = 1;
    let mut signer =
        SigningKey::<P>::from(crate::SigningKey::from_seed(&[7; 32]).expect("no fault"));
    signer.set_public(key(one));
    let point: [u16; 512] = core::array::from_fn(|i| residue(i32::from(s1[i]) + i32::from(s2[i])));
    let mut memory = [1; 512];
    let is = Signer::of(&signer).is_signature(Best::find(), &point, &s2, &mut memory);
    assert_eq!(memory, [0; 512], "s1 of a refused attempt is secret");
    is
}

#[test]
fn the_signer_bounds_coefficients_norm_and_length() {
    let zero = [0; 512];
    assert!(is_signature(zero, zero));
    for (value, valid) in AT_THE_BOUND {
        assert_eq!(is_signature(vector(value, 1), zero), valid, "s1: {value}");
        assert_eq!(is_signature(zero, vector(value, 1)), valid, "s2: {value}");
    }
    for (count, valid) in [(AT_THE_NORM, true), (AT_THE_NORM + 1, false)] {
        assert_eq!(is_signature(vector(600, count), zero), valid, "s1: {count}");
        assert_eq!(is_signature(zero, vector(600, count)), valid, "s2: {count}");
    }
    // There is room for 5000 bits: 9 for each coefficient, and one more for each coefficient 128.
    for (count, valid) in [(392, true), (393, false)] {
        assert_eq!(is_signature(zero, vector(128, count)), valid, "{count}");
    }
}
