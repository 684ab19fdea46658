//! Errors that are thrown: a code, a space, a message.

use falcon_core::{DecodeError, FaultError, Format, ParameterSet};
use wasm_bindgen::JsValue;

/// A string from which `js/falcon.js` makes an error.
pub type Thrown = JsValue;

/// Makes the string of an error.
pub fn thrown(code: &str, message: &str) -> Thrown {
    JsValue::from_str(&[code, message].join(" "))
}

/// Returns the error for a detected hardware fault.
pub fn faulty(error: FaultError) -> Thrown {
    thrown("ERR_FAULT", &format!("{error}"))
}

/// Returns the error for a key that cannot be decoded.
pub fn not_a_key(what: &str, error: DecodeError, len: usize) -> Thrown {
    let message = format!(
        "not an encoded {what} ({len} bytes): {error} (fromPem and fromDer read documents)"
    );
    thrown("ERR_MALFORMED_KEY", &message)
}

/// Returns the error for a document in PEM or DER that cannot be read.
pub fn not_a_document(what: &str, why: &str) -> Thrown {
    thrown("ERR_MALFORMED_KEY", &format!("not {what}: {why}"))
}

/// Returns the error for a signature of `len` bytes that cannot be decoded.
pub fn not_a_signature(
    set: ParameterSet,
    format: Format,
    error: DecodeError,
    len: usize,
) -> Thrown {
    let name = set.name();
    let expected = set.signature_len(format);
    let format = match format {
        Format::Compressed => "compressed",
        Format::Padded => "padded",
        Format::ConstantTime => "ct",
    };
    let code = "ERR_MALFORMED_SIGNATURE";
    match (error, expected) {
        (DecodeError::Length, Some(expected)) if expected != len => {
            let how = if len < expected {
                "Was it truncated?"
            } else {
                "Was something added?"
            };
            thrown(
                code,
                &format!("{len} bytes; a {format} {name} signature has {expected}. {how}"),
            )
        }
        _ => thrown(code, &format!("not a {format} {name} signature: {error}")),
    }
}
