//! Verifies signatures with a known key, which accepts only the known signature of the known
//! message. A message in pieces gives the same result. The first byte of an input chooses the key
//! and the place where the message is cut.
#![no_main]

use falcon_core::{Parameters, Signature};
use falcon_fuzz_inputs::mutate::signed::Input;
use falcon_fuzz_inputs::verify::{KNOWN_512, KNOWN_1024, Known};
use falcon_fuzz_inputs::{known::RECORDS, mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

fn verify<P: Parameters>(known: &Known<P>, input: &Input<'_>) {
    let Ok(format) = Signature::<P>::detect(input.signature) else {
        return;
    };
    let Ok(signature) = Signature::<P>::from_bytes(format, input.signature) else {
        return;
    };
    let valid = known.key.verify(input.message, &signature).is_ok();
    assert_eq!(
        valid,
        signature == known.signature && input.message == known.message
    );
    let at = usize::from(input.choice).min(input.message.len());
    let (head, tail) = input.message.split_at(at);
    let in_pieces = known.key.verify_parts(&[head, tail], &signature);
    assert_eq!(valid, in_pieces.is_ok());
}

fuzz_target!(|bytes: &[u8]| {
    let Some(input) = Input::read(bytes) else {
        return;
    };
    let at = usize::from(input.choice) % (2 * RECORDS);
    match at.checked_sub(RECORDS) {
        None => verify(&KNOWN_512[at], &input),
        Some(at) => verify(&KNOWN_1024[at], &input),
    }
});

mutate_by!(mutate::signed::verification);
