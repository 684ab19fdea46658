//! Runs the GPU's code for groups of lanes on emulated warps. At each collective operation all
//! lanes meet, and the order in which they arrive does not affect the result.

use crate::common::{
    Job, LAUNCH, Launch, Randomness, Signing, bytes, device_keys, kernels_available, key,
    key_stride, repeatable, sign, verify,
};
use falcon_core::hazmat::expanded_reals;
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_gpu::kernels::{KeyMode, status};
use falcon_gpu_host::{Build, set_emulation};

const EMULATED: Launch = Launch {
    build: Build::Emulated,
    ..LAUNCH
};

fn jobs(count: usize) -> Vec<Job> {
    let mut messages = repeatable("kernels: emulated");
    (0..count)
        .map(|i| Job {
            key: i % 2,
            message: bytes(&mut messages, 10 * i),
        })
        .collect()
}

/// Checks that emulated warps give the same bytes as kernels whose lanes run one after the other.
/// `signing.rs` compares these kernels with the core.
fn emulated_warps_give_the_same<P: Parameters>(modes: &[(KeyMode, u32)]) {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..2).map(key).collect();
    let jobs = jobs(3);
    let randomness = Randomness::Hedged([8; 32], 0);
    for &(mode, order) in modes {
        let how = Signing {
            prng_rows: 20,
            ..Signing::new::<P>(mode)
        };
        let expected = sign(how, &keys, &jobs, &randomness);
        set_emulation(order);
        let how = Signing {
            launch: EMULATED,
            ..how
        };
        let signed = sign(how, &keys, &jobs, &randomness);
        assert!(
            signed.signatures == expected.signatures,
            "{mode:?}, order {order}"
        );

        let public: Vec<_> = keys
            .iter()
            .map(|key| key.verifying_key().ntt_of_h())
            .collect();
        let public: Vec<&[u16]> = public.iter().map(AsRef::as_ref).collect();
        let mut signatures = signed.signatures;
        signatures[1][50] ^= 1;
        let states = verify::<P>(how.launch, &public, &jobs, &signatures);
        let valid: Vec<bool> = states.iter().map(|&state| state == status::DONE).collect();
        assert_eq!(valid, [true, false, true]);
    }
}

#[test]
fn emulated_warps_give_the_same_for_512() {
    emulated_warps_give_the_same::<Falcon512>(&[
        (KeyMode::Expanded, 0),
        (KeyMode::Expanded, 1),
        (KeyMode::Balanced, 2),
        (KeyMode::Transient, 3),
    ]);
}

#[test]
fn emulated_warps_give_the_same_for_1024() {
    emulated_warps_give_the_same::<Falcon1024>(&[(KeyMode::Expanded, 5), (KeyMode::Transient, 1)]);
}

#[test]
fn emulated_warps_expand_keys() {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<Falcon512>> = (0..3).map(key).collect();
    for (order, mode) in [(1, KeyMode::Balanced), (4, KeyMode::Expanded)] {
        set_emulation(order);
        let found = device_keys(EMULATED, mode, &keys);
        for (found, key) in found.chunks_exact(key_stride::<Falcon512>(mode)).zip(&keys) {
            let key = key.expand();
            let equal = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
            assert!(
                found.iter().zip(expanded_reals(&key)).all(equal),
                "{mode:?}"
            );
        }
    }
}
