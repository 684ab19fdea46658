//! Decides BerExp by the first byte, in 32-bit fixed point.
//!
//! BerExp accepts iff a string of random bytes is below the bytes of `Y = 256 ccs exp(-x)`, so the
//! first byte `w` is enough unless `w = floor(Y)`: a larger byte fails the trial, and a smaller
//! byte passes it. An estimate `E` of `Y` with `|E - Y| < m` decides for every `w` outside
//! `[E - 1 - m, E + m]`. One attempt in 256 is left for the exact computation. Both ways read the
//! same bytes. So the estimate changes neither an output nor a position of the byte source.
//!
//! All arithmetic is on integers with fixed latency. It is the same on all engines, and cheap on
//! engines without a binary64 unit.
//!
//! With `v = x log2(e) = (z - r)^2 dss log2(e) - z0^2 log2(e) / (2 sigma_max^2)`
//! the estimate is `256 ccs 2^-v`. The Gram-Schmidt norms of a valid key are
//! between `sqrt(q) / 1.17` and `1.17 sqrt(q)`, so `sigma'` is between
//! `sigma_min` and `1.17^2 sigma_min < sigma_max`: `dss <= 0.402` and `x >= 0`.
//! With `|z - r| <= 19` and `z0 <= 18` the errors are:
//!
//! * `r` is rounded to 26 bits: `(z - r)^2` is off by less than `2^-21.7`, and
//!   `v` by `2^-22.5`, or `2^9.6` units of its 32-bit fraction; all other
//!   roundings of `v` are below 3 units;
//! * `v` is raised by `2^10` units to keep it positive: by this alone, the relative error of `2^-v`
//!   is `2^-22.5`; together with the rounding of `r` it is `2^-21.7`;
//! * the polynomial for `2^-f` on `[0, 1)` is off by `2^-23.6`, its truncations
//!   included.
//!
//! So `E`, whose unit is `2^-23`, is off by less than `2^9.7 + 3` units. The
//! exact path is off by less than a thousandth of a unit: its polynomial is
//! exact to `2^-51`. The margin is `2^11`.

use super::ber_exp::mul_high;
use crate::lanes::Double;
use crate::reveal::reveal;
use crate::tree::Leaf;

/// Number of fractional bits of `r`.
const CENTER_BITS: u32 = 26;
/// `2^26`.
const CENTER_ONE: f64 = (1u64 << CENTER_BITS) as f64;
/// `log2(e) 2^44`. With this factor, `t^2 dss / 2^64` in [`estimate`] has 32 fractional bits.
const DSS_ONE: f64 = core::f64::consts::LOG2_E * (1u64 << 44) as f64;
/// `2^32`.
const CCS_ONE: f64 = (1u64 << 32) as f64;
/// `log2(e) 2^48 / (2 sigma_max^2)`, `sigma_max = 1.8205`.
const PROPOSAL: i64 = 61_263_664_211_031;
/// Addend that keeps `v` positive.
const RAISE: i64 = 1 << 10;
/// Number of fractional bits of `E`.
const BYTE_BITS: u32 = 23;
/// The margin `m` in units of `E`.
const MARGIN: u32 = 1 << 11;

/// Absolute values of the coefficients of a polynomial for `2^-f 2^32`, for `f` in `[0, 1)` with 32
/// bits. Their signs alternate. The polynomial has the least relative error (`2^-23.67`).
/// `tests/minimax.rs` computes it again.
pub(crate) const EXP2: [u64; 6] = [
    4_294_966_974,
    2_977_023_306,
    1_031_531_698,
    237_424_601,
    39_464_787,
    4_032_065,
];

/// A leaf in fixed point.
#[derive(Clone, Copy)]
pub struct FixedLeaf {
    /// `dss log2(e) 2^44`.
    dss: u64,
    /// `ccs 2^32`.
    ccs: u64,
}

impl FixedLeaf {
    #[inline(always)]
    pub(super) fn new<D: Double>(leaf: &Leaf) -> Self {
        let fixed = |x: f64, one: f64| (D::from(x) * one.into()).rint() as u64;
        Self {
            dss: fixed(leaf.dss, DSS_ONE),
            ccs: fixed(leaf.ccs, CCS_ONE),
        }
    }
}

/// Converts the fraction `r` of a centre to fixed point.
#[inline(always)]
pub(super) fn fixed_center<D: Double>(r: D) -> i64 {
    (r * CENTER_ONE.into()).rint()
}

/// Verdict of the first byte on a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The trial succeeds.
    Accept,
    /// The trial fails.
    Reject,
    /// The exact computation has to decide.
    Open,
}

