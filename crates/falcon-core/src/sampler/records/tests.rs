//! Compares records with the exact sampler, and the ways of making them with each other.

use super::super::base::half_gaussian;
use super::*;
use core::f64::consts::LOG2_E;

/// Makes a word of the base sample, a trial of 1 and an even sign.
fn word(base: u16) -> u32 {
    u32::from(base) | 1 << 24
}

/// The table gives the right `z0` for all low bits, unless the attempt is open.
#[test]
fn base_samples_are_those_of_their_high_bits() {
    let mut open = 0;
    for base in 0..=u16::MAX {
        let [least, most] = [0, u64::MAX >> 8].map(|low| {
            let bits = u128::from(base) << 56 | u128::from(low);
            half_gaussian(bits as u64, (bits >> 64) as u8)
        });
        let [z, accept, reject] = record(word(base), trial(1));
        let is_open = reject == f32::INFINITY;
        assert_eq!(is_open, accept == f32::from(i16::MIN), "{base}");
        assert!(is_open || (least, most) == (-z as i64, -z as i64), "{base}");
        open += usize::from(is_open);

        let [odd, ..] = record(word(base) | 1 << 16, trial(1));
        assert!(is_open || odd == 1.0 - z, "{base}");
    }
    assert_eq!(open, 23);
}

/// All records lie on the right side of the exact value, even with the largest error of `y`.
/// With records one unit closer to that value, they would not.
#[test]
fn records_leave_a_margin_for_the_error_of_the_comparison() {
    const ERROR: f64 = 0.13;
    let one = f64::from(ONE);
    let raise = f64::from(RAISE);
    let (mut accept_margin, mut reject_margin) = (f64::MAX, f64::MAX);
    // These bases are between the entries of the table.
    let bases = [50_000, 40_000, 20_000, 5_000, 1_000, 200, 50];
    for (z0, base) in (0..).zip(bases) {
        let z0 = f64::from(z0);
        let q = z0 * z0 * super::super::serial::INV_2_SIGMA_MAX_SQUARED * LOG2_E;
        for w in 0..=255 {
            let [z, accept, reject] = record(word(base), trial(w));
            assert_eq!(f64::from(z), -z0);
            let w = f64::from(w);
            let edge = (q - (w + 1.0).log2()) * one + raise;
            accept_margin = accept_margin.min(edge - f64::from(accept));
            let edge = (q - w.log2()) * one + raise;
            assert_eq!(w == 0.0, reject == f32::INFINITY);
            if w > 0.0 {
                reject_margin = reject_margin.min(f64::from(reject) - edge);
            }
        }
    }
    for margin in [accept_margin, reject_margin] {
        assert!((ERROR..1.0).contains(&margin), "{margin}");
    }
}

#[test]
fn levels_are_within_their_bound() {
    let mut worst = 0.0f64;
    for i in 0..=100_000 {
        let ccs = 0.6 + 0.4 * f64::from(i) / 100_000.0;
        let exact = (256.0 * ccs).log2() * f64::from(ONE) - f64::from(RAISE);
        worst = worst.max((f64::from(level(ccs)) - exact).abs());
    }
    assert!(worst < 0.09, "off by {worst}");
}

/// Returns the records of 32 attempts, whose tails are `words`.
fn group<T: LookUps>(t: T, words: &[u32; GROUP]) -> [[f32; CAPACITY]; 3] {
    let attempts = words.map(|word| {
        let mut attempt = [0xa5; ATTEMPT_LEN];
        attempt[ATTEMPT_LEN - 4..].copy_from_slice(&word.to_le_bytes());
        attempt
    });
    let mut records = [[f32::NAN; CAPACITY]; 3];
    let [z, accept, reject] = &mut records;
    t.vectorize(
        #[inline(always)]
        || {
            let [group] = record_groups(t, [&attempts]);
            group.store(t, 0, [z, accept, reject]);
        },
    );
    records
}

/// Records have the same bits with and without look-ups. The test tries all bases with some
/// trials and both signs, and all trials with bases around the entries of the table.
fn records_are_looked_up<T: LookUps>(t: T) {
    let check = |words: &[u32; GROUP]| {
        let [z, accept, reject] = group(t, words);
        for (k, &word) in words.iter().enumerate() {
            let expected = record(word, trial((word >> 24) as u8)).map(f32::to_bits);
            let found = [z[k], accept[k], reject[k]].map(f32::to_bits);
            assert_eq!(found, expected, "{word:#x}");
        }
    };
    for first in (0..1 << 16).step_by(GROUP) {
        for rest in [0u32, 1, 0x0100, 0x0201, 0xfe00, 0xff01] {
            let word = |k| first | rest << 16 | k;
            check(&from_fn(|k| word(k as u32)));
        }
    }
    for entry in 0..8 {
        let entry = (RCDT[entry] >> 56) as u32;
        for base in [entry.saturating_sub(1), entry, entry + 1] {
            for first in (0..1 << 16).step_by(GROUP) {
                check(&from_fn(|k| (first + k as u32) << 16 | base));
            }
        }
    }
}

/// From every place of a buffer, the same attempts have the same records, with and without
/// look-ups.
fn buffers_are_looked_up<T: LookUps>(t: T) {
    let buffer: [u8; BUFFER_LEN] = from_fn(|i| (i * i * 7 + i / 256) as u8);
    for start in 0..=BUFFER_LEN {
        let count = attempts_from(start).iter().sum::<usize>();
        let [expected, found] = [false, true].map(|is_looked_up| {
            let mut records = [[f32::NAN; CAPACITY]; 3];
            let [z, accept, reject] = &mut records;
            let out = [z, accept, reject];
            if is_looked_up {
                t.vectorize(
                    #[inline(always)]
                    || read_groups(t, &buffer, start, out),
                );
            } else {
                read_one_by_one(crate::lanes::Baseline, &buffer, start, out);
            }
            records.map(|records| records[CAPACITY - count..].to_vec())
        });
        assert_eq!(found, expected, "{start}");
    }
}

#[test]
fn portable_look_ups_make_the_same_records() {
    records_are_looked_up(crate::lanes::Baseline);
    buffers_are_looked_up(crate::lanes::Baseline);
}

#[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
#[test]
fn look_ups_of_avx512_make_the_same_records() {
    if let Some(look_ups) = falcon_x86::Avx512Vbmi::detect() {
        records_are_looked_up(look_ups);
        buffers_are_looked_up(look_ups);
    }
}

/// Every attempt that begins in the buffer is gathered at its place, wherever the first attempt
/// begins.
#[test]
fn attempts_are_gathered_from_every_place() {
    let buffer: [u8; BUFFER_LEN] = from_fn(|i| (i * 7 + i / 256) as u8);
    for start in 0..BUFFER_LEN {
        let mut words = [0; CAPACITY];
        let count = gather(crate::lanes::Baseline, &buffer, start, &mut words);
        let positions = (start..=crate::prng::END - 1).step_by(ATTEMPT_LEN);
        assert_eq!(count, positions.clone().count(), "{start}");
        assert_eq!(words[..CAPACITY - count], [0; CAPACITY][count..]);
        for (word, position) in words[CAPACITY - count..].iter().zip(positions) {
            let whole = buffer[position..].first_chunk();
            assert_eq!(*word, whole.map_or(0, tail), "{start}, {position}");
        }
    }
}
