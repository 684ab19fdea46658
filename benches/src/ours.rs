//! Rows of this project: plain calls, as in most programs, and every engine by name.

use crate::entry::{Degree, Entry, MESSAGE, Mode, Operation, entry};
use crate::random::SplitMix;
use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::seams::decode_verifying_key_on;
use falcon_core::signature::RandomizedSigner;
use falcon_core::{
    Engine, Falcon512, Falcon1024, Parameters, Scratch, SignStream, Signature, SignatureBytes,
    SigningKey, VerifyingKey, hazmat,
};
use std::hint::black_box;

/// Number of signatures in one call of a batch.
pub const BATCH: usize = 32;

/// Returns the rows of `engine` for one operation.
///
/// Key generation is the same code on every engine, so it is listed only for `scalar`.
pub fn entries(operation: Operation, degree: Degree, engine: Engine) -> Vec<Entry> {
    match degree {
        Degree::D512 => rows::<Falcon512>(operation, degree, engine),
        Degree::D1024 => rows::<Falcon1024>(operation, degree, engine),
    }
}

fn rows<P: Parameters>(operation: Operation, degree: Degree, engine: Engine) -> Vec<Entry> {
    match operation {
        Operation::Keygen if engine == Engine::Scalar => keygen::<P>(degree),
        Operation::Sign => {
            let mut rows = Vec::new();
            if distinct().any(|other| other == engine) {
                rows = sign::<P>(degree, engine);
            }
            if engine != Engine::Soft {
                rows.push(sign_batch::<P>(degree, engine));
            }
            rows
        }
        Operation::Verify => {
            let mut rows = Vec::new();
            if engine != Engine::Soft && distinct().any(|other| other == engine) {
                rows = verify::<P>(degree, engine);
            }
            if engine != Engine::Soft {
                rows.push(verify_batch::<P>(degree, engine));
            }
            rows
        }
        Operation::Expand if distinct().any(|other| other == engine) => {
            let key = key::<P>();
            let run = move || drop(black_box(engine.expand(black_box(&key))));
            let operation = Operation::Expand;
            vec![entry(operation, Mode::Prepared, degree, engine.name(), run)]
        }
        Operation::Keygen | Operation::Expand => vec![],
    }
}

/// Engine label of rows measured through plain calls, which choose the engine themselves.
pub const AS_CALLED: &str = "as called";

/// Returns the rows of one operation measured through plain calls.
pub fn plain(operation: Operation, degree: Degree) -> Vec<Entry> {
    match degree {
        Degree::D512 => plain_rows::<Falcon512>(operation, degree),
        Degree::D1024 => plain_rows::<Falcon1024>(operation, degree),
    }
}

fn plain_rows<P: Parameters>(operation: Operation, degree: Degree) -> Vec<Entry> {
    match operation {
        Operation::Keygen => {
            let mut random = SplitMix::new(1);
            vec![entry(operation, Mode::Seed, degree, AS_CALLED, move || {
                let key = SigningKey::<P>::generate(&mut random).expect("no fault");
                black_box((key.to_bytes(), key.verifying_key().to_bytes()));
            })]
        }
        Operation::Sign => plain_sign::<P>(degree),
        Operation::Verify => plain_verify::<P>(degree),
        Operation::Expand => {
            let key = key::<P>();
            let run = move || drop(black_box(black_box(&key).expand()));
            vec![entry(operation, Mode::Prepared, degree, AS_CALLED, run)]
        }
    }
}

fn plain_sign<P: Parameters>(degree: Degree) -> Vec<Entry> {
    let (operation, name) = (Operation::Sign, AS_CALLED);
    let encoded = key::<P>().to_bytes();
    let expanded = key::<P>().expand();
    let expanded2 = key::<P>().expand();
    let decoded = key::<P>();
    let [mut random, mut random2, mut random3, mut random4] = [const { SplitMix::new(2) }; 4];
    let mut batch = entry(operation, Mode::Batch, degree, name, move || {
        let jobs = [SignJob::new(&expanded2, black_box(MESSAGE)); BATCH];
        let signatures = Engine::best().sign_batch_with_rng(&mut random3, &jobs);
        for signature in signatures.expect("as many as jobs") {
            black_box(signature.to_bytes());
        }
    });
    batch.contestant.operations = BATCH as u32;
    vec![
        entry(operation, Mode::Encoded, degree, name, move || {
            let bytes = black_box(encoded.as_ref());
            let key = SigningKey::<P>::try_from(bytes).expect("its own key");
            let signature = key
                .sign_with_rng(&mut random, black_box(MESSAGE))
                .expect("no fault");
            black_box(signature.to_bytes());
        }),
        entry(operation, Mode::Decoded, degree, name, move || {
            let mut stream = decoded.sign_stream(&mut random4);
            stream.update(black_box(MESSAGE));
            black_box(stream.finish().expect("no fault").to_bytes());
        }),
        entry(operation, Mode::Prepared, degree, name, move || {
            let signature: Result<Signature<P>, _> =
                expanded.try_sign_with_rng(&mut random2, black_box(MESSAGE));
            black_box(signature.expect("it signs").to_bytes());
        }),
        batch,
    ]
}

