//! Compares batch signatures of provisional FN-DSA with those of the crate `fn-dsa`.

use crate::Degree;
use crate::numbering::{Keys, key};
use crate::progress::share;
use falcon_core::fndsa_provisional::batch::SignJob;
use falcon_core::fndsa_provisional::{MU_LEN, Message, SEED_LEN, SigningKey};
use falcon_core::{Engine, Parameters};
use fn_dsa::{
    CryptoRng, DomainContext, HASH_ID_EXTMU, RngCore, RngError, SigningKey as _,
    SigningKeyStandard, signature_size,
};
use std::ops::Range;

/// Number of signatures of a batch.
const BATCH: u64 = 256;

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of signatures that were compared.
    pub signatures: u64,
    /// Numbers of the signatures that differ.
    pub differences: Vec<u64>,
}

/// A generator that returns one seed.
struct Seed([u8; SEED_LEN]);

impl CryptoRng for Seed {}
impl RngCore for Seed {
    fn next_u32(&mut self) -> u32 {
        unreachable!("seeds are drawn as bytes")
    }
    fn next_u64(&mut self) -> u64 {
        unreachable!("seeds are drawn as bytes")
    }
    fn fill_bytes(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&self.0);
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

/// A key in the forms of both libraries.
struct Key<P: Parameters> {
    ours: SigningKey<P>,
    theirs: SigningKeyStandard,
}

impl<P: Parameters> Key<P> {
    fn new(k: u8) -> Self {
        let ours = SigningKey::<P>::from(key(k));
        let theirs = SigningKeyStandard::decode(&ours.to_bytes()).expect("a key of both");
        Self { ours, theirs }
    }
}

/// Returns the 64-byte representative of message `i`: its number, little-endian, then bytes `3c`.
fn mu(i: u64) -> [u8; MU_LEN] {
    let mut mu = [0x3c; MU_LEN];
    mu[..8].copy_from_slice(&i.to_le_bytes());
    mu
}

/// Returns the seed of signature `i`: the number, little-endian, then bytes `a5`.
fn seed(i: u64) -> [u8; SEED_LEN] {
    let mut seed = [0xa5; SEED_LEN];
    seed[..8].copy_from_slice(&i.to_le_bytes());
    seed
}

/// Compares `count` signatures from number `first` on. The keys take turns.
pub fn compare(
    degree: Degree,
    engine: Engine,
    keys: Keys,
    first: u64,
    count: u64,
    threads: usize,
) -> Outcome {
    with_degree!(degree, P => compare_of::<P>(engine, keys, first, count, threads))
}

fn compare_of<P: Parameters>(
    engine: Engine,
    keys: Keys,
    first: u64,
    count: u64,
    threads: usize,
) -> Outcome {
    let numbers = keys.first..=keys.first + (keys.count - 1);
    let start = || {
        let keys: Vec<_> = numbers.clone().map(Key::<P>::new).collect();
        (keys, Outcome::default())
    };
    let work = |(of_thread, outcome): &mut (Vec<Key<P>>, Outcome), range: Range<u64>| {
        let randomness: Vec<_> = range.clone().map(|i| (mu(i), seed(i))).collect();
        let jobs: Vec<_> = randomness
            .iter()
            .map(|(mu, seed)| SignJob {
                message: Message::Mu(mu),
                seed,
            })
            .collect();
        let Key { ours, theirs } = &mut of_thread[keys.index(range.start)];
        let signed = ours.sign_batch(engine, &jobs);
        for ((number, (mu, seed)), ours) in range.zip(&randomness).zip(signed) {
            let mut encoded = vec![0; signature_size(P::LOGN)];
            let signed = theirs.sign(
                &mut Seed(*seed),
                &DomainContext(&[]),
                &HASH_ID_EXTMU,
                mu,
                &mut encoded,
            );
            let theirs = signed.map(|()| &encoded[..]);
            let ours = ours.map(|signature| signature.to_bytes());
            outcome.signatures += 1;
            if ours.as_ref().ok().map(AsRef::as_ref) != theirs {
                eprintln!("signature {number}: different");
                outcome.differences.push(number);
            }
        }
    };
    let mut all = Outcome::default();
    for (_, outcome) in share(first..first + count, BATCH, threads, start, work) {
        all.signatures += outcome.signatures;
        all.differences.extend(outcome.differences);
    }
    all.differences.sort_unstable();
    all
}

/// Prints the result.
pub fn print(degree: Degree, keys: Keys, outcome: &Outcome) {
    for number in &outcome.differences {
        let k = keys.first + keys.index(*number) as u8;
        println!("FN-DSA {} number {number}, key {k}: different", degree.n());
    }
    println!(
        "FN-DSA {}: {} signatures compared with fn-dsa, {} differences",
        degree.n(),
        outcome.signatures,
        outcome.differences.len(),
    );
}
