//! Decodes recoverable signatures. An accepted signature has only one encoding, which is the input.
//! The key that is recovered from the signature accepts the signature.
#![no_main]

use falcon_core::recovery::RecoverableSignature;
use falcon_core::{Falcon512, Falcon1024, Parameters};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

const MESSAGE: &[u8] = b"payment #42";

fn decode<P: Parameters>(bytes: &[u8]) {
    let Ok(signature) = RecoverableSignature::<P>::try_from(bytes) else {
        return;
    };
    assert_eq!(signature.to_bytes().as_ref(), bytes);
    let Ok(key) = signature.recover(MESSAGE) else {
        return;
    };
    let ordinary = signature.to_signature();
    assert!(key.verify(MESSAGE, &ordinary).is_ok());
    let again = RecoverableSignature::from_signature(&key, MESSAGE, &ordinary);
    assert_eq!(again, Ok(Some(signature)));
    assert!(signature.verify(MESSAGE, &key.fingerprint()).is_ok());
}

fuzz_target!(|bytes: &[u8]| {
    decode::<Falcon512>(bytes);
    decode::<Falcon1024>(bytes);
});

mutate_by!(mutate::recoverable::mutate);
