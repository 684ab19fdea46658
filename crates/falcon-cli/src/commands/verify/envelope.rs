//! Envelopes: finds the signer, and checks whether the key was allowed to sign.

use super::keyring::{KeyName, Keyring};
use crate::{
    documents::read_trust_list,
    error::Result,
    escape::{Escaped, Quoted},
    input::regular_length,
    keys::DEFAULT_PUBLIC_KEY,
    listing::no_such_name,
    message::{Message, length_differs, limit},
    progress::Progress,
    shell::quote,
};
use clap::Args;
use falcon_core::AnyVerifyingKey;
use falcon_envelope::{
    Envelope, Fingerprint, Hasher, Revoked, Statement, Subject, Time, TrustError, TrustList,
    VerifyError,
};
use serde::{Serialize, Serializer};
use std::{
    fmt,
    io::Read,
    path::{Path, PathBuf},
};

/// A list of keys that are trusted.
#[derive(Debug, Args)]
pub(crate) struct TrustOption {
    /// Accept the keys of a trust list, and say whose key signed; see `trust --help`
    #[arg(long, value_name = "LIST", conflicts_with = "public_key")]
    pub(crate) trust: Option<PathBuf>,
    /// Accept a revoked key if the envelope's time is at least one second before the revocation.
    /// The time is the signer's claim: a thief of the key can write any time
    // `requires` alone does not apply beside --public-key, which conflicts with --trust.
    #[arg(long, requires = "trust", conflicts_with = "public_key")]
    accept_revoked: bool,
    /// Accept only the key of this name in LIST
    #[arg(
        long,
        value_name = "NAME",
        requires = "trust",
        conflicts_with = "public_key"
    )]
    signer: Option<String>,
}

impl TrustOption {
    /// Returns the options that name the signers, for the command in a hint. `keys` are the values
    /// of `--public-key`.
    pub(crate) fn repeated(&self, keys: &[PathBuf]) -> String {
        match &self.trust {
            Some(list) => {
                let revoked = if self.accept_revoked {
                    " --accept-revoked"
                } else {
                    ""
                };
                let signer = self.signer.as_ref();
                let signer = signer.map_or_else(String::new, |name| {
                    format!(" --signer {}", quote(Path::new(name)))
                });
                format!(" --trust {}{revoked}{signer}", quote(list))
            }
            None if keys == [Path::new(DEFAULT_PUBLIC_KEY)] => String::new(),
            None => keys
                .iter()
                .fold(String::new(), |options, key| options + " -p " + &quote(key)),
        }
    }
}

/// Signers whose signatures are accepted.
pub(crate) enum Signers {
    /// Public keys, such as those of `--public-key`.
    Keys(Keyring),
    /// Keys of a trust list.
    Listed(Listed),
}

/// A trust list, and the signers in it that are accepted.
pub(crate) struct Listed {
    list: TrustList,
    /// How to treat revoked keys.
    revoked: Revoked,
    /// The name of the only signer that is accepted.
    only: Option<String>,
}

impl Listed {
    fn load(path: &Path, option: &TrustOption) -> Result<Self> {
        let list = read_trust_list(path)?;
        if let Some(name) = &option.signer
            && !list.keys().iter().any(|key| key.name() == name)
        {
            return Err(no_such_name(path, name, &list));
        }
        Ok(Self {
            list,
            revoked: if option.accept_revoked {
                Revoked::AcceptIfSignedBefore
            } else {
                Revoked::Refuse
            },
            only: option.signer.clone(),
        })
    }

