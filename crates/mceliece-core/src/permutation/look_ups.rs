//! [Control bits](super::control_bits) by table lookup, for instruction sets that look up many
//! bytes at once.
//!
//! Every permutation is stored with its inverse, so two permutations are composed by lookups. The
//! permutations of a level are in segments of places. At first one segment is one permutation. The
//! next level has two segments of half the length. Segments of 256 places are not divided further.
//! There, element `x` of permutation `u` is at place `x stride + u`, and numbers are those of
//! places. So `X` changes one bit of a place on every level.
//!
//! Numbers are in two planes: their low bytes, then their high bytes.

use falcon_lanes::{Isa, wipe};

/// Base-2 logarithm of the length of the shortest segments. [`Isa::look_up_bytes`] accepts no
/// shorter ones, and strides must fit in the low byte of a number.
const SHORTEST_LOG: usize = 8;

/// Number of bytes of scratch for `2^m` points.
pub(crate) const fn scratch_len(m: usize) -> usize {
    12 << m
}

/// Numbers of all places, in two planes.
struct Numbers<'a> {
    low: &'a mut [u8],
    high: &'a mut [u8],
}

impl<'a> Numbers<'a> {
    /// Takes memory for `count` numbers from the start of `scratch`.
    fn take(count: usize, scratch: &mut &'a mut [u8]) -> Self {
        let (low, rest) = core::mem::take(scratch).split_at_mut(count);
        let (high, rest) = rest.split_at_mut(count);
        *scratch = rest;
        Self { low, high }
    }

    /// Borrows the numbers at `places`.
    fn part(&mut self, places: core::ops::Range<usize>) -> Numbers<'_> {
        Numbers {
            low: &mut self.low[places.clone()],
            high: &mut self.high[places],
        }
    }

    fn planes(&self) -> [&[u8]; 2] {
        [self.low, self.high]
    }

    fn planes_mut(&mut self) -> [&mut [u8]; 2] {
        [self.low, self.high]
    }

    fn set(&mut self, place: usize, number: usize) {
        self.low[place] = number as u8;
        self.high[place] = (number >> 8) as u8;
    }
}

/// ORs the control bits of `pi`, a permutation of `2^m` points with `8 <= m <= 13`, into `out`,
/// which has `(2m-1) 2^(m-4)` bytes. `inverse` is the inverse of `pi`. `scratch` has
/// [`scratch_len`] bytes, which the caller wipes.
#[inline(never)]
pub(crate) fn control_bits<I: Isa>(
    isa: I,
    m: usize,
    pi: impl Fn(usize) -> usize,
    inverse: impl Fn(usize) -> usize,
    out: &mut [u8],
    mut scratch: &mut [u8],
) {
    let q = 1 << m;
    let layer = q / 16;
    let mut memory = [(); 6].map(|()| Numbers::take(q, &mut scratch));
    for x in 0..q {
        memory[0].set(x, pi(x));
        memory[1].set(x, inverse(x));
    }
    isa.vectorize(
        #[inline(always)]
        || {
            for level in 0..m {
                let w = m - level;
                let log = w.max(SHORTEST_LOG);
                for segment in 0..q >> log {
                    let places = segment << log..(segment + 1) << log;
                    let [pi, inverse, last, power, first, spare] = memory
                        .each_mut()
                        .map(|numbers| numbers.part(places.clone()));
                    let segment = Segment {
                        isa,
                        w,
                        stride: 1 << (log - w),
                        pi,
                        inverse,
                        last,
                        power,
                        first,
                        spare,
                    };
                    segment.reduce();
                }
                let [_, _, last, _, first, _] = &memory;
                put_bits(m, w, first.low, &mut out[level * layer..][..layer]);
                if w > 1 {
                    let level = 2 * m - 2 - level;
                    put_bits(m, w, last.low, &mut out[level * layer..][..layer]);
                }
            }
        },
    );
}

