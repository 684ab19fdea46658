//! Arithmetic modulo one of the NTT primes, in constant time.
//!
//! Symbols: `p` is prime, `0.99 * 2^30 < p < 2^30`, `p = 1 mod 2048`; `R = 2^32`. Polynomial values
//! are kept in Montgomery form (`x` stands for `x * R^-1`), except where a comment says plain.
//! Values are in `[0, p)` unless stated otherwise.
//!
//! Source: P. L. Montgomery, "Modular multiplication without trial division" (1985);
//! D. Harvey, "Faster arithmetic for number-theoretic transforms" (2014) for the ranges.

use super::primes::PRIMES;
use crate::lanes::Masks;

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
    /// Element of order 2048, not in Montgomery form.
    root: u32,
    masks: Masks,
}

impl Modulus {
    /// Returns the `index`-th prime of the table with its constants.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        let (p, root) = PRIMES[index];
        // p * p = 1 mod 8 gives three correct bits. Each Newton step doubles their number.
        let mut inv = p;
        for _ in 0..4 {
            inv = inv.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inv)));
        }
        // `one` is 2^32 mod p: 2^32 = 4p + 4(2^30 - p), and the last term is below p.
        let one = 4 * ((1 << 30) - p);
        let r2 = (u64::from(one) * u64::from(one) % u64::from(p)) as u32;
        Self {
            p,
            neg_inv: inv.wrapping_neg(),
            one,
            r2,
            root,
            masks: Masks::new(),
        }
    }

    /// Returns the `index`-th prime without its constants.
    #[inline(always)]
    pub(super) fn prime(index: usize) -> u32 {
        PRIMES[index].0
    }

    /// `x / R mod p`, in `[0, x/2^32 + p]`, for `x < 2^63`.
    #[inline(always)]
    pub(super) fn reduce_lazy(self, x: u64) -> u32 {
        let m = (x as u32).wrapping_mul(self.neg_inv);
        // There is no overflow: x + m * p < 2^63 + 2^62. The low half is zero.
        ((x + u64::from(m) * u64::from(self.p)) >> 32) as u32
    }

    /// `x mod p` for `x < 2p`.
    #[inline(always)]
    pub(super) fn once(self, x: u32) -> u32 {
        self.add_if_negative(x.wrapping_sub(self.p))
    }

    /// `x + p` if `x` is negative as a signed number, else `x`.
    #[inline(always)]
    fn add_if_negative(self, x: u32) -> u32 {
        x.wrapping_add(self.p & self.masks.of_sign(x))
    }

    /// `a * b / R mod p`, in `[0, 2p)`, for `a * b < 2^32 p` (such as `a < 4p`, `b < p`).
    #[inline(always)]
    pub(super) fn mul_lazy(self, a: u32, b: u32) -> u32 {
        self.reduce_lazy(u64::from(a) * u64::from(b))
    }

    /// `a * b / R mod p` for `a * b < 2^32 p`.
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
        self.add_if_negative(a.wrapping_sub(b))
    }

    /// Reduces from `[0, 4p)` to `[0, 2p)`.
    #[inline(always)]
    pub(super) fn twice(self, x: u32) -> u32 {
        let y = x.wrapping_sub(2 * self.p);
        if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
            // The compiler could turn a minimum into a branch.
            return y.wrapping_add((2 * self.p) & self.masks.of_sign(y));
        }
        // As an unsigned number, y is large exactly when x < 2p.
        x.min(y)
    }

    /// Reduces from `[0, 4p)` to `[0, p)`.
    #[inline(always)]
    pub(super) fn canonical(self, x: u32) -> u32 {
        self.once(self.twice(x))
    }

    /// Montgomery form of a signed integer, `|x| < p`.
    #[inline(always)]
    pub(super) fn encode(self, x: i32) -> u32 {
        self.mul(self.add_if_negative(x as u32), self.r2)
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
}

