//! Key generation, encapsulation and decapsulation of Classic McEliece, in little memory.

use crate::requests::{case, declassify, secret};
use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;
use mceliece_core::rand_core::{TryCryptoRng, TryRng};
use mceliece_core::{
    Ciphertext, EncapsulateStream, KeygenScratch, Mceliece348864f, Parameters, SecretKey,
};

type P = Mceliece348864f;

/// Number of rows of the public key.
const ROWS: usize = 768;

/// Random bytes that are marked as secret, from SplitMix64.
struct Marked(u64);

impl TryRng for Marked {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| word as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Ok(secret(z ^ z >> 31))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for bytes in out.chunks_mut(8) {
            let word = self.try_next_u64()?.to_le_bytes();
            bytes.copy_from_slice(&word[..bytes.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Marked {}

pub fn run() {
    let mut secret_key = vec![0; P::SECRET_KEY_LEN];
    let mut public_key = vec![0; P::PUBLIC_KEY_LEN];
    case("keys of mceliece348864f", || {
        generate(&mut secret_key, &mut public_key)
    });
    let mut encapsulated = None;
    case("encapsulation to mceliece348864f", || {
        let mut stream = EncapsulateStream::<P>::new(&mut Marked(1));
        for piece in public_key.chunks(256) {
            stream.update(piece);
        }
        let (mut ciphertext, shared) = stream.finish().expect("the whole key");
        declassify(&mut ciphertext);
        encapsulated = Some((ciphertext, shared));
    });
    case("decapsulation of mceliece348864f", || {
        let (ciphertext, mut shared) = encapsulated.expect("the case before");
        let key = SecretKey::<P, Vec<u8>>::from_bytes(secret_key).expect("its own encoding");
        let mut decapsulated = key.decapsulate(&ciphertext);
        declassify(&mut decapsulated);
        declassify(&mut shared);
        assert_eq!(decapsulated.as_bytes(), shared.as_bytes());
        // A ciphertext that was not made for the key.
        let ciphertext = [5; P::CIPHERTEXT_LEN];
        let ciphertext = Ciphertext::<P>::try_from(&ciphertext[..]).expect("as many bytes");
        let mut other = key.decapsulate(&ciphertext);
        declassify(&mut other);
        assert_ne!(other.as_bytes(), shared.as_bytes());
    });
}

fn generate(secret_key: &mut [u8], public_key: &mut [u8]) {
    let seed = secret([7; 32]);
    let mut words = vec![0; KeygenScratch::<P>::MIN_WORDS];
    let mut scratch = KeygenScratch::<P>::small(&mut words).expect("as many as it asks for");
    let row_len = public_key.len() / ROWS;
    let visit = |number: usize, column: &[u8]| {
        for (row, byte) in public_key.chunks_mut(row_len).zip(column) {
            row[number] = *byte;
        }
    };
    scratch
        .columns_from_seed(&seed, secret_key, visit)
        .expect("the length of a key");
    declassify(public_key);
}
