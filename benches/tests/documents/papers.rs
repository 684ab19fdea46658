//! Compares tables with two papers about ARM, and with the counts of Classic McEliece.

use crate::{REFERENCE, instructions, instructions_of, is, says, table, table_of};
use serde_json::Value;

/// The rows of `arm/run.sh --renew mceliece`.
const MCELIECE: &str = include_str!("../../arm/mceliece.jsonl");
/// The rows of `arm/encode.sh --renew`.
const ENCODE: &str = include_str!("../../arm/encode.jsonl");
const MCELIECE_PAGE: &str = include_str!("../../../docs/MCELIECE.md");

/// Table 3 of the paper about Classic McEliece: PQClean, vector registers, general registers.
const TABLE_3: [(&str, [f64; 3]); 4] = [
    ("348864f", [7_426.531, 3_741.219, 6_502.188]),
    ("460896f", [10_177.125, 7_808.875, 13_337.344]),
    ("6688128f", [21_789.469, 14_393.469, 25_058.688]),
    ("8192128f", [28_130.5, 27_208.156, 29_757.313]),
];

#[test]
fn gains_over_the_reference_are_those_of_the_table() {
    let rows = table("| operation | reference, k instr. |");
    assert_eq!(rows.len(), 8);
    for cells in rows {
        let group = crate::group(cells[0]);
        let theirs = instructions_of(REFERENCE, &format!("{group}/reference"));
        let engine = if group.starts_with("keygen") {
            "scalar"
        } else {
            "neonx4"
        };
        let ours = instructions(&format!("{group}/{engine}"));
        is(cells[1], theirs / 1e3, &group);
        is(cells[2], 100.0 * (1.0 - ours / theirs), &group);
        is(cells[3], 100.0 * (theirs / ours - 1.0), &group);
    }
}

/// Thousands of instructions of a row of `rows`.
fn thousands(rows: &str, operation: &str, set: &str, engine: &str) -> f64 {
    let parse = |row| serde_json::from_str(row).expect("an object");
    let row = rows.lines().map(parse).find(|row: &Value| {
        row["operation"] == operation
            && row["parameters"] == format!("mceliece{set}")
            && row["engine"] == engine
    });
    let row = row.unwrap_or_else(|| panic!("no row {operation}/{set}/{engine}"));
    row["instructions"].as_u64().expect("a count") as f64 / 1e3
}

#[test]
fn counts_of_classic_mceliece_are_those_of_the_table() {
    let rows = table_of(MCELIECE_PAGE, "| operation, k instr. |");
    assert_eq!(rows.len(), 15);
    for cells in rows {
        let (set, operation) = cells[0].split_once(' ').expect("a set and an operation");
        let operation = operation.trim_end_matches('s');
        let count = |engine| thousands(MCELIECE, operation, set, engine);
        let [ours, portable, peer] = ["neon", "portable", "pq-mceliece"].map(count);
        for (cell, value) in cells[1..].iter().zip([ours, portable, peer, peer / ours]) {
            is(cell, value, cells[0]);
        }
    }
    let sets = ["348864f", "460896f", "6688128f", "6960119f", "8192128f"];
    let [a, b, c, d, e] = sets.map(|set| thousands(MCELIECE, "decap-batch", set, "neon"));
    let sentence = format!(
        "one decapsulation takes {a:.0} k, {b:.0} k, {c:.0} k, {d:.0} k and {e:.0} k instructions"
    );
    says(MCELIECE_PAGE, &sentence);
}

#[test]
fn counts_of_encode_are_those_of_the_table() {
    let rows = table_of(MCELIECE_PAGE, "| ENCODE, k instr. |");
    assert_eq!(rows.len(), TABLE_3.len());
    for (cells, (set, [reference, vector, general])) in rows.iter().zip(TABLE_3) {
        assert_eq!(cells[0], set);
        let count = |engine| thousands(ENCODE, "encode", set, engine);
        let [neon, portable, pqclean] = ["neon", "portable", "pqclean"].map(count);
        let ratios = [
            pqclean / neon,
            pqclean / portable,
            reference / vector,
            reference / general,
        ];
        let shown = [neon, portable, pqclean].into_iter().chain(ratios);
        for (cell, value) in cells[1..].iter().zip(shown) {
            is(cell, value, set);
        }
    }
    let [a, b, c, d] = TABLE_3.map(|(_, [_, vector, general])| general / vector);
    let sentence = format!(
        "v is {:.2} times as fast as g on average, not 1.7: {a:.2}, {b:.2}, {c:.2} and {d:.2}.",
        (a + b + c + d) / 4.0
    );
    says(MCELIECE_PAGE, &sentence);
}
