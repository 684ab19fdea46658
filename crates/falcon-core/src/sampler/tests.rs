//! Published vectors of SamplerZ, and generators of the constants.

mod minimax;
pub(crate) mod slow_paths;

use super::base::{RCDT, half_gaussian};
use super::ber_exp::exp_minus;
use super::first_byte::FixedLeaf;
use super::serial::INV_2_SIGMA_MAX_SQUARED;
use super::serial::{Center, exponent, sample};
use super::*;
use crate::lanes::{Baseline, Double, Many, SoftDouble};
use crate::params::SIGMA_MIN;
use std::vec::Vec;

/// Reads bytes in the order of the published vectors: the nine bytes of a base sample are written
/// most significant first.
struct Octets<'a> {
    bytes: &'a [u8],
    pending: Option<u8>,
}

impl ByteSource for Octets<'_> {
    fn next_u64(&mut self) -> u64 {
        let (chunk, rest) = self.bytes.split_at(9);
        self.bytes = rest;
        self.pending = Some(chunk[0]);
        u64::from_be_bytes(chunk[1..].try_into().expect("8 bytes"))
    }
    fn next_u8(&mut self) -> u8 {
        self.pending.take().unwrap_or_else(|| {
            let (first, rest) = self.bytes.split_first().expect("octets left");
            self.bytes = rest;
            *first
        })
    }
}

fn vectors_hold<D: Double>(file: &str, expected_count: usize) {
    let vectors: serde_json::Value = serde_json::from_str(file).expect("vector file");
    let vectors = vectors.as_array().expect("array");
    assert_eq!(vectors.len(), expected_count);
    for (i, v) in vectors.iter().enumerate() {
        let number = |key: &str| v[key].as_f64().expect(key);
        let inv_sigma = 1.0 / number("sigma");
        let leaf = Leaf {
            dss: 0.5 * (inv_sigma * inv_sigma),
            ccs: inv_sigma * number("sigmin"),
        };
        let bytes =
            base16ct::mixed::decode_vec(v["octets"].as_str().expect("octets")).expect("hex");
        let mut feed = SerialFeed {
            source: Octets {
                bytes: &bytes,
                pending: None,
            },
            gave_up: false,
        };
        let mu = D::from(number("mu"));
        let floor = mu.floor();
        let center = Center::new(mu - floor);
        let z = sample(&center, &leaf, FixedLeaf::new::<D>(&leaf), &mut feed);
        assert_eq!(Some(floor.truncate() + z), v["z"].as_i64(), "vector {i}");
        assert!(feed.source.bytes.is_empty(), "vector {i} left randomness");
    }
}

const KAT512: &str = include_str!("../../../../kat/samplerz/samplerz_KAT512.json");
const KAT1024: &str = include_str!("../../../../kat/samplerz/samplerz_KAT1024.json");

#[test]
fn samplerz_vectors_on_scalar() {
    vectors_hold::<f64>(KAT512, 1024);
    vectors_hold::<f64>(KAT1024, 2048);
}

#[test]
fn samplerz_vectors_on_soft() {
    vectors_hold::<SoftDouble>(KAT512, 1024);
    vectors_hold::<SoftDouble>(KAT1024, 2048);
}

const APPROX_EXP: &str = include_str!("../../../../kat/samplerz/approx_exp.json");

/// Results are within the tolerance of the published vectors, which is the tolerance of the
/// polynomial. On a grid, they must keep all their bits: a coefficient that is slightly off would
/// change one signature in billions.
fn exponentials_are_the_published_ones<D: Double>() {
    let file: serde_json::Value = serde_json::from_str(APPROX_EXP).expect("vector file");
    let vectors = file["vectors"].as_array().expect("array");
    assert_eq!(vectors.len(), 10);
    for v in vectors {
        let (x, ccs) = (v[0].as_f64().expect("x"), v[1].as_f64().expect("ccs"));
        let value = v[2].as_u64().expect("value");
        assert!(
            exp_minus::<D>(x.into(), ccs.into()).abs_diff(value) <= 1 << 14,
            "{v}"
        );
    }
    let mut hash = crate::hash::Shake256::new();
    for i in 0..1000 {
        let x = f64::from(i) * (core::f64::consts::LN_2 / 1000.0);
        hash.update(&exp_minus::<D>(x.into(), 0.9999.into()).to_le_bytes());
    }
    let pinned = u64::from_be_bytes(hash.finalize().read_array());
    assert_eq!(pinned, 0x3554_d126_4805_f884);
}

