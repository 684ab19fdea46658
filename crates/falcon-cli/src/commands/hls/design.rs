//! The options of a circuit: a preset, and changes to it.

use super::refused;
use crate::error::{Error, Result};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use falcon_hls_sim::{
    design::{Aliasing, Design, Pipelining, Preset, Storage, StorageKind},
    graph::Banking,
    nest::Transform,
};

/// Parses the name of a preset.
pub(super) fn preset_parser() -> impl TypedValueParser<Value = Preset> {
    named(Preset::ALL, Preset::name)
}

pub(super) fn transform_parser() -> impl TypedValueParser<Value = Transform> {
    named(Transform::ALL, Transform::name)
}

pub(super) fn memory_parser() -> impl TypedValueParser<Value = StorageKind> {
    named(StorageKind::ALL, StorageKind::name)
}

pub(super) fn banking_parser() -> impl TypedValueParser<Value = Banking> {
    named(Banking::ALL, Banking::name)
}

pub(super) fn dependence_parser() -> impl TypedValueParser<Value = Aliasing> {
    named(Aliasing::ALL, Aliasing::name)
}

pub(super) fn pipelining_parser() -> impl TypedValueParser<Value = Pipelining> {
    named(Pipelining::ALL, Pipelining::name)
}

/// Parses the name of one of `values`.
pub(super) fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [T; N],
    name: impl Fn(T) -> &'static str + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.map(&name)).try_map(move |text| {
        let mut values = values.into_iter();
        values
            .find(|&value| name(value) == text)
            .ok_or("no such name")
    })
}

/// Parses a number of megahertz, as hertz.
pub(super) fn megahertz(text: &str) -> std::result::Result<u64, String> {
    match text.parse::<f64>() {
        Ok(clock) if (1e-6..=1e4).contains(&clock) => Ok((clock * 1e6).round() as u64),
        _ => Err("must be a number of megahertz from 0.000001 to 10000".to_owned()),
    }
}

/// Parses a degree, as its logarithm.
pub(super) fn degree(text: &str) -> std::result::Result<u32, String> {
    match text.parse::<u32>() {
        Ok(degree) if degree.is_power_of_two() && (4..=1024).contains(&degree) => {
            Ok(degree.trailing_zeros())
        }
        _ => Err("the degree must be a power of two from 4 to 1024".to_owned()),
    }
}

/// The transform and its degree.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Task {
    /// Degree of the polynomial, a power of two from 4 to 1024
    #[arg(long = "degree", alias = "n", value_name = "N", default_value = "512", value_parser = degree)]
    pub(super) logn: u32,
    /// Transform to run
    #[arg(long, value_name = "NAME", default_value = "fft", value_parser = transform_parser())]
    pub(super) transform: Transform,
}

/// The circuit.
#[derive(Clone, Debug, Args)]
pub(super) struct DesignOptions {
    /// Design to start from
    #[arg(long, value_name = "NAME", default_value = "paper-optimized", value_parser = preset_parser())]
    preset: Preset,
    /// Clock rate [default: the preset's, 100]
    #[arg(long = "clock-mhz", value_name = "MHZ", value_parser = megahertz)]
    clock_hz: Option<u64>,
    /// Number of multipliers
    #[arg(long, value_name = "COUNT")]
    multipliers: Option<u32>,
    /// Number of adders; each adds and subtracts
    #[arg(long, value_name = "COUNT")]
    adders: Option<u32>,
    /// Latency of a multiplication
    #[arg(long, value_name = "CYCLES")]
    dmul_latency: Option<u32>,
    /// Latency of an addition
    #[arg(long, value_name = "CYCLES")]
    dadd_latency: Option<u32>,
    /// Memory of the polynomials, with its ports and latencies: block RAM, or the processor's
    /// memory over AXI
    #[arg(long, value_name = "KIND", value_parser = memory_parser())]
    memory: Option<StorageKind>,
    /// Banks of the memory: a single one; one for real and one for imaginary parts; two for
    /// complex numbers, by the parity of the address
    #[arg(long, value_name = "KIND", value_parser = banking_parser())]
    banking: Option<Banking>,
    /// Ports of each bank; for AXI, channels in each direction
    #[arg(long, value_name = "COUNT")]
    ports: Option<u32>,
    /// Cycles from a read to its data
    #[arg(long, value_name = "CYCLES")]
    read_latency: Option<u32>,
    /// Cycles from a write to the first read that sees it
    #[arg(long, value_name = "CYCLES")]
    write_latency: Option<u32>,
    /// Pipeline only the innermost loops; each ends before the next begins
    #[arg(long, conflicts_with = "flattened")]
    nested: bool,
    /// Pipeline all loops as one
    #[arg(long)]
    flattened: bool,
    /// Whether the scheduler must assume that an iteration reads what the previous one writes
    #[arg(long, value_name = "HOW", value_parser = dependence_parser())]
    dependence: Option<Aliasing>,
    /// Smallest initiation interval to try; the scheduler raises it as needed
    #[arg(long, value_name = "CYCLES")]
    pub(super) interval: Option<u32>,
}

impl DesignOptions {
    /// The design. It has the preset's name only if nothing is changed.
    pub(super) fn design(&self) -> Result<Design> {
        let preset = self.preset.design();
        let mut design = preset.clone();
        set(&mut design.clock_hz, self.clock_hz);
        set(&mut design.multipliers, self.multipliers);
        set(&mut design.adders, self.adders);
        set(&mut design.multiplier.latency, self.dmul_latency);
        set(&mut design.adder.latency, self.dadd_latency);
        design.storage = self.storage(preset.storage);
        if self.nested {
            design.pipelining = Pipelining::NESTED;
        }
        if self.flattened {
            design.pipelining = Pipelining::Flattened;
        }
        set(&mut design.aliasing, self.dependence);
        set(&mut design.least_interval, self.interval);
        if design != preset {
            design.name = format!("{} changed", preset.name);
        }
        match design.check() {
            Ok(()) => Ok(design),
            Err(error) => Err(hinted(refused(&error), &design)),
        }
    }

    fn storage(&self, preset: Storage) -> Storage {
        let mut storage = memory(self.memory.unwrap_or(preset.kind), preset);
        set(&mut storage.banking, self.banking);
        set(&mut storage.ports, self.ports);
        set(&mut storage.read_latency, self.read_latency);
        set(&mut storage.write_latency, self.write_latency);
        storage
    }
}

/// The preset's memory if it is of this kind, else one with its own ports and latencies.
pub(super) fn memory(kind: StorageKind, preset: Storage) -> Storage {
    if kind == preset.kind {
        preset
    } else {
        kind.storage()
    }
}

fn hinted(error: Error, design: &Design) -> Error {
    let storage = design.storage;
    if storage.kind == StorageKind::Axi && storage.banking != Banking::Single {
        return error.hint("only block RAM has banks: --memory bram");
    }
    error
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
