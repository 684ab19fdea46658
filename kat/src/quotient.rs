//! Signatures of the reference's C code in which one last bit of a quotient decides.
//!
//! The reference computes the quotients of the LDL tree as `x (d (1 / (d d)))`. With `x (1 / d)`,
//! each of these signatures comes out with another polynomial `s2`. Such signatures are rare, about
//! four in a million, so NIST's records have none. The files are in `kat/reference-long`.

use crate::Algorithm;

/// A signature of the empty message.
#[derive(Clone, Debug)]
pub struct Record {
    /// Nonce of the signature.
    pub nonce: [u8; 40],
    /// Seed of the stream of sampler seeds.
    pub seed: [u8; 48],
    /// The polynomial `s2` in compressed form, without header and nonce.
    pub compressed: Vec<u8>,
}

/// Returns the seed of the key that made the records of `algorithm`.
pub fn key_seed(algorithm: Algorithm) -> [u8; 48] {
    [if algorithm.logn() == 9 { 1 } else { 2 }; 48]
}

/// Reads the text of a file of `kat/reference-long`.
///
/// A line is a comment after `#`, or a number and [`compressed`](Record::compressed) in
/// hexadecimal. The nonce is the number in 8 bytes, least significant first, and 32 zeros. The seed
/// is these 8 bytes and 40 bytes `a5`.
///
/// Returns `None` if a line has another form.
pub fn records(text: &str) -> Option<Vec<Record>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (number, compressed) = line.split_once(' ')?;
            let number = number.parse::<u64>().ok()?.to_le_bytes();
            let (mut nonce, mut seed) = ([0; 40], [0xa5; 48]);
            nonce[..8].copy_from_slice(&number);
            seed[..8].copy_from_slice(&number);
            Some(Record {
                nonce,
                seed,
                compressed: base16ct::lower::decode_vec(compressed).ok()?,
            })
        })
        .collect()
}
