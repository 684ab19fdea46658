//! Replays the reference's floating-point reduction for pairs on which it may break down.
//!
//! [`stability`](super::stability) finds the pairs `(f, g)` for which rounding errors decide if the
//! round-3 reference finds a solution. For these pairs, this module performs the reference's
//! reduction on the ill-conditioned levels, with the same roundings, and returns whether the
//! reduction succeeds. The solution itself is unique and comes from the exact solver.
//!
//! On each level of the reference, `(F, G)` is the lifted pair, with `LARGE[d]` words a
//! coefficient. The reduction repeats, with `s` decreasing by 25 down to zero,
//!
//! ```text
//!   k = round(2^-s (F f* + G g*) / (f f* + g g*)),   (F, G) <- (F, G) - 2^s k (f, g)
//! ```
//!
//! in binary64 on the ten most significant words, with estimates of the sizes that do not depend on
//! the data. The reduction gives up when a coefficient of `k` reaches `2^31 - 1` in absolute value.
//!
//! Source: the constants and the order of operations are those of the round-3 reference
//! implementation; the known answers pin them.

use super::modulus::{Moduli, Modulus};
use super::radix31::{Factor, MASK, add_scaled, from_limbs, power_of_two, sign_word, to_f64};
use super::rns::{intt_lazy, place, scale, twiddles as twiddle_table};
use super::stability::FIRST_LEVEL;
use super::tower::LANES;
use super::{tower, zint};
use crate::fft::Fft;
use crate::lanes::{Binary64, Double, F64s, Isa};
use crate::params::Q;
use crate::reveal::reveal;
use zeroize::Zeroizing;

/// Number of words of each coefficient of `f_d`, `g_d` and of the reduced `F_d`, `G_d`, by `d`.
const SMALL: [usize; 11] = [1, 1, 2, 2, 4, 7, 14, 27, 53, 106, 209];

/// Number of words of each coefficient of the lifted `F_d`, `G_d`, by `d`.
const LARGE: [usize; 10] = [2, 2, 5, 7, 12, 21, 40, 78, 157, 308];

/// Estimated size of the coefficients of `f_d` and `g_d` in bits, and its deviation, by `d`.
const SIZE: [(i32, i32); 10] = [
    (4, 0),
    (11, 1),
    (24, 1),
    (50, 1),
    (102, 1),
    (202, 2),
    (401, 4),
    (794, 5),
    (1577, 8),
    (3138, 13),
];

/// Number of words that the conversion to binary64 reads.
const WINDOW: usize = 10;

/// Largest degree of a replayed level.
const MAX_DEGREE: usize = 1 << (crate::params::MAX_LOGN - FIRST_LEVEL);

/// Result of the reference's reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The reduction finds the solution that exact arithmetic finds.
    Succeeds,
    /// The resultants have a common factor, or the solution at degree 1 is too long.
    CommonFactor,
    /// The reduction diverges, or its result does not solve the equation.
    BreaksDown,
}

/// Memory of a replay.
pub(super) struct Memory<'a> {
    /// `f_d` and `g_d` in the NTT domain on `C_(d+1)`, as the solver keeps them.
    pub(super) kept: &'a [u32],
    /// Inverse cofactors of all bases.
    pub(super) cofactors: &'a [u32],
    /// Polynomials in words of 31 bits, [`area_len`] words.
    pub(super) area: &'a mut [u32],
    /// Twiddle factors of one prime.
    pub(super) twiddles: &'a mut [u32],
    /// Multiples of the product of a base, one for each coefficient.
    pub(super) multiples: &'a mut [u32],
    /// Residues of one coefficient.
    pub(super) column: &'a mut [u32],
    /// Large integers, as [`zint`] holds them.
    pub(super) wide: &'a mut [i64],
}

/// Number of words of [`Memory::area`].
pub(super) const fn area_len(logn: u32) -> usize {
    let (mut most, mut d) = (4 * SMALL[logn as usize], FIRST_LEVEL);
    while d < logn {
        let n = 1 << (logn - d);
        let i = d as usize;
        let len =
            n * (SMALL[i + 1] + 2 * LARGE[i] + 2 * SMALL[i]) + n * tower::base(logn, d + 1).len;
        if len > most {
            most = len;
        }
        d += 1;
    }
    most
}

