//! A folder in which tests run the program, with files that many tests need.

#[path = "../../../../tests/programs/sandbox.rs"]
mod shared;

use falcon_core::{AnySigningKey, Falcon512, SigningKey};
use falcon_envelope::{Statement, Subject, Time};
use getrandom::{SysRng, rand_core::UnwrapErr};
use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

pub use shared::{Sandbox, json_lines, text};

const PROGRAM: &str = env!("CARGO_BIN_EXE_falcon-cli");

impl Sandbox {
    /// Makes a folder with a key pair `k`, `k.pub`, its `seed` and a message `m`.
    pub fn new() -> Self {
        let sandbox = Self::empty();
        fs::write(sandbox.path("seed"), [7; 32]).unwrap();
        fs::write(sandbox.path("m"), b"message").unwrap();
        sandbox.succeeds(&["keygen", "-o", "k", "--seed-file", "seed"]);
        sandbox
    }

    /// Flips a bit of the byte at `index`.
    pub fn flip(&self, name: &str, index: usize) {
        let mut bytes = self.read(name);
        bytes[index] ^= 1;
        self.write(name, bytes);
    }

    /// Makes `count` files. The content of each file is its name.
    pub fn files(&self, count: usize) -> Vec<String> {
        let names: Vec<String> = (0..count).map(|i| format!("f{i:04}")).collect();
        for name in &names {
            self.write(name, name);
        }
        names
    }

    /// Makes a key `e` with the passphrase in the file `p`.
    pub fn encrypted_key(&self) {
        self.write_secret("p", "secret\n");
        let keygen = ["keygen", "e", "--seed-file", "seed"];
        self.succeeds(&with(&keygen, ["--passphrase-file", "p"]));
    }

    /// Writes a file that only its owner can read.
    pub fn write_secret(&self, name: &str, content: &str) {
        self.write(name, content);
        #[cfg(unix)]
        fs::set_permissions(
            self.path(name),
            std::os::unix::fs::PermissionsExt::from_mode(0o600),
        )
        .unwrap();
    }

    /// Makes a named pipe.
    #[cfg(unix)]
    pub fn pipe(&self, name: &str) -> PathBuf {
        let pipe = self.path(name);
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        pipe
    }

    /// Starts `demo`, which has made its key and waits for the message when this returns. The
    /// folder of the demo is in `tmp`.
    #[cfg(unix)]
    pub fn demo_that_waits(&self) -> Child {
        // The demo opens the file of the message before it makes the key, and again to sign it.
        let pipe = self.pipe("pipe");
        fs::create_dir(self.path("tmp")).unwrap();
        let child = self
            .command(&["demo", "pipe"])
            .env("TMPDIR", self.path("tmp"))
            .spawn()
            .unwrap();
        drop(fs::File::create(&pipe).unwrap());
        let made = || {
            let mut folders = fs::read_dir(self.path("tmp")).unwrap();
            folders.any(|folder| folder.unwrap().path().join("demo.key.pub").exists())
        };
        let deadline = Instant::now() + Duration::from_secs(20);
        while !made() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(made());
        child
    }

    /// Runs a command that must end within a minute.
    #[cfg(target_os = "linux")]
    pub fn run_briefly(&self, arguments: &[&str]) -> Output {
        let mut child = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{arguments:?} takes too long");
            }
            thread::sleep(Duration::from_millis(5));
        }
        child.wait_with_output().unwrap()
    }

    /// Runs a command that must be refused, and returns its message.
    pub fn refuses(&self, arguments: &[&str]) -> String {
        said(&self.run(arguments))
    }

    pub fn status(&self, arguments: &[&str]) -> i32 {
        self.run(arguments).status.code().unwrap()
    }

    /// Makes an envelope by the key `k` with the given time and subject.
    pub fn envelope(time: &str, subject: Subject) -> String {
        let key =
            AnySigningKey::from(SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault"));
        let time = Time::parse(time).unwrap();
        let statement = Statement::new(&key.verifying_key(), time, None, subject).unwrap();
        let envelope = statement
            .sign_with_rng(&mut UnwrapErr(SysRng), &key)
            .expect("no fault");
        envelope.to_string()
    }
}

/// Appends arguments.
pub fn with<'a, T: AsRef<str> + ?Sized + 'a>(
    arguments: &[&'a str],
    more: impl IntoIterator<Item = &'a T>,
) -> Vec<&'a str> {
    let more = more.into_iter().map(AsRef::as_ref);
    arguments.iter().copied().chain(more).collect()
}

/// Returns the standard error of a program that refused.
pub fn said(refused: &Output) -> String {
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    text(&refused.stderr).to_owned()
}

/// Returns a terminal, and a function that opens its other end.
#[cfg(target_os = "linux")]
pub fn terminal() -> (fs::File, impl Fn() -> fs::File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let name = PathBuf::from(name.to_str().unwrap());
    let open = move || {
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).open(&name).unwrap()
    };
    (fs::File::from(terminal), open)
}

/// Reads from `terminal` and appends to `shown` until `shown` contains `text`.
#[cfg(target_os = "linux")]
pub fn shown_until(terminal: &mut fs::File, shown: &mut String, text: &str) {
    while !shown.contains(text) {
        let mut bytes = [0; 256];
        let read = std::io::Read::read(terminal, &mut bytes).unwrap();
        shown.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
}
