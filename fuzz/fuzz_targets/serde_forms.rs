//! Reads values with `serde` from JSON or from postcard. The value is the same in both forms, and
//! JSON is written back as the same JSON value.
#![no_main]

use falcon_core::{Falcon512, Falcon1024, Parameters, Signature, SigningKey, VerifyingKey};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;
use serde::{Serialize, de::DeserializeOwned};

/// Checks that text and binary form hold the same value: each is read back from the other.
fn check<T: Serialize + DeserializeOwned>(bytes: &[u8], encoded: impl Fn(&T) -> Vec<u8>) {
    let json = serde_json::from_slice::<T>(bytes).ok();
    if let Some(value) = &json {
        let text: serde_json::Value = serde_json::from_slice(bytes).expect("it was read");
        assert_eq!(
            serde_json::to_value(value).expect("it can be written"),
            text
        );
    }
    let binary = postcard::from_bytes::<T>(bytes).ok();
    for value in [json, binary].into_iter().flatten() {
        let json = serde_json::to_vec(&value).expect("a value can be written");
        let binary = postcard::to_allocvec(&value).expect("a value can be written");
        let json: T = serde_json::from_slice(&json).expect("and read again");
        let binary: T = postcard::from_bytes(&binary).expect("and read again");
        assert_eq!(encoded(&json), encoded(&value));
        assert_eq!(encoded(&binary), encoded(&value));
    }
}

fn all<P: Parameters>(bytes: &[u8]) {
    check::<VerifyingKey<P>>(bytes, |key| key.to_bytes().as_ref().to_vec());
    check::<SigningKey<P>>(bytes, |key| (*key.to_bytes()).as_ref().to_vec());
    check::<Signature<P>>(bytes, |signature| signature.to_bytes().to_vec());
}

fuzz_target!(|bytes: &[u8]| {
    all::<Falcon512>(bytes);
    all::<Falcon1024>(bytes);
});

mutate_by!(mutate::serde_forms::mutate);
