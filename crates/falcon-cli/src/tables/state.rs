//! The state of a file.

use serde::Serialize;
use std::{fs::Metadata, path::Path};

/// State of a file. If the state has changed, results from the file are outdated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct State {
    pub(super) bytes: u64,
    modified_ns: i64,
    changed_ns: i64,
}

/// Time in nanoseconds since 1970. From the year 2262 on, the number exceeds 64 bits and is
/// truncated. This is harmless, since states are only compared.
#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.wrapping_mul(1_000_000_000).wrapping_add(rest)
}

impl State {
    /// Returns the state of the file at `path`, if it exists.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().as_ref().map(Self::of)
    }

    /// Returns the length and the time of the last change of the contents. A copy with `cp -p` has
    /// the same values.
    pub(super) fn contents(&self) -> [u64; 2] {
        [self.bytes, self.modified_ns as u64]
    }

    /// Returns the state of `path` itself, even if it is a link.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().as_ref().map(Self::of)
    }

    #[cfg(unix)]
    pub(super) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: metadata.len(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = since.map_or(0, |since| since.as_nanos() as i64);
        Self {
            bytes: metadata.len(),
            modified_ns,
            changed_ns: modified_ns,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_nanoseconds() {
        assert_eq!(nanoseconds(3, 7), 3_000_000_007);
        assert_eq!(nanoseconds(-1, 999_999_999), -1);
    }
}
