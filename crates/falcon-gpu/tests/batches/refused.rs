//! If `sign` refuses an attempt, the job is tried again with the same seeds as in the core.

use crate::attempts::{Hedged, first_that_fits};
use crate::fixture::{Fixture, MODES, SEED, options};
use crate::support::{PLENTY, Refused, context};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::seams::hash::Shake256;
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature};

/// Refuses the first attempt of two in three jobs, and the second attempt of some jobs.
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
        for mode in MODES {
            for chunk in [1000, 7] {
                let mut options = options(mode);
                options.chunk = Some(chunk);
                let Some((device, context)) = context(PLENTY, options) else {
                    return;
                };
                assert!(bytes(&fixture.signed(&context)) != expected);
                device.refuse(REFUSED);
                assert!(bytes(&fixture.signed(&context)) == expected, "{mode:?}");
            }
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
    let jobs = given.iter().map(|&(message, seed)| {
        let nonce = &nonce;
        RawJob::new(key, message, RawRandomness { nonce, seed })
    });
    let jobs: Vec<_> = jobs.collect();
    for mode in MODES {
        let Some((device, context)) = context(PLENTY, options(mode)) else {
            return;
        };
        device.refuse(REFUSED);
        let mut out = vec![Signature::EMPTY; 12];
        context
            .sign_batch_raw(&jobs, Fit::Padded, &mut out)
            .unwrap();
        assert!(bytes(&out) == expected, "{mode:?}");
    }
}
