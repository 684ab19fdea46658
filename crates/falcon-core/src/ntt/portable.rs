//! The portable implementation: sixteen-bit Montgomery arithmetic, written so that
//! every layer becomes vector code.
//!
//! # Geometry
//! Every layer of the forward transform takes the pairs `(i, i + n/2)` and
//! writes sums and differences alternately, so that the next bit of the index
//! comes to the top (M. Pease, 1968): the same loop with unit strides serves
//! every layer. The first three layers alternate single words, which fills
//! the low three bits of the position with transformed bits; the others
//! alternate rows of eight words, which costs nothing. The inverse transform
//! runs the same network backwards. Layers alternate between two buffers, in
//! steps of 32 butterflies. A step computes into arrays first and moves them
//! afterwards: compilers vectorise the two loops fully, but not their fusion.
//!
//! # Values
//! Transform-domain words are in Montgomery form, so that one Montgomery
//! product multiplies them; the conversion is the reduction that the last
//! layer needs in any case.
//!
//! Ranges, for `q` (`T(y) = 3/32 y + 6146` bounds a product by a factor):
//! - forward: input at most 6145; three layers of `x + T(x)` give 12868,
//!   20221, 28263; every third layer reduces its unmultiplied operand to 6145
//!   first, and `6145 + T(y)` followed by two plain layers stays at or below
//!   31060 for `y <= 31060`;
//! - inverse: input at most 6850; of three layers the first keeps its sums,
//!   the other two reduce them. With all words at most 7860: sums 15720 and
//!   products `T(15720)`; then sums 31440, reduced, and products
//!   `T(31440) = 9094`; then sums 18188, reduced, and products
//!   `T(18188) = 7852`, which closes the circle.
//!
//! For an eager modulus (`P = 18433`, forward only) the unmultiplied operand is
//! always at most 9217, and `2 * 9217 + 9/64 y + 1` closes at 21452.
//!
//! Overflow checks, where enabled, verify these bounds at run time.

use super::Ntt;
use super::twiddles::{STEP, Twiddles, inverse_degree};
use crate::lanes::{Baseline, I16s, Isa, Register};
use crate::modq::{Modulus, Q, barrett_reduce, canonical, montgomery_mul};
use crate::params::MAX_LOGN;
use zeroize::Zeroize;

/// The portable [`Ntt`] engine, compiled in the frame of an instruction set.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortableNtt<I = Baseline>(pub I);

/// The portable implementation for the features that the build target has anyway.
pub const PORTABLE_NTT: PortableNtt = PortableNtt(Baseline);

static FORWARD: Twiddles = Twiddles::forward::<Q>();
static INVERSE: Twiddles = Twiddles::inverse::<Q>();

/// `1/n`, by `logn`.
static INVERSE_DEGREE: [i16; MAX_LOGN as usize + 1] = {
    let mut table = [0; MAX_LOGN as usize + 1];
    let mut logn = 0;
    while logn <= MAX_LOGN {
        table[logn as usize] = inverse_degree::<Q>(logn);
        logn += 1;
    }
    table
};

/// The operands or results of one side of a step.
type Side = [i16; STEP];

/// Both sides of [`STEP`] butterflies, as they lie in memory.
type Pairs = [i16; 2 * STEP];

/// Layers that alternate single words.
const WORD_LAYERS: usize = 3;

/// Words of a row.
const ROW: usize = 1 << WORD_LAYERS;

/// `a b / R mod P`; see [`modq::montgomery_mul`](crate::modq::montgomery_mul).
#[inline(always)]
fn product<M: Modulus, W: I16s>(a: W, b: W) -> W {
    a.montgomery(b, a.mul_low(b).mul_low_by(M::P_INV), M::P)
}

/// The centred representative of `a`; see
/// [`modq::barrett_reduce`](crate::modq::barrett_reduce).
#[inline(always)]
fn centred<M: Modulus, W: I16s>(a: W) -> W {
    a.sub_mul(a.barrett(M::BARRETT), M::P)
}

