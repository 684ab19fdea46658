//! Random bytes of FN-DSA: SHAKE256 itself, and a base sampler of 79 bits.
//!
//! Source: crate `fn-dsa-sign` 0.4.0.

use super::base::{Words, entries_above, table, words};
use super::records::{AHEAD, ATTEMPT_LEN, BUFFER_ATTEMPTS, BUFFERS, END, Records};
use super::windows::{Buffered, Feed};
use super::{
    ByteSource, LEAST_ATTEMPTS, MAX_FILLS, MOST_BYTES, Sampling, Seeded, Serial, SerialFeed,
    Windows,
};
use crate::hash::{self, RATE, Shake256Reader, read_side_by_side};
use crate::lanes::{Double, Isa, SoftDouble, wipe};
use crate::params::NONCE_LEN;
use crate::prng::{BUFFER_LEN, Place};
use crate::reveal::expect_secret;
use core::array::from_fn;
use zeroize::Zeroize;

/// Length of a seed in bytes: 40 secret bytes for the signature, and the number of the attempt.
pub(crate) const ATTEMPT_SEED_LEN: usize = 41;

/// Largest number of bytes that an attempt can have before the blocks in which it ends.
const CARRY: usize = ATTEMPT_LEN - 1;
/// Number of blocks of SHAKE256 that are computed together: the largest number whose attempts fit
/// the records of two buffers.
const BLOCKS: usize = 7;
/// Length of the buffer in bytes.
const LEN: usize = CARRY + RATE * BLOCKS;
const _: () = assert!(LEN / ATTEMPT_LEN <= AHEAD * BUFFER_ATTEMPTS);
// The first bytes of a fill may belong to the previous attempt.
const _: () = assert!((RATE * BLOCKS - MOST_BYTES) / MOST_BYTES >= LEAST_ATTEMPTS);

/// The stream `SHAKE256(seed)`: the nonce, then the bytes of the sampler.
pub(crate) struct ShakeSource {
    stream: Shake256Reader,
    nonce: [u8; NONCE_LEN],
    /// Bytes of the stream. All but the first [`CARRY`] bytes are new.
    bytes: [u8; LEN],
    /// The blocks after `bytes`, if they have been computed.
    next: [[u8; RATE]; BLOCKS],
    has_next: bool,
    /// Position of the next byte.
    position: usize,
    /// Position after the last attempt that has a record.
    end: usize,
    /// Number of times that the buffer was filled.
    fills: u64,
    /// Attempts, with their bytes in round 3's order, from which records are made.
    attempts: [u8; BUFFER_LEN],
}

impl ShakeSource {
    /// Fills the buffer after the remaining bytes, of which there are at most [`CARRY`].
    fn fill(&mut self) {
        let left = (LEN - self.position).min(CARRY);
        self.bytes.copy_within(LEN - left.., CARRY - left);
        let new = &mut self.bytes[CARRY..];
        if self.has_next {
            new.copy_from_slice(self.next.as_flattened());
            self.has_next = false;
        } else {
            self.stream.read(new);
        }
        self.position = CARRY - left;
        self.fills += 1;
    }

    /// Returns the next `N` bytes. `N` is at most [`NONCE_LEN`]. At most [`CARRY`] of the bytes may
    /// be left from the previous fill.
    #[inline(always)]
    fn next_array<const N: usize>(&mut self) -> [u8; N] {
        if self.position + N > LEN {
            self.fill();
        }
        let bytes = self.bytes.get(self.position..);
        self.position += N;
        // This is always `Some`: the buffer holds `N` bytes from there on.
        let bytes = bytes.and_then(|bytes| bytes.first_chunk());
        bytes.copied().unwrap_or([0; N])
    }
}

impl ShakeSource {
    /// Absorbs the seed. [`begin`](Self::begin) computes the first bytes of the stream.
    fn absorb(&mut self, seed: &[u8; ATTEMPT_SEED_LEN]) {
        // The seed is secret, as for round 3's generator. Only the number of the attempt is public.
        let [secret @ .., _attempt] = seed;
        expect_secret(secret);
        self.stream.start(|hash| _ = hash.update(seed));
        self.has_next = false;
    }

