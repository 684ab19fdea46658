//! Decodes signing keys on every engine. All engines accept the same keys, refuse other keys with
//! the same error, and find the same verifying key. The first byte of an input chooses the engine.
#![no_main]

use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static ENGINES: LazyLock<Vec<Engine>> =
    LazyLock::new(|| Engine::instruction_sets().chain([Engine::Soft]).collect());

fn decode<P: Parameters>(engine: Engine, bytes: &[u8]) {
    let key = SigningKey::<P>::try_from(bytes);
    match (key, engine.decode_signing_key::<P>(bytes)) {
        (Ok(key), Ok(read)) => {
            assert!(read.to_bytes() == key.to_bytes(), "{engine}");
            assert!(read.verifying_key() == key.verifying_key(), "{engine}");
        }
        (key, read) => assert_eq!(key.err(), read.err(), "{engine}"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, key)) = bytes.split_first() else {
        return;
    };
    let engine = ENGINES[usize::from(choice) % ENGINES.len()];
    decode::<Falcon512>(engine, key);
    decode::<Falcon1024>(engine, key);
});

mutate_by!(mutate::engine::mutate);