/// Several primes side by side: lane `l` computes modulo prime `l`. Each step is a loop over the
/// lanes, which fills vector registers. With one lane, callers loop over the coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moduli<const W: usize> {
    p: [u32; W],
    neg_inv: [u32; W],
    one: [u32; W],
    r2: [u32; W],
    root: [u32; W],
    masks: Masks,
}

impl From<Modulus> for Moduli<1> {
    #[inline(always)]
    fn from(m: Modulus) -> Self {
        Self::gather(|_| m)
    }
}

impl<const W: usize> Moduli<W> {
    /// Makes the moduli. Lane `l` has the modulus `f(l)`.
    #[inline(always)]
    pub(super) fn gather(f: impl Fn(usize) -> Modulus) -> Self {
        let zero = [0; W];
        let mut moduli = Self {
            p: zero,
            neg_inv: zero,
            one: zero,
            r2: zero,
            root: zero,
            masks: Masks::new(),
        };
        for l in 0..W {
            let m = f(l);
            moduli.p[l] = m.p;
            moduli.neg_inv[l] = m.neg_inv;
            moduli.one[l] = m.one;
            moduli.r2[l] = m.r2;
            moduli.root[l] = m.root;
        }
        moduli
    }

    /// Returns the modulus of lane `l`.
    #[inline(always)]
    fn lane(&self, l: usize) -> Modulus {
        Modulus {
            p: self.p[l],
            neg_inv: self.neg_inv[l],
            one: self.one[l],
            r2: self.r2[l],
            root: self.root[l],
            masks: self.masks,
        }
    }

    /// Computes `f(modulus, lane)` for every lane.
    #[inline(always)]
    pub(super) fn each<T: Copy + Default>(&self, f: impl Fn(Modulus, usize) -> T) -> [T; W] {
        let mut out = [T::default(); W];
        for (l, out) in out.iter_mut().enumerate() {
            *out = f(self.lane(l), l);
        }
        out
    }

    /// Returns the number one in Montgomery form.
    #[inline(always)]
    pub(super) fn one(&self) -> [u32; W] {
        self.one
    }

    /// Computes [`Modulus::mul`] in every lane.
    #[inline(always)]
    pub(super) fn mul(&self, a: [u32; W], b: [u32; W]) -> [u32; W] {
        self.each(
            #[inline(always)]
            |m, l| m.mul(a[l], b[l]),
        )
    }

    /// Computes `a / R` in every lane: converts from Montgomery form.
    #[inline(always)]
    pub(super) fn plain(&self, a: [u32; W]) -> [u32; W] {
        self.mul(a, [1; W])
    }

    /// Encodes the same integer with [`Modulus::encode`] in every lane.
    #[inline(always)]
    pub(super) fn encode(&self, x: i32) -> [u32; W] {
        self.each(
            #[inline(always)]
            |m, _| m.encode(x),
        )
    }

    /// Encodes the same integer with [`Modulus::encode_word`] in every lane.
    #[inline(always)]
    pub(super) fn encode_word(&self, x: u32) -> [u32; W] {
        self.each(
            #[inline(always)]
            |m, _| m.encode_word(x),
        )
    }

    /// Computes `x^(p - 2)`: the inverse in Montgomery form, and zero for zero. The sequence of
    /// operations is always the same.
    #[inline(always)]
    pub(super) fn invert(&self, x: [u32; W]) -> [u32; W] {
        let square = self.mul(x, x);
        let cube = self.mul(square, x);
        // The exponent has 30 bits, and the top two are ones. The length is computed, so that
        // compilers do not unroll the loop.
        let digits = (32 - self.p[0].leading_zeros()) / 2;
        let mut y = cube;
        for i in (0..digits - 1).rev() {
            y = self.mul(y, y);
            y = self.mul(y, y);
            let power = self.each(
                #[inline(always)]
                |m, l| {
                    let digit = (m.p - 2) >> (2 * i);
                    let (odd, high) = ((digit & 1).wrapping_neg(), (digit >> 1 & 1).wrapping_neg());
                    let low_power = m.one ^ ((m.one ^ x[l]) & odd);
                    let high_power = square[l] ^ ((square[l] ^ cube[l]) & odd);
                    low_power ^ ((low_power ^ high_power) & high)
                },
            );
            y = self.mul(y, power);
        }
        y
    }

