//! Randomness of the browser or of Node.

use crate::errors::{Thrown, thrown};
use falcon_core::SEED_LEN;
use zeroize::Zeroizing;

/// Returns a seed from `crypto.getRandomValues`.
pub fn fresh_seed() -> Result<Zeroizing<[u8; SEED_LEN]>, Thrown> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    getrandom::fill(&mut *seed).map_err(no_randomness)?;
    // If the host's function fills nothing, all bytes are zero. The check always reads all bytes,
    // so that its time tells nothing about them.
    if seed.iter().fold(0, |any, byte| any | byte) == 0 {
        return Err(no_randomness(getrandom::Error::UNEXPECTED));
    }
    Ok(seed)
}

fn no_randomness(error: getrandom::Error) -> Thrown {
    thrown(
        "ERR_RANDOM",
        &format!("crypto.getRandomValues gave no random bytes: {error}"),
    )
}
