//! Messages whose signature makes a certificate of them.

use crate::{
    error::{Error, Result},
    scheme::SecretKey,
    stored::{StoredKey, Use, signs_certificates_only},
};
use clap::Args;
use falcon_x509::SignedPart;
use std::path::Path;

/// Permission to sign what becomes a certificate.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct X509Option {
    /// Sign a message even if its signature makes it a certificate, a certificate request or a
    /// revocation list
    #[arg(long)]
    allow_x509: bool,
}

impl X509Option {
    /// Takes the key of the file at `path`, and tells which messages it signs. A key for
    /// certificates only signs nothing unless the user wants documents.
    pub(crate) fn permit(self, key: StoredKey, path: &Path) -> Result<(SecretKey, Permitted)> {
        match (key.key_use(), self.allow_x509) {
            (Use::Any, false) => Ok((key.into_secret(), Permitted::Messages)),
            (Use::Any, true) => Ok((key.into_secret(), Permitted::All)),
            (Use::Certificates, true) => Ok((key.into_secret(), Permitted::X509)),
            (Use::Certificates, false) => Err(signs_certificates_only(path).hint(
                "name another key with -k; to sign the signed part of a certificate, add \
                 --allow-x509",
            )),
        }
    }
}

/// Messages that a key signs with the options of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permitted {
    /// All but the signed parts of documents of X.509.
    Messages,
    /// Only the signed parts of documents of X.509.
    X509,
    /// Every message.
    All,
}

impl Permitted {
    /// Refuses a message that is not permitted. `start` is the beginning of the message, all of it
    /// if `is_whole`. `otherwise` completes the hint: what to do instead of signing it so.
    pub(crate) fn check(self, start: &[u8], is_whole: bool, otherwise: &str) -> Result<()> {
        let document = match (self, SignedPart::of_message(start, is_whole)) {
            (Self::All, _) | (Self::Messages, None) | (Self::X509, Some(_)) => return Ok(()),
            (Self::X509, None) => {
                return Err(Error::new(
                    "is not the signed part of a certificate, a certificate request or a \
                     revocation list, and the key signs nothing else",
                )
                .hint(format_args!("name another key with -k, or {otherwise}")));
            }
            (Self::Messages, Some(SignedPart::Certificate)) => "a certificate",
            (Self::Messages, Some(SignedPart::Request)) => "a certificate request",
            (Self::Messages, Some(SignedPart::RevocationList)) => "a revocation list",
            (Self::Messages, Some(_)) => "a document of X.509",
        };
        Err(Error::new(format_args!(
            "is the signed part of {document}: whoever has its signature has {document} issued by \
             this key"
        ))
        .hint(format_args!(
            "add --allow-x509 if you mean to sign it, or {otherwise}"
        )))
    }
}
