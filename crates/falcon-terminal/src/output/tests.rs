//! Tests of files that appear complete.

use super::*;
use crate::{error::in_words, place::with_suffix, program::TESTS};

const QUIET: Ui = Ui {
    json: false,
    quiet: true,
};

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn nothing_is_left_of_a_file_that_was_not_committed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let pending = Pending::with_bytes(&TESTS, &target, b"x", Content::Result, Overwrite::Never);
    assert_eq!(names(folder.path()).len(), 1);
    drop(pending);
    assert!(names(folder.path()).is_empty());
}

/// If a file is changed in place, the hint does not name another output file.
#[test]
fn hints_fit_files_that_are_replaced() {
    let path = Path::new("folder/list");
    let told = |kind: io::ErrorKind| {
        let error = cannot_create(path, &kind.into());
        let hint = |error: &Error| error.next_step().unwrap_or_default().to_owned();
        [hint(&error), hint(&how_to_replace(path, error))]
    };
    let elsewhere = "name an output file in a folder that you may write to";
    let [new, old] = told(io::ErrorKind::ReadOnlyFilesystem);
    assert_eq!((&*new, &*old), (elsewhere, READ_ONLY_FILE_SYSTEM));
    let [new, old] = told(io::ErrorKind::PermissionDenied);
    assert!(
        new == elsewhere && old.ends_with("chmod u+w folder"),
        "{old}"
    );
    assert_eq!(told(io::ErrorKind::StorageFull), ["", ""]);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("list");
    let write = |overwrite| {
        let snapshot = Snapshot::take(&target, 1 << 10);
        let pending = Pending::with_bytes(
            &TESTS,
            snapshot.real(),
            b"ours",
            Content::TrustList,
            overwrite,
        );
        (pending.unwrap(), snapshot)
    };
    for before in [None, Some(b"old")] {
        if let Some(before) = before {
            fs::write(&target, before).unwrap();
        }
        let (pending, snapshot) = write(Overwrite::Force);
        fs::write(&target, b"theirs").unwrap();
        assert!(pending.commit_over(&snapshot).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["list"]);
        let (pending, snapshot) = write(Overwrite::Force);
        pending.commit_over(&snapshot).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"ours");
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn the_old_second_file_of_a_pair_stays_if_the_first_cannot_be_named() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["first", "second"].map(|name| folder.path().join(name));
    let pending = |number: usize| {
        let content = Content::Result;
        Pending::with_bytes(&TESTS, &paths[number], b"new", content, Overwrite::Force).unwrap()
    };
    for fails in [true, false] {
        for path in &paths {
            fs::write(path, b"old").unwrap();
        }
        let (first, second) = (pending(0), pending(1));
        if fails {
            fs::remove_file(first.temporary.path()).unwrap();
        }
        assert_eq!(Pending::commit_pair(first, second, QUIET).is_err(), fails);
        let expected: &[u8] = if fails { b"old" } else { b"new" };
        for path in &paths {
            assert_eq!(fs::read(path).unwrap(), expected, "{path:?}");
        }
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, ["first", "second"]);
    }
}

#[test]
fn a_target_that_appears_meanwhile_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let pending =
        Pending::with_bytes(&TESTS, &target, b"ours", Content::Result, Overwrite::Never).unwrap();
    fs::write(&target, b"theirs").unwrap();
    assert!(pending.commit().is_err());
    assert_eq!(fs::read(&target).unwrap(), b"theirs");
    assert_eq!(names(folder.path()), ["out"]);
}

