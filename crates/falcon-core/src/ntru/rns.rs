//! Residue number systems: the NTT modulo one prime, and the passage of integers from one set
//! of primes to another.
//!
//! Symbols: a base `B = (p_0 .. p_{l-1})` of product `P`; an integer `x` is its residues. With
//! `c_i = x * (P/p_i)^-1 mod p_i`,
//!
//! ```text
//!   x = sum c_i * (P/p_i) - a * P,     a = round(sum c_i / p_i)    if |x| < P/2.
//! ```
//!
//! The quotients are summed in fixed point with an error below `2^-24`, so `a` is exact as soon
//! as `|x| < (1/2 - 2^-24) P`; nearer to `P/2` the result may be `x - P` or `x + P`. The integers
//! that must be exact are much smaller than `P`; for the quotients of the reduction step any
//! representative will do.
//!
//! Memory: `l` polynomials of length `n`, prime after prime. In the NTT domain entries `2i` and
//! `2i + 1` are the values at opposite points `z, -z`, and entry `i` of the transform of length
//! `n/2` is the value at `z^2`.

use super::modulus::Modulus;

/// Coefficients to values at the odd powers of the root. Input `[0, p)`, output `[0, p)`.
pub(super) fn ntt(m: Modulus, tw: &[u32], a: &mut [u32]) {
    let n = a.len();
    let (mut blocks, mut half) = (1, n >> 1);
    while half > 0 {
        for (block, &w) in a.chunks_exact_mut(2 * half).zip(&tw[blocks..2 * blocks]) {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                // [0, 4p) in, [0, 4p) out.
                let u = m.twice(*x);
                let v = m.mul_lazy(*y, w);
                *x = u + v;
                *y = u + 2 * m.p - v;
            }
        }
        blocks *= 2;
        half >>= 1;
    }
    for x in a {
        *x = m.canonical(*x);
    }
}

/// Values to `n` times the coefficients. Input `[0, 2p)`, output `[0, 2p)`.
pub(super) fn intt_lazy(m: Modulus, tw: &[u32], a: &mut [u32]) {
    let n = a.len();
    let (mut blocks, mut half) = (n >> 1, 1);
    while blocks > 0 {
        // The inverse of tw[blocks + i] is -tw[2 * blocks - 1 - i].
        let roots = tw[blocks..2 * blocks].iter().rev();
        for (block, &w) in a.chunks_exact_mut(2 * half).zip(roots) {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                let (u, v) = (*x, *y);
                *x = m.twice(u + v);
                *y = m.mul_lazy(v + 2 * m.p - u, w);
            }
        }
        blocks >>= 1;
        half *= 2;
    }
}

/// Values to coefficients, `[0, p)`.
pub(super) fn intt(m: Modulus, tw: &[u32], a: &mut [u32]) {
    intt_lazy(m, tw, a);
    let scale = inverse_power_of_two(m, a.len());
    for x in a {
        *x = m.mul(*x, scale);
    }
}

/// `1/n mod p` in Montgomery form, `n` a power of two.
pub(super) fn inverse_power_of_two(m: Modulus, n: usize) -> u32 {
    let mut y = m.one;
    let mut k = n;
    while k > 1 {
        // y/2, adding p when y is odd.
        y = (y + (m.p & (y & 1).wrapping_neg())) >> 1;
        k >>= 1;
    }
    y
}

/// A run of primes of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// Index of the first prime.
    pub(super) start: usize,
    /// Number of primes.
    pub(super) len: usize,
}

impl Base {
    /// The `i`-th prime.
    pub(super) fn modulus(self, i: usize) -> Modulus {
        Modulus::new(self.start + i)
    }

