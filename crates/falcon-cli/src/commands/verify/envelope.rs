//! Envelopes: who signed, and whether that key may.

use super::Keyring;
use crate::{
    documents::read_trust_list, error::Result, escape::Escaped, message::Message, scheme::PublicKey,
};
use clap::Args;
use falcon_core::AnyVerifyingKey;
use falcon_envelope::{
    Envelope, Fingerprint, Hasher, Revoked, Statement, TrustError, TrustList, VerifyError,
};
use serde::Serialize;
use std::{borrow::Cow, fmt, path::PathBuf};

/// A list of keys that are trusted.
#[derive(Debug, Args)]
pub(crate) struct TrustOption {
    /// Accept the keys of a trust list, and say whose key signed; see `trust --help`
    #[arg(long, value_name = "LIST", conflicts_with = "public_key")]
    pub(crate) trust: Option<PathBuf>,
    /// Accept a revoked key if the envelope's time is before the revocation. The time is the
    /// signer's claim: a thief of the key can write any time
    // `requires` alone is not checked beside --public-key, since that conflicts with --trust.
    #[arg(long, requires = "trust", conflicts_with = "public_key")]
    accept_revoked: bool,
}

/// Whose signatures are accepted.
pub(crate) enum Signers {
    /// Signers whose keys are named.
    Keys(Keyring),
    /// Signers of a trust list.
    Listed(TrustList, Revoked),
}

impl Signers {
    /// Reads the keys, or the trust list if there is one.
    pub(crate) fn load(keys: &[PathBuf], option: &TrustOption) -> Result<Self> {
        let Some(path) = &option.trust else {
            return Keyring::load(keys).map(Self::Keys);
        };
        let revoked = if option.accept_revoked {
            Revoked::AcceptIfSignedBefore
        } else {
            Revoked::Refuse
        };
        Ok(Self::Listed(read_trust_list(path)?, revoked))
    }

    /// Finds the key that signed the statement of an envelope, and verifies the signature.
    pub(crate) fn signer_of(
        &self,
        envelope: &Envelope,
    ) -> std::result::Result<Signer<'_>, Refusal> {
        match self {
            Self::Listed(list, revoked) => {
                let signer = list.signer_of(envelope, *revoked)?;
                Ok(Signer {
                    key: Cow::Borrowed(signer.key()),
                    index: None,
                    name: Some(signer.name()),
                })
            }
            Self::Keys(keyring) => {
                let named = envelope.unverified().key();
                let is_named = |key: &PublicKey| Fingerprint::of(&key.to_any()) == named;
                let index = keyring.keys.iter().position(is_named);
                let index = index.ok_or_else(|| Refusal::wrong_key(named))?;
                let key = keyring.keys[index].to_any();
                envelope.verify_statement(&key)?;
                Ok(Signer {
                    key: Cow::Owned(key),
                    index: Some(index),
                    name: None,
                })
            }
        }
    }
}

/// The key that signed a statement.
pub(crate) struct Signer<'a> {
    pub(crate) key: Cow<'a, AnyVerifyingKey>,
    /// Index among the named keys.
    pub(super) index: Option<usize>,
    /// Name in the trust list.
    name: Option<&'a str>,
}

impl Signer<'_> {
    /// The statement of the signer.
    pub(crate) fn said(&self, statement: &Statement) -> Said {
        Said {
            signer: self.name.map(str::to_owned),
            signed_with: statement.key().to_string(),
            time: statement.time().to_string(),
            comment: statement.comment().map(str::to_owned),
        }
    }
}

/// What the signer of a valid envelope says.
#[derive(Clone, Serialize)]
pub(crate) struct Said {
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    signed_with: String,
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("signed ")?;
        if let Some(signer) = &self.signer {
            write!(f, "by {} ", Escaped(signer))?;
        }
        write!(f, "at {}", self.time)?;
        match &self.comment {
            Some(comment) => write!(f, ", comment \"{}\"", Escaped(comment)),
            None => Ok(()),
        }
    }
}

/// Why an envelope is refused.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Refusal {
    /// For programs.
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

    /// The file is what an envelope signs.
    pub(super) fn of_signed_bytes() -> Self {
        Self::new(
            "envelope-bytes",
            "the file is a part of an envelope, not a file that somebody signed",
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
            TrustError::UnknownKey { .. } => {
                Some("ask the signer for the public key, then add it: falcon-cli trust add")
            }
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

/// An envelope that is accepted: the place of the key among those that are named, and what the
/// signer says.
pub(super) type Accepted = (Option<usize>, Said);

/// Verifies an envelope of a file. The file is read only if the statement is valid.
pub(super) fn verify<'p>(
    envelope: &Envelope,
    signers: &Signers,
    message: impl FnOnce() -> Result<Message<'p>>,
) -> Result<std::result::Result<Accepted, Refusal>> {
    let signer = match signers.signer_of(envelope) {
        Ok(signer) => signer,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut hasher = Hasher::new();
    message()?.read(|part| hasher.update(part))?;
    let verdict = envelope.verify_file(&signer.key, &hasher.finish());
    Ok(verdict
        .map(|statement| (signer.index, signer.said(statement)))
        .map_err(Refusal::from))
}
