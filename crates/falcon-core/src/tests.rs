//! Tests keys whose memory has wrong content, as on a faulty device: every way of signing ends with
//! an error.
//!
//! Without a bound on the attempts, none of these calls would return.

use crate::batch::{BatchError, BatchSign, SignJob};
use crate::engine::Engine;
use crate::error::{FaultError, SignWithHashError};
use crate::expand::ExpandedKey;
use crate::hash_to_point::Shake256HashToPoint;
use crate::hazmat::{self, BatchSignRaw, Fit, RawJob, RawRandomness, VerifyAfterSign};
use crate::keys::SigningKey;
use crate::params::{Falcon512, Falcon1024, Parameters};
use crate::scratch::Scratch;
use crate::signatures::Signature;
use crate::{AnySigningKey, det1024, recovery};
use falcon_kat::Again;
use signature::{RandomizedMultipartSigner, RandomizedSigner};
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

/// Parts of an expanded key that a test damages.
#[derive(Clone, Copy, Debug)]
enum Part {
    Basis,
    Tree,
    Whole,
}

/// Returns an expanded key with the value `real` in each place of `part`.
fn damaged<P: Parameters>(part: Part, real: f64) -> ExpandedKey<P> {
    let mut key = SigningKey::<P>::from_seed(&[7; 32])
        .expect("no fault")
        .expand();
    let (basis, tree) = key.reals_mut().split_at_mut(4 * P::N);
    if !matches!(part, Part::Tree) {
        basis.fill(real);
    }
    if !matches!(part, Part::Basis) {
        tree.fill(real);
    }
    key
}

/// Signs with every function that takes `key`.
macro_rules! every_way_fails {
    ($key:expr, $parameters:ty) => {{
        let key = $key;
        let mut rng = Again([1]);
        let fault: Result<Signature<$parameters>, _> = Err(FaultError);
        let mut reals = vec![0.0; Scratch::<$parameters>::LEN];
        let mut scratch = Scratch::new(&mut reals).expect("enough");
        let scratch = &mut scratch;

        assert_eq!(key.sign_with_rng(&mut rng, b"m"), fault);
        assert_eq!(key.sign_in(&mut rng, b"m", scratch), fault);
        assert_eq!(key.sign_stream(&mut rng).finish(), fault);
        assert_eq!(
            key.sign_stream_from_seed(&[1; 32]).finish_in(scratch),
            fault
        );
        let signed: Result<Signature<$parameters>, _> = key.try_sign_with_rng(&mut rng, b"m");
        assert!(signed.is_err());
        let signed: Result<Signature<$parameters>, _> =
            key.try_multipart_sign_with_rng(&mut rng, &[b"m"]);
        assert!(signed.is_err());
        for engine in Engine::available() {
            let stream = key.sign_stream_from_seed(&[1; 32]);
            assert_eq!(engine.finish(stream, scratch), fault, "{engine}");
        }

        let raw = RawRandomness {
            nonce: &[1; 40],
            seed: &[2; 48],
        };
        for fit in [Fit::Any, Fit::Padded] {
            assert_eq!(hazmat::sign_raw(key, raw, b"m", fit, scratch), fault);
            let mut next = 0;
            let seeds = |seed: &mut [u8; 56]| {
                next += 1;
                seed.fill(next);
                Ok(())
            };
            let signed = hazmat::sign_with_seeds(key, &[1; 40], seeds, b"m", fit, scratch);
            assert_eq!(signed, fault);
        }
        assert_eq!(hazmat::sign_deterministic(key, b"m", scratch), fault);
        let fault_of_hash: Result<Signature<$parameters>, _> = Err(SignWithHashError::Fault);
        let hash = &Shake256HashToPoint;
        assert_eq!(
            hazmat::sign_with_hash(key, &[1; 32], hash, b"m", scratch),
            fault_of_hash
        );
        #[cfg(feature = "eip8052")]
        {
            let hash = &crate::eip8052::Keccak256HashToPoint;
            assert_eq!(
                hazmat::sign_with_hash(key, &[1; 32], hash, b"m", scratch),
                fault_of_hash
            );
        }

        assert_eq!(
            recovery::sign_with_rng(key, &mut rng, b"m"),
            Err(FaultError)
        );
        assert_eq!(
            recovery::sign_in(key, &mut rng, b"m", scratch),
            Err(FaultError)
        );
    }};
}

/// With NaN in leaves or centres, the sampler gives up.
#[test]
fn an_expanded_key_of_nans_signs_nothing() {
    for part in [Part::Whole, Part::Basis, Part::Tree] {
        every_way_fails!(&damaged::<Falcon512>(part, f64::NAN), Falcon512);
    }
    every_way_fails!(&damaged::<Falcon1024>(Part::Whole, f64::NAN), Falcon1024);
}

/// The sampler finds integers or gives up, and no vector is short.
#[test]
fn an_expanded_key_of_other_numbers_signs_nothing() {
    for real in [0.0, 1e300, f64::INFINITY] {
        for part in [Part::Whole, Part::Basis] {
            let key = &damaged::<Falcon512>(part, real);
            let signed = key.sign_with_rng(&mut Again([1]), b"m");
            assert_eq!(signed, Err(FaultError), "{part:?}, {real}");
        }
    }
}

