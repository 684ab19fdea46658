//! Runs single tests, with a mutant or without.

use crate::compile::Program;
use std::collections::BTreeSet;
use std::os::unix::{fs::PermissionsExt, process::CommandExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io, thread};
use wait_timeout::ChildExt;

/// Address space of a test, in KiB, so that a mutant cannot exhaust the machine's memory.
const MEMORY: u64 = 8 << 20;

/// A test, the mutants that it reaches, and its duration without a mutant.
pub struct Test<'a> {
    program: &'a Program,
    name: String,
    /// Numbers of the mutants.
    pub reaches: BTreeSet<u32>,
    /// Duration without a mutant, with the log switched on.
    pub time: Duration,
}

impl Test<'_> {
    /// Returns the name of the program and of the test.
    pub fn name(&self) -> String {
        format!("{} {}", self.program.name, self.name)
    }
}

/// Returns the names of the tests of `program`.
fn names(program: &Program) -> io::Result<Vec<String>> {
    let listed = Command::new(&program.path)
        .args(["--list", "--format", "terse"])
        .current_dir(&program.folder)
        .output()?;
    let listed = String::from_utf8(listed.stdout).map_err(io::Error::other)?;
    let names = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    Ok(names.map(str::to_owned).collect())
}

/// Outcome of a test's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The test passed.
    Passed,
    /// The test failed.
    Failed,
    /// The test took too long and was stopped.
    CutOff,
}

/// Runs test `name` alone, with an environment variable, for at most `limit`.
fn run(program: &Program, name: &str, variable: (&str, &str), limit: Duration) -> io::Result<End> {
    // Limits processor time to `limit` on all cores, so that tests also end if this program is
    // stopped.
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let processor = cores * (limit.as_secs() + 1);
    let limits = format!("ulimit -v {MEMORY}; ulimit -t {processor}; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limits])
        .arg(&program.path)
        .args(["--exact", name, "--test-threads=1"])
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env(variable.0, variable.1)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    match child.wait_timeout(limit)? {
        Some(status) if status.success() => Ok(End::Passed),
        Some(_) => Ok(End::Failed),
        None => {
            // Kills the programs that the test runs, too.
            let group = format!("-{}", child.id());
            Command::new("kill")
                .args(["-KILL", "--", &group])
                .status()?;
            child.wait()?;
            Ok(End::CutOff)
        }
    }
}

/// Runs the tests of `programs` that are `chosen` without a mutant, with the log on.
///
/// # Errors
/// The names of the tests that fail.
pub fn record<'a>(
    programs: &'a [Program],
    chosen: impl Fn(&str) -> bool,
    log: &Path,
) -> Result<Vec<Test<'a>>, Vec<String>> {
    let (mut tests, mut failed) = (Vec::new(), Vec::new());
    for program in programs {
        for name in names(program).map_err(|error| vec![error.to_string()])? {
            let mut test = Test {
                program,
                name,
                reaches: BTreeSet::new(),
                time: Duration::ZERO,
            };
            if !chosen(&test.name()) {
                continue;
            }
            // Writable for every user, since tests may run programs as another user.
            let anybody = fs::Permissions::from_mode(0o666);
            fs::File::create(log)
                .and_then(|file| file.set_permissions(anybody))
                .map_err(|error| vec![error.to_string()])?;
            let begin = Instant::now();
            let variable = ("FALCON_MUTANT_LOG", log.to_str().expect("UTF-8"));
            let end = run(program, &test.name, variable, Duration::from_secs(600));
            test.time = begin.elapsed();
            if !matches!(end, Ok(End::Passed)) {
                failed.push(test.name());
                continue;
            }
            let reached = fs::read_to_string(log).unwrap_or_default();
            test.reaches
                .extend(reached.lines().flat_map(str::parse::<u32>));
            tests.push(test);
        }
    }
    tests.sort_by_key(|test| test.time);
    if failed.is_empty() {
        Ok(tests)
    } else {
        Err(failed)
    }
}

/// Runs the tests that reach mutant `id`, the quickest first. Returns the first one that does not
/// pass, and its outcome.
pub fn killer<'a, 't>(tests: &'t [Test<'a>], id: u32) -> io::Result<Option<(&'t Test<'a>, End)>> {
    for test in tests.iter().filter(|test| test.reaches.contains(&id)) {
        // The limit is much longer than a test needs on a slow machine. A test that is cut off
        // counts as failed.
        let limit = Duration::from_secs(20) + 10 * test.time;
        let variable = ("FALCON_MUTANT", &*id.to_string());
        let end = run(test.program, &test.name, variable, limit)?;
        if end != End::Passed {
            return Ok(Some((test, end)));
        }
    }
    Ok(None)
}
