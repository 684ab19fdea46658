//! What goes wrong around the program, and what a hurried person types: nothing
//! is destroyed, nothing is half-done in silence, and the message helps.

mod sandbox;

use sandbox::{Sandbox, json_lines, text};
use std::{
    fs,
    path::Path,
    process::{Output, Stdio},
    thread,
    time::Duration,
};

impl Sandbox {
    /// Runs what must be refused; what it said.
    fn refuses(&self, arguments: &[&str]) -> String {
        said(&self.run(arguments))
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn temporaries(&self) -> Vec<String> {
        let mut names = self.names();
        names.retain(|name| name.starts_with(".falcon-"));
        names
    }
}

fn said(refused: &Output) -> String {
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    text(&refused.stderr).to_owned()
}

#[test]
fn a_lost_public_key_is_made_again() {
    let sandbox = Sandbox::new();
    let public = sandbox.read("k.pub");
    fs::remove_file(sandbox.path("k.pub")).unwrap();
    let hint = sandbox.refuses(&["verify", "-p", "k.pub", "m"]);
    assert!(hint.contains("falcon-cli pubkey k"), "{hint}");
    sandbox.succeeds(&["pubkey", "k"]);
    assert_eq!(sandbox.read("k.pub"), public);
    assert_eq!(sandbox.succeeds(&["pubkey", "k", "-o", "-"]).stdout, public);
    sandbox.refuses(&["pubkey", "k"]);
    sandbox.refuses(&["pubkey", "k", "-o", "k", "--force"]);
}

#[test]
fn nobody_is_told_to_make_a_key_where_one_is_to_be_had() {
    let sandbox = Sandbox::new();
    let hint = sandbox.refuses(&["verify", "-p", "alice.pub", "m"]);
    assert!(hint.contains("ask the signer"), "{hint}");
    assert!(!hint.contains("keygen"), "{hint}");
    let hint = sandbox.refuses(&["sign", "-k", "k/k", "m"]);
    assert!(!hint.contains("keygen"), "{hint}");
}

#[test]
fn standard_input_has_one_reader() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    for arguments in [
        &["sign", "-k", "-", "-"][..],
        &["sign", "-k", "k", "-", "-"],
        &["sign", "-k", "k", "-", "--passphrase-file", "-"],
        &["verify", "-p", "-", "-s", "m.sig", "-"],
        &["verify", "-p", "k.pub", "-s", "-", "-"],
        &["verify", "-p", "-", "--check", "-"],
        &["inspect", "-", "-"],
        &["kat", "check", "-", "-"],
        &["pubkey", "-", "--passphrase-file", "-", "-o", "x"],
        &["keygen", "x", "--seed-file", "-", "--passphrase-file", "-"],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(
            message.contains("more than once"),
            "{arguments:?} {message}"
        );
    }
    let listed = sandbox.piped(&["verify", "-p", "k.pub", "--check", "-"], b"m\n-\n");
    assert!(said(&listed).contains("more than once"));
}

#[test]
fn a_passphrase_may_come_through_a_pipe() {
    let sandbox = Sandbox::new();
    let keygen = ["keygen", "e", "--passphrase-file", "-"];
    assert!(sandbox.piped(&keygen, b"secret\n").status.success());
    let sign = ["sign", "-k", "e", "m", "--passphrase-file", "-"];
    assert_eq!(sandbox.piped(&sign, b"guess\n").status.code(), Some(2));
    assert!(sandbox.piped(&sign, b"secret\n").status.success());
    sandbox.write("p", "secret\n");
    let message = sandbox.refuses(&["sign", "-k", "k", "m", "--force", "--passphrase-file", "p"]);
    assert!(message.contains("not encrypted"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_are_bytes() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let sandbox = Sandbox::new();
    let odd = OsStr::from_bytes(b"\xff");
    fs::write(sandbox.0.path().join(odd), "x").unwrap();
    let signed = sandbox
        .command(&["sign", "-k", "k", "--json", "m"])
        .arg(odd)
        .output()
        .unwrap();
    assert_eq!(signed.status.code(), Some(0), "{signed:?}");
    assert_eq!(json_lines(&signed).len(), 2);
    sandbox.write("list", b"m\n\xff\nm\n");
    let checked = sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list", "--json"]);
    assert_eq!(json_lines(&checked).len(), 3);
    let shown = sandbox
        .command(&["demo", "--json"])
        .env("TMPDIR", sandbox.0.path())
        .arg(odd)
        .output()
        .unwrap();
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
}

#[test]
fn an_input_is_never_the_output() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "m.key"]);
    for arguments in [
        &["sign", "-k", "k", "m", "-o", "k"][..],
        &["sign", "-k", "k", "m", "-o", "./m"],
        &["sign", "-k", "m.key", "m", "-o", "m.key"],
        &["keygen", "seed", "--seed-file", "seed"],
        &["keygen", "-o", "x", "--seed-file", "x.pub"],
    ] {
        sandbox.write("x.pub", [7; 32]);
        let before: Vec<_> = ["k", "m", "m.key", "seed", "x.pub"]
            .map(|name| sandbox.read(name))
            .into();
        let message = sandbox.refuses(&[arguments, &["--force"]].concat());
        assert!(message.contains("is an input"), "{arguments:?} {message}");
        let after: Vec<_> = ["k", "m", "m.key", "seed", "x.pub"]
            .map(|name| sandbox.read(name))
            .into();
        assert_eq!(before, after);
    }
}

