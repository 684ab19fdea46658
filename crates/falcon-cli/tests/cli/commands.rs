//! `kat`, `bench`, `demo`, `completions`, `man`.

use crate::sandbox::{Sandbox, json_lines, said, text, with};

#[test]
fn known_answers_are_generated_and_checked() {
    let sandbox = Sandbox::empty();
    for algorithm in ["falcon-512", "falcon-padded-512"] {
        let generate = [
            "kat", "generate", "-a", algorithm, "-n", "3", "-o", "f", "--force",
        ];
        sandbox.succeeds(&generate);
        let checked = sandbox.succeeds(&["kat", "check", "f", "--json"]);
        let answer = &json_lines(&checked)[0];
        assert_eq!(answer["algorithm"], algorithm);
        assert_eq!(answer["records"], 3);
        assert_eq!(answer["matches"], true);
    }
    // The last digit of the last signature, before the two line ends.
    let mut file = sandbox.read("f");
    let digit = file.iter_mut().rev().nth(2).unwrap();
    *digit = if *digit == b'0' { b'1' } else { b'0' };
    sandbox.write("f", file);
    let differs = sandbox.run(&["kat", "check", "f", "--json"]);
    assert_eq!(differs.status.code(), Some(1));
    let answer = &json_lines(&differs)[0];
    assert_eq!(answer["records"], 2);
    assert!(
        answer["finding"]
            .as_str()
            .unwrap()
            .contains("record 2: `sm`")
    );
}

#[test]
fn bench_prints_one_object_a_line() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--json", "--seconds", "0", "-a", "falcon-512"];
    let scalar = ["--engine", "scalar", "--threads", "2"];
    let lines = json_lines(&sandbox.succeeds(&with(&bench, scalar)));
    for (operation, mode, threads) in [
        ("keygen", "seed", 1),
        ("sign", "key", 1),
        ("sign", "expanded", 1),
        ("sign", "batch", 1),
        ("sign", "batch", 2),
        ("verify", "decode", 1),
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
    let scalar = ["--engine", "scalar", "--threads", "2"];
    let measured = sandbox.succeeds(&with(&bench, scalar));
    let rows = text(&measured.stdout).lines().count();
    let said = text(&measured.stderr);
    assert!(said.contains(&format!("{rows} rows")), "{rows} {said}");
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
fn the_demo_refuses_a_flipped_bit() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["demo", "m", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = &json_lines(&output)[0];
    assert_eq!(shown["valid"], true);
    assert_eq!(shown["flipped_bit_refused"], true);
    let (key, signature) = (&shown["public_key"], &shown["signature"]);
    let (key, signature) = (key.as_str().unwrap(), signature.as_str().unwrap());
    sandbox.succeeds(&["verify", "-p", key, "-s", signature, "m"]);
}

#[test]
fn a_demo_that_fails_leaves_nothing() {
    let sandbox = Sandbox::empty();
    let demo = sandbox.run(&["demo", "missing"]);
    said(&demo);
    assert!(sandbox.names().is_empty());
}

#[cfg(unix)]
#[test]
fn what_the_demo_proposes_can_be_typed() {
    let sandbox = Sandbox::empty();
    sandbox.write("a b", "x");
    let demo = sandbox.run(&["demo", "a b"]);
    let shown = text(&demo.stdout);
    let proposed = shown.lines().last().unwrap().trim();
    let typed = std::process::Command::new("sh")
        .args(["-c", proposed])
        .current_dir(sandbox.0.path())
        .output()
        .unwrap();
    assert!(typed.status.success(), "{proposed}: {typed:?}");
}

#[test]
fn shells_and_man_get_their_pages() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.succeeds(&["completions", shell]);
        assert!(text(&script.stdout).contains("keygen"), "{shell}");
    }
    let page = sandbox.succeeds(&["man"]);
    assert!(text(&page.stdout).starts_with(".ie"));
    sandbox.succeeds(&["man", "--dir", "pages"]);
    for page in ["kat-check", "pubkey"] {
        let page = format!("pages/falcon-cli-{page}.1");
        assert!(sandbox.path(&page).exists(), "{page}");
    }
}
