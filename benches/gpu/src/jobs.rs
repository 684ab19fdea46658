//! Keys, distinct messages, and batches of them.

use falcon::batch::{SignJob, VerifyBytesJob};
use falcon::{ExpandedKey, Parameters, SignatureBytes, SigningKey};
use falcon_gpu::RawKeyJob;
use std::ops::Range;

/// Keys and distinct messages of differing lengths.
pub(crate) struct Jobs<P: Parameters> {
    keys: Vec<SigningKey<P>>,
    expanded: Vec<ExpandedKey<P>>,
    messages: Vec<Vec<u8>>,
}

impl<P: Parameters> Jobs<P> {
    /// So many of each.
    pub(crate) fn new(keys: usize, messages: usize) -> Self {
        let key = |i: usize| {
            let mut seed = [0x5a; 32];
            seed[..8].copy_from_slice(&i.to_le_bytes());
            SigningKey::from_seed(&seed)
        };
        // As many threads as cores make them.
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        let part = keys.div_ceil(cores).max(1);
        let keys: Vec<SigningKey<P>> = std::thread::scope(|scope| {
            let parts: Vec<_> = (0..keys)
                .step_by(part)
                .map(|start| {
                    let all = start..keys.min(start + part);
                    scope.spawn(move || all.map(key).collect::<Vec<_>>())
                })
                .collect();
            let parts = parts
                .into_iter()
                .map(|part| part.join().unwrap_or_default());
            parts.flatten().collect()
        });
        let message = |i: usize| {
            let mut message = i.to_le_bytes().to_vec();
            message.resize(8 + i % 120, i as u8);
            message
        };
        Self {
            expanded: keys.iter().map(SigningKey::expand).collect(),
            keys,
            messages: (0..messages).map(message).collect(),
        }
    }

    /// The key of a message: that of all, or another than its neighbours'.
    fn key(&self, message: usize, shared: bool) -> usize {
        if shared { 0 } else { message % self.keys.len() }
    }

    /// To sign these messages.
    pub(crate) fn sign(&self, messages: Range<usize>, shared: bool) -> Vec<SignJob<'_, P>> {
        let job = |i| SignJob {
            key: &self.expanded[self.key(i, shared)],
            message: &self.messages[i],
        };
        messages.map(job).collect()
    }

    /// The same with keys that the device expands.
    pub(crate) fn sign_raw_keys(
        &self,
        messages: Range<usize>,
        shared: bool,
    ) -> Vec<RawKeyJob<'_, P>> {
        let job = |i| RawKeyJob {
            key: &self.keys[self.key(i, shared)],
            message: &self.messages[i],
        };
        messages.map(job).collect()
    }

    /// To verify the signatures of these messages, of which `signatures` has those of
    /// all, from the first on.
    pub(crate) fn verify<'a>(
        &'a self,
        messages: Range<usize>,
        signatures: &'a [SignatureBytes<P>],
        shared: bool,
    ) -> Vec<VerifyBytesJob<'a, P>> {
        let job = |i| VerifyBytesJob {
            key: self.expanded[self.key(i, shared)].verifying_key(),
            message: &self.messages[i],
            signature: &signatures[i],
        };
        messages.map(job).collect()
    }
}
