//! Keys and signatures of the NIST vectors.

use falcon_kat::rsp::{Reader, Record};

/// Record 0 of the round-3 file of degree `2^logn`.
pub(crate) fn first_record(logn: u32) -> Record {
    let file = match logn {
        9 => include_str!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        10 => include_str!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
        _ => panic!("no vectors of degree 2^{logn}"),
    };
    Reader::new(file.as_bytes())
        .next()
        .expect("a record")
        .expect("a well-formed one")
}
