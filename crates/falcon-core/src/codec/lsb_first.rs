//! Encodings of FN-DSA, as in the crate `fn-dsa` 0.4.0. They are those of round 3 with the bits in
//! the opposite order: least significant first, in every field and in every byte.
//!
//! So the code of round 3 reads and writes these encodings. This module reverses the bits of all
//! bytes and of all fields before reading and after writing.

use super::bits::pack;
use super::compressed::decompress;
use super::public_key::{self, WIDTH};
use super::signature::{self, Format, check_tail};
use super::strip_key_header;
use crate::error::DecodeError;
use crate::lanes::{Baseline, Isa};
use crate::params::{MAX_LOGN, NONCE_LEN};
use core::array::from_fn;
#[cfg(feature = "alloc")]
use {
    super::COUNTS_ZEROS,
    super::bits::packed_len,
    super::secret_key,
    super::side_by_side::{self, Item},
    alloc::vec,
    alloc::vec::Vec,
    zeroize::Zeroizing,
};

/// Largest magnitude of a coefficient of `s1` or `s2`.
pub(crate) const MAX_MAGNITUDE: u16 = 840;

/// Number of low bits of a magnitude that the code word stores as a field.
const LOW_BITS: u32 = 7;

/// Length in bytes of the longest secret key without its header.
#[cfg(feature = "alloc")]
const MAX_SECRET_LEN: usize = secret_key::encoded_len(MAX_LOGN) - 1;

/// Length in bytes of the longest code of `s2`.
const MAX_CODE_LEN: usize = Format::Padded.max_len(MAX_LOGN) - 1 - NONCE_LEN;

/// Copies `bytes`, with the bits of each byte reversed, to the start of `memory`. Returns the copy.
///
/// # Errors
/// `Length` if `memory` is too short.
#[inline(always)]
fn reversed<'m>(bytes: &[u8], memory: &'m mut [u8]) -> Result<&'m [u8], DecodeError> {
    let copy = memory.get_mut(..bytes.len()).ok_or(DecodeError::Length)?;
    copy.copy_from_slice(bytes);
    reverse_all(copy);
    Ok(copy)
}

/// Reverses the bits of each byte.
#[inline(always)]
fn reverse_all(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = byte.reverse_bits();
    }
}

/// Reverses the bits of a field of `width` bits.
const fn reverse(width: u32, field: u16) -> u16 {
    field.reverse_bits() >> (16 - width)
}

/// Reverses the low [`LOW_BITS`] bits of the magnitude of `s`. `|s|` is below `2^14`.
#[inline(always)]
const fn reverse_low(s: i16) -> i16 {
    let mask = (1 << LOW_BITS) - 1;
    let magnitude = s.unsigned_abs();
    let reversed = (magnitude & !mask | reverse(LOW_BITS, magnitude & mask)) as i16;
    if s < 0 { -reversed } else { reversed }
}

/// Writes the values of `h` at the roots, in `[0, q)`, to `out` of
/// [`encoded_len`](public_key::encoded_len) bytes.
pub(crate) fn encode_public_key(logn: u32, values: &[u16], out: &mut [u8]) {
    if let Some((header, body)) = out.split_first_mut() {
        *header = logn as u8;
        pack(WIDTH, values.iter().map(|&x| reverse(WIDTH, x)), body);
        reverse_all(body);
    }
}

/// Reads the values of `h` at the roots.
///
/// # Errors
/// As for [`public_key::decode`].
pub(crate) fn decode_public_key(
    logn: u32,
    bytes: &[u8],
    values: &mut [u16],
) -> Result<(), DecodeError> {
    let body = strip_key_header(bytes, logn as u8, public_key::encoded_len(logn))?;
    public_key::decode_fields(logn, body, values, unpack)
}

