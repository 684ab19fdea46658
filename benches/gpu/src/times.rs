//! How long batches take.

use crate::jobs::Jobs;
use crate::watched::Watched;
use crate::{Arguments, Line, Mode, Result, context, median, options, tell};
use falcon::batch::{BatchError, BatchSign, BatchVerify};
use falcon::{Engine, Parameters, Signature, SignatureBytes, SignatureError, Threads};
use falcon_gpu::GpuContext;
use falcon_gpu::device::Device;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// How long a batch took.
#[derive(Serialize)]
pub(crate) struct Time {
    pub(crate) parameters: &'static str,
    pub(crate) operation: &'static str,
    /// Of the key.
    pub(crate) mode: String,
    pub(crate) batch: usize,
    /// From the call to its return: the median.
    pub(crate) host_ms: f64,
    pub(crate) host_per_s: f64,
    /// In kernels, which are waited for one by one: the median of what all of them
    /// take in a run.
    pub(crate) kernel_ms: f64,
    pub(crate) kernel_per_s: f64,
    /// The median of each.
    pub(crate) kernels: BTreeMap<String, f64>,
}

/// Runs before those that count.
const WARM_UPS: usize = 3;
/// Signatures that are made at once to be verified, so that there is little of what is
/// no byte of them.
const PART: usize = 1 << 16;

/// Jobs of the batches that are timed: 1, 4, 16 and so on to `largest`.
pub(crate) fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    (0..=20)
        .step_by(2)
        .map(|log| 1 << log)
        .take_while(move |&size| size <= largest)
}

/// Times every operation in batches of every size.
pub(crate) fn time_all<P: Parameters>(
    arguments: &Arguments,
    device: &Arc<dyn Device>,
    times: &mut Vec<Time>,
) -> Result<()> {
    // Twice the largest batch: no run has the messages of the one before.
    let messages = 2 * sizes(arguments.largest).last().unwrap_or(1);
    let jobs = Jobs::<P>::new(arguments.keys.max(1), messages);
    let timer = Timer {
        arguments,
        device,
        messages,
    };
    for size in sizes(arguments.largest) {
        let mut out = vec![Signature::EMPTY; size];
        for mode in [Mode::Expanded, Mode::Balanced, Mode::Raw] {
            let key = format!("{mode:?}").to_lowercase();
            let time = match mode {
                Mode::Raw => timer.time::<P>(mode, ("sign", key, size), |gpu, seed, messages| {
                    let jobs = jobs.sign_raw_keys(messages, false);
                    Ok(clocked(|| {
                        Ok(gpu.sign_batch_raw_keys(seed, &jobs, &mut out)?)
                    })?)
                }),
                _ => timer.time::<P>(mode, ("sign", key, size), |gpu, seed, messages| {
                    let jobs = jobs.sign(messages, true);
                    Ok(clocked(|| gpu.sign_batch(seed, &jobs, &mut out))?)
                }),
            };
            times.push(time?);
        }
    }
    for (shared, key) in [(true, "shared key"), (false, "own keys")] {
        let gpu = context(arguments, device, Mode::Expanded);
        let signatures = sign_all(&gpu, &jobs, messages, shared)?;
        for size in sizes(arguments.largest) {
            let mut verdicts = vec![Ok(()); size];
            let what = ("verify", key.to_owned(), size);
            let time = timer.time::<P>(Mode::Expanded, what, |gpu, _, messages| {
                let claims = jobs.verify(messages, &signatures, shared);
                verdicts.fill(Err(SignatureError));
                let took = clocked(|| gpu.verify_bytes_batch(&claims, &mut verdicts))?;
                match verdicts.contains(&Err(SignatureError)) {
                    true => Err("a valid signature was refused".into()),
                    false => Ok(took),
                }
            });
            times.push(time?);
        }
    }
    Ok(())
}

/// Signs all messages on the device, whose bytes were compared; the processor says that
/// the first of them are valid.
fn sign_all<P: Parameters>(
    gpu: &GpuContext,
    jobs: &Jobs<P>,
    messages: usize,
    shared: bool,
) -> Result<Vec<SignatureBytes<P>>> {
    let mut signatures = Vec::with_capacity(messages);
    for start in (0..messages).step_by(PART) {
        let part = jobs.sign(start..messages.min(start + PART), shared);
        let mut out = vec![Signature::<P>::EMPTY; part.len()];
        gpu.sign_batch(&[1; 32], &part, &mut out)?;
        signatures.extend(out.iter().map(Signature::to_bytes));
    }
    let some = messages.min(PART);
    let mut verdicts = vec![Err(SignatureError); some];
    Engine::best()
        .on(&Threads::for_all_cores())
        .verify_bytes_batch(&jobs.verify(0..some, &signatures, shared), &mut verdicts)?;
    match verdicts.contains(&Err(SignatureError)) {
        true => Err("the device has made a signature that is not valid".into()),
        false => Ok(signatures),
    }
}

/// Milliseconds of a call.
fn clocked(call: impl FnOnce() -> Result<(), BatchError>) -> Result<f64, BatchError> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

struct Timer<'a> {
    arguments: &'a Arguments,
    device: &'a Arc<dyn Device>,
    /// How many there are.
    messages: usize,
}

impl Timer<'_> {
    /// Times calls that get a fresh seed and other messages each: first as they are, then
    /// in their kernels.
    fn time<P: Parameters>(
        &self,
        mode: Mode,
        (operation, key, batch): (&'static str, String, usize),
        mut call: impl FnMut(&GpuContext, &[u8; 32], Range<usize>) -> Result<f64>,
    ) -> Result<Time> {
        let runs = self.arguments.runs.max(1);
        let mut number = 0usize;
        let mut next = |gpu: &GpuContext| {
            let mut seed = [0x77; 32];
            seed[..8].copy_from_slice(&number.to_le_bytes());
            // The number of messages is a multiple of that of the batch.
            let start = number * batch % self.messages;
            number += 1;
            call(gpu, &seed, start..start + batch)
        };
        let gpu = context(self.arguments, self.device, mode);
        let mut host = Vec::new();
        for run in 0..WARM_UPS + runs {
            let took = next(&gpu)?;
            if run >= WARM_UPS {
                host.push(took);
            }
        }
        drop(gpu);

        let timed = Watched::timed(self.device.clone());
        let gpu = GpuContext::on(timed.clone(), options(self.arguments, mode));
        let mut sums = Vec::new();
        let mut each: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for run in 0..WARM_UPS + runs {
            next(&gpu)?;
            let kernels = timed.take();
            if run >= WARM_UPS {
                sums.push(kernels.values().sum());
                for (kernel, took) in kernels {
                    each.entry(kernel).or_default().push(took);
                }
            }
        }

        let (host_ms, kernel_ms) = (median(&mut host), median(&mut sums));
        let per_s = |milliseconds: f64| (batch as f64 / milliseconds * 1e3).round();
        let kernels = each.into_iter();
        let time = Time {
            parameters: P::NAME,
            operation,
            mode: key,
            batch,
            host_ms,
            host_per_s: per_s(host_ms),
            kernel_ms,
            kernel_per_s: per_s(kernel_ms),
            kernels: kernels
                .map(|(kernel, mut took)| (kernel, median(&mut took)))
                .collect(),
        };
        tell(&Line::Time(&time))?;
        Ok(time)
    }
}
