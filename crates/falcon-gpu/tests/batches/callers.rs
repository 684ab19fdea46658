//! One context with many callers.

use crate::fixture::Fixture;
use crate::support::{PLENTY, context};
use falcon_core::Falcon512;
use falcon_core::batch::{BatchVerify, Verdict, VerifyBytesJob};
use falcon_gpu::{GpuContext, Options};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Number of calls at the same time.
const CALLS: usize = 100;
/// Number of claims of a call: a chunk of several blocks.
const CLAIMS: usize = 4000;

/// Verifies claims that many threads stage and that the kernel `unpack` refuses. Nearly all the
/// time is spent waiting for other threads.
fn refuses_claims(gpu: &GpuContext, fixture: &Fixture<Falcon512>) -> bool {
    let claim = |message| VerifyBytesJob {
        key: fixture.keys[0].verifying_key(),
        message,
        signature: &[0; 666],
    };
    let claims: Vec<_> = fixture
        .messages
        .iter()
        .map(|message| claim(message))
        .collect();
    let mut verdicts = vec![Verdict::Valid; claims.len()];
    gpu.verify_bytes_batch(&claims, &mut verdicts).unwrap();
    verdicts
        .iter()
        .all(|&verdict| verdict == Verdict::Malformed)
}

/// While a thread of a pool waits for a part of its own call, it takes up other calls of the pool.
/// No call may wait for itself, and the calls must not all wait for each other. On a machine with
/// few cores, such a deadlock would be rare. It cannot happen if no thread of the pool holds the
/// device.
#[test]
fn calls_from_within_a_pool_are_done() {
    let mut options = Options::default();
    options.chunk = Some(CLAIMS);
    let Some((device, gpu)) = context(PLENTY, options) else {
        return;
    };
    let (done, all_done) = mpsc::channel();
    thread::spawn(move || {
        let fixture = Fixture::<Falcon512>::new(1, CLAIMS);
        let call = |number: usize| {
            if number.is_multiple_of(3) {
                // A call without the device, so that threads take up other calls at different
                // times.
                thread::sleep(Duration::from_micros(200));
                return true;
            }
            refuses_claims(&gpu, &fixture)
        };
        let calls = || assert!((0..CALLS).into_par_iter().map(call).all(|refused| refused));
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(calls);
        }
        // The calls also come from the global pool.
        calls();
        for caller in device.callers() {
            assert!(caller.starts_with("falcon-gpu-"), "{caller}");
        }
        done.send(()).unwrap();
    });
    let waited = all_done.recv_timeout(Duration::from_secs(240));
    assert!(waited.is_ok(), "a call waits for itself, or has failed");
}
