//! Verifying keys: fields of 14 bits.

use super::{Rng, damage, one_in, pick};
use crate::bits::{BitWriter, fields};
use crate::known::Q;

/// Changes some coefficients. Sometimes damages the encoding.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    let (logn, len) = match bytes.len() {
        897 => (9, 897),
        1793 => (10, 1793),
        _ => return None,
    };
    if bytes[0] != logn {
        return None;
    }
    let mut h = fields(&bytes[1..], 14, 1 << logn);
    let n = h.len();
    for _ in 0..=rng.u8(..3) {
        let (i, j) = (rng.usize(..n), rng.usize(..n));
        match rng.u8(..8) {
            0..=2 => h[i] = rng.u16(..Q),
            3 => h[i] = pick(rng, &[0, 1, Q - 1, Q, Q + 1, 16383]),
            4 => h.swap(i, j),
            5 => h.rotate_left(i),
            6 => h[i..n.min(i + 32)].fill_with(|| rng.u16(..Q)),
            _ => h[i..n.min(i + 32)].fill(Q - 1),
        }
    }
    let mut bits = BitWriter::default();
    h.iter().for_each(|&x| bits.push(x.into(), 14));
    let mut bytes = Vec::with_capacity(len);
    bytes.push(logn);
    bytes.extend(bits.finish(0));
    if one_in(rng, 8) {
        damage(rng, &mut bytes);
    }
    Some(bytes)
}
