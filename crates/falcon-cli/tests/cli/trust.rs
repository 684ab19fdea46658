//! Trust lists as files. No change is lost, and a changed file keeps its mode.
#![cfg(unix)]

use crate::sandbox::{Sandbox, json_lines, text, with};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Stdio,
    thread,
    time::Duration,
};

/// Returns a folder `a` with the list `team`, and a folder `b` with a link to it.
fn linked() -> Sandbox {
    let sandbox = Sandbox::new();
    for folder in ["a", "b"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    symlink("../a/team", sandbox.path("b/team")).unwrap();
    sandbox.succeeds(&["trust", "add", "a/team", "Alice", "k.pub"]);
    sandbox
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn changes_through_different_links_are_all_kept() {
    let sandbox = linked();
    let names: Vec<String> = (0..8).map(|index| format!("k{index}.pub")).collect();
    for (index, name) in names.iter().enumerate() {
        sandbox.write("seed", [200 + index as u8; 32]);
        let key = name.strip_suffix(".pub").unwrap();
        sandbox.succeeds(&["keygen", key, "--seed-file", "seed"]);
    }
    let lists = ["a/team", "b/team"].iter().cycle();
    let children: Vec<_> = names
        .iter()
        .zip(lists)
        .map(|(name, list)| {
            sandbox
                .command(&["trust", "add", list, name, name])
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let list = sandbox.read("a/team");
    let list = text(&list);
    for name in &names {
        assert!(list.contains(&format!("name: {name}\n")), "{name}");
    }
    assert!(sandbox.path("b/team").is_symlink());
}

#[test]
fn the_folder_of_the_list_is_locked_not_that_of_the_link() {
    let sandbox = linked();
    let before = sandbox.read("a/team");
    let folder = fs::File::open(sandbox.path("a")).unwrap();
    folder.lock().unwrap();
    let revoke = ["trust", "revoke", "b/team", "Alice", "--reason", "stolen"];
    let mut revoke = sandbox.command(&revoke);
    let revoke = revoke.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = revoke.spawn().unwrap();
    thread::sleep(Duration::from_millis(1000));
    assert!(child.try_wait().unwrap().is_none(), "it does not wait");
    assert_eq!(sandbox.read("a/team"), before);
    folder.unlock().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(text(&sandbox.read("a/team")).contains("reason: stolen\n"));
}

#[test]
fn a_list_keeps_its_mode() {
    let sandbox = linked();
    let list = sandbox.path("a/team");
    let at = ["--at", "2025-06-01T12:00:00Z"];
    for kept in [0o600, 0o640, 0o664, 0o666] {
        set_mode(&list, kept);
        let reason = format!("mode {kept:o}");
        let revoke = ["trust", "revoke", "b/team", "Alice", "--reason", &reason];
        sandbox.succeeds(&with(&revoke, at));
        assert_eq!(mode(&list), kept);
        assert!(text(&sandbox.read("a/team")).contains(&reason));
    }
}

#[test]
fn a_list_that_cannot_be_replaced_is_refused() {
    let sandbox = linked();
    let list = sandbox.path("a/team");
    let before = sandbox.read("a/team");
    let revoke = |list| ["trust", "revoke", list, "Alice", "--reason", "stolen"];
    set_mode(&list, 0o444);
    let message = sandbox.refuses(&revoke("a/team"));
    assert!(message.contains("a/team: is read-only"), "{message}");
    set_mode(&list, 0o644);

    fs::hard_link(&list, sandbox.path("second")).unwrap();
    let message = sandbox.refuses(&revoke("a/team"));
    assert!(message.contains("has 2 names"), "{message}");
    fs::remove_file(sandbox.path("second")).unwrap();

    let message = sandbox.refuses(&revoke("a"));
    assert!(message.contains("a: is not a regular file"), "{message}");
    symlink("nothing", sandbox.path("dangling")).unwrap();
    let message = sandbox.refuses(&["trust", "add", "dangling", "Alice", "k.pub"]);
    assert!(message.contains("dangling: does not exist"), "{message}");
    assert_eq!(sandbox.read("a/team"), before);
    sandbox.succeeds(&revoke("a/team"));
}

#[test]
fn a_key_that_is_there_is_named_and_a_time_to_come_is_told() {
    let sandbox = linked();
    let told = sandbox.refuses(&["trust", "add", "a/team", "Bob", "k.pub"]);
    assert!(told.contains("its name in the list is Alice\n"), "{told}");
    let revoke = [
        "trust", "revoke", "a/team", "Alice", "--reason", "stolen", "--at",
    ];
    let told = sandbox.succeeds(&with(&revoke, ["9000-01-01T00:00:00Z"]));
    assert!(text(&told.stderr).contains("is in the future"), "{told:?}");
    let told = sandbox.refuses(&["trust", "add", "a/team", "Bob", "k.pub"]);
    assert!(
        told.contains("its name in the list is Alice, revoked\n"),
        "{told}"
    );
    let told = sandbox.succeeds(&with(&revoke, ["2025-01-01T00:00:00Z"]));
    assert!(told.stderr.is_empty(), "{told:?}");
    sandbox.refuses(&with(&revoke, ["2025-01-01T00:00:01Z"]));
}

/// A folder that may be searched but not read cannot be opened for a lock.
#[test]
fn a_folder_that_cannot_be_locked_is_named() {
    use std::os::unix::{fs::chown, process::CommandExt};
    let sandbox = linked();
    let superuser = fs::metadata(sandbox.0.path())
        .is_ok_and(|folder| std::os::unix::fs::MetadataExt::uid(&folder) == 0);
    let nobody = 65534;
    let mut revoke = sandbox.command(&["trust", "revoke", "a/team", "Alice", "--reason", "stolen"]);
    if superuser {
        for path in ["a", "a/team"] {
            chown(sandbox.path(path), Some(nobody), Some(nobody)).unwrap();
        }
        set_mode(sandbox.0.path(), 0o755);
        revoke.uid(nobody).gid(nobody);
    }
    set_mode(&sandbox.path("a"), 0o300);
    let done = revoke.output().unwrap();
    set_mode(&sandbox.path("a"), 0o755);
    assert!(done.status.success(), "{done:?}");
    let told = text(&done.stderr);
    assert!(
        told.contains("warning: ") && told.contains("a: cannot be locked: Permission denied"),
        "{told}"
    );
    assert!(text(&sandbox.read("a/team")).contains("reason: stolen\n"));
}

#[test]
fn a_trust_list_is_not_the_name_of_a_key() {
    let sandbox = Sandbox::new();
    let add = ["trust", "add", "team", "Ann", "k.pub"];
    let made = sandbox.succeeds(&add);
    assert_eq!(text(&made.stderr), "note: new list: team\n");
    sandbox.succeeds(&["keygen", "new"]);
    let names = sandbox.names();
    let told = sandbox.refuses(&["trust", "add", "Bob", "team", "new.pub"]);
    assert_eq!(
        told,
        "error: team: is a trust list, but is named as the owner of a key\n \
         hint: name the list first: falcon-cli trust add team NAME new.pub\n"
    );
    assert_eq!(sandbox.names(), names);
    // A file of another kind may have the name of the owner.
    sandbox.write("Bob", "");
    let added = sandbox.succeeds(&["trust", "add", "team", "Bob", "new.pub"]);
    assert!(added.stderr.is_empty());
}

#[test]
fn a_second_revocation_replaces_nothing_unasked() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    let revoke = |reason| ["trust", "revoke", "team", "Ann", "--reason", reason];
    let at = ["--at", "2025-06-01T12:00:00Z"];
    let first = sandbox.succeeds(&with(&revoke("lost"), at));
    let told = text(&first.stdout);
    assert!(told.ends_with("  revoked 2025-06-01T12:00:00Z: lost\n"));
    let before = sandbox.read("team");
    let told = sandbox.refuses(&revoke("again"));
    assert_eq!(
        told,
        "error: team: the key of Ann is already revoked 2025-06-01T12:00:00Z: lost\n \
         hint: to replace the reason, or to move the time earlier, give the time with --at\n"
    );
    assert_eq!(sandbox.read("team"), before);

    let replaced = sandbox.succeeds(&with(&revoke("stolen"), at));
    let told = text(&replaced.stdout);
    let end =
        "  revoked 2025-06-01T12:00:00Z: stolen\n  before: revoked 2025-06-01T12:00:00Z: lost\n";
    assert!(told.ends_with(end), "{told}");
    let json = sandbox.succeeds(&with(&with(&revoke("sold"), at), ["--json"]));
    let json = &json_lines(&json)[0];
    assert_eq!(json["reason"], "sold");
    assert_eq!(json["before"], "revoked 2025-06-01T12:00:00Z: stolen");
}

#[test]
fn a_list_is_printed_and_a_key_is_removed() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "l", "-a", "falcon-1024"]);
    let added = sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    let until = ["--valid-until", "2026-01-01T00:00:00Z"];
    sandbox.succeeds(&with(&["trust", "add", "team", "Bob", "l.pub"], until));
    let list = sandbox.succeeds(&["trust", "list", "team"]);
    let lines: Vec<_> = text(&list.stdout).lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    // Both commands have the same words for the validity.
    assert!(lines[0].starts_with("Ann: key ") && lines[0].ends_with(", valid without limit"));
    assert!(text(&added.stdout).ends_with("\n  valid without limit\n"));
    assert!(lines[1].ends_with(", valid until 2026-01-01T00:00:00Z"));
    let keys = json_lines(&sandbox.succeeds(&["trust", "list", "team", "--json"]));
    assert_eq!((keys.len(), &keys[0]["name"]), (2, &"Ann".into()));

    let told = sandbox.refuses(&["trust", "remove", "team", "Cy"]);
    assert!(told.ends_with(" hint: the list has: Ann, Bob\n"), "{told}");
    let removed = sandbox.succeeds(&["trust", "remove", "team", "Ann"]);
    assert!(text(&removed.stdout).starts_with("team: Ann was removed\n"));
    let keys = json_lines(&sandbox.succeeds(&["trust", "list", "team", "--json"]));
    assert_eq!((keys.len(), &keys[0]["name"]), (1, &"Bob".into()));

    // Without the entry, somebody could add the revoked key again.
    sandbox.succeeds(&["trust", "revoke", "team", "Bob", "--reason", "lost"]);
    let before = sandbox.read("team");
    let told = sandbox.refuses(&["trust", "remove", "team", "Bob"]);
    assert!(told.contains("the key of Bob is revoked 2"), "{told}");
    assert!(told.contains(" hint: its entry stays"), "{told}");
    assert_eq!(sandbox.read("team"), before);
}
