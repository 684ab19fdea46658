//! Tests the command of the README with the driver for tests. The kernels run on the CPU, so the
//! rates mean nothing.

use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const README: &str = include_str!("../../../crates/falcon-gpu/README.md");
const PROGRAM: &str = env!("CARGO_BIN_EXE_falcon-gpu-bench");
const SCRIPTS: &str = env!("CARGO_MANIFEST_DIR");

/// All tools that the command may use. Rust and Python are not among them.
const TOOLS: [&str; 12] = [
    "bash", "cat", "date", "dirname", "grep", "mkdir", "mktemp", "nproc", "rm", "sleep", "timeout",
    "uname",
];

/// Returns the command in the README.
fn command() -> &'static str {
    let mut commands = README.lines().filter(|line| line.starts_with("./run.sh"));
    let command = commands.next().expect("a command");
    assert_eq!(commands.next(), None);
    command
}

/// A machine that has only a driver: a folder with the files of `pack.sh`, and a few tools in
/// another folder. Removed when dropped.
struct Machine {
    root: PathBuf,
    driver: &'static str,
}

impl Machine {
    fn new(name: &str) -> Option<Self> {
        let Some(driver) = falcon_gpu_host::DRIVER_FOLDER else {
            eprintln!("NOT TESTED: the test driver needs a C++17 compiler");
            return None;
        };
        let root = std::env::temp_dir().join(format!("falcon-gpu-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let tools = root.join("tools");
        fs::create_dir_all(&tools).expect("a folder");
        let path = std::env::var_os("PATH").expect("a path");
        for tool in TOOLS {
            let mut places = std::env::split_paths(&path).map(|folder| folder.join(tool));
            let place = places.find(|place| place.exists()).expect(tool);
            symlink(place, tools.join(tool)).expect("a link");
        }
        // The folder has the usual kernels under an unusual file name, and a file that is not a
        // kernel.
        let variants = root.join("variants");
        fs::create_dir(&variants).expect("a folder");
        let same = variants.join("SAME=1+X.ptx");
        fs::write(same, falcon_gpu::PTX.concat()).expect("a file");
        fs::write(variants.join("WRONG.ptx"), "nothing").expect("a file");
        // Variants are timed only with Falcon-512, so this file has machine code only for
        // Falcon-512.
        let cubin = variants.join("SMALL.cubin");
        fs::write(cubin, falcon_gpu::CUBINS[2]).expect("a file");
        let packed = Command::new(format!("{SCRIPTS}/pack.sh"))
            .arg(root.join("packed"))
            .args(["--binary", PROGRAM, "--variants"])
            .arg(variants)
            .status()
            .expect("pack.sh runs");
        assert!(packed.success());
        Some(Self { root, driver })
    }

    /// Makes a shell command in the machine's folder.
    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new(self.root.join("tools/bash"));
        shell
            .args(["-c", command])
            .current_dir(self.root.join("packed"))
            .env_clear()
            .env("PATH", self.root.join("tools"))
            .env("LD_LIBRARY_PATH", self.driver);
        shell
    }

    fn run(&self, command: &str) -> Output {
        self.shell(command).output().expect("a shell")
    }

    /// Finds the folder of the results.
    fn results(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.root.join("packed")).expect("a folder");
        let mut files = files.map(|file| file.expect("a file").path());
        files.find(|file| name(file).starts_with("gpu-results-"))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("a name")
}

/// Reads the lines of the results, and checks the properties that every folder of results has.
fn lines(folder: &Path) -> Vec<Value> {
    let files: Vec<_> = fs::read_dir(folder).expect("a folder").collect();
    assert!(files.len() <= 8, "{files:?}");
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    for file in files {
        let path = file.expect("a file").path();
        assert!(path.is_file() && name(&path).chars().all(plain), "{path:?}");
    }
    let text = fs::read_to_string(folder.join("results.jsonl")).expect("results");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    let lines = text.lines().map(serde_json::from_str);
    let lines: Vec<Value> = lines.map(|line| line.expect("JSON")).collect();
    assert!(lines.iter().all(|line| line["step"].is_string()));
    // A table is complete or missing.
    if let Ok(table) = fs::read_to_string(folder.join("table.md")) {
        assert!(table.starts_with("# ") && table.ends_with("|\n"), "{table}");
    }
    lines
}

fn count(lines: &[Value], step: &str) -> usize {
    lines.iter().filter(|line| line["step"] == step).count()
}

#[test]
fn the_command_compares_and_times_without_rust_and_python() {
    let Some(machine) = Machine::new("whole") else {
        return;
    };
    for tool in ["cargo", "rustc", "python3", "git"] {
        assert!(!machine.run(&format!("command -v {tool}")).status.success());
    }
    let few = "--budget 300 --batch 1,4 --smoke 6 --jobs 12 --key-count 3 --runs 1";
    let run = machine.run(&format!("{} {few}", command()));
    let errors = String::from_utf8_lossy(&run.stderr);
    // One of the variants is not a kernel, so the command fails.
    assert_eq!(run.status.code(), Some(1), "{errors}");
    let folder = machine.results().expect("results");
    let lines = lines(&folder);
    let of = |step: &'static str| lines.iter().filter(move |line| line["step"] == step);
    // The driver for tests does not have the ceiling kernels, and the lines say so.
    assert_eq!(of("ceiling").count(), 7);
    assert_eq!(
        of("ceiling")
            .filter(|line| line["error"].is_string())
            .count(),
        5
    );
    // The short comparison has three modes, and verdicts with one key and many. The full one has
    // four modes with one key and many, and verdicts. Each small batch has the rows of the full
    // one.
    let (short, full, small) = (3 + 2, 4 * 2 + 2, (4 * 2 + 2) * 2);
    assert_eq!(of("compare").count(), 2 * (short + full + small));
    assert_eq!(of("time").count(), 2 * 5 * 2 + 2 * 3 * 2);
    for line in of("compare").chain(of("time")) {
        assert_eq!(line["equal"], true, "{line}");
    }
    for line in of("time") {
        let kernels = line["kernels"].as_object();
        assert!(kernels.is_some_and(|kernels| !kernels.is_empty()));
    }
    for variant in ["SAME_1_X", "SMALL"] {
        let of_variant = of("time").filter(|line| line["variant"] == variant);
        assert_eq!(of_variant.count(), 3 * 2, "{variant}");
    }
    // The loaded images are the cubins of both parameter sets, and then those of the variants.
    let loaded: Vec<_> = of("loaded")
        .map(|line| {
            assert!(
                line["ms"].is_number() && line["refused"].is_null(),
                "{line}"
            );
            let text = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
            format!("{} {} {}", text("variant"), line["image"], text("form"))
        })
        .collect();
    let expected = [
        "- 4 cubin sm_90",
        "- 7 cubin sm_90",
        "SAME_1_X 0 PTX sm_80",
        "SMALL 0 cubin sm_90",
    ];
    assert_eq!(loaded, expected);
    let failed: Vec<_> = of("failed").collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["variant"], "WRONG");
    assert_eq!(of("left_out").count(), 0);
    assert_eq!(lines.last().expect("a line")["step"], "end");

