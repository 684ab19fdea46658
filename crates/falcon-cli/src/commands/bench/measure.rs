//! Measurements of one parameter set. Each prints a row. If a run fails, the measurement prints no
//! row and returns an error.

use super::batch::filled;
use crate::{
    engine::{batch_failed, faulty},
    error::{Error, Result},
    seed::{SEED_LEN, fresh_seed},
    timing::{self, ENOUGH_RUNS},
    ui::{STRONG, Styled, Ui},
};
use falcon_core::{
    Engine, ExpandedKey, FaultError, Parameters, Scratch, Signature, SignatureBytes,
    SignatureError, SigningKey, VerifyingKey,
    batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob},
};
use serde::Serialize;
use std::{
    fmt,
    hint::black_box,
    time::{Duration, Instant},
};

/// Signatures in a batch, per thread.
pub(super) const BATCH: usize = 64;

/// Message that every run signs.
const MESSAGE: &[u8] = b"the message that every run signs";

/// Value in the column `engine` for operations that run the same code on every engine.
const EVERY_ENGINE: &str = "all";

/// A row to measure.
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) operation: &'static str,
    pub(super) mode: &'static str,
    pub(super) engine: &'static str,
    pub(super) threads: usize,
    /// Operations in a run.
    pub(super) count: usize,
    /// True if the text output shows `count`.
    pub(super) sized: bool,
}

