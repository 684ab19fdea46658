//! Measures memory and compares it with the documentation.
//!
//! The stack of verification is measured on an emulated microcontroller, by
//! `examples/firmware/check.sh`.

use falcon_core::{
    ExpandedKey, Falcon512, Falcon1024, Parameters, Scratch, Signature, SigningKey, VerifyingKey,
};
use falcon_tests::Repeatable;
use std::thread;

const KILOBYTE: usize = 1024;

/// Returns the length in bytes of a slice of `len` reals.
const fn reals(len: usize) -> usize {
    len * size_of::<f64>()
}

#[test]
fn signing_scratch_takes_32_and_64_kilobytes() {
    assert_eq!(reals(Scratch::<Falcon512>::LEN), 32 * KILOBYTE);
    assert_eq!(reals(Scratch::<Falcon1024>::LEN), 64 * KILOBYTE);
}

#[test]
fn expanded_keys_take_60_and_128_kilobytes() {
    assert_eq!(reals(ExpandedKey::<Falcon512>::LEN), 60 * KILOBYTE);
    assert_eq!(reals(ExpandedKey::<Falcon1024>::LEN), 128 * KILOBYTE);
}

/// Checks the sizes of keys. A verifying key has two bytes for each coefficient. Signing keys and
/// expanded keys contain a verifying key and the secret hash. An expanded key only points to its
/// reals.
#[test]
fn keys_themselves_take_few_kilobytes() {
    fn sizes<P: Parameters>() -> [usize; 3] {
        let besides = size_of::<ExpandedKey<P>>() - size_of::<Box<[f64]>>();
        let signing_key = size_of::<SigningKey<P>>();
        [size_of::<VerifyingKey<P>>(), besides, signing_key]
    }
    let [k, hash] = [KILOBYTE, 32];
    assert_eq!(sizes::<Falcon512>(), [k, k + hash, 3 * k + hash]);
    assert_eq!(sizes::<Falcon1024>(), [2 * k, 2 * k + hash, 6 * k + hash]);
}

/// Generates, expands, signs and verifies on a thread with a stack of 512 KB: no function puts
/// large arrays on the stack.
fn everything_runs_in_a_small_thread<P: Parameters>() {
    let work = || {
        let mut rng = Repeatable::new("limits");
        let key = SigningKey::<P>::generate(&mut rng).expect("no fault");
        let again = SigningKey::<P>::try_from((*key.to_bytes()).as_ref()).expect("a key");
        let expanded = again.expand();
        for signature in [
            key.sign_with_rng(&mut rng, b"from the key")
                .expect("no fault"),
            expanded
                .sign_with_rng(&mut rng, b"from the key")
                .expect("no fault"),
        ] {
            let bytes = signature.to_bytes();
            let signature = Signature::<P>::try_from(&bytes[..]).expect("a signature");
            let verified = expanded.verifying_key().verify(b"from the key", &signature);
            assert_eq!(verified, Ok(()));
        }
    };
    let thread = thread::Builder::new()
        .stack_size(512 * KILOBYTE)
        .spawn(work);
    thread.expect("a thread").join().expect("it ends");
}

#[test]
fn a_thread_of_512_kilobytes_generates_expands_signs_and_verifies_512() {
    everything_runs_in_a_small_thread::<Falcon512>();
}

#[test]
fn a_thread_of_512_kilobytes_generates_expands_signs_and_verifies_1024() {
    everything_runs_in_a_small_thread::<Falcon1024>();
}
