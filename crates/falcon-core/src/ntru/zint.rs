//! Large integers at the bottom of the tower: conversion from residues, modular inverse, scaling.
//!
//! Symbols: an integer is `L` limbs of 62 bits, least significant first; limbs `0..L-1` are in
//! `[0, 2^62)`, the last one is signed and carries the sign. `f` is odd and positive,
//! `f < 2^(62(L-1))`: the last limb is headroom.
//!
//! The inverse is by the division steps of D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd
//! computation and modular inversion" (2019), 62 at a time. `(49 d + 57)/17` steps are enough for
//! all inputs below `2^d`, `d >= 46` (theorem 11.2). Everything runs in constant time.

use super::fixed::reciprocal;
use super::modulus::{Moduli, Modulus};
use super::rns::Base;
use super::wide::{Signed128, Wide};

const BITS: u32 = 62;
const MASK: i64 = (1 << BITS) - 1;

/// Number of limbs for the integers that a base of `len` primes can hold.
pub(super) const fn limbs(len: usize) -> usize {
    (30 * len).div_ceil(62) + 1
}

/// Splits `sum` into a limb of its low 62 bits and the carry `floor(sum / 2^62)` to the next limb.
#[inline(always)]
fn carry(sum: Wide) -> (i64, Wide) {
    (sum.low() & MASK, sum >> BITS)
}

/// Stores the integer with residues `c_i` (scaled by the inverse cofactors) and multiple `a` of
/// the product: `x = sum c_i * (P/p_i) - a * P`. `product` receives `P`.
pub(super) fn from_residues(base: Base, c: &[u32], a: u32, x: &mut [i64], product: &mut [i64]) {
    x.fill(0);
    product.fill(0);
    product[0] = 1;
    let mut i = 0;
    while i < base.len {
        // Adds two primes at once: x <- x * p0 * p1 + (c0 * p1 + c1 * p0) * product.
        let pair = i + 1 < base.len;
        let p0 = i64::from(Modulus::prime(base.start + i));
        let (p1, c1) = if pair {
            (
                i64::from(Modulus::prime(base.start + i + 1)),
                i64::from(c[i + 1]),
            )
        } else {
            (1, 0)
        };
        let both = p0 * p1;
        let weight = i64::from(c[i]) * p1 + c1 * p0;
        let (mut carry_x, mut carry_p) = (Wide::ZERO, Wide::ZERO);
        for (x, p) in x.iter_mut().zip(product.iter_mut()) {
            // The sum is at most 2^122 + 2^123 + carry.
            let sum = Wide::product(*x, both) + Wide::product(*p, weight);
            (*x, carry_x) = carry(sum + carry_x);
            (*p, carry_p) = carry(Wide::product(*p, both) + carry_p);
        }
        i += 2;
    }
    let mut borrow = Wide::ZERO;
    for (x, p) in x.iter_mut().zip(product.iter()) {
        (*x, borrow) = carry(Wide::from(*x) - Wide::product(*p, i64::from(a)) + borrow);
    }
    sign_extend(x);
}

/// Makes the last limb signed after arithmetic that kept its low 62 bits.
fn sign_extend(x: &mut [i64]) {
    let top = x.len() - 1;
    x[top] = (x[top] << 2) >> 2;
}

/// Takes 62 division steps on the low bits of `a` (odd) and `b`. Returns the new `delta` and the
/// matrix `[u, v, q, r]` with `2^62 a' = u a + v b`, `2^62 b' = q a + r b`; `|u| + |v| <= 2^62` and
/// `|q| + |r| <= 2^62`.
#[inline]
fn division_steps(mut delta: i64, a: i64, b: i64) -> (i64, [i64; 4]) {
    let (mut a, mut b) = (a, b);
    let [mut u, mut v, mut q, mut r] = [1i64, 0, 0, 1];
    for _ in 0..BITS {
        let odd = -(b & 1);
        let swap = odd & (delta.wrapping_neg() >> 63);
        // b <- b +- a when b is odd; on a swap a <- old b = (b - a) + a.
        b = b.wrapping_add(((a ^ swap).wrapping_sub(swap)) & odd);
        q = q.wrapping_add(((u ^ swap).wrapping_sub(swap)) & odd);
        r = r.wrapping_add(((v ^ swap).wrapping_sub(swap)) & odd);
        a = a.wrapping_add(b & swap);
        u = u.wrapping_add(q & swap) << 1;
        v = v.wrapping_add(r & swap) << 1;
        delta = (delta ^ swap) - swap + 1;
        b >>= 1;
    }
    (delta, [u, v, q, r])
}

