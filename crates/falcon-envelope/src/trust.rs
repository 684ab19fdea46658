//! Lists of the keys whose signatures are accepted, and their periods.

use crate::{
    envelope::{Envelope, VerifyError},
    error::{ParseError, Problem},
    fingerprint::Fingerprint,
    statement::{checked, take_time},
    text::{Lines, TextError, check_text, from_base64, from_decimal, to_base64},
    time::Time,
};
use falcon_core::AnyVerifyingKey;
use std::{collections::HashSet, fmt, ops::RangeInclusive, str::FromStr};

/// The first line of a trust list.
const VERSION: &str = "falcon-trust v1";

/// From the first to the last second in which a key may sign.
pub type Period = RangeInclusive<Time>;

/// Time of a revocation and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Revocation {
    /// First second in which signatures by the key no longer count.
    pub time: Time,
    /// Reason.
    pub reason: String,
}

/// The treatment of a signature by a key that is revoked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Revoked {
    /// Refuse it.
    #[default]
    Refuse,
    /// Accept it if the envelope's time is before the revocation, by a second or more. A thief of
    /// the key can state any time in an envelope. So use this variant only for signatures whose age
    /// is known from another source.
    AcceptIfSignedBefore,
}

/// A key, its owner, and the period in which it may sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    name: String,
    fingerprint: Fingerprint,
    key: AnyVerifyingKey,
    valid: Period,
    revoked: Option<Revocation>,
}

impl TrustedKey {
    /// Makes an entry for a key that is not revoked.
    ///
    /// # Errors
    /// If `name` is not a line of at most [`MAX_TEXT_LEN`](crate::MAX_TEXT_LEN) bytes, or `valid`
    /// is empty.
    pub fn new(name: &str, key: AnyVerifyingKey, valid: Period) -> Result<Self, TrustListError> {
        check_text(name).map_err(TrustListError::Text)?;
        if valid.is_empty() {
            return Err(TrustListError::EmptyPeriod);
        }
        Ok(Self {
            name: name.to_owned(),
            fingerprint: Fingerprint::of(&key),
            key,
            valid,
            revoked: None,
        })
    }

    /// Revokes the key, or changes the reason of its revocation. A revocation may be moved
    /// to an earlier time, but not to a later one.
    ///
    /// # Errors
    /// If `reason` is not a line of at most [`MAX_TEXT_LEN`](crate::MAX_TEXT_LEN) bytes.
    /// [`TrustListError::RevokedBefore`] if the key is revoked since an earlier time.
    pub fn revoke(&mut self, time: Time, reason: &str) -> Result<(), TrustListError> {
        check_text(reason).map_err(TrustListError::Text)?;
        if let Some(revocation) = &self.revoked
            && revocation.time < time
        {
            return Err(TrustListError::RevokedBefore(revocation.time));
        }
        let reason = reason.to_owned();
        self.revoked = Some(Revocation { time, reason });
        Ok(())
    }

    /// Owner of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fingerprint of the key.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The key.
    pub fn key(&self) -> &AnyVerifyingKey {
        &self.key
    }

    /// Period in which the key may sign.
    pub fn valid(&self) -> &Period {
        &self.valid
    }

    /// Revocation of the key, if it is revoked.
    pub fn revoked(&self) -> Option<&Revocation> {
        self.revoked.as_ref()
    }

    /// Checks that the key may sign at `time`.
    fn check(&self, time: Time, revoked: Revoked) -> Result<(), TrustError> {
        let name = || self.name.clone();
        let (from, until) = (*self.valid.start(), *self.valid.end());
        if let Some(revocation) = &self.revoked {
            let signed_before = time < revocation.time;
            if revoked == Revoked::Refuse || !signed_before {
                return Err(TrustError::Revoked {
                    name: name(),
                    revocation: revocation.clone(),
                    signed_before,
                });
            }
        }
        if time < from {
            Err(TrustError::NotYetValid {
                name: name(),
                from,
                time,
            })
        } else if time > until {
            Err(TrustError::Expired {
                name: name(),
                until,
                time,
            })
        } else {
            Ok(())
        }
    }

    fn read(lines: &mut Lines<'_>) -> Result<Self, ParseError> {
        let name = lines.take_field("name")?;
        let name = checked(lines, name)?;
        let fingerprint = Fingerprint::parse(lines.take_field("key")?)
            .ok_or(lines.expected("a fingerprint of 64 hexadecimal digits"))?;
        let key = from_base64(lines.take_field("public-key")?)
            .and_then(|bytes| AnyVerifyingKey::try_from(bytes).ok())
            .ok_or(lines.expected("a public key in Base64"))?;
        if Fingerprint::of(&key) != fingerprint {
            return Err(lines.refused(Problem::FingerprintOfAnotherKey));
        }
        let valid = take_time(lines, "valid-from")?..=take_time(lines, "valid-until")?;
        if valid.is_empty() {
            return Err(lines.refused(Problem::EmptyPeriod));
        }
        let revoked = if lines.rest().starts_with("revoked: ") {
            let time = take_time(lines, "revoked")?;
            let reason = lines.take_field("reason")?;
            let reason = checked(lines, reason)?;
            Some(Revocation { time, reason })
        } else {
            None
        };
        Ok(Self {
            name,
            fingerprint,
            key,
            valid,
            revoked,
        })
    }
}

