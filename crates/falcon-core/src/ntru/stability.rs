//! Condition of the reference's reduction of `(F, G)` for a given `(f, g)`.
//!
//! The round-3 reference reduces `(F_d, G_d)` with quotients computed in binary64. Their relative
//! error is about `2^-53` times the ratio between the largest and the smallest
//! `N_d(z) = sqrt(|f_d(z)|^2 + |g_d(z)|^2)` over the roots `z`. Each round should remove 25 bits.
//! With a ratio of `2^s`, it leaves `2^(s-28)` times the rest of the round before. Up to `s = 24`
//! the reduction works as it does in exact arithmetic; from `s = 28` on it can diverge, and then
//! the reference discards the pair. This solver must discard the same pairs, so that keys are the
//! same. So pairs with a ratio above `2^23` are given to [`replay`](super::replay). Of 10,000
//! solved pairs, 0.8 % diverge at degree 512, 7.5 % at degree 1024, and none with `s < 27`.
//!
//! `f_d(z)` is the product of the values of `f` at the `2^d` roots that map to `z`, which are
//! neighbours in bit-reversed order. So sums of logarithms are enough.

use super::fixed;
use crate::lanes::Masks;

/// Binary logarithm of the ratio above which a pair is replayed.
const LIMIT: u32 = 23;

/// The first level that can be replayed. Above it, a ratio of `2^28` has a probability below
/// `2^-40`: two products of eight independent values would have to be `2^-24` below their mean at
/// the same root.
pub(super) const FIRST_LEVEL: u32 = 4;

/// Returns the highest level (least `d`) whose ratio exceeds the limit, or zero if there is none.
///
/// `logs` and `work` have length `n`. Constant time, except for the result.
pub(super) fn unstable_level(
    logn: u32,
    f: &[i8],
    g: &[i8],
    logs: &mut [u32],
    work: &mut [i64],
) -> u32 {
    let n = 1usize << logn;
    let (log_f, log_g) = logs[..n].split_at_mut(n / 2);
    fixed::log_squared_norms(logn, f, log_f, work);
    fixed::log_squared_norms(logn, g, log_g, work);
    let masks = Masks::new();
    let mut first = 0u32;
    for d in 1..logn {
        let roots = (n / 2) >> d;
        let (mut least, mut most) = (u32::MAX, 0);
        for i in 0..roots {
            for log in [&mut *log_f, &mut *log_g] {
                log[i] = log[2 * i] + log[2 * i + 1];
            }
            let [_, norm] = masks.min_max(log_f[i], log_g[i]);
            [least, _] = masks.min_max(least, norm);
            [_, most] = masks.min_max(most, norm);
        }
        // Compares logarithms of squares, in units of 2^-16.
        let exceeds = masks.less(((2 * LIMIT) << 16).into(), (most - least).into()) as u32;
        if d >= FIRST_LEVEL {
            // Keeps the first level that was found: the mask is zero once `first` is positive.
            first |= d & exceeds & masks.of_sign(!first.wrapping_neg());
        }
    }
    first
}
