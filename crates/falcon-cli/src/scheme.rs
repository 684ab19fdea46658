//! Names of algorithms in options and reports.

use clap::{ValueEnum, builder::PossibleValue};
use falcon_core::ParameterSet;
use serde::{Serialize, Serializer};
use std::fmt;

/// Algorithm of a key: a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Algorithm(pub(crate) ParameterSet);

impl ValueEnum for Algorithm {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self(ParameterSet::Falcon512),
            Self(ParameterSet::Falcon1024),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, aliases, level) = match self.0 {
            ParameterSet::Falcon512 => ("falcon-512", ["512", "falcon512"], "I"),
            ParameterSet::Falcon1024 => ("falcon-1024", ["1024", "falcon1024"], "V"),
            _ => return None,
        };
        let help = format!("NIST security level {level}");
        Some(PossibleValue::new(name).aliases(aliases).help(help))
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.name().to_lowercase())
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Algorithm of a signature. A Falcon-1024 key can sign with two algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum SignatureAlgorithm {
    /// Deterministic Falcon-1024, as Algorand signs.
    #[serde(rename = "falcon-det1024")]
    FalconDet1024,
    /// Algorithm of the key.
    #[serde(untagged)]
    Ordinary(Algorithm),
}

impl SignatureAlgorithm {
    /// Returns the algorithm of the keys that make such signatures.
    pub(crate) fn of_keys(self) -> Algorithm {
        match self {
            Self::Ordinary(algorithm) => algorithm,
            Self::FalconDet1024 => Algorithm(ParameterSet::Falcon1024),
        }
    }
}

impl ValueEnum for SignatureAlgorithm {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Ordinary(Algorithm(ParameterSet::Falcon512)),
            Self::Ordinary(Algorithm(ParameterSet::Falcon1024)),
            Self::FalconDet1024,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Ordinary(algorithm) => algorithm.to_possible_value(),
            Self::FalconDet1024 => Some(
                PossibleValue::new("falcon-det1024")
                    .aliases(["det1024", "falcondet1024"])
                    .help("Deterministic Falcon-1024, as Algorand signs"),
            ),
        }
    }
}

impl From<ParameterSet> for SignatureAlgorithm {
    fn from(set: ParameterSet) -> Self {
        Self::Ordinary(Algorithm(set))
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FalconDet1024 => f.write_str("Falcon-det1024"),
            Self::Ordinary(algorithm) => algorithm.fmt(f),
        }
    }
}

/// Evaluates `$body` with the type `$P` of a parameter set. For a set that the program does not
/// offer, `$P` is `Falcon512`, so `typed::<$P>()` of its keys returns `None`.
macro_rules! with_type {
    ($set:expr, $P:ident => $body:expr) => {
        match $set {
            falcon_core::ParameterSet::Falcon1024 => {
                type $P = falcon_core::Falcon1024;
                $body
            }
            _ => {
                type $P = falcon_core::Falcon512;
                $body
            }
        }
    };
}
pub(crate) use with_type;