/// Replays the levels from the bottom (`d = logn - 1`) up to level `level - 1`, but not above
/// [`FIRST_LEVEL`], and returns whether the reference solves the pair.
pub(super) fn replay<B: Binary64>(b: B, logn: u32, level: u32, mut memory: Memory<'_>) -> Outcome {
    if !reveal(bottom(b, logn, &mut memory)) {
        return Outcome::CommonFactor;
    }
    let last = (level - 1).max(FIRST_LEVEL);
    for d in (last..logn).rev() {
        if !reduce(b, logn, d, &mut memory) {
            return Outcome::BreaksDown;
        }
    }
    let n = 1usize << (logn - last);
    let len = SMALL[last as usize];
    let (pair, rest) = memory.area.split_at(2 * n * len);
    // `reduce` has left f and g after the pair.
    if reveal(solves(n, len, &rest[..2 * n * len], pair)) {
        Outcome::Succeeds
    } else {
        Outcome::BreaksDown
    }
}

/// Solves the equation at degree 1: writes `F_N`, then `G_N`, of `SMALL[logn]` words each, to the
/// start of `area`. These are `q` times the least non-negative solution of `f G - g F = 1`. Returns
/// false if the resultants have a common factor, or if a result does not fit.
fn bottom<I: Isa>(isa: I, logn: u32, memory: &mut Memory<'_>) -> bool {
    resultants(isa, logn, memory);
    let [f, g, y, work] = integers(logn, memory.wide);
    let words = SMALL[logn as usize];
    let (big_f, big_g) = memory.area.split_at_mut(words);
    // F = -1/g mod f, G = 1/f mod g: then f G - g F = 1.
    let coprime = zint::invert(f, g, y, work);
    zint::least_residue(y, f, true);
    from_limbs(y, big_f);
    zint::invert(g, f, y, work);
    zint::least_residue(y, g, false);
    from_limbs(y, &mut big_g[..words]);
    let mut fits = true;
    for x in [big_f, &mut big_g[..words]] {
        fits &= multiply_by_q(x);
    }
    coprime && fits
}

/// Cuts the memory at the bottom into the resultants of `f` and of `g`, another integer, and memory
/// for [`zint::invert`].
pub(super) fn integers(logn: u32, wide: &mut [i64]) -> [&mut [i64]; 4] {
    let len = zint::limbs(tower::longest_base(logn));
    let (f, rest) = wide.split_at_mut(len);
    let (g, rest) = rest.split_at_mut(len);
    let (y, work) = rest.split_at_mut(len);
    [f, g, y, work]
}

/// Writes the resultants of `f` and of `g` to the first two of the [`integers`].
pub(super) fn resultants<I: Isa>(isa: I, logn: u32, memory: &mut Memory<'_>) {
    let base = tower::base(logn, logn);
    let len = zint::limbs(base.len);
    let [f, g, _, work] = integers(logn, memory.wide);
    for (which, x) in [(0, f), (1, g)] {
        let resultant = if tower::width::<I>(logn) > 1 {
            tower::resultant::<LANES>
        } else {
            tower::resultant::<1>
        };
        resultant(logn, which, memory.kept, memory.cofactors, memory.column);
        let column = &memory.column[..base.len];
        base.multiples::<_, 1>(isa, column, &mut memory.multiples[..1]);
        zint::from_residues(base, column, memory.multiples[0], x, &mut work[..len]);
    }
}

/// Multiplies the non-negative integer `x` by `q`. Returns false if the product does not fit.
pub(super) fn multiply_by_q(x: &mut [u32]) -> bool {
    let mut carry = 0u64;
    for x in x {
        let t = u64::from(*x) * u64::from(Q) + carry;
        *x = t as u32 & MASK;
        carry = t >> 31;
    }
    carry == 0
}