    let table = fs::read_to_string(folder.join("table.md")).expect("a table");
    assert_eq!(table.matches("\n| Falcon-").count(), 2 * 10);
    assert_eq!(table.matches("\n| SAME_1_X | ").count(), 6);
    assert_eq!(table.matches("\n| SMALL | ").count(), 6);
    assert!(table.contains("cuFalcon"));
    let about = fs::read_to_string(folder.join("machine.txt")).expect("a file");
    assert!(
        about.contains("commit ") && about.contains("no nvidia-smi"),
        "{about}"
    );

    // A second run into the same folder is refused, and the old results stay unchanged.
    let before = fs::read(folder.join("results.jsonl")).expect("results");
    let again = format!("{} --out {}", command(), folder.display());
    assert_eq!(machine.run(&again).status.code(), Some(2));
    assert!(fs::read(folder.join("results.jsonl")).expect("results") == before);
}

#[test]
fn the_command_stops_in_time_and_says_what_is_left_out() {
    let Some(machine) = Machine::new("budget") else {
        return;
    };
    let start = Instant::now();
    let run = machine.run(&format!("{} --budget 4 --smoke 6 --key-count 3", command()));
    assert!(start.elapsed() < Duration::from_secs(60));
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let lines = lines(&machine.results().expect("results"));
    // The most valuable rows have been done. A million signatures take too long on a CPU.
    assert!(count(&lines, "compare") > 0);
    let left_out = |row: &str| {
        let mut lines = lines.iter().filter(|line| line["step"] == "left_out");
        lines.any(|line| line["row"] == row)
    };
    assert!(left_out("time Falcon-512 sign expanded shared 1048576"));
    assert!(left_out("compare Falcon-1024 verify own 100000"));
    assert!(left_out("time Falcon-1024 sign balanced shared 262144"));
    assert!(left_out("variant SAME_1_X"));
    let end = lines.last().expect("a line");
    assert_eq!(end["step"], "end");
    assert_eq!(end["left_out"], count(&lines, "left_out"));
}

