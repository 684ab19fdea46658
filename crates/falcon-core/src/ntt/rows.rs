//! The transforms by rows of 32 words, several rows at a time in registers.
//!
//! # Geometry
//! Layers are computed in place. A layer whose pairs lie in different rows is computed column by
//! column, with the same factor for a row, or with a row of factors. The last five layers pair
//! words of one row. They keep two rows at a time in registers. Before each of these layers the two
//! rows exchange blocks ([`I16s::exchange`]), so that the words of a pair come to the same column.
//! Nothing undoes the exchanges. So of each 64 values in the order of the blocks, the even-indexed
//! ones fill one row, and the odd-indexed ones fill the next. The inverse transform runs the same
//! network backwards, where each exchange is its own inverse.
//!
//! Several layers are computed between loads and stores. The last pass of the forward transform,
//! the *tile*, takes four rows through seven layers, or sixteen rows through nine layers if a row
//! is one register. Before it come passes over two or four rows that lie further apart.
//!
//! # Factors
//! Both transforms multiply the second operand `y` before they add it (Cooley and Tukey), so sums
//! grow by one product a layer, and few layers reduce. In the forward transform the factor belongs
//! to a block; in the inverse transform it belongs to the place within a block ([`Inverse`]). So
//! the first layer of the inverse has no factors. The product at the end, which also divides by the
//! degree, has the remaining factors.
//!
//! Each factor `w` is stored together with `w / P` modulo `2^16`. This saves one of four
//! multiplications.
//!
//! # Ranges
//! For `q`, with `T(y) = 3/32 y + 6146`, the bound of a product by a factor. A layer is named by
//! the distance of its pairs. The same layers reduce at all degrees. The numbers are bounds on the
//! absolute values of the words after a layer, for the largest degree.
//! - forward: input at most 6145. At most three layers come before the layer of two rows: 12868,
//!   20221, 28263. The layer of two rows reduces its unmultiplied operand to 6145: 14942. Layers of
//!   one row and of 16 words: 22489, 30744. The layer of 8 words reduces: 15174. Layers of 4 and 2
//!   words: 22743, 31022. The last layer multiplies both operands, to bring them into Montgomery
//!   form: `2 T(31022) = 18110`. With fewer layers before the layer of two rows, later bounds are
//!   lower. With two (`n = 512`): 20221, then 14188, 21665, 29843, 15090, 22651, 30921, and finally
//!   18090.
//! - inverse: input at most 12169 after the product before the first layer; a product of two
//!   outputs of the forward transform is at most `18110^2 / 2^16 + 6146 = 11151`, and one by the
//!   row of ones, 4091 each, at most 8192. The first layer only adds: 24338. Layer of 2 words:
//!   32766. The layer of 4 words reduces its unmultiplied operand: 15363. Layers of 8 and 16 words:
//!   22950, 31248. The layer of one row reduces: 15221. Layer of two rows: 22794. If sixteen rows
//!   are in registers, the layer of four rows reduces: 14428; layers of eight and sixteen rows:
//!   21927, 30129. Otherwise a pass over two rows adds one layer, 31077, and the first layer of a
//!   pass over four rows reduces: 15205; the next: 22777. The last product takes any of these:
//!   `T(31077) = 9060`.
//!
//! For an eager modulus (`P = 18433`, forward only) the unmultiplied operand is always at most
//! 9217. So words are at most 21452, the fixed point of `y = 2 * 9217 + 9/64 y + 1`. The last layer
//! gives at most `2 (9217 + 9/64 * 21452 + 1) = 24470`.
//!
//! If overflow checks are enabled, they verify these bounds at run time.

use super::twiddles::{Factors, Forward, Inverse, ROW};
use super::word::{centred, product};
use crate::lanes::{I16s, Isa, Register};
use crate::modq::Modulus;
use core::hint::black_box;

/// Smallest degree, as `logn`: one tile of four rows.
pub(super) const MIN_LOGN: u32 = 7;

