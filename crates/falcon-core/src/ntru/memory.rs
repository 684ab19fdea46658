//! Memory of the NTRU solver, and how it is cut into parts.

use super::{replay, tower, zint};

/// Number of words of the area that the levels share: three polynomials, or the area of a replay.
pub(super) const fn area_len(logn: u32) -> usize {
    tower::max(3 * tower::level_len(logn), replay::area_len(logn))
}

/// Number of 32-bit words of scratch for the solver.
pub(crate) const fn words_len(logn: u32) -> usize {
    // The parts are kept polynomials, area, inverse cofactors, twiddles, multiples, and residues of
    // a resultant.
    tower::kept_len(logn)
        + area_len(logn)
        + tower::cofactors_len(logn)
        + (3 << logn)
        + tower::longest_base(logn)
}

/// Number of 64-bit words of scratch for the solver and for the norms, without the inverse Gram
/// values.
pub(super) const fn wide_len(logn: u32) -> usize {
    // At the bottom, the scratch holds f, g, y, and three integers of the inversion. At the top, it
    // holds one polynomial.
    tower::max(6 * zint::limbs(tower::longest_base(logn)), 1 << logn)
}

/// The parts of the 32-bit scratch.
pub(super) struct Words<'a> {
    /// `f_d` and `g_d` on `C_(d+1)` in the NTT domain, level after level.
    pub(super) kept: &'a mut [u32],
    /// Inverse cofactors of `C_0`, `C_1`, ...
    pub(super) cofactors: &'a mut [u32],
    /// Polynomials of two neighbouring levels.
    pub(super) here: &'a mut [u32],
    pub(super) next: &'a mut [u32],
    /// The quotient `k`.
    pub(super) quotient: &'a mut [u32],
    pub(super) twiddles: &'a mut [u32],
    /// Multiples of the product of the base, for the coefficients of two polynomials.
    pub(super) multiples: &'a mut [u32],
    /// Residues of a resultant.
    pub(super) column: &'a mut [u32],
}

/// Cuts the memory, always in the same way for the same `logn`.
fn cut(logn: u32, words: &mut [u32]) -> [&mut [u32]; 6] {
    let (kept, rest) = words.split_at_mut(tower::kept_len(logn));
    let (cofactors, rest) = rest.split_at_mut(tower::cofactors_len(logn));
    let (area, rest) = rest.split_at_mut(area_len(logn));
    let (twiddles, rest) = rest.split_at_mut(1 << logn);
    let (multiples, column) = rest.split_at_mut(2 << logn);
    [kept, cofactors, area, twiddles, multiples, column]
}

impl<'a> Words<'a> {
    pub(super) fn new(logn: u32, words: &'a mut [u32]) -> Self {
        let [kept, cofactors, area, twiddles, multiples, column] = cut(logn, words);
        let level = tower::level_len(logn);
        let (here, rest) = area.split_at_mut(level);
        let (next, quotient) = rest.split_at_mut(level);
        Self {
            kept,
            cofactors,
            here,
            next,
            quotient,
            twiddles,
            multiples,
            column,
        }
    }
}

/// Cuts the memory of a replay. The kept polynomials and inverse cofactors are where [`Words`] has
/// them.
pub(super) fn replay_memory<'a>(
    logn: u32,
    words: &'a mut [u32],
    wide: &'a mut [i64],
) -> replay::Memory<'a> {
    let [kept, cofactors, area, twiddles, multiples, column] = cut(logn, words);
    replay::Memory {
        kept,
        cofactors,
        area,
        twiddles,
        multiples,
        column,
        wide,
    }
}