/// Writes `f_d` (`which = 0`) or `g_d` (1) to index `to` of the area, in `words` words of 31 bits a
/// coefficient. During the call, the area from `c` on holds residues.
pub(super) fn load<I: Isa>(
    isa: I,
    logn: u32,
    d: u32,
    which: usize,
    memory: &mut Memory<'_>,
    c: usize,
    to: usize,
    words: usize,
) {
    let n = 1usize << (logn - d);
    let base = tower::base(logn, d + 1);
    let kept = &memory.kept[tower::kept_start(logn, d)..];
    let cofactors = &memory.cofactors[tower::cofactors_start(logn, d + 1)..];
    let twiddles = &mut memory.twiddles[..n];
    let (out, c) = memory.area.split_at_mut(c);
    let c = &mut c[..n * base.len];
    for (j, c) in c.chunks_exact_mut(n).enumerate() {
        let m = Moduli::from(base.modulus(j));
        twiddle_table(isa, &m, twiddles);
        for (t, x) in c.iter_mut().enumerate() {
            *x = if tower::width::<I>(d + 1) > 1 {
                kept[which * n * base.lanes::<LANES>() + place::<LANES>(n, j, t)]
            } else {
                kept[which * n * base.len + place::<1>(n, j, t)]
            };
        }
        intt_lazy(isa, &m, twiddles, c);
        let factor = m.mul([cofactors[j]], m.inverse_power_of_two(n));
        scale(&m, c, m.plain(factor));
    }
    let multiples = &mut memory.multiples[..n];
    base.multiples::<_, 1>(isa, c, multiples);
    let len = zint::limbs(base.len);
    let (x, product) = memory.wide[..2 * len].split_at_mut(len);
    for (t, out) in out[to..][..n * words].chunks_exact_mut(words).enumerate() {
        let column = &mut memory.column[..base.len];
        for (j, x) in column.iter_mut().enumerate() {
            *x = c[j * n + t];
        }
        zint::from_residues(base, column, multiples[t], x, product);
        from_limbs(x, out);
    }
}

/// Replays one level. Before the call, `area` starts with the reduced pair of level `d + 1`. After
/// it, `area` starts with the reduced pair of level `d`, followed by `f_d` and `g_d`. Returns false
/// if the reference gives up.
///
/// Source: Falcon specification v1.2, algorithm 6 (NTRUSolve), on the way up.
fn reduce<B: Binary64>(b: B, logn: u32, d: u32, memory: &mut Memory<'_>) -> bool {
    let n = 1usize << (logn - d);
    let (small, large) = (SMALL[d as usize], LARGE[d as usize]);
    let deeper = n / 2 * SMALL[d as usize + 1];

    // The area holds the pair of level d + 1, then f_d and g_d, the lifted pair, and residues.
    let fg_start = 2 * deeper;
    let lifted_start = fg_start + 2 * n * small;
    let c_start = lifted_start + 2 * n * large;
    load(b, logn, d, 0, memory, c_start, fg_start, small);
    load(b, logn, d, 1, memory, c_start, fg_start + n * small, small);
    let (pair, rest) = memory.area.split_at_mut(fg_start);
    let (fg, rest) = rest.split_at_mut(2 * n * small);
    let lifted = &mut rest[..2 * n * large];
    let (f, g) = fg.split_at(n * small);
    {
        let (big_f, big_g) = lifted.split_at_mut(n * large);
        lift(n, &pair[..deeper], g, big_f);
        lift(n, &pair[deeper..], f, big_g);
    }
    let Some(len) = to_nearest!(b => babai(b, d, n, f, g, lifted)) else {
        return false;
    };

    // Fills the words of the reduced pair beyond the estimated size with the sign.
    for t in 0..2 * n {
        let x = &mut lifted[t * large..][..large];
        let sign = sign_word(&x[..len]);
        if len < small {
            x[len..small].fill(sign);
        }
    }
    // The area holds the old pair, then f and g, then the lifted pair. In the end it holds the
    // reduced pair (2 n small words), then f and g. Both are first put together at `lifted_start`,
    // then moved to the start.
    for t in 0..2 * n {
        for i in 0..small {
            lifted[t * small + i] = lifted[t * large + i];
        }
    }
    let area = &mut memory.area[..];
    area.copy_within(
        fg_start..fg_start + 2 * n * small,
        lifted_start + 2 * n * small,
    );
    area.copy_within(lifted_start..lifted_start + 4 * n * small, 0);
    true
}

