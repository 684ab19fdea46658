//! Arithmetic modulo a prime below `2^15`, sixteen bits a value.
//!
//! # Symbols and ranges
//! - `P`: the prime, `2048 | P - 1`, so that `x^n + 1` splits for `n <= 1024`.
//! - `R = 2^16`, the Montgomery radix. "Montgomery form" of `x` is `x R mod P`.
//! - `centred`: a representative in `[-(P-1)/2, (P-1)/2]`.
//!
//! Values are signed (`i16`) because the high half of a signed 16 x 16
//! product is one instruction on every vector unit, and because a signed
//! representative allows lazy additions: `32767 / 12289 = 2.67`.
//! Sums are written with the checked operators on purpose: a build with
//! overflow checks tests the range claims of every caller.
//!
//! Source: P. Montgomery, "Modular multiplication without trial division"
//! (1985), in the signed form of G. Seiler, eprint 2018/039.

use crate::lanes::mul_high;

/// A prime with the constants derived from it.
pub(crate) trait Modulus: Copy {
    /// The prime.
    const P: i16;

    /// True if every butterfly must reduce its unmultiplied operand. A prime below `2^15 / 2.6`
    /// needs this reduction only in every third layer.
    const EAGER: bool;

    /// `P^-1 mod 2^16`.
    const P_INV: i16 = inverse_mod_r(Self::P);

    /// `R^2 mod P`, centred. Multiplying by it converts to Montgomery form.
    const R2: i16 = centre((1 << 32) % Self::P as i64, Self::P);

    /// `round(2^27 / P)`.
    const BARRETT: i16 = (((1 << 28) / Self::P as i64 + 1) / 2) as i16;

    /// A primitive 2048-th root of unity (not in Montgomery form).
    const ROOT: i16 = primitive_root_2048(Self::P);
}

/// The modulus of the scheme, `q = 12289`.
#[derive(Clone, Copy)]
pub(crate) struct Q;

impl Modulus for Q {
    const P: i16 = crate::params::Q as i16;
    const EAGER: bool = false;
}

/// `a b / R mod P`.
///
/// Let `m = a b / P mod R`, so that `a b = m P + R t`. `a b` and `m P` have equal low halves, so
/// the difference of their high halves is exactly `t`, and `|t| <= |a b| / 2^16 + P / 2 + 1`. For
/// any two operands this is at most `16384 + P / 2 + 1 < 2^15`; when `|b| <= P / 2` it is at most
/// `3/32 |a| + 6146` for `P = q`.
#[inline(always)]
pub(crate) const fn montgomery_mul<M: Modulus>(a: i16, b: i16) -> i16 {
    let m = a.wrapping_mul(b).wrapping_mul(M::P_INV);
    mul_high(a, b) - mul_high(m, M::P)
}

/// The centred representative of `a`, for `|a| <= 3 (P - 1) / 2`, and modulo `q` also for `|a| <= 2
/// (q - 1)`. For other `a`, the result can be one unit outside the centred range.
///
/// `t = floor(a v / 2^27 + 1/2)` with `v = round(2^27 / P)`: the rounding of `v` and the floor of
/// the high half move `a / P` by less than `2^-10`, so `t` is the nearest integer except close to a
/// half. The exhaustive test below shows that no `a` in the stated range is that close.
#[inline(always)]
pub(crate) const fn barrett_reduce<M: Modulus>(a: i16) -> i16 {
    let t = (mul_high(a, M::BARRETT) + (1 << 10)) >> 11;
    // Computes modulo 2^16, since the product itself may not fit.
    a.wrapping_sub(t.wrapping_mul(M::P))
}

/// The representative in `[0, P)` of any `a`.
#[inline(always)]
pub(crate) const fn canonical<M: Modulus>(a: i16) -> u16 {
    let r = barrett_reduce::<M>(a);
    (r + (M::P & (r >> 15))) as u16
}

/// `x^-1 mod 2^16` for odd `x`, by Newton's iteration: `x` is its own inverse modulo 8 and each
/// step doubles the number of correct bits.
const fn inverse_mod_r(x: i16) -> i16 {
    let mut y = x;
    let mut bits = 3;
    while bits < 16 {
        y = y.wrapping_mul(2i16.wrapping_sub(x.wrapping_mul(y)));
        bits *= 2;
    }
    y
}

/// The centred representative of `a`, for `a` in `[0, p)`.
pub(crate) const fn centre(a: i64, p: i16) -> i16 {
    if a > p as i64 / 2 {
        (a - p as i64) as i16
    } else {
        a as i16
    }
}

/// `base^e mod p`, for constants.
pub(crate) const fn pow_mod(base: i64, mut e: u32, p: i64) -> i64 {
    let mut square = base % p;
    let mut acc = 1;
    while e > 0 {
        if e & 1 == 1 {
            acc = acc * square % p;
        }
        square = square * square % p;
        e >>= 1;
    }
    acc
}

/// The least `g` with `g^1024 = -1`.
const fn primitive_root_2048(p: i16) -> i16 {
    let p = p as i64;
    let mut g = 2;
    while pow_mod(g, 1024, p) != p - 1 {
        g += 1;
    }
    g as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::ExactnessPrime;

    fn every_reduction_is_exact_and_in_range<M: Modulus>() {
        let p = M::P as i32;
        let r_inv = pow_mod(65536, M::P as u32 - 2, p as i64) as i32;
        assert_eq!(M::P.wrapping_mul(M::P_INV), 1);
        for a in i16::MIN..=i16::MAX {
            let b = barrett_reduce::<M>(a) as i32;
            assert_eq!((a as i32 - b).rem_euclid(p), 0);
            let beyond = i32::from(i32::from(a).abs() > 3 * (p / 2));
            assert!(b.abs() <= p / 2 + beyond, "{a}: {b}");
            assert_eq!(canonical::<M>(a) as i32, (a as i32).rem_euclid(p));
            for c in [
                M::R2,
                1,
                -1,
                p as i16 / 2,
                -(p as i16 / 2),
                i16::MIN,
                i16::MAX,
            ] {
                let t = montgomery_mul::<M>(a, c) as i64;
                let product = a as i64 * c as i64;
                assert_eq!((t - product * r_inv as i64).rem_euclid(p as i64), 0);
                assert!(t.abs() <= product.abs() / 65536 + p as i64 / 2 + 1);
            }
        }
    }

    #[test]
    fn reductions_modulo_q_are_exact_and_in_range_for_every_input() {
        every_reduction_is_exact_and_in_range::<Q>();
        let most = 2 * (Q::P - 1);
        for a in -most..=most {
            assert!(barrett_reduce::<Q>(a).abs() <= Q::P / 2, "{a}");
        }
    }

    #[test]
    fn reductions_modulo_the_exactness_prime_are_exact_and_in_range_for_every_input() {
        every_reduction_is_exact_and_in_range::<ExactnessPrime>();
    }
}
