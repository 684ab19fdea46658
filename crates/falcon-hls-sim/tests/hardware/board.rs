//! The circuit for a board: the verifier behind a serial line, `place/board.v`, under Verilator.

use crate::hdl::{self, Module};
use crate::verifier::{self, Case};
use falcon_core::{Falcon512, Falcon1024, Parameters};
use std::path::Path;

/// Clocks per bit in `place/tests/board.cpp`.
const CLOCKS_PER_BIT: i64 = 40;

/// Checks the answers to records, to changed ones, and to empty fields.
fn check<P: Parameters>() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("place");
    let mut sources = vec![place.join("board.v")];
    sources.extend(verifier::sources());
    let module = Module {
        top: "board",
        sources: &sources,
        parameters: &[("LOGN", P::LOGN.into()), ("CLOCKS_PER_BIT", CLOCKS_PER_BIT)],
    };
    assert_eq!(module.lint(), Ok(()));
    let name = format!("board-{}", P::N);
    let simulation = module.simulation(&name, &place.join("tests/board.cpp"));

    let records = verifier::records::<P>();
    let mut cases = records[..2].to_vec();
    for field in 0..3 {
        cases.push(records[0].with("a bit", field, |bytes| bytes[20] ^= 1));
        cases.push(records[0].with("empty", field, Vec::clear));
    }
    cases.push(records[0].clone());
    let mut input = vec![cases.len() as u64];
    for field in cases.iter().flat_map(|case| &case.fields) {
        input.push(field.len() as u64);
        input.extend(field.iter().map(|&byte| u64::from(byte)));
    }
    let answer = |case: &Case| u64::from(if case.is_valid::<P>() { b'A' } else { b'R' });
    let expected: Vec<u64> = cases.iter().map(answer).collect();
    assert!(expected.contains(&b'A'.into()) && expected.contains(&b'R'.into()));
    assert_eq!(
        hdl::pipe(&simulation, &verifier::folder(), &input),
        expected
    );
}

#[test]
fn the_board_answers_as_the_core_does() {
    if !hdl::tools(&hdl::VERILATOR) {
        return;
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}
