//! A copy of the source tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Copies the files of `root` that git does not ignore to `copy`. `change` gets every path and
/// content, and returns the content to write. Unchanged files of `copy` keep their time of change,
/// so that cargo rebuilds little.
pub fn copy(root: &Path, copy: &Path, change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> io::Result<()> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()?;
    if !listed.status.success() {
        let message = String::from_utf8_lossy(&listed.stderr).into_owned();
        return Err(io::Error::other(message));
    }
    let listed = String::from_utf8(listed.stdout).map_err(io::Error::other)?;
    let mut kept = BTreeSet::new();
    for name in listed.split_terminator('\0') {
        // Skips a file that was deleted but is still in git's list.
        let Ok(content) = fs::read(root.join(name)) else {
            continue;
        };
        let to = copy.join(name);
        write_if_changed(&to, &change(name, content))?;
        kept.insert(to);
    }
    remove_others(copy, &kept)
}

/// Writes `content` to the file `to`, unless the file already has this content.
pub fn write_if_changed(to: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(to).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, content)
}

/// Removes every file below `folder` that is not in `kept`.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Returns every Rust file below `folder`.
pub fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}
