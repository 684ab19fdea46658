//! Lane stealing, on emulated warps: integers, places in the stream and signatures of
//! the serial loop, in fewer rounds.

use crate::common::{
    Job, LAUNCH, Launch, Randomness, Signing, address, address_mut, bytes, kernels_available, key,
    repeatable, sign, verify,
};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey};
use falcon_gpu::kernels::{Batch, Grain, KeyMode, Operation, status};
use falcon_gpu_host::{Build, Draws, counts, sample, set_emulation};

const MODES: [KeyMode; 3] = [KeyMode::Raw, KeyMode::Balanced, KeyMode::Expanded];

const STEALING: Launch = Launch {
    build: Build::Stealing,
    ..LAUNCH
};

/// One thread a signature, with lane stealing.
pub fn stealing<P: Parameters>(mode: KeyMode) -> Signing {
    Signing {
        launch: STEALING,
        ..Signing::new::<P>(mode, Grain::Thread)
    }
}

fn jobs(count: usize, keys: usize) -> Vec<Job> {
    let mut messages = repeatable("kernels: stealing");
    (0..count)
        .map(|i| Job {
            key: i * 7 % keys,
            message: bytes(&mut messages, i),
        })
        .collect()
}

/// The sampler alone, where every place can be seen: rows that end in the middle of a
/// pair, rows that run out, centres of all kinds.
#[test]
fn integers_and_places_are_those_of_the_serial_loop() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("stealing: draws");
    for (order, (slots, rows, pairs)) in [(64, 2, 700), (1, 3, 300), (45, 9, 300), (31, 2, 200)]
        .into_iter()
        .enumerate()
    {
        let seeds: Vec<u32> = (0..14 * slots)
            .map(|_| u32::from_le_bytes(source.read_array()))
            .collect();
        let mut unit = || (u64::from_le_bytes(source.read_array()) >> 11) as f64 / 2f64.powi(53);
        let (mut centers, mut leaves) = (Vec::new(), Vec::new());
        for i in 0..slots * pairs {
            for _ in 0..2 {
                let whole = (unit() * 4096.0).floor() - 2048.0;
                centers.push(match i % 9 {
                    0 => whole,
                    1 => whole + 1.0 - f64::EPSILON,
                    _ => whole + unit(),
                });
            }
            // sigma' is sigma_min to 1.17^2 sigma_min, one leaf for a warp or one a lane.
            let sigma_min = 1.2778336969128337;
            let at = if order % 2 == 0 { unit() } else { 0.5 };
            let inverse = 1.0 / (sigma_min * (1.0 + at * (1.17 * 1.17 - 1.0)));
            leaves.extend([inverse * inverse * 0.5, inverse * sigma_min]);
        }
        let drawn = [Build::Default, Build::Emulated, Build::Stealing].map(|build| {
            let mut words = vec![0u32; 128 * rows * slots];
            let mut states = vec![status::HASHED; slots];
            let batch = Batch {
                status: address_mut(&mut states),
                seeds: address(&seeds),
                rows: address_mut(&mut words),
                prng_rows: rows as u32,
                count: slots as u32,
                ..Batch::default()
            };
            LAUNCH.run::<Falcon512>(Operation::Prng, batch);
            set_emulation(order as u32, false);
            let draws = Draws {
                centers: &centers,
                leaves: &leaves,
            };
            // SAFETY: the arrays are as long as `prng` has them, and are there.
            unsafe { sample(build, &batch, draws) }.expect("lanes meet")
        });
        let last = drawn[0].1[pairs - 1];
        assert!(last > 512 * rows as u64 + 1000, "{last}: no rows ran out");
        for (integers, places) in &drawn[1..] {
            assert!(*places == drawn[0].1, "{slots} slots");
            assert!(*integers == drawn[0].0, "{slots} slots");
        }
    }
}