impl Case {
    pub(super) fn one(operation: &'static str, mode: &'static str, engine: &'static str) -> Self {
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
pub(super) struct Measure<P: Parameters> {
    duration: Duration,
    ui: Ui,
    seed: [u8; SEED_LEN],
    key: Box<SigningKey<P>>,
}

/// Returns the error for a signature that could not be made.
fn cannot_sign(fault: FaultError) -> Error {
    faulty("cannot sign", fault)
}

impl<P: Parameters> Measure<P> {
    pub(super) fn new(duration: Duration, ui: Ui) -> Result<Self> {
        let seed = *fresh_seed()?;
        let key = SigningKey::from_seed_boxed(&seed);
        Ok(Self {
            duration,
            ui,
            seed,
            key: key.map_err(|fault| faulty("cannot generate a key", fault))?,
        })
    }

    pub(super) fn key(&self) -> &SigningKey<P> {
        &self.key
    }

    /// Duration for which a short run is repeated.
    pub(super) fn duration(&self) -> Duration {
        self.duration
    }

    /// Returns the seed of a run. Every run has a different one.
    fn seed(&self, run: u64) -> [u8; SEED_LEN] {
        let mut seed = self.seed;
        for (byte, run) in seed.iter_mut().zip(run.to_le_bytes()) {
            *byte ^= run;
        }
        seed
    }

    pub(super) fn keygen(&self) -> Result<()> {
        self.measure(Case::one("keygen", "seed", EVERY_ENGINE), |run| {
            let key = SigningKey::<P>::from_seed(&self.seed(run));
            black_box(key.map_err(|fault| faulty("cannot generate a key", fault))?);
            Ok(())
        })
    }

    pub(super) fn sign(&self, engine: Engine) -> Result<()> {
        let expanded = engine.expand(&self.key);
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch =
            Scratch::new(&mut reals).map_err(|error| Error::new("cannot sign").because(error))?;
        self.measure(Case::one("sign", "decoded", engine.name()), |run| {
            let mut stream = self.key.sign_stream_from_seed(&self.seed(run));
            stream.update(MESSAGE);
            let signature = engine.finish(stream, &mut scratch);
            black_box(signature.map_err(cannot_sign)?.to_bytes());
            Ok(())
        })?;
        self.measure(Case::one("sign", "prepared", engine.name()), |run| {
            let mut stream = expanded.sign_stream_from_seed(&self.seed(run));
            stream.update(MESSAGE);
            let signature = engine.finish(stream, &mut scratch);
            black_box(signature.map_err(cannot_sign)?.to_bytes());
            Ok(())
        })
    }

    /// Measures signing batches on any engine.
    pub(super) fn sign_batch(
        &self,
        case: Case,
        engine: &impl BatchSign<P>,
        expanded: &ExpandedKey<P>,
    ) -> Result<()> {
        self.measure(case, self.signing(case.count, engine, expanded)?)
    }

    /// Returns the run that signs a batch.
    pub(super) fn signing(
        &self,
        count: usize,
        engine: &impl BatchSign<P>,
        expanded: &ExpandedKey<P>,
    ) -> Result<impl FnMut(u64) -> Result<()>> {
        let job = SignJob::new(expanded, MESSAGE);
        let jobs = filled::<P, _>(count, job)?;
        let mut signatures = filled::<P, _>(count, Signature::EMPTY)?;
        Ok(move |run| {
            engine
                .sign_batch(&self.seed(run), &jobs, &mut signatures)
                .map_err(batch_failed)?;
            for signature in &signatures {
                black_box(signature.to_bytes());
            }
            Ok(())
        })
    }

    /// Returns several signatures to verify in turn, so that branch predictors do not learn a
    /// single signature by heart.
    pub(super) fn signatures(&self) -> Result<Vec<SignatureBytes<P>>> {
        let expanded = self.key.expand();
        let one = |run| {
            let mut stream = expanded.sign_stream_from_seed(&self.seed(run));
            stream.update(MESSAGE);
            Ok(stream.finish().map_err(cannot_sign)?.to_bytes())
        };
        (0..BATCH as u64).map(one).collect()
    }

    pub(super) fn verify(&self, engine: Engine, signatures: &[SignatureBytes<P>]) -> Result<()> {
        let key = self.key.verifying_key();
        let key_bytes = key.to_bytes();
        let turn = |run: u64| black_box(&*signatures[run as usize % signatures.len()]);
        self.measure(Case::one("verify", "encoded", engine.name()), |run| {
            let key = VerifyingKey::<P>::try_from(black_box(key_bytes.as_ref()));
            match (key, Signature::try_from(turn(run))) {
                (Ok(key), Ok(signature)) => accepted(engine.verify(&key, MESSAGE, &signature)),
                _ => Err(refused()),
            }
        })?;
        self.measure(Case::one("verify", "prepared", engine.name()), |run| {
            let signature = Signature::try_from(turn(run)).map_err(|_| refused())?;
            accepted(engine.verify(key, MESSAGE, &signature))
        })
    }

    /// Measures verifying batches on any engine.
    pub(super) fn verify_batch(
        &self,
        case: Case,
        engine: &impl BatchVerify<P>,
        signatures: &[SignatureBytes<P>],
    ) -> Result<()> {
        self.measure(case, self.verifying(case.count, engine, signatures)?)
    }

    /// Returns the run that decodes and verifies a batch.
    pub(super) fn verifying<'a>(
        &'a self,
        count: usize,
        engine: &'a impl BatchVerify<P>,
        signatures: &'a [SignatureBytes<P>],
    ) -> Result<impl FnMut(u64) -> Result<()>> {
        let job = |signature| VerifyBytesJob {
            key: self.key.verifying_key(),
            message: MESSAGE,
            signature,
        };
        let mut jobs = filled::<P, _>(count, job(&signatures[0]))?;
        for (place, signature) in jobs.iter_mut().zip(signatures.iter().cycle()) {
            *place = job(signature);
        }
        let mut valid = filled::<P, _>(count, Verdict::Invalid)?;
        Ok(move |_| {
            engine
                .verify_bytes_batch(&jobs, &mut valid)
                .map_err(|error| Error::new("cannot verify a batch").because(error))?;
            let mut valid = valid.iter().copied().map(Result::from);
            valid.try_for_each(accepted)
        })
    }

    /// Estimates the duration of a measurement that signs a batch. Signs a batch of at most
    /// `sample` jobs for it.
    pub(super) fn signing_takes(
        &self,
        case: Case,
        sample: usize,
        engine: &impl BatchSign<P>,
        expanded: &ExpandedKey<P>,
    ) -> Result<Duration> {
        let sample = sample.min(case.count);
        self.takes(case, sample, self.signing(sample, engine, expanded)?)
    }

    /// Estimates the duration of a measurement that verifies a batch, as
    /// [`signing_takes`](Self::signing_takes) does for signing.
    pub(super) fn verifying_takes(
        &self,
        case: Case,
        sample: usize,
        engine: &impl BatchVerify<P>,
        signatures: &[SignatureBytes<P>],
    ) -> Result<Duration> {
        let sample = sample.min(case.count);
        self.takes(case, sample, self.verifying(sample, engine, signatures)?)
    }

    /// Estimates the duration of two runs of `case` from a run of `sample` jobs. Returns the
    /// requested duration if it is longer.
    fn takes(
        &self,
        case: Case,
        sample: usize,
        mut run: impl FnMut(u64) -> Result<()>,
    ) -> Result<Duration> {
        // The first run on an engine takes longer than the others, so it is not timed.
        run(0)?;
        let start = Instant::now();
        run(1)?;
        let ratio = case.count as f64 / sample as f64;
        let two = Duration::try_from_secs_f64(2.0 * ratio * start.elapsed().as_secs_f64());
        Ok(self.duration.max(two.unwrap_or(Duration::MAX)))
    }

    /// Repeats a run, and prints the median time of one operation.
    fn measure(&self, case: Case, run: impl FnMut(u64) -> Result<()>) -> Result<()> {
        let times = timing::measure(self.duration, self.ui, run)?;
        let median = times.median().as_secs_f64() / case.count as f64;
        self.ui.report(&Measurement {
            operation: case.operation,
            mode: case.mode,
            parameters: P::NAME,
            engine: case.engine,
            threads: case.threads,
            count: case.count,
            sized: case.sized,
            runs: times.runs(),
            median_ns: (median * 1e9).round() as u64,
            ops_per_s: (10.0 / median).round() / 10.0,
        })
    }
}

fn accepted(verdict: Result<(), SignatureError>) -> Result<()> {
    verdict.map_err(|_| refused())
}

fn refused() -> Error {
    Error::new("a signature made here was refused here")
        .hint("check this machine with: falcon-cli kat check")
}

/// Heading of the text output.
pub(super) const HEADING: &str =
    "operation key       parameters  engine               us        ops/s";

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
    /// Number of runs that were timed.
    runs: usize,
    median_ns: u64,
    ops_per_s: f64,
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = format!("{:<9} {:<9}", self.operation, self.mode);
        write!(
            f,
            "{} {:<11} {:<10} {:>12.3} {:>12.1}",
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
        match self.runs {
            1 => write!(f, ", 1 run"),
            runs if runs < ENOUGH_RUNS => write!(f, ", {runs} runs"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> Measure<falcon_core::Falcon512> {
        let ui = Ui {
            json: true,
            quiet: true,
        };
        Measure::new(Duration::ZERO, ui).unwrap()
    }

    #[test]
    fn a_run_that_fails_is_the_last() {
        let mut runs = 0;
        let measured = bench().measure(Case::one("sign", "batch", "none"), |run| {
            runs += 1;
            if run == 2 { Err(refused()) } else { Ok(()) }
        });
        assert_eq!(measured.unwrap_err().to_string(), refused().to_string());
        assert_eq!(runs, 3);
    }

    #[test]
    fn a_batch_is_foretold_by_a_smaller_one() {
        let case = Case {
            count: 1000,
            ..Case::one("sign", "batch", "none")
        };
        let run = |_| {
            std::thread::sleep(Duration::from_millis(2));
            Ok(())
        };
        let takes = bench().takes(case, 10, run).unwrap();
        assert!(takes >= Duration::from_millis(400), "{takes:?}");
    }

    /// If a signature of a batch is refused, the measurement ends with an error and without a rate.
    #[test]
    fn a_signature_that_is_refused_ends_its_batch() {
        let bench = bench();
        let mut signatures = bench.signatures().unwrap();
        let engine = Engine::Scalar;
        bench.verifying(3, &engine, &signatures).unwrap()(0).unwrap();
        signatures[1] = bench
            .key
            .sign_stream_from_seed(&[1; SEED_LEN])
            .finish()
            .unwrap()
            .to_bytes();
        assert!(bench.verifying(1, &engine, &signatures).unwrap()(0).is_ok());
        assert!(bench.verifying(3, &engine, &signatures).unwrap()(0).is_err());
    }
}