/// Makes the last rename fail, as if the program were killed before it. No old public key may be
/// left beside the new secret key, and the hint says how to make the new public key.
#[test]
fn half_a_pair_never_stands_beside_a_stranger() {
    for (content, overwrite) in [
        (Content::SecretKey, Overwrite::Force),
        (Content::SharedSecret, Overwrite::Force),
        (Content::SecretKey, Overwrite::Never),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        let forced = overwrite == Overwrite::Force;
        for file in [&first, &second].into_iter().filter(|_| forced) {
            fs::write(file, b"old").unwrap();
        }
        let write = |path: &Path, content| {
            Pending::with_bytes(&TESTS, path, b"new", content, overwrite).unwrap()
        };
        let pair = [write(&first, content), write(&second, Content::PublicKey)];
        fs::remove_file(pair[1].temporary.path()).unwrap();
        let [secret, public] = pair;
        let error = Pending::commit_pair(secret, public, QUIET).unwrap_err();
        let (name, word) = (shown(&first), quote(&first));
        let hint = (forced && content == Content::SecretKey).then(|| {
            format!("{name} is the new key already; to make its public key: tests pubkey {word}")
        });
        assert_eq!(error.next_step(), hint.as_deref());
        let left: &[&str] = if forced { &["first"] } else { &[] };
        assert_eq!(names(folder.path()), left, "{content:?}");
        if forced {
            assert_eq!(fs::read(&first).unwrap(), b"new");
        }
    }
}

#[test]
fn a_pair_is_refused_whole_if_one_of_it_appears_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let [secret, public] = ["k", "k.pub"].map(|name| folder.path().join(name));
    let write = |path: &Path, content| {
        Pending::with_bytes(&TESTS, path, b"ours", content, Overwrite::Never).unwrap()
    };
    let first = write(&secret, Content::SecretKey);
    let second = write(&public, Content::PublicKey);
    fs::write(&public, b"theirs").unwrap();
    assert!(Pending::commit_pair(first, second, QUIET).is_err());
    assert_eq!(names(folder.path()), ["k.pub"]);
    assert_eq!(fs::read(&public).unwrap(), b"theirs");
}

#[test]
fn force_replaces_a_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    fs::write(&target, b"old").unwrap();
    let write =
        |path: &Path| Pending::with_bytes(&TESTS, path, b"new", Content::Result, Overwrite::Force);
    write(&target).unwrap().commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert!(write(folder.path()).is_err());
}

#[test]
fn force_replaces_a_secret_key_by_a_secret_key_only() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("key");
    let write = |content| {
        Pending::with_bytes(&TESTS, &target, b"new", content, Overwrite::Force)
            .and_then(Pending::commit)
    };
    let key = "-----BEGIN X SECRET KEY-----";
    let late = format!("{}\r  {key}\r\n", "x".repeat(60_000));
    for secret in [
        key,
        "\u{feff}-----BEGIN PRIVATE KEY",
        &late,
        "raw key",
        "--- private\0  key",
        // "raw key" in Base64 and hexadecimal.
        "Key:\ncmF3\r\nIGtleQ==\n",
        "-----BEGIN PUBLIC KEY-----\ncmF3IGtleQ\n-----END PUBLIC KEY-----\n",
        "726177\n206B6579",
    ] {
        fs::write(&target, secret).unwrap();
        for content in [
            Content::SharedSecret,
            Content::PublicKey,
            Content::TrustList,
            Content::Result,
        ] {
            assert!(write(content).is_err(), "{content:?}");
            assert_eq!(fs::read(&target).unwrap(), secret.as_bytes());
        }
        write(Content::SecretKey).unwrap();
    }
    for other in [
        "",
        "SECRET KEY",
        "-----BEGIN PUBLIC KEY-----\n",
        "-- my private key --",
        "PRIVATE KEY\n-----",
        // "row key", and "raw key or shared".
        "cm93IGtleQ==",
        "cmF3IGtleSBvciBzaGFyZWQ=",
    ] {
        fs::write(&target, other).unwrap();
        write(Content::Result).unwrap();
    }
}

