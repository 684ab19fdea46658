//! `bench`: what this machine does in a second.
//!
//! Medians of single runs: one operation at a time, batches on one thread and on
//! several. Comparisons with other implementations need more care than this.

#[cfg(feature = "cuda")]
use crate::engine::GPU;
use crate::{
    cli::Global,
    engine::{AUTO, Computer, SEED_LEN, fresh_seed},
    error::{Error, Result, Status},
    progress::{Progress, Unit},
    scheme::Algorithm,
    ui::{STRONG, Styled, Ui},
};
use clap::Args;
use falcon::{
    Engine, ExpandedKey, Falcon512, Falcon1024, Parameters, Scratch, Signature, SignatureBytes,
    SigningKey, Threads, VerifyingKey,
    batch::{BatchSign, BatchVerify, SignJob, VerifyBytesJob},
};
#[cfg(feature = "cuda")]
use falcon_gpu::GpuContext;
use serde::Serialize;
use std::{
    fmt,
    hint::black_box,
    num::NonZeroUsize,
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
    /// Threads for batches, 1024 at most; batches are measured on one, too [default: one for each core]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Signatures in a batch [default: 64 for each thread; on a GPU 1, 128, 4096 and 65536]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: Option<u32>,
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
    pub(crate) fn run(self, chosen: &Computer, global: &Global, ui: Ui) -> Result<Status> {
        let engines = match chosen {
            Computer::Processor(_) if global.engine == AUTO => Engine::available(),
            Computer::Processor(engine) => vec![*engine],
            #[cfg(feature = "cuda")]
            Computer::Gpu(gpu) => return self.on_gpu(gpu, ui),
        };
        let duration = Duration::from_secs_f64(self.seconds);
        let named = self
            .threads
            .and_then(|count| NonZeroUsize::new(count.into()));
        let all = named.map_or_else(Threads::for_all_cores, Threads::new);
        let threads = if all.count() > 1 {
            vec![Threads::new(NonZeroUsize::MIN), all]
        } else {
            vec![all]
        };
        let mut algorithms = vec![Algorithm::Falcon512, Algorithm::Falcon1024];
        algorithms.retain(|&algorithm| self.algorithm.is_none_or(|only| only == algorithm));
        let rows = algorithms.len() * rows(engines.len(), threads.len());
        ui.note(format_args!(
            "{rows} rows, about {:.0} seconds and more where a run is long",
            self.seconds * rows as f64
        ));
        let batches = Batches {
            threads: &threads,
            size: self.batch.map(|size| size as usize),
        };
        for algorithm in algorithms {
            match algorithm {
                Algorithm::Falcon512 => measure_all::<Falcon512>(&engines, batches, duration, ui)?,
                Algorithm::Falcon1024 => {
                    measure_all::<Falcon1024>(&engines, batches, duration, ui)?
                }
            }
        }
        Ok(Status::Valid)
    }

    /// Batches of several sizes.
    #[cfg(feature = "cuda")]
    fn on_gpu(self, gpu: &GpuContext, ui: Ui) -> Result<Status> {
        if self.threads.is_some() {
            return Err(Error::new("--threads is for engines of the processor")
                .hint("how much a GPU does at once: --batch"));
        }
        let duration = Duration::from_secs_f64(self.seconds);
        let sizes = self
            .batch
            .map_or(ON_GPU.to_vec(), |size| vec![size as usize]);
        if self.algorithm != Some(Algorithm::Falcon1024) {
            Measure::<Falcon512>::new(duration, ui)?.on_gpu(gpu, &sizes)?;
        }
        if self.algorithm != Some(Algorithm::Falcon512) {
            Measure::<Falcon1024>::new(duration, ui)?.on_gpu(gpu, &sizes)?;
        }
        Ok(Status::Valid)
    }
}

/// Sizes of batches on a GPU: `benches/gpu` has more.
#[cfg(feature = "cuda")]
const ON_GPU: [usize; 4] = [1, 1 << 7, 1 << 12, 1 << 16];

