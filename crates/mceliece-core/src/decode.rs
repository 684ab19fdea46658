//! Syndrome decoding: the error vector of weight `t` with a given syndrome.
//!
//! With `h = 1/g^2`, the syndrome `v` (padded with zeros) has the power sums
//! `S_i = sum of v_j h(alpha_j) alpha_j^i` for `i < 2t`. Berlekamp-Massey finds their linear
//! complexity `L` and the polynomial `sigma` whose reverse is the connection polynomial. The
//! additive FFT finds its zeros. If `L = t` and `t` of the `alpha_j` are zeros, they are the places
//! of the errors. Otherwise no error vector of weight `t` has this syndrome.
//!
//! # Why the decoder does not check the syndrome of the error vector
//!
//! `g` vanishes at no point, as the decoding of a key checks. Let `L = t`, let `sigma` have `t`
//! zeros among the `alpha_j`, and write `'` for the derivative.
//!
//! 1. Let `s = sum of v_j / (x - alpha_j)`. As `v_j` is 0 or 1, `s = f'/f` for the product `f` of
//!    the `x - alpha_j` with `v_j = 1`. In characteristic 2, `f'' = 0`, so `s' = s^2`.
//! 2. `sigma s = omega` modulo `g^2` for an `omega` of degree below `t`. `sigma` is a product of
//!    factors `x - alpha_j`, so it has no common factor with `g`. A common factor of `sigma` and
//!    `omega` could therefore be divided out, and the complexity would be smaller than `t`.
//! 3. The derivative of `sigma s = omega`, times `sigma`, is
//!    `sigma' omega + omega^2 + sigma omega' = 0` modulo `g^2`. Here
//!    `sigma' omega + sigma omega' = (sigma omega)'` is a square `a^2`, as derivatives are in
//!    characteristic 2. So `g^2` divides `(a + omega)^2`, and `g` divides `a + omega`, whose degree
//!    is below `t`. So `a = omega`, without any modulus.
//! 4. So `sigma' omega + sigma omega' = omega^2`. `omega` divides `sigma omega'`, hence `omega'`,
//!    whose degree is smaller. So `omega' = 0` and `sigma' = omega`.
//! 5. The vector `e` with the zeros of `sigma` as places has the sum
//!    `sigma'/sigma = omega/sigma = s` modulo `g^2`. So its syndrome is `v`.
//!
//! The submission compares the syndromes. The verdict is the same for every ciphertext and every
//! accepted key.
//!
//! The network of the control bits permutes vectors to the order of the points, so all transforms
//! are at all points. Where a point is not an `alpha_j`, `v` is zero.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Decode.

use crate::align::Aligned;
use crate::berlekamp_massey::berlekamp_massey;
use crate::code::{Code, MAX_T, MAX_WORDS};
use crate::fft::transform::transform;
use crate::fft::transpose::transpose;
use crate::fft::{blocks, log_coefficients};
use crate::field::planes::{Block, WORDS, inverse, load, mul, parts, square, store};
use crate::mask;
use crate::permutation::benes::{permute, permute_back};
use crate::reveal::reveal;
use crate::stack::wipe_below;
use falcon_lanes::{Isa, wipe};

/// A value for every point. The array has the number of blocks that the largest field needs.
pub(crate) type Values<const M: usize> = Aligned<[Block<M>; 16]>;

/// Values that are all zero.
pub(crate) const fn no_values<const M: usize>() -> Values<M> {
    Aligned([[[0; WORDS]; M]; 16])
}

/// The parts of a secret key that [`decode`] reads, besides its [`inverse_squares`].
#[derive(Clone, Copy)]
pub(crate) struct DecodingKey<'a> {
    pub(crate) code: &'a Code,
    pub(crate) control: &'a [u8],
}

/// Reads the Goppa polynomial. Appends its leading coefficient 1, and returns `t + 1`.
pub(crate) fn read_goppa(bytes: &[u8], g: &mut [u16; MAX_T + 1]) -> usize {
    let coefficients = bytes.as_chunks().0;
    for (g, bytes) in g.iter_mut().zip(coefficients) {
        *g = u16::from_le_bytes(*bytes);
    }
    g[coefficients.len()] = 1;
    coefficients.len() + 1
}

