//! A device that silently computes wrong signatures: verifying after signing finds them.

use crate::fixture::{Fixture, SEED, options};
use crate::support::{Fault, HostDevice, PLENTY, context};
use falcon_core::batch::{BatchError, BatchSign};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature};
use falcon_gpu::{GpuContext, KeyMode};
use std::sync::Arc;

const JOBS: usize = 20;
/// Number of jobs of a chunk.
const CHUNK: usize = 7;

fn sign<P: Parameters>(
    context: &GpuContext,
    fixture: &Fixture<P>,
    raw: bool,
    out: &mut [Signature<P>],
) -> Result<(), BatchError> {
    let jobs = fixture.jobs();
    if !raw {
        return context.sign_batch(&SEED, &jobs, out);
    }
    let seeds: Vec<_> = (0..JOBS as u64).map(u64::to_le_bytes).collect();
    let jobs = jobs.iter().zip(&seeds).map(|(job, seed)| {
        let nonce = &[3; 40];
        RawJob::new(job.key, job.message, RawRandomness { nonce, seed })
    });
    let jobs: Vec<_> = jobs.collect();
    context.sign_batch_raw(&jobs, Fit::Padded, out)
}

/// Makes the signature of the first job wrong in every chunk except the first chunk.
fn spoil(device: &Arc<HostDevice>) {
    device.spoil("accept", Fault::WrongSignature, 1);
}

#[test]
fn a_wrong_signature_is_given_only_where_nobody_verifies() {
    fn check<P: Parameters>() {
        let fixture = Fixture::<P>::new(2, JOBS);
        let placeholder = fixture.another();
        // The value of the option, and whether hedged jobs and raw jobs are then verified.
        for (verify, found) in [
            (None, [false, true]),
            (Some(false), [false, false]),
            (Some(true), [true, true]),
        ] {
            let mut options = options(KeyMode::Expanded);
            (options.chunk, options.streams) = (Some(CHUNK), Some(1));
            options.verify_after_sign = verify;
            let Some((device, context)) = context(PLENTY, options) else {
                return;
            };
            for (raw, found) in [false, true].into_iter().zip(found) {
                let mut sound = vec![placeholder; JOBS];
                sign(&context, &fixture, raw, &mut sound).unwrap();
                assert!(!sound.contains(&placeholder));
                let names = device.launched();
                let verified = names.iter().any(|(name, _)| name.starts_with("verify"));
                assert_eq!(verified, found, "{names:?}");

                let mut out = vec![placeholder; JOBS];
                spoil(&device);
                let result = sign(&context, &fixture, raw, &mut out);
                device.mend();
                if found {
                    assert_eq!(result, Err(BatchError::Fault { job: CHUNK }));
                    assert!(out.iter().all(|signature| *signature == placeholder));
                } else {
                    assert_eq!(result, Ok(()));
                    let wrong = (0..JOBS).position(|job| out[job] != sound[job]);
                    assert_eq!(wrong, Some(CHUNK));
                }
                device.launched();
            }
            drop(context);
            assert!(device.was_wiped());
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}
