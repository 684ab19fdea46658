//! FN-DSA. Its encodings are those of round 3 with the bits of every byte and of every field
//! reversed. The mutator converts an input to round 3's encoding, changes it there, and converts it
//! back.

use super::signatures::{self, PREFIX};
use super::{Mutator, Rng, damage, one_in, signing_keys, verifying_keys};
use crate::bits::{BitWriter, fields};
use falcon_core::{Falcon512, Falcon1024, Parameters, SigningKey, fndsa_provisional};

/// Changes a key or a signature. Sometimes damages any bytes.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut changed = match (bytes.first()?, bytes.len()) {
        (9, _) => key(rng, bytes, &[(14, 512)], verifying_keys::mutate, no_hash),
        (10, _) => key(rng, bytes, &[(14, 1024)], verifying_keys::mutate, no_hash),
        (0x59, _) => {
            let widths = [(6, 1024), (8, 512)];
            key(
                rng,
                bytes,
                &widths,
                signing_keys::mutate,
                hash_of::<Falcon512>,
            )
        }
        (0x5a, _) => {
            let widths = [(5, 2048), (8, 1024)];
            key(
                rng,
                bytes,
                &widths,
                signing_keys::mutate,
                hash_of::<Falcon1024>,
            )
        }
        _ => signature(rng, bytes),
    }?;
    if one_in(rng, 16) {
        damage(rng, &mut changed);
    }
    Some(changed)
}

/// Changes a key whose fields have these widths and counts. If a hash follows the fields and the
/// changed key is valid, the hash becomes that of the changed key.
fn key(
    rng: &mut Rng,
    bytes: &[u8],
    widths: &[(u32, usize)],
    mutate: Mutator,
    hash_of: fn(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let bits: usize = widths.iter().map(|&(w, count)| w as usize * count).sum();
    let (fields, hash) = bytes.split_at_checked(1 + bits / 8)?;
    let body = reverse_fields(&reverse_bytes(&fields[1..]), widths);
    let changed = mutate(rng, &[&fields[..1], &body].concat())?;
    let hash = hash_of(&changed).unwrap_or_else(|| hash.to_vec());
    let (header, body) = changed.split_first()?;
    let body = reverse_bytes(&reverse_fields(body, widths));
    Some([&[*header][..], &body, &hash].concat())
}

fn no_hash(_: &[u8]) -> Option<Vec<u8>> {
    None
}

/// Computes the hash in an FN-DSA signing key from the key in round 3's encoding.
fn hash_of<P: Parameters>(round_3: &[u8]) -> Option<Vec<u8>> {
    let key = SigningKey::<P>::try_from(round_3).ok()?;
    let bytes = fndsa_provisional::SigningKey::from(key).to_bytes();
    Some(bytes[P::SIGNING_KEY_LEN..].to_vec())
}

/// Changes a signature. Reverses bytes only, so the mutator sees the low bits of each magnitude in
/// reversed order.
fn signature(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let (prefix, code) = bytes.split_at_checked(PREFIX)?;
    let round_3 = [prefix, &reverse_bytes(code)].concat();
    let changed = signatures::mutate(rng, &round_3)?;
    let (prefix, code) = changed.split_at_checked(PREFIX)?;
    Some([prefix, &reverse_bytes(code)].concat())
}

fn reverse_bytes(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte.reverse_bits()).collect()
}

/// Reverses the bits of each field. `widths` has pairs of width and count. The fields together fill
/// whole bytes.
fn reverse_fields(mut bytes: &[u8], widths: &[(u32, usize)]) -> Vec<u8> {
    let mut bits = BitWriter::default();
    for &(width, count) in widths {
        for field in fields(bytes, width, count) {
            bits.push((field.reverse_bits() >> (16 - width)).into(), width);
        }
        bytes = bytes.get(width as usize * count / 8..).unwrap_or(&[]);
    }
    bits.finish(0)
}
