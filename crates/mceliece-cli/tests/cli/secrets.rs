//! Secrets: the modes of their files, and messages that must not show them.

use crate::sandbox::{QUICK, Sandbox, text};

#[cfg(unix)]
mod modes {
    use super::*;
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt,
        process::{Command, Stdio},
    };

    fn mode(sandbox: &Sandbox, name: &str) -> u32 {
        let metadata = fs::metadata(sandbox.path(name)).unwrap();
        metadata.permissions().mode() & 0o777
    }

    /// Runs the program with a umask that makes new files readable for everybody.
    fn openly(sandbox: &Sandbox, arguments: &[&str]) {
        let program = env!("CARGO_BIN_EXE_mceliece-cli");
        let ran = Command::new("sh")
            .args(["-c", "umask 0; exec \"$@\"", "sh", program])
            .args(arguments)
            .current_dir(&sandbox.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    #[test]
    fn only_the_owner_may_read_keys_and_shared_secrets() {
        let sandbox = Sandbox::empty();
        for form in ["full", "compressed", "seed"] {
            openly(
                &sandbox,
                &["keygen", "--parameters", QUICK, form, "--form", form],
            );
            assert_eq!(mode(&sandbox, form), 0o600, "{form}");
        }
        assert_eq!(mode(&sandbox, "full.pub"), 0o666);
        openly(
            &sandbox,
            &["encaps", "-p", "full.pub", "-o", "c", "--secret", "s"],
        );
        openly(
            &sandbox,
            &["decaps", "-k", "full", "c", "--secret", "t", "--hex"],
        );
        assert_eq!(mode(&sandbox, "s"), 0o600);
        assert_eq!(mode(&sandbox, "t"), 0o600);
        assert_eq!(mode(&sandbox, "c"), 0o666);
        // A file that everybody could read is replaced by one with mode 0600.
        fs::set_permissions(sandbox.path("s"), Permissions::from_mode(0o644)).unwrap();
        openly(
            &sandbox,
            &["decaps", "-k", "full", "c", "--secret", "s", "--force"],
        );
        assert_eq!(mode(&sandbox, "s"), 0o600);
    }

    #[test]
    fn a_key_that_others_can_read_is_warned_about() {
        let sandbox = Sandbox::new();
        fs::set_permissions(sandbox.path("k"), Permissions::from_mode(0o640)).unwrap();
        for arguments in [
            &["decaps", "-k", "k", "c", "--secret", "-"][..],
            &["pubkey", "k", "-o", "-"],
            &["inspect", "k"],
        ] {
            let used = sandbox.succeeds(arguments);
            let said = text(&used.stderr);
            assert!(said.contains("chmod 600 k"), "{arguments:?} {said}");
        }
    }

    #[test]
    fn a_seed_that_others_can_read_is_warned_about() {
        let sandbox = Sandbox::empty();
        sandbox.write("seed", [0xf3; 32]);
        for (mode, warned) in [(0o644, true), (0o620, true), (0o600, false)] {
            fs::set_permissions(sandbox.path("seed"), Permissions::from_mode(mode)).unwrap();
            let keygen = ["keygen", "--parameters", QUICK, "k", "--seed-file", "seed"];
            let made = sandbox.succeeds(&[&keygen[..], &["--force"]].concat());
            let said = text(&made.stderr);
            let told = "warning: seed: other users have access to this secret seed";
            assert_eq!(said.contains(told), warned, "{mode:o} {said}");
            assert_eq!(said.contains("chmod 600 seed"), warned, "{mode:o} {said}");
        }
    }
}

/// The output of the program in these cases contains no part of the key, the seed or the shared
/// secret: neither as bytes, nor in hexadecimal, nor in base64.
#[test]
fn no_message_shows_a_secret() {
    let sandbox = Sandbox::empty();
    let seed: Vec<u8> = (0..32).map(|i: u8| 0x80 | i.wrapping_mul(37)).collect();
    sandbox.write("seed", &seed);
    let keygen = [
        "keygen",
        "--parameters",
        QUICK,
        "k",
        "--seed-file",
        "seed",
        "--raw",
    ];
    let mut outputs = vec![sandbox.succeeds(&keygen)];
    let pem = ["keygen", "--parameters", QUICK, "p", "--seed-file", "seed"];
    outputs.push(sandbox.succeeds(&pem));
    outputs.push(sandbox.succeeds(&["encaps", "-p", "p.pub", "-o", "c", "--secret", "s"]));
    let (key, pem, shared) = (sandbox.read("k"), sandbox.read("p"), sandbox.read("s"));
    let mut damaged = key.clone();
    damaged[3000] ^= 1;
    sandbox.write("damaged", damaged);
    sandbox.write("short", &key[..6000]);
    sandbox.write("cut", &pem[..4000]);
    sandbox.write("seed33", [&seed[..], b"\0"].concat());
    sandbox.write("pem", [b"-----BEGIN ", &pem[40..100], b"-----\n"].concat());
    let named = ["--parameters", QUICK];
    for arguments in [
        &["inspect", "k", "short", "damaged", "seed", "seed33"][..],
        &["decaps", "-k", "short", "c", "--secret", "x"],
        &["decaps", "-k", "damaged", "s", "--secret", "x"],
        &["encaps", "-p", "k", "-o", "x", "--secret", "y"],
        &["encaps", "-p", "s", "-o", "x", "--secret", "y"],
        &["pubkey", "damaged", "-o", "x"],
        &["keygen", "x", "--seed-file", "seed33"],
        &["keygen", "x", "--seed-file", "k"],
    ] {
        for more in [&[][..], &["--json"]] {
            outputs.push(sandbox.run(&[arguments, &named, more].concat()));
        }
    }
    outputs.push(sandbox.run(&["inspect", "cut", "p", "pem", "k"]));
    let hex = |bytes: &[u8]| -> Vec<u8> {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.into_bytes()
    };
    let body = pem.split(|&byte| byte == b'\n').nth(1).unwrap();
    let needles = [
        seed[..6].to_vec(),
        hex(&seed[..4]),
        body[..12].to_vec(),
        key[100..106].to_vec(),
        hex(&key[100..104]),
        shared[..6].to_vec(),
        hex(&shared[..4]),
    ];
    assert!(outputs.len() > 16);
    for output in outputs {
        for shown in [&output.stdout, &output.stderr] {
            let lower = shown.to_ascii_lowercase();
            for needle in &needles {
                let found = |text: &[u8]| text.windows(needle.len()).any(|it| it == needle);
                assert!(
                    !found(shown) && !found(&lower),
                    "{}",
                    String::from_utf8_lossy(shown)
                );
            }
        }
    }
}

#[test]
fn secrets_are_not_overwritten_without_force() {
    let sandbox = Sandbox::new();
    let files = || ["c", "k", "k.pub", "s"].map(|name| sandbox.read(name));
    let before = files();
    sandbox.write("other", "precious");
    for arguments in [
        &["encaps", "-p", "k.pub", "-o", "new", "--secret", "other"][..],
        &["encaps", "-p", "k.pub", "-o", "other", "--secret", "new"],
        &["encaps", "-p", "k.pub", "-o", "-", "--secret", "other"],
        &["encaps", "-p", "k.pub", "-o", "other", "--secret", "-"],
        &["decaps", "-k", "k", "c", "--secret", "other"],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(message.contains("other: exists already"), "{message}");
        assert_eq!(sandbox.read("other"), b"precious");
        assert_eq!(sandbox.names(), ["c", "k", "k.pub", "other", "s"]);
        let forced = [arguments, &["--force"]].concat();
        sandbox.succeeds(&forced);
        assert_ne!(sandbox.read("other"), b"precious", "{arguments:?}");
        let _ = std::fs::remove_file(sandbox.path("new"));
        sandbox.write("other", "precious");
    }
    assert_eq!(files(), before);
}

/// If the program cannot write one output, it does not keep the other output.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_half_done() {
    let sandbox = Sandbox::new();
    let before = sandbox.names();
    for arguments in [
        &["encaps", "-p", "k.pub", "-o", "-", "--secret", "new"][..],
        &["encaps", "-p", "k.pub", "-o", "new", "--secret", "-"],
        &["decaps", "-k", "k", "c", "--secret", "-"],
        &["pubkey", "k", "-o", "-"],
        &["inspect", "c"],
        &["kat", "--parameters", QUICK],
        &[
            "bench",
            "--parameters",
            QUICK,
            "--seconds",
            "0",
            "--engine",
            "portable",
        ],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let ran = sandbox.command(arguments).stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(2), "{arguments:?} {ran:?}");
        let said = text(&ran.stderr);
        assert!(
            said.contains("cannot write to standard output"),
            "{arguments:?} {said}"
        );
        assert_eq!(sandbox.names(), before, "{arguments:?}");
    }
}

