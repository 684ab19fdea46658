//! Formats of signatures.

use crate::errors::Thrown;
use crate::typed::{Signed, detect, is_large};
use falcon_core::Format;
use wasm_bindgen::prelude::wasm_bindgen;

/// Formats in the order of `FORMATS` in `js/falcon.js`.
const FORMATS: [Format; 3] = [Format::Padded, Format::Compressed, Format::ConstantTime];

/// Returns the format with a number, which `js/falcon.js` has checked.
pub fn format_of(number: u8) -> Format {
    FORMATS[usize::from(number) % FORMATS.len()]
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
    let large = is_large(bytes);
    // If no format fits, the error is that of the padded format.
    let format = detect(large, bytes).unwrap_or(Format::Padded);
    Signed::decode(large, format, bytes)?;
    let format = FORMATS.iter().take_while(|&&known| known != format).count();
    Ok(Details {
        large,
        format: format as u8,
    })
}

/// Encodes a signature in another format.
#[wasm_bindgen]
pub fn convert(bytes: &[u8], from: u8, to: u8) -> Result<Vec<u8>, Thrown> {
    Signed::decode(is_large(bytes), format_of(from), bytes)?.encode(format_of(to))
}
