//! The random generator of the operating system.

use crate::error::FaultError;
use core::fmt;

/// No key or signature was made with the system's random generator.
///
/// ```
/// use falcon_core::{Falcon512, SigningKey, SystemError};
///
/// fn signature_of(message: &[u8]) -> Result<Vec<u8>, SystemError> {
///     let key = SigningKey::<Falcon512>::generate_from_system()?;
///     Ok(key.sign(message)?.to_bytes().to_vec())
/// }
/// # assert_eq!(signature_of(b"order #42").map(|bytes| bytes.len()), Ok(666));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemError {
    /// The system gave no random bytes.
    NoRandomness,
    /// A hardware fault was detected; see [`FaultError`].
    Fault,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRandomness => f.write_str("the system gave no random bytes"),
            Self::Fault => FaultError.fmt(f),
        }
    }
}

impl core::error::Error for SystemError {}

impl From<FaultError> for SystemError {
    fn from(_: FaultError) -> Self {
        Self::Fault
    }
}

/// Fills `seed` with random bytes of the system.
pub(crate) fn fill(seed: &mut [u8]) -> Result<(), SystemError> {
    getrandom::fill(seed).map_err(|_| SystemError::NoRandomness)
}
