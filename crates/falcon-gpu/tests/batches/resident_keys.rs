//! Keys that stay on the device. They are expanded there to the same bits as in the core, are found
//! again, and move when the capacity grows. If an upload fails, no data of the new keys are left.

use crate::fixture::{SEED, options};
use crate::support::{HostDevice, PLENTY, context};
use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::hazmat::{expanded_reals, secret_hash};
use falcon_core::{Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_gpu::{GpuContext, GpuError, KeyMode, Options};

/// Forms in which keys stay on the device.
const KEPT: [KeyMode; 2] = [KeyMode::Expanded, KeyMode::Balanced];

fn keys<P: Parameters>(count: u8) -> Vec<SigningKey<P>> {
    (0..count)
        .map(|i| SigningKey::from_seed(&[i; 32]).expect("no fault"))
        .collect()
}

/// Returns true if the device makes the same signature with each key as the CPU.
fn signs_with<P: Parameters>(context: &GpuContext, keys: &[SigningKey<P>]) -> bool {
    let expanded: Vec<ExpandedKey<P>> = keys.iter().map(SigningKey::expand).collect();
    let jobs: Vec<_> = expanded
        .iter()
        .map(|key| SignJob::new(key, b"resident"))
        .collect();
    let mut expected = vec![Signature::EMPTY; jobs.len()];
    Engine::best()
        .sign_batch(&SEED, &jobs, &mut expected)
        .unwrap();
    let mut out = vec![Signature::EMPTY; jobs.len()];
    context.sign_batch(&SEED, &jobs, &mut out).unwrap();
    out == expected
}

#[test]
fn resident_keys_have_the_bits_of_the_core() {
    fn check<P: Parameters>(count: u8) {
        let keys = keys::<P>(count);
        for mode in KEPT {
            let Some((device, context)) = context(PLENTY, options(mode)) else {
                return;
            };
            for (i, key) in keys.iter().enumerate() {
                // The expanded form counts as the same key.
                if i % 2 == 0 {
                    context.upload_key(key).unwrap();
                } else {
                    context.upload_key(&key.expand()).unwrap();
                }
                let (expanded, small) = device.expanded().expect("a kernel was told of a key");
                let key = key.expand();
                let expected = expanded_reals(&key);
                let expected = if mode == KeyMode::Balanced {
                    &expected[..4 * P::N]
                } else {
                    expected
                };
                assert_eq!(expanded.len(), expected.len());
                let bits =
                    |reals: &[f64]| reals.iter().map(|real| real.to_bits()).collect::<Vec<_>>();
                assert!(bits(&expanded) == bits(expected), "{} {i}", P::NAME);
                // The small integers and the locked memory through which they came are wiped.
                assert!(device.locked_is_wiped());
                assert_eq!(small.len(), 4 * P::N);
                assert!(small.iter().all(|&byte| byte == 0));
            }
            let kernel = if mode == KeyMode::Balanced {
                "basis"
            } else {
                "expand"
            };
            let launched = device.launched();
            assert_eq!(launched.len(), keys.len());
            assert!(
                launched
                    .iter()
                    .all(|(name, count)| name.starts_with(kernel) && *count == 1)
            );
            // All keys are still on the device, although the capacity has grown.
            for key in &keys {
                context.upload_key(key).unwrap();
            }
            assert!(signs_with(&context, &keys));
            let launched = device.launched();
            assert!(!launched.iter().any(|(name, _)| name.starts_with(kernel)));
        }
    }
    check::<Falcon512>(19);
    check::<Falcon1024>(3);
}

#[test]
fn keys_that_nobody_expanded_sign_the_same_and_are_expanded_together() {
    let keys = keys::<Falcon512>(21);
    let messages: Vec<_> = (0..60u8).map(|i| vec![i; usize::from(i)]).collect();
    // Neighbouring jobs have different keys, and each key occurs at least twice.
    let key_of = |job: usize| &keys[job % keys.len()];
    let jobs: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(job, message)| SignJob::new(key_of(job), message))
        .collect();
    let expanded: Vec<_> = (0..60).map(|job| key_of(job).expand()).collect();
    let sign: Vec<_> = expanded
        .iter()
        .zip(&messages)
        .map(|(key, message)| SignJob::new(key, message))
        .collect();
    let mut expected = vec![Signature::EMPTY; 60];
    Engine::best()
        .sign_batch(&SEED, &sign, &mut expected)
        .unwrap();
    for mode in KEPT {
        let Some((device, context)) = context(PLENTY, options(mode)) else {
            return;
        };
        for time in 0..2 {
            let mut out = vec![Signature::EMPTY; 60];
            context.sign_batch(&SEED, &jobs, &mut out).unwrap();
            assert!(out == expected);
            let kernel = if mode == KeyMode::Balanced {
                "basis_9"
            } else {
                "expand_9"
            };
            let launched = device.launched();
            let expanding = launched.iter().filter(|(name, _)| name == kernel);
            let counts: Vec<_> = expanding.map(|&(_, count)| count).collect();
            assert_eq!(counts, if time == 0 { &[21][..] } else { &[] });
            assert!(
                !launched
                    .iter()
                    .any(|(name, _)| name.starts_with("sign_raw"))
            );
        }
        // Both forms of a key count as one key.
        let mut out = vec![Signature::EMPTY; 60];
        context.sign_batch(&SEED, &sign, &mut out).unwrap();
        assert!(out == expected);
        assert!(
            !device
                .launched()
                .iter()
                .any(|(name, _)| name.starts_with("expand"))
        );
        context.forget_keys();
        assert!(device.is_wiped());
    }
}

