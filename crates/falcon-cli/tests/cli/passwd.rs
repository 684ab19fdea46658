//! `passwd`: the passphrase changes, and no key is ever lost.

use crate::sandbox::{Sandbox, json_lines, text, with};
use std::{fs, process::Stdio, thread, time::Duration};

/// Returns true if the encrypted key opens with the passphrase in the file `passphrase`.
fn opens(sandbox: &Sandbox, key: &str, passphrase: &str) -> bool {
    let sign = ["sign", "-k", key, "m", "--force", "--passphrase-file"];
    sandbox.run(&with(&sign, [passphrase])).status.success()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    sandbox.write("new", "battery staple\n");
    sandbox
}

#[cfg(unix)]
fn mode(sandbox: &Sandbox, name: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(sandbox.path(name))
        .unwrap()
        .permissions()
        .mode()
        & 0o777
}

const CHANGE: [&str; 6] = [
    "passwd",
    "e",
    "--passphrase-file",
    "p",
    "--new-passphrase-file",
    "new",
];

#[test]
fn a_passphrase_is_changed_and_the_key_stays_the_same() {
    let sandbox = sandbox();
    let changed = sandbox.succeeds(&CHANGE);
    let told = "Falcon-512 secret key: e, encrypted with the new passphrase\n";
    assert_eq!(text(&changed.stdout), told);
    assert!(!opens(&sandbox, "e", "p") && opens(&sandbox, "e", "new"));
    sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    #[cfg(unix)]
    assert_eq!(mode(&sandbox, "e"), 0o600);
}

#[test]
fn a_passphrase_is_added_and_removed_on_request_only() {
    let sandbox = sandbox();
    let plain = sandbox.read("k");
    let message = sandbox.refuses(&["passwd", "k", "--new-passphrase-file", "new"]);
    assert!(message.contains("--add"), "{message}");
    assert_eq!(sandbox.read("k"), plain);
    let add = ["passwd", "k", "--add", "--new-passphrase-file", "new"];
    let added = sandbox.succeeds(&with(&add, ["--json"]));
    assert_eq!(json_lines(&added)[0]["encrypted"], true);
    assert!(opens(&sandbox, "k", "new"));
    let message = sandbox.refuses(&add);
    assert!(message.contains("has a passphrase already"), "{message}");

    sandbox.write("empty", "\n");
    let change = ["passwd", "k", "--passphrase-file", "new"];
    sandbox.refuses(&with(&change, ["--new-passphrase-file", "empty"]));
    assert!(
        opens(&sandbox, "k", "new"),
        "an empty passphrase removes nothing"
    );
    sandbox.succeeds(&with(&change, ["--remove"]));
    assert_eq!(sandbox.read("k"), plain);
    let message = sandbox.refuses(&["passwd", "k", "--remove"]);
    assert!(message.contains("no passphrase to remove"), "{message}");
}

/// The second name would keep the old document.
#[cfg(unix)]
#[test]
fn a_key_with_a_second_name_is_refused() {
    let sandbox = sandbox();
    for key in ["k", "e"] {
        let second = sandbox.path("second");
        fs::hard_link(sandbox.path(key), &second).unwrap();
        let before = sandbox.read(key);
        for options in [
            &["--add", "--new-passphrase-file", "new"][..],
            &["--use", "certificates"],
            &CHANGE[2..],
            &["--passphrase-file", "p", "--remove"],
        ] {
            let told = sandbox.refuses(&with(&["passwd", key], options.iter().copied()));
            assert!(told.contains("has 2 names (hard links)"), "{told}");
            assert_eq!(sandbox.read(key), before);
        }
        fs::remove_file(second).unwrap();
    }
    sandbox.succeeds(&CHANGE);
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_fails_the_old_key_stays() {
    let sandbox = sandbox();
    sandbox.write("wrong", "guess\n");
    let before = sandbox.read("e");
    let names = sandbox.names();
    for arguments in [
        &[
            "passwd",
            "e",
            "--passphrase-file",
            "wrong",
            "--new-passphrase-file",
            "new",
        ][..],
        &[
            "passwd",
            "e",
            "--passphrase-file",
            "p",
            "--new-passphrase-file",
            "none",
        ],
        &[
            "passwd",
            "e",
            "--passphrase-file",
            "p",
            "--new-passphrase-file",
            "e",
        ],
        &[
            "passwd",
            "e",
            "--passphrase-file",
            "-",
            "--new-passphrase-file",
            "-",
        ],
        &["passwd", "e", "--passphrase-file", "p", "--remove", "--add"],
        &["passwd", "e", "--passphrase-file", "p"],
        &["passwd", "e.pub", "--add", "--new-passphrase-file", "new"],
        &["passwd", "-", "--add", "--new-passphrase-file", "new"],
        &["passwd", "none", "--add", "--new-passphrase-file", "new"],
    ] {
        // A new session has no terminal, so the program cannot ask.
        let refused = std::process::Command::new("setsid")
            .arg("--wait")
            .arg(env!("CARGO_BIN_EXE_falcon-cli"))
            .args(arguments)
            .current_dir(&sandbox.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?} {refused:?}");
        assert_eq!(sandbox.read("e"), before, "{arguments:?}");
        assert_eq!(sandbox.names(), names);
    }
}

/// A limit on the size of files interrupts the writing.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_key() {
    let sandbox = sandbox();
    let before = sandbox.read("e");
    let limited = std::process::Command::new("sh")
        .args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_falcon-cli"))
        .args(CHANGE)
        .current_dir(&sandbox.0)
        .output()
        .unwrap();
    let message = crate::sandbox::said(&limited);
    assert!(message.contains("e: cannot write"), "{message}");
    assert_eq!(sandbox.read("e"), before);
    assert!(
        !sandbox
            .names()
            .iter()
            .any(|name| name.starts_with(".falcon-"))
    );
}

