//! Keys and signatures whose parameter set is known at run time. The enums of `falcon-core` may get
//! further variants. The enums here only have the variants that the package offers.

use crate::errors::{Thrown, faulty, not_a_signature, thrown};
use falcon_core::{
    AnySigningKey, AnyVerifyingKey, DecodeError, Falcon512, Falcon1024, Format, Parameters,
    SEED_LEN, Signature, SigningKey, VerifyingKey,
};
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

/// A verifying key.
#[derive(PartialEq, Eq)]
pub enum Public {
    Falcon512(Box<VerifyingKey<Falcon512>>),
    Falcon1024(Box<VerifyingKey<Falcon1024>>),
}

/// A signature.
pub enum Signed {
    Falcon512(Box<Signature<Falcon512>>),
    Falcon1024(Box<Signature<Falcon1024>>),
}

impl Secret {
    /// Takes the key of a parameter set that the package offers.
    pub fn of(key: AnySigningKey) -> Result<Self, Thrown> {
        match key {
            AnySigningKey::Falcon512(key) => Ok(Self::Falcon512(key)),
            AnySigningKey::Falcon1024(key) => Ok(Self::Falcon1024(key)),
            other => Err(not_offered(other.name())),
        }
    }

    /// Generates the key of a seed.
    pub fn from_seed(large: bool, seed: &[u8; SEED_LEN]) -> Result<Self, Thrown> {
        let made = if large {
            SigningKey::from_seed_boxed(seed).map(Self::Falcon1024)
        } else {
            SigningKey::from_seed_boxed(seed).map(Self::Falcon512)
        };
        made.map_err(faulty)
    }

    /// Generates the key of the reference code for a seed.
    pub fn from_reference_seed(large: bool, seed: &[u8; 48]) -> Result<Self, Thrown> {
        let made = if large {
            SigningKey::from_reference_seed_boxed(seed).map(Self::Falcon1024)
        } else {
            SigningKey::from_reference_seed_boxed(seed).map(Self::Falcon512)
        };
        made.map_err(faulty)
    }

    /// Copies the verifying key.
    pub fn public(&self) -> Public {
        match self {
            Self::Falcon512(key) => Public::Falcon512(Box::new(key.verifying_key().clone())),
            Self::Falcon1024(key) => Public::Falcon1024(Box::new(key.verifying_key().clone())),
        }
    }

    /// Encodes the key.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        either!(Self, self, key => Zeroizing::new(key.to_bytes().to_vec()))
    }
}

impl Public {
    /// Takes the key of a parameter set that the package offers.
    pub fn of(key: AnyVerifyingKey) -> Result<Self, Thrown> {
        match key {
            AnyVerifyingKey::Falcon512(key) => Ok(Self::Falcon512(key)),
            AnyVerifyingKey::Falcon1024(key) => Ok(Self::Falcon1024(key)),
            other => Err(not_offered(other.name())),
        }
    }

    /// True for Falcon-1024.
    pub fn is_large(&self) -> bool {
        matches!(self, Self::Falcon1024(_))
    }

    /// Encodes the key.
    pub fn to_bytes(&self) -> Vec<u8> {
        either!(Self, self, key => key.to_bytes().to_vec())
    }

    /// Fingerprint as 64 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        base16ct::lower::encode_string(&either!(Self, self, key => key.fingerprint()))
    }

    /// Decodes a signature of this key's parameter set.
    pub fn decode(&self, format: Format, bytes: &[u8]) -> Result<Signed, Thrown> {
        Signed::decode(self.is_large(), format, bytes)
    }
}

impl Signed {
    /// Decodes a signature of a parameter set.
    pub fn decode(large: bool, format: Format, bytes: &[u8]) -> Result<Self, Thrown> {
        if large {
            explained(format, bytes).map(Self::Falcon1024)
        } else {
            explained(format, bytes).map(Self::Falcon512)
        }
    }

    /// Encodes the signature. Every signature that the package makes fits each format.
    pub fn encode(&self, format: Format) -> Result<Vec<u8>, Thrown> {
        either!(Self, self, signature => match format {
            // A padded signature gets its canonical bytes.
            Format::Padded => Ok(signature.to_bytes().to_vec()),
            _ => signature.to_vec(format),
        })
        .map_err(|error| thrown("ERR_MALFORMED_SIGNATURE", &format!("{error}")))
    }
}

/// Returns true if the header of an encoded signature names Falcon-1024.
pub fn is_large(bytes: &[u8]) -> bool {
    let header = bytes.first();
    header.is_some_and(|header| u32::from(header & 0x0f) == Falcon1024::LOGN)
}

/// Detects the format of an encoded signature of a parameter set.
pub fn detect(large: bool, bytes: &[u8]) -> Result<Format, DecodeError> {
    if large {
        Signature::<Falcon1024>::detect(bytes)
    } else {
        Signature::<Falcon512>::detect(bytes)
    }
}

fn explained<P: Parameters>(format: Format, bytes: &[u8]) -> Result<Box<Signature<P>>, Thrown> {
    let decoded = match format {
        // Only the canonical bytes of a padded signature are accepted.
        Format::Padded => Signature::try_from(bytes),
        _ => Signature::from_bytes(format, bytes),
    };
    match decoded {
        Ok(signature) => Ok(Box::new(signature)),
        Err(error) => Err(not_a_signature::<P>(format, error, bytes.len())),
    }
}

fn not_offered(name: &str) -> Thrown {
    thrown(
        "ERR_MALFORMED_KEY",
        &format!("this package does not offer {name}"),
    )
}
