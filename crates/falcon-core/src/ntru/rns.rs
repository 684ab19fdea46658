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
        // Each product with a plain factor divides by R.
        let mut y = m.power_of_r(self.len - 1);
        for j in (0..self.len).filter(|j| *j != i) {
            y = m.mul(y, Modulus::prime(self.start + j));
        }
        m.invert(y)
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
    /// `w[len]` for the multiple of `P`. `w.len() == len + 1`.
    pub(super) fn weights(self, m: Modulus, w: &mut [u32]) {
        // A product of all but one of the primes always has len - 1 factors, and the product
        // of the prefix with the suffix is one more: the powers of R are the same for all.
        let mut x = m.power_of_r(self.len + 2);
        for i in 0..self.len {
            w[i] = x;
            x = m.mul(x, Modulus::prime(self.start + i));
        }
        // Here R^3 * P, up to sign, as `combine` divides by R twice.
        w[self.len] = m.p - x;
        let mut y = 1;
        for i in (0..self.len).rev() {
            w[i] = m.mul(w[i], y);
            y = m.mul(y, Modulus::prime(self.start + i));
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
            let mut part = 0u64;
            for j in i..end {
                part += u64::from(c[j * n + t]) * u64::from(w[j]);
            }
            sum += u64::from(m.reduce_lazy(part));
            i = end;
        }
        *out = m.once(m.reduce_lazy(sum));
    }
}
