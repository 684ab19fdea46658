//! Every operation runs on the stack that the README states. A thread that needs more aborts the
//! test.

use falcon_core::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use falcon_core::{
    AnySigningKey, AnyVerifyingKey, Falcon512, Falcon1024, Parameters, Signature, SigningKey,
    VerifyingKey,
};
use falcon_kat::Again;
use std::thread;

/// The README's stack for every operation, in bytes.
const STACK: usize = 96 << 10;

/// Calls `operation` on a thread with a stack of [`STACK`] bytes.
fn on_a_small_stack<T: Send>(operation: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, operation);
        thread.expect("a thread").join().expect("no panic")
    })
}

fn operations<P: Parameters>() {
    let key = on_a_small_stack(|| SigningKey::<P>::from_seed_boxed(&[7; 32]).expect("a key"));
    let signatures = on_a_small_stack(|| {
        let prepared = key.expand();
        [
            key.sign_with_rng(&mut Again([1]), b"message"),
            prepared.sign_with_rng(&mut Again([1]), b"message"),
        ]
    });
    for signature in signatures {
        let signature = signature.expect("no fault").to_bytes();
        let public = key.verifying_key().to_bytes();
        on_a_small_stack(|| {
            let key = VerifyingKey::<P>::try_from(public.as_ref()).expect("a key");
            let signature = Signature::try_from(&signature[..]).expect("a signature");
            key.verify(b"message", &signature).expect("valid");
        });
    }
    let bytes = key.to_bytes();
    on_a_small_stack(|| {
        let key = AnySigningKey::try_from((*bytes).as_ref()).expect("a key");
        let private = key.to_pkcs8_pem(LineEnding::LF).expect("a document");
        let public = key.verifying_key().to_public_key_pem(LineEnding::LF);
        AnySigningKey::from_pem(&private, None).expect("a key");
        AnyVerifyingKey::from_pem(&public.expect("a document")).expect("a key");
    });
}

#[test]
fn every_operation_fits_the_stated_stack() {
    operations::<Falcon512>();
    operations::<Falcon1024>();
}

#[test]
fn the_readme_states_this_stack() {
    let readme = include_str!("../README.md");
    let stated = format!("A thread needs {} KiB of stack", STACK >> 10);
    assert!(readme.contains(&stated), "{stated}");
}
