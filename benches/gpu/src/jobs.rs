//! Keys, distinct messages, and batches of them. Keys and messages are made on all cores when they
//! are first used.

use crate::kind::{Keys, Mode};
use falcon_core::batch::{BatchSign, SignJob, VerifyBytesJob};
use falcon_core::{ExpandedKey, Parameters, Signature, SignatureBytes, SigningKey};
use falcon_gpu::GpuContext;
use rayon::prelude::*;
use std::error::Error;
use std::ops::Range;
use std::time::Instant;

pub(crate) type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// Keys, and distinct messages of different lengths.
pub(crate) struct Jobs<P: Parameters> {
    /// Number of keys if each job has its own key.
    key_count: usize,
    keys: Vec<(SigningKey<P>, ExpandedKey<P>)>,
    messages: Vec<Vec<u8>>,
}

impl<P: Parameters> Jobs<P> {
    pub(crate) fn new(key_count: usize) -> Self {
        Self {
            key_count: key_count.max(1),
            keys: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Makes the first `messages` messages and their keys, except those that exist already.
    pub(crate) fn prepare(&mut self, messages: usize, keys: Keys) {
        let key = |i: usize| {
            let mut seed = [0x5a; 32];
            seed[..8].copy_from_slice(&i.to_le_bytes());
            let key = SigningKey::from_seed(&seed).expect("no fault");
            let expanded = key.expand();
            (key, expanded)
        };
        let message = |i: usize| {
            let mut message = i.to_le_bytes().to_vec();
            message.resize(8 + i % 120, i as u8);
            message
        };
        let needed = match keys {
            Keys::Shared => 1,
            Keys::Own => self.key_count,
        };
        let missing = self.keys.len()..needed;
        self.keys.par_extend(missing.into_par_iter().map(key));
        let missing = self.messages.len()..messages;
        self.messages
            .par_extend(missing.into_par_iter().map(message));
    }

    /// Returns the key of a message.
    fn key(&self, message: usize, keys: Keys) -> &(SigningKey<P>, ExpandedKey<P>) {
        match keys {
            Keys::Shared => &self.keys[0],
            Keys::Own => &self.keys[message % self.key_count],
        }
    }

    /// Returns jobs that sign these messages with expanded keys.
    pub(crate) fn sign(&self, messages: Range<usize>, keys: Keys) -> Vec<SignJob<'_, P>> {
        let job = |i| SignJob::new(&self.key(i, keys).1, &self.messages[i]);
        messages.map(job).collect()
    }

    /// Returns jobs that sign these messages with signing keys.
    fn sign_unexpanded(&self, messages: Range<usize>, keys: Keys) -> Vec<SignJob<'_, P>> {
        let job = |i| SignJob::new(&self.key(i, keys).0, &self.messages[i]);
        messages.map(job).collect()
    }

    /// Signs these messages on the device, and returns the seconds that the call took. `gpu` must
    /// have the options of `mode`.
    pub(crate) fn sign_on(
        &self,
        gpu: &GpuContext,
        (mode, keys): (Mode, Keys),
        seed: &[u8; 32],
        messages: Range<usize>,
        out: &mut [Signature<P>],
    ) -> Result<f64> {
        let jobs = match mode {
            Mode::Expanded | Mode::Balanced => self.sign(messages, keys),
            Mode::Raw | Mode::Resident => self.sign_unexpanded(messages, keys),
        };
        clocked(|| Ok(gpu.sign_batch(seed, &jobs, out)?))
    }

    /// Returns jobs that verify the signatures of these messages. `signatures` has the signatures
    /// of all messages, beginning with the first message.
    pub(crate) fn verify<'a>(
        &'a self,
        messages: Range<usize>,
        signatures: &'a [SignatureBytes<P>],
        keys: Keys,
    ) -> Vec<VerifyBytesJob<'a, P>> {
        let job = |i| VerifyBytesJob {
            key: self.key(i, keys).1.verifying_key(),
            message: &self.messages[i],
            signature: &signatures[i],
        };
        messages.map(job).collect()
    }
}

/// Encodes signatures.
pub(crate) fn encoded<P: Parameters>(signatures: &[Signature<P>]) -> Vec<SignatureBytes<P>> {
    signatures.par_iter().map(Signature::to_bytes).collect()
}

/// Returns the seconds that `call` takes.
pub(crate) fn clocked(call: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Converts seconds to milliseconds with three decimals.
pub(crate) fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e3
}

/// Returns the median.
pub(crate) fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
