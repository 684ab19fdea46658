//! Key generation that gives the same keys as the crate `fn-dsa` 0.4.0.

use super::SigningKey;
use crate::error::FaultError;
use crate::hash;
use crate::ntru;
use crate::params::Parameters;
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
        let mut key = crate::SigningKey::EMPTY;
        hash::with_stream(&[seed], |stream| {
            key.find_with(stream, ntru::fndsa::generate)
        })?;
        Ok(Self::from(key))
    }
}
