//! The steps of a signature, one by one: points, seeds and the generator's bytes. Also the
//! interface to the kernels.

use crate::common::{
    LAUNCH, address, address_mut, bytes, concatenated, kernels_available, repeatable,
};
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::seams::lanes::Baseline;
use falcon_core::seams::prng::Prng;
use falcon_core::{Falcon512, Falcon1024, Parameters};
use falcon_gpu::kernels::{Batch, Kernel, KeyMode, Operation, status};
use std::mem::offset_of;

#[test]
fn the_batch_of_both_languages_is_the_same() {
    if !kernels_available() {
        return;
    }
    let layout = [
        size_of::<Batch>(),
        offset_of!(Batch, counts),
        offset_of!(Batch, scratch),
        offset_of!(Batch, first),
        offset_of!(Batch, count),
        offset_of!(Batch, signature_limit),
    ];
    assert_eq!(falcon_gpu_host::batch_layout(), layout);
}

#[test]
fn every_kernel_has_a_name_and_every_name_a_kernel() {
    if !kernels_available() {
        return;
    }
    let kernels = [9, 10].map(falcon_gpu_host::kernels).concat();
    let mut names: Vec<String> = kernels.into_iter().map(Kernel::name).collect();
    names.sort();
    names.dedup();
    let mut defined = falcon_gpu_host::names();
    defined.sort_unstable();
    assert_eq!(names, defined);
}

/// Checks that the kernel `hash` computes the core's points, for given nonces and messages of many
/// lengths.
fn points_are_the_cores<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("kernels: points");
    let lengths: Vec<usize> = (0..300).chain([1000, 4096, 20_001]).collect();
    let count = lengths.len();
    let messages: Vec<Vec<u8>> = lengths.iter().map(|&len| bytes(&mut source, len)).collect();
    let (all, offsets) = concatenated(messages.iter());
    let mut nonces: Vec<u64> = (0..5 * count)
        .map(|_| u64::from_le_bytes(source.read_array()))
        .collect();
    let mut points = vec![0u16; P::N * count];
    let mut states = vec![status::GIVEN; count];
    let batch = Batch {
        status: address_mut(&mut states),
        messages: address(&all),
        message_offsets: address(&offsets),
        nonces: address_mut(&mut nonces),
        points: address_mut(&mut points),
        count: count as u32,
        ..Batch::default()
    };
    LAUNCH.run::<P>(Operation::Hash, batch);
    for (i, (message, point)) in messages.iter().zip(points.chunks_exact(P::N)).enumerate() {
        let nonce: Vec<u8> = nonces[5 * i..][..5]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        let nonce: [u8; 40] = nonce.try_into().expect("40 bytes");
        let mut expected = vec![0; P::N];
        Shake256HashToPoint.hash_to_point(&nonce, message, &mut expected);
        assert!(point == expected, "message of {} bytes", message.len());
    }
}

#[test]
fn points_of_512_are_the_cores() {
    points_are_the_cores::<Falcon512>();
}

#[test]
fn points_of_1024_are_the_cores() {
    points_are_the_cores::<Falcon1024>();
}