/// Computes `y` with `y * g = 1 mod f` and `|y| < 2f`. Returns true if `gcd(f, g) = 1`.
///
/// `f` and `g` are positive, `f` odd. `work` holds three integers of the same length.
pub(super) fn invert(f: &[i64], g: &[i64], y: &mut [i64], work: &mut [i64]) -> bool {
    let len = f.len();
    let (a, rest) = work.split_at_mut(len);
    let (b, rest) = rest.split_at_mut(len);
    let z = &mut rest[..len];
    a.copy_from_slice(f);
    b.copy_from_slice(g);
    // Invariants: a = y * g and b = z * g modulo f; -2f < y, z < f.
    y.fill(0);
    z.fill(0);
    z[0] = 1;

    // f * inv = 1 mod 2^62.
    let mut inv = f[0];
    for _ in 0..5 {
        inv = inv.wrapping_mul(2i64.wrapping_sub(f[0].wrapping_mul(inv)));
    }
    let bits = (len - 1) * BITS as usize;
    let steps = (49 * bits.max(46) + 57) / 17;
    let mut delta = 1;
    for _ in 0..steps.div_ceil(BITS as usize) {
        let (d, matrix) = division_steps(delta, a[0], b[0]);
        delta = d;
        let [u, v, q, r] = matrix;

        let (mut ca, mut cb) = (Wide::ZERO, Wide::ZERO);
        for i in 0..len {
            let (ai, bi) = (a[i], b[i]);
            ca += Wide::product(u, ai) + Wide::product(v, bi);
            cb += Wide::product(q, ai) + Wide::product(r, bi);
            if i > 0 {
                a[i - 1] = ca.low() & MASK;
                b[i - 1] = cb.low() & MASK;
            }
            ca >>= BITS;
            cb >>= BITS;
        }
        a[len - 1] = ca.low();
        b[len - 1] = cb.low();

        // A negative y is replaced by y + f, which is in (-f, f). Subtracting excess * f, with
        // excess in [0, 2^62), makes the sum divisible by 2^62. The quotient is in (-2f, f) again.
        let (sy, sz) = (y[len - 1] >> 63, z[len - 1] >> 63);
        let multiple = |s: i64, t: i64| {
            let wish = (s & sy) + (t & sz);
            let low = s.wrapping_mul(y[0]).wrapping_add(t.wrapping_mul(z[0]));
            let excess = inv.wrapping_mul(low).wrapping_add(wish) & MASK;
            wish - excess
        };
        let (my, mz) = (multiple(u, v), multiple(q, r));
        let (mut cy, mut cz) = (Wide::ZERO, Wide::ZERO);
        for i in 0..len {
            let (yi, zi, fi) = (y[i], z[i], f[i]);
            cy += Wide::product(u, yi) + Wide::product(v, zi) + Wide::product(my, fi);
            cz += Wide::product(q, yi) + Wide::product(r, zi) + Wide::product(mz, fi);
            if i > 0 {
                y[i - 1] = cy.low() & MASK;
                z[i - 1] = cz.low() & MASK;
            }
            cy >>= BITS;
            cz >>= BITS;
        }
        y[len - 1] = cy.low();
        z[len - 1] = cz.low();
    }

    // Now b = 0 and a = +-gcd(f, g).
    let sign = a[len - 1] >> 63;
    let mut rest = (a[0] ^ (sign & MASK)) - sign - 1;
    for (i, ai) in a.iter().enumerate().skip(1) {
        rest |= ai ^ (if i == len - 1 { sign } else { sign & MASK });
    }
    negate_if(y, sign);
    rest == 0
}

/// Computes `x <- -x` if `mask` is all ones.
fn negate_if(x: &mut [i64], mask: i64) {
    let mut c = Wide::ZERO;
    for x in x.iter_mut() {
        (*x, c) = carry(Wide::from((*x ^ mask) - mask) + c);
    }
    sign_extend(x);
}