impl fmt::Display for TrustedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name: {}", self.name)?;
        writeln!(f, "key: {}", self.fingerprint)?;
        writeln!(f, "public-key: {}", to_base64(&self.key.to_bytes()))?;
        writeln!(f, "valid-from: {}", self.valid.start())?;
        writeln!(f, "valid-until: {}", self.valid.end())?;
        if let Some(Revocation { time, reason }) = &self.revoked {
            writeln!(f, "revoked: {time}")?;
            writeln!(f, "reason: {reason}")?;
        }
        Ok(())
    }
}

/// Keys whose signatures are accepted.
///
/// ```
/// use falcon_core::{AnySigningKey, Falcon512, SigningKey};
/// use falcon_envelope::{
///     Digest, Revoked, Statement, Subject, Time, TrustError, TrustList, TrustedKey,
/// };
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let key = AnySigningKey::from(SigningKey::<Falcon512>::from_seed(&[7; 32])?);
/// # let at = |text| Time::parse(text).unwrap();
/// # let (from, until) = (at("2025-01-01T00:00:00Z"), at("2026-12-31T23:59:59Z"));
/// # let time = at("2025-06-01T12:00:00Z");
/// # let digest = Digest::of(b"order #42");
/// # let statement = Statement::new(&key.verifying_key(), time, None, Subject::File(digest))?;
/// # let envelope = statement.sign_with_rng(&mut rand::rng(), &key)?;
/// let mut list = TrustList::default();
/// list.add(TrustedKey::new("Alice", key.verifying_key(), from..=until)?)?;
/// let list = TrustList::parse(list.to_string().as_bytes())?;
///
/// let signer = list.signer_of(&envelope, Revoked::Refuse)?;
/// envelope.verify_file(signer.key(), &digest)?;
/// assert_eq!(signer.name(), "Alice");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustList {
    keys: Vec<TrustedKey>,
}

impl TrustList {
    /// Length of the longest trust list in bytes.
    pub const MAX_LEN: usize = 16 << 20;

    /// Reads a trust list.
    ///
    /// # Errors
    /// [`ParseError`] if `bytes` are not exactly what [`to_string`](ToString::to_string) of a list
    /// gives.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut lines = Lines::new(bytes, Self::MAX_LEN)?;
        lines.take_version(VERSION)?;
        let (mut names, mut fingerprints) = (HashSet::new(), HashSet::new());
        let mut keys = Vec::new();
        loop {
            if !lines.take()?.is_empty() {
                return Err(lines.expected("an empty line before an entry and before the end"));
            }
            if let Some(count) = lines.take_optional("end") {
                if from_decimal(count) != Some(keys.len() as u64) {
                    return Err(lines.expected("the number of the entries"));
                }
                lines.finish()?;
                return Ok(Self { keys });
            }
            let key = TrustedKey::read(&mut lines)?;
            if !names.insert(key.name.clone()) {
                return Err(lines.refused(Problem::Duplicate { what: "name" }));
            }
            if !fingerprints.insert(key.fingerprint) {
                return Err(lines.refused(Problem::Duplicate { what: "key" }));
            }
            keys.push(key);
        }
    }

    /// Returns true if `bytes` begin like a trust list of any version.
    pub fn is_likely(bytes: &[u8]) -> bool {
        let name = VERSION.trim_end_matches(|c: char| c.is_ascii_digit());
        bytes.starts_with(name.as_bytes())
    }

    /// Appends a key.
    ///
    /// # Errors
    /// If the list already has this key or a key of this name, or if the list would be longer than
    /// [`MAX_LEN`](Self::MAX_LEN).
    pub fn add(&mut self, key: TrustedKey) -> Result<(), TrustListError> {
        for other in &self.keys {
            if other.name == key.name {
                return Err(TrustListError::DuplicateName);
            }
            if other.fingerprint == key.fingerprint {
                return Err(TrustListError::DuplicateKey);
            }
        }
        self.keys.push(key);
        if self.to_string().len() > Self::MAX_LEN {
            self.keys.pop();
            return Err(TrustListError::TooLong);
        }
        Ok(())
    }

    /// The keys, in the order of the list.
    pub fn keys(&self) -> &[TrustedKey] {
        &self.keys
    }

    /// Revokes the key of this name, as [`TrustedKey::revoke`] does, and returns it.
    ///
    /// # Errors
    /// The errors of [`TrustedKey::revoke`]. [`TrustListError::UnknownName`] if no key has this
    /// name. [`TrustListError::TooLong`] if the list would be longer than
    /// [`MAX_LEN`](Self::MAX_LEN). After an error the list is unchanged.
    pub fn revoke(
        &mut self,
        name: &str,
        time: Time,
        reason: &str,
    ) -> Result<&TrustedKey, TrustListError> {
        let index = self.keys.iter().position(|key| key.name == name);
        let index = index.ok_or(TrustListError::UnknownName)?;
        let before = self.keys[index].revoked.clone();
        self.keys[index].revoke(time, reason)?;
        if self.to_string().len() > Self::MAX_LEN {
            self.keys[index].revoked = before;
            return Err(TrustListError::TooLong);
        }
        Ok(&self.keys[index])
    }

    /// Removes the key of this name and returns it. A removed key can be added again, even one that
    /// was revoked.
    ///
    /// # Errors
    /// [`TrustListError::UnknownName`] if no key has this name.
    pub fn remove(&mut self, name: &str) -> Result<TrustedKey, TrustListError> {
        let index = self.keys.iter().position(|key| key.name == name);
        Ok(self.keys.remove(index.ok_or(TrustListError::UnknownName)?))
    }

    /// Finds the key that made an envelope, verifies the signature, and checks that the key may
    /// sign at the envelope's time. [`Envelope::verify_file`] then checks that the envelope is
    /// about your file.
    ///
    /// The time is the signer's own claim. It keeps honest signers from using a key too long. It
    /// does not stop somebody who has stolen the key.
    ///
    /// # Errors
    /// [`TrustError`].
    pub fn signer_of(
        &self,
        envelope: &Envelope,
        revoked: Revoked,
    ) -> Result<&TrustedKey, TrustError> {
        let fingerprint = envelope.unverified().key();
        let key = self
            .keys
            .iter()
            .find(|key| key.fingerprint == fingerprint)
            .ok_or(TrustError::UnknownKey { fingerprint })?;
        let statement = envelope
            .verify_statement(&key.key)
            .map_err(TrustError::Envelope)?;
        key.check(statement.time(), revoked)?;
        Ok(key)
    }
}

