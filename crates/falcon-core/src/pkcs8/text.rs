//! Documents in PEM.

use ::pkcs8::der::{Error, Result, pem};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use zeroize::Zeroizing;

/// Reason that a text is not a document in PEM with the label of a key.
///
/// ```
/// use falcon_core::AnyVerifyingKey;
/// use falcon_core::pkcs8::{OpenPublicError, PemError};
///
/// let error = AnyVerifyingKey::from_pem("0907a1f3").unwrap_err();
/// assert_eq!(error, OpenPublicError::Pem(PemError::Missing));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PemError {
    /// No line begins with `-----BEGIN`. The text may be the name of a file, hexadecimal or base64.
    Missing,
    /// The text is damaged.
    Damaged(Error),
    /// The document has this label. Its contents were not decoded.
    Label(String),
}

impl fmt::Display for PemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "the text is no PEM document, which begins with \"-----BEGIN\"; \
                 pass the contents of a file, not its name, and decode hexadecimal or base64",
            ),
            Self::Damaged(error) => write!(f, "the PEM document is damaged: {error}"),
            Self::Label(label) => write!(f, "the PEM document is labelled {label:?}"),
        }
    }
}

impl core::error::Error for PemError {}

/// Returns the bytes of a document in PEM with one of `labels`, such as `PUBLIC KEY`. Blank space
/// around it and a byte-order mark are ignored. Its lines may have any length, if all but the last
/// one have the same. A document with another label is not decoded, so nothing of a secret key
/// stays in memory that is not wiped. Requires the feature `pem`.
///
/// ```
/// use falcon_core::pkcs8::{PemError, pem_contents};
///
/// let text = "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n";
/// assert_eq!(pem_contents(text, &["PUBLIC KEY"]).unwrap()[..], [0x30, 0]);
/// let error = pem_contents(text, &["PRIVATE KEY"]).unwrap_err();
/// assert_eq!(error, PemError::Label("PUBLIC KEY".to_owned()));
/// ```
///
/// # Errors
/// [`PemError`].
#[inline]
pub fn pem_contents(
    text: &str,
    labels: &[&str],
) -> core::result::Result<Zeroizing<Vec<u8>>, PemError> {
    const BEGIN: &[u8] = b"-----BEGIN";
    let text = text.trim_start_matches('\u{feff}').trim_ascii();
    // `str::contains` would make the module for browsers larger by kilobytes.
    if !text
        .as_bytes()
        .windows(BEGIN.len())
        .any(|part| part == BEGIN)
    {
        return Err(PemError::Missing);
    }
    let label = label(text).map_err(PemError::Damaged)?;
    if !labels.contains(&label) {
        return Err(PemError::Label(label.to_owned()));
    }
    content(text).map_err(PemError::Damaged)
}

/// Returns the label of a document in PEM.
#[inline]
pub(crate) fn label(text: &str) -> Result<&str> {
    Ok(pem::decode_label(text.as_bytes())?)
}

/// Returns the bytes of a document in PEM. They are wiped, also if the text turns out to be
/// damaged. `SecretDocument::from_pem` wipes only what it returns.
#[inline]
pub(crate) fn content(text: &str) -> Result<Zeroizing<Vec<u8>>> {
    // Lines of any length, since not all programs wrap them at 64 characters. The place of the
    // first line end tells nothing about the key.
    let mut decoder = pem::Decoder::new_detect_wrap(text.as_bytes())?;
    let mut content = Zeroizing::new(vec![0; decoder.remaining_len()]);
    decoder.decode(&mut content)?;
    Ok(content)
}
