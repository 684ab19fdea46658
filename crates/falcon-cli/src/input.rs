//! Files and standard input.

use crate::error::{Error, Result};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};
use zeroize::Zeroizing;

/// Largest file of keys or signatures that is read, in bytes.
const MAX_OBJECT: u64 = 64 * 1024;

/// Whether the path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses standard input under two names: the second reader would find it
/// empty, and say nothing.
pub(crate) fn at_most_one_standard<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    if paths.into_iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(Error::new("standard input, `-`, is named more than once")
            .hint("it can be read once only"));
    }
    Ok(())
}

/// Opens a message for reading as a stream.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| cannot_read(path, &error))?;
    // A folder opens, and only then refuses to be read.
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            Err(Error::at(path, "is a folder").hint("name the files in it"))
        }
        _ => Ok(Box::new(file)),
    }
}

/// Opens a regular file, no link, for reading. What has taken its place meanwhile is refused, and a
/// pipe does not wait.
pub(crate) fn open_regular(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let file = options
        .open(path)
        .map_err(|error| cannot_read(path, &error))?;
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return Err(Error::at(path, "is no regular file any more"));
    }
    Ok(file)
}

/// Reads a key or a signature, whole. The memory is wiped: it may be a key.
pub(crate) fn read_object(path: &Path, kind: &str) -> Result<Zeroizing<Vec<u8>>> {
    // Growing would leave copies of the secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_OBJECT as usize + 1));
    open(path)?
        .take(MAX_OBJECT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(path, &error))?;
    if bytes.len() as u64 > MAX_OBJECT {
        return Err(Error::at(path, format_args!("is too large to be a {kind}")));
    }
    Ok(bytes)
}

/// Reading failed.
pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> Error {
    Error::io(path, "cannot read", error)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_and_a_folder_are_no_regular_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "text").expect("a file");
        symlink(&file, &link).expect("a link");
        assert!(open_regular(&file).is_ok());
        assert!(open_regular(&link).is_err());
        assert!(open_regular(folder.path()).is_err());
    }
}
