//! Measures rows on a device.

use crate::arguments::Arguments;
use crate::budget::{Budget, STEP};
use crate::jobs::{Jobs, Result, encoded};
use crate::kind::{Keys, Kind, Mode};
use falcon_core::batch::{BatchError, BatchSign, BatchVerify, Verdict};
use falcon_core::{Engine, Parameters, Signature, SignatureBytes, Threads};
use falcon_gpu::GpuContext;
use falcon_gpu::device::Device;
use std::ops::Range;
use std::sync::Arc;

/// Arguments, device, budget and threads, shared by all rows.
pub(crate) struct Bench<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) budget: Budget,
    pub(crate) threads: Threads,
}

/// Jobs and signatures of a parameter set, kept for the next rows.
pub(crate) struct Data<P: Parameters> {
    pub(crate) jobs: Jobs<P>,
    /// Signatures that the device made, for verification: with one key, and with many.
    signatures: [Vec<SignatureBytes<P>>; 2],
    /// Signatures that the CPU made, for comparison.
    expected: [Vec<Signature<P>>; 2],
}

/// Outcome of a row.
pub(crate) enum Outcome<T> {
    Done(T),
    /// The estimated number of seconds exceeds the remaining budget.
    NoTime(f64),
}

impl<T> Outcome<T> {
    /// Calls `with` with the result, if the row was done.
    pub(crate) fn then(self, with: impl FnOnce(T) -> Result<()>) -> Result<Outcome<()>> {
        Ok(match self {
            Self::Done(value) => Outcome::Done(with(value)?),
            Self::NoTime(seconds) => Outcome::NoTime(seconds),
        })
    }
}

/// Seed of the batches that are compared.
pub(crate) const SEED: [u8; 32] = [0x33; 32];
/// Largest number of signatures that are made at once for verification.
const PART: usize = 1 << 16;

impl Bench<'_> {
    pub(crate) fn context(&self, mode: Option<Mode>) -> GpuContext {
        GpuContext::on(self.device.clone(), self.arguments.options(mode))
    }

    /// Returns the CPU's verdicts on these claims.
    pub(crate) fn verdicts<P: Parameters>(
        &self,
        claims: &[falcon_core::batch::VerifyBytesJob<'_, P>],
    ) -> Result<Vec<Verdict>, BatchError> {
        let mut verdicts = vec![Verdict::Malformed; claims.len()];
        let cpu = Engine::best().on(&self.threads);
        cpu.verify_bytes_batch(claims, &mut verdicts)?;
        Ok(verdicts)
    }
}

impl<P: Parameters> Data<P> {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        Self {
            jobs: Jobs::new(arguments.key_count),
            signatures: [Vec::new(), Vec::new()],
            expected: [Vec::new(), Vec::new()],
        }
    }

    /// Signs some of the messages on the CPU, as part of a batch.
    pub(crate) fn signed_by_cpu(
        &self,
        bench: &Bench<'_>,
        keys: Keys,
        (seed, first): (&[u8; 32], usize),
        messages: Range<usize>,
    ) -> Result<Vec<Signature<P>>> {
        let mut out = vec![Signature::EMPTY; messages.len()];
        let jobs = self.jobs.sign(messages, keys);
        let cpu = Engine::best().on(&bench.threads);
        cpu.sign_part(seed, first as u64, &jobs, &mut out)?;
        Ok(out)
    }

    /// Makes the first `count` signatures of a batch on the CPU, except those that exist already.
    pub(crate) fn expected(
        &mut self,
        bench: &mut Bench<'_>,
        kind: Kind,
        count: usize,
    ) -> Result<()> {
        let keys = kind.keys;
        let known = self.expected[keys as usize].len();
        if known < count {
            self.jobs.prepare(count, keys);
            let start = bench.budget.spent();
            let more = self.signed_by_cpu(bench, keys, (&SEED, known), known..count)?;
            let took = bench.budget.spent() - start;
            bench.budget.note_cpu(kind.signing(), count - known, took);
            self.expected[keys as usize].extend(more);
        }
        Ok(())
    }

    /// Returns the first `count` signatures that the CPU made with these keys.
    pub(crate) fn known(&self, keys: Keys, count: usize) -> &[Signature<P>] {
        &self.expected[keys as usize][..count]
    }

    /// Estimates the seconds that the CPU needs to make those of `count` signatures that are
    /// missing.
    pub(crate) fn expected_takes(&self, bench: &Bench<'_>, kind: Kind, count: usize) -> f64 {
        let missing = count.saturating_sub(self.expected[kind.keys as usize].len());
        bench.budget.cpu(kind.signing(), missing)
    }

    /// Makes the signatures of the first `count` messages on the device, in parts of growing size,
    /// as long as the time allows.
    pub(crate) fn make_signatures(
        &mut self,
        bench: &mut Bench<'_>,
        kind: Kind,
        count: usize,
    ) -> Result<Outcome<()>> {
        let keys = kind.keys;
        self.jobs.prepare(count, keys);
        let gpu = bench.context(Some(Mode::Expanded));
        let signing = kind.signing();
        loop {
            let known = self.signatures[keys as usize].len();
            if known >= count {
                return Ok(Outcome::Done(()));
            }
            let takes = bench.budget.batch(signing, count - known);
            if takes > bench.budget.left() {
                return Ok(Outcome::NoTime(takes));
            }
            let part = (STEP * known).clamp(256, PART).min(count - known);
            let mut out = vec![Signature::EMPTY; part];
            let what = (Mode::Expanded, keys);
            if !bench.budget.knows(signing) {
                // The first call takes longer, since it loads kernels.
                self.jobs.sign_on(&gpu, what, &[1; 32], 0..part, &mut out)?;
            }
            let took = self
                .jobs
                .sign_on(&gpu, what, &[1; 32], known..known + part, &mut out)?;
            bench.budget.note(signing, part, took);
            self.signatures[keys as usize].extend(encoded(&out));
        }
    }

    /// Returns the encoded signatures that the device made with these keys.
    pub(crate) fn signatures(&self, keys: Keys) -> &[SignatureBytes<P>] {
        &self.signatures[keys as usize]
    }
}
