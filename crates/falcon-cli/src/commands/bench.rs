//! `bench`: what this machine does in a second.
//!
//! One thread, one operation at a time, medians of single runs. Comparisons
//! with other implementations need more care than this.

use crate::{
    cli::Global,
    engine::{AUTO, SEED_LEN, fresh_seed},
    error::{Error, Result, Status},
    progress::{Progress, Unit},
    scheme::Algorithm,
    ui::{STRONG, Styled, Ui},
};
use clap::Args;
use falcon::{
    Engine, Falcon512, Falcon1024, Format, Parameters, Scratch, Signature, SigningKey,
    VerifyingKey,
    batch::{BatchSign, SignJob},
    hazmat::{Fit, RawRandomness},
    params::NONCE_LEN,
};
use serde::Serialize;
use std::{
    fmt,
    hint::black_box,
    time::{Duration, Instant},
};

/// Fewest runs of a measurement, however long they take.
const MIN_RUNS: usize = 5;

/// What is signed.
const MESSAGE: &[u8] = b"the message that every run signs";

/// Measure key generation, signing and verification
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// One algorithm only
    #[arg(short, long, value_enum, ignore_case = true)]
    algorithm: Option<Algorithm>,
    /// Seconds for each measurement
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
}

fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds from 0 to 3600".to_owned()),
    }
}

impl Bench {
    /// On every engine, or on the one that was named.
    pub(crate) fn run(self, chosen: Engine, global: &Global, ui: Ui) -> Result<Status> {
        let engines = if global.engine == AUTO {
            Engine::available()
        } else {
            vec![chosen]
        };
        let duration = Duration::from_secs_f64(self.seconds);
        for algorithm in [Algorithm::Falcon512, Algorithm::Falcon1024] {
            if self.algorithm.is_some_and(|only| only != algorithm) {
                continue;
            }
            match algorithm {
                Algorithm::Falcon512 => measure_all::<Falcon512>(&engines, duration, ui)?,
                Algorithm::Falcon1024 => measure_all::<Falcon1024>(&engines, duration, ui)?,
            }
        }
        Ok(Status::Valid)
    }
}

/// What does not depend on the engine.
const EVERY_ENGINE: &str = "all";

/// Signatures in a batch.
const BATCH: usize = 64;

fn measure_all<P: Parameters>(engines: &[Engine], duration: Duration, ui: Ui) -> Result<()> {
    let bench = Measure::<P>::new(duration, ui)?;
    bench.keygen()?;
    for &engine in engines {
        bench.sign(engine)?;
    }
    bench.verify()
}

/// The measurements of one parameter set.
struct Measure<P: Parameters> {
    duration: Duration,
    ui: Ui,
    seed: [u8; SEED_LEN],
    key: SigningKey<P>,
}

impl<P: Parameters> Measure<P> {
    fn new(duration: Duration, ui: Ui) -> Result<Self> {
        let seed = *fresh_seed()?;
        Ok(Self {
            duration,
            ui,
            seed,
            key: SigningKey::from_seed(&seed),
        })
    }

    /// A seed that no other run has.
    fn seed(&self, run: u64) -> [u8; SEED_LEN] {
        let mut seed = self.seed;
        for (byte, run) in seed.iter_mut().zip(run.to_le_bytes()) {
            *byte ^= run;
        }
        seed
    }

    fn keygen(&self) -> Result<()> {
        self.measure("keygen", "seed", EVERY_ENGINE, 1, |run| {
            black_box(SigningKey::<P>::from_seed(&self.seed(run)));
        })
    }

