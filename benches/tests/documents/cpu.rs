//! Compares tables of times on x86-64 with the run that they show.

use crate::{PAGE, committed_row, group, is, says, table};
use serde_json::Value;

/// A whole run of `compare --json`. The first line names the machine.
const RUN: &str = include_str!("../../../docs/compare-zen5.jsonl");
const PEERS: [&str; 2] = ["fn-dsa", "pqcrypto-falcon"];

fn rows() -> impl Iterator<Item = Value> {
    let lines = RUN.lines().skip(1);
    lines.map(|line| serde_json::from_str(line).expect("an object"))
}

/// Returns the microseconds of a row, such as `sign/batch/falcon-512/as called`.
fn us(name: &str) -> Option<f64> {
    let mut rows = rows().filter(|row| row["ns"].is_number());
    let row = rows.find(|row| {
        let field = |key: &str| row[key].as_str().expect("a name");
        let [operation, mode] = [field("operation"), field("mode")];
        format!(
            "{operation}/{mode}/{}/{}",
            field("parameters"),
            field("engine")
        ) == name
    });
    Some(row?["ns"].as_f64().expect("a time") / 1e3)
}

fn time(name: &str) -> f64 {
    us(name).unwrap_or_else(|| panic!("no row {name}"))
}

/// Finds the fastest peer at an operation, and its time. No peer has batches, so our batches are
/// compared with the peer's prepared key.
fn best_peer(group: &str) -> (f64, &'static str) {
    let group = group.replace("batch", "prepared");
    let times = PEERS
        .into_iter()
        .filter_map(|peer| Some((us(&format!("{group}/{peer}"))?, peer)));
    times.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a peer")
}

#[test]
fn times_of_the_first_table_are_those_of_the_run() {
    let rows = table("| operation | x86-64, us: ours | best peer in Rust |");
    assert_eq!(rows.len(), 14);
    for cells in rows {
        let group = group(cells[0]);
        let ours = time(&format!("{group}/as called"));
        is(cells[1], ours, &group);
        let (peer, name) = best_peer(&group);
        let (shown, shown_name) = cells[2].rsplit_once(", ").expect("a time and a peer");
        assert_eq!(shown_name, name, "{group}");
        is(shown, peer, &group);
        is(cells[3], ours / peer, &group);
    }
}

/// Turns of the C reference and plain calls. The first line names the machine.
const TURNS: &str = include_str!("../../../docs/reference-zen5.jsonl");

#[test]
fn times_of_the_c_reference_are_those_of_the_turns() {
    let rows = table("| operation | ours | C reference | ratio |");
    assert_eq!(rows.len(), 8);
    for cells in rows {
        let group = group(cells[0]);
        let [ours, theirs] = ["as called", "reference"].map(|who| turn(&format!("{group}/{who}")));
        is(cells[1], ours, &group);
        is(cells[2], theirs, &group);
        is(cells[3], ours / theirs, &group);
    }
}

/// Returns microseconds of the run of the C reference.
fn turn(name: &str) -> f64 {
    let row = committed_row(TURNS, name).unwrap_or_else(|| panic!("no row {name}"));
    row["ns"].as_f64().expect("a time") / 1e3
}

#[test]
fn the_readme_compares_each_scheme_with_itself() {
    let page = include_str!("../../../README.md");
    let start = "| one operation | this project | peer | ratio |";
    let rows: Vec<_> = page
        .lines()
        .skip_while(|line| *line != start)
        .skip(2)
        .collect();
    let rows: Vec<_> = rows
        .into_iter()
        .take_while(|line| line.starts_with('|'))
        .collect();
    let fn_dsa = |mode: &str| {
        let name = format!("{mode}/falcon-512");
        (
            time(&format!("{name}/fndsa-provisional")),
            time(&format!("{name}/fn-dsa")),
        )
    };
    let batch = |name: &str| time(&format!("sign/batch/falcon-512/{name}"));
    let [sign, verify] = ["sign", "verify"].map(|what| fn_dsa(&format!("{what}/prepared")));
    // Firedancer was measured by hand; the sentence has its date.
    let firedancer = "it took 5.39 us where this project took 2.98 and `fn-dsa` 10.1 (Falcon-512, a \
                      Zen 5, thread CPU time in turns, 2026-11-28)";
    says(PAGE, firedancer);
    let prepared = "sign/prepared/falcon-512";
    let encoded = "sign/encoded/falcon-512";
    let expected = [
        (
            turn(&format!("{prepared}/as called")),
            Some((turn(&format!("{prepared}/reference")), "C reference")),
        ),
        (
            turn(&format!("{encoded}/as called")),
            Some((turn(&format!("{encoded}/reference")), "C reference")),
        ),
        (batch("as called"), None),
        (2.98, Some((5.39, "Firedancer"))),
        (sign.0, Some((sign.1, "`fn-dsa` 0.4.0"))),
        (batch("fndsa-provisional"), None),
        (verify.0, Some((verify.1, "`fn-dsa` 0.4.0"))),
    ];
    assert_eq!(rows.len(), expected.len());
    for (line, (ours, peer)) in rows.into_iter().zip(expected) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let number = |cell: &str| cell.split(" us").next().expect("a number").to_owned();
        is(&number(cells[1]), ours, line);
        match peer {
            None => assert_eq!([cells[2], cells[3]], ["no peer has batches", ""]),
            Some((theirs, name)) => {
                assert!(cells[2].ends_with(&format!(" us, {name}")), "{line}");
                is(&number(cells[2]), theirs, line);
                is(cells[3], ours / theirs, line);
            }
        }
    }
}

