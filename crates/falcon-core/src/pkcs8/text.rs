//! Documents of private keys in PEM.

use ::pkcs8::der::{Result, pem};
use alloc::vec;
use alloc::vec::Vec;
use zeroize::Zeroizing;

/// Returns the label of a document in PEM.
pub(crate) fn label(text: &str) -> Result<&str> {
    Ok(pem::decode_label(text.as_bytes())?)
}

/// Returns the bytes of a document in PEM. They are wiped, also if the text turns out to be
/// damaged. `SecretDocument::from_pem` wipes only what it returns.
pub(crate) fn content(text: &str) -> Result<Zeroizing<Vec<u8>>> {
    let mut content = Zeroizing::new(vec![0; text.len()]);
    let (_, decoded) = pem::decode(text.as_bytes(), &mut content)?;
    let len = decoded.len();
    content.truncate(len);
    Ok(content)
}
