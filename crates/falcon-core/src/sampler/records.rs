//! What the attempts of a PRNG buffer say before the centre is known.
//!
//! BerExp accepts iff a string of random bytes is below the bytes of
//! `Y = 256 ccs exp(-x)`, so its first byte `w` decides unless `w = floor(Y)`:
//! with `y = log2(exp(x) / ccs) - 8 + z0^2 log2(e) / (2 sigma_max^2)`, which is
//! `(z - r)^2 dss log2(e) - log2(256 ccs)` and depends on the attempt by `z`
//! alone,
//!
//! * it accepts if `y <= q - log2(w + 1)`, since then `Y >= w + 1`,
//! * it rejects if `y > q - log2(w)`, since then `Y < w`,
//!
//! where `q = z0^2 log2(e) / (2 sigma_max^2)`. The right-hand sides, moved
//! apart by a margin, are the records `accept` and `reject`; no exponential is
//! left. What lies between them is for the exact computation.
//!
//! # The margin
//!
//! Everything here is binary32; `u = 2^-24` bounds the relative rounding error
//! of an operation. The Gram-Schmidt norms of a key were checked when it was
//! made or read, so `sigma'` is between `sigma_min` and
//! `1.17^2 sigma_min < sigma_max`, hence `x >= 0` and `dss log2(e) <= 0.58`.
//! With `z0 <= 18` and `|z - r| <= 19`:
//!
//! * `r` is off by `u/2`, `t = z - r` by `u/2 + 16 u` (it is below 32), its
//!   square by `2 * 19 * 16.5 u + 128 u < 755 u`... the product with `d` (off by
//!   `u` itself) by less than `0.58 * 755 u + 210 u + 64 u`, and the difference
//!   `y` by `64 u + 4 u` more: `780 u < 2^-14.39`;
//! * `q` is off by `70.6 u + 32 u`, the logarithm by `2^-21.5` (polynomial) and
//!   `6 u` (roundings), the differences by `64 u` in all: `180 u < 2^-16.5`.
//!
//! Together below `2^-14.1`; the margin is `2^-13`. The exact computation is off
//! by less than `2^-34` of a byte, and its own first byte is what is predicted.

use super::base::RCDT;
use crate::lanes::Isa;
use crate::prng::{BUFFER_LEN, Place};
use crate::wipe::wipe;
use core::f32::consts::LOG2_E;

/// Bytes of an attempt that is decided by one byte.
const ATTEMPT_LEN: usize = 11;
/// Attempts of a buffer at most.
const ATTEMPTS: usize = BUFFER_LEN / ATTEMPT_LEN;
/// [`ATTEMPTS`], filled up to whole vectors.
const ROOM: usize = ATTEMPTS.next_multiple_of(16);
/// Attempts that are looked at together.
pub(super) const WINDOW: usize = crate::lanes::F32_LANES;
/// Buffers that have records.
pub(super) const BUFFERS: usize = 2;
/// Records of attempts.
const END: usize = BUFFERS * ATTEMPTS;
/// Records: those of the attempts, then open ones for the last window.
const LEN: usize = END + WINDOW;

/// The margin of the comparisons.
pub(super) const MARGIN: f32 = 1.0 / 8192.0;
/// `log2(e) / (2 sigma_max^2)`.
pub(super) const PROPOSAL: f32 = LOG2_E * super::serial::INV_2_SIGMA_MAX_SQUARED as f32;
/// The 32 high bits of every entry of the table of the base sampler.
const RCDT_HIGH: [u32; 18] = {
    let mut high = [0; 18];
    let mut i = 0;
    while i < 18 {
        high[i] = (RCDT[i] >> 40) as u32;
        i += 1;
    }
    high
};

/// The records of [`BUFFERS`] buffers, one after the other. An attempt with
/// `accept = -inf`, `reject = inf` is open whatever the centre is.
///
/// The records of a buffer stand at the end of its [`ATTEMPTS`] places, so that
/// the last is followed by the first of the next buffer.
pub(super) struct Records {
    z: [f32; LEN],
    accept: [f32; LEN],
    reject: [f32; LEN],
    /// Where the first record of each buffer begins, in bytes.
    start: [usize; BUFFERS],
    /// Place of the first record of each buffer.
    first: [usize; BUFFERS],
}

impl Records {
    /// Records without an attempt.
    pub(super) const EMPTY: Self = Self {
        z: [0.0; LEN],
        accept: [f32::NEG_INFINITY; LEN],
        reject: [f32::INFINITY; LEN],
        start: [0; BUFFERS],
        first: [0; BUFFERS],
    };

    /// `z`, `accept`, `reject` of [`WINDOW`] attempts from `place` on, which
    /// is at most the place after the last attempt.
    #[inline(always)]
    pub(super) fn window<I: Isa>(&self, isa: I, place: usize) -> Option<[I::F32x8; 3]> {
        Some([
            isa.load(self.z.get(place..)?.first_chunk()?),
            isa.load(self.accept.get(place..)?.first_chunk()?),
            isa.load(self.reject.get(place..)?.first_chunk()?),
        ])
    }

    /// The candidate `z` of the attempt at `place`.
    #[inline(always)]
    pub(super) fn z(&self, place: usize) -> f64 {
        f64::from(self.z[place % LEN])
    }

