//! `trust`: edits lists of trusted keys.

use crate::{
    PROGRAM,
    documents::{parse_trust_list, read_trust_list},
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{cannot_read, is_standard, regular_length},
    keys::{MAX_REPLACED, load_public},
    listing::{Listing, no_such_name},
    output::{Content, Inputs, Overwrite, Pending, READ_ONLY_FILE_SYSTEM},
    shell::quote,
    snapshot::Snapshot,
    ui::Ui,
};
use clap::{Args, Subcommand};
use falcon_envelope::{Time, TrustList, TrustListError, TrustedKey};
use serde::Serialize;
use std::{
    fmt, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Write and print lists of keys for `verify --trust`
#[derive(Debug, Subcommand)]
#[command(after_help = "\
With `--trust LIST`, `verify` and `manifest verify` accept an envelope only by these rules:

  - LIST has the key that signed the envelope. The output names the owner of the key.
  - The envelope's time is neither before --valid-from nor after --valid-until of the key.
    The current time does not matter: what was signed in time stays valid.
  - The key is not revoked. With --accept-revoked, a revoked key is accepted if the
    envelope's time is at least one second before the revocation. A thief of the key can
    write any time, so use the option only if something else shows that the file is so old.

A bare signature is refused, because it says neither who made it nor when, and another key
can be made that accepts it. `sign --format envelope` makes envelopes. The default key
falcon.key.pub does not count. `inspect LIST` prints the list. docs/FORMATS.md specifies it.")]
pub(crate) enum Trust {
    Add(Add),
    #[command(alias = "show")]
    List(List),
    Remove(Remove),
    Revoke(Revoke),
}

/// Print the keys of a trust list
#[derive(Debug, Args)]
pub(crate) struct List {
    /// The trust list; `-` is standard input
    list: PathBuf,
}

/// Remove a key that was added by mistake; revoke a lost key instead
#[derive(Debug, Args)]
#[command(after_help = "\
A revoked key stays in the list: without its entry, somebody could add the key again.")]
pub(crate) struct Remove {
    /// The trust list
    list: PathBuf,
    /// The name of the key in the list
    name: String,
}

/// Add a public key to a trust list; the list is made if there is none
#[derive(Debug, Args)]
#[command(after_help = "\
Compare the fingerprint that is printed with the one that the signer tells you. The list is
not signed: whoever can write it decides who is trusted. docs/FORMATS.md specifies it.")]
pub(crate) struct Add {
    /// The trust list
    list: PathBuf,
    /// Owner of the key, one line
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
otherwise. With --at, the reason of a revoked key is replaced, and the time if it is earlier.")]
pub(crate) struct Revoke {
    /// The trust list
    list: PathBuf,
    /// The name of the key in the list
    name: String,
    /// Reason, one line
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Since when the key is revoked, such as 2025-06-01T12:00:00Z [default: now]
    #[arg(long, alias = "since", value_name = "TIME", value_parser = parse_time)]
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
            Self::List(list) => list.run(ui),
            Self::Remove(remove) => remove.run(ui),
            Self::Revoke(revoke) => revoke.run(ui),
        }
    }
}

