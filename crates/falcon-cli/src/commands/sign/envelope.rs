//! Envelopes: what the signer says beside the signature.

use super::Permitted;
use crate::{
    error::{Error, Result},
    message::Message,
    object::{SignatureFormat, encode_signature},
    scheme::{AnySignature, PublicKey},
};
use clap::Args;
use falcon_core::AnyVerifyingKey;
use falcon_envelope::{Envelope, Hasher, Statement, Subject, Time, check_text};

/// The signer's comment.
#[derive(Clone, Debug, Args)]
pub(crate) struct CommentOption {
    /// Comment of the signer, one line, which is signed too
    #[arg(long, value_name = "TEXT", value_parser = parse_comment)]
    pub(crate) comment: Option<String>,
}

fn parse_comment(text: &str) -> std::result::Result<String, String> {
    check_text(text)
        .map(|()| text.to_owned())
        .map_err(|error| error.to_string())
}

/// Makes the statements of one signer.
pub(crate) struct Statements {
    key: AnyVerifyingKey,
    comment: Option<String>,
}

impl Statements {
    /// For the owner of `key`.
    pub(crate) fn new(key: &PublicKey, comment: Option<String>) -> Self {
        Self {
            key: key.to_any(),
            comment,
        }
    }

    /// Makes a statement about `subject`, at the present time.
    pub(crate) fn about(&self, subject: Subject) -> Result<Statement> {
        let time = Time::now().ok_or_else(|| {
            Error::new("the clock of the system is wrong").hint("set it: envelopes have a time")
        })?;
        Statement::new(&self.key, time, self.comment.as_deref(), subject)
            .map_err(|error| Error::new("cannot make an envelope").because(error))
    }
}

/// Input of a signature for one file: the file itself, or a statement about it.
pub(super) struct Draft<'p> {
    pub(super) message: Message<'p>,
    pub(super) statement: Option<Statement>,
}

impl<'p> Draft<'p> {
    /// The file itself. `instead` says what to do with a file that is part of a document of X.509.
    pub(super) fn bare(message: Message<'p>, permitted: Permitted, instead: &str) -> Result<Self> {
        let message = permitted.read(message)?;
        permitted.check(message.start(), message.whole().is_some(), instead)?;
        Ok(Self {
            message,
            statement: None,
        })
    }

    /// A statement about the file.
    pub(super) fn enveloped(message: Message<'_>, statements: &Statements) -> Result<Self> {
        let mut hasher = Hasher::new();
        message.read(|piece| hasher.update(piece))?;
        let statement = statements.about(Subject::File(hasher.finish()))?;
        Ok(Self {
            message: Message::of_bytes(statement.to_signed_bytes()),
            statement: Some(statement),
        })
    }
}

/// Puts a statement and its signature together.
pub(crate) fn seal(statement: Statement, signature: &AnySignature) -> Result<Envelope> {
    let bytes = encode_signature(signature, SignatureFormat::Envelope)?;
    statement
        .with_signature(&bytes)
        .map_err(|error| Error::new("cannot make an envelope").because(error))
}
