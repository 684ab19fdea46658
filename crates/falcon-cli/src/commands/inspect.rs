//! `inspect`: describes files, and the engines of this machine.

use crate::engine::ENGINE_VARIABLE;
use crate::{
    access::warn_if_exposed,
    documents::{read_unread, trust_list_of},
    engine::{self, AUTO, Compute},
    error::{Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    global::Global,
    input::{at_most_one_standard, read_start},
    keys::{MAX_OBJECT, decode_all, decrypt, fingerprint},
    listing::Listing,
    object::{Container, Object},
    passphrase::PassphraseSource,
    scheme::SignatureAlgorithm,
    stored::{StoredKey, Use},
    ui::{GOOD, STRONG, Styled, Ui},
    x509::Document,
};
use clap::Args;
use falcon_core::{AnyVerifyingKey, Engine, Format};
use falcon_envelope::{SignedManifest, Statement, TrustList};
use serde::Serialize;
use std::{
    borrow::Cow,
    fmt,
    io::Read,
    path::{Path, PathBuf},
};

/// Show what a file is (key, signature, certificate, trust list, manifest), or list the engines
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// Files to describe; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "engines")]
    files: Vec<PathBuf>,
    /// List the engines, and say which one is chosen and why
    #[arg(long, conflicts_with = "files")]
    engines: bool,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl Inspect {
    pub(crate) fn run(self, global: &Global, ui: Ui) -> Result<Status> {
        if self.engines {
            // If no engine can be selected, the list shows which engines could be.
            let chosen = engine::select(&global.engine);
            let name = chosen.as_ref().map_or("", Compute::name);
            for engine in Engine::available() {
                ui.report(&Listed::new(engine, name, global))?;
            }
            #[cfg(feature = "cuda")]
            ui.report(&Listed::gpu(chosen.as_ref().ok(), global))?;
            return chosen.map(|_| Status::Valid);
        }
        let passphrase = self.passphrase.passphrase_file.as_deref();
        at_most_one_standard(self.files.iter().map(PathBuf::as_path).chain(passphrase))?;
        let mut status = Status::Valid;
        for file in &self.files {
            match self.describe(file, ui) {
                Ok(descriptions) => {
                    for description in &descriptions {
                        ui.report(description)?;
                        status = status.max(description.status());
                    }
                }
                Err(error) => {
                    ui.error(&error);
                    status = status.max(Status::Failure);
                }
            }
        }
        Ok(status)
    }

    /// Describes every key, signature and certificate in a file, or a trust list or manifest.
    fn describe(&self, path: &Path, ui: Ui) -> Result<Vec<Description>> {
        let (start, rest) = read_start(path, MAX_OBJECT)?;
        if TrustList::is_likely(&start) {
            let list = trust_list_of(path, start.chain(rest))?;
            let mut description = Description::new(path, "trust list", Container::Text);
            description.encoding = None;
            description.verified = Some(false);
            description.keys = Some(list.keys().iter().map(Listing::new).collect());
            return Ok(vec![description]);
        }
        if SignedManifest::is_likely(&start) {
            let manifest = read_unread(path, start.chain(rest))?;
            let mut description = Description::new(path, "manifest", Container::Text);
            description.files = Some(manifest.files());
            description.statement(manifest.envelope().unverified());
            return Ok(vec![description]);
        }
        let (objects, container) = decode_all(path, &start)?;
        let is_secret = |object| matches!(object, &Object::Secret(_) | &Object::Encrypted(_));
        if objects.iter().any(is_secret) {
            warn_if_exposed(path, "secret key", ui);
        }
        let describe = |object| self.describe_object(path, object, container, ui);
        objects.iter().map(describe).collect()
    }

    fn describe_object(
        &self,
        path: &Path,
        object: &Object,
        container: Container,
        ui: Ui,
    ) -> Result<Description> {
        let mut description = Description::new(path, "encrypted secret key", container);
        match object {
            // Without a passphrase, nothing more about the key is known. This is not an error.
            Object::Encrypted(der) => {
                if self.passphrase.passphrase_file.is_some() {
                    let key = decrypt(path, der, &self.passphrase, ui)?;
                    description.secret_key(&key);
                }
            }
            Object::Secret(key) => {
                description.kind = "secret key";
                description.secret_key(key);
            }
            Object::Public(key) => {
                description.kind = "public key";
                description.encoding = Some("SubjectPublicKeyInfo");
                description.key(key);
            }
            Object::Signature(signature, format) => {
                description.kind = "signature";
                description.encoding = Some(name_of(*format));
                description.verified = Some(false);
                description.algorithm = Some(signature.set().into());
                description.nonce = Some(base16ct::lower::encode_string(signature.nonce()));
            }
            Object::Deterministic(signature, format) => {
                description.kind = "signature";
                description.encoding = Some(name_of(*format));
                description.verified = Some(false);
                description.algorithm = Some(SignatureAlgorithm::FalconDet1024);
                description.salt_version = Some(signature.salt_version());
            }
            Object::Envelope(envelope) => {
                description.kind = "envelope";
                description.statement(envelope.unverified());
            }
            Object::X509(document) => {
                description.kind = document.kind.name();
                description.encoding = Some(document.kind.standard());
                description.verified = Some(document.is_verified());
                description.algorithm = document.algorithm.map(Into::into);
                description.document = Some((**document).clone());
            }
        }
        let is_signature = matches!(object, Object::Signature(..) | Object::Deterministic(..));
        if container == Container::Encoded && !is_signature {
            description.encoding = Some("round 3");
        }
        Ok(description)
    }
}

/// Name of the format of a signature.
fn name_of(format: Format) -> &'static str {
    match format {
        Format::Compressed => "compressed",
        Format::Padded => "padded",
        Format::ConstantTime => "constant-time",
    }
}