/// A row in memory.
type Words = [i16; ROW];

/// A row in registers.
type Row<I> = <<I as Isa>::I16s as I16s>::Row;

/// Returns true if sixteen rows fit in the registers.
const fn takes_sixteen<I: Isa>() -> bool {
    I::I16s::LEN == ROW
}

#[inline(always)]
fn load<I: Isa>(isa: I, words: &Words) -> Row<I> {
    I::I16s::load_row(isa, words)
}

#[inline(always)]
fn store<I: Isa>(row: &Row<I>, words: &mut Words) {
    for (words, row) in I::I16s::chunks_mut(words).iter_mut().zip(row.as_ref()) {
        row.store(words);
    }
}

#[inline(always)]
fn load_four<I: Isa>(isa: I, [a, b, c, d]: [&Words; 4]) -> [Row<I>; 4] {
    [load(isa, a), load(isa, b), load(isa, c), load(isa, d)]
}

#[inline(always)]
fn load_sixteen<I: Isa>(isa: I, words: &[Words; 16]) -> [Row<I>; 16] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = words.each_ref();
    let [a, b, c, d] = load_four(isa, [a, b, c, d]);
    let [e, f, g, h] = load_four(isa, [e, f, g, h]);
    let [i, j, k, l] = load_four(isa, [i, j, k, l]);
    let [m, n, o, p] = load_four(isa, [m, n, o, p]);
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

#[inline(always)]
fn store_all<I: Isa>(rows: &[Row<I>], words: &mut [Words]) {
    for (row, words) in rows.iter().zip(words) {
        store::<I>(row, words);
    }
}

/// Returns `y w` for the register `index` of a row. Groups of `SAME` neighbouring columns have the
/// same factor, and the factors repeat after `PERIOD` columns.
#[inline(always)]
fn times<M: Modulus, I: Isa, const SAME: usize, const PERIOD: usize>(
    isa: I,
    y: I::I16s,
    factors: &Factors,
    index: usize,
) -> I::I16s {
    // If an earlier register has the same factors, these are read again. If registers are single
    // words, each factor is read from its own place, since compilers make vector code of
    // consecutive reads.
    let len = I::I16s::LEN;
    let index = if len == 1 {
        index
    } else {
        index * len / SAME * SAME % PERIOD / len
    };
    let w = I::I16s::load(isa, &I::I16s::chunks(&factors.w)[index]);
    let quotient = I::I16s::load(isa, &I::I16s::chunks(&factors.quotient)[index]);
    y.montgomery(w, y.mul_low(quotient), M::P)
}

/// Computes the butterflies of two rows: `(x + w y, x - w y)`.
#[inline(always)]
fn butterflies<M: Modulus, I: Isa, const REDUCE: bool, const SAME: usize, const PERIOD: usize>(
    isa: I,
    factors: &Factors,
    x: &mut Row<I>,
    y: &mut Row<I>,
) {
    // The results are separate arrays, which no factor can overlap. So compilers make vector code
    // of this loop over single words.
    let (mut sums, mut differences) = (*x, *y);
    let results = sums.as_mut().iter_mut().zip(differences.as_mut());
    for (index, (sum, difference)) in results.enumerate() {
        let v = times::<M, I, SAME, PERIOD>(isa, *difference, factors, index);
        let u = if REDUCE { centred::<M, _>(*sum) } else { *sum };
        (*sum, *difference) = (u + v, u - v);
    }
    (*x, *y) = (sums, differences);
}

