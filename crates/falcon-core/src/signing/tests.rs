//! Signing at every degree, with both key forms and both kinds of arithmetic, gives valid results.

use super::*;
use crate::hash::Shake256;
use crate::hash_to_point::{HashToPoint, Shake256HashToPoint};
use crate::hedge::Randomness;
use crate::hedge::{GivenSeeds, SamplerSeed};
use crate::lanes::{Baseline, Many, Soft};
use crate::ntru;
use crate::ntt::{Ntt, PORTABLE_NTT};
use crate::params::NONCE_LEN;
use crate::ring;
use crate::sampler::slow_paths;
use std::vec;
use std::vec::Vec;

/// A key of any degree.
pub(crate) struct Key {
    logn: u32,
    f: Vec<i8>,
    g: Vec<i8>,
    capital_f: Vec<i8>,
    capital_g: Vec<i8>,
    h: Vec<u16>,
    prepared: Vec<i16>,
}

impl Key {
    pub(crate) fn new(logn: u32, seed: &[u8]) -> Self {
        let n = 1 << logn;
        let mut key = Self {
            logn,
            f: vec![0; n],
            g: vec![0; n],
            capital_f: vec![0; n],
            capital_g: vec![0; n],
            h: vec![0; n],
            prepared: vec![0; n],
        };
        let out = ntru::KeyPolys {
            f: &mut key.f,
            g: &mut key.g,
            capital_f: &mut key.capital_f,
            capital_g: &mut key.capital_g,
            h: &mut key.h,
        };
        let mut scratch = ntru::Scratch {
            words: &mut vec![0; ntru::words_len(logn)],
            wide: &mut vec![0; ntru::wide_len(logn)],
            residues: &mut vec![0; ntru::residues_len(logn)],
        };
        ntru::generate(logn, &mut Shake256::reader(seed), out, &mut scratch).expect("no fault");
        PORTABLE_NTT.set_residues(&mut key.prepared, &key.h);
        PORTABLE_NTT.ntt(logn, &mut key.prepared);
        key
    }

    pub(crate) fn basis(&self) -> SecretBasis<'_> {
        SecretBasis {
            f: &self.f,
            g: &self.g,
            capital_f: &self.capital_f,
            capital_g: &self.capital_g,
            h: &self.prepared,
        }
    }

    pub(crate) fn expanded<B: Binary64>(&self, b: B) -> Vec<f64> {
        let mut reals = vec![0.0; expanded_len(self.logn)];
        let mut scratch = vec![0.0; 4 << self.logn];
        expand(
            b,
            self.logn,
            self.basis(),
            profile(self.logn),
            &mut reals,
            &mut scratch,
        );
        reals
    }

    pub(crate) fn verifies(&self, point: &[u16], s2: &[i16]) -> bool {
        let n = 1 << self.logn;
        let mut product = vec![0; n];
        let (ntt, h) = (&PORTABLE_NTT, &self.prepared);
        ring::multiply(ntt, self.logn, s2, h, &mut product);
        ring::is_preimage(Baseline, self.logn, point, s2, &mut product)
    }
}

fn point(logn: u32, message: &[u8]) -> Vec<u16> {
    let mut point = vec![0; 1 << logn];
    Shake256HashToPoint.hash_to_point(&[0; 40], message, &mut point);
    point
}

fn sign<B: SigningIsa>(b: B, logn: u32, key: &KeySource<'_>, c: &[u16], seed: &[u8]) -> Vec<i16> {
    let mut s2 = vec![0; 1 << logn];
    let mut scratch = vec![0.0; computed_scratch_len(logn)];
    let nonce = &[0; NONCE_LEN];
    short_preimage(
        b,
        logn,
        key,
        c,
        &mut Randomness::Given { nonce, seed },
        |_| true,
        &mut scratch,
        &mut s2,
    )
    .expect("no fault");
    s2
}

