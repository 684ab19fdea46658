//! Keys and signatures of either degree behind one type, since the degree of a file is known only
//! after reading it.

use clap::ValueEnum;
use falcon_core::{
    AnyVerifyingKey, Falcon512, Falcon1024, Parameters, Signature, SigningKey, VerifyingKey,
};
use serde::Serialize;
use std::fmt;

/// The degree of a key or of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
pub(crate) enum Algorithm {
    /// NIST security level I.
    #[value(name = "falcon-512", aliases = ["512", "falcon512"])]
    #[serde(rename = "falcon-512")]
    Falcon512,
    /// NIST security level V.
    #[value(name = "falcon-1024", aliases = ["1024", "falcon1024"])]
    #[serde(rename = "falcon-1024")]
    Falcon1024,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Falcon512 => "Falcon-512",
            Self::Falcon1024 => "Falcon-1024",
        })
    }
}

impl From<falcon_envelope::Algorithm> for Algorithm {
    fn from(algorithm: falcon_envelope::Algorithm) -> Self {
        match algorithm {
            falcon_envelope::Algorithm::Falcon512 => Self::Falcon512,
            falcon_envelope::Algorithm::Falcon1024 => Self::Falcon1024,
        }
    }
}

/// Algorithm of a signature. A Falcon-1024 key can sign with two algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
pub(crate) enum SignatureAlgorithm {
    /// NIST security level I.
    #[value(name = "falcon-512", aliases = ["512", "falcon512"])]
    #[serde(rename = "falcon-512")]
    Falcon512,
    /// NIST security level V.
    #[value(name = "falcon-1024", aliases = ["1024", "falcon1024"])]
    #[serde(rename = "falcon-1024")]
    Falcon1024,
    /// Deterministic Falcon-1024, as Algorand signs.
    #[value(name = "falcon-det1024", aliases = ["det1024", "falcondet1024"])]
    #[serde(rename = "falcon-det1024")]
    FalconDet1024,
}

impl SignatureAlgorithm {
    /// Returns the algorithm of the keys that make such signatures.
    pub(crate) fn of_keys(self) -> Algorithm {
        match self {
            Self::Falcon512 => Algorithm::Falcon512,
            Self::Falcon1024 | Self::FalconDet1024 => Algorithm::Falcon1024,
        }
    }
}

impl From<Algorithm> for SignatureAlgorithm {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Falcon512 => Self::Falcon512,
            Algorithm::Falcon1024 => Self::Falcon1024,
        }
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FalconDet1024 => f.write_str("Falcon-det1024"),
            ordinary => ordinary.of_keys().fmt(f),
        }
    }
}

/// A value of either degree.
#[derive(Clone, Debug)]
pub(crate) enum Either<A, B> {
    /// Degree 512.
    Falcon512(A),
    /// Degree 1024.
    Falcon1024(B),
}

impl<A, B> Either<A, B> {
    /// Returns the degree.
    pub(crate) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Falcon512(_) => Algorithm::Falcon512,
            Self::Falcon1024(_) => Algorithm::Falcon1024,
        }
    }
}

/// A signing key. It is boxed, so that it is never copied when it is moved, and its memory is wiped
/// once.
pub(crate) type SecretKey = Either<Box<SigningKey<Falcon512>>, Box<SigningKey<Falcon1024>>>;
/// A verifying key.
pub(crate) type PublicKey = Either<Box<VerifyingKey<Falcon512>>, Box<VerifyingKey<Falcon1024>>>;
/// A signature.
pub(crate) type AnySignature = Either<Box<Signature<Falcon512>>, Box<Signature<Falcon1024>>>;

/// Evaluates one expression for either degree.
macro_rules! either {
    ($value:expr, $inner:ident => $body:expr) => {
        match $value {
            $crate::scheme::Either::Falcon512($inner) => $body,
            $crate::scheme::Either::Falcon1024($inner) => $body,
        }
    };
}
pub(crate) use either;

impl PublicKey {
    /// Converts the key to the type of the libraries.
    pub(crate) fn to_any(&self) -> AnyVerifyingKey {
        either!(self, key => key.clone().into())
    }
}

impl SecretKey {
    /// Returns the key that verifies the signatures of this key.
    pub(crate) fn public_key(&self) -> PublicKey {
        match self {
            Self::Falcon512(key) => Either::Falcon512(Box::new(key.verifying_key().clone())),
            Self::Falcon1024(key) => Either::Falcon1024(Box::new(key.verifying_key().clone())),
        }
    }
}

/// A parameter set that is a variant of [`Either`].
pub(crate) trait Degree: Parameters {
    /// Converts a signature of this degree.
    fn into_any(signature: Box<Signature<Self>>) -> AnySignature;
    /// Returns the signature if it has this degree.
    fn from_any(signature: &AnySignature) -> Option<&Signature<Self>>;
}

macro_rules! degree {
    ($side:ident) => {
        impl Degree for $side {
            fn into_any(signature: Box<Signature<Self>>) -> AnySignature {
                Either::$side(signature)
            }

            fn from_any(signature: &AnySignature) -> Option<&Signature<Self>> {
                match signature {
                    Either::$side(signature) => Some(signature),
                    _ => None,
                }
            }
        }
    };
}
degree!(Falcon512);
degree!(Falcon1024);
