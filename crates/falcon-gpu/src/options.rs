//! Options for the use of a device.

use crate::kernels::KeyMode;

/// Options for the use of a device. They only affect speed, memory and checks, never the bytes of
/// signatures.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Data of each signing key that the device keeps. By default it keeps basis and tree.
    pub key_mode: KeyMode,
    /// Largest number of bytes of the device's memory to use. By default three quarters of the free
    /// memory.
    pub memory: Option<u64>,
    /// Largest number of jobs in a chunk. By default a batch of 8,192 jobs or more is divided into
    /// up to eight chunks for signing, or four for verifying. There are more chunks if a chunk
    /// would otherwise have more than 128 jobs (256 for verifying) for each multiprocessor of the
    /// device.
    pub chunk: Option<usize>,
    /// Number of CUDA streams, from 1 to 16, by default 4. The device has at most this number of
    /// chunks of a batch at a time.
    pub streams: Option<usize>,
    /// Number of rows of the sampler's random bytes that are computed ahead for a signature. A row
    /// has 512 bytes. From 4 to 1024 rows, by default 44 for degree 512 and 86 for degree 1024.
    pub prng_rows: Option<u32>,
    /// Whether the device verifies every signature of a batch before the batch is returned. This
    /// takes about as long as [`BatchVerify`](falcon_core::batch::BatchVerify) on the same batch.
    /// By default only signatures with the caller's randomness are verified
    /// ([`BatchSignRaw`](falcon_core::hazmat::BatchSignRaw)): if the caller derives the randomness
    /// from the message, a wrong signature beside the right one reveals the key.
    pub verify_after_sign: Option<bool>,
}
