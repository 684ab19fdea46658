//! The circuits of the simulated system: the FFT as an engine of `falcon_core`, Keccak-f as the
//! permutation of `falcon_keccak`.

use crate::platform::{map, read, store};
use core::ops::Add;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use falcon_core::seams::fft::{BasisRef, Fft};

/// Clocks of the runs of a circuit since [`take`](Self::take), in words of 32 bits.
#[derive(Debug)]
pub struct Meter {
    runs: AtomicU32,
    moved: AtomicU32,
    computed: AtomicU32,
}

/// Runs of a circuit.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Number of runs.
    pub runs: u32,
    /// Clocks of the copies, in both directions.
    pub moved: u32,
    /// Clocks of the circuit, from before its starts until the processor has seen the ends.
    pub computed: u32,
}

impl Add for Runs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            moved: self.moved + other.moved,
            computed: self.computed + other.computed,
        }
    }
}

impl Meter {
    const fn new() -> Self {
        Self {
            runs: AtomicU32::new(0),
            moved: AtomicU32::new(0),
            computed: AtomicU32::new(0),
        }
    }

    /// Returns the runs since the last call of this function.
    pub fn take(&self) -> Runs {
        let take = |sum: &AtomicU32| {
            let taken = sum.load(Relaxed);
            sum.store(0, Relaxed);
            taken
        };
        Runs {
            runs: take(&self.runs),
            moved: take(&self.moved),
            computed: take(&self.computed),
        }
    }

    /// Adds a run. The processor has one thread and no interrupts.
    fn add(&self, moved: u32, computed: u32) {
        for (sum, clocks) in [
            (&self.runs, 1),
            (&self.moved, moved),
            (&self.computed, computed),
        ] {
            sum.store(sum.load(Relaxed).wrapping_add(clocks), Relaxed);
        }
    }
}

/// Runs of the FFT circuits.
pub static FFT: Meter = Meter::new();

/// Runs of the circuit of Keccak-f.
pub static KECCAK: Meter = Meter::new();

/// Returns the base-2 logarithm of the degree of the FFT circuits.
pub fn logn() -> u32 {
    read(map::FFT_DEGREE).trailing_zeros()
}

/// Permutes `state` on the circuit. The crate in `keccak/` calls this function.
#[unsafe(no_mangle)]
fn falcon_keccak_circuit(state: &mut [u64; 25]) {
    let start = read(map::CYCLES_LOW);
    let mut address = map::KECCAK_STATE;
    for &word in &*state {
        store(address, word as u32);
        store(address + 4, (word >> 32) as u32);
        address += 8;
    }
    let copied_in = read(map::CYCLES_LOW);
    store(map::KECCAK_START, 1);
    while read(map::KECCAK_BUSY) != 0 {}
    let computed = read(map::CYCLES_LOW);
    let mut address = map::KECCAK_STATE;
    for word in state {
        *word = u64::from(read(address + 4)) << 32 | u64::from(read(address));
        address += 8;
    }
    let end = read(map::CYCLES_LOW);
    KECCAK.add(
        end.wrapping_sub(computed)
            .wrapping_add(copied_in.wrapping_sub(start)),
        computed.wrapping_sub(copied_in),
    );
}

/// Direction of a transform. The value selects the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// FFT.
    Forward = 0,
    /// Inverse FFT.
    Inverse = 1,
}

/// Transforms `f`, as many reals as the degree of the circuits, in place on a circuit. Returns the
/// clocks of the circuit alone, by its own counter.
pub fn transform(direction: Direction, f: &mut [f64]) -> u32 {
    let (re, im) = f.split_at_mut(f.len() / 2);
    let start = read(map::CYCLES_LOW);
    store(map::FFT_DIRECTION, direction as u32);
    let mut address = map::FFT_DATA;
    for (&re, &im) in re.iter().zip(&*im) {
        for bits in [re.to_bits(), im.to_bits()] {
            store(address, bits as u32);
            store(address + 4, (bits >> 32) as u32);
            address += 8;
        }
    }
    let copied_in = read(map::CYCLES_LOW);
    store(map::FFT_START, 1);
    while read(map::FFT_BUSY) != 0 {}
    let computed = read(map::CYCLES_LOW);
    let mut address = map::FFT_DATA;
    for (re, im) in re.iter_mut().zip(im) {
        for x in [re, im] {
            let high = u64::from(read(address + 4)) << 32;
            *x = f64::from_bits(high | u64::from(read(address)));
            address += 8;
        }
    }
    let end = read(map::CYCLES_LOW);
    FFT.add(
        end.wrapping_sub(computed)
            .wrapping_add(copied_in.wrapping_sub(start)),
        computed.wrapping_sub(copied_in),
    );
    read(map::FFT_CYCLES)
}

/// [`Fft`] with the transforms of the circuits' degree on the circuits. `F` computes the rest.
#[derive(Clone, Copy, Debug)]
pub struct CircuitFft<F>(pub F);

impl<F: Fft<Real = f64>> Fft for CircuitFft<F> {
    type Real = f64;
    const LANES: usize = 1;

    fn values<'x>(&self, x: &'x f64) -> &'x [f64] {
        slice::from_ref(x)
    }
    fn values_mut<'x>(&self, x: &'x mut f64) -> &'x mut [f64] {
        slice::from_mut(x)
    }
    fn add(&self, a: f64, b: f64) -> f64 {
        self.0.add(a, b)
    }
    fn sub(&self, a: f64, b: f64) -> f64 {
        self.0.sub(a, b)
    }
    fn floors(&self, a: [f64; 2]) -> [f64; 2] {
        self.0.floors(a)
    }
    fn fft(&self, logn: u32, f: &mut [f64]) {
        if logn == self::logn() {
            transform(Direction::Forward, f);
        } else {
            self.0.fft(logn, f);
        }
    }
    fn ifft(&self, logn: u32, f: &mut [f64]) {
        if logn == self::logn() {
            transform(Direction::Inverse, f);
        } else {
            self.0.ifft(logn, f);
        }
    }
    fn split(&self, logn: u32, f0: &mut [f64], f1: &mut [f64], f: &[f64]) {
        self.0.split(logn, f0, f1, f);
    }
    fn merge(&self, logn: u32, f: &mut [f64], f0: &[f64], f1: &[f64]) {
        self.0.merge(logn, f, f0, f1);
    }
    fn nearest_plane(&self, t: [f64; 2], d: [f64; 2], l: [f64; 2]) -> [f64; 2] {
        self.0.nearest_plane(t, d, l)
    }
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[f64],
        t1: &mut [f64],
        u: [&mut [f64]; 2],
        l10: &[f64],
    ) {
        self.0.nearest_plane_step(logn, t0, t1, u, l10);
    }
    fn target(&self, logn: u32, t0: &mut [f64], t1: &mut [f64], b01: &[f64], b11: &[f64]) {
        self.0.target(logn, t0, t1, b01, b11);
    }
    fn times_basis(&self, logn: u32, z0: &mut [f64], z1: &mut [f64], basis: BasisRef<'_>) {
        self.0.times_basis(logn, z0, z1, basis);
    }
}