/// Reads the fields of a public key. Returns the spare bits of the last byte.
///
/// This is faster than reversing all bits, as the decoders of other objects do. Speed matters here,
/// since a verifier may read a key for every signature.
fn unpack(body: &[u8], fields: &mut [u16]) -> u8 {
    const MASK: u64 = (1 << WIDTH) - 1;
    let field = |word: u64, k: u32| (word >> (WIDTH * k) & MASK) as u16;
    // Eight fields are fourteen bytes. Four fields are in the first eight bytes, and four are in
    // the last eight bytes.
    let (groups, rest) = body.as_chunks::<{ WIDTH as usize }>();
    let (eights, few) = fields.as_chunks_mut::<8>();
    for (eight, bytes) in eights.iter_mut().zip(groups) {
        let low = u64::from_le_bytes(from_fn(|i| bytes[i]));
        let high = u64::from_le_bytes(from_fn(|i| bytes[6 + i])) >> 8;
        for k in 0..4 {
            eight[k] = field(low, k as u32);
            eight[4 + k] = field(high, k as u32);
        }
    }
    // Degrees below 8 need less than a group.
    let mut word = [0; 8];
    for (word, &byte) in word.iter_mut().zip(rest) {
        *word = byte;
    }
    let word = u64::from_le_bytes(word);
    for (k, few) in few.iter_mut().enumerate() {
        *few = field(word, k as u32);
    }
    (word >> (WIDTH as usize * few.len()).min(63)) as u8
}

/// Length in bytes of the encoded `f` and `g`.
#[cfg(feature = "alloc")]
pub(crate) const fn short_len(logn: u32) -> usize {
    let [f, g, _] = secret_key::widths(logn);
    packed_len(1 << logn, f) + packed_len(1 << logn, g)
}

/// Writes `f`, `g` and `F` to `out`. The length of `out` is that of round 3's encoding.
#[cfg(feature = "alloc")]
pub(crate) fn encode_secret_key(logn: u32, polynomials: [&[i8]; 3], out: &mut [u8]) {
    let Some((first, body)) = out.split_first_mut() else {
        return;
    };
    *first = secret_key::header(logn);
    let mut rest = &mut *body;
    for (width, polynomial) in secret_key::widths(logn).into_iter().zip(polynomials) {
        let len = packed_len(polynomial.len(), width).min(rest.len());
        let (now, later) = rest.split_at_mut(len);
        let fields = polynomial.iter().map(|&x| i16::from(x) as u16);
        pack(width, fields.map(|field| reverse(width, field)), now);
        rest = later;
    }
    reverse_all(body);
}

/// Reads `f`, `g` and `F` from an encoding, which is as long as round 3's. Constant time, except
/// for the outcome.
///
/// # Errors
/// As for [`secret_key::decode`].
#[cfg(feature = "alloc")]
pub(crate) fn decode_secret_key(
    logn: u32,
    bytes: &[u8],
    polynomials: [&mut [i8]; 3],
) -> Result<(), DecodeError> {
    let len = secret_key::encoded_len(logn);
    let body = strip_key_header(bytes, secret_key::header(logn), len)?;
    let mut memory = Zeroizing::new([0; MAX_SECRET_LEN]);
    let body = reversed(body, &mut *memory)?;
    secret_key::decode_fields(logn, body, polynomials, reverse)
}

/// Writes a signature to `out` of the padded length. Returns `None` if the code is longer, or if a
/// magnitude exceeds [`MAX_MAGNITUDE`].
pub(crate) fn encode_signature(
    logn: u32,
    nonce: &[u8; NONCE_LEN],
    s2: &[i16],
    out: &mut [u8],
) -> Option<()> {
    if s2.iter().any(|s| s.unsigned_abs() > MAX_MAGNITUDE) {
        return None;
    }
    let mut memory = [0; 1 << MAX_LOGN];
    let fields = memory.get_mut(..s2.len())?;
    for (field, &s) in fields.iter_mut().zip(s2) {
        *field = reverse_low(s);
    }
    signature::encode(Baseline, Format::Padded, logn, nonce, fields, out)?;
    reverse_all(out.get_mut(1 + NONCE_LEN..)?);
    Some(())
}

