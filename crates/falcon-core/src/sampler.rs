//! SamplerZ: integers from a Gaussian of given centre and deviation.
//!
//! Source: Falcon specification v1.2, algorithms 12 to 15.

mod base;
mod ber_exp;
mod first_byte;
mod isa;
mod records;
mod serial;
#[cfg(all(feature = "alloc", feature = "fndsa-provisional"))]
mod shake;
mod windows;

pub use isa::{Feed, SampledDouble, SigningIsa};
pub use serial::{Serial, SerialFeed};
#[cfg(all(feature = "alloc", feature = "fndsa-provisional"))]
pub(crate) use shake::{ATTEMPT_SEED_LEN, ShakeDouble, ShakeSampling};
pub use windows::Windows;

use crate::fft::Fft;
use crate::lanes::Baseline;
use crate::prng::{Prng, SAMPLER_SEED_LEN};
use crate::tree::Leaf;
use base::half_gaussian;
use core::fmt::Debug;

/// Number of refused attempts at one integer after which [`Serial`] gives up.
///
/// The chance that an attempt is accepted is `sigma_min sqrt(2 pi) / (2 S)`, up to a relative error
/// of `2^-33`. `S` is the sum of `exp(-k^2 / (2 sigma_max^2))` over `k >= 0`. The chance is the
/// same for every leaf of a key and for every centre, and it is more than 1/2 at all degrees. So
/// the chance that 512 attempts are all refused is below `2^-512`. A test computes these chances
/// again.
pub(crate) const MAX_REFUSALS: u32 = 512;

/// Number of times that [`Windows`] fills its buffers from one seed before it gives up. If a leaf
/// or a centre is NaN, [`Windows`] refuses every attempt and would never stop.
///
/// Each fill gives [`LEAST_ATTEMPTS`] attempts or more, and more than half are accepted. The chance
/// that the 2,048 integers of an attempt to sign need all fills is below `2^-7000`. A test computes
/// this chance, too.
pub(crate) const MAX_FILLS: u32 = 512;

/// Least number of attempts that a fill has, if each reads [`MOST_BYTES`]. Both byte sources assert
/// it.
pub(crate) const LEAST_ATTEMPTS: usize = 50;

/// Largest number of bytes that an attempt at an integer reads: its candidate with the first byte
/// of the trial, and seven more bytes of the trial, which compares 64 bits.
const MOST_BYTES: usize = records::ATTEMPT_LEN + 7;

/// The source of the integers at the leaves of ffSampling.
///
/// Source: Falcon specification v1.2, algorithm 15 (SamplerZ).
pub trait SamplerZ {
    /// A value in every lane.
    type Real: Copy;

    /// Draws the two independent integers of a leaf, around `centers`, in this order. Each lane
    /// consumes only its own randomness.
    fn sample_pair(&mut self, centers: [Self::Real; 2], leaf: &Leaf) -> [Self::Real; 2];

    /// Draws the integers of the right leaf, around `centers`. `left` turns these integers into the
    /// centres of the left leaf, whose integers are drawn next. Returns `[left, right]`; `leaves`
    /// are in the order of their use.
    #[inline(always)]
    fn sample_node(
        &mut self,
        centers: [Self::Real; 2],
        leaves: &[Leaf; 2],
        left: impl FnOnce([Self::Real; 2]) -> [Self::Real; 2],
    ) -> [[Self::Real; 2]; 2] {
        let z1 = self.sample_pair(centers, &leaves[0]);
        [self.sample_pair(left(z1), &leaves[1]), z1]
    }
}

/// A way to draw the integers of one signature from its random bytes. All ways give the same
/// integers and consume the same bytes.
pub trait Sampling: Copy + Debug + Send + Sync {
    /// Seed of a signature's random bytes.
    type Seed;
    /// The random bytes of a signature, and the values prepared from them.
    type Feed;
    /// A feed without a seed.
    const EMPTY: Self::Feed;
    /// A leaf, prepared for any number of signatures.
    type Leaf;

