//! Profile of Falcon's operations: counted instructions, by part of the work.
//!
//! `profile.sh` counts the instructions that the operations of the core execute, by part of the
//! work. It writes `profile.tsv`, which [`Profile::committed`] reads. The table also has the exact
//! numbers of butterflies and permutations in the same runs. An [instrument](count) at a seam of
//! the core counts the butterflies. Permutations are counted as calls of their function.
//!
//! ```
//! use falcon_hls_sim::profile::{Operation, Part, Profile, Target};
//!
//! let profile = Profile::committed()?;
//! let sign = profile.run(Target::ArmV7, Operation::Sign, 512)?;
//! assert_eq!(sign.executed_each(Part::Fft), Some(5120.0));
//! assert!(sign.share(&[Part::Fft]) < 0.4);
//! # Ok::<(), falcon_hls_sim::profile::ProfileError>(())
//! ```

pub mod count;
mod table;
pub mod workload;

use serde::Serialize;
pub use table::{Cost, Profile, ProfileError, ProfiledRun};

/// Implements `ALL`, `name` and `by_name` for an enumeration, with its variants' names in the
/// table.
macro_rules! named {
    ($type:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        impl $type {
            /// All variants, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Name in the table.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }

            /// Returns the variant of this name.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|x| x.name() == name)
            }
        }

        impl From<$type> for &'static str {
            fn from(x: $type) -> Self {
                x.name()
            }
        }
    };
}

/// Instruction set that executes an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
pub enum Target {
    /// The baseline of x86-64.
    X86_64,
    /// ARMv7 with a binary64 unit (VFPv3-D16): the instruction set of the paper's
    /// Cortex-A9.
    ArmV7,
    /// ARMv7 that computes binary64 with integer instructions.
    ArmV7Soft,
}

named!(Target {
    X86_64 = "x86-64",
    ArmV7 = "armv7",
    ArmV7Soft = "armv7-soft",
});

/// An operation that is profiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
pub enum Operation {
    /// Generates a key pair from a seed.
    Keygen,
    /// Computes the LDL tree of a key.
    Expand,
    /// Signs from the key with a given nonce and seed, as NIST's driver does.
    Sign,
    /// Signs like `Sign`, but from the key with its tree.
    SignExpanded,
    /// Signs from the key with hedged randomness, as users usually do.
    SignHedged,
    /// Verifies with decoded key and signature.
    Verify,
    /// Verifies from the bytes of key and signature.
    VerifyEncoded,
}

named!(Operation {
    Keygen = "keygen",
    Expand = "expand",
    Sign = "sign",
    SignExpanded = "sign-expanded",
    SignHedged = "sign-hedged",
    Verify = "verify",
    VerifyEncoded = "verify-encoded",
});

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
pub enum Part {
    /// Forward transforms of binary64 numbers.
    Fft,
    /// Inverse transforms.
    Ifft,
    /// Splits, including those fused into nearest-plane steps.
    Split,
    /// Merges, including those fused into nearest-plane steps.
    Merge,
    /// The rest of the nearest-plane steps.
    NearestPlane,
    /// The LDL tree and its Gram matrix.
    Tree,
    /// The transforms of key generation, on 64-bit integers.
    FixedPointFft,
    /// Keccak-f\[1600\]: `process_block` of the paper.
    KeccakF,
    /// Hashing without the permutation.
    Hashing,
    /// The rest of key generation: candidates and the NTRU equation.
    Ntru,
    /// The NTT modulo 12289.
    Ntt,
    /// The Gaussian sampler.
    Sampler,
    /// ChaCha20, from which the sampler reads.
    ChaCha20,
    /// Encoding and decoding.
    Encoding,
    /// The C library: moving and clearing memory.
    Library,
    /// Everything else.
    Rest,
}

named!(Part {
    Fft = "fft",
    Ifft = "ifft",
    Split = "split",
    Merge = "merge",
    NearestPlane = "nearest-plane",
    Tree = "tree",
    FixedPointFft = "fixed-point-fft",
    KeccakF = "keccak-f",
    Hashing = "hashing",
    Ntru = "ntru",
    Ntt = "ntt",
    Sampler = "sampler",
    ChaCha20 = "chacha20",
    Encoding = "encoding",
    Library = "library",
    Rest = "rest",
});

impl Part {
    /// The parts that the butterfly pipeline computes: FFT, inverse FFT, splits and merges.
    pub const BUTTERFLIES: [Self; 4] = [Self::Fft, Self::Ifft, Self::Split, Self::Merge];
}
