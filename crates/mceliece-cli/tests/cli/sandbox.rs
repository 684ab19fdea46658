//! A folder in which a test runs the program.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// The parameter set of most tests. It is the fastest one.
pub const QUICK: &str = "mceliece348864f";

/// A folder. [`new`](Self::new) makes a key pair `k`, `k.pub` in it, and a ciphertext `c` with the
/// secret `s`.
pub struct Sandbox(pub TempDir);

impl Sandbox {
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn new() -> Self {
        let sandbox = Self::of(QUICK);
        sandbox.succeeds(&["encaps", "-p", "k.pub", "-o", "c", "--secret", "s"]);
        sandbox
    }

    /// Returns a folder with a key pair of a set.
    pub fn of(set: &str) -> Self {
        let sandbox = Self::empty();
        sandbox.succeeds(&["keygen", "--parameters", set, "k"]);
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mceliece-cli"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .env("TMPDIR", self.0.path())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn succeeds(&self, arguments: &[&str]) -> Output {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        output
    }

    /// Runs a command that must be refused, and returns its message.
    pub fn refuses(&self, arguments: &[&str]) -> String {
        let refused = self.run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?} {refused:?}");
        assert_eq!(text(&refused.stdout), "", "{arguments:?}");
        text(&refused.stderr).to_owned()
    }

    pub fn piped(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // This fails if the program refuses its arguments, since it then does not read the input.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Recovers the secret of a ciphertext with a key.
    pub fn decaps(&self, key: &str, ciphertext: &str) -> Vec<u8> {
        let decaps = ["decaps", "-k", key, ciphertext, "--secret", "-"];
        let secret = self.succeeds(&decaps).stdout;
        assert_eq!(secret.len(), 32);
        secret
    }
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

pub fn json_lines(output: &Output) -> Vec<serde_json::Value> {
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