/// With `--force`, the old file stays unchanged.
#[cfg(target_os = "linux")]
#[test]
fn an_old_file_stays_if_the_other_output_cannot_be_printed() {
    use std::{fs::File, io::pipe, process::Stdio};
    let sandbox = Sandbox::new();
    sandbox.write("old", "precious");
    let before = sandbox.names();
    for arguments in [
        ["encaps", "-p", "k.pub", "-o", "-", "--secret", "old"],
        ["encaps", "-p", "k.pub", "-o", "old", "--secret", "-"],
    ] {
        let full = || File::options().write(true).open("/dev/full").unwrap();
        let broken = || pipe().unwrap().1;
        for (name, stdout) in [
            ("full", Stdio::from(full())),
            ("broken", Stdio::from(broken())),
        ] {
            let mut command = sandbox.command(&arguments);
            let ran = command.arg("--force").stdout(stdout).output().unwrap();
            assert_eq!(ran.status.code(), Some(2), "{name} {arguments:?} {ran:?}");
            assert_eq!(sandbox.read("old"), b"precious", "{name} {arguments:?}");
            assert_eq!(sandbox.names(), before, "{name} {arguments:?}");
        }
        sandbox.succeeds(&[&arguments[..], &["--force"]].concat());
        assert_ne!(sandbox.read("old"), b"precious");
        sandbox.write("old", "precious");
    }
}

