//! Batches against single operations, on every engine that this processor can
//! run.

use falcon::batch::{BatchSign, BatchVerify, SignJob, VerifyJob};
use falcon::{Engine, Falcon512, Falcon1024, Parameters, Signature, SigningKey, hazmat};
use falcon_tests::{Repeatable, extent, key};

/// Keys of the jobs.
const KEYS: usize = 3;

/// Every engine signs the same jobs; the first engine's signatures are compared
/// with those of all others. Each job has a key of its own now and then, so
/// that groups of all sizes occur.
fn engines_sign_alike<P: Parameters>(jobs: usize) {
    let keys: Vec<SigningKey<P>> = (0..KEYS as u8).map(key).collect();
    let expanded: Vec<_> = keys.iter().map(|key| key.expand()).collect();
    let mut random = Repeatable::new(&format!("batches {}", P::NAME));
    let messages: Vec<_> = (0..jobs).map(|i| random.vec(i % 300)).collect();
    let jobs: Vec<SignJob<'_, P>> = messages
        .iter()
        .enumerate()
        .map(|(i, message)| SignJob {
            key: &expanded[(i / 7 + i % 5 / 4) % KEYS],
            message,
        })
        .collect();
    let seed = random.bytes();
    let mut expected: Option<Vec<Signature<P>>> = None;
    for engine in Engine::available() {
        let mut signatures = vec![Signature::EMPTY; jobs.len()];
        engine
            .sign_batch(&seed, &jobs, &mut signatures)
            .expect("as many results as jobs");
        match &expected {
            None => expected = Some(signatures),
            Some(expected) => {
                for (i, (ours, theirs)) in signatures.iter().zip(expected).enumerate() {
                    assert!(ours == theirs, "{} job {i} on {engine}", P::NAME);
                }
            }
        }
    }
}

#[test]
fn engines_sign_the_same_batches_alike() {
    // With all engines of an AVX-512 machine, over 100,000 signatures in full.
    engines_sign_alike::<Falcon512>(extent("jobs of a batch", 100, 9_000));
    engines_sign_alike::<Falcon1024>(extent("jobs of a batch", 40, 2_000));
}

/// A batch with damage of every kind in known places: each result is that of
/// the single verification, and no neighbour is affected.
fn each_result_stands_alone<P: Parameters>() {
    let keys: Vec<SigningKey<P>> = (0..KEYS as u8).map(key).collect();
    let mut random = Repeatable::new("damaged batches");
    let messages: Vec<_> = (0..75).map(|i| random.vec(i * 9 % 500)).collect();
    let signatures: Vec<Signature<P>> = messages
        .iter()
        .enumerate()
        .map(|(i, message)| keys[i % KEYS].sign_with_rng(&mut random, message))
        .collect();
    let other = b"another message".to_vec();
    let empty = Signature::EMPTY;
    let jobs: Vec<VerifyJob<'_, P>> = (0..messages.len())
        .map(|i| VerifyJob {
            // Now and then another key, another message, another signature,
            // none at all.
            key: keys[(i + usize::from(i % 11 == 3)) % KEYS].verifying_key(),
            message: if i % 13 == 5 { &other } else { &messages[i] },
            signature: match i % 17 {
                7 => &signatures[(i + 1) % signatures.len()],
                9 => &empty,
                _ => &signatures[i],
            },
        })
        .collect();
    for engine in Engine::available() {
        let mut results = vec![Ok(()); jobs.len()];
        engine
            .verify_batch(&jobs, &mut results)
            .expect("as many results as jobs");
        for (i, (job, result)) in jobs.iter().zip(&results).enumerate() {
            let damaged = i % 11 == 3 || i % 13 == 5 || matches!(i % 17, 7 | 9);
            assert_eq!(result.is_ok(), !damaged, "{} {i} on {engine}", P::NAME);
            assert_eq!(*result, job.key.verify(job.message, job.signature));
        }
    }
}

#[test]
fn a_damaged_item_hides_no_other() {
    each_result_stands_alone::<Falcon512>();
    each_result_stands_alone::<Falcon1024>();
}

/// The outputs of a batch of another length are not touched.
#[test]
fn a_batch_of_the_wrong_length_is_refused_as_a_whole() {
    let key = key::<Falcon512>(0);
    let expanded = key.expand();
    let jobs = [SignJob {
        key: &expanded,
        message: b"one",
    }; 3];
    for engine in Engine::available() {
        let mut out = vec![Signature::EMPTY; 2];
        assert!(engine.sign_batch(&[0; 32], &jobs, &mut out).is_err());
        assert!(out.iter().all(|signature| *signature == Signature::EMPTY));
        let raw: [hazmat::RawJob<'_, Falcon512>; 0] = [];
        assert!(
            engine
                .sign_batch_raw(&raw, hazmat::Fit::Any, &mut out)
                .is_err()
        );
        assert!(engine.sign_batch(&[0; 32], &jobs[..0], &mut []).is_ok());
    }
}
