//! Inputs whose first byte chooses an engine. The rest is a signing key.

use super::{Rng, one_in, signing_keys};

/// Changes the key, or the engine.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let (&engine, key) = bytes.split_first()?;
    if one_in(rng, 8) {
        return Some([&[rng.u8(..)], key].concat());
    }
    let key = signing_keys::mutate(rng, key)?;
    Some([&[engine], &key[..]].concat())
}
