//! The FFT and its inverse: stages of butterflies.

use super::runs::{
    butterfly, cut_blocks, halves_mut, join_blocks, len, load, load_unzipped, store, store_zipped,
    twiddles,
};
use super::{TWIDDLE_IM, TWIDDLE_RE};
use crate::lanes::{F64s, Lanes};
use core::ops::Range;

/// Number of bytes that fit in the first-level cache of every processor, together with other data.
const CACHED: usize = 1 << 14;

/// A part of the polynomial: part number `index` of `count`.
#[derive(Clone, Copy)]
struct Part {
    index: usize,
    count: usize,
}

impl Part {
    const WHOLE: Self = Self { index: 0, count: 1 };
}

/// Returns the twiddle of block `i` of the stage of `m` blocks.
#[inline(always)]
fn twiddle<L: Lanes, R: F64s<L::Isa>>(l: L, m: usize, i: usize) -> [R; 2] {
    let (re, im) = twiddles(m);
    [l.cycle(&re[i..i + 1]), l.cycle(&im[i..i + 1])]
}

/// Computes a stage whose butterflies join values `t` apart; `t` is a multiple of the run length.
/// Block `i` has `2t` values and one twiddle.
#[inline(always)]
fn stage<L: Lanes, R: F64s<L::Isa>, const INVERSE: bool>(
    l: L,
    t: usize,
    re: &mut [L::Real],
    im: &mut [L::Real],
) {
    let m = re.len() / (2 * t);
    let blocks = re.chunks_exact_mut(2 * t).zip(im.chunks_exact_mut(2 * t));
    for (i, (re, im)) in blocks.enumerate() {
        let w = twiddle(l, m, i);
        let [x_re, y_re] = halves_mut::<L, R, _>(t, re);
        let [x_im, y_im] = halves_mut::<L, R, _>(t, im);
        for u in 0..t / len::<L, R>() {
            let x = load(l, &x_re[u], &x_im[u]);
            let y = load(l, &y_re[u], &y_im[u]);
            let [x, y] = butterfly::<L, R, INVERSE>(x, y, w);
            store::<L, R>(x, &mut x_re[u], &mut x_im[u]);
            store::<L, R>(y, &mut y_re[u], &mut y_im[u]);
        }
    }
}

/// Computes two stages of a part in one pass over memory. The butterflies of the first stage join
/// values `2t` apart, and those of the second stage join values `t` apart. `t` is a multiple of the
/// run length.
#[inline(always)]
fn two_stages<L: Lanes, R: F64s<L::Isa>, const INVERSE: bool>(
    l: L,
    part: Part,
    t: usize,
    re: &mut [L::Real],
    im: &mut [L::Real],
) {
    let m = re.len() / (4 * t);
    let blocks = re.chunks_exact_mut(4 * t).zip(im.chunks_exact_mut(4 * t));
    for (i, (re, im)) in blocks.enumerate() {
        let (m, i) = (part.count * m, part.index * m + i);
        let w: [R; 2] = twiddle(l, m, i);
        let v = [twiddle(l, 2 * m, 2 * i), twiddle(l, 2 * m, 2 * i + 1)];
        let (re, im) = (re.split_at_mut(2 * t), im.split_at_mut(2 * t));
        let [a_re, b_re] = halves_mut::<L, R, _>(t, re.0);
        let [c_re, d_re] = halves_mut::<L, R, _>(t, re.1);
        let [a_im, b_im] = halves_mut::<L, R, _>(t, im.0);
        let [c_im, d_im] = halves_mut::<L, R, _>(t, im.1);
        for u in 0..t / len::<L, R>() {
            let mut a = load(l, &a_re[u], &a_im[u]);
            let mut b = load(l, &b_re[u], &b_im[u]);
            let mut c = load(l, &c_re[u], &c_im[u]);
            let mut d = load(l, &d_re[u], &d_im[u]);
            if !INVERSE {
                [a, c] = butterfly::<L, R, INVERSE>(a, c, w);
                [b, d] = butterfly::<L, R, INVERSE>(b, d, w);
            }
            [a, b] = butterfly::<L, R, INVERSE>(a, b, v[0]);
            [c, d] = butterfly::<L, R, INVERSE>(c, d, v[1]);
            if INVERSE {
                [a, c] = butterfly::<L, R, INVERSE>(a, c, w);
                [b, d] = butterfly::<L, R, INVERSE>(b, d, w);
            }
            store::<L, R>(a, &mut a_re[u], &mut a_im[u]);
            store::<L, R>(b, &mut b_re[u], &mut b_im[u]);
            store::<L, R>(c, &mut c_re[u], &mut c_im[u]);
            store::<L, R>(d, &mut d_re[u], &mut d_im[u]);
        }
    }
}

