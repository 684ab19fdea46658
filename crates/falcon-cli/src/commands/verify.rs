//! `verify`: checks signatures of files.

mod envelope;
mod keyring;

pub(crate) use envelope::{Refusal, Said, Signers, TrustOption};
pub(crate) use keyring::{KeyName, Keyring};

use crate::{
    documents::{command_to_verify, is_manifest},
    engine::{self, Claim, Compute},
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::{at_most_one_standard, is_standard, open},
    keys::{DEFAULT_PUBLIC_KEY, FileSignature, is_public_key, load_signature},
    list::{self, Pair, is_there, note_skipped_signatures, signature_path, signed_path},
    message::{Message, is_long},
    parallel::{Grouping, for_each_in_order},
    progress::Progress,
    shell::quote,
    ui::{BAD, GOOD, Hints, Styled, Ui},
};
use clap::Args;
use envelope::Accepted;
use falcon_core::{AnySignature, AnyVerifyingKey};
use indicatif::HumanCount;
use serde::Serialize;
use std::{
    collections::HashSet,
    fmt,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Verify files against their signatures
#[derive(Debug, Args)]
#[command(after_help = "\
With several keys, every key is tried, and the output names the one that verified. A file
of public keys may hold several PEM blocks.

An envelope names its key, so a wrong key and a changed file are told apart. The time and
the comment of an envelope are what the signer says; nobody else confirms the time.

LIST has one file name on each line. The signature is FILE.sig, or is named after a tab.
Empty lines and lines that begin with # are skipped. Names are relative to the working
folder, not to the folder of LIST. A list has at most 1,048,576 files in 64 MiB.

Exit status: 0 if all are valid; 1 if at least one is invalid; 2 if none is invalid, but
some could not be checked.")]
pub(crate) struct Verify {
    /// Public key of the signer; repeat the option to try several keys
    #[arg(short, long, value_name = "KEY.pub", default_value = DEFAULT_PUBLIC_KEY,
        visible_aliases = ["key", "pub"], alias = "pk", visible_short_alias = 'k')]
    public_key: Vec<PathBuf>,
    #[command(flatten)]
    trust: TrustOption,
    /// Files to verify; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "check")]
    files: Vec<PathBuf>,
    /// Signature of FILE, if there is one FILE only [default: FILE.sig]
    #[arg(short, long, value_name = "SIG")]
    signature: Option<PathBuf>,
    /// Verify every file of a list; a failure does not stop the others
    #[arg(short, long, value_name = "LIST", conflicts_with_all = ["files", "signature"])]
    check: Option<PathBuf>,
}

