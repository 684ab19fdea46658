//! `bench`: measures the speed of signing and verifying on this machine.
//!
//! Each row is the median of runs of one kind: single operations, batches on one thread, or batches
//! on several threads. `compare` of the package `falcon-benches` compares with other
//! implementations, which needs interleaved runs.

mod batch;
mod measure;
mod warm;

#[cfg(feature = "cuda")]
use crate::{engine::GPU, error::Error};
use crate::{
    engine::{Compute, is_named},
    error::{Result, Status},
    global::Global,
    load,
    scheme::Algorithm,
    timing::{DEBUG_BUILD, seconds},
    ui::Ui,
};
use batch::check_memory;
use clap::Args;
use falcon_core::{Engine, Falcon512, Falcon1024, ParameterSet, Parameters, Threads};
#[cfg(feature = "cuda")]
use falcon_gpu::GpuContext;
use measure::{BATCH, Case, Measure};
use std::{fmt, num::NonZeroUsize, time::Duration};
pub(crate) use warm::Warm;

/// Largest number of signatures in a batch.
const MAX_BATCH: i64 = 1 << 24;

/// Seconds for each measurement with `--quick`.
const QUICK: f64 = 0.1;

/// Measure key generation, signing and verification
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Measure one algorithm only
    #[arg(short, long, value_enum, ignore_case = true)]
    algorithm: Option<Algorithm>,
    /// Threads for batches, at most 1024; batches are also measured on one thread [default: one for
    /// each core]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Signatures in a batch, at most 16,777,216 [default: 64 for each thread; on a GPU 1, 128,
    /// 4096 and 65536]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=MAX_BATCH))]
    batch: Option<u32>,
    /// Seconds for each measurement; a large batch takes longer, since it runs at least twice
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// The same as --seconds 0.1
    #[arg(long, conflicts_with = "seconds")]
    quick: bool,
}

impl Bench {
    /// Measures every engine, or the one that was named.
    pub(crate) fn run(self, chosen: &Compute, global: &Global, ui: Ui) -> Result<Status> {
        let engines = match chosen {
            Compute::Cpu(engine) if is_named(&global.engine) => vec![*engine],
            Compute::Cpu(_) => Engine::available().collect(),
            #[cfg(feature = "cuda")]
            Compute::Gpu(gpu) => return self.on_gpu(gpu, ui),
        };
        let named = self
            .threads
            .and_then(|count| NonZeroUsize::new(count.into()));
        let all = named.map_or_else(Threads::for_all_cores, Threads::new);
        let usual = BATCH * all.count();
        let threads = if all.count() > 1 {
            vec![Threads::new(NonZeroUsize::MIN), all]
        } else {
            vec![all]
        };
        let batches = Batches {
            threads: &threads,
            size: self.batch.map(|size| size as usize),
        };
        let largest = batches.size.unwrap_or(usual);
        let plan = OnProcessor {
            engines: &engines,
            batches,
        };
        let most = threads.iter().map(Threads::count).max();
        self.carry_out(&plan, largest, most.unwrap_or(1), ui)
    }

    /// Measures batches of several sizes on a GPU.
    #[cfg(feature = "cuda")]
    fn on_gpu(self, gpu: &GpuContext, ui: Ui) -> Result<Status> {
        if self.threads.is_some() {
            return Err(Error::new("--threads is for engines of the processor")
                .hint("how much a GPU does at once: --batch"));
        }
        let sizes = self
            .batch
            .map_or(ON_GPU.to_vec(), |size| vec![size as usize]);
        let largest = sizes.iter().copied().max().unwrap_or(1);
        let sizes = &sizes;
        // The host's threads also work for the GPU.
        let threads = Threads::for_all_cores().count();
        self.carry_out(&OnGpu { gpu, sizes }, largest, threads, ui)
    }

    /// Checks memory, prints the expected duration, and measures the requested parameter sets.
    /// `threads` is the largest number of threads that work at the same time.
    fn carry_out(
        &self,
        plan: &impl Plan,
        largest: usize,
        threads: usize,
        ui: Ui,
    ) -> Result<Status> {
        let small = self.algorithm != Some(Algorithm(ParameterSet::Falcon1024));
        let large = self.algorithm != Some(Algorithm(ParameterSet::Falcon512));
        if small {
            check_memory::<Falcon512>(largest)?;
        }
        if large {
            check_memory::<Falcon1024>(largest)?;
        }
        if let Some(text) = DEBUG_BUILD {
            ui.warn(text);
        }
        // The load is checked first, since the forecast adds to it.
        if let Some(text) = load::warning(threads) {
            ui.warn(text);
        }
        let seconds = if self.quick { QUICK } else { self.seconds };
        let duration = Duration::from_secs_f64(seconds);
        let small = small.then(|| Measure::<Falcon512>::new(duration, ui));
        let large = large.then(|| Measure::<Falcon1024>::new(duration, ui));
        let (small, large) = (small.transpose()?, large.transpose()?);
        if ui.notes() {
            let mut forecast = Forecast::default();
            if let Some(bench) = &small {
                plan.forecast(bench, &mut forecast)?;
            }
            if let Some(bench) = &large {
                plan.forecast(bench, &mut forecast)?;
            }
            ui.note(forecast);
            ui.note(KEY_FORMS);
        }
        ui.heading(measure::HEADING)?;
        if let Some(bench) = &small {
            plan.measure(bench)?;
        }
        if let Some(bench) = &large {
            plan.measure(bench)?;
        }
        Ok(Status::Valid)
    }
}

