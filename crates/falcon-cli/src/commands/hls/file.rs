//! Where pictures and tables go.

use crate::{
    error::{Error, Result},
    input::is_standard,
    output::{Content, Overwrite, Pending},
    ui::Ui,
};
use std::{
    io::{self, Write},
    path::Path,
};

/// Writes `bytes` to the file at `path`, or to standard output if it is `-`.
pub(super) fn write(path: &Path, bytes: &[u8], force: bool, ui: Ui) -> Result<()> {
    if is_standard(path) {
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        return written.map_err(|error| Error::stdout(&error));
    }
    let overwrite = Overwrite::from_force(force);
    Pending::with_bytes(path, bytes, Content::Result, overwrite)?.commit()?;
    ui.note(format_args!("{} written", path.display()));
    Ok(())
}
