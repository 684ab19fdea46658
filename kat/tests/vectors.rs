//! Compares the vector files with everything that this package can regenerate alone: seeds,
//! messages, layout and hashes.

use falcon_kat::{
    Algorithm,
    replay::nist_inputs,
    rsp::{Reader, Record, Style, Writer, hex_upper},
};
use sha2::{Digest, Sha256};
use std::{fs, path::Path};

const ROUND3: [(&str, Algorithm); 2] = [
    (
        "falcon-round3/falcon512-KAT.first10.rsp",
        Algorithm::Falcon512,
    ),
    (
        "falcon-round3/falcon1024-KAT.first10.rsp",
        Algorithm::Falcon1024,
    ),
];

fn read(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn pqclean(algorithm: Algorithm) -> Vec<u8> {
    read(&format!("falcon-pqclean/nistkat_{algorithm}.txt"))
}

fn records(text: &[u8]) -> Vec<Record> {
    Reader::new(text).map(Result::unwrap).collect()
}

fn write(records: &[Record], style: Style, algorithm: Algorithm) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), style, algorithm.title()).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    writer.into_inner()
}

#[test]
fn seeds_and_messages_come_from_the_drbg() {
    for (path, _) in ROUND3 {
        let records = records(&read(path));
        assert_eq!(records.len(), 10, "{path}");
        for (record, inputs) in records.iter().zip(nist_inputs()) {
            assert_eq!(record.inputs(), inputs, "{path}");
        }
    }
    for algorithm in Algorithm::ALL {
        let first = nist_inputs().next().unwrap();
        assert_eq!(records(&pqclean(algorithm))[0].inputs(), first);
    }
}

#[test]
fn writing_what_was_read_gives_the_file() {
    for (path, algorithm) in ROUND3 {
        let text = read(path);
        let written = write(&records(&text), Style::Nist, algorithm);
        assert!(written == text, "{path}");
    }
    for algorithm in Algorithm::ALL {
        let text = pqclean(algorithm);
        let written = write(&records(&text), Style::Pqclean, algorithm);
        assert!(written == text, "{algorithm}");
    }
}

#[test]
fn title_and_records_tell_the_algorithm() {
    for (path, algorithm) in ROUND3 {
        let text = read(path);
        let mut reader = Reader::new(&text[..]);
        for record in reader.by_ref() {
            assert_eq!(Algorithm::infer(&record.unwrap()), Some(algorithm));
        }
        assert_eq!(reader.title().unwrap().parse(), Ok(algorithm));
    }
    for algorithm in Algorithm::ALL {
        let record = &records(&pqclean(algorithm))[0];
        assert_eq!(Algorithm::infer(record), Some(algorithm));
    }
}

#[test]
fn pqclean_files_have_the_hashes_that_pqclean_states() {
    let stated: serde_json::Value = serde_json::from_slice(&read("pqclean_hashes.json")).unwrap();
    for algorithm in Algorithm::ALL {
        let expected = stated[algorithm.name()]["nistkat-sha256"].as_str().unwrap();
        let actual = hex_upper(&Sha256::digest(pqclean(algorithm)));
        assert_eq!(actual.to_ascii_lowercase(), expected, "{algorithm}");
    }
}

#[test]
fn the_first_nist_record_is_that_of_pqclean() {
    for (path, algorithm) in ROUND3 {
        let nist = records(&read(path)).swap_remove(0);
        let pqclean = records(&pqclean(algorithm)).swap_remove(0);
        assert_eq!(nist.difference(&pqclean), None);
    }
}
