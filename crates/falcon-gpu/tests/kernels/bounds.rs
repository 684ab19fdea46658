//! Refusals at the bounds: at the largest squared norm, one above it, at the largest length of a
//! signature, and one above it.

use crate::attempts::squared_norm_bound;
use crate::common::{address, address_mut, kernels_available, launches, repeatable};
use falcon_core::hazmat::signature_from_nonce_and_s2;
use falcon_core::{Falcon512, Falcon1024, Format, Parameters};
use falcon_gpu::kernels::{Batch, Operation, status};

const Q: i64 = 12289;

/// Returns integers of magnitude at most `most`, every other one negative, whose squares sum to
/// `norm`.
fn with_norm(mut norm: u64, most: u64) -> Vec<i64> {
    let mut out = Vec::new();
    while norm > 0 {
        let x = norm.isqrt().min(most);
        norm -= x * x;
        let x = x.cast_signed();
        out.push(if out.len() % 2 == 0 { x } else { -x });
    }
    out
}

fn signing_takes_what_is_at_the_bound<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let bound = squared_norm_bound::<P>();
    let mut source = repeatable("kernels: bounds of signing");
    let point: Vec<u16> = (0..P::N)
        .map(|_| u16::from_le_bytes(source.read_array()) % Q as u16)
        .collect();
    for (norm, expected) in [(bound - 1, true), (bound, true), (bound + 1, false)] {
        let long = with_norm(norm, 12_000);
        // The split ranges from the whole norm in s1 to the whole norm in s2.
        for split in 0..=long.len() {
            let mut vector = [vec![0i64; P::N], vec![0i64; P::N]];
            for (i, &x) in long.iter().enumerate() {
                vector[usize::from(i < split)][i * 37 % P::N] = x;
            }
            let [s1, s2] = vector;
            let v0: Vec<f64> = point
                .iter()
                .zip(&s1)
                .map(|(&c, s)| (i64::from(c) - s) as f64)
                .collect();
            let v1: Vec<f64> = s2.iter().map(|s| -s as f64).collect();
            let (found, short) = falcon_gpu_host::short_vector(P::LOGN, &point, [&v0, &v1]);
            assert_eq!(short, [expected; 2], "norm {norm}, split {split}");
            assert!(found.iter().map(|&s| i64::from(s)).eq(s2));
        }
    }
    // Squares that sum to 0 modulo 2^64 or 2^32 do not make a short vector.
    for (magnitude, count) in [(1u64 << 32, 1), (1 << 31, 4), (1 << 28, 256), (1 << 16, 1)] {
        let mut v0: Vec<f64> = point.iter().map(|&c| f64::from(c)).collect();
        for v in &mut v0[..count] {
            *v -= magnitude as f64;
        }
        let v1 = vec![0.0; P::N];
        let (_, short) = falcon_gpu_host::short_vector(P::LOGN, &point, [&v0, &v1]);
        assert_eq!(short, [false; 2], "{count} of {magnitude}");
    }
}

#[test]
fn signing_takes_what_is_at_the_bound_of_512() {
    signing_takes_what_is_at_the_bound::<Falcon512>();
}

#[test]
fn signing_takes_what_is_at_the_bound_of_1024() {
    signing_takes_what_is_at_the_bound::<Falcon1024>();
}

/// Returns polynomials whose codes end at every bit position of a byte, and polynomials with one
/// coefficient of large or zero magnitude.
fn codes(n: usize) -> Vec<Vec<i16>> {
    let mut all: Vec<_> = (0..=24)
        .map(|longer| {
            let word = |i: usize| {
                if i % n < longer {
                    [128, -255][i % 2]
                } else {
                    -127
                }
            };
            // Places the longer words at the end and at the beginning, so that most lanes get one.
            (0..n).map(|i| word(i + 12)).collect::<Vec<i16>>()
        })
        .collect();
    for odd in [0, 2047, -2047, 2048, -2048, i16::MAX, i16::MIN] {
        for at in [0, 1, n / 2, n - 1] {
            let mut vector = vec![1; n];
            vector[at] = odd;
            all.push(vector);
        }
    }
    all
}

