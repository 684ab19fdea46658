//! The sampler alone: its integers, and the position of its stream after each pair.
//! `host/serial.h`, which `host/sanitize.cpp` runs, compares it with a serial loop.

use crate::common::{LAUNCH, address, address_mut, kernels_available, repeatable};
use falcon_core::Falcon512;
use falcon_gpu::kernels::{Batch, Operation, status};
use falcon_gpu_host::{Build, Draws, sample, set_emulation};

/// Runs only the sampler, so that every position is visible. Some rows end within a pair, some rows
/// are used up, and there are all kinds of centres.
#[test]
fn emulated_lanes_find_the_same_integers_at_the_same_places() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("stream: draws");
    for (order, (slots, rows, pairs)) in [(64, 4, 700), (1, 5, 300), (45, 9, 300), (31, 4, 200)]
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
            // sigma' is between sigma_min and 1.17^2 sigma_min. It is random for each pair, or the
            // same for all pairs.
            let sigma_min = 1.2778336969128337;
            let at = if order % 2 == 0 { unit() } else { 0.5 };
            let inverse = 1.0 / (sigma_min * (1.0 + at * (1.17 * 1.17 - 1.0)));
            leaves.extend([inverse * inverse * 0.5, inverse * sigma_min]);
        }
        let drawn = [Build::Default, Build::Emulated].map(|build| {
            let mut words = vec![0u32; 128 * rows * slots];
            let mut records = vec![0u16; 46 * rows * slots];
            let mut states = vec![status::HASHED; slots];
            let batch = Batch {
                status: address_mut(&mut states),
                seeds: address(&seeds),
                rows: address_mut(&mut words),
                records: address_mut(&mut records),
                prng_rows: rows as u32,
                count: slots as u32,
                ..Batch::default()
            };
            LAUNCH.run::<Falcon512>(Operation::Prng, batch);
            set_emulation(order as u32);
            let draws = Draws {
                centers: &centers,
                leaves: &leaves,
            };
            // SAFETY: the arrays are valid and have the lengths that `prng` uses.
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