    /// `(P/p_i)^-1 mod p_i`, in Montgomery form.
    pub(super) fn cofactor_inverse(self, i: usize) -> u32 {
        let m = self.modulus(i);
        // Four products at a time, as each one waits for the one before.
        let mut products = [m.one; 4];
        for (j, k) in (0..self.len).filter(|j| *j != i).enumerate() {
            products[j % 4] = m.mul(products[j % 4], Modulus::prime(self.start + k));
        }
        let y = m.mul(
            m.mul(products[0], products[1]),
            m.mul(products[2], products[3]),
        );
        // Each of the len - 1 plain factors has divided by R.
        m.invert(m.mul(y, m.power_of_r(self.len - 1)))
    }

    /// `P mod p` for a prime that is not in the base, in Montgomery form.
    pub(super) fn product(self, m: Modulus) -> u32 {
        let mut y = m.power_of_r(self.len);
        for j in 0..self.len {
            y = m.mul(y, Modulus::prime(self.start + j));
        }
        y
    }

    /// The multiples `a` of `P` to take away from `sum c_i * (P/p_i)`, one per coefficient.
    pub(super) fn multiples(self, c: &[u32], a: &mut [u32]) {
        const GROUP: usize = 16;
        let n = a.len();
        for (k, a) in a.chunks_mut(GROUP).enumerate() {
            let mut sums = [1u64 << 53; GROUP];
            for (i, row) in c.chunks_exact(n).enumerate() {
                let reciprocal = (1u64 << 62) / u64::from(Modulus::prime(self.start + i));
                for (s, x) in sums.iter_mut().zip(&row[k * GROUP..][..a.len()]) {
                    // c_i / p_i in units of 2^-54: each is short by at most 2^-32 + 2^-54; at
                    // most 217 of them stay below 2^62.
                    *s += (u64::from(*x) * reciprocal) >> 8;
                }
            }
            for (a, s) in a.iter_mut().zip(sums) {
                *a = (s >> 54) as u32;
            }
        }
    }

    /// Weights that take integers of this base to the prime `m`: `w[i]` for `c_i` and
    /// `w[len]` for the multiple of `P`. `w.len() == 2 * len + 1`: the rest is working space.
    pub(super) fn weights(self, m: Modulus, w: &mut [u32]) {
        let (w, suffixes) = w.split_at_mut(self.len + 1);
        // A product of all but one of the primes always has len - 1 factors, and the product
        // of the prefix with the suffix is one more: the powers of R are the same for all.
        let (mut x, mut y) = (m.power_of_r(self.len + 2), 1);
        for i in 0..self.len {
            let j = self.len - 1 - i;
            (w[i], suffixes[j]) = (x, y);
            x = m.mul(x, Modulus::prime(self.start + i));
            y = m.mul(y, Modulus::prime(self.start + j));
        }
        // Here R^3 * P, up to sign, as `combine` divides by R twice.
        w[self.len] = m.p - x;
        for (w, suffix) in w.iter_mut().zip(suffixes) {
            *w = m.mul(*w, *suffix);
        }
    }
}