/// What does not depend on the engine.
const EVERY_ENGINE: &str = "all";

/// Signatures in a batch, for each thread.
const BATCH: usize = 64;

/// Rows that [`measure_all`] prints: one of key generation; two of signing and two
/// of verification for each engine, and a batch of both on so many threads.
fn rows(engines: usize, threads: usize) -> usize {
    1 + engines * (4 + 2 * threads)
}

/// The batches of a processor.
#[derive(Clone, Copy)]
struct Batches<'a> {
    /// On how many threads, one after the other.
    threads: &'a [Threads],
    /// Signatures of each, if not [`BATCH`] for each thread.
    size: Option<usize>,
}

impl<'a> Batches<'a> {
    /// The case of each.
    fn cases(
        self,
        operation: &'static str,
        engine: Engine,
    ) -> impl Iterator<Item = (Case, &'a Threads)> {
        self.threads.iter().map(move |threads| {
            let usual = BATCH * threads.count();
            let case = Case {
                threads: threads.count(),
                count: self.size.unwrap_or(usual),
                sized: self.size.is_some(),
                ..Case::one(operation, "batch", engine.name())
            };
            (case, threads)
        })
    }
}

fn measure_all<P: Parameters>(
    engines: &[Engine],
    batches: Batches<'_>,
    duration: Duration,
    ui: Ui,
) -> Result<()> {
    let bench = Measure::<P>::new(duration, ui)?;
    bench.keygen()?;
    for &engine in engines {
        bench.sign(engine)?;
        for (case, threads) in batches.cases("sign", engine) {
            bench.sign_batch_on(case, &engine.on(threads), &engine.expand(&bench.key))?;
        }
    }
    bench.verify(engines, batches)
}

/// What is measured.
#[derive(Clone, Copy)]
struct Case {
    operation: &'static str,
    mode: &'static str,
    engine: &'static str,
    threads: usize,
    /// Operations in a run.
    count: usize,
    /// Whether that is to be said to a person.
    sized: bool,
}

