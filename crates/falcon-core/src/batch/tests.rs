//! Lanes that are refused, try again and take the next job.

use super::*;
use crate::hash::{HashToPoint, Shake256HashToPoint};
use crate::keys::SigningKey;
use crate::lanes::{Baseline, Many, Soft};
use crate::params::{Falcon512, Falcon1024};
use crate::sign::Secret;

/// Refuses three of four vectors.
fn accept(s2: &[i16]) -> bool {
    s2[0] & 3 == 0
}

/// How many jobs there are, for all residues modulo the lanes.
const JOBS: usize = 19;

/// A batch whose attempts are refused three times of four is what the jobs give
/// alone, one after the other, with the same refusals.
fn refusals_change_no_signature<P: Parameters, B: Binary64, F: Fft>(arith: B, fft: F) {
    let key = SigningKey::<P>::from_seed(&[7; 32]).expand();
    let jobs: Vec<_> = (0..JOBS)
        .map(|index| Job {
            key: &key,
            message: &b"a message, longer and longer"[..index],
            randomness: Hedged::new(&[8; 32], index as u64, key.hedge_secret()),
        })
        .collect();
    let mut out = vec![Signature::EMPTY; JOBS];
    LaneEngine { arith, fft }.sign_jobs(&jobs, accept, &mut out);

    let mut refused = 0;
    for (job, ours) in jobs.iter().zip(&out) {
        let nonce = job.randomness.nonce();
        let mut c = P::Residues::ZERO;
        Shake256HashToPoint.hash_to_point(&nonce, job.message, c.as_mut());
        let mut alone = Signature::<P> {
            nonce,
            s2: P::Short::ZERO,
        };
        let mut stream = Shake256Reader::empty();
        job.randomness.start_sampler_stream(c.as_ref(), &mut stream);
        let count = core::cell::Cell::new(0);
        signing::sign_point::<_, P::KeyWords>(
            Baseline,
            P::LOGN,
            &key.source(),
            c.as_ref(),
            &mut stream,
            |s2| {
                count.set(count.get() + 1);
                accept(s2)
            },
            &mut vec![0.0; signing::computed_scratch_len(P::LOGN)],
            alone.s2.as_mut(),
        );
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
