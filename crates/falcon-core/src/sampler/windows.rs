//! The sampler in windows: it decides eight attempts of a signature together, in the log domain,
//! for both integers of a leaf.
//!
//! The records of a buffer tell what the first byte of each attempt decides (see `records.rs`). For
//! a centre, an attempt with `y > reject` is surely rejected. The first other attempt is the
//! candidate, and it is the answer if `y <= accept`. The second integer of the leaf is the next
//! candidate. The exact code handles unsure attempts and every end of a buffer, from the same byte
//! of the source. So the integers and the bytes consumed are those of [`Serial`](super::Serial).

use super::first_byte::FixedLeaf;
use super::records::{AHEAD, BUFFERS, END, Records, SETS, WINDOW, level, spread};
use super::serial::{Center, attempt};
use super::{LEAST_ATTEMPTS, MAX_FILLS, MOST_BYTES, Sampling, Seeded};
use crate::fft::Fft;
use crate::lanes::{F32x8, Isa, Register};
use crate::prng::{self, Place, Prng, SAMPLER_SEED_LEN};
use crate::reveal::reveal;
use crate::tree::Leaf;
use core::fmt;
use core::marker::PhantomData;
use zeroize::Zeroize;

/// A generator whose buffers have records.
type Buffers = Prng<AHEAD, SETS>;
// The first bytes of a buffer may belong to the previous attempt. No attempt begins in its last
// bytes.
const _: () = assert!(BUFFERS * ((prng::END - MOST_BYTES) / MOST_BYTES) >= LEAST_ATTEMPTS);

/// The sampler in windows. It takes the bytes of `S`, in the frame of an instruction set with a
/// binary64 unit.
pub struct Windows<I, S = Buffers>(I, PhantomData<fn() -> S>);

impl<I, S> Windows<I, S> {
    /// Makes the sampler.
    pub const fn new(isa: I) -> Self {
        Self(isa, PhantomData)
    }
}

// `Clone` is not derived, because a derived `Clone` would require `Clone` of `S`.
impl<I: Copy, S> Clone for Windows<I, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Copy, S> Copy for Windows<I, S> {}
impl<I: fmt::Debug, S> fmt::Debug for Windows<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Windows").field(&self.0).finish()
    }
}

/// A byte source that computes buffers ahead, and makes records of their attempts.
pub trait Buffered: Seeded {
    /// Starts as [`start`](Seeded::start) does, in the frame of `isa`.
    fn start_on(&mut self, isa: impl Isa, seed: &Self::Seed);
    /// Makes the records of the attempts ahead and returns the place of the first attempt. `new` is
    /// true if buffers were computed since the last call.
    fn read_records<I: Isa>(&mut self, isa: I, new: bool, records: &mut Records) -> usize;
    /// Moves to an attempt that has a record.
    fn seek(&mut self, begin: Place);
    /// Computes the buffers after those that have records.
    fn next_buffers(&mut self, isa: impl Isa);
    /// Returns a counter that changes when buffers are computed.
    fn counter(&self) -> u64;
    /// Computes a part of the next buffers, in the frame of the caller.
    #[inline(always)]
    fn work_ahead(&mut self, _: impl Isa) {}

    /// Returns true if [`work_together`](Self::work_together) would compute the next buffers.
    #[inline(always)]
    fn lacks_next(&self) -> bool {
        false
    }

    /// Computes the next buffers of all sources that lack them.
    fn work_together<'s>(_: impl Isa, _: impl Iterator<Item = &'s mut Self>)
    where
        Self: 's,
    {
    }
}

impl Buffered for Buffers {
    #[inline(always)]
    fn start_on(&mut self, isa: impl Isa, seed: &[u8; SAMPLER_SEED_LEN]) {
        Self::start(self, isa, seed);
    }

