//! Compares windows with the exact serial sampler. Both must draw the same integers from the same
//! bytes, for random centres and for centres at which the first byte barely decides.

use super::super::base::half_gaussian;
use super::super::records::{ACCEPT, BUFFERS, ONE, RAISE, REJECT, record, trial};
use super::super::serial::exponent;
use super::super::{Serial, SerialFeed};
use super::*;
use crate::hash::{Shake256, Shake256Reader};
use crate::lanes::{Baseline, tail};
use crate::params::SIGMA_MIN;
use crate::prng::{BUFFER_LEN, END};

const WINDOWS: Windows<Baseline> = Windows::new(Baseline);

/// Scales the number of cases: `FALCON_FULL=1` asks for a hundred times as many.
fn extent(cases: usize) -> usize {
    let full = std::env::var_os("FALCON_FULL").is_some_and(|value| value == "1");
    if full { 100 * cases } else { cases }
}

/// Runs both samplers on the same bytes.
struct Pair {
    windows: Feed,
    serial: SerialFeed<Prng>,
}

impl Pair {
    fn new(seed: &[u8; SAMPLER_SEED_LEN]) -> Self {
        Self {
            windows: WINDOWS.feed(seed),
            serial: Serial::<f64>::new().feed(seed),
        }
    }

    /// Samples with both samplers, and compares integers and places.
    fn sample(&mut self, rests: [f64; 2], leaf: &Leaf) {
        let (windows, serial) = (WINDOWS, Serial::<f64>::new());
        let a = windows.sample_pair(&mut self.windows, rests, &windows.leaf(leaf));
        let b = serial.sample_pair(&mut self.serial, rests, &serial.leaf(leaf));
        assert_eq!(a, b, "{rests:?}, {leaf:?}");
        assert_eq!(
            self.windows.consumed(),
            consumed(&self.serial.source, self.serial.source.place())
        );
    }
}

impl Feed {
    fn consumed(&self) -> u64 {
        let last = Place {
            buffer: BUFFERS - 1,
            position: END,
        };
        let place = self.records.begin(self.next).unwrap_or(last);
        consumed(&self.source, place)
    }
}

/// Returns the number of bytes consumed before `place`. The end of a buffer is the start of the
/// next one.
fn consumed<const AHEAD: usize, const SETS: usize>(prng: &Prng<AHEAD, SETS>, place: Place) -> u64 {
    let buffers = prng.counter() / 8 - (AHEAD * SETS) as u64 + place.buffer as u64;
    match place.position {
        END.. => (buffers + 1) * BUFFER_LEN as u64,
        position => buffers * BUFFER_LEN as u64 + position as u64,
    }
}

/// Draws random leaves and centres, including the ends of the ranges.
pub(in crate::sampler) struct Cases(Shake256Reader);

impl Cases {
    pub(in crate::sampler) fn new(name: &str) -> Self {
        Self(Shake256::reader(name.as_bytes()))
    }

    /// Draws a seed whose counter is zero.
    fn seed(&mut self) -> [u8; SAMPLER_SEED_LEN] {
        let mut seed: [u8; SAMPLER_SEED_LEN] = self.0.read_array();
        seed[SAMPLER_SEED_LEN - 8..].fill(0);
        seed
    }

