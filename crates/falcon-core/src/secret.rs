//! The secret key of a signer, with or without its expanded tree.

use crate::hedge::SECRET_HASH_LEN;
use crate::params::Parameters;
use crate::signing::KeySource;

/// A secret key, with or without its expanded tree.
pub(crate) trait Secret<P: Parameters> {
    /// Returns the hash of the secret key, from which hedging derives randomness.
    fn secret_hash(&self) -> &[u8; SECRET_HASH_LEN];
    /// Returns the lattice basis.
    fn source(&self) -> KeySource<'_>;
}