/// Writes the values of the Goppa polynomial at all points to `values`.
pub(crate) fn goppa_values<I: Isa, const M: usize>(isa: I, goppa: &[u8], values: &mut [Block<M>]) {
    let mut g = [0; MAX_T + 1];
    let len = read_goppa(goppa, &mut g);
    transform(isa, &g[..len], values);
    wipe(&mut g);
}

/// Returns true if the Goppa polynomial has a zero in the field. Then the key is invalid.
pub(crate) fn has_root<I: Isa, const M: usize>(isa: I, goppa: &[u8]) -> bool {
    let mut values = no_values::<M>();
    let values = &mut values.0[..blocks::<M>()];
    goppa_values(isa, goppa, values);
    let mut bits = [0; MAX_WORDS];
    zeros(values, &mut bits);
    wipe(values.as_flattened_mut().as_flattened_mut());
    let any = bits.iter().fold(0, |any, word| any | word);
    wipe(&mut bits);
    wipe_below();
    // The verdict on a key is public.
    reveal(any != 0)
}

/// Number of values that are inverted together. A larger number would save only a few products.
const TOGETHER: usize = 4;

/// Replaces every value by its inverse. No value is zero, as no point is a zero of the Goppa
/// polynomial of a key.
///
/// Inverts the product of four values, and computes the four inverses from it by products.
#[inline(never)]
pub(crate) fn invert<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            for blocks in values.as_chunks_mut::<TOGETHER>().0 {
                for part in 0..parts::<I>() {
                    invert_together(isa, blocks, part);
                }
            }
        },
    );
}

#[inline(always)]
fn invert_together<I: Isa, const M: usize>(isa: I, blocks: &mut [Block<M>; TOGETHER], part: usize) {
    let first = load(isa, &blocks[0], part);
    let mut products = [first; TOGETHER];
    for i in 1..TOGETHER {
        products[i] = mul(isa, &products[i - 1], &load(isa, &blocks[i], part));
    }
    // The inverse of product number i.
    let mut inverse = inverse(isa, &products[TOGETHER - 1]);
    for i in (1..TOGETHER).rev() {
        let x = load(isa, &blocks[i], part);
        store::<I, M>(&mul(isa, &inverse, &products[i - 1]), &mut blocks[i], part);
        inverse = mul(isa, &inverse, &x);
    }
    store::<I, M>(&inverse, &mut blocks[0], part);
}

/// Writes `1/g^2` at all points. `g` is the Goppa polynomial with the coefficients
/// `g_0, .., g_(t-1)`, 16-bit little-endian. The values are the same for every ciphertext of a key.
// Not inlined, so that the caller can wipe its stack frame.
#[inline(never)]
pub(crate) fn inverse_squares<I: Isa, const M: usize>(
    isa: I,
    goppa: &[u8],
    values: &mut Values<M>,
) {
    let values = &mut values.0[..blocks::<M>()];
    goppa_values(isa, goppa, values);
    invert(isa, values);
    square_all(isa, values);
    wipe_below();
}

/// Finds the vectors `e` whose syndromes are `v`, all as `q` bits. Returns all ones for each vector
/// of weight `t` that was found, else zero. With zero, `e` is meaningless.
pub(crate) fn decode<I: Isa, const M: usize, const N: usize>(
    isa: I,
    key: &DecodingKey<'_>,
    inverse_squares: &Values<M>,
    v: &[[u64; MAX_WORDS]; N],
    e: &mut [[u64; MAX_WORDS]; N],
) -> [u64; N] {
    let (t, words) = (key.code.t, key.code.q() / 64);
    let scale = &inverse_squares.0[..blocks::<M>()];
    let mut work = no_values::<M>();
    let work = &mut work.0[..blocks::<M>()];
    let mut sums = [[0; 2 * MAX_T]; N];
    let count = 2 << log_coefficients::<M>();
    for (v, sums) in v.iter().zip(&mut sums) {
        let mut at_points = *v;
        permute_back(isa, M, key.control, &mut at_points[..words]);
        power_sums(isa, scale, &at_points[..words], work, &mut sums[..count]);
        wipe(&mut at_points);
    }

    let mut sigmas = [[0; MAX_T + 1]; N];
    let defects = locators::<I, M, N>(isa, t, &sums, &mut sigmas);

    let mut good = [0; N];
    for (((e, sigma), defect), good) in e.iter_mut().zip(&sigmas).zip(defects).zip(&mut good) {
        transform(isa, &sigma[..=t], work);
        e.fill(0);
        zeros(work, &mut e[..words]);
        permute(isa, M, key.control, &mut e[..words]);
        // Clears the places after the end of the code.
        for word in &mut e[key.code.n.div_ceil(64)..] {
            *word = 0;
        }
        if !key.code.n.is_multiple_of(64) {
            e[key.code.n / 64] &= (1 << (key.code.n % 64)) - 1;
        }
        let weight = e.iter().map(|word| u64::from(word.count_ones())).sum();
        *good = mask::hidden(mask::equal(weight, t as u64) & mask::equal(defect as u64, 0));
    }

    wipe(work.as_flattened_mut().as_flattened_mut());
    wipe(sums.as_flattened_mut());
    wipe(sigmas.as_flattened_mut());
    wipe_below();
    good
}

