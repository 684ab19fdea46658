//! Messages that become a certificate when a signature is added.

#[cfg(feature = "tables")]
use crate::tables::ColumnFormat;
use crate::{
    error::{Error, Result},
    message::Message,
    object::SignatureFormat,
    stored::{StoredKey, Use, signs_certificates_only},
};
use clap::Args;
use falcon_core::AnySigningKey;
use falcon_x509::SignedPart;
use std::path::Path;

/// Permission to sign what becomes a certificate.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct X509Option {
    /// Sign a message even if its signature makes it a certificate, a certificate request, a
    /// revocation list or a part of a TLS handshake
    #[arg(long)]
    allow_x509: bool,
}

impl X509Option {
    /// Returns the default format of signatures. X.509 only uses compressed signatures.
    pub(super) fn format(self) -> SignatureFormat {
        match self.allow_x509 {
            true => SignatureFormat::Compressed,
            false => SignatureFormat::Padded,
        }
    }

    /// Returns the default format of the signatures in a column of a table.
    #[cfg(feature = "tables")]
    pub(crate) fn column_format(self) -> ColumnFormat {
        match self.allow_x509 {
            true => ColumnFormat::Compressed,
            false => ColumnFormat::Padded,
        }
    }

    /// Takes the key of the file at `path`, and returns it with the messages that it may sign. A
    /// key for certificates only may sign nothing unless the user permits X.509 documents.
    pub(crate) fn permit(self, key: StoredKey, path: &Path) -> Result<(AnySigningKey, Permitted)> {
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

/// The messages that a key may sign under the options of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permitted {
    /// All messages except the signed parts of X.509 documents.
    Messages,
    /// Only the signed parts of X.509 documents, complete and in DER.
    X509,
    /// Every message.
    All,
}

/// Length in bytes of the longest signed part that a key for certificates only can sign. The part
/// is decoded in memory as a whole.
const MAX_SIGNED_PART: usize = 16 << 20;

impl Permitted {
    /// Reads the part of a message that [`check`](Self::check) needs, and checks it.
    pub(super) fn read<'p>(self, message: Message<'p>, otherwise: &str) -> Result<Message<'p>> {
        let message = match self {
            Self::All => return Ok(message),
            Self::Messages => message,
            Self::X509 => Message::of_bytes(message.into_bytes(
                MAX_SIGNED_PART,
                "a key for certificates only",
                "name another key with -k",
            )?),
        };
        match message.whole() {
            Some(whole) => self.check(whole, otherwise),
            None => refuse(SignedPart::of_beginning(message.start()), otherwise),
        }?;
        Ok(message)
    }

    /// Refuses a whole message that is not permitted. `otherwise` completes the hint: what else the
    /// user can do.
    pub(crate) fn check(self, message: &[u8], otherwise: &str) -> Result<()> {
        match self {
            Self::All => Ok(()),
            Self::Messages => refuse(SignedPart::of_message(message), otherwise),
            Self::X509 => require_signed_part(message).map_err(|error| {
                error.hint(format_args!("name another key with -k, or {otherwise}"))
            }),
        }
    }
}

/// Refuses everything but a complete signed part in DER, since any other bytes in the message would
/// be signed, too.
fn require_signed_part(message: &[u8]) -> Result<()> {
    if message.len() > MAX_SIGNED_PART {
        return Err(Error::new(format_args!(
            "has more than {MAX_SIGNED_PART} bytes, the limit for a signed part"
        )));
    }
    match SignedPart::from_der(message) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::new(
            "is not the signed part of a certificate, a certificate request or a revocation \
             list, and the key signs nothing else",
        )
        .because(error)),
    }
}

/// Refuses a message that a lenient verifier could mistake for a signed part.
fn refuse(part: Option<SignedPart>, otherwise: &str) -> Result<()> {
    let document = match part {
        None => return Ok(()),
        Some(SignedPart::Certificate) => "a certificate",
        Some(SignedPart::Request) => "a certificate request",
        Some(SignedPart::RevocationList) => "a revocation list",
        Some(SignedPart::Handshake) => "a TLS handshake",
        Some(_) => "a document of X.509",
    };
    Err(Error::new(format_args!(
        "looks like the signed part of {document}: a program may take its signature for that of \
         {document} by this key"
    ))
    .hint(format_args!(
        "add --allow-x509 if you mean to sign it, or {otherwise}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_signed_part_is_decoded() {
        let refused = |len| {
            let error = Permitted::X509.check(&vec![0; len], "sign it apart");
            error.expect_err("zeros").to_string()
        };
        let told = refused(MAX_SIGNED_PART);
        assert!(told.starts_with("is not the signed part"), "{told}");
        let told = refused(MAX_SIGNED_PART + 1);
        assert!(told.starts_with("has more than 16777216 bytes"), "{told}");
    }
}
