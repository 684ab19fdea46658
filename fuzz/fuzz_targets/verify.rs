//! Verification under known keys accepts the known signature of the known
//! message and nothing else; in pieces it says what it says at once, and so it
//! does of bytes beside others in a batch.
#![no_main]

use falcon_core::Engine;
use falcon_core::batch::{BatchVerify, VerifyBytesJob};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, VerifyingKey};
use falcon_fuzz::{detached, records_512, records_1024};
use falcon_kat::rsp::Record;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

struct Known<P: Parameters> {
    key: VerifyingKey<P>,
    signature: Signature<P>,
    message: Vec<u8>,
}

fn known<P: Parameters>(records: Vec<Record>) -> Vec<Known<P>> {
    let known = |record: Record| Known {
        key: VerifyingKey::try_from(&record.public_key[..]).expect("a stored key decodes"),
        signature: Signature::from_bytes(Format::Compressed, &detached(P::LOGN as u8, &record))
            .expect("a stored signature decodes"),
        message: record.message,
    };
    records.into_iter().take(3).map(known).collect()
}

fn verify<P: Parameters>(known: &[Known<P>], signature: &[u8], message: &[u8]) {
    let Ok(format) = Signature::<P>::detect(signature) else {
        return;
    };
    let Ok(signature) = Signature::<P>::from_bytes(format, signature) else {
        return;
    };
    for known in known {
        let valid = known.key.verify(message, &signature).is_ok();
        assert_eq!(
            valid,
            signature == known.signature && message == known.message
        );
        let (head, tail) = message.split_at(message.len() / 2);
        assert_eq!(
            valid,
            known.key.verify_parts(&[head, tail], &signature).is_ok()
        );
    }
}

/// More jobs than any engine decodes side by side.
const JOBS: usize = 18;

/// The bytes between valid ones, on every instruction set of the machine.
fn verify_beside<P: Parameters>(known: &[Known<P>], signature: &[u8], message: &[u8]) {
    let alone = Signature::<P>::try_from(signature);
    for known in known {
        let bytes = known.signature.to_bytes();
        let valid = VerifyBytesJob {
            key: &known.key,
            message: &known.message,
            signature: &bytes,
        };
        let input = VerifyBytesJob {
            message,
            signature,
            ..valid
        };
        let is_input = |i: usize| i % 7 == 1 || i + 1 == JOBS;
        let jobs: [_; JOBS] = std::array::from_fn(|i| if is_input(i) { input } else { valid });
        let accepted = alone
            .as_ref()
            .is_ok_and(|signature| known.key.verify(message, signature).is_ok());
        let expected: [_; JOBS] = std::array::from_fn(|i| !is_input(i) || accepted);
        for engine in Engine::instruction_sets().chain([Engine::Scalar]) {
            let mut results = [Ok(()); JOBS];
            engine
                .verify_bytes_batch(&jobs, &mut results)
                .expect("as many results as jobs");
            assert_eq!(results.map(|result| result.is_ok()), expected, "{engine}");
        }
    }
}

static KNOWN_512: OnceLock<Vec<Known<Falcon512>>> = OnceLock::new();
static KNOWN_1024: OnceLock<Vec<Known<Falcon1024>>> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return;
    };
    let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
    let (signature, message) = rest.split_at(length);
    let known_512 = KNOWN_512.get_or_init(|| known(records_512()));
    verify(known_512, signature, message);
    verify_beside(&known_512[..1], signature, message);
    let known_1024 = KNOWN_1024.get_or_init(|| known(records_1024()));
    verify(known_1024, signature, message);
    verify_beside(&known_1024[..1], signature, message);
});
