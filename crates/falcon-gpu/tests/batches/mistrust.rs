//! What came of a job is what a kernel says of it: jobs that `sign` refuses are tried
//! again with the seeds that the core would take, and kernels that say nothing make no
//! signature and nothing valid.

use crate::attempts::{Hedged, first_that_fits};
use crate::fixture::{Fixture, SEED};
use crate::support::{Fault, PLENTY, Refused, context};
use falcon::batch::{BatchSign, BatchVerify, VerifyBytesJob, VerifyJob};
use falcon::hash::Shake256;
use falcon::hazmat::{Fit, RawJob, RawRandomness};
use falcon::{Falcon512, Falcon1024, Parameters, Signature, SignatureError};
use falcon_gpu::kernels::Grain;
use falcon_gpu::{GpuError, Options};

/// Two of three jobs once, and some of them twice.
const REFUSED: Refused = |job, attempt| match attempt {
    0 => job % 3 != 0,
    1 => job % 5 == 1,
    _ => false,
};

fn bytes<P: Parameters>(signatures: &[Signature<P>]) -> Vec<Vec<u8>> {
    let signatures = signatures.iter();
    signatures.map(|all| all.to_bytes().to_vec()).collect()
}

#[test]
fn refused_vectors_are_followed_by_the_next_attempts_of_the_core() {
    fn check<P: Parameters>() {
        let fixture = Fixture::<P>::new(2, 20);
        let limit = P::PADDED_LEN;
        let expected = |job: usize| {
            let key = &fixture.expanded[fixture.key_of(job)];
            let hedged = Hedged::new(&SEED, job as u64, key);
            let stream = |point: &[u16]| hedged.stream(point);
            let refused = |attempt| REFUSED(job as u64, attempt);
            let message = &fixture.messages[job];
            first_that_fits(key, &hedged.nonce(), message, stream, limit, refused).0
        };
        let expected: Vec<_> = (0..20).map(expected).collect();
        for (grain, chunk) in [(Grain::Thread, 1000), (Grain::Warp, 7)] {
            let mut options = Options::default();
            (options.grain, options.chunk) = (Some(grain), Some(chunk));
            let Some((device, context)) = context(PLENTY, options) else {
                return;
            };
            assert!(bytes(&fixture.signed(&context)) != expected);
            device.refuse(REFUSED);
            assert!(bytes(&fixture.signed(&context)) == expected);
            assert!(bytes(&fixture.signed_with_raw_keys(&context)) == expected);
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn refused_vectors_are_followed_by_the_next_given_seeds() {
    let fixture = Fixture::<Falcon512>::new(1, 12);
    let key = &fixture.expanded[0];
    let seeds: Vec<[u8; 3]> = (0..12).map(|i| [i, 1, 2]).collect();
    let nonce = [5; 40];
    let given: Vec<_> = fixture.messages.iter().zip(&seeds).collect();
    let expected = given.iter().zip(0..).map(|(&(message, seed), job)| {
        let stream = |_: &[u16]| Shake256::reader(seed);
        let refused = |attempt| REFUSED(job, attempt);
        let limit = Falcon512::PADDED_LEN;
        first_that_fits(key, &nonce, message, stream, limit, refused).0
    });
    let expected: Vec<_> = expected.collect();
    let jobs = given.iter().map(|&(message, seed)| RawJob {
        key,
        message,
        randomness: RawRandomness {
            nonce: &nonce,
            seed,
        },
    });
    let jobs: Vec<_> = jobs.collect();
    let Some((device, context)) = context(PLENTY, Options::default()) else {
        return;
    };
    device.refuse(REFUSED);
    let mut out = vec![Signature::EMPTY; 12];
    context
        .sign_batch_raw(&jobs, Fit::Padded, &mut out)
        .unwrap();
    assert!(bytes(&out) == expected);
}

/// Memory of the device says "done" before anything is written to it.
#[test]
fn kernels_that_say_nothing_sign_nothing() {
    let fixture = Fixture::<Falcon512>::new(1, 1);
    for (kernels, fault) in [
        ("sign", Fault::Nothing),
        ("sign", Fault::NoStatus),
        ("pack", Fault::Nothing),
    ] {
        let Some((device, context)) = context(PLENTY, Options::default()) else {
            return;
        };
        device.spoil(kernels, fault);
        let mut out = vec![Signature::EMPTY];
        let failed = context.sign_batch_raw_keys(&SEED, &fixture.raw_key_jobs(), &mut out);
        assert!(
            matches!(failed, Err(GpuError::Launch { .. })),
            "{kernels}, {fault:?}: {failed:?}"
        );
        assert!(
            context
                .sign_batch(&SEED, &fixture.jobs(), &mut out)
                .is_err()
        );
        assert!(out == [Signature::EMPTY]);
    }
}

#[test]
fn kernels_that_say_nothing_make_nothing_valid() {
    let fixture = Fixture::<Falcon512>::new(2, 9);
    let signatures = fixture.expected();
    let encoded = bytes(&signatures);
    let decoded_jobs: Vec<_> = (0..9)
        .map(|i| VerifyJob {
            key: fixture.keys[fixture.key_of(i)].verifying_key(),
            message: &fixture.messages[i],
            signature: &signatures[i],
        })
        .collect();
    let encoded_jobs: Vec<_> = decoded_jobs
        .iter()
        .zip(&encoded)
        .map(|(job, signature)| VerifyBytesJob {
            key: job.key,
            message: job.message,
            signature,
        })
        .collect();
    for (kernels, fault, decoded_are) in [
        ("none of them", Fault::Nothing, Ok(())),
        ("verify", Fault::Nothing, Err(SignatureError)),
        ("verify", Fault::NoStatus, Err(SignatureError)),
        ("unpack", Fault::Nothing, Ok(())),
        ("unpack", Fault::NoStatus, Ok(())),
    ] {
        let encoded_are = match kernels {
            "none of them" => Ok(()),
            _ => Err(SignatureError),
        };
        for decoded_first in [false, true] {
            let Some((device, context)) = context(PLENTY, Options::default()) else {
                return;
            };
            device.spoil(kernels, fault);
            let mut out = [Ok(()); 9];
            for decoded in [decoded_first, !decoded_first] {
                if decoded {
                    context.verify_batch(&decoded_jobs, &mut out).unwrap();
                    assert_eq!(out, [decoded_are; 9], "{kernels}, {fault:?}");
                } else {
                    context.verify_bytes_batch(&encoded_jobs, &mut out).unwrap();
                    assert_eq!(out, [encoded_are; 9], "{kernels}, {fault:?}");
                }
            }
        }
    }
}
