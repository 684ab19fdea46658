//! Tests that encodings are canonical: a decoder accepts only the bytes that the encoder writes.

use super::signature::Format;
use super::{
    attached, compressed, compressed_len, public_key, secret_key, side_by_side, signature,
};
use crate::error::DecodeError;
use crate::lanes::{Baseline, Isa};
use crate::params::{FG_BITS, MAX_LOGN, NONCE_LEN};
use proptest::collection::vec as vec_of;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

const FORMATS: [Format; 3] = [Format::Compressed, Format::Padded, Format::ConstantTime];

/// Makes signature polynomials. They are as short as real ones, with rare large coefficients.
fn short(n: usize) -> impl Strategy<Value = Vec<i16>> {
    let coefficient = prop_oneof![
        60 => -300..=300i16,
        1 => -2047..=2047i16,
        1 => prop_oneof![Just(0), Just(2047), Just(-2047), Just(127), Just(-128)],
    ];
    vec_of(coefficient, n)
}

fn degree_and_short() -> impl Strategy<Value = (u32, Vec<i16>)> {
    (1..=MAX_LOGN).prop_flat_map(|logn| (Just(logn), short(1 << logn)))
}

/// Damages an encoding: flips bits, cuts or extends it.
fn mutate(mut bytes: Vec<u8>, flips: &[(usize, u8)], resize: i8) -> Vec<u8> {
    for &(at, bit) in flips {
        let len = bytes.len();
        bytes[at % len] ^= 1 << (bit % 8);
    }
    let len = bytes.len().saturating_add_signed(isize::from(resize));
    bytes.resize(len, 0);
    bytes
}

fn mutations() -> impl Strategy<Value = (Vec<(usize, u8)>, i8)> {
    let resize = prop_oneof![8 => Just(0), 1 => -3..=3i8];
    (vec_of((any::<usize>(), any::<u8>()), 0..4), resize)
}

fn encode(format: Format, logn: u32, nonce: &[u8; NONCE_LEN], s2: &[i16]) -> Option<Vec<u8>> {
    let mut out = vec![0xa5; 4 * s2.len() + 100];
    let len = signature::encode(Baseline, format, logn, nonce, s2, &mut out)?;
    out.truncate(len);
    Some(out)
}

fn decode(
    format: Format,
    logn: u32,
    bytes: &[u8],
) -> Result<([u8; NONCE_LEN], Vec<i16>), DecodeError> {
    let mut s2 = vec![0; 1 << logn];
    let nonce = signature::decode(format, logn, bytes, &mut s2)?;
    Ok((*nonce, s2))
}

/// Decompresses with both scalar decoders and compares the results.
fn decompress(body: &[u8], s2: &mut [i16]) -> Result<usize, DecodeError> {
    let mut counted = vec![0; s2.len()];
    let result = compressed::decompress_counted(body, &mut counted);
    assert_eq!(compressed::decompress_from(body, 0, s2), result);
    assert!(result.is_err() || counted == s2);
    result
}

