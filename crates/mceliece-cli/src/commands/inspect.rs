//! `inspect`: describes files.

use crate::{
    fingerprint::fingerprint,
    keys::{SecretKey, container_name},
    object::{self, Container, Form, Kind, Object},
    sets::{self, Set},
};
use clap::Args;
use falcon_terminal::{
    access::warn_if_exposed,
    error::{Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::at_most_one_standard,
    ui::{STRONG, Styled, Ui},
};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Show the type, the parameter set and the fingerprint of keys and ciphertexts
#[derive(Debug, Args)]
#[command(after_help = "\
The fingerprint names a public key: 16 bytes of SHAKE256 of the text
\"Classic McEliece public key fingerprint\", a zero byte, the name of the set, a zero byte and the
public key. For a secret key, the seed in it gives the public key, and the rest of the key is
compared with what the seed gives. 32 raw bytes can be a secret key or a shared secret, and they do
not say which.")]
pub(crate) struct Inspect {
    /// Files to describe; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Parameter set of raw files
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = sets::parser())]
    parameters: Option<&'static Set>,
}

impl Inspect {
    /// Describes every file, and continues after failures.
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        at_most_one_standard(self.files.iter().map(PathBuf::as_path))?;
        let mut status = Status::Valid;
        for file in &self.files {
            match self.describe(file, ui) {
                Ok(description) => ui.report(&description)?,
                Err(error) => {
                    ui.error(&error);
                    status = Status::Failure;
                }
            }
        }
        Ok(status)
    }

    fn describe<'a>(&self, file: &'a Path, ui: Ui) -> Result<Description<'a>> {
        let object = object::read(file, self.parameters, None)?;
        let Object { set, kind, .. } = object;
        let (mut form, mut named) = (None, None);
        match kind {
            Kind::PublicKey => named = Some(fingerprint(set, &object.bytes)),
            Kind::SecretKey => {
                warn_if_exposed(file, "secret key", ui);
                let mut key = SecretKey::expand(&object).map_err(|error| error.of_path(file))?;
                form = Some(key.form);
                let public = key.public_key().map_err(|error| error.of_path(file))?;
                named = Some(fingerprint(set, public));
            }
            Kind::Ciphertext => {}
        }
        Ok(Description {
            file,
            kind,
            parameters: set,
            form,
            or: (form == Some(Form::Seed) && object.container == Container::Raw)
                .then_some("shared-secret"),
            container: object.container,
            bytes: object.bytes.len(),
            fingerprint: named,
        })
    }
}

/// Type and details of a file.
#[derive(Serialize)]
struct Description<'a> {
    #[serde(serialize_with = "serialize_path")]
    file: &'a Path,
    kind: Kind,
    parameters: &'static Set,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<Form>,
    /// Other type that the file may have, if its bytes fit two types.
    #[serde(skip_serializing_if = "Option::is_none")]
    or: Option<&'static str>,
    container: Container,
    /// Length of the encoding, without PEM.
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
}

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (set, kind) = (
            Styled(STRONG, self.parameters),
            Styled(STRONG, self.kind.name()),
        );
        write!(f, "{}: {set} {kind}", Escaped(shown(self.file)))?;
        if let Some(form) = self.form {
            write!(f, ", {form}")?;
        }
        let container = container_name(self.container);
        write!(f, ", {} bytes ({container})", self.bytes)?;
        if self.or.is_some() {
            write!(f, "\n  or a shared secret: the file does not say which")?;
        }
        match &self.fingerprint {
            Some(fingerprint) => write!(f, "\n  fingerprint {fingerprint}"),
            None => Ok(()),
        }
    }
}
