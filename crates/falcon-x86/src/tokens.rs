//! Tokens: proofs that the processor has an instruction set.

/// Declares a token and the features that it stands for.
macro_rules! token {
    ($(#[$doc:meta])* $token:ident = $module:ident, $($feature:tt),*) => {
        cpufeatures::new!($module, $($feature),*);

        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $token(());

        impl $token {
            /// Returns the token if this processor has the features.
            pub fn detect() -> Option<Self> {
                $module::get().then_some(Self(()))
            }
        }
    };
}

token! {
    /// The processor has AVX2, BMI1, BMI2 and POPCNT, and the system saves the registers.
    Avx2 = avx2, "avx2", "bmi1", "bmi2", "popcnt"
}

token! {
    /// The processor has AVX2, BMI1, BMI2, POPCNT and AVX-512 F, BW, CD, DQ, VL, and the system
    /// saves the registers.
    Avx512 = avx512, "avx2", "bmi1", "bmi2", "popcnt", "avx512f", "avx512bw", "avx512cd",
    "avx512dq", "avx512vl"
}

token! {
    /// The processor has the features of [`Avx512`] and GFNI, and the system saves the registers.
    /// Skylake-X and Cascade Lake lack GFNI.
    Avx512Gfni = avx512gfni, "avx2", "bmi1", "bmi2", "popcnt", "avx512f", "avx512bw", "avx512cd",
    "avx512dq", "avx512vl", "gfni"
}

token! {
    /// The processor has the features of [`Avx512`] and AVX-512 VBMI, and the system saves the
    /// registers. Skylake-X and Cascade Lake lack VBMI.
    Avx512Vbmi = avx512vbmi, "avx2", "bmi1", "bmi2", "popcnt", "avx512f", "avx512bw", "avx512cd",
    "avx512dq", "avx512vl", "avx512vbmi"
}
