//! Known answers, signed by the kernels in every key mode: NIST's round-3 records, and the jobs
//! with pinned signatures.

use crate::common::{
    Job, LAUNCH, Randomness, Signed, Signing, bytes, kernels_available, key, repeatable, sign,
    verify,
};
use falcon_core::hazmat::signing_key_from_seed;
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey};
use falcon_gpu::kernels::{KeyMode, status};
use falcon_kat::rsp::{Reader, Record};
use falcon_kat::{Algorithm, Drbg, EngineSubject, KeyForm, last_bit, replay};
use sha2::{Digest, Sha256};

const MODES: [KeyMode; 3] = [KeyMode::Transient, KeyMode::Balanced, KeyMode::Expanded];

/// Returns the default conditions for every key mode.
fn all<P: Parameters>() -> Vec<Signing> {
    MODES.map(Signing::new::<P>).to_vec()
}

/// Signs the jobs of `tests/equal_bytes.rs`.
fn signatures_equal_the_pinned_hash<P: Parameters>(hows: Vec<Signing>) {
    if !kernels_available() {
        return;
    }
    let pinned = include_str!("../../../../kat/equal-bytes.json");
    let pinned: serde_json::Value = serde_json::from_str(pinned).expect("a JSON file");
    let pinned = pinned[P::NAME]["signatures"].as_str().expect("a hash");
    let keys: Vec<SigningKey<P>> = (0..3).map(key).collect();
    let mut messages = repeatable("equal bytes: messages");
    let jobs: Vec<Job> = (0..37)
        .map(|i| Job {
            key: i / 30 + i % 36 / 35,
            message: bytes(&mut messages, 3 * i),
        })
        .collect();
    for how in hows {
        let signed = sign(how, &keys, &jobs, &Randomness::Hedged([42; 32], 0));
        let hash = Sha256::digest(signed.signatures.concat());
        let hash = base16ct::lower::encode_string(&hash);
        assert_eq!(hash, pinned, "{}, {how:?}", P::NAME);
    }
}

#[test]
fn falcon_512_equals_the_pinned_hash() {
    signatures_equal_the_pinned_hash::<Falcon512>(all::<Falcon512>());
}

#[test]
fn falcon_1024_equals_the_pinned_hash() {
    signatures_equal_the_pinned_hash::<Falcon1024>(all::<Falcon1024>());
}

/// Returns the first ten records of NIST's file. With `FALCON_FULL=1` it returns all 100 records.
/// The core computes the other 90 records. `tests/known_answers.rs` checks that its records have
/// the hash of NIST's complete file.
fn records<P: Parameters>() -> Vec<Record> {
    let (algorithm, text) = if P::LOGN == 9 {
        (
            Algorithm::Falcon512,
            include_str!("../../../../kat/falcon-round3/falcon512-KAT.first10.rsp"),
        )
    } else {
        (
            Algorithm::Falcon1024,
            include_str!("../../../../kat/falcon-round3/falcon1024-KAT.first10.rsp"),
        )
    };
    let published: Result<Vec<_>, _> = Reader::new(text.as_bytes()).collect();
    let mut records = published.expect("the file is well formed");
    assert_eq!(records.len(), 10);
    if std::env::var("FALCON_FULL").as_deref() == Ok("1") {
        let subject = EngineSubject {
            engine: falcon_core::Engine::Scalar,
            form: KeyForm::Key,
        };
        let more = replay::nist_inputs().take(100).skip(records.len());
        records.extend(
            more.map(|inputs| {
                replay::produce(algorithm, &inputs, &subject).expect("the core signs")
            }),
        );
    } else {
        eprintln!("ten records only (FALCON_FULL=1 for all)");
    }
    records
}

