//! Messages that come in pieces.

use crate::errors::{Thrown, faulty, thrown};
use crate::random::fresh_seed;
use crate::signature::format_of;
use crate::typed::{Public, Secret, Signed};
use crate::wipe::on_wiped_stack;
use falcon_core::{
    Falcon512, Falcon1024, MessageHasher, Parameters, SEED_LEN, SignStream, Signature, SigningKey,
};
use self_cell::self_cell;
use std::mem;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// The stream of either parameter set.
enum Stream<'k> {
    Falcon512(SignStream<'k, Falcon512, SigningKey<Falcon512>>),
    Falcon1024(SignStream<'k, Falcon1024, SigningKey<Falcon1024>>),
}

self_cell!(
    /// A stream with the key that it borrows.
    struct OwnedStream {
        owner: Rc<Secret>,
        #[covariant]
        dependent: Stream,
    }
);

/// A signer of a message that comes in pieces. It signs once, and then releases its key.
#[wasm_bindgen]
pub struct Signer(Option<OwnedStream>);

impl Signer {
    /// Starts with a fresh seed.
    pub fn new(key: &Rc<Secret>) -> Result<Self, Thrown> {
        let seed = fresh_seed()?;
        let stream = OwnedStream::new(Rc::clone(key), |key| match &**key {
            Secret::Falcon512(key) => Stream::Falcon512(key.sign_stream_from_seed(&seed)),
            Secret::Falcon1024(key) => Stream::Falcon1024(key.sign_stream_from_seed(&seed)),
        });
        Ok(Self(Some(stream)))
    }
}

#[wasm_bindgen]
impl Signer {
    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) -> Result<(), Thrown> {
        let stream = self.0.as_mut().ok_or_else(finished)?;
        stream.with_dependent_mut(|_, stream| match stream {
            Stream::Falcon512(stream) => stream.update(piece),
            Stream::Falcon1024(stream) => stream.update(piece),
        });
        Ok(())
    }

    /// Signs the absorbed message.
    pub fn finalize(&mut self, format: u8) -> Result<Vec<u8>, Thrown> {
        on_wiped_stack(|| {
            let mut stream = self.0.take().ok_or_else(finished)?;
            let signature = stream.with_dependent_mut(|key, stream| match (&**key, stream) {
                (Secret::Falcon512(key), Stream::Falcon512(stream)) => {
                    finish(key, stream).map(|signature| Signed::Falcon512(Box::new(signature)))
                }
                (Secret::Falcon1024(key), Stream::Falcon1024(stream)) => {
                    finish(key, stream).map(|signature| Signed::Falcon1024(Box::new(signature)))
                }
                _ => Err(finished()),
            })?;
            signature.encode(format_of(format))
        })
    }
}

/// Signs the message that `stream` has absorbed. Moving a stream leaves a copy of its seed behind,
/// so another stream is written to the same place.
fn finish<'k, P: Parameters>(
    key: &'k SigningKey<P>,
    stream: &mut SignStream<'k, P, SigningKey<P>>,
) -> Result<Signature<P>, Thrown> {
    let stream = mem::replace(stream, key.sign_stream_from_seed(&[0; SEED_LEN]));
    stream.finish().map_err(faulty)
}

/// A verifier of a message that comes in pieces. Can be used for one verification only.
#[wasm_bindgen]
pub struct Verifier {
    key: Rc<Public>,
    signature: Signed,
    hasher: Option<MessageHasher>,
}

impl Verifier {
    /// Starts with the nonce of `signature`, which must have the key's parameter set.
    pub fn new(key: &Rc<Public>, signature: Signed) -> Self {
        let hasher = match (&**key, &signature) {
            (Public::Falcon512(key), Signed::Falcon512(signature)) => {
                Some(key.hasher(signature.nonce()))
            }
            (Public::Falcon1024(key), Signed::Falcon1024(signature)) => {
                Some(key.hasher(signature.nonce()))
            }
            _ => None,
        };
        Self {
            key: Rc::clone(key),
            signature,
            hasher,
        }
    }
}

#[wasm_bindgen]
impl Verifier {
    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) -> Result<(), Thrown> {
        self.hasher.as_mut().ok_or_else(finished)?.update(piece);
        Ok(())
    }

    /// Returns whether the signature is valid for the absorbed message.
    pub fn finalize(&mut self) -> Result<bool, Thrown> {
        let hasher = self.hasher.take().ok_or_else(finished)?;
        Ok(match (&*self.key, &self.signature) {
            (Public::Falcon512(key), Signed::Falcon512(signature)) => {
                key.verify_hashed(hasher, signature).is_ok()
            }
            (Public::Falcon1024(key), Signed::Falcon1024(signature)) => {
                key.verify_hashed(hasher, signature).is_ok()
            }
            _ => false,
        })
    }
}

fn finished() -> Thrown {
    thrown(
        "ERR_FINISHED",
        "the message is finished; make another signer or verifier",
    )
}
