//! Rows of FN-DSA, provisional: plain calls on the best engine, compared with the crate `fn-dsa`.
//! Both make the same bytes.

use crate::entry::{Degree, Entry, MESSAGE, Mode, Operation, entry};
use crate::ours::BATCH;
use crate::random::SplitMix;
use falcon_core::batch::Verdict;
use falcon_core::fndsa_provisional::batch::VerifyBytesJob;
use falcon_core::fndsa_provisional::{Context, Message, Signature, SigningKey, VerifyingKey};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters};
use std::hint::black_box;

/// Name of these rows.
pub const NAME: &str = "fndsa-provisional";

/// Returns the rows of one operation.
pub fn entries(operation: Operation, degree: Degree) -> Vec<Entry> {
    match degree {
        Degree::D512 => rows::<Falcon512>(operation, degree),
        Degree::D1024 => rows::<Falcon1024>(operation, degree),
    }
}

/// Returns the message of every job.
fn message() -> Message<'static> {
    Message::Whole {
        context: Context::EMPTY,
        message: black_box(MESSAGE),
    }
}

/// Makes a row that times one call for a batch.
fn batch(operation: Operation, degree: Degree, run: impl FnMut() + 'static) -> Entry {
    let mut entry = entry(operation, Mode::Batch, degree, NAME, run);
    entry.contestant.operations = BATCH as u32;
    entry
}

fn rows<P: Parameters>(operation: Operation, degree: Degree) -> Vec<Entry> {
    let mut random = SplitMix::new(1);
    let engine = Engine::best();
    let key = SigningKey::<P>::from(crate::ours::key());
    match operation {
        Operation::Keygen => vec![entry(operation, Mode::Seed, degree, NAME, move || {
            let key = SigningKey::<P>::generate(&mut random).expect("no fault");
            black_box((key.to_bytes(), key.verifying_key().to_bytes()));
        })],
        // The provisional FN-DSA has no expanded keys.
        Operation::Expand => vec![],
        Operation::Sign => {
            let encoded = key.to_bytes();
            let key2 = SigningKey::<P>::from(crate::ours::key());
            let [mut random2, mut random3] = [2, 3].map(SplitMix::new);
            let sign = |key: &SigningKey<P>, random: &mut SplitMix| {
                let signature = key.sign_with_rng(random, Context::EMPTY, black_box(MESSAGE));
                black_box(signature.expect("no fault").to_bytes());
            };
            vec![
                entry(operation, Mode::Encoded, degree, NAME, move || {
                    let key = SigningKey::try_from(black_box(&encoded[..]));
                    sign(&key.expect("its own key"), &mut random);
                }),
                entry(operation, Mode::Prepared, degree, NAME, move || {
                    sign(&key, &mut random2);
                }),
                batch(operation, degree, move || {
                    let messages = [message(); BATCH];
                    let signed = key2.sign_batch_with_rng(engine, &mut random3, &messages);
                    for signature in signed {
                        black_box(signature.expect("no fault").to_bytes());
                    }
                }),
            ]
        }
        Operation::Verify => {
            let signatures: Vec<_> = (0..crate::SIGNATURES)
                .map(|_| key.sign_with_rng(&mut random, Context::EMPTY, MESSAGE))
                .map(|signature| signature.expect("no fault").to_bytes())
                .collect();
            let verifying_key = key.verifying_key().clone();
            let encoded = verifying_key.to_bytes();
            let verify = |key: &VerifyingKey<P>, bytes: &[u8]| {
                let signature = Signature::try_from(black_box(bytes)).expect("its own signature");
                key.verify(Context::EMPTY, black_box(MESSAGE), &signature)
                    .expect("its own signature");
            };
            let mut first = crate::Cycle::new(signatures.clone());
            let mut second = crate::Cycle::new(signatures.clone());
            let verifying_key2 = verifying_key.clone();
            vec![
                entry(operation, Mode::Encoded, degree, NAME, move || {
                    let key = VerifyingKey::try_from(black_box(encoded.as_ref()));
                    verify(&key.expect("a key"), first.turn().as_ref());
                }),
                entry(operation, Mode::Prepared, degree, NAME, move || {
                    verify(&verifying_key, second.turn().as_ref());
                }),
                batch(operation, degree, move || {
                    let jobs: Vec<_> = signatures[..BATCH]
                        .iter()
                        .map(|bytes| VerifyBytesJob {
                            key: &verifying_key2,
                            message: message(),
                            signature: black_box(bytes.as_ref()),
                        })
                        .collect();
                    let verdicts = VerifyingKey::verify_bytes_batch(engine, &jobs);
                    assert_eq!(verdicts, [Verdict::Valid; BATCH], "its own signatures");
                }),
            ]
        }
    }
}