/// Checks that a job is done if the core encodes its signature within the limit, and that all other
/// jobs are listed.
fn what_is_accepted_has_so_many_bytes<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let codes = codes(P::N);
    let lengths: Vec<Option<usize>> = codes
        .iter()
        .map(|s2| signature_from_nonce_and_s2::<P>(&[0; 40], s2)?.encoded_len(Format::Compressed))
        .collect();
    let none = lengths.iter().filter(|len| len.is_none()).count();
    assert_eq!(none, 16, "those with a magnitude above 2047");
    let (count, least) = (codes.len(), 41 + 9 * P::N / 8);
    let s2 = codes.concat();
    for launch in launches() {
        let mut accepted = Vec::new();
        for limit in (least - 1..least + 5).chain([P::PADDED_LEN, P::COMPRESSED_MAX_LEN]) {
            let mut states = vec![status::SHORT; count];
            let (mut redo, mut counts) = (vec![u32::MAX; count], [0u32; 2]);
            let batch = Batch {
                s2: address(&s2),
                status: address_mut(&mut states),
                redo: address_mut(&mut redo),
                counts: address_mut(&mut counts),
                count: count as u32,
                signature_limit: limit as u32,
                ..Batch::default()
            };
            launch.run::<P>(Operation::Accept, batch);
            let fits = |job: usize| lengths[job].is_some_and(|len| len <= limit);
            for (job, &state) in states.iter().enumerate() {
                let expected = if fits(job) {
                    status::DONE
                } else {
                    status::REDO
                };
                assert_eq!(state, expected, "{job}, {limit}");
            }
            let mut listed: Vec<u32> = (0..count as u32).filter(|&i| !fits(i as usize)).collect();
            assert_eq!(
                counts,
                [listed.len(), count - listed.len()].map(|x| x as u32)
            );
            accepted.push(counts[1]);
            listed.resize(count, u32::MAX);
            redo.sort_unstable();
            assert_eq!(redo, listed);
        }
        assert!(accepted.is_sorted(), "{accepted:?}");
        assert!(
            accepted[..5].windows(2).all(|two| two[0] < two[1]),
            "{accepted:?}"
        );
    }
}

#[test]
fn what_is_accepted_has_so_many_bytes_for_512() {
    what_is_accepted_has_so_many_bytes::<Falcon512>();
}

#[test]
fn what_is_accepted_has_so_many_bytes_for_1024() {
    what_is_accepted_has_so_many_bytes::<Falcon1024>();
}

/// If the counts were not zeroed before, the kernel writes nothing beyond the list, and the counts
/// do not add up.
#[test]
fn nothing_is_listed_behind_the_list() {
    type P = Falcon512;
    if !kernels_available() {
        return;
    }
    const COUNT: usize = 40;
    let s2 = vec![1i16; P::N * COUNT];
    for launch in launches() {
        for before in [0, 1, 39, 40, 41, 1 << 16, 0xa5a5_a5a5, u32::MAX] {
            // None of the vectors is short.
            let mut states = vec![status::LONG; COUNT];
            // The array has further elements after the list, which must not change.
            let mut redo = vec![u32::MAX; 3 * COUNT];
            let mut counts = [before, 0];
            let batch = Batch {
                s2: address(&s2),
                status: address_mut(&mut states),
                redo: address_mut(&mut redo),
                counts: address_mut(&mut counts),
                count: COUNT as u32,
                signature_limit: P::PADDED_LEN as u32,
                ..Batch::default()
            };
            launch.run::<P>(Operation::Accept, batch);
            assert_eq!(states, [status::REDO; COUNT]);
            assert_eq!(counts, [before.wrapping_add(COUNT as u32), 0]);
            let listed = (0..COUNT as u32).filter(|&i| before.wrapping_add(i) < COUNT as u32);
            let (list, behind) = redo.split_at(COUNT);
            assert!(behind.iter().all(|&job| job == u32::MAX), "{before}");
            let there = list.iter().filter(|&&job| job != u32::MAX);
            assert_eq!(there.count(), listed.count(), "{before}");
        }
    }
}

/// Returns `1 / x` modulo q, as `x^(q-2)`.
fn inverse(x: i64) -> i64 {
    (0..Q - 2).fold(1, |power, _| power * x % Q)
}