impl Case {
    fn one(operation: &'static str, mode: &'static str, engine: &'static str) -> Self {
        Self {
            operation,
            mode,
            engine,
            threads: 1,
            count: 1,
            sized: false,
        }
    }
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
        self.measure(Case::one("keygen", "seed", EVERY_ENGINE), |run| {
            black_box(SigningKey::<P>::from_seed(&self.seed(run)));
        })
    }

    fn sign(&self, engine: Engine) -> Result<()> {
        let expanded = engine.expand(&self.key);
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch =
            Scratch::new(&mut reals).map_err(|error| Error::new("cannot sign").because(error))?;
        self.measure(Case::one("sign", "key", engine.name()), |run| {
            let mut stream = self.key.sign_stream_from_seed(&self.seed(run));
            stream.update(MESSAGE);
            black_box(engine.finish(stream, &mut scratch).to_bytes());
        })?;
        self.measure(Case::one("sign", "expanded", engine.name()), |run| {
            let mut stream = expanded.sign_stream_from_seed(&self.seed(run));
            stream.update(MESSAGE);
            black_box(engine.finish(stream, &mut scratch).to_bytes());
        })
    }

    /// Signs batches on any engine.
    fn sign_batch_on(
        &self,
        case: Case,
        engine: &impl BatchSign<P>,
        expanded: &ExpandedKey<P>,
    ) -> Result<()> {
        let job = SignJob {
            key: expanded,
            message: MESSAGE,
        };
        let jobs = vec![job; case.count];
        let mut signatures = vec![Signature::EMPTY; case.count];
        let mut failed = None;
        self.measure(case, |run| {
            if let Err(error) = engine.sign_batch(&self.seed(run), &jobs, &mut signatures) {
                failed = Some(error);
            }
            for signature in &signatures {
                black_box(signature.to_bytes());
            }
        })?;
        failed.map_or(Ok(()), |error| {
            Err(Error::new("cannot sign a batch").because(error))
        })
    }

    /// Many signatures in turn, so that no branch predictor learns one by heart.
    fn signatures(&self) -> Vec<SignatureBytes<P>> {
        let expanded = self.key.expand();
        let one = |run| {
            let mut stream = expanded.sign_stream_from_seed(&self.seed(run));
            stream.update(MESSAGE);
            stream.finish().to_bytes()
        };
        (0..BATCH as u64).map(one).collect()
    }

    fn verify(&self, engines: &[Engine], batches: Batches<'_>) -> Result<()> {
        let key = self.key.verifying_key();
        let key_bytes = key.to_bytes();
        let signatures = self.signatures();
        let turn = |run: u64| black_box(&*signatures[run as usize % BATCH]);

        let mut refused = false;
        for &engine in engines {
            self.measure(Case::one("verify", "decode", engine.name()), |run| {
                let key = VerifyingKey::<P>::try_from(black_box(key_bytes.as_ref()));
                refused |= match (key, Signature::try_from(turn(run))) {
                    (Ok(key), Ok(signature)) => engine.verify(&key, MESSAGE, &signature).is_err(),
                    _ => true,
                };
            })?;
            self.measure(Case::one("verify", "prepared", engine.name()), |run| {
                let signature = Signature::try_from(turn(run));
                refused |= signature.map_or(true, |s| engine.verify(key, MESSAGE, &s).is_err());
            })?;
            for (case, threads) in batches.cases("verify", engine) {
                self.measure(case, |_| {
                    let signatures = signatures.iter().cycle().take(case.count);
                    refused |= !self.all_valid(&engine.on(threads), signatures);
                })?;
            }
        }
        Self::none_refused(refused)
    }

    fn none_refused(refused: bool) -> Result<()> {
        if refused {
            return Err(Error::new("a signature made here was refused here")
                .hint("check this machine with: falcon-cli kat check"));
        }
        Ok(())
    }

    /// Batches of every size.
    #[cfg(feature = "cuda")]
    fn on_gpu(&self, gpu: &GpuContext, sizes: &[usize]) -> Result<()> {
        let expanded = self.key.expand();
        let signatures = self.signatures();
        for &count in sizes {
            let case = |operation| Case {
                count,
                sized: true,
                ..Case::one(operation, "batch", GPU)
            };
            self.sign_batch_on(case("sign"), gpu, &expanded)?;
            let mut refused = false;
            self.measure(case("verify"), |_| {
                let signatures = signatures.iter().cycle().take(count);
                refused |= !self.all_valid(gpu, signatures);
            })?;
            Self::none_refused(refused)?;
        }
        Ok(())
    }

    fn all_valid<'a>(
        &self,
        engine: &impl BatchVerify<P>,
        signatures: impl Iterator<Item = &'a SignatureBytes<P>>,
    ) -> bool {
        let jobs: Vec<_> = signatures
            .map(|signature| VerifyBytesJob {
                key: self.key.verifying_key(),
                message: MESSAGE,
                signature,
            })
            .collect();
        let mut valid = vec![Ok(()); jobs.len()];
        let done = engine.verify_bytes_batch(&jobs, &mut valid);
        done.is_ok() && valid.iter().all(|valid| valid.is_ok())
    }

    /// Times a run, and prints the median for one operation.
    fn measure(&self, case: Case, mut run: impl FnMut(u64)) -> Result<()> {
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
        let median = times[times.len() / 2].as_secs_f64() / case.count as f64;
        self.ui.report(&Measurement {
            operation: case.operation,
            mode: case.mode,
            parameters: P::NAME,
            engine: case.engine,
            threads: case.threads,
            count: case.count,
            sized: case.sized,
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
    threads: usize,
    /// Operations in a run.
    count: usize,
    #[serde(skip)]
    sized: bool,
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
        )?;
        if self.threads > 1 {
            write!(f, " on {} threads", self.threads)?;
        }
        if self.sized {
            write!(f, " in batches of {}", self.count)?;
        }
        Ok(())
    }
}
