//! Runs each operation between two calls of `mark`, so that a plugin of QEMU can count its
//! instructions (`benches/firmware/run.sh`). Prints a line for each pair of calls: the operation,
//! the parameter set, the number of times it ran, and its stack in bytes.
#![no_std]
#![no_main]

use core::hint::black_box;
use falcon_core::hazmat::{Fit, RawRandomness, sign_raw};
use falcon_core::{
    Falcon512, Falcon1024, Format, KeygenScratch, Scratch, Signature, SigningKey, VerifyingKey,
};
use falcon_firmware::{known_answer as kat, platform, report, stack};
use static_cell::ConstStaticCell;

falcon_firmware::program!(run);

/// Memory that suffices for Falcon-1024.
struct Memory {
    reals: [f64; Scratch::<Falcon1024>::LEN],
    words: [u32; KeygenScratch::<Falcon1024>::WORDS],
    wide: [i64; KeygenScratch::<Falcon1024>::WIDE],
    residues: [i16; KeygenScratch::<Falcon1024>::RESIDUES],
}

/// Number of keys that are generated, and number of signatures. Several keys are generated, since
/// the time of key generation varies.
const KEYS: u8 = 8;
const SIGNATURES: u8 = 4;

/// A mark. The plugin counts instructions between calls of this function.
#[inline(never)]
fn mark() {
    // The function has its own constant, since the compiler would merge two functions with the same
    // code and remove a symbol.
    black_box("count::mark");
}

/// Calls `work` with zero, in a separate frame, as [`stack::measure`] requires.
#[inline(never)]
fn apart(work: &mut impl FnMut(u8)) {
    work(0);
}

/// Calls `work` with each number below `times`, counts its instructions and measures its stack.
fn count(operation: &str, times: u8, mut work: impl FnMut(u8)) {
    let ((), bytes) = stack::measure(|| apart(&mut work));
    mark();
    for i in 0..times {
        work(i);
    }
    mark();
    report::words(operation);
    report::digits(usize::from(times));
    report::words(" ");
    report::digits(bytes);
    report::line("");
}

/// Counts every operation of one parameter set.
macro_rules! operations {
    ($memory:ident, $parameters:ty, $name:literal) => {{
        let seed = |i| [i; 32];
        // These calls cannot fail with memory of this size.
        let Ok(mut keygen) = KeygenScratch::<$parameters>::new(
            &mut $memory.words,
            &mut $memory.wide,
            &mut $memory.residues,
        ) else {
            platform::exit(false)
        };
        let Ok(mut scratch) = Scratch::<$parameters>::new(&mut $memory.reals) else {
            platform::exit(false)
        };
        count(concat!("keygen/seed/", $name, " "), KEYS, |i| {
            black_box(SigningKey::<$parameters>::from_seed_in(&seed(i), &mut keygen).is_ok());
        });
        let Ok(key) = SigningKey::<$parameters>::from_seed_in(&seed(1), &mut keygen) else {
            platform::exit(false)
        };
        let encoded_key = key.to_bytes();
        let sign = |key: &SigningKey<$parameters>, i, scratch: &mut Scratch<'_, $parameters>| {
            let randomness = RawRandomness {
                nonce: &[i; 40],
                seed: &[i; 48],
            };
            match sign_raw(key, randomness, kat::MESSAGE, Fit::Padded, scratch) {
                Ok(signature) => signature,
                Err(_) => platform::exit(false),
            }
        };
        let mut encoded = [0; 1280];
        count(concat!("sign/encoded/", $name, " "), SIGNATURES, |i| {
            let Ok(key) = SigningKey::<$parameters>::try_from(&encoded_key[..]) else {
                platform::exit(false)
            };
            let signature = sign(&key, i, &mut scratch);
            black_box(signature.encode(Format::Padded, &mut encoded).is_ok());
        });
        count(concat!("sign/decoded/", $name, " "), SIGNATURES, |i| {
            let signature = sign(&key, i, &mut scratch);
            black_box(signature.encode(Format::Padded, &mut encoded).is_ok());
        });
        let signature = sign(&key, 0, &mut scratch);
        let encoded_key = key.verifying_key().to_bytes();
        let Ok(len) = signature.encode(Format::Padded, &mut encoded) else {
            platform::exit(false)
        };
        let encoded = encoded.get(..len).unwrap_or_default();
        let verify = |key: &VerifyingKey<$parameters>| {
            let signature = Signature::from_bytes(Format::Padded, encoded);
            if !signature.is_ok_and(|signature| key.verify(kat::MESSAGE, &signature).is_ok()) {
                platform::exit(false)
            }
        };
        count(
            concat!("verify/encoded/", $name, " "),
            SIGNATURES,
            |_| match &VerifyingKey::<$parameters>::try_from(&encoded_key[..]) {
                Ok(key) => verify(key),
                Err(_) => platform::exit(false),
            },
        );
        count(concat!("verify/prepared/", $name, " "), SIGNATURES, |_| {
            verify(key.verifying_key());
        });
    }};
}

