//! Envelopes: a statement of the signer together with its signature.

use crate::{
    error::{Error, Result},
    message::Message,
    object::{SignatureFormat, encode_signature},
};
use clap::Args;
use falcon_core::{AnySignature, AnyVerifyingKey};
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

/// Makes the statements of a signer.
pub(crate) struct Statements {
    key: AnyVerifyingKey,
    comment: Option<String>,
}

impl Statements {
    /// Makes statements for the owner of `key`.
    pub(crate) fn new(key: &AnyVerifyingKey, comment: Option<String>) -> Self {
        Self {
            key: key.clone(),
            comment,
        }
    }

    /// Makes a statement about `subject` with the present time.
    pub(crate) fn about(&self, subject: Subject) -> Result<Statement> {
        let time = Time::now().ok_or_else(|| {
            Error::new("the clock of the system is wrong").hint("set it: envelopes have a time")
        })?;
        Statement::new(&self.key, time, self.comment.as_deref(), subject)
            .map_err(|error| Error::new("cannot make an envelope").because(error))
    }

    /// Makes a statement about a file.
    pub(super) fn about_file(&self, file: Message<'_>) -> Result<Statement> {
        let mut hasher = Hasher::new();
        file.read(|piece| hasher.update(piece))?;
        self.about(Subject::File(hasher.finish()))
    }
}

/// Combines a statement and its signature into an envelope.
pub(crate) fn seal(statement: Statement, signature: &AnySignature) -> Result<Envelope> {
    let bytes = encode_signature(signature, SignatureFormat::Envelope)?;
    statement
        .with_signature(&bytes)
        .map_err(|error| Error::new("cannot make an envelope").because(error))
}
