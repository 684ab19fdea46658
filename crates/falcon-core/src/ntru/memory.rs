//! The memory of the NTRU solver, cut into its parts.

use super::{replay, tower, zint};

/// Words of the area that the levels share: three polynomials, or what a replay needs.
pub(super) const fn area_len(logn: u32) -> usize {
    tower::max(3 * tower::level_len(logn), replay::area_len(logn))
}

/// 32-bit words of scratch for the solver.
pub(crate) const fn words_len(logn: u32) -> usize {
    // Kept polynomials, area, inverse cofactors, twiddles, multiples, residues of a resultant.
    tower::kept_len(logn)
        + area_len(logn)
        + tower::cofactors_len(logn)
        + (3 << logn)
        + tower::longest_base(logn)
}

/// 64-bit words of scratch for the solver and for the norms (not counting the inverse Gram values).
pub(super) const fn wide_len(logn: u32) -> usize {
    // At the bottom: f, g, y, and three integers of the inversion. At the top: one polynomial.
    tower::max(6 * zint::limbs(tower::longest_base(logn)), 1 << logn)
}

/// The parts of the 32-bit scratch.
pub(super) struct Words<'a> {
    /// `f_d`, then `g_d`, on `C_(d+1)`, NTT domain: level after level.
    pub(super) kept: &'a mut [u32],
    /// Inverse cofactors of `C_0`, `C_1`, ...
    pub(super) cofactors: &'a mut [u32],
    /// Polynomials of two neighbouring levels.
    pub(super) here: &'a mut [u32],
    pub(super) next: &'a mut [u32],
    /// The quotient `k`.
    pub(super) quotient: &'a mut [u32],
    pub(super) twiddles: &'a mut [u32],
    /// Multiples of the product of the base, of two polynomials.
    pub(super) multiples: &'a mut [u32],
    /// Residues of a resultant.
    pub(super) column: &'a mut [u32],
}

/// Cuts the memory. Every call with the same `logn` cuts it in the same way.
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

/// The memory of a replay: the kept polynomials and inverse cofactors where [`Words`] has them.
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