#[test]
fn force_replaces_no_secret_key_that_appears_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("key");
    let key = b"-----BEGIN PRIVATE KEY-----";
    for (content, is_pair) in [
        (Content::SharedSecret, false),
        (Content::Result, false),
        (Content::Result, true),
    ] {
        let write = |name: &str| {
            let path = folder.path().join(name);
            Pending::with_bytes(&TESTS, &path, b"new", content, Overwrite::Force).unwrap()
        };
        let (first, second) = (write("other"), write("key"));
        fs::write(&target, key).unwrap();
        let done = match is_pair {
            true => Pending::commit_pair(first, second, QUIET),
            false => second.commit(),
        };
        assert!(done.is_err(), "{content:?} {is_pair}");
        assert_eq!(fs::read(&target).unwrap(), key);
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn force_replaces_what_may_be_a_key_by_a_shared_secret_only() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("secret");
    let write = |content| {
        Pending::with_bytes(&TESTS, &target, b"new", content, Overwrite::Force)
            .and_then(Pending::commit)
    };
    for (beside, replaced) in [(false, true), (true, false)] {
        if beside {
            fs::write(with_suffix(&target, ".pub"), "public").unwrap();
        }
        for (content, replaced) in [
            (Content::SharedSecret, replaced),
            (Content::PublicKey, false),
            (Content::Result, false),
            (Content::SecretKey, true),
        ] {
            fs::write(&target, "raw key or shared").unwrap();
            assert_eq!(write(content).is_ok(), replaced, "{content:?} {beside}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_keeps_pointing_to_the_file_that_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("out"), folder.path().join("link"));
    fs::write(&target, b"old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    Pending::with_bytes(&TESTS, &link, b"new", Content::Result, Overwrite::Force)
        .unwrap()
        .commit()
        .unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), target);
    assert_eq!(fs::read(&target).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_secret() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |content| {
        let target = folder.path().join("out");
        Pending::with_bytes(&TESTS, &target, b"x", content, Overwrite::Force)
            .unwrap()
            .commit()
            .unwrap();
        fs::metadata(&target).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode(Content::SecretKey), 0o600);
    assert_eq!(mode(Content::SharedSecret), 0o600);
    assert_eq!(mode(Content::Result) & 0o600, 0o600);
    assert_eq!(mode(Content::Result) & 0o111, 0);
}

#[cfg(unix)]
#[test]
fn messages_name_the_target_alone() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| {
        let target = folder.path().join(name);
        let pending = Pending::with_bytes(&TESTS, &target, b"x", Content::Result, Overwrite::Force);
        pending.err().unwrap().to_string()
    };
    let system = io::Error::from_raw_os_error(5);
    let temporary = builder(&TESTS, Content::Result).tempfile_in("/dev/null");
    let not_a_folder = io::Error::from(rustix::io::Errno::NOTDIR);
    for (error, told) in [
        (&system, in_words(&system)),
        (&temporary.unwrap_err(), in_words(&not_a_folder)),
        (&io::ErrorKind::Other.into(), "other error".to_owned()),
    ] {
        let message = cannot_create(Path::new("m.sig"), error).to_string();
        assert_eq!(message, format!("m.sig: cannot create: {told}"));
    }
    for (name, told) in [
        ("", "is a folder"),
        ("new/", "is a folder"),
        ("no/file", "is not a folder"),
    ] {
        let message = inside(name);
        assert!(message.ends_with(told), "{message}");
        assert!(!message.contains(TESTS.temporary), "{message}");
    }
    let null = Pending::create(
        &TESTS,
        Path::new("/dev/null"),
        Content::Result,
        Overwrite::Never,
    );
    assert!(
        null.err()
            .unwrap()
            .to_string()
            .contains("not a regular file")
    );
}

#[test]
fn an_input_is_known_under_each_way_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    fs::write(&input, b"x").unwrap();
    let inputs = Inputs::new([input.as_path(), Path::new("-")]);
    assert!(inputs.spare(&folder.path().join("./in")).is_err());
    assert!(inputs.spare(&folder.path().join("out")).is_ok());
    assert!(inputs.spare(Path::new("-")).is_ok());
}