/// The twiddles of [`inner_stages`]. In a slice of `[f64; K]`, element `i` has the twiddles of the
/// `i`-th pair of runs, for the stage with `K` blocks in each pair. The slices are cut before the
/// loop over the pairs, so that the loop needs no checks.
struct RunTwiddles {
    ones: [&'static [[f64; 1]]; 2],
    twos: [&'static [[f64; 2]]; 2],
    fours: [&'static [[f64; 4]]; 2],
    eights: [&'static [[f64; 8]]; 2],
}

impl RunTwiddles {
    /// Selects the twiddles of a part that has `pairs` pairs of runs. A run has `len` values.
    #[inline(always)]
    fn new(part: Part, pairs: usize, len: usize) -> Self {
        // The stage of `m` blocks begins at `m` in the table. A stage with `K` blocks in a pair
        // of runs has `K` times as many blocks as there are pairs.
        let pairs = (part.count + part.index) * pairs..(part.count + part.index + 1) * pairs;
        Self {
            ones: Self::slices(pairs.clone(), len),
            twos: Self::slices(pairs.clone(), len),
            fours: Self::slices(pairs.clone(), len),
            eights: Self::slices(pairs, len),
        }
    }

    #[inline(always)]
    fn slices<const K: usize>(pairs: Range<usize>, len: usize) -> [&'static [[f64; K]]; 2] {
        if K > len {
            return [&[], &[]];
        }
        let (re, im) = (TWIDDLE_RE.as_chunks().0, TWIDDLE_IM.as_chunks().0);
        [&re[pairs.clone()], &im[pairs]]
    }

    /// Returns the twiddles of the `i`-th pair of runs, for the stage with `k` blocks in each pair.
    #[inline(always)]
    fn get<L: Lanes, R: F64s<L::Isa>>(&self, l: L, i: usize, k: usize) -> [R; 2] {
        const { assert!(len::<L, R>() <= 8, "no run is longer") };
        let (re, im): (&[f64], &[f64]) = match k {
            1 => (&self.ones[0][i], &self.ones[1][i]),
            2 => (&self.twos[0][i], &self.twos[1][i]),
            4 => (&self.fours[0][i], &self.fours[1][i]),
            _ => (&self.eights[0][i], &self.eights[1][i]),
        };
        [l.per_block(re), l.per_block(im)]
    }
}

/// Computes the last stages on two runs at a time. They join values a run apart, half a run apart,
/// and so on down to neighbours. Between two stages, [`F64s::cut_blocks`] brings the values of the
/// next stage to the same places. The inverse stages go the other way, and begin with the
/// multiplication by `scale`.
#[inline(always)]
fn inner_stages<L: Lanes, R: F64s<L::Isa>, const INVERSE: bool>(
    l: L,
    part: Part,
    scale: f64,
    re: &mut [L::Real],
    im: &mut [L::Real],
) {
    let (re, _) = L::runs_mut::<R, _>(re).as_chunks_mut::<2>();
    let (im, _) = L::runs_mut::<R, _>(im).as_chunks_mut::<2>();
    let scale: R = l.cycle(&[scale]);
    let w = RunTwiddles::new(part, re.len(), len::<L, R>());
    for (i, (re, im)) in re.iter_mut().zip(im).enumerate() {
        if INVERSE {
            let [mut x, mut y] = load_unzipped::<L, R>(l, re, im);
            x = [x[0] * scale, x[1] * scale];
            y = [y[0] * scale, y[1] * scale];
            let mut blocks = len::<L, R>();
            // The second condition always holds. It shows the compiler how often the loop runs.
            while 1 <= blocks && blocks <= len::<L, R>() {
                [x, y] = butterfly::<L, R, INVERSE>(x, y, w.get(l, i, blocks));
                if blocks > 1 {
                    [x, y] = join_blocks(x, y, blocks / 2);
                }
                blocks /= 2;
            }
            store::<L, R>(x, &mut re[0], &mut im[0]);
            store::<L, R>(y, &mut re[1], &mut im[1]);
        } else {
            let mut x = load(l, &re[0], &im[0]);
            let mut y = load(l, &re[1], &im[1]);
            let mut blocks = 1;
            while blocks <= len::<L, R>() {
                [x, y] = butterfly::<L, R, INVERSE>(x, y, w.get(l, i, blocks));
                if blocks < len::<L, R>() {
                    [x, y] = cut_blocks(x, y, blocks);
                }
                blocks *= 2;
            }
            store_zipped::<L, R>([x, y], re, im);
        }
    }
}

/// Returns true if `m` complex numbers of every lane exceed the cache.
#[inline(always)]
fn exceeds_the_cache<L: Lanes>(m: usize) -> bool {
    2 * m * size_of::<L::Real>() > CACHED
}

/// Cuts the values into parts of `len` values. Returns each [`Part`] with its values.
#[inline(always)]
fn parts<'a, T>(
    len: usize,
    re: &'a mut [T],
    im: &'a mut [T],
) -> impl Iterator<Item = (Part, (&'a mut [T], &'a mut [T]))> {
    let count = re.len() / len;
    let places = (0..count).map(
        #[inline(always)]
        move |index| Part { index, count },
    );
    places.zip(re.chunks_exact_mut(len).zip(im.chunks_exact_mut(len)))
}

/// Computes the FFT in place. The numbers `f[u] + i f[u + n/2]` are `f mod x^(n/2) - i` already.
/// Stage by stage, block `i` holds `f mod x^(2t) - w^2` and becomes `f mod x^t - w` and
/// `f mod x^t + w`.
///
/// The data of many lanes exceed the cache. As soon as a block fits the cache, all further stages
/// of this block are computed before the next block.
#[inline(always)]
pub(super) fn fft<L: Lanes, R: F64s<L::Isa>>(l: L, logn: u32, f: &mut [L::Real]) {
    let m = 1 << (logn - 1);
    let (re, im) = f.split_at_mut(m);
    let im = &mut im[..m];
    // The stages that join values from m/2 down to two runs apart are computed in pairs. If their
    // number is odd, the first is computed alone.
    let mut t = m / 2;
    if (t / len::<L, R>()).trailing_zeros() % 2 == 1 {
        stage::<L, R, false>(l, t, re, im);
        t /= 2;
    }
    if L::LANES == 1 {
        last_stages::<L, R>(l, Part::WHOLE, t, re, im);
        return;
    }
    while t > len::<L, R>() && exceeds_the_cache::<L>(2 * t) {
        two_stages::<L, R, false>(l, Part::WHOLE, t / 2, re, im);
        t /= 4;
    }
    // Degree 2 has no stage.
    for (part, (re, im)) in parts((2 * t).max(1), re, im) {
        last_stages::<L, R>(l, part, t, re, im);
    }
}

/// Computes the stages of a part, starting with the stage that joins values `t` apart.
#[inline(always)]
fn last_stages<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    part: Part,
    mut t: usize,
    re: &mut [L::Real],
    im: &mut [L::Real],
) {
    while t > len::<L, R>() {
        two_stages::<L, R, false>(l, part, t / 2, re, im);
        t /= 4;
    }
    inner_stages::<L, R, false>(l, part, 1.0, re, im);
}

#[inline(always)]
pub(super) fn ifft<L: Lanes, R: F64s<L::Isa>>(l: L, logn: u32, f: &mut [L::Real]) {
    let m = 1 << (logn - 1);
    let (re, im) = f.split_at_mut(m);
    let im = &mut im[..m];
    // Every stage doubles the values. n/2 is a power of two, so the scaling is exact. Its factor
    // 2^(1 - logn) is built from its bits.
    let scale = f64::from_bits((1024 - u64::from(logn)) << 52);
    let mut t = 2 * len::<L, R>();
    if L::LANES == 1 {
        t = first_stages::<L, R>(l, Part::WHOLE, m, scale, re, im);
    } else {
        // Finds the longest parts that fit the cache, in steps of two stages.
        while 2 * t < m && !exceeds_the_cache::<L>(4 * t) {
            t *= 4;
        }
        for (part, (re, im)) in parts(t, re, im) {
            first_stages::<L, R>(l, part, t, scale, re, im);
        }
        while 2 * t < m {
            two_stages::<L, R, true>(l, Part::WHOLE, t, re, im);
            t *= 4;
        }
    }
    if 2 * t == m {
        stage::<L, R, true>(l, t, re, im);
    }
}

/// Computes the first stages of a part of `length` values: the inner stages, then pairs of stages
/// while a pair fits the part. Returns the distance of the values that the next stage joins.
#[inline(always)]
fn first_stages<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    part: Part,
    length: usize,
    scale: f64,
    re: &mut [L::Real],
    im: &mut [L::Real],
) -> usize {
    inner_stages::<L, R, true>(l, part, scale, re, im);
    let mut t = 2 * len::<L, R>();
    while 2 * t < length {
        two_stages::<L, R, true>(l, part, t, re, im);
        t *= 4;
    }
    t
}
