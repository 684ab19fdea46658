//! Sweeps schedule and run every combination of values from lists of settings.

use crate::accelerator::Error;
use crate::design::{Design, Pipelining, Preset};
use crate::graph::Banking;
use crate::measurement::Measurement;
use crate::nest::Transform;
use crate::setting::Setting;
use std::fmt::{self, Display, Formatter};

/// Lists of settings to combine.
///
/// ```
/// use falcon_hls_sim::{design::Preset, nest::Transform, setting::Setting, sweep::Sweep};
///
/// let mut sweep = Sweep::new(Preset::PaperOptimized.design());
/// sweep.lists = vec![[1, 2, 4].map(Setting::Multipliers).to_vec()];
/// let outcome = sweep.run(Transform::Fft, 9)?;
/// let intervals = outcome.measurements.iter().map(|m| m.kernel.body.schedule.interval);
/// assert!(intervals.eq([4, 4, 4]));
/// # Ok::<(), falcon_hls_sim::sweep::SweepError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The design that is changed.
    pub base: Design,
    /// One list of values for each parameter that varies, in any order.
    pub lists: Vec<Vec<Setting>>,
}

/// The largest number of designs of a sweep.
pub const MAX_DESIGNS: usize = 10_000;

/// A sweep cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepError {
    /// More designs than [`MAX_DESIGNS`].
    TooMany(usize),
    /// None of the designs can be built, or there is no such degree.
    Run(Error),
}

impl Display for SweepError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany(count) => {
                write!(f, "{count} designs; at most {MAX_DESIGNS} are allowed")
            }
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SweepError {}

/// The results of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Designs that were simulated.
    pub measurements: Vec<Measurement>,
    /// Designs that did not run, with the reason: they cannot be built, or there is no such degree.
    pub impossible: Vec<(Design, Error)>,
}

impl Outcome {
    /// Runs `transform` of degree `2^logn` on `design`, and adds the measurement or the error.
    pub fn add(&mut self, design: Design, transform: Transform, logn: u32) {
        match Measurement::new(design.clone(), transform, logn) {
            Ok(measurement) => self.measurements.push(measurement),
            Err(error) => self.impossible.push((design, error)),
        }
    }

    /// Runs `transform` of degree `2^logn` on every preset, at each of `clocks_hz`. If `clocks_hz`
    /// is empty, presets run at their own clocks. A design of the sweep that equals a preset gets
    /// the preset's name instead of a second row.
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
    /// Creates a sweep of `base` alone.
    pub fn new(base: Design) -> Self {
        let lists = Vec::new();
        Self { base, lists }
    }

    /// Creates a sweep over these lists. The other parameters are those of `preset`, and the
    /// designs have no name. If there is no list, the sweep combines 1, 2 and 4 multipliers, 1, 2,
    /// 3 and 6 adders, all kinds of banking, and loops flattened and nested.
    pub fn over(preset: Preset, mut lists: Vec<Vec<Setting>>) -> Self {
        if lists.is_empty() {
            lists = vec![
                [1, 2, 4].map(Setting::Multipliers).to_vec(),
                [1, 2, 3, 6].map(Setting::Adders).to_vec(),
                Banking::ALL.map(Setting::Banking).to_vec(),
                Pipelining::ALL.map(Setting::Pipelining).to_vec(),
            ];
        }
        let mut base = preset.design();
        base.name.clear();
        Self { base, lists }
    }

    /// Returns all combinations.
    ///
    /// # Errors
    /// If there are more than [`MAX_DESIGNS`].
    pub fn designs(&self) -> Result<Vec<Design>, SweepError> {
        let mut lists: Vec<_> = self.lists.iter().filter(|list| !list.is_empty()).collect();
        lists.sort_by_key(|list| list[0]);
        let lens = lists.iter().map(|list| list.len());
        let count = lens.fold(1, usize::saturating_mul);
        if count > MAX_DESIGNS {
            return Err(SweepError::TooMany(count));
        }
        let mut designs = vec![self.base.clone()];
        for list in lists {
            let with = |design: &Design, setting: Setting| {
                let mut design = design.clone();
                setting.apply(&mut design);
                design
            };
            let each = |design| list.iter().map(move |&setting| with(design, setting));
            designs = designs.iter().flat_map(each).collect();
        }
        Ok(designs)
    }

