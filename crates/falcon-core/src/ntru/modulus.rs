//! Arithmetic modulo one of the NTT primes, in constant time.
//!
//! Symbols: `p` is prime, `0.99 * 2^30 < p < 2^30`, `p = 1 mod 2048`; `R = 2^32`.
//! Polynomial values are kept in Montgomery form (`x` stands for `x * R^-1`), except where a
//! comment says plain. Unless stated, values are in `[0, p)`.
//!
//! Source: P. L. Montgomery, "Modular multiplication without trial division" (1985);
//! D. Harvey, "Faster arithmetic for number-theoretic transforms" (2014) for the ranges.

use super::primes::PRIMES;

/// A prime with its Montgomery constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modulus {
    /// The prime.
    pub(super) p: u32,
    /// `-1/p mod 2^32`.
    neg_inv: u32,
    /// `R mod p`: the number one in Montgomery form.
    pub(super) one: u32,
    /// `R^2 mod p`.
    r2: u32,
    /// Plain element of order 2048.
    root: u32,
}

impl Modulus {
    /// The `index`-th prime of the table.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        let (p, root) = PRIMES[index];
        // p * p = 1 mod 8: three correct bits, doubled by each Newton step.
        let mut inv = p;
        for _ in 0..4 {
            inv = inv.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inv)));
        }
        // 2^32 = 4p + 4(2^30 - p) and 4(2^30 - p) < p.
        let one = 4 * ((1 << 30) - p);
        let r2 = (u64::from(one) * u64::from(one) % u64::from(p)) as u32;
        Self {
            p,
            neg_inv: inv.wrapping_neg(),
            one,
            r2,
            root,
        }
    }

    /// The `index`-th prime alone.
    #[inline(always)]
    pub(super) fn prime(index: usize) -> u32 {
        PRIMES[index].0
    }

    /// `x / R mod p`, in `[0, x/2^32 + p]`, for `x < 2^63`.
    #[inline(always)]
    pub(super) fn reduce_lazy(self, x: u64) -> u32 {
        let m = (x as u32).wrapping_mul(self.neg_inv);
        // x + m * p < 2^63 + 2^62: no overflow. The low half is zero.
        ((x + u64::from(m) * u64::from(self.p)) >> 32) as u32
    }

    /// `x mod p` for `x < 2p`.
    #[inline(always)]
    pub(super) fn once(self, x: u32) -> u32 {
        let y = x.wrapping_sub(self.p);
        y.wrapping_add(self.p & ((y as i32 >> 31) as u32))
    }

    /// `a * b / R mod p`, in `[0, 2p)`, for `a * b < 2^62` (as `a < 4p`, `b < p`).
    #[inline(always)]
    pub(super) fn mul_lazy(self, a: u32, b: u32) -> u32 {
        self.reduce_lazy(u64::from(a) * u64::from(b))
    }

    /// `a * b / R mod p` for `a * b < 2^62`.
    #[inline(always)]
    pub(super) fn mul(self, a: u32, b: u32) -> u32 {
        self.once(self.mul_lazy(a, b))
    }

    /// `(a * b - c * d) / R mod p`, all operands in `[0, p)`.
    #[inline(always)]
    pub(super) fn mul_sub(self, a: u32, b: u32, c: u32, d: u32) -> u32 {
        let x = u64::from(a) * u64::from(b) + u64::from(self.p - c) * u64::from(d);
        self.once(self.reduce_lazy(x)) // reduce_lazy gives less than 2^29 + p < 2p
    }

    /// `a + b mod p`.
    #[inline(always)]
    pub(super) fn add(self, a: u32, b: u32) -> u32 {
        self.once(a + b)
    }

    /// `a - b mod p`.
    #[inline(always)]
    pub(super) fn sub(self, a: u32, b: u32) -> u32 {
        let y = a.wrapping_sub(b);
        y.wrapping_add(self.p & ((y as i32 >> 31) as u32))
    }

    /// Halves the range: `[0, 4p)` to `[0, 2p)`.
    #[inline(always)]
    pub(super) fn twice(self, x: u32) -> u32 {
        // As unsigned numbers: x - 2p wraps to a large one exactly when x < 2p.
        x.min(x.wrapping_sub(2 * self.p))
    }

    /// `[0, 4p)` to `[0, p)`.
    #[inline(always)]
    pub(super) fn canonical(self, x: u32) -> u32 {
        self.once(self.twice(x))
    }

    /// Montgomery form of a signed integer, `|x| < p`.
    #[inline(always)]
    pub(super) fn encode(self, x: i32) -> u32 {
        self.mul(
            (x as u32).wrapping_add(self.p & ((x >> 31) as u32)),
            self.r2,
        )
    }

    /// Montgomery form of `x < 2^32`.
    #[inline(always)]
    pub(super) fn encode_word(self, x: u32) -> u32 {
        self.once(self.reduce_lazy(u64::from(x) * u64::from(self.r2)))
    }

    /// The integer of least absolute value whose Montgomery form is `x`.
    #[inline(always)]
    pub(super) fn decode(self, x: u32) -> i32 {
        let y = self.mul(x, 1) as i32;
        y - (self.p as i32 & (((self.p as i32 >> 1) - y) >> 31))
    }

    /// `x^(p - 2)`: the inverse (Montgomery form), zero for zero. Always the same sequence of
    /// operations for a given prime.
    pub(super) fn invert(self, x: u32) -> u32 {
        let cube = self.mul(self.mul(x, x), x);
        let exponent = self.p - 2;
        // The two top bits of the 30-bit exponent are ones; the prime is public.
        let mut y = cube;
        for i in (0..14).rev() {
            y = self.mul(y, y);
            y = self.mul(y, y);
            y = match (exponent >> (2 * i)) & 3 {
                0 => y,
                1 => self.mul(y, x),
                2 => self.mul(y, self.mul(x, x)),
                _ => self.mul(y, cube),
            };
        }
        y
    }

    /// `R^e` times one in Montgomery form, that is plain `R^(e+1) mod p`.
    pub(super) fn power_of_r(self, mut e: usize) -> u32 {
        let (mut y, mut base) = (self.one, self.r2);
        while e != 0 {
            if e & 1 == 1 {
                y = self.mul(y, base);
            }
            base = self.mul(base, base);
            e >>= 1;
        }
        y
    }

    /// Powers `tw[i] = w^brv(i)` (Montgomery form) for the transforms of length `tw.len()`.
    ///
    /// With `m = 2^k <= i < 2m`, `tw[i] = tw[i - m] * w_k` where `w_k` has order `4m`: a
    /// shorter table is a prefix of a longer one.
    pub(super) fn twiddles(self, tw: &mut [u32]) {
        let mut roots = [0u32; 10];
        let mut w = self.encode_word(self.root);
        for r in roots.iter_mut().rev() {
            *r = w;
            w = self.mul(w, w);
        }
        tw[0] = self.one;
        let mut m = 1;
        for r in roots {
            if m >= tw.len() {
                break;
            }
            let (low, high) = tw.split_at_mut(m);
            for (y, x) in high.iter_mut().zip(low) {
                *y = self.mul(*x, r);
            }
            m *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::primes::PRIME_COUNT;
    use super::*;

    #[test]
    fn encode_then_decode_is_the_identity_on_centred_integers() {
        for index in [0, 1, 217, PRIME_COUNT - 1] {
            let m = Modulus::new(index);
            let half = (m.p >> 1) as i32;
            for x in [0, 1, -1, 2, 127, -127, half, -half, half - 1, 1 - half] {
                assert_eq!(m.decode(m.encode(x)), x);
            }
        }
    }

    #[test]
    fn product_with_the_inverse_is_one() {
        for index in 0..PRIME_COUNT {
            let m = Modulus::new(index);
            for x in [1, 2, 3, m.p - 1, m.p / 2, 0x1234_5678] {
                assert_eq!(m.mul(x, m.invert(x)), m.one);
            }
            assert_eq!(m.invert(0), 0);
            assert_eq!(m.mul(m.power_of_r(5), 1), m.power_of_r(4));
        }
    }

    #[test]
    fn arithmetic_agrees_with_integer_arithmetic() {
        let m = Modulus::new(7);
        let (p, r) = (u64::from(m.p), (1u64 << 32) % u64::from(m.p));
        let values = [0, 1, 2, m.p - 1, m.p - 2, m.p / 2, 0x2468_ace1 % m.p];
        for a in values {
            for b in values {
                let (x, y) = (u64::from(a), u64::from(b));
                assert_eq!(u64::from(m.mul(a, b)) * r % p, x * y % p);
                assert_eq!(u64::from(m.add(a, b)), (x + y) % p);
                assert_eq!(u64::from(m.sub(a, b)), (x + p - y) % p);
                let z = u64::from(m.mul_sub(a, b, b, b)) * r % p;
                assert_eq!(z, (x * y + (p - y) * y) % p);
            }
        }
    }

    #[test]
    fn twiddle_exponents_are_bit_reversed() {
        let m = Modulus::new(3);
        let mut tw = [0; 16];
        m.twiddles(&mut tw);
        // w of order 32.
        let w = (0..6).fold(m.encode_word(m.root), |w, _| m.mul(w, w));
        for (i, t) in tw.iter().enumerate() {
            let exponent = (i as u32).reverse_bits() >> 28;
            assert_eq!(*t, (0..exponent).fold(m.one, |x, _| m.mul(x, w)));
        }
    }
}
