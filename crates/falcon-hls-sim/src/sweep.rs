//! Sweeps: every combination of some lists of parameters, scheduled and run.

use crate::accelerator::Error;
use crate::design::{Aliasing, Design, Pipelining, Preset, Storage};
use crate::graph::Banking;
use crate::measurement::Measurement;
use crate::nest::Transform;
use std::fmt::{self, Display, Formatter};

/// Lists of parameters to combine. An empty list stands for the value of `base`.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The design whose values are used where a list is empty.
    pub base: Design,
    /// Clocks, Hz.
    pub clocks_hz: Vec<u64>,
    /// Numbers of multipliers.
    pub multipliers: Vec<u32>,
    /// Numbers of adders.
    pub adders: Vec<u32>,
    /// Latencies of a multiplier.
    pub multiplier_latencies: Vec<u32>,
    /// Latencies of an adder.
    pub adder_latencies: Vec<u32>,
    /// Memories.
    pub storages: Vec<Storage>,
    /// Kinds of banking for each memory.
    pub bankings: Vec<Banking>,
    /// Numbers of ports for each memory.
    pub ports: Vec<u32>,
    /// Latencies of a read for each memory.
    pub read_latencies: Vec<u32>,
    /// Latencies of a write for each memory.
    pub write_latencies: Vec<u32>,
    /// Loops to pipeline.
    pub pipelinings: Vec<Pipelining>,
    /// Assumptions about dependences between iterations.
    pub aliasings: Vec<Aliasing>,
    /// Least intervals.
    pub intervals: Vec<u32>,
}

/// The largest number of designs of a sweep.
pub const MAX_DESIGNS: usize = 10_000;

/// More designs than [`MAX_DESIGNS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany(pub usize);

impl Display for TooMany {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} designs; at most {MAX_DESIGNS} are allowed", self.0)
    }
}

impl std::error::Error for TooMany {}

/// The results of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Designs that were simulated.
    pub measurements: Vec<Measurement>,
    /// Designs that cannot be built, with the reason.
    pub impossible: Vec<(Design, Error)>,
}

impl Outcome {
    /// Runs `transform` of degree `2^logn` on `design`.
    pub fn add(&mut self, design: Design, transform: Transform, logn: u32) {
        match Measurement::new(design.clone(), transform, logn) {
            Ok(measurement) => self.measurements.push(measurement),
            Err(error) => self.impossible.push((design, error)),
        }
    }
}

impl Outcome {
    /// Runs `transform` of degree `2^logn` on every preset, at each of `clocks_hz`, or at the
    /// preset's own clock if there are none. A design of the sweep that is such a preset gets its
    /// name instead of a second row.
    ///
    /// # Errors
    /// If there is no such degree.
    pub fn add_presets(
        &mut self,
        transform: Transform,
        logn: u32,
        clocks_hz: &[u64],
    ) -> Result<(), Error> {
        for preset in Preset::ALL {
            let own = Measurement::new(preset.design(), transform, logn)?;
            let clocks = match clocks_hz {
                [] => &[own.design.clock_hz][..],
                clocks => clocks,
            };
            for &clock_hz in clocks {
                // Neither cycles nor resources depend on the clock.
                let mut measurement = own.clone();
                measurement.design.clock_hz = clock_hz;
                let named = |other: &Design| Design {
                    name: measurement.design.name.clone(),
                    ..other.clone()
                };
                self.measurements
                    .retain(|other| named(&other.design) != measurement.design);
                self.measurements.push(measurement);
            }
        }
        Ok(())
    }
}

impl Sweep {
    /// A sweep of `base` alone.
    pub fn new(base: Design) -> Self {
        Self {
            base,
            clocks_hz: Vec::new(),
            multipliers: Vec::new(),
            adders: Vec::new(),
            multiplier_latencies: Vec::new(),
            adder_latencies: Vec::new(),
            storages: Vec::new(),
            bankings: Vec::new(),
            ports: Vec::new(),
            read_latencies: Vec::new(),
            write_latencies: Vec::new(),
            pipelinings: Vec::new(),
            aliasings: Vec::new(),
            intervals: Vec::new(),
        }
    }

