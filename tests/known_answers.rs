//! Reproduces NIST's round-3 records on every engine, and PQClean's records on `scalar`.

use base16ct::lower::encode_string as hex;
use falcon_core::Engine;
use falcon_kat::{Algorithm, EngineSubject, KeyForm, Subject, last_bit, replay, rsp::Style};
use falcon_tests::{engines, extent};
use sha2::{Digest, Sha256};

/// SHA-256 of NIST's complete files.
const NIST_FILES: [(Algorithm, &str); 2] = [
    (
        Algorithm::Falcon512,
        "dd75c946fdedef4ec46a2bee7e10c65c9126f1a839b9ced6921fd45f7354b5cd",
    ),
    (
        Algorithm::Falcon1024,
        "036a0bf5260573cec44977284dfef756cd1143db9961b981bd1fb55828acb20d",
    ),
];

fn generated(algorithm: Algorithm, count: u64, style: Style, subject: EngineSubject) -> Vec<u8> {
    let mut text = Vec::new();
    replay::generate(algorithm, count, style, &subject, &mut text, |_| ()).expect("generation");
    text
}

fn whole_file_is_nists(subject: EngineSubject) {
    for (algorithm, expected) in NIST_FILES {
        let text = generated(algorithm, 100, Style::Nist, subject);
        assert_eq!(
            hex(&Sha256::digest(&text)),
            expected,
            "{algorithm} on {subject:?}"
        );
    }
}

#[test]
fn scalar_writes_nists_files_from_the_key() {
    whole_file_is_nists(EngineSubject {
        engine: Engine::Scalar,
        form: KeyForm::Key,
    });
}

/// The first records of NIST's files, as published.
const FIRST_RECORDS: [(Algorithm, &str); 2] = [
    (
        Algorithm::Falcon512,
        include_str!("../kat/falcon-round3/falcon512-KAT.first10.rsp"),
    ),
    (
        Algorithm::Falcon1024,
        include_str!("../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
    ),
];

#[test]
fn every_engine_and_key_form_reproduces_nists_records() {
    let records = extent("records on every engine", 10, 100);
    for engine in engines() {
        for form in KeyForm::ALL {
            let subject = EngineSubject { engine, form };
            if records == 100 {
                whole_file_is_nists(subject);
                continue;
            }
            for (algorithm, text) in FIRST_RECORDS {
                let report = replay::check(text.as_bytes(), Some(algorithm), &subject, |_| ());
                let report = report.expect("the file is well formed");
                assert_eq!(report.records, records, "{algorithm} on {subject:?}");
                assert!(
                    report.finding.is_none(),
                    "{algorithm} on {subject:?}: {:?}",
                    report.finding
                );
            }
        }
    }
}

/// Checks the LDL tree: with another way to compute it, each of these signatures would differ.
#[test]
fn every_engine_and_key_form_has_the_last_bits_of_the_reference() {
    for (algorithm, text, count) in last_bit::FILES {
        let records = last_bit::records(text).expect("the file is well formed");
        assert_eq!(records.len(), count);
        for engine in engines() {
            for form in KeyForm::ALL {
                let subject = EngineSubject { engine, form };
                for of_key in records.chunk_by(|a, b| a.key == b.key) {
                    let seed = &last_bit::key_seed(of_key[0].key);
                    let key = subject.keygen(algorithm, seed).expect("a key").secret;
                    for record in of_key {
                        let (nonce, seed) = (&record.nonce, &record.seed);
                        let signature = subject
                            .sign_detached(algorithm, &key, nonce, seed, b"")
                            .expect("a signature");
                        assert!(
                            signature[41..] == record.compressed,
                            "{algorithm} on {subject:?}, nonce {:02x?}",
                            &nonce[..8]
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn pqcleans_hashes_come_out_for_all_four_algorithms() {
    let hashes = include_str!("../kat/pqclean_hashes.json");
    let hashes: serde_json::Value = serde_json::from_str(hashes).expect("a JSON file");
    let subject = EngineSubject {
        engine: Engine::Scalar,
        form: KeyForm::Expanded,
    };
    for algorithm in Algorithm::ALL {
        let expected = |key: &str| hashes[algorithm.name()][key].as_str().expect("a hash");
        let text = generated(algorithm, 1, Style::Pqclean, subject);
        assert_eq!(
            hex(&Sha256::digest(&text)),
            expected("nistkat-sha256"),
            "{algorithm}"
        );
        let mut text = Vec::new();
        falcon_kat::testvectors::generate(algorithm, &subject, &mut text).expect("generation");
        assert_eq!(
            hex(&Sha256::digest(&text)),
            expected("testvectors-sha256"),
            "{algorithm}"
        );
    }
}
