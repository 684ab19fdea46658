//! Compares ciphertexts and shared secrets of every set with the definition, which is written here
//! again: `C0 = (I | T) e`, `C1 = H(2 | e)`, `K = H(1 | e | C0 | C1)`. If no error vector of weight
//! `t` gives the ciphertext, or if `C1` is wrong, then `K = H(0 | s | C0 | C1)`.
//!
//! The hash is that of the crate `sha3`. The sets with `pc` have no official vectors. For them this
//! test is the reference, besides one other implementation.

mod common;

use common::{error_vector, hash, repeated, syndrome};
use mceliece_core::*;
use std::sync::{Mutex, PoisonError};

/// Locked while a test chooses engines, since the choice holds for the process and tests run in
/// parallel.
static ENGINE: Mutex<()> = Mutex::new(());

/// Makes the ciphertext of an error vector of any weight, by the definition.
fn encapsulated<P: Parameters>(public_key: &[u8], e: &[u8]) -> Vec<u8> {
    let mut ciphertext = syndrome::<P>(public_key, e);
    if is_confirmed::<P>() {
        ciphertext.extend(hash(2, &[e]));
    }
    ciphertext
}

fn is_confirmed<P: Parameters>() -> bool {
    P::NAME.contains("pc")
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// Lists ciphertexts that the secret key must refuse. `good` is the ciphertext of `e`.
fn refused<P: Parameters>(public_key: &[u8], e: &[u8], good: &[u8]) -> Vec<Vec<u8>> {
    // Flips every bit except the padding behind `C0`.
    let rows = P::M * P::T;
    let bits = (0..rows).chain(8 * rows.div_ceil(8)..8 * good.len());
    let mut all: Vec<_> = bits.map(|bit| flipped(good, bit)).collect();
    // Weights t + 1 and t - 1: flips the first or the last zero of `e`, or its first or last one.
    for one in [0, 1] {
        let mut places = (0..P::N).filter(|i| e[i / 8] >> (i % 8) & 1 == one);
        let (first, last) = (places.next(), places.next_back());
        for bit in first.into_iter().chain(last) {
            all.push(encapsulated::<P>(public_key, &flipped(e, bit)));
        }
    }
    // Adds a ciphertext of zeros, then the ciphertext of the vector of weight zero.
    all.push(vec![0; good.len()]);
    all.push(encapsulated::<P>(public_key, &vec![0; e.len()]));
    if is_confirmed::<P>() {
        // Adds the confirmation of another vector, then a confirmation of zeros.
        let (c0, c1) = good.split_at(rows.div_ceil(8));
        let other = hash(2, &[&flipped(e, 0)]);
        all.push([c0, &other].concat());
        all.push([c0, &vec![0; c1.len()]].concat());
    }
    all
}

fn check<P: Parameters>() {
    let pair = KeyPair::<P>::from_seed(&[13; 32]);
    let public_key = pair.public_key.as_bytes();
    let e = error_vector::<P>(&mut repeated(13));
    let good = encapsulated::<P>(public_key, &e);
    let secret = hash(1, &[&e, &good]);
    let (ciphertext, sent) = pair.public_key.encapsulate(&mut repeated(13));
    assert_eq!(ciphertext.as_bytes(), good, "{}", P::NAME);
    assert_eq!(*sent.as_bytes(), secret, "{}", P::NAME);

    let refused = refused::<P>(public_key, &e, &good);
    let s = &pair.secret_key.as_bytes()[P::SECRET_KEY_LEN - P::N / 8..];
    let implicit = refused.iter().map(|bytes| hash(0, &[s, bytes]));
    let expected: Vec<_> = implicit.chain([secret]).collect();
    let decode = |bytes: &Vec<u8>| Ciphertext::<P>::try_from(&bytes[..]).expect("a ciphertext");
    let ciphertexts: Vec<_> = refused.iter().chain([&good]).map(decode).collect();
    let opened = pair.secret_key.decapsulate_batch(&ciphertexts);
    assert_eq!(opened.len(), expected.len());
    for (number, (opened, expected)) in opened.iter().zip(&expected).enumerate() {
        assert_eq!(opened.as_bytes(), expected, "{}, number {number}", P::NAME);
    }
    // On every engine, tries only the last twelve ciphertexts. The others are the valid ciphertext
    // with one bit flipped.
    let _others_wait = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    for name in engines::names() {
        assert!(engines::choose(name));
        for (ciphertext, expected) in ciphertexts.iter().zip(&expected).rev().take(12) {
            let opened = pair.secret_key.decapsulate(ciphertext);
            assert_eq!(opened.as_bytes(), expected, "{} on {name}", P::NAME);
        }
        // Decapsulates a full group and a part of a group, side by side.
        let last = ciphertexts.len() - 11;
        let opened = pair.secret_key.decapsulate_batch(&ciphertexts[last..]);
        let opened = opened.iter().map(SharedSecret::as_bytes);
        assert!(opened.eq(&expected[last..]), "{} on {name}", P::NAME);
    }
    let best = engines::names().next().expect("an engine");
    assert!(engines::choose(best));
}

macro_rules! sets {
    ($($test:ident, $set:ident;)*) => {$(
        #[test]
        fn $test() {
            check::<$set>();
        }
    )*};
}

sets! {
    set_348864, Mceliece348864;
    set_348864f, Mceliece348864f;
    set_460896, Mceliece460896;
    set_460896f, Mceliece460896f;
    set_460896pc, Mceliece460896pc;
    set_460896pcf, Mceliece460896pcf;
    set_6688128, Mceliece6688128;
    set_6688128f, Mceliece6688128f;
    set_6688128pc, Mceliece6688128pc;
    set_6688128pcf, Mceliece6688128pcf;
    set_6960119, Mceliece6960119;
    set_6960119f, Mceliece6960119f;
    set_6960119pc, Mceliece6960119pc;
    set_6960119pcf, Mceliece6960119pcf;
    set_8192128, Mceliece8192128;
    set_8192128f, Mceliece8192128f;
    set_8192128pc, Mceliece8192128pc;
    set_8192128pcf, Mceliece8192128pcf;
}
