//! Times of batches.

use crate::bench::{Bench, Data, Outcome};
use crate::jobs::{Result, clocked, median};
use crate::kind::{Key, Kind};
use crate::watched::{Seen, Watched};
use falcon_core::batch::{BatchVerify, Verdict};
use falcon_core::{Parameters, Signature};
use falcon_gpu::GpuContext;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// Duration of a batch.
#[derive(Serialize)]
pub(crate) struct Time {
    pub(crate) parameters: &'static str,
    pub(crate) operation: String,
    #[serde(flatten)]
    pub(crate) key: Key,
    pub(crate) batch: usize,
    /// True if jobs at both ends of an untimed batch had the bytes or verdicts of the CPU. When
    /// verifying, all runs must also have accepted all signatures. `None` if the host alone is
    /// timed, on a device that computes nothing.
    pub(crate) equal: Option<bool>,
    /// Number of timed runs.
    pub(crate) runs: usize,
    /// Median of the time from the call to its return.
    pub(crate) host_ms: f64,
    pub(crate) host_per_s: f64,
    /// Median of the sum over all kernels of all chunks, each run alone: on one stream, with no
    /// other kernel and no copy at the same time. With several streams kernels run side by side, so
    /// this may be more than `host_ms`.
    pub(crate) kernel_ms: f64,
    pub(crate) kernel_per_s: f64,
    /// Median milliseconds of each kernel.
    pub(crate) kernels: BTreeMap<String, f64>,
    /// Number of chunks of the batch when its kernels were timed.
    pub(crate) chunks: usize,
    /// Number of jobs of the largest chunk.
    pub(crate) chunk_jobs: usize,
    /// Kernel variant, for the tables. `None` for the usual kernels.
    #[serde(skip)]
    pub(crate) variant: Option<String>,
}

/// Number of runs before the timed runs.
const WARM_UPS: usize = 3;
/// Fewest timed runs if time is short.
const FEWEST: usize = 3;
/// Share of the remaining time that a row may use if it makes more runs than [`FEWEST`].
const SHARE: f64 = 0.2;
/// Number of jobs that are compared at each end of a batch.
const SAMPLE: usize = 128;

/// Times a batch.
pub(crate) fn time<P: Parameters>(
    bench: &mut Bench<'_>,
    data: &mut Data<P>,
    (kind, batch): (Kind, usize),
) -> Result<Outcome<Time>> {
    if bench.budget.left() <= 0.0 {
        return Ok(Outcome::NoTime(bench.budget.batch(kind, batch)));
    }
    // There are twice as many messages as jobs, so that no run repeats the messages of the previous
    // run.
    let messages = 2 * batch;
    if kind.mode.is_none() {
        let made = data.make_signatures(bench, kind, messages)?;
        if let Outcome::NoTime(takes) = made {
            return Ok(Outcome::NoTime(takes));
        }
    }
    let mut row = Runner::new(kind, messages);
    if let Outcome::NoTime(takes) = row.approach(bench, data, batch)? {
        return Ok(Outcome::NoTime(takes));
    }
    let runs = match affordable_runs(bench, bench.budget.batch(kind, batch)) {
        Outcome::Done(runs) => runs,
        Outcome::NoTime(takes) => return Ok(Outcome::NoTime(takes)),
    };
    data.jobs.prepare(messages, kind.keys);

    let gpu = bench.context(kind.mode);
    let equal = match bench.arguments.host {
        true => None,
        false => Some(row.compare(bench, data, &gpu, batch)?),
    };
    let mut host = Vec::new();
    for run in 1..WARM_UPS + runs {
        let took = row.run(data, &gpu, batch)?;
        bench.budget.note(kind, batch, took);
        if run >= WARM_UPS {
            host.push(took * 1e3);
        }
    }
    drop(gpu);

    let mut sums = Vec::new();
    let mut each: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let (mut chunks, mut chunk_jobs) = (0, 0);
    for seen in row.watch(bench, data, (batch, runs))? {
        (chunks, chunk_jobs) = (seen.chunks, seen.chunk_jobs);
        sums.push(seen.milliseconds.values().sum());
        for (kernel, took) in seen.milliseconds {
            each.entry(kernel).or_default().push(took);
        }
    }

    let (host_ms, kernel_ms) = (median(&mut host), median(&mut sums));
    let per_s = |milliseconds: f64| (batch as f64 / milliseconds * 1e3).round();
    Ok(Outcome::Done(Time {
        parameters: P::NAME,
        operation: kind.operation().to_string(),
        key: kind.into(),
        batch,
        equal: equal.map(|equal| equal && !row.refused),
        runs,
        host_ms,
        host_per_s: per_s(host_ms),
        kernel_ms,
        kernel_per_s: per_s(kernel_ms),
        kernels: each
            .into_iter()
            .map(|(kernel, mut took)| (kernel, median(&mut took)))
            .collect(),
        chunks,
        chunk_jobs,
        variant: None,
    }))
}

