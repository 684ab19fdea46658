//! Residue number systems: the NTT modulo one prime, and the conversion of integers from one set of
//! primes to another.
//!
//! A base `B = (p_0 .. p_{l-1})` is a list of primes with the product `P`. An integer `x` is
//! represented by its residues modulo these primes. With `c_i = x * (P/p_i)^-1 mod p_i`,
//!
//! ```text
//!   x = sum c_i * (P/p_i) - a * P,     a = round(sum c_i / p_i)    if |x| < P/2.
//! ```
//!
//! The quotients are summed in fixed point with an error below `2^-24`, so `a` is exact as soon as
//! `|x| < (1/2 - 2^-24) P`; closer to `P/2` the result may be `x - P` or `x + P`. The integers that
//! must be exact are much smaller than `P`. A quotient of the reduction step may be off by a
//! multiple of `P`.
//!
//! A polynomial of length `n` is stored as `l n` residues, in groups of `W` primes. A group stores
//! the residues of the first coefficient modulo its `W` primes, then those of the second, and so
//! on: [`place`]. With `W = 1`, all residues modulo the first prime come first, then those modulo
//! the second. In the NTT domain entries `2i` and `2i + 1` are the values at opposite points
//! `z, -z`, and entry `i` of the transform of length `n/2` is the value at `z^2`.

use super::modulus::{Moduli, Modulus};
use crate::lanes::Isa;

/// Index of coefficient `t` modulo the `i`-th prime, in a polynomial of length `n` whose primes are
/// in groups of `W`.
#[inline(always)]
pub(super) const fn place<const W: usize>(n: usize, i: usize, t: usize) -> usize {
    (i / W * n + t) * W + i % W
}

/// Writes [`Moduli::twiddles`] in the frame of `isa`.
#[inline(never)]
pub(super) fn twiddles<I: Isa, const W: usize>(isa: I, m: &Moduli<W>, tw: &mut [u32]) {
    isa.vectorize(
        #[inline(always)]
        || m.twiddles(tw),
    );
}

/// Computes `(x + w y, x - w y)`. Input and output are in `[0, 4p)`.
#[inline(always)]
fn forward_butterfly<const W: usize>(
    m: &Moduli<W>,
    [x, y]: [[u32; W]; 2],
    w: &[u32; W],
) -> [[u32; W]; 2] {
    let u = m.each(
        #[inline(always)]
        |m, l| m.twice(x[l]),
    );
    let v = m.each(
        #[inline(always)]
        |m, l| m.mul_lazy(y[l], w[l]),
    );
    let sum = m.each(
        #[inline(always)]
        |_, l| u[l] + v[l],
    );
    let difference = m.each(
        #[inline(always)]
        |m, l| u[l] + 2 * m.p - v[l],
    );
    [sum, difference]
}

/// Computes `(x + y, w (y - x))`. Input and output are in `[0, 2p)`.
#[inline(always)]
fn inverse_butterfly<const W: usize>(
    m: &Moduli<W>,
    [x, y]: [[u32; W]; 2],
    w: &[u32; W],
) -> [[u32; W]; 2] {
    let sum = m.each(
        #[inline(always)]
        |m, l| m.twice(x[l] + y[l]),
    );
    let product = m.each(
        #[inline(always)]
        |m, l| m.mul_lazy(y[l] + 2 * m.p - x[l], w[l]),
    );
    [sum, product]
}

/// Computes a layer of short blocks. Compilers vectorise the loop over blocks.
#[inline(always)]
fn short_blocks<'a, const W: usize, const HALF: usize, const BLOCK: usize>(
    m: &Moduli<W>,
    tw: impl Iterator<Item = &'a [u32; W]>,
    a: &mut [[u32; W]],
    butterfly: impl Fn(&Moduli<W>, [[u32; W]; 2], &[u32; W]) -> [[u32; W]; 2],
) {
    for (block, w) in a.as_chunks_mut::<BLOCK>().0.iter_mut().zip(tw) {
        for i in 0..HALF {
            [block[i], block[i + HALF]] = butterfly(m, [block[i], block[i + HALF]], w);
        }
    }
}