    /// Runs `transform` of degree `2^logn` on every combination.
    ///
    /// # Errors
    /// If there are more than [`MAX_DESIGNS`].
    pub fn run(&self, transform: Transform, logn: u32) -> Result<Outcome, SweepError> {
        let mut outcome = Outcome::default();
        for design in self.designs()? {
            outcome.add(design, transform, logn);
        }
        Ok(outcome)
    }

    /// Returns the clocks in the lists, Hz.
    pub fn clocks_hz(&self) -> Vec<u64> {
        let clock = |setting: &Setting| match setting {
            Setting::Clock(hz) => Some(*hz),
            _ => None,
        };
        self.lists.iter().flatten().filter_map(clock).collect()
    }
}

/// Marks the points of the Pareto front. For such a point, no other point has less of one
/// coordinate and no more of the other.
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
    use crate::design::{AXI, Storage, StorageKind};
    use crate::measurement::Time;

    #[test]
    fn every_combination_is_there_once() {
        let base = Preset::PaperOptimized.design();
        let mut sweep = Sweep::new(base.clone());
        sweep.lists.push(Vec::new());
        assert_eq!(sweep.designs(), Ok(vec![base]));
        // The order of the lists does not matter.
        sweep.lists.push([1, 2].map(Setting::Adders).to_vec());
        sweep
            .lists
            .push([1, 2, 4].map(Setting::Multipliers).to_vec());
        let designs = sweep.designs().expect("six");
        let units: Vec<_> = designs.iter().map(|d| (d.multipliers, d.adders)).collect();
        assert_eq!(units, [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)]);
        sweep.lists.push((0..2000).map(Setting::Interval).collect());
        assert_eq!(sweep.designs(), Err(SweepError::TooMany(12_000)));
    }

    #[test]
    fn what_cannot_be_built_is_told_apart() {
        let mut sweep = Sweep::new(Preset::PaperOptimized.design());
        let banked = Storage {
            banking: Banking::Parity,
            ..AXI
        };
        sweep.lists = vec![
            [Banking::Single, Banking::Parity]
                .map(Setting::Banking)
                .to_vec(),
            StorageKind::ALL.map(Setting::Memory).to_vec(),
        ];
        let outcome = sweep.run(Transform::Fft, 5).expect("four");
        assert_eq!(outcome.measurements.len(), 3);
        assert_eq!(outcome.impossible.len(), 1);
        let (design, error) = &outcome.impossible[0];
        assert_eq!(design.storage, banked);
        assert!(error.to_string().contains("no banks"), "{error}");
    }

    #[test]
    fn more_units_never_take_more_cycles() {
        let mut sweep = Sweep::new(Preset::Ii1Xor.design());
        sweep.lists = vec![[1, 2, 4].map(Setting::Multipliers).to_vec()];
        let outcome = sweep.run(Transform::Fft, 9).expect("three");
        let cycles = outcome.measurements.iter().map(|m| m.run.cycles);
        assert!(cycles.rev().is_sorted());
    }

    /// Checks that presets appear once at each clock, even if the sweep contains them.
    #[test]
    fn presets_take_part_at_every_clock() {
        let clocks = [100_000_000, 150_000_000];
        let sweep = Sweep::over(
            Preset::PaperOptimized,
            vec![clocks.map(Setting::Clock).to_vec()],
        );
        let mut outcome = sweep.run(Transform::Fft, 5).expect("two");
        outcome
            .add_presets(Transform::Fft, 5, &sweep.clocks_hz())
            .expect("a degree");
        assert_eq!(outcome.measurements.len(), 2 * Preset::ALL.len());
        for preset in Preset::ALL {
            for clock_hz in clocks {
                let mut design = preset.design();
                design.clock_hz = clock_hz;
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

    /// Half the cycles at a third of the clock are not faster. Equal times count as equal, whatever
    /// their cycles and clocks.
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
