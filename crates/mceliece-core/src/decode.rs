//! Syndrome decoding: the error vector of weight `t` with a given syndrome.
//!
//! With `h = 1/g^2`, the syndrome `v` (padded with zeros) has the power sums
//! `S_i = sum of v_j h(alpha_j) alpha_j^i` for `i < 2t`. Berlekamp-Massey finds the polynomial
//! whose reverse vanishes at the errors' `alpha_j`, the additive FFT its zeros. The error vector is
//! right iff the linear complexity of the power sums is `t`, its weight is `t`, and its own power
//! sums are those of the syndrome.
//!
//! The first `t` power sums decide. For complexity `t`, those of the syndrome obey a recurrence of
//! order `t`, whose coefficients are those of the polynomial. So do those of an error vector whose
//! `t` points are zeros of its reverse. So the first `t` determine the others.
//!
//! Vectors are permuted to the order of the points by the network of the control bits, so all
//! transforms are at all points. Where a point is no `alpha_j`, `v` is zero.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Decode.

use crate::align::Aligned;
use crate::berlekamp_massey::berlekamp_massey;
use crate::code::{Code, MAX_T, MAX_WORDS};
use crate::fft::blocks;
use crate::fft::transform::transform;
use crate::fft::transpose::transpose;
use crate::field::planes::{Block, WORDS, inverse, load, mul, parts, square, store};
use crate::mask;
use crate::permutation::benes::{permute, permute_back};
use crate::reveal::reveal;
use crate::stack::wipe_below;
use falcon_lanes::{Isa, wipe};

/// A value for every point: as many blocks as the largest field needs.
pub(crate) type Values<const M: usize> = Aligned<[Block<M>; 16]>;

/// No values yet.
pub(crate) const fn no_values<const M: usize>() -> Values<M> {
    Aligned([[[0; WORDS]; M]; 16])
}

/// A key, as decoding needs it, besides its [`inverse_squares`].
#[derive(Clone, Copy)]
pub(crate) struct GoppaCode<'a> {
    pub(crate) code: &'a Code,
    pub(crate) control: &'a [u8],
}

/// Reads the Goppa polynomial, with its leading coefficient 1, which is `t + 1` coefficients.
pub(crate) fn read_goppa(bytes: &[u8], g: &mut [u16; MAX_T + 1]) -> usize {
    let coefficients = bytes.as_chunks().0;
    for (g, bytes) in g.iter_mut().zip(coefficients) {
        *g = u16::from_le_bytes(*bytes);
    }
    g[coefficients.len()] = 1;
    coefficients.len() + 1
}

/// Writes the values of the Goppa polynomial at all points to `values`.
#[inline(never)]
pub(crate) fn goppa_values<I: Isa, const M: usize>(isa: I, goppa: &[u8], values: &mut [Block<M>]) {
    let mut g = [0; MAX_T + 1];
    let len = read_goppa(goppa, &mut g);
    transform(isa, &g[..len], values);
    wipe(&mut g);
}

/// True if the Goppa polynomial vanishes at a point. Then the key is none.
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
    // Whether a key is accepted is public.
    reveal(any != 0)
}

/// Values that are inverted together. More of them would save few products.
const TOGETHER: usize = 4;

/// Replaces every value by its inverse. No value is zero, as no point is a zero of the Goppa
/// polynomial of a key.
///
/// The inverse of a product of four values, and their products, give the four inverses.
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

/// Writes `1/g^2` at all points, for the Goppa polynomial with these coefficients
/// `g_0, .., g_(t-1)`, 16-bit little-endian. It is the same for every ciphertext of a key.
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