#[test]
fn a_secret_key_is_to_be_moved_away() {
    let sandbox = Sandbox::new();
    let hint = sandbox.refuses(&["keygen", "k"]);
    assert!(hint.contains("move it away first"), "{hint}");
}

/// Two at once would each replace one file of the other's pair.
#[cfg(unix)]
#[test]
fn only_one_pair_at_a_time_is_written_in_a_folder() {
    let sandbox = Sandbox::new();
    let (before, folder) = (sandbox.read("k"), fs::File::open(sandbox.0.path()).unwrap());
    folder.lock().unwrap();
    let mut second = sandbox
        .command(&["keygen", "k", "--force"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(500));
    assert!(second.try_wait().unwrap().is_none());
    assert_eq!(sandbox.read("k"), before);
    folder.unlock().unwrap();
    assert!(second.wait().unwrap().success());
    let pair = sandbox.succeeds(&["pubkey", "k", "-o", "-"]);
    assert_eq!(pair.stdout, sandbox.read("k.pub"));
}

#[test]
fn a_wrong_engine_in_the_environment_is_named_and_stops_only_signing() {
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.env("FALCON_ENGINE", "abacus").output().unwrap()
    };
    let message = said(&run(&["sign", "-k", "k", "m"]));
    assert!(message.contains("FALCON_ENGINE"), "{message}");
    sandbox.succeeds(&["sign", "-k", "k", "m", "--engine", "Scalar"]);
    assert!(run(&["verify", "-p", "k.pub", "m"]).status.success());
    assert!(
        run(&["sign", "-k", "k", "m", "--force", "--engine", "soft"])
            .status
            .success()
    );
    let listed = run(&["inspect", "--engines"]);
    assert!(text(&listed.stdout).contains("scalar"));
    assert!(said(&listed).contains("FALCON_ENGINE"));
}

#[test]
fn a_demo_that_fails_leaves_nothing() {
    let sandbox = Sandbox::empty();
    let demo = sandbox
        .command(&["demo", "missing"])
        .env("TMPDIR", sandbox.0.path())
        .output()
        .unwrap();
    said(&demo);
    assert!(sandbox.names().is_empty());
}

#[cfg(unix)]
#[test]
fn what_the_demo_proposes_can_be_typed() {
    let sandbox = Sandbox::empty();
    sandbox.write("a b", "x");
    let demo = sandbox
        .command(&["demo", "a b"])
        .env("TMPDIR", sandbox.0.path())
        .output()
        .unwrap();
    let shown = text(&demo.stdout);
    let proposed = shown.lines().last().unwrap().trim();
    let typed = std::process::Command::new("sh")
        .args(["-c", proposed])
        .current_dir(sandbox.0.path())
        .output()
        .unwrap();
    assert!(typed.status.success(), "{proposed}: {typed:?}");
}

