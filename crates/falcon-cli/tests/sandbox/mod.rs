//! A folder to run the program in.
#![allow(dead_code)] // Each test file uses a part of it.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A folder with a key pair `k`, `k.pub` and a message `m`.
pub struct Sandbox(pub TempDir);

impl Sandbox {
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn new() -> Self {
        let sandbox = Self::empty();
        fs::write(sandbox.path("seed"), [7; 32]).unwrap();
        fs::write(sandbox.path("m"), b"message").unwrap();
        sandbox.succeeds(&["keygen", "-o", "k", "--seed-file", "seed"]);
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_falcon-cli"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("FALCON_ENGINE")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn status(&self, arguments: &[&str]) -> i32 {
        self.run(arguments).status.code().unwrap()
    }

    pub fn succeeds(&self, arguments: &[&str]) -> Output {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        output
    }

    pub fn piped(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
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
