//! The known answers that the targets start from.

use falcon_kat::rsp::{Reader, Record};

/// What encrypted keys are encrypted under.
pub const PASSPHRASE: &str = "passphrase";

/// The first records of the NIST Falcon-512 file.
pub fn records_512() -> Vec<Record> {
    records(include_bytes!(
        "../../kat/falcon-round3/falcon512-KAT.first10.rsp"
    ))
}

/// The first records of the NIST Falcon-1024 file.
pub fn records_1024() -> Vec<Record> {
    records(include_bytes!(
        "../../kat/falcon-round3/falcon1024-KAT.first10.rsp"
    ))
}

fn records(file: &[u8]) -> Vec<Record> {
    Reader::new(file)
        .map(|record| record.expect("a stored file is well formed"))
        .collect()
}

/// The detached compressed signature of a record; `logn` is 9 or 10.
pub fn detached(logn: u8, record: &Record) -> Vec<u8> {
    let attached = &record.signed_message;
    let s2 = &attached[42 + record.message.len() + 1..];
    [&[0x30 + logn][..], &attached[2..42], s2].concat()
}

/// A stored trust list.
pub const TRUST_LIST: &[u8] = include_bytes!("../../kat/envelope/trust");

/// The stored envelopes and manifests, with their names.
pub const ENVELOPE_FILES: [(&str, &[u8]); 4] = [
    (
        "order-512",
        include_bytes!("../../kat/envelope/order-512.sig"),
    ),
    (
        "order-1024",
        include_bytes!("../../kat/envelope/order-1024.sig"),
    ),
    (
        "folder-512",
        include_bytes!("../../kat/envelope/folder-512.manifest"),
    ),
    (
        "folder-1024",
        include_bytes!("../../kat/envelope/folder-1024.manifest"),
    ),
];
