//! Access of other users to secret keys.

use crate::ui::Ui;
use std::path::Path;

/// Warns if users other than the owner can read or change the file of a secret key.
#[cfg(unix)]
pub fn warn_if_exposed(path: &Path, ui: Ui) {
    use crate::{escape::shown, shell::quote};
    use std::os::unix::fs::PermissionsExt;
    // A pipe has no owner to protect it from.
    let Some(file) = path.metadata().ok().filter(|file| file.is_file()) else {
        return;
    };
    if file.permissions().mode() & 0o077 != 0 {
        ui.warn(format_args!(
            "{}: other users have access to this secret key; to end that: chmod 600 {}",
            shown(path),
            quote(path)
        ));
    }
}

/// Elsewhere files have no such modes.
#[cfg(not(unix))]
pub fn warn_if_exposed(_: &Path, _: Ui) {}
