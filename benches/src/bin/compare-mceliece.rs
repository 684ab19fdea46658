//! Compares our engines of Classic McEliece with other implementations in one run, interleaved
//! round by round, on one thread.

use clap::Parser;
use falcon_benches::clock::thread_nanos;
use falcon_benches::entry::Contestant;
use falcon_benches::rounds::{Effort, Timing, interleave};
use mceliece_core::engines::{choose, names};
use mceliece_core::*;
use mceliece_tests::Repeatable;
use pq_mceliece::Algorithm;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

/// Compares the speed of Classic McEliece with that of other implementations.
///
/// Prints microseconds of interleaved rounds in thread CPU time: the mean for key generation, whose
/// attempts are a matter of luck, and the median for the others. Smaller is faster. The ratio is
/// the time of the best peer divided by ours, so larger is better.
///
/// `batch` is one decapsulation in a batch of eight. There pq-mceliece has prepared its key, and
/// PQClean decapsulates one by one. A whole run takes about four minutes.
#[derive(Parser)]
struct Arguments {
    /// A tenth of the time; less exact.
    #[arg(long)]
    quick: bool,
    /// Exit with status 1 if a ratio of a set with `f` is below its bar.
    #[arg(long)]
    strict: bool,
    /// Only this engine of ours (the peers still run).
    #[arg(long)]
    engine: Option<String>,
    /// Only sets and operations that contain all of these words, such as `8192128f encap`.
    filters: Vec<String>,
}

/// An operation: its name, and for the engines `avx512` and `avx2` the required ratio to the best
/// peer.
struct Operation {
    name: &'static str,
    avx512: f64,
    avx2: f64,
}

const OPERATIONS: [Operation; 4] = [
    Operation {
        name: "keygen",
        avx512: 3.5,
        avx2: 2.2,
    },
    Operation {
        name: "encap",
        avx512: 1.6,
        avx2: 1.5,
    },
    Operation {
        name: "decap",
        avx512: 2.2,
        avx2: 1.1,
    },
    Operation {
        name: "batch",
        avx512: 3.1,
        avx2: 1.64,
    },
];

/// Number of ciphertexts of a batch.
const BATCH: u32 = 8;

