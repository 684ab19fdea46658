//! Opens ciphertexts with secret keys of Classic McEliece. The input lists the bits to flip in a
//! valid key and a valid ciphertext, so the lengths are always right.
//!
//! A key with unchanged Goppa polynomial and pivots is accepted. All engines open the ciphertext
//! alike, alone and in a batch. If Goppa polynomial and control bits are unchanged, the secret is
//! also computed from its definition. A flipped bit of the syndrome flips the same bit of the error
//! vector, since the matrix begins with the identity. The weight of this vector and the
//! confirmation decide which secret results.
#![no_main]

use falcon_keccak::Shake256;
use libfuzzer_sys::fuzz_target;
use mceliece_core::*;
use std::sync::LazyLock;

/// A valid key, an error vector and its ciphertext.
struct Known {
    key: Vec<u8>,
    e: Vec<u8>,
    ciphertext: Vec<u8>,
}

fn hash(first: u8, pieces: &[&[u8]]) -> [u8; 32] {
    let mut hash = Shake256::new();
    hash.update(&[first]);
    for piece in pieces {
        hash.update(piece);
    }
    hash.finalize().read_array()
}

impl Known {
    fn new<P: Parameters>() -> Self {
        let pair = KeyPair::<P>::from_seed(&[7; 32]);
        let mut e = vec![0; P::N / 8];
        for place in (0..P::T).map(|i| (37 * i + 5) % P::N) {
            e[place / 8] |= 1 << (place % 8);
        }
        let rows = P::M * P::T;
        let bit = |i: usize| e[i / 8] >> (i % 8) & 1;
        let mut ciphertext = vec![0; rows.div_ceil(8)];
        let row_len = P::PUBLIC_KEY_LEN / rows;
        for (i, row) in pair.public_key.as_bytes().chunks(row_len).enumerate() {
            let products = (rows..P::N).map(|j| row[(j - rows) / 8] >> ((j - rows) % 8) & bit(j));
            let sum = products.fold(bit(i), |sum, product| sum ^ product);
            ciphertext[i / 8] |= sum << (i % 8);
        }
        if ciphertext.len() < P::CIPHERTEXT_LEN {
            ciphertext.extend(hash(2, &[&e]));
        }
        Self {
            key: pair.secret_key.as_bytes().to_vec(),
            e,
            ciphertext,
        }
    }
}

/// Makes `changes`. Each flips bits of one byte: two bytes give its place, and the third the mask.
fn change(bytes: &mut [u8], changes: &[[u8; 3]]) {
    for [low, high, mask] in changes {
        let place = usize::from(u16::from_le_bytes([*low, *high]));
        bytes[place % bytes.len()] ^= mask;
    }
}

fn open<P: Parameters>(known: &Known, of_key: &[[u8; 3]], of_ciphertext: &[[u8; 3]]) {
    let mut key = known.key.clone();
    change(&mut key, of_key);
    let mut bytes = known.ciphertext.clone();
    change(&mut bytes, of_ciphertext);
    let (control, s) = (40 + 2 * P::T, P::SECRET_KEY_LEN - P::N / 8);
    let decoded = match SecretKey::<P>::try_from(&key[..]) {
        Ok(decoded) => decoded,
        Err(error) => {
            assert_ne!(key[32..control], known.key[32..control], "{error}");
            return;
        }
    };
    assert_eq!(decoded.as_bytes(), key);
    // These sets have no padding.
    let ciphertext = Ciphertext::<P>::try_from(&bytes[..]).expect("the right length");
    let best = engines::names().next().expect("one at least");
    let opened = decoded.decapsulate(&ciphertext);
    for name in engines::names() {
        assert!(engines::choose(name));
        assert_eq!(decoded.decapsulate(&ciphertext), opened, "{name}");
    }
    assert!(engines::choose(best));
    // There are enough ciphertexts to be hashed side by side.
    let several = decoded.decapsulate_batch(&[(); 3].map(|()| ciphertext.clone()));
    assert!(several.iter().all(|secret| *secret == opened) && several.len() == 3);

    if key[40..s] != known.key[40..s] {
        return;
    }
    let (c0, c1) = bytes.split_at(P::M * P::T / 8);
    let mut e = known.e.clone();
    for (e, (c0, known)) in e.iter_mut().zip(c0.iter().zip(&known.ciphertext)) {
        *e ^= c0 ^ known;
    }
    let weight: u32 = e.iter().map(|byte| byte.count_ones()).sum();
    let confirmed = c1.is_empty() || c1 == hash(2, &[&e]);
    let expected = if weight as usize == P::T && confirmed {
        hash(1, &[&e, &bytes])
    } else {
        hash(0, &[&key[s..], &bytes])
    };
    assert_eq!(*opened.as_bytes(), expected, "weight {weight}");
}

fuzz_target!(|bytes: &[u8]| {
    static SMALL: LazyLock<Known> = LazyLock::new(Known::new::<Mceliece348864f>);
    static CONFIRMED: LazyLock<Known> = LazyLock::new(Known::new::<Mceliece460896pcf>);
    let [set, count, rest @ ..] = bytes else {
        return;
    };
    let changes = rest.as_chunks().0;
    let (of_key, of_ciphertext) = changes.split_at(changes.len().min(*count as usize % 16));
    match set & 1 {
        0 => open::<Mceliece348864f>(&SMALL, of_key, of_ciphertext),
        _ => open::<Mceliece460896pcf>(&CONFIRMED, of_key, of_ciphertext),
    }
});
