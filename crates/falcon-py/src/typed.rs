//! Keys and signatures whose parameter set is known at run time. The enums of `falcon-core` may get
//! further variants. The enums here only have the variants that the package offers.

use crate::errors;
use crate::input::Set;
use falcon_core::rows::RowKey;
use falcon_core::{
    AnySigningKey, AnyVerifyingKey, DecodeError, Falcon512, Falcon1024, Format, Parameters,
    SEED_LEN, Signature, SignatureError, SigningKey, VerifyingKey,
};
use pyo3::PyResult;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Evaluates one expression for a value of either parameter set.
macro_rules! either {
    ($kind:ident, $value:expr, $typed:ident => $body:expr) => {
        match $value {
            $kind::Falcon512($typed) => $body,
            $kind::Falcon1024($typed) => $body,
        }
    };
}
pub(crate) use either;

/// A signing key. Wiped when dropped.
pub enum Secret {
    Falcon512(Box<SigningKey<Falcon512>>),
    Falcon1024(Box<SigningKey<Falcon1024>>),
}

/// A verifying key. Its clones share the memory.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Public {
    Falcon512(Arc<VerifyingKey<Falcon512>>),
    Falcon1024(Arc<VerifyingKey<Falcon1024>>),
}

/// A signature.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Signed {
    Falcon512(Box<Signature<Falcon512>>),
    Falcon1024(Box<Signature<Falcon1024>>),
}

impl Secret {
    /// Takes the key of a parameter set that the package offers.
    pub fn of(key: AnySigningKey) -> PyResult<Self> {
        match key {
            AnySigningKey::Falcon512(key) => Ok(Self::Falcon512(key)),
            AnySigningKey::Falcon1024(key) => Ok(Self::Falcon1024(key)),
            other => Err(unsupported(other.name())),
        }
    }

    pub fn from_seed(set: Set, seed: &[u8; SEED_LEN]) -> PyResult<Self> {
        let made = match set {
            Set::Falcon512 => SigningKey::from_seed_boxed(seed).map(Self::Falcon512),
            Set::Falcon1024 => SigningKey::from_seed_boxed(seed).map(Self::Falcon1024),
        };
        made.map_err(errors::faulty)
    }

    pub fn from_reference_seed(set: Set, seed: &[u8; 48]) -> PyResult<Self> {
        let made = match set {
            Set::Falcon512 => SigningKey::from_reference_seed_boxed(seed).map(Self::Falcon512),
            Set::Falcon1024 => SigningKey::from_reference_seed_boxed(seed).map(Self::Falcon1024),
        };
        made.map_err(errors::faulty)
    }

    pub fn public(&self) -> Public {
        match self {
            Self::Falcon512(key) => Public::Falcon512(Arc::new(key.verifying_key().clone())),
            Self::Falcon1024(key) => Public::Falcon1024(Arc::new(key.verifying_key().clone())),
        }
    }

    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        either!(Self, self, key => Zeroizing::new(key.to_bytes().to_vec()))
    }

    pub fn sign(&self, seed: &[u8; SEED_LEN], message: &[u8]) -> PyResult<Signed> {
        Ok(match self {
            Self::Falcon512(key) => Signed::Falcon512(Box::new(signed(key, seed, message)?)),
            Self::Falcon1024(key) => Signed::Falcon1024(Box::new(signed(key, seed, message)?)),
        })
    }
}

fn signed<P: Parameters>(
    key: &SigningKey<P>,
    seed: &[u8; SEED_LEN],
    message: &[u8],
) -> PyResult<Signature<P>> {
    let mut stream = key.sign_stream_from_seed(seed);
    stream.update(message);
    stream.finish().map_err(errors::faulty)
}

