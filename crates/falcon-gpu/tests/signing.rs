//! Signing kernels, on the processor: the bytes of `falcon-core`, in every key mode
//! and grain, restarts and exhausted randomness included.

mod common;

use common::{Job, Randomness, Signing, bytes, kernels_available, key, repeatable, sign};
use falcon_core::batch::{BatchSign, LaneEngine, SignJob};
use falcon_core::lanes::Scalar;
use falcon_core::{ExpandedKey, Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_gpu::kernels::{Grain, KeyMode};

const MODES: [KeyMode; 3] = [KeyMode::Raw, KeyMode::Balanced, KeyMode::Expanded];
const GRAINS: [Grain; 2] = [Grain::Thread, Grain::Warp];
const CPU: LaneEngine<Scalar, Scalar> = LaneEngine {
    arith: Scalar,
    fft: Scalar,
};

/// Messages of all lengths around the blocks of SHAKE256 and a long one.
fn jobs(label: &str, count: usize, keys: usize) -> Vec<Job> {
    let mut messages = repeatable(label);
    (0..count)
        .map(|i| Job {
            key: (i * i + i / 3) % keys,
            message: bytes(&mut messages, if i == 5 { 5000 } else { i }),
        })
        .collect()
}

fn expected<P: Parameters>(
    keys: &[SigningKey<P>],
    jobs: &[Job],
    seed: [u8; 32],
    first: u64,
) -> Vec<Vec<u8>> {
    let expanded: Vec<ExpandedKey<P>> = keys.iter().map(SigningKey::expand).collect();
    let jobs: Vec<_> = jobs
        .iter()
        .map(|job| SignJob {
            key: &expanded[job.key],
            message: &job.message,
        })
        .collect();
    let mut out = vec![Signature::EMPTY; jobs.len()];
    CPU.sign_part(&seed, first, &jobs, &mut out)
        .expect("equal lengths");
    out.iter()
        .map(|signature| signature.to_bytes().to_vec())
        .collect()
}

fn hedged_signatures_are_the_cores<P: Parameters>(count: usize) {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..3).map(key).collect();
    let (seed, first) = ([42; 32], (1 << 40) + 7);
    for keys in [&keys[..], &keys[..1]] {
        let jobs = jobs("kernels: messages", count, keys.len());
        let expected = expected(keys, &jobs, seed, first);
        for mode in MODES {
            for grain in GRAINS {
                let how = Signing::new::<P>(mode, grain);
                let signed = sign(how, keys, &jobs, &Randomness::Hedged(seed, first));
                assert!(signed.signatures == expected, "{mode:?}, {grain:?}");
            }
        }
    }
}

#[test]
fn hedged_signatures_of_512_are_the_cores() {
    hedged_signatures_are_the_cores::<Falcon512>(307);
}

#[test]
fn hedged_signatures_of_1024_are_the_cores() {
    hedged_signatures_are_the_cores::<Falcon1024>(101);
}
