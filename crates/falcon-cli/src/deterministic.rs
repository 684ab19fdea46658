//! Deterministic Falcon-1024, as Algorand signs.

use crate::{engine::faulty, error::Result, message::Message, object::SignatureFormat};
use falcon_core::AnySigningKey;
use falcon_core::det1024::{CompressedSignature, CtSignature, SigningKey};

/// Length in bytes of the longest message that can be signed. A message is hashed more than once,
/// so it is kept in memory.
const MAX_MESSAGE: usize = 256 << 20;

/// A Falcon-1024 key that signs without randomness.
pub(crate) struct DeterministicSigner {
    key: Box<SigningKey>,
}

impl DeterministicSigner {
    /// Copies the key. Returns `None` if it is not a Falcon-1024 key.
    pub(crate) fn new(key: &AnySigningKey) -> Option<Self> {
        let key = SigningKey::decode_boxed(&key.to_bytes()).ok()?;
        Some(Self { key })
    }

    /// Signs a message twice, compares the signatures, and verifies.
    pub(crate) fn sign(&self, message: Message<'_>) -> Result<CompressedSignature> {
        let message = message.into_bytes(
            MAX_MESSAGE,
            "a Falcon-det1024 signature",
            "sign the hash of the file, or use another algorithm",
        )?;
        self.key
            .sign(&message)
            .map_err(|fault| faulty("cannot sign", fault))
    }
}

/// Encodes a signature in the constant-time format if `format` says so, and otherwise in the
/// compressed format.
pub(crate) fn encode(signature: &CompressedSignature, format: SignatureFormat) -> Vec<u8> {
    match format {
        SignatureFormat::Ct => CtSignature::from(*signature).to_bytes().to_vec(),
        _ => signature.to_bytes().to_vec(),
    }
}