#[test]
fn a_dash_is_standard_output_or_refused() {
    let sandbox = Sandbox::new();
    let message = sandbox.refuses(&["keygen", "-o", "-"]);
    assert!(message.contains("two files"), "{message}");
    let kat = ["kat", "generate", "-a", "FALCON-512", "-n", "1", "-o", "-"];
    assert!(text(&sandbox.succeeds(&kat).stdout).contains("count = 0"));
    assert!(!sandbox.path("-").exists() && !sandbox.path("-.pub").exists());
}

#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_is_refused_before_the_passphrase() {
    let sandbox = Sandbox::new();
    sandbox.write("p", "secret\n");
    sandbox.succeeds(&["keygen", "e", "--passphrase-file", "p"]);
    for (output, told) in [
        ("/dev/null", "not a regular file"),
        (".", "is a folder"),
        ("new/", "is a folder"),
        ("no/file", "is no folder"),
    ] {
        let message = sandbox.refuses(&["sign", "-k", "e", "m", "-o", output]);
        assert!(message.contains(told), "{output}: {message}");
    }
    let message = sandbox.refuses(&["sign", "-k", "e", "missing"]);
    assert!(
        message.starts_with("error: missing: cannot read"),
        "{message}"
    );
}

#[test]
fn a_seed_of_text_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.write("seed", "0123456789abcdef0123456789abcdef");
    let message = sandbox.refuses(&["keygen", "k", "--seed-file", "seed"]);
    assert!(message.contains("text"), "{message}");
    assert_eq!(sandbox.names(), ["seed"]);
}

#[test]
fn pem_survives_mail_and_editors() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let pem = String::from_utf8(sandbox.read("k.pub")).unwrap();
    for changed in [
        format!("\u{feff}{pem}"),
        format!("Dear Bob,\n\n{pem}\n\nAlice\n"),
        pem.replace('\n', "\r\n"),
        pem.replace('\n', "\n\n"),
        pem.replace('\n', " \n"),
        pem.trim_end().to_owned(),
    ] {
        sandbox.write("changed.pub", &changed);
        sandbox.succeeds(&["verify", "-p", "changed.pub", "m"]);
    }
    sandbox.write("changed.pub", pem.replacen('A', "*", 1));
    sandbox.refuses(&["verify", "-p", "changed.pub", "m"]);
}

#[test]
fn a_corrupted_signature_is_called_a_signature() {
    let sandbox = Sandbox::new();
    sandbox.write("m.sig", "\x12");
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "m"]);
    assert!(message.contains("m.sig: is not a signature"), "{message}");
}

#[test]
fn json_is_all_that_is_said_when_it_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    for arguments in [
        &["sign", "--json", "--key"][..],
        &["--json"],
        &["sing", "--json"],
        &["sign", "m", "--json", "--engine", "abacus"],
        &["verify", "-p", "k.pub", "m", "missing", "--json"],
    ] {
        let message = sandbox.refuses(arguments);
        for line in message.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            let told = object.get("error").or(object.get("warning"));
            assert!(told.unwrap().is_string(), "{line}");
        }
        assert!(!message.is_empty(), "{arguments:?}");
    }
    assert!(sandbox.succeeds(&["--json", "--help"]).stderr.is_empty());
}

#[test]
fn names_in_other_words_are_understood() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "-a", "1024"]);
    sandbox.succeeds(&["sign", "m"]);
    for option in ["-p", "-k", "--key", "--pub"] {
        sandbox.succeeds(&["verify", option, "falcon.key.pub", "m"]);
    }
    sandbox.succeeds(&["keygen", "positional", "-a", "Falcon-512"]);
    let hint = sandbox.refuses(&["verify", "-p", "falcon.key.pub", "m", "m.sig"]);
    assert!(hint.contains("m -s m.sig"), "{hint}");
    let vectors = |name: &str| {
        let kat = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kat");
        kat.join(name).display().to_string()
    };
    let checked = sandbox.succeeds(&[
        "kat",
        "check",
        &vectors("falcon-pqclean/nistkat_falcon-padded-512.txt"),
        &vectors("falcon-pqclean/nistkat_falcon-512.txt"),
        "--json",
    ]);
    assert_eq!(json_lines(&checked).len(), 2);
}

