//! Checks the access of other users to secrets.

use crate::ui::Ui;
use std::path::Path;

/// Warns if users other than the owner can read or change the file of a secret. `what` names the
/// secret, such as "secret key".
#[cfg(unix)]
pub fn warn_if_exposed(path: &Path, what: &str, ui: Ui) {
    use crate::{escape::shown, input::is_standard, shell::quote};
    use std::os::unix::fs::PermissionsExt;
    // The access to a pipe is not checked.
    let file = path.metadata().ok().filter(|_| !is_standard(path));
    let Some(file) = file.filter(|file| file.is_file()) else {
        return;
    };
    if file.permissions().mode() & 0o077 != 0 {
        ui.warn(format_args!(
            "{}: other users have access to this {what}; to end that: chmod 600 {}",
            shown(path),
            quote(path)
        ));
    }
}

/// Does nothing, since files of other systems have no such modes.
#[cfg(not(unix))]
pub fn warn_if_exposed(_: &Path, _: &str, _: Ui) {}
