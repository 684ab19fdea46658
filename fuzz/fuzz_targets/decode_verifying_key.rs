//! A verifying key that is accepted has one encoding: the input.
#![no_main]

use falcon_core::{Falcon512, Falcon1024, Parameters, VerifyingKey};
use libfuzzer_sys::fuzz_target;

fn decode<P: Parameters>(bytes: &[u8]) {
    if let Ok(key) = VerifyingKey::<P>::try_from(bytes) {
        assert_eq!(key.to_bytes().as_ref(), bytes);
    }
}

fuzz_target!(|bytes: &[u8]| {
    decode::<Falcon512>(bytes);
    decode::<Falcon1024>(bytes);
});