/// "About 80 %": between 0.75 and 0.85 on both engines that the README names.
#[test]
fn the_readme_says_what_an_expanded_key_gains() {
    let page = include_str!("../../../README.md");
    says(page, "in about 80 % of the time with AVX2 or AVX-512");
    for engine in ["as called", "avx2x8"] {
        let [prepared, decoded] =
            ["prepared", "decoded"].map(|mode| time(&format!("sign/{mode}/falcon-512/{engine}")));
        let ratio = prepared / decoded;
        assert!((0.75..0.85).contains(&ratio), "{engine}: {ratio}");
    }
}

#[test]
fn the_core_says_what_a_batch_gains() {
    let page = include_str!("../../../crates/falcon-core/README.md");
    let gain = |operation: &str| {
        let name = |mode: &str| format!("{operation}/{mode}/falcon-512/as called");
        time(&name("prepared")) / time(&name("batch"))
    };
    let sentence = format!(
        "a batch signs {:.1} times and verifies {:.1} times as many messages a second",
        gain("sign"),
        gain("verify")
    );
    says(page, &sentence);
}

#[test]
fn times_of_engines_are_those_of_the_run() {
    let rows = table("| us | `soft` | `scalar` | `avx2x8` | `avx512x16` |");
    assert_eq!(rows.len(), 16);
    let mut compared = 0;
    for cells in rows {
        let group = group(cells[0]);
        for (cell, engine) in cells[1..]
            .iter()
            .zip(["soft", "scalar", "avx2x8", "avx512x16"])
        {
            let name = format!("{group}/{engine}");
            assert_eq!(cell.is_empty(), us(&name).is_none(), "{name}");
            if !cell.is_empty() {
                is(cell, time(&name), &name);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 56);
}

#[test]
fn times_of_fn_dsa_are_those_of_the_run() {
    let rows = table("| us | 512 | `fn-dsa` | ratio | 1024 | `fn-dsa` | ratio |");
    assert_eq!(rows.len(), 7);
    for cells in rows {
        for (shown, degree) in [(&cells[1..4], 512), (&cells[4..7], 1024)] {
            let (operation, rest) = cells[0].split_once(", ").unwrap_or((cells[0], "seed"));
            let group = group(&format!("{operation} {degree}, {rest}"));
            let ours = time(&format!("{group}/fndsa-provisional"));
            let peer = time(&format!("{}/fn-dsa", group.replace("batch", "prepared")));
            is(shown[0], ours, &group);
            is(shown[1], peer, &group);
            is(shown[2], ours / peer, &group);
        }
    }
}

#[test]
fn the_page_names_the_run() {
    let head: Value = serde_json::from_str(RUN.lines().next().expect("a line")).expect("an object");
    let text = |key: &str| head[key].as_str().expect("a text");
    let sentence = format!(
        "`{}`, {}, commit {}, {}",
        text("command"),
        text("date"),
        text("commit"),
        text("processor")
    );
    says(PAGE, &sentence);
}

#[test]
fn the_page_names_the_spreads_of_the_run() {
    let spreads = |of_keygen: bool| {
        let rows = rows().filter(|row| (row["operation"] == "keygen") == of_keygen);
        let spreads = rows.filter_map(|row| row["spread"].as_f64());
        let mut spreads: Vec<f64> = spreads.map(|spread| 100.0 * spread).collect();
        spreads.sort_by(f64::total_cmp);
        [spreads[0], spreads[spreads.len() - 1]]
    };
    let ([least, most], [least_keygen, most_keygen]) = (spreads(false), spreads(true));
    let sentence = format!(
        "Spreads are {least:.1} to {most:.1} %, of key generation {least_keygen:.0} to \
         {most_keygen:.0} %."
    );
    says(PAGE, &sentence);
}
