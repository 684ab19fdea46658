//! Verifies signatures in batches on every engine. A signature has the same result in a batch as
//! alone. The first byte of an input chooses the key and the engine.
#![no_main]

use falcon_core::batch::{BatchVerify, Verdict, VerifyBytesJob};
use falcon_core::{Engine, Parameters, Signature};
use falcon_fuzz_inputs::mutate::signed::Input;
use falcon_fuzz_inputs::verify::{KNOWN_512, KNOWN_1024, Known};
use falcon_fuzz_inputs::{known::RECORDS, mutate, mutate_by};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// Number of jobs. It is larger than the number of signatures that any engine decodes side by side.
const JOBS: usize = 18;

static ENGINES: LazyLock<Vec<Engine>> =
    LazyLock::new(|| Engine::instruction_sets().chain([Engine::Scalar]).collect());

fn verify_beside<P: Parameters>(known: &Known<P>, engine: Engine, input: &Input<'_>) {
    let valid = VerifyBytesJob {
        key: &known.key,
        message: &known.message,
        signature: &known.encoded,
    };
    let job = VerifyBytesJob {
        message: input.message,
        signature: input.signature,
        ..valid
    };
    let is_input = |i: usize| i % 7 == 1 || i + 1 == JOBS;
    let jobs: [_; JOBS] = std::array::from_fn(|i| if is_input(i) { job } else { valid });
    let alone =
        Signature::<P>::try_from(input.signature).map_or(
            Verdict::Malformed,
            |signature| match known.key.verify(input.message, &signature) {
                Ok(()) => Verdict::Valid,
                Err(_) => Verdict::Invalid,
            },
        );
    let expected: [_; JOBS] =
        std::array::from_fn(|i| if is_input(i) { alone } else { Verdict::Valid });
    let mut results = [Verdict::Valid; JOBS];
    engine
        .verify_bytes_batch(&jobs, &mut results)
        .expect("as many results as jobs");
    assert_eq!(results, expected, "{engine}");
}

fuzz_target!(|bytes: &[u8]| {
    let Some(input) = Input::read(bytes) else {
        return;
    };
    let choice = usize::from(input.choice);
    let engine = ENGINES[choice / (2 * RECORDS) % ENGINES.len()];
    let at = choice % (2 * RECORDS);
    match at.checked_sub(RECORDS) {
        None => verify_beside(&KNOWN_512[at], engine, &input),
        Some(at) => verify_beside(&KNOWN_1024[at], engine, &input),
    }
});

mutate_by!(mutate::signed::verification);
