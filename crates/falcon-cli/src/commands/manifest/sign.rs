//! `manifest sign`.

use super::folder::{self, manifest_path};
use crate::{
    PROGRAM,
    commands::sign::{CommentOption, Statements, seal},
    documents::is_manifest,
    engine::{Compute, Signer},
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, is_standard},
    keys::{DEFAULT_SECRET_KEY, is_secret_key, load_secret},
    message::Message,
    output::{Content, Inputs, Overwrite, check_target, write_result},
    passphrase::PassphraseSource,
    progress::{Progress, Unit},
    scheme::Algorithm,
    shell::quote,
    ui::Ui,
};
use clap::Args;
use falcon_envelope::{Entry, FilePath, Manifest, SignedManifest};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Sign the files of a folder: writes FOLDER.manifest
#[derive(Debug, Args)]
#[command(after_help = "\
The manifest lists every regular file in FOLDER and the folders in it, with its hash, and
ends with an envelope: who signed, when and with which comment. Permissions, times and empty
folders are not recorded. A folder with symbolic links or with a secret key cannot be
signed. docs/FORMATS.md specifies the manifest.")]
pub(crate) struct SignManifest {
    /// The secret key
    #[arg(short, long, default_value = DEFAULT_SECRET_KEY,
        aliases = ["secret-key", "private-key", "sk"])]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    comment: CommentOption,
    /// The folder to sign
    folder: PathBuf,
    /// Path of the manifest; `-` is standard output. It may lie in FOLDER and then does not list
    /// itself [default: FOLDER.manifest]
    #[arg(short, long, value_name = "MANIFEST")]
    output: Option<PathBuf>,
    /// Overwrite an existing manifest
    #[arg(long)]
    force: bool,
}

impl SignManifest {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let passphrase = self.passphrase.passphrase_file.as_deref();
        let inputs = || [self.key.as_path()].into_iter().chain(passphrase);
        at_most_one_standard(inputs())?;
        let output = match &self.output {
            Some(path) => path.clone(),
            None => manifest_path(&self.folder, || {
                match self.key == Path::new(DEFAULT_SECRET_KEY) {
                    true => "sign -o".to_owned(),
                    false => format!("sign -k {} -o", quote(&self.key)),
                }
            })?,
        };
        let overwrite = Overwrite::from_force(self.force);
        let listing = folder::list(&self.folder, &output)?;
        if let Some(other) = listing.not_listed.first() {
            let place = self.folder.join(&other.path);
            return Err(Error::at(&place, other.reason)
                .hint("a manifest has regular files only: take it out of the folder"));
        }
        if listing.files.is_empty() {
            return Err(Error::at(&self.folder, "has no files").hint("name a folder with files"));
        }
        self.refuse_secrets(&listing.files, ui)?;
        if !is_standard(&output) {
            let files: Vec<_> = listing
                .files
                .iter()
                .map(|file| folder::place(&self.folder, file))
                .collect();
            Inputs::new(inputs().chain(files.iter().map(PathBuf::as_path))).spare(&output)?;
            check_target(&PROGRAM, &output, Content::Result, overwrite)?;
            self.spare_files(&output)?;
        }
        let key = load_secret(&self.key, &self.passphrase, ui)?;
        let secret = key.into_signer_of_messages(&self.key)?;
        let statements = Statements::new(&secret.verifying_key(), self.comment.comment.clone());
        let signer = Signer::of_statements(engine, &secret)?;
        drop(secret);