    /// Whether any list has values.
    pub fn has_lists(&self) -> bool {
        self.lengths().iter().any(|&len| len > 0)
    }

    /// Lengths of all lists.
    fn lengths(&self) -> [usize; 13] {
        [
            self.clocks_hz.len(),
            self.multipliers.len(),
            self.adders.len(),
            self.multiplier_latencies.len(),
            self.adder_latencies.len(),
            self.storages.len(),
            self.bankings.len(),
            self.ports.len(),
            self.read_latencies.len(),
            self.write_latencies.len(),
            self.pipelinings.len(),
            self.aliasings.len(),
            self.intervals.len(),
        ]
    }

    /// All combinations.
    ///
    /// # Errors
    /// If there are more than [`MAX_DESIGNS`].
    pub fn designs(&self) -> Result<Vec<Design>, TooMany> {
        let lengths = self.lengths().into_iter();
        let count = lengths.fold(1usize, |count, len| count.saturating_mul(len.max(1)));
        if count > MAX_DESIGNS {
            return Err(TooMany(count));
        }
        let mut designs = vec![self.base.clone()];
        combine(&mut designs, &self.clocks_hz, |d, v| d.clock_hz = v);
        combine(&mut designs, &self.storages, |d, v| d.storage = v);
        combine(&mut designs, &self.bankings, |d, v| d.storage.banking = v);
        combine(&mut designs, &self.ports, |d, v| d.storage.ports = v);
        combine(&mut designs, &self.read_latencies, |d, v| {
            d.storage.read_latency = v
        });
        combine(&mut designs, &self.write_latencies, |d, v| {
            d.storage.write_latency = v
        });
        combine(&mut designs, &self.pipelinings, |d, v| d.pipelining = v);
        combine(&mut designs, &self.aliasings, |d, v| d.aliasing = v);
        combine(&mut designs, &self.multipliers, |d, v| d.multipliers = v);
        combine(&mut designs, &self.adders, |d, v| d.adders = v);
        combine(&mut designs, &self.multiplier_latencies, |d, v| {
            d.multiplier.latency = v
        });
        combine(&mut designs, &self.adder_latencies, |d, v| {
            d.adder.latency = v
        });
        combine(&mut designs, &self.intervals, |d, v| d.least_interval = v);
        Ok(designs)
    }

    /// Runs `transform` of degree `2^logn` on every combination.
    ///
    /// # Errors
    /// If there are more than [`MAX_DESIGNS`].
    pub fn run(&self, transform: Transform, logn: u32) -> Result<Outcome, TooMany> {
        let mut outcome = Outcome::default();
        for design in self.designs()? {
            outcome.add(design, transform, logn);
        }
        Ok(outcome)
    }
}

/// Replaces `designs` by every design with every value.
fn combine<T: Copy>(designs: &mut Vec<Design>, values: &[T], set: impl Fn(&mut Design, T)) {
    if values.is_empty() {
        return;
    }
    let with = |design: &Design, value| {
        let mut design = design.clone();
        set(&mut design, value);
        design
    };
    let each = designs
        .iter()
        .flat_map(|design| values.iter().map(move |&value| with(design, value)));
    *designs = each.collect();
}

