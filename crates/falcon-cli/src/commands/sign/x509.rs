//! Messages whose signature makes a certificate of them.

use crate::error::{Error, Result};
use clap::Args;
use falcon_x509::SignedPart;

/// Permission to sign what becomes a certificate.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct X509Option {
    /// Sign a message even if its signature makes it a certificate, a certificate request or a
    /// revocation list
    #[arg(long)]
    allow_x509: bool,
}

impl X509Option {
    /// Refuses a message whose plain signature would be that of a document, unless the user wants
    /// one. `start` is the beginning of the message, all of it if `is_whole`. `otherwise` completes
    /// the hint: what to do instead of signing it so.
    pub(crate) fn check(self, start: &[u8], is_whole: bool, otherwise: &str) -> Result<()> {
        let document = match SignedPart::of_message(start, is_whole) {
            _ if self.allow_x509 => return Ok(()),
            None => return Ok(()),
            Some(SignedPart::Certificate) => "a certificate",
            Some(SignedPart::Request) => "a certificate request",
            Some(SignedPart::RevocationList) => "a revocation list",
            Some(_) => "a document of X.509",
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