/// Returns the number of timed runs, if a batch takes `call` seconds. It is the number on the
/// command line, or smaller if time is short.
fn affordable_runs(bench: &Bench<'_>, call: f64) -> Outcome<usize> {
    let asked = bench.arguments.runs.max(1);
    let fewest = FEWEST.min(asked);
    let needs = |runs: usize| call * 2.0 * (WARM_UPS + runs) as f64;
    let left = bench.budget.left();
    if needs(fewest) > left {
        return Outcome::NoTime(needs(fewest));
    }
    let mut more = (fewest..=asked).rev();
    let runs = more.find(|&runs| needs(runs) <= SHARE * left);
    Outcome::Done(runs.unwrap_or(fewest))
}

/// Runs batches. Each run has a fresh seed and other messages than the run before.
struct Runner<P: Parameters> {
    kind: Kind,
    /// Number of messages.
    messages: usize,
    /// Number of runs so far.
    number: usize,
    /// True if a valid signature was refused.
    refused: bool,
    out: Vec<Signature<P>>,
    verdicts: Vec<Verdict>,
}

impl<P: Parameters> Runner<P> {
    fn new(kind: Kind, messages: usize) -> Self {
        Self {
            kind,
            messages,
            number: 0,
            refused: false,
            out: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    /// Returns the seed and the messages of the next run.
    fn next(&mut self, batch: usize) -> ([u8; 32], Range<usize>) {
        let mut seed = [0x77; 32];
        seed[..8].copy_from_slice(&self.number.to_le_bytes());
        let start = self.number % (self.messages / batch).max(1) * batch;
        self.number += 1;
        (seed, start..start + batch)
    }

    /// Runs a batch, and returns the seconds that it took.
    fn run(&mut self, data: &Data<P>, gpu: &GpuContext, batch: usize) -> Result<f64> {
        let (seed, messages) = self.next(batch);
        let keys = self.kind.keys;
        let Some(mode) = self.kind.mode else {
            let claims = data.jobs.verify(messages, data.signatures(keys), keys);
            self.verdicts.clear();
            self.verdicts.resize(batch, Verdict::Invalid);
            let took = clocked(|| Ok(gpu.verify_bytes_batch(&claims, &mut self.verdicts)?))?;
            self.refused |= !all_valid(&self.verdicts);
            return Ok(took);
        };
        self.out.resize(batch, Signature::EMPTY);
        data.jobs
            .sign_on(gpu, (mode, keys), &seed, messages, &mut self.out)
    }

    /// Runs smaller batches until the budget can estimate how long a batch of `batch` jobs takes.
    fn approach(
        &mut self,
        bench: &mut Bench<'_>,
        data: &mut Data<P>,
        batch: usize,
    ) -> Result<Outcome<()>> {
        let kind = self.kind;
        while let Some(next) = bench.budget.next(kind, batch) {
            let takes = bench.budget.batch(kind, next);
            if takes > bench.budget.left() {
                return Ok(Outcome::NoTime(takes));
            }
            data.jobs.prepare(self.messages.max(next), kind.keys);
            let gpu = bench.context(kind.mode);
            // The first call takes longer, since it loads kernels and keys.
            self.run(data, &gpu, next)?;
            let took = self.run(data, &gpu, next)?;
            bench.budget.note(kind, next, took);
        }
        Ok(Outcome::Done(()))
    }

    /// Runs batches whose kernels run one at a time. Returns the observations of each timed run.
    fn watch(
        &mut self,
        bench: &Bench<'_>,
        data: &Data<P>,
        (batch, runs): (usize, usize),
    ) -> Result<Vec<Seen>> {
        let timed = Watched::timed(bench.device.clone());
        let mut options = bench.arguments.options(self.kind.mode);
        // Only one chunk runs at a time, so that no copies of other chunks run beside its kernels.
        options.streams = Some(1);
        let gpu = GpuContext::on(timed.clone(), options);
        let mut all = Vec::new();
        for run in 0..WARM_UPS + runs {
            self.run(data, &gpu, batch)?;
            let seen = timed.take();
            if run >= WARM_UPS {
                all.push(seen);
            }
        }
        Ok(all)
    }

    /// Runs a batch, and compares jobs at its ends with the CPU.
    fn compare(
        &mut self,
        bench: &Bench<'_>,
        data: &Data<P>,
        gpu: &GpuContext,
        batch: usize,
    ) -> Result<bool> {
        let (keys, sample) = (self.kind.keys, SAMPLE.min(batch));
        let ends = [0..sample, batch - sample..batch];
        let (seed, messages) = self.next(batch);
        let Some(mode) = self.kind.mode else {
            let mut claims = data.jobs.verify(messages, data.signatures(keys), keys);
            // Every tenth job at the ends gets the signature of another message.
            for end in ends.clone() {
                for i in end.skip(9).step_by(10) {
                    claims[i].signature = claims[i - 1].signature;
                }
            }
            self.verdicts.clear();
            self.verdicts.resize(batch, Verdict::Invalid);
            gpu.verify_bytes_batch(&claims, &mut self.verdicts)?;
            let mut equal = all_valid(&self.verdicts[sample..(batch - sample).max(sample)]);
            for end in ends {
                equal &= self.verdicts[end.clone()] == bench.verdicts(&claims[end])?;
            }
            return Ok(equal);
        };
        self.out.clear();
        self.out.resize(batch, Signature::EMPTY);
        let (first, out) = (messages.start, &mut self.out);
        data.jobs.sign_on(gpu, (mode, keys), &seed, messages, out)?;
        let mut equal = true;
        for end in ends {
            let messages = first + end.start..first + end.end;
            let expected = data.signed_by_cpu(bench, keys, (&seed, end.start), messages)?;
            equal &= self.out[end] == expected;
        }
        Ok(equal)
    }
}

fn all_valid(verdicts: &[Verdict]) -> bool {
    verdicts.iter().all(|verdict| *verdict == Verdict::Valid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use crate::budget::Budget;
    use crate::compare::compare;
    use crate::fake::Fake;
    use crate::kind::{Keys, Mode, Set};
    use crate::results::Line;
    use clap::Parser;
    use falcon_core::{Falcon512, Threads};
    use falcon_gpu::kernels::{Batch, status};
    use std::sync::Arc;

    const SIGN: Kind = Kind {
        parameters: Set::Falcon512,
        mode: Some(Mode::Expanded),
        keys: Keys::Shared,
    };
    const VERIFY: Kind = Kind { mode: None, ..SIGN };

    /// Compares and times five jobs on a device that does `after` after each kernel. Returns, for
    /// the comparison and for the times, whether all results are equal.
    fn equal(kind: Kind, after: impl Fn(&str, &Batch) + Send + Sync + 'static) -> [bool; 2] {
        let device = Fake::new(move |kernel, grid, batch| {
            let (blocks, threads, shared) = (grid.blocks, grid.threads, grid.shared);
            // SAFETY: the addresses of this device are addresses of the process.
            let ran = unsafe { falcon_gpu_host::launch(kernel, batch, blocks, threads, shared) };
            assert_eq!(ran, Ok(()), "{kernel}");
            after(kernel, batch);
        });
        let arguments = Arguments::parse_from(["bench", "--runs", "1"]);
        let mut bench = Bench {
            arguments: &arguments,
            device: Arc::new(device),
            budget: Budget::new(None),
            threads: Threads::for_all_cores(),
        };
        let mut data = Data::<Falcon512>::new(&arguments);
        let Ok(Outcome::Done(Line::Compare { equal, .. })) =
            compare(&mut bench, &mut data, (kind, 5))
        else {
            panic!("no comparison");
        };
        let Ok(Outcome::Done(time)) = time(&mut bench, &mut data, (kind, 5)) else {
            panic!("no time");
        };
        assert!(time.host_per_s > 0.0);
        [equal, time.equal.expect("a comparison")]
    }

    #[test]
    fn a_wrong_byte_marks_its_row_which_has_a_time_nevertheless() {
        if !falcon_gpu_host::AVAILABLE {
            eprintln!("NOT TESTED: the kernels need a C++17 compiler");
            return;
        }
        for kind in [SIGN, VERIFY] {
            assert_eq!(equal(kind, |_, _| ()), [true; 2]);
        }
        // Spoils a coefficient of the last signature.
        let spoil = |kernel: &str, batch: &Batch| {
            if kernel.starts_with("sign") && batch.count == 5 {
                // SAFETY: the batch has this coefficient, and no other code uses it.
                unsafe { *(batch.s2 as *mut i16).add(4 * 512 + 511) ^= 1 };
            }
        };
        assert_eq!(equal(SIGN, spoil), [false; 2]);
        // Spoils a verdict, so that a valid signature is refused.
        let refuse = |kernel: &str, batch: &Batch| {
            if kernel.starts_with("verify") && batch.count == 5 {
                // SAFETY: the batch has this verdict, and no other code uses it.
                unsafe { *(batch.status as *mut u8).add(2) = status::INVALID };
            }
        };
        assert_eq!(equal(VERIFY, refuse), [false; 2]);
    }
}
