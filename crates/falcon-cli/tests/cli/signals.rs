//! Closed pipes and signals.

use crate::sandbox::{Sandbox, said, text, with};
use std::{
    fs,
    io::{self, BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

fn temporaries(sandbox: &Sandbox) -> Vec<String> {
    let mut names = sandbox.names();
    names.retain(|name| name.starts_with(".falcon-"));
    names
}

#[test]
fn a_reader_that_leaves_does_not_stop_the_signing() {
    let sandbox = Sandbox::new();
    let files = sandbox.files(50);
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = sandbox
        .command(&with(&["sign", "-k", "k"], &files))
        .stdout(writer)
        .output()
        .unwrap();
    assert!(output.status.success());
    let told = text(&output.stderr);
    assert!(told.contains("signing went on"), "{told}");
    sandbox.succeeds(&with(&["verify", "-p", "k.pub"], &files));
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.unwrap().success());
}

/// Arguments of a command that takes longer than any test.
const GENERATE: [&str; 8] = [
    "kat",
    "generate",
    "-a",
    "falcon-512",
    "-n",
    "1000000",
    "-o",
    "f",
];

/// Waits until the program has made a temporary file, which shows that it has begun to work.
fn wait_for_temporary(sandbox: &Sandbox) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while temporaries(sandbox).is_empty() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Resets all signals of `command` to their default actions, because these tests may have been
/// started under `nohup`.
fn heeding_all(command: Command) -> Command {
    if cfg!(not(target_os = "linux")) {
        return command;
    }
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal").arg(command.get_program());
    heeding.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => heeding.env(name, value),
            None => heeding.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        heeding.current_dir(folder);
    }
    heeding
}

#[test]
fn an_interrupted_program_leaves_no_temporary_file() {
    let (first, second) = if cfg!(target_os = "linux") {
        (138, 140)
    } else {
        (158, 159)
    };
    let signals = [
        ("HUP", 129),
        ("INT", 130),
        ("QUIT", 131),
        ("USR1", first),
        ("USR2", second),
        ("ALRM", 142),
        ("TERM", 143),
        ("XCPU", 152),
    ];
    for (name, status) in signals {
        let sandbox = Sandbox::empty();
        let mut child = heeding_all(sandbox.command(&GENERATE)).spawn().unwrap();
        wait_for_temporary(&sandbox);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
    }
}

/// Only on Linux can the program see that this signal was ignored when it was started.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_to_outlive_its_terminal_does() {
    let sandbox = Sandbox::empty();
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_falcon-cli"))
        .args(GENERATE)
        .current_dir(&sandbox.0)
        .spawn()
        .unwrap();
    wait_for_temporary(&sandbox);
    signal(&child, "HUP");
    // If the signal were not ignored, it would have ended the program long before.
    thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
}

/// The system sends SIGXCPU when the program exceeds its limit of processor time.
#[test]
fn a_program_out_of_processor_time_leaves_no_temporary_file() {
    let sandbox = Sandbox::empty();
    let limited = ["sh", "-c", "ulimit -S -t 1; exec \"$0\" \"$@\""];
    let mut command = Command::new(limited[0]);
    command.args(&limited[1..]);
    command.arg(env!("CARGO_BIN_EXE_falcon-cli")).args(GENERATE);
    command.current_dir(&sandbox.0);
    let status = heeding_all(command).status().unwrap();
    assert_eq!(status.code(), Some(152));
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
}

#[test]
fn a_file_beyond_the_limit_is_an_error_and_leaves_nothing() {
    let sandbox = Sandbox::empty();
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_falcon-cli"))
        .args(["keygen", "k"])
        .current_dir(&sandbox.0)
        .output()
        .unwrap();
    let message = said(&limited);
    assert!(message.contains("k: cannot write"), "{message}");
    assert!(sandbox.names().is_empty(), "{:?}", sandbox.names());
}

#[test]
fn an_interrupted_demo_leaves_nothing() {
    let sandbox = Sandbox::empty();
    let mut child = sandbox.demo_that_waits();
    let made = || fs::read_dir(sandbox.path("tmp")).unwrap().count();
    assert_eq!(made(), 1);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(made(), 0);
}

/// A shell runs the program on a separate terminal, and outlives the program.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_question_leaves_a_terminal_that_shows_what_is_typed() {
    use crate::sandbox::{shown_until, terminal};
    use rustix::termios::{LocalModes, tcgetattr};
    use std::io::Write;
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    for (typed, status) in [("\x03", "status 130"), ("", "status 143")] {
        let (mut terminal, open) = terminal();
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
        shown_until(&mut terminal, &mut shown, "Passphrase of e");
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
        shown_until(&mut terminal, &mut shown, "ended");
        assert!(echoes(&terminal), "{status}");
        assert!(shown.contains(status), "{shown}");
        terminal.write_all(b"\n").unwrap();
        shell.wait().unwrap();
    }
}

#[test]
fn an_interrupted_signing_leaves_whole_signatures_only() {
    // The signal may arrive after the last file. Then more files are signed.
    let interrupted = [500, 2000, 8000].into_iter().any(|count| {
        let sandbox = Sandbox::new();
        let files = sandbox.files(count);
        let mut child = sandbox
            .command(&with(&["sign", "-k", "k"], &files))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        signal(&child, "INT");
        let status = child.wait().unwrap().code();
        assert!(matches!(status, Some(0 | 130)), "{status:?}");
        assert!(temporaries(&sandbox).is_empty());
        for name in sandbox.names() {
            if name.ends_with(".sig") {
                assert_eq!(sandbox.read(&name).len(), 666);
            }
        }
        sandbox.succeeds(&with(&["sign", "-k", "k", "--skip-existing"], &files));
        status == Some(130)
    });
    assert!(interrupted);
}

#[cfg(target_os = "linux")]
#[test]
fn the_program_leaves_no_memory_image() {
    let sandbox = Sandbox::new();
    // The program waits for the message on standard input.
    let status = sandbox.leaves_no_memory_image(&["sign", "-k", "k", "-", "-o", "s"]);
    assert_eq!(status, Some(0));
}
