//! Times key generation, encapsulation and decapsulation of every set without `pc` on one thread.
//! Prints the minimum and the median in microseconds. Smaller is faster.
//!
//! `cargo run --release -p mceliece-tests --example timings [ROUNDS]`

use mceliece_core::*;
use mceliece_tests::Repeatable;
use std::time::Instant;

fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:9.1} {:9.1}", times[0], times[times.len() / 2])
}

fn time<T>(rounds: usize, mut work: impl FnMut() -> T) -> String {
    let run = |_| {
        let start = Instant::now();
        let result = work();
        let time = start.elapsed().as_secs_f64() * 1e6;
        drop(result);
        time
    };
    summary((0..rounds).map(run).collect())
}

fn set<P: Parameters>(rounds: usize) {
    let mut rng = Repeatable::new(P::NAME);
    let keygen = time(rounds, || KeyPair::<P>::generate(&mut rng));
    let pair = KeyPair::<P>::generate(&mut rng);
    let encapsulate = time(10 * rounds, || pair.public_key.encapsulate(&mut rng));
    let (ciphertext, _) = pair.public_key.encapsulate(&mut rng);
    let decapsulate = time(10 * rounds, || pair.secret_key.decapsulate(&ciphertext));
    println!("{:18} {keygen}  {encapsulate}  {decapsulate}", P::NAME);
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(20);
    println!("us, least and median: keygen, encapsulate, decapsulate; {rounds} rounds");
    set::<Mceliece348864>(rounds);
    set::<Mceliece348864f>(rounds);
    set::<Mceliece460896>(rounds);
    set::<Mceliece460896f>(rounds);
    set::<Mceliece6688128>(rounds);
    set::<Mceliece6688128f>(rounds);
    set::<Mceliece6960119>(rounds);
    set::<Mceliece6960119f>(rounds);
    set::<Mceliece8192128>(rounds);
    set::<Mceliece8192128f>(rounds);
}