/// Returns the number of zero bits in the run of a coefficient's code word.
fn run(s: i16) -> u16 {
    s.unsigned_abs() >> 7
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Checks that the side-by-side decoder agrees with the scalar one. It may leave a body to the
    /// scalar one (`used` is `None`) only if the body is malformed, or if a group of four code
    /// words is longer than 57 bits.
    #[test]
    fn lanes_read_what_is_read_alone(
        polynomials in (7..=MAX_LOGN).prop_flat_map(|logn| vec_of(short(1 << logn), 1..10)),
        mutations in vec_of(mutations(), 10),
        cut in 0..20usize,
    ) {
        let encoded: Vec<Vec<u8>> = polynomials
            .iter()
            .zip(&mutations)
            .enumerate()
            .map(|(i, (s2, (flips, resize)))| {
                let mut out = vec![0; 3 * s2.len()];
                let len = compressed::compress(Baseline, s2, &mut out).expect("it fits");
                match i % 4 {
                    0 => out.truncate(len),
                    1 => out.truncate(len + 20),
                    2 => out.truncate(cut),
                    _ => out = mutate(out[..len].to_vec(), flips, *resize),
                }
                out
            })
            .collect();
        let mut read: Vec<Vec<i16>> = polynomials.iter().map(|s2| vec![0; s2.len()]).collect();
        let mut items: Vec<_> = encoded
            .iter()
            .zip(&mut read)
            .map(|(body, s2)| side_by_side::Item { body, s2, used: None })
            .collect();
        side_by_side::decompress(Baseline, &mut items);
        let used: Vec<_> = items.into_iter().map(|item| item.used).collect();
        for (i, (body, used)) in encoded.iter().zip(used).enumerate() {
            let mut alone = vec![0; polynomials[i].len()];
            let result = decompress(body, &mut alone);
            let ordinary = alone.chunks(4).all(|s| s.iter().map(|&s| run(s)).sum::<u16>() <= 21);
            match used {
                Some(_) => {
                    prop_assert_eq!(result.ok(), used);
                    prop_assert_eq!(&alone, &read[i]);
                }
                None => prop_assert!(result.is_err() || !ordinary, "{}", i),
            }
        }
    }

    #[test]
    fn signatures_come_back_from_their_encoding(
        (logn, s2) in degree_and_short(), nonce in any::<[[u8; 20]; 2]>(),
    ) {
        let nonce: [u8; NONCE_LEN] = nonce.concat().try_into().unwrap();
        for format in FORMATS {
            if let Some(bytes) = encode(format, logn, &nonce, &s2) {
                if format == Format::Compressed {
                    prop_assert_eq!(compressed_len(&s2), Some(bytes.len() - 1 - NONCE_LEN));
                }
                prop_assert_eq!(decode(format, logn, &bytes), Ok((nonce, s2.clone())));
            } else {
                prop_assert_eq!(format, Format::Padded);
            }
        }
    }

    #[test]
    fn an_accepted_signature_is_the_encoding_of_its_value(
        (logn, s2) in degree_and_short(), (flips, resize) in mutations(),
    ) {
        for format in FORMATS {
            let Some(bytes) = encode(format, logn, &[9; NONCE_LEN], &s2) else { continue };
            let bytes = mutate(bytes, &flips, resize);
            if let Ok((nonce, s2)) = decode(format, logn, &bytes) {
                prop_assert_eq!(encode(format, logn, &nonce, &s2), Some(bytes));
            }
        }
    }

    #[test]
    fn an_accepted_signed_message_is_the_encoding_of_its_value(
        (logn, s2) in degree_and_short(), (flips, resize) in mutations(), message in vec_of(any::<u8>(), 0..50),
    ) {
        let mut out = vec![0; 4 * s2.len() + 200];
        let mut opened = vec![0; s2.len()];
        let len = attached::seal(Baseline, logn, &[9; NONCE_LEN], &message, &s2, &mut out).unwrap();
        out.truncate(len);
        let value = attached::open(logn, &out, &mut opened).unwrap();
        prop_assert_eq!(value, (&[9; NONCE_LEN], &message[..]));
        prop_assert_eq!(&opened, &s2);

        let bytes = mutate(out, &flips, resize);
        if let Ok((nonce, message)) = attached::open(logn, &bytes, &mut opened) {
            let mut again = vec![0; bytes.len() + 100];
            let len = attached::seal(Baseline, logn, nonce, message, &opened, &mut again).unwrap();
            prop_assert_eq!(&again[..len], &bytes[..]);
        }
    }

    #[test]
    fn an_accepted_public_key_is_the_encoding_of_its_value(
        logn in 1..=MAX_LOGN, seed in vec_of(0..12289u16, 1024), (flips, resize) in mutations(),
    ) {
        let h = &seed[..1 << logn];
        let mut bytes = vec![0xa5; public_key::encoded_len(logn)];
        let mut back = vec![0; h.len()];
        public_key::encode(logn, h, &mut bytes);
        prop_assert_eq!(public_key::decode(logn, &bytes, &mut back), Ok(()));
        prop_assert_eq!(&back, h);

        let bytes = mutate(bytes, &flips, resize);
        if public_key::decode(logn, &bytes, &mut back).is_ok() {
            let mut again = vec![0; bytes.len()];
            public_key::encode(logn, &back, &mut again);
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn an_accepted_secret_key_is_the_encoding_of_its_value(
        logn in 1..=MAX_LOGN, seed in vec_of(any::<i8>(), 3 * 1024), (flips, resize) in mutations(),
    ) {
        let n = 1 << logn;
        let limit = (1i16 << (FG_BITS[logn as usize] - 1)) - 1;
        let fg: Vec<i8> = seed[..2 * n].iter().map(|&x| (i16::from(x) % (limit + 1)) as i8).collect();
        let capital_f: Vec<i8> = seed[2 * n..3 * n].iter().map(|&x| x.max(-127)).collect();
        let mut bytes = vec![0xa5; secret_key::encoded_len(logn)];
        secret_key::encode(logn, &fg[..n], &fg[n..], &capital_f, &mut bytes);
        let (mut f, mut g, mut cap) = (vec![0; n], vec![0; n], vec![0; n]);
        prop_assert_eq!(secret_key::decode(logn, &bytes, &mut f, &mut g, &mut cap), Ok(()));
        prop_assert_eq!((&f[..], &g[..], &cap), (&fg[..n], &fg[n..], &capital_f));

        let bytes = mutate(bytes, &flips, resize);
        if secret_key::decode(logn, &bytes, &mut f, &mut g, &mut cap).is_ok() {
            let mut again = vec![0; bytes.len()];
            secret_key::encode(logn, &f, &g, &cap, &mut again);
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn no_decoder_panics_on_garbage(logn in 1..=MAX_LOGN, first in any::<u8>(), mut bytes in vec_of(any::<u8>(), 0..3000)) {
        if let Some(b) = bytes.first_mut() {
            *b = first & 0x70 | logn as u8;
        }
        let n = 1 << logn;
        for format in FORMATS {
            let _ = decode(format, logn, &bytes);
        }
        let _ = attached::open(logn, &bytes, &mut vec![0; n]);
        let _ = public_key::decode(logn, &bytes, &mut vec![0; n]);
        let _ = secret_key::decode(logn, &bytes, &mut vec![0; n], &mut vec![0; n], &mut vec![0; n]);
    }
}

/// Writes `bits`, most significant first, after header and nonce, and fills up with zeros.
fn signature_of_bits(header: u8, bits: &str) -> Vec<u8> {
    let mut bytes = vec![0; 1 + NONCE_LEN];
    bytes[0] = header;
    let bits: Vec<u8> = bits
        .bytes()
        .filter(|b| *b != b' ')
        .map(|b| b - b'0')
        .collect();
    for byte in bits.chunks(8) {
        let value = byte.iter().enumerate().map(|(i, bit)| bit << (7 - i)).sum();
        bytes.push(value);
    }
    bytes
}

fn compressed_of_bits(bits: &str) -> Result<Vec<i16>, DecodeError> {
    decode(Format::Compressed, 1, &signature_of_bits(0x31, bits)).map(|(_, s2)| s2)
}

/// Compresses by the definition of the code, bit by bit.
fn compressed_bit_by_bit(s2: &[i16]) -> Vec<u8> {
    let mut bits = Vec::new();
    for s in s2 {
        let magnitude = s.unsigned_abs();
        bits.push(u8::from(*s < 0));
        bits.extend((0..7).rev().map(|i| (magnitude >> i) as u8 & 1));
        bits.extend((0..magnitude >> 7).map(|_| 0));
        bits.push(1);
    }
    let byte = |bits: &[u8]| (0..).zip(bits).map(|(i, bit)| bit << (7 - i)).sum();
    bits.chunks(8).map(byte).collect()
}

/// Compresses `s2` and compares the result with the definition. A buffer that is one byte shorter
/// must be refused.
fn compresses_as_defined(isa: impl Isa, s2: &[i16]) {
    let expected = compressed_bit_by_bit(s2);
    let mut out = vec![0xa5; expected.len() + 9];
    assert_eq!(compressed_len(s2), Some(expected.len()));
    assert_eq!(
        compressed::compress(isa, s2, &mut out),
        Some(expected.len())
    );
    assert_eq!(out[..expected.len()], expected);
    assert_eq!(out[expected.len()..], [0xa5; 9]);
    let short = &mut out[..expected.len() - 1];
    assert_eq!(compressed::compress(isa, s2, short), None);
}

/// Compresses blocks with words of every length: words that are joined in fours, fours that are too
/// long to be joined, and words that are too long.
fn compresses_all_blocks_as_defined(isa: impl Isa) {
    for degree in [2usize, 64, 128, 192, 512, 1024] {
        for largest in [1, 127, 128, 500, 750, 1023, 1024, 2047] {
            let mut word = 1u32;
            let s2: Vec<i16> = (0..degree)
                .map(|_| {
                    word = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                    let magnitude = (word >> 8) % (largest + 1);
                    let sign = if word >> 7 & 1 == 0 { 1 } else { -1 };
                    magnitude as i16 * sign
                })
                .collect();
            compresses_as_defined(isa, &s2);
        }
    }
    // Tries every length of one four among short words, at every position in a byte.
    for runs in 0..=4 * 15u16 {
        for place in 0..8 {
            let mut s2 = [0; 512];
            s2[..place].fill(-130);
            let mut left = runs;
            for s in &mut s2[256..260] {
                let run = left.min(15);
                *s = -(128 * run as i16 + 5);
                left -= run;
            }
            compresses_as_defined(isa, &s2);
            // In this block, no word is longer than 16 bits.
            if runs <= 4 * 7 {
                let four = [0, 1, 2, 3].map(|i| 128 * ((runs + i) / 4) as i16 + 127);
                s2[256..260].copy_from_slice(&four);
                compresses_as_defined(isa, &s2);
            }
        }
    }
    for s in [2048, -2048, i16::MIN] {
        let mut s2 = [0; 512];
        s2[300] = s;
        assert_eq!(compressed::compress(isa, &s2, &mut [0; 1000]), None);
    }
}

#[test]
fn compression_is_as_defined() {
    compresses_all_blocks_as_defined(Baseline);
    #[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
    {
        if let Some(isa) = falcon_x86::Avx2::detect() {
            compresses_all_blocks_as_defined(isa);
        }
        if let Some(isa) = falcon_x86::Avx512::detect() {
            compresses_all_blocks_as_defined(isa);
        }
    }
    #[cfg(all(
        feature = "engines",
        target_arch = "aarch64",
        target_feature = "neon",
        target_endian = "little"
    ))]
    if let Some(isa) = falcon_neon::Neon::detect() {
        compresses_all_blocks_as_defined(isa);
    }
}

#[test]
fn compressed_code_words_mean_what_the_specification_says() {
    assert_eq!(
        compressed_of_bits("0 0000001 1  1 0000010 01"),
        Ok(vec![1, -130])
    );
    assert_eq!(
        compressed_of_bits("0 1111111 0000000000000001  1 1111111 0000000000000001"),
        Ok(vec![2047, -2047])
    );
}

#[test]
fn minus_zero_is_not_canonical() {
    assert_eq!(
        compressed_of_bits("1 0000000 1  0 0000001 1"),
        Err(DecodeError::NonCanonical)
    );
}

#[test]
fn a_run_for_2048_is_out_of_range() {
    let code = "0 0000000 00000000000000001  0 0000001 1";
    assert_eq!(compressed_of_bits(code), Err(DecodeError::Range));
}

#[test]
fn spare_bits_are_zero() {
    for spare in 1..64u8 {
        let mut bytes = signature_of_bits(0x31, "0 0000001 1  0 0000001 1");
        *bytes.last_mut().unwrap() |= spare;
        assert_eq!(
            decode(Format::Compressed, 1, &bytes),
            Err(DecodeError::NonCanonical)
        );
        bytes.resize(Format::Padded.max_len(1), 0);
        assert_eq!(
            decode(Format::Padded, 1, &bytes),
            Err(DecodeError::NonCanonical)
        );
    }
}

#[test]
fn trailing_bytes_are_refused_and_padding_is_zero() {
    let mut bytes = signature_of_bits(0x31, "0 0000001 1  0 0000001 1");
    bytes.push(0);
    assert_eq!(
        decode(Format::Compressed, 1, &bytes),
        Err(DecodeError::Length)
    );
    let bytes = encode(Format::Padded, 3, &[0; NONCE_LEN], &[1; 8]).unwrap();
    let used = encode(Format::Compressed, 3, &[0; NONCE_LEN], &[1; 8])
        .unwrap()
        .len();
    for at in used..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] = 1;
        assert_eq!(
            decode(Format::Padded, 3, &bytes),
            Err(DecodeError::NonCanonical)
        );
    }
    let mut long = bytes.clone();
    long.push(0);
    assert_eq!(decode(Format::Padded, 3, &long), Err(DecodeError::Length));
}