/// The new file would contain only the key, so `passwd` refuses a file that has other text.
#[test]
fn text_around_the_key_is_not_dropped() {
    let sandbox = sandbox();
    let key = sandbox.read("e");
    for (before, after) in [
        ("key of the laptop\n", ""),
        ("", "\nsince 2025"),
        ("\u{feff}# a\r\n", ""),
    ] {
        let with_text = [before.as_bytes(), &key, after.as_bytes()].concat();
        sandbox.write("e", &with_text);
        assert!(opens(&sandbox, "e", "p"));
        let message = sandbox.refuses(&CHANGE);
        assert!(
            message.contains("e: has text before or after the key"),
            "{message}"
        );
        assert_eq!(sandbox.read("e"), with_text);
    }
    sandbox.write("e", [b"\xef\xbb\xbf\n", &key[..], b"\n \n"].concat());
    sandbox.succeeds(&CHANGE);
    assert!(opens(&sandbox, "e", "new"));
}

/// Checks that `passwd` does not replace a new key of another program with the old key.
#[cfg(unix)]
#[test]
fn a_key_that_was_replaced_meanwhile_stays() {
    let sandbox = sandbox();
    let folder = fs::File::open(sandbox.0.path()).unwrap();
    folder.lock().unwrap();
    let passwd = sandbox
        .command(&CHANGE)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(1000));
    fs::copy(sandbox.path("k"), sandbox.path("e")).unwrap();
    folder.unlock().unwrap();
    let refused = passwd.wait_with_output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(text(&refused.stderr).contains("replaced by another program"));
    assert_eq!(sandbox.read("e"), sandbox.read("k"));
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_terminal_the_option_is_named() {
    let sandbox = sandbox();
    let program = env!("CARGO_BIN_EXE_falcon-cli");
    for (arguments, hint) in [
        (
            &["sign", "-k", "e", "m"][..],
            "e is encrypted: give its passphrase with --passphrase-file",
        ),
        (
            &["keygen", "new.key", "--passphrase"],
            "name a file of the passphrase with --passphrase-file",
        ),
        (
            &["passwd", "k", "--add"],
            "name a file of the passphrase with --new-passphrase-file",
        ),
    ] {
        // A new session has no terminal, so nothing can be asked.
        let refused = std::process::Command::new("setsid")
            .args(["--wait", program])
            .args(arguments)
            .current_dir(&sandbox.0)
            .output()
            .unwrap();
        let told = "error: there is no terminal to ask for the passphrase\n";
        let message = text(&refused.stderr);
        assert_eq!(message, format!("{told} hint: {hint}\n"), "{arguments:?}");
        assert_eq!(refused.status.code(), Some(2));
    }
    assert!(!sandbox.path("new.key").exists());
}

/// Checks that the program asks for both passphrases, and twice for the new one.
#[cfg(target_os = "linux")]
#[test]
fn a_passphrase_is_asked_for_on_a_terminal() {
    use crate::sandbox::{shown_until, terminal};
    use std::{io::Write, process::Command};
    let sandbox = sandbox();
    let before = sandbox.read("e");
    for (repeated, status) in [("battery stable", 2), ("battery staple", 0)] {
        let (mut terminal, open) = terminal();
        let mut child = Command::new("setsid")
            .args([
                "--ctty",
                "--wait",
                env!("CARGO_BIN_EXE_falcon-cli"),
                "passwd",
                "e",
            ])
            .current_dir(&sandbox.0)
            .stdin(open())
            .stdout(open())
            .stderr(open())
            .spawn()
            .unwrap();
        let mut shown = String::new();
        for (question, answer) in [
            ("Passphrase of e: ", "secret"),
            ("New passphrase of e: ", "battery staple"),
            ("Repeat it: ", repeated),
        ] {
            shown_until(&mut terminal, &mut shown, question);
            // The echo is switched off shortly before or after the question is shown.
            thread::sleep(Duration::from_millis(100));
            terminal
                .write_all(format!("{answer}\n").as_bytes())
                .unwrap();
        }
        assert_eq!(child.wait().unwrap().code(), Some(status), "{shown}");
        assert_eq!(sandbox.read("e") == before, status == 2);
    }
    assert!(opens(&sandbox, "e", "new"));
}
