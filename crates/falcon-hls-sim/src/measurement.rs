//! A transform on a design, run: what it takes and what it costs.

use crate::accelerator::{Error, Kernel, MAX_LOGN, blank_memories, control};
use crate::cycles::Run;
use crate::design::{Design, Preset};
use crate::nest::Transform;
use crate::resources::Estimate;
use std::cmp::Ordering;

/// One transform of one degree on one design.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The design.
    pub design: Design,
    /// The loop and its schedule.
    pub kernel: Kernel,
    /// The logarithm of the degree.
    pub logn: u32,
    /// What its run took: cycles depend on no number.
    pub run: Run,
    /// What it takes of a part.
    pub estimate: Estimate,
}

/// How long a run takes, to be compared: clocks may differ, and numbers of cycles say
/// nothing then.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Cycles.
    pub cycles: u64,
    /// Cycles of a second.
    pub clock_hz: u64,
}

impl Time {
    /// In microseconds.
    pub fn micros(self) -> f64 {
        self.cycles as f64 * 1e6 / self.clock_hz as f64
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |a: &Self, b: &Self| u128::from(a.cycles) * u128::from(b.clock_hz);
        product(self, other).cmp(&product(other, self))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Time {}

/// How many times better than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speedup {
    /// By the initiation interval: what the paper calls speedup.
    pub interval: f64,
    /// By the cycles of the whole transform.
    pub cycles: f64,
    /// By time, each at its own clock.
    pub time: f64,
}

impl Measurement {
    /// Schedules and runs `transform` of degree `2^logn` on `design`.
    ///
    /// # Errors
    /// What is wrong with the design or the degree.
    pub fn new(design: Design, transform: Transform, logn: u32) -> Result<Self, Error> {
        if !(1..=MAX_LOGN).contains(&logn) {
            return Err(Error::Degree { logn });
        }
        let kernel = Kernel::new(&design, transform)?;
        let mut memories = blank_memories(transform, logn);
        let iterations = transform.iterations(logn);
        let run = kernel
            .body
            .run(control(&design), &iterations, &mut memories, &mut ())?;
        let estimate = Estimate::new(&design, &kernel, logn);
        Ok(Self {
            design,
            kernel,
            logn,
            run,
            estimate,
        })
    }

    /// The same transform on the paper's first design.
    ///
    /// # Errors
    /// None for what [`new`](Self::new) has accepted.
    pub fn baseline(&self) -> Result<Self, Error> {
        let design = Preset::PaperOriginal.design();
        Self::new(design, self.kernel.transform, self.logn)
    }

    /// How long it takes at the design's clock.
    pub fn time(&self) -> Time {
        Time {
            cycles: self.run.cycles,
            clock_hz: self.design.clock_hz,
        }
    }

    /// The same in microseconds.
    pub fn micros(&self) -> f64 {
        self.time().micros()
    }

    /// Against `other`. Transforms without a butterfly take no time: they are not
    /// faster than each other.
    pub fn speedup(&self, other: &Self) -> Speedup {
        let ratio = |other: f64, own: f64| if own > 0.0 { other / own } else { 1.0 };
        let intervals = [other, self].map(|it| f64::from(it.kernel.body.schedule.interval));
        Speedup {
            interval: ratio(intervals[0], intervals[1]),
            cycles: ratio(other.run.cycles as f64, self.run.cycles as f64),
            time: ratio(other.micros(), self.micros()),
        }
    }
}
