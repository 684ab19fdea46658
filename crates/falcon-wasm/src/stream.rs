//! Messages that come in pieces.

use crate::errors::{Thrown, faulty, thrown};
use crate::random::fresh_seed;
use crate::signature::{encode, format_of};
use crate::wipe::on_wiped_stack;
use falcon_core::{AnySignStream, AnySignature, AnySigningKey, AnyVerifyingKey, MessageHasher};
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// A signer of a message that comes in pieces. Can be used for one signature only, and then
/// releases its key.
#[wasm_bindgen]
pub struct Signer(Option<AnySignStream<Rc<AnySigningKey>>>);

impl Signer {
    /// Starts with a fresh seed.
    pub fn new(key: &Rc<AnySigningKey>) -> Result<Self, Thrown> {
        let seed = fresh_seed()?;
        Ok(Self(Some(AnySignStream::new(Rc::clone(key), &seed))))
    }
}

#[wasm_bindgen]
impl Signer {
    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) -> Result<(), Thrown> {
        self.0.as_mut().ok_or_else(finished)?.update(piece);
        Ok(())
    }

    /// Signs the absorbed message.
    pub fn finalize(&mut self, format: u8) -> Result<Vec<u8>, Thrown> {
        on_wiped_stack(|| {
            let stream = self.0.take().ok_or_else(finished)?;
            encode(&stream.finish().map_err(faulty)?, format_of(format))
        })
    }
}

/// A verifier of a message that comes in pieces. Can be used for one verification only.
#[wasm_bindgen]
pub struct Verifier {
    key: Rc<AnyVerifyingKey>,
    signature: AnySignature,
    hasher: Option<MessageHasher>,
}

impl Verifier {
    /// Starts with the nonce of `signature`, which must have the key's parameter set.
    pub fn new(key: &Rc<AnyVerifyingKey>, signature: AnySignature) -> Self {
        Self {
            hasher: Some(key.hasher(signature.nonce())),
            key: Rc::clone(key),
            signature,
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
        Ok(self.key.verify_hashed(hasher, &self.signature).is_ok())
    }
}

fn finished() -> Thrown {
    thrown(
        "ERR_FINISHED",
        "the message is finished; make another signer or verifier",
    )
}
