//! The portable engine: sixteen-bit Montgomery arithmetic, written so that
//! every layer becomes vector code.
//!
//! # Constant geometry
//! Every layer of the forward transform takes the pairs `(i, i + n/2)` to
//! `(2i, 2i + 1)` (M. Pease, 1968). The butterfly handles the top bit of the
//! position and the perfect shuffle brings the next bit to the top, so the
//! same loop with unit strides serves all layers, the last ones included, and
//! after `logn` layers the positions have come round. The inverse transform
//! runs the same network backwards. Layers alternate between two buffers.
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
//! Overflow checks, where enabled, verify these bounds at run time.

use super::Ntt;
use super::twiddles::{STEP, Twiddles, inverse_degree};
use crate::modq::{Modulus, Q, barrett_reduce, canonical, montgomery_mul};
use crate::params::MAX_LOGN;

/// The portable [`Ntt`] engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortableNtt;

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

/// Cooley-Tukey butterflies: `(x, y) -> (x + w y, x - w y)`, results interleaved.
#[inline(always)]
fn forward_step<M: Modulus, const REDUCE: bool>(
    out: &mut [[i16; 2]],
    x: &[i16],
    y: &[i16],
    w: &[i16],
) {
    for (((out, &x), &y), &w) in out.iter_mut().zip(x).zip(y).zip(w) {
        let u = if REDUCE { barrett_reduce::<M>(x) } else { x };
        let v = montgomery_mul::<M>(y, w);
        *out = [u + v, u - v];
    }
}

/// Gentleman-Sande butterflies on interleaved pairs: `(x, y) -> (x + y, w (y - x))`.
/// The factors are negated inverses, which the order of the subtraction undoes.
#[inline(always)]
fn inverse_step<M: Modulus, const REDUCE: bool>(
    x_out: &mut [i16],
    y_out: &mut [i16],
    pairs: &[[i16; 2]],
    w: &[i16],
) {
    for (((x_out, y_out), &[x, y]), &w) in x_out.iter_mut().zip(y_out).zip(pairs).zip(w) {
        let sum = x + y;
        *x_out = if REDUCE {
            barrett_reduce::<M>(sum)
        } else {
            sum
        };
        *y_out = montgomery_mul::<M>(y - x, w);
    }
}

fn forward_layer<M: Modulus, const REDUCE: bool>(dst: &mut [i16], src: &[i16], w: &[[i16; STEP]]) {
    let (x, y) = src.split_at(src.len() / 2);
    let (out, _) = dst.as_chunks_mut::<2>();
    let (x_steps, _) = x.as_chunks::<STEP>();
    let (y_steps, _) = y.as_chunks::<STEP>();
    let (out_steps, _) = out.as_chunks_mut::<STEP>();
    if x_steps.is_empty() {
        for w in w {
            forward_step::<M, REDUCE>(out, x, y, w);
        }
        return;
    }
    let period = w.len().max(1);
    let groups = x_steps.chunks(period).zip(y_steps.chunks(period));
    for ((x, y), out) in groups.zip(out_steps.chunks_mut(period)) {
        for (((out, x), y), w) in out.iter_mut().zip(x).zip(y).zip(w) {
            forward_step::<M, REDUCE>(out, x, y, w);
        }
    }
}

fn inverse_layer<M: Modulus, const REDUCE: bool>(dst: &mut [i16], src: &[i16], w: &[[i16; STEP]]) {
    let (x_out, y_out) = dst.split_at_mut(src.len() / 2);
    let (pairs, _) = src.as_chunks::<2>();
    let (pair_steps, _) = pairs.as_chunks::<STEP>();
    if pair_steps.is_empty() {
        for w in w {
            inverse_step::<M, REDUCE>(x_out, y_out, pairs, w);
        }
        return;
    }
    let (x_steps, _) = x_out.as_chunks_mut::<STEP>();
    let (y_steps, _) = y_out.as_chunks_mut::<STEP>();
    let period = w.len().max(1);
    let groups = x_steps.chunks_mut(period).zip(y_steps.chunks_mut(period));
    for ((x, y), pairs) in groups.zip(pair_steps.chunks(period)) {
        for (((x, y), pairs), w) in x.iter_mut().zip(y).zip(pairs).zip(w) {
            inverse_step::<M, REDUCE>(x, y, pairs, w);
        }
    }
}

