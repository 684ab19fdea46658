//! Changes to a design, one parameter at a time.

use crate::design::{Aliasing, Design, Pipelining, StorageKind};
use crate::graph::Banking;

/// A value for one parameter of a design. Settings are applied in the order of these variants, so
/// that a memory comes before its banks, ports and latencies.
///
/// ```
/// use falcon_hls_sim::{design::Preset, graph::Banking, setting::Setting};
///
/// let banked = [Setting::Banking(Banking::ReIm), Setting::Adders(3)];
/// let design = Preset::PaperOptimized.design().with(&banked);
/// assert_eq!(design.name, "paper-optimized changed");
/// assert_eq!((design.storage.banking, design.adders), (Banking::ReIm, 3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// Clock, Hz.
    Clock(u64),
    /// Kind of memory. If the design has another kind, the new memory has one bank and the default
    /// ports and latencies.
    Memory(StorageKind),
    /// Distribution of words over banks.
    Banking(Banking),
    /// Ports of a bank.
    Ports(u32),
    /// Latency of a read, cycles.
    ReadLatency(u32),
    /// Latency of a write, cycles.
    WriteLatency(u32),
    /// Loops to pipeline.
    Pipelining(Pipelining),
    /// Assumption about dependences between iterations.
    Aliasing(Aliasing),
    /// Number of multipliers.
    Multipliers(u32),
    /// Number of adders.
    Adders(u32),
    /// Latency of a multiplier, cycles.
    MultiplierLatency(u32),
    /// Latency of an adder, cycles.
    AdderLatency(u32),
    /// The smallest initiation interval to try, cycles.
    Interval(u32),
}

impl Setting {
    /// Applies the setting to `design`, but does not change its name.
    pub fn apply(self, design: &mut Design) {
        match self {
            Self::Clock(hz) => design.clock_hz = hz,
            Self::Memory(kind) if kind == design.storage.kind => {}
            Self::Memory(kind) => design.storage = kind.storage(),
            Self::Banking(banking) => design.storage.banking = banking,
            Self::Ports(count) => design.storage.ports = count,
            Self::ReadLatency(cycles) => design.storage.read_latency = cycles,
            Self::WriteLatency(cycles) => design.storage.write_latency = cycles,
            Self::Pipelining(loops) => design.pipelining = loops,
            Self::Aliasing(aliasing) => design.aliasing = aliasing,
            Self::Multipliers(count) => design.multipliers = count,
            Self::Adders(count) => design.adders = count,
            Self::MultiplierLatency(cycles) => design.multiplier.latency = cycles,
            Self::AdderLatency(cycles) => design.adder.latency = cycles,
            Self::Interval(cycles) => design.least_interval = cycles,
        }
    }
}

impl Design {
    /// Returns the design with `settings`. If it differs, ` changed` is appended to its name.
    pub fn with(&self, settings: &[Setting]) -> Self {
        let mut design = self.clone();
        let mut settings = settings.to_vec();
        settings.sort();
        settings
            .iter()
            .for_each(|setting| setting.apply(&mut design));
        if design != *self {
            design.name.push_str(" changed");
        }
        design
    }
}
