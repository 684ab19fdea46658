//! Batches of FN-DSA give the same results as single calls, on every engine.

use falcon_core::batch::Verdict;
use falcon_core::fndsa_provisional::batch::{SignJob, VerifyBytesJob, VerifyJob};
use falcon_core::fndsa_provisional::{
    Context, MU_LEN, Message, PreHash, Prehashed, SEED_LEN, Signature, SigningKey, VerifyingKey,
};
use falcon_core::hazmat::insecure;
use falcon_core::{Engine, Falcon512, Falcon1024, Parameters, SignatureError};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Signs `count` jobs on every engine, and compares the signatures with those of single calls.
fn signs_as_single_calls<P: Parameters>(seed: u64, count: usize) {
    signs_on::<P>(Engine::available(), seed, count);
}

fn signs_on<P: Parameters>(engines: impl Iterator<Item = Engine>, seed: u64, count: usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    let key = SigningKey::<P>::generate(&mut rng).expect("no fault");
    let inputs: Vec<([u8; MU_LEN], [u8; SEED_LEN])> = (0..count)
        .map(|_| {
            let (mut mu, mut seed) = ([0; MU_LEN], [0; SEED_LEN]);
            rng.fill_bytes(&mut mu);
            rng.fill_bytes(&mut seed);
            (mu, seed)
        })
        .collect();
    let expected: Vec<_> = inputs
        .iter()
        .map(|(mu, seed)| key.sign_mu_from_seed(seed, mu))
        .collect();
    let jobs: Vec<_> = inputs
        .iter()
        .map(|(mu, seed)| SignJob {
            message: Message::Mu(mu),
            seed,
        })
        .collect();
    for engine in engines {
        let signed = key.sign_batch(engine, &jobs);
        assert_eq!(signed.len(), count);
        for (job, (signed, expected)) in signed.iter().zip(&expected).enumerate() {
            assert_eq!(signed, expected, "{engine}, {}, job {job}", P::NAME);
        }
    }
}

#[test]
fn signatures_are_those_of_single_calls() {
    // Among the counts are zero, one and, for every engine, half of its lanes, all lanes, and one
    // more than all.
    for count in [0, 1, 2, 4, 5, 8, 9, 16, 17, 40] {
        signs_as_single_calls::<Falcon512>(count as u64, count);
    }
    signs_as_single_calls::<Falcon1024>(1, 19);
}

/// A batch computes `s2` from the transform of the basis, with rounding errors. A single call
/// computes `s2` from integers, modulo `q`.
#[test]
fn thousands_of_signatures_are_those_of_single_calls() {
    // The engine `soft` is too slow.
    let fast = || Engine::available().filter(|&engine| engine != Engine::Soft);
    for seed in 0..3 {
        signs_on::<Falcon512>(fast(), 100 + seed, 1000);
        signs_on::<Falcon1024>(fast(), 100 + seed, 500);
    }
}

/// At the smallest degrees, many attempts are refused. So a lane tries again while its neighbours
/// start other jobs.
#[test]
fn signatures_of_small_degrees_are_those_of_single_calls() {
    signs_as_single_calls::<insecure::InsecureFalcon4>(1, 300);
    signs_as_single_calls::<insecure::InsecureFalcon8>(2, 300);
    signs_as_single_calls::<insecure::InsecureFalcon16>(3, 300);
    signs_as_single_calls::<insecure::InsecureFalcon32>(4, 100);
    signs_as_single_calls::<insecure::InsecureFalcon64>(5, 100);
    signs_as_single_calls::<insecure::InsecureFalcon128>(6, 100);
    signs_as_single_calls::<insecure::InsecureFalcon256>(7, 100);
}

/// A context, some bytes, and a number that selects the form of the message made from them.
struct Content {
    context: Vec<u8>,
    bytes: [u8; 64],
    form: usize,
}

impl Content {
    fn new(rng: &mut StdRng, form: usize) -> Self {
        let mut content = Self {
            context: vec![form as u8; form % 7 * 40],
            bytes: [0; 64],
            form: form % 4,
        };
        rng.fill_bytes(&mut content.bytes);
        content
    }

    fn message(&self) -> Message<'_> {
        let context = Context::new(&self.context).expect("at most 255 bytes");
        let prehashed = |pre_hash, len| Message::Prehashed {
            context,
            message: Prehashed::new(pre_hash, &self.bytes[..len]).expect("a digest"),
        };
        match self.form {
            0 => Message::Whole {
                context,
                message: &self.bytes[..usize::from(self.bytes[0]) / 4],
            },
            1 => prehashed(PreHash::Sha256, 32),
            2 => prehashed(PreHash::Shake256, 64),
            _ => Message::Mu(&self.bytes),
        }
    }
}

/// Returns the verdict of a single call.
fn verify<P: Parameters>(
    key: &VerifyingKey<P>,
    message: Message<'_>,
    signature: &Signature<P>,
) -> Result<(), SignatureError> {
    match message {
        Message::Whole { context, message } => key.verify(context, message, signature),
        Message::Prehashed { context, message } => {
            key.verify_prehashed(context, message, signature)
        }
        Message::Mu(mu) => key.verify_mu(mu, signature),
    }
}