/// After `logn` layers the words lie in `tmp` if `logn` is odd, else in `a`:
/// multiplies them by the constant `c / R` and leaves them in `a`.
fn collect<M: Modulus>(logn: u32, a: &mut [i16], tmp: &[i16], c: i16) {
    if logn & 1 == 1 {
        for (a, &t) in a.iter_mut().zip(tmp) {
            *a = montgomery_mul::<M>(t, c);
        }
    } else {
        for a in a {
            *a = montgomery_mul::<M>(*a, c);
        }
    }
}

/// Source and destination of layer number `step`.
fn alternate<'a>(step: usize, a: &'a mut [i16], tmp: &'a mut [i16]) -> (&'a mut [i16], &'a [i16]) {
    if step.is_multiple_of(2) {
        (tmp, a)
    } else {
        (a, tmp)
    }
}

/// Forward transform modulo any [`Modulus`]. Output at most `P / 2 + P / 16` in
/// absolute value.
pub(crate) fn forward<M: Modulus>(twiddles: &Twiddles, logn: u32, a: &mut [i16], tmp: &mut [i16]) {
    for j in 0..logn as usize {
        let (dst, src) = alternate(j, a, tmp);
        let w = twiddles.layer(j);
        if M::EAGER || (j > 0 && j.is_multiple_of(3)) {
            forward_layer::<M, true>(dst, src, w);
        } else {
            forward_layer::<M, false>(dst, src, w);
        }
    }
    collect::<M>(logn, a, tmp, M::R2);
}

#[inline(always)]
fn raise_to_16(x: i16) -> i16 {
    let square = |x| montgomery_mul::<Q>(x, x);
    square(square(square(square(x))))
}

/// Products of transform-domain words.
pub(crate) fn pointwise_mul<M: Modulus>(a: &mut [i16], b: &[i16]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = montgomery_mul::<M>(*a, b);
    }
}

impl Ntt for PortableNtt {
    type Word = i16;

    fn set_residues(&self, a: &mut [i16], coefficients: &[u16]) {
        for (a, &c) in a.iter_mut().zip(coefficients) {
            *a = barrett_reduce::<Q>(c as i16);
        }
    }

    fn set_signed(&self, a: &mut [i16], coefficients: &[i16]) {
        for (a, &c) in a.iter_mut().zip(coefficients) {
            *a = barrett_reduce::<Q>(c);
        }
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

    fn sub_residues(&self, acc: &mut [u16], a: &[i16]) {
        for (c, &a) in acc.iter_mut().zip(a) {
            // Reduced first: 12288 + 6145 stays within sixteen bits.
            *c = canonical::<Q>(*c as i16 - barrett_reduce::<Q>(a));
        }
    }

    fn ntt(&self, logn: u32, a: &mut [i16], tmp: &mut [i16]) {
        forward::<Q>(&FORWARD, logn, a, tmp);
    }

    fn intt(&self, logn: u32, a: &mut [i16], tmp: &mut [i16]) {
        for step in 0..logn as usize {
            let (dst, src) = alternate(step, a, tmp);
            let w = INVERSE.layer(logn as usize - 1 - step);
            if step.is_multiple_of(3) {
                inverse_layer::<Q, false>(dst, src, w);
            } else {
                inverse_layer::<Q, true>(dst, src, w);
            }
        }
        // Out of Montgomery form, and divided by n.
        let c = INVERSE_DEGREE.get(logn as usize).copied().unwrap_or(0);
        collect::<Q>(logn, a, tmp, c);
    }

    fn mul_assign(&self, a: &mut [i16], b: &[i16]) {
        pointwise_mul::<Q>(a, b);
    }

    fn invert_assign(&self, a: &mut [i16]) -> bool {
        let mut any_zero = 0u16;
        let mul = montgomery_mul::<Q>;
        for x in a {
            any_zero |= canonical::<Q>(*x).wrapping_sub(1) >> 15;
            // Fermat: x^(q-2), and q - 2 = 2 * 2^12 + (2^12 - 1).
            let x1 = *x;
            let x3 = mul(mul(x1, x1), x1);
            let x6 = mul(x3, x3);
            let x12 = mul(x6, x6);
            let x15 = mul(x12, x3);
            let x255 = mul(raise_to_16(x15), x15);
            let x4095 = mul(raise_to_16(x255), x15);
            let x4096 = mul(x4095, x1);
            *x = mul(mul(x4096, x4096), x4095);
        }
        any_zero == 0
    }
}