#[test]
fn exponentials_are_the_published_ones_on_both_arithmetics() {
    exponentials_are_the_published_ones::<f64>();
    exponentials_are_the_published_ones::<SoftDouble>();
}

/// Entry `i` of the table is the sum of `floor(2^72 p_z)` over `z > i`, where
/// `p_z` is proportional to `exp(-z^2 / (2 sigma_max^2))` over `z >= 0`.
#[test]
fn the_base_distribution_is_the_half_gaussian_of_sigma_max() {
    use num_bigint::BigUint;
    const BITS: u32 = 320;
    let one = BigUint::from(1u32) << BITS;
    // exp(-1 / (2 sigma^2)) with 1 / (2 sigma^2) = 10^8 / (2 18205^2). It is computed from the
    // series of its inverse.
    let (mut inverse, mut term) = (one.clone(), one.clone());
    for k in 1..100u64 {
        term = term * 100_000_000u64 / (2 * 18205 * 18205 * k);
        inverse += &term;
    }
    let base = (&one << BITS) / inverse;
    let rho: Vec<BigUint> = (0..40)
        .map(|z| (0..z * z).fold(one.clone(), |power, _| (power * &base) >> BITS))
        .collect();
    let total: BigUint = rho.iter().sum();
    let weights: Vec<BigUint> = rho.iter().map(|rho| (rho << 72u32) / &total).collect();
    for (i, entry) in RCDT.into_iter().enumerate() {
        let above: BigUint = weights[i + 1..].iter().sum();
        assert_eq!(BigUint::from(entry), above, "entry {i}");
    }
    let inverse: f64 = 1e8 / f64::from(2 * 18205 * 18205);
    assert_eq!(inverse.to_bits(), INV_2_SIGMA_MAX_SQUARED.to_bits());
}

/// A number equal to an entry is not below it.
#[test]
fn the_base_sample_steps_at_each_entry_of_the_table() {
    let sample = |u: u128| half_gaussian(u as u64, (u >> 64) as u8);
    for (i, entry) in (0..).zip(RCDT) {
        assert_eq!(sample(entry - 1), i + 1, "below entry {i}");
        assert_eq!(sample(entry), i, "entry {i}");
    }
    assert_eq!(sample(0), 18);
    assert_eq!(sample((1 << 72) - 1), 0);
}

#[test]
fn lanes_without_a_feed_keep_their_centers() {
    type F = Many<Baseline, 4>;
    let fft: F = Many(Baseline);
    let sampling = Baseline.sampling();
    let mut feeds = [sampling.feed(&[1; 56]), sampling.feed(&[2; 56])];
    let mut sampler = LaneSampler::new(fft, sampling, &mut feeds);
    let leaf = Leaf { dss: 0.2, ccs: 0.8 };
    let mut centers = [<F as Fft>::Real::default(); 2];
    for lane in 0..4 {
        fft.values_mut(&mut centers[0])[lane] = lane as f64 + 0.25;
        fft.values_mut(&mut centers[1])[lane] = -0.75 - lane as f64;
    }
    let z = sampler.sample_pair(centers, &leaf);
    for (z, center) in z.iter().zip(&centers) {
        for lane in 0..2 {
            assert_eq!(fft.values(z)[lane].fract(), 0.0);
        }
        for lane in 2..4 {
            assert_eq!(fft.values(z)[lane], fft.values(center)[lane]);
        }
    }
}

/// Computes the chance that an attempt is accepted, at every degree, for the least and the largest
/// deviation of a leaf and for centres between two integers. [`MAX_REFUSALS`] assumes more than
/// 1/2.
#[test]
fn an_attempt_is_accepted_with_a_chance_of_more_than_a_half() {
    let above = |z0: usize| RCDT.get(z0).map_or(0.0, |&entry| entry as f64);
    let chances: Vec<f64> = (0..=RCDT.len())
        .map(|z0| {
            let before = z0.checked_sub(1).map_or((1u128 << 72) as f64, above);
            (before - above(z0)) / (1u128 << 72) as f64
        })
        .collect();
    let mut least = 1.0f64;
    for sigma_min in &SIGMA_MIN[1..] {
        // The chance is `sigma_min sqrt(2 pi) / (2 S)`.
        let proposals = (0..40).map(|k| libm::exp(-f64::from(k * k) * INV_2_SIGMA_MAX_SQUARED));
        let sum: f64 = proposals.sum();
        let formula = sigma_min * libm::sqrt(2.0 * core::f64::consts::PI) / (2.0 * sum);
        for sigma in [*sigma_min, 1.17 * 1.17 * sigma_min] {
            let leaf = Leaf {
                dss: 0.5 / (sigma * sigma),
                ccs: sigma_min / sigma,
            };
            for r in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let mut accepted = 0.0;
                for (z0, chance) in (0..).zip(&chances) {
                    for z in [-z0, 1 + z0] {
                        let x = exponent::<f64>(r, &leaf, z, z0);
                        accepted += 0.5 * chance * leaf.ccs * libm::exp(-x);
                    }
                }
                assert!(
                    (accepted / formula - 1.0).abs() < 2f64.powi(-33),
                    "{accepted}, not {formula}"
                );
                least = least.min(accepted);
            }
        }
    }
    assert!(least > 0.5, "{least}");
    assert!(f64::from(MAX_REFUSALS) * libm::log2(1.0 - least) < -512.0);
    // The chance that fewer than 2,048 of `tries` fair coins show heads is below
    // `2^(tries (H - 1))`, where `H` is the binary entropy of `2048 / tries`.
    let (tries, accepted) = (f64::from(MAX_FILLS) * LEAST_ATTEMPTS as f64, 2048.0);
    let part = |share: f64| -share * libm::log2(share);
    let entropy = part(accepted / tries) + part(1.0 - accepted / tries);
    assert!(tries * (entropy - 1.0) < -7_000.0);
}

