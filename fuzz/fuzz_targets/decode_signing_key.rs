//! A signing key that is accepted has one encoding, the input, and a verifying
//! key that decodes.
#![no_main]

use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey, VerifyingKey};
use libfuzzer_sys::fuzz_target;

fn decode<P: Parameters>(bytes: &[u8]) {
    if let Ok(key) = SigningKey::<P>::try_from(bytes) {
        let again = key.to_bytes();
        let again: &[u8] = (*again).as_ref();
        assert!(again == bytes);
        let public = key.verifying_key();
        assert!(VerifyingKey::<P>::try_from(public.to_bytes().as_ref()).as_ref() == Ok(public));
    }
}

fuzz_target!(|bytes: &[u8]| {
    decode::<Falcon512>(bytes);
    decode::<Falcon1024>(bytes);
});
