//! Compares the section of `docs/HLS.md` about a processor beside the circuits with the clocks in
//! `system/operations.tsv`.

use falcon_hls_sim::amdahl::paper;
use falcon_hls_sim::profile::Operation;
use std::collections::BTreeMap;

const TABLE: &str = include_str!("../system/operations.tsv");
const DOCUMENT: &str = include_str!("../../../docs/HLS.md");

/// A row of the table: its key, and its numbers by the names of their columns.
type Rows = BTreeMap<(u32, &'static str, &'static str, &'static str), BTreeMap<&'static str, u64>>;

/// Names of the columns behind the key.
const COLUMNS: [&str; 8] = [
    "clocks",
    "fft_runs",
    "fft_moved",
    "fft_waited",
    "keccak_runs",
    "keccak_moved",
    "keccak_waited",
    "fpu_operations",
];

fn rows() -> Rows {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = ["degree", "operation", "form", "ratio"]
        .into_iter()
        .chain(COLUMNS)
        .collect();
    assert_eq!(lines.next(), Some(head.join("\t").as_str()));
    let mut rows = Rows::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let [degree, operation, form, ratio, numbers @ ..] = &cells[..] else {
            panic!("{line}");
        };
        assert_eq!(numbers.len(), COLUMNS.len(), "{line}");
        let numbers = numbers.iter().map(|n| n.parse().expect("a number"));
        let key = (degree.parse().expect("a degree"), *operation, *form, *ratio);
        let row = COLUMNS.into_iter().zip(numbers).collect();
        assert!(rows.insert(key, row).is_none(), "two rows {key:?}");
    }
    rows
}

/// Returns the section about the system.
fn section() -> &'static str {
    let (_, text) = DOCUMENT
        .split_once("\n## A processor beside the circuits\n")
        .expect("the section");
    text.split_once("\n## ")
        .map_or(text, |(section, _)| section)
}

/// Fails unless the section contains the sentence. Line breaks do not matter.
fn says(sentence: &str) {
    let words: Vec<&str> = section().split_whitespace().collect();
    assert!(words.join(" ").contains(sentence), "{sentence}");
}

