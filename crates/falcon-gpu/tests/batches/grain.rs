//! Who works on one signature: many lanes where few are signed, a thread each where
//! many are.

use crate::support::{HostDevice, PLENTY, context};
use falcon::batch::{BatchSign, SignJob};
use falcon::{Engine, Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_gpu::Options;
use falcon_gpu::RawKeyJob;

/// Signatures of 512 with expanded keys from which on a thread signs one: twice what the
/// device's two processors hold in 100 KiB of shared memory each, of which a block of three
/// groups takes 49.
const THRESHOLD: usize = 2 * 2 * 6;

/// The same in every mode. Groups that need 32 KiB make blocks of their own, of 33; those
/// that need 64, of 65.
fn threshold<P: Parameters>(mode: &str) -> usize {
    let groups = match (P::LOGN, mode) {
        (9, "expanded") => return THRESHOLD,
        (9, _) | (10, "expanded") => 3,
        _ => 1,
    };
    2 * 2 * groups
}

/// The kernels that signed, and on how many slots.
fn signers(device: &HostDevice) -> Vec<(String, u32)> {
    let mut launched = device.launched();
    launched.retain(|(name, _)| name.starts_with("sign"));
    launched
}

#[test]
fn the_size_of_the_batch_chooses_at_the_threshold() {
    fn check<P: Parameters>() {
        let key = SigningKey::<P>::from_seed(&[1; 32]);
        let expanded = key.expand();
        let thresholds = ["expanded", "balanced", "raw"].map(threshold::<P>);
        let around = |threshold| [threshold - 1, threshold, threshold + 1];
        let mut counts = [&[1], thresholds.map(around).as_flattened()].concat();
        counts.sort_unstable();
        counts.dedup();
        for count in counts {
            let message = |i: usize| vec![i as u8; i];
            let messages: Vec<_> = (0..count).map(message).collect();
            let jobs: Vec<_> = messages
                .iter()
                .map(|message| SignJob {
                    key: &expanded,
                    message,
                })
                .collect();
            let mut expected = vec![Signature::EMPTY; count];
            let engine = Engine::best();
            engine.sign_batch(&[2; 32], &jobs, &mut expected).unwrap();
            let raw: Vec<_> = messages
                .iter()
                .map(|message| RawKeyJob { key: &key, message })
                .collect();
            for mode in ["expanded", "balanced", "raw"] {
                let mut options = Options::default();
                options.balanced = mode == "balanced";
                let Some((device, context)) = context(PLENTY, options) else {
                    return;
                };
                let mut out = vec![Signature::EMPTY; count];
                match mode {
                    "raw" => context
                        .sign_batch_raw_keys(&[2; 32], &raw, &mut out)
                        .unwrap(),
                    _ => context.sign_batch(&[2; 32], &jobs, &mut out).unwrap(),
                }
                assert!(out == expected, "{count}, {mode}");
                let warp = if count < threshold::<P>(mode) {
                    "_warp"
                } else {
                    ""
                };
                let name = format!("sign_{mode}{warp}_{}", P::LOGN);
                assert_eq!(signers(&device)[0], (name, count as u32));
            }
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// What is left of a large batch is a small one, and chunks of one are.
#[test]
fn few_that_are_left_are_signed_by_many_lanes_each() {
    let key = SigningKey::<Falcon512>::from_seed(&[1; 32]).expand();
    let messages: Vec<_> = (0..2 * THRESHOLD).map(|i| vec![i as u8; i]).collect();
    let jobs: Vec<_> = messages
        .iter()
        .map(|message| SignJob { key: &key, message })
        .collect();
    let mut options = Options::default();
    let Some((device, whole)) = context(PLENTY, options.clone()) else {
        return;
    };
    // About the median: many attempts.
    device.refuse_longer_than(653);
    let mut out = vec![Signature::EMPTY; jobs.len()];
    whole.sign_batch(&[3; 32], &jobs, &mut out).unwrap();
    let (launched, mut by_threads) = (signers(&device), 0);
    for (name, count) in &launched {
        let threads = name == "sign_expanded_9";
        assert_eq!(threads, *count as usize >= THRESHOLD, "{name}, {count}");
        assert!(threads || name == "sign_expanded_warp_9");
        by_threads += usize::from(threads);
    }
    assert!((1..launched.len()).contains(&by_threads), "{launched:?}");

    options.chunk = Some(THRESHOLD - 1);
    let (device, divided) = context(PLENTY, options).unwrap();
    device.refuse_longer_than(653);
    let mut again = vec![Signature::EMPTY; jobs.len()];
    divided.sign_batch(&[3; 32], &jobs, &mut again).unwrap();
    assert!(again == out);
    let small = |(name, _): &(String, u32)| name == "sign_expanded_warp_9";
    assert!(signers(&device).iter().all(small));
}