/// Explanation of the words in the column `key`. `compare` and docs/PERFORMANCE.md use the same
/// words.
const KEY_FORMS: &str = "us is the median time of one operation, smaller is faster. \
    encoded: the key is decoded each time. decoded: a signing key, not expanded. \
    prepared: an expanded key, or a verifying key. \
    batch: prepared, many messages in one call";

/// The rows to measure for each parameter set.
trait Plan {
    /// Counts the rows and estimates the duration of each. A single operation is repeated for
    /// [`Measure::duration`]. The duration of a batch is estimated by running a smaller batch.
    fn forecast<P: Parameters>(&self, bench: &Measure<P>, forecast: &mut Forecast) -> Result<()>;

    /// Prints the rows.
    fn measure<P: Parameters>(&self, bench: &Measure<P>) -> Result<()>;
}

/// Sizes of batches on a GPU. `benches/gpu` measures more sizes.
#[cfg(feature = "cuda")]
const ON_GPU: [usize; 4] = [1, 1 << 7, 1 << 12, 1 << 16];

/// Number of signatures of the GPU batch from which the duration of a larger batch is estimated.
#[cfg(feature = "cuda")]
const SAMPLE_ON_GPU: usize = 1 << 10;

/// Batches on the CPU.
#[derive(Clone, Copy)]
struct Batches<'a> {
    /// Numbers of threads, measured one after the other.
    threads: &'a [Threads],
    /// Number of signatures in each batch. By default [`BATCH`] for each thread.
    size: Option<usize>,
}

impl<'a> Batches<'a> {
    /// Returns one case for each number of threads.
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

/// A plan to measure every operation on some engines.
struct OnProcessor<'a> {
    engines: &'a [Engine],
    batches: Batches<'a>,
}

impl Plan for OnProcessor<'_> {
    fn forecast<P: Parameters>(&self, bench: &Measure<P>, forecast: &mut Forecast) -> Result<()> {
        forecast.row(bench.duration());
        let signatures = bench.signatures()?;
        for &engine in self.engines {
            // The rows are two ways to sign and two ways to verify.
            for _ in 0..4 {
                forecast.row(bench.duration());
            }
            let expanded = engine.expand(bench.key());
            for (case, threads) in self.batches.cases("sign", engine) {
                let engine = engine.on(threads);
                let sample = BATCH * threads.count();
                forecast.row(bench.signing_takes(case, sample, &engine, &expanded)?);
                forecast.row(bench.verifying_takes(case, sample, &engine, &signatures)?);
            }
        }
        Ok(())
    }

    fn measure<P: Parameters>(&self, bench: &Measure<P>) -> Result<()> {
        bench.keygen()?;
        for &engine in self.engines {
            bench.sign(engine)?;
            let expanded = engine.expand(bench.key());
            for (case, threads) in self.batches.cases("sign", engine) {
                bench.sign_batch(case, &engine.on(threads), &expanded)?;
            }
        }
        let signatures = bench.signatures()?;
        for &engine in self.engines {
            bench.verify(engine, &signatures)?;
            for (case, threads) in self.batches.cases("verify", engine) {
                bench.verify_batch(case, &engine.on(threads), &signatures)?;
            }
        }
        Ok(())
    }
}

/// A plan to measure batches of several sizes on a GPU.
#[cfg(feature = "cuda")]
struct OnGpu<'a> {
    gpu: &'a GpuContext,
    sizes: &'a [usize],
}

#[cfg(feature = "cuda")]
impl OnGpu<'_> {
    fn case(operation: &'static str, count: usize) -> Case {
        Case {
            count,
            sized: true,
            ..Case::one(operation, "batch", GPU)
        }
    }
}

#[cfg(feature = "cuda")]
impl Plan for OnGpu<'_> {
    fn forecast<P: Parameters>(&self, bench: &Measure<P>, forecast: &mut Forecast) -> Result<()> {
        let expanded = bench.key().expand();
        let signatures = bench.signatures()?;
        for &count in self.sizes {
            let (case, sample) = (Self::case("sign", count), SAMPLE_ON_GPU);
            forecast.row(bench.signing_takes(case, sample, self.gpu, &expanded)?);
            forecast.row(bench.verifying_takes(case, sample, self.gpu, &signatures)?);
        }
        Ok(())
    }

    fn measure<P: Parameters>(&self, bench: &Measure<P>) -> Result<()> {
        let expanded = bench.key().expand();
        let signatures = bench.signatures()?;
        for &count in self.sizes {
            bench.sign_batch(Self::case("sign", count), self.gpu, &expanded)?;
            bench.verify_batch(Self::case("verify", count), self.gpu, &signatures)?;
        }
        Ok(())
    }
}

/// Number and total duration of the rows that are still to be measured.
#[derive(Clone, Copy, Default)]
struct Forecast {
    rows: usize,
    time: Duration,
}

impl Forecast {
    fn row(&mut self, time: Duration) {
        self.rows += 1;
        self.time = self.time.saturating_add(time);
    }
}

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs_f64().round() as u64;
        let plural = |number| if number == 1 { "" } else { "s" };
        let rows = self.rows as u64;
        let (row, second) = (plural(rows), plural(seconds));
        write!(f, "{rows} row{row}, about {seconds} second{second}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_counts_rows_and_seconds() {
        let mut forecast = Forecast::default();
        forecast.row(Duration::from_millis(900));
        assert_eq!(forecast.to_string(), "1 row, about 1 second");
        forecast.row(Duration::from_secs(100));
        assert_eq!(forecast.to_string(), "2 rows, about 101 seconds");
    }
}
