//! The FFT circuits of the simulated system, as an engine of `falcon_core`.

use crate::platform::{clocks, map, read, store};
use core::slice;
use falcon_core::seams::fft::{BasisRef, Fft};
use falcon_core::seams::lanes::Soft;

/// Base-2 logarithm of the degree of the circuits.
pub const LOGN: u32 = 9;

/// Direction of a transform. The value selects the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// FFT.
    Forward = 0,
    /// Inverse FFT.
    Inverse = 1,
}

/// Clocks that the steps of a transform took.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The copy into the circuit's memory.
    pub copy_in: u64,
    /// The circuit, from before its start until the processor has seen the end.
    pub circuit: u64,
    /// The circuit alone, by its own counter.
    pub counted: u64,
    /// The copy back.
    pub copy_out: u64,
}

/// Transforms `f`, `2^LOGN` reals, in place on a circuit.
pub fn transform(direction: Direction, f: &mut [f64]) -> Steps {
    let (re, im) = f.split_at_mut(1 << (LOGN - 1));
    let start = clocks();
    store(map::FFT_DIRECTION, direction as u32);
    let mut address = map::FFT_DATA;
    for (&re, &im) in re.iter().zip(&*im) {
        for bits in [re.to_bits(), im.to_bits()] {
            store(address, bits as u32);
            store(address + 4, (bits >> 32) as u32);
            address += 8;
        }
    }
    let copied_in = clocks();
    store(map::FFT_START, 1);
    while read(map::FFT_BUSY) != 0 {}
    let computed = clocks();
    let mut address = map::FFT_DATA;
    for (re, im) in re.iter_mut().zip(im) {
        for x in [re, im] {
            let high = u64::from(read(address + 4)) << 32;
            *x = f64::from_bits(high | u64::from(read(address)));
            address += 8;
        }
    }
    Steps {
        copy_in: copied_in - start,
        circuit: computed - copied_in,
        counted: read(map::FFT_CYCLES).into(),
        copy_out: clocks() - computed,
    }
}

/// [`Fft`] with the transforms of degree `2^LOGN` on the circuits. The processor computes the rest.
#[derive(Clone, Copy, Debug)]
pub struct CircuitFft;

impl Fft for CircuitFft {
    type Real = f64;
    const LANES: usize = 1;

    fn values<'x>(&self, x: &'x f64) -> &'x [f64] {
        slice::from_ref(x)
    }
    fn values_mut<'x>(&self, x: &'x mut f64) -> &'x mut [f64] {
        slice::from_mut(x)
    }
    fn add(&self, a: f64, b: f64) -> f64 {
        Soft.add(a, b)
    }
    fn sub(&self, a: f64, b: f64) -> f64 {
        Soft.sub(a, b)
    }
    fn floors(&self, a: [f64; 2]) -> [f64; 2] {
        Soft.floors(a)
    }
    fn fft(&self, logn: u32, f: &mut [f64]) {
        if logn == LOGN {
            transform(Direction::Forward, f);
        } else {
            Soft.fft(logn, f);
        }
    }
    fn ifft(&self, logn: u32, f: &mut [f64]) {
        if logn == LOGN {
            transform(Direction::Inverse, f);
        } else {
            Soft.ifft(logn, f);
        }
    }
    fn split(&self, logn: u32, f0: &mut [f64], f1: &mut [f64], f: &[f64]) {
        Soft.split(logn, f0, f1, f);
    }
    fn merge(&self, logn: u32, f: &mut [f64], f0: &[f64], f1: &[f64]) {
        Soft.merge(logn, f, f0, f1);
    }
    fn nearest_plane(&self, t: [f64; 2], d: [f64; 2], l: [f64; 2]) -> [f64; 2] {
        Soft.nearest_plane(t, d, l)
    }
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[f64],
        t1: &mut [f64],
        u: [&mut [f64]; 2],
        l10: &[f64],
    ) {
        Soft.nearest_plane_step(logn, t0, t1, u, l10);
    }
    fn target(&self, logn: u32, t0: &mut [f64], t1: &mut [f64], b01: &[f64], b11: &[f64]) {
        Soft.target(logn, t0, t1, b01, b11);
    }
    fn times_basis(&self, logn: u32, z0: &mut [f64], z1: &mut [f64], basis: BasisRef<'_>) {
        Soft.times_basis(logn, z0, z1, basis);
    }
}
