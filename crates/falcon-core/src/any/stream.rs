//! Signs messages that come in pieces, with a key of any parameter set.

use super::{AnySignature, AnySigningKey};
use crate::error::FaultError;
use crate::hedge::SEED_LEN;
use crate::sign::Unsigned;
use alloc::boxed::Box;
use core::borrow::Borrow;
use core::fmt;

/// Signs a message that comes in pieces, with a key of any parameter set. It may own its key, for
/// example as an `Arc<AnySigningKey>`. Moving it copies no secret.
///
/// ```
/// use falcon_core::{AnySignStream, AnySigningKey, ParameterSet};
/// use std::sync::Arc;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let fresh_seed = [8; 32];
/// let key = Arc::new(AnySigningKey::generate(ParameterSet::Falcon512, &mut rng)?);
/// let mut stream = AnySignStream::new(Arc::clone(&key), &fresh_seed);
/// for piece in ["order ", "#42"] {
///     stream.update(piece.as_bytes());
/// }
/// let signature = stream.finish()?;
/// key.verifying_key().verify_decoded(b"order #42", &signature)?;
/// # Ok(())
/// # }
/// ```
pub struct AnySignStream<K> {
    key: K,
    unsigned: Box<Unsigned>,
}

impl<K: Borrow<AnySigningKey>> AnySignStream<K> {
    /// Starts to sign a message with the caller's seed.
    ///
    /// `seed` must be fresh: never use it for another signature.
    pub fn new(key: K, seed: &[u8; SEED_LEN]) -> Self {
        let unsigned = key.borrow().start(seed);
        Self { key, unsigned }
    }

    /// Absorbs the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        self.unsigned.update(piece);
    }

    /// Signs the absorbed message.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn finish(self) -> Result<AnySignature, FaultError> {
        self.key.borrow().sign_unsigned(&self.unsigned)
    }
}

/// Prints neither the seed nor the message.
impl<K: Borrow<AnySigningKey>> fmt::Debug for AnySignStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnySignStream")
            .field("parameters", &self.key.borrow().name())
            .finish_non_exhaustive()
    }
}