/// Writes the polynomials that vanish at the points of the errors to `sigmas`. Returns zero for
/// each syndrome whose power sums have complexity `t`.
#[inline(never)]
fn locators<I: Isa, const M: usize, const N: usize>(
    isa: I,
    t: usize,
    sums: &[[u16; 2 * MAX_T]; N],
    sigmas: &mut [[u16; MAX_T + 1]; N],
) -> [i32; N] {
    let sequences = sums.each_ref().map(|sums| &sums[..2 * t]);
    let defects = berlekamp_massey::<I, M, N>(
        isa,
        sequences,
        sigmas.each_mut().map(|sigma| &mut sigma[..=t]),
    );
    for sigma in sigmas {
        sigma[..=t].reverse();
    }
    defects
}

#[inline(never)]
fn square_all<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            for block in values {
                for part in 0..parts::<I>() {
                    let x = load(isa, block, part);
                    store::<I, M>(&square(isa, &x), block, part);
                }
            }
        },
    );
}

/// Writes the sums of `scale_i bits_i point(i)^j` to `out`, for the powers `j` that [`transpose`]
/// writes.
#[inline(never)]
fn power_sums<I: Isa, const M: usize>(
    isa: I,
    scale: &[Block<M>],
    bits: &[u64],
    work: &mut [Block<M>],
    out: &mut [u16],
) {
    for ((work, scale), bits) in work.iter_mut().zip(scale).zip(bits.as_chunks::<WORDS>().0) {
        for p in 0..M {
            for w in 0..WORDS {
                work[p][w] = scale[p][w] & bits[w];
            }
        }
    }
    transpose(isa, work, out);
}

