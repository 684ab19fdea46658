//! Interface to the kernels: their parameter and their names.
//!
//! [`Batch`] mirrors `kernels/batch.h`, which explains the fields. [`Kernel`] lists the kernels
//! that `kernels/kernels.h` defines, and the sizes that a launch needs.

use falcon_core::Parameters;

/// An address in the memory of a device.
pub type DevicePointer = u64;

/// The only parameter of every kernel; see `kernels/batch.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Batch {
    pub messages: DevicePointer,
    pub message_offsets: DevicePointer,
    pub list: DevicePointer,
    pub key_of_job: DevicePointer,
    pub batch_seed: DevicePointer,
    pub secret_hashes: DevicePointer,
    pub nonces: DevicePointer,
    pub seeds: DevicePointer,
    pub rows: DevicePointer,
    pub records: DevicePointer,
    pub points: DevicePointer,
    pub s2: DevicePointer,
    pub signatures: DevicePointer,
    pub signature_lengths: DevicePointer,
    pub status: DevicePointer,
    pub redo: DevicePointer,
    pub counts: DevicePointer,
    pub bases: DevicePointer,
    pub keys: DevicePointer,
    pub public_keys: DevicePointer,
    pub prepared: DevicePointer,
    pub scratch: DevicePointer,
    pub key_stride: u64,
    pub first: u64,
    pub count: u32,
    pub attempt: u32,
    pub prng_rows: u32,
    pub signature_stride: u32,
    pub signature_limit: u32,
    pub reserved: u32,
}

/// Progress of a job, as in [`Batch::status`]; `kernels/jobs.h` has the order. Any two values
/// differ in at least four bits, so zeroed memory or a flipped bit is never mistaken for progress.
pub mod status {
    /// No status is written yet.
    pub const NONE: u8 = 0x00;
    /// The inputs are copied. The host writes this value. For encoded signatures, the kernel that
    /// decodes them writes it.
    pub const GIVEN: u8 = 0x0f;
    /// The point is hashed.
    pub const HASHED: u8 = 0x33;
    /// Signing: the seed of this attempt is written.
    pub const SEEDED: u8 = 0x3c;
    /// Signing: the sampler's bytes are written.
    pub const READY: u8 = 0x55;
    /// Signing: the last attempt found a vector that is short.
    pub const SHORT: u8 = 0x5a;
    /// Signing: the last attempt found a vector that is not short.
    pub const LONG: u8 = 0x66;
    /// Signing: the job must be tried again with the next seed.
    pub const REDO: u8 = 0x69;
    /// The message is signed, the signature is valid, or the key is expanded.
    pub const DONE: u8 = 0xa5;
    /// Verifying: the signature is not valid for this message and key.
    pub const INVALID: u8 = 0xc3;
    /// Verifying: the bytes are not an encoded signature.
    pub const MALFORMED: u8 = 0xcc;
    /// Verifying: the values of the key are missing.
    pub const UNPREPARED: u8 = 0xf0;
}

/// Returns the base-2 logarithm of the degree. A degree without kernels does not compile.
pub(crate) fn logn_of<P: Parameters>() -> u32 {
    const { assert!(P::LOGN == 9 || P::LOGN == 10, "no kernels of this degree") };
    P::LOGN
}

/// Form in which the device keeps signing keys. The form only affects speed and memory, never the
/// bytes of signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyMode {
    /// Keeps nothing. The small integers of a key come with every batch, and every attempt computes
    /// basis and tree. Give signing keys, since an expanded key must be turned back into small
    /// integers for every batch. Kernels read [`Batch::bases`].
    Transient,
    /// Keeps the basis in the FFT domain, `32n` bytes a key. Every attempt computes the tree.
    /// Kernels read `4n` reals a key of [`Batch::keys`].
    Balanced,
    /// Keeps basis and tree, `8n (logn + 6)` bytes a key. Kernels read `(logn + 6) n` reals a key
    /// of [`Batch::keys`].
    #[default]
    Expanded,
}

impl KeyMode {
    /// True if keys stay on the device from batch to batch.
    pub(crate) fn keeps_keys(self) -> bool {
        self != Self::Transient
    }
}

/// Lanes that sign one signature: `FALCON_GROUP` of `kernels/sign.h`.
pub const SIGNING_LANES: u32 = 8;