impl Verify {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        // With a trust list, no other key counts, not even the default key.
        let keys = match self.trust.trust {
            Some(_) => &[],
            None => &self.public_key[..],
        };
        let options = || keys.iter().chain(&self.trust.trust).chain(&self.check);
        let named = options().chain(&self.files).chain(&self.signature);
        at_most_one_standard(named.map(PathBuf::as_path))?;
        self.refuse_keys(keys)?;
        let signers = Signers::load(keys, &self.trust)?;
        let (files, skipped) = leave_out_signatures(&self.files);
        let pairs = self.pairs(&files)?;
        let paths = pairs.iter().flat_map(|pair| [&pair.file, &pair.signature]);
        at_most_one_standard(paths.chain(options()).map(PathBuf::as_path))?;
        let progress = Progress::of_files(ui, pairs.iter().map(|pair| pair.file.as_path()));
        let mut count = Count::default();
        let mut hints = Hints::default();
        let grouping = Grouping {
            lanes: engine.lanes(),
            alone: |pair: &Pair| is_long(&pair.file),
        };
        for_each_in_order(
            &pairs,
            grouping,
            |pairs| {
                let outcomes = verify(engine, &signers, pairs, &progress);
                let verdicts = pairs.iter().zip(outcomes);
                verdicts
                    .map(|(pair, outcome)| {
                        let outcome = outcome.map_err(|error| self.advise(pair, error));
                        Verdict::new(pair, outcome, &signers)
                    })
                    .collect()
            },
            |verdict: Verdict<'_>| {
                count.add(verdict.status);
                progress.add(1);
                let warning = verdict
                    .said
                    .as_ref()
                    .and_then(|said| said.warning(&shown(&verdict.file)));
                if !ui.quiet || verdict.status != FileStatus::Valid {
                    progress.clear_for_result();
                    if verdict.error.is_some() || verdict.hint.is_some() {
                        progress.clear();
                    }
                    verdict.tell(ui, &mut hints)?;
                }
                if let Some(warning) = warning {
                    progress.clear();
                    ui.warn(warning);
                }
                Ok(())
            },
        )?;
        drop(progress);
        ui.sum_up(count.files(), count.status(), &count);
        note_skipped_signatures(ui, skipped);
        Ok(count.status())
    }

    /// Refuses another public key among the files if the default key would verify: the user
    /// probably forgot `-p`. A key file with a signature may be verified.
    fn refuse_keys(&self, keys: &[PathBuf]) -> Result<()> {
        let default = [Path::new(DEFAULT_PUBLIC_KEY)];
        let is_key = |file: &&PathBuf| {
            **file != default[0] && !is_there(&signature_path(file)) && is_public_key(file)
        };
        let applies = keys == default && self.signature.is_none();
        let Some(file) = self.files.iter().filter(|_| applies).find(is_key) else {
            return Ok(());
        };
        let error = Error::at(file, "is a public key, but is named as a file to verify");
        Err(error.hint(format_args!(
            "name the key of the signer with -p: falcon-cli verify -p {} FILE",
            quote(file)
        )))
    }

    /// If the file is a folder, the signature is a manifest, or the file is a manifest without a
    /// signature, adds the command that verifies a folder.
    fn advise(&self, pair: &Pair, error: Error) -> Error {
        let signers = self.trust.repeated(&self.public_key);
        let to_verify = |manifest| {
            let command = command_to_verify(manifest, &signers);
            format!("to verify the folder that it lists: {command}")
        };
        if !is_standard(&pair.file) && pair.file.is_dir() {
            return error.hint(format_args!(
                "name the files in it, or verify the whole folder: falcon-cli manifest \
                 verify{signers} {}",
                quote(&pair.file)
            ));
        }
        if is_manifest(&pair.signature) {
            let what = "is a manifest, not a signature of one file";
            return Error::at(&pair.signature, what).hint(to_verify(&pair.signature));
        }
        if !error.is(ErrorKind::NotFound) || pair.signature.exists() || !is_manifest(&pair.file) {
            return error;
        }
        error.hint(format_args!(
            "the file is a manifest; {}",
            to_verify(&pair.file)
        ))
    }

    /// Returns the files to verify, each with its signature. `files` are the files named by the
    /// user.
    fn pairs(&self, files: &[&Path]) -> Result<Vec<Pair>> {
        if let Some(path) = &self.check {
            return list::read(path);
        }
        match (files, &self.signature) {
            ([file], Some(signature)) => Ok(vec![Pair {
                file: file.to_path_buf(),
                signature: signature.clone(),
            }]),
            (_, Some(_)) => Err(Error::new("--signature is for one file, not for several")
                .hint("put the signatures beside the files, or use --check")),
            ([file, other], None) if is_signature_alone(other) => Err(Error::at(
                other,
                "is a signature, but is named as a file to verify",
            )
            .hint(format_args!(
                "name the signature with --signature: falcon-cli verify{} {} -s {}",
                self.trust.repeated(&self.public_key),
                quote(file),
                quote(other)
            ))),
            (files, None) if files.iter().any(|file| is_standard(file)) => {
                Err(Error::new("standard input has no signature beside it")
                    .hint("name the signature with --signature"))
            }
            (files, None) => Ok(files.iter().map(|file| Pair::beside(file)).collect()),
        }
    }
}

/// Returns the named files without the signatures among them, and the number of signatures left
/// out. After `sign DIR/*`, the pattern `DIR/*` names files and signatures. A signature that has a
/// signature itself stays.
fn leave_out_signatures(files: &[PathBuf]) -> (Vec<&Path>, usize) {
    let signatures: HashSet<PathBuf> = files.iter().map(|file| signature_path(file)).collect();
    let stays = |file: &&Path| !signatures.contains(*file) || is_there(&signature_path(file));
    let kept: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(stays).collect();
    let skipped = files.len() - kept.len();
    (kept, skipped)
}

