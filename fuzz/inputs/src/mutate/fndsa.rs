//! FN-DSA: the encodings of round 3 with the bits of every byte and of every field reversed. An
//! input is turned into one of round 3, changed as such, and turned back.

use super::signatures::{self, PREFIX};
use super::{Rng, damage, one_in, signing_keys, verifying_keys};
use crate::bits::{BitWriter, fields};

/// Changes a key or a signature; sometimes damages any bytes.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut changed = match (bytes.first()?, bytes.len()) {
        (9, _) => key(rng, bytes, &[(14, 512)], verifying_keys::mutate),
        (10, _) => key(rng, bytes, &[(14, 1024)], verifying_keys::mutate),
        (0x59, _) => key(rng, bytes, &[(6, 1024), (8, 512)], signing_keys::mutate),
        (0x5a, _) => key(rng, bytes, &[(5, 2048), (8, 1024)], signing_keys::mutate),
        _ => signature(rng, bytes),
    }?;
    if one_in(rng, 16) {
        damage(rng, &mut changed);
    }
    Some(changed)
}

/// Changes a key, whose fields have these widths and counts. A hash may follow them.
fn key(
    rng: &mut Rng,
    bytes: &[u8],
    widths: &[(u32, usize)],
    mutate: super::Mutator,
) -> Option<Vec<u8>> {
    let bits: usize = widths.iter().map(|&(w, count)| w as usize * count).sum();
    let (fields, hash) = bytes.split_at_checked(1 + bits / 8)?;
    let round_3 = [
        &fields[..1],
        &reverse_fields(&reverse_bytes(&fields[1..]), widths),
    ]
    .concat();
    let changed = mutate(rng, &round_3)?;
    let (header, body) = changed.split_first()?;
    let body = reverse_bytes(&reverse_fields(body, widths));
    Some([&[*header][..], &body, hash].concat())
}

/// Changes a signature. The low bits of its magnitudes stay in the order that they have.
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

/// Reverses each field of so many bits. The fields are whole bytes together.
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
