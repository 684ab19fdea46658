//! The FFT over `R[x]/(x^n + 1)`, its splitting and merging: the seam and its implementation.
//!
//! A polynomial of degree `n = 2^logn` in the FFT domain is `n` reals. For `u < n/2`, entry `u` is
//! the real part of the value at the root `w_u`, and entry `u + n/2` its imaginary part. The roots
//! are in bit-reversed order, so that values `2u` and `2u + 1` belong to opposite roots. For `n =
//! 2` the one complex number is the polynomial itself.
//!
//! With [`Lanes`](crate::lanes::Lanes), every entry has one real per lane: the same instructions
//! transform one polynomial or one for each lane. Key operands (`&[f64]`) are shared by all lanes.
//!
//! The order of operations below is normative: every engine gives these bits.
//! Source: Falcon specification v1.2, sections 3.6 and 3.7.

mod lanes;
mod nodes;
mod runs;
mod transform;
mod twiddle_table;

use crate::lanes::wipe;
use crate::params::MAX_LOGN;
use core::fmt::{self, Debug};
use zeroize::DefaultIsZeroes;

pub use nodes::Ldl;
pub(crate) use nodes::{HAS_SUBTREES, ldl, split_ldl, split_ldl_level};
pub use twiddle_table::{IM as TWIDDLE_IM, RE as TWIDDLE_RE};

/// Polynomial operations in the FFT domain on `LANES` signatures at once.
///
/// Slices of a polynomial have length `n = 2^logn` exactly, `logn` from 1 to
/// 10; `split` and `merge` take halves of length `n/2`.
pub trait Fft: Copy + Debug + Send + Sync {
    /// One coefficient of every lane.
    type Real: DefaultIsZeroes + Debug + Send + Sync + 'static;
    /// Number of lanes.
    const LANES: usize;

    /// Runs `kernel` in the frame in which the operations are compiled, so the operations are
    /// inlined; see [`Isa::vectorize`](crate::lanes::Isa::vectorize).
    #[inline(always)]
    fn vectorize<R>(&self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }

    /// Returns the values of the [`LANES`](Self::LANES) lanes.
    fn values<'a>(&self, x: &'a Self::Real) -> &'a [f64];
    /// Returns [`values`](Self::values) for writing.
    fn values_mut<'a>(&self, x: &'a mut Self::Real) -> &'a mut [f64];
    /// `a + b`.
    fn add(&self, a: Self::Real, b: Self::Real) -> Self::Real;
    /// `a - b`.
    fn sub(&self, a: Self::Real, b: Self::Real) -> Self::Real;
    /// Largest integers `<= a`, for `|a| < 2^51`, of two coefficients. A zero may have either sign.
    fn floors(&self, a: [Self::Real; 2]) -> [Self::Real; 2];

    /// Transforms coefficients to the FFT domain, in place.
    fn fft(&self, logn: u32, f: &mut [Self::Real]);
    /// Transforms from the FFT domain to coefficients, in place.
    fn ifft(&self, logn: u32, f: &mut [Self::Real]);
    /// Splits `f(x) = f0(x^2) + x f1(x^2)` in the FFT domain, `logn >= 2`.
    ///
    /// Source: Falcon specification v1.2, algorithm 1 (splitfft).
    fn split(&self, logn: u32, f0: &mut [Self::Real], f1: &mut [Self::Real], f: &[Self::Real]);
    /// Merges `f0` and `f1` to `f`: the inverse of [`split`](Self::split).
    ///
    /// Source: Falcon specification v1.2, algorithm 2 (mergefft).
    fn merge(&self, logn: u32, f: &mut [Self::Real], f0: &[Self::Real], f1: &[Self::Real]);

    /// `t + d * l` for complex numbers, real part first: the nearest-plane step
    /// of degree 2.
    fn nearest_plane(&self, t: [Self::Real; 2], d: [Self::Real; 2], l: [f64; 2])
    -> [Self::Real; 2];
    /// Computes the nearest-plane step between the two children of a node, `logn >= 2`. Merges `u`
    /// to `z1`, splits `t0 + (t1 - z1) l10` into `u`, and writes `z1` over `t1`.
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[Self::Real],
        t1: &mut [Self::Real],
        [u0, u1]: [&mut [Self::Real]; 2],
        l10: &[f64],
    ) {
        let half = t1.len() / 2;
        let mut z1 = [Self::Real::default(); 1 << MAX_LOGN];
        let z1 = &mut z1[..t1.len()];
        self.merge(logn, z1, u0, u1);
        for re in 0..half {
            let im = re + half;
            let d = [self.sub(t1[re], z1[re]), self.sub(t1[im], z1[im])];
            [t1[re], t1[im]] = self.nearest_plane([t0[re], t0[im]], d, [l10[re], l10[im]]);
        }
        self.split(logn, u0, u1, t1);
        t1.copy_from_slice(z1);
        wipe(z1);
    }
    /// `(t0, t1) = (c, 0) B^-1`, given `c` in `t0`: `t0 = (c b11) (1/q)`, `t1 = -(c b01) (1/q)`.
    /// The products are rounded before they are scaled. If a coordinate of the target is an integer
    /// except for rounding, another order gives another signature of the same point.
    fn target(
        &self,
        logn: u32,
        t0: &mut [Self::Real],
        t1: &mut [Self::Real],
        b01: &[f64],
        b11: &[f64],
    );
    /// `(z0, z1)` becomes `(z0 b00 + z1 b10, z0 b01 + z1 b11)`.
    fn times_basis(
        &self,
        logn: u32,
        z0: &mut [Self::Real],
        z1: &mut [Self::Real],
        basis: BasisRef<'_>,
    );
}

/// The basis `B = [[g, -f], [G, -F]]` in the FFT domain.
#[derive(Clone, Copy)]
pub struct BasisRef<'a> {
    /// `g`.
    pub b00: &'a [f64],
    /// `-f`.
    pub b01: &'a [f64],
    /// `G`.
    pub b10: &'a [f64],
    /// `-F`.
    pub b11: &'a [f64],
}

/// Prints no reals, since they are the key.
impl Debug for BasisRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BasisRef").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
