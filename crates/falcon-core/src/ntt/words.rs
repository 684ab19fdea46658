//! The transforms word by word: short code, for degrees below those of
//! [`rows`](super::rows) and for targets without vector units.
//!
//! Values of the transform domain are in the order of the blocks that the last layer leaves.
//!
//! # Ranges
//! All bounds are on absolute values. For `q`, with `T(y) = 3/32 y + 6146`, the bound of a product
//! by a factor:
//! - forward: input at most 6145; three layers of `x + T(x)` give 12868, 20221, 28263; every third
//!   layer reduces its unmultiplied operand to 6145 first, and `6145 + T(y)` followed by two plain
//!   layers stays at or below 31060 for `y <= 31060`;
//! - inverse: input at most 16383; of each three layers, the first two reduce their sums. All words
//!   are at most 16383. The first layer gives sums of 32766, which it reduces, and products of
//!   `T(32766) = 9218`. The second gives sums of 18436, which it reduces, and products of `T(18436)
//!   = 7875`. The third gives sums of 15750 and products of at most 7623. The fourth gives sums of
//!   31500; later layers give less.
//!
//! For an eager modulus (`P = 18433`, forward only) the unmultiplied operand is always at most
//! 9217. So words are at most 21452, the fixed point of `y = 2 * 9217 + 9/64 y + 1`.

use super::twiddles::{Zetas, inverse_degree};
use super::word::{centred, product};
use crate::modq::Modulus;

/// Computes the forward transform. The output is at most `0.6 P` in absolute value, in Montgomery
/// form.
pub(super) fn forward<M: Modulus>(zetas: &Zetas, logn: u32, a: &mut [i16]) {
    for j in 0..logn {
        let reduce = M::EAGER || (j > 0 && j.is_multiple_of(3));
        let half = a.len() >> (j + 1);
        for (block, &w) in a.chunks_exact_mut(2 * half).zip(zetas.layer(j)) {
            let (x, y) = block.split_at_mut(half);
            for (x, y) in x.iter_mut().zip(y) {
                let v = product::<M, _>(*y, w);
                let u = if reduce { centred::<M, _>(*x) } else { *x };
                (*x, *y) = (u + v, u - v);
            }
        }
    }
    scale::<M>(a, M::R2);
}

/// Computes the inverse transform, out of Montgomery form. The output is at most `0.6 P` in
/// absolute value.
///
/// The factor of block `i` is `-1/zeta(2^j + i) = zeta(2^(j+1) - 1 - i)`: the reversals of
/// `2^j + i` and of its mirror image add up to `1024`, and `g^1024 = -1`. The order of the
/// subtraction undoes the sign.
pub(super) fn inverse<M: Modulus>(zetas: &Zetas, logn: u32, a: &mut [i16]) {
    for step in 0..logn {
        let reduce = step % 3 != 2;
        let half = 1 << step;
        let factors = zetas.layer(logn - 1 - step).iter().rev();
        for (block, &w) in a.chunks_exact_mut(2 * half).zip(factors) {
            let (x, y) = block.split_at_mut(half);
            for (x, y) in x.iter_mut().zip(y) {
                let sum = *x + *y;
                let difference = *y - *x;
                *x = if reduce { centred::<M, _>(sum) } else { sum };
                *y = product::<M, _>(difference, w);
            }
        }
    }
    scale::<M>(a, inverse_degree::<M>(logn));
}

/// Computes `x c / R` for every word `x`.
#[inline(always)]
fn scale<M: Modulus>(a: &mut [i16], c: i16) {
    for x in a {
        *x = product::<M, _>(*x, c);
    }
}