/// Judges by the byte `w` whether the candidate `z` is accepted at the centre `r`. `z` was made
/// from `z0`.
#[inline(always)]
pub(super) fn verdict(leaf: FixedLeaf, r: i64, z: i64, z0: i64, w: u8) -> Verdict {
    let above = estimate(leaf, r, z, z0).wrapping_sub(u32::from(w) << BYTE_BITS);
    // `above` is `E - w`; negative numbers wrap. The branch is taken if `w = floor(Y)`, with a
    // chance of 1/256 whatever the secret is, or in the margin around it, with a chance of at most
    // `2^-19`.
    if reveal(above.wrapping_add(MARGIN) <= (1 << BYTE_BITS) + 2 * MARGIN) {
        Verdict::Open
    } else if reveal(above >> 31 == 0) {
        Verdict::Accept
    } else {
        Verdict::Reject
    }
}

/// Returns `E`, below `2^31`.
#[inline(always)]
fn estimate(leaf: FixedLeaf, r: i64, z: i64, z0: i64) -> u32 {
    // |t| < 2^30.3.
    let t = (z << CENTER_BITS).wrapping_sub(r);
    let square = t.wrapping_mul(t) as u64;
    let proposal = (z0 * z0).wrapping_mul(PROPOSAL) >> 16;
    let v = (mul_high(square, leaf.dss) as i64).wrapping_add(RAISE - proposal) as u64;
    let [c0, c1, c2, c3, c4, c5] = EXP2;
    let f = v & 0xffff_ffff;
    let times = |a: u64, b: u64| a.wrapping_mul(b) >> 32;
    let f2 = times(f, f);
    let low = c0 - times(c1, f);
    let middle = c2 - times(c3, f);
    let high = c4 - times(c5, f);
    let p = low + times(f2, middle + times(f2, high));
    let e = (p.wrapping_mul(leaf.ccs) >> 33) as u32;
    // Shifts from 31 on give zero.
    let s = (v >> 32) as u32;
    let over = (31u32.wrapping_sub(s) >> 31).wrapping_neg();
    e >> ((s | over) & 31)
}

#[cfg(test)]
mod tests {
    use super::super::ber_exp::threshold;
    use super::super::serial::{Center, exponent};
    use super::*;
    use crate::hash::Shake256;
    use crate::lanes::SoftDouble;
    use crate::params::SIGMA_MIN;

    /// One trial of the sampler: a candidate around a centre of a leaf.
    struct Trial {
        leaf: Leaf,
        center: Center<f64>,
        z0: i64,
        z: i64,
    }

    impl Trial {
        fn threshold(&self) -> u64 {
            let x = exponent(self.center.r, &self.leaf, self.z, self.z0);
            threshold(x, self.leaf.ccs)
        }

        fn verdict(&self, w: u8) -> Verdict {
            let leaf = FixedLeaf::new::<f64>(&self.leaf);
            verdict(leaf, self.center.fixed, self.z, self.z0, w)
        }

        /// Returns the verdict for `w`, and checks that a decided verdict is right.
        fn check(&self, w: u8) -> Verdict {
            let top = (self.threshold() >> 56) as u8;
            let verdict = self.verdict(w);
            match verdict {
                Verdict::Accept => assert!(w < top, "{w} against {top}"),
                Verdict::Reject => assert!(w > top, "{w} against {top}"),
                Verdict::Open => {}
            }
            verdict
        }

        fn estimate(&self) -> u32 {
            let leaf = FixedLeaf::new::<f64>(&self.leaf);
            estimate(leaf, self.center.fixed, self.z, self.z0)
        }
    }

    /// Makes trials with leaves, centres and candidates of all sizes. Every other trial has a small
    /// `z0`, as most trials of the sampler do.
    fn trials(count: usize) -> impl Iterator<Item = Trial> {
        let mut stream = Shake256::reader(b"first byte");
        (0..count).map(move |i| {
            let mut word = || u64::from_le_bytes(stream.read_array());
            let mut unit = || (word() >> 11) as f64 / (1u64 << 53) as f64;
            let sigma_min = SIGMA_MIN[1 + i % 10];
            // sigma' is from sigma_min to 1.17^2 sigma_min. The ends are tried as well.
            let at = (unit() * 1.25 - 0.125).clamp(0.0, 1.0);
            let inv_sigma = 1.0 / (sigma_min * (1.0 + at * (1.17 * 1.17 - 1.0)));
            let leaf = Leaf {
                dss: inv_sigma * inv_sigma * 0.5,
                ccs: inv_sigma * sigma_min,
            };
            let center = match i % 7 {
                0 => 0.0,
                1 => -f64::MIN_POSITIVE,
                2 => unit() / (1u64 << 30) as f64,
                _ => unit() * 600.0 - 300.0,
            };
            let z0 = (word() % if i % 2 == 0 { 19 } else { 5 }) as i64;
            let sign = (word() & 1) as i64;
            Trial {
                leaf,
                center: Center::new(center - center.floor()),
                z0,
                z: sign + (2 * sign - 1) * z0,
            }
        })
    }

