//! Deterministic signatures. They are changed like ordinary ones, with a salt version in place of
//! the nonce.

use super::{Rng, one_in, signatures};

/// Number of bytes of an ordinary signature before the code: header and nonce.
const PREFIX: usize = 41;

/// Bit of the header byte that distinguishes deterministic signatures from ordinary ones.
const DETERMINISTIC: u8 = 0x80;

/// Changes the signature like an ordinary one, and sometimes the salt version.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let (&[header, version], body) = bytes.split_first_chunk()?;
    let ordinary = [&[header & !DETERMINISTIC][..], &[0; PREFIX - 1], body].concat();
    let changed = signatures::mutate(rng, &ordinary)?;
    let (prefix, body) = changed.split_at_checked(PREFIX)?;
    let version = if one_in(rng, 8) { rng.u8(..) } else { version };
    Some([&[prefix[0] | DETERMINISTIC, version][..], body].concat())
}
