//! Inputs and runs of the operations that are profiled.
//!
//! Run `i` of an operation always has the same key, nonce, seed and message, so every count gives
//! the same numbers.

use super::Operation;
use falcon_core::NONCE_LEN;
use falcon_core::batch::BatchError;
use falcon_core::hazmat::{self, BatchSignRaw, Fit, RawJob, RawRandomness};
use falcon_core::seams::fft::Fft;
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::seams::{self, LaneEngine};
use falcon_core::{
    DecodeError, EncodeError, ExpandedKey, FaultError, Format, Parameters, Scratch,
    ScratchTooSmall, Signature, SignatureError, SigningKey, VerifyingKey,
};
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::hint::black_box;

/// The message to sign. It is as long as the message of the first NIST record.
pub const MESSAGE: &[u8; 33] = b"a message of thirty-three letters";

/// Length of the sampler's seed in NIST's test driver.
pub const SEED_LEN: usize = 48;

/// A run failed, so its counts are worthless.
#[derive(Debug)]
pub enum WorkloadError {
    /// The scratch is too small.
    Scratch(ScratchTooSmall),
    /// A signature cannot be written.
    Encode(EncodeError),
    /// A key or a signature cannot be read.
    Decode(DecodeError),
    /// A signature is not valid.
    Signature(SignatureError),
    /// A batch failed.
    Batch(BatchError),
    /// A hardware fault was detected.
    Fault(FaultError),
}

impl Display for WorkloadError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scratch(error) => Display::fmt(error, f),
            Self::Encode(error) => Display::fmt(error, f),
            Self::Decode(error) => Display::fmt(error, f),
            Self::Signature(error) => Display::fmt(error, f),
            Self::Batch(error) => Display::fmt(error, f),
            Self::Fault(error) => Display::fmt(error, f),
        }
    }
}

impl Error for WorkloadError {}

impl From<ScratchTooSmall> for WorkloadError {
    fn from(error: ScratchTooSmall) -> Self {
        Self::Scratch(error)
    }
}
impl From<EncodeError> for WorkloadError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}
impl From<DecodeError> for WorkloadError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}
impl From<BatchError> for WorkloadError {
    fn from(error: BatchError) -> Self {
        Self::Batch(error)
    }
}
impl From<FaultError> for WorkloadError {
    fn from(error: FaultError) -> Self {
        Self::Fault(error)
    }
}
impl From<SignatureError> for WorkloadError {
    fn from(error: SignatureError) -> Self {
        Self::Signature(error)
    }
}

/// Returns different bytes for each pair of `label` and `index`.
fn bytes<const N: usize>(label: u8, index: u64) -> [u8; N] {
    let mut out = [label; N];
    for (out, byte) in out.iter_mut().zip(index.to_le_bytes()) {
        *out = byte;
    }
    out
}

/// Returns the seed of key `index`.
pub fn key_seed(index: u64) -> [u8; 32] {
    bytes(0xf0, index)
}

/// Returns the nonce of signature `index`.
pub fn nonce(index: u64) -> [u8; NONCE_LEN] {
    bytes(0xf1, index)
}

/// Returns the sampler's seed of signature `index`.
pub fn sampler_seed(index: u64) -> [u8; SEED_LEN] {
    bytes(0xf2, index)
}

/// Returns the seed of hedged signature `index`.
pub fn hedge_seed(index: u64) -> [u8; 32] {
    bytes(0xf3, index)
}

/// Prepared inputs of the operations: key 0 in every form, and signatures of [`MESSAGE`].
pub struct Workload<P: Parameters, B: SigningIsa> {
    arith: B,
    repeats: u64,
    /// Key 0.
    pub key: SigningKey<P>,
    /// Key 0 expanded.
    pub expanded: ExpandedKey<P>,
    randomness: Vec<([u8; NONCE_LEN], [u8; SEED_LEN])>,
    verifying_key: Vec<u8>,
    signatures: Vec<Signature<P>>,
    encoded: Vec<Vec<u8>>,
    reals: Vec<f64>,
}

