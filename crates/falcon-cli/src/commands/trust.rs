//! `trust`: lists of keys whose signatures are accepted.

use crate::{
    documents::read_trust_list,
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    input::is_standard,
    keys::load_public,
    output::{Content, Inputs, Overwrite, Pending, lock_folder},
    ui::Ui,
};
use clap::{Args, Subcommand};
use falcon_envelope::{Time, TrustList, TrustListError, TrustedKey};
use serde::Serialize;
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// Write lists of keys for `verify --trust`
#[derive(Debug, Subcommand)]
pub(crate) enum Trust {
    Add(Add),
    Revoke(Revoke),
}

/// Add a public key to a trust list; the list is made if there is none
#[derive(Debug, Args)]
#[command(after_help = "\
Compare the fingerprint that is printed with the one that the signer tells you. The list is
not signed: whoever can write it decides who is trusted. docs/FORMATS.md specifies it.")]
pub(crate) struct Add {
    /// The trust list
    list: PathBuf,
    /// Whose key it is, one line
    name: String,
    /// The public key
    #[arg(value_name = "KEY.pub")]
    key: PathBuf,
    /// First second in which the key may sign, such as 2025-06-01T12:00:00Z [default:
    /// no beginning]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    valid_from: Option<Time>,
    /// Last second in which the key may sign [default: no end]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    valid_until: Option<Time>,
}

/// Revoke a key of a trust list
#[derive(Debug, Args)]
#[command(after_help = "\
Envelopes by a revoked key are refused, whatever their time, unless `verify` is told
otherwise. To revoke a key again changes the time and the reason.")]
pub(crate) struct Revoke {
    /// The trust list
    list: PathBuf,
    /// The name of the key in the list
    name: String,
    /// Why, one line
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Since when the key is revoked, such as 2025-06-01T12:00:00Z [default: now, or the
    /// time that the list has]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<Time>,
}

fn parse_time(text: &str) -> std::result::Result<Time, String> {
    Time::parse(text).ok_or_else(|| "expected a time like 2025-06-01T12:00:00Z".to_owned())
}

fn or_now(time: Option<Time>) -> Result<Time> {
    time.or_else(Time::now).ok_or_else(|| {
        Error::new("the clock of the system is wrong").hint("set it, or name the time")
    })
}

impl Trust {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        match self {
            Self::Add(add) => add.run(ui),
            Self::Revoke(revoke) => revoke.run(ui),
        }
    }
}

impl Add {
    fn run(self, ui: Ui) -> Result<Status> {
        refuse_standard(&self.list)?;
        Inputs::new([self.key.as_path()]).spare(&self.list)?;
        let mut keys = load_public(&self.key)?;
        let (Some(key), true) = (keys.pop(), keys.is_empty()) else {
            return Err(Error::at(&self.key, "holds several keys").hint("add one key at a time"));
        };
        let from = self.valid_from.unwrap_or(Time::MIN);
        let valid = from..=self.valid_until.unwrap_or(Time::MAX);
        let entry = TrustedKey::new(&self.name, key.to_any(), valid)
            .map_err(|error| Error::new("cannot make an entry").because(error))?;
        let changed = Changed::new(&self.list, &entry);
        change(&self.list, ui, |list| list.add(entry))?;
        ui.report(&changed)?;
        Ok(Status::Valid)
    }
}

impl Revoke {
    fn run(self, ui: Ui) -> Result<Status> {
        refuse_standard(&self.list)?;
        // A new list would say that all is well.
        if !self.list.exists() {
            return Err(Error::at(&self.list, "is not there").hint("name an existing trust list"));
        }
        let now = or_now(None)?;
        let mut revoked = None;
        change(&self.list, ui, |list| {
            let Some(key) = list.key_mut(&self.name) else {
                return Ok(());
            };
            // Who only mends the reason keeps the time.
            let known = key.revoked().map(|revocation| revocation.time);
            key.revoke(self.at.or(known).unwrap_or(now), &self.reason)?;
            revoked = Some(Changed::new(&self.list, key));
            Ok(())
        })?;
        let revoked = revoked.ok_or_else(|| {
            Error::at(
                &self.list,
                format_args!("has no key of the name {}", self.name),
            )
            .hint("the list is a text: look for the lines that begin with `name: `")
        })?;
        ui.report(&revoked)?;
        Ok(Status::Valid)
    }
}

fn refuse_standard(list: &Path) -> Result<()> {
    if is_standard(list) {
        return Err(Error::new("a trust list is changed in place").hint("name a file"));
    }
    Ok(())
}

/// Reads the list, changes it and puts it in the place of the old one, while no other command of
/// this program does the same.
fn change(
    path: &Path,
    ui: Ui,
    change: impl FnOnce(&mut TrustList) -> std::result::Result<(), TrustListError>,
) -> Result<()> {
    let _lock = lock_folder(path, ui)?;
    let mut list = if fs::symlink_metadata(path).is_ok() {
        read_trust_list(path)?
    } else {
        TrustList::default()
    };
    change(&mut list).map_err(|error| Error::at(path, "cannot be changed so").because(error))?;
    let text = list.to_string();
    Pending::with_bytes(path, text.as_bytes(), Content::PublicKey, Overwrite::Force)?.commit()
}

/// An entry that was added or changed.
#[derive(Serialize)]
struct Changed {
    #[serde(serialize_with = "serialize_path")]
    list: PathBuf,
    name: String,
    fingerprint: String,
    valid_from: String,
    valid_until: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked: Option<String>,
}

impl Changed {
    fn new(list: &Path, key: &TrustedKey) -> Self {
        Self {
            list: list.to_owned(),
            name: key.name().to_owned(),
            fingerprint: key.fingerprint().to_string(),
            valid_from: key.valid().start().to_string(),
            valid_until: key.valid().end().to_string(),
            revoked: key.revoked().map(|revocation| revocation.time.to_string()),
        }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (list, name) = (Escaped(self.list.display()), Escaped(&self.name));
        writeln!(f, "{list}: {name}")?;
        writeln!(f, "  fingerprint {}", self.fingerprint)?;
        match &self.revoked {
            Some(time) => write!(f, "  revoked {time}"),
            None => write!(
                f,
                "  valid from {} until {}",
                self.valid_from, self.valid_until
            ),
        }
    }
}