/// Computes `y <- y mod f`, or `-y mod f` if `negate`, in `[0, f)`. Before the call, `|y| < 2f`.
pub(super) fn least_residue(y: &mut [i64], f: &[i64], negate: bool) {
    negate_if(y, -i64::from(negate));
    // The range is (-2f, 2f), then (0, 4f), [0, 2f), [0, f).
    add_multiple(y, f, 2, -1);
    for factor in [-2, -1] {
        add_multiple(y, f, factor, -1);
        let negative = y[y.len() - 1] >> 63;
        add_multiple(y, f, -factor, negative);
    }
}

/// Computes `y <- y + factor * f` if `mask` is all ones.
fn add_multiple(y: &mut [i64], f: &[i64], factor: i64, mask: i64) {
    let factor = factor & mask;
    let mut c = Wide::ZERO;
    for (y, f) in y.iter_mut().zip(f) {
        (*y, c) = carry(Wide::from(*y) + Wide::product(*f, factor) + c);
    }
    sign_extend(y);
}

/// Shifts left by `k` limbs if `mask` is all ones; the result must fit.
fn shift_limbs_left(x: &mut [i64], k: usize, mask: i64) {
    for i in (0..x.len()).rev() {
        let from = if i >= k { x[i - k] } else { 0 };
        x[i] ^= mask & (x[i] ^ from);
    }
    sign_extend(x);
}

/// Shifts right by `k` limbs if `mask` is all ones, filling with the sign.
fn shift_limbs_right(x: &mut [i64], k: usize, mask: i64) {
    let top = x.len() - 1;
    let sign = x[top] >> 63;
    for i in 0..=top {
        let from = if i + k <= top { x[i + k] } else { sign };
        let from = if i == top { from } else { from & MASK };
        x[i] ^= mask & (x[i] ^ from);
    }
}

/// Shifts left by `k < 62` bits if `mask` is all ones; the result must fit.
fn shift_bits_left(x: &mut [i64], k: u32, mask: i64) {
    let top = x.len() - 1;
    for i in (0..=top).rev() {
        let low = if i > 0 { x[i - 1] >> (BITS - k) } else { 0 };
        let shifted = (x[i] << k) | low;
        let shifted = if i == top { shifted } else { shifted & MASK };
        x[i] ^= mask & (x[i] ^ shifted);
    }
}

/// Shifts right by `k < 62` bits if `mask` is all ones.
fn shift_bits_right(x: &mut [i64], k: u32, mask: i64) {
    let top = x.len() - 1;
    for i in 0..=top {
        let high = if i < top {
            (x[i + 1] << (BITS - k)) & MASK
        } else {
            0
        };
        let shifted = (x[i] >> k) | high;
        x[i] ^= mask & (x[i] ^ shifted);
    }
}

/// Computes `y <- y * (product of factors) mod f`. `|y|` is below `2f` before, and at most `0.6
/// f` after.
///
/// Factors are in `[1, 2^60)`. Overwrites `f` with its shifted value. The quotients are estimated
/// from the top limbs of `y` and of `f`. So both are first shifted until the top bit of `f` is in a
/// known place.
pub(super) fn scale(y: &mut [i64], f: &mut [i64], factors: impl Iterator<Item = i64>) {
    let len = f.len();
    // Shifts until 2^61 <= f[len - 2] < 2^62. Each decision is stored as one bit.
    let (mut limb_shifts, mut bit_shifts) = (0u32, 0u32);
    let levels = usize::BITS - (len - 1).leading_zeros();
    for j in (0..levels).rev() {
        let k = 1usize << j;
        if k < len - 1 {
            let top = f[len - 1 - k..len - 1].iter().fold(0, |x, y| x | y);
            let mask = !((top.wrapping_neg()) >> 63);
            shift_limbs_left(f, k, mask);
            shift_limbs_left(y, k, mask);
            limb_shifts |= (mask as u32) & (1 << j);
        }
    }
    for j in (0..6).rev() {
        let k = 1u32 << j;
        // `mask` is all ones if the top k bits of 62 are zero.
        let mask = !((f[len - 2] >> (BITS - k)).wrapping_neg() >> 63);
        shift_bits_left(f, k, mask);
        shift_bits_left(y, k, mask);
        bit_shifts |= (mask as u32) & (1 << j);
    }

    // f = m * 2^-2 units of the limb len - 2, up to a factor of 1 + 2^-63, and r = 2^126 / m.
    let below = if len > 2 { f[len - 3] } else { 0 };
    let m = ((f[len - 2] as u64) << 2) | (below as u64 >> 60);
    let r = reciprocal(m);
    let times_r = |y: i64| {
        // The top bit of `r` counts as 2^63, but `r as i64` makes it -2^63, so the sum adds
        // `y 2^64`.
        Wide::product(y, r as i64) + Wide::new(y & (r as i64 >> 63), 0)
    };
    let mut step = |factor: i64| {
        // `ratio` is y / f in units of 2^-60. Since |y| <= 4f, the error of `r` counts at most one
        // unit above and 1.2 below, and that of `m` half a unit above. The low limbs of `y` and the
        // rounding make `ratio` up to 1.5 too small. So the error is at most 3 units.
        let ratio = ((times_r(y[len - 1]) << BITS) + times_r(y[len - 2])).high();
        // Since |y| <= 4f, the quotient is at most 2^62 + 4, and at most 3.5 away from the true
        // quotient. So the remainder is again at most 4f.
        let quotient = (Wide::product(ratio, factor) + Wide::from(1i64 << 59)) >> 60;
        let quotient = quotient.low();
        let mut s = Wide::ZERO;
        for (y, f) in y.iter_mut().zip(f.iter()) {
            (*y, s) = carry(Wide::product(*y, factor) - Wide::product(*f, quotient) + s);
        }
        y[len - 1] = (y[len - 1] << 2) >> 2;
    };
    for factor in factors {
        step(factor);
    }
    step(1);

    for j in 0..6 {
        let mask = -i64::from((bit_shifts >> j) & 1);
        shift_bits_right(y, 1 << j, mask);
    }
    for j in 0..levels {
        let mask = -i64::from((limb_shifts >> j) & 1);
        shift_limbs_right(y, 1 << j, mask);
    }
}