/// The commands fail, because their output would be lost.
#[cfg(unix)]
#[test]
fn a_closed_standard_output_takes_no_secret_and_no_key() {
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    sandbox.write("old", "precious");
    let before = sandbox.names();
    for arguments in [
        &["encaps", "-p", "k.pub", "-o", "-", "--secret", "new"][..],
        &["encaps", "-p", "k.pub", "-o", "new", "--secret", "-"],
        &[
            "encaps", "-p", "k.pub", "-o", "old", "--secret", "-", "--force",
        ],
        &["decaps", "-k", "k", "c", "--secret", "-"],
        &["pubkey", "k", "-o", "-"],
    ] {
        let ran = Command::new("sh")
            .args([
                "-c",
                "exec \"$@\" >&-",
                "sh",
                env!("CARGO_BIN_EXE_mceliece-cli"),
            ])
            .args(arguments)
            .current_dir(&sandbox.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(2), "{arguments:?} {ran:?}");
        let said = text(&ran.stderr);
        assert!(
            said.contains("standard output is closed"),
            "{arguments:?} {said}"
        );
        assert_eq!(sandbox.names(), before, "{arguments:?}");
        assert_eq!(sandbox.read("old"), b"precious");
        // The user may want the null device, for example in a measurement.
        let mut command = sandbox.command(arguments);
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
        let _ = std::fs::remove_file(sandbox.path("new"));
        sandbox.write("old", "precious");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_program_leaves_no_memory_image() {
    let sandbox = Sandbox::empty();
    // The program waits for the key on standard input.
    let status = sandbox.leaves_no_memory_image(&["pubkey", "-", "-o", "-"]);
    assert_eq!(status, Some(2));
}

/// The program does not replace a key that it can read, or a damaged key beside its public key.
#[test]
fn force_replaces_no_key_with_text_around_it_or_of_a_wrong_length() {
    let sandbox = Sandbox::new();
    let key = std::fs::read(sandbox.path("k")).unwrap();
    let mail = [&b"a line of a mail\n".repeat(5000)[..], &key].concat();
    sandbox.write("mail", &mail);
    sandbox.succeeds(&["decaps", "-k", "mail", "c", "--secret", "t"]);
    // An editor may add a line end to a raw key.
    sandbox.succeeds(&["keygen", "--parameters", QUICK, "raw", "--raw"]);
    let mut raw = std::fs::read(sandbox.path("raw")).unwrap();
    raw.push(b'\n');
    sandbox.write("raw", &raw);
    for (name, content) in [("mail", &mail), ("raw", &raw)] {
        for arguments in [
            ["encaps", "-p", "k.pub", "-o", "c2", "--secret", name],
            ["encaps", "-p", "k.pub", "-o", name, "--secret", "s2"],
            ["decaps", "-k", "k", "c", "--secret", name, "--hex"],
        ] {
            let error = sandbox.refuses(&[&arguments[..], &["--force"]].concat());
            assert!(error.contains("was not overwritten"), "{error}");
            assert_eq!(std::fs::read(sandbox.path(name)).unwrap(), *content);
        }
    }
}

/// Secrets and raw ciphertexts are binary data, which a terminal interprets as commands.
#[cfg(target_os = "linux")]
#[test]
fn no_binary_data_is_shown_on_a_terminal() {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let terminal = openpt(flags).unwrap();
    unlockpt(&terminal).unwrap();
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let end = ioctl_tiocgptpeer(&terminal, flags).unwrap();
        let mut command = sandbox.command(arguments);
        let child = command.stdout(end).stderr(std::process::Stdio::piped());
        child.spawn().unwrap().wait_with_output().unwrap()
    };
    let before = sandbox.names();
    for arguments in [
        &["decaps", "-k", "k", "c", "--secret", "-"][..],
        &["encaps", "-p", "k.pub", "-o", "d", "--secret", "-"],
        &["encaps", "-p", "k.pub", "-o", "-", "--secret", "t", "--raw"],
        &["pubkey", "k", "-o", "-", "--raw"],
    ] {
        let ran = run(arguments);
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}");
        assert!(text(&ran.stderr).contains("on a terminal"), "{ran:?}");
        assert_eq!(sandbox.names(), before);
    }
    assert!(
        run(&["decaps", "-k", "k", "c", "--secret", "-", "--hex"])
            .status
            .success()
    );
}