    /// Computes the nonce and the bytes after it.
    fn begin(&mut self) {
        self.position = LEN;
        self.fill();
        self.nonce = self.next_array();
        self.end = LEN;
    }
}

impl Seeded for ShakeSource {
    type Seed = [u8; ATTEMPT_SEED_LEN];
    const EMPTY: Self = Self {
        stream: hash::empty_reader(),
        nonce: [0; NONCE_LEN],
        bytes: [0; LEN],
        next: [[0; RATE]; BLOCKS],
        has_next: false,
        position: LEN,
        end: LEN,
        fills: 0,
        attempts: [0; BUFFER_LEN],
    };

    fn start(&mut self, seed: &[u8; ATTEMPT_SEED_LEN]) {
        self.absorb(seed);
        self.begin();
    }
}

impl ByteSource for ShakeSource {
    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.next_array())
    }

    fn next_u8(&mut self) -> u8 {
        let [byte] = self.next_array();
        byte
    }

    /// Reads eighty bits: the sign bit, then 79 bits of the base sampler.
    fn next_candidate(&mut self) -> (i64, i64, u8) {
        let [bits @ .., first] = self.next_array::<ATTEMPT_LEN>();
        let bits = u128::from_le_bytes(from_fn(|i| bits.get(i).copied().unwrap_or(0)));
        (half_gaussian(bits >> 1), (bits & 1) as i64, first)
    }
}

impl Buffered for ShakeSource {
    fn start_on(&mut self, _: impl Isa, seed: &[u8; ATTEMPT_SEED_LEN]) {
        self.start(seed);
    }

    /// Makes the same records as round 3, from the bytes of an attempt in round 3's order: the 16
    /// high bits of the base sample, the sign, the first byte of the trial. The tables of both
    /// schemes have the same high bits.
    #[inline(always)]
    fn read_records<I: Isa>(&mut self, isa: I, new: bool, records: &mut Records) -> usize {
        let ahead = LEN - self.position.min(LEN);
        if !new
            && self.position <= self.end
            && (self.end - self.position).is_multiple_of(ATTEMPT_LEN)
        {
            // So far, only whole attempts were read.
            return END - (self.end - self.position) / ATTEMPT_LEN;
        }
        let mut left = (ahead / ATTEMPT_LEN).min(BUFFERS * BUFFER_ATTEMPTS);
        self.end = self.position + ATTEMPT_LEN * left;
        // Makes later records first, since they overwrite the end of the records before them.
        let mut next = END;
        let mut last = self.end;
        for number in (0..BUFFERS).rev() {
            let count = left.min(BUFFER_ATTEMPTS);
            if count == 0 {
                break;
            }
            left -= count;
            let first = last - ATTEMPT_LEN * count;
            let (attempts, _) = self.bytes[first..last].as_chunks::<ATTEMPT_LEN>();
            let (_, out) = self.attempts.as_rchunks_mut::<ATTEMPT_LEN>();
            for (out, attempt) in out.iter_mut().rev().zip(attempts.iter().rev()) {
                let [sign, .., base_low, base_high, trial] = *attempt;
                let [.., a, b, c, d] = out;
                [*a, *b, *c, *d] = [base_low, base_high, sign, trial];
            }
            next = records.read(
                isa,
                number,
                &self.attempts,
                BUFFER_LEN - ATTEMPT_LEN * count,
            );
            last = first;
        }
        next
    }

    fn seek(&mut self, begin: Place) {
        let later = (BUFFERS - 1 - begin.buffer) * BUFFER_ATTEMPTS;
        let ahead = (BUFFER_LEN - begin.position) / ATTEMPT_LEN + later;
        self.position = self.end - ATTEMPT_LEN * ahead;
    }

    fn next_buffers(&mut self, _: impl Isa) {
        self.position = self.end;
        self.fill();
    }

    fn counter(&self) -> u64 {
        self.fills
    }

    #[inline(always)]
    fn lacks_next(&self) -> bool {
        !self.has_next
    }

    fn work_together<'s>(isa: impl Isa, sources: impl Iterator<Item = &'s mut Self>) {
        let lacking = sources.filter(|source| source.lacks_next());
        let streams = lacking.map(|source| {
            source.has_next = true;
            (&mut source.stream, &mut source.next)
        });
        read_side_by_side(isa, streams);
    }
}