/// Sets the bits of the points whose value is zero.
#[inline(never)]
fn zeros<const M: usize>(values: &[Block<M>], bits: &mut [u64]) {
    for (block, bits) in values.iter().zip(bits.as_chunks_mut::<WORDS>().0) {
        for w in 0..WORDS {
            bits[w] = !(0..M).fold(0, |any, p| any | block[p][w]);
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::layout::parts;
    use crate::params::*;
    use crate::{KeyPair, Parameters};
    use std::collections::BTreeSet;
    use std::vec::Vec;

    /// Computes the syndrome of `e` by the definition of the public key.
    fn syndrome(code: &Code, public_key: &[u8], e: &[u64]) -> [u64; MAX_WORDS] {
        let bit = |i: usize| (e[i / 64] >> (i % 64)) as u8 & 1;
        let mut v = [0; MAX_WORDS];
        for (row, bytes) in public_key.chunks(code.row_len()).enumerate() {
            let products = (0..code.k()).map(|j| bytes[j / 8] >> (j % 8) & bit(code.rows() + j));
            let sum = products.fold(bit(row), |sum, product| sum ^ product) & 1;
            v[row / 64] |= u64::from(sum) << (row % 64);
        }
        v
    }

    fn weights<P: Parameters>() {
        let code = &P::CODE;
        let pair = KeyPair::<P>::from_seed(&[5; 32]);
        let t = code.t;
        for weight in [0, 1, 2, t / 2, t - 2, t - 1, t, t + 1, t + 2] {
            let mut e = [0u64; MAX_WORDS];
            // 37 divides no length, so the places differ.
            for place in (0..weight).map(|j| (37 * j + weight) % code.n) {
                e[place / 64] |= 1 << (place % 64);
            }
            let v = syndrome(code, pair.public_key.as_bytes(), &e);
            let mut found = [0; MAX_WORDS];
            let good = decoded(&pair, &v, &mut found);
            assert_eq!(good, if weight == t { u64::MAX } else { 0 }, "{weight}");
            // The decoder also finds lighter errors, together with the point zero, and refuses
            // them.
            if weight <= t {
                let missing = e.iter().zip(&found).any(|(e, found)| e & !found != 0);
                let count: u32 = found.iter().map(|word| word.count_ones()).sum();
                assert!(!missing && count as usize <= weight + 1, "{weight}");
            }
            if weight == t {
                assert_eq!(found, e);
            }
        }
    }

    /// [`decode`] with the key of `pair`, on the best engine.
    fn decoded<P: Parameters>(
        pair: &KeyPair<P>,
        v: &[u64; MAX_WORDS],
        e: &mut [u64; MAX_WORDS],
    ) -> u64 {
        fn on<I: Isa, const M: usize>(
            isa: I,
            key: &DecodingKey<'_>,
            goppa: &[u8],
            v: &[u64; MAX_WORDS],
            e: &mut [u64; MAX_WORDS],
        ) -> u64 {
            let mut values = no_values::<M>();
            inverse_squares(isa, goppa, &mut values);
            let mut other = *v;
            other.reverse();
            let mut both = [[0; MAX_WORDS]; 2];
            let good = decode(isa, key, &values, &[other, *v], &mut both);
            let mut alone = [[0; MAX_WORDS]];
            assert_eq!(decode(isa, key, &values, &[*v], &mut alone), [good[1]]);
            assert_eq!(alone[0], both[1]);
            *e = both[1];
            good[1]
        }
        let parts = parts(&P::CODE, pair.secret_key.as_bytes());
        let key = DecodingKey {
            code: &P::CODE,
            control: parts.control,
        };
        on_best!(crate::engine::Best::find(), isa => match key.code.m {
            12 => on::<_, 12>(isa, &key, parts.goppa, v, e),
            _ => on::<_, 13>(isa, &key, parts.goppa, v, e),
        })
    }

    /// The decoder refuses errors after the end of the code, though the locator has zeros there.
    fn places_behind<P: Parameters>() {
        let code = &P::CODE;
        let pair = KeyPair::<P>::from_seed(&[5; 32]);
        let next_word = code.n.next_multiple_of(64);
        for place in [code.n - 1, code.n, next_word - 1, next_word, code.q() - 1] {
            // Uses a vector of weight t instead of a syndrome: the decoder takes any vector of a
            // coset.
            let mut v = [0u64; MAX_WORDS];
            for place in (0..code.t - 1).map(|i| 37 * i).chain([place]) {
                v[place / 64] |= 1 << (place % 64);
            }
            let mut e = [0; MAX_WORDS];
            let good = decoded(&pair, &v, &mut e);
            assert_eq!(good, if place < code.n { u64::MAX } else { 0 }, "{place}");
        }
    }

    #[test]
    fn errors_behind_the_code_are_refused() {
        places_behind::<Mceliece348864f>();
        places_behind::<Mceliece6688128f>();
        places_behind::<Mceliece6960119f>();
    }

    /// Products in the field of 16 elements, small enough to try all syndromes.
    const PRODUCTS_16: [[u16; 16]; 16] = {
        let mut products = [[0; 16]; 16];
        let mut i = 0;
        while i < 256 {
            let (a, b) = (i / 16, i % 16);
            let mut bit = 4;
            while bit > 0 {
                bit -= 1;
                let twice = products[a][b] << 1;
                let reduced = twice ^ ((twice >> 4 & 1) * 0b1_0011);
                products[a][b] = reduced ^ ((b as u16 >> bit & 1) * a as u16);
            }
            i += 1;
        }
        products
    };

    fn mul_16(a: u16, b: u16) -> u16 {
        PRODUCTS_16[usize::from(a)][usize::from(b)]
    }

    fn value_16(f: &[u16], x: u16) -> u16 {
        f.iter().rev().fold(0, |value, &c| mul_16(value, x) ^ c)
    }

    /// Lists the monic polynomials of degree `t`, with the leading coefficient last.
    fn monic_16(t: usize) -> impl Iterator<Item = Vec<u16>> {
        (0..1u32 << (4 * t)).map(move |number| {
            let digit = |i: usize| (number >> (4 * i)) as u16 & 15;
            (0..t).map(digit).chain([1]).collect()
        })
    }

    /// Lists the polynomials of degree `t` without zeros.
    fn without_zeros(t: usize) -> impl Iterator<Item = Vec<u16>> {
        monic_16(t).filter(|g| (0..16).all(|x| value_16(g, x) != 0))
    }

    /// Returns true if every window of `s` has inner product zero with `f`: `s` obeys the
    /// recurrence.
    fn obeys(s: &[u16], f: &[u16]) -> bool {
        let sum =
            |window: &[u16]| (window.iter().zip(f)).fold(0, |sum, (&s, &c)| sum ^ mul_16(s, c));
        s.windows(f.len()).all(|window| sum(window) == 0)
    }

    /// Checks the statement that the module proves, for all syndromes of the code of `g` with all
    /// 16 points. The definitions share no code with the decoder. If the power sums obey the
    /// recurrence of a polynomial with `t` zeros, and no recurrence of a smaller order, then the
    /// vector of the zeros has the same power sums. Returns the number of such syndromes.
    fn zeros_have_the_syndrome(g: &[u16]) -> usize {
        let t = g.len() - 1;
        // The row of point `x`: `x^i / g(x)^2`.
        let row = |x: u16| {
            let inverse = (2..16).fold(1, |power, _| mul_16(power, value_16(g, x)));
            let mut power = mul_16(inverse, inverse);
            (0..2 * t).fold(Vec::new(), |mut row, _| {
                row.push(power);
                power = mul_16(power, x);
                row
            })
        };
        let rows: Vec<_> = (0..16).map(row).collect();
        let sums = |bits: u32| -> Vec<u16> {
            let chosen = rows.iter().enumerate().filter(|(x, _)| bits >> x & 1 == 1);
            chosen.fold(std::vec![0; 2 * t], |mut sums, (_, row)| {
                sums.iter_mut().zip(row).for_each(|(sum, x)| *sum ^= x);
                sums
            })
        };
        let zeros = |f: &[u16]| {
            let zeros = (0..16).filter(|&x| value_16(f, x) == 0);
            zeros.fold(0u32, |zeros, x| zeros | 1 << x)
        };
        let locators: Vec<_> = monic_16(t)
            .map(|f| (zeros(&f), f))
            .filter(|(zeros, _)| zeros.count_ones() as usize == t)
            .collect();
        let syndromes: BTreeSet<_> = (0..1 << 16).map(sums).collect();
        let mut found = 0;
        for s in syndromes {
            for (e, _) in locators.iter().filter(|(_, sigma)| obeys(&s, sigma)) {
                if (0..t).any(|less| monic_16(less).any(|f| obeys(&s, &f))) {
                    continue;
                }
                assert_eq!(sums(*e), s, "{g:?} {e:b}");
                found += 1;
            }
        }
        found
    }

    #[test]
    fn places_of_zeros_need_no_second_look() {
        // Polynomials of degree 2 or 3 without zeros are irreducible. Tries all 120 pairs and all
        // 560 triples.
        for g in without_zeros(2).take(3) {
            assert_eq!(zeros_have_the_syndrome(&g), 120);
        }
        for g in without_zeros(3).take(3) {
            assert_eq!(zeros_have_the_syndrome(&g), 560);
        }
        // Decoding of a key accepts a product and a square too. Tries all 1820 sets of four.
        let factors: Vec<_> = without_zeros(2).collect();
        for (a, b) in [(&factors[0], &factors[1]), (&factors[2], &factors[2])] {
            let mut g = [0; 5];
            for (i, &a) in a.iter().enumerate() {
                for (j, &b) in b.iter().enumerate() {
                    g[i + j] ^= mul_16(a, b);
                }
            }
            assert_eq!(zeros_have_the_syndrome(&g), 1820);
        }
    }

    #[test]
    fn errors_of_weight_t_alone_are_good() {
        weights::<Mceliece348864f>();
        weights::<Mceliece460896f>();
        weights::<Mceliece6688128f>();
        weights::<Mceliece6960119f>();
        weights::<Mceliece8192128f>();
    }
}