#[test]
fn every_cut_of_a_signature_is_a_wrong_length() {
    for format in FORMATS {
        let bytes = encode(format, 6, &[0; NONCE_LEN], &[150; 64]).unwrap();
        for len in 0..bytes.len() {
            assert_eq!(
                decode(format, 6, &bytes[..len]),
                Err(DecodeError::Length),
                "{format:?} {len}"
            );
        }
    }
}

#[test]
fn headers_of_other_objects_degrees_and_formats_are_refused() {
    for format in FORMATS {
        let bytes = encode(format, 6, &[0; NONCE_LEN], &[150; 64]).unwrap();
        for first in (0..=255).filter(|&first| first != bytes[0]) {
            let mut bytes = bytes.clone();
            bytes[0] = first;
            assert_eq!(decode(format, 6, &bytes), Err(DecodeError::Header));
        }
    }
    let mut key = vec![0; public_key::encoded_len(9)];
    key[0] = 0x0a;
    assert_eq!(
        public_key::decode(9, &key, &mut [0; 512]),
        Err(DecodeError::Header)
    );
    let mut key = vec![0; secret_key::encoded_len(9)];
    key[0] = 0x59 ^ 0x08;
    let result = secret_key::decode(9, &key, &mut [0; 512], &mut [0; 512], &mut [0; 512]);
    assert_eq!(result, Err(DecodeError::Header));
}