/// ORs the bits of a layer into `out`. At the even place of a pair, `bits` has the control bit of
/// the pair as its bit `stride`.
#[inline(always)]
fn put_bits(m: usize, w: usize, bits: &[u8], out: &mut [u8]) {
    /// Number of places of a segment that are handled together.
    const PLACES: usize = 1 << SHORTEST_LOG;
    let log = w.max(SHORTEST_LOG);
    let (stride_log, blocks_log) = (log - w, m - log);
    // Base-2 logarithm of the number of segments that share a byte of `out`, and the number of
    // pairs that each of them has in the byte.
    let together_log = blocks_log.min(3);
    let pairs = 8 >> together_log;
    let mut joined = [0; PLACES];
    for piece in 0..1 << (log - SHORTEST_LOG) {
        for group in 0..1 << (blocks_log - together_log) {
            joined.fill(0);
            for i in 0..1 << together_log {
                // The number of a segment has the bits of the levels in reversed order.
                let reversed: usize = group << together_log | i;
                let segment = reversed
                    .reverse_bits()
                    .checked_shr(usize::BITS - blocks_log as u32)
                    .unwrap_or(0);
                let bits = &bits[(segment << log) + PLACES * piece..][..PLACES];
                for (sum, bits) in joined.as_chunks_mut().0.iter_mut().zip(bits.as_chunks().0) {
                    let bits = u64::from_le_bytes(*bits) >> stride_log & 0x0101_0101_0101_0101;
                    *sum = (u64::from_le_bytes(*sum) | bits << i).to_le_bytes();
                }
            }
            for first in (0..PLACES / 2).step_by(pairs) {
                let mut byte = 0;
                for i in 0..pairs {
                    let pair = first + i;
                    let low = pair & ((1 << stride_log) - 1);
                    let place = (pair >> stride_log) << (stride_log + 1) | low;
                    byte |= joined[place] << (i << together_log);
                }
                let number = (PLACES / 2 * piece + first) << blocks_log | group << together_log;
                out[number / 8] |= byte;
            }
        }
    }
    wipe(&mut joined);
}

/// A segment of permutations.
struct Segment<'a, I> {
    isa: I,
    /// Number of bits of a point, `w`.
    w: usize,
    /// Number of permutations.
    stride: usize,
    pi: Numbers<'a>,
    inverse: Numbers<'a>,
    /// A power of the permutation `P`.
    power: Numbers<'a>,
    spare: Numbers<'a>,
    /// Scratch during [`reduce`](Self::reduce), the bits of the first layer afterwards.
    first: Numbers<'a>,
    /// The least elements during [`reduce`](Self::reduce), the bits of the last layer afterwards.
    last: Numbers<'a>,
}

impl<I: Isa> Segment<'_, I> {
    /// Finds the bits of the first and the last layer, and replaces the permutations by those of
    /// the next level. On two points, writes the bits of the only layer to `first`.
    #[inline(always)]
    fn reduce(mut self) {
        let (isa, stride) = (self.isa, self.stride);
        if self.w == 1 {
            even_bits(self.pi.low, stride, self.first.low);
            return;
        }
        self.find_least();

        // Computes F, then F pi.
        even_bits(self.last.low, stride, self.first.low);
        let bits = &*self.first.low;
        isa.look_up_bytes([bits], self.pi.planes(), [self.spare.low]);
        add(self.spare.low, self.pi.low);
        // Computes L, F pi L, and the inverse of F pi L.
        even_bits(self.pi.low, stride, self.last.low);
        for (from, to) in self.pi.planes().into_iter().zip(self.power.planes_mut()) {
            exchange_where(self.last.low, from, stride, to);
        }
        for (from, to) in self
            .inverse
            .planes()
            .into_iter()
            .zip(self.spare.planes_mut())
        {
            exchange_where(self.first.low, from, stride, to);
        }
        let bits = &*self.last.low;
        isa.look_up_bytes([bits], self.spare.planes(), [self.inverse.low]);
        add(self.inverse.low, self.spare.low);

        let next = [
            (&self.power, &mut self.pi),
            (&self.spare, &mut self.inverse),
        ];
        for (from, to) in next {
            if self.w > SHORTEST_LOG {
                divide(from, to);
            } else {
                to.low.copy_from_slice(from.low);
                to.high.copy_from_slice(from.high);
            }
        }
    }

    /// Writes the least elements of all cycles of `P` to `last`. The lengths of the cycles are at
    /// most `2^(w-1)`. The least element within `2^i` steps is the smaller of two within `2^(i-1)`
    /// steps: the one at `x`, and the one at `P^(2^(i-1)) x`.
    #[inline(always)]
    fn find_least(&mut self) {
        let Self {
            isa,
            w,
            stride,
            pi,
            inverse,
            power,
            spare,
            first,
            last,
        } = self;
        let (isa, w, stride) = (*isa, *w, *stride);
        // Computes A = pi X pi^-1, and P = A X.
        for (to, from) in first.low.iter_mut().zip(&*inverse.low) {
            *to = from ^ stride as u8;
        }
        isa.look_up_bytes(pi.planes(), [first.low, inverse.high], spare.planes_mut());
        for (from, to) in spare.planes().into_iter().zip(power.planes_mut()) {
            exchange(from, stride, to);
        }
        for place in 0..pi.low.len() {
            last.set(place, place);
        }
        keep_least(power, last);
        if w < 3 {
            return;
        }
        isa.look_up_bytes(power.planes(), power.planes(), spare.planes_mut());
        core::mem::swap(power, spare);
        for _ in 3..w {
            let ([a, b], [c, d]) = (last.planes(), power.planes());
            let ([e, f], [g, h]) = (first.planes_mut(), spare.planes_mut());
            isa.look_up_bytes([a, b, c, d], power.planes(), [e, f, g, h]);
            keep_least(first, last);
            core::mem::swap(power, spare);
        }
        isa.look_up_bytes(last.planes(), power.planes(), first.planes_mut());
        keep_least(first, last);
    }
}

