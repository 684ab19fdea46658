//! A signing key that is accepted has one encoding, the input, and a verifying
//! key that decodes; every instruction set accepts the same ones.
#![no_main]

use falcon_core::Engine;
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey, VerifyingKey};
use libfuzzer_sys::fuzz_target;

fn decode<P: Parameters>(bytes: &[u8]) {
    let key = SigningKey::<P>::try_from(bytes);
    for engine in Engine::instruction_sets().chain([Engine::Soft]) {
        let read = engine.decode_signing_key::<P>(bytes);
        match (&key, read) {
            (Ok(key), Ok(read)) => {
                assert!(read.to_bytes() == key.to_bytes(), "{engine}");
                assert!(read.verifying_key() == key.verifying_key(), "{engine}");
            }
            (key, read) => assert_eq!(key.as_ref().err().copied(), read.err(), "{engine}"),
        }
    }
    if let Ok(key) = key {
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