    #[inline(always)]
    fn read_records<I: Isa>(&mut self, isa: I, new: bool, records: &mut Records) -> usize {
        let Place { buffer, position } = self.place();
        let mut next = 0;
        // Makes later records first, since they overwrite the end of the records before them.
        for (number, bytes) in self.buffers().iter().enumerate().rev() {
            if number == buffer {
                next = records.read(isa, number, bytes, position);
            } else if new && number > buffer {
                records.read(isa, number, bytes, 0);
            }
        }
        next
    }

    fn seek(&mut self, begin: Place) {
        Self::seek(self, begin);
    }

    fn next_buffers(&mut self, isa: impl Isa) {
        self.skip_buffers();
        self.refill(isa);
    }

    fn counter(&self) -> u64 {
        Self::counter(self)
    }
    #[inline(always)]
    fn work_ahead(&mut self, isa: impl Isa) {
        Self::work_ahead(self, isa);
    }
}

/// A byte source and the records of its buffers.
pub struct Feed<S = Buffers> {
    pub(super) source: S,
    records: Records,
    /// Place of the next attempt.
    next: usize,
    /// Number of times that the buffers may still be filled before the sampler gives up.
    pub(super) fills_left: u32,
}

impl<S> Drop for Feed<S> {
    fn drop(&mut self) {
        self.records.zeroize();
    }
}

/// A leaf in the log domain.
#[derive(Clone, Copy)]
pub struct LogLeaf {
    leaf: Leaf,
    /// Factor for differences of `y`; see [`spread`].
    spread: f32,
    /// The `y` of an attempt at the centre: the negative of [`level`].
    least: f32,
}

/// Verdicts on the attempts of a window for one centre, as masks.
#[derive(Clone, Copy)]
struct Verdicts {
    /// Attempts that are surely accepted.
    accepted: u64,
    /// Attempts that are not surely rejected.
    open: u64,
}

impl<I: Isa, S: Buffered> Sampling for Windows<I, S> {
    type Seed = S::Seed;
    type Feed = Feed<S>;
    type Leaf = LogLeaf;
    const EMPTY: Feed<S> = Feed {
        source: S::EMPTY,
        records: Records::EMPTY,
        next: 0,
        fills_left: MAX_FILLS,
    };

    fn start(self, feed: &mut Feed<S>, seed: &S::Seed) {
        feed.source.start_on(self.0, seed);
        feed.fills_left = MAX_FILLS;
        // Reads from the first byte on. All records are new, except the open ones after the last,
        // which never change.
        self.read_records(feed, true);
    }

    #[inline(always)]
    fn gave_up(feed: &Feed<S>) -> bool {
        feed.fills_left == 0
    }

    #[inline(always)]
    fn work_ahead(self, feed: &mut Feed<S>) {
        if I::FILLS_GAPS {
            feed.source.work_ahead(self.0);
        }
    }

    #[inline(always)]
    fn work_together(self, feeds: &mut [Feed<S>]) {
        let ends = |feed: &Feed<S>| feed.next + SOON > END && feed.source.lacks_next();
        if feeds.iter().any(ends) {
            self.compute_together(feeds);
        }
    }

    #[inline(always)]
    fn leaf(self, leaf: &Leaf) -> LogLeaf {
        LogLeaf {
            leaf: *leaf,
            spread: spread(leaf.dss),
            least: -level(leaf.ccs),
        }
    }

    #[inline(always)]
    fn sample_pair(self, feed: &mut Feed<S>, rests: [f64; 2], leaf: &LogLeaf) -> [f64; 2] {
        match self.candidates(feed, [rests[0] as f32, rests[1] as f32], leaf) {
            Some([z0, z1]) => [f64::from(z0), f64::from(z1)],
            None => self.sample_one_by_one(feed, rests, leaf),
        }
    }

