//! Compares with the reference's C code. The extent is small enough to run after every change.

use falcon_core::Engine;
use falcon_kat::last_bit;
use falcon_reference::c::{Form, Reference};
use falcon_reference::centres::Outcome;
use falcon_reference::numbering::{Keys, Randomness};
use falcon_reference::signatures::Plan;
use falcon_reference::{Degree, centres, fn_dsa, keys, signatures, walk};
use falcon_tests::{engines, extent};

/// Compares the centres of `count` signatures under each of two keys.
fn centres(degree: Degree, engine: Engine, count: u64) -> Outcome {
    centres::compare(centres::Plan {
        degree,
        engine,
        keys: Keys { first: 1, count: 2 },
        first: 0,
        count,
    })
}

/// Checks that every bit equals the reference's. If LDL divided as `x (1 / d)`, half of the leaves
/// and of the centres would differ. With real diagonals, a third of the centres would differ.
fn all_bits(degree: Degree) {
    for engine in engines() {
        let outcome = centres(degree, engine, 1);
        let signatures = 2 * engine.lanes() as u64;
        let expected = Outcome {
            leaves: 2 * degree.n() as u64,
            signatures,
            centres: signatures * 2 * degree.n() as u64,
            ..Outcome::default()
        };
        assert_eq!(outcome, expected, "{engine}");
    }
}

#[test]
fn all_bits_of_512_are_the_references() {
    all_bits(Degree::Falcon512);
}

#[test]
fn all_bits_of_1024_are_the_references() {
    all_bits(Degree::Falcon1024);
}

/// Checks that the walk gives the result of `sign_dyn`, and that both forms of the C code agree.
fn forms_agree(degree: Degree) {
    let clean = Reference::new(degree, Form::Clean);
    let fastest = Reference::new(degree, Form::fastest());
    for number in 0..2 {
        let basis = clean.generate(&keys::seed(number));
        assert_eq!(fastest.generate(&keys::seed(number)), basis);
        let basis = basis.each_ref().map(Vec::as_slice);
        for number in 0..10 {
            let Randomness { nonce, seed } = Randomness::new(number);
            let point = clean.hash_to_point(&nonce, b"");
            let s2 = clean.sign(&basis, &point, &seed);
            assert_eq!(fastest.sign(&basis, &point, &seed), s2);
            let walk = walk::sign(clean, &basis, &point, &seed);
            assert_eq!(walk.s2, s2);
        }
    }
}

#[test]
fn forms_of_512_agree() {
    forms_agree(Degree::Falcon512);
}

#[test]
fn forms_of_1024_agree() {
    forms_agree(Degree::Falcon1024);
}

fn plan(degree: Degree, keys: Keys, first: u64, count: u64) -> Plan {
    Plan {
        degree,
        engine: Engine::best(),
        form: Form::Clean,
        keys,
        first,
        count,
        threads: 1,
        bits: 30,
        also_every: 0,
    }
}

/// Signs the records of `kat/reference-long` with the C code. If the nonce and the seed of a record
/// have the same number, the engine also signs it, alone and in a batch.
#[test]
fn signatures_that_a_last_bit_decides_are_the_references() {
    for (algorithm, text, _) in last_bit::FILES {
        let degree = match algorithm.logn() {
            9 => Degree::Falcon512,
            _ => Degree::Falcon1024,
        };
        let reference = Reference::new(degree, Form::Clean);
        for record in last_bit::records(text).expect("the file is well formed") {
            let basis = reference.generate(&last_bit::key_seed(record.key));
            let basis = basis.each_ref().map(Vec::as_slice);
            let point = reference.hash_to_point(&record.nonce, b"");
            let s2 = reference.sign(&basis, &point, &record.seed);
            assert_eq!(reference.compress(&s2), record.compressed);
            let (number, _) = record.nonce.split_first_chunk().expect("40 bytes");
            let number = u64::from_le_bytes(*number);
            let numbered = Randomness::new(number);
            assert_eq!(numbered.nonce, record.nonce);
            if numbered.seed != record.seed {
                continue;
            }
            let keys = Keys {
                first: record.key,
                count: 1,
            };
            for (first, count) in [(number, 1), (number - number % 64, 64)] {
                let outcome = signatures::compare(plan(degree, keys, first, count));
                assert!(outcome.handed_over >= 1, "{number}");
                assert_eq!(outcome.differences, [], "{number}");
            }
        }
    }
}

/// Compares signatures of the keys `key` and `key + 1`, from number `first` on. Three in ten
/// thousand have a centre near an integer.
fn signatures(degree: Degree, key: u8, first: u64, count: u64) {
    let keys = Keys {
        first: key,
        count: 2,
    };
    let outcome = signatures::compare(plan(degree, keys, first, count));
    assert_eq!(outcome.signed, count);
    assert_eq!(outcome.differences, []);
    let near: u64 = outcome.nearest.values().sum();
    let expected = count as f64 * (2.0 / 12289.0 + 2.0 / 16600.0);
    let deviations = (near as f64 - expected).abs() / expected.sqrt();
    assert!(deviations < 5.0, "{near} near, {expected} expected");
    // If no signature has a near centre, the C code has signed nothing.
    assert!(
        near as f64 > expected / 3.0,
        "{near} near, {expected} expected"
    );
}

#[test]
fn signatures_of_512_are_the_references() {
    // The whole extents contain records of `kat/reference-long`.
    let count = extent("Falcon-512: signatures", 20_000, 300_000);
    signatures(Degree::Falcon512, 1, 6 << 16, count);
}

#[test]
fn signatures_of_1024_are_the_references() {
    let count = extent("Falcon-1024: signatures", 5_000, 60_000);
    signatures(Degree::Falcon1024, 2, 2 << 16, count);
}

#[test]
fn keys_of_512_are_the_references() {
    let count = extent("Falcon-512: keys", 40, 500);
    let outcome = keys::compare(Degree::Falcon512, Form::fastest(), 0, count, 1);
    assert_eq!((outcome.keys, outcome.differences), (count, vec![]));
}

#[test]
fn keys_of_1024_are_the_references() {
    let count = extent("Falcon-1024: keys", 10, 150);
    let outcome = keys::compare(Degree::Falcon1024, Form::fastest(), 0, count, 1);
    assert_eq!((outcome.keys, outcome.differences), (count, vec![]));
}

#[test]
fn signatures_of_fn_dsa_are_those_of_its_crate() {
    let keys = Keys { first: 1, count: 2 };
    let count = extent("FN-DSA 512: signatures", 1_000, 10_000);
    let outcome = fn_dsa::compare(Degree::Falcon512, Engine::best(), keys, 0, count, 1);
    assert_eq!((outcome.signatures, outcome.differences), (count, vec![]));
    let count = extent("FN-DSA 1024: signatures", 500, 2_500);
    let outcome = fn_dsa::compare(Degree::Falcon1024, Engine::best(), keys, 0, count, 1);
    assert_eq!((outcome.signatures, outcome.differences), (count, vec![]));
}