    fn sign(&self, engine: Engine) -> Result<()> {
        let expanded = engine.expand(&self.key);
        // Engines with several lanes do single signatures as `scalar` does.
        if engine.lanes() == 1 {
            let mut reals = vec![0.0; Scratch::<P>::LEN];
            let mut scratch = Scratch::new(&mut reals)
                .map_err(|error| Error::new("cannot sign").because(error))?;
            let raw = |run, scratch: &mut Scratch<'_, P>, from_key| {
                let seed = self.seed(run);
                let mut nonce = [0; NONCE_LEN];
                nonce[..SEED_LEN].copy_from_slice(&seed);
                let randomness = RawRandomness {
                    nonce: &nonce,
                    seed: &seed,
                };
                black_box(if from_key {
                    engine.sign_raw(&self.key, randomness, MESSAGE, Fit::Padded, scratch)
                } else {
                    engine.sign_raw(&expanded, randomness, MESSAGE, Fit::Padded, scratch)
                });
            };
            self.measure("sign", "key", engine.name(), 1, |run| {
                raw(run, &mut scratch, true);
            })?;
            self.measure("sign", "expanded", engine.name(), 1, |run| {
                raw(run, &mut scratch, false);
            })?;
        }
        let jobs = [SignJob {
            key: &expanded,
            message: MESSAGE,
        }; BATCH];
        let mut signatures = vec![Signature::EMPTY; BATCH];
        let mut failed = None;
        self.measure("sign", "batch", engine.name(), BATCH, |run| {
            if let Err(error) = engine.sign_batch(&self.seed(run), &jobs, &mut signatures) {
                failed = Some(error);
            }
            black_box(&mut signatures);
        })?;
        failed.map_or(Ok(()), |error| {
            Err(Error::new("cannot sign a batch").because(error))
        })
    }

    fn verify(&self) -> Result<()> {
        let cannot = |error: &dyn fmt::Display| Error::new("cannot verify").because(error);
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch = Scratch::new(&mut reals).map_err(|error| cannot(&error))?;
        let randomness = RawRandomness {
            nonce: &[0; NONCE_LEN],
            seed: &self.seed,
        };
        let signature =
            Engine::best().sign_raw(&self.key, randomness, MESSAGE, Fit::Padded, &mut scratch);
        let key = self.key.verifying_key();
        let key_bytes = key.to_bytes();
        let signature_bytes = signature
            .to_vec(Format::Padded)
            .map_err(|error| cannot(&error))?;

        let mut refused = false;
        self.measure("verify", "decode", EVERY_ENGINE, 1, |_| {
            let key = VerifyingKey::<P>::try_from(black_box(key_bytes.as_ref()));
            let signature = Signature::try_from(black_box(&signature_bytes[..]));
            refused |= match (key, signature) {
                (Ok(key), Ok(signature)) => key.verify(MESSAGE, &signature).is_err(),
                _ => true,
            };
        })?;
        self.measure("verify", "prepared", EVERY_ENGINE, 1, |_| {
            let signature = Signature::try_from(black_box(&signature_bytes[..]));
            refused |= signature.is_ok_and(|signature| key.verify(MESSAGE, &signature).is_err());
        })?;
        if refused {
            return Err(Error::new("a signature made here was refused here")
                .hint("check this machine with: falcon-cli kat check"));
        }
        Ok(())
    }

    /// Times `operation`, which does `count` things, and prints the median.
    fn measure(
        &self,
        operation: &'static str,
        mode: &'static str,
        engine: &'static str,
        count: usize,
        mut run: impl FnMut(u64),
    ) -> Result<()> {
        let progress = Progress::new(self.ui, Unit::Items("runs"), None);
        let mut times = Vec::new();
        let start = Instant::now();
        // One unmeasured run fills the caches.
        run(0);
        let mut number = 1;
        while times.len() < MIN_RUNS || start.elapsed() < self.duration {
            let begin = Instant::now();
            run(number);
            times.push(begin.elapsed());
            number += 1;
            progress.add(1);
        }
        drop(progress);
        times.sort_unstable();
        let median = times[times.len() / 2].as_secs_f64() / count as f64;
        self.ui.report(&Measurement {
            operation,
            mode,
            parameters: P::NAME,
            engine,
            median_ns: (median * 1e9).round() as u64,
            ops_per_s: (10.0 / median).round() / 10.0,
        })
    }
}

/// One line of the output.
#[derive(Serialize)]
struct Measurement {
    operation: &'static str,
    mode: &'static str,
    parameters: &'static str,
    engine: &'static str,
    median_ns: u64,
    ops_per_s: f64,
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{:<8} {:<9}", self.operation, self.mode);
        write!(
            f,
            "{} {:<11} {:<10} {:>12.3} us {:>10.1}/s",
            Styled(STRONG, name),
            self.parameters,
            self.engine,
            self.median_ns as f64 / 1e3,
            self.ops_per_s
        )
    }
}
