//! `bench`: measures the speed of key generation, encapsulation and decapsulation on this machine.
//!
//! Each row is the median of single runs on one thread.

use crate::{
    engine::Engine,
    sets::{self, SETS, Set, Work},
};
use clap::Args;
use falcon_terminal::{
    error::{Error, Result, Status},
    load,
    seed::{SEED_LEN, fresh_seed},
    timing::{ENOUGH_RUNS, measure, seconds},
    ui::{STRONG, Styled, Ui},
};
use getrandom::SysRng;
use mceliece_core::{KeyPair, Parameters, rand_core::UnwrapErr};
use serde::Serialize;
use std::{fmt, hint::black_box, time::Duration};
use zeroize::Zeroizing;

/// Measure key generation, encapsulation and decapsulation
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mceliece-cli bench --parameters mceliece460896f --seconds 0.5

Every engine of this machine is measured, or the one that --engine names.")]
pub(crate) struct Bench {
    /// Measure one parameter set only
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = sets::parser())]
    parameters: Option<&'static Set>,
    /// Seconds for each measurement
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
}

/// Number of rows of a set on an engine.
const OPERATIONS: usize = 3;

impl Bench {
    /// Measures every engine, or the one that was named.
    pub(crate) fn run(self, engine: Option<Engine>, ui: Ui) -> Result<Status> {
        let engines = engine.map_or_else(|| Engine::available().collect(), |engine| vec![engine]);
        let chosen = |set: &&Set| self.parameters.is_none_or(|it| it == *set);
        let sets: Vec<_> = SETS.iter().filter(chosen).collect();
        if let Some(text) = load::warning(1) {
            ui.warn(text);
        }
        ui.note(Forecast {
            rows: sets.len() * engines.len() * OPERATIONS,
            seconds: self.seconds,
        });
        ui.note(EXPLANATION);
        ui.heading(HEADING)?;
        for set in sets {
            for &engine in &engines {
                engine.choose();
                let work = Measure {
                    duration: Duration::from_secs_f64(self.seconds),
                    engine,
                    ui,
                };
                sets::with_type(set, work).unwrap_or(Ok(()))?;
            }
        }
        Ok(Status::Valid)
    }
}

/// Explanation of the rows.
const EXPLANATION: &str = "us is the median time of one operation on one thread, smaller is \
    faster. Keys are decoded before. Sets without f need a random number of attempts to generate \
    a key, so that their times vary";

/// Heading above the rows for people.
const HEADING: &str = "operation parameters         engine              us        ops/s";

/// The measurements of one parameter set on one engine.
struct Measure {
    duration: Duration,
    engine: Engine,
    ui: Ui,
}

impl Work for Measure {
    type Output = Result<()>;

    fn of<P: Parameters>(self) -> Result<()> {
        let seed = fresh_seed()?;
        let mut rng = UnwrapErr(SysRng);
        self.measure::<P>("keygen", |run| {
            black_box(KeyPair::<P>::from_seed(&seed_of(&seed, run)));
            Ok(())
        })?;
        let pair = KeyPair::<P>::from_seed(&seed);
        self.measure::<P>("encaps", |_| {
            black_box(pair.public_key.encapsulate(&mut rng));
            Ok(())
        })?;
        // The ciphertexts are used in turn, so that branch predictors do not learn a single one by
        // heart.
        let made: Vec<_> = (0..CIPHERTEXTS)
            .map(|_| pair.public_key.encapsulate(&mut UnwrapErr(SysRng)))
            .collect();
        self.measure::<P>("decaps", |run| {
            let (ciphertext, secret) = &made[run as usize % made.len()];
            if pair.secret_key.decapsulate(black_box(ciphertext)) == *secret {
                Ok(())
            } else {
                Err(
                    Error::new("a ciphertext made here gave another secret here")
                        .hint("check this machine with: mceliece-cli kat"),
                )
            }
        })
    }
}

/// Number of ciphertexts that are decapsulated in turn.
const CIPHERTEXTS: usize = 16;

/// Returns the seed of a run. Every run has a different one.
fn seed_of(seed: &[u8; SEED_LEN], run: u64) -> Zeroizing<[u8; SEED_LEN]> {
    let mut seed = Zeroizing::new(*seed);
    for (byte, run) in seed.iter_mut().zip(run.to_le_bytes()) {
        *byte ^= run;
    }
    seed
}

impl Measure {
    /// Measures an operation and prints a row. If a run fails, no row is printed.
    fn measure<P: Parameters>(
        &self,
        operation: &'static str,
        run: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let times = measure(self.duration, self.ui, run)?;
        let median = times.median().as_secs_f64();
        self.ui.report(&Measurement {
            operation,
            parameters: P::NAME,
            engine: self.engine.name(),
            runs: times.runs(),
            minimum_ns: times.minimum().as_nanos() as u64,
            median_ns: times.median().as_nanos() as u64,
            ops_per_s: (10.0 / median).round() / 10.0,
        })
    }
}

/// One line of the output.
#[derive(Serialize)]
struct Measurement {
    operation: &'static str,
    parameters: &'static str,
    engine: &'static str,
    /// Number of runs that were timed.
    runs: usize,
    minimum_ns: u64,
    median_ns: u64,
    ops_per_s: f64,
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = format!("{:<9}", self.operation);
        write!(
            f,
            "{} {:<18} {:<9} {:>12.3} {:>12.1}",
            Styled(STRONG, operation),
            self.parameters,
            self.engine,
            self.median_ns as f64 / 1e3,
            self.ops_per_s
        )?;
        match self.runs {
            1 => write!(f, ", 1 run"),
            runs if runs < ENOUGH_RUNS => write!(f, ", {runs} runs"),
            _ => Ok(()),
        }
    }
}

/// Estimate of the duration: number of rows, and seconds for each row.
struct Forecast {
    rows: usize,
    seconds: f64,
}

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = (self.rows as f64 * self.seconds).round() as u64;
        let plural = if seconds == 1 { "" } else { "s" };
        write!(f, "{} rows, about {seconds} second{plural}", self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_a_seed_of_its_own() {
        let seed = [7; SEED_LEN];
        assert_ne!(*seed_of(&seed, 1), *seed_of(&seed, 256));
        assert_eq!(*seed_of(&seed, 0), seed);
    }

    #[test]
    fn a_forecast_counts_rows_and_seconds() {
        let forecast = |rows, seconds| Forecast { rows, seconds }.to_string();
        assert_eq!(forecast(3, 1.0), "3 rows, about 3 seconds");
        assert_eq!(forecast(9, 0.1), "9 rows, about 1 second");
    }
}
