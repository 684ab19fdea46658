//! Mean numbers of attempts, for one integer of a leaf with a uniform centre, that the samplers
//! leave to the exact code.

use super::super::base::RCDT;
use super::super::first_byte::{FixedLeaf, Verdict, verdict};
use super::super::records::{level, record, spread, trial};
use super::super::serial::{Center, exponent};
use crate::lanes::SoftDouble;
use crate::tree::Leaf;
use std::vec::Vec;

const CENTERS: u32 = 1 << 14;

fn leaf(sigma_min: f64, sigma: f64) -> Leaf {
    Leaf {
        dss: 0.5 / (sigma * sigma),
        ccs: sigma_min / sigma,
    }
}

/// Returns the expected number of exact attempts until any attempt is accepted. `z0` has the chance
/// `chances[z0]`. With the chance `open`, an attempt is exact whatever its centre is. Any other
/// attempt is exact if `is_open(r, z, z0, byte)`.
fn expected(
    leaf: &Leaf,
    chances: &[f64],
    open: f64,
    is_open: impl Fn(f64, i64, i64, u8) -> bool,
) -> f64 {
    let (mut exact, mut accepted) = (0.0, 0.0);
    for center in 0..CENTERS {
        let r = (f64::from(center) + 0.5) / f64::from(CENTERS);
        exact += open;
        for (z0, chance) in (0..).zip(chances) {
            for z in [-z0, 1 + z0] {
                let accepts = leaf.ccs * libm::exp(-exponent(r, leaf, z, z0));
                // Only bytes near the threshold can be open.
                let byte = (256.0 * accepts) as u8;
                let near = byte.saturating_sub(2)..=byte.saturating_add(2);
                let count = near.filter(|&byte| is_open(r, z, z0, byte)).count();
                exact += 0.5 * chance * count as f64 / 256.0;
                accepted += 0.5 * chance * accepts;
            }
        }
    }
    exact / accepted
}

/// Returns the number of exact attempts in windows, which binary64 units use.
pub(crate) fn in_windows(sigma_min: f64, sigma: f64) -> f64 {
    let leaf = leaf(sigma_min, sigma);
    let (spread, level) = (spread(leaf.dss), level(leaf.ccs));
    // For each `z0`, the number of its bases and one of them. The other bases are always open.
    let (mut bases, mut open) = ([(0.0, 0); 7], 0.0);
    for base in 0..=u16::MAX {
        let [z, accept, _] = record(u32::from(base), trial(1));
        if accept == f32::from(i16::MIN) {
            open += 1.0;
        } else {
            bases[-z as usize].0 += 1.0;
            bases[-z as usize].1 = u32::from(base);
        }
    }
    let chances = bases.map(|(count, _)| count / 65536.0);
    expected(&leaf, &chances, open / 65536.0, |r, z, z0, byte| {
        let t = z as f32 - r as f32;
        let (_, base) = bases[z0 as usize];
        let [_, accept, reject] = record(base, trial(byte));
        let [accept, reject] = [accept, reject].map(|record| (record + level) * spread);
        accept < t * t && t * t <= reject
    })
}

/// Returns the number of exact attempts of the serial sampler, which `soft` uses.
pub(crate) fn one_by_one(sigma_min: f64, sigma: f64) -> f64 {
    let leaf = leaf(sigma_min, sigma);
    let fixed = FixedLeaf::new::<SoftDouble>(&leaf);
    let above = |z0: usize| RCDT.get(z0).map_or(0.0, |&entry| entry as f64);
    let chances: Vec<f64> = (0..=RCDT.len())
        .map(|z0| {
            let before = z0.checked_sub(1).map_or((1u128 << 72) as f64, above);
            (before - above(z0)) / (1u128 << 72) as f64
        })
        .collect();
    expected(&leaf, &chances, 0.0, |r, z, z0, byte| {
        let center = Center::<f64>::new(r);
        verdict(fixed, center.fixed, z, z0, byte) == Verdict::Open
    })
}