    /// Restarts `feed` in place with the random bytes of `seed`. The bytes are for one attempt to
    /// sign. For more than 10,000 integers take another seed: the sampler may [give
    /// up](Sampling::gave_up).
    fn start(self, feed: &mut Self::Feed, seed: &Self::Seed);
    /// Makes a feed of the random bytes of `seed`. Moving the feed leaves a copy behind, so signing
    /// uses [`start`](Self::start).
    fn feed(self, seed: &Self::Seed) -> Self::Feed {
        let mut feed = Self::EMPTY;
        self.start(&mut feed, seed);
        feed
    }
    /// Prepares `leaf`. Its deviation must be between `sigma_min` and `sigma_max = 1.8205`, as in
    /// every key.
    fn leaf(self, leaf: &Leaf) -> Self::Leaf;
    /// Draws the two integers of a leaf around centres in `[0, 1]`, in this order.
    fn sample_pair(self, feed: &mut Self::Feed, rests: [f64; 2], leaf: &Self::Leaf) -> [f64; 2];
    /// Returns true if an integer was not found since `feed` started, because all attempts at it
    /// were refused. Then the integers are arbitrary and must not be used.
    fn gave_up(feed: &Self::Feed) -> bool;

    /// Samples the lanes of `feeds` as [`sample_pair`](Self::sample_pair) does, each from its own
    /// feed. The other lanes keep their rests, perhaps rounded to binary32.
    #[inline(always)]
    fn sample_lanes<F: Fft>(
        self,
        fft: F,
        feeds: &mut [Self::Feed],
        rests: [F::Real; 2],
        leaf: &Self::Leaf,
    ) -> [F::Real; 2] {
        let mut z = rests;
        for (lane, feed) in feeds.iter_mut().take(F::LANES).enumerate() {
            let rests = [fft.values(&rests[0])[lane], fft.values(&rests[1])[lane]];
            let pair = self.sample_pair(feed, rests, leaf);
            fft.values_mut(&mut z[0])[lane] = pair[0];
            fft.values_mut(&mut z[1])[lane] = pair[1];
        }
        z
    }

    /// Does a part of the later work of `feed`, in the frame of the caller. A processor may do this
    /// part while it waits for the chain of operations from one leaf to the next. Affects speed
    /// only.
    #[inline(always)]
    fn work_ahead(self, _: &mut Self::Feed) {}

    /// Does upcoming work of the feeds of several lanes side by side. Affects speed only.
    #[inline(always)]
    fn work_together(self, _: &mut [Self::Feed]) {}
}

/// The sampler of the lanes of an [`Fft`]. It samples lane after lane, each from its own feed.
/// Lanes without a feed keep their centers, perhaps rounded to binary32.
pub struct LaneSampler<'a, F, S: Sampling> {
    fft: F,
    sampling: S,
    feeds: &'a mut [S::Feed],
}

impl<'a, F: Fft, S: Sampling> LaneSampler<'a, F, S> {
    /// Makes a sampler with a feed for each of the first lanes.
    pub fn new(fft: F, sampling: S, feeds: &'a mut [S::Feed]) -> Self {
        debug_assert!(feeds.len() <= F::LANES);
        Self {
            fft,
            sampling,
            feeds,
        }
    }
}

impl<F: Fft, S: Sampling> SamplerZ for LaneSampler<'_, F, S> {
    type Real = F::Real;

    #[inline(always)]
    fn sample_pair(&mut self, centers: [F::Real; 2], leaf: &Leaf) -> [F::Real; 2] {
        self.sample_prepared(centers, &self.sampling.leaf(leaf))
    }

    /// Prepares both leaves before sampling: preparing two takes hardly longer than preparing one.
    #[inline(always)]
    fn sample_node(
        &mut self,
        centers: [F::Real; 2],
        leaves: &[Leaf; 2],
        left: impl FnOnce([F::Real; 2]) -> [F::Real; 2],
    ) -> [[F::Real; 2]; 2] {
        let leaves = [
            self.sampling.leaf(&leaves[0]),
            self.sampling.leaf(&leaves[1]),
        ];
        // With several lanes there is no gap to fill: while one chain waits, the processor
        // continues the chain of another lane.
        if F::LANES > 1 {
            self.sampling.work_together(self.feeds);
        } else if let [feed] = &mut *self.feeds {
            self.sampling.work_ahead(feed);
        }
        let z1 = self.sample_prepared(centers, &leaves[0]);
        [self.sample_prepared(left(z1), &leaves[1]), z1]
    }
}

