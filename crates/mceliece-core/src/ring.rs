//! Products in `GF(q^t) = GF(q)[y]/F`.
//!
//! An element is `t` coefficients of `GF(q)`, beginning with that of `y^0`. Products of
//! coefficients are added before they are reduced. The lanes of a register are coefficients.

use crate::code::{Code, MAX_T};
use crate::field::element::{mul_by_public, reduce, wide_mul};
use core::hint::black_box;
use falcon_lanes::wipe;

/// An element of the ring. The first `t` places are used.
pub(crate) type Element = [u16; MAX_T];

/// Product of `a` and `b`.
#[inline(always)]
pub(crate) fn product<const M: usize>(code: &Code, a: &Element, b: &Element) -> Element {
    let t = code.t;
    let mut wide = [0u32; 2 * MAX_T];
    for i in 0..t {
        // The masks are hidden from the compiler, which would otherwise branch on the bits of `a`.
        let masks: [u32; M] =
            core::array::from_fn(|bit| 0u32.wrapping_sub(u32::from(a[i] >> bit & 1)));
        let mut masks = black_box(masks);
        for (wide, &b) in wide[i..].iter_mut().zip(b) {
            for (bit, mask) in masks.iter().enumerate() {
                *wide ^= u32::from(b) << bit & mask;
            }
        }
        wipe(&mut masks);
    }
    let mut reduced = [0u16; 2 * MAX_T];
    for (reduced, &wide) in reduced.iter_mut().zip(&wide) {
        *reduced = reduce::<M>(wide);
    }
    for i in (t..2 * t - 1).rev() {
        let top = reduced[i];
        for &(exponent, coefficient) in code.low_terms {
            reduced[i - t + exponent] ^= times::<M>(top, coefficient);
        }
    }
    let mut out = [0; MAX_T];
    out[..t].copy_from_slice(&reduced[..t]);
    wipe(&mut wide);
    wipe(&mut reduced);
    out
}

/// Product of `a` and a coefficient of `F`, which is public.
#[inline(always)]
fn times<const M: usize>(a: u16, coefficient: u16) -> u16 {
    if coefficient == 1 {
        a
    } else {
        mul_by_public::<M>(a, coefficient)
    }
}

/// Linear map `x -> coefficient 0 of a x`, as the vector of its values at `y^0, .., y^(t-1)`.
#[inline(always)]
pub(crate) fn functional<const M: usize>(code: &Code, a: &Element) -> Element {
    let t = code.t;
    let mut power = *a;
    let mut values = [0; MAX_T];
    for value in &mut values[..t] {
        *value = power[0];
        // Multiplies `power` by y.
        let top = power[t - 1];
        power.copy_within(..t - 1, 1);
        power[0] = 0;
        for &(exponent, coefficient) in code.low_terms {
            power[exponent] ^= times::<M>(top, coefficient);
        }
    }
    wipe(&mut power);
    values
}

/// Adds the products `a_i b_i`.
#[inline(always)]
pub(crate) fn inner_product<const M: usize>(a: &Element, b: &Element) -> u16 {
    let products = a.iter().zip(b).map(|(&a, &b)| wide_mul::<M>(a, b));
    reduce::<M>(products.fold(0, |sum, product| sum ^ product))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::element::mul;
    use crate::params::CODES;

    fn some(m: usize, t: usize, seed: u32) -> Element {
        let x = |i: usize| (i as u32 + 17).wrapping_mul(0x9e37_79b9 ^ seed);
        core::array::from_fn(|i| {
            if i < t {
                (x(i) >> 13) as u16 & ((1 << m) - 1)
            } else {
                0
            }
        })
    }

    /// Multiplies by long division.
    fn slow<const M: usize>(code: &Code, a: &Element, b: &Element) -> Element {
        let t = code.t;
        let mut product = [0; 2 * MAX_T];
        for i in 0..t {
            for j in 0..t {
                product[i + j] ^= mul::<M>(a[i], b[j]);
            }
        }
        for i in (t..2 * t).rev() {
            for &(exponent, coefficient) in code.low_terms {
                product[i - t + exponent] ^= mul::<M>(product[i], coefficient);
            }
            product[i] = 0;
        }
        core::array::from_fn(|i| product[i])
    }

    fn check<const M: usize>(code: &Code) {
        for seed in 0..8 {
            let (a, b) = (some(M, code.t, seed), some(M, code.t, seed + 100));
            let expected = slow::<M>(code, &a, &b);
            assert_eq!(product::<M>(code, &a, &b), expected);
            let functional = functional::<M>(code, &a);
            assert_eq!(inner_product::<M>(&functional, &b), expected[0]);
        }
    }

    #[test]
    fn products_equal_long_division() {
        for code in CODES {
            match code.m {
                12 => check::<12>(code),
                _ => check::<13>(code),
            }
        }
    }
}