fn cells(line: &'static str) -> Vec<&'static str> {
    let line = line.trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(str::trim).collect()
}

/// The tables of the section by ratio: the head, then the rows.
fn tables() -> BTreeMap<&'static str, Vec<Vec<&'static str>>> {
    let mut tables = BTreeMap::<_, Vec<_>>::new();
    let mut ratio = None;
    for line in section().lines() {
        if !line.starts_with('|') {
            ratio = None;
        } else if !line.starts_with("|---") {
            let cells = cells(line);
            let ratio = ratio.get_or_insert(cells[0]);
            tables.entry(*ratio).or_default().push(cells);
        }
    }
    tables
}

/// The form of a column of the document.
fn form(head: &str) -> &str {
    match head {
        "FFT" => "fft",
        "Keccak-f" => "keccak",
        "FPU" => "fpu",
        "FPU, FFT" => "fft-fpu",
        "FPU, Keccak-f" => "keccak-fpu",
        _ => head,
    }
}

/// Formats millions of clocks.
fn millions(clocks: u64) -> String {
    let digits = if clocks < 9_995_000 { 2 } else { 1 };
    format!("{:.digits$}", clocks as f64 / 1e6)
}

/// Formats a speedup from the clocks before and after.
fn speedup(before: u64, after: u64) -> String {
    format!("{:.2}", before as f64 / after as f64)
}

/// Rows of the document, what they are called in the table, and whose speedup the paper has.
const OPERATIONS: [(&str, &str, Operation); 4] = [
    ("verification", "verify", Operation::VerifyEncoded),
    ("key generation", "keygen", Operation::Keygen),
    ("signature, encoded key", "sign-encoded", Operation::Sign),
    ("signature, expanded key", "sign-expanded", Operation::Sign),
];

/// Compares every cell: clocks, cells that are empty since there is no such row, and the speedup of
/// all parts together. Behind the clocks a prediction may stand in brackets.
#[test]
fn the_document_has_the_clocks_of_every_form_and_ratio() {
    let rows = rows();
    let tables = tables();
    assert_eq!(tables.keys().collect::<Vec<_>>(), [&"1:1", &"20:3"]);
    for (ratio, table) in tables {
        let (head, body) = table.split_first().expect("a head");
        let forms = head[1..].iter().take_while(|&&head| head != "speedup");
        let forms: Vec<&str> = forms.copied().collect();
        let paper = &head[forms.len() + 2..];
        assert_eq!(paper, if ratio == "20:3" { &["paper"][..] } else { &[] });
        assert_eq!(body.len(), OPERATIONS.len(), "{ratio}");
        for (line, (name, operation, reported)) in body.iter().zip(OPERATIONS) {
            assert_eq!(line[0], name);
            let clocks = |form| {
                let row = rows.get(&(512, operation, form, ratio));
                row.map(|row| row["clocks"])
            };
            let mut last = None;
            for (head, cell) in forms.iter().zip(&line[1..]) {
                let found = cell.split(" (").next().unwrap_or_default();
                let clocks = clocks(form(head));
                let expected = clocks.map(millions).unwrap_or_default();
                assert_eq!(found, expected, "{ratio}, {name}, {head}");
                last = clocks.or(last);
            }
            let software = rows[&(512, operation, "software", "1:1")]["clocks"];
            let expected = speedup(software, last.expect("a form"));
            assert_eq!(line[forms.len() + 1], expected, "{ratio}, {name}");
            let reported = paper::reported(reported).expect("a speedup");
            let expected = reported.to_string();
            assert!(line[forms.len() + 2..].iter().all(|cell| *cell == expected));
        }
    }
}

/// Formats a number with commas between thousands.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

#[test]
fn the_document_has_the_clocks_of_a_transform_and_of_a_permutation() {
    let rows = rows();
    let fft = |form| &rows[&(512, "fft", form, "1:1")];
    let [software, fpu] = ["software", "fpu"].map(fft);
    let circuit = fft("fft");
    says(&format!(
        "an FFT takes {} clocks in software, {} with the FPU and {} on the circuit, {} of them for \
         copies",
        thousands(software["clocks"]),
        thousands(fpu["clocks"]),
        thousands(circuit["clocks"]),
        thousands(circuit["fft_moved"]),
    ));
    says(&format!(
        "An operation of the FPU takes {} clocks in an FFT",
        (fpu["clocks"] + fpu["fpu_operations"] / 2) / fpu["fpu_operations"]
    ));
    let [software, circuit] =
        ["software", "keccak"].map(|form| &rows[&(512, "verify", form, "1:1")]);
    let runs = circuit["keccak_runs"];
    let moved = circuit["keccak_moved"] / runs;
    let taken = moved + circuit["keccak_waited"] / runs;
    let saved = (software["clocks"] - circuit["clocks"]) / runs;
    says(&format!(
        "Keccak-f takes {} clocks in software and {taken} on its circuit, {moved} of them for \
         copies",
        thousands(taken + saved)
    ));
}

/// Checks what the FPU gains, and what the circuits gain beside it.
#[test]
fn the_document_has_the_gains_of_signing() {
    let rows = rows();
    let gain = |before, after| {
        let clocks = |form| rows[&(512, "sign-encoded", form, "1:1")]["clocks"];
        speedup(clocks(before), clocks(after))
    };
    says(&format!(
        "The FPU alone makes signing with an encoded key {} times as fast, and both circuits \
         beside it another {} times.",
        gain("software", "fpu"),
        gain("fpu", "all"),
    ));
}

/// What a permutation saves follows from verification, which does little else.
#[test]
fn the_document_says_what_a_permutation_saves() {
    let rows = rows();
    let [software, keccak] =
        ["software", "keccak"].map(|form| &rows[&(512, "verify", form, "1:1")]);
    let saved = (software["clocks"] - keccak["clocks"]) / keccak["keccak_runs"];
    let runs = rows[&(512, "sign-encoded", "keccak", "1:1")]["keccak_runs"];
    let clocks = thousands(saved);
    says(&format!(
        "A permutation on the circuit saves {clocks} clocks in verification, so the {runs} of the \
         encoded key's signature save {:.1} million.",
        (saved * runs) as f64 / 1e6
    ));
}

/// Checks the table itself: circuits and unit do what the form says, an expanded key saves time,
/// and a slower clock of the circuits never makes anything faster than 1 %.
#[test]
fn forms_use_what_they_say() {
    let rows = rows();
    for (&(degree, operation, form, ratio), row) in &rows {
        let key = (degree, operation, form, ratio);
        let uses = |parts: &[&str]| parts.contains(&form);
        let fft = uses(&["fft", "both", "fft-fpu", "all"]);
        let keccak = uses(&["keccak", "both", "keccak-fpu", "all"]);
        let fpu = uses(&["fpu", "fft-fpu", "keccak-fpu", "all"]);
        assert_eq!(row["fft_runs"] > 0, fft, "{key:?}");
        assert_eq!(row["keccak_runs"] > 0, keccak, "{key:?}");
        assert_eq!(row["fpu_operations"] > 0, fpu, "{key:?}");
        assert!(ratio == "1:1" || fft || keccak, "{key:?}");
        if ratio == "20:3" {
            let equal = rows[&(degree, operation, form, "1:1")]["clocks"];
            assert!(row["clocks"] > equal * 99 / 100, "{key:?}");
        }
        if operation == "sign-expanded" {
            let encoded = rows[&(degree, "sign-encoded", form, ratio)]["clocks"];
            assert!(row["clocks"] < encoded, "{key:?}");
        }
    }
}
