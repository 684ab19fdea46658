//! The exact serial sampler: the definition with which faster samplers must agree.

use super::ber_exp::ber_exp;
use super::first_byte::{FixedLeaf, Verdict, fixed_center, verdict};
use super::{ByteSource, MAX_REFUSALS, Sampling, Seeded};
use crate::lanes::Double;
use crate::prng::Prng;
use crate::reveal::reveal;
use crate::tree::Leaf;
use core::fmt;
use core::marker::PhantomData;

/// `1 / (2 sigma_max^2)`, `sigma_max = 1.8205`.
pub(crate) const INV_2_SIGMA_MAX_SQUARED: f64 = 0.150_865_048_875_372_721_532_312_163_019;

/// The sampler that makes one attempt after another, in the arithmetic of `D`, from the bytes of
/// `S`.
pub struct Serial<D, S = Prng>(PhantomData<fn() -> (D, S)>);

// `Clone` is not derived, because a derived `Clone` would require `Clone` of `D` and `S`.
impl<D, S> Clone for Serial<D, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<D, S> Copy for Serial<D, S> {}
impl<D, S> fmt::Debug for Serial<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Serial")
    }
}

impl<D, S> Serial<D, S> {
    /// Makes the sampler.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<D, S> Default for Serial<D, S> {
    fn default() -> Self {
        Self::new()
    }
}

/// A byte source, and whether the sampler gave up.
pub struct SerialFeed<S> {
    pub(super) source: S,
    pub(super) gave_up: bool,
}

impl<D: Double, S: Seeded> Sampling for Serial<D, S> {
    type Seed = S::Seed;
    type Feed = SerialFeed<S>;
    type Leaf = (Leaf, FixedLeaf);
    const EMPTY: SerialFeed<S> = SerialFeed {
        source: S::EMPTY,
        gave_up: false,
    };

    #[inline(always)]
    fn start(self, feed: &mut SerialFeed<S>, seed: &S::Seed) {
        feed.source.start(seed);
        feed.gave_up = false;
    }
    #[inline(always)]
    fn gave_up(feed: &SerialFeed<S>) -> bool {
        feed.gave_up
    }
    #[inline(always)]
    fn leaf(self, leaf: &Leaf) -> Self::Leaf {
        (*leaf, FixedLeaf::new::<D>(leaf))
    }
    #[inline(always)]
    fn sample_pair(self, feed: &mut SerialFeed<S>, rests: [f64; 2], leaf: &Self::Leaf) -> [f64; 2] {
        rests.map(|rest| {
            let center = Center::new(D::from(rest));
            D::from_i64(sample(&center, &leaf.0, leaf.1, feed)).into()
        })
    }
}

/// A centre, reduced to its fractional part.
#[derive(Clone, Copy)]
pub(super) struct Center<D> {
    /// Fractional part of the centre, in `[0, 1]`.
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

/// Draws one integer around `center`. Returns zero if the sampler gives up.
///
/// Source: Falcon specification v1.2, algorithm 15 (SamplerZ).
#[inline(always)]
pub(super) fn sample<D: Double>(
    center: &Center<D>,
    leaf: &Leaf,
    fixed: FixedLeaf,
    feed: &mut SerialFeed<impl ByteSource>,
) -> i64 {
    let mut attempts_left = MAX_REFUSALS;
    loop {
        if let Some(z) = attempt(center, leaf, fixed, &mut feed.source) {
            return z;
        }
        attempts_left -= 1;
        // After the sampler has given up, it makes only one attempt at each integer.
        if attempts_left == 0 || feed.gave_up {
            feed.gave_up = true;
            return 0;
        }
    }
}

/// Makes one attempt. Returns its integer if the integer is accepted.
#[inline(always)]
pub(super) fn attempt<D: Double>(
    center: &Center<D>,
    leaf: &Leaf,
    fixed: FixedLeaf,
    source: &mut impl ByteSource,
) -> Option<i64> {
    let (z0, sign, w) = source.next_candidate();
    // sign = 1: z = 1 + z0, sign = 0: z = -z0.
    let z = sign + ((sign << 1) - 1) * z0;
    // The candidate comes from a bimodal Gaussian of deviation sigma_max. It is accepted with the
    // ratio of the two densities.
    let accepted = match verdict(fixed, center.fixed, z, z0, w) {
        Verdict::Accept => true,
        Verdict::Reject => false,
        Verdict::Open => exact_trial(center.r, leaf, z, z0, w, source),
    };
    reveal(accepted).then_some(z)
}

/// Makes the trial of `z` in the arithmetic that defines it. `w` is the first byte of the trial.
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

/// Returns `(z - r)^2 / (2 sigma'^2) - z0^2 / (2 sigma_max^2)`.
#[inline(always)]
pub(super) fn exponent<D: Double>(r: D, leaf: &Leaf, z: i64, z0: i64) -> D {
    let d = D::from_i64(z) - r;
    d * d * leaf.dss.into() - D::from_i64(z0 * z0) * INV_2_SIGMA_MAX_SQUARED.into()
}
