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

/// The words of an entry: a number below `2^93`, 31 bits in each word, the lowest first.
pub(super) type Words = [u32; 3];

/// Number of bits of a word. With 31 bits, the sign bit of a difference of two words is the borrow.
/// So no compiler has to compare numbers of 64 bits, which takes a branch on RV32IMAC.
const BITS: u32 = 31;

/// Splits a number below `2^93`.
#[inline(always)]
pub(super) const fn words(x: u128) -> Words {
    let mask = (1 << BITS) - 1;
    let (low, high) = (x as u64, (x >> (2 * BITS)) as u32);
    [low as u32 & mask, (low >> BITS) as u32 & mask, high & mask]
}

/// Splits every entry of a table.
pub(super) const fn table(entries: &[u128; 18]) -> [Words; 18] {
    let mut table = [[0; 3]; 18];
    let mut i = 0;
    while i < table.len() {
        table[i] = words(entries[i]);
        i += 1;
    }
    table
}

/// Returns `z0`, the magnitude of the base sample: the number of entries of `table` above `u`.
/// Always compares all entries.
///
/// Source: Falcon specification v1.2, algorithm 12 (BaseSampler).
#[inline(always)]
pub(super) fn entries_above(table: &[Words; 18], u: Words) -> i64 {
    let mut above = 0;
    for entry in table {
        let mut borrow = 0;
        for (u, entry) in u.iter().zip(entry) {
            borrow = u.wrapping_sub(*entry).wrapping_sub(borrow) >> BITS;
        }
        above += borrow;
    }
    i64::from(above)
}

/// Returns `z0` of the 72-bit number `high * 2^64 + low`.
#[inline(always)]
pub(super) fn half_gaussian(low: u64, high: u8) -> i64 {
    const TABLE: [Words; 18] = table(&RCDT);
    entries_above(&TABLE, words(u128::from(low) | u128::from(high) << 64))
}