#[test]
fn signatures_of_every_degree_verify_and_do_not_depend_on_key_form_or_arithmetic() {
    for logn in 1..=10 {
        let key = Key::new(logn, &[logn as u8]);
        let expanded = key.expanded(Baseline);
        let bits = |reals: &[f64]| reals.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(&expanded),
            bits(&key.expanded(Soft)),
            "expanded key, logn {logn}"
        );
        let stored = KeySource::Stored(ExpandedRef::new(logn, &expanded));
        let computed = KeySource::Computed(key.basis());
        for message in 0..8u8 {
            let c = point(logn, &[message]);
            let s2 = sign(Baseline, logn, &stored, &c, &[message]);
            assert!(key.verifies(&c, &s2), "logn {logn}, message {message}");
            assert_eq!(
                s2,
                sign(Baseline, logn, &computed, &c, &[message]),
                "key form, logn {logn}"
            );
            assert_eq!(
                s2,
                sign(Soft, logn, &stored, &c, &[message]),
                "arithmetic, logn {logn}"
            );
            assert_eq!(
                s2,
                sign(Soft, logn, &computed, &c, &[message]),
                "both, logn {logn}"
            );
        }
    }
}

/// Makes one attempt on every lane. The tests of `batch` cover lanes that try again.
fn check_lanes<F: Fft>(fft: F) {
    for logn in 1..=10 {
        let key = Key::new(logn, &[logn as u8, 1]);
        let expanded = key.expanded(Baseline);
        let stored = ExpandedRef::new(logn, &expanded);
        let points: Vec<Vec<u16>> = (0..F::LANES as u8).map(|i| point(logn, &[i])).collect();
        let feed = |i: usize| Baseline.sampling().feed(&[i as u8 + 1; 56]);
        let mut lane_scratch = vec![Default::default(); stored_scratch_len(logn)];
        let mut feeds: Vec<_> = (0..F::LANES).map(feed).collect();
        let all: Vec<&[u16]> = points.iter().map(Vec::as_slice).collect();
        let v = attempt_stored(
            Baseline,
            fft,
            Baseline.sampling(),
            logn,
            stored,
            &all,
            &mut feeds,
            &mut lane_scratch,
        );
        let mut ours = vec![0; F::LANES << logn];
        let mut norms = vec![norm::Accumulator::default(); F::LANES];
        short_vectors(Baseline, fft, &all, v, &mut ours, &mut norms);
        for (lane, (ours, norm)) in ours.chunks_exact(1 << logn).zip(&norms).enumerate() {
            let mut single = vec![0; 1 << logn];
            let mut single_norm = [norm::Accumulator::default()];
            let mut scratch = vec![0.0; stored_scratch_len(logn)];
            let mut feed = [feed(lane)];
            let alone = &all[lane..=lane];
            let v = attempt_stored(
                Baseline,
                Baseline,
                Baseline.sampling(),
                logn,
                stored,
                alone,
                &mut feed,
                &mut scratch,
            );
            short_vectors(Baseline, Baseline, alone, v, &mut single, &mut single_norm);
            assert_eq!(ours, single, "logn {logn}, lane {lane} of {}", F::LANES);
            assert_eq!(norm.finish(), single_norm[0].finish());
            let s2_norm: i64 = single.iter().map(|&s| i64::from(s).pow(2)).sum();
            assert!(norm.finish() >= s2_norm as u64);
        }
    }
}

#[test]
fn lanes_find_the_vectors_of_single_attempts_at_every_degree() {
    check_lanes(Many::<_, 2>(Baseline));
    check_lanes(Many::<_, 4>(Baseline));
    check_lanes(Many::<_, 8>(Baseline));
    check_lanes(Many::<_, 16>(Baseline));
}

#[test]
fn residues_are_centred_and_in_the_range_of_the_transform() {
    let q = i64::from(Q);
    let ends = [0, 1 << 20, (1 << 29) - 5000, (1 << 31) - 1];
    let near = |x: i64| (-20_000..20_000).map(move |d| x + d);
    for x in ends.into_iter().flat_map(near).flat_map(|x| [x, -x]) {
        let r = i64::from(residue(x));
        if let Ok(small) = i32::try_from(x) {
            assert_eq!((r - i64::from(small)).rem_euclid(q), 0, "{x}");
        }
        assert!(
            r.abs() <= if x.abs() < 1 << 29 { 6144 } else { 6145 },
            "{x}"
        );
    }
}

#[test]
fn a_vector_with_a_huge_coefficient_is_never_short() {
    fn check<B: SigningIsa>(b: B) {
        for huge in [65_536.0, 1_048_576.0, 4_294_967_296.0, 1e18] {
            for v in [[huge, 0.0], [0.0, -huge]] {
                for (v0, v1) in [(&v, &[0.0; 2]), (&[0.0; 2], &v)] {
                    let mut norm = [norm::Accumulator::default()];
                    short_vectors(b, b, &[&[0, 0]], (v0, v1), &mut [0; 2], &mut norm);
                    assert!(!is_short(1, norm[0].finish()), "{huge}");
                }
            }
        }
    }
    check(Baseline);
    check(Soft);
}