        let manifest = read(&self.folder, &listing.files, ui)?;
        // Files may have changed while the user typed the passphrase.
        let again = folder::list(&self.folder, &output)?;
        if again.files != listing.files || !again.not_listed.is_empty() {
            return Err(Error::at(&self.folder, "has changed while it was read")
                .hint("run the command again"));
        }
        let statement = statements.about(manifest.subject())?;
        let message = Message::of_bytes(statement.to_signed_bytes());
        let signature = signer
            .sign(vec![Ok(message)])
            .pop()
            .unwrap_or_else(|| Err(Error::new("the engine left one out")))?;
        let files = manifest.entries().len();
        let algorithm = Algorithm(signature.set());
        let signed = SignedManifest::new(manifest, seal(statement, &signature)?);
        write_result(&PROGRAM, &output, signed.to_string().as_bytes(), overwrite)?;
        if !is_standard(&output) {
            let signed = Signed {
                folder: self.folder,
                manifest: output,
                files,
                algorithm,
            };
            ui.report_written(&signed, &[&signed.manifest])?;
        }
        Ok(Status::Valid)
    }

    /// Refuses to list a file that must stay secret, since the folder is about to be published.
    fn refuse_secrets(&self, files: &[FilePath], ui: Ui) -> Result<()> {
        let refuse = |path: &Path, what: &str, option: &str| {
            if is_standard(path) || !folder::is_listed(&self.folder, files, path) {
                return Ok(());
            }
            let what = format_args!("is {what}, and the manifest would list it");
            Err(Error::at(path, what).hint(format_args!(
                "move it out of the folder, and name its new place with {option}"
            )))
        };
        refuse(&self.key, "the secret key", "--key")?;
        if let Some(path) = &self.passphrase.passphrase_file {
            refuse(path, "the passphrase file", "--passphrase-file")?;
        }
        let name = |file: &&FilePath| {
            file.as_str()
                .rsplit('/')
                .next()
                .is_some_and(|name| PROGRAM.is_temporary(name))
        };
        if let Some(file) = files.iter().find(name) {
            let path = folder::place(&self.folder, file);
            let what = "is a temporary file of falcon-cli, which can hold a secret key";
            let hint = format_args!("remove it: rm {}", quote(&path)).to_string();
            return Err(Error::at(&path, what).hint(hint));
        }
        let progress = Progress::new(ui, Unit::Items("files"), Some(files.len() as u64));
        let is_key = |file: &FilePath| is_secret_key(&folder::place(&self.folder, file));
        folder::read_each(files, is_key, &progress, |(file, is_key)| match is_key {
            false => Ok(()),
            true => Err(Error::at(
                &folder::place(&self.folder, file),
                "is a secret key, and the manifest would list it",
            )
            .hint(
                "move it out of the folder; to sign the key file itself, name it in a list: \
                 falcon-cli sign --list LIST",
            )),
        })
    }

    /// Refuses to replace a file of the folder with the manifest, unless the file is an old
    /// manifest.
    fn spare_files(&self, output: &Path) -> Result<()> {
        if !output.exists() || folder::inside(&self.folder, output).is_none() || is_manifest(output)
        {
            return Ok(());
        }
        Err(
            Error::at(output, "is a file of the folder, and not a manifest")
                .hint("name another output file"),
        )
    }
}

fn read(folder: &Path, files: &[FilePath], ui: Ui) -> Result<Manifest> {
    let progress = Progress::new(ui, Unit::Items("files"), Some(files.len() as u64));
    let mut entries = Vec::with_capacity(files.len());
    let hash = |file: &FilePath| folder::hash(&folder::place(folder, file));
    folder::read_each(files, hash, &progress, |(path, digest)| {
        entries.push(Entry {
            path: path.clone(),
            digest: digest?,
        });
        Ok(())
    })?;
    Manifest::new(entries).map_err(|error| Error::at(folder, "cannot be signed").because(error))
}

/// A manifest that was written.
#[derive(Serialize)]
struct Signed {
    #[serde(serialize_with = "serialize_path")]
    folder: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    manifest: PathBuf,
    files: usize,
    algorithm: Algorithm,
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let manifest = Escaped(shown(&self.manifest));
        let plural = if self.files == 1 { "" } else { "s" };
        write!(
            f,
            "{manifest}: {} file{plural}, {}",
            self.files, self.algorithm
        )
    }
}
