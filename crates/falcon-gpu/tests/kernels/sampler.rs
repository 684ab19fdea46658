//! The sampler's filter predicts the result of the exact trial.

use crate::common::{kernels_available, repeatable};
use falcon_core::seams::hash::Shake256Reader;
use falcon_gpu_host::Trial;

/// Relative margin of the kernels' filter.
const MARGIN: f64 = 1.0 / 8192.0;

/// `sigma_min` for degrees 512 and 1024.
const SIGMA_MIN: [f64; 2] = [1.2778336969128337, 1.298280334344292];

fn random(source: &mut Shake256Reader, i: usize) -> Trial {
    let mut word = || u64::from_le_bytes(source.read_array());
    let mut unit = || (word() >> 11) as f64 / (1u64 << 53) as f64;
    // sigma' ranges from sigma_min to 1.17^2 sigma_min, both included.
    let sigma_min = SIGMA_MIN[i % 2];
    let at = (unit() * 1.25 - 0.125).clamp(0.0, 1.0);
    let inv_sigma = 1.0 / (sigma_min * (1.0 + at * (1.17 * 1.17 - 1.0)));
    let r = match i % 5 {
        0 => 0.0,
        1 => unit() / (1u64 << 30) as f64,
        2 => 1.0 - unit() / (1u64 << 20) as f64,
        _ => unit(),
    };
    let z0 = (word() % if i.is_multiple_of(3) { 19 } else { 5 }) as i32;
    let sign = (word() & 1) as i32;
    Trial {
        r,
        dss: inv_sigma * inv_sigma * 0.5,
        ccs: inv_sigma * sigma_min,
        z0,
        z: sign + (2 * sign - 1) * z0,
    }
}

/// Returns the first byte of the threshold, for which the trial ties.
fn top(trial: Trial) -> u8 {
    (trial.threshold() >> 56) as u8
}

/// Checks the filter's verdict on the byte `w`. Returns true if the filter leaves this byte
/// undecided.
fn check(trial: Trial, w: u8) -> bool {
    let verdict = trial.verdict(w);
    let top = top(trial);
    match verdict {
        Some(true) => assert!(w < top, "{trial:?}: {w} accepted, {top}"),
        Some(false) => assert!(w > top, "{trial:?}: {w} rejected, {top}"),
        None => {}
    }
    verdict.is_none()
}

#[test]
fn estimates_are_well_within_the_margin() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("filter: estimates");
    let mut worst = 0.0f64;
    for i in 0..300_000 {
        let trial = random(&mut source, i);
        let estimate = trial.estimate();
        let exact = trial.threshold() as f64 / (1u64 << 56) as f64;
        // With a smaller estimate, the filter decides every byte except zero.
        if exact > 1.0 / 1024.0 {
            worst = worst.max((estimate / exact - 1.0).abs());
        } else {
            assert!(estimate < 1.0 / 512.0);
        }
    }
    assert!(worst < MARGIN / 2.0, "off by {worst}");
    assert!(
        worst > MARGIN / 4096.0,
        "off by {worst} only: is this the filter?"
    );
}

#[test]
fn what_the_filter_decides_is_what_the_trial_decides() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("filter: bytes");
    let (mut open, mut all) = (0u32, 0u32);
    for i in 0..20_000 {
        let trial = random(&mut source, i);
        let top = top(trial);
        for w in 0..=255 {
            all += 1;
            open += u32::from(check(trial, w) && w != top);
        }
    }
    // Besides the byte that ties, the filter leaves bytes within its margin undecided: 2^-13 of at
    // most 256, on both sides.
    assert!(
        f64::from(open) < f64::from(all) / 256.0 * 0.07,
        "{open} of {all}"
    );
}

/// Finds by bisection the neighbouring values of `r` between which the first byte of the threshold
/// changes.
#[test]
fn the_filter_is_right_at_byte_boundaries() {
    if !kernels_available() {
        return;
    }
    let mut source = repeatable("filter: boundaries");
    let mut boundaries = 0;
    for i in 0..20_000 {
        let trial = random(&mut source, i);
        let with = |r: f64| Trial { r, ..trial };
        let (mut low, mut high) = (0.25, 0.25 + 1.0 / 256.0);
        if top(with(low)) == top(with(high)) {
            continue;
        }
        boundaries += 1;
        while high - low > f64::EPSILON {
            let middle = 0.5 * (low + high);
            if top(with(middle)) == top(with(low)) {
                low = middle;
            } else {
                high = middle;
            }
            for trial in [with(low), with(high)] {
                let top = top(trial);
                for w in [top, top.wrapping_sub(1), top.wrapping_add(1)] {
                    check(trial, w);
                }
            }
        }
    }
    assert!(boundaries > 500, "{boundaries} boundaries");
}