    /// Returns `R^e` in Montgomery form, that is, the plain number `R^(e+1) mod p`.
    #[inline(always)]
    pub(super) fn power_of_r(&self, mut e: usize) -> [u32; W] {
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

    /// Returns `1/n mod p` in Montgomery form, for a power of two `n`.
    #[inline(always)]
    pub(super) fn inverse_power_of_two(&self, n: usize) -> [u32; W] {
        let mut y = self.one;
        let mut k = n;
        while k > 1 {
            // Halves y, after adding p if y is odd.
            y = self.each(
                #[inline(always)]
                |m, l| (y[l] + (m.p & (y[l] & 1).wrapping_neg())) >> 1,
            );
            k >>= 1;
        }
        y
    }

    /// Writes the powers `tw[i] = w^brv(i)` in Montgomery form, for transforms of length `tw.len()
    /// / W`.
    ///
    /// For `m = 2^k <= i < 2m`, `tw[i] = tw[i - m] * w_k`, where `w_k` has order `4m`. So a shorter
    /// table is a prefix of a longer one.
    #[inline(always)]
    pub(super) fn twiddles(&self, tw: &mut [u32]) {
        let tw = tw.as_chunks_mut::<W>().0;
        let levels = tw.len().checked_ilog2().unwrap_or(0) as usize;
        let mut roots = [[0u32; W]; 10];
        let mut w = self.each(
            #[inline(always)]
            |m, _| m.encode_word(m.root),
        );
        for _ in levels..10 {
            w = self.mul(w, w);
        }
        for r in roots[..levels].iter_mut().rev() {
            *r = w;
            w = self.mul(w, w);
        }
        if let Some(first) = tw.first_mut() {
            *first = self.one;
        }
        let mut m = 1;
        for r in roots[..levels].iter().copied() {
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
    fn lanes_compute_each_modulo_their_own_prime() {
        let single = |l: usize| Moduli::from(Modulus::new(3 * l + 1));
        let m = Moduli::<8>::gather(|l| Modulus::new(3 * l + 1));
        let x = m.encode(-12345);
        let (inverse, power, half) = (m.invert(x), m.power_of_r(9), m.inverse_power_of_two(64));
        let mut twiddles = [0; 8 * 16];
        m.twiddles(&mut twiddles);
        for l in 0..8 {
            let m = single(l);
            assert_eq!(m.encode(-12345), [x[l]]);
            assert_eq!(m.invert([x[l]]), [inverse[l]]);
            assert_eq!(m.power_of_r(9), [power[l]]);
            assert_eq!(m.inverse_power_of_two(64), [half[l]]);
            let mut expected = [0; 16];
            m.twiddles(&mut expected);
            for (row, x) in twiddles.chunks_exact(8).zip(expected) {
                assert_eq!(row[l], x);
            }
        }
    }

    #[test]
    fn product_with_the_inverse_is_one() {
        let invert = |m: Modulus, x| Moduli::from(m).invert([x])[0];
        for index in 0..PRIME_COUNT {
            let m = Modulus::new(index);
            for x in [1, 2, 3, m.p - 1, m.p / 2, 0x1234_5678] {
                assert_eq!(m.mul(x, invert(m, x)), m.one);
            }
            assert_eq!(invert(m, 0), 0);
            let m = Moduli::from(m);
            assert_eq!(m.plain(m.power_of_r(5)), m.power_of_r(4));
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
        Moduli::from(m).twiddles(&mut tw);
        // w has order 32.
        let w = (0..6).fold(m.encode_word(m.root), |w, _| m.mul(w, w));
        for (i, t) in tw.iter().enumerate() {
            let exponent = (i as u32).reverse_bits() >> 28;
            assert_eq!(*t, (0..exponent).fold(m.one, |x, _| m.mul(x, w)));
        }
    }
}
