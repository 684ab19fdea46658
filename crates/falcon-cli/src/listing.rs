//! Reports on the keys of trust lists.

use crate::{error::Error, escape::Escaped};
use falcon_envelope::{Period, Time, TrustList, TrustedKey};
use serde::Serialize;
use std::{fmt, path::Path};

/// One key of a trust list.
#[derive(Serialize)]
pub(crate) struct Listing {
    pub(crate) name: String,
    pub(crate) fingerprint: String,
    valid_from: String,
    valid_until: String,
    #[serde(skip)]
    valid: Period,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Listing {
    pub(crate) fn new(key: &TrustedKey) -> Self {
        let revocation = key.revoked();
        Self {
            name: key.name().to_owned(),
            fingerprint: key.fingerprint().to_string(),
            valid_from: key.valid().start().to_string(),
            valid_until: key.valid().end().to_string(),
            valid: key.valid().clone(),
            revoked: revocation.map(|it| it.time.to_string()),
            reason: revocation.map(|it| it.reason.clone()),
        }
    }

    /// Returns the period in which the key may sign, in words. The earliest and the latest time
    /// are no limits.
    pub(crate) fn validity(&self) -> String {
        let (from, until) = (self.valid.start(), self.valid.end());
        match (*from != Time::MIN, *until != Time::MAX) {
            (false, false) => "valid without limit".to_owned(),
            (true, false) => format!("valid from {from}"),
            (false, true) => format!("valid until {until}"),
            (true, true) => format!("valid from {from} until {until}"),
        }
    }

    /// Returns time and reason of the revocation, if the key is revoked.
    pub(crate) fn revocation(&self) -> Option<String> {
        let (time, reason) = (self.revoked.as_ref()?, self.reason.as_ref()?);
        Some(format!("revoked {time}: {reason}"))
    }
}

/// Formats the key as one line.
impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.fingerprint.get(..SHORT_FINGERPRINT);
        let start = start.unwrap_or(&self.fingerprint);
        let name = Escaped(&self.name);
        write!(f, "{name}: key {start}..., {}", self.validity())?;
        match self.revocation() {
            Some(revocation) => write!(f, ", {}", Escaped(revocation)),
            None => Ok(()),
        }
    }
}

/// Number of hexadecimal digits of the fingerprint that a one-line listing shows.
const SHORT_FINGERPRINT: usize = 16;

/// Returns the error for a name that the list at `path` does not have.
pub(crate) fn no_such_name(path: &Path, name: &str, list: &TrustList) -> Error {
    let what = format_args!("has no key of the name {name}");
    Error::at(path, what).hint(known_names(list))
}

/// Largest number of names in the hint for an unknown name.
const MAX_NAMES: usize = 10;

/// Returns the names in a list, or only the first names of a long list.
fn known_names(list: &TrustList) -> String {
    let keys = list.keys();
    let names: Vec<_> = keys.iter().take(MAX_NAMES).map(TrustedKey::name).collect();
    match keys.len().saturating_sub(MAX_NAMES) {
        0 if names.is_empty() => "the list has no keys".to_owned(),
        0 => format!("the list has: {}", names.join(", ")),
        more => format!("the list has: {}, and {more} more", names.join(", ")),
    }
}
