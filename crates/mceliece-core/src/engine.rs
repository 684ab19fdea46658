//! The choice of the instruction set. All give the same bytes.

/// Defines `Best`, the best instruction set of this machine, and `on_best!`, which evaluates an
/// expression with its token. The rows are in order of preference.
macro_rules! engines {
    ($(#[cfg($cfg:meta)] $variant:ident,)*) => {
        /// The best instruction set of this machine.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Best {
            $(
                #[cfg($cfg)]
                #[doc = concat!("`", stringify!($variant), "`.")]
                $variant($variant),
            )*
            /// The features that the build target has anyway.
            Baseline(Baseline),
        }

        impl Best {
            /// Finds the best instruction set. The processor is asked once.
            #[inline]
            pub(crate) fn find() -> Self {
                #[cfg(falcon_ct)]
                if PORTABLE.load(core::sync::atomic::Ordering::Relaxed) {
                    return Self::Baseline(Baseline);
                }
                $(
                    #[cfg($cfg)]
                    if let Some(isa) = $variant::detect() {
                        return Self::$variant(isa);
                    }
                )*
                Self::Baseline(Baseline)
            }
        }

        /// Evaluates `$body` with the token of `$best` as `$isa`.
        macro_rules! on_best {
            ($best:expr, $isa:ident => $body:expr) => {
                match $best {
                    $(
                        #[cfg($cfg)]
                        $crate::engine::Best::$variant($isa) => $body,
                    )*
                    $crate::engine::Best::Baseline($isa) => $body,
                }
            };
        }

        /// Calls `check` with the token of every instruction set of this machine.
        #[cfg(test)]
        macro_rules! on_every_engine {
            ($isa:ident => $body:expr) => {{
                $(
                    #[cfg($cfg)]
                    if let Some($isa) = $crate::engine::$variant::detect() {
                        $body;
                    }
                )*
                let $isa = falcon_lanes::Baseline;
                $body;
            }};
        }
    };
}

/// While true, `Best::find` finds no vector unit: the constant-time check runs portable code too.
#[cfg(falcon_ct)]
pub static PORTABLE: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);

// `--cfg falcon_engine="avx2"` keeps calls from AVX-512, for tests.
engines! {
    #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2", not(falcon_engine = "avx2")))]
    Avx512,
    #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
    Avx2,
    #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little", target_vendor = "apple"))]
    NeonSha3,
    #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon,
}

use falcon_lanes::Baseline;
#[cfg(all(
    feature = "engines",
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
pub(crate) use falcon_neon::Neon;
#[cfg(all(
    feature = "engines",
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little",
    target_vendor = "apple"
))]
pub(crate) use falcon_neon::NeonSha3;
#[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use falcon_x86::Avx2;
#[cfg(all(
    feature = "engines",
    target_arch = "x86_64",
    target_feature = "sse2",
    not(falcon_engine = "avx2")
))]
pub(crate) use falcon_x86::Avx512;