/// Calls `visit` with the deviation and the numbers of every leaf below `node`.
fn leaves<N: tree::Node>(logn: u32, node: &mut N, visit: &mut impl FnMut(f64, tree::Leaf)) {
    for side in [tree::Side::Right, tree::Side::Left] {
        if logn == 1 {
            let leaf = node.leaf(side);
            visit((0.5 / leaf.dss).sqrt(), leaf);
        } else {
            leaves(logn - 1, &mut node.child(side), visit);
        }
    }
}

/// Every leaf lies between `sigma_min` and `sigma_max`. This ensures `x >= 0` in the sampler.
#[test]
fn leaves_lie_within_the_bounds_of_the_sampler() {
    for logn in [9, 10] {
        let key = Key::new(logn, &[logn as u8, 2]);
        let expanded = key.expanded(Baseline);
        let mut count = 0;
        let tree = &mut ExpandedRef::new(logn, &expanded).tree;
        leaves(logn, tree, &mut |sigma, leaf| {
            assert!(
                sigma > SIGMA_MIN[logn as usize] && sigma < 1.8205,
                "sigma {sigma}"
            );
            assert!(leaf.ccs > 0.7 && leaf.ccs < 1.0);
            count += 1;
        });
        assert_eq!(count, 1 << logn);
    }
}

/// The number of times that the sampler runs its exact code is visible. It depends on the key only
/// through the deviations of the leaves, and only slightly: `docs/CONSTANT-TIME.md` states how
/// much.
#[test]
fn the_number_of_exact_attempts_hardly_depends_on_the_key() {
    const STEPS: usize = 32;
    type Number = fn(f64, f64) -> f64;
    const WINDOWS: Number = slow_paths::in_windows;
    const ONE_BY_ONE: Number = slow_paths::one_by_one;
    // Number of exact attempts in one attempt to sign: the mean over all keys, and the largest
    // deviation of a single key.
    for (logn, numbers) in [
        (9, [(WINDOWS, 8.098, 0.008), (ONE_BY_ONE, 6.95098, 0.0002)]),
        (
            10,
            [(WINDOWS, 15.956, 0.01), (ONE_BY_ONE, 13.68284, 0.0002)],
        ),
    ] {
        let sigma_min = SIGMA_MIN[logn as usize];
        let step = sigma_min * (1.17 * 1.17 - 1.0) / STEPS as f64;
        let keys: Vec<_> = (0..10)
            .map(|seed| Key::new(logn, &[seed, 3]).expanded(Baseline))
            .collect();
        for (number, mean, most) in numbers {
            let rates: Vec<f64> = (0..=STEPS)
                .map(|i| number(sigma_min, sigma_min + i as f64 * step))
                .collect();
            for key in &keys {
                let mut expected = 0.0;
                let tree = &mut ExpandedRef::new(logn, key).tree;
                // A leaf has two integers.
                leaves(logn, tree, &mut |sigma, _| {
                    expected += 2.0 * rates[((sigma - sigma_min) / step) as usize];
                });
                assert!(
                    (expected - mean).abs() < most,
                    "logn {logn}: {expected}, not {mean}"
                );
            }
        }
    }
}

/// Refused vectors tell something about the key. When the seeds end, no such vector may be left in
/// memory.
#[test]
fn the_last_vector_that_was_refused_is_wiped() {
    let logn = 4;
    let key = Key::new(logn, &[4]);
    let expanded = key.expanded(Baseline);
    let forms = [
        KeySource::Computed(key.basis()),
        KeySource::Stored(ExpandedRef::new(logn, &expanded)),
    ];
    for form in forms {
        let (mut left, refused) = (3, core::cell::Cell::new(0));
        let mut seeds = GivenSeeds(|seed: &mut SamplerSeed| {
            seed.fill(left);
            left = left.checked_sub(1)?;
            Some(())
        });
        let mut s2 = vec![0; 1 << logn];
        let result = short_preimage(
            Baseline,
            logn,
            &form,
            &point(logn, b"refused"),
            &mut seeds,
            |s2| {
                refused.set(refused.get() + usize::from(s2.iter().any(|&s| s != 0)));
                false
            },
            &mut vec![0.0; computed_scratch_len(logn)],
            &mut s2,
        );
        assert_eq!(result, Err(FaultError));
        assert_eq!(refused.get(), 3);
        assert_eq!(s2, vec![0; 1 << logn]);
    }
}