impl FromStr for TrustList {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text.as_bytes())
    }
}

impl fmt::Display for TrustList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{VERSION}")?;
        self.keys.iter().try_for_each(|key| write!(f, "\n{key}"))?;
        writeln!(f, "\nend: {}", self.keys.len())
    }
}

/// Reason that an entry cannot be made or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrustListError {
    /// The name or the reason is refused.
    Text(TextError),
    /// The last second of validity is before the first one.
    EmptyPeriod,
    /// The list already has a key of this name.
    DuplicateName,
    /// The list already has this key.
    DuplicateKey,
    /// The list has no key of this name.
    UnknownName,
    /// The list would be longer than [`TrustList::MAX_LEN`].
    TooLong,
    /// The key is revoked since this time, which is before the new one.
    RevokedBefore(Time),
}

impl fmt::Display for TrustListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => write!(f, "the name or the reason is refused: {error}"),
            Self::EmptyPeriod => f.write_str("the validity ends before it begins"),
            Self::DuplicateName => f.write_str("the list has a key of this name"),
            Self::DuplicateKey => f.write_str("the list has this key"),
            Self::UnknownName => f.write_str("the list has no key of this name"),
            Self::TooLong => f.write_str("the list would be too long"),
            Self::RevokedBefore(time) => {
                write!(
                    f,
                    "the key is revoked since {time}; that cannot be moved later"
                )
            }
        }
    }
}

impl std::error::Error for TrustListError {}

/// Reason that no key of a list confirms an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrustError {
    /// The list does not have the key that the envelope names.
    UnknownKey {
        /// The key that the envelope names.
        fingerprint: Fingerprint,
    },
    /// The envelope does not verify.
    Envelope(VerifyError),
    /// The envelope's time is before the key's first second.
    NotYetValid {
        /// Owner of the key.
        name: String,
        /// The key's first second.
        from: Time,
        /// The envelope's time.
        time: Time,
    },
    /// The envelope's time is after the key's last second.
    Expired {
        /// Owner of the key.
        name: String,
        /// The key's last second.
        until: Time,
        /// The envelope's time.
        time: Time,
    },
    /// The key is revoked.
    Revoked {
        /// Owner of the key.
        name: String,
        /// Time of the revocation, and the reason.
        revocation: Revocation,
        /// True if the envelope's time is before the revocation, by a second or more.
        signed_before: bool,
    },
}

impl fmt::Display for TrustError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { fingerprint } => {
                write!(f, "the key {fingerprint} is not in the trust list")
            }
            Self::Envelope(error) => write!(f, "{error}"),
            Self::NotYetValid { name, from, time } => {
                write!(
                    f,
                    "signed at {time}, and the key of {name} is valid from {from}"
                )
            }
            Self::Expired { name, until, time } => {
                write!(
                    f,
                    "signed at {time}, and the key of {name} is valid until {until}"
                )
            }
            Self::Revoked {
                name, revocation, ..
            } => {
                let Revocation { time, reason } = revocation;
                write!(f, "the key of {name} was revoked at {time}: {reason}")
            }
        }
    }
}

impl std::error::Error for TrustError {}