/// Operation of a kernel, performed for each slot of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Hashes nonces and messages to points. Nonces are derived if there is a batch seed, and
    /// otherwise read.
    Hash,
    /// Derives the seeds of attempt [`Batch::attempt`] from points.
    Seed,
    /// Generates the sampler's bytes from seeds.
    Prng,
    /// Computes `s2` and the status of each job, from its point and the sampler's bytes.
    Sign(KeyMode),
    /// Decides which signatures fit in encoded form, and lists the jobs that must be tried again.
    Accept,
    /// Transforms bases to the FFT domain. A slot is a key.
    Basis,
    /// Expands keys from their bases. A slot is a key.
    Expand,
    /// Prepares public keys for verifying. A slot is a key.
    Prepare,
    /// Decodes signatures to nonces and `s2`. Marks the signatures that could be decoded.
    Unpack,
    /// Computes the status of each job whose `s2` could be decoded, from its point and `s2`.
    Verify,
}

/// A kernel: an operation and a degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// Operation of the kernel.
    pub operation: Operation,
    /// Base-2 logarithm of the degree, 9 or 10.
    pub logn: u32,
}

impl Kernel {
    /// Name of the kernel, which is the same in PTX and in the build for the host.
    pub fn name(self) -> String {
        let operation = match self.operation {
            Operation::Hash => "hash",
            Operation::Seed => "seed",
            // The generator's bytes do not depend on the degree.
            Operation::Prng => return "prng".to_owned(),
            Operation::Sign(KeyMode::Transient) => "sign_raw",
            Operation::Sign(KeyMode::Balanced) => "sign_balanced",
            Operation::Sign(KeyMode::Expanded) => "sign_expanded",
            Operation::Accept => "accept",
            Operation::Basis => "basis",
            Operation::Expand => "expand",
            Operation::Prepare => "prepare",
            Operation::Unpack => "unpack",
            Operation::Verify => "verify",
        };
        format!("{operation}_{}", self.logn)
    }

    /// Number of threads that a slot needs. `prng_rows` is [`Batch::prng_rows`].
    pub fn threads(self, prng_rows: u32) -> u32 {
        match self.operation {
            Operation::Hash | Operation::Seed | Operation::Unpack => 1,
            // One thread for each block of ChaCha20.
            Operation::Prng => 8 * prng_rows,
            Operation::Sign(_) => SIGNING_LANES,
            Operation::Accept
            | Operation::Basis
            | Operation::Expand
            | Operation::Prepare
            | Operation::Verify => 32,
        }
    }

    /// Number of reals of [`Batch::scratch`] that a slot needs.
    pub fn scratch_reals(self) -> usize {
        let n = 1 << self.logn;
        match self.operation {
            // The reals are the targets of the upper levels.
            Operation::Sign(KeyMode::Expanded) => 4 * n - (4 << 7),
            // The reals are the targets of the upper levels, and the tree.
            Operation::Sign(KeyMode::Transient | KeyMode::Balanced) => {
                4 * n - (4 << 6) + computed_len(self.logn)
            }
            _ => 0,
        }
    }

    /// Number of reals of shared memory that a warp needs.
    pub fn shared_reals(self) -> usize {
        let n = 1 << self.logn;
        match self.operation {
            // The memory holds rows of the sampler's bytes.
            Operation::Prng => 4 * 64,
            // The memory holds the targets of the lower levels, for four signatures.
            Operation::Sign(KeyMode::Expanded) => 4 * (4 << 7),
            // The memory holds the targets of one level fewer, and the lowest levels of
            // the tree.
            Operation::Sign(_) => 4 * ((4 << 6) + computed_len(6)),
            Operation::Basis => 4 * n,
            Operation::Expand => computed_len(self.logn),
            // The memory holds one polynomial, in words of 16 bits.
            Operation::Verify => n / 4,
            _ => 0,
        }
    }
}

/// Number of reals of a computed tree of degree `2^logn`, which keeps one node of each level.
const fn computed_len(logn: u32) -> usize {
    9 << (logn - 1)
}

#[cfg(test)]
mod tests {
    use super::status::*;

    #[test]
    fn stages_differ_in_four_bits() {
        let all = [
            NONE, GIVEN, HASHED, SEEDED, READY, SHORT, LONG, REDO, DONE, INVALID, MALFORMED,
            UNPREPARED,
        ];
        for (i, a) in all.into_iter().enumerate() {
            for b in &all[..i] {
                assert!((a ^ b).count_ones() >= 4, "{a:x}, {b:x}");
            }
        }
    }
}