    #[inline(always)]
    fn sample_lanes<F: Fft>(
        self,
        fft: F,
        feeds: &mut [Feed<S>],
        rests: [F::Real; 2],
        leaf: &LogLeaf,
    ) -> [F::Real; 2] {
        const { assert!(F::LANES <= 16) };
        match F::LANES {
            1 => self.sample_some::<F, 1>(fft, feeds, rests, leaf),
            2..=4 => self.sample_some::<F, 4>(fft, feeds, rests, leaf),
            5..=8 => self.sample_some::<F, 8>(fft, feeds, rests, leaf),
            _ => self.sample_some::<F, 16>(fft, feeds, rests, leaf),
        }
    }
}

/// The next buffers are computed if fewer attempts than this number are left. The four integers of
/// a node use seven attempts on average.
const SOON: usize = 16;

impl<I: Isa, S: Buffered> Windows<I, S> {
    /// Calls [`Buffered::work_together`] for the sources of `feeds`.
    #[inline(never)]
    pub(super) fn compute_together(self, feeds: &mut [Feed<S>]) {
        S::work_together(self.0, feeds.iter_mut().map(|feed| &mut feed.source));
    }

    /// Number of bits of a lane in a mask.
    const LANE_BITS: u32 = 1 << I::F32x8::LOG_BITS;

    /// Returns the lane of a bit of a mask.
    #[inline(always)]
    fn lane(bit: u64) -> usize {
        // The modulo shows compilers that the lane is below the number of lanes.
        (bit.trailing_zeros() >> I::F32x8::LOG_BITS) as usize % WINDOW
    }

    /// Samples as [`sample_lanes`](Sampling::sample_lanes) does, for `N` lanes or fewer. Converts
    /// all lanes to binary32 together, and the integers of all lanes to binary64 together.
    #[inline(always)]
    fn sample_some<F: Fft, const N: usize>(
        self,
        fft: F,
        feeds: &mut [Feed<S>],
        rests: [F::Real; 2],
        leaf: &LogLeaf,
    ) -> [F::Real; 2] {
        let mut out = rests;
        let [r0, r1] = [fft.values(&rests[0]), fft.values(&rests[1])];
        let mut narrow = [[0.0; N]; 2];
        for (narrow, r) in narrow.iter_mut().zip([r0, r1]) {
            for (narrow, &r) in narrow.iter_mut().zip(r) {
                *narrow = r as f32;
            }
        }
        for (lane, feed) in feeds.iter_mut().enumerate().take(F::LANES.min(N)) {
            let pair = self.candidates(feed, [narrow[0][lane], narrow[1][lane]], leaf);
            [narrow[0][lane], narrow[1][lane]] = match pair {
                Some(pair) => pair,
                None => {
                    let [z0, z1] = self.sample_one_by_one(feed, [r0[lane], r1[lane]], leaf);
                    [z0 as f32, z1 as f32]
                }
            };
        }
        for (out, z) in out.iter_mut().zip(&narrow) {
            for (out, &z) in fft.values_mut(out).iter_mut().zip(z) {
                *out = f64::from(z);
            }
        }
        out
    }

    /// Draws two integers from the next window, or returns `None` if the window does not surely
    /// decide both.
    #[inline(always)]
    fn candidates(self, feed: &mut Feed<S>, rests: [f32; 2], leaf: &LogLeaf) -> Option<[f32; 2]> {
        let [z, accept, reject] = feed.records.window(self.0, feed.next)?;
        let squares = [self.square(z, rests[0]), self.square(z, rests[1])];
        let accepted = I::F32x8::both_le(squares, self.largest_square(accept, leaf));
        let open = I::F32x8::both_le(squares, self.largest_square(reject, leaf));
        // Isolates the lowest bit of the lane of the first candidate.
        let i = open[0] & open[0].wrapping_neg();
        // Masks out the lane of `i` and the lanes below.
        let later = open[1] & (i << Self::LANE_BITS).wrapping_neg();
        let j = later & later.wrapping_neg();
        if !reveal((accepted[0] & i != 0) & (accepted[1] & j != 0)) {
            return None;
        }
        let at = [
            feed.next + Self::lane(reveal(i)),
            feed.next + Self::lane(reveal(j)),
        ];
        feed.next = at[1] + 1;
        Some([feed.records.z(at[0]), feed.records.z(at[1])])
    }

