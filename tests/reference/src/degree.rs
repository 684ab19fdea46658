//! The degree as a value, so that generic code is compiled once, in this library.

/// Degree of the polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Degree {
    /// Falcon-512.
    #[value(name = "512")]
    Falcon512,
    /// Falcon-1024.
    #[value(name = "1024")]
    Falcon1024,
}

impl Degree {
    /// Returns the base-2 logarithm.
    pub fn logn(self) -> u32 {
        match self {
            Self::Falcon512 => 9,
            Self::Falcon1024 => 10,
        }
    }

    /// Returns the degree itself.
    pub fn n(self) -> usize {
        1 << self.logn()
    }
}

/// Evaluates `$body` with the parameter set of `$degree` as `$p`.
macro_rules! with_degree {
    ($degree:expr, $p:ident => $body:expr) => {
        match $degree {
            $crate::Degree::Falcon512 => {
                type $p = falcon_core::Falcon512;
                $body
            }
            $crate::Degree::Falcon1024 => {
                type $p = falcon_core::Falcon1024;
                $body
            }
        }
    };
}