/// Compares nonces and seeds with their definition in `hedge.rs`, for attempts that need more than
/// one block of the stream.
fn randomness_is_derived_as_defined<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("kernels: hedging");
    let count = 7;
    let batch_seed: [u64; 4] = [1, 2, 3, 4].map(|x: u64| x.wrapping_mul(0x0123_4567_89ab_cdef));
    let seed: Vec<u8> = batch_seed
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let secrets: Vec<u64> = (0..8)
        .map(|_| u64::from_le_bytes(source.read_array()))
        .collect();
    let secret_bytes: Vec<u8> = secrets.iter().flat_map(|word| word.to_le_bytes()).collect();
    let key_of_job: Vec<u32> = (0..count as u32).map(|job| job % 2).collect();
    let first = u64::MAX - 3;
    let messages = b"one two";
    let (words, offsets) = concatenated(messages.chunks(1));
    let mut nonces = vec![0u64; 5 * count];
    let mut points = vec![0u16; P::N * count];
    let mut seeds = vec![0u32; 14 * count];
    let mut states = vec![status::GIVEN; count];
    let mut batch = Batch {
        status: address_mut(&mut states),
        messages: address(&words),
        message_offsets: address(&offsets),
        key_of_job: address(&key_of_job),
        batch_seed: address(&batch_seed),
        secret_hashes: address(&secrets),
        nonces: address_mut(&mut nonces),
        points: address_mut(&mut points),
        seeds: address_mut(&mut seeds),
        first,
        count: count as u32,
        ..Batch::default()
    };
    LAUNCH.run::<P>(Operation::Hash, batch);
    let absorb = |label: &str, job: usize| {
        let mut hash = Shake256::new();
        let index = first.wrapping_add(job as u64).to_le_bytes();
        let secret = &secret_bytes[32 * (job % 2)..][..32];
        hash.update(label.as_bytes())
            .update(&seed)
            .update(&index)
            .update(secret);
        hash
    };
    for job in 0..count {
        let nonce: [u8; 40] = absorb("falcon nonce 2", job).finalize().read_array();
        let found: Vec<u8> = nonces[5 * job..][..5]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        assert_eq!(nonce, found[..]);
        let mut point = vec![0; P::N];
        Shake256HashToPoint.hash_to_point(&nonce, &messages[job..=job], &mut point);
        assert!(points[P::N * job..][..P::N] == point);
    }
    // In every other attempt the jobs are in another order, as if they were tried again.
    let list: Vec<u32> = (0..count as u32).rev().collect();
    for (attempt, list) in (0..12).map(|k| (k, if k % 2 == 0 { &[][..] } else { &list[..] })) {
        batch.attempt = attempt;
        batch.list = address(list);
        if attempt > 0 {
            states.fill(status::REDO);
        }
        batch.status = address_mut(&mut states);
        LAUNCH.run::<P>(Operation::Seed, batch);
        for slot in 0..count {
            let job = list.get(slot).map_or(slot, |&job| job as usize);
            let mut hash = absorb("falcon sampler", job);
            for c in &points[P::N * job..][..40] {
                hash.update(&c.to_le_bytes());
            }
            let mut stream = hash.finalize();
            let mut expected = [0; 56];
            for _ in 0..=attempt {
                expected = stream.read_array();
            }
            let found: Vec<u8> = seeds[14 * slot..][..14]
                .iter()
                .flat_map(|w| w.to_le_bytes())
                .collect();
            assert_eq!(expected, found[..], "attempt {attempt}, job {job}");
        }
    }
}

#[test]
fn randomness_of_512_is_derived_as_defined() {
    randomness_is_derived_as_defined::<Falcon512>();
}

#[test]
fn randomness_of_1024_is_derived_as_defined() {
    randomness_is_derived_as_defined::<Falcon1024>();
}

/// Compares rows with the generator's bytes, also when the counter passes 2^32 and 2^64.
#[test]
fn rows_are_the_bytes_of_the_generator() {
    if !kernels_available() {
        return;
    }
    let (count, rows) = (6, 5);
    let mut source = repeatable("kernels: rows");
    let mut seeds: Vec<u32> = (0..14 * count)
        .map(|_| u32::from_le_bytes(source.read_array()))
        .collect();
    (seeds[14 * 4 + 12], seeds[14 * 4 + 13]) = (u32::MAX - 10, 7);
    (seeds[14 * 5 + 12], seeds[14 * 5 + 13]) = (u32::MAX - 10, u32::MAX);
    let mut out = vec![0u32; 128 * rows * count];
    let mut records = vec![0u16; 46 * rows * count];
    let mut states = vec![status::HASHED; count];
    let batch = Batch {
        status: address_mut(&mut states),
        seeds: address(&seeds),
        rows: address_mut(&mut out),
        records: address_mut(&mut records),
        prng_rows: rows as u32,
        count: count as u32,
        ..Batch::default()
    };
    LAUNCH.run::<Falcon512>(Operation::Prng, batch);
    for (seed, out) in seeds.chunks_exact(14).zip(out.chunks_exact(128 * rows)) {
        let seed: Vec<u8> = seed.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut prng = Prng::<1>::new(Baseline, &seed.try_into().expect("56 bytes"));
        for byte in out.iter().flat_map(|word| word.to_le_bytes()) {
            assert_eq!(byte, prng.next_u8());
        }
    }
}

/// If the host gave a kernel less memory than it uses, a GPU would write to other memory.
#[test]
fn the_host_gives_the_memory_that_signing_takes() {
    if !kernels_available() {
        return;
    }
    for logn in [9, 10] {
        let modes = [KeyMode::Transient, KeyMode::Balanced, KeyMode::Expanded];
        for (number, mode) in (0..).zip(modes) {
            let kernel = Kernel {
                operation: Operation::Sign(mode),
                logn,
            };
            let found = falcon_gpu_host::geometry(number, logn);
            let lanes = kernel.threads(1) as usize;
            let given = [lanes, 46, kernel.shared_reals(), kernel.scratch_reals()];
            assert_eq!(found, given, "{mode:?}, {logn}");
        }
    }
}