/// Computes `x mod p` in Montgomery form, for every `p` of `m`.
#[inline(always)]
pub(super) fn residues<const W: usize>(m: &Moduli<W>, x: &[i64]) -> [u32; W] {
    let half = m.encode_word(1 << 31);
    let radix = m.mul(half, half);
    let Some((top, limbs)) = x.split_last() else {
        return [0; W];
    };
    let mut y = m.encode(*top as i32);
    for limb in limbs.iter().rev() {
        let low = m.encode_word((*limb as u32) & 0x7fff_ffff);
        let high = m.mul(m.encode_word((*limb >> 31) as u32), half);
        y = m.mul(y, radix);
        y = m.each(
            #[inline(always)]
            |m, l| m.add(y[l], m.add(low[l], high[l])),
        );
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Baseline;
    use num_bigint::{BigInt, BigUint};
    use std::vec;
    use std::vec::Vec;

    fn random(bits: usize, seed: u64) -> BigInt {
        let bytes = crate::hash::Shake256::reader(&seed.to_le_bytes()).read_array::<1024>();
        let x = BigUint::from_bytes_le(&bytes) >> (8192 - bits);
        x.into()
    }

    fn to_big(x: &[i64]) -> BigInt {
        x.iter()
            .rev()
            .fold(BigInt::from(0), |y, limb| (y << BITS) + limb)
    }

    fn from_big(x: &BigInt, len: usize) -> Vec<i64> {
        let mut x = x.clone();
        let mut limbs = vec![0; len];
        for (i, limb) in limbs.iter_mut().enumerate() {
            let low: BigInt = if i == len - 1 {
                x.clone()
            } else {
                &x & BigInt::from(MASK)
            };
            x = (&x - &low) >> BITS;
            *limb = i64::try_from(&low).unwrap();
        }
        limbs
    }

    #[test]
    fn residues_give_back_the_integer() {
        for (start, len) in [(0, 1), (217, 2), (0, 3), (217, 110), (0, 217)] {
            let base = Base { start, len };
            let limbs = limbs(len);
            let cofactor = |i| base.cofactor_inverses(Baseline, &base.moduli::<1>(i), i)[0];
            for seed in 0..6 {
                let mut x = random(30 * len - 2, seed);
                if seed & 1 == 1 {
                    x = -x;
                }
                let c: Vec<u32> = (0..len)
                    .map(|i| {
                        let m = base.modulus(i);
                        let p = BigInt::from(m.p);
                        let r = u32::try_from(((&x % &p) + &p) % &p).unwrap();
                        m.mul(m.encode_word(r), m.mul(cofactor(i), 1))
                    })
                    .collect();
                let mut a = [0];
                base.multiples::<_, 1>(Baseline, &c, &mut a);
                let (mut y, mut product) = (vec![0; limbs], vec![0; limbs]);
                from_residues(base, &c, a[0], &mut y, &mut product);
                assert_eq!(to_big(&y), x, "{len} primes, seed {seed}");
                let m = Modulus::new(300);
                let p = BigInt::from(m.p);
                let r = u32::try_from(((&x % &p) + &p) % &p).unwrap();
                assert_eq!(m.mul(residues(&m.into(), &y)[0], 1), r);
            }
        }
    }

    #[test]
    fn inverse_times_the_integer_is_one_and_common_factors_are_found() {
        for primes in [1, 2, 9, 57, 111, 217] {
            let len = limbs(primes);
            for seed in 0..8 {
                // Integers may be far shorter than the capacity.
                let bits = 30 * primes * (8 - seed as usize) / 8;
                let f: BigInt = random(bits, seed) | BigInt::from(1);
                let g: BigInt = random(bits, seed + 100) | BigInt::from(1);
                for factor in [1, 3] {
                    let (f, g): (BigInt, BigInt) = (&f * factor, &g * factor);
                    if f.bits() as usize > 30 * primes || g.bits() as usize > 30 * primes {
                        continue;
                    }
                    let (x, z) = (from_big(&f, len), from_big(&g, len));
                    let (mut y, mut work) = (vec![0; len], vec![0; 3 * len]);
                    let coprime = invert(&x, &z, &mut y, &mut work);
                    let gcd = gcd(&f, &g);
                    assert_eq!(coprime, gcd == BigInt::from(1));
                    let product = to_big(&y) * &g - &gcd;
                    assert_eq!(
                        product % &f,
                        BigInt::from(0),
                        "{primes} primes, seed {seed}"
                    );
                    assert!(*to_big(&y).magnitude() < f.magnitude() * 2u32);
                    for negate in [false, true] {
                        let mut r = y.clone();
                        least_residue(&mut r, &x, negate);
                        let y = if negate { -to_big(&y) } else { to_big(&y) };
                        assert_eq!(to_big(&r), ((y % &f) + &f) % &f);
                    }
                }
            }
        }
    }

    fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
        let (mut a, mut b) = (a.clone(), b.clone());
        while b != BigInt::from(0) {
            (a, b) = (b.clone(), a % b);
        }
        a
    }

    #[test]
    fn scaling_multiplies_modulo_f_and_reduces() {
        for primes in [1, 2, 9, 111, 217] {
            let len = limbs(primes);
            for seed in 0..8 {
                let bits = (30 * primes * (8 - seed as usize) / 8).max(3);
                let f: BigInt = random(bits, seed) | BigInt::from(1);
                let y = random(bits, seed + 50) * if seed & 1 == 0 { 1 } else { -1 };
                let factors: Vec<i64> = (1..40)
                    .map(|i| i64::try_from(&random(60, i + seed)).unwrap().max(1))
                    .collect();
                check_scaling(&y, &f, len, &factors);
            }
        }
    }

    fn check_scaling(y: &BigInt, f: &BigInt, len: usize, factors: &[i64]) {
        let (mut a, mut b) = (from_big(y, len), from_big(f, len));
        scale(&mut a, &mut b, factors.iter().copied());
        let exact = factors.iter().fold(y.clone(), |y, c| y * c);
        assert_eq!((exact - to_big(&a)) % f, BigInt::from(0), "{y}, {f}");
        assert!(to_big(&a).magnitude() * 10u32 <= f.magnitude() * 6u32 + 10u32);
    }

    /// Scales by an `f` whose top bits are a power of two, or one more. Then the reciprocal is
    /// `2^63`, the largest one.
    #[test]
    fn scaling_divides_by_a_power_of_two_and_a_little() {
        for (len, shift, lower) in [(2, 0, 0), (3, 0, 1), (3, 17, 0), (5, 62, 1), (55, 17, 1)] {
            let bits = 62 * (len - 1) - 1 - shift;
            for more in [1, 3, 255] {
                let top =
                    (BigInt::from(1) << bits) + (BigInt::from(lower) << (bits - bits.min(63)));
                let f = top + more;
                let y = random(bits, 77) * if shift == 17 { -1 } else { 1 };
                let factors: Vec<i64> = (1..40)
                    .map(|i| i64::try_from(&random(60, i)).unwrap().max(1))
                    .collect();
                check_scaling(&y, &f, len, &factors);
            }
        }
    }
}