fn plain_verify<P: Parameters>(degree: Degree) -> Vec<Entry> {
    let (operation, name) = (Operation::Verify, AS_CALLED);
    let key = key::<P>();
    let vk = key.verifying_key().clone();
    let encoded = vk.to_bytes();
    let signatures = encoded_signatures(&key);
    let mut first = crate::Cycle::new(signatures.clone());
    let mut second = crate::Cycle::new(signatures);
    let check = |vk: &VerifyingKey<P>, bytes: &[u8]| {
        let signature = Signature::try_from(black_box(bytes)).expect("its own signature");
        vk.verify(black_box(MESSAGE), &signature)
            .expect("its own signature");
    };
    let encoded2 = encoded;
    vec![
        entry(operation, Mode::KeyAlone, degree, name, move || {
            let bytes = black_box(encoded2.as_ref());
            drop(black_box(VerifyingKey::<P>::try_from(bytes)));
        }),
        entry(operation, Mode::Encoded, degree, name, move || {
            let vk = VerifyingKey::<P>::try_from(black_box(encoded.as_ref()));
            check(&vk.expect("a key"), first.turn());
        }),
        entry(operation, Mode::Prepared, degree, name, move || {
            check(&vk, second.turn());
        }),
        verify_batch_as(degree, Engine::best(), AS_CALLED, &key),
    ]
}

/// Lists the engines with different code for one message. Engines that differ only in the number of
/// lanes have the same code.
pub fn distinct() -> impl Iterator<Item = Engine> {
    [Engine::Scalar, Engine::Soft]
        .into_iter()
        .chain(Engine::instruction_sets())
}

/// Returns the next seed.
pub fn fresh_seed(random: &mut SplitMix) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill(&mut seed);
    seed
}

/// Returns the key of the first NIST record, the same in every run.
pub fn key<P: Parameters>() -> SigningKey<P> {
    let record = match P::LOGN {
        9 => include_str!("../../kat/falcon-pqclean/nistkat_falcon-512.txt"),
        10 => include_str!("../../kat/falcon-pqclean/nistkat_falcon-1024.txt"),
        logn => panic!("no vectors of degree 2^{logn}"),
    };
    let hex = record
        .lines()
        .find_map(|line| line.strip_prefix("sk = "))
        .expect("a record");
    let bytes = base16ct::mixed::decode_vec(hex).expect("hexadecimal");
    SigningKey::try_from(&bytes[..]).expect("a key")
}

fn keygen<P: Parameters>(degree: Degree) -> Vec<Entry> {
    let (operation, name) = (Operation::Keygen, Engine::Scalar.name());
    let mut random = SplitMix::new(1);
    vec![entry(operation, Mode::Seed, degree, name, move || {
        let key = SigningKey::<P>::from_seed(&fresh_seed(&mut random)).expect("no fault");
        black_box((key.to_bytes(), key.verifying_key().to_bytes()));
    })]
}

/// Makes rows that sign into padded bytes with hedged randomness and caller-owned scratch: from the
/// key's bytes, from the decoded key, and from the expanded key.
fn sign<P: Parameters>(degree: Degree, engine: Engine) -> Vec<Entry> {
    let encoded = key::<P>().to_bytes();
    let expanded = engine.expand(&key::<P>());
    let mut signer = Signer::new::<P>(engine);
    let mut signer2 = Signer::new::<P>(engine);
    let mut signer3 = Signer::new::<P>(engine);
    let decoded = key::<P>();
    let (operation, name) = (Operation::Sign, engine.name());
    vec![
        entry(operation, Mode::Encoded, degree, name, move || {
            let bytes = black_box(encoded.as_ref());
            let key = engine.decode_signing_key::<P>(bytes).expect("its own key");
            signer.sign(|seed| key.sign_stream_from_seed(seed));
        }),
        entry(operation, Mode::Decoded, degree, name, move || {
            signer3.sign(|seed| decoded.sign_stream_from_seed(seed));
        }),
        entry(operation, Mode::Prepared, degree, name, move || {
            signer2.sign(|seed| expanded.sign_stream_from_seed(seed));
        }),
    ]
}

/// Engine, scratch and generator of a signer.
struct Signer {
    engine: Engine,
    scratch: Vec<f64>,
    random: SplitMix,
}

