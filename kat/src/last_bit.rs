//! Signatures of the reference's C code that depend on a last bit of the LDL tree.
//!
//! The sampler's first four and last two centres are rational numbers that depend on the key and
//! the message. If one of them is an integer in exact arithmetic, its last bits decide the
//! signature. Each of these signatures has another polynomial `s2` if the LDL tree is computed
//! differently:
//! - with `x (1 / d)` instead of `x (d (1 / (d d)))` as the quotient, which changes four signatures
//!   in a million: the records whose nonce and seed have the same number;
//! - with a real diagonal instead of a complex one, which changes one signature in `5 * 10^9`: the
//!   other records.
//!
//! NIST's records do not contain such signatures. The files are in `kat/reference-long`.

use crate::Algorithm;

/// A signature of the empty message.
#[derive(Clone, Debug)]
pub struct Record {
    /// Number of the key; see [`key_seed`].
    pub key: u8,
    /// Nonce of the signature.
    pub nonce: [u8; 40],
    /// Seed of the stream of sampler seeds.
    pub seed: [u8; 48],
    /// The polynomial `s2` in compressed form, without header and nonce.
    pub compressed: Vec<u8>,
}

/// Returns the reference seed of a key: 48 bytes of its number.
pub fn key_seed(key: u8) -> [u8; 48] {
    [key; 48]
}

/// The files of both degrees, and the number of records in each.
pub const FILES: [(Algorithm, &str, usize); 2] = [
    (
        Algorithm::Falcon512,
        include_str!("../reference-long/falcon512.txt"),
        9,
    ),
    (
        Algorithm::Falcon1024,
        include_str!("../reference-long/falcon1024.txt"),
        2,
    ),
];

/// Reads the text of a file of `kat/reference-long`.
///
/// A line is a comment after `#`, or four fields: the numbers of key, nonce and seed, and
/// [`compressed`](Record::compressed) in hexadecimal. The nonce is its number in 8 bytes,
/// little-endian, and 32 zeros. The seed is its number in 8 bytes, little-endian, and 40 bytes
/// `a5`.
///
/// Returns `None` if a line does not have this format.
pub fn records(text: &str) -> Option<Vec<Record>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut fields = line.split(' ');
            let key = fields.next()?.parse().ok()?;
            let mut number = || Some(fields.next()?.parse::<u64>().ok()?.to_le_bytes());
            let (mut nonce, mut seed) = ([0; 40], [0xa5; 48]);
            nonce[..8].copy_from_slice(&number()?);
            seed[..8].copy_from_slice(&number()?);
            let compressed = base16ct::lower::decode_vec(fields.next()?).ok()?;
            fields.next().is_none().then_some(Record {
                key,
                nonce,
                seed,
                compressed,
            })
        })
        .collect()
}
