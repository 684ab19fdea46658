//! A public key of Classic McEliece is accepted if and only if its length is right and its padding
//! is zero. A stream of the key's pieces gives the same ciphertext and secret as the whole key, or
//! the same error, for every division into pieces.
//!
//! Keys have a quarter of a megabyte or more, so an input describes a key: parameter set, a byte
//! that fills the key, a change of its length, bytes that differ, and the lengths of the pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mceliece_core::rand_core::{TryCryptoRng, TryRng};
use mceliece_core::{
    DecodeError, EncapsulateStream, Mceliece348864f, Mceliece6960119pcf, Parameters, PublicKey,
};
use std::convert::Infallible;

/// The generator SplitMix64.
struct Random(u64);

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| word as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Ok(z ^ z >> 31)
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for bytes in out.chunks_mut(8) {
            let word = self.try_next_u64()?;
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Random {}

fn check<P: Parameters>(fill: u8, length: u8, changes: &[[u8; 4]], cuts: &[u8]) {
    let row_len = P::PUBLIC_KEY_LEN / (P::M * P::T);
    let padding = !(0xff_u32 >> (8 * row_len - (P::N - P::M * P::T))) as u8;
    let mut key = vec![fill; P::PUBLIC_KEY_LEN];
    for last in key.iter_mut().skip(row_len - 1).step_by(row_len) {
        *last &= !padding;
    }
    for [a, b, c, value] in changes {
        let place = u32::from_le_bytes([*a, *b, *c, 0]) as usize % key.len();
        // Every other change is in the last byte of a row.
        let place = if a & 1 == 0 {
            place
        } else {
            place / row_len * row_len + row_len - 1
        };
        key[place] = *value;
    }
    match length {
        1 => drop(key.pop()),
        2 => key.push(fill),
        3 => key.extend_from_within(..row_len),
        4 => key.truncate(key.len() - row_len),
        5 => key.clear(),
        _ => {}
    }

    let mut lasts = key.iter().skip(row_len - 1).step_by(row_len);
    let expected = if key.len() != P::PUBLIC_KEY_LEN {
        let (expected, actual) = (P::PUBLIC_KEY_LEN, key.len());
        Err(DecodeError::Length { expected, actual })
    } else if lasts.any(|last| last & padding != 0) {
        Err(DecodeError::Padding)
    } else {
        Ok(())
    };
    let seed = u64::from(fill);
    let whole = PublicKey::<P, _>::from_bytes(&key[..]);
    assert_eq!(whole.as_ref().map(|_| ()), expected.as_ref().copied());

    let mut stream = EncapsulateStream::<P>::new(&mut Random(seed));
    let mut rest = &key[..];
    for [low, high] in cuts.as_chunks().0 {
        let len = u16::from_le_bytes([*low, *high]) as usize;
        let (piece, later) = rest.split_at(len.min(rest.len()));
        stream.update(piece);
        rest = later;
    }
    stream.update(rest);
    let streamed = stream.finish();
    assert_eq!(
        streamed,
        whole.map(|key| key.encapsulate(&mut Random(seed)))
    );
}

fuzz_target!(|bytes: &[u8]| {
    let [set, fill, length, count, rest @ ..] = bytes else {
        return;
    };
    let (changes, cuts) = rest.split_at(rest.len().min(4 * (*count as usize % 16)));
    let changes = changes.as_chunks().0;
    match set & 1 {
        0 => check::<Mceliece348864f>(*fill, *length, changes, cuts),
        _ => check::<Mceliece6960119pcf>(*fill, *length, changes, cuts),
    }
});
