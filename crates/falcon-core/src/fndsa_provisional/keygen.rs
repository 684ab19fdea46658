//! Key generation that gives the same keys as the crate `fn-dsa` 0.4.0.

use super::SigningKey;
use crate::error::FaultError;
use crate::hash;
use crate::ntru;
use crate::params::Parameters;
use alloc::boxed::Box;
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Length of the seed of a key in bytes.
pub const KEY_SEED_LEN: usize = 32;

impl<P: Parameters> SigningKey<P> {
    /// Generates a key with a random seed from `rng`.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Result<Self, FaultError> {
        let mut seed = Zeroizing::new([0; KEY_SEED_LEN]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&seed)
    }

    /// Generates the key that the crate `fn-dsa` 0.4.0 generates if its random generator returns
    /// `seed`. The key is the same on every platform.
    ///
    /// Keep the seed as secret as the key.
    ///
    /// ```
    /// use falcon_core::Falcon512;
    /// use falcon_core::fndsa_provisional::SigningKey;
    /// # fn main() -> Result<(), falcon_core::FaultError> {
    ///
    /// let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// let again = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
    /// assert_eq!(key.to_bytes(), again.to_bytes());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_seed(seed: &[u8; KEY_SEED_LEN]) -> Result<Self, FaultError> {
        Self::in_place(|key| key.find(seed))
    }

    /// Generates a key from `seed` in a box, as [`from_seed`](Self::from_seed) does. No copy is
    /// left on the stack.
    ///
    /// # Errors
    /// [`FaultError`] if a hardware fault was detected.
    pub fn from_seed_boxed(seed: &[u8; KEY_SEED_LEN]) -> Result<Box<Self>, FaultError> {
        let mut key = Box::new(Self::EMPTY);
        key.find(seed)?;
        Ok(key)
    }

    /// Sets this key to the one of `seed`.
    fn find(&mut self, seed: &[u8; KEY_SEED_LEN]) -> Result<(), FaultError> {
        hash::with_stream(&[seed], |stream| {
            self.key.find_with(stream, ntru::fndsa::generate)
        })?;
        self.complete();
        Ok(())
    }
}