    /// Finds the key that signed the statement of an envelope, as [`Signers::signer_of`] does.
    fn signer_of(&self, envelope: &Envelope) -> std::result::Result<Signer<'_>, Refusal> {
        let signer = self
            .list
            .signer_of(envelope, self.revoked)
            .map_err(|error| {
                let is_same = is_second_of_revocation(&error, envelope);
                let mut refusal = Refusal::from(error);
                if is_same && self.revoked == Revoked::AcceptIfSignedBefore {
                    refusal.hint = Some(SAME_SECOND);
                }
                refusal
            })?;
        match &self.only {
            Some(only) if only != signer.name() => Err(Refusal::new(
                "wrong-signer",
                format_args!("signed by {}, not by {only}", signer.name()),
            )),
            _ => Ok(Signer {
                key: signer.key(),
                index: None,
                name: Some(signer.name()),
            }),
        }
    }
}

impl Signers {
    /// Reads the trust list if one is named, otherwise the keys.
    pub(crate) fn load(keys: &[PathBuf], option: &TrustOption) -> Result<Self> {
        match &option.trust {
            Some(path) => Listed::load(path, option).map(Self::Listed),
            None => Keyring::load(keys).map(Self::Keys),
        }
    }

    /// Returns the name of the key, if it is reported.
    pub(crate) fn key_name(&self, index: Option<usize>) -> Option<&KeyName> {
        match self {
            Self::Keys(keyring) => keyring.name(index?),
            Self::Listed(..) => None,
        }
    }

    /// Finds the key that signed the statement of an envelope, and verifies the signature. With a
    /// trust list, also checks that the key was allowed to sign.
    pub(crate) fn signer_of(
        &self,
        envelope: &Envelope,
    ) -> std::result::Result<Signer<'_>, Refusal> {
        match self {
            Self::Listed(listed) => listed.signer_of(envelope),
            Self::Keys(keyring) => {
                let named = envelope.unverified().key();
                let is_named = |key: &AnyVerifyingKey| Fingerprint::of(key) == named;
                let index = keyring.keys.iter().position(is_named);
                let index = index.ok_or_else(|| Refusal::wrong_key(named))?;
                let key = &keyring.keys[index];
                envelope.verify_statement(key)?;
                Ok(Signer {
                    key,
                    index: Some(index),
                    name: None,
                })
            }
        }
    }
}

/// Hint for an envelope that `--accept-revoked` refuses although its time seems early enough.
const SAME_SECOND: &str = "the envelope has the second of the revocation, which counts as revoked";

/// True if an envelope was refused because its time is the second of the key's revocation.
fn is_second_of_revocation(error: &TrustError, envelope: &Envelope) -> bool {
    let time = envelope.unverified().time();
    matches!(error, TrustError::Revoked { revocation, .. } if revocation.time == time)
}

/// The key that signed a statement.
pub(crate) struct Signer<'a> {
    pub(crate) key: &'a AnyVerifyingKey,
    /// Index among the named keys.
    pub(crate) index: Option<usize>,
    /// Name in the trust list.
    name: Option<&'a str>,
}

impl Signer<'_> {
    /// Returns the signer's statement for reports.
    pub(crate) fn said(&self, statement: &Statement) -> Said {
        Said {
            signer: self.name.map(str::to_owned),
            signed_with: statement.key().to_string(),
            time: statement.time(),
            comment: statement.comment().map(str::to_owned),
        }
    }
}

/// Statement of the signer of a valid envelope, for reports.
#[derive(Clone, Serialize)]
pub(crate) struct Said {
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    signed_with: String,
    #[serde(serialize_with = "serialize_time")]
    time: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

/// Allowed difference, in seconds, between the clocks of signers and readers.
const CLOCK_DIFFERENCE: u64 = 300;

impl Said {
    /// Returns a warning about `file` if the signer's time is in the future.
    pub(crate) fn warning(&self, file: &str) -> Option<String> {
        let latest = Time::now()?.as_unix().saturating_add(CLOCK_DIFFERENCE);
        (self.time.as_unix() > latest).then(|| {
            format!(
                "{file}: the signed time, {}, is in the future: the clock of the signer or of \
                 this computer is wrong, or the signer wrote another time",
                self.time
            )
        })
    }
}

fn serialize_time<S: Serializer>(
    time: &Time,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("signed ")?;
        if let Some(signer) = &self.signer {
            write!(f, "by {} ", Escaped(signer))?;
        }
        write!(f, "at {}", self.time)?;
        match &self.comment {
            Some(comment) => write!(f, ", comment {}", Quoted(comment)),
            None => Ok(()),
        }
    }
}

