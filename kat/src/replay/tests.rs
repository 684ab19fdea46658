use super::*;
use crate::{KeyPair, rsp::ParseErrorKind};

/// Not a signature scheme: its keys and signatures are bytes that depend on the seeds, the keys and
/// the message. It tests the replay itself.
struct Mock {
    /// Flips a bit in the last byte of the signed message of this record.
    wrong: Option<usize>,
}

fn mix(parts: &[&[u8]]) -> Vec<u8> {
    let mut entropy = [0u8; 48];
    for (i, byte) in parts.iter().flat_map(|part| part.iter()).enumerate() {
        entropy[i % 48] = entropy[i % 48].wrapping_mul(31).wrapping_add(*byte);
    }
    Drbg::new(&entropy).bytes::<64>().to_vec()
}

impl Subject for Mock {
    fn keygen(&self, algorithm: Algorithm, seed: &[u8; 48]) -> Result<KeyPair, SubjectError> {
        let mut public = mix(&[seed]);
        public[0] = algorithm.logn() as u8;
        let secret = mix(&[&public, b"secret"]);
        Ok(KeyPair { public, secret })
    }

    fn sign_attached(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        let mut signed = self.sign_detached(algorithm, secret_key, nonce, seed, message)?;
        signed[0] = 2;
        signed.extend(message);
        if self
            .wrong
            .is_some_and(|count| message.len() == 33 * (count + 1))
        {
            *signed.last_mut().unwrap() ^= 1;
        }
        Ok(signed)
    }

    fn sign_detached(
        &self,
        _: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        Ok(mix(&[secret_key, nonce, seed, message]))
    }

    fn open(&self, _: Algorithm, _: &[u8], signed: &[u8]) -> Result<Vec<u8>, SubjectError> {
        Ok(signed.get(64..).ok_or("too short")?.to_vec())
    }
}

const RIGHT: Mock = Mock { wrong: None };

fn file(count: u64) -> Vec<u8> {
    generate(
        Algorithm::Falcon512,
        count,
        Style::Nist,
        &RIGHT,
        Vec::new(),
        |_| (),
    )
    .unwrap()
}

fn run(file: &[u8], subject: &Mock) -> Report {
    check(file, None, subject, |_| ()).unwrap()
}

#[test]
fn what_was_generated_checks() {
    let count = CHUNK as u64 + 7;
    let mut told = Vec::new();
    let report = check(&file(count)[..], None, &RIGHT, |done| told.push(done)).unwrap();
    assert!(report.finding.is_none());
    assert!(report.nist_inputs);
    assert_eq!(report.records, count);
    assert_eq!(report.algorithm, Algorithm::Falcon512);
    assert_eq!(told, [CHUNK as u64, count]);
}

#[test]
fn the_first_difference_is_named() {
    let report = run(&file(10), &Mock { wrong: Some(6) });
    assert_eq!(report.records, 6);
    let Some(Finding::Difference(difference)) = report.finding else {
        panic!("{:?}", report.finding)
    };
    assert_eq!(difference.count, 6);
    assert_eq!(difference.field, Field::SignedMessage);
    assert_eq!(difference.offset, 64 + 33 * 7 - 1);
    assert_eq!(difference.expected.len(), 1);
    assert_eq!(difference.expected[0], difference.got[0] ^ 1);
}

#[test]
fn every_field_of_a_record_is_compared() {
    let right: Vec<Record> = Reader::new(&file(1)[..]).map(Result::unwrap).collect();
    let break_and_check = |change: &dyn Fn(&mut Record)| {
        let mut record = right[0].clone();
        change(&mut record);
        match check_record(Algorithm::Falcon512, &record, &RIGHT) {
            Some(Finding::Difference(difference)) => (difference.field, difference.offset),
            other => panic!("{other:?}"),
        }
    };
    let public = break_and_check(&|record| record.public_key[5] ^= 1);
    assert_eq!(public, (Field::PublicKey, 5));
    let secret = break_and_check(&|record| record.secret_key[63] ^= 128);
    assert_eq!(secret, (Field::SecretKey, 63));
    let signed = break_and_check(&|record| record.signed_message.truncate(90));
    assert_eq!(signed, (Field::SignedMessage, 90));
    let seed = break_and_check(&|record| record.seed[0] ^= 1);
    assert_eq!(seed.0, Field::PublicKey);
    assert!(check_record(Algorithm::Falcon512, &right[0], &RIGHT).is_none());
}

#[test]
fn inputs_of_another_origin_are_told_apart() {
    let mut writer = Writer::new(Vec::new(), Style::Nist, "Falcon-512").unwrap();
    let inputs = Inputs {
        count: 0,
        seed: [7; 48],
        message: b"hello".to_vec(),
    };
    let record = produce(Algorithm::Falcon512, &inputs, &RIGHT).unwrap();
    writer.write(&record).unwrap();
    let report = run(&writer.into_inner(), &RIGHT);
    assert!(report.finding.is_none());
    assert!(!report.nist_inputs);
}

#[test]
fn a_file_without_records_or_with_a_bad_line_is_an_error() {
    let check = |text: &str| check(text.as_bytes(), None, &RIGHT, |_| ());
    assert!(matches!(check("# Falcon-512\n"), Err(CheckError::Empty)));
    let error = check("# Falcon-512\n\ncount = x\n").unwrap_err();
    let CheckError::Read(ReadError::Parse(error)) = error else {
        panic!("{error}")
    };
    let field = Field::Count;
    assert_eq!(error.kind, ParseErrorKind::Number { field });
}

#[test]
fn a_record_of_no_known_algorithm_asks_for_its_name() {
    let text = String::from_utf8(file(1)).unwrap();
    let text = text.replace("pk = 09", "pk = 08");
    let error = check(text.as_bytes(), None, &RIGHT, |_| ()).unwrap_err();
    assert!(matches!(error, CheckError::Algorithm));
}

#[test]
fn a_record_out_of_order_is_named() {
    let text = String::from_utf8(file(3)).unwrap();
    for (changed, found) in [("count = 2", 2), ("count = 0", 0)] {
        let report = run(text.replace("count = 1", changed).as_bytes(), &RIGHT);
        assert_eq!(report.records, 1);
        let Some(Finding::Count {
            expected,
            found: is,
        }) = report.finding
        else {
            panic!("{:?}", report.finding)
        };
        assert_eq!((expected, is), (1, found));
    }
}
