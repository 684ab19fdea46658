//! Keccak-f on the circuit of the simulated system, in the place of the crate of this name. With
//! `--cfg falcon_keccak="small"`, `falcon-keccak` permutes through that crate, and
//! `crates/falcon-hls-sim/system/run.sh` overrides its path.
#![no_std]

unsafe extern "Rust" {
    /// The driver, in `circuit.rs` of the firmware.
    safe fn falcon_keccak_circuit(state: &mut [u64; 25]);
}

/// The permutation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keccak;

impl Keccak {
    /// Returns the permutation.
    pub fn new() -> Self {
        Self
    }

    /// Calls `work` with the permutation.
    pub fn with_f1600(&self, work: impl FnOnce(fn(&mut [u64; 25]))) {
        work(|state| falcon_keccak_circuit(state));
    }
}