impl Add {
    fn run(self, ui: Ui) -> Result<Status> {
        refuse_standard(&self.list)?;
        self.refuse_list_as_name()?;
        Inputs::new([self.key.as_path()]).spare(&self.list)?;
        let mut keys = load_public(
            &self.key,
            "ask the signer for the public key, and name its file",
        )?;
        let (Some(key), true) = (keys.pop(), keys.is_empty()) else {
            return Err(Error::at(&self.key, "holds several keys").hint("add one key at a time"));
        };
        let from = self.valid_from.unwrap_or(Time::MIN);
        let valid = from..=self.valid_until.unwrap_or(Time::MAX);
        let entry = TrustedKey::new(&self.name, key, valid)
            .map_err(|error| Error::new("cannot make an entry").because(error))?;
        let changed = Changed::new(&self.list, &entry);
        let ((), is_new) = change(&self.list, ui, |list| {
            let fingerprint = entry.fingerprint();
            list.add(entry).map_err(|error| {
                let mut keys = list.keys().iter();
                let hint = match error {
                    TrustListError::DuplicateName => keys
                        .find(|key| key.name() == self.name)
                        .map(|key| other_name(&self.name, is_revoked(key))),
                    TrustListError::DuplicateKey => keys
                        .find(|key| key.fingerprint() == fingerprint)
                        .map(known_as),
                    _ => None,
                };
                let error = unchangeable(&self.list, error);
                match hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                }
            })
        })?;
        if is_new {
            ui.note(format_args!("new list: {}", shown(&self.list)));
        }
        ui.report_written(&changed, &[&self.list])?;
        Ok(Status::Valid)
    }

    /// Refuses a trust list as the name of a key: the user probably named it second, and another
    /// list would be made.
    fn refuse_list_as_name(&self) -> Result<()> {
        let name = Path::new(&self.name);
        if regular_length(name).is_none() || read_trust_list(name).is_err() {
            return Ok(());
        }
        let what = "is a trust list, but is named as the owner of a key";
        Err(Error::at(name, what).hint(format_args!(
            "name the list first: falcon-cli trust add {} NAME {}",
            quote(name),
            quote(&self.key)
        )))
    }
}

impl Revoke {
    fn run(self, ui: Ui) -> Result<Status> {
        let now = or_now(None)?;
        let revoked = change_key(&self.list, &self.name, ui, |list, old| {
            // A second revocation may be a mistake, and would lose the reason of the first one.
            if let (None, Some(revocation)) = (self.at, old.revocation()) {
                let what = format_args!("the key of {} is already {revocation}", old.name);
                return Err(Error::at(&self.list, what).hint(
                    "to replace the reason, or to move the time earlier, give the time with --at",
                ));
            }
            let key = list.revoke(&self.name, self.at.unwrap_or(now), &self.reason);
            let key = key.map_err(|error| unchangeable(&self.list, error))?;
            Ok(Changed {
                before: old.revocation(),
                ..Changed::new(&self.list, key)
            })
        })?;
        if self.at.is_some_and(|at| at > now) {
            ui.warn(
                "the time of the revocation is in the future; with --accept-revoked, signatures \
                 of the key are accepted until then",
            );
        }
        ui.report_written(&revoked, &[&self.list])?;
        Ok(Status::Valid)
    }
}

impl List {
    fn run(self, ui: Ui) -> Result<Status> {
        let list = read_trust_list(&self.list)?;
        if list.keys().is_empty() {
            ui.note("the list has no keys");
        }
        for key in list.keys() {
            ui.report(&Listing::new(key))?;
        }
        Ok(Status::Valid)
    }
}

impl Remove {
    fn run(self, ui: Ui) -> Result<Status> {
        let removed = change_key(&self.list, &self.name, ui, |list, old| {
            if let Some(revocation) = old.revocation() {
                let what = format_args!("the key of {} is {revocation}", old.name);
                return Err(Error::at(&self.list, what)
                    .hint("its entry stays: without it, somebody could add the key again"));
            }
            let key = list.remove(&self.name);
            let key = key.map_err(|error| unchangeable(&self.list, error))?;
            Ok(Changed {
                removed: true,
                ..Changed::new(&self.list, &key)
            })
        })?;
        ui.report_written(&removed, &[&self.list])?;
        Ok(Status::Valid)
    }
}

/// Changes the key of this name in an existing list. `edit` gets the list and the old entry.
fn change_key(
    path: &Path,
    name: &str,
    ui: Ui,
    edit: impl FnOnce(&mut TrustList, Listing) -> Result<Changed>,
) -> Result<Changed> {
    refuse_standard(path)?;
    // A missing list is an error: making a new one would report success although nothing changed.
    if !path.exists() {
        return Err(Error::at(path, "is not there").hint("name an existing trust list"));
    }
    change(path, ui, |list| {
        match list.keys().iter().find(|key| key.name() == name) {
            Some(key) => {
                let old = Listing::new(key);
                edit(list, old)
            }
            None => Err(no_such_name(path, name, list)),
        }
    })
    .map(|(changed, _)| changed)
}

/// Returns the error for a change that the list at `path` refuses.
fn unchangeable(path: &Path, error: TrustListError) -> Error {
    Error::at(path, "cannot be changed so").because(error)
}