/// Computes a layer of a transform, in blocks of `2 * half`.
#[inline(always)]
fn layer<'a, const W: usize>(
    m: &Moduli<W>,
    half: usize,
    tw: impl Iterator<Item = &'a [u32; W]>,
    a: &mut [[u32; W]],
    butterfly: impl Fn(&Moduli<W>, [[u32; W]; 2], &[u32; W]) -> [[u32; W]; 2],
) {
    match half {
        1 => short_blocks::<W, 1, 2>(m, tw, a, butterfly),
        2 if W == 1 => short_blocks::<W, 2, 4>(m, tw, a, butterfly),
        4 if W == 1 => short_blocks::<W, 4, 8>(m, tw, a, butterfly),
        _ => {
            for (block, w) in a.chunks_exact_mut(2 * half).zip(tw) {
                let (low, high) = block.split_at_mut(half);
                for (x, y) in low.iter_mut().zip(high) {
                    [*x, *y] = butterfly(m, [*x, *y], w);
                }
            }
        }
    }
}

/// Transforms coefficients to values at the odd powers of the root. Input and output are in `[0,
/// p)`.
#[inline(never)]
pub(super) fn ntt<I: Isa, const W: usize>(isa: I, m: &Moduli<W>, tw: &[u32], a: &mut [u32]) {
    isa.vectorize(
        #[inline(always)]
        || {
            let (tw, a) = (tw.as_chunks::<W>().0, a.as_chunks_mut::<W>().0);
            let (mut blocks, mut half) = (1, a.len() >> 1);
            while half > 0 {
                let roots = tw[blocks..2 * blocks].iter();
                layer(m, half, roots, a, forward_butterfly);
                blocks *= 2;
                half >>= 1;
            }
            for x in a {
                *x = m.each(
                    #[inline(always)]
                    |m, l| m.canonical(x[l]),
                );
            }
        },
    )
}

/// Transforms values to `n` times the coefficients. Input and output are in `[0, 2p)`.
#[inline(never)]
pub(super) fn intt_lazy<I: Isa, const W: usize>(isa: I, m: &Moduli<W>, tw: &[u32], a: &mut [u32]) {
    isa.vectorize(
        #[inline(always)]
        || {
            let (tw, a) = (tw.as_chunks::<W>().0, a.as_chunks_mut::<W>().0);
            let (mut blocks, mut half) = (a.len() >> 1, 1);
            while blocks > 0 {
                // The inverse of tw[blocks + i] is -tw[2 * blocks - 1 - i].
                let roots = tw[blocks..2 * blocks].iter().rev();
                layer(m, half, roots, a, inverse_butterfly);
                blocks >>= 1;
                half *= 2;
            }
        },
    )
}

/// Transforms values to coefficients in `[0, p)`.
#[inline(always)]
pub(super) fn intt<I: Isa, const W: usize>(isa: I, m: &Moduli<W>, tw: &[u32], a: &mut [u32]) {
    intt_lazy(isa, m, tw, a);
    scale(m, a, m.inverse_power_of_two(a.len() / W));
}

/// `a <- a * factor`.
#[inline(always)]
pub(super) fn scale<const W: usize>(m: &Moduli<W>, a: &mut [u32], factor: [u32; W]) {
    for x in a.as_chunks_mut::<W>().0 {
        *x = m.mul(*x, factor);
    }
}

/// Consecutive primes of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// Index of the first prime.
    pub(super) start: usize,
    /// Number of primes.
    pub(super) len: usize,
}

impl Base {
    /// Returns the `i`-th prime.
    pub(super) fn modulus(self, i: usize) -> Modulus {
        Modulus::new(self.start + i)
    }

    /// Number of lanes in the groups of `W` primes that hold this base.
    pub(super) const fn lanes<const W: usize>(self) -> usize {
        self.len.next_multiple_of(W)
    }

    /// Index of the prime in the `l`-th lane. Lanes beyond the base repeat its last prime.
    #[inline(always)]
    fn index(self, l: usize) -> usize {
        l.min(self.len - 1)
    }