#[test]
fn signing_goes_on_where_it_was_left() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write(name, name);
    }
    sandbox.succeeds(&["sign", "-k", "k", "a"]);
    let first = sandbox.read("a.sig");
    sandbox.write("b.sig", "");
    let sign = ["sign", "-k", "k", "--skip-existing", "a", "b", "c"];
    let message = sandbox.refuses(&sign);
    assert!(
        message.contains("b.sig"),
        "half a signature is none: {message}"
    );
    fs::remove_file(sandbox.path("b.sig")).unwrap();
    sandbox.succeeds(&sign);
    assert_eq!(sandbox.read("a.sig"), first);
    sandbox.succeeds(&["verify", "-p", "k.pub", "a", "b", "c"]);
    sandbox.succeeds(&sign);
    let piped = sandbox.piped(&["sign", "-k", "k", "--skip-existing", "-"], b"a");
    assert_eq!(piped.stdout.len(), 666);
}

#[test]
fn what_a_list_signs_the_same_list_verifies() {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another");
    sandbox.write("list", "# files\nm\nn\telsewhere\n");
    let sign = ["sign", "-k", "k", "--list", "list"];
    sandbox.succeeds(&sign);
    assert!(sandbox.path("elsewhere").exists() && !sandbox.path("n.sig").exists());
    sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list"]);
    sandbox.write("list", "m\tlist\n");
    sandbox.refuses(&[&sign[..], &["--force"]].concat());
    let listed = sandbox.piped(&["sign", "-k", "k", "--list", "-"], b"-\n");
    assert!(said(&listed).contains("more than once"));
}

#[cfg(unix)]
mod pipes_and_signals {
    use super::*;
    use std::{
        io::{BufRead, BufReader, Read},
        process::{Child, Command},
        time::Instant,
    };

    #[test]
    fn a_reader_that_leaves_does_not_stop_the_signing() {
        let sandbox = Sandbox::new();
        let names: Vec<String> = (0..50).map(|i| format!("f{i}")).collect();
        for name in &names {
            sandbox.write(name, name);
        }
        let files: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut child = sandbox
            .command(&[&["sign", "-k", "k"], &files[..]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut told = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut told)
            .unwrap();
        assert!(child.wait().unwrap().success());
        assert!(told.contains("signed all the same"), "{told}");
        sandbox.succeeds(&[&["verify", "-p", "k.pub"], &files[..]].concat());
    }

    fn signal(child: &Child, name: &str) {
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    #[test]
    fn an_interrupted_program_leaves_no_temporary_file() {
        for (name, status) in [("INT", 130), ("TERM", 143)] {
            let sandbox = Sandbox::empty();
            let generate = [
                "kat",
                "generate",
                "-a",
                "falcon-512",
                "-n",
                "1000000",
                "-o",
                "f",
            ];
            let mut child = sandbox.command(&generate).spawn().unwrap();
            let deadline = Instant::now() + Duration::from_secs(20);
            while sandbox.temporaries().is_empty() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(5));
            }
            signal(&child, name);
            assert_eq!(child.wait().unwrap().code(), Some(status));
            assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
        }
    }