/// The tree is computed from zero polynomials.
#[test]
fn a_signing_key_of_zeros_signs_nothing() {
    every_way_fails!(&SigningKey::<Falcon512>::EMPTY, Falcon512);
    let key = AnySigningKey::from(Box::new(SigningKey::<Falcon512>::EMPTY));
    assert_eq!(key.sign_with_rng(&mut Again([1]), b"m"), Err(FaultError));
}

#[test]
fn a_deterministic_key_of_zeros_signs_nothing() {
    let key = det1024::SigningKey::from(SigningKey::<Falcon1024>::EMPTY);
    assert_eq!(key.sign(b"m"), Err(FaultError));
}

#[cfg(feature = "fndsa-provisional")]
#[test]
fn a_key_of_zeros_signs_nothing_in_fn_dsa() {
    use crate::fndsa_provisional::{Context, Message, SigningKey as Key};
    let key = Key::from(SigningKey::<Falcon512>::EMPTY);
    let signed = key.sign_with_rng(&mut Again([1]), Context::EMPTY, b"m");
    assert_eq!(signed, Err(FaultError));
    for engine in Engine::available() {
        let signed = key.sign_batch_with_rng(engine, &mut Again([1]), &[Message::Mu(&[1; 64]); 9]);
        assert_eq!(signed, [Err(FaultError); 9], "{engine}");
    }
}

/// Number of jobs. Some groups of them fill the lanes of every engine, and some jobs are single.
const JOBS: usize = 41;

/// Returns true if a job has a damaged key.
fn is_damaged(job: usize) -> bool {
    matches!(job, 3 | 10..28)
}

/// The jobs with a damaged key get empty signatures; the other jobs are signed.
#[test]
fn a_batch_signs_the_jobs_that_can_be_signed() {
    let good = SigningKey::<Falcon512>::from_seed(&[7; 32])
        .expect("no fault")
        .expand();
    let zeros = SigningKey::<Falcon512>::EMPTY;
    let nans = damaged::<Falcon512>(Part::Whole, f64::NAN);
    // The output holds other signatures at first, so the test notices an element that is not
    // overwritten.
    let before = good
        .sign_with_rng(&mut Again([1]), b"before")
        .expect("no fault");
    let check = |result, out: &[Signature<Falcon512>], what: &str| {
        assert_eq!(result, Err(BatchError::Fault { job: 3 }), "{what}");
        for (job, signature) in out.iter().enumerate() {
            let valid = good.verifying_key().verify(b"m", signature).is_ok();
            assert_eq!(valid, !is_damaged(job), "{what}, job {job}");
            assert_eq!(
                *signature == Signature::EMPTY,
                is_damaged(job),
                "{what}, job {job}"
            );
        }
    };
    for stored in [true, false] {
        let jobs: Vec<_> = (0..JOBS)
            .map(|job| match (is_damaged(job), stored) {
                (false, _) => SignJob::new(&good, b"m"),
                (true, true) => SignJob::new(&nans, b"m"),
                (true, false) => SignJob::new(&zeros, b"m"),
            })
            .collect();
        let nonces: Vec<_> = (0..JOBS).map(|job| [job as u8; 40]).collect();
        let raw_jobs = jobs.iter().zip(&nonces).map(|(job, nonce)| {
            RawJob::new(job.key, job.message, RawRandomness { nonce, seed: nonce })
        });
        let raw_jobs: Vec<_> = raw_jobs.collect();
        for engine in Engine::available() {
            let what = std::format!("{engine}, stored: {stored}");
            let mut out = vec![before; JOBS];
            check(engine.sign_batch(&[1; 32], &jobs, &mut out), &out, &what);
            let mut out = vec![before; JOBS];
            check(
                engine.sign_batch_raw(&raw_jobs, Fit::Any, &mut out),
                &out,
                &what,
            );
            #[cfg(feature = "threads")]
            {
                let threads = crate::Threads::new(core::num::NonZeroUsize::new(3).expect("3"));
                let mut out = vec![before; JOBS];
                let result = engine.on(&threads).sign_batch(&[1; 32], &jobs, &mut out);
                check(result, &out, &what);
            }
            // An engine that verifies after signing leaves the output unchanged.
            let mut out = vec![before; JOBS];
            let result = VerifyAfterSign(engine).sign_batch(&[1; 32], &jobs, &mut out);
            assert_eq!(result, Err(BatchError::Fault { job: 3 }));
            assert!(out.iter().all(|signature| *signature == before));
        }
    }
}

/// For a job in the last part of a batch on threads, the error names the job's own number.
#[cfg(feature = "threads")]
#[test]
fn a_fault_on_another_thread_names_its_job() {
    let good = SigningKey::<Falcon512>::from_seed(&[7; 32])
        .expect("no fault")
        .expand();
    let nans = damaged::<Falcon512>(Part::Whole, f64::NAN);
    let jobs: Vec<_> = (0..100)
        .map(|job| SignJob::new(if job == 77 { &nans } else { &good }, b"m"))
        .collect();
    let threads = crate::Threads::new(core::num::NonZeroUsize::new(4).expect("4"));
    let mut out = vec![Signature::EMPTY; jobs.len()];
    let result = Engine::best()
        .on(&threads)
        .sign_batch(&[1; 32], &jobs, &mut out);
    assert_eq!(result, Err(BatchError::Fault { job: 77 }));
    let unsigned = out
        .iter()
        .filter(|&&signature| signature == Signature::EMPTY);
    assert_eq!(unsigned.count(), 1);
}