/// Computes `a(x^2) * b(-x) mod x^n + 1`. `a` has `n/2` coefficients, `b` and `out` have `n`.
pub(super) fn lift(n: usize, a: &[u32], b: &[u32], out: &mut [u32]) {
    let (a_len, b_len, out_len) = (2 * a.len() / n, b.len() / n, out.len() / n);
    out.fill(0);
    for (u, a) in a.chunks_exact(a_len).enumerate() {
        for (v, b) in b.chunks_exact(b_len).enumerate() {
            let t = 2 * u + v;
            let negate = (v & 1 == 1) != (t >= n);
            let out = &mut out[t % n * out_len..][..out_len];
            // Reads two words of `a` at once. The last word is signed.
            let word = |i: usize| {
                let word = a.get(i).copied().map_or(0, i64::from);
                if i == a_len - 1 {
                    word - ((word & (1 << 30)) << 1)
                } else {
                    word
                }
            };
            for i in (0..a_len).step_by(2) {
                let factor = Factor::new(word(i), word(i + 1)).negated_if(negate);
                add_scaled(out, b, factor, i);
            }
        }
    }
}

/// Reduces the lifted pair by `f` and `g` in binary64. Returns the final number of significant
/// words, or `None` if the reference gives up.
///
/// Source: Falcon specification v1.2, algorithm 7 (Reduce).
fn babai<B: Binary64>(
    b: B,
    d: u32,
    n: usize,
    f: &[u32],
    g: &[u32],
    lifted: &mut [u32],
) -> Option<usize> {
    let (small, large) = (f.len() / n, lifted.len() / (2 * n));
    let logn = n.ilog2();
    let half = n / 2;
    let mut reals = Zeroizing::new([[0f64; MAX_DEGREE]; 4]);
    let [f_hat, g_hat, t_hat, u_hat] = &mut *reals;
    let (f_hat, g_hat) = (&mut f_hat[..n], &mut g_hat[..n]);
    let (t_hat, u_hat) = (&mut t_hat[..n], &mut u_hat[..n]);
    let mut inverse = Zeroizing::new([0f64; MAX_DEGREE / 2]);
    let mut k = Zeroizing::new([0i64; MAX_DEGREE]);

    let double = |x: f64| B::F64::from(x);
    let window = small.min(WINDOW);
    let scale_fg = 31 * (small - window) as i32;
    adjoints(b, [f, g], [&mut *f_hat, &mut *g_hat], &mut inverse[..half]);

    let (average, deviation) = SIZE[d as usize];
    let (least, most) = (average - 6 * deviation, average + 6 * deviation);
    let mut len = large;
    let mut size = 31 * large as i32;
    let mut scale = size - least;
    loop {
        let window = len.min(WINDOW);
        let (big_f, big_g) = lifted.split_at_mut(n * large);
        for (hat, poly, conjugate) in [
            (&mut *t_hat, &*big_f, &*f_hat),
            (&mut *u_hat, &*big_g, &*g_hat),
        ] {
            approximate::<B::F64>(poly, large, len, hat);
            b.fft(logn, hat);
            for i in 0..half {
                let (x, y) = (double(hat[i]), double(hat[i + half]));
                let (c, s) = (double(conjugate[i]), double(conjugate[i + half]));
                hat[i] = (x * c - y * s).into();
                hat[i + half] = (x * s + y * c).into();
            }
        }
        for i in 0..n {
            let sum = double(u_hat[i]) + double(t_hat[i]);
            u_hat[i] = (sum * double(inverse[i % half])).into();
        }
        b.ifft(logn, u_hat);

        let down = scale - 31 * (len - window) as i32 + scale_fg;
        let unit = power_of_two(-down);
        const LIMIT: f64 = 2147483647.0;
        for (k, x) in k.iter_mut().zip(u_hat.iter()) {
            let x = double(*x) * unit.into();
            let inside = double(-LIMIT).below(x) & x.below(LIMIT.into());
            if reveal(inside == 0) {
                return None;
            }
            *k = x.rint();
        }
        for (big, poly) in [(big_f, f), (big_g, g)] {
            subtract_multiple(big, len, poly, &k[..n], scale as u32);
        }

        let next = scale + most + 10;
        if next < size {
            size = next;
            if len as i32 * 31 >= size + 31 {
                len -= 1;
            }
        }
        if scale <= 0 {
            return Some(len);
        }
        scale = (scale - 25).max(0);
    }
}

