//! The same jobs give the same bytes on every engine, lane count and platform.
//! `kat/equal-bytes.json` pins their hashes.

use base16ct::lower::encode_string as hex;
use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_kat::Again;
use falcon_tests::{Repeatable, key, signers};
use sha2::{Digest, Sha256};

/// Number of jobs of a batch: several rounds of eight lanes, and an odd remainder.
const JOBS: usize = 37;

/// Returns the keys of the jobs.
fn keys<P: Parameters>() -> Vec<SigningKey<P>> {
    (0..3).map(key).collect()
}

/// Returns the hash of [`keys`]. Key generation uses the best engine. In the CI step `engines`,
/// `keys.rs` checks keys that are made without an engine and with AVX2.
fn hash_of_keys<P: Parameters>() -> String {
    let mut hash = Sha256::new();
    for key in keys::<P>() {
        hash.update(key.to_bytes().as_ref());
        hash.update(key.verifying_key().to_bytes().as_ref());
    }
    hex(&hash.finalize())
}

/// Returns the hash of signatures made from a batch seed.
fn hash_of_signatures<P: Parameters>(engine: &dyn BatchSign<P>) -> String {
    let keys = keys::<P>();
    let expanded: Vec<_> = keys.iter().map(SigningKey::expand).collect();
    let mut messages = Repeatable::new("equal bytes: messages");
    let messages: Vec<_> = (0..JOBS).map(|i| messages.vec(3 * i)).collect();
    // Most jobs have the first key, so that an idle lane gets another job.
    let job = |(i, message)| SignJob::new(&expanded[i / 30 + i % 36 / 35], message);
    let jobs: Vec<SignJob<'_, P>> = messages
        .iter()
        .map(Vec::as_slice)
        .enumerate()
        .map(job)
        .collect();
    let mut out = vec![Signature::EMPTY; JOBS];
    engine
        .sign_batch(&[42; 32], &jobs, &mut out)
        .expect("equal lengths");
    let mut signature_hash = Sha256::new();
    for (signature, job) in out.iter().zip(&jobs) {
        job.key
            .verifying_key()
            .verify(job.message, signature)
            .expect("a valid signature");
        signature_hash.update(signature.to_bytes());
    }
    hex(&signature_hash.finalize())
}

fn equals_the_pinned_hashes<P: Parameters>() {
    let pinned = include_str!("../kat/equal-bytes.json");
    let pinned: serde_json::Value = serde_json::from_str(pinned).expect("a JSON file");
    let pinned = |what: &str| pinned[P::NAME][what].as_str().expect("a hash").to_owned();
    assert_eq!(hash_of_keys::<P>(), pinned("keys"), "{} keys", P::NAME);
    for (name, engine) in signers::<P>() {
        let signatures = hash_of_signatures(&*engine);
        assert_eq!(
            signatures,
            pinned("signatures"),
            "{} signatures on {name}",
            P::NAME
        );
    }
}

#[test]
fn falcon_512_equals_the_pinned_hashes_on_every_engine() {
    equals_the_pinned_hashes::<Falcon512>();
}

#[test]
fn falcon_1024_equals_the_pinned_hashes_on_every_engine() {
    equals_the_pinned_hashes::<Falcon1024>();
}

/// A batch of one job gives the signature that `sign_with_rng` makes from the same seed.
#[test]
fn single_signatures_equal_batches_of_one() {
    let key = key::<Falcon512>(9);
    let expanded = key.expand();
    for seed in 0..20 {
        let seed = [seed; 32];
        let jobs = [SignJob::new(&expanded, b"one")];
        let mut out = [Signature::EMPTY];
        Engine::best()
            .sign_batch(&seed, &jobs, &mut out)
            .expect("equal lengths");
        assert!(
            key.sign_with_rng(&mut Again(seed), b"one")
                .expect("no fault")
                == out[0]
        );
        assert!(
            expanded
                .sign_with_rng(&mut Again(seed), b"one")
                .expect("no fault")
                == out[0]
        );
        let mut stream = key.sign_stream(&mut Again(seed));
        stream.update(b"o");
        stream.update(b"ne");
        assert!(stream.finish() == Ok(out[0]));
    }
}
