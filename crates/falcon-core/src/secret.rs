//! What a signer needs of a secret key, in either form.

use crate::hedge::SECRET_HASH_LEN;
use crate::params::Parameters;
use crate::signing::KeySource;

/// A secret key in either form.
pub(crate) trait Secret<P: Parameters> {
    /// Hash of the secret key, which hedging binds to.
    fn secret_hash(&self) -> &[u8; SECRET_HASH_LEN];
    /// The lattice basis.
    fn source(&self) -> KeySource<'_>;
}
