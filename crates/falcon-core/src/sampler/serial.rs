//! The exact serial sampler: the definition that faster samplers are held to.

use super::base::half_gaussian;
use super::ber_exp::ber_exp;
use super::first_byte::{FixedLeaf, Verdict, fixed_center, verdict};
use super::{ByteSource, Sampling};
use crate::lanes::{Baseline, Double};
use crate::prng::{Prng, SEED_LEN};
use crate::reveal::reveal;
use crate::tree::Leaf;
use core::marker::PhantomData;

/// `1 / (2 sigma_max^2)`, `sigma_max = 1.8205`.
pub(crate) const INV_2_SIGMA_MAX_SQUARED: f64 = 0.150_865_048_875_372_721_532_312_163_019;

/// Attempt after attempt, in the arithmetic of `D`.
#[derive(Clone, Copy, Debug)]
pub struct Serial<D>(PhantomData<fn() -> D>);

impl<D> Serial<D> {
    /// The sampler.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<D> Default for Serial<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Double> Sampling for Serial<D> {
    type Feed = Prng;
    type Leaf = (Leaf, FixedLeaf);
    const EMPTY: Prng = Prng::EMPTY;

    #[inline(always)]
    fn start(self, feed: &mut Prng, seed: &[u8; SEED_LEN]) {
        feed.start(Baseline, seed);
    }
    #[inline(always)]
    fn leaf(self, leaf: &Leaf) -> Self::Leaf {
        (*leaf, FixedLeaf::new::<D>(leaf))
    }
    #[inline(always)]
    fn sample_pair(self, feed: &mut Prng, rests: [f64; 2], leaf: &Self::Leaf) -> [f64; 2] {
        let mut out = [0.0; 2];
        for (rest, out) in rests.into_iter().zip(&mut out) {
            let center = Center::new(D::from(rest));
            *out = D::from_i64(sample(&center, &leaf.0, leaf.1, feed)).into();
        }
        out
    }
}

/// A centre less the integer below it.
#[derive(Clone, Copy)]
pub(super) struct Center<D> {
    /// Fraction of the centre, in `[0, 1]`.
    pub(super) r: D,
    /// `r` in fixed point.
    pub(super) fixed: i64,
}

impl<D: Double> Center<D> {
    #[inline(always)]
    pub(super) fn new(r: D) -> Self {
        Self {
            r,
            fixed: fixed_center(r),
        }
    }
}

/// Draws one integer around `center`.
///
/// Source: Falcon specification v1.2, algorithm 15 (SamplerZ).
#[inline(always)]
pub(super) fn sample<D: Double>(
    center: &Center<D>,
    leaf: &Leaf,
    fixed: FixedLeaf,
    source: &mut impl ByteSource,
) -> i64 {
    loop {
        if let Some(z) = attempt(center, leaf, fixed, source) {
            return z;
        }
    }
}

/// Makes one attempt. Returns its integer, if that is accepted.
#[inline(always)]
pub(super) fn attempt<D: Double>(
    center: &Center<D>,
    leaf: &Leaf,
    fixed: FixedLeaf,
    source: &mut impl ByteSource,
) -> Option<i64> {
    let [low @ .., high, sign, w] = source.next_attempt();
    let z0 = half_gaussian(u64::from_le_bytes(low), high);
    // b = 1: z = 1 + z0, b = 0: z = -z0.
    let sign = i64::from(sign & 1);
    let z = sign + ((sign << 1) - 1) * z0;
    // The candidate is drawn from a bimodal Gaussian of deviation sigma_max;
    // accept it with the ratio of the two densities.
    let accepted = match verdict(fixed, center.fixed, z, z0, w) {
        Verdict::Accept => true,
        Verdict::Reject => false,
        Verdict::Open => exact_trial(center.r, leaf, z, z0, w, source),
    };
    reveal(accepted).then_some(z)
}

/// The trial of `z` in the arithmetic that defines it, `w` being its first
/// byte.
#[cold]
#[inline(never)]
fn exact_trial<D: Double>(
    r: D,
    leaf: &Leaf,
    z: i64,
    z0: i64,
    w: u8,
    source: &mut impl ByteSource,
) -> bool {
    ber_exp(exponent(r, leaf, z, z0), leaf.ccs.into(), w, source)
}

/// `(z - r)^2 / (2 sigma'^2) - z0^2 / (2 sigma_max^2)`.
#[inline(always)]
pub(super) fn exponent<D: Double>(r: D, leaf: &Leaf, z: i64, z0: i64) -> D {
    let d = D::from_i64(z) - r;
    d * d * leaf.dss.into() - D::from_i64(z0 * z0) * INV_2_SIGMA_MAX_SQUARED.into()
}