/// Computes the layer of a distance of `HALF` rows among the rows of node `node`.
#[inline(always)]
fn forward_layer<M: Modulus, I: Isa, const HALF: usize, const REDUCE: bool>(
    isa: I,
    factors: &Forward,
    node: usize,
    rows: &mut [Row<I>],
) {
    let blocks = rows.len() / (2 * HALF);
    for (block, rows) in rows.chunks_exact_mut(2 * HALF).enumerate() {
        let factors = factors.row(node * blocks + block);
        let (x, y) = rows.split_at_mut(HALF);
        for (x, y) in x.iter_mut().zip(y) {
            if M::EAGER {
                butterflies::<M, I, true, ROW, ROW>(isa, factors, x, y);
            } else {
                butterflies::<M, I, REDUCE, ROW, ROW>(isa, factors, x, y);
            }
        }
    }
}

/// Computes the last five layers of two rows.
#[inline(always)]
fn forward_pair<M: Modulus, I: Isa>(
    isa: I,
    into_montgomery: &Factors,
    factors: &[Factors; 5],
    x: &mut Row<I>,
    y: &mut Row<I>,
) {
    macro_rules! layer {
        ($half:literal, $factors:expr, $reduce:literal) => {
            I::I16s::exchange::<$half>(x, y);
            if M::EAGER {
                butterflies::<M, I, true, $half, ROW>(isa, $factors, x, y);
            } else {
                butterflies::<M, I, $reduce, $half, ROW>(isa, $factors, x, y);
            }
        };
    }
    let [by_16, by_8, by_4, by_2, by_1] = factors;
    layer!(16, by_16, false);
    layer!(8, by_8, true);
    layer!(4, by_4, false);
    layer!(2, by_2, false);
    I::I16s::exchange::<1>(x, y);
    let (mut sums, mut differences) = (*x, *y);
    let results = sums.as_mut().iter_mut().zip(differences.as_mut());
    for (index, (sum, difference)) in results.enumerate() {
        let u = times::<M, I, ROW, ROW>(isa, *sum, into_montgomery, index);
        let v = times::<M, I, 1, ROW>(isa, *difference, by_1, index);
        (*sum, *difference) = (u + v, u - v);
    }
    (*x, *y) = (sums, differences);
}

/// Evaluates code for each pair of neighbouring rows. A loop would keep the rows in memory.
macro_rules! each_pair {
    ($rows:expr, |$index:pat_param, $x:ident, $y:ident| $body:expr) => {
        each_pair!($rows, |$index, $x, $y| $body; 0 1 2 3 4 5 6 7)
    };
    ($rows:expr, |$index:pat_param, $x:ident, $y:ident| $body:expr; $($pair:literal)*) => {{
        let pairs = $rows.as_chunks_mut::<2>().0;
        $(
            if let Some([$x, $y]) = pairs.get_mut($pair) {
                let $index = $pair;
                $body
            }
        )*
    }};
}

/// Computes the last layers of `N` neighbouring rows.
#[inline(always)]
fn forward_tile<M: Modulus, I: Isa, const N: usize>(
    isa: I,
    factors: &Forward,
    node: usize,
    rows: &mut [Row<I>; N],
) {
    if N == 16 {
        forward_layer::<M, I, 8, false>(isa, factors, node, rows);
        forward_layer::<M, I, 4, false>(isa, factors, node, rows);
    }
    forward_layer::<M, I, 2, true>(isa, factors, node, rows);
    forward_layer::<M, I, 1, false>(isa, factors, node, rows);
    each_pair!(rows, |pair, x, y| {
        let pair = factors.pair(node * (N / 2) + pair);
        forward_pair::<M, I>(isa, &factors.into_montgomery, pair, x, y);
    });
}

/// Returns the halves of `x`.
#[inline(always)]
fn halves<T>(x: &mut [T]) -> [&mut [T]; 2] {
    let (a, b) = x.split_at_mut(x.len() / 2);
    [a, b]
}

/// Computes the first two layers of node `node`.
#[inline(always)]
fn forward_by_four<M: Modulus, I: Isa>(
    isa: I,
    factors: &Forward,
    node: usize,
    words: &mut [Words],
) {
    let [[a, b], [c, d]] = halves(words).map(halves);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        let mut rows = load_four(isa, [a, b, c, d]);
        forward_layer::<M, I, 2, false>(isa, factors, node, &mut rows);
        forward_layer::<M, I, 1, false>(isa, factors, node, &mut rows);
        let [r0, r1, r2, r3] = &rows;
        store::<I>(r0, a);
        store::<I>(r1, b);
        store::<I>(r2, c);
        store::<I>(r3, d);
    }
}

