//! Files for pictures and tables.

use crate::{
    PROGRAM,
    error::{Error, Result},
    escape::shown,
    input::is_standard,
    output::{Content, Overwrite, Pending, refuse_closed_stdout},
    ui::Ui,
};
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

/// Writes the file at `path`, or standard output if the path is `-`.
pub(super) fn write(
    path: &Path,
    force: bool,
    ui: Ui,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    if is_standard(path) {
        refuse_closed_stdout()?;
        let mut out = BufWriter::new(io::stdout().lock());
        let written = content(&mut out).and_then(|()| out.flush());
        return written.map_err(|error| Error::stdout(&error));
    }
    let mut file = Pending::create(
        &PROGRAM,
        path,
        Content::Result,
        Overwrite::from_force(force),
    )?;
    let mut out = BufWriter::new(&mut file);
    let written = content(&mut out).and_then(|()| out.flush());
    drop(out);
    written.map_err(|error| Error::io(path, "cannot write", &error))?;
    file.commit()?;
    ui.note(format_args!("{} written", shown(path)));
    Ok(())
}
