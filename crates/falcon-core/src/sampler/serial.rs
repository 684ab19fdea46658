//! The exact serial sampler: the definition that faster samplers are held to.

use super::base::half_gaussian;
use super::ber_exp::ber_exp;
use super::first_byte::{FixedLeaf, Verdict, fixed_center, verdict};
use super::{ByteSource, Sampling};
use crate::lanes::{Baseline, Binary64};
use crate::prng::{Prng, SEED_LEN};
use crate::tree::Leaf;

/// `1 / (2 sigma_max^2)`, `sigma_max = 1.8205`.
pub(crate) const INV_2_SIGMA_MAX_SQUARED: f64 = 0.150_865_048_875_372_721_532_312_163_019;

/// Attempt after attempt, in the arithmetic of a token.
#[derive(Clone, Copy, Debug)]
pub struct Serial<B>(pub B);

impl<B: Binary64> Sampling for Serial<B> {
    type Feed = Prng;
    type Leaf = (Leaf, FixedLeaf);
    const EMPTY: Prng = Prng::EMPTY;

    #[inline(always)]
    fn start(self, feed: &mut Prng, seed: &[u8; SEED_LEN]) {
        feed.start(Baseline, seed);
    }
    #[inline(always)]
    fn leaf(self, leaf: &Leaf) -> Self::Leaf {
        (*leaf, FixedLeaf::new(self.0, leaf))
    }
    #[inline(always)]
    fn sample_pair(self, feed: &mut Prng, rests: [f64; 2], leaf: &Self::Leaf) -> [f64; 2] {
        let mut out = [0.0; 2];
        for (rest, out) in rests.into_iter().zip(&mut out) {
            let center = Center::new(self.0, rest);
            *out = self.0.float(sample(self.0, &center, &leaf.0, leaf.1, feed));
        }
        out
    }
}

/// A centre less the integer below it.
#[derive(Clone, Copy)]
pub(super) struct Center {
    /// In `[0, 1]`.
    pub(super) r: f64,
    /// `r` in fixed point.
    pub(super) fixed: i64,
}

impl Center {
    #[inline(always)]
    pub(super) fn new<B: Binary64>(b: B, r: f64) -> Self {
        Self {
            r,
            fixed: fixed_center(b, r),
        }
    }
}

/// One integer around `center`.
#[inline(always)]
pub(super) fn sample<B: Binary64>(
    b: B,
    center: &Center,
    leaf: &Leaf,
    fixed: FixedLeaf,
    source: &mut impl ByteSource,
) -> i64 {
    loop {
        if let Some(z) = attempt(b, center, leaf, fixed, source) {
            return z;
        }
    }
}

/// One attempt: its integer, if that is accepted.
#[inline(always)]
pub(super) fn attempt<B: Binary64>(
    b: B,
    center: &Center,
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
        Verdict::Open => exact_trial(b, center.r, leaf, z, z0, w, source),
    };
    accepted.then_some(z)
}

/// The trial of `z` in the arithmetic that defines it, `w` being its first
/// byte.
#[cold]
#[inline(never)]
fn exact_trial<B: Binary64>(
    b: B,
    r: f64,
    leaf: &Leaf,
    z: i64,
    z0: i64,
    w: u8,
    source: &mut impl ByteSource,
) -> bool {
    ber_exp(b, exponent(b, r, leaf, z, z0), leaf.ccs, w, source)
}

/// `(z - r)^2 / (2 sigma'^2) - z0^2 / (2 sigma_max^2)`.
#[inline(always)]
pub(super) fn exponent<B: Binary64>(b: B, r: f64, leaf: &Leaf, z: i64, z0: i64) -> f64 {
    let d = b.sub(b.float(z), r);
    b.sub(
        b.mul(b.mul(d, d), leaf.dss),
        b.mul(b.float(z0 * z0), INV_2_SIGMA_MAX_SQUARED),
    )
}
