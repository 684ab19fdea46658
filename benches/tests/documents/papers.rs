//! The table beside a paper about Falcon on ARM.

use crate::{instructions, instructions_of, is, table};

/// The rows of `arm/reference.sh --renew`.
const REFERENCE: &str = include_str!("../../arm/reference.jsonl");

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
