//! Engines: where the arithmetic runs. All give the same bytes.
//!
//! Plain calls use [`Best`], which is detected once. Other calls name an [`Engine`].

/// Defines from one table:
///
/// - [`Best`] from the rows of `best`, in order of preference, and `on_best!`,
///   which evaluates an expression with its arithmetic;
/// - [`Engine`] from all rows, with its names, and `on_engine!`, which does the same and also gives
///   the FFT arithmetic of a batch.
///
/// A variant that needs features of the processor holds a token, which proves that they exist.
macro_rules! engines {
    (
        plain {$(
            $plain:ident, $plain_name:literal, $plain_lanes:literal, $plain_doc:literal, $token:expr;
        )*}
        best {$(
            #[cfg($cfg:meta)]
            $variant:ident, $name:literal, $lanes:literal, $doc:literal;
        )*}
        others {$(
            #[cfg($other_cfg:meta)]
            $other:ident, $other_name:literal, $other_lanes:literal, $other_doc:literal;
        )*}
    ) => {
        /// The best engine of this machine for single messages.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Best {
            $(
                #[cfg($cfg)]
                #[doc = concat!("`", $name, "`.")]
                $variant($variant),
            )*
            /// Portable code, if this build supports no instruction set of the processor.
            Native(Native),
        }

        impl Best {
            /// Finds the best engine. Only the first call asks the processor.
            #[inline]
            pub(crate) fn find() -> Self {
                $(
                    #[cfg($cfg)]
                    if let Some(isa) = $variant::detect() {
                        return Self::$variant(isa);
                    }
                )*
                Self::Native(Native::default())
            }
        }

        /// Evaluates `$body` with the arithmetic of `$best` as `$arith`.
        macro_rules! on_best {
            ($best:expr, $arith:ident => $body:expr) => {
                match $best {
                    $(
                        #[cfg($cfg)]
                        $crate::engine::Best::$variant(isa) => {
                            let $arith = isa;
                            $body
                        }
                    )*
                    $crate::engine::Best::Native($arith) => $body,
                }
            };
        }

        /// Arithmetic that computes signatures. All engines give the same bytes.
        ///
        /// Plain calls such as [`VerifyingKey::verify`](crate::VerifyingKey::verify) use the best
        /// engine automatically. Use `Engine` for [batches](crate::batch), or to choose another
        /// engine.
        ///
        /// A single message is always absorbed into the hash on the best engine, even if the call
        /// names another.
        ///
        /// An `Engine` value proves that the processor can run the engine. Get it from
        /// [`best`](Self::best), from [`available`](Self::available) or by its name.
        ///
        /// ```
        /// use falcon_core::Engine;
        ///
        /// for engine in Engine::available() {
        ///     println!("{engine}: {}", engine.description());
        /// }
        /// assert_eq!("soft".parse(), Ok(Engine::Soft));
        /// assert!("abacus".parse::<Engine>().is_err());
        /// ```
        #[cfg(feature = "alloc")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Engine {
            $(
                #[doc = concat!("`", $plain_name, "`: ", $plain_doc, ".")]
                $plain,
            )*
            $(
                #[cfg($cfg)]
                #[doc = concat!("`", $name, "`: ", $doc, ".")]
                $variant($variant),
            )*
            $(
                #[cfg($other_cfg)]
                #[doc = concat!("`", $other_name, "`: ", $other_doc, ".")]
                $other($other),
            )*
        }

        /// Names of the engines of this build, including those that this processor cannot run.
        #[cfg(feature = "alloc")]
        const NAMES: &[&str] = &[
            $($plain_name,)*
            $(#[cfg($cfg)] $name,)*
            $(#[cfg($other_cfg)] $other_name,)*
        ];

        #[cfg(feature = "alloc")]
        impl Engine {
            /// Returns the engines that this processor can run: first those that need no
            /// instruction set, then the others, the fastest first.
            pub fn available() -> impl Iterator<Item = Self> {
                [$(Self::$plain,)*].into_iter().chain(Self::instruction_sets())
            }

            /// Returns the engine of every instruction set of the processor, the fastest first.
            pub fn instruction_sets() -> impl Iterator<Item = Self> {
                let mut found = [None; NAMES.len()];
                let engines = [
                    $(#[cfg($cfg)] $variant::detect().map(Self::$variant),)*
                    $(#[cfg($other_cfg)] $other::detect().map(Self::$other),)*
                ];
                found[..engines.len()].copy_from_slice(&engines);
                found.into_iter().flatten()
            }

            /// Returns the name, such as `avx2x8`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$plain => $plain_name,)*
                    $(#[cfg($cfg)] Self::$variant(_) => $name,)*
                    $(#[cfg($other_cfg)] Self::$other(_) => $other_name,)*
                }
            }

            /// Describes the engine in one line.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$plain => $plain_doc,)*
                    $(#[cfg($cfg)] Self::$variant(_) => $doc,)*
                    $(#[cfg($other_cfg)] Self::$other(_) => $other_doc,)*
                }
            }

            /// Number of signatures that a batch computes side by side.
            pub const fn lanes(self) -> usize {
                match self {
                    $(Self::$plain => $plain_lanes,)*
                    $(#[cfg($cfg)] Self::$variant(_) => $lanes,)*
                    $(#[cfg($other_cfg)] Self::$other(_) => $other_lanes,)*
                }
            }
        }

        /// Evaluates `$body` with the arithmetic of `$engine` as `$arith` and the FFT arithmetic of
        /// all its lanes as `$polynomials`.
        #[cfg(feature = "alloc")]
        macro_rules! on_engine {
            ($engine:expr, $arith:ident, $polynomials:ident => $body:expr) => {
                match $engine {
                    $(
                        $crate::engine::Engine::$plain => {
                            let ($arith, $polynomials) = ($token, $token);
                            $body
                        }
                    )*
                    $(
                        #[cfg($cfg)]
                        $crate::engine::Engine::$variant(isa) => {
                            let ($arith, $polynomials) = (isa, $crate::lanes::Many::<_, $lanes>(isa));
                            $body
                        }
                    )*
                    $(
                        #[cfg($other_cfg)]
                        $crate::engine::Engine::$other(isa) => {
                            let ($arith, $polynomials) = (isa, $crate::lanes::Many::<_, $other_lanes>(isa));
                            $body
                        }
                    )*
                }
            };
        }
    };
}

// `--cfg falcon_engine="avx2"` keeps plain calls from using AVX-512, for tests.
engines! {
    plain {
        Scalar, "scalar", 1, "one signature at a time on the binary64 unit", crate::lanes::Baseline;
        Soft, "soft", 1, "one signature at a time on integers alone, in constant time", crate::lanes::Soft;
    }
    best {
        #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2", not(falcon_engine = "avx2")))]
        Avx512, "avx512x16", 16, "sixteen signatures side by side in AVX-512 registers";
        #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
        Avx2, "avx2x8", 8, "eight signatures side by side in AVX2 registers";
        #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little", target_vendor = "apple"))]
        NeonSha3, "neonsha3x4", 4, "as neonx4, with the SHA-3 instructions";
        #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        Neon, "neonx4", 4, "four signatures side by side in NEON registers";
    }
    others {
        #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2", falcon_engine = "avx2"))]
        Avx512, "avx512x16", 16, "sixteen signatures side by side in AVX-512 registers";
        // Neoverse has one unit for the SHA-3 instructions. By the estimates in
        // docs/PERFORMANCE.md, plain instructions are faster there. Apple's cores have more units.
        #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little", not(target_vendor = "apple")))]
        NeonSha3, "neonsha3x4", 4, "as neonx4, with the SHA-3 instructions";
    }
}

#[cfg(feature = "alloc")]
mod names;
#[macro_use]
pub(crate) mod rounding;

#[cfg(feature = "alloc")]
pub use names::UnknownEngine;

use crate::lanes::Native;
#[cfg(all(
    feature = "engines",
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
pub(crate) use falcon_neon::with_default_environment;
#[cfg(all(
    feature = "engines",
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
use falcon_neon::{Neon, NeonSha3};
#[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use falcon_x86::with_default_environment;
#[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
use falcon_x86::{Avx2, Avx512};
