//! The list of `verify --check`: one file a line, and after a tab its
//! signature, where that is not the file's name with `.sig` added. Blank
//! lines and lines that begin with `#` say nothing.

use crate::{
    error::Result,
    input::{cannot_read, open},
};
use std::{
    ffi::OsString,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

/// A file and where its signature is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// The message.
    pub(crate) file: PathBuf,
    /// Its signature.
    pub(crate) signature: PathBuf,
}

impl Pair {
    /// With the signature in its usual place.
    pub(crate) fn beside(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            signature: signature_path(file),
        }
    }
}

/// `FILE.sig`.
pub(crate) fn signature_path(file: &Path) -> PathBuf {
    with_suffix(file, ".sig")
}

/// The path with something added to its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Reads a list; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<Pair>> {
    parse(BufReader::new(open(path)?)).map_err(|error| cannot_read(path, &error))
}

fn parse(input: impl BufRead) -> std::io::Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for line in input.lines() {
        let line = line?;
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        pairs.push(match line.split_once('\t') {
            Some((file, signature)) => Pair {
                file: file.into(),
                signature: signature.into(),
            },
            None => Pair::beside(Path::new(line)),
        });
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_file_and_perhaps_its_signature() {
        let pairs = parse(&b"# list\na b.txt\n\nc\td.sig\r\n"[..]).unwrap();
        let expected = [("a b.txt", "a b.txt.sig"), ("c", "d.sig")];
        assert_eq!(pairs.len(), expected.len());
        for (pair, (file, signature)) in pairs.iter().zip(expected) {
            assert_eq!(pair.file, Path::new(file));
            assert_eq!(pair.signature, Path::new(signature));
        }
    }
}
