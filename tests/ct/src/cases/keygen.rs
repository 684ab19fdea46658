//! Keys of both schemes, generated from secret seeds.
//!
//! `ntru/tests.rs` and `ntru/fndsa/tests.rs` of the core show why candidates of these seeds are
//! refused, and that some keys take the rare paths.

use super::case::{Case, silent};
use crate::valgrind::{classify, declassify};
use falcon_core::hazmat::insecure::{InsecureFalcon16, InsecureFalcon256};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey, fndsa_provisional};

pub(super) fn add(cases: &mut Vec<Case>) {
    let mut add = |name: &str, run: fn(&[u64]), seeds: &'static [u64]| {
        silent(cases, format!("key generation: {name}"), move || run(seeds));
    };
    add("Falcon-16", round3::<InsecureFalcon16>, &[0, 1, 2, 3]);
    add("Falcon-256", round3::<InsecureFalcon256>, &[0, 1]);
    add("Falcon-512", round3::<Falcon512>, &[217, 330, 467, 782]);
    add("Falcon-1024", round3::<Falcon1024>, &[88, 1488]);
    add(
        "Falcon-256 from a wallet's seed",
        wallet::<InsecureFalcon256>,
        &[0],
    );
    add("Falcon-512 from a wallet's seed", wallet::<Falcon512>, &[0]);
    add(
        "FN-DSA of degree 16",
        fndsa::<InsecureFalcon16>,
        &[0, 1, 2, 3],
    );
    add("FN-DSA of degree 256", fndsa::<InsecureFalcon256>, &[0, 1]);
    add(
        "FN-DSA of degree 512",
        fndsa::<Falcon512>,
        &[350, 640, 1182, 1648],
    );
    add(
        "FN-DSA of degree 1024",
        fndsa::<Falcon1024>,
        &[632, 761, 1665],
    );
}

fn seed(number: u64) -> [u8; 32] {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    seed
}

fn secret_seed(number: u64) -> [u8; 32] {
    let seed = seed(number);
    classify(&seed);
    seed
}

/// Generates the round-3 keys of these seeds, every other key in a box. The secret seed comes
/// first, since a case with a planted leak ends when the leak is reported.
fn round3<P: Parameters>(seeds: &[u64]) {
    for (place, &number) in seeds.iter().enumerate() {
        let seed_of_key = secret_seed(number);
        let bytes = match place % 2 {
            0 => SigningKey::<P>::from_seed_boxed(&seed_of_key)
                .expect("no fault")
                .to_bytes(),
            _ => SigningKey::<P>::from_seed(&seed_of_key)
                .expect("no fault")
                .to_bytes(),
        };
        declassify(&*bytes);
        let expected = SigningKey::<P>::from_seed(&seed(number))
            .expect("no fault")
            .to_bytes();
        assert_eq!(bytes.as_ref(), expected.as_ref());
    }
}

/// Generates the round-3 keys of these seeds from 48 bytes, as wallets do.
fn wallet<P: Parameters>(seeds: &[u64]) {
    for &number in seeds {
        let mut seed = [0; 48];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let expected = SigningKey::<P>::from_reference_seed(&seed)
            .expect("no fault")
            .to_bytes();
        classify(&seed);
        let bytes = SigningKey::<P>::from_reference_seed_boxed(&seed)
            .expect("no fault")
            .to_bytes();
        declassify(&*bytes);
        assert_eq!(bytes.as_ref(), expected.as_ref());
    }
}

/// Generates the FN-DSA keys of these seeds, every other key in a box.
fn fndsa<P: Parameters>(seeds: &[u64]) {
    type Key<P> = fndsa_provisional::SigningKey<P>;
    for (place, &number) in seeds.iter().enumerate() {
        let seed_of_key = secret_seed(number);
        let bytes = match place % 2 {
            0 => Key::<P>::from_seed(&seed_of_key)
                .expect("no fault")
                .to_bytes(),
            _ => Key::<P>::from_seed_boxed(&seed_of_key)
                .expect("no fault")
                .to_bytes(),
        };
        declassify(&bytes[..]);
        assert_eq!(
            bytes,
            Key::<P>::from_seed(&seed(number))
                .expect("no fault")
                .to_bytes()
        );
    }
}