/// Signs all records side by side. Ten records are signed up to seven times each, within one warp
/// and in warps with other jobs.
fn nists_records_come_out<P: Parameters>(hows: Vec<Signing>) {
    if !kernels_available() {
        return;
    }
    let records = records::<P>();
    let keys: Vec<SigningKey<P>> = records
        .iter()
        .map(|record| SigningKey::try_from(&record.secret_key[..]).expect("a key"))
        .collect();
    let public: Vec<_> = keys
        .iter()
        .map(|key| key.verifying_key().ntt_of_h())
        .collect();
    let public: Vec<&[u16]> = public.iter().map(AsRef::as_ref).collect();
    for (how, times) in hows.into_iter().zip([1, 4, 7].into_iter().cycle()) {
        // Takes every third record, so that neighbours differ.
        let of = |i: usize| i * 3 % records.len();
        let count = if records.len() > 10 { 1 } else { times } * records.len();
        let jobs: Vec<Job> = (0..count)
            .map(|i| Job {
                key: of(i),
                message: records[of(i)].message.clone(),
            })
            .collect();
        let randomness: Vec<([u8; 40], Vec<u8>)> = (0..count)
            .map(|i| {
                let mut inner = Drbg::new(&records[of(i)].seed);
                // Skips the seed of the key.
                let _: [u8; 48] = inner.bytes();
                let nonce = inner.bytes();
                let seed: [u8; 48] = inner.bytes();
                (nonce, seed.to_vec())
            })
            .collect();
        let how = Signing {
            limit: Some(P::COMPRESSED_MAX_LEN as u32),
            ..how
        };
        let Signed { signatures, .. } = sign(how, &keys, &jobs, &Randomness::Raw(&randomness));
        for (i, signature) in signatures.iter().enumerate() {
            let record = &records[of(i)];
            let signature = Signature::<P>::try_from(&signature[..]).expect("a signature");
            let mut attached = vec![0; P::COMPRESSED_MAX_LEN + 2 + record.message.len()];
            let len = signature
                .encode_attached(&record.message, &mut attached)
                .expect("a long enough output");
            assert!(attached[..len] == record.signed_message, "{how:?}, {i}");
        }
        let states = verify::<P>(LAUNCH, &public, &jobs, &signatures);
        assert!(states.iter().all(|&state| state == status::DONE));
    }
}

#[test]
fn nists_records_of_512_come_out() {
    nists_records_come_out::<Falcon512>(all::<Falcon512>());
}

#[test]
fn nists_records_of_1024_come_out() {
    nists_records_come_out::<Falcon1024>(all::<Falcon1024>());
}

/// Makes the signatures of `kat/reference-long`, with keys that the core expanded and with keys
/// that a kernel expanded.
fn the_last_bits_are_the_references<P: Parameters>() {
    if !kernels_available() {
        return;
    }
    let file = last_bit::FILES
        .into_iter()
        .find(|(algorithm, ..)| algorithm.logn() == P::LOGN);
    let (_, text, count) = file.expect("both degrees have a file");
    let records = last_bit::records(text).expect("the file is well formed");
    assert_eq!(records.len(), count);
    let of_keys: Vec<_> = records.chunk_by(|a, b| a.key == b.key).collect();
    let keys: Vec<_> = of_keys
        .iter()
        .map(|of_key| signing_key_from_seed::<P>(&last_bit::key_seed(of_key[0].key)))
        .map(|key| key.expect("no fault"))
        .collect();
    let key_of_each = of_keys
        .iter()
        .enumerate()
        .flat_map(|(key, of_key)| of_key.iter().map(move |_| key));
    let jobs: Vec<Job> = key_of_each
        .map(|key| Job {
            key,
            message: Vec::new(),
        })
        .collect();
    let randomness: Vec<_> = records
        .iter()
        .map(|record| (record.nonce, record.seed.to_vec()))
        .collect();
    for how in all::<P>() {
        for expand in [false, true] {
            let how = Signing {
                limit: Some(P::COMPRESSED_MAX_LEN as u32),
                expand,
                ..how
            };
            let Signed { signatures, .. } = sign(how, &keys, &jobs, &Randomness::Raw(&randomness));
            for (signature, record) in signatures.iter().zip(&records) {
                let signature = Signature::<P>::try_from(&signature[..]).expect("a signature");
                let compressed = signature.to_vec(Format::Compressed).expect("it fits");
                assert!(compressed[41..] == record.compressed, "{how:?}");
            }
        }
    }
}

#[test]
fn the_last_bits_of_512_are_the_references() {
    the_last_bits_are_the_references::<Falcon512>();
}

#[test]
fn the_last_bits_of_1024_are_the_references() {
    the_last_bits_are_the_references::<Falcon1024>();
}
