//! Number of primes that each level of the tower needs for its integers, and the places of
//! polynomials in memory.
//!
//! Level `d` of the tower works in `Z[x]/(x^n + 1)` with `n = 2^(logn - d)`. The base `C_d` holds
//! its integers: the coefficients of `f_d`, `g_d` and of the reduced `F_d`.
//!
//! The bit lengths of `f_d` were measured over many random keys: mean `mu`, deviation `s`. `F_d` is
//! `f_d` times a polynomial with coefficients in `[-1/2, 1/2]`, which adds at most
//! `max(2, log2 n - 1)` bits, and one for the sign. `C_d` holds `mu + 7 s` bits plus these. The
//! test `tower/lengths.rs` measures again and compares. If a key needs more bits, it is refused, or
//! solved with the roles of `f` and `g` exchanged. The probability is below `2^-36`.

use super::rns::{Base, place};
use crate::lanes::{Isa, Register};

#[cfg(test)]
mod lengths;

/// Number of primes of `C_d`, by `logn` and `d`.
#[rustfmt::skip]
const LENGTHS: [[u8; 11]; 11] = [
    [0; 11],
    [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0],
    [1, 1, 2, 3, 5, 0, 0, 0, 0, 0, 0],
    [1, 1, 2, 3, 5, 9, 0, 0, 0, 0, 0],
    [1, 1, 2, 3, 4, 8, 16, 0, 0, 0, 0],
    [1, 1, 2, 3, 4, 8, 15, 30, 0, 0, 0],
    [1, 1, 2, 3, 4, 8, 15, 29, 57, 0, 0],
    [1, 1, 2, 3, 4, 8, 15, 29, 56, 111, 0],
    [1, 1, 2, 3, 4, 8, 15, 28, 55, 109, 217],
];

/// Number of primes in a group, on levels with many primes.
pub(super) const LANES: usize = 8;

/// First level whose base has many primes. Its polynomials are too short to fill registers with
/// coefficients.
const FIRST_WIDE: u32 = 5;

/// Number of primes of the largest base for any degree.
pub(super) const MAX_PRIMES: usize = LENGTHS[10][10] as usize;

/// Number of primes that are computed side by side on `C_d`: [`LANES`] or one.
pub(super) const fn width<I: Isa>(d: u32) -> usize {
    if d >= FIRST_WIDE && <I::I16s as Register<I>>::LEN > 1 {
        LANES
    } else {
        1
    }
}

/// Index of the first prime of the bases of odd levels. It is so large that neighbouring levels
/// have no prime in common.
const ODD_START: usize = 217;

const fn len(logn: u32, d: u32) -> usize {
    LENGTHS[logn as usize][d as usize] as usize
}

/// Returns the number of primes for which `C_d` needs memory, whether they are in groups or not.
const fn stored_len(logn: u32, d: u32) -> usize {
    if d >= FIRST_WIDE {
        base(logn, d).lanes::<LANES>()
    } else {
        len(logn, d)
    }
}

pub(super) const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Returns the base `C_d`.
pub(super) const fn base(logn: u32, d: u32) -> Base {
    Base {
        start: ODD_START * (d & 1) as usize,
        len: len(logn, d),
    }
}

/// Number of words that keep `f_d` and `g_d` on `C_(d+1)` for all levels `d < logn`.
pub(super) const fn kept_len(logn: u32) -> usize {
    kept_start(logn, logn)
}

/// Index of the first word of level `d` among the [`kept_len`] words.
pub(super) const fn kept_start(logn: u32, d: u32) -> usize {
    let (mut total, mut i) = (0, 0);
    while i < d {
        total += (2 << (logn - i)) * stored_len(logn, i + 1);
        i += 1;
    }
    total
}

/// Number of words of the largest polynomials of a level: `f_d` and `g_d` together on `C_d`, `F_d`
/// on `C_d`, or the quotient of level `d` on `C_(d+1)`.
pub(super) const fn level_len(logn: u32) -> usize {
    let (mut most, mut d) = (1 << logn, 0);
    while d <= logn {
        let n = 1 << (logn - d);
        if d > 0 {
            most = max(most, 2 * n * stored_len(logn, d));
        }
        if d < logn {
            most = max(most, n * stored_len(logn, d + 1));
        }
        d += 1;
    }
    most
}

/// Number of primes of the largest base for degree `2^logn`.
pub(super) const fn longest_base(logn: u32) -> usize {
    len(logn, logn)
}

/// Number of words of the inverse cofactors of all bases.
pub(super) const fn cofactors_len(logn: u32) -> usize {
    cofactors_start(logn, logn + 1)
}

/// Index of the first inverse cofactor of level `d`.
pub(super) const fn cofactors_start(logn: u32, d: u32) -> usize {
    let (mut total, mut i) = (0, 0);
    while i < d {
        total += stored_len(logn, i);
        i += 1;
    }
    total
}

/// Writes the weighted residues of the resultant of `f` (`which = 0`) or `g` on the last base,
/// whose primes are in groups of `W`, to `column`.
pub(super) fn resultant<const W: usize>(
    logn: u32,
    which: usize,
    kept: &[u32],
    cofactors: &[u32],
    column: &mut [u32],
) {
    let base = base(logn, logn);
    let kept = &kept[kept_start(logn, logn - 1)..][which * 2 * base.lanes::<W>()..];
    let cofactors = &cofactors[cofactors_start(logn, logn)..];
    for (i, x) in column[..base.len].iter_mut().enumerate() {
        let m = base.modulus(i);
        let (a, b) = (kept[place::<W>(2, i, 0)], kept[place::<W>(2, i, 1)]);
        *x = m.mul(m.mul(a, b), m.mul(cofactors[i], 1));
    }
}
