//! Keys and messages for batches of the tests.

use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::{Engine, ExpandedKey, Parameters, Signature, SigningKey};
use falcon_gpu::{GpuContext, KeyMode, Options};

pub const SEED: [u8; 32] = [9; 32];

/// Every key mode.
pub const MODES: [KeyMode; 3] = [KeyMode::Transient, KeyMode::Balanced, KeyMode::Expanded];

/// Returns the default options with this key mode.
pub fn options(key_mode: KeyMode) -> Options {
    let mut options = Options::default();
    options.key_mode = key_mode;
    options
}

/// Keys, and messages of different lengths.
pub struct Fixture<P: Parameters> {
    pub keys: Vec<SigningKey<P>>,
    pub expanded: Vec<ExpandedKey<P>>,
    pub messages: Vec<Vec<u8>>,
}

impl<P: Parameters> Fixture<P> {
    pub fn new(keys: u8, messages: usize) -> Self {
        let keys: Vec<_> = (0..keys)
            .map(|i| SigningKey::from_seed(&[i; 32]).expect("no fault"))
            .collect();
        let message = |i: usize| (0..i * 37 % 401).map(|j| (i + j) as u8).collect();
        Self {
            expanded: keys.iter().map(SigningKey::expand).collect(),
            keys,
            messages: (0..messages).map(message).collect(),
        }
    }

    /// Returns the number of the key of a job. Several jobs in a row have the same key.
    pub fn key_of(&self, job: usize) -> usize {
        job / 3 % self.keys.len()
    }

    /// Returns the jobs, all with signing keys.
    pub fn jobs(&self) -> Vec<SignJob<'_, P>> {
        self.jobs_where(|_| false)
    }

    /// Returns the jobs. A job has an expanded key if `expanded` is true for it.
    pub fn jobs_where(&self, expanded: impl Fn(usize) -> bool) -> Vec<SignJob<'_, P>> {
        let jobs = self.messages.iter().enumerate();
        jobs.map(|(i, message)| match self.key_of(i) {
            key if expanded(i) => SignJob::new(&self.expanded[key], message),
            key => SignJob::new(&self.keys[key], message),
        })
        .collect()
    }

    /// Returns the signatures that the CPU makes for the same jobs.
    pub fn expected(&self) -> Vec<Signature<P>> {
        let mut out = vec![Signature::EMPTY; self.messages.len()];
        let engine = Engine::best();
        let jobs = self.jobs_where(|_| true);
        engine.sign_batch(&SEED, &jobs, &mut out).unwrap();
        out
    }

    /// Returns a signature that is in none of the batches.
    pub fn another(&self) -> Signature<P> {
        let jobs = &self.jobs()[..1];
        let mut out = [Signature::EMPTY];
        let engine = Engine::best();
        engine.sign_batch(&[0; 32], jobs, &mut out).unwrap();
        out[0]
    }

    pub fn signed(&self, context: &GpuContext) -> Vec<Signature<P>> {
        let mut out = vec![Signature::EMPTY; self.messages.len()];
        context.sign_batch(&SEED, &self.jobs(), &mut out).unwrap();
        out
    }
}
