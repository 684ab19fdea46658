//! Messages as streams: hashed while they are read, in constant memory.

use crate::{
    error::Result,
    input::{cannot_read, open},
    progress::Progress,
};
use std::{io::Read, path::Path};

/// Bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// Gives the message to `absorb`, part by part.
pub(crate) fn read(path: &Path, progress: &Progress, mut absorb: impl FnMut(&[u8])) -> Result<()> {
    let mut input = progress.reader(open(path)?);
    let mut buffer = vec![0; CHUNK];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => absorb(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cannot_read(path, &error)),
        }
    }
}