/// Checks that the device need not hold the small integers of 300 keys at once.
#[test]
fn many_keys_are_expanded_by_several_launches() {
    let keys: Vec<SigningKey<Falcon512>> = (0..300u16)
        .map(|i| {
            SigningKey::from_seed(&i.to_le_bytes().repeat(16).try_into().unwrap())
                .expect("no fault")
        })
        .collect();
    let Some((device, context)) = context(PLENTY, options(KeyMode::Expanded)) else {
        return;
    };
    assert!(signs_with(&context, &keys));
    let launched = device.launched();
    let expanding = launched.iter().filter(|(name, _)| name == "expand_9");
    let counts: Vec<_> = expanding.map(|&(_, count)| count).collect();
    assert_eq!(counts.iter().sum::<u32>(), 300, "{counts:?}");
    assert!(counts.len() > 1, "{counts:?}");
    context.forget_keys();
    assert!(device.is_wiped());
}

#[test]
fn what_keys_take_is_told_beforehand() {
    fn check<P: Parameters>() {
        let keys = keys::<P>(40);
        for mode in KEPT {
            for count in [1, 16, 17, 40] {
                let Some((device, context)) = context(PLENTY, options(mode)) else {
                    return;
                };
                let told = context.memory_of_keys::<P>(count);
                for key in &keys[..count] {
                    context.upload_key(key).unwrap();
                }
                assert_eq!(device.used() as u64, told, "{count} keys");
                context.forget_keys();
                assert_eq!(device.used(), 0);
                assert!(device.was_wiped());
            }
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// Makes one call fail, or all calls from one on. The old keys stay on the device, unless an
/// allocation failed. Nothing of the new key stays there, unless the device is lost.
#[test]
fn a_key_that_cannot_be_brought_leaves_everything_as_it_was() {
    // The last key makes the capacity grow.
    let keys = keys::<Falcon512>(17);
    let (last, others) = keys.split_last().unwrap();
    let Some((device, _)) = context(PLENTY, options(KeyMode::Expanded)) else {
        return;
    };
    let (mut failures, mut wiped) = ([0; 2], 0);
    for lost in [false, true] {
        for call in 0.. {
            let context = GpuContext::on(device.clone(), Options::default());
            for key in others {
                context.upload_key(key).unwrap();
            }
            let used = device.used();
            device.expanded();
            device.fail_at(call, lost);
            let brought = context.upload_key(last);
            let failed = device.recover();
            if let Err(error) = &brought {
                failures[usize::from(lost)] += 1;
                assert!(
                    matches!(
                        error,
                        GpuError::OutOfMemory { .. }
                            | GpuError::Launch { .. }
                            | GpuError::Driver { .. }
                    ),
                    "{error:?}"
                );
                let greater = context.memory_of_keys::<Falcon512>(17) as usize;
                // If keys must be replaced but cannot be wiped, their memory is freed instead.
                let gone = if lost && call < 3 { 0 } else { used };
                assert!([used, greater, gone].contains(&device.used()));
                if !lost {
                    assert!(!device.holds(secret_hash(last)));
                    assert!(device.locked_is_wiped());
                }
                if !lost && let Some((expanded, small)) = device.expanded() {
                    assert!(expanded.iter().all(|real| real.to_bits() == 0));
                    assert!(small.iter().all(|&byte| byte == 0));
                    wiped += 1;
                }
            }
            device.launched();
            // If an allocation for one of the three larger arrays fails, the new key replaces the
            // others.
            if brought.is_ok() || call < 3 {
                assert!(brought.is_ok() != (lost && call < 3));
            } else {
                for key in others {
                    context.upload_key(key).unwrap();
                }
                assert_eq!(device.launched(), [], "call {call}, lost {lost}");
            }
            context.upload_key(last).unwrap();
            if call % 3 == 0 {
                assert!(signs_with(&context, &keys), "call {call}, lost {lost}");
            }
            drop(context);
            assert_eq!(device.used(), 0);
            assert!(device.was_wiped());
            if !failed {
                break;
            }
        }
    }
    assert!(failures.iter().all(|&count| count > 5), "{failures:?}");
    assert!(wiped >= 3, "{wiped}: the launch, the wait for it, the wipe");
}

#[test]
fn a_device_without_memory_for_a_key_says_so() {
    let keys = keys::<Falcon512>(1);
    let Some((device, context)) = context(4096, options(KeyMode::Expanded)) else {
        return;
    };
    let failed = context.upload_key(&keys[0]);
    assert!(
        matches!(failed, Err(GpuError::OutOfMemory { .. })),
        "{failed:?}"
    );
    assert_eq!(device.used(), 0);
    assert!(device.was_wiped());
}

/// Counts the traces of a key on the device: the hash, the start of the basis, the end of the tree.
fn traces(device: &HostDevice, key: &SigningKey<Falcon512>) -> usize {
    let expanded = key.expand();
    let reals = expanded_reals(&expanded);
    let bytes = |reals: &[f64]| {
        reals
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<_>>()
    };
    let traces = [
        secret_hash(key).to_vec(),
        bytes(&reals[..8]),
        bytes(&reals[reals.len() - 8..]),
    ];
    traces.iter().filter(|trace| device.holds(trace)).count()
}

/// Checks that no byte of replaced keys is left, even if there are fewer new keys. If a call fails,
/// no byte of any key is left.
#[test]
fn replaced_keys_are_wiped() {
    let keys = keys::<Falcon512>(3);
    // The bytes of a key are its reals, its hash, its small integers, and its status.
    let one = 8 * ExpandedKey::<Falcon512>::LEN + 32 + 4 * Falcon512::N + 1;
    let mut options = options(KeyMode::Expanded);
    // A quarter of the memory is for keys, so two keys fit.
    options.memory = Some(4 * 2 * one as u64);
    let Some((device, _)) = context(PLENTY, options.clone()) else {
        return;
    };
    let mut failures = 0;
    for call in 0.. {
        let context = GpuContext::on(device.clone(), options.clone());
        for key in &keys[..2] {
            context.upload_key(key).unwrap();
        }
        for key in &keys[..2] {
            assert_eq!(traces(&device, key), 3);
        }
        device.fail_at(call, false);
        let brought = context.upload_key(&keys[2]);
        let failed = device.recover();
        assert_eq!(brought.is_err(), failed, "call {call}");
        failures += u32::from(failed);
        assert!(keys[..2].iter().all(|key| traces(&device, key) == 0));
        assert_eq!(traces(&device, &keys[2]), if failed { 0 } else { 3 });
        context.upload_key(&keys[2]).unwrap();
        assert_eq!(traces(&device, &keys[2]), 3);
        drop(context);
        assert_eq!(device.used(), 0);
        assert!(device.was_wiped());
        if !failed {
            break;
        }
    }
    assert!(failures > 5, "{failures}");
}

/// If the memory cannot grow, a new key replaces the old ones.
#[test]
fn little_memory_holds_keys_by_turns() {
    let keys = keys::<Falcon512>(9);
    let Some((_, probe)) = context(PLENTY, options(KeyMode::Expanded)) else {
        return;
    };
    let one = probe.memory_to_sign::<Falcon512>(1, 400, 0);
    let key = (probe.memory_of_keys::<Falcon512>(32) - probe.memory_of_keys::<Falcon512>(16)) / 16;
    let (device, context) = context((one + 13 * key) as usize, options(KeyMode::Expanded)).unwrap();
    for _ in 0..2 {
        for key in &keys {
            context.upload_key(key).unwrap();
        }
        assert!(signs_with(&context, &keys));
    }
    context.forget_keys();
    assert!(device.is_wiped());
}
