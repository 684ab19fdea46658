//! Compares folders on the disk with their manifests.

mod common;

use common::{FILE, alice, manifest};
use falcon_envelope::{
    Difference, Digest, Entry, Envelope, FilePath, Manifest, ManifestError, Problem,
    SignedManifest, list_files,
};
use std::{fs, io, iter, path::Path, slice};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("sub/empty folder")).expect("a folder");
    for (path, content) in [
        ("sub/order.txt", FILE),
        ("empty", b""),
        ("a file: größer", b"larger\n"),
    ] {
        fs::write(folder.path().join(path), content).expect("a file");
    }
    folder
}

fn paths(files: &[FilePath]) -> Vec<&str> {
    files.iter().map(FilePath::as_str).collect()
}

fn read(folder: &Path) -> Manifest {
    let files = list_files(folder).expect("a folder").files;
    let entry = |path: FilePath| {
        let file = fs::File::open(folder.join(path.as_str())).expect("a file");
        let digest = Digest::of_reader(file).expect("a readable file");
        Entry { path, digest }
    };
    Manifest::new(files.into_iter().map(entry).collect()).expect("different paths")
}

#[test]
fn a_folder_is_read_in_the_order_of_bytes() {
    let folder = folder();
    assert_eq!(read(folder.path()), manifest());
    // `sub-` sorts before `sub/`, although the folder `sub` comes first.
    fs::write(folder.path().join("sub-"), "").expect("a file");
    let listing = list_files(folder.path()).expect("a folder");
    assert_eq!(
        paths(&listing.files),
        ["a file: größer", "empty", "sub-", "sub/order.txt"]
    );
    assert!(listing.not_listed.is_empty());
}

#[test]
fn missing_changed_and_extra_files_are_found() {
    let folder = folder();
    fs::remove_file(folder.path().join("empty")).expect("removed");
    fs::write(folder.path().join("extra"), "").expect("a file");
    fs::write(folder.path().join("sub/order.txt"), "order #43\n").expect("a file");
    let (signed, files) = (
        manifest(),
        list_files(folder.path()).expect("a folder").files,
    );
    let told: Vec<_> = signed
        .compare(&files)
        .into_iter()
        .map(|difference| match difference {
            Difference::Missing(entry) => format!("missing {}", entry.path),
            Difference::Extra(path) => format!("extra {path}"),
            Difference::Present(entry) => {
                let found = fs::read(folder.path().join(entry.path.as_str())).expect("a file");
                let same = Digest::of(&found) == entry.digest;
                format!("{} {}", if same { "same" } else { "changed" }, entry.path)
            }
        })
        .collect();
    assert_eq!(
        told,
        [
            "same a file: größer",
            "missing empty",
            "extra extra",
            "changed sub/order.txt"
        ]
    );
    assert_eq!(manifest().compare(&[]).len(), 3);
    assert_eq!(Manifest::default().compare(&files).len(), 3);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_odd_names_are_not_listed() {
    use falcon_envelope::{PathError, Reason};
    use std::{
        ffi::OsStr, os::unix::ffi::OsStrExt, os::unix::fs::symlink, os::unix::net::UnixListener,
    };
    let folder = folder();
    symlink("sub", folder.path().join("b link")).expect("a link");
    symlink("nowhere", folder.path().join("c link")).expect("a link");
    let _socket = UnixListener::bind(folder.path().join("d socket")).expect("a socket");
    fs::write(folder.path().join("e\nline"), "").expect("a file");
    let odd = folder.path().join(OsStr::from_bytes(b"f\xff"));
    fs::create_dir(&odd).expect("a folder");
    fs::write(odd.join("inside"), "").expect("a file");
    let listing = list_files(folder.path()).expect("a folder");
    assert_eq!(listing.files.len(), 3);
    let reasons: Vec<_> = listing.not_listed.iter().map(|it| it.reason).collect();
    assert_eq!(
        reasons,
        [
            Reason::SymbolicLink,
            Reason::SymbolicLink,
            Reason::SpecialFile,
            Reason::Name(PathError::Character('\n')),
            Reason::Name(PathError::Encoding),
        ]
    );
    // The folder itself may be reached through a link.
    let link = folder.path().join("b link");
    assert_eq!(
        paths(&list_files(&link).expect("a folder").files),
        ["order.txt"]
    );
}

#[test]
fn an_unreadable_folder_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = list_files(&folder.path().join("none")).expect_err("no folder");
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().contains("none"), "{error}");
}

