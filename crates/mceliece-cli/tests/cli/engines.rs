//! Engines, known answers and measurements.

use crate::sandbox::{QUICK, Sandbox, json_lines, text};

/// Returns the engines of this machine, as `bench` lists them.
fn engines(sandbox: &Sandbox) -> Vec<String> {
    let bench = ["bench", "--json", "--parameters", QUICK, "--seconds", "0"];
    let lines = json_lines(&sandbox.succeeds(&bench));
    let keygen = lines.iter().filter(|line| line["operation"] == "keygen");
    keygen
        .map(|line| line["engine"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_engine_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    let engines = engines(&sandbox);
    assert_eq!(engines.last().unwrap(), "portable");
    sandbox.write("seed", [0xf3; 32]);
    for engine in &engines {
        let on = ["--engine", engine];
        let keygen = [
            "keygen",
            "--parameters",
            QUICK,
            engine,
            "--seed-file",
            "seed",
        ];
        sandbox.succeeds(&[&keygen[..], &on].concat());
        assert_eq!(sandbox.read(engine), sandbox.read(&engines[0]), "{engine}");
        let public = format!("{engine}.pub");
        let first = format!("{}.pub", engines[0]);
        assert_eq!(sandbox.read(&public), sandbox.read(&first), "{engine}");
        let decaps = ["decaps", "-k", "k", "c", "--secret", "-"];
        let opened = sandbox.succeeds(&[&decaps[..], &on].concat()).stdout;
        assert_eq!(opened, sandbox.read("s"), "{engine}");
    }
}

#[test]
fn an_engine_that_the_machine_lacks_is_refused() {
    let sandbox = Sandbox::empty();
    let message = sandbox.refuses(&["kat", "--engine", "abacus"]);
    assert!(
        message.contains("this machine has the engines"),
        "{message}"
    );
}

#[test]
fn known_answers_are_right_on_every_engine() {
    let sandbox = Sandbox::empty();
    for engine in engines(&sandbox) {
        let kat = ["kat", "--parameters", QUICK, "--json", "--engine", &engine];
        let lines = json_lines(&sandbox.succeeds(&kat));
        let expected = serde_json::json!({
            "parameters": QUICK, "engine": engine, "matches": true, "records": 10
        });
        assert_eq!(lines, [expected]);
    }
}

#[test]
fn all_ten_sets_have_known_answers() {
    let sandbox = Sandbox::empty();
    let answers = sandbox.succeeds(&["kat"]);
    let lines: Vec<_> = text(&answers.stdout).lines().collect();
    assert_eq!(lines.len(), 10);
    assert!(
        lines
            .iter()
            .all(|line| line.contains(": OK: 10 records match")),
        "{lines:?}"
    );
    let message = sandbox.refuses(&["kat", "--parameters", "mceliece460896pc"]);
    assert!(message.contains("possible values"), "{message}");
}

#[test]
fn bench_measures_what_was_asked_for() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--parameters", "MCELIECE348864F", "--seconds", "0"];
    let bench = [&bench[..], &["--engine", "Portable"]].concat();
    let lines = json_lines(&sandbox.succeeds(&[&bench[..], &["--json"]].concat()));
    let operations: Vec<_> = lines.iter().map(|line| line["operation"].clone()).collect();
    assert_eq!(operations, ["keygen", "encaps", "decaps"]);
    for line in &lines {
        assert_eq!(line["parameters"], QUICK);
        assert_eq!(line["engine"], "portable");
        assert!(line["median_ns"].as_u64().unwrap() >= line["minimum_ns"].as_u64().unwrap());
        assert!(line["ops_per_s"].as_f64().unwrap() > 0.0);
        assert!(line["runs"].as_u64().unwrap() > 0);
    }
    let measured = sandbox.succeeds(&bench);
    let rows: Vec<_> = text(&measured.stdout).lines().collect();
    assert_eq!(rows.len(), 4);
    // The numbers are right-aligned to their headings. A row may end with its number of runs.
    for row in &rows[1..] {
        assert_eq!(
            row.split(", ").next().unwrap().len(),
            rows[0].len(),
            "{row}"
        );
    }
    let said = text(&measured.stderr);
    assert!(said.contains("3 rows, about 0 seconds"), "{said}");
    for seconds in ["3601", "x"] {
        let message = sandbox.refuses(&["bench", "--seconds", seconds]);
        assert!(message.contains("seconds"), "{message}");
    }
}