/// Returns true if the path is a signature that has no signature itself.
fn is_signature_alone(path: &Path) -> bool {
    !signature_path(path).exists() && !is_standard(path) && load_signature(path).is_ok()
}

/// Verdict on the signature of a file.
pub(crate) enum Outcome {
    /// Index of the key that made a bare signature, or `None` if no key did.
    Bare(Option<usize>),
    /// Statement of the envelope, or the reason of its refusal.
    Envelope(std::result::Result<Accepted, Refusal>),
}

impl Outcome {
    pub(crate) fn is_valid(&self) -> bool {
        matches!(self, Self::Bare(Some(_)) | Self::Envelope(Ok(_)))
    }
}

/// Verifies each signature. Returns an error if a verdict is impossible. Bare signatures are
/// verified together.
pub(crate) fn verify(
    engine: &Compute,
    signers: &Signers,
    pairs: &[Pair],
    progress: &Progress,
) -> Vec<Result<Outcome>> {
    let mut claims = Vec::new();
    let mut judge = |pair: &Pair| -> Result<Option<Outcome>> {
        let file = open(&pair.file)?;
        match (read_signature(pair)?, signers) {
            (FileSignature::Envelope(envelope), _) => {
                let outcome = envelope::verify(&envelope, signers, &pair.file, file, progress)?;
                Ok(Some(Outcome::Envelope(outcome)))
            }
            (FileSignature::Bare(signature), Signers::Keys(keyring)) => {
                check_degree(pair, &signature, &keyring.keys)?;
                let message = Message::from_reader(&pair.file, file, progress)?;
                claims.push(Ok(Claim { message, signature }));
                Ok(None)
            }
            (FileSignature::Bare(_), Signers::Listed(_)) => Err(refuse_bare(pair)),
        }
    };
    let judged: Vec<_> = pairs.iter().map(&mut judge).collect();
    let keys = match signers {
        Signers::Keys(keyring) => &keyring.keys[..],
        Signers::Listed(_) => &[],
    };
    let mut verified = engine::verify(engine, keys, claims).into_iter();
    let outcome = |judged: Result<Option<Outcome>>| match judged? {
        Some(outcome) => Ok(outcome),
        None => verified
            .next()
            .unwrap_or_else(|| Err(Error::new("the engine left one out")))
            .map(Outcome::Bare),
    };
    judged.into_iter().map(outcome).collect()
}

/// Returns the error for a bare signature that is verified with a trust list. It does not bind its
/// key, so a second owner in the list could claim it with a key computed for that.
fn refuse_bare(pair: &Pair) -> Error {
    let (file, signature) = (quote(&pair.file), quote(&pair.signature));
    let is_beside = pair.signature == signature_path(&pair.file);
    let place = |option| match is_beside {
        true => String::new(),
        false => format!(" {option} {signature}"),
    };
    let what = "is a bare signature, which says neither who made it nor when";
    Error::at(&pair.signature, what).hint(format_args!(
        "the signer can make an envelope instead: falcon-cli sign --force --format envelope -k \
         KEY{} {file}; to verify with one key: falcon-cli verify -p KEY.pub{} {file}",
        place("-o"),
        place("-s")
    ))
}

fn read_signature(pair: &Pair) -> Result<FileSignature> {
    load_signature(&pair.signature).map_err(|error| {
        if pair.signature.exists() || pair.signature != signature_path(&pair.file) {
            error
        } else if load_signature(&pair.file).is_ok() {
            match signed_path(&pair.file) {
                Some(signed) if !is_there(&signed) => {
                    let signed = shown(&signed);
                    let what =
                        format_args!("is a signature, and {signed}, which it signs, is missing");
                    Error::at(&pair.file, what)
                        .hint("restore the file, or do not name its signature")
                }
                _ => error.hint("the file is itself a signature: do not name it"),
            }
        } else {
            error.hint("sign the file first, or name its signature with --signature")
        }
    })
}

/// Refuses a signature if no key has its degree.
fn check_degree(pair: &Pair, signature: &AnySignature, keys: &[AnyVerifyingKey]) -> Result<()> {
    let set = signature.set();
    if keys.iter().any(|key| key.set() == set) {
        return Ok(());
    }
    let keys = match keys {
        [key] => format!("but the key is a {} key", key.set()),
        _ => "but no key of this type is named".to_owned(),
    };
    let what = format_args!("is a {set} signature, {keys}");
    Err(Error::at(&pair.signature, what))
}