/// Reads a signature in the frame of `isa`: returns its nonce and fills `s2`.
///
/// # Errors
/// As for a padded signature of round 3. Also `Range` if a magnitude exceeds [`MAX_MAGNITUDE`].
pub(crate) fn decode_signature<'a>(
    isa: impl Isa,
    logn: u32,
    bytes: &'a [u8],
    s2: &mut [i16],
) -> Result<&'a [u8; NONCE_LEN], DecodeError> {
    let (nonce, code) = signature::split(Format::Padded, logn, bytes)?;
    let mut memory = [0; MAX_CODE_LEN];
    let code = isa.vectorize(
        #[inline(always)]
        || reversed(code, &mut memory),
    )?;
    let used = decompress(code, s2)?;
    check_tail(Format::Padded, code.get(used..).unwrap_or(&[]))?;
    reverse_magnitudes(isa, s2)?;
    Ok(nonce)
}

/// Reverses the low bits of the magnitudes.
///
/// # Errors
/// `Range` if a magnitude exceeds [`MAX_MAGNITUDE`].
fn reverse_magnitudes(isa: impl Isa, s2: &mut [i16]) -> Result<(), DecodeError> {
    let largest = isa.vectorize(
        #[inline(always)]
        || {
            s2.iter_mut().for_each(|s| *s = reverse_low(*s));
            s2.iter()
                .fold(0, |largest, s| s.unsigned_abs().max(largest))
        },
    );
    if largest > MAX_MAGNITUDE {
        return Err(DecodeError::Range);
    }
    Ok(())
}

/// Smallest number of signatures that are read side by side. Up to three signatures are read faster
/// one at a time.
#[cfg(feature = "alloc")]
const FEWEST_READ_TOGETHER: usize = 4;