    #[test]
    fn an_interrupted_demo_leaves_nothing() {
        let sandbox = Sandbox::empty();
        // The demo waits at the second reading of a pipe, with its files made.
        let pipe = sandbox.path("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        fs::create_dir(sandbox.path("tmp")).unwrap();
        let mut child = sandbox
            .command(&["demo", "pipe"])
            .env("TMPDIR", sandbox.path("tmp"))
            .spawn()
            .unwrap();
        drop(fs::File::create(&pipe).unwrap());
        let made = || fs::read_dir(sandbox.path("tmp")).unwrap().count();
        let deadline = Instant::now() + Duration::from_secs(20);
        while made() == 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(made(), 1);
        signal(&child, "INT");
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(made(), 0);
    }

    /// A shell on a terminal of its own runs the program, and stays after it.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_interrupted_question_leaves_a_terminal_that_shows_what_is_typed() {
        use rustix::{
            pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
            termios::{LocalModes, tcgetattr},
        };
        use std::io::Write;
        let sandbox = Sandbox::new();
        sandbox.write("p", "secret\n");
        sandbox.succeeds(&["keygen", "e", "--passphrase-file", "p"]);
        for (typed, status) in [("\x03", "status 130"), ("", "status 143")] {
            let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
            grantpt(&terminal).unwrap();
            unlockpt(&terminal).unwrap();
            let name = ptsname(&terminal, Vec::new()).unwrap();
            let mut terminal = fs::File::from(terminal);
            let open = || {
                let path = Path::new(name.to_str().unwrap());
                fs::OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(path)
                    .unwrap()
            };
            let echoes = |terminal: &fs::File| {
                let modes = tcgetattr(terminal).unwrap().local_modes;
                modes.contains(LocalModes::ECHO)
            };
            let mut shell = Command::new("setsid")
                .args(["--ctty", "sh", "-c"])
                .arg("\"$0\" sign -k e m & echo $! > id; wait $!; echo status $? ended; read -r line")
                .arg(env!("CARGO_BIN_EXE_falcon-cli"))
                .current_dir(&sandbox.0)
                .stdin(open())
                .stdout(open())
                .stderr(open())
                .spawn()
                .unwrap();
            let mut shown = String::new();
            let mut until = |terminal: &mut fs::File, text: &str| {
                while !shown.contains(text) {
                    let mut bytes = [0; 256];
                    let read = terminal.read(&mut bytes).unwrap();
                    shown.push_str(&String::from_utf8_lossy(&bytes[..read]));
                }
            };
            until(&mut terminal, "Passphrase of e");
            while echoes(&terminal) {
                thread::sleep(Duration::from_millis(5));
            }
            if typed.is_empty() {
                let id = fs::read_to_string(sandbox.path("id")).unwrap();
                let sent = Command::new("kill").arg(id.trim()).status();
                assert!(sent.unwrap().success());
            } else {
                terminal.write_all(typed.as_bytes()).unwrap();
            }
            until(&mut terminal, "ended");
            assert!(echoes(&terminal), "{status}");
            assert!(shown.contains(status), "{shown}");
            terminal.write_all(b"\n").unwrap();
            shell.wait().unwrap();
        }
    }

    #[test]
    fn an_interrupted_signing_leaves_whole_signatures_only() {
        let sandbox = Sandbox::new();
        let names: Vec<String> = (0..2000).map(|i| format!("f{i:04}")).collect();
        for name in &names {
            sandbox.write(name, name);
        }
        let files: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut child = sandbox
            .command(&[&["sign", "-k", "k"], &files[..]].concat())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        signal(&child, "INT");
        // The signal may come after the last file.
        let status = child.wait().unwrap().code();
        assert!(matches!(status, Some(0 | 130)), "{status:?}");
        assert!(sandbox.temporaries().is_empty());
        for name in sandbox.names() {
            if name.ends_with(".sig") {
                assert_eq!(sandbox.read(&name).len(), 666);
            }
        }
        sandbox.succeeds(&[&["sign", "-k", "k", "--skip-existing"], &files[..]].concat());
    }
}

/// The polynomial F has a byte for each coefficient in every form of the key,
/// so a piece of it finds every copy.
#[cfg(target_os = "linux")]
#[test]
fn no_copy_of_the_polynomials_is_left_while_a_message_is_awaited() {
    use std::io::Write;
    let sandbox = Sandbox::new();
    sandbox.write("p", "secret\n");
    let seeded = ["keygen", "e", "--seed-file", "seed"];
    sandbox.succeeds(&[&seeded[..], &["--passphrase-file", "p"]].concat());
    let key = falcon::SigningKey::<falcon::Falcon512>::from_seed(&[7; 32]).to_bytes();
    sandbox.write("raw", *key);
    let piece = &key[key.len() - 256..][..16];
    for arguments in [
        &["sign", "-k", "k", "-"][..],
        &["sign", "-k", "raw", "-"],
        &["sign", "-k", "e", "--passphrase-file", "p", "-"],
    ] {
        let mut child = sandbox
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // More than a pipe holds: when it is written, the key has been read.
        let message = child.stdin.as_mut().unwrap();
        message.write_all(&[0; 1 << 20]).unwrap();
        let copies = count_in_memory(child.id(), piece);
        child.kill().unwrap();
        child.wait().unwrap();
        // Not every system lets a parent look.
        assert!(matches!(copies, None | Some(0)), "{arguments:?} {copies:?}");
    }
}