/// Computes the adjoints `f*` and `g*` and the inverse of `f f* + g g*`, in the FFT domain.
#[inline(always)]
fn adjoints<B: Binary64>(
    b: B,
    [f, g]: [&[u32]; 2],
    [f_hat, g_hat]: [&mut [f64]; 2],
    inverse: &mut [f64],
) {
    let n = f_hat.len();
    let (small, half) = (f.len() / n, n / 2);
    let double = |x: f64| B::F64::from(x);
    for (hat, poly) in [(&mut *f_hat, f), (&mut *g_hat, g)] {
        approximate::<B::F64>(poly, small, small, hat);
        b.fft(n.ilog2(), hat);
    }
    for i in 0..half {
        let norm = |hat: &[f64]| {
            let (re, im) = (double(hat[i]), double(hat[i + half]));
            re * re + im * im
        };
        inverse[i] = F64s::<B>::inverse(norm(f_hat) + norm(g_hat)).into();
        for hat in [&mut *f_hat, &mut *g_hat] {
            hat[i + half] = (-double(hat[i + half])).into();
        }
    }
}

/// Subtracts `2^scale k poly` from the first `len` words of the coefficients of `big`. `k` has one
/// entry, below `2^31` in absolute value, for each coefficient.
pub(super) fn subtract_multiple(big: &mut [u32], len: usize, poly: &[u32], k: &[i64], scale: u32) {
    let n = k.len();
    let (stride, small) = (big.len() / n, poly.len() / n);
    let (words, bits) = ((scale / 31) as usize, scale % 31);
    for (u, k) in k.iter().enumerate() {
        let factor = Factor::shifted(*k, bits);
        for (v, poly) in poly.chunks_exact(small).enumerate() {
            let t = u + v;
            let big = &mut big[t % n * stride..][..len];
            add_scaled(big, poly, factor.negated_if(t < n), words);
        }
    }
}

/// Converts coefficients of `stride` words to binary64. Reads the top [`WINDOW`] words of the first
/// `len`.
fn approximate<D: Double>(poly: &[u32], stride: usize, len: usize, out: &mut [f64]) {
    for (x, out) in poly.chunks_exact(stride).zip(out) {
        *out = to_f64::<D>(&x[len.saturating_sub(WINDOW)..len]);
    }
}

/// Returns true if `f G - g F = q` modulo one prime.
fn solves(n: usize, len: usize, fg: &[u32], pair: &[u32]) -> bool {
    let m = Modulus::new(0);
    let residue = |x: &[u32]| {
        let radix = m.encode_word(1 << 31);
        let top = x[x.len() - 1];
        let negative = (top >> 30).wrapping_neg();
        let mut y = m.sub(m.encode_word(top), radix & negative);
        for word in x[..x.len() - 1].iter().rev() {
            y = m.add(m.mul(y, radix), m.encode_word(*word));
        }
        y
    };
    let mut values = Zeroizing::new([[0u32; MAX_DEGREE]; 4]);
    for (values, poly) in values
        .iter_mut()
        .zip(fg.chunks_exact(n * len).chain(pair.chunks_exact(n * len)))
    {
        for (y, x) in values.iter_mut().zip(poly.chunks_exact(len)) {
            *y = residue(x);
        }
    }
    let [f, g, big_f, big_g] = &*values;
    let mut difference = 0;
    for t in 0..n {
        let mut sum = 0;
        for u in 0..n {
            let v = (n + t - u) % n;
            let x = m.sub(m.mul(f[u], big_g[v]), m.mul(g[u], big_f[v]));
            sum = if u <= t { m.add(sum, x) } else { m.sub(sum, x) };
        }
        difference |= sum ^ if t == 0 { m.encode(Q as i32) } else { 0 };
    }
    difference == 0
}