    /// Returns the `group`-th group of `W` primes.
    #[inline(never)]
    pub(super) fn moduli<const W: usize>(self, group: usize) -> Moduli<W> {
        Moduli::gather(|l| self.modulus(self.index(group * W + l)))
    }

    /// Computes `(P/p_i)^-1 mod p_i`, in Montgomery form, for the `group`-th group `m`.
    #[inline(never)]
    pub(super) fn cofactor_inverses<I: Isa, const W: usize>(
        self,
        isa: I,
        m: &Moduli<W>,
        group: usize,
    ) -> [u32; W] {
        isa.vectorize(
            #[inline(always)]
            || {
                // Computes four products side by side, since each multiplication waits for the
                // previous one of the same product.
                let mut products = [m.one(); 4];
                for j in 0..self.len {
                    let prime = Modulus::prime(self.start + j);
                    let factor = m.each(
                        #[inline(always)]
                        |_, l| {
                            if self.index(group * W + l) == j {
                                1
                            } else {
                                prime
                            }
                        },
                    );
                    products[j % 4] = m.mul(products[j % 4], factor);
                }
                let y = m.mul(
                    m.mul(products[0], products[1]),
                    m.mul(products[2], products[3]),
                );
                // Each of the len plain factors divided the product by R.
                m.invert(m.mul(y, m.power_of_r(self.len)))
            },
        )
    }

    /// Returns `2^62 / p_i` for the `group`-th group, and zero in the lanes beyond the base.
    #[inline(never)]
    fn reciprocals<const W: usize>(self, group: usize) -> [u64; W] {
        let mut reciprocals = [0u64; W];
        let primes = group * W..self.len;
        for (reciprocal, i) in reciprocals.iter_mut().zip(primes) {
            *reciprocal = (1u64 << 62) / u64::from(Modulus::prime(self.start + i));
        }
        reciprocals
    }

    /// Computes the multiples `a` of `P` to subtract from `sum c_i * (P/p_i)`, one for each
    /// coefficient.
    #[inline(never)]
    pub(super) fn multiples<I: Isa, const W: usize>(self, isa: I, c: &[u32], a: &mut [u32]) {
        isa.vectorize(
            #[inline(always)]
            || {
                const BLOCK: usize = 16;
                let (n, c) = (a.len(), c.as_chunks::<W>().0);
                for (k, a) in a.chunks_mut(BLOCK).enumerate() {
                    let mut sums = [[0u64; W]; BLOCK];
                    for (group, row) in c.chunks_exact(n).enumerate() {
                        let reciprocals = self.reciprocals::<W>(group);
                        for (sums, x) in sums.iter_mut().zip(&row[k * BLOCK..][..a.len()]) {
                            // Adds c_i / p_i in units of 2^-54. Each term is at most 2^-32 + 2^-54
                            // too small; at most 217 terms stay below 2^62.
                            for l in 0..W {
                                sums[l] += (u64::from(x[l]) * reciprocals[l]) >> 8;
                            }
                        }
                    }
                    for (a, sums) in a.iter_mut().zip(sums) {
                        *a = ((sums.iter().sum::<u64>() + (1 << 53)) >> 54) as u32;
                    }
                }
            },
        )
    }

    /// Computes the weights that convert integers of this base to the primes `m`: `w[i]` for `c_i`
    /// and `w[len]` for the multiple of `P`. `w.len() == len + 1`.
    #[inline(never)]
    pub(super) fn weights<I: Isa, const W: usize>(self, isa: I, m: &Moduli<W>, w: &mut [[u32; W]]) {
        isa.vectorize(
            #[inline(always)]
            || {
                // The product of all primes but one is a prefix times a suffix. It always takes len
                // multiplications, so the powers of R are the same for all. Prefixes and suffixes
                // share one array, up to the middle.
                let (mut prefix, mut suffix) = (m.power_of_r(self.len + 2), [1; W]);
                for i in 0..self.len {
                    let j = self.len - 1 - i;
                    if i < j {
                        (w[i], w[j]) = (prefix, suffix);
                    } else if i == j {
                        w[i] = m.mul(prefix, suffix);
                    } else {
                        (w[i], w[j]) = (m.mul(w[i], prefix), m.mul(w[j], suffix));
                    }
                    prefix = m.mul(prefix, [Modulus::prime(self.start + i); W]);
                    suffix = m.mul(suffix, [Modulus::prime(self.start + j); W]);
                }
                // This weight is R^3 * P, up to sign, since `combine` divides by R twice.
                w[self.len] = m.each(
                    #[inline(always)]
                    |m, l| m.p - prefix[l],
                );
            },
        )
    }
}

