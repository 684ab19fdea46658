//! `serde` for keys and signatures: their byte encodings, in binary formats as
//! bytes, in formats for people as lower-case hexadecimal.
//!
//! A value that is read is checked as its `TryFrom<&[u8]>` checks it. Secret
//! keys pass through constant-time hexadecimal and a buffer that is wiped;
//! what the format itself buffers is beyond this crate's reach.

use crate::keys::SigningKey;
use crate::params::{Array, Parameters};
use crate::signatures::Signature;
use crate::verify::VerifyingKey;
use serdect::serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serdect::slice::{deserialize_hex_or_bin, serialize_hex_lower_or_bin};
use zeroize::Zeroizing;

impl<P: Parameters> Serialize for SigningKey<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_hex_lower_or_bin(&*self.to_bytes(), serializer)
    }
}

impl<'de, P: Parameters> Deserialize<'de> for SigningKey<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut buffer = Zeroizing::new(P::SigningKeyBytes::ZERO);
        let bytes = deserialize_hex_or_bin((*buffer).as_mut(), deserializer)?;
        Self::try_from(bytes).map_err(D::Error::custom)
    }
}

impl<P: Parameters> Serialize for VerifyingKey<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_hex_lower_or_bin(&self.to_bytes(), serializer)
    }
}

impl<'de, P: Parameters> Deserialize<'de> for VerifyingKey<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut buffer = P::VerifyingKeyBytes::ZERO;
        let bytes = deserialize_hex_or_bin(buffer.as_mut(), deserializer)?;
        Self::try_from(bytes).map_err(D::Error::custom)
    }
}

impl<P: Parameters> Serialize for Signature<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_hex_lower_or_bin(&self.to_bytes(), serializer)
    }
}

impl<'de, P: Parameters> Deserialize<'de> for Signature<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut buffer = P::CompressedBytes::ZERO;
        let bytes = deserialize_hex_or_bin(buffer.as_mut(), deserializer)?;
        Self::try_from(bytes).map_err(D::Error::custom)
    }
}