#[test]
fn the_least_value_of_each_two_s_complement_field_is_out_of_range() {
    let mut bytes = encode(Format::ConstantTime, 4, &[0; NONCE_LEN], &[-2047; 16]).unwrap();
    // The value is 1000 0000 0001, so this clears the last bit of the first field.
    bytes[1 + NONCE_LEN + 1] &= 0x0f;
    assert_eq!(
        decode(Format::ConstantTime, 4, &bytes),
        Err(DecodeError::Range)
    );

    for logn in 1..=MAX_LOGN {
        let n = 1 << logn;
        let least = -(1i16 << (FG_BITS[logn as usize] - 1)) as i8;
        for wrong in 0..3 {
            let mut polynomials = [vec![1; n], vec![2; n], vec![3; n]];
            polynomials[wrong][n - 1] = if wrong == 2 { -128 } else { least };
            let mut bytes = vec![0; secret_key::encoded_len(logn)];
            secret_key::encode(
                logn,
                &polynomials[0],
                &polynomials[1],
                &polynomials[2],
                &mut bytes,
            );
            let [f, g, capital_f] = &mut polynomials;
            let result = secret_key::decode(logn, &bytes, f, g, capital_f);
            assert_eq!(
                result,
                Err(DecodeError::Range),
                "logn {logn}, polynomial {wrong}"
            );
        }
    }
}

