//! Options for the use of a device.

use crate::kernels::KeyMode;

/// Options for the use of a device. They affect speed and memory only, never the bytes of
/// signatures.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Data that the device keeps of the keys that sign: basis and tree by default.
    pub key_mode: KeyMode,
    /// Most bytes of the device's memory to use; by default three quarters of
    /// what is free.
    pub memory: Option<u64>,
    /// Most jobs of a chunk. By default a batch from 8,192 jobs on is divided: into up to eight
    /// chunks for signing and four for verifying, and into more where a chunk would have more
    /// than 128 jobs (256 for verifying) for each multiprocessor of the device.
    pub chunk: Option<usize>,
    /// Number of CUDA streams, from 1 to 16: at most this many chunks of a batch are on the
    /// device at a time. By default 4.
    pub streams: Option<usize>,
    /// Rows of 512 bytes for the sampler that are computed ahead, from 4 to 1024;
    /// by default 44 or 86.
    pub prng_rows: Option<u32>,
}