#[test]
fn what_is_known_survives_a_kill() {
    let Some(machine) = Machine::new("killed") else {
        return;
    };
    let few = "--budget 300 --batch 1,4,16 --smoke 6 --key-count 3 --runs 5";
    let screen = machine.root.join("screen");
    let mut run = machine
        .shell(&format!("{} {few}", command()))
        .stdout(fs::File::create(&screen).expect("a file"))
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("a shell");
    // Stops the program while it is writing times.
    let start = Instant::now();
    let written = || {
        let path = machine.results()?.join("results.jsonl");
        let text = fs::read_to_string(path).ok()?;
        Some(text.matches("\"step\":\"time\"").count())
    };
    while written().unwrap_or(0) < 4 {
        assert!(
            start.elapsed() < Duration::from_secs(200),
            "nothing is written"
        );
        assert!(run.try_wait().expect("a process").is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", run.id())])
        .status();
    assert!(kill.expect("kill runs").success());
    assert!(!run.wait().expect("a process").success());
    let folder = machine.results().expect("results");
    let known = lines(&folder);
    assert!(count(&known, "time") >= 4 && count(&known, "compare") > 0);
    assert_eq!(count(&known, "end"), 0);
    // Every line on the screen is in the file.
    let screen = fs::read_to_string(screen).expect("text");
    let shown = screen.matches('\n').count();
    assert!((5..=known.len()).contains(&shown), "{shown}");
    // The program has ended, so no line is added.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(lines(&folder), known);
}

#[test]
fn what_fails_leaves_no_results() {
    let out = std::env::temp_dir().join(format!("falcon-gpu-none-{}", std::process::id()));
    let script = || Command::new(format!("{SCRIPTS}/run.sh"));
    let failed = script()
        .args(["--binary", PROGRAM, "--device", "none", "--out"])
        .arg(&out)
        .output()
        .expect("the script runs");
    assert!(!failed.status.success());
    assert!(!out.join("results.jsonl").exists());
    let _ = fs::remove_dir_all(out);
    let failed = script().arg("--out").output().expect("the script runs");
    assert_eq!(failed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("--out needs a value"));
}

#[test]
fn rows_can_be_chosen() {
    let Some(driver) = falcon_gpu_host::DRIVER_FOLDER else {
        eprintln!("NOT TESTED: the test driver needs a C++17 compiler");
        return;
    };
    let run = |arguments: &str| -> Vec<Value> {
        let run = Command::new(PROGRAM)
            .args(arguments.split(' '))
            .env("LD_LIBRARY_PATH", driver)
            .output()
            .expect("the program runs");
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{errors}");
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        let lines = text.lines().map(serde_json::from_str);
        lines.map(|line| line.expect("JSON")).collect()
    };
    let few = "--jobs 12 --key-count 3 --runs 1";
    let lines = run(&format!("compare {few} --batch 4 --chunk 5 --streams 2"));
    let device = &lines[0];
    assert_eq!(
        (&device["streams"], &device["chunk"]),
        (&2.into(), &5.into())
    );
    assert_eq!(count(&lines, "compare"), 2 * 2 * (4 * 2 + 2));
    assert!(lines.iter().all(|line| line["equal"] != false));

    // The lines with times say how the engine divides a batch.
    let lines = run(&format!(
        "times {few} --parameters 512 --batch 12 --chunk 5"
    ));
    let divided = |line: &&Value| (&line["chunks"], &line["chunk_jobs"]) == (&3.into(), &4.into());
    assert_eq!(lines.iter().filter(divided).count(), 5);

    // The host alone is timed on a device that computes nothing.
    let lines = run("--host --batch 4 --key-count 3 --runs 1");
    assert_eq!(count(&lines, "time"), 2 * 5);
    assert!(lines.iter().all(|line| line["equal"].is_null()));

    let chosen = |arguments: &str, expected: &[&str]| {
        let lines = run(&format!("smoke times {few} {arguments}"));
        let rows: Vec<_> = lines[1..lines.len() - 1]
            .iter()
            .filter(|line| line["step"] != "loaded")
            .map(|line| {
                let text = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
                let size = line["batch"].as_u64().or(line["jobs"].as_u64());
                let keys = ["step", "parameters", "operation", "mode", "keys"].map(text);
                format!("{} {}", keys.join(" "), size.unwrap_or(0))
            })
            .collect();
        assert_eq!(rows, expected);
    };
    chosen(
        "--operation sign --parameters 512 --mode raw --batch 2 --batch 3 --smoke 5",
        &[
            "compare Falcon-512 sign raw own 5",
            "time Falcon-512 sign raw own 2",
            "time Falcon-512 sign raw own 3",
        ],
    );
    chosen(
        "--operation verify --parameters 1024 --keys own --batch 2,3 --smoke 5",
        &[
            "compare Falcon-1024 verify - own 5",
            "time Falcon-1024 verify - own 2",
            "time Falcon-1024 verify - own 3",
        ],
    );
    chosen(
        "--operation sign --parameters 512 --mode expanded --keys own --batch 2 --smoke 5",
        &[
            "compare Falcon-512 sign expanded own 5",
            "time Falcon-512 sign expanded own 2",
        ],
    );
}