/// Cooley-Tukey butterfly: `(x + w y, x - w y)`.
#[inline(always)]
fn forward_butterfly<M: Modulus, W: I16s, const REDUCE: bool>(x: W, y: W, w: W) -> (W, W) {
    let u = if REDUCE { centred::<M, W>(x) } else { x };
    let v = product::<M, W>(y, w);
    (u + v, u - v)
}

/// Gentleman-Sande butterfly: `(x + y, w (y - x))`. The factor is a negated
/// inverse, which the order of the subtraction undoes.
#[inline(always)]
fn inverse_butterfly<M: Modulus, W: I16s, const REDUCE: bool>(x: W, y: W, w: W) -> (W, W) {
    let sum = x + y;
    let sum = if REDUCE { centred::<M, W>(sum) } else { sum };
    (sum, product::<M, W>(y - x, w))
}

/// The rows of an array, two by two.
#[inline(always)]
fn row_pairs(pairs: &Pairs) -> &[[[i16; ROW]; 2]] {
    pairs.as_chunks().0.as_chunks().0
}

/// Register number `index` of a side.
#[inline(always)]
fn load<I: Isa>(isa: I, side: &Side, index: usize) -> I::I16s {
    I::I16s::load(isa, &I::I16s::chunks(side)[index])
}

/// Writes register number `index` of a side.
#[inline(always)]
fn store<I: Isa>(x: I::I16s, side: &mut Side, index: usize) {
    x.store(&mut I::I16s::chunks_mut(side)[index]);
}

#[inline(always)]
fn forward_step<M: Modulus, I: Isa, const REDUCE: bool, const ROWS: bool>(
    isa: I,
    out: &mut Pairs,
    x: &Side,
    y: &Side,
    w: &Side,
) {
    let (mut sums, mut differences) = ([0; STEP], [0; STEP]);
    for index in 0..STEP / I::I16s::LEN {
        let (x, y) = (load(isa, x, index), load(isa, y, index));
        let w = load(isa, w, index);
        let (sum, difference) = forward_butterfly::<M, _, REDUCE>(x, y, w);
        store::<I>(sum, &mut sums, index);
        store::<I>(difference, &mut differences, index);
    }
    if ROWS {
        let out = out.as_chunks_mut::<ROW>().0.as_chunks_mut::<2>().0;
        let rows = sums.as_chunks().0.iter().zip(differences.as_chunks().0);
        for (out, (&sum, &difference)) in out.iter_mut().zip(rows) {
            *out = [sum, difference];
        }
    } else {
        isa.interleave([&sums, &differences], out);
    }
}

#[inline(always)]
fn inverse_step<M: Modulus, I: Isa, const REDUCE: bool, const ROWS: bool>(
    isa: I,
    x_out: &mut Side,
    y_out: &mut Side,
    pairs: &Pairs,
    w: &Side,
) {
    let (mut x, mut y) = ([0; STEP], [0; STEP]);
    if ROWS {
        let rows = x.as_chunks_mut().0.iter_mut().zip(y.as_chunks_mut().0);
        for ((x, y), pair) in rows.zip(row_pairs(pairs)) {
            [*x, *y] = *pair;
        }
    } else {
        (x, y) = isa.deinterleave(pairs);
    }
    for index in 0..STEP / I::I16s::LEN {
        let (x, y) = (load(isa, &x, index), load(isa, &y, index));
        let w = load(isa, w, index);
        let (sum, product) = inverse_butterfly::<M, _, REDUCE>(x, y, w);
        store::<I>(sum, x_out, index);
        store::<I>(product, y_out, index);
    }
}

/// Places of the results of butterfly `i`, which are the operands of its inverse.
#[inline(always)]
fn places<const ROWS: bool>(i: usize) -> (usize, usize) {
    if ROWS {
        let low = 2 * (i - i % ROW) + i % ROW;
        (low, low + ROW)
    } else {
        (2 * i, 2 * i + 1)
    }
}

