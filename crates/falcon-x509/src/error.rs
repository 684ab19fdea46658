//! Reasons why a document is refused or cannot be made.

use core::fmt;
use falcon_core::pkcs8::{ObjectIdentifier, spki};
use falcon_core::{DecodeError, SignatureError};
use x509_cert::builder;

/// Reason why a document is refused or cannot be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not DER of a document of the expected kind, or bytes follow the document.
    Der(der::Error),
    /// The document can be decoded, but DER and RFC 5280 encode its fields differently: a `SET` in
    /// another order, a default value that is written, or a year before 2050 with four digits.
    NotDer,
    /// The message is not the signed part of a certificate, a request or a revocation list.
    NotSignedPart,
    /// The algorithm identifiers beside the signature and in the signed part differ.
    AlgorithmsDiffer,
    /// The algorithm of the signature is not that of the key that verifies it.
    Algorithm(ObjectIdentifier),
    /// The algorithm identifier has parameters.
    Parameters,
    /// The bit string of the signature has unused bits.
    UnusedBits,
    /// The signature is malformed.
    MalformedSignature(DecodeError),
    /// The signature was not made by this key for this document.
    InvalidSignature,
    /// The public key in the document is not a Falcon key, or is malformed.
    PublicKey(spki::Error),
    /// The issuer of the certificate is not its subject.
    NotSelfIssued,
    /// The issuer's certificate contains a key other than the signing key.
    OtherKey,
    /// The period of the document ends before it begins.
    Dates,
    /// The key has a parameter set that certificates cannot name.
    ParameterSet,
    /// The document cannot be assembled or signed.
    Build(builder::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Der(error) => write!(f, "malformed document: {error}"),
            Self::NotDer => f.write_str("the fields are not encoded as DER and RFC 5280 require"),
            Self::NotSignedPart => f.write_str(
                "the first fields are not those of a certificate, a request or a revocation list",
            ),
            Self::AlgorithmsDiffer => {
                f.write_str("the signed part names another algorithm than the signature")
            }
            Self::Algorithm(oid) => {
                write!(
                    f,
                    "signed with the algorithm {oid}, which is not that of the key"
                )
            }
            Self::Parameters => f.write_str("the algorithm identifier has parameters"),
            Self::UnusedBits => f.write_str("the signature is not a whole number of bytes"),
            Self::MalformedSignature(error) => write!(f, "malformed signature: {error}"),
            Self::InvalidSignature => SignatureError.fmt(f),
            Self::PublicKey(error) => write!(f, "the public key is no Falcon key: {error}"),
            Self::NotSelfIssued => f.write_str("the issuer of the certificate is not its subject"),
            Self::OtherKey => f.write_str("the certificate of the issuer holds another key"),
            Self::Dates => f.write_str("the period ends before it begins"),
            Self::ParameterSet => f.write_str("certificates cannot name this parameter set"),
            Self::Build(error) => write!(f, "the document cannot be made: {error}"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Der(error) => Some(error),
            Self::MalformedSignature(error) => Some(error),
            Self::PublicKey(error) => Some(error),
            Self::Build(error) => Some(error),
            _ => None,
        }
    }
}

impl From<der::Error> for Error {
    fn from(error: der::Error) -> Self {
        Self::Der(error)
    }
}

impl From<builder::Error> for Error {
    fn from(error: builder::Error) -> Self {
        Self::Build(error)
    }
}
