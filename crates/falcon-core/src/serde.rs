//! `serde` for keys and signatures. Binary formats hold the encoded bytes. Human-readable formats
//! hold them as lower-case hexadecimal.
//!
//! Deserializing checks a value as its `TryFrom<&[u8]>` does, and refuses upper-case digits: a
//! signature has exactly one text, as it has exactly one encoding. Hexadecimal of secret keys is
//! converted in constant time, in a buffer that is wiped. The buffers of the format itself are not
//! wiped.

use crate::keys::SigningKey;
use crate::params::{Array, Parameters};
use crate::signatures::Signature;
use crate::verify::VerifyingKey;
use core::fmt;
use serdect::serde::de::{Error, Visitor};
use serdect::serde::{Deserialize, Deserializer, Serialize, Serializer};
use serdect::slice::{deserialize_hex_or_bin, serialize_hex_lower_or_bin};
use zeroize::Zeroizing;

/// Reads bytes, or lower-case hexadecimal, into the start of `buffer`.
fn deserialize<'b, 'de, D: Deserializer<'de>>(
    buffer: &'b mut [u8],
    deserializer: D,
) -> Result<&'b [u8], D::Error> {
    if deserializer.is_human_readable() {
        deserializer.deserialize_str(LowerCase(buffer))
    } else {
        deserialize_hex_or_bin(buffer, deserializer)
    }
}

/// Reads lower-case hexadecimal in constant time. Errors do not repeat the text.
struct LowerCase<'b>(&'b mut [u8]);

impl<'b> Visitor<'_> for LowerCase<'b> {
    type Value = &'b [u8];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at most {} lower-case hexadecimal digits",
            2 * self.0.len()
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<&'b [u8], E> {
        if text.len() > 2 * self.0.len() {
            return Err(E::invalid_length(text.len(), &self));
        }
        base16ct::lower::decode(text, self.0)
            .map_err(|_| E::custom("not lower-case hexadecimal, or an odd number of digits"))
    }
}

impl<P: Parameters> Serialize for SigningKey<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_hex_lower_or_bin(&*self.to_bytes(), serializer)
    }
}

impl<'de, P: Parameters> Deserialize<'de> for SigningKey<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut buffer = Zeroizing::new(P::SigningKeyBytes::ZERO);
        let bytes = deserialize((*buffer).as_mut(), deserializer)?;
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
        let bytes = deserialize(buffer.as_mut(), deserializer)?;
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
        let bytes = deserialize(buffer.as_mut(), deserializer)?;
        Self::try_from(bytes).map_err(D::Error::custom)
    }
}