/// Replaces each number of `least` by the number of `other` at the same place, if the latter is
/// smaller.
#[inline(always)]
fn keep_least(other: &Numbers<'_>, least: &mut Numbers<'_>) {
    let others = other.low.iter().zip(&*other.high);
    let numbers = least.low.iter_mut().zip(&mut *least.high);
    for ((low, high), (other_low, other_high)) in numbers.zip(others) {
        let [a, b] = [[*low, *high], [*other_low, *other_high]].map(u16::from_le_bytes);
        [*low, *high] = a.min(b).to_le_bytes();
    }
}

/// XORs `x` into `sum`.
#[inline(always)]
fn add(x: &[u8], sum: &mut [u8]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum ^= x;
    }
}

/// Calls `change(i, x, partners, even)` for the eight bytes `i` of `bytes`, and writes its results.
/// `x` has these bytes, `partners` the bytes at the places that differ in the bit `stride`. `even`
/// is a mask of the places without this bit.
#[inline(always)]
fn with_partners(
    bytes: &[u8],
    stride: usize,
    out: &mut [u8],
    change: impl Fn(usize, u64, u64, u64) -> u64,
) {
    /// Handles strides `S` below eight. `EVEN` masks the bytes whose place does not have the bit
    /// `S`.
    #[inline(always)]
    fn inside<'o, const S: usize, const EVEN: u64>(
        words: impl Iterator<Item = (usize, u64, &'o mut [u8; 8])>,
        change: impl Fn(usize, u64, u64, u64) -> u64,
    ) {
        for (i, x, out) in words {
            let partner = x >> (8 * S) & EVEN | (x & EVEN) << (8 * S);
            *out = change(i, x, partner, EVEN).to_le_bytes();
        }
    }
    let words = bytes.as_chunks().0;
    let outs = out.as_chunks_mut().0.iter_mut();
    let all = words.iter().zip(outs).enumerate();
    let all = all.map(|(i, (x, out))| (i, u64::from_le_bytes(*x), out));
    match stride {
        1 => inside::<1, 0x00ff_00ff_00ff_00ff>(all, change),
        2 => inside::<2, 0x0000_ffff_0000_ffff>(all, change),
        4 => inside::<4, 0x0000_0000_ffff_ffff>(all, change),
        _ => {
            for (i, x, out) in all {
                let partner = u64::from_le_bytes(words[i ^ (stride / 8)]);
                let even = if i & (stride / 8) == 0 { u64::MAX } else { 0 };
                *out = change(i, x, partner, even).to_le_bytes();
            }
        }
    }
}

/// Writes to each place of `out` the byte of the place's partner.
#[inline(always)]
fn exchange(bytes: &[u8], stride: usize, out: &mut [u8]) {
    with_partners(
        bytes,
        stride,
        out,
        #[inline(always)]
        |_, _, partner, _| partner,
    );
}

/// Writes the bit `stride` of the even place of every pair to both places.
#[inline(always)]
fn even_bits(bytes: &[u8], stride: usize, out: &mut [u8]) {
    let bit = u64::from_le_bytes([stride as u8; 8]);
    with_partners(
        bytes,
        stride,
        out,
        #[inline(always)]
        |_, x, partner, even| (x & even | partner & !even) & bit,
    );
}

/// At each place whose `bits` have the bit `stride`, writes the partner's byte. Elsewhere, writes
/// the place's own byte.
#[inline(always)]
fn exchange_where(bits: &[u8], bytes: &[u8], stride: usize, out: &mut [u8]) {
    let bits = bits.as_chunks().0;
    let log = stride.trailing_zeros();
    with_partners(
        bytes,
        stride,
        out,
        #[inline(always)]
        |i, x, partner, _| {
            let ones = u64::from_le_bytes(bits[i]) >> log & 0x0101_0101_0101_0101;
            x ^ (x ^ partner) & (ones << 8).wrapping_sub(ones)
        },
    );
}

/// Divides a permutation that keeps parity. Writes half of each even number, from the even places,
/// then half of each odd number.
#[inline(always)]
fn divide(from: &Numbers<'_>, to: &mut Numbers<'_>) {
    let half = from.low.len() / 2;
    let (low, high) = (from.low.as_chunks::<2>().0, from.high.as_chunks::<2>().0);
    let (even_low, odd_low) = to.low.split_at_mut(half);
    let (even_high, odd_high) = to.high.split_at_mut(half);
    for i in 0..half {
        even_low[i] = low[i][0] >> 1 | high[i][0] << 7;
        odd_low[i] = low[i][1] >> 1 | high[i][1] << 7;
        even_high[i] = high[i][0] >> 1;
        odd_high[i] = high[i][1] >> 1;
    }
}