    /// Returns `(z - r)^2` of each attempt.
    #[inline(always)]
    fn square(self, z: I::F32x8, r: f32) -> I::F32x8 {
        let t = z - I::F32x8::splat(self.0, r);
        t * t
    }

    /// Returns the largest square for which `y` is at most `record`. This square does not depend on
    /// the centre, so the processor can compute it before the centre is known.
    #[inline(always)]
    fn largest_square(self, record: I::F32x8, leaf: &LogLeaf) -> I::F32x8 {
        let splat = |x| I::F32x8::splat(self.0, x);
        (record - splat(leaf.least)) * splat(leaf.spread)
    }

    #[inline(always)]
    fn verdicts(self, [z, accept, reject]: [I::F32x8; 3], r: f32, leaf: &LogLeaf) -> Verdicts {
        let square = self.square(z, r);
        Verdicts {
            accepted: square.le(self.largest_square(accept, leaf)),
            open: square.le(self.largest_square(reject, leaf)),
        }
    }

    /// Samples as [`sample_pair`](Sampling::sample_pair) does, across the end of a window or a
    /// buffer, or with an open attempt.
    #[inline(never)]
    fn sample_one_by_one(self, feed: &mut Feed<S>, rests: [f64; 2], leaf: &LogLeaf) -> [f64; 2] {
        self.0.vectorize(
            #[inline(always)]
            || {
                let mut out = [0.0; 2];
                for (r, out) in rests.into_iter().zip(&mut out) {
                    *out = self.sample(feed, r, leaf);
                }
                out
            },
        )
    }

    /// Draws one integer. Returns zero if the sampler gives up.
    #[inline(always)]
    fn sample(self, feed: &mut Feed<S>, r: f64, leaf: &LogLeaf) -> f64 {
        loop {
            let Verdicts { accepted, open } = match feed.records.window(self.0, feed.next) {
                Some(window) => self.verdicts(window, r as f32, leaf),
                None => Verdicts {
                    accepted: 0,
                    open: 1,
                },
            };
            let candidate = reveal(open & open.wrapping_neg());
            if candidate == 0 {
                feed.next += WINDOW;
                continue;
            }
            feed.next += Self::lane(candidate);
            let z = if reveal(accepted & candidate != 0) {
                feed.next += 1;
                Some(f64::from(feed.records.z(feed.next - 1)))
            } else {
                self.attempt(feed, r, leaf)
            };
            if let Some(z) = z {
                return z;
            }
        }
    }

    /// Calls [`Buffered::read_records`] in the frame of the instruction set. One copy serves all
    /// callers.
    #[inline(never)]
    pub(super) fn read_records(self, feed: &mut Feed<S>, new: bool) {
        self.0.vectorize(
            #[inline(always)]
            || feed.next = feed.source.read_records(self.0, new, &mut feed.records),
        );
    }

    /// Makes the next attempt with the exact code, or computes the next buffers if these are used
    /// up. Returns zero if no further buffers are allowed. All other steps move forward in the
    /// buffers, so no search for an integer is endless.
    #[inline(never)]
    fn attempt(self, feed: &mut Feed<S>, r: f64, leaf: &LogLeaf) -> Option<f64> {
        if feed.fills_left == 0 {
            return Some(0.0);
        }
        let counter = feed.source.counter();
        let z = match feed.records.begin(feed.next) {
            Some(place) => {
                feed.source.seek(place);
                let fixed = FixedLeaf::new::<f64>(&leaf.leaf);
                let center = Center::new(r);
                attempt(&center, &leaf.leaf, fixed, &mut feed.source)
            }
            None => {
                feed.source.next_buffers(self.0);
                None
            }
        };
        let new = reveal(feed.source.counter() != counter);
        feed.fills_left -= u32::from(new);
        self.read_records(feed, new);
        z.map(|z| z as f64)
    }
}

#[cfg(test)]
pub(super) mod tests;