/// The generator gives a batch the same seeds as single calls.
#[test]
fn batches_with_a_generator_are_its_single_calls() {
    let mut rng = StdRng::seed_from_u64(8);
    let key = SigningKey::<Falcon512>::generate(&mut rng).expect("no fault");
    let contents: Vec<_> = (0..21).map(|form| Content::new(&mut rng, form)).collect();
    for count in [0, 1, 2, 3, 21] {
        let messages: Vec<_> = contents[..count].iter().map(Content::message).collect();
        for engine in Engine::available() {
            let (mut ours, mut alone) = (StdRng::seed_from_u64(9), StdRng::seed_from_u64(9));
            let signed = key.sign_batch_with_rng(engine, &mut ours, &messages);
            assert_eq!(signed.len(), count);
            for (signed, &message) in signed.iter().zip(&messages) {
                let expected = match message {
                    Message::Whole { context, message } => {
                        key.sign_with_rng(&mut alone, context, message)
                    }
                    Message::Prehashed { context, message } => {
                        key.sign_prehashed_with_rng(&mut alone, context, message)
                    }
                    Message::Mu(mu) => key.sign_mu_with_rng(&mut alone, mu),
                };
                assert_eq!(*signed, expected, "{engine}, {message:?}");
                let signature = signed.expect("no fault");
                assert_eq!(verify(key.verifying_key(), message, &signature), Ok(()));
            }
        }
    }
}

/// Compares verdicts on signatures of three keys, most of them damaged, with those of single calls.
fn verifies_as_single_calls<P: Parameters>(count: usize) {
    let mut rng = StdRng::seed_from_u64(count as u64);
    let signers = [(); 3].map(|()| SigningKey::<P>::generate(&mut rng).expect("no fault"));
    let contents: Vec<_> = (0..count)
        .map(|form| Content::new(&mut rng, form))
        .collect();
    let signed: Vec<_> = contents
        .iter()
        .enumerate()
        .map(|(i, content)| {
            let signer = &signers[i % 3];
            let message = [content.message()];
            let signed = signer.sign_batch_with_rng(Engine::Scalar, &mut rng, &message);
            signed[0].expect("no fault")
        })
        .collect();
    // Each signature comes with its own message, another message, another key, and damaged.
    let mut encoded = Vec::new();
    for (i, signature) in signed.iter().enumerate() {
        let bytes = signature.to_bytes().as_ref().to_vec();
        let (key, content) = (signers[i % 3].verifying_key(), &contents[i]);
        let other = &contents[(i + 1) % count];
        encoded.push((key, content, bytes.clone()));
        encoded.push((key, other, bytes.clone()));
        encoded.push((signers[(i + 1) % 3].verifying_key(), content, bytes.clone()));
        // Damages the header, the nonce, the code, and the padding; then changes the length.
        for at in [0, 1 + i % 40, 41 + i, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (7 - i % 8);
            encoded.push((key, content, changed));
        }
        encoded.push((key, content, bytes[..bytes.len() - 1].to_vec()));
        encoded.push((key, content, [&bytes[..], &[0]].concat()));
        encoded.push((key, content, Vec::new()));
    }
    let bytes_jobs: Vec<_> = encoded
        .iter()
        .map(|(key, content, signature)| VerifyBytesJob {
            key,
            message: content.message(),
            signature,
        })
        .collect();
    let decoded: Vec<_> = encoded
        .iter()
        .map(|(.., bytes)| Signature::<P>::try_from(&bytes[..]))
        .collect();
    let jobs: Vec<_> = bytes_jobs
        .iter()
        .zip(&decoded)
        .filter_map(|(job, signature)| {
            Some(VerifyJob {
                key: job.key,
                message: job.message,
                signature: signature.as_ref().ok()?,
            })
        })
        .collect();
    let expected: Vec<_> = bytes_jobs
        .iter()
        .zip(&decoded)
        .map(|(job, signature)| match signature {
            Ok(signature) => match verify(job.key, job.message, signature) {
                Ok(()) => Verdict::Valid,
                Err(_) => Verdict::Invalid,
            },
            Err(_) => Verdict::Malformed,
        })
        .collect();
    let valid = expected.iter().filter(|&&it| it == Verdict::Valid);
    assert_eq!(valid.count(), count);
    for engine in Engine::available() {
        let verdicts = VerifyingKey::verify_bytes_batch(engine, &bytes_jobs);
        assert_eq!(verdicts, expected, "{engine}");
        let verdicts = VerifyingKey::verify_batch(engine, &jobs);
        assert_eq!(verdicts.len(), jobs.len());
        for (job, verdict) in jobs.iter().zip(verdicts) {
            let expected = verify(job.key, job.message, job.signature);
            assert_eq!(verdict, expected, "{engine}, {job:?}");
        }
        // Tries fewer jobs than are hashed side by side, and also no jobs.
        for few in 0..5 {
            let verdicts = VerifyingKey::verify_bytes_batch(engine, &bytes_jobs[..few]);
            assert_eq!(verdicts, expected[..few], "{engine}");
        }
    }
}

#[test]
fn verdicts_are_those_of_single_calls() {
    // With one job there is no other message.
    for count in [2, 3, 4, 9, 20] {
        verifies_as_single_calls::<Falcon512>(count);
    }
    verifies_as_single_calls::<Falcon1024>(5);
}

#[test]
fn formatting_prints_no_secret_and_no_message() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let digest = Prehashed::new(PreHash::Sha256, &[171; 32]).expect("a digest");
    let context = Context::EMPTY;
    for message in [
        Message::Mu(&[171; 64]),
        Message::Whole {
            context,
            message: &[171; 99],
        },
        Message::Prehashed {
            context,
            message: digest,
        },
    ] {
        let job = SignJob {
            message,
            seed: &[172; 40],
        };
        let signed = key.sign_batch(Engine::best(), &[job]);
        let verify = VerifyJob {
            key: key.verifying_key(),
            message,
            signature: signed[0].as_ref().expect("no fault"),
        };
        for text in [format!("{job:?}"), format!("{verify:?}")] {
            assert!(!text.contains("171") && !text.contains("172"), "{text}");
        }
    }
}