fn is_revoked(key: &TrustedKey) -> bool {
    key.revoked().is_some()
}

/// Returns advice for a name that the list already has.
fn other_name(name: &str, is_revoked: bool) -> String {
    let year = Time::now().map_or_else(|| "2".to_owned(), |now| now.to_string()[..4].to_owned());
    let other = quote(Path::new(&format!("{name} {year}")));
    let stays = if is_revoked {
        "; the revoked entry stays"
    } else {
        ""
    };
    format!("names are unique: for example {other}{stays}")
}

/// Returns advice for a key that the list already has.
fn known_as(key: &TrustedKey) -> String {
    let revoked = if is_revoked(key) { ", revoked" } else { "" };
    format!("its name in the list is {}{revoked}", key.name())
}

fn refuse_standard(list: &Path) -> Result<()> {
    if is_standard(list) {
        return Err(Error::new("a trust list is changed in place").hint("name a file"));
    }
    Ok(())
}

/// Reads the list, changes it and replaces the old one. A lock makes commands of this program wait
/// for each other, even if they reach the list through different links. If another program changes
/// the list at the same time, the command fails and leaves the list unchanged. Returns the result
/// of `change`, and true if there was no list.
fn change<T>(
    path: &Path,
    ui: Ui,
    change: impl FnOnce(&mut TrustList) -> Result<T>,
) -> Result<(T, bool)> {
    let (snapshot, lock) = Snapshot::take_locked(path, MAX_REPLACED, &PROGRAM, ui)?;
    let (mut list, overwrite) = if fs::symlink_metadata(path).is_ok() {
        check_file(path)?;
        snapshot.check_names()?;
        let content = snapshot.content();
        let content = content.ok_or_else(|| Error::at(path, "cannot be read"))?;
        (parse_trust_list(path, content)?, Overwrite::Force)
    } else {
        (TrustList::default(), Overwrite::Never)
    };
    let changed = change(&mut list)?;
    let text = list.to_string();
    Pending::over(
        &PROGRAM,
        &snapshot,
        text.as_bytes(),
        Content::TrustList,
        overwrite,
    )?
    .commit_over(&snapshot)?;
    drop(lock);
    Ok((changed, overwrite == Overwrite::Never))
}

/// Refuses a list that cannot be replaced. Also refuses a list that its owner has made read-only,
/// even if the folder would allow replacing it.
fn check_file(list: &Path) -> Result<()> {
    let file = fs::metadata(list).map_err(|error| cannot_read(list, &error))?;
    if !file.is_file() {
        return Err(Error::at(list, "is not a regular file"));
    }
    let opened = fs::File::options().append(true).open(list);
    let told = || Error::at(list, "is read-only and was not changed");
    match opened {
        Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => {
            Err(told().hint(READ_ONLY_FILE_SYSTEM))
        }
        // The superuser may open any file, so the mode is checked, too.
        Ok(_) if !file.permissions().readonly() => Ok(()),
        _ => Err(told().hint(format_args!(
            "if you are allowed to change it: chmod u+w {}",
            quote(list)
        ))),
    }
}

/// An entry that was added, changed or removed.
#[derive(Serialize)]
struct Changed {
    #[serde(serialize_with = "serialize_path")]
    list: PathBuf,
    #[serde(flatten)]
    key: Listing,
    /// The revocation that was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
}

impl Changed {
    fn new(list: &Path, key: &TrustedKey) -> Self {
        Self {
            list: list.to_owned(),
            key: Listing::new(key),
            before: None,
            removed: false,
        }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (list, name) = (Escaped(shown(&self.list)), Escaped(&self.key.name));
        let removed = if self.removed { " was removed" } else { "" };
        writeln!(f, "{list}: {name}{removed}")?;
        writeln!(f, "  fingerprint {}", self.key.fingerprint)?;
        match self.key.revocation() {
            Some(revocation) => write!(f, "  {}", Escaped(revocation))?,
            None => write!(f, "  {}", self.key.validity())?,
        }
        match &self.before {
            Some(before) => write!(f, "\n  before: {}", Escaped(before)),
            None => Ok(()),
        }
    }
}
