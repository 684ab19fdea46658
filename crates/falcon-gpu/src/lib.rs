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
mod options;
mod plan;
mod sign;
mod staging;
mod state;
mod undo;
mod verify;

pub use context::GpuContext;
pub use device::{ImageForm, LoadedImage, MemoryInfo};
pub use error::{CudaVersion, GpuError};
pub use kernels::KeyMode;
pub use options::Options;

/// PTX of the kernels, for each degree.
pub const PTX: [&str; 2] = [
    include_str!("../ptx/kernels_9.ptx"),
    include_str!("../ptx/kernels_10.ptx"),
];

/// Cubins that are compiled from [`PTX`]: for each degree one for compute capability 8.0 (A100),
/// 8.9 (RTX 4090) and 9.0 (H100, H200).
pub const CUBINS: [&[u8]; 6] = [
    include_bytes!("../ptx/kernels_9.sm_80.cubin"),
    include_bytes!("../ptx/kernels_9.sm_89.cubin"),
    include_bytes!("../ptx/kernels_9.sm_90.cubin"),
    include_bytes!("../ptx/kernels_10.sm_80.cubin"),
    include_bytes!("../ptx/kernels_10.sm_89.cubin"),
    include_bytes!("../ptx/kernels_10.sm_90.cubin"),
];

/// Every image of the kernels: [`PTX`], then [`CUBINS`].
pub const IMAGES: [&[u8]; 8] = [
    PTX[0].as_bytes(),
    PTX[1].as_bytes(),
    CUBINS[0],
    CUBINS[1],
    CUBINS[2],
    CUBINS[3],
    CUBINS[4],
    CUBINS[5],
];
