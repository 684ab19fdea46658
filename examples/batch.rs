//! Signs and verifies a batch, on all cores:
//! `cargo run --release -p falcon-core --features threads --example batch`.

use falcon_core::batch::{BatchSign, BatchVerify, SignJob, VerifyJob};
use falcon_core::{Engine, Falcon512, Signature, SignatureError, SigningKey, Threads};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::best();
    let threads = Threads::for_all_cores();
    println!("{engine} on {} threads", threads.count());
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    let key = SigningKey::<Falcon512>::from_seed(&seed)?;
    let expanded = engine.expand(&key);

    let messages: Vec<String> = (0..1000).map(|i| format!("order #{i}")).collect();
    let jobs: Vec<_> = messages
        .iter()
        .map(|message| SignJob::new(&expanded, message.as_bytes()))
        .collect();
    let mut signatures = vec![Signature::EMPTY; jobs.len()];
    getrandom::fill(&mut seed)?;
    let start = Instant::now();
    // Without `on`, this thread does all the work. The bytes are the same.
    engine
        .on(&threads)
        .sign_batch(&seed, &jobs, &mut signatures)?;
    println!("{:.1?} a signature", start.elapsed() / 1000);

    let jobs: Vec<_> = messages
        .iter()
        .zip(&signatures)
        .map(|(message, signature)| VerifyJob {
            key: key.verifying_key(),
            message: message.as_bytes(),
            signature,
        })
        .collect();
    let mut verdicts = vec![Err(SignatureError); jobs.len()];
    let start = Instant::now();
    engine.on(&threads).verify_batch(&jobs, &mut verdicts)?;
    println!("{:.1?} a verification", start.elapsed() / 1000);
    verdicts.into_iter().collect::<Result<(), _>>()?;
    Ok(())
}