    fn unit(&mut self) -> f64 {
        (u64::from_le_bytes(self.0.read_array()) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(in crate::sampler) fn leaf(&mut self) -> Leaf {
        let sigma_min = SIGMA_MIN[1 + (self.unit() * 10.0) as usize];
        let at = (self.unit() * 1.25 - 0.125).clamp(0.0, 1.0);
        let inv_sigma = 1.0 / (sigma_min * (1.0 + at * (1.17 * 1.17 - 1.0)));
        Leaf {
            dss: inv_sigma * inv_sigma * 0.5,
            ccs: inv_sigma * sigma_min,
        }
    }

    pub(in crate::sampler) fn rest(&mut self) -> f64 {
        match (self.unit() * 16.0) as u32 {
            0 => 0.0,
            1 => 1.0,
            2 => self.unit() / (1u64 << 30) as f64,
            _ => self.unit(),
        }
    }
}

#[test]
fn windows_draw_the_serial_samplers_integers_from_the_same_bytes() {
    let mut cases = Cases::new("windows");
    for _ in 0..extent(300) {
        let mut pair = Pair::new(&cases.seed());
        let leaf = cases.leaf();
        // A sample takes about 1.73 attempts.
        for _ in 0..1000 {
            pair.sample([cases.rest(), cases.rest()], &leaf);
        }
    }
}

/// Returns `z0` and `z` of an attempt.
fn candidate(bytes: [u8; 11]) -> (i64, i64) {
    let [low @ .., high, sign, _] = bytes;
    let z0 = half_gaussian(u64::from_le_bytes(low), high);
    let sign = i64::from(sign & 1);
    (z0, sign + (2 * sign - 1) * z0)
}

/// Returns the centre at which the byte `edge` is exactly the threshold of the next attempt, if
/// there is one.
fn steered(bytes: [u8; 11], edge: f64, leaf: &Leaf) -> Option<f64> {
    let (z0, z) = candidate(bytes);
    let x = (256.0 * leaf.ccs / edge).ln();
    let proposal = (z0 * z0) as f64 * super::super::serial::INV_2_SIGMA_MAX_SQUARED;
    let distance = ((x + proposal) / leaf.dss).sqrt();
    let r = if z <= 0 {
        z as f64 + distance
    } else {
        z as f64 - distance
    };
    (0.0..1.0).contains(&r).then_some(r)
}

/// Tests centres that are `2^-8` to `2^-53` away from a centre at which the threshold of the first
/// attempt is exactly `w` or `w + 1`, where `w` is the first byte of the trial. Without the margin,
/// many attempts would be decided wrongly.
#[test]
fn windows_hold_where_the_first_byte_hardly_decides() {
    let mut cases = Cases::new("edges");
    let (mut steered_cases, mut wrong_without_margin) = (0, 0);
    for i in 0..extent(400_000) {
        let seed = cases.seed();
        let leaf = cases.leaf();
        let bytes = Prng::<1>::new(Baseline, &seed).next_attempt();
        let w = bytes[10];
        let edge = f64::from(w) + f64::from(i as u32 & 1);
        let Some(r) = steered(bytes, edge, &leaf) else {
            continue;
        };
        let off = 0.5f64.powi(8 + (i / 2 % 46) as i32);
        let r = (r + if i & 2 == 0 { off } else { -off }).clamp(0.0, 1.0);
        steered_cases += 1;
        wrong_without_margin += usize::from(is_wrong_without_margin(bytes, r, &leaf));
        // Most seeds have no such centre and need no records.
        Pair::new(&seed).sample([r, cases.rest()], &leaf);
    }
    assert!(steered_cases > extent(10_000), "{steered_cases} cases");
    assert!(
        wrong_without_margin > steered_cases / 100,
        "{wrong_without_margin} of {steered_cases} cases need the margin"
    );
}

/// Returns true if the comparison without the margin contradicts the exact threshold.
fn is_wrong_without_margin(bytes: [u8; 11], r: f64, leaf: &Leaf) -> bool {
    let (z0, z) = candidate(bytes);
    let threshold = super::super::ber_exp::threshold(exponent(r, leaf, z, z0), leaf.ccs);
    let top = (threshold >> 56) as u8;
    let w = bytes[10];
    let log = WINDOWS.leaf(leaf);
    let t = z as f32 - r as f32;
    let y = t * t / log.spread + log.least - RAISE;
    let [_, accept, reject] = record(tail(&bytes), trial(w));
    (y <= accept - f32::from(ACCEPT) && w >= top) || (y > reject - f32::from(REJECT) && w <= top)
}

/// Measures how far both sides of the comparison are from the exact values, in the units of the
/// records, over all candidates that are not open. `records.rs` states the bound.
#[test]
fn error_of_the_comparison_is_below_its_bound() {
    let mut cases = Cases::new("error");
    let mut worst = 0.0f64;
    for _ in 0..extent(200_000) {
        let leaf = cases.leaf();
        let log = WINDOWS.leaf(&leaf);
        let r = cases.rest();
        let z0 = (cases.unit() * 7.0) as i64;
        let sign = (cases.unit() * 2.0) as i64;
        let z = sign + (2 * sign - 1) * z0;
        let t = z as f32 - r as f32;
        let unit = leaf.dss * core::f64::consts::LOG2_E * f64::from(ONE);
        let square = (z as f64 - r) * (z as f64 - r);
        let y = square * unit - (256.0 * leaf.ccs).log2() * f64::from(ONE) + f64::from(RAISE);
        // This record is the nearest to a tie.
        let record = y.round() as f32;
        let largest = (record - log.least) * log.spread;
        let ours = (f64::from(t * t) - f64::from(largest)) * unit;
        worst = worst.max((ours - (y - f64::from(record))).abs());
    }
    assert!(worst < 0.13, "off by {worst}");
    assert!(worst > 0.05, "off by {worst} only");
}