// Where there is no frame to be inlined into, the layers share their stack.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), inline(always))]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    inline(never)
)]
fn forward_layer<M: Modulus, I: Isa, const REDUCE: bool, const ROWS: bool>(
    isa: I,
    dst: &mut [i16],
    src: &[i16],
    w: &[Side],
) {
    let (x, y) = src.split_at(src.len() / 2);
    let (xs, ys) = (x.as_chunks().0, y.as_chunks().0);
    if xs.is_empty() {
        // Degrees below one step: a word at a time.
        for (i, ((&x, &y), &w)) in x.iter().zip(y).zip(w.as_flattened()).enumerate() {
            let (a, b) = places::<ROWS>(i);
            if let Ok([a, b]) = dst.get_disjoint_mut([a, b]) {
                (*a, *b) = forward_butterfly::<M, i16, REDUCE>(x, y, w);
            }
        }
        return;
    }
    if let [w] = w {
        for ((out, x), y) in dst.as_chunks_mut().0.iter_mut().zip(xs).zip(ys) {
            forward_step::<M, I, REDUCE, ROWS>(isa, out, x, y, w);
        }
        return;
    }
    let period = w.len().max(1);
    let groups = xs.chunks(period).zip(ys.chunks(period));
    for ((x, y), out) in groups.zip(dst.as_chunks_mut().0.chunks_mut(period)) {
        for (((out, x), y), w) in out.iter_mut().zip(x).zip(y).zip(w) {
            forward_step::<M, I, REDUCE, ROWS>(isa, out, x, y, w);
        }
    }
}

// Where there is no frame to be inlined into, the layers share their stack.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), inline(always))]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    inline(never)
)]
fn inverse_layer<M: Modulus, I: Isa, const REDUCE: bool, const ROWS: bool>(
    isa: I,
    dst: &mut [i16],
    src: &[i16],
    w: &[Side],
) {
    let pairs = src.as_chunks().0;
    let (x_out, y_out) = dst.split_at_mut(src.len() / 2);
    if pairs.is_empty() {
        let outs = x_out.iter_mut().zip(y_out).zip(w.as_flattened());
        for (i, ((x_out, y_out), &w)) in outs.enumerate() {
            let (a, b) = places::<ROWS>(i);
            if let (Some(&x), Some(&y)) = (src.get(a), src.get(b)) {
                (*x_out, *y_out) = inverse_butterfly::<M, i16, REDUCE>(x, y, w);
            }
        }
        return;
    }
    let (xs, ys) = (x_out.as_chunks_mut().0, y_out.as_chunks_mut().0);
    if let [w] = w {
        for ((x, y), pairs) in xs.iter_mut().zip(ys).zip(pairs) {
            inverse_step::<M, I, REDUCE, ROWS>(isa, x, y, pairs, w);
        }
        return;
    }
    let period = w.len().max(1);
    let (xs, ys) = (xs.chunks_mut(period), ys.chunks_mut(period));
    for ((x, y), pairs) in xs.zip(ys).zip(pairs.chunks(period)) {
        for (((x, y), pairs), w) in x.iter_mut().zip(y).zip(pairs).zip(w) {
            inverse_step::<M, I, REDUCE, ROWS>(isa, x, y, pairs, w);
        }
    }
}

/// True if a register is one word. Then compilers make vector code of loops over words, so other
/// loops are avoided.
const fn goes_by_words<I: Isa>() -> bool {
    I::I16s::LEN == 1
}

/// `x <- x y / R`.
#[inline(always)]
fn product_step<M: Modulus, I: Isa>(isa: I, x: &mut Side, y: &Side) {
    let registers = I::I16s::chunks_mut(x).iter_mut().zip(I::I16s::chunks(y));
    for (x, y) in registers {
        let (a, b) = (I::I16s::load(isa, x), I::I16s::load(isa, y));
        product::<M, _>(a, b).store(x);
    }
}

/// `x c / R`.
#[inline(always)]
fn scale<M: Modulus, I: Isa>(isa: I, a: &mut [i16], c: i16) {
    let (steps, rest) = a.as_chunks_mut();
    for step in steps {
        if goes_by_words::<I>() {
            // Hidden, so that the compiler sees next to the product that `c` has
            // sixteen bits, which the vector product of high halves needs; it
            // would make it wider once, before the loop.
            let c = core::hint::black_box(c);
            for x in step {
                *x = product::<M, _>(*x, c);
            }
        } else {
            product_step::<M, I>(isa, step, &[c; STEP]);
        }
    }
    for x in rest {
        *x = product::<M, _>(*x, c);
    }
}