    #[test]
    fn estimate_is_within_the_margin_of_the_exact_threshold() {
        let mut worst = 0;
        for trial in trials(400_000) {
            let exact = (trial.threshold() >> (56 - BYTE_BITS)) as u32;
            worst = worst.max(exact.abs_diff(trial.estimate()));
        }
        assert!(worst < MARGIN, "off by {worst}");
        // The margin is at most 8 times as large as necessary.
        assert!(worst > MARGIN / 8, "off by {worst} only");
    }

    #[test]
    fn verdicts_are_those_of_the_exact_threshold() {
        let mut open = 0u32;
        for trial in trials(100_000) {
            let top = (trial.threshold() >> 56) as u8;
            for w in [
                0,
                1,
                2,
                top.wrapping_sub(1),
                top,
                top.wrapping_add(1),
                254,
                255,
            ] {
                open += u32::from(trial.check(w) == Verdict::Open && w != top);
            }
        }
        // An exact trial is unnecessary if the margin reaches a neighbouring byte. That happens in
        // one trial of `2^11`.
        assert!(open < 500, "{open} needless exact trials");
    }

    /// Tests thresholds just below and just above a byte boundary. `Y` crosses an integer between
    /// two centres, and bisection finds the crossing to the last bit.
    #[test]
    fn verdicts_hold_at_byte_boundaries() {
        let with = |trial: &Trial, r: f64| Trial {
            center: Center::new(r),
            ..*trial
        };
        let mut boundaries = 0;
        for trial in trials(20_000) {
            let top = |r: f64| with(&trial, r).threshold() >> 56;
            let (mut low, mut high) = (0.25, 0.25 + 1.0 / 256.0);
            if top(low) == top(high) {
                continue;
            }
            boundaries += 1;
            while (high - low) > f64::EPSILON {
                let middle = 0.5 * (low + high);
                if top(middle) == top(low) {
                    low = middle;
                } else {
                    high = middle;
                }
                for r in [low, high] {
                    let trial = with(&trial, r);
                    let top = (trial.threshold() >> 56) as u8;
                    trial.check(top);
                    trial.check(top.wrapping_sub(1));
                    trial.check(top.wrapping_add(1));
                }
            }
        }
        assert!(boundaries > 500, "{boundaries} boundaries");
    }

    #[test]
    fn soft_and_native_leaves_are_equal() {
        for trial in trials(1000) {
            let [a, b] = [
                FixedLeaf::new::<f64>(&trial.leaf),
                FixedLeaf::new::<SoftDouble>(&trial.leaf),
            ];
            assert_eq!((a.dss, a.ccs), (b.dss, b.ccs));
            assert_eq!(
                trial.center.fixed,
                fixed_center(SoftDouble::from(trial.center.r)),
                "{}",
                trial.center.r
            );
        }
    }

    #[test]
    fn constants_are_those_of_their_formulas() {
        let log2_e = core::f64::consts::LOG2_E;
        let proposal = log2_e * (1u64 << 48) as f64 / (2.0 * 1.8205 * 1.8205);
        assert!((proposal - PROPOSAL as f64).abs() < 1.0);
        for i in 0..=4096u32 {
            let f = f64::from(i) / 4096.0;
            let sum = EXP2.iter().rev().fold(0.0, |sum, &c| c as f64 - f * sum);
            let relative = sum / (1u64 << 32) as f64 * libm::exp2(f) - 1.0;
            assert!(relative.abs() < 7.6e-8, "{relative} at {f}");
        }
    }

    /// Tests the margin below a byte. If the estimate is below a whole byte and the exact value is
    /// above it, the estimate without a margin would decide wrongly. The margin above the byte is
    /// spare: `v` is raised, so no estimate is too large.
    #[test]
    fn an_estimate_below_a_whole_byte_decides_nothing() {
        let byte = f64::from(1u32 << BYTE_BITS);
        let mut count = 0;
        for trial in trials(200_000) {
            // `exact` is in units of the estimate.
            let exact = trial.threshold() as f64 / (1u64 << 33) as f64;
            let error = f64::from(trial.estimate()) - exact;
            assert!(error <= 0.0, "{error}");
            let whole = (exact / byte).floor();
            if error > -8.0 || whole < 1.0 {
                continue;
            }
            let mut leaf = trial.leaf;
            leaf.ccs *= (whole * byte - error / 2.0) / exact;
            Trial { leaf, ..trial }.check(whole as u8);
            count += 1;
        }
        assert!(count > 1000, "{count}");
    }
}