/// Type and details of a file.
#[derive(Serialize)]
struct Description {
    #[serde(serialize_with = "serialize_path")]
    file: PathBuf,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<SignatureAlgorithm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    container: Container,
    /// For signed files: true if a signature was verified. A trust list has no signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    /// Keys of a trust list.
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<Listing>>,
    /// Files of a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// Use of a secret key that was read or decrypted.
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    key_use: Option<Use>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
    /// Version of the salt, which deterministic signatures have instead of a nonce.
    #[serde(skip_serializing_if = "Option::is_none")]
    salt_version: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Contents of a certificate, a request or a revocation list.
    #[serde(flatten)]
    document: Option<Document>,
}

impl Description {
    fn new(path: &Path, kind: &'static str, container: Container) -> Self {
        Self {
            file: path.to_path_buf(),
            kind,
            algorithm: None,
            encoding: Some("PKCS#8"),
            container,
            verified: None,
            keys: None,
            files: None,
            fingerprint: None,
            key_use: None,
            nonce: None,
            salt_version: None,
            time: None,
            comment: None,
            document: None,
        }
    }

    /// Returns `Invalid` for a document that is refused.
    fn status(&self) -> Status {
        match self.document.as_ref().is_some_and(Document::is_refused) {
            true => Status::Invalid,
            false => Status::Valid,
        }
    }

    /// Adds the statement of the signer.
    fn statement(&mut self, statement: &Statement) {
        self.encoding = None;
        self.verified = Some(false);
        self.algorithm = Some(statement.algorithm().into());
        self.fingerprint = Some(statement.key().to_string());
        self.time = Some(statement.time().to_string());
        self.comment = statement.comment().map(str::to_owned);
    }

    fn secret_key(&mut self, key: &StoredKey) {
        self.key(&key.public_key());
        self.key_use = Some(key.key_use());
    }

    fn key(&mut self, key: &AnyVerifyingKey) {
        self.algorithm = Some(key.set().into());
        self.fingerprint = Some(fingerprint(key));
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", Escaped(shown(&self.file)))?;
        if let Some(algorithm) = self.algorithm {
            write!(f, "{} ", Styled(STRONG, algorithm))?;
        }
        let container = match self.container {
            Container::Pem => "PEM",
            Container::Der => "DER",
            Container::Encoded => "raw",
            Container::Text => "text",
        };
        let encoding = match self.encoding {
            Some(encoding) => encoding,
            None if self.keys.is_some() => "not signed",
            None => "not verified",
        };
        let kind = Styled(STRONG, self.kind);
        write!(f, "{kind}, {encoding} ({container})")?;
        if let Some(keys) = &self.keys {
            write!(f, "\n  keys {}", keys.len())?;
            for key in keys {
                write!(f, "\n  {key}")?;
            }
        }
        if let Some(files) = self.files {
            write!(f, "\n  files {files}")?;
        }
        if let Some(fingerprint) = &self.fingerprint {
            write!(f, "\n  fingerprint {fingerprint}")?;
        }
        if self.key_use == Some(Use::Certificates) {
            write!(f, "\n  signs certificates only")?;
        }
        if let Some(nonce) = &self.nonce {
            write!(f, "\n  nonce {nonce}")?;
        }
        if let Some(version) = &self.salt_version {
            write!(f, "\n  salt version {version}")?;
        }
        if let Some(time) = &self.time {
            write!(f, "\n  time {time}")?;
        }
        if let Some(comment) = &self.comment {
            write!(f, "\n  comment {}", Escaped(comment))?;
        }
        if let Some(document) = &self.document {
            write!(f, "{document}")?;
        }
        Ok(())
    }
}

/// One engine of this build.
#[derive(Serialize)]
struct Listed {
    engine: &'static str,
    description: Cow<'static, str>,
    lanes: usize,
    chosen: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Listed {
    fn new(engine: Engine, chosen: &str, global: &Global) -> Self {
        let chosen = chosen == engine.name();
        Self {
            engine: engine.name(),
            description: engine.description().into(),
            lanes: engine.lanes(),
            chosen,
            reason: chosen.then(|| Self::reason(global)),
        }
    }

    /// Describes the first GPU, or the one that was chosen.
    #[cfg(feature = "cuda")]
    fn gpu(chosen: Option<&Compute>, global: &Global) -> Self {
        let first;
        let (gpu, chosen) = match chosen {
            Some(gpu @ Compute::Gpu(_)) => (Ok(gpu), true),
            _ => {
                first = engine::select(engine::GPU);
                (first.as_ref(), false)
            }
        };
        let description = match gpu {
            Ok(gpu) => format!("batches on {}", gpu.device().unwrap_or_default()).into(),
            Err(error) => error.to_string().into(),
        };
        Self {
            engine: engine::GPU,
            description,
            lanes: gpu.map_or(0, Compute::lanes),
            chosen,
            reason: chosen.then(|| Self::reason(global)),
        }
    }

    /// Returns the reason why the engine is chosen.
    fn reason(global: &Global) -> String {
        if global.engine != AUTO {
            "named with --engine".to_owned()
        } else if engine::is_named(AUTO) {
            format!("named in {ENGINE_VARIABLE}")
        } else {
            "the default on this processor".to_owned()
        }
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.chosen { "*" } else { " " };
        let name = format!("{:<10}", self.engine);
        write!(
            f,
            "{} {} {}",
            Styled(GOOD, mark),
            Styled(STRONG, name),
            self.description
        )?;
        match &self.reason {
            Some(reason) => write!(f, "; chosen: {reason}"),
            None => Ok(()),
        }
    }
}
