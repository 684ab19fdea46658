//! The choice of the instruction set. All sets give the same bytes.

/// Defines `Best`, the best instruction set of this machine, and `on_best!`, which evaluates an
/// expression with its token. The rows are in order of preference.
macro_rules! engines {
    ($(#[cfg($cfg:meta)] $variant:ident = $name:literal,)*) => {
        /// The best instruction set of this machine.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Best {
            $(
                #[cfg($cfg)]
                #[doc = concat!("`", stringify!($variant), "`.")]
                $variant($variant),
            )*
            /// The features that every processor of the build target has.
            Baseline(Baseline),
        }

        impl Best {
            /// Finds the best instruction set, or the one that was [chosen](choose). Asks the
            /// processor only once.
            #[inline]
            #[allow(unused_assignments, unused_mut, unused_variables, reason = "the last row, or none")]
            pub(crate) fn find() -> Self {
                let mut better = BETTER.load(Ordering::Relaxed);
                $(
                    #[cfg($cfg)]
                    if let Some(isa) = $variant::detect() {
                        if better == 0 {
                            return Self::$variant(isa);
                        }
                        better -= 1;
                    }
                )*
                Self::Baseline(Baseline)
            }
        }

        /// Returns the names of the engines of this machine, the best one first.
        pub fn names() -> impl Iterator<Item = &'static str> {
            let found = [
                $(
                    #[cfg($cfg)]
                    $variant::detect().map(|_| $name),
                )*
                Some("portable"),
            ];
            found.into_iter().flatten()
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

        /// Evaluates `$body` with the token of every instruction set of this machine.
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

/// Number of engines of this machine that are better than the chosen one and are not used. Zero if
/// no engine was chosen.
static BETTER: AtomicUsize = AtomicUsize::new(0);

/// Chooses the engine for every operation of the process that begins from now on. Returns false if
/// the machine has no engine called `name`. This function is for programs that measure or compare
/// engines.
pub fn choose(name: &str) -> bool {
    let found = names().position(|it| it == name);
    if let Some(better) = found {
        BETTER.store(better, Ordering::Relaxed);
    }
    found.is_some()
}

// `--cfg falcon_engine="avx2"` makes tests run without AVX-512.
engines! {
    #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2", not(falcon_engine = "avx2")))]
    Avx512 = "avx512",
    #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = "avx2",
    #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little", target_vendor = "apple"))]
    NeonSha3 = "neonsha3",
    #[cfg(all(feature = "engines", target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon = "neon",
}

use core::sync::atomic::{AtomicUsize, Ordering};
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

#[cfg(test)]
mod tests {
    use super::*;

    /// This is a single test, since the choice of the engine holds for the whole process.
    #[test]
    fn an_engine_is_found_by_its_name() {
        let first = names().next().expect("one at least");
        let engine = || std::format!("{:?}", Best::find());
        let mut found = std::vec::Vec::new();
        for name in names() {
            assert!(choose(name));
            assert!(!choose("abacus"));
            let engine = engine();
            assert!(!found.contains(&engine), "{name}");
            found.push(engine);
        }
        assert!(found.last().expect("one at least").starts_with("Baseline"));
        assert!(choose(first));
        assert_eq!(engine(), found[0]);
    }
}
