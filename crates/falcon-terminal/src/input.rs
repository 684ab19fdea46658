//! Reads files and standard input.

use crate::error::{Error, Result};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};
use zeroize::Zeroizing;

/// True if the path means standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses `-` for more than one input. The second reader would find standard input empty and
/// report no error.
pub fn at_most_one_standard<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    if paths.into_iter().filter(|path| is_standard(path)).count() > 1 {
        return Err(Error::new("standard input, `-`, is named more than once")
            .hint("it can be read once only"));
    }
    Ok(())
}

/// Opens a file, or standard input for `-`, for reading as a stream.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| cannot_read(path, &error))?;
    // On Unix, opening a folder succeeds, and only reading from it fails.
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            Err(Error::at(path, "is a folder").hint("name the files in it"))
        }
        _ => Ok(Box::new(file)),
    }
}

/// Reports early that a file cannot be read, or that the path is a folder. Does not open a pipe,
/// since opening and closing it would end the program that writes to it.
pub fn check_readable(path: &Path) -> Result<()> {
    let metadata = path.metadata().map_err(|error| cannot_read(path, &error))?;
    if metadata.is_file() || metadata.is_dir() {
        open(path)?;
    }
    Ok(())
}

/// Opens a regular file for reading, but not through a link. Fails if the path names a pipe, a
/// device or a folder, and does not wait for the other end of a pipe.
pub fn open_regular(path: &Path) -> Result<File> {
    open_at_once(path, false)
}

/// Opens a regular file for reading, also through a link. Refuses a pipe, a socket or a device
/// before opening it.
pub fn open_linked(path: &Path) -> Result<File> {
    let metadata = path.metadata().map_err(|error| cannot_read(path, &error))?;
    if !metadata.is_file() {
        return Err(Error::at(path, "is not a regular file")
            .hint("write what it has to a file, and name that file"));
    }
    open_at_once(path, true)
}

fn open_at_once(path: &Path, follow: bool) -> Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let mut flags = OFlags::NONBLOCK;
        flags.set(OFlags::NOFOLLOW, !follow);
        options.custom_flags(flags.bits() as i32);
    }
    #[cfg(not(unix))]
    let _ = follow;
    let file = options
        .open(path)
        .map_err(|error| cannot_read(path, &error))?;
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return Err(Error::at(path, "is no regular file any more"));
    }
    Ok(file)
}

/// Returns the length of the file at `path`, if it is a regular file.
pub fn regular_length(path: &Path) -> Option<u64> {
    let metadata = path.metadata().ok().filter(|_| !is_standard(path))?;
    metadata.is_file().then_some(metadata.len())
}

/// Reads a whole file of at most `max` bytes. The memory is wiped, since the file may be a key. If
/// the file is longer, the error names the expected `kind`.
pub fn read_object(path: &Path, max: u64, kind: &str) -> Result<Zeroizing<Vec<u8>>> {
    let (bytes, _) = read_start(path, max)?;
    check_object(path, &bytes, max, kind)?;
    Ok(bytes)
}

/// Reads at most `max` bytes, and one more byte if the file is longer. Also returns the reader of
/// the rest.
pub fn read_start(path: &Path, max: u64) -> Result<(Zeroizing<Vec<u8>>, impl Read)> {
    // Growing memory would leave copies of the secret.
    let mut bytes = Zeroizing::new(Vec::with_capacity(max as usize + 1));
    let mut input = open(path)?;
    (&mut input)
        .take(max + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(path, &error))?;
    Ok((bytes, input))
}

/// Refuses a file whose start is longer than `max` bytes.
pub fn check_object(path: &Path, start: &[u8], max: u64, kind: &str) -> Result<()> {
    if start.len() as u64 > max {
        return Err(Error::at(path, format_args!("is too large to be a {kind}")));
    }
    Ok(())
}

/// Returns the error for a file that could not be read.
pub fn cannot_read(path: &Path, error: &io::Error) -> Error {
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
    /// Opens a file while another thread repeatedly replaces it by a link and a pipe.
    #[test]
    fn what_takes_the_place_of_a_file_is_never_read() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::{
            sync::{
                Arc,
                atomic::{AtomicBool, Ordering},
                mpsc,
            },
            thread,
            time::Duration,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let [file, other, next] = ["file", "other", "next"].map(|name| folder.path().join(name));
        std::fs::write(&file, "signed").expect("a file");
        std::fs::write(&other, "another").expect("a file");
        let stop = Arc::new(AtomicBool::new(false));
        let exchange = {
            let (stop, file) = (Arc::clone(&stop), file.clone());
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    symlink(&other, &next).expect("a link");
                    std::fs::rename(&next, &file).expect("a name");
                    std::fs::write(&next, "signed").expect("a file");
                    std::fs::rename(&next, &file).expect("a name");
                    mknodat(CWD, &next, FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
                    std::fs::rename(&next, &file).expect("a name");
                    std::fs::write(&next, "signed").expect("a file");
                    std::fs::rename(&next, &file).expect("a name");
                }
            })
        };
        // Opening runs in a separate thread, since a pipe could block it.
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let (mut opened, mut refused) = (0, 0);
            while opened < 2000 || refused < 2000 {
                match open_regular(&file) {
                    Err(_) => refused += 1,
                    Ok(file) => {
                        assert_eq!(io::read_to_string(file).expect("a text"), "signed");
                        opened += 1;
                    }
                }
            }
            let _ = tell.send(());
        });
        let outcome = told.recv_timeout(Duration::from_secs(60));
        stop.store(true, Ordering::Relaxed);
        exchange.join().expect("no panic");
        assert_eq!(outcome, Ok(()), "it waits, or has read something else");
    }
}