/// Makes a leaf with these numbers.
fn leaf(dss: f64, ccs: f64) -> Leaf {
    Leaf { dss, ccs }
}

/// A sampler gives up at a leaf where hardly any attempt is accepted, and at the leaves of `bad`.
/// Without a bound, it would not return.
fn a_sampler_gives_up_and_starts_again<S: Sampling>(
    sampling: S,
    seed: &S::Seed,
    bad: &[(Leaf, f64)],
) {
    let good = sampling.leaf(&leaf(0.2, 0.8));
    let rests = [0.25, 0.75];
    let mut feed = sampling.feed(seed);
    let expected = sampling.sample_pair(&mut feed, rests, &good);
    assert!(!S::gave_up(&feed));
    // Both integers next to the centre are 14 deviations away from it.
    let narrow = (leaf(400.0, 0.8), 0.5);
    for (number, (leaf, center)) in [narrow].iter().chain(bad).enumerate() {
        let leaf = sampling.leaf(leaf);
        for rests in [[*center; 2], [0.25, *center], [*center, 0.25]] {
            sampling.start(&mut feed, seed);
            sampling.sample_pair(&mut feed, rests, &good);
            sampling.sample_pair(&mut feed, rests, &leaf);
            assert!(S::gave_up(&feed), "leaf {number}, {rests:?}");
            // The sampler remembers that it gave up until the next start.
            sampling.sample_pair(&mut feed, rests, &good);
            assert!(S::gave_up(&feed));
        }
        sampling.start(&mut feed, seed);
        assert!(!S::gave_up(&feed));
        assert_eq!(sampling.sample_pair(&mut feed, rests, &good), expected);
    }
}

#[test]
fn every_sampler_gives_up_and_starts_again() {
    use a_sampler_gives_up_and_starts_again as check;
    let nan = f64::NAN;
    let nans = [(leaf(nan, nan), 0.5), (leaf(0.2, 0.8), nan)];
    let seed = &[1; SAMPLER_SEED_LEN];
    check(Windows::<_>::new(Baseline), seed, &nans);
    check(Serial::<f64>::new(), seed, &[]);
    check(Serial::<SoftDouble>::new(), seed, &[]);
    #[cfg(all(feature = "alloc", feature = "fndsa-provisional"))]
    {
        let seed = &[1; ATTEMPT_SEED_LEN];
        check(f64::shake_sampling(Baseline), seed, &nans);
        check(SoftDouble::shake_sampling(Baseline), seed, &[]);
    }
}

/// A sampler that returns its centres, and keeps `dss` of the leaves that it has used.
struct Recording(Vec<f64>);

impl SamplerZ for Recording {
    type Real = f64;
    fn sample_pair(&mut self, centers: [f64; 2], leaf: &Leaf) -> [f64; 2] {
        self.0.push(leaf.dss);
        centers
    }
}

#[test]
fn a_node_draws_its_right_leaf_first() {
    let leaves = [1.0, 2.0].map(|dss| Leaf { dss, ccs: 1.0 });
    let mut sampler = Recording(Vec::new());
    let drawn = sampler.sample_node([3.0, 4.0], &leaves, |right| right.map(|z| z + 10.0));
    assert_eq!(drawn, [[13.0, 14.0], [3.0, 4.0]]);
    assert_eq!(sampler.0, [1.0, 2.0]);
}