/// After `logn` layers the words lie in `tmp` if `logn` is odd, else in `a`:
/// multiplies them by `c / R` and leaves them in `a`.
#[inline(always)]
fn collect<M: Modulus, I: Isa>(isa: I, logn: u32, a: &mut [i16], tmp: &[i16], c: i16) {
    if logn & 1 == 1 {
        for (a, &t) in a.iter_mut().zip(tmp) {
            *a = t;
        }
    }
    scale::<M, _>(isa, a, c);
}

/// Source and destination of layer number `step`.
fn alternate<'a>(step: usize, a: &'a mut [i16], tmp: &'a mut [i16]) -> (&'a mut [i16], &'a [i16]) {
    if step.is_multiple_of(2) {
        (tmp, a)
    } else {
        (a, tmp)
    }
}

/// Forward transform modulo any [`Modulus`]. Output at most `0.6 P` in absolute
/// value.
#[inline(always)]
pub(crate) fn forward<M: Modulus, I: Isa>(
    isa: I,
    twiddles: &Twiddles,
    logn: u32,
    a: &mut [i16],
    tmp: &mut [i16],
) {
    for j in 0..logn as usize {
        let (dst, src) = alternate(j, a, tmp);
        let w = twiddles.layer(j);
        let reduce = M::EAGER || (j > 0 && j.is_multiple_of(3));
        match (reduce, j >= WORD_LAYERS) {
            (false, false) => forward_layer::<M, _, false, false>(isa, dst, src, w),
            (false, true) => forward_layer::<M, _, false, true>(isa, dst, src, w),
            (true, false) => forward_layer::<M, _, true, false>(isa, dst, src, w),
            (true, true) => forward_layer::<M, _, true, true>(isa, dst, src, w),
        }
    }
    collect::<M, I>(isa, logn, a, tmp, M::R2);
}

/// Inverse transform modulo `q`.
#[inline(always)]
fn inverse_transform<I: Isa>(isa: I, logn: u32, a: &mut [i16], tmp: &mut [i16]) {
    for step in 0..logn as usize {
        let (dst, src) = alternate(step, a, tmp);
        let j = logn as usize - 1 - step;
        let w = INVERSE.layer(j);
        match (!step.is_multiple_of(3), j >= WORD_LAYERS) {
            (false, false) => inverse_layer::<Q, _, false, false>(isa, dst, src, w),
            (false, true) => inverse_layer::<Q, _, false, true>(isa, dst, src, w),
            (true, false) => inverse_layer::<Q, _, true, false>(isa, dst, src, w),
            (true, true) => inverse_layer::<Q, _, true, true>(isa, dst, src, w),
        }
    }
    // Out of Montgomery form, and divided by n.
    let c = INVERSE_DEGREE.get(logn as usize).copied().unwrap_or(0);
    collect::<Q, I>(isa, logn, a, tmp, c);
}

/// One, in Montgomery form.
const ONE: i16 = montgomery_mul::<Q>(1, Q::R2);

/// All ones if `x = 0 mod q`, else zero.
#[inline(always)]
const fn zero_mask(x: i16) -> i16 {
    let r = barrett_reduce::<Q>(x);
    !((r | -r) >> 15)
}

/// `1 / x` by Fermat, `x^(q-2)` with `q - 2 = 2 * 2^12 + (2^12 - 1)`; zero for zero.
#[inline(always)]
fn inverse(x: i16) -> i16 {
    let mul = montgomery_mul::<Q>;
    let raise_to_16 = |x| {
        let square = |x| mul(x, x);
        square(square(square(square(x))))
    };
    let x3 = mul(mul(x, x), x);
    let x6 = mul(x3, x3);
    let x15 = mul(mul(x6, x6), x3);
    let x255 = mul(raise_to_16(x15), x15);
    let x4095 = mul(raise_to_16(x255), x15);
    let x4096 = mul(x4095, x);
    mul(mul(x4096, x4096), x4095)
}

