//! The signing kernels, compiled for the CPU, give the same bytes as `falcon-core` in every key
//! mode, also after restarts and when precomputed randomness is used up.

use crate::attempts::{Hedged, first_that_fits};
use crate::common::{
    Job, Launch, Randomness, Signing, attempt_expanded, bytes, device_keys, kernels_available, key,
    key_stride, launches, repeatable, sign,
};
use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::hazmat::expanded_reals;
use falcon_core::seams::LaneEngine;
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::lanes::Baseline;
use falcon_core::{ExpandedKey, Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_gpu::kernels::{KeyMode, status};

const MODES: [KeyMode; 3] = [KeyMode::Transient, KeyMode::Balanced, KeyMode::Expanded];
const CPU: LaneEngine<Baseline, Baseline> = LaneEngine {
    arith: Baseline,
    fft: Baseline,
};

/// Returns jobs. Message `i` has `i` bytes, except message 5, which has 5000 bytes.
fn jobs(label: &str, count: usize, keys: usize) -> Vec<Job> {
    let mut messages = repeatable(label);
    (0..count)
        .map(|i| Job {
            key: (i * i + i / 3) % keys,
            message: bytes(&mut messages, if i == 5 { 5000 } else { i }),
        })
        .collect()
}

fn sign_jobs<'a, P: Parameters>(
    expanded: &'a [ExpandedKey<P>],
    jobs: &'a [Job],
) -> Vec<SignJob<'a, P>> {
    let job = |job: &'a Job| SignJob::new(&expanded[job.key], &job.message);
    jobs.iter().map(job).collect()
}

fn expected<P: Parameters>(
    keys: &[SigningKey<P>],
    jobs: &[Job],
    seed: [u8; 32],
    first: u64,
) -> Vec<Vec<u8>> {
    let expanded: Vec<ExpandedKey<P>> = keys.iter().map(SigningKey::expand).collect();
    let mut out = vec![Signature::EMPTY; jobs.len()];
    CPU.sign_part(&seed, first, &sign_jobs(&expanded, jobs), &mut out)
        .expect("equal lengths");
    out.iter()
        .map(|signature| signature.to_bytes().to_vec())
        .collect()
}

/// Signs with several keys, and with one key for all jobs.
fn hedged_signatures_are_the_cores<P: Parameters>(count: usize) {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..3).map(key).collect();
    let (seed, first) = ([42; 32], (1 << 40) + 7);
    for (keys, count) in [(&keys[..], count), (&keys[..1], count / 5)] {
        let jobs = jobs("kernels: messages", count, keys.len());
        let expected = expected(keys, &jobs, seed, first);
        for mode in MODES {
            let how = Signing::new::<P>(mode);
            let signed = sign(how, keys, &jobs, &Randomness::Hedged(seed, first));
            assert!(signed.signatures == expected, "{mode:?}");
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

/// Signs with few rows, so that each signer computes most of its bytes itself, and with many. Uses
/// both builds, with lanes in both orders.
fn signatures_depend_on_no_launch<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..2).map(key).collect();
    let jobs = jobs("kernels: launches", 11, keys.len());
    let expected = expected(&keys, &jobs, [3; 32], 0);
    for (i, launch) in launches().into_iter().enumerate() {
        for mode in MODES {
            let how = Signing {
                launch: Launch {
                    block: 32 << i,
                    ..launch
                },
                prng_rows: [4, 5, 35, 200][i],
                expand: true,
                ..Signing::new::<P>(mode)
            };
            let signed = sign(how, &keys, &jobs, &Randomness::Hedged([3; 32], 0));
            assert!(signed.signatures == expected, "{launch:?}, {mode:?}");
        }
    }
}

#[test]
fn signatures_of_512_depend_on_no_launch() {
    signatures_depend_on_no_launch::<Falcon512>();
}

#[test]
fn signatures_of_1024_depend_on_no_launch() {
    signatures_depend_on_no_launch::<Falcon1024>();
}

#[test]
fn batches_of_any_size_are_signed() {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<Falcon512>> = (0..2).map(key).collect();
    let all = jobs("kernels: sizes", 129, keys.len());
    let expected = expected(&keys, &all, [4; 32], 0);
    for count in [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 129] {
        let how = Signing::new::<Falcon512>(KeyMode::Expanded);
        let signed = sign(how, &keys, &all[..count], &Randomness::Hedged([4; 32], 0));
        assert!(signed.signatures == expected[..count], "{count}");
    }
}