/// Computes the first layer of node `node`.
#[inline(always)]
fn forward_by_two<M: Modulus, I: Isa>(isa: I, factors: &Forward, node: usize, words: &mut [Words]) {
    let [a, b] = halves(words);
    for (a, b) in a.iter_mut().zip(b) {
        let mut rows = [load(isa, a), load(isa, b)];
        forward_layer::<M, I, 1, false>(isa, factors, node, &mut rows);
        let [r0, r1] = &rows;
        store::<I>(r0, a);
        store::<I>(r1, b);
    }
}

/// Computes the forward transform of a polynomial of at least four rows.
#[inline(always)]
pub(super) fn forward<M: Modulus, I: Isa>(isa: I, factors: &Forward, a: &mut [i16]) {
    // The factors are hidden from the compiler. Otherwise it would widen them before it multiplies.
    let factors = black_box(factors);
    let (words, _) = a.as_chunks_mut();
    let count = words.len();
    if takes_sixteen::<I>() && count >= 16 {
        if count == 32 {
            forward_by_two::<M, I>(isa, factors, 1, words);
        }
        for (tile, words) in words.as_chunks_mut().0.iter_mut().enumerate() {
            let mut rows = load_sixteen(isa, words);
            forward_tile::<M, I, 16>(isa, factors, count / 16 + tile, &mut rows);
            store_all::<I>(&rows, words);
        }
        return;
    }
    let mut nodes = 1;
    if count >= 16 {
        forward_by_four::<M, I>(isa, factors, 1, words);
        nodes = 4;
    }
    if count == 8 || count == 32 {
        for (node, words) in words.chunks_exact_mut(8).enumerate() {
            forward_by_two::<M, I>(isa, factors, nodes + node, words);
        }
    }
    for (tile, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let mut rows = load_four(isa, words.each_ref());
        forward_tile::<M, I, 4>(isa, factors, count / 4 + tile, &mut rows);
        store_all::<I>(&rows, words);
    }
}

/// Computes the layer of a distance of `HALF` rows. `factors[i]` is for the rows `i` and `i + HALF`
/// of a block.
#[inline(always)]
fn inverse_layer<M: Modulus, I: Isa, const HALF: usize, const REDUCE: bool>(
    isa: I,
    factors: &[Factors; HALF],
    rows: &mut [Row<I>],
) {
    for rows in rows.chunks_exact_mut(2 * HALF) {
        let (x, y) = rows.split_at_mut(HALF);
        for ((x, y), factors) in x.iter_mut().zip(y).zip(factors) {
            butterflies::<M, I, REDUCE, 1, ROW>(isa, factors, x, y);
        }
    }
}

/// Computes the first five layers of two rows.
#[inline(always)]
fn inverse_pair<M: Modulus, I: Isa>(
    isa: I,
    factors: &[Factors; 4],
    x: &mut Row<I>,
    y: &mut Row<I>,
) {
    let [by_2, by_4, by_8, by_16] = factors;
    for (x, y) in x.as_mut().iter_mut().zip(y.as_mut()) {
        (*x, *y) = (*x + *y, *x - *y);
    }
    I::I16s::exchange::<1>(x, y);
    butterflies::<M, I, false, 1, 2>(isa, by_2, x, y);
    I::I16s::exchange::<2>(x, y);
    butterflies::<M, I, true, 1, 4>(isa, by_4, x, y);
    I::I16s::exchange::<4>(x, y);
    butterflies::<M, I, false, 1, 8>(isa, by_8, x, y);
    I::I16s::exchange::<8>(x, y);
    butterflies::<M, I, false, 1, 16>(isa, by_16, x, y);
    I::I16s::exchange::<16>(x, y);
}