/// Reads signatures side by side: returns their nonces and fills `s2s`, one polynomial after the
/// other. Each result is that of [`decode_signature`].
#[cfg(feature = "alloc")]
pub(crate) fn decode_signatures(
    isa: impl Isa,
    logn: u32,
    encoded: &[&[u8]],
    s2s: &mut [i16],
) -> Vec<Result<[u8; NONCE_LEN], DecodeError>> {
    // With `COUNTS_ZEROS`, reading one at a time is always faster.
    let together = encoded.len() >= FEWEST_READ_TOGETHER && !COUNTS_ZEROS;
    let len = if together { encoded.len() } else { 0 };
    let mut codes = vec![[0; MAX_CODE_LEN]; len];
    let mut codes = codes.iter_mut();
    let mut items: Vec<_> = encoded
        .iter()
        .zip(s2s.chunks_exact_mut(1 << logn))
        .map(|(bytes, s2)| Item {
            body: codes
                .next()
                .and_then(|memory| {
                    let (_, code) = signature::split(Format::Padded, logn, bytes).ok()?;
                    isa.vectorize(
                        #[inline(always)]
                        || reversed(code, memory),
                    )
                    .ok()
                })
                .unwrap_or(&[]),
            s2,
            used: None,
        })
        .collect();
    if together {
        side_by_side::decompress(isa, &mut items);
    }
    let read = encoded.iter().zip(items).map(|(bytes, item)| {
        let tail = item.used.and_then(|used| item.body.get(used..));
        if tail.is_some_and(|tail| check_tail(Format::Padded, tail).is_ok()) {
            let (nonce, _) = signature::split(Format::Padded, logn, bytes)?;
            reverse_magnitudes(isa, item.s2)?;
            Ok(*nonce)
        } else {
            // Reads the signature alone: it was not read side by side, or may be malformed.
            decode_signature(isa, logn, bytes, item.s2).copied()
        }
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(not(feature = "alloc"))]
    use std::{vec, vec::Vec};

    /// Appends fields of `(width, value)`, least significant bit first.
    fn bytes_of(fields: impl IntoIterator<Item = (u32, u32)>) -> Vec<u8> {
        let bits: Vec<u32> = fields
            .into_iter()
            .flat_map(|(width, value)| (0..width).map(move |i| value >> i & 1))
            .collect();
        let byte = |bits: &[u32]| {
            bits.iter()
                .rev()
                .fold(0, |byte, &bit| byte << 1 | bit as u8)
        };
        bits.chunks(8).map(byte).collect()
    }

    /// Returns a coefficient as fields: its sign, seven low bits, then the rest in unary code.
    fn code_word(s: i16) -> [(u32, u32); 3] {
        let magnitude = u32::from(s.unsigned_abs());
        let rest = magnitude >> 7;
        [
            (1, u32::from(s < 0)),
            (7, magnitude & 127),
            (rest + 1, 1 << rest),
        ]
    }

    fn signature_of(logn: u32, nonce: &[u8; NONCE_LEN], s2: &[i16]) -> Vec<u8> {
        let code = bytes_of(s2.iter().flat_map(|&s| code_word(s)));
        let mut out = vec![0x30 + logn as u8];
        out.extend(nonce);
        out.extend(code);
        out.resize(Format::Padded.max_len(logn), 0);
        out
    }

    #[test]
    fn keys_are_their_fields_bit_by_bit() {
        for logn in 1..=MAX_LOGN {
            let values: Vec<u16> = (0..1 << logn).map(|i| (i * 7919 % 12289) as u16).collect();
            let mut expected = vec![logn as u8];
            expected.extend(bytes_of(values.iter().map(|&x| (14, x.into()))));
            let mut out = vec![0xff; expected.len()];
            encode_public_key(logn, &values, &mut out);
            assert_eq!(out, expected, "{logn}");
            let mut read = vec![0; values.len()];
            assert_eq!(decode_public_key(logn, &out, &mut read), Ok(()));
            assert_eq!(read, values, "{logn}");
            if logn == 1 {
                // Only degree 2 has spare bits in the last byte.
                for spare in 4..8 {
                    let mut out = out.clone();
                    out[4] |= 1 << spare;
                    assert_eq!(
                        decode_public_key(logn, &out, &mut read),
                        Err(DecodeError::NonCanonical)
                    );
                }
            }
            let at_limit = bytes_of([(14, 12289)]);
            out[1..3].copy_from_slice(&at_limit);
            assert_eq!(
                decode_public_key(logn, &out, &mut read),
                Err(DecodeError::Range)
            );
            assert_eq!(
                decode_public_key(logn, &out[..out.len() - 1], &mut read),
                Err(DecodeError::Length)
            );
            let longer = [&out[..], &[0; 2000]].concat();
            assert_eq!(
                decode_public_key(logn, &longer, &mut read),
                Err(DecodeError::Length)
            );
        }
    }

    #[test]
    fn signatures_are_their_code_words_bit_by_bit() {
        let nonce = from_fn(|i| i as u8 + 100);
        for logn in 2..=MAX_LOGN {
            let s2: Vec<i16> = (0..1 << logn)
                .map(|i| (i * 89 % 511) as i16 - 255)
                .collect();
            let expected = signature_of(logn, &nonce, &s2);
            let mut out = vec![0xff; expected.len()];
            assert_eq!(encode_signature(logn, &nonce, &s2, &mut out), Some(()));
            assert_eq!(out, expected, "{logn}");
            let mut read = vec![0; s2.len()];
            assert_eq!(
                decode_signature(Baseline, logn, &out, &mut read),
                Ok(&nonce)
            );
            assert_eq!(read, s2, "{logn}");
        }
    }

    #[test]
    fn magnitudes_end_at_840() {
        let nonce = [0; NONCE_LEN];
        for (s, fits) in [(840, true), (-840, true), (841, false), (-841, false)] {
            let mut s2 = vec![0; 512];
            s2[17] = s;
            let bytes = signature_of(9, &nonce, &s2);
            let mut out = vec![0; bytes.len()];
            assert_eq!(
                encode_signature(9, &nonce, &s2, &mut out).is_some(),
                fits,
                "{s}"
            );
            let mut read = vec![0; 512];
            let decoded = decode_signature(Baseline, 9, &bytes, &mut read);
            assert_eq!(decoded.map(|_| ()).ok().is_some(), fits, "{s}");
            if !fits {
                assert_eq!(decoded, Err(DecodeError::Range));
            }
        }
    }

    #[cfg(feature = "alloc")]
    fn read_side_by_side_as_alone(isa: impl Isa, logn: u32) {
        let nonce = from_fn(|i| i as u8 + 100);
        let n = 1 << logn;
        let value = |i: usize, j: usize| ((i * 89 + j * 37) % 511) as i16 - 255;
        let good: Vec<Vec<u8>> = (0..40)
            .map(|j| {
                let s2: Vec<i16> = (0..n).map(|i| value(i, j)).collect();
                signature_of(logn, &nonce, &s2)
            })
            .collect();
        // Flips a bit of every third signature: in the header, in the nonce and at distant places.
        // Cuts a few others.
        let damaged = good.iter().enumerate().map(|(j, bytes)| {
            let mut bytes = bytes.clone();
            let at = if j < 30 {
                j
            } else {
                (j - 30) * bytes.len() / 10
            };
            if j % 3 == 0 {
                bytes[at] ^= 1 << (j % 8);
            } else if j % 13 == 1 {
                bytes.truncate(bytes.len() - j);
            }
            bytes
        });
        let mut all: Vec<_> = damaged.collect();
        let mut large = vec![0; n];
        large[n / 2] = 841;
        all.push(signature_of(logn, &nonce, &large));
        for count in [0, 1, 3, 4, 16, 17, all.len()] {
            let encoded: Vec<_> = all
                .iter()
                .rev()
                .take(count)
                .map(|bytes| &bytes[..])
                .collect();
            let mut s2s = vec![0; count << logn];
            let read = decode_signatures(isa, logn, &encoded, &mut s2s);
            assert_eq!(read.len(), count);
            for ((bytes, read), s2) in encoded.iter().zip(read).zip(s2s.chunks(n)) {
                let mut alone = vec![0; n];
                let expected = decode_signature(isa, logn, bytes, &mut alone);
                assert_eq!(read, expected.copied());
                assert!(expected.is_err() || alone == s2);
            }
        }
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn signatures_read_side_by_side_are_those_read_alone() {
        for logn in [2, 7, 8, 9, 10] {
            for engine in crate::engine::Engine::available() {
                on_engine!(engine, arith, _fft => read_side_by_side_as_alone(arith, logn));
            }
        }
    }

    #[test]
    fn what_is_not_canonical_is_refused() {
        let nonce = [0; NONCE_LEN];
        let good = signature_of(9, &nonce, &[3; 512]);
        let mut s2 = vec![0; 512];
        let mut refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            decode_signature(Baseline, 9, &bytes, &mut s2).err()
        };
        assert_eq!(refused(&|_| ()), None);
        assert_eq!(refused(&|b| b[0] = 0x3a), Some(DecodeError::Header));
        assert_eq!(refused(&|b| b.push(0)), Some(DecodeError::Length));
        assert_eq!(refused(&|b| _ = b.pop()), Some(DecodeError::Length));
        assert_eq!(refused(&|b| b[665] = 1), Some(DecodeError::NonCanonical));
        // The first word has the sign and seven zero bits of a minus zero.
        assert_eq!(refused(&|b| b[41] = 1), Some(DecodeError::NonCanonical));
        assert_eq!(refused(&|b| b[41..].fill(0)), Some(DecodeError::Range));
    }
}