/// Reason why an envelope is refused.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Refusal {
    /// Machine-readable cause.
    cause: &'static str,
    reason: String,
    #[serde(skip)]
    pub(crate) hint: Option<&'static str>,
}

impl Refusal {
    fn new(cause: &'static str, reason: impl fmt::Display) -> Self {
        Self {
            cause,
            reason: reason.to_string(),
            hint: None,
        }
    }

    /// Returns the refusal of a stream that has more bytes than were signed. The rest was not read.
    fn longer(signed: u64) -> Self {
        Self::new(
            "changed",
            format_args!("the content was changed: {signed} bytes were signed, more are there"),
        )
    }

    fn wrong_key(named: Fingerprint) -> Self {
        Self::new("wrong-key", format_args!("wrong key: signed with {named}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.reason))
    }
}

impl From<VerifyError> for Refusal {
    fn from(error: VerifyError) -> Self {
        match error {
            VerifyError::WrongKey { named, .. } => Self::wrong_key(named),
            VerifyError::Changed { .. } => Self::new("changed", error),
            VerifyError::Subject => Self::new("subject", error),
            _ => Self::new("forged", error),
        }
    }
}

impl From<TrustError> for Refusal {
    fn from(error: TrustError) -> Self {
        let cause = match &error {
            TrustError::Envelope(error) => return (*error).into(),
            TrustError::UnknownKey { .. } => "unknown-key",
            TrustError::NotYetValid { .. } => "not-yet-valid",
            TrustError::Expired { .. } => "expired",
            _ => "revoked",
        };
        let hint = match &error {
            TrustError::UnknownKey { .. } => Some(
                "ask the signer for the public key, then add it: falcon-cli trust add LIST \
                    NAME KEY.pub",
            ),
            TrustError::Revoked {
                signed_before: true,
                ..
            } => Some(
                "the envelope says that it was signed before the revocation, but a thief can \
                write any time; if you know that it is so old, use --accept-revoked",
            ),
            _ => None,
        };
        Self {
            hint,
            ..Self::new(cause, error)
        }
    }
}

/// An accepted envelope: the index of the key among the named ones, and what the signer said.
pub(super) type Accepted = (Option<usize>, Said);

/// Verifies the envelope of the file at `path`, which `file` reads. The file is read only if the
/// statement is valid. At most one byte beyond the signed length is read. A long file is not read
/// if its length differs.
pub(super) fn verify(
    envelope: &Envelope,
    signers: &Signers,
    path: &Path,
    file: Box<dyn Read + Send>,
    progress: &Progress,
) -> Result<std::result::Result<Accepted, Refusal>> {
    let signer = match signers.signer_of(envelope) {
        Ok(signer) => signer,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let Subject::File(digest) = envelope.unverified().subject() else {
        return Ok(Err(VerifyError::Subject.into()));
    };
    let signed = digest.length();
    let stated = regular_length(path);
    if let Some(found) = stated.filter(|&stated| length_differs(stated, signed)) {
        return Ok(Err(VerifyError::Changed { signed, found }.into()));
    }
    let mut hasher = Hasher::new();
    Message::from_reader(path, Box::new(limit(file, signed)), progress)?
        .read(|part| hasher.update(part))?;
    let found = hasher.finish();
    if found.length() > signed {
        return Ok(Err(match stated {
            Some(found) if found > signed => VerifyError::Changed { signed, found }.into(),
            _ => Refusal::longer(signed),
        }));
    }
    let verdict = envelope.verify_file(signer.key, &found);
    Ok(verdict
        .map(|statement| (signer.index, signer.said(statement)))
        .map_err(Refusal::from))
}