/// A polynomial in the transform domain, by rows, or one row that is used for all rows.
#[derive(Clone, Copy)]
pub(super) struct Multiplier<'a> {
    rows: &'a [Words],
    /// Mask of the index of a row: all ones, or zero if one row is used for all.
    mask: usize,
}

impl<'a> Multiplier<'a> {
    /// A multiplier that changes nothing.
    pub(super) const NONE: Self = Self { rows: &[], mask: 0 };

    /// Multiplies each row by the row of `words` with the same index.
    pub(super) fn polynomial(words: &'a [i16]) -> Self {
        let (rows, _) = words.as_chunks();
        Self { rows, mask: !0 }
    }

    /// Multiplies all rows by `row`.
    pub(super) fn same(row: &'a Words) -> Self {
        let rows = core::slice::from_ref(row);
        Self { rows, mask: 0 }
    }

    /// Computes `row <- row by` for the row `index` of the polynomial.
    #[inline(always)]
    fn multiply<M: Modulus, I: Isa>(self, isa: I, index: usize, row: &mut Row<I>) {
        if let Some(by) = self.rows.get(index & self.mask) {
            for (x, by) in row.as_mut().iter_mut().zip(I::I16s::chunks(by)) {
                *x = product::<M, _>(*x, I::I16s::load(isa, by));
            }
        }
    }
}

/// Multiplies the `N` neighbouring rows of tile `tile` by `by`, then computes their first layers.
#[inline(always)]
fn inverse_tile<M: Modulus, I: Isa, const N: usize>(
    isa: I,
    factors: &Inverse,
    by: Multiplier<'_>,
    tile: usize,
    rows: &mut [Row<I>; N],
) {
    each_pair!(rows, |pair, x, y| {
        let mut factors = &factors.pairs;
        if N == 16 {
            // The factors are hidden from the compiler in each pair, since sixteen rows leave no
            // registers for them.
            factors = black_box(factors);
        }
        let index = N * tile + 2 * pair;
        by.multiply::<M, I>(isa, index, x);
        by.multiply::<M, I>(isa, index + 1, y);
        inverse_pair::<M, I>(isa, factors, x, y);
    });
    inverse_layer::<M, I, 1, true>(isa, factors.distance_of(), rows);
    inverse_layer::<M, I, 2, false>(isa, factors.distance_of(), rows);
    if N == 16 {
        inverse_layer::<M, I, 4, true>(isa, factors.distance_of(), rows);
        inverse_layer::<M, I, 8, false>(isa, factors.distance_of(), rows);
    }
}

/// Multiplies a row by its last factors and writes it.
#[inline(always)]
fn finish<M: Modulus, I: Isa>(isa: I, factors: &Factors, row: &Row<I>, words: &mut Words) {
    let registers = row.as_ref().iter().zip(I::I16s::chunks_mut(words));
    for (index, (x, words)) in registers.enumerate() {
        times::<M, I, 1, ROW>(isa, *x, factors, index).store(words);
    }
}