/// Finds the vector `e` whose syndrome is `v`, both as `q` bits. Returns all ones if there is one
/// of weight `t`, else zero, and then `e` means nothing.
pub(crate) fn decode<I: Isa, const M: usize>(
    isa: I,
    key: &GoppaCode<'_>,
    inverse_squares: &Values<M>,
    v: &[u64; MAX_WORDS],
    e: &mut [u64; MAX_WORDS],
) -> u64 {
    let (t, words) = (key.code.t, key.code.q() / 64);
    let scale = &inverse_squares.0[..blocks::<M>()];
    let mut work = no_values::<M>();
    let work = &mut work.0[..blocks::<M>()];
    let mut at_points = *v;
    permute_back(isa, M, key.control, &mut at_points[..words]);
    let mut sums = [[0; 2 * MAX_T]; 2];
    let count = 1 << (M - 5);
    power_sums(isa, scale, &at_points[..words], work, &mut sums[0][..count]);

    let mut lambda = [0; MAX_T + 1];
    let defect = locator::<I, M>(isa, &sums[0][..2 * t], &mut lambda[..=t]);
    values_of(isa, &lambda[..=t], work);
    zeros(work, &mut at_points[..words]);
    let sums_of_e = &mut sums[1][..count / 2];
    power_sums(isa, scale, &at_points[..words], work, sums_of_e);

    e.fill(0);
    e[..words].copy_from_slice(&at_points[..words]);
    permute(isa, M, key.control, &mut e[..words]);
    // Places behind the code's length are no positions of it.
    for word in &mut e[key.code.n.div_ceil(64)..] {
        *word = 0;
    }
    if !key.code.n.is_multiple_of(64) {
        e[key.code.n / 64] &= (1 << (key.code.n % 64)) - 1;
    }
    let weight = e.iter().map(|word| u64::from(word.count_ones())).sum();
    let good = verdict(t, weight, [&sums[0][..t], &sums[1][..t]]) & mask::equal(defect as u64, 0);

    wipe(work.as_flattened_mut().as_flattened_mut());
    wipe(&mut at_points);
    wipe(sums.as_flattened_mut());
    wipe(&mut lambda);
    wipe_below();
    mask::hidden(good)
}

/// Writes the polynomial that vanishes at the points of the errors to `lambda`, which has `t + 1`
/// places. Returns zero if the complexity of the power sums is `t`.
#[inline(never)]
fn locator<I: Isa, const M: usize>(isa: I, sums: &[u16], lambda: &mut [u16]) -> i32 {
    let defect = berlekamp_massey::<I, M>(isa, sums, lambda);
    lambda.reverse();
    defect
}

/// Writes the values of the polynomial `f` at all points.
#[inline(never)]
fn values_of<I: Isa, const M: usize>(isa: I, f: &[u16], values: &mut [Block<M>]) {
    transform(isa, f, values);
}

/// All ones if the weight of a vector is `t`, and its power sums are those of the syndrome.
fn verdict(t: usize, weight: u64, [of_syndrome, of_vector]: [&[u16]; 2]) -> u64 {
    let pairs = of_syndrome.iter().zip(of_vector);
    let different = pairs.fold(0, |all, (a, b)| all | (a ^ b));
    mask::equal(weight, t as u64) & !mask::nonzero(u64::from(different))
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

/// Writes the sums of `scale_i bits_i point(i)^j` to `out`, for as many powers `j` as it has
/// places: those of [`transpose`].
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

/// Sets the bits of the points where the value is zero.
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

    /// Syndrome of `e` by the definition of the public key.
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
        let parts = parts(code, pair.secret_key.as_bytes());
        let key = GoppaCode {
            code,
            control: parts.control,
        };
        let t = code.t;
        for weight in [0, 1, 2, t / 2, t - 2, t - 1, t, t + 1, t + 2] {
            let mut e = [0u64; MAX_WORDS];
            // 37 divides no length, so the places differ.
            for place in (0..weight).map(|j| (37 * j + weight) % code.n) {
                e[place / 64] |= 1 << (place % 64);
            }
            let v = syndrome(code, pair.public_key.as_bytes(), &e);
            let mut found = [0; MAX_WORDS];
            let good = on_best(&key, parts.goppa, &v, &mut found);
            assert_eq!(good, if weight == t { u64::MAX } else { 0 }, "{weight}");
            // Lighter errors are found too, with the point zero besides, and refused.
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

    fn on_best(
        key: &GoppaCode<'_>,
        goppa: &[u8],
        v: &[u64; MAX_WORDS],
        e: &mut [u64; MAX_WORDS],
    ) -> u64 {
        fn on<I: Isa, const M: usize>(
            isa: I,
            key: &GoppaCode<'_>,
            goppa: &[u8],
            v: &[u64; MAX_WORDS],
            e: &mut [u64; MAX_WORDS],
        ) -> u64 {
            let mut values = no_values::<M>();
            inverse_squares(isa, goppa, &mut values);
            decode(isa, key, &values, v, e)
        }
        on_best!(crate::engine::Best::find(), isa => match key.code.m {
            12 => on::<_, 12>(isa, key, goppa, v, e),
            _ => on::<_, 13>(isa, key, goppa, v, e),
        })
    }

    #[test]
    fn weight_and_power_sums_must_be_right() {
        let (sums, mut others) = ([7; 128], [7; 128]);
        assert_eq!(verdict(64, 64, [&sums, &others]), u64::MAX);
        assert_eq!(verdict(64, 63, [&sums, &others]), 0);
        others[127] ^= 0x800;
        assert_eq!(verdict(64, 64, [&sums, &others]), 0);
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