#[test]
fn public_values_of_q_or_more_are_out_of_range() {
    for value in [12289, 12290, 16383] {
        let mut h = vec![12288; 512];
        let mut bytes = vec![0; public_key::encoded_len(9)];
        h[511] = value;
        public_key::encode(9, &h, &mut bytes);
        assert_eq!(
            public_key::decode(9, &bytes, &mut h),
            Err(DecodeError::Range)
        );
    }
}

#[test]
fn spare_bits_of_a_public_key_are_zero() {
    // Only degree 2 has spare bits: 28 bits in 4 bytes.
    assert_eq!(
        public_key::decode(1, &[1, 0, 0, 0, 1], &mut [0; 2]),
        Err(DecodeError::NonCanonical)
    );
}

#[test]
fn coefficients_beyond_2047_are_not_written() {
    for format in FORMATS {
        for s in [2048, -2048, i16::MAX, i16::MIN] {
            assert_eq!(
                encode(format, 3, &[0; NONCE_LEN], &[0, 0, 0, s, 0, 0, 0, 0]),
                None
            );
        }
    }
}

#[test]
fn lengths_are_those_of_the_parameter_sets() {
    use crate::params::{Parameters, for_every_set};
    fn check<P: Parameters>() {
        assert_eq!(public_key::encoded_len(P::LOGN), P::VERIFYING_KEY_LEN);
        assert_eq!(secret_key::encoded_len(P::LOGN), P::SIGNING_KEY_LEN);
        assert_eq!(Format::Compressed.max_len(P::LOGN), P::COMPRESSED_MAX_LEN);
        assert_eq!(Format::Padded.max_len(P::LOGN), P::PADDED_LEN);
        assert_eq!(Format::ConstantTime.max_len(P::LOGN), P::CT_LEN);
    }
    for_every_set!(check);
    let padded: Vec<usize> = (2..9).map(|logn| Format::Padded.max_len(logn)).collect();
    assert_eq!(padded, [47, 52, 63, 82, 122, 200, 356]);
}

