//! Ciphertexts and shared secrets.

use crate::error::DecodeError;
use crate::layout::is_padded;
use crate::mask;
use crate::params::{ByteArray, Parameters};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Length of a shared secret in bytes.
pub const SHARED_SECRET_LEN: usize = 32;

/// A ciphertext: a syndrome, and in the `pc` sets a confirmation hash.
///
/// ```
/// use mceliece_core::{Ciphertext, DecodeError, Mceliece348864};
///
/// # fn main() -> Result<(), DecodeError> {
/// let received = [7; 96];
/// let ciphertext = Ciphertext::<Mceliece348864>::try_from(&received[..])?;
/// assert_eq!(ciphertext.as_bytes(), received);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ciphertext<P: Parameters> {
    bytes: P::CiphertextBytes,
}

impl<P: Parameters> Ciphertext<P> {
    pub(crate) const EMPTY: Self = Self {
        bytes: P::CiphertextBytes::ZERO,
    };

    /// Encoding, of [`CIPHERTEXT_LEN`](Parameters::CIPHERTEXT_LEN) bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Encoding as an array.
    pub fn to_bytes(&self) -> P::CiphertextBytes {
        self.bytes
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.as_mut()
    }
}

impl<P: Parameters> TryFrom<&[u8]> for Ciphertext<P> {
    type Error = DecodeError;

    /// Decodes strictly.
    ///
    /// # Errors
    /// [`DecodeError::Length`] and [`DecodeError::Padding`].
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        let code = P::CODE;
        let actual = bytes.len();
        let Ok(bytes) = P::CiphertextBytes::try_from(bytes) else {
            return Err(DecodeError::Length {
                expected: P::CIPHERTEXT_LEN,
                actual,
            });
        };
        let (syndrome, _) = bytes.as_ref().split_at(code.syndrome_len());
        if !is_padded(syndrome, code.rows()) {
            return Err(DecodeError::Padding);
        }
        Ok(Self { bytes })
    }
}

impl<P: Parameters> AsRef<[u8]> for Ciphertext<P> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: Parameters> fmt::Debug for Ciphertext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ciphertext")
            .field("parameters", &P::NAME)
            .field("bytes", &self.as_bytes())
            .finish()
    }
}

/// A secret that both sides share. Wiped when dropped, never printed, compared in constant time.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # {
/// use mceliece_core::{KeyPair, Mceliece348864f};
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
///
/// let pair = KeyPair::<Mceliece348864f>::from_seed(&[7; 32]);
/// let (ciphertext, secret) = pair.public_key.encapsulate(&mut rng);
/// assert_eq!(format!("{secret:?}"), "SharedSecret { .. }");
/// let key: &[u8; 32] = secret.as_bytes();
/// # assert_eq!(pair.secret_key.decapsulate(&ciphertext).as_bytes(), key);
/// # }
/// ```
#[derive(Clone)]
pub struct SharedSecret {
    bytes: [u8; SHARED_SECRET_LEN],
}

impl SharedSecret {
    #[cfg(feature = "alloc")]
    pub(crate) const EMPTY: Self = Self {
        bytes: [0; SHARED_SECRET_LEN],
    };

    /// Copies `bytes`. The caller wipes the original. Moving a secret leaves a copy of it in
    /// memory. So a function that returns a secret makes it in the last step, in its final place.
    #[inline(always)]
    pub(crate) fn copy(bytes: &[u8; SHARED_SECRET_LEN]) -> Self {
        Self { bytes: *bytes }
    }

    /// Bytes of the secret. Derive keys from them; do not print or compare them.
    pub fn as_bytes(&self) -> &[u8; SHARED_SECRET_LEN] {
        &self.bytes
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; SHARED_SECRET_LEN] {
        &mut self.bytes
    }
}

impl PartialEq for SharedSecret {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.bytes.iter().zip(&other.bytes);
        let different = pairs.fold(0, |all, (a, b)| all | (a ^ b));
        mask::hidden(mask::nonzero(u64::from(different))) == 0
    }
}

impl Eq for SharedSecret {}

impl Drop for SharedSecret {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl ZeroizeOnDrop for SharedSecret {}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSecret").finish_non_exhaustive()
    }
}