/// Without a bound, signing would never end if `accept` refused everything.
#[test]
fn attempts_that_are_all_refused_end() {
    fn check<B: SigningIsa>(b: B, logn: u32, form: &KeySource<'_>) {
        let asked = core::cell::Cell::new(0);
        let mut s2 = vec![1; 1 << logn];
        let nonce = &[0; NONCE_LEN];
        let result = short_preimage(
            b,
            logn,
            form,
            &point(logn, b"refused"),
            &mut Randomness::Given {
                nonce,
                seed: b"refused",
            },
            |_| {
                asked.set(asked.get() + 1);
                false
            },
            &mut vec![0.0; computed_scratch_len(logn)],
            &mut s2,
        );
        assert_eq!(result, Err(FaultError));
        assert_eq!(asked.get(), MAX_ATTEMPTS);
        assert_eq!(s2, vec![0; 1 << logn], "nothing is left of an attempt");
    }
    for logn in [1, 9] {
        let key = Key::new(logn, &[logn as u8]);
        let expanded = key.expanded(Baseline);
        check(Baseline, logn, &KeySource::Computed(key.basis()));
        check(
            Baseline,
            logn,
            &KeySource::Stored(ExpandedRef::new(logn, &expanded)),
        );
        if logn < 9 {
            check(Soft, logn, &KeySource::Computed(key.basis()));
        }
    }
}

/// If the sampler gives up at the first leaf, the signer makes no further attempt, and judges none.
#[test]
fn a_sampler_that_gives_up_ends_the_attempts() {
    fn check<B: SigningIsa>(b: B) {
        let logn = 4;
        let reals = vec![f64::NAN; expanded_len(logn)];
        let mut seeds = 0;
        let mut s2 = vec![1; 1 << logn];
        let result = short_preimage(
            b,
            logn,
            &KeySource::Stored(ExpandedRef::new(logn, &reals)),
            &point(logn, b"nan"),
            &mut GivenSeeds(|seed: &mut SamplerSeed| {
                seeds += 1;
                seed.fill(seeds);
                Some(())
            }),
            |_| panic!("judged"),
            &mut vec![0.0; computed_scratch_len(logn)],
            &mut s2,
        );
        assert_eq!(result, Err(FaultError));
        assert_eq!(seeds, 1);
        assert_eq!(s2, vec![0; 1 << logn]);
    }
    check(Baseline);
    check(Soft);
}

/// At every degree, attempts are refused less often than [`MAX_ATTEMPTS`] assumes.
#[test]
fn an_attempt_is_refused_with_a_chance_far_below_a_half() {
    for (logn, fit) in (1..=10).flat_map(|logn| [(logn, Fit::Any), (logn, Fit::Padded)]) {
        let key = Key::new(logn, &[logn as u8, 1]);
        let expanded = key.expanded(Baseline);
        let form = KeySource::Stored(ExpandedRef::new(logn, &expanded));
        let (signatures, mut attempts) = (if logn < 8 { 500 } else { 100 }, 0);
        for number in 0..signatures {
            let message = u32::to_le_bytes(number);
            let stream = &mut Shake256::reader(&message);
            let mut seeds = GivenSeeds(|seed: &mut SamplerSeed| {
                attempts += 1;
                stream.read(&mut **seed);
                Some(())
            });
            let result = short_preimage(
                Baseline,
                logn,
                &form,
                &point(logn, &message),
                &mut seeds,
                |s2| fit.accepts(logn, s2),
                &mut vec![0.0; computed_scratch_len(logn)],
                &mut vec![0; 1 << logn],
            );
            assert_eq!(result, Ok(()));
        }
        let refused = f64::from(attempts - signatures) / f64::from(attempts);
        assert!(refused < 0.4, "{fit:?}, degree {}: {refused}", 1 << logn);
    }
    assert!(0.5f64.log2() * f64::from(MAX_ATTEMPTS) <= -256.0);
}
