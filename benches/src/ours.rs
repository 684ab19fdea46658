//! This project's rows: every engine of the facade.

use crate::entry::{Degree, Entry, MESSAGE, Mode, Operation, entry};
use crate::random::SplitMix;
use falcon::batch::{BatchSign, SignJob};
use falcon::hash::Shake256HashToPoint;
use falcon::lanes::{Binary64, Scalar, Soft};
use falcon::{
    Engine, Falcon512, Falcon1024, Parameters, Scratch, Signature, SigningKey, VerifyingKey, hazmat,
};
use std::hint::black_box;

/// Signatures of one call of a batch.
const BATCH: usize = 32;

/// The rows of `engine` and one operation.
///
/// Key generation and verification are the same code on every engine; they
/// are listed under the first.
pub fn entries(operation: Operation, degree: Degree, engine: Engine) -> Vec<Entry> {
    match degree {
        Degree::D512 => rows::<Falcon512>(operation, degree, engine),
        Degree::D1024 => rows::<Falcon1024>(operation, degree, engine),
    }
}

fn rows<P: Parameters>(operation: Operation, degree: Degree, engine: Engine) -> Vec<Entry> {
    match (operation, engine) {
        (Operation::Keygen, Engine::Scalar) => keygen::<P>(degree),
        (Operation::Sign, Engine::Scalar) => {
            let mut rows = sign::<P, _>(degree, engine, Scalar);
            rows.push(sign_batch::<P>(degree, engine));
            rows
        }
        (Operation::Sign, Engine::Soft) => sign::<P, _>(degree, engine, Soft),
        (Operation::Sign, _) => vec![sign_batch::<P>(degree, engine)],
        (Operation::Verify, Engine::Scalar) => verify::<P>(degree),
        _ => vec![],
    }
}

fn fresh_seed(random: &mut SplitMix) -> [u8; 32] {
    let mut seed = [0; 32];
    random.fill(&mut seed);
    seed
}

/// The key of the first NIST record: the same in every run.
pub fn key<P: Parameters>() -> SigningKey<P> {
    let record = match P::LOGN {
        9 => include_str!("../../kat/falcon-pqclean/nistkat_falcon-512.txt"),
        _ => include_str!("../../kat/falcon-pqclean/nistkat_falcon-1024.txt"),
    };
    let hex = record
        .lines()
        .find_map(|line| line.strip_prefix("sk = "))
        .expect("a record");
    let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..hex.len() / 2).map(byte).collect();
    SigningKey::try_from(&bytes[..]).expect("a key")
}

fn keygen<P: Parameters>(degree: Degree) -> Vec<Entry> {
    let mut random = SplitMix::new(1);
    vec![entry(
        Operation::Keygen,
        Mode::Seed,
        degree,
        Engine::Scalar.name(),
        move || {
            let key = SigningKey::<P>::from_seed(&fresh_seed(&mut random));
            black_box((key.to_bytes(), key.verifying_key().to_bytes()));
        },
    )]
}

/// Hedged signing into padded bytes, with caller-owned scratch: from the key's
/// bytes, and from the expanded key.
fn sign<P: Parameters, B: Binary64>(degree: Degree, engine: Engine, arith: B) -> Vec<Entry> {
    let encoded = key::<P>().to_bytes();
    let expanded = engine.expand(&key::<P>());
    let mut signer = Signer::<B>::new::<P>(arith);
    let mut signer2 = Signer::<B>::new::<P>(arith);
    let row =
        |mode, run: Box<dyn FnMut()>| entry(Operation::Sign, mode, degree, engine.name(), run);
    vec![
        row(
            Mode::EncodedKey,
            Box::new(move || {
                let bytes = black_box(encoded.as_ref());
                signer.sign(&SigningKey::<P>::try_from(bytes).expect("its own key"));
            }),
        ),
        row(Mode::PreparedKey, Box::new(move || signer2.sign(&expanded))),
    ]
}

/// What a signer owns.
struct Signer<B> {
    arith: B,
    scratch: Vec<f64>,
    random: SplitMix,
}

impl<B: Binary64> Signer<B> {
    fn new<P: Parameters>(arith: B) -> Self {
        Self {
            arith,
            scratch: vec![0.0; Scratch::<P>::LEN],
            random: SplitMix::new(2),
        }
    }

    fn sign<P: Parameters>(&mut self, key: &impl hazmat::SecretKey<P>) {
        let mut scratch = Scratch::<P>::new(&mut self.scratch).expect("made with this length");
        let seed = fresh_seed(&mut self.random);
        let message = black_box(MESSAGE);
        let hash = &Shake256HashToPoint;
        let signature = hazmat::sign_with_hash(self.arith, key, &seed, hash, message, &mut scratch);
        black_box(signature.to_bytes());
    }
}

/// A batch with one expanded key, time per signature.
fn sign_batch<P: Parameters>(degree: Degree, engine: Engine) -> Entry {
    let key = engine.expand(&key::<P>());
    let mut random = SplitMix::new(3);
    let mut out = vec![Signature::<P>::EMPTY; BATCH];
    let run = move || {
        let jobs = [SignJob {
            key: &key,
            message: black_box(MESSAGE),
        }; BATCH];
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

fn verify<P: Parameters>(degree: Degree) -> Vec<Entry> {
    let key = key::<P>();
    let expanded = key.expand();
    let mut signer = Signer::new::<P>(Scalar);
    let vk = key.verifying_key().clone();
    let encoded = vk.to_bytes();
    let mut signatures = Vec::new();
    for _ in 0..crate::SIGNATURES {
        let mut scratch = Scratch::<P>::new(&mut signer.scratch).expect("made with this length");
        let seed = fresh_seed(&mut signer.random);
        let hash = &Shake256HashToPoint;
        let sig = hazmat::sign_with_hash(Scalar, &expanded, &seed, hash, MESSAGE, &mut scratch);
        signatures.push(sig.to_bytes());
    }
    let mut first = crate::Cycle::new(signatures.clone());
    let mut second = crate::Cycle::new(signatures);
    let check = |vk: &VerifyingKey<P>, bytes: &[u8]| {
        let signature = Signature::try_from(black_box(bytes)).expect("its own signature");
        vk.verify(black_box(MESSAGE), &signature)
            .expect("its own signature");
    };
    let engine = Engine::Scalar.name();
    vec![
        entry(
            Operation::Verify,
            Mode::EncodedKey,
            degree,
            engine,
            move || {
                let vk = VerifyingKey::<P>::try_from(black_box(encoded.as_ref())).expect("a key");
                check(&vk, first.turn());
            },
        ),
        entry(
            Operation::Verify,
            Mode::PreparedKey,
            degree,
            engine,
            move || {
                check(&vk, second.turn());
            },
        ),
    ]
}
