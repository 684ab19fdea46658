//! The traits of the crate `kem` give the same results as the keys and ciphertexts of this crate.

mod common;

use common::{hash, repeated};
use mceliece_core::kem::{
    Decapsulate, DecapsulationKey, Decapsulator, Encapsulate, EncapsulationKey, Generate,
    InvalidKey, KeyExport, TryKeyInit,
};
use mceliece_core::*;

type Small = Mceliece348864f;

#[test]
fn keys_and_secrets_are_those_of_the_crate() {
    let pair = KeyPair::<Small>::generate(&mut repeated(1));
    let key = DecapsulationKey::<Small>::try_generate_from_rng(&mut repeated(1)).expect("a key");
    let public_key = key.encapsulation_key();
    assert_eq!(key.as_key().as_bytes(), pair.secret_key.as_bytes());
    assert_eq!(*public_key.as_key(), pair.public_key);
    assert_eq!(format!("{key:?}"), format!("{:?}", pair.secret_key));
    assert_eq!(format!("{public_key:?}"), format!("{:?}", pair.public_key));

    let (ciphertext, secret) = pair.public_key.encapsulate(&mut repeated(2));
    let (sent, shared) = public_key.encapsulate_with_rng(&mut repeated(2));
    assert_eq!(sent[..], *ciphertext.as_bytes());
    assert_eq!(shared[..], *secret.as_bytes());
    assert_eq!(key.decapsulate(&sent), shared);

    let written = public_key.to_bytes();
    assert!(written[..] == *pair.public_key.as_bytes());
    assert!(EncapsulationKey::<Small>::new(&written).is_ok_and(|read| read == *public_key));
    let written = key.to_bytes();
    assert!(written[..] == *pair.secret_key.as_bytes());
    let read = DecapsulationKey::<Small>::new(&written).expect("a key");
    assert!(read.as_key().as_bytes() == pair.secret_key.as_bytes());
    assert_eq!(read.encapsulation_key(), public_key);
}

#[test]
fn keys_that_are_malformed_or_not_of_their_seed_are_refused() {
    let key = DecapsulationKey::from(KeyPair::<Small>::from_seed(&[3; 32]));
    let good = key.to_bytes();
    // Changes a byte of the seed, the pivots, the Goppa polynomial and `s`.
    for place in [0, 32, 41, Small::SECRET_KEY_LEN - 1] {
        let mut bytes = good;
        bytes[place] ^= 0x80;
        let refused = DecapsulationKey::<Small>::new(&bytes).err();
        assert_eq!(refused, Some(InvalidKey), "byte {place}");
    }
    assert!(DecapsulationKey::<Small>::new(&good).is_ok());
}

/// Checks that the secret is `H(0 | s | C)`, as for every refused ciphertext.
macro_rules! check_padding {
    ($set:ident) => {
        let pair = KeyPair::<$set>::from_seed(&[4; 32]);
        let (good, _) = pair.public_key.encapsulate(&mut repeated(4));
        let key = DecapsulationKey::from(pair);
        let s = &key.as_key().as_bytes()[$set::SECRET_KEY_LEN - $set::N / 8..];
        for bit in 3..8 {
            let mut bytes = good.to_bytes();
            bytes[193] |= 1 << bit;
            let secret = key.decapsulate(&bytes.into());
            let expected = hash(0, &[s, &bytes]);
            assert_eq!(secret[..], expected, "{}, bit {bit}", $set::NAME);
        }
    };
}

#[test]
fn a_ciphertext_with_padding_bits_gives_an_unrelated_secret() {
    check_padding!(Mceliece6960119f);
    check_padding!(Mceliece6960119pcf);
}