/// Named work: the name of our engine or of a peer, and the code.
type Named<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// Measures one set: makes keys, then times every operation of all implementations.
fn measure<P: Parameters>(arguments: &Arguments, peer: [Named<'_>; 4]) -> bool {
    let algorithm: Algorithm = P::NAME.parse().expect("a set");
    let mut rng = Repeatable::new(P::NAME);
    let pair = KeyPair::<P>::generate(&mut rng);
    let (ciphertext, _) = pair.public_key.encapsulate(&mut rng);
    let public = algorithm.encapsulation_key_from_bytes(pair.public_key.as_bytes());
    let public = public.expect("a key");
    let secret = algorithm.decapsulation_key_from_bytes(pair.secret_key.as_bytes());
    let secret = secret.expect("a key");
    let sent = algorithm.ciphertext_from_bytes(ciphertext.as_bytes());
    let sent = sent.expect("a ciphertext");
    let prepared = secret.prepare();
    let batch = [(); BATCH as usize].map(|()| pair.public_key.encapsulate(&mut rng).0);
    let engines: Vec<_> = names()
        .filter(|&name| arguments.engine.as_deref().is_none_or(|only| only == name))
        .collect();
    let mut good = true;
    for ((number, operation), pqclean) in OPERATIONS.iter().enumerate().zip(peer) {
        let title = format!("{} {}", P::NAME, operation.name);
        if !arguments
            .filters
            .iter()
            .all(|word| title.contains(word.as_str()))
        {
            continue;
        }
        let (pair, ciphertext, batch) = (&pair, &ciphertext, &batch);
        let mut named: Vec<Named<'_>> = Vec::new();
        for &engine in &engines {
            let mut rng = Repeatable::new(P::NAME);
            named.push((
                engine,
                Box::new(move || {
                    choose(engine);
                    match number {
                        0 => drop(black_box(KeyPair::<P>::from_seed(&rng.bytes()))),
                        1 => drop(black_box(pair.public_key.encapsulate(&mut rng))),
                        2 => drop(black_box(pair.secret_key.decapsulate(ciphertext))),
                        _ => drop(black_box(pair.secret_key.decapsulate_batch(batch))),
                    }
                }),
            ));
        }
        let (public, secret, prepared, sent) = (&public, &secret, &prepared, &sent);
        let mut rng = Repeatable::new(P::NAME);
        named.push((
            "pq-mceliece",
            Box::new(move || match number {
                0 => {
                    let seed: [u8; 32] = rng.bytes();
                    drop(black_box(algorithm.generate_keypair_from_seed(seed)));
                }
                1 => drop(black_box(algorithm.encapsulate(public, &mut rng))),
                2 => drop(black_box(algorithm.decapsulate(secret, sent))),
                _ => drop(black_box(prepared.decapsulate(sent))),
            }),
        ));
        named.push(pqclean);
        good &= report(arguments, operation, &title, number == 0, named);
    }
    good
}

/// Times `named` and prints a line for each. Returns false if a ratio is below its bar.
fn report(
    arguments: &Arguments,
    operation: &Operation,
    title: &str,
    mean: bool,
    named: Vec<Named<'_>>,
) -> bool {
    let quick = if arguments.quick { 10 } else { 1 };
    let effort = Effort {
        slice: Duration::from_millis(1),
        budget: Duration::from_secs(5) / quick,
        min_rounds: if mean { 12 } else { 30 } / quick as usize,
        max_rounds: 400,
    };
    let count = named.len();
    let (names, mut contestants): (Vec<_>, Vec<_>) = named
        .into_iter()
        .enumerate()
        .map(|(i, (name, run))| {
            let ours = i < count - 2;
            let operations = if ours && operation.name == "batch" {
                BATCH
            } else {
                1
            };
            (name, Contestant { run, operations })
        })
        .unzip();
    let timings = interleave(effort, thread_nanos, &mut contestants);
    let us = |timing: &Timing| (if mean { timing.mean } else { timing.median }) / 1e3;
    let peers = timings[timings.len() - 2..].iter().map(us);
    let best = peers.fold(f64::INFINITY, f64::min);
    let mut good = true;
    for (i, (name, timing)) in names.iter().zip(&timings).enumerate() {
        print!(
            "{title:24} {name:12} {:10.1} us, fastest {:10.1}",
            us(timing),
            timing.fastest / 1e3
        );
        if i + 2 < names.len() {
            let ratio = best / us(timing);
            let bar = match *name {
                "avx512" => Some(operation.avx512),
                "avx2" => Some(operation.avx2),
                _ => None,
            };
            // Only the sets whose names end with `f` must reach the bar.
            let short = bar.filter(|&bar| ratio < bar && title.contains("f "));
            print!(", ratio {ratio:5.2}");
            if let Some(bar) = short {
                print!(", BELOW {bar}");
                good = false;
            }
        }
        println!();
    }
    good
}

macro_rules! sets {
    ($arguments:expr; $($module:ident, $set:ident;)*) => {{
        let mut good = true;
        $({
            use pqcrypto_classicmceliece::$module as peer;
            let (public, secret) = peer::keypair();
            let (_, ciphertext) = peer::encapsulate(&public);
            let (public, secret, ciphertext) = (&public, &secret, &ciphertext);
            good &= measure::<$set>($arguments, [
                ("pqclean", Box::new(|| _ = black_box(peer::keypair()))),
                ("pqclean", Box::new(move || _ = black_box(peer::encapsulate(public)))),
                ("pqclean", Box::new(move || _ = black_box(peer::decapsulate(ciphertext, secret)))),
                ("pqclean", Box::new(move || _ = black_box(peer::decapsulate(ciphertext, secret)))),
            ]);
        })*
        good
    }};
}

fn run(arguments: &Arguments) -> bool {
    sets! { arguments;
        mceliece348864, Mceliece348864;
        mceliece348864f, Mceliece348864f;
        mceliece460896, Mceliece460896;
        mceliece460896f, Mceliece460896f;
        mceliece6688128, Mceliece6688128;
        mceliece6688128f, Mceliece6688128f;
        mceliece6960119, Mceliece6960119;
        mceliece6960119f, Mceliece6960119f;
        mceliece8192128, Mceliece8192128;
        mceliece8192128f, Mceliece8192128f;
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(text) = falcon_benches::load::warning(1) {
        eprintln!("warning: {text}. The ratios move less than the times");
    }
    // PQClean's structures hold keys by value, so the thread needs a large stack.
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let good = thread.spawn({
        let strict = arguments.strict;
        move || run(&arguments) || !strict
    });
    match good.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
