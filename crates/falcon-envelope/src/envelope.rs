//! A statement and its signature.

use crate::{
    digest::Digest,
    error::ParseError,
    fingerprint::Fingerprint,
    statement::{Statement, StatementError, Subject, VERSION},
    text::{Lines, from_base64, to_base64},
};
use falcon_core::{AnySignature, AnySigningKey, AnyVerifyingKey, Format};
use rand_core::CryptoRng;
use std::{fmt, str::FromStr};

/// A signature with the signer's key, the time, the subject and a comment, all of which are signed.
///
/// ```
/// use falcon_core::{AnySigningKey, Falcon512, SigningKey};
/// use falcon_envelope::{Digest, Envelope, Statement, Subject, Time, VerifyError};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = AnySigningKey::from(SigningKey::<Falcon512>::from_seed(&[7; 32])?);
/// let public = key.verifying_key();
///
/// let file = Subject::File(Digest::of(b"order #42"));
/// let time = Time::now().ok_or("the clock is wrong")?;
/// let statement = Statement::new(&public, time, Some("paid"), file)?;
/// let text = statement.sign_with_rng(&mut rand::rng(), &key)?.to_string();
///
/// let envelope = Envelope::parse(text.as_bytes())?;
/// let said = envelope.verify_file(&public, &Digest::of(b"order #42"))?;
/// assert_eq!(said.comment(), Some("paid"));
/// let changed = envelope.verify_file(&public, &Digest::of(b"order #43"));
/// assert!(matches!(changed, Err(VerifyError::Changed { .. })));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Envelope {
    statement: Statement,
    /// Signature in the padded form.
    signature: Vec<u8>,
}

impl Statement {
    /// Signs the statement.
    ///
    /// # Errors
    /// [`StatementError::Key`] if `key` is not the key that the statement names.
    /// [`StatementError::Fault`] if a hardware fault was detected.
    pub fn sign_with_rng<R: CryptoRng + ?Sized>(
        self,
        rng: &mut R,
        key: &AnySigningKey,
    ) -> Result<Envelope, StatementError> {
        if Fingerprint::of(&key.verifying_key()) != self.key() {
            return Err(StatementError::Key);
        }
        let signature = key.sign_with_hash(rng, &Statement::HASH, &self.to_signed_bytes());
        let signature = signature.map_err(StatementError::Fault)?;
        self.with_signature(&signature)
    }

    /// Adds a signature of [`to_signed_bytes`](Self::to_signed_bytes) that was made elsewhere, with
    /// the hash [`HASH`](Self::HASH). Does not verify the signature.
    ///
    /// # Errors
    /// [`StatementError::Signature`] if `signature` is not in the padded form.
    pub fn with_signature(self, signature: &[u8]) -> Result<Envelope, StatementError> {
        AnySignature::from_bytes(self.algorithm(), Format::Padded, signature)
            .map_err(StatementError::Signature)?;
        Ok(Envelope {
            statement: self,
            signature: signature.to_vec(),
        })
    }
}

impl Envelope {
    /// Length of the longest envelope in bytes.
    pub const MAX_LEN: usize = 4096;

    /// Returns true if `bytes` begin like an envelope of any version.
    pub fn is_likely(bytes: &[u8]) -> bool {
        let name = VERSION.trim_end_matches(|c: char| c.is_ascii_digit());
        bytes.starts_with(name.as_bytes())
    }

    /// Reads an envelope. Verifies nothing.
    ///
    /// # Errors
    /// [`ParseError`] if `bytes` are not exactly what [`to_string`](ToString::to_string) of an
    /// envelope gives.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut lines = Lines::new(bytes, Self::MAX_LEN)?;
        let envelope = Self::read(&mut lines)?;
        lines.finish()?;
        Ok(envelope)
    }

    /// Reads an envelope from its first line on.
    pub(crate) fn read(lines: &mut Lines<'_>) -> Result<Self, ParseError> {
        let statement = Statement::read(lines)?;
        let signature = from_base64(lines.take_field("signature")?)
            .ok_or(lines.expected("Base64 in one line"))?;
        statement
            .with_signature(&signature)
            .map_err(|_| lines.expected("a padded signature of the named algorithm"))
    }

    /// The statement. It is not verified, so anybody may have written it.
    pub fn unverified(&self) -> &Statement {
        &self.statement
    }

    /// The signature, in the padded form.
    pub fn signature(&self) -> &[u8] {
        &self.signature
    }

    /// Verifies that `key` signed the statement, and returns the statement. It may be about another
    /// file: see [`verify_file`](Self::verify_file).
    ///
    /// # Errors
    /// [`VerifyError::WrongKey`] or [`VerifyError::Signature`].
    pub fn verify_statement(&self, key: &AnyVerifyingKey) -> Result<&Statement, VerifyError> {
        let found = Fingerprint::of(key);
        let named = self.statement.key();
        if named != found {
            return Err(VerifyError::WrongKey { named, found });
        }
        key.verify_with_hash(
            &Statement::HASH,
            &self.statement.to_signed_bytes(),
            &self.signature,
        )
        .map_err(|_| VerifyError::Signature)?;
        Ok(&self.statement)
    }

    /// Verifies that `key` signed the file whose digest is `found`, and returns the signer's
    /// statement.
    ///
    /// # Errors
    /// [`VerifyError`], which tells a wrong key, a damaged envelope and a changed file apart.
    pub fn verify_file(
        &self,
        key: &AnyVerifyingKey,
        found: &Digest,
    ) -> Result<&Statement, VerifyError> {
        self.verify_subject(key, &Subject::File(*found))
    }

    pub(crate) fn verify_subject(
        &self,
        key: &AnyVerifyingKey,
        found: &Subject,
    ) -> Result<&Statement, VerifyError> {
        let statement = self.verify_statement(key)?;
        match (statement.subject(), found) {
            (Subject::File(signed), Subject::File(found))
            | (Subject::Manifest(signed), Subject::Manifest(found)) => {
                if signed == found {
                    Ok(statement)
                } else {
                    Err(VerifyError::Changed {
                        signed: signed.length(),
                        found: found.length(),
                    })
                }
            }
            _ => Err(VerifyError::Subject),
        }
    }
}

impl FromStr for Envelope {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text.as_bytes())
    }
}

impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.statement)?;
        writeln!(f, "signature: {}", to_base64(&self.signature))
    }
}

/// Reason that an envelope does not verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The envelope names another key.
    WrongKey {
        /// The key that the envelope names.
        named: Fingerprint,
        /// The key to verify with.
        found: Fingerprint,
    },
    /// The named key did not sign this statement: the envelope was changed or forged.
    Signature,
    /// The statement is about a file, and a manifest is verified, or the other way round.
    Subject,
    /// The statement is authentic, but the content is not the signed content.
    Changed {
        /// Number of bytes that were signed.
        signed: u64,
        /// Number of bytes that were found.
        found: u64,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKey { named, found } => {
                write!(f, "signed with the key {named}, and this key is {found}")
            }
            Self::Signature => f.write_str("the envelope was changed or forged"),
            Self::Subject => f.write_str("the envelope of a file is not that of a manifest"),
            Self::Changed { signed, found } if signed != found => write!(
                f,
                "the content was changed: {signed} bytes were signed, {found} are there"
            ),
            Self::Changed { .. } => f.write_str("the content was changed"),
        }
    }
}

impl std::error::Error for VerifyError {}