impl<P: Parameters, B: SigningIsa> Workload<P, B> {
    /// Prepares `repeats` runs of any operation with the arithmetic of `arith`.
    ///
    /// # Errors
    /// If a step fails.
    pub fn new(arith: B, repeats: u64) -> Result<Self, WorkloadError> {
        let key = SigningKey::<P>::from_seed(&key_seed(0))?;
        let expanded = key.expand();
        let mut this = Self {
            arith,
            repeats,
            verifying_key: key.verifying_key().to_bytes().as_ref().to_vec(),
            key,
            expanded,
            randomness: (0..repeats).map(|i| (nonce(i), sampler_seed(i))).collect(),
            signatures: Vec::new(),
            encoded: Vec::new(),
            reals: vec![0.0; Scratch::<P>::LEN],
        };
        let mut signatures = Vec::new();
        this.sign(false, |signature| signatures.push(signature))?;
        let encoded = signatures
            .iter()
            .map(|signature| signature.to_vec(Format::Compressed));
        this.encoded = encoded.collect::<Result<_, _>>()?;
        this.signatures = signatures;
        Ok(this)
    }

    /// Runs `operation` the number of times that [`new`](Self::new) prepared.
    ///
    /// # Errors
    /// If a step fails.
    pub fn run(&mut self, operation: Operation) -> Result<(), WorkloadError> {
        match operation {
            Operation::Keygen => {
                for i in 0..self.repeats {
                    black_box(SigningKey::<P>::from_seed(&key_seed(i))?);
                }
            }
            Operation::Expand => {
                for _ in 0..self.repeats {
                    black_box(seams::expand_on(self.arith, &self.key));
                }
            }
            Operation::Sign => self.sign(true, |signature| {
                black_box(signature);
            })?,
            Operation::SignExpanded => self.sign(false, |signature| {
                black_box(signature);
            })?,
            Operation::SignHedged => {
                let mut scratch = Scratch::<P>::new(&mut self.reals)?;
                for i in 0..self.repeats {
                    let mut stream = self.key.sign_stream_from_seed(&hedge_seed(i));
                    stream.update(MESSAGE);
                    black_box(seams::finish_on(self.arith, stream, &mut scratch)?);
                }
            }
            Operation::Verify => {
                let key = self.key.verifying_key();
                for signature in &self.signatures {
                    key.verify(MESSAGE, signature)?;
                }
            }
            Operation::VerifyEncoded => {
                for signature in &self.encoded {
                    let key = VerifyingKey::<P>::try_from(&self.verifying_key[..])?;
                    let signature = Signature::<P>::from_bytes(Format::Compressed, signature)?;
                    key.verify(MESSAGE, &signature)?;
                }
            }
        }
        Ok(())
    }

    /// Signs with every nonce and seed, from the key or from its expanded form.
    fn sign(
        &mut self,
        from_key: bool,
        mut each: impl FnMut(Signature<P>),
    ) -> Result<(), WorkloadError> {
        let mut scratch = Scratch::<P>::new(&mut self.reals)?;
        for (nonce, seed) in &self.randomness {
            let (arith, randomness) = (self.arith, RawRandomness { nonce, seed });
            each(if from_key {
                hazmat::sign_raw_on(
                    arith,
                    &self.key,
                    randomness,
                    MESSAGE,
                    Fit::Any,
                    &mut scratch,
                )?
            } else {
                hazmat::sign_raw_on(
                    arith,
                    &self.expanded,
                    randomness,
                    MESSAGE,
                    Fit::Any,
                    &mut scratch,
                )?
            });
        }
        Ok(())
    }

    /// Computes the signatures of [`Operation::SignExpanded`] with the transforms of `fft`.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn sign_through<F: Fft>(&self, fft: F) -> Result<Vec<Signature<P>>, WorkloadError> {
        let engine = LaneEngine {
            arith: self.arith,
            fft,
        };
        let jobs: Vec<_> = self
            .randomness
            .iter()
            .map(|(nonce, seed)| {
                RawJob::new(&self.expanded, MESSAGE, RawRandomness { nonce, seed })
            })
            .collect();
        let mut out = self.signatures.clone();
        engine.sign_batch_raw(&jobs, Fit::Any, &mut out)?;
        Ok(out)
    }

    /// Returns the signatures of [`Operation::SignExpanded`].
    pub fn signatures(&self) -> &[Signature<P>] {
        &self.signatures
    }
}