/// `sum c_i * w_i` for every coefficient: residues modulo `m`, in Montgomery form.
///
/// `c` holds the `c_i` (plain), `a` the multiples of `P`, `w` the weights.
pub(super) fn combine(m: Modulus, w: &[u32], c: &[u32], a: &[u32], out: &mut [u32]) {
    let n = out.len();
    let len = w.len() - 1;
    for (t, out) in out.iter_mut().enumerate() {
        // Eight products below 2^60 fit in 63 bits.
        let mut sum = u64::from(m.mul_lazy(a[t], w[len]));
        let mut i = 0;
        while i < len {
            let end = len.min(i + 8);
            let mut eight = 0u64;
            for j in i..end {
                eight += u64::from(c[j * n + t]) * u64::from(w[j]);
            }
            sum += u64::from(m.reduce_lazy(eight));
            i = end;
        }
        *out = m.once(m.reduce_lazy(sum));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use std::vec;
    use std::vec::Vec;

    /// A repeatable integer of about `bits` bits, of either sign.
    fn integer(bits: u64, seed: u64) -> BigInt {
        let bytes = crate::hash::Shake256::reader(&seed.to_le_bytes()).read_array::<1024>();
        let x = num_bigint::BigUint::from_bytes_le(&bytes[..bits as usize / 8]);
        if seed & 1 == 0 {
            x.into()
        } else {
            -BigInt::from(x)
        }
    }

    fn modulo(x: &BigInt, p: u32) -> u32 {
        let p = BigInt::from(p);
        let r = ((x % &p) + &p) % &p;
        r.iter_u32_digits().next().unwrap_or(0)
    }

    #[test]
    fn transforms_multiply_modulo_x_n_plus_1() {
        for logn in 0..=10 {
            let n = 1usize << logn;
            let m = Modulus::new(logn * 20);
            let mut tw = vec![0; n];
            m.twiddles(&mut tw);
            let a: Vec<i32> = (0..n as i32).map(|i| (i * 77 + 3) % 255 - 127).collect();
            let b: Vec<i32> = (0..n as i32)
                .map(|i| (i * i * 31 + 5) % 255 - 127)
                .collect();
            let transformed = |x: &[i32]| {
                let mut x: Vec<u32> = x.iter().map(|x| m.encode(*x)).collect();
                ntt(m, &tw, &mut x);
                x
            };
            let (x, y) = (transformed(&a), transformed(&b));
            let mut c: Vec<u32> = x.iter().zip(&y).map(|(x, y)| m.mul(*x, *y)).collect();
            intt(m, &tw, &mut c);
            let mut expected = vec![0i32; n];
            for i in 0..n {
                for j in 0..n {
                    let z = a[i] * b[j];
                    expected[(i + j) % n] += if i + j < n { z } else { -z };
                }
            }
            let c: Vec<i32> = c.iter().map(|x| m.decode(*x)).collect();
            assert_eq!(c, expected, "logn {logn}");
        }
    }

    #[test]
    fn neighbouring_values_belong_to_opposite_points() {
        // f(x) f(-x) in the transform of half the length: 3 + 5x gives 9 - 25 x^2.
        let m = Modulus::new(0);
        let mut tw = [0; 4];
        m.twiddles(&mut tw);
        let mut f = [3, 5, 0, 0].map(|x| m.encode(x));
        ntt(m, &tw, &mut f);
        let mut norm = [m.mul(f[0], f[1]), m.mul(f[2], f[3])];
        intt(m, &tw[..2], &mut norm);
        assert_eq!(norm.map(|x| m.decode(x)), [9, -25]);
    }

    #[test]
    fn integers_pass_from_one_base_to_another() {
        for (len, target) in [(1, 0), (2, 1), (8, 5), (9, 100), (111, 216), (217, 0)] {
            let base = Base {
                start: if len == 217 { 1 } else { 217 },
                len,
            };
            let m = Modulus::new(target);
            let n = 18;
            // Up to one bit below half of the product.
            let values: Vec<BigInt> = (0..n as u64)
                .map(|i| integer((30 * len as u64 - 2) - i.min(6), i))
                .collect();
            let mut c = vec![0; n * len];
            for i in 0..len {
                let p = base.modulus(i);
                let cofactor = p.mul(base.cofactor_inverse(i), 1);
                for t in 0..n {
                    let x = p.encode_word(modulo(&values[t], p.p));
                    c[i * n + t] = p.mul(x, cofactor);
                }
            }
            let (mut a, mut w, mut out) = (vec![0; n], vec![0; 2 * len + 1], vec![0; n]);
            base.multiples(&c, &mut a);
            base.weights(m, &mut w);
            combine(m, &w[..len + 1], &c, &a, &mut out);
            for t in 0..n {
                assert_eq!(
                    m.mul(out[t], 1),
                    modulo(&values[t], m.p),
                    "{len} primes, value {t}"
                );
            }
            let product = (0..len).fold(BigInt::from(1), |x, i| x * base.modulus(i).p);
            assert_eq!(m.mul(base.product(m), 1), modulo(&product, m.p));
        }
    }
}