/// Marks the points that no other beats: none has less of one coordinate and no more of the other.
pub fn pareto<T: Copy + PartialOrd>(points: &[(u32, T)]) -> Vec<bool> {
    let beaten = |&(x, y): &(u32, T)| {
        let mut others = points.iter();
        others.any(|&(a, b)| a <= x && b <= y && (a, b) != (x, y))
    };
    points.iter().map(|point| !beaten(point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{AXI, BRAM};
    use crate::measurement::Time;

    #[test]
    fn every_combination_is_there_once() {
        let base = Preset::PaperOptimized.design();
        let mut sweep = Sweep::new(base.clone());
        assert_eq!(sweep.designs(), Ok(vec![base]));
        assert!(!sweep.has_lists());
        sweep.multipliers = vec![1, 2, 4];
        sweep.adders = vec![1, 2];
        let designs = sweep.designs().expect("six");
        let units: Vec<_> = designs.iter().map(|d| (d.multipliers, d.adders)).collect();
        assert_eq!(units, [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)]);
        sweep.intervals = (0..2000).collect();
        assert_eq!(sweep.designs(), Err(TooMany(12_000)));
    }

    #[test]
    fn what_cannot_be_built_is_told_apart() {
        let mut sweep = Sweep::new(Preset::PaperOptimized.design());
        let banked = Storage {
            banking: Banking::Parity,
            ..AXI
        };
        sweep.storages = vec![BRAM, AXI, banked];
        let outcome = sweep.run(Transform::Fft, 5).expect("three");
        assert_eq!(outcome.measurements.len(), 2);
        assert_eq!(outcome.impossible.len(), 1);
        let (design, error) = &outcome.impossible[0];
        assert_eq!(design.storage, banked);
        assert!(error.to_string().contains("no banks"), "{error}");
    }

    #[test]
    fn more_units_never_take_more_cycles() {
        let mut sweep = Sweep::new(Preset::Ii1Xor.design());
        sweep.multipliers = vec![1, 2, 4];
        let outcome = sweep.run(Transform::Fft, 9).expect("three");
        let cycles = outcome.measurements.iter().map(|m| m.run.cycles);
        assert!(cycles.rev().is_sorted());
    }

    /// At each clock once, and once where the sweep has it, too.
    #[test]
    fn presets_take_part_at_every_clock() {
        let mut base = Preset::PaperOptimized.design();
        base.name.clear();
        let mut sweep = Sweep::new(base);
        sweep.clocks_hz = vec![100_000_000, 150_000_000];
        let mut outcome = sweep.run(Transform::Fft, 5).expect("two");
        outcome
            .add_presets(Transform::Fft, 5, &sweep.clocks_hz)
            .expect("a degree");
        assert_eq!(outcome.measurements.len(), 2 * Preset::ALL.len());
        for preset in Preset::ALL {
            for clock_hz in &sweep.clocks_hz {
                let mut design = preset.design();
                design.clock_hz = *clock_hz;
                let alone = Measurement::new(design.clone(), Transform::Fft, 5).expect("it runs");
                let is_it = |m: &&Measurement| m.design == design;
                let found: Vec<_> = outcome.measurements.iter().filter(is_it).collect();
                assert_eq!(found.len(), 1, "{design:?}");
                assert_eq!(found[0].run, alone.run);
                assert_eq!(found[0].estimate, alone.estimate);
            }
        }
        assert!(outcome.add_presets(Transform::Fft, 11, &[]).is_err());
    }

    #[test]
    fn the_pareto_front_is_what_nothing_beats() {
        let points = [(1, 9), (2, 5), (2, 6), (3, 5), (4, 1), (4, 1)];
        let front = pareto(&points);
        assert_eq!(front, [true, true, false, false, true, true]);
        assert!(pareto::<u64>(&[]).is_empty());
    }

    /// Half the cycles at a third of the clock are no gain, and a time is the same
    /// however it comes about.
    #[test]
    fn the_pareto_front_is_of_times() {
        let point = |dsp, cycles, clock_hz| (dsp, Time { cycles, clock_hz });
        let points = [
            point(2, 1000, 300),
            point(3, 500, 100),
            point(4, 999, 300),
            point(4, 333, 100),
            point(5, u64::MAX, u64::MAX - 1),
        ];
        assert_eq!(pareto(&points), [true, false, true, true, true]);
    }
}