fn run() -> ! {
    static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory {
        reals: [0.0; _],
        words: [0; _],
        wide: [0; _],
        residues: [0; _],
    });
    let memory = MEMORY.take();
    operations!(memory, Falcon512, "falcon-512");
    operations!(memory, Falcon1024, "falcon-1024");
    mceliece::operations();
    platform::exit(true)
}

/// The operations of Classic McEliece: key generation in small memory, encapsulation to a public
/// key in pieces of 256 bytes, and decapsulation with a decoded key.
mod mceliece {
    use super::{ConstStaticCell, black_box, count, platform};
    use falcon_firmware::mceliece::{
        DECAPSULATION_348864, DECAPSULATION_6688128, Decapsulation, ENCAPSULATION_348864,
        ENCAPSULATION_8192128, Encapsulation, KEY_GENERATION_348864F as KEYS, Replay,
    };
    use mceliece_core::{
        Ciphertext, EncapsulateStream, KeygenScratch, Mceliece348864, Mceliece348864f,
        Mceliece6688128, Mceliece8192128, Parameters, SecretKey,
    };

    struct Memory {
        words: [u64; KeygenScratch::<Mceliece348864f>::MIN_WORDS],
        secret_key: [u8; Mceliece348864f::SECRET_KEY_LEN],
    }

    fn encapsulate<P: Parameters>(name: &str, known: &Encapsulation) {
        count(name, 1, |_| {
            let mut stream = EncapsulateStream::<P>::new(&mut Replay(known.randomness));
            for piece in known.public_key.chunks(256) {
                stream.update(piece);
            }
            black_box(stream.finish().is_ok());
        });
    }

    fn decapsulate<P: Parameters>(name: &str, known: &Decapsulation) {
        let key = SecretKey::<P, _>::from_bytes(known.secret_key);
        let (Ok(key), Ok(ciphertext)) = (key, Ciphertext::<P>::try_from(known.ciphertext)) else {
            platform::exit(false)
        };
        count(name, 1, |_| {
            black_box(key.decapsulate(&ciphertext));
        });
    }

    pub fn operations() {
        static MEMORY: ConstStaticCell<Memory> = ConstStaticCell::new(Memory {
            words: [0; _],
            secret_key: [0; _],
        });
        let memory = MEMORY.take();
        count("keygen/small/348864f ", 1, |_| {
            let Ok(mut scratch) = KeygenScratch::<Mceliece348864f>::small(&mut memory.words) else {
                platform::exit(false)
            };
            let visit = |_, column: &[u8]| {
                black_box(column);
            };
            let done = scratch.columns_from_seed(KEYS.seed, &mut memory.secret_key, visit);
            black_box(done.is_ok());
        });
        encapsulate::<Mceliece348864>("encapsulate/stream/348864 ", &ENCAPSULATION_348864);
        encapsulate::<Mceliece8192128>("encapsulate/stream/8192128 ", &ENCAPSULATION_8192128);
        decapsulate::<Mceliece348864>("decapsulate/decoded/348864 ", &DECAPSULATION_348864);
        decapsulate::<Mceliece6688128>("decapsulate/decoded/6688128 ", &DECAPSULATION_6688128);
    }
}