/// Returns a public key under which `(s1, k x^j)` is the vector of a point `c`: `h = (c - s1) / (k
/// x^j)`, where `x^n = -1`.
fn key_for(c: &[u16], s1: &[i64], k: i64, j: usize) -> Vec<u16> {
    let (n, inverse) = (c.len(), inverse(k));
    let coefficient = |i: usize| {
        let product = (i64::from(c[i]) - s1[i]) * inverse;
        (product % Q + Q) % Q
    };
    (0..n)
        .map(|i| match i + j {
            at if at < n => coefficient(at),
            at => (Q - coefficient(at - n)) % Q,
        })
        .map(|h| h as u16)
        .collect()
}

/// Returns the values of `h` at the roots by Horner's rule, in the order of
/// [`VerifyingKey::ntt_of_h`](falcon_core::VerifyingKey::ntt_of_h).
fn ntt_of(h: &[u16]) -> Vec<u16> {
    let n = h.len();
    let power = |e: usize| (0..e).fold(1, |x, _| x * 7 % Q);
    let at = |root: i64| {
        h.iter()
            .rev()
            .fold(0, |sum, &h| (sum * root + i64::from(h)) % Q)
    };
    let reversed = |i: usize| i.reverse_bits() >> (usize::BITS - n.ilog2());
    (0..n)
        .map(|i| at(power(1024 / n * (2 * reversed(i) + 1))) as u16)
        .collect()
}

fn verifying_takes_what_is_at_the_bound<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let bound = squared_norm_bound::<P>();
    let cases = [
        (bound - 1, 3i64, 0, status::DONE),
        (bound, 1, 0, status::DONE),
        (bound, 3, 5, status::DONE),
        (bound, -2047, P::N - 1, status::DONE),
        (bound + 1, 1, 0, status::INVALID),
        (bound + 1, 3, 5, status::INVALID),
        (bound + 1, -2047, P::N - 1, status::INVALID),
    ];
    let count = cases.len();
    let mut source = repeatable("kernels: bounds of verifying");
    let points: Vec<u16> = (0..P::N * count)
        .map(|_| u16::from_le_bytes(source.read_array()) % Q as u16)
        .collect();
    let (mut h, mut s2) = (Vec::new(), vec![0i16; P::N * count]);
    for (job, &(norm, k, j, _)) in cases.iter().enumerate() {
        s2[P::N * job + j] = k as i16;
        let mut s1 = vec![0; P::N];
        // The other values come from the whole range [-q/2, q/2].
        let rest = with_norm(norm - (k * k).unsigned_abs(), 6144);
        for (i, x) in rest.into_iter().enumerate() {
            s1[i * 41 % P::N] = x;
        }
        let point = &points[P::N * job..][..P::N];
        h.extend(ntt_of(&key_for(point, &s1, k.rem_euclid(Q), j)));
    }
    let key_of_job: Vec<u32> = (0..count as u32).collect();
    for launch in launches() {
        let mut prepared = vec![0u16; h.len()];
        let keys = Batch {
            public_keys: address(&h),
            prepared: address_mut(&mut prepared),
            count: count as u32,
            ..Batch::default()
        };
        launch.run::<P>(Operation::Prepare, keys);
        for before in [status::HASHED, status::MALFORMED, status::GIVEN] {
            let mut states = vec![before; count];
            let batch = Batch {
                key_of_job: address(&key_of_job),
                points: address(&points),
                s2: address(&s2),
                status: address_mut(&mut states),
                prepared: address(&prepared),
                count: count as u32,
                ..Batch::default()
            };
            launch.run::<P>(Operation::Verify, batch);
            let expected = cases.map(|(.., verdict)| match before {
                status::HASHED => verdict,
                // The kernel leaves other states unchanged: the signature could not be decoded, or
                // no message was hashed.
                before => before,
            });
            assert_eq!(states, expected, "{launch:?}");
        }
    }
}

#[test]
fn verifying_takes_what_is_at_the_bound_of_512() {
    verifying_takes_what_is_at_the_bound::<Falcon512>();
}

#[test]
fn verifying_takes_what_is_at_the_bound_of_1024() {
    verifying_takes_what_is_at_the_bound::<Falcon1024>();
}