#[test]
fn a_path_is_recorded_once() {
    let entries = manifest().entries().to_vec();
    // Repeats one entry: first after all entries, then without the others.
    for repeated in &entries {
        let duplicate = Err(ManifestError::Duplicate(repeated.path.clone()));
        let more = [&entries[..], slice::from_ref(repeated)].concat();
        assert_eq!(Manifest::new(more), duplicate);
        let two = vec![repeated.clone(), repeated.clone()];
        assert_eq!(Manifest::new(two), duplicate);
    }
}

/// Makes entries with these paths for empty files.
fn entries(paths: impl Iterator<Item = String>) -> Vec<Entry> {
    let digest = Digest::of(b"");
    let entry = |path: String| Entry {
        path: FilePath::parse(&path).expect("a path"),
        digest,
    };
    paths.map(entry).collect()
}

#[test]
fn a_manifest_has_a_largest_number_of_files() {
    let most = Manifest::MAX_FILES;
    let paths = |count| entries((0..count).map(|i| format!("{i:07}")));
    let too_many = Manifest::new(paths(most + 1));
    assert_eq!(too_many, Err(ManifestError::TooManyFiles));
    let manifest = Manifest::new(paths(most)).expect("as many as there may be");
    let last = &entries(iter::once("z".to_owned()))[0];
    // The reader counts the files, too.
    let text = format!("{manifest}{last}\n");
    let error = SignedManifest::parse(text.as_bytes()).expect_err("too many");
    assert_eq!(error.line(), most + 2);
    let expected = "no more than 1048576 files";
    assert_eq!(error.problem(), Problem::Value { expected });
}

/// The longest manifest leaves room for the longest envelope.
#[test]
fn a_manifest_has_a_largest_length() {
    let room = SignedManifest::MAX_LEN - Envelope::MAX_LEN;
    let line = entries(iter::once("x".repeat(FilePath::MAX_LEN)))[0]
        .to_string()
        .len()
        + 1;
    let mut left = room - Manifest::default().to_string().len();
    let mut number = 0;
    let mut paths = Vec::new();
    while left > 0 {
        // The last two lines share the remaining length, since a line has at least a path.
        let len = match left {
            left if left >= 2 * line => FilePath::MAX_LEN,
            left if left > line => FilePath::MAX_LEN / 2,
            left => left + FilePath::MAX_LEN - line,
        };
        paths.push(format!("{number:x<len$}"));
        left -= len + line - FilePath::MAX_LEN;
        number += 1;
    }
    let mut entries = entries(paths.into_iter());
    assert!(Manifest::new(entries.clone()).is_ok());
    let last = entries.pop().expect("a file");
    let path = FilePath::parse(&format!("{}x", last.path)).expect("a path");
    entries.push(Entry { path, ..last });
    assert_eq!(Manifest::new(entries), Err(ManifestError::TooLong));
}

/// A digest is the same in one piece, in small pieces, and from a reader that is interrupted.
#[test]
fn a_digest_does_not_depend_on_the_pieces() {
    struct Grudging<'a>(&'a [u8], bool);
    impl io::Read for Grudging<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let len = self.0.len().min(buffer.len()).min(37);
            let (now, later) = self.0.split_at(len);
            buffer[..len].copy_from_slice(now);
            self.0 = later;
            Ok(len)
        }
    }
    let bytes = alice().verifying_key().to_bytes();
    assert_eq!(
        Digest::of_reader(Grudging(&bytes, false)).expect("read"),
        Digest::of(&bytes)
    );
    assert_ne!(Digest::of(&bytes[1..]), Digest::of(&bytes));
}

#[test]
fn a_digest_needs_a_reader_that_does_not_fail() {
    struct Failing(Option<io::Error>);
    impl io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            self.0.take().map_or(Ok(0), Err)
        }
    }
    let failing = Failing(Some(io::ErrorKind::PermissionDenied.into()));
    let error = Digest::of_reader(failing).expect_err("an error");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
}
