//! Compares the device's bytes and verdicts with those of the CPU.

use crate::bench::{Bench, Data, Outcome, SEED};
use crate::jobs::{Result, clocked, encoded, milliseconds};
use crate::kind::Kind;
use crate::results::Line;
use falcon_core::batch::{BatchVerify, Verdict};
use falcon_core::{Parameters, Signature};
use falcon_gpu::GpuContext;

/// Compares a batch with the CPU. If time is limited, compares smaller batches first.
pub(crate) fn compare<P: Parameters>(
    bench: &mut Bench<'_>,
    data: &mut Data<P>,
    (kind, jobs): (Kind, usize),
) -> Result<Outcome<Line<'static>>> {
    let mut first_ms = None;
    loop {
        let size = bench.budget.next(kind, jobs).unwrap_or(jobs);
        let cpu = data.expected_takes(bench, kind, jobs);
        let takes = bench.budget.batch(kind, size) + cpu;
        if takes > bench.budget.left() {
            return Ok(Outcome::NoTime(takes));
        }
        data.jobs.prepare(size, kind.keys);
        data.expected(bench, kind, size)?;
        let gpu = bench.context(kind.mode);
        if !bench.budget.knows(kind) {
            // The first call takes longer, since it loads kernels.
            let (_, took) = batch(bench, data, &gpu, kind, size)?;
            bench.budget.note_load(took);
            first_ms = Some(milliseconds(took));
        }
        let (equal, took) = batch(bench, data, &gpu, kind, size)?;
        bench.budget.note(kind, size, took);
        if size == jobs || !equal {
            return Ok(Outcome::Done(Line::Compare {
                parameters: P::NAME,
                operation: kind.operation().to_string(),
                key: kind.into(),
                jobs: size,
                equal,
                ms: milliseconds(took),
                first_ms,
            }));
        }
    }
}

/// Compares a batch with the CPU: the bytes of signatures, or the verdicts on signatures. When
/// verifying, every tenth signature is that of another message. Returns the result and the seconds
/// that the batch took. The CPU's signatures must exist already.
fn batch<P: Parameters>(
    bench: &Bench<'_>,
    data: &Data<P>,
    gpu: &GpuContext,
    kind: Kind,
    jobs: usize,
) -> Result<(bool, f64)> {
    let expected = data.known(kind.keys, jobs);
    if let Some(mode) = kind.mode {
        let mut out = vec![Signature::EMPTY; jobs];
        let what = (mode, kind.keys);
        let took = data.jobs.sign_on(gpu, what, &SEED, 0..jobs, &mut out)?;
        return Ok((out == expected, took));
    }
    let mut bytes = encoded(expected);
    for i in (9..jobs).step_by(10) {
        bytes[i] = bytes[i - 1];
    }
    let claims = data.jobs.verify(0..jobs, &bytes, kind.keys);
    let expected = bench.verdicts(&claims)?;
    // Sets all verdicts to wrong values before the device writes its own.
    let opposite = |verdict: &Verdict| match verdict {
        Verdict::Valid => Verdict::Invalid,
        _ => Verdict::Valid,
    };
    let mut verdicts: Vec<_> = expected.iter().map(opposite).collect();
    let took = clocked(|| Ok(gpu.verify_bytes_batch(&claims, &mut verdicts)?))?;
    Ok((verdicts == expected, took))
}
