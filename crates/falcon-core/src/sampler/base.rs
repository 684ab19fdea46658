//! The base sampler: a half-Gaussian over the integers `>= 0` with deviation
//! `sigma_max = 1.8205`, from 72 random bits.
//!
//! Source: Falcon specification v1.2, algorithm 12 and table 3.1.

/// Reverse cumulative distribution: entry `i` is `2^72 * P(z0 > i)`, as the
/// specification prints it.
pub(crate) const RCDT: [u128; 18] = [
    3_024_686_241_123_004_913_666,
    1_564_742_784_480_091_954_050,
    636_254_429_462_080_897_535,
    199_560_484_645_026_482_916,
    47_667_343_854_657_281_903,
    8_595_902_006_365_044_063,
    1_163_297_957_344_668_388,
    117_656_387_352_093_658,
    8_867_391_802_663_976,
    496_969_357_462_633,
    20_680_885_154_299,
    638_331_848_991,
    14_602_316_184,
    247_426_747,
    3_104_126,
    28_824,
    198,
    1,
];

/// `z0` of the 72-bit number `high * 2^64 + low`: the number of table entries
/// above it, all of them compared.
///
/// Source: Falcon specification v1.2, algorithm 12 (BaseSampler).
#[inline(always)]
pub(super) fn half_gaussian(low: u64, high: u8) -> i64 {
    let u = u128::from(low) | u128::from(high) << 64;
    let mut z0 = 0;
    for entry in RCDT {
        // Both sides are below 2^72: bit 127 of the difference is the borrow.
        z0 += (u.wrapping_sub(entry) >> 127) as i64;
    }
    z0
}
