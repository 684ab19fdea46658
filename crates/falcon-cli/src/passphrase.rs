//! Passphrases. They are read from a terminal or a file, never from the command line, which every
//! process of the machine can read.

use crate::{
    access::warn_if_exposed,
    error::{Error, Result},
    escape::Escaped,
    escape::shown,
    input::{cannot_read, open},
    interrupt,
    ui::Ui,
};
use clap::Args;
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// A passphrase. Its memory is wiped.
pub(crate) type Passphrase = Zeroizing<String>;

/// Length in bytes of the longest passphrase file that is read. The length is bounded, so that a
/// wrong path costs little time.
const MAX_LEN: u64 = 4096;

/// Source of the passphrase of an encrypted key.
#[derive(Clone, Debug, Args)]
pub(crate) struct PassphraseSource {
    /// Read the passphrase of the secret key from the first line of FILE; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) passphrase_file: Option<PathBuf>,
}

impl PassphraseSource {
    /// Reads the passphrase of an existing key from the file, or asks for it.
    pub(crate) fn existing(&self, key: &Path, ui: Ui) -> Result<Passphrase> {
        match &self.passphrase_file {
            Some(path) => read(path, "--passphrase-file", ui),
            None => ask(
                &format!("Passphrase of {}: ", Escaped(shown(key))),
                "--passphrase-file",
            )
            .map_err(|error| {
                error.hint(format!(
                    "{} is encrypted: give its passphrase with --passphrase-file",
                    shown(key)
                ))
            }),
        }
    }
}

/// Reads the new passphrase of a key from the file that `option` names, or asks for it twice.
pub(crate) fn new_passphrase(
    file: Option<&Path>,
    option: &str,
    key: &Path,
    ui: Ui,
) -> Result<Passphrase> {
    if let Some(path) = file {
        return read(path, option, ui);
    }
    let first = ask(
        &format!("New passphrase of {}: ", Escaped(shown(key))),
        option,
    )?;
    let second = ask("Repeat it: ", option)?;
    if *first == *second {
        Ok(first)
    } else {
        Err(Error::new("the two passphrases differ").hint("run the command again"))
    }
}

/// True if the process has a terminal that can be opened.
#[cfg(unix)]
fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

/// True if a user can answer on standard input.
#[cfg(not(unix))]
fn has_terminal() -> bool {
    io::IsTerminal::is_terminal(&io::stdin())
}

/// Asks on the terminal. The error advises `option`, which names a passphrase file.
fn ask(prompt: &str, option: &str) -> Result<Passphrase> {
    let terminal = interrupt::guard_terminal();
    let answer = rpassword::prompt_password(prompt);
    drop(terminal);
    // While the prompt waits, Ctrl-C is read as a character and reported as this error.
    if matches!(&answer, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
        interrupt::end();
    }
    let answer = answer.map_err(|error| {
        let error = if has_terminal() {
            Error::new("cannot ask for the passphrase").because(error)
        } else {
            Error::new("there is no terminal to ask for the passphrase")
        };
        error.hint(format_args!("name a file of the passphrase with {option}"))
    })?;
    non_empty(Zeroizing::new(answer)).ok_or_else(|| Error::new("the passphrase is empty"))
}

/// Reads the passphrase in the file that `option` names. Warns if other users have access to it.
fn read(path: &Path, option: &str, ui: Ui) -> Result<Passphrase> {
    let mut text = Zeroizing::new(String::with_capacity(MAX_LEN as usize + 1));
    open(path)?
        .take(MAX_LEN + 1)
        .read_to_string(&mut text)
        .map_err(|error| cannot_read(path, &error))?;
    if text.len() as u64 > MAX_LEN {
        return Err(
            Error::at(path, format_args!("is longer than {MAX_LEN} bytes"))
                .hint("a passphrase file has one line"),
        );
    }
    let line = Zeroizing::new(text.lines().next().unwrap_or_default().to_owned());
    // A public key is known to everybody, so its first line is not a secret.
    if line.starts_with("-----BEGIN") {
        return Err(
            Error::at(path, "is a PEM file; its first line is not a passphrase")
                .hint("name the file that holds the passphrase"),
        );
    }
    let passphrase = non_empty(line).ok_or_else(|| {
        Error::at(path, "the first line, which is the passphrase, is empty").hint(format_args!(
            "write the passphrase into the file, or leave {option} out"
        ))
    })?;
    warn_if_exposed(path, "passphrase", ui);
    Ok(passphrase)
}

fn non_empty(passphrase: Passphrase) -> Option<Passphrase> {
    (!passphrase.is_empty()).then_some(passphrase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const UI: Ui = Ui {
        json: false,
        quiet: true,
    };

    fn from_file(content: &[u8]) -> Result<Passphrase> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        read(file.path(), "--passphrase-file", UI)
    }

    #[test]
    fn the_passphrase_is_the_first_line_without_its_end() {
        for content in ["a b", "a b\n", "a b\r\n", "a b\nsecond\n"] {
            assert_eq!(*from_file(content.as_bytes()).unwrap(), "a b");
        }
        assert_eq!(*from_file(b" a \n").unwrap(), " a ");
    }

    #[test]
    fn empty_long_binary_and_pem_files_are_refused() {
        assert!(from_file(b"-----BEGIN PRIVATE KEY-----\nMII\n").is_err());
        assert!(from_file(b"").is_err());
        assert!(from_file(b"\nsecond").is_err());
        assert!(from_file(&[b'a'; MAX_LEN as usize + 1]).is_err());
        assert!(from_file(b"\xff\xfe").is_err());
        assert!(read(Path::new("/nonexistent"), "--passphrase-file", UI).is_err());
    }
}
