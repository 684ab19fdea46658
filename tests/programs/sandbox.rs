//! A folder in which tests run a program. The file that includes this one names it in `PROGRAM`.

use super::PROGRAM;
use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A folder, removed when dropped.
pub struct Sandbox(pub TempDir);

impl Sandbox {
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
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

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("FALCON_ENGINE")
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

    pub fn piped(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let written = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        // A program that refuses its arguments does not read the input.
        assert!(written.is_ok() || !output.status.success(), "{output:?}");
        output
    }

    /// Checks that the program has set the size limit of its core dumps to 0 by the time it waits
    /// for standard input: a dump would contain its secrets. Returns its exit status when the input
    /// has ended.
    #[cfg(target_os = "linux")]
    pub fn leaves_no_memory_image(&self, arguments: &[&str]) -> Option<i32> {
        use std::{thread, time::Duration, time::Instant};
        let limit = "ulimit -S -c $(ulimit -H -c); exec \"$@\"";
        let mut child = Command::new("sh")
            .args(["-c", limit, "sh", PROGRAM])
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The program sets the limit before it starts the thread that waits for signals.
        let process = PathBuf::from(format!("/proc/{}", child.id()));
        let deadline = Instant::now() + Duration::from_secs(20);
        while fs::read_dir(process.join("task")).unwrap().count() < 2 {
            assert!(Instant::now() < deadline);
            thread::sleep(Duration::from_millis(10));
        }
        let limits = fs::read_to_string(process.join("limits")).unwrap();
        let mut lines = limits.lines();
        let limit = lines.find_map(|line| line.strip_prefix("Max core file size"));
        let soft = limit.unwrap().split_whitespace().next();
        assert_eq!(soft, Some("0"), "{limits}");
        child.stdin = None;
        child.wait().unwrap().code()
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