/// Every size of the last warp, lanes in several orders, blocks of several sizes, few
/// rows; several keys and one.
fn signatures_are_those_of_the_serial_loop<P: Parameters>(sizes: &[usize]) {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..3).map(key).collect();
    for (i, &count) in sizes.iter().enumerate() {
        let keys = &keys[..if i % 3 == 2 { 1 } else { 3 }];
        let jobs = jobs(count, keys.len());
        let randomness = Randomness::Hedged([i as u8; 32], 3);
        let mode = MODES[i % 3];
        let expected = sign(
            Signing::new::<P>(mode, Grain::Thread),
            keys,
            &jobs,
            &randomness,
        );
        set_emulation(i as u32, false);
        let how = Signing {
            launch: Launch {
                block: 32 << (i % 3),
                ..STEALING
            },
            prng_rows: [2, 3, 35, 90][i % 4],
            ..stealing::<P>(mode)
        };
        let signed = sign(how, keys, &jobs, &randomness);
        assert!(
            signed.signatures == expected.signatures,
            "{count}, {mode:?}"
        );
        assert_eq!(signed.attempts, expected.attempts);
    }
}

#[test]
fn signatures_of_512_are_those_of_the_serial_loop() {
    signatures_are_those_of_the_serial_loop::<Falcon512>(&[0, 1, 2, 5, 17, 31, 32, 33, 63, 65, 97]);
}

#[test]
fn signatures_of_1024_are_those_of_the_serial_loop() {
    signatures_are_those_of_the_serial_loop::<Falcon1024>(&[33, 3, 16, 47, 1, 64]);
}

/// Jobs that are tried again stand in other lanes than before, beside others.
#[test]
fn refused_vectors_are_sampled_again() {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<Falcon512>> = (0..2).map(key).collect();
    let (jobs, randomness) = (jobs(35, 2), Randomness::Hedged([6; 32], 0));
    for mode in MODES {
        let limited = |how: Signing| Signing {
            limit: Some(654),
            ..how
        };
        let how = limited(Signing::new::<Falcon512>(mode, Grain::Thread));
        let expected = sign(how, &keys, &jobs, &randomness);
        assert!(expected.attempts > 4);
        set_emulation(2, false);
        let signed = sign(
            limited(stealing::<Falcon512>(mode)),
            &keys,
            &jobs,
            &randomness,
        );
        assert_eq!(signed.attempts, expected.attempts);
        assert!(signed.signatures == expected.signatures, "{mode:?}");
    }
}

/// What `kernels/README.md` says about rounds and attempts.
fn rounds_are_fewer<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let keys = [key::<P>(0)];
    let jobs = jobs(96, 1);
    let [serial, stealing] = [Build::Emulated, Build::Stealing].map(|build| {
        set_emulation(0, false);
        let how = Signing {
            launch: Launch { build, ..LAUNCH },
            ..Signing::new::<P>(KeyMode::Expanded, Grain::Thread)
        };
        let signed = sign(how, &keys, &jobs, &Randomness::Hedged([8; 32], 0));
        let public = [keys[0].verifying_key().h()];
        let states = verify::<P>(LAUNCH, &public, &jobs, &signed.signatures);
        assert!(states.iter().all(|&state| state == status::DONE));
        let counts = counts(build);
        // The pairs of a warp are those of 32 lanes, all of which are there.
        assert_eq!(counts.pairs % (32 * P::N as u64), 0);
        let each = |count: u64| count as f64 / counts.pairs as f64;
        let (rounds, shared) = (16.0 * each(counts.rounds), 16.0 * each(counts.shared));
        let attempts = each(counts.attempts) / 2.0;
        eprintln!(
            "{}, {build:?}: an integer takes {rounds:.2} rounds, {shared:.2} of them shared, {attempts:.2} attempts",
            P::NAME
        );
        (rounds, shared, attempts)
    });
    assert!((3.8..4.1).contains(&serial.0) && serial.1 == 0.0);
    assert!((1.68..1.78).contains(&serial.2));
    assert!((2.75..2.95).contains(&stealing.0));
    assert!(stealing.1 < 1.45 && stealing.2 < 2.8);
}

#[test]
fn rounds_are_fewer_for_512() {
    rounds_are_fewer::<Falcon512>();
}

#[test]
fn rounds_are_fewer_for_1024() {
    rounds_are_fewer::<Falcon1024>();
}
