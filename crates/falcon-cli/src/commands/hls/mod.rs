//! `hls`: Falcon's FFT and Keccak-f as simulated circuits.

mod amdahl;
mod compare;
mod design;
mod explain;
mod file;
mod keccak;
mod run;
mod sign;
mod sweep;
mod timeline;
mod trace;
mod verilog;

use crate::{
    error::{Error, Result, Status},
    ui::Ui,
};
use clap::Subcommand;

/// Simulate Falcon's FFT and Keccak-f as circuits: cycles, resources, timelines, Verilog
#[derive(Debug, Subcommand)]
pub(crate) enum Hls {
    Run(run::Run),
    Compare(compare::Compare),
    Explain(explain::Explain),
    Timeline(timeline::Timeline),
    Sweep(Box<sweep::SweepCommand>),
    Keccak(keccak::Keccak),
    Amdahl(amdahl::Amdahl),
    Sign(sign::Sign),
    Verilog(verilog::Verilog),
}

impl Hls {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        match self {
            Self::Run(run) => run.run(ui),
            Self::Compare(compare) => compare.run(ui),
            Self::Explain(explain) => explain.run(ui),
            Self::Timeline(timeline) => timeline.run(ui),
            Self::Sweep(sweep) => sweep.run(ui),
            Self::Keccak(keccak) => keccak.run(ui),
            Self::Amdahl(amdahl) => amdahl.run(ui),
            Self::Sign(sign) => return sign.run(ui),
            Self::Verilog(verilog) => verilog.run(ui),
        }
        .map(|()| Status::Valid)
    }
}

/// The error for a design that cannot be built.
fn refused(error: impl std::fmt::Display) -> Error {
    Error::new("this circuit cannot be built").because(error)
}