/// Returns `1/P` in Montgomery form, from the [`weights`](Base::weights) for the primes `m`.
#[inline(never)]
pub(super) fn inverse_product<I: Isa, const W: usize>(
    isa: I,
    m: &Moduli<W>,
    w: &[[u32; W]],
) -> [u32; W] {
    isa.vectorize(
        #[inline(always)]
        || {
            let last = w.last().copied().unwrap_or([0; W]);
            let product = m.each(
                #[inline(always)]
                |m, l| m.p - last[l],
            );
            m.invert(m.plain(m.plain(product)))
        },
    )
}

/// Computes `sum c_i * w_i` for every coefficient: residues modulo `m`, in Montgomery form.
///
/// `c` holds the `c_i` (plain) in groups of `V` primes, `a` the multiples of `P`, `w` the weights.
#[inline(never)]
pub(super) fn combine<I: Isa, const V: usize, const W: usize>(
    isa: I,
    m: &Moduli<W>,
    w: &[[u32; W]],
    c: &[u32],
    a: &[u32],
    out: &mut [u32],
) {
    isa.vectorize(
        #[inline(always)]
        || {
            if W == 1 {
                combine_blocks::<V, W, 16>(m, w, c, a, out);
            } else {
                combine_blocks::<V, W, 2>(m, w, c, a, out);
            }
        },
    )
}

/// Computes as [`combine`] does, for `T` coefficients at a time.
#[inline(always)]
fn combine_blocks<const V: usize, const W: usize, const T: usize>(
    m: &Moduli<W>,
    w: &[[u32; W]],
    c: &[u32],
    a: &[u32],
    out: &mut [u32],
) {
    let out = out.as_chunks_mut::<W>().0;
    let n = out.len();
    let (blocks, rest) = out.as_chunks_mut::<T>();
    let start = blocks.len() * T;
    for (k, out) in blocks.iter_mut().enumerate() {
        *out = combine_block::<V, W, T>(m, w, c, n, a, k * T);
    }
    for (k, out) in rest.iter_mut().enumerate() {
        [*out] = combine_block::<V, W, 1>(m, w, c, n, a, start + k);
    }
}

