//! Randomness of the operating system.

use crate::errors;
use falcon_core::SEED_LEN;
use pyo3::PyResult;
use zeroize::Zeroizing;
/// Returns a seed from the operating system's generator.
pub fn fresh_seed() -> PyResult<Zeroizing<[u8; SEED_LEN]>> {
    let mut seed = Zeroizing::new([0; SEED_LEN]);
    getrandom::fill(&mut *seed).map_err(errors::no_randomness)?;
    Ok(seed)
}