/// How often the bytes are in the memory that a process can write.
#[cfg(target_os = "linux")]
fn count_in_memory(process: u32, piece: &[u8]) -> Option<usize> {
    use std::os::unix::fs::FileExt;
    let memory = fs::File::open(format!("/proc/{process}/mem")).ok()?;
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
    let mut found = 0;
    for map in maps.lines().filter(|map| map.contains(" rw")) {
        let (range, _) = map.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16));
        let (start, end) = (start.ok()?, end.ok()?);
        let mut bytes = vec![0; (end - start) as usize];
        if memory.read_exact_at(&mut bytes, start).is_ok() {
            found += bytes.windows(piece.len()).filter(|&at| at == piece).count();
        }
    }
    Some(found)
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_that_is_none_is_refused_at_bounded_cost_and_not_shown() {
    let sandbox = Sandbox::new();
    sandbox.write("p", "my passphrase\n");
    for (list, told) in [
        ("p", "p: names no file that exists"),
        ("/dev/zero", "more than 1048576 files or 64 MiB"),
    ] {
        let message = sandbox.refuses(&["verify", "-p", "k.pub", "--check", list]);
        assert!(message.contains(told), "{message}");
        assert!(!message.contains("my passphrase"), "{message}");
        let message = sandbox.refuses(&["verify", "-p", "missing", "--check", list]);
        assert!(message.contains("missing: cannot read"), "{message}");
    }
    let many = b"\nm".repeat((1 << 20) + 1);
    let listed = sandbox.piped(&["sign", "-k", "k", "--list", "-"], &many);
    assert!(said(&listed).contains("more than 1048576 files"));
    sandbox.write("seed.hex", "00112233\n");
    let message = sandbox.refuses(&["kat", "check", "seed.hex"]);
    assert!(!message.contains("0011"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_name_cannot_write_a_verdict() {
    let sandbox = Sandbox::new();
    let name = "m: OK\n\u{1b}[2K\u{9b}1A\u{202e}";
    sandbox.write(name, "x");
    sandbox.write("bad", "-----BEGIN \u{1b}[2J-----\n");
    for arguments in [
        &["sign", "-k", "k", name][..],
        &["verify", "-p", "k.pub", name],
        &["verify", "-p", "k.pub", name, "--json"],
        &["verify", "-p", name, "m"],
        &["verify", "-p", "bad", "m"],
        &["sign", "-k", "k", name],
        &["inspect", name, "--json"],
        &["inspect", &format!("{name}.sig")],
        &["kat", "check", name],
        &["keygen", &format!("{name}.key")],
        &["pubkey", &format!("{name}.key"), "--force"],
        &["demo", name],
    ] {
        let mut command = sandbox.command(arguments);
        let output = command.env("TMPDIR", sandbox.0.path()).output().unwrap();
        for said in [&output.stdout, &output.stderr] {
            let odd = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!text(said).contains(odd), "{arguments:?} {}", text(said));
            assert!(!text(said).contains("OK\n\\"), "{arguments:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_the_work_is_done_all_the_same() {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another");
    let generate = ["kat", "generate", "-a", "falcon-512", "-n", "2", "-o", "f"];
    sandbox.succeeds(&generate);
    for arguments in [
        &["sign", "-k", "k", "m", "n"][..],
        &["verify", "-p", "k.pub", "m", "n"],
        &["verify", "-p", "k.pub", "m"],
        &["kat", "check", "f"],
    ] {
        // No thread's stack fits into the memory that is allowed.
        let done = std::process::Command::new("sh")
            .args(["-c", "ulimit -v 400000; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_falcon-cli"))
            .args(arguments)
            .env("RUST_MIN_STACK", (1u64 << 30).to_string())
            .current_dir(&sandbox.0)
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?} {done:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn sizes_that_do_not_add_up_stop_nothing() {
    let sandbox = Sandbox::new();
    // Not every system has this folder, nor other folders such files.
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let files = ["a", "b", "c"].map(|name| folder.path().join(name));
    for path in &files {
        let file = fs::File::create(path).unwrap();
        if file.set_len(i64::MAX as u64).is_err() {
            return;
        }
    }
    let [a, b, c] = files.each_ref().map(|path| path.to_str().unwrap());
    let message = sandbox.run(&["verify", "-p", "k.pub", a, b, c]);
    assert_eq!(text(&message.stdout).lines().count(), 3, "{message:?}");
}
