//! Conversion of points to the reals of the lanes, and of these reals to short vectors.
//!
//! Many lanes share cache lines. If lanes were converted one after the other, each line would be
//! fetched once for every lane. So eight coefficients of eight lanes are transposed in registers.

use crate::fft::Fft;
use crate::lanes::{Binary64, Double, HAS_VECTORS};
use crate::norm::Accumulator;
use core::array::from_fn;

/// Number of lanes that are transposed at once, and of coefficients per lane.
const TILE: usize = 8;

/// Number of coefficients of one lane that are computed at once, if they are not transposed.
const BLOCK: usize = if HAS_VECTORS { 8 } else { 1 };

/// Returns true if polynomials of `n` coefficients are transposed. With few lanes, this is not
/// necessary.
const fn transposes<F: Fft>(n: usize) -> bool {
    F::LANES.is_multiple_of(TILE) && n.is_multiple_of(TILE)
}

/// Writes `points`, one for each lane, to `out`.
pub(super) fn load_points<B: Binary64, F: Fft>(
    b: B,
    fft: F,
    points: &[&[u16]],
    out: &mut [F::Real],
) {
    if transposes::<F>(out.len()) {
        fft.vectorize(
            #[inline(always)]
            || load_tiles(b, fft, points, out.as_chunks_mut().0),
        );
        return;
    }
    for (lane, point) in points.iter().enumerate() {
        for (out, &c) in out.iter_mut().zip(*point) {
            if let Some(out) = fft.values_mut(out).get_mut(lane) {
                *out = B::F64::from_i64(i64::from(c)).into();
            }
        }
    }
}

#[inline(always)]
fn load_tiles<B: Binary64, F: Fft>(b: B, fft: F, points: &[&[u16]], out: &mut [[F::Real; TILE]]) {
    for (block, out) in out.iter_mut().enumerate() {
        for (points, first) in points.chunks(TILE).zip((0..).step_by(TILE)) {
            let mut rows = [[0; TILE]; TILE];
            for (row, point) in rows.iter_mut().zip(points) {
                if let Some(c) = point.as_chunks::<TILE>().0.get(block) {
                    *row = c.map(|c| B::F64::from_i64(i64::from(c)).into().to_bits());
                }
            }
            for (out, words) in out.iter_mut().zip(b.transpose_words(&rows)) {
                for (lane, word) in words.into_iter().enumerate() {
                    fft.values_mut(out)[first + lane] = f64::from_bits(word);
                }
            }
        }
    }
}

/// Computes `(s1, s2) = (c, 0) - v` for the lane of every point `c`. `v` has the lattice points in
/// coefficient form. Writes `s2`, one lane after the other, and adds the squares of `s1` and `s2`
/// to `norms`. Constant time, since a refused vector tells something about the key.
pub(crate) fn short_vectors<B: Binary64, F: Fft>(
    b: B,
    fft: F,
    points: &[&[u16]],
    (v0, v1): (&[F::Real], &[F::Real]),
    s2: &mut [i16],
    norms: &mut [Accumulator],
) {
    let n = v0.len();
    if transposes::<F>(n) {
        let tiles = v0.as_chunks().0.iter().zip(v1.as_chunks().0);
        fft.vectorize(
            #[inline(always)]
            || {
                for (block, v) in tiles.enumerate() {
                    subtract_tiles(b, fft, n, points, block, v, s2, norms);
                }
            },
        );
        return;
    }
    let lanes = points.iter().zip(s2.chunks_exact_mut(n)).zip(norms);
    for (lane, ((point, s2), norm)) in lanes.enumerate() {
        if n.is_multiple_of(BLOCK) {
            fft.vectorize(
                #[inline(always)]
                || subtract_blocks::<B, F, BLOCK>(fft, lane, point, (v0, v1), s2, norm),
            );
        } else {
            subtract_blocks::<B, F, 1>(fft, lane, point, (v0, v1), s2, norm);
        }
    }
}

/// Computes block number `block` of every lane.
#[inline(always)]
fn subtract_tiles<B: Binary64, F: Fft>(
    b: B,
    fft: F,
    n: usize,
    points: &[&[u16]],
    block: usize,
    (v0, v1): (&[F::Real; TILE], &[F::Real; TILE]),
    s2: &mut [i16],
    norms: &mut [Accumulator],
) {
    let tiles = points.chunks(TILE).zip(s2.chunks_mut(TILE * n));
    let numbers = norms.chunks_mut(TILE).zip((0..).step_by(TILE));
    for ((points, s2), (norms, first)) in tiles.zip(numbers) {
        let rows0 = b.transpose_words(&words_of(fft, first, v0));
        let rows1 = b.transpose_words(&words_of(fft, first, v1));
        let lanes = points.iter().zip(s2.chunks_exact_mut(n)).zip(norms);
        for (((point, s2), norm), rows) in lanes.zip(rows0.iter().zip(&rows1)) {
            let c = point.as_chunks::<TILE>().0.get(block);
            let s2 = s2.as_chunks_mut::<TILE>().0.get_mut(block);
            if let (Some(c), Some(s2)) = (c, s2) {
                let v0 = from_fn(|i| f64::from_bits(rows.0[i]));
                let v1 = from_fn(|i| f64::from_bits(rows.1[i]));
                *s2 = subtract::<B, TILE>(c, v0, v1, norm);
            }
        }
    }
}

/// Returns the words of the lanes from `first` on, with a row for each coefficient.
#[inline(always)]
fn words_of<F: Fft>(fft: F, first: usize, x: &[F::Real; TILE]) -> [[u64; TILE]; TILE] {
    from_fn(|i| from_fn(|lane| fft.values(&x[i])[first + lane].to_bits()))
}

/// Computes all blocks of one lane.
#[inline(always)]
fn subtract_blocks<B: Binary64, F: Fft, const N: usize>(
    fft: F,
    lane: usize,
    point: &[u16],
    (v0, v1): (&[F::Real], &[F::Real]),
    s2: &mut [i16],
    norm: &mut Accumulator,
) {
    let points = point.as_chunks::<N>().0.iter();
    let blocks = points.zip(v0.as_chunks::<N>().0.iter().zip(v1.as_chunks::<N>().0));
    for ((c, (v0, v1)), s2) in blocks.zip(s2.as_chunks_mut::<N>().0) {
        let v0 = from_fn(|i| fft.values(&v0[i])[lane]);
        let v1 = from_fn(|i| fft.values(&v1[i])[lane]);
        *s2 = subtract::<B, N>(c, v0, v1, norm);
    }
}

/// Computes one block of one lane: adds the squares to `norm` and returns the coefficients of `s2`.
#[inline(always)]
fn subtract<B: Binary64, const N: usize>(
    c: &[u16; N],
    v0: [f64; N],
    v1: [f64; N],
    norm: &mut Accumulator,
) -> [i16; N] {
    norm.add::<N>(&from_fn(|i| i64::from(c[i]) - B::F64::from(v0[i]).rint()));
    let s2: [i64; N] = from_fn(|i| -B::F64::from(v1[i]).rint());
    norm.add(&s2);
    // The conversion is exact for every short vector: |s2| <= 8382 under the norm bound.
    s2.map(|s| s as i16)
}
