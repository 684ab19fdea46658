//! The secret key of a signer, in either form.

use crate::hedge::SECRET_HASH_LEN;
use crate::params::Parameters;
use crate::signing::KeySource;

/// A secret key in either form.
pub(crate) trait Secret<P: Parameters> {
    /// Hash of the secret key, from which hedging derives randomness.
    fn secret_hash(&self) -> &[u8; SECRET_HASH_LEN];
    /// The lattice basis.
    fn source(&self) -> KeySource<'_>;
}
