//! Random bytes of FN-DSA: SHAKE256 itself, and a base sampler of 79 bits.
//!
//! Source: crate `fn-dsa-sign` 0.4.0.

use super::{ByteSource, Seeded};
use crate::hash::{self, Shake256Reader};
use crate::reveal::expect_secret;

/// Length of a seed in bytes: 40 of the signature, and the number of the attempt.
pub(crate) const SEED_LEN: usize = 41;

/// The stream `SHAKE256(seed)`.
pub(crate) struct ShakeSource(Shake256Reader);

impl ShakeSource {
    /// Fills `out` with the next bytes.
    pub(crate) fn read(&mut self, out: &mut [u8]) {
        self.0.read(out);
    }
}

impl Seeded for ShakeSource {
    type Seed = [u8; SEED_LEN];
    const EMPTY: Self = Self(hash::empty_reader());

    fn start(&mut self, seed: &[u8; SEED_LEN]) {
        // As for round 3's generator. The number of the attempt is public.
        let [secret @ .., _attempt] = seed;
        expect_secret(secret);
        self.0.start(|hash| _ = hash.update(seed));
    }
}

impl ByteSource for ShakeSource {
    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.0.read_array())
    }

    fn next_u8(&mut self) -> u8 {
        let [byte] = self.0.read_array();
        byte
    }

    /// Reads eighty bits: the sign bit, then 79 bits of the base sampler.
    fn next_candidate(&mut self) -> (i64, i64, u8) {
        let bits = u128::from(self.next_u64());
        let bits = bits | u128::from(u16::from_le_bytes(self.0.read_array())) << 64;
        (half_gaussian(bits >> 1), (bits & 1) as i64, self.next_u8())
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

/// `z0` of the 79-bit number `u`: the number of table entries above it, all of them compared.
fn half_gaussian(u: u128) -> i64 {
    let mut z0 = 0;
    for entry in RCDT {
        // Both sides are below 2^79: bit 127 of the difference is the borrow.
        z0 += (u.wrapping_sub(entry) >> 127) as i64;
    }
    z0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both tables are of one distribution, with 72 and with 79 bits. Round 3's entries are up to
    /// 8.3 units below the nearest.
    #[test]
    fn the_table_refines_that_of_round_3() {
        for (fine, coarse) in RCDT.into_iter().zip(super::super::base::RCDT) {
            let coarse = coarse << 7;
            assert!(coarse < fine + 128 && fine < coarse + 9 * 128, "{coarse}");
        }
    }

    /// `fn-dsa` has the entries in pieces of 31, 24 and 24 bits.
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
    fn magnitudes_change_at_the_entries() {
        for (i, entry) in (0..).zip(RCDT) {
            assert_eq!(half_gaussian(entry - 1), i + 1);
            assert_eq!(half_gaussian(entry), i);
        }
        assert_eq!(half_gaussian((1 << 79) - 1), 0);
    }
}
