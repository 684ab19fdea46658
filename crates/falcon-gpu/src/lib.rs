#![doc = include_str!("../README.md")]

mod chain;
mod context;
pub mod device;
mod division;
mod error;
mod host_threads;
pub mod kernels;
mod keys;
mod layout;
mod plan;
mod sign;
mod staging;
mod state;
mod undo;
mod verify;

pub use context::{GpuContext, Options, RawKeyJob};
pub use device::MemoryInfo;
pub use error::{CudaVersion, GpuError};
pub use keys::ResidentKey;

/// What `kernels/` is compiled to, for each degree.
pub const PTX: [&str; 2] = [
    include_str!("../ptx/kernels_9.ptx"),
    include_str!("../ptx/kernels_10.ptx"),
];
