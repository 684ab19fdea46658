//! The list of `sign --list` and `verify --check`: one file name on each line. The name of the
//! signature is the file name with `.sig` appended, or follows after a tab. Empty lines and lines
//! that begin with `#` are skipped. The length of a list is bounded, so that a wrong path costs
//! little time.

use crate::{
    error::{Error, Result},
    input::{cannot_read, is_standard, open},
    pem_text::BYTE_ORDER_MARK,
    place::with_suffix,
    ui::Ui,
};
use indicatif::HumanCount;
use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

/// Number of files in the longest list that is read.
pub(crate) const MAX_FILES: usize = 1 << 20;
/// Length in bytes of the longest list that is read.
const MAX_LEN: u64 = 64 << 20;

/// A file and the path of its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Path of the message.
    pub(crate) file: PathBuf,
    /// Path of the signature.
    pub(crate) signature: PathBuf,
}

impl Pair {
    /// Pairs a file with the usual path of its signature.
    pub(crate) fn beside(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            signature: signature_path(file),
        }
    }
}

/// Returns `FILE.sig`.
pub(crate) fn signature_path(file: &Path) -> PathBuf {
    with_suffix(file, ".sig")
}

/// Returns `FILE` for `FILE.sig`.
pub(crate) fn signed_path(signature: &Path) -> Option<PathBuf> {
    let is_named = signature.extension().is_some_and(|it| it == "sig");
    is_named.then(|| signature.with_extension(""))
}

/// Prints a note with the number of signatures among the named files, which were left out.
pub(crate) fn note_skipped_signatures(ui: Ui, count: usize) {
    match count {
        0 => {}
        1 => ui.note("skipped 1 signature of a named file"),
        _ => ui.note(format_args!(
            "skipped {} signatures of named files",
            HumanCount(count as u64)
        )),
    }
}

/// Reads a list; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<Pair>> {
    let mut input = open(path)?.take(MAX_LEN + 1);
    let pairs = parse(BufReader::new(&mut input)).map_err(|error| cannot_read(path, &error))?;
    let (pairs, within) = pairs;
    if !within || input.limit() == 0 {
        let (files, len) = (HumanCount(MAX_FILES as u64), MAX_LEN >> 20);
        let what = format_args!("has more than {files} files or {len} MiB");
        return Err(Error::at(path, what).hint("split the list"));
    }
    if pairs.is_empty() {
        return Err(Error::at(path, "names no file").hint("write one file name on each line"));
    }
    // If the text is not a list, it is not shown: it may be a passphrase.
    if !pairs
        .iter()
        .any(|pair| is_there(&pair.file) || is_there(&pair.signature))
    {
        return Err(Error::at(path, "names no file that exists")
            .hint("write one file name on each line, relative to the working folder, in UTF-8"));
    }
    Ok(pairs)
}

/// Returns true if something has this name, even a broken link.
pub(crate) fn is_there(path: &Path) -> bool {
    is_standard(path) || path.symlink_metadata().is_ok()
}

/// Parses the pairs. Also returns true if the list was read to its end.
fn parse(input: impl BufRead) -> io::Result<(Vec<Pair>, bool)> {
    let mut pairs = Vec::new();
    for (number, line) in input.split(b'\n').enumerate() {
        let mut line = &line?[..];
        if number == 0 {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if pairs.len() == MAX_FILES {
            return Ok((pairs, false));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let mut names = line.splitn(2, |&byte| byte == b'\t').map(path_of);
        if let Some(file) = names.next() {
            let signature = names.next().unwrap_or_else(|| signature_path(&file));
            pairs.push(Pair { file, signature });
        }
    }
    Ok((pairs, true))
}

/// Converts a name in the list to a path. On Unix, a path may contain any bytes.
#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_name_may_be_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let pairs = parse(&b"\xff\nb\n"[..]).unwrap().0;
        assert_eq!(pairs.len(), 2);
        assert_eq!(pairs[0].file.as_os_str().as_bytes(), b"\xff");
        assert_eq!(pairs[0].signature.as_os_str().as_bytes(), b"\xff.sig");
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let pairs = parse(&b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n"[..]).unwrap().0;
        let files = pairs.iter().map(|pair| pair.file.to_str().unwrap());
        assert_eq!(files.collect::<Vec<_>>(), ["a", "\u{feff}b"]);
        let pairs = parse(&b"\xef\xbb\xbf# list\r\na\r\n"[..]).unwrap().0;
        assert_eq!(pairs.len(), 1);
    }

    #[test]
    fn a_line_names_a_file_and_perhaps_its_signature() {
        let pairs = parse(&b"# list\na b.txt\n\nc\td.sig\r\n"[..]).unwrap().0;
        let expected = [("a b.txt", "a b.txt.sig"), ("c", "d.sig")];
        assert_eq!(pairs.len(), expected.len());
        for (pair, (file, signature)) in pairs.iter().zip(expected) {
            assert_eq!(pair.file, Path::new(file));
            assert_eq!(pair.signature, Path::new(signature));
        }
    }
}
