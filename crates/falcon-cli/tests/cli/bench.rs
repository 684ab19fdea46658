//! `bench`.

use crate::sandbox::{Sandbox, json_lines, text, with};

#[test]
fn bench_prints_one_object_a_line() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--json", "--seconds", "0", "-a", "falcon-512"];
    let scalar = ["--engine", "scalar", "--threads", "2"];
    let lines = json_lines(&sandbox.succeeds(&with(&bench, scalar)));
    for (operation, mode, threads) in [
        ("keygen", "seed", 1),
        ("sign", "decoded", 1),
        ("sign", "prepared", 1),
        ("sign", "batch", 1),
        ("sign", "batch", 2),
        ("verify", "encoded", 1),
        ("verify", "prepared", 1),
        ("verify", "batch", 1),
        ("verify", "batch", 2),
    ] {
        let is_it = |line: &&serde_json::Value| {
            line["operation"] == operation && line["mode"] == mode && line["threads"] == threads
        };
        let line = lines
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{operation} {mode} {threads}"));
        assert_eq!(line["parameters"], "Falcon-512");
        assert!(line["engine"].is_string());
        assert!(line["median_ns"].as_u64().unwrap() > 0);
        assert!(line["ops_per_s"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn bench_has_batches_of_the_size_that_is_asked_for() {
    let sandbox = Sandbox::empty();
    let bench = [
        "bench",
        "--seconds",
        "0",
        "-a",
        "falcon-512",
        "--threads",
        "2",
    ];
    let bench = with(&bench, ["--engine", "scalar", "--batch", "3"]);
    let lines = json_lines(&sandbox.succeeds(&with(&bench, ["--json"])));
    let (batches, single): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| line["mode"] == "batch");
    assert_eq!((batches.len(), single.len()), (4, 5));
    assert!(batches.iter().all(|line| line["count"] == 3));
    assert!(single.iter().all(|line| line["count"] == 1));
    let measured = sandbox.succeeds(&bench);
    let shown = text(&measured.stdout);
    assert_eq!(shown.matches("in batches of 3").count(), 4);
    assert_eq!(shown.matches("on 2 threads in batches of 3").count(), 2);
    sandbox.refuses(&["bench", "--batch", "0"]);
}

#[test]
fn bench_says_how_many_rows_it_prints() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--seconds", "0", "-a", "falcon-512"];
    let scalar = ["--engine", "scalar", "--threads", "1"];
    let measured = sandbox.succeeds(&with(&bench, scalar));
    let shown = text(&measured.stdout);
    let rows = shown.lines().count() - 1;
    let heading = shown.lines().next().unwrap();
    assert!(heading.starts_with("operation key "), "{heading}");
    // The numbers are right-aligned with their headings.
    for row in shown.lines() {
        // On a busy machine, a row may end with the number of runs.
        let (row, runs) = row.split_once(", ").unwrap_or((row, "runs"));
        assert!(runs.ends_with("runs"), "{row}, {runs}");
        assert_eq!(row.split_whitespace().count(), 6, "{row}");
        assert_eq!(row.len(), heading.len(), "{row}");
    }
    let said = text(&measured.stderr);
    assert!(
        said.contains(&format!("{rows} rows, about ")),
        "{rows} {said}"
    );
    assert!(said.contains("smaller is faster"), "{said}");
}

#[test]
fn a_quick_bench_measures_each_row_for_a_tenth_of_a_second() {
    let sandbox = Sandbox::empty();
    let scalar = ["-a", "512", "--engine", "scalar", "--threads", "1"];
    let quick = with(&["bench", "--quick"], scalar);
    let told = sandbox.refuses(&with(&quick, ["--seconds", "1"]));
    assert!(told.contains("cannot be used with"), "{told}");
    let said = |bench: &[&str]| text(&sandbox.succeeds(bench).stderr).to_owned();
    let quick = said(&quick);
    let same = said(&with(&["bench", "--seconds", "0.1"], scalar));
    let forecast = |said: &str| {
        said.lines()
            .find(|line| line.contains(" rows, about "))
            .map(str::to_owned)
    };
    assert_eq!(
        forecast(&quick),
        Some("note: 7 rows, about 1 second".to_owned())
    );
    assert_eq!(forecast(&quick), forecast(&same));
}

#[test]
fn bench_takes_no_more_threads_than_make_sense() {
    let sandbox = Sandbox::empty();
    for threads in ["0", "1025", "100000"] {
        let message = sandbox.refuses(&["bench", "--threads", threads]);
        assert!(message.contains("1..=1024"), "{message}");
    }
}

#[test]
fn bench_measures_the_engine_that_the_environment_names() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--json", "--seconds", "0", "-a", "falcon-512"];
    let bench = with(&bench, ["--threads", "1", "--batch", "1"]);
    let mut command = sandbox.command(&bench);
    let measured = command.env("FALCON_ENGINE", "Scalar").output().unwrap();
    let lines = json_lines(&measured);
    assert_eq!(lines.len(), 7, "{measured:?}");
    let engines = lines.iter().map(|line| line["engine"].as_str().unwrap());
    let others = engines.filter(|engine| !["all", "scalar"].contains(engine));
    assert_eq!(others.count(), 0, "{measured:?}");
}

/// A long run is measured once, after a run that is not measured. The row says how many runs were
/// measured.
#[test]
fn bench_repeats_no_long_run() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--json", "--seconds", "0", "-a", "falcon-512"];
    let size = if cfg!(debug_assertions) {
        "4096"
    } else {
        "32768"
    };
    let scalar = ["--engine", "scalar", "--threads", "1", "--batch", size];
    let lines = json_lines(&sandbox.succeeds(&with(&bench, scalar)));
    let runs = |operation: &str, mode: &str| {
        let is_it =
            |line: &&serde_json::Value| line["operation"] == operation && line["mode"] == mode;
        lines.iter().find(is_it).unwrap()["runs"].as_u64().unwrap()
    };
    assert_eq!(runs("sign", "batch"), 1);
    assert!(runs("verify", "prepared") >= 5);
}

/// Checks that `bench` refuses the batch before it prints a row.
#[cfg(target_os = "linux")]
#[test]
fn bench_refuses_a_batch_for_which_memory_is_short() {
    let sandbox = Sandbox::empty();
    let program = env!("CARGO_BIN_EXE_falcon-cli");
    for algorithm in ["falcon-512", "falcon-1024"] {
        let bench = format!(
            "ulimit -v 8000000; exec {program} bench -a {algorithm} --batch 16777216 --threads 1"
        );
        let refused = std::process::Command::new("sh")
            .args(["-c", &bench])
            .current_dir(&sandbox.0)
            .output()
            .unwrap();
        let message = crate::sandbox::said(&refused);
        assert!(message.contains("a batch of 16777216 needs "), "{message}");
        assert!(message.contains("smaller --batch"), "{message}");
        assert_eq!(text(&refused.stdout), "");
    }
    let message = sandbox.refuses(&["bench", "--batch", "16777217"]);
    assert!(message.contains("1..=16777216"), "{message}");
}

#[test]
fn measurements_tell_a_debug_build() {
    let sandbox = Sandbox::new();
    let bench = ["bench", "--seconds", "0", "-a", "512", "--engine", "scalar"];
    for command in [&bench[..], &["demo", "m"], &["demo", "m", "--quiet"]] {
        let output = sandbox.succeeds(&with(command, ["--json"]));
        let told = text(&output.stderr);
        assert_eq!(
            told.contains("this is a debug build"),
            cfg!(debug_assertions),
            "{command:?}: {told}"
        );
    }
}