impl Signer {
    fn new<P: Parameters>(engine: Engine) -> Self {
        Self {
            engine,
            scratch: vec![0.0; Scratch::<P>::LEN],
            random: SplitMix::new(2),
        }
    }

    fn sign<'k, P: Parameters, K: hazmat::SecretKey<P> + 'k>(
        &mut self,
        stream: impl FnOnce(&[u8; 32]) -> SignStream<'k, P, K>,
    ) {
        let mut scratch = Scratch::<P>::new(&mut self.scratch).expect("made with this length");
        let mut stream = stream(&fresh_seed(&mut self.random));
        stream.update(black_box(MESSAGE));
        let signature = self.engine.finish(stream, &mut scratch);
        black_box(signature.expect("no fault").to_bytes());
    }
}

/// Makes the row that signs a batch with one expanded key. Its time is for one signature.
fn sign_batch<P: Parameters>(degree: Degree, engine: Engine) -> Entry {
    let key = engine.expand(&key::<P>());
    let mut random = SplitMix::new(3);
    let mut out = vec![Signature::<P>::EMPTY; BATCH];
    let run = move || {
        let jobs = [SignJob::new(&key, black_box(MESSAGE)); BATCH];
        engine
            .sign_batch(&fresh_seed(&mut random), &jobs, &mut out)
            .expect("lengths agree");
        for signature in &out {
            black_box(signature.to_bytes());
        }
    };
    let mut entry = entry(Operation::Sign, Mode::Batch, degree, engine.name(), run);
    entry.contestant.operations = BATCH as u32;
    entry
}

fn verify<P: Parameters>(degree: Degree, engine: Engine) -> Vec<Entry> {
    let key = key::<P>();
    let vk = key.verifying_key().clone();
    let encoded = vk.to_bytes();
    let signatures = encoded_signatures(&key);
    let mut first = crate::Cycle::new(signatures.clone());
    let mut second = crate::Cycle::new(signatures);
    let check = move |vk: &VerifyingKey<P>, bytes: &[u8]| {
        let signature = Signature::try_from(black_box(bytes)).expect("its own signature");
        engine
            .verify(vk, black_box(MESSAGE), &signature)
            .expect("its own signature");
    };
    let (operation, name) = (Operation::Verify, engine.name());
    let encoded2 = encoded;
    vec![
        entry(operation, Mode::KeyAlone, degree, name, move || {
            let bytes = black_box(encoded2.as_ref());
            drop(black_box(decode_verifying_key_on::<P>(engine, bytes)));
        }),
        entry(operation, Mode::Encoded, degree, name, move || {
            let bytes = black_box(encoded.as_ref());
            let vk = decode_verifying_key_on::<P>(engine, bytes).expect("a key");
            check(&vk, first.turn());
        }),
        entry(operation, Mode::Prepared, degree, name, move || {
            check(&vk, second.turn());
        }),
    ]
}

/// Makes the row that decodes signatures and verifies them with a prepared key, [`BATCH`] in each
/// call.
fn verify_batch<P: Parameters>(degree: Degree, engine: Engine) -> Entry {
    verify_batch_as(degree, engine, engine.name(), &key::<P>())
}

fn verify_batch_as<P: Parameters>(
    degree: Degree,
    engine: Engine,
    name: &'static str,
    key: &SigningKey<P>,
) -> Entry {
    let vk = key.verifying_key().clone();
    let signatures = encoded_signatures(key);
    let run = move || {
        let jobs: Vec<VerifyBytesJob<'_, P>> = signatures[..BATCH]
            .iter()
            .map(|bytes| VerifyBytesJob {
                key: &vk,
                message: black_box(MESSAGE),
                signature: black_box(bytes.as_ref()),
            })
            .collect();
        let mut valid = [Verdict::Invalid; BATCH];
        engine
            .verify_bytes_batch(&jobs, &mut valid)
            .expect("lengths agree");
        assert_eq!(valid, [Verdict::Valid; BATCH], "its own signatures");
    };
    let mut entry = entry(Operation::Verify, Mode::Batch, degree, name, run);
    entry.contestant.operations = BATCH as u32;
    entry
}

/// Makes encoded signatures that a verifier gets in turn.
pub fn encoded_signatures<P: Parameters>(key: &SigningKey<P>) -> Vec<SignatureBytes<P>> {
    let expanded = key.expand();
    let mut random = SplitMix::new(2);
    (0..crate::SIGNATURES)
        .map(|_| {
            let mut stream = expanded.sign_stream_from_seed(&fresh_seed(&mut random));
            stream.update(MESSAGE);
            stream.finish().expect("no fault").to_bytes()
        })
        .collect()
}