impl<F: Fft, S: Sampling> LaneSampler<'_, F, S> {
    /// Samples as [`sample_pair`](SamplerZ::sample_pair) does, at a prepared leaf.
    #[inline(always)]
    fn sample_prepared(&mut self, centers: [F::Real; 2], leaf: &S::Leaf) -> [F::Real; 2] {
        // A centre is an integer and a rest. The rest is 1 if the subtraction rounded up to 1.
        let [c0, c1] = centers;
        let floors = self.fft.floors(centers);
        // The code does not use `map`, which compilers do not always inline into the frame.
        let rests = [self.fft.sub(c0, floors[0]), self.fft.sub(c1, floors[1])];
        let z = self
            .sampling
            .sample_lanes(self.fft, self.feeds, rests, leaf);
        // The sums are exact, since they are small integers.
        [self.fft.add(floors[0], z[0]), self.fft.add(floors[1], z[1])]
    }
}

/// Source of the sampler's random bytes.
pub trait ByteSource {
    /// Returns the next 8 bytes as a little-endian number.
    fn next_u64(&mut self) -> u64;
    /// Returns the next byte.
    fn next_u8(&mut self) -> u8;

    /// Reads the bytes of one attempt: [`next_u64`](Self::next_u64), then three
    /// times [`next_u8`](Self::next_u8).
    #[inline(always)]
    fn next_attempt(&mut self) -> [u8; 11] {
        let mut out = [0; 11];
        let (low, bytes) = out.split_at_mut(8);
        low.copy_from_slice(&self.next_u64().to_le_bytes());
        for byte in bytes {
            *byte = self.next_u8();
        }
        out
    }

    /// Reads the next candidate of the base sampler. Returns its magnitude, its sign bit, and the
    /// next byte, which is the first byte of the trial.
    #[inline(always)]
    fn next_candidate(&mut self) -> (i64, i64, u8) {
        let [low @ .., high, sign, first] = self.next_attempt();
        let z0 = half_gaussian(u64::from_le_bytes(low), high);
        (z0, i64::from(sign & 1), first)
    }
}

/// A byte source that starts from a seed.
pub trait Seeded: ByteSource {
    /// Type of the seed.
    type Seed;
    /// A source without a seed.
    const EMPTY: Self;
    /// Restarts in place with the bytes of `seed`.
    fn start(&mut self, seed: &Self::Seed);
}

impl<const AHEAD: usize, const SETS: usize> Seeded for Prng<AHEAD, SETS> {
    type Seed = [u8; SAMPLER_SEED_LEN];
    const EMPTY: Self = Self::EMPTY;

    #[inline(always)]
    fn start(&mut self, seed: &[u8; SAMPLER_SEED_LEN]) {
        Self::start(self, Baseline, seed);
    }
}

impl<const AHEAD: usize, const SETS: usize> ByteSource for Prng<AHEAD, SETS> {
    #[inline(always)]
    fn next_u64(&mut self) -> u64 {
        Self::next_u64(self)
    }
    #[inline(always)]
    fn next_u8(&mut self) -> u8 {
        Self::next_u8(self)
    }
    #[inline(always)]
    fn next_attempt(&mut self) -> [u8; 11] {
        Self::next_attempt(self)
    }
}

/// Constants that other implementations copy. The tests compare the copies.
#[cfg(test)]
pub(crate) mod constants {
    pub(crate) use super::base::RCDT;
    pub(crate) use super::ber_exp::COEFFICIENTS;
    pub(crate) use super::first_byte::EXP2;
    pub(crate) use super::serial::INV_2_SIGMA_MAX_SQUARED;
}

#[cfg(test)]
pub(crate) use tests::slow_paths;

#[cfg(test)]
mod tests;
