//! Recoverable signatures. The mutator changes one of the two polynomials like a padded signature.

use super::signatures::{self, PREFIX, padded_len};
use super::{Rng, damage, one_in};

/// Header byte without the degree.
const HEADER: u8 = 0x70;

/// Changes words, the nonce or the lengths. Sometimes damages the code or any bytes.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let logn = bytes.first()? & 15;
    let (first, second) = bytes.split_at_checked(padded_len(logn))?;
    let mut halves = [first.to_vec(), [&first[..PREFIX], second].concat()];
    for half in &mut halves {
        half[0] = 0x30 | logn;
    }
    let half = &mut halves[rng.usize(..2)];
    *half = signatures::mutate(rng, half)?;
    let [first, second] = halves;
    let mut joined = [&first[..], second.get(PREFIX..)?].concat();
    joined[0] = HEADER | logn;
    if one_in(rng, 8) {
        damage(rng, &mut joined);
    }
    Some(joined)
}
