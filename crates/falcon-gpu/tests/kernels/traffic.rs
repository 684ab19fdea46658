//! How many reals of working memory, and of a key, a signature reads and writes with one
//! thread a signature: what `docs/PERFORMANCE.md` bounds the rate by.

use crate::common::{Job, LAUNCH, Launch, Randomness, Signing, kernels_available, key, sign};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_gpu::kernels::KeyMode;
use falcon_gpu_host::{Build, PHASES, counts, set_emulation};

/// Accesses to working memory that are known, and how many reals of a key are read.
fn signatures_meet_reals<P: Parameters>(expected: [(KeyMode, u64, u64); 3]) {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = vec![key(0)];
    let jobs = vec![Job {
        key: 0,
        message: b"message".to_vec(),
    }];
    let found = expected.map(|(mode, ..)| {
        set_emulation(0);
        let how = Signing {
            launch: Launch {
                build: Build::Emulated,
                ..LAUNCH
            },
            ..Signing::new::<P>(mode)
        };
        let attempts = sign(how, &keys, &jobs, &Randomness::Hedged([9; 32], 0)).attempts;
        let reals = counts(Build::Emulated).reals;
        eprintln!(
            "{}, {mode:?}: reals read, written, read of the key",
            P::NAME
        );
        let mut all = [0; 3];
        for (phase, counts) in PHASES.iter().zip(reals) {
            let [read, written, of_key] = counts.map(|count| count / u64::from(attempts));
            if read + written + of_key > 0 {
                eprintln!("{phase:>14} {read:>8} {written:>8} {of_key:>8}");
            }
            all = [all[0] + read, all[1] + written, all[2] + of_key];
        }
        let [read, written, key] = all;
        let (total, kib) = (read + written, (read + written) / 128);
        eprintln!("           all {read:>8} {written:>8} {key:>8}; {total} accesses, {kib} KiB");
        (mode, total, key)
    });
    assert_eq!(found, expected);
}

#[test]
fn signatures_of_512_meet_reals() {
    signatures_meet_reals::<Falcon512>([
        (KeyMode::Expanded, 28_160, 8_704),
        (KeyMode::Balanced, 39_424, 5_120),
        (KeyMode::Raw, 56_832, 0),
    ]);
}

#[test]
fn signatures_of_1024_meet_reals() {
    signatures_meet_reals::<Falcon1024>([
        (KeyMode::Expanded, 64_512, 18_432),
        (KeyMode::Balanced, 90_112, 10_240),
        (KeyMode::Raw, 141_312, 0),
    ]);
}
