//! Tests that a lane tries a job again after a refusal, and takes the next job afterwards.

use super::jobs::{BatchOperations, Job};
use super::lanes::LaneEngine;
use super::*;
use crate::fft::Fft;
use crate::hash::Start;
use crate::hash_to_point::{HashToPoint, Shake256HashToPoint};
use crate::hedge::Randomness;
use crate::lanes::{Baseline, Many, Soft};
use crate::params::{Array, Falcon512, Falcon1024};
use crate::sampler::SigningIsa;
use crate::signing::tests::Key;
use crate::signing::{self, ExpandedRef, Fit, KeySource};

/// Refuses about three of four vectors.
fn accept(s2: &[i16]) -> bool {
    s2[0] & 3 == 0
}

/// Number of jobs.
const JOBS: usize = 24;
/// Number of a job with the signing key. Its neighbours have the expanded key.
const ALONE: usize = 19;
/// Number of the first job of the last group, whose jobs have the signing key.
const GROUP: usize = ALONE + 2;

/// Signs a batch in which about three of four attempts are refused. Checks that the signatures are
/// the same as when the jobs are signed one at a time, with the same refusals.
fn refusals_change_no_signature<P: Parameters, B: SigningIsa, F: Fft>(arith: B, fft: F) {
    let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
    let expanded = key.expand();
    // For a group, the key is expanded once. For one job, it is not expanded.
    let jobs: Vec<_> = (0..JOBS)
        .map(|index| Job {
            key: match index {
                ALONE | GROUP.. => JobKey::Signing(&key).source(),
                _ => JobKey::Expanded(&expanded).source(),
            },
            message: &b"a message, longer and longer"[..index],
            randomness: Randomness::hedged(&[8; 32], index as u64, expanded.secret_hash()),
        })
        .collect();
    let mut out = vec![Signature::<P>::EMPTY; JOBS];
    LaneEngine { arith, fft }.sign_accepted(
        P::LOGN,
        &Start::SHAKE256,
        &jobs,
        accept,
        &mut |job, signed| {
            let (nonce, s2) = signed.expect("no fault");
            out[job].nonce = *nonce;
            out[job].s2.as_mut().copy_from_slice(s2);
        },
    );

    let mut refused = 0;
    for (job, ours) in jobs.iter().zip(&out) {
        let nonce = job.randomness.nonce();
        let mut c = P::Residues::ZERO;
        Shake256HashToPoint.hash_to_point(&nonce, job.message, c.as_mut());
        let mut alone = Signature::<P> {
            nonce,
            s2: P::Short::ZERO,
        };
        let count = core::cell::Cell::new(0);
        signing::short_preimage(
            Baseline,
            P::LOGN,
            &expanded.source(),
            c.as_ref(),
            &mut { job.randomness },
            |s2| {
                count.set(count.get() + 1);
                accept(s2)
            },
            &mut vec![0.0; signing::computed_scratch_len(P::LOGN)],
            alone.s2.as_mut(),
        )
        .expect("no fault");
        assert!(*ours == alone, "message of {} bytes", job.message.len());
        let valid = key.verifying_key().verify(job.message, ours);
        assert_eq!(valid, Ok(()));
        refused += count.get() - 1;
    }
    assert!(refused > JOBS, "{refused} refusals");
}

#[test]
fn lanes_that_are_refused_find_what_single_signers_find() {
    refusals_change_no_signature::<Falcon512, _, _>(Baseline, Baseline);
    refusals_change_no_signature::<Falcon512, _, _>(Baseline, Many::<_, 2>(Baseline));
    refusals_change_no_signature::<Falcon512, _, _>(Baseline, Many::<_, 4>(Baseline));
    refusals_change_no_signature::<Falcon512, _, _>(Baseline, Many::<_, 8>(Baseline));
    refusals_change_no_signature::<Falcon512, _, _>(Soft, Soft);
    refusals_change_no_signature::<Falcon1024, _, _>(Baseline, Many::<_, 4>(Baseline));
}

/// Checks that a log of jobs does not contain their messages.
#[test]
fn debug_prints_the_length_of_a_message_alone() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let job = SignJob::new(&key, &[171; 99]);
    let text = std::format!("{job:?}");
    assert!(text.contains("message_len: 99"), "{text}");
    assert!(!text.contains("171"), "{text}");
}

/// Checks that all signatures are short. At degree 8 and less, a quarter to a third of the vectors
/// are too long.
fn vectors_are_short<B: SigningIsa, F: Fft>(arith: B, fft: F) {
    for logn in 1..=3 {
        let key = Key::new(logn, &[logn as u8, 3]);
        let expanded = key.expanded(arith);
        let stored = KeySource::Stored(ExpandedRef::new(logn, &expanded));
        let messages: Vec<_> = (0..64u8).map(|i| [i]).collect();
        for alone in [true, false] {
            let jobs: Vec<_> = (0..)
                .zip(&messages)
                .map(|(index, message)| Job {
                    // Neighbours with different keys are signed one at a time.
                    key: match alone && index % 2 == 0 {
                        true => KeySource::Computed(key.basis()),
                        false => stored,
                    },
                    message,
                    randomness: Randomness::hedged(&[8; 32], index, &[9; 32]),
                })
                .collect();
            let mut count = 0;
            LaneEngine { arith, fft }.sign_jobs(
                logn,
                &Start::SHAKE256,
                &jobs,
                Fit::Any,
                &mut |job, signed| {
                    let (nonce, s2) = signed.expect("no fault");
                    let mut point = vec![0; 1 << logn];
                    Shake256HashToPoint.hash_to_point(nonce, &messages[job], &mut point);
                    assert!(key.verifies(&point, s2), "logn {logn}, job {job}");
                    count += 1;
                },
            );
            assert_eq!(count, jobs.len());
        }
    }
}

#[test]
fn no_engine_delivers_a_vector_that_is_too_long() {
    vectors_are_short(Baseline, Baseline);
    vectors_are_short(Baseline, Many::<_, 4>(Baseline));
    vectors_are_short(Soft, Soft);
}

/// Refuses all vectors. Without a bound on the attempts, the lanes would never be free.
#[test]
fn a_job_whose_vectors_are_all_refused_ends() {
    fn check<F: Fft>(fft: F) {
        let logn = 2;
        let key = Key::new(logn, b"refused");
        let expanded = key.expanded(Baseline);
        let stored = KeySource::Stored(ExpandedRef::new(logn, &expanded));
        let jobs: Vec<_> = (0..21)
            .map(|index| Job {
                key: stored,
                message: b"m",
                randomness: Randomness::hedged(&[8; 32], index, &[9; 32]),
            })
            .collect();
        let asked = core::cell::Cell::new(0);
        let refuse = |_: &[i16]| {
            asked.set(asked.get() + 1);
            false
        };
        let mut failed = vec![0; jobs.len()];
        let arith = Baseline;
        LaneEngine { arith, fft }.sign_accepted(
            logn,
            &Start::SHAKE256,
            &jobs,
            refuse,
            &mut |job, signed| {
                assert!(signed.is_err());
                failed[job] += 1;
            },
        );
        assert!(
            failed.iter().all(|&times| times == 1),
            "each once: {failed:?}"
        );
        assert_eq!(asked.get(), jobs.len() as u32 * signing::MAX_ATTEMPTS);
    }
    check(Baseline);
    check(Many::<_, 4>(Baseline));
    check(Many::<_, 16>(Baseline));
}