fn keys_are_expanded_as_the_core_does<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..5).map(key).collect();
    for launch in launches() {
        for mode in [KeyMode::Balanced, KeyMode::Expanded] {
            let found = device_keys(launch, mode, &keys);
            for (found, key) in found.chunks_exact(key_stride::<P>(mode)).zip(&keys) {
                let key = key.expand();
                let expected = &expanded_reals(&key)[..found.len()];
                let equal = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                assert!(
                    found.iter().zip(expected).all(equal),
                    "{launch:?}, {mode:?}"
                );
            }
        }
    }
}

#[test]
fn keys_of_512_are_expanded_as_the_core_does() {
    keys_are_expanded_as_the_core_does::<Falcon512>();
}

#[test]
fn keys_of_1024_are_expanded_as_the_core_does() {
    keys_are_expanded_as_the_core_does::<Falcon1024>();
}

/// Signs with a limit that most signatures exceed, so that jobs need many attempts, some more than
/// others. Attempts after the second one read more than one block of the stream.
fn refused_vectors_are_sampled_again<P: Parameters>(count: usize, limit: usize) {
    if !kernels_available() {
        return;
    }
    let keys: Vec<SigningKey<P>> = (0..2).map(key).collect();
    let expanded: Vec<ExpandedKey<P>> = keys.iter().map(SigningKey::expand).collect();
    let jobs = jobs("kernels: attempts", count, keys.len());
    let mut source = repeatable("kernels: attempts");
    let raw: Vec<([u8; 40], Vec<u8>)> = (0..count)
        .map(|_| (source.read_array(), bytes(&mut source, 48)))
        .collect();
    let (seed, first) = ([5; 32], 9);
    let of_raw = jobs.iter().zip(&raw).map(|(job, (nonce, seed))| {
        let stream = |_: &[u16]| Shake256::reader(seed);
        let key = &expanded[job.key];
        first_that_fits(key, nonce, &job.message, stream, limit, |_| false)
    });
    let of_raw: Vec<_> = of_raw.collect();
    let of_hedged = jobs.iter().zip(first..).map(|(job, index): (_, u64)| {
        let key = &expanded[job.key];
        let hedged = Hedged::new(&seed, index, key);
        let stream = |point: &[u16]| hedged.stream(point);
        let nonce = hedged.nonce();
        first_that_fits(key, &nonce, &job.message, stream, limit, |_| false)
    });
    let of_hedged: Vec<_> = of_hedged.collect();
    for (randomness, expected) in [
        (Randomness::Raw(&raw), of_raw),
        (Randomness::Hedged(seed, first), of_hedged),
    ] {
        let most = expected.iter().map(|(_, attempts)| *attempts).max();
        assert!(most > Some(4), "{most:?} attempts at most");
        let (expected, _): (Vec<Vec<u8>>, Vec<u32>) = expected.into_iter().unzip();
        for mode in MODES {
            let how = Signing {
                limit: Some(limit as u32),
                ..Signing::new::<P>(mode)
            };
            let signed = sign(how, &keys, &jobs, &randomness);
            assert_eq!(Some(signed.attempts), most);
            assert!(signed.signatures == expected, "{mode:?}");
        }
    }
}

#[test]
fn refused_vectors_of_512_are_sampled_again() {
    refused_vectors_are_sampled_again::<Falcon512>(9, 650);
}

#[test]
fn refused_vectors_of_1024_are_sampled_again() {
    refused_vectors_are_sampled_again::<Falcon1024>(5, 1264);
}

/// With a basis that is multiplied by three, every vector is too long.
#[test]
fn vectors_that_are_too_long_are_refused() {
    if !kernels_available() {
        return;
    }
    let basis: Vec<i8> = falcon_core::hazmat::secret_basis(&key::<Falcon512>(0)).concat();
    let basis: Vec<i8> = basis.iter().map(|x| x.wrapping_mul(3)).collect();
    let states = crate::common::attempt_raw::<Falcon512>(&basis, 3);
    assert_eq!(states, [status::LONG; 3]);
}

/// If the sampler finds no integer, it stops, and the job keeps its status. The jobs in the other
/// groups of its warp are signed. If the attempts were not bounded, the kernel would not return.
#[test]
fn a_damaged_key_ends_its_own_job_alone() {
    if !kernels_available() {
        return;
    }
    let good = expanded_reals(&key::<Falcon512>(1).expand()).to_vec();
    // The last leaf is at the end of the tree. The first leaf is after the `l10` of all
    // nodes on the path to it.
    let first = 4 * 512 + (2 * 512 - 2);
    for at in [first, good.len() - 2] {
        let mut damaged = good.clone();
        damaged[at..at + 2].fill(f64::NAN);
        let states = attempt_expanded::<Falcon512>(&[good.clone(), damaged], 7);
        for (job, state) in states.into_iter().enumerate() {
            let expected = if job % 2 == 0 {
                status::SHORT
            } else {
                status::READY
            };
            assert_eq!(state, expected, "job {job}, real {at}");
        }
    }
}
