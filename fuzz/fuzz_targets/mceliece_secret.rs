//! Decodes secret keys, their first 40 bytes, and ciphertexts of Classic McEliece. An accepted
//! object has only one encoding, which is the input, and follows the rules of the decoder, which
//! are implemented here a second time. An accepted key gives a secret for every ciphertext, and the
//! same secret each time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mceliece_core::*;

/// Multiplies in the field of `2^m` elements, by long division.
fn product(m: usize, a: u16, b: u16) -> u16 {
    let modulus: u32 = if m == 12 { 0x1009 } else { 0x201b };
    let mut x = (0..m).fold(0, |x, i| x ^ ((u32::from(a) << i) * u32::from(b >> i & 1)));
    for i in (m..2 * m).rev() {
        x ^= (modulus << (i - m)) * (x >> i & 1);
    }
    x as u16
}

/// Returns true if the monic polynomial `g` vanishes at `at`.
fn vanishes(m: usize, g: &[u16], at: u16) -> bool {
    let horner = |value, &g: &u16| product(m, value, at) ^ g;
    g.iter().rev().fold(1, horner) == 0
}

fn fits(name: &str, pivots: &[u8]) -> bool {
    let pivots = u64::from_le_bytes(pivots.try_into().expect("eight bytes"));
    if name.ends_with('f') {
        pivots.count_ones() == 32
    } else {
        pivots == 0xffff_ffff
    }
}

fn secret_key<P: Parameters>(bytes: &[u8]) {
    let decoded = SecretKey::<P>::try_from(bytes);
    let (expected, actual) = (P::SECRET_KEY_LEN, bytes.len());
    if actual != expected {
        let error = DecodeError::Length { expected, actual };
        assert_eq!(decoded.err(), Some(error));
        return;
    }
    let g: Vec<u16> = bytes[40..40 + 2 * P::T]
        .chunks(2)
        .map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
        .collect();
    let error = if !fits(P::NAME, &bytes[32..40]) {
        Some(DecodeError::Pivots)
    } else if g.iter().any(|g| g >> P::M != 0) {
        Some(DecodeError::Range)
    } else {
        None
    };
    let key = match (decoded, error) {
        (Ok(key), None) => key,
        (Err(DecodeError::InvalidKey), None) => {
            assert!((0..1 << P::M).any(|at| vanishes(P::M, &g, at)));
            return;
        }
        (decoded, error) => return assert_eq!(decoded.err(), error),
    };
    // Tries some of the points, including zero.
    for at in (0..1 << P::M).step_by(331) {
        assert!(!vanishes(P::M, &g, at));
    }
    assert_eq!(key.as_bytes(), bytes);
    assert_eq!(key.compressed(), &bytes[..40]);
    let mut received = bytes[40..40 + P::CIPHERTEXT_LEN].to_vec();
    // Clears the padding of the sets of length 6960.
    received[(P::M * P::T).div_ceil(8) - 1] &= 0x07;
    let received = Ciphertext::<P>::try_from(&received[..]).expect("padded");
    assert_eq!(key.decapsulate(&received), key.decapsulate(&received));
}

fn compressed<P: Parameters>(bytes: &[u8; 40]) {
    match SecretKey::<P>::from_compressed(bytes) {
        Ok(key) => {
            assert!(fits(P::NAME, &bytes[32..]));
            assert_eq!(key.compressed(), bytes);
            let again = SecretKey::<P>::try_from(key.as_bytes()).expect("a key");
            assert_eq!(again.as_bytes(), key.as_bytes());
        }
        Err(DecodeError::Pivots) => assert!(!fits(P::NAME, &bytes[32..])),
        Err(error) => assert_eq!(error, DecodeError::InvalidKey),
    }
}

fn ciphertext<P: Parameters>(bytes: &[u8]) {
    let (expected, actual) = (P::CIPHERTEXT_LEN, bytes.len());
    let last = (P::M * P::T).div_ceil(8) - 1;
    let padding = !(0xff_u32 >> (8 * (last + 1) - P::M * P::T)) as u8;
    let error = if actual != expected {
        Some(DecodeError::Length { expected, actual })
    } else if bytes[last] & padding != 0 {
        Some(DecodeError::Padding)
    } else {
        None
    };
    let decoded = Ciphertext::<P>::try_from(bytes);
    assert_eq!(decoded.as_ref().err(), error.as_ref());
    if let Ok(decoded) = decoded {
        assert_eq!(decoded.as_bytes(), bytes);
    }
}

fuzz_target!(|bytes: &[u8]| {
    macro_rules! every {
        ($function:ident: $($set:ident)*) => {
            $($function::<$set>(bytes);)*
        };
    }
    every!(ciphertext: Mceliece348864 Mceliece460896pc Mceliece6688128 Mceliece6960119
        Mceliece6960119pcf Mceliece8192128f);
    every!(secret_key: Mceliece348864 Mceliece348864f Mceliece460896pcf Mceliece6960119
        Mceliece6960119f Mceliece8192128);
    if let Ok(bytes) = bytes.try_into() {
        compressed::<Mceliece348864>(bytes);
        compressed::<Mceliece348864f>(bytes);
    }
});