impl Zeroize for ShakeSource {
    fn zeroize(&mut self) {
        wipe(&mut self.bytes);
        wipe(self.next.as_flattened_mut());
        wipe(&mut self.attempts);
        self.nonce.zeroize();
    }
}

/// The stream wipes itself.
impl Drop for ShakeSource {
    fn drop(&mut self) {
        self.zeroize();
    }
}

/// A sampler that takes random bytes from [`ShakeSource`].
pub(crate) trait ShakeSampling: Sampling<Seed = [u8; ATTEMPT_SEED_LEN]> {
    /// Returns the nonce that the seed gave. It is secret until the attempt is a signature.
    fn nonce(feed: &Self::Feed) -> &[u8; NONCE_LEN];

    /// Restarts every feed with the random bytes of its seed.
    fn start_together<'s>(
        self,
        feeds: &mut [Self::Feed],
        seeds: impl Iterator<Item = &'s [u8; ATTEMPT_SEED_LEN]>,
    ) {
        for (feed, seed) in feeds.iter_mut().zip(seeds) {
            self.start(feed, seed);
        }
    }
}

impl<I: Isa> ShakeSampling for Windows<I, ShakeSource> {
    fn start_together<'s>(
        self,
        feeds: &mut [Feed<ShakeSource>],
        seeds: impl Iterator<Item = &'s [u8; ATTEMPT_SEED_LEN]>,
    ) {
        for (feed, seed) in feeds.iter_mut().zip(seeds) {
            feed.source.absorb(seed);
        }
        self.compute_together(feeds);
        for feed in feeds {
            feed.source.begin();
            feed.fills_left = MAX_FILLS;
            self.read_records(feed, true);
        }
    }

    fn nonce(feed: &Feed<ShakeSource>) -> &[u8; NONCE_LEN] {
        &feed.source.nonce
    }
}

impl<D: Double> ShakeSampling for Serial<D, ShakeSource> {
    fn nonce(feed: &SerialFeed<ShakeSource>) -> &[u8; NONCE_LEN] {
        &feed.source.nonce
    }
}

/// A double and its sampler, which takes random bytes from [`ShakeSource`].
/// [`SampledDouble`](super::SampledDouble) is the counterpart for round 3.
pub(crate) trait ShakeDouble: Double {
    /// Sampler of this double.
    type Sampling<I: Isa>: ShakeSampling;

    /// Returns the sampler for `isa`.
    fn shake_sampling<I: Isa>(isa: I) -> Self::Sampling<I>;
}

impl ShakeDouble for f64 {
    type Sampling<I: Isa> = Windows<I, ShakeSource>;

    #[inline(always)]
    fn shake_sampling<I: Isa>(isa: I) -> Self::Sampling<I> {
        Windows::new(isa)
    }
}

impl ShakeDouble for SoftDouble {
    type Sampling<I: Isa> = Serial<Self, ShakeSource>;

    #[inline(always)]
    fn shake_sampling<I: Isa>(_: I) -> Self::Sampling<I> {
        Serial::new()
    }
}

/// Reverse cumulative distribution of the half-Gaussian of deviation `sigma_max = 1.8205`: entry
/// `i` is `2^79 * P(z0 > i)`, rounded to nearest.
const RCDT: [u128; 18] = [
    387_159_838_863_744_628_950_298,
    200_287_076_413_451_770_119_415,
    81_440_566_971_146_354_885_379,
    25_543_742_034_563_389_814_041,
    6_101_420_013_396_132_084_374,
    1_100_275_456_814_725_640_762,
    148_902_138_540_117_554_352,
    15_060_017_581_067_988_860,
    1_135_026_150_740_989_491,
    63_612_077_755_217_486,
    2_647_153_299_750_716,
    81_706_476_671_182,
    1_869_096_471_769,
    31_670_623_794,
    397_328_253,
    3_689_579,
    25_354,
    129,
];

/// Returns `z0` of the 79-bit number `u`.
fn half_gaussian(u: u128) -> i64 {
    const TABLE: [Words; 18] = table(&RCDT);
    entries_above(&TABLE, words(u))
}