impl Public {
    /// Takes the key of a parameter set that the package offers.
    pub fn of(key: AnyVerifyingKey) -> PyResult<Self> {
        match key {
            AnyVerifyingKey::Falcon512(key) => Ok(Self::Falcon512(key.into())),
            AnyVerifyingKey::Falcon1024(key) => Ok(Self::Falcon1024(key.into())),
            other => Err(unsupported(other.name())),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Falcon512(_) => Falcon512::NAME,
            Self::Falcon1024(_) => Falcon1024::NAME,
        }
    }

    pub fn row_key(&self) -> RowKey<'_> {
        match self {
            Self::Falcon512(key) => RowKey::Falcon512(key),
            Self::Falcon1024(key) => RowKey::Falcon1024(key),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        either!(Self, self, key => key.to_bytes().to_vec())
    }

    /// Returns the fingerprint as 64 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        base16ct::lower::encode_string(&either!(Self, self, key => key.fingerprint()))
    }

    /// Decodes a signature of this key's parameter set.
    pub fn decode(&self, format: Format, bytes: &[u8]) -> Result<Signed, String> {
        match self {
            Self::Falcon512(_) => explained(format, bytes).map(Signed::Falcon512),
            Self::Falcon1024(_) => explained(format, bytes).map(Signed::Falcon1024),
        }
    }

    pub fn verify(&self, message: &[u8], signature: &Signed) -> Result<(), SignatureError> {
        match (self, signature) {
            (Self::Falcon512(key), Signed::Falcon512(signature)) => key.verify(message, signature),
            (Self::Falcon1024(key), Signed::Falcon1024(signature)) => {
                key.verify(message, signature)
            }
            _ => Err(SignatureError),
        }
    }
}

impl Signed {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Falcon512(_) => Falcon512::NAME,
            Self::Falcon1024(_) => Falcon1024::NAME,
        }
    }

    pub fn nonce(&self) -> &[u8] {
        either!(Self, self, signature => signature.nonce())
    }

    /// Encodes the signature.
    pub fn encode(&self, format: Format) -> PyResult<Vec<u8>> {
        either!(Self, self, signature => encode(signature, format))
    }

    /// Decodes a signature whose header names the parameter set.
    pub fn decode(format: Format, bytes: &[u8]) -> Result<Self, String> {
        if is_1024(bytes) {
            explained(format, bytes).map(Self::Falcon1024)
        } else {
            explained(format, bytes).map(Self::Falcon512)
        }
    }

    /// Detects the format of an encoded signature.
    pub fn detect(bytes: &[u8]) -> Result<Format, DecodeError> {
        if is_1024(bytes) {
            Signature::<Falcon1024>::detect(bytes)
        } else {
            Signature::<Falcon512>::detect(bytes)
        }
    }
}

fn is_1024(bytes: &[u8]) -> bool {
    let header = bytes.first();
    header.is_some_and(|header| u32::from(header & 0x0f) == Falcon1024::LOGN)
}

/// Encodes `signature`. All signatures that the package makes fit each format.
pub fn encode<P: Parameters>(signature: &Signature<P>, format: Format) -> PyResult<Vec<u8>> {
    if format == Format::Padded {
        // A padded signature gets its canonical bytes.
        return Ok(signature.to_bytes().to_vec());
    }
    signature
        .to_vec(format)
        .map_err(|error| errors::FalconError::new_err(error.to_string()))
}

/// Decodes `bytes`. `Format::Padded` reads the canonical bytes.
fn decode<P: Parameters>(format: Format, bytes: &[u8]) -> Result<Signature<P>, DecodeError> {
    match format {
        Format::Padded => Signature::try_from(bytes),
        _ => Signature::from_bytes(format, bytes),
    }
}

fn explained<P: Parameters>(format: Format, bytes: &[u8]) -> Result<Box<Signature<P>>, String> {
    match decode(format, bytes) {
        Ok(signature) => Ok(Box::new(signature)),
        Err(error) => Err(errors::signature_text::<P>(format, error, bytes.len())),
    }
}

fn unsupported(name: &str) -> pyo3::PyErr {
    errors::FalconError::new_err(format!("this package does not offer {name}"))
}