/// Computes the last two layers, and the last product.
#[inline(always)]
fn inverse_by_four<M: Modulus, I: Isa>(isa: I, factors: &Inverse, words: &mut [Words]) {
    let count = words.len();
    let first = factors.distance(count / 4);
    let second = factors.distance(count / 2);
    let (second, third) = second.split_at(second.len() / 2);
    let [[a, b], [c, d]] = halves(words).map(halves);
    let words = a.iter_mut().zip(b).zip(c).zip(d);
    let layers = first.iter().zip(second).zip(third);
    let last = factors.last(count);
    let (last, rest) = last.split_at(last.len() / 2);
    let [(last_a, last_b), (last_c, last_d)] =
        [last, rest].map(|half| half.split_at(half.len() / 2));
    let last = last_a.iter().zip(last_b).zip(last_c).zip(last_d);
    for (words, (layers, last)) in words.zip(layers.zip(last)) {
        let (((a, b), c), d) = words;
        let ((first, second), third) = layers;
        let (((last_a, last_b), last_c), last_d) = last;
        let mut rows = load_four(isa, [a, b, c, d]);
        let [r0, r1, r2, r3] = &mut rows;
        butterflies::<M, I, true, 1, ROW>(isa, first, r0, r1);
        butterflies::<M, I, true, 1, ROW>(isa, first, r2, r3);
        butterflies::<M, I, false, 1, ROW>(isa, second, r0, r2);
        butterflies::<M, I, false, 1, ROW>(isa, third, r1, r3);
        finish::<M, I>(isa, last_a, r0, a);
        finish::<M, I>(isa, last_b, r1, b);
        finish::<M, I>(isa, last_c, r2, c);
        finish::<M, I>(isa, last_d, r3, d);
    }
}

/// Computes the layer that pairs the two halves of `words`.
#[inline(always)]
fn inverse_by_two<M: Modulus, I: Isa>(isa: I, factors: &Inverse, words: &mut [Words]) {
    let factors = factors.distance(words.len() / 2);
    let [a, b] = halves(words);
    for ((a, b), factors) in a.iter_mut().zip(b).zip(factors) {
        let (mut x, mut y) = (load(isa, a), load(isa, b));
        butterflies::<M, I, false, 1, ROW>(isa, factors, &mut x, &mut y);
        store::<I>(&x, a);
        store::<I>(&y, b);
    }
}

/// Multiplies a polynomial of at least four rows by `by`, then computes its inverse transform.
#[inline(always)]
pub(super) fn inverse<M: Modulus, I: Isa>(
    isa: I,
    factors: &Inverse,
    by: Multiplier<'_>,
    a: &mut [i16],
) {
    // The factors are hidden from the compiler, as in `forward`.
    let factors = black_box(factors);
    let (words, _) = a.as_chunks_mut();
    let count = words.len();
    debug_assert!(by.mask == 0 || by.rows.len() >= count);
    if takes_sixteen::<I>() && count >= 16 {
        for (tile, words) in words.as_chunks_mut().0.iter_mut().enumerate() {
            // The factors are hidden from the compiler in each tile, since no registers are free to
            // keep them from tile to tile.
            let factors = black_box(factors);
            let mut rows = load_sixteen(isa, words);
            inverse_tile::<M, I, 16>(isa, factors, by, tile, &mut rows);
            if count == 16 {
                let (words, _) = words.as_chunks_mut::<2>();
                let (last, _) = factors.last_of::<16>().as_chunks::<2>();
                each_pair!(rows, |pair, x, y| {
                    if let (Some([a, b]), Some([last_a, last_b])) =
                        (words.get_mut(pair), last.get(pair))
                    {
                        finish::<M, I>(isa, last_a, x, a);
                        finish::<M, I>(isa, last_b, y, b);
                    }
                });
            } else {
                store_all::<I>(&rows, words);
            }
        }
        if count == 16 {
            return;
        }
        inverse_by_two::<M, I>(isa, factors, words);
    } else {
        for (tile, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            // The factors are hidden from the compiler, as in `forward`.
            let factors = black_box(factors);
            let mut rows = load_four(isa, words.each_ref());
            inverse_tile::<M, I, 4>(isa, factors, by, tile, &mut rows);
            store_all::<I>(&rows, words);
        }
        if count == 8 || count == 32 {
            for words in words.chunks_exact_mut(8) {
                inverse_by_two::<M, I>(isa, factors, words);
            }
        }
        if count >= 16 {
            inverse_by_four::<M, I>(isa, factors, words);
            return;
        }
    }
    for (words, factors) in words.iter_mut().zip(factors.last(count)) {
        let row = load(isa, words);
        finish::<M, I>(isa, factors, &row, words);
    }
}

#[cfg(test)]
mod tests;
