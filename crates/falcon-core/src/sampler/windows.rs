//! The sampler in windows: eight attempts of a signature decided together, in
//! the log domain, for both integers of a leaf.
//!
//! The records of a buffer say what each attempt's first byte decides (see
//! `records.rs`). For a centre, an attempt with `y > reject` is rejected for
//! sure; the first other one is the candidate, and it is the answer if
//! `y <= accept`. The second integer of the leaf is the first candidate after
//! the first integer's. Whatever is not sure, and every end of a buffer, goes
//! to the exact code at the same byte of the source: so the integers and the
//! bytes consumed are those of [`Serial`](super::Serial).

use super::Sampling;
use super::first_byte::FixedLeaf;
use super::records::{BUFFERS, Records, WINDOW, level, slope};
use super::serial::{Center, attempt};
use crate::lanes::{F32x8, Isa, Register};
use crate::prng::{Place, Prng, SEED_LEN};
use crate::reveal::reveal;
use crate::tree::Leaf;
use zeroize::Zeroize;

/// Windows of attempts, in the frame of an instruction set with a binary64
/// unit.
#[derive(Clone, Copy, Debug)]
pub struct Windows<I>(pub I);

/// A byte source and the records of its buffers.
pub struct Feed {
    prng: Prng<BUFFERS>,
    records: Records,
    /// Place of the attempt that comes next.
    next: usize,
}

impl Feed {
    /// Reads the records from the source's place on: those of its buffer, and
    /// if the buffers are `new`, those of the later ones.
    #[inline(always)]
    fn read_records(&mut self, isa: impl Isa, new: bool) {
        let Place { buffer, position } = self.prng.place();
        let buffers = self.prng.buffers();
        // Later ones first, since they overwrite the end of those before.
        for number in (0..BUFFERS).rev() {
            let bytes = &buffers[number];
            if number == buffer {
                self.next = self.records.read(isa, number, bytes, position);
            } else if new && number > buffer {
                self.records.read(isa, number, bytes, 0);
            }
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.records.zeroize();
    }
}

/// A leaf in the log domain.
#[derive(Clone, Copy)]
pub struct LogLeaf {
    leaf: Leaf,
    /// See [`slope`].
    d: f32,
    /// See [`level`].
    level: f32,
}

/// Verdicts of a window on a centre: masks of the attempts.
#[derive(Clone, Copy)]
struct Verdicts {
    /// Surely accepted.
    accepted: u64,
    /// Attempts that are not surely rejected.
    open: u64,
}

impl<I: Isa> Sampling for Windows<I> {
    type Seed = [u8; SEED_LEN];
    type Feed = Feed;
    type Leaf = LogLeaf;
    const EMPTY: Feed = Feed {
        prng: Prng::EMPTY,
        records: Records::EMPTY,
        next: 0,
    };

    fn start(self, feed: &mut Feed, seed: &[u8; SEED_LEN]) {
        feed.prng.start(self.0, seed);
        // From the first byte on: all records are new, but for the open ones
        // after the last, which nothing changes.
        self.read_records(feed, true);
    }

    #[inline(always)]
    fn leaf(self, leaf: &Leaf) -> LogLeaf {
        LogLeaf {
            leaf: *leaf,
            d: slope(leaf.dss),
            level: level(leaf.ccs),
        }
    }

    #[inline(always)]
    fn sample_pair(self, feed: &mut Feed, rests: [f64; 2], leaf: &LogLeaf) -> [f64; 2] {
        if let Some([z, accept, reject]) = feed.records.window(self.0, feed.next) {
            let y = [
                self.estimate(z, rests[0], leaf),
                self.estimate(z, rests[1], leaf),
            ];
            let accepted = I::F32x8::both_le(y, accept);
            let rejected = I::F32x8::both_gt(y, reject);
            // Candidates as single bits, the lowest of their lanes.
            let open = !rejected[0] & Self::LANES;
            let i = open & open.wrapping_neg();
            // Without the lane of `i`, and those below.
            let later = !rejected[1] & Self::LANES & (i << Self::LANE_BITS).wrapping_neg();
            let j = later & later.wrapping_neg();
            if reveal((accepted[0] & i != 0) & (accepted[1] & j != 0)) {
                let at = |bit: u64| feed.next + Self::lane(reveal(bit));
                let (i, j) = (at(i), at(j));
                let z = [feed.records.z(i), feed.records.z(j)];
                feed.next = j + 1;
                return z;
            }
        }
        self.sample_one_by_one(feed, rests, leaf)
    }
}

impl<I: Isa> Windows<I> {
    /// Bits of a lane in a mask.
    const LANE_BITS: u32 = 1 << I::F32x8::LOG_BITS;
    /// Mask of all lanes.
    const LANES: u64 = u64::MAX >> (64 - WINDOW as u32 * Self::LANE_BITS);

    /// Lane of a bit of a mask.
    #[inline(always)]
    fn lane(bit: u64) -> usize {
        // Below the number of lanes, as compilers see.
        (bit.trailing_zeros() >> I::F32x8::LOG_BITS) as usize % WINDOW
    }

    /// The `y` of each attempt for the centre `r`.
    #[inline(always)]
    fn estimate(self, z: I::F32x8, r: f64, leaf: &LogLeaf) -> I::F32x8 {
        let splat = |x| I::F32x8::splat(self.0, x);
        let t = z - splat(r as f32);
        t * t * splat(leaf.d) - splat(leaf.level)
    }

    #[inline(always)]
    fn verdicts(self, [z, accept, reject]: [I::F32x8; 3], r: f64, leaf: &LogLeaf) -> Verdicts {
        let y = self.estimate(z, r, leaf);
        Verdicts {
            accepted: y.le(accept),
            open: !reject.lt(y) & Self::LANES,
        }
    }

    /// [`sample_pair`](Sampling::sample_pair) across the end of a window, a
    /// buffer or an open attempt.
    #[inline(never)]
    fn sample_one_by_one(self, feed: &mut Feed, rests: [f64; 2], leaf: &LogLeaf) -> [f64; 2] {
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

    #[inline(always)]
    fn sample(self, feed: &mut Feed, r: f64, leaf: &LogLeaf) -> f64 {
        loop {
            let Verdicts { accepted, open } = match feed.records.window(self.0, feed.next) {
                Some(window) => self.verdicts(window, r, leaf),
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
                Some(feed.records.z(feed.next - 1))
            } else {
                self.attempt(feed, r, leaf)
            };
            if let Some(z) = z {
                return z;
            }
        }
    }

    /// [`Feed::read_records`] in the frame of the instruction set. One copy for all
    /// callers.
    #[inline(never)]
    fn read_records(self, feed: &mut Feed, new: bool) {
        self.0.vectorize(
            #[inline(always)]
            || feed.read_records(self.0, new),
        );
    }

    /// The next attempt by the exact code, or the next buffers if these have
    /// come to their end.
    #[inline(never)]
    fn attempt(self, feed: &mut Feed, r: f64, leaf: &LogLeaf) -> Option<f64> {
        let counter = feed.prng.counter();
        let z = match feed.records.begin(feed.next) {
            Some(place) => {
                feed.prng.seek(place);
                let fixed = FixedLeaf::new::<f64>(&leaf.leaf);
                let center = Center::new(r);
                attempt(&center, &leaf.leaf, fixed, &mut feed.prng)
            }
            None => {
                feed.prng.skip_buffers();
                feed.prng.refill(self.0);
                None
            }
        };
        let new = reveal(feed.prng.counter() != counter);
        self.read_records(feed, new);
        z.map(|z| z as f64)
    }
}

#[cfg(test)]
pub(super) mod tests;