    /// Where the attempt at `place` begins; none after the last.
    pub(super) fn begin(&self, place: usize) -> Option<Place> {
        let buffer = place / ATTEMPTS;
        let start = self.start.get(buffer)?;
        let index = place - self.first[buffer];
        Some(Place {
            buffer,
            position: start + ATTEMPT_LEN * index,
        })
    }

    /// Reads the attempts of `buffer`, which has number `number`, from
    /// `start` on. Returns the place of the first.
    #[inline(always)]
    pub(super) fn read(&mut self, number: usize, buffer: &[u8; BUFFER_LEN], start: usize) -> usize {
        let [base, trial] = gather(buffer, start);
        let mut records = [[0.0; ROOM]; 3];
        for k in 0..ROOM {
            [records[0][k], records[1][k], records[2][k]] = record(base[k], trial[k]);
        }
        self.put(number, start, records)
    }

    /// Puts the records of a buffer, read from `start` on, in their places.
    #[inline(always)]
    fn put(
        &mut self,
        number: usize,
        start: usize,
        [z, mut accept, mut reject]: [[f32; ROOM]; 3],
    ) -> usize {
        let left = BUFFER_LEN.saturating_sub(start);
        let mut count = left / ATTEMPT_LEN;
        // An attempt that begins in this buffer and ends in the next is open.
        if left % ATTEMPT_LEN > BUFFER_LEN - 1 - crate::prng::END {
            (accept[count], reject[count]) = (f32::NEG_INFINITY, f32::INFINITY);
            count += 1;
        }
        let end = (number + 1) * ATTEMPTS;
        let first = end - count;
        self.z[first..end].copy_from_slice(&z[..count]);
        self.accept[first..end].copy_from_slice(&accept[..count]);
        self.reject[first..end].copy_from_slice(&reject[..count]);
        self.start[number] = start;
        self.first[number] = first;
        first
    }
}

/// What the attempts that lie in `buffer` as a whole have from `start` on: the
/// 32 high bits of 72 for the base sampler; the bytes of sign and trial.
///
/// Not inlined: vector code that puts these words together one by one would be
/// slower than their loads.
#[inline(never)]
fn gather(buffer: &[u8; BUFFER_LEN], start: usize) -> [[u32; ROOM]; 2] {
    let mut base = [0; ROOM];
    let mut trial = [0; ROOM];
    let (attempts, _) = buffer[start.min(BUFFER_LEN)..].as_chunks::<ATTEMPT_LEN>();
    for ((base, trial), bytes) in base.iter_mut().zip(&mut trial).zip(attempts) {
        let [_, _, _, _, _, b0, b1, b2, b3, sign, w] = *bytes;
        *base = u32::from_le_bytes([b0, b1, b2, b3]);
        *trial = u32::from_le_bytes([sign, w, 0, 0]);
    }
    [base, trial]
}

impl zeroize::Zeroize for Records {
    fn zeroize(&mut self) {
        wipe(&mut self.z);
        wipe(&mut self.accept);
        wipe(&mut self.reject);
    }
}

/// `z`, `accept` and `reject` of an attempt: no branch, no table, so that the loop
/// over attempts is vector code.
#[inline(always)]
pub(super) fn record(base: u32, trial: u32) -> [f32; 3] {
    let mut z0 = 0i32;
    let mut tie = 0i32;
    for entry in RCDT_HIGH {
        z0 += i32::from(base < entry);
        // The 40 low bits decide.
        tie |= i32::from(base == entry);
    }
    let sign = (trial & 1) as i32;
    let w = (trial >> 8) as i32;
    let z = sign + (2 * sign - 1) * z0;
    let z0 = z0 as f32;
    let q = z0 * z0 * PROPOSAL;
    let accept = q - log2((w + 1) as f32) - MARGIN;
    let reject = q - log2(w as f32) + MARGIN;
    let accept = if tie != 0 { f32::NEG_INFINITY } else { accept };
    let reject = if tie != 0 || w == 0 {
        f32::INFINITY
    } else {
        reject
    };
    [z as f32, accept, reject]
}

/// `log2(1 + t) / t` on `[sqrt(1/2) - 1, sqrt(2) - 1]`, lowest degree first:
/// least absolute error of the logarithm, `2^-21.5`.
const LOG2: [f32; 7] = [
    1.442_699_7,
    -0.721_375_9,
    0.480_465_02,
    -0.358_961_76,
    0.297_262_67,
    -0.272_698_82,
    0.170_635_4,
];

/// `log2(x)` for normal `x > 0`, off by less than `2^-20`; no branch.
#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    // x = 2^e (1 + t), 1 + t from sqrt(1/2) to sqrt(2).
    const SQRT_HALF: i32 = 0x3f35_04f3;
    let bits = x.to_bits() as i32;
    let e = bits.wrapping_sub(SQRT_HALF) >> 23;
    let t = f32::from_bits(bits.wrapping_sub(e << 23) as u32) - 1.0;
    let [c0, c1, c2, c3, c4, c5, c6] = LOG2;
    let p = c5 + t * c6;
    let p = c4 + t * p;
    let p = c3 + t * p;
    let p = c2 + t * p;
    let p = c1 + t * p;
    e as f32 + t * (c0 + t * p)
}