#[cfg(test)]
mod tests {
    use super::super::windows::tests::Cases;
    use super::*;
    use crate::hash::Shake256;
    use crate::lanes::Baseline;
    use crate::params::SIGMA_MIN;
    use crate::tree::Leaf;
    use serde_json::Value;
    use std::vec::Vec;

    /// Both tables describe the same distribution, one with 72 bits and the other with 79 bits.
    /// Round 3's entries are up to 8.3 units below the nearest value.
    #[test]
    fn the_table_refines_that_of_round_3() {
        for (fine, coarse) in RCDT.into_iter().zip(super::super::base::RCDT) {
            let coarse = coarse << 7;
            assert!(coarse < fine + 128 && fine < coarse + 9 * 128, "{coarse}");
        }
    }

    /// `fn-dsa` stores each entry in pieces of 31, 24 and 24 bits.
    #[test]
    fn the_table_is_that_of_fn_dsa() {
        let pieces: [[u128; 3]; 18] = [
            [1_375_468_055, 6_936_092, 9_176_346],
            [711_562_636, 1_023_934, 15_582_455],
            [289_335_016, 4_826_132, 14_746_371],
            [90_749_601, 12_313_548, 10_843_417],
            [21_676_598, 5_732_767, 9_419_414],
            [3_908_963, 11_171_514, 6_206_010],
            [529_006, 11_146_683, 11_891_888],
            [53_503, 15_610_582, 11_661_180],
            [4_032, 7_095_613, 11_671_091],
            [225, 16_701_698, 407_118],
            [9, 6_787_688, 1_638_204],
            [0, 4_870_085, 8_687_822],
            [0, 111_406, 13_946_073],
            [0, 1_887, 12_017_202],
            [0, 23, 11_452_285],
            [0, 0, 3_689_579],
            [0, 0, 25_354],
            [0, 0, 129],
        ];
        assert_eq!(RCDT, pieces.map(|[a, b, c]| a << 48 | b << 24 | c));
    }

    #[test]
    fn a_wiped_source_holds_nothing() {
        let windows = Windows::<_, ShakeSource>::new(Baseline);
        let mut feed = windows.feed(&[1; ATTEMPT_SEED_LEN]);
        let leaf = Cases::new("wiped").leaf();
        windows.sample_pair(&mut feed, [0.5, 0.25], &windows.leaf(&leaf));
        let source = &mut feed.source;
        assert!(source.bytes.iter().any(|&byte| byte != 0));
        assert!(source.attempts.iter().any(|&byte| byte != 0));
        assert_ne!(source.nonce, [0; NONCE_LEN]);
        source.next.fill([1; RATE]);
        source.zeroize();
        assert!(source.bytes.iter().all(|&byte| byte == 0));
        assert!(source.next.as_flattened().iter().all(|&byte| byte == 0));
        assert!(source.attempts.iter().all(|&byte| byte == 0));
        assert_eq!(source.nonce, [0; NONCE_LEN]);
    }

    /// Both samplers draw the same integers from the same bytes. If the samplers differed in one
    /// attempt, all later attempts would differ. A sample takes about 1.73 attempts. So one sample
    /// in 150 reads a second byte of a trial, and one in 50 ends in the next blocks.
    #[test]
    fn windows_draw_the_serial_sampler_s_integers() {
        let windows = Windows::<_, ShakeSource>::new(Baseline);
        let serial = Serial::<f64, ShakeSource>::new();
        let mut cases = Cases::new("shake windows");
        for number in 0..100 {
            let seed = [number; ATTEMPT_SEED_LEN];
            let (mut fast, mut slow) = (windows.feed(&seed), serial.feed(&seed));
            assert_eq!(fast.source.nonce, slow.source.nonce);
            for _ in 0..10 {
                let leaf = cases.leaf();
                for _ in 0..100 {
                    let rests = [cases.rest(), cases.rest()];
                    let a = windows.sample_pair(&mut fast, rests, &windows.leaf(&leaf));
                    let b = serial.sample_pair(&mut slow, rests, &serial.leaf(&leaf));
                    assert_eq!(a, b, "{rests:?}, {leaf:?}");
                }
            }
        }
    }

