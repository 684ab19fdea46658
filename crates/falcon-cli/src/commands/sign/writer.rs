//! Signs files and writes signatures of one format.

use super::{Permitted, Statements, existing::Replace, report::Signed, seal};
use crate::{
    PROGRAM,
    commands::verify::KeyName,
    deterministic::{self, DeterministicSigner},
    engine::Signer,
    error::{Error, Result},
    input::is_standard,
    list::Pair,
    message::Message,
    object::{SignatureFormat, encode_signature},
    output::write_result,
    progress::Progress,
    scheme::SignatureAlgorithm,
    shell::quote,
};
use falcon_envelope::Statement;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Hints that depend on the command line.
pub(super) struct Advice {
    /// Path of the key, unless it is the default one.
    pub(super) key: Option<PathBuf>,
    /// True if one file is named, so that `-o` is possible.
    pub(super) is_alone: bool,
}

impl Advice {
    /// If `file` is a folder, adds the command that signs a folder to the error.
    pub(super) fn about_folder(&self, file: &Path, error: Error) -> Error {
        if is_standard(file) || !file.is_dir() {
            return error;
        }
        let key = self.key.as_deref().map(quote);
        let key = key.map_or_else(String::new, |key| format!(" -k {key}"));
        error.hint(format_args!(
            "name the files in it, or sign the whole folder: falcon-cli manifest sign {}{key}",
            quote(file)
        ))
    }

    /// Adds advice to the error: how to write the signature to another place.
    fn about_place(&self, error: Error) -> Error {
        let denied = [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
        ];
        if !denied.iter().any(|&kind| error.is(kind)) {
            return error;
        }
        error.hint(if self.is_alone {
            "-o names another place for the signature"
        } else {
            "a --list names another place for each signature, after a tab"
        })
    }
}

/// A key that signs with randomness or deterministically.
pub(super) enum AnySigner<'c> {
    Ordinary(Signer<'c>),
    Deterministic(DeterministicSigner),
}

impl AnySigner<'_> {
    /// Number of messages that the signer signs at once.
    pub(super) fn lanes(&self) -> usize {
        match self {
            Self::Ordinary(signer) => signer.lanes(),
            Self::Deterministic(_) => 1,
        }
    }

    /// Signs each message and encodes the signature. If a message has a statement, the signature is
    /// put into an envelope. A message that could not be read keeps its error.
    fn sign(
        &self,
        messages: Vec<Result<Message<'_>>>,
        statements: Vec<Option<Statement>>,
        format: SignatureFormat,
    ) -> Vec<Result<Vec<u8>>> {
        match self {
            Self::Ordinary(signer) => {
                let encode = |(signature, statement): (Result<_>, _)| match statement {
                    Some(statement) => Ok(seal(statement, &signature?)?.to_string().into_bytes()),
                    None => encode_signature(&signature?, format),
                };
                let signatures = signer.sign(messages).into_iter().zip(statements);
                signatures.map(encode).collect()
            }
            Self::Deterministic(signer) => {
                let sign = |message: Result<_>| {
                    let signature = signer.sign(message?)?;
                    Ok(deterministic::encode(&signature, format))
                };
                messages.into_iter().map(sign).collect()
            }
        }
    }
}

/// Signs and writes signatures of one format.
pub(super) struct Writer<'c> {
    pub(super) signer: AnySigner<'c>,
    /// Maker of statements, for envelopes.
    pub(super) statements: Option<Statements>,
    /// Messages that the key may sign. Only bare signatures are restricted.
    pub(super) permitted: Permitted,
    /// Advice for a message that the key may not sign.
    pub(super) instead: &'static str,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) format: SignatureFormat,
    pub(super) replace: Replace,
    /// Name of the key, if it is reported.
    pub(super) key: Option<KeyName>,
    pub(super) advice: Advice,
}

impl Writer<'_> {
    /// Signs the files. `None` means that another program signed the file during the run.
    pub(super) fn sign(&self, jobs: &[Pair], progress: &Progress) -> Vec<Result<Option<Signed>>> {
        let drafts = jobs.iter().map(|job| self.draft(&job.file, progress));
        let (messages, statements) = drafts
            .map(|draft| match draft {
                Ok((message, statement)) => (Ok(message), statement),
                Err(error) => (Err(error), None),
            })
            .unzip();
        let signatures = self.signer.sign(messages, statements, self.format);
        let signed = jobs.iter().zip(signatures);
        signed
            .map(|(job, signature)| self.write(job, &signature?))
            .collect()
    }

    /// Opens a file. Returns the message to sign and, for an envelope, the statement about the
    /// file.
    fn draft<'p>(
        &self,
        file: &Path,
        progress: &'p Progress,
    ) -> Result<(Message<'p>, Option<Statement>)> {
        let message =
            Message::open(file, progress).map_err(|error| self.advice.about_folder(file, error))?;
        match &self.statements {
            Some(statements) => statements.about_file(message).map(|statement| {
                let message = Message::of_bytes(statement.to_signed_bytes());
                (message, Some(statement))
            }),
            None => {
                let message = self.permitted.read(message, self.instead);
                message.map(|message| (message, None))
            }
        }
        .map_err(|error| error.of_path(file))
    }

    fn write(&self, job: &Pair, signature: &[u8]) -> Result<Option<Signed>> {
        let (path, replace) = (&job.signature, self.replace);
        match write_result(&PROGRAM, path, signature, replace.of(path)) {
            Err(error) if replace.skips(job, &error) => return Ok(None),
            written => {
                written.map_err(|error| self.advice.about_place(replace.advise(error)))?;
            }
        }
        Ok(Some(Signed {
            file: job.file.clone(),
            signature: path.clone(),
            algorithm: self.algorithm,
            format: self.format,
            bytes: signature.len(),
            key: self.key.clone(),
        }))
    }
}