/// Products of transform-domain words.
#[inline(always)]
pub(crate) fn pointwise_mul<M: Modulus, I: Isa>(isa: I, a: &mut [i16], b: &[i16]) {
    if goes_by_words::<I>() {
        for (a, &b) in a.iter_mut().zip(b) {
            *a = product::<M, _>(*a, b);
        }
        return;
    }
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks_mut(), b.as_chunks());
    for (a, b) in a.iter_mut().zip(b) {
        product_step::<M, I>(isa, a, b);
    }
    for (a, &b) in a_rest.iter_mut().zip(b_rest) {
        *a = product::<M, _>(*a, b);
    }
}

impl<I: Isa> Ntt for PortableNtt<I> {
    type Word = i16;

    fn set_residues(&self, a: &mut [i16], coefficients: &[u16]) {
        for (a, &c) in a.iter_mut().zip(coefficients) {
            *a = barrett_reduce::<Q>(c as i16);
        }
    }

    fn set_signed(&self, a: &mut [i16], coefficients: &[i16]) {
        self.0.vectorize(
            #[inline(always)]
            || {
                for (a, &c) in a.iter_mut().zip(coefficients) {
                    *a = barrett_reduce::<Q>(c);
                }
            },
        );
    }

    fn set_small(&self, a: &mut [i16], coefficients: &[i8]) {
        for (a, &c) in a.iter_mut().zip(coefficients) {
            *a = i16::from(c);
        }
    }

    fn residues(&self, coefficients: &mut [u16], a: &[i16]) {
        for (c, &a) in coefficients.iter_mut().zip(a) {
            *c = canonical::<Q>(a);
        }
    }

    fn sub_centred(&self, acc: &mut [u16], a: &[i16]) {
        self.0.vectorize(
            #[inline(always)]
            || {
                for (c, &a) in acc.iter_mut().zip(a) {
                    // At most 12288 + 6144 = 3 (q - 1) / 2. Wrapping, for points that
                    // are out of range.
                    let difference = (*c as i16).wrapping_sub(barrett_reduce::<Q>(a));
                    *c = barrett_reduce::<Q>(difference) as u16;
                }
            },
        );
    }

    #[inline(never)] // One copy for all callers: each is several KB.
    fn ntt(&self, logn: u32, a: &mut [i16], tmp: &mut [i16]) {
        self.0.vectorize(
            #[inline(always)]
            || forward::<Q, I>(self.0, &FORWARD, logn, a, tmp),
        );
    }

    #[inline(never)] // One copy for all callers: each is several KB.
    fn intt(&self, logn: u32, a: &mut [i16], tmp: &mut [i16]) {
        self.0.vectorize(
            #[inline(always)]
            || inverse_transform(self.0, logn, a, tmp),
        );
    }

    fn mul_assign(&self, a: &mut [i16], b: &[i16]) {
        self.0.vectorize(
            #[inline(always)]
            || pointwise_mul::<Q, _>(self.0, a, b),
        );
    }

    /// One inversion by Fermat for each of 32 columns, and three products a word
    /// (P. Montgomery, "Speeding the Pollard and elliptic curve methods of
    /// factorization", 1987, section 10.3.1).
    fn invert_assign(&self, a: &mut [i16], tmp: &mut [i16]) -> bool {
        let mul = montgomery_mul::<Q>;
        let (rows, rest) = a.as_chunks_mut::<STEP>();
        let (prefixes, _) = tmp.as_chunks_mut::<STEP>();
        let mut zeros = 0;
        for x in rest {
            zeros |= zero_mask(*x);
            *x = inverse(*x);
        }
        let mut product = [ONE; STEP];
        for (prefix, row) in prefixes.iter_mut().zip(&*rows) {
            *prefix = product;
            for i in 0..STEP {
                product[i] = mul(product[i], row[i]);
            }
        }
        let mut suffix = product;
        for x in &mut suffix {
            zeros |= zero_mask(*x);
            *x = inverse(*x);
        }
        for (row, prefix) in rows.iter_mut().zip(&*prefixes).rev() {
            for i in 0..STEP {
                let x = row[i];
                row[i] = mul(suffix[i], prefix[i]);
                suffix[i] = mul(suffix[i], x);
            }
        }
        product.zeroize();
        suffix.zeroize();
        zeros == 0
    }
}