    /// The 1,024 integers of `fn-dsa` are drawn one after the other from one seed.
    #[test]
    fn integers_are_those_of_fn_dsa() {
        let file = include_str!("../../../../kat/fn-dsa/sampler_512.json");
        let vectors: Value = serde_json::from_str(file).unwrap();
        let bytes = |name: &str| -> Vec<u8> {
            let digits = vectors[name].as_str().unwrap().as_bytes().chunks_exact(2);
            digits
                .map(|digits| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap())
                .collect()
        };
        // The numbers are integers of at most 53 bits, times a power of two. So both conversions
        // are exact.
        let reals = |name: &str| -> Vec<f64> {
            let scale = |e: i64| f64::from_bits(((1023 + e) as u64) << 52);
            let values = vectors[name].as_array().unwrap().iter();
            values
                .map(|x| x[0].as_i64().unwrap() as f64 * scale(x[1].as_i64().unwrap()))
                .collect()
        };
        let (centers, inverses) = (reals("mu"), reals("isigma"));
        let expected = vectors["out"].as_array().unwrap();
        assert_eq!(expected.len(), 1024);

        let seed = bytes("seed").try_into().unwrap();
        let windows = Windows::<_, ShakeSource>::new(Baseline);
        let serial = Serial::<f64, ShakeSource>::new();
        let (mut fast, mut slow) = (windows.feed(&seed), serial.feed(&seed));
        assert_eq!(slow.source.nonce[..], bytes("nonce"));
        let pairs = centers.as_chunks().0.iter().zip(inverses.as_chunks().0);
        for ((&[a, b], &[inverse, same]), expected) in pairs.zip(expected.as_chunks().0) {
            assert_eq!(inverse.to_bits(), same.to_bits());
            let leaf = Leaf {
                dss: 0.5 * (inverse * inverse),
                ccs: inverse * SIGMA_MIN[9],
            };
            let rests = [a - a.floor(), b - b.floor()];
            let found = [
                windows.sample_pair(&mut fast, rests, &windows.leaf(&leaf)),
                serial.sample_pair(&mut slow, rests, &serial.leaf(&leaf)),
            ];
            let [x, y] = expected.each_ref().map(|z| z.as_i64().unwrap() as f64);
            assert_eq!(found, [[x - a.floor(), y - b.floor()]; 2]);
        }
    }

    /// Reads of one byte, of eight bytes and of an attempt follow one another in the stream.
    #[test]
    fn reads_are_those_of_the_stream() {
        let seed = [5; ATTEMPT_SEED_LEN];
        let mut stream = Shake256::reader(&seed);
        assert_eq!(stream.read_array(), {
            let mut source = ShakeSource::EMPTY;
            source.start(&seed);
            source.nonce
        });
        let mut source = ShakeSource::EMPTY;
        source.start(&seed);
        for number in 0..3000 {
            match number % 3 {
                0 => assert_eq!([source.next_u8()], stream.read_array()),
                1 => assert_eq!(source.next_u64(), u64::from_le_bytes(stream.read_array())),
                _ => {
                    let [bits @ .., first]: [u8; ATTEMPT_LEN] = stream.read_array();
                    let (z0, sign, byte) = source.next_candidate();
                    assert_eq!((sign, byte), (i64::from(bits[0] & 1), first));
                    let mut wide = [0; 16];
                    wide[..bits.len()].copy_from_slice(&bits);
                    assert_eq!(z0, half_gaussian(u128::from_le_bytes(wide) >> 1));
                }
            }
        }
    }

    /// The records use these high bits only.
    #[test]
    fn high_bits_are_those_of_round_3() {
        for (fine, coarse) in RCDT.into_iter().zip(super::super::base::RCDT) {
            assert_eq!(fine >> 63, coarse >> 56);
        }
    }

    #[test]
    fn magnitudes_change_at_the_entries() {
        for (i, entry) in (0..).zip(RCDT) {
            assert_eq!(half_gaussian(entry - 1), i + 1);
            assert_eq!(half_gaussian(entry), i);
        }
        assert_eq!(half_gaussian((1 << 79) - 1), 0);
    }
}
