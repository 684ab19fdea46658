//! A transform run on a design: cycles, time and resources.

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
    /// Base-2 logarithm of the degree.
    pub logn: u32,
    /// The run. Its cycles do not depend on the polynomial.
    pub run: Run,
    /// Estimated resources.
    pub estimate: Estimate,
}

/// Duration of a run, for comparisons between designs with different clocks.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Cycles.
    pub cycles: u64,
    /// Cycles per second.
    pub clock_hz: u64,
}

impl Time {
    /// Converts the duration to microseconds.
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

/// Speedup over another design.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speedup {
    /// Speedup by initiation interval, which the paper calls speedup.
    pub interval: f64,
    /// Speedup by the cycles of the whole transform.
    pub cycles: f64,
    /// Speedup by time, each design at its own clock.
    pub time: f64,
}

impl Measurement {
    /// Schedules and runs `transform` of degree `2^logn` on `design`.
    ///
    /// # Errors
    /// If the design cannot be built, or there is no such degree.
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

    /// Runs the same transform on `paper-original`.
    ///
    /// # Errors
    /// Never for a measurement from [`new`](Self::new).
    pub fn baseline(&self) -> Result<Self, Error> {
        let design = Preset::PaperOriginal.design();
        Self::new(design, self.kernel.transform, self.logn)
    }

    /// Duration at the design's clock.
    pub fn time(&self) -> Time {
        Time {
            cycles: self.run.cycles,
            clock_hz: self.design.clock_hz,
        }
    }

    /// Duration in microseconds.
    pub fn micros(&self) -> f64 {
        self.time().micros()
    }

    /// Speedup over `other`. A transform without a butterfly takes no time. Its speedup is 1.
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
