//! The engines of this workspace as implementations under test.

use crate::{Algorithm, KeyPair, Subject, SubjectError};
use falcon_core::{
    Engine, Falcon512, Falcon1024, Format, Parameters, Scratch, Signature, SigningKey,
    VerifyingKey,
    hazmat::{self, BatchSignRaw, Fit, RawJob, RawRandomness},
    seams::{LaneEngine, fft::Fft, sampler::SigningIsa},
};

/// Form of the secret key that signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyForm {
    /// The key. The tree is computed during signing.
    Key,
    /// The expanded key.
    Expanded,
    /// The expanded key, on all lanes of the engine at once. If lanes differ, this is an error.
    Batch,
}

impl KeyForm {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Key, Self::Expanded, Self::Batch];
}

/// An engine, and the form of the key that signs on it.
#[derive(Clone, Copy, Debug)]
pub struct EngineSubject<E = Engine> {
    /// The engine.
    pub engine: E,
    /// Form of the key, and the way to sign.
    pub form: KeyForm,
}

/// Signs with given nonces and sampler seeds.
pub trait RawSigner: BatchSignRaw<Falcon512> + BatchSignRaw<Falcon1024> {
    /// Returns the engine for all work except batches.
    fn processor(&self) -> Engine;

    /// Returns the number of jobs of a batch.
    fn lanes(&self) -> usize;
}

impl RawSigner for Engine {
    fn processor(&self) -> Engine {
        *self
    }

    fn lanes(&self) -> usize {
        Self::lanes(*self)
    }
}

/// Tests may use any number of lanes, even if no engine has this number.
impl<B: SigningIsa, F: Fft> RawSigner for LaneEngine<B, F> {
    fn processor(&self) -> Engine {
        Engine::Scalar
    }

    fn lanes(&self) -> usize {
        F::LANES
    }
}

/// Message, key, nonce and sampler seed of a signature.
struct Request<'a> {
    algorithm: Algorithm,
    secret_key: &'a [u8],
    randomness: RawRandomness<'a>,
    message: &'a [u8],
}

/// Evaluates `$body` with `$p` as the parameter set of `$algorithm`.
macro_rules! with_parameters {
    ($algorithm:expr, $p:ident => $body:expr) => {
        match $algorithm {
            Algorithm::Falcon512 | Algorithm::FalconPadded512 => {
                type $p = Falcon512;
                $body
            }
            Algorithm::Falcon1024 | Algorithm::FalconPadded1024 => {
                type $p = Falcon1024;
                $body
            }
        }
    };
}

impl<E: RawSigner> EngineSubject<E> {
    fn sign<P: Parameters>(&self, request: &Request<'_>) -> Result<Signature<P>, SubjectError>
    where
        E: BatchSignRaw<P>,
    {
        let &Request {
            algorithm,
            secret_key,
            randomness,
            message,
        } = request;
        let fit = match algorithm.padded_len() {
            None => Fit::Any,
            Some(_) => Fit::Padded,
        };
        let key = SigningKey::<P>::try_from(secret_key)?;
        let engine = self.engine.processor();
        if self.form == KeyForm::Batch {
            let key = &engine.expand(&key);
            let lanes = self.engine.lanes();
            let job = RawJob::new(key, message, randomness);
            // The same job runs on every lane.
            let mut out = vec![Signature::EMPTY; lanes];
            self.engine
                .sign_batch_raw(&vec![job; lanes], fit, &mut out)?;
            let (&signature, others) = out.split_first().ok_or("an engine without lanes")?;
            return match others.iter().position(|other| *other != signature) {
                Some(lane) => Err(format!("lane {} differs from lane 0", lane + 1).into()),
                None => Ok(signature),
            };
        }
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch = Scratch::new(&mut reals)?;
        Ok(if self.form == KeyForm::Expanded {
            let key = engine.expand(&key);
            hazmat::sign_raw_on(engine, &key, randomness, message, fit, &mut scratch)?
        } else {
            hazmat::sign_raw_on(engine, &key, randomness, message, fit, &mut scratch)?
        })
    }
}

fn format(algorithm: Algorithm) -> Format {
    match algorithm.padded_len() {
        None => Format::Compressed,
        Some(_) => Format::Padded,
    }
}

fn keygen<P: Parameters>(seed: &[u8]) -> Result<KeyPair, SubjectError> {
    let key = hazmat::signing_key_from_seed::<P>(seed)?;
    Ok(KeyPair {
        public: key.verifying_key().to_bytes().as_ref().to_vec(),
        secret: key.to_bytes().as_ref().to_vec(),
    })
}

fn open<P: Parameters>(
    algorithm: Algorithm,
    public_key: &[u8],
    signed_message: &[u8],
) -> Result<Vec<u8>, SubjectError> {
    let key = VerifyingKey::<P>::try_from(public_key)?;
    let (signature, message) = match algorithm.padded_len() {
        None => Signature::from_attached(signed_message)?,
        Some(_) => Signature::from_attached_padded(signed_message)?,
    };
    key.verify(message, &signature)?;
    Ok(message.to_vec())
}

impl<E: RawSigner> Subject for EngineSubject<E> {
    fn keygen(&self, algorithm: Algorithm, seed: &[u8; 48]) -> Result<KeyPair, SubjectError> {
        with_parameters!(algorithm, P => keygen::<P>(seed))
    }

    fn sign_attached(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        if algorithm.padded_len().is_some() {
            let mut out = self.sign_detached(algorithm, secret_key, nonce, seed, message)?;
            out.extend(message);
            return Ok(out);
        }
        let request = Request {
            algorithm,
            secret_key,
            randomness: RawRandomness { nonce, seed },
            message,
        };
        with_parameters!(algorithm, P => {
            let mut out = vec![0; P::COMPRESSED_MAX_LEN + 2 + message.len()];
            let len = self.sign::<P>(&request)?.encode_attached(message, &mut out)?;
            out.truncate(len);
            Ok(out)
        })
    }

    fn sign_detached(
        &self,
        algorithm: Algorithm,
        secret_key: &[u8],
        nonce: &[u8; 40],
        seed: &[u8; 48],
        message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        let request = Request {
            algorithm,
            secret_key,
            randomness: RawRandomness { nonce, seed },
            message,
        };
        with_parameters!(algorithm, P => Ok(self.sign::<P>(&request)?.to_vec(format(algorithm))?))
    }

    fn open(
        &self,
        algorithm: Algorithm,
        public_key: &[u8],
        signed_message: &[u8],
    ) -> Result<Vec<u8>, SubjectError> {
        with_parameters!(algorithm, P => open::<P>(algorithm, public_key, signed_message))
    }
}
