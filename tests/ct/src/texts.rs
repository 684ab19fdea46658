//! Keys as text: PEM and hexadecimal.
//!
//! The crates for these conversions check whether text is valid and branch on the result. Memcheck
//! would report these branches. So `run.sh` instead compares the traces of two keys. A trace
//! contains every instruction and every address.

use crate::cases::stored_keys;
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey, LineEnding};
use falcon_core::{Falcon512, SigningKey};
use serde::de::value::{Error, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};
use serde::ser::Serialize;
use std::fmt;
use std::hint::black_box;

struct Hexadecimal<'a>(&'a SigningKey<Falcon512>);

impl fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

/// Writes a key as text and reads it. `which` is 0 or 1. If `leaks` is true, also uses a byte of
/// the key as an address.
#[inline(never)]
#[unsafe(export_name = "falcon_ct_texts")]
pub(crate) fn write_and_read(which: u8, leaks: bool) {
    let [first, second] = stored_keys::<Falcon512>();
    // Both keys are read, so that the traces do not differ here.
    let mask = black_box(which.wrapping_neg());
    let bytes: Vec<u8> = first
        .iter()
        .zip(&second)
        .map(|(a, b)| a ^ (mask & (a ^ b)))
        .collect();
    let key = SigningKey::<Falcon512>::try_from(&bytes[..]).expect("a stored key decodes");

    let pem = key
        .to_pkcs8_pem(LineEnding::LF)
        .expect("a key has a document");
    let read = SigningKey::<Falcon512>::from_pkcs8_pem(&pem).expect("a document of a key");
    assert_eq!(read.to_bytes(), key.to_bytes());

    let text = Hexadecimal(&key).to_string();
    let text: StrDeserializer<'_, Error> = text.as_str().into_deserializer();
    let read = SigningKey::<Falcon512>::deserialize(text).expect("a key in hexadecimal");
    assert_eq!(read.to_bytes(), key.to_bytes());

    if leaks {
        black_box(pem.as_bytes()[usize::from(bytes[9])]);
    }
}
