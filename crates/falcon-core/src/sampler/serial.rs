//! The exact serial sampler: the definition that faster samplers are held to.

use super::base::half_gaussian;
use super::ber_exp::ber_exp;
use super::first_byte::{FixedLeaf, Verdict, fixed_center, verdict};
use super::{ByteSource, SamplerZ};
use crate::fft::Fft;
use crate::lanes::Binary64;
use crate::tree::Leaf;

/// `1 / (2 sigma_max^2)`, `sigma_max = 1.8205`.
const INV_2_SIGMA_MAX_SQUARED: f64 = 0.150_865_048_875_372_721_532_312_163_019;

/// SamplerZ lane after lane, each from its own byte source.
#[derive(Debug)]
pub struct SerialSampler<'a, B, F, R> {
    arith: B,
    fft: F,
    sources: &'a mut [R],
}

impl<'a, B: Binary64, F: Fft, R: ByteSource> SerialSampler<'a, B, F, R> {
    /// A sampler for the lanes of `fft`, with one source a lane.
    pub fn new(arith: B, fft: F, sources: &'a mut [R]) -> Self {
        debug_assert_eq!(sources.len(), F::LANES);
        Self {
            arith,
            fft,
            sources,
        }
    }
}

impl<B: Binary64, F: Fft, R: ByteSource> SamplerZ for SerialSampler<'_, B, F, R> {
    type Real = F::Real;

    #[inline(always)]
    fn sample_pair(&mut self, centers: [F::Real; 2], leaf: &Leaf) -> [F::Real; 2] {
        let fixed = FixedLeaf::new(self.arith, leaf);
        let mut out = centers;
        for (lane, source) in self.sources.iter_mut().enumerate() {
            let centers = centers.map(|c| Center::new(self.arith, self.fft.get(&c, lane)));
            for (center, out) in centers.iter().zip(&mut out) {
                let z = sample(self.arith, center, leaf, fixed, source);
                self.fft.set(out, lane, self.arith.float(z));
            }
        }
        out
    }
}

/// A centre: an integer and a rest.
#[derive(Clone, Copy)]
pub(super) struct Center {
    floor: i64,
    /// In `[0, 1]`: 1 if the subtraction rounded up to it.
    pub(super) r: f64,
    /// `r` in fixed point.
    pub(super) fixed: i64,
}

impl Center {
    #[inline(always)]
    pub(super) fn new<B: Binary64>(b: B, center: f64) -> Self {
        let floor = b.floor(center);
        let r = b.sub(center, b.float(floor));
        Self {
            floor,
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
        let [low @ .., high, sign, w] = source.next_attempt();
        let z0 = half_gaussian(u64::from_le_bytes(low), high);
        // b = 1: z = 1 + z0, b = 0: z = -z0.
        let sign = i64::from(sign & 1);
        let z = sign + ((sign << 1) - 1) * z0;
        // The candidate is drawn from a bimodal Gaussian of deviation
        // sigma_max; accept it with the ratio of the two densities.
        let accepted = match verdict(fixed, center.fixed, z, z0, w) {
            Verdict::Accept => true,
            Verdict::Reject => false,
            Verdict::Open => exact_trial(b, center.r, leaf, z, z0, w, source),
        };
        if accepted {
            return center.floor + z;
        }
    }
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