/// Returns values whose four code words have `len` bits together.
fn four_words_of(len: u32, longest_run: u32) -> [i16; 4] {
    let mut zeros = len - 4 * compressed::MIN_LEN;
    [(); 4].map(|()| {
        let run = zeros.min(longest_run);
        zeros -= run;
        -(128 * run as i16 + 127)
    })
}

/// Four code words are read at once if they have at most 57 bits together. This test tries every
/// position in a byte for the end of the first four words, and every length for the second four.
/// Then come short words, or words that are just too long. The encoder joins the words of whole
/// blocks of 128 if no run has more than seven zeros.
#[test]
fn code_words_of_all_lengths_are_read_together_or_alone() {
    let shortest = 4 * compressed::MIN_LEN;
    for (logn, longest_run) in [(5, compressed::MAX_LEN - compressed::MIN_LEN), (7, 7)] {
        for len in shortest..=shortest + 4 * longest_run {
            for (begun, next) in (0..8).flat_map(|begun| [(begun, shortest), (begun, 58)]) {
                let mut s2 = vec![-127; 1 << logn];
                for (group, len) in [shortest + begun, len, next, next].into_iter().enumerate() {
                    s2[4 * group..][..4].copy_from_slice(&four_words_of(len, longest_run));
                }
                let nonce = [0; NONCE_LEN];
                let bytes = encode(Format::Compressed, logn, &nonce, &s2).expect("it fits");
                let code = &bytes[1 + NONCE_LEN..];
                let mut read = vec![0; 1 << logn];
                assert_eq!(decompress(code, &mut read), Ok(code.len()));
                assert_eq!(read, s2, "{len} {next} {begun}");
                // Both decoders refuse cut bytes as too short, and agree on changed bytes.
                for cut in 0..code.len() {
                    assert_eq!(
                        decompress(&code[..cut], &mut read),
                        Err(DecodeError::Length)
                    );
                }
                let mut spoiled = code.to_vec();
                for at in 0..code.len() {
                    spoiled[at] ^= 0xff;
                    _ = decompress(&spoiled, &mut read);
                    spoiled[at] ^= 0xff;
                }
                let read = decode(Format::Compressed, logn, &bytes);
                assert_eq!(read, Ok((nonce, s2)), "{len} {next} {begun}");
            }
        }
    }
}

/// Checks that a run of zeros that is too long gives `Range`, and that missing bytes give `Length`.
#[test]
fn the_end_of_the_bytes_is_told_from_a_run_that_is_too_long() {
    let mut s2 = [0; 2];
    let mut error = |bytes: &[u8]| decompress(bytes, &mut s2).err();
    // The first word has 9 bits. A run of zeros is known to be too long once 24 bits are there.
    for len in 0..=8 {
        let mut bytes = [0, 0x80, 0, 0, 0, 0, 0, 0][..len].to_vec();
        let expected = if len < 5 {
            DecodeError::Length
        } else {
            DecodeError::Range
        };
        assert_eq!(error(&bytes), Some(expected), "{len}");
        bytes.fill(0);
        let expected = if len < 3 {
            DecodeError::Length
        } else {
            DecodeError::Range
        };
        assert_eq!(error(&bytes), Some(expected), "{len}");
    }
}

/// Opens an input without a message. No byte of a message can then be mistaken for the header.
#[test]
fn a_signed_message_that_is_cut_or_longer_than_it_says_has_a_wrong_length() {
    let logn = 3;
    let mut out = vec![0; 100];
    let len =
        attached::seal(Baseline, logn, &[9; NONCE_LEN], b"", &[5; 8], &mut out).expect("100 bytes");
    out.truncate(len);
    let open = |bytes: &[u8]| attached::open(logn, bytes, &mut [0; 8]).err();
    assert_eq!(open(&out), None);
    for len in 0..len {
        assert_eq!(open(&out[..len]), Some(DecodeError::Length), "{len}");
    }
    // One byte follows the code, and the length counts it.
    out.push(0);
    out[1] += 1;
    assert_eq!(open(&out), Some(DecodeError::Length));
}
