//! Compares keys from reference seeds with those of the C code.

use crate::Degree;
use crate::c::{Form, Reference};
use crate::progress::share;
use falcon_core::hazmat::secret_basis;
use falcon_core::{Parameters, SigningKey};
use std::time::{Duration, Instant};

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of keys that were compared.
    pub keys: u64,
    /// Numbers of the keys that differ.
    pub differences: Vec<u64>,
    /// Time that this project took.
    pub ours: Duration,
    /// Time that the C code took.
    pub theirs: Duration,
}

/// Returns the seed of key `i`: the number as 8 bytes, little-endian, then 40 bytes `5a`.
pub fn seed(i: u64) -> [u8; 48] {
    let mut seed = [0x5a; 48];
    seed[..8].copy_from_slice(&i.to_le_bytes());
    seed
}

/// Compares `count` keys from number `first` on.
pub fn compare(degree: Degree, form: Form, first: u64, count: u64, threads: usize) -> Outcome {
    with_degree!(degree, P => {
        compare_of::<P>(Reference::new(degree, form), first, count, threads)
    })
}

fn compare_of<P: Parameters>(
    reference: Reference,
    first: u64,
    count: u64,
    threads: usize,
) -> Outcome {
    let work = |outcome: &mut Outcome, range: std::ops::Range<u64>| {
        for number in range {
            let seed = seed(number);
            let begin = Instant::now();
            let ours = SigningKey::<P>::from_reference_seed(&seed).expect("no fault");
            let between = Instant::now();
            let theirs = reference.generate(&seed);
            outcome.theirs += between.elapsed();
            outcome.ours += between - begin;
            outcome.keys += 1;
            if secret_basis(&ours) != theirs.each_ref().map(Vec::as_slice) {
                eprintln!("key {number}: different");
                outcome.differences.push(number);
            }
        }
    };
    let mut all = Outcome::default();
    for outcome in share(first..first + count, 1, threads, Outcome::default, work) {
        all.keys += outcome.keys;
        all.differences.extend(outcome.differences);
        all.ours += outcome.ours;
        all.theirs += outcome.theirs;
    }
    all.differences.sort_unstable();
    all
}

/// Prints the result.
pub fn print(degree: Degree, form: Form, outcome: &Outcome) {
    for number in &outcome.differences {
        let seed = base16ct::lower::encode_string(&seed(*number));
        println!("Falcon-{} key {number} differs. Seed: {seed}", degree.n());
    }
    let each = |time: Duration| 1000.0 * time.as_secs_f64() / outcome.keys as f64;
    println!(
        "Falcon-{}: {} keys compared, {} differences. A key took {:.2} ms here and {:.2} ms in C ({form:?})",
        degree.n(),
        outcome.keys,
        outcome.differences.len(),
        each(outcome.ours),
        each(outcome.theirs),
    );
}