/// Hint for an invalid signature. The cause cannot be determined further.
const INVALID_HINT: &str = "the file, its signature or the key was changed, or another key \
    signed it: a signature alone does not tell which";

/// Hint for an invalid signature if the user named no key.
const INVALID_DEFAULT_HINT: &str = "the file, its signature or the key was changed, or another \
    key than falcon.key.pub signed it: a signature alone does not tell which; name the signer's \
    key with --public-key";

/// The verdict on one file.
#[derive(Serialize)]
struct Verdict<'k> {
    #[serde(serialize_with = "serialize_path")]
    file: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    signature: PathBuf,
    status: FileStatus,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    key: Option<&'k KeyName>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    said: Option<Said>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    refusal: Option<Refusal>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FileStatus {
    Valid,
    Invalid,
    Unchecked,
}

impl<'k> Verdict<'k> {
    fn new(pair: &Pair, outcome: Result<Outcome>, signers: &'k Signers) -> Self {
        let mut verdict = Self {
            file: pair.file.clone(),
            signature: pair.signature.clone(),
            status: FileStatus::Valid,
            key: None,
            said: None,
            refusal: None,
            error: None,
            hint: None,
        };
        match outcome {
            Ok(Outcome::Bare(index @ Some(_))) => verdict.key = signers.key_name(index),
            Ok(Outcome::Envelope(Ok((index, said)))) => {
                verdict.key = signers.key_name(index);
                verdict.said = Some(said);
            }
            Ok(Outcome::Envelope(Err(refusal))) => {
                verdict.status = FileStatus::Invalid;
                verdict.hint = refusal.hint;
                verdict.refusal = Some(refusal);
            }
            Ok(Outcome::Bare(None)) => {
                verdict.status = FileStatus::Invalid;
                verdict.hint = Some(match signers {
                    Signers::Keys(keyring) if keyring.is_default => INVALID_DEFAULT_HINT,
                    _ => INVALID_HINT,
                });
            }
            Err(error) => {
                verdict.status = FileStatus::Unchecked;
                verdict.error = Some(error);
            }
        }
        verdict
    }

    fn tell(&self, ui: Ui, hints: &mut Hints) -> Result<()> {
        ui.report(self)?;
        // In JSON, the verdict already contains the error and the hint.
        if !ui.json {
            if let Some(error) = &self.error {
                ui.error_among(error, hints);
            }
            if let Some(hint) = self.hint {
                ui.hint_among(hint, hints);
            }
        }
        Ok(())
    }
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (style, text) = match self.status {
            FileStatus::Valid => (GOOD, "OK"),
            FileStatus::Invalid => (BAD, "INVALID"),
            FileStatus::Unchecked => (BAD, "NOT CHECKED"),
        };
        write!(f, "{}: {}", Escaped(shown(&self.file)), Styled(style, text))?;
        if let Some(key) = self.key {
            write!(f, ", {key}")?;
        }
        if let Some(said) = &self.said {
            write!(f, ", {said}")?;
        }
        if let Some(refusal) = &self.refusal {
            write!(f, ", {refusal}")?;
        }
        Ok(())
    }
}

/// Number of files by outcome.
#[derive(Default)]
struct Count {
    valid: u64,
    invalid: u64,
    unchecked: u64,
}

impl Count {
    fn add(&mut self, status: FileStatus) {
        *match status {
            FileStatus::Valid => &mut self.valid,
            FileStatus::Invalid => &mut self.invalid,
            FileStatus::Unchecked => &mut self.unchecked,
        } += 1;
    }

    fn status(&self) -> Status {
        match self {
            Self { invalid: 1.., .. } => Status::Invalid,
            Self { unchecked: 1.., .. } => Status::Failure,
            _ => Status::Valid,
        }
    }

    fn files(&self) -> u64 {
        self.valid + self.invalid + self.unchecked
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} valid", HumanCount(self.valid))?;
        if self.invalid > 0 {
            write!(f, ", {} invalid", HumanCount(self.invalid))?;
        }
        if self.unchecked > 0 {
            write!(f, ", {} not checked", HumanCount(self.unchecked))?;
        }
        Ok(())
    }
}
