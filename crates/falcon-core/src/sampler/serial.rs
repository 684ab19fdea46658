//! The exact serial sampler: the definition that faster samplers are held to.

use super::base::half_gaussian;
use super::ber_exp::ber_exp;
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
        let mut out = centers;
        for (lane, source) in self.sources.iter_mut().enumerate() {
            for (center, out) in centers.iter().zip(&mut out) {
                let z = sample(self.arith, self.fft.get(center, lane), leaf, source);
                self.fft.set(out, lane, self.arith.float(z));
            }
        }
        out
    }
}

/// One integer around `center`.
#[inline(always)]
pub(super) fn sample<B: Binary64>(
    b: B,
    center: f64,
    leaf: &Leaf,
    source: &mut impl ByteSource,
) -> i64 {
    let floor = b.floor(center);
    let r = b.sub(center, b.float(floor));
    loop {
        let low = source.next_u64();
        let z0 = half_gaussian(low, source.next_u8());
        // b = 1: z = 1 + z0, b = 0: z = -z0.
        let sign = i64::from(source.next_u8() & 1);
        let z = sign + ((sign << 1) - 1) * z0;
        // The candidate is drawn from a bimodal Gaussian of deviation
        // sigma_max; accept it with the ratio of the two densities.
        let d = b.sub(b.float(z), r);
        let x = b.sub(
            b.mul(b.mul(d, d), leaf.dss),
            b.mul(b.float(z0 * z0), INV_2_SIGMA_MAX_SQUARED),
        );
        if ber_exp(b, x, leaf.ccs, source) {
            return floor + z;
        }
    }
}
