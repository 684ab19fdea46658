//! `run.sh` from the first line to the table, on the driver for tests: its kernels
//! run on the processor, so the rates say nothing.

use std::process::Command;

#[test]
fn the_script_compares_and_times() {
    let Some(driver) = falcon_gpu_host::DRIVER_FOLDER else {
        eprintln!("NOT TESTED: the test driver needs a C++17 compiler");
        return;
    };
    let out = std::env::temp_dir().join(format!("falcon-gpu-bench-{}", std::process::id()));
    // As if they were a variant; and one that is none.
    let variants = out.join("ptx");
    std::fs::create_dir_all(&variants).expect("a folder");
    std::fs::write(variants.join("SAME.ptx"), falcon_gpu::PTX.concat()).expect("a file");
    std::fs::write(variants.join("WRONG.ptx"), "nothing").expect("a file");
    let run = script(["--binary", env!("CARGO_BIN_EXE_falcon-gpu-bench")])
        .args([
            "--jobs",
            "12",
            "--keys",
            "3",
            "--largest",
            "16",
            "--runs",
            "1",
        ])
        .arg("--out")
        .arg(&out)
        .arg("--variants")
        .arg(&variants)
        .env("LD_LIBRARY_PATH", driver)
        .output()
        .expect("the script runs");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let read = |name: &str| -> Vec<serde_json::Value> {
        let results = std::fs::read_to_string(out.join(name)).expect("results");
        let lines = results.lines().map(serde_json::from_str);
        lines.map(|line| line.expect("JSON")).collect()
    };
    let lines = read("results.jsonl");
    let of = |step: &'static str| lines.iter().filter(move |line| line["step"] == step);
    assert_eq!(of("device").count(), 1);
    // The driver for tests has none of these kernels, which is said.
    assert_eq!(of("ceiling").count(), 7);
    assert!(of("ceiling").any(|line| line["error"].is_string()));
    // Four ways in two grains and in small batches, and verdicts, with one key and many.
    assert_eq!(of("compare").count(), 2 * 2 * (4 * 3 + 2));
    assert!(of("compare").all(|line| line["equal"] == true));
    assert_eq!(of("time").count(), 2 * 3 * 5);
    assert!(of("time").all(|line| {
        line["kernels"]
            .as_object()
            .is_some_and(|kernels| !kernels.is_empty())
    }));
    let steps = |step: &'static str| {
        read("SAME.jsonl")
            .iter()
            .filter(|line| line["step"] == step)
            .count()
    };
    assert_eq!(
        (steps("compare"), steps("time")),
        (2 * 2 * (4 * 3 + 2), 2 * 3 * 5)
    );
    assert!(errors.contains("variant WRONG: failed"), "{errors}");
    let table = std::fs::read_to_string(out.join("table.md")).expect("a table");
    assert_eq!(table.matches("\n| Falcon-").count(), 2 * 10);
    assert!(table.contains("cuFalcon"));

    // What was measured once is not overwritten, whatever comes of another run.
    let again = script(["--binary", env!("CARGO_BIN_EXE_falcon-gpu-bench"), "--out"])
        .arg(&out)
        .output()
        .expect("the script runs");
    assert_eq!(again.status.code(), Some(2));
    assert_eq!(read("results.jsonl"), lines);
    let _ = std::fs::remove_dir_all(out);
}

#[test]
fn what_fails_leaves_no_results() {
    let out = std::env::temp_dir().join(format!("falcon-gpu-none-{}", std::process::id()));
    let failed = script(["--binary", env!("CARGO_BIN_EXE_falcon-gpu-bench"), "--out"])
        .arg(&out)
        .args(["--device", "none"])
        .output()
        .expect("the script runs");
    assert!(!failed.status.success());
    assert!(!out.join("results.jsonl").exists());
    let _ = std::fs::remove_dir_all(out);
    let failed = script(["--out"]).output().expect("the script runs");
    assert_eq!(failed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("--out needs a value"));
}

/// `run.sh` with these arguments.
fn script<const N: usize>(arguments: [&str; N]) -> Command {
    let mut script = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/run.sh"));
    script.args(arguments);
    script
}

#[test]
fn grain_chunk_and_streams_can_be_chosen() {
    let Some(driver) = falcon_gpu_host::DRIVER_FOLDER else {
        eprintln!("NOT TESTED: the test driver needs a C++17 compiler");
        return;
    };
    let run = Command::new(env!("CARGO_BIN_EXE_falcon-gpu-bench"))
        .args(["compare", "--jobs", "12", "--keys", "3", "--largest", "4"])
        .args(["--grain", "warp", "--chunk", "5", "--streams", "2"])
        .env("LD_LIBRARY_PATH", driver)
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let text = String::from_utf8_lossy(&run.stdout);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let device = &lines[0];
    assert_eq!(
        (&device["streams"], &device["chunk"]),
        (&2.into(), &5.into())
    );
    assert_eq!(device["grain"], "Warp");
    assert_eq!(lines.len(), 1 + 2 * 2 * (4 * 2 + 2));
    assert!(lines[1..].iter().all(|line| line["equal"] == true));
    assert!(!text.contains("thread"), "{text}");
}
