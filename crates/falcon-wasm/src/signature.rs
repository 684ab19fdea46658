//! Signatures, and their formats.

use crate::errors::{Thrown, not_a_signature, thrown};
use falcon_core::{AnySignature, Format, ParameterSet};
use wasm_bindgen::prelude::wasm_bindgen;

/// Formats in the order of `FORMATS` in `js/falcon.js`.
const FORMATS: [Format; 3] = [Format::Padded, Format::Compressed, Format::ConstantTime];

/// Returns the format with a number, which `js/falcon.js` has checked.
pub fn format_of(number: u8) -> Format {
    FORMATS[usize::from(number) % FORMATS.len()]
}

/// Returns Falcon-1024 if `large` is true, otherwise Falcon-512.
pub fn set_of(large: bool) -> ParameterSet {
    if large {
        ParameterSet::Falcon1024
    } else {
        ParameterSet::Falcon512
    }
}

/// Decodes a signature of a parameter set. Only the canonical bytes of a padded signature are
/// accepted.
pub fn decode(set: ParameterSet, format: Format, bytes: &[u8]) -> Result<AnySignature, Thrown> {
    match format {
        Format::Padded => AnySignature::from_canonical_bytes(set, bytes),
        _ => AnySignature::from_bytes(set, format, bytes),
    }
    .map_err(|error| not_a_signature(set, format, error, bytes.len()))
}

/// Encodes a signature. Every signature that the package makes fits each format.
pub fn encode(signature: &AnySignature, format: Format) -> Result<Vec<u8>, Thrown> {
    match format {
        // A padded signature gets its canonical bytes.
        Format::Padded => Ok(signature.to_bytes()),
        _ => signature.to_vec(format),
    }
    .map_err(|error| thrown("ERR_MALFORMED_SIGNATURE", &format!("{error}")))
}

/// Parameter set and format of a signature.
#[wasm_bindgen]
pub struct Details {
    /// True for Falcon-1024.
    #[wasm_bindgen(readonly)]
    pub large: bool,
    /// Number of the format.
    #[wasm_bindgen(readonly)]
    pub format: u8,
}

/// Decodes a signature and tells its parameter set and its format.
#[wasm_bindgen]
pub fn inspect(bytes: &[u8]) -> Result<Details, Thrown> {
    let set = ParameterSet::of_encoding(bytes);
    // If no format fits, the error is that of the padded format.
    let format = AnySignature::detect(bytes).map_or(Format::Padded, |(_, format)| format);
    decode(set, format, bytes)?;
    let format = FORMATS.iter().take_while(|&&known| known != format).count();
    Ok(Details {
        large: set == ParameterSet::Falcon1024,
        format: format as u8,
    })
}

/// Encodes a signature in another format.
#[wasm_bindgen]
pub fn convert(bytes: &[u8], from: u8, to: u8) -> Result<Vec<u8>, Thrown> {
    let set = ParameterSet::of_encoding(bytes);
    encode(&decode(set, format_of(from), bytes)?, format_of(to))
}