/// Computes as [`combine`] does, for the `T` coefficients from `start` on.
#[inline(always)]
fn combine_block<const V: usize, const W: usize, const T: usize>(
    m: &Moduli<W>,
    w: &[[u32; W]],
    c: &[u32],
    n: usize,
    a: &[u32],
    start: usize,
) -> [[u32; W]; T] {
    let len = w.len() - 1;
    let mut sums = [[0u64; W]; T];
    for (sum, &a) in sums.iter_mut().zip(&a[start..][..T]) {
        *sum = m.each(
            #[inline(always)]
            |m, l| u64::from(m.mul_lazy(a, w[len][l])),
        );
    }
    for (k, w) in w[..len].chunks(8).enumerate() {
        // The sum of eight products below 2^60 fits in 63 bits.
        let mut eights = [[0u64; W]; T];
        for (i, w) in w.iter().enumerate() {
            let c = &c[place::<V>(n, 8 * k + i, start)..][..(T - 1) * V + 1];
            for (t, eight) in eights.iter_mut().enumerate() {
                for l in 0..W {
                    eight[l] += u64::from(c[t * V]) * u64::from(w[l]);
                }
            }
        }
        for (sum, eight) in sums.iter_mut().zip(eights) {
            *sum = m.each(
                #[inline(always)]
                |m, l| sum[l] + u64::from(m.reduce_lazy(eight[l])),
            );
        }
    }
    let mut out = [[0; W]; T];
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = m.each(
            #[inline(always)]
            |m, l| m.once(m.reduce_lazy(sum[l])),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Baseline;
    use num_bigint::BigInt;
    use std::vec;
    use std::vec::Vec;

    /// Makes a repeatable integer of about `bits` bits, of either sign.
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
            let alone = Moduli::from(m);
            let mut tw = vec![0; n];
            twiddles(Baseline, &alone, &mut tw);
            let a: Vec<i32> = (0..n as i32).map(|i| (i * 77 + 3) % 255 - 127).collect();
            let b: Vec<i32> = (0..n as i32)
                .map(|i| (i * i * 31 + 5) % 255 - 127)
                .collect();
            let transformed = |x: &[i32]| {
                let mut x: Vec<u32> = x.iter().map(|x| m.encode(*x)).collect();
                ntt(Baseline, &alone, &tw, &mut x);
                x
            };
            let (x, y) = (transformed(&a), transformed(&b));
            let mut c: Vec<u32> = x.iter().zip(&y).map(|(x, y)| m.mul(*x, *y)).collect();
            intt(Baseline, &alone, &tw, &mut c);
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
        // Computes f(x) f(-x) in the transform of half the length: 3 + 5x gives 9 - 25 x^2.
        let m = Modulus::new(0);
        let alone = Moduli::from(m);
        let mut tw = [0; 4];
        twiddles(Baseline, &alone, &mut tw);
        let mut f = [3, 5, 0, 0].map(|x| m.encode(x));
        ntt(Baseline, &alone, &tw, &mut f);
        let mut norm = [m.mul(f[0], f[1]), m.mul(f[2], f[3])];
        intt(Baseline, &alone, &tw[..2], &mut norm);
        assert_eq!(norm.map(|x| m.decode(x)), [9, -25]);
    }

    #[test]
    fn integers_pass_from_one_base_to_another() {
        for (len, target) in [(1, 0), (2, 1), (8, 5), (9, 100), (111, 216), (217, 0)] {
            let base = Base {
                start: if len == 217 { 1 } else { 217 },
                len,
            };
            passes::<1, 1>(base, target);
            passes::<1, 8>(base, target);
            passes::<8, 1>(base, target);
            passes::<8, 8>(base, target);
        }
    }

    /// Converts integers of `base`, whose primes are in groups of `V`, to `W` primes from the
    /// `target`-th on.
    fn passes<const V: usize, const W: usize>(base: Base, target: usize) {
        let len = base.len;
        let m = Moduli::<W>::gather(|l| Modulus::new((target + l).min(217)));
        let n = 18;
        // The values are at least one bit shorter than half of the product.
        let values: Vec<BigInt> = (0..n as u64)
            .map(|i| integer((30 * len as u64 - 2) - i.min(6), i))
            .collect();
        let mut c = vec![0; n * base.lanes::<V>()];
        for group in 0..base.lanes::<V>() / V {
            let p = base.moduli::<V>(group);
            let cofactors = p.plain(base.cofactor_inverses(Baseline, &p, group));
            for i in group * V..len.min(group * V + V) {
                let p = base.modulus(i);
                for t in 0..n {
                    let x = p.encode_word(modulo(&values[t], p.p));
                    c[place::<V>(n, i, t)] = p.mul(x, cofactors[i % V]);
                }
            }
        }
        let (mut a, mut w, mut out) = (vec![0; n], vec![[0; W]; len + 1], vec![0; n * W]);
        base.multiples::<_, V>(Baseline, &c, &mut a);
        base.weights(Baseline, &m, &mut w);
        combine::<_, V, W>(Baseline, &m, &w, &c, &a, &mut out);
        let product = (0..len).fold(BigInt::from(1), |x, i| x * base.modulus(i).p);
        let inverse = inverse_product(Baseline, &m, &w);
        for l in 0..W {
            let m = Modulus::new((target + l).min(217));
            for t in 0..n {
                assert_eq!(
                    m.mul(out[t * W + l], 1),
                    modulo(&values[t], m.p),
                    "{len} primes, value {t}"
                );
            }
            let one = m.mul(m.encode_word(modulo(&product, m.p)), inverse[l]);
            assert!(one == m.one || modulo(&product, m.p) == 0);
        }
    }
}
