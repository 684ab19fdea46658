//! Keys and signatures of Falcon and FN-DSA.
//!
//! The seeds of the keys are also in `tests/ct/src/cases/keygen.rs`. Some of them lead to rare
//! paths of key generation.

use crate::requests::{case, classify, declassify, secret};
use falcon_core::hazmat::insecure::{InsecureFalcon16, InsecureFalcon256};
use falcon_core::hazmat::{FaultError, Fit, RawRandomness, sign_raw, sign_with_seeds};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Scratch, SigningKey};
use falcon_core::{det1024, fndsa_provisional};
use falcon_firmware::report;

const MESSAGE: &[u8] = b"order #42";

pub fn run() {
    case("keys of Falcon-16", || {
        keys::<InsecureFalcon16>(&[0, 1, 2, 3])
    });
    case("keys of Falcon-256", || keys::<InsecureFalcon256>(&[0, 1]));
    case("keys of Falcon-512", || keys::<Falcon512>(&[217, 330]));
    case("keys of Falcon-1024", || keys::<Falcon1024>(&[88, 1488]));
    case("signatures of Falcon-512", signatures::<Falcon512>);
    case("signatures of Falcon-1024", signatures::<Falcon1024>);
    case("deterministic signatures of Falcon-1024", deterministic);
    case("FN-DSA keys of degree 16", || {
        fndsa_keys::<InsecureFalcon16>(&[0, 1, 2, 3])
    });
    case("FN-DSA keys of degree 256", || {
        fndsa_keys::<InsecureFalcon256>(&[0, 1])
    });
    case("FN-DSA keys of degree 512", || {
        fndsa_keys::<Falcon512>(&[350, 640]);
    });
    case("FN-DSA keys of degree 1024", || {
        fndsa_keys::<Falcon1024>(&[632])
    });
    case("FN-DSA signatures of degree 512", || {
        fndsa_signatures::<Falcon512>(6369)
    });
    case("FN-DSA signatures of degree 1024", || {
        fndsa_signatures::<Falcon1024>(135)
    });
}

fn secret_seed<const LEN: usize>(number: u64) -> [u8; LEN] {
    let mut seed = [0; LEN];
    for (place, byte) in seed.iter_mut().zip(number.to_le_bytes()) {
        *place = byte;
    }
    secret(seed)
}

/// Prints a digest of the keys, 32-bit FNV-1a. `digests.txt` has the expected digests.
fn print_digest(name: &str, digest: u32) {
    report::number(name, digest as usize);
}

fn add(digest: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(digest, |all, &byte| {
        (all ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

fn keys<P: Parameters>(seeds: &[u64]) {
    let mut digest = 0x811c_9dc5;
    for &number in seeds {
        let key = SigningKey::<P>::from_seed_boxed(&secret_seed(number)).expect("no fault");
        let mut bytes = key.to_bytes();
        declassify(bytes.as_mut());
        digest = add(digest, bytes.as_ref());
    }
    print_digest(P::NAME, digest);
}

/// Signs with a decoded key, and with the same key expanded.
fn signatures<P: Parameters>() {
    let bytes = SigningKey::<P>::from_seed_boxed(&secret_seed(1))
        .expect("no fault")
        .to_bytes();
    let key = SigningKey::<P>::try_from(bytes.as_ref()).expect("its own encoding");
    let mut reals = alloc::vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("as many as it asks for");
    for number in 0..2 {
        let seed = secret_seed::<48>(number);
        let randomness = RawRandomness {
            nonce: &[2; 40],
            seed: &seed,
        };
        let signature = sign_raw(&key, randomness, MESSAGE, Fit::Padded, &mut scratch);
        let mut signature = signature.expect("no fault");
        declassify(&mut signature);
        let mut encoded = [0; 1280];
        signature
            .encode(Format::Padded, &mut encoded)
            .expect("there is room");
        key.verifying_key()
            .verify(MESSAGE, &signature)
            .expect("it is valid");
    }
    let seed = secret_seed::<48>(3);
    let randomness = RawRandomness {
        nonce: &[2; 40],
        seed: &seed,
    };
    let signature = sign_raw(&key.expand(), randomness, MESSAGE, Fit::Any, &mut scratch);
    let mut signature = signature.expect("no fault");
    declassify(&mut signature);
    key.verifying_key()
        .verify(MESSAGE, &signature)
        .expect("it is valid");
}

/// Signs with seeds that have one public byte.
pub fn known_seed() {
    let key = SigningKey::<Falcon512>::from_seed_boxed(&[1; 32]).expect("no fault");
    let mut reals = alloc::vec![0.0; Scratch::<Falcon512>::LEN];
    let mut scratch = Scratch::<Falcon512>::new(&mut reals).expect("as many as it asks for");
    let next_seed = |seed: &mut [u8; 56]| {
        *seed = secret([5; 56]);
        declassify(&mut seed[17]);
        Ok::<_, FaultError>(())
    };
    let signed = sign_with_seeds(&*key, &[2; 40], next_seed, MESSAGE, Fit::Any, &mut scratch);
    declassify(&mut signed.expect("no fault"));
}

fn deterministic() {
    let key = SigningKey::<Falcon1024>::from_seed_boxed(&secret_seed(1)).expect("no fault");
    let key = det1024::SigningKey::try_from(key.to_bytes().as_ref()).expect("its own encoding");
    let mut signature = key.sign(MESSAGE).expect("no fault");
    declassify(&mut signature);
    key.verifying_key()
        .verify(MESSAGE, &signature)
        .expect("it is valid");
}

fn fndsa_keys<P: Parameters>(seeds: &[u64]) {
    type Key<P> = fndsa_provisional::SigningKey<P>;
    let mut digest = 0x811c_9dc5;
    for &number in seeds {
        let key = Key::<P>::from_seed(&secret_seed(number)).expect("no fault");
        let mut bytes = key.to_bytes();
        declassify(&mut bytes[..]);
        digest = add(digest, &bytes);
    }
    report::words("FN-DSA ");
    print_digest(P::NAME, digest);
}

/// Signs with a decoded key. The first attempt with the seed `refused` is refused.
fn fndsa_signatures<P: Parameters>(refused: u64) {
    type Key<P> = fndsa_provisional::SigningKey<P>;
    let key = SigningKey::<P>::from_seed_boxed(&[7; 32]).expect("no fault");
    let mut bytes = Key::from(*key).to_bytes();
    classify(&mut bytes[1..P::SIGNING_KEY_LEN]);
    let key = Key::<P>::try_from(&bytes[..]).expect("its own encoding");
    let mut signature = key
        .sign_mu_from_seed(&secret_seed(refused), &[4; 64])
        .expect("it signs");
    declassify(&mut signature);
    key.verifying_key()
        .verify_mu(&[4; 64], &signature)
        .expect("it is valid");
}
