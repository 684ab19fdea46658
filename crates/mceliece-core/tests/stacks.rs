//! No secret is left on the stack or in memory that is freed, on any engine of the machine.
//!
//! A thread does the work on a stack that this test owns. The test searches the stack when the
//! thread has ended. Secrets are searched for as pieces of neighbouring bytes. Values that are not
//! known to the test, such as the products of an inversion or spilled registers, are counted:
//! nearly all words of the stack must be zero. Every freed block is searched, too.
#![cfg(target_os = "linux")]

mod common;
#[path = "../../../tests/stacks/freed.rs"]
mod freed;
#[allow(dead_code, reason = "the tests of Falcon use all of it")]
#[path = "../../../tests/stacks/search.rs"]
mod search;

use common::{error_vector, positions, repeated};
use falcon_kat::Again;
use freed::{freed_by, look_for};
use mceliece_core::*;
use search::{Search, Secret, stack_after};
use std::hint::black_box;
use zeroize::Zeroizing;

/// Counts the nonzero words of 8 bytes on the stack of a thread that has done `work`.
fn words_after(work: impl FnOnce() + Send) -> usize {
    let stack = stack_after(work);
    let words = stack.as_chunks::<8>().0;
    words.iter().filter(|word| **word != [0; 8]).count()
}

/// Secrets of a key, and the shared secret of the ciphertext that `repeated(3)` makes for it.
fn secrets<P: Parameters>(pair: &KeyPair<P>, secret: &SharedSecret) -> Vec<Secret> {
    let key = pair.secret_key.as_bytes();
    let (goppa, control) = (40, 40 + 2 * P::T);
    let s = key.len() - P::N / 8;
    let positions = positions::<P>(&mut repeated(3)).into_iter();
    let positions: Vec<u8> = positions.flat_map(|i| (i as u16).to_le_bytes()).collect();
    let part = |name, bytes: &[u8], step| Secret::new(name, bytes.to_vec(), 8, step);
    vec![
        part("the seed", &key[..32], 1),
        part("the seed that a generator gives", DRAWN, 1),
        part("the Goppa polynomial", &key[goppa..control], 2),
        part("the control bits", &key[control..s], 1),
        part("the secret s", &key[s..], 1),
        part("the shared secret", secret.as_bytes(), 1),
        part("the positions of errors", &positions, 2),
    ]
}

/// Bytes that a generator gives.
static DRAWN: &[u8] = b"the generator of a PC gave this!";

/// Number of words that may be left besides those of an idle thread: addresses, lengths, saved
/// registers. Before stacks were wiped, some hundreds were left.
const LEFT: usize = 150;

fn leaves_nothing<P: Parameters>() {
    let pair = KeyPair::<P>::from_seed(&[7; 32]);
    let (ciphertext, secret) = pair.public_key.encapsulate(&mut repeated(3));
    // Enough ciphertexts to be hashed side by side.
    let several = [(); 4].map(|()| ciphertext.clone());
    let (pair, ciphertext, several) = (&pair, &several[0], &several);
    let scratch_keys = |generate: &dyn Fn(&mut KeygenScratch<'_, P>, &mut [u8])| {
        let mut words = vec![0; KeygenScratch::<P>::MIN_WORDS];
        let mut secret_key = Zeroizing::new(vec![0; P::SECRET_KEY_LEN]);
        let mut scratch = KeygenScratch::<P>::small(&mut words).expect("enough");
        generate(&mut scratch, &mut secret_key);
    };
    let works: [(&str, &(dyn Fn() + Sync)); 12] = [
        ("generated", &|| {
            black_box(&KeyPair::<P>::from_seed(&[7; 32]));
        }),
        ("generated with randomness", &|| {
            black_box(&KeyPair::<P>::generate(&mut Again(DRAWN)));
        }),
        ("generated in memory of the caller", &|| {
            scratch_keys(&|scratch, secret_key| {
                let mut public_key = vec![0; P::PUBLIC_KEY_LEN];
                let made = scratch.generate(&mut Again([7]), secret_key, &mut public_key);
                assert_eq!(made, Ok(()));
            });
        }),
        ("generated column by column", &|| {
            scratch_keys(&|scratch, secret_key| {
                let made = scratch.generate_columns(&mut Again([7]), secret_key, |_, _| ());
                assert_eq!(made, Ok(()));
            });
        }),
        ("decoded", &|| {
            black_box(&SecretKey::<P>::try_from(pair.secret_key.as_bytes()).is_ok());
        }),
        ("computed from 40 bytes", &|| {
            black_box(&SecretKey::<P>::from_compressed(pair.secret_key.compressed()).is_ok());
        }),
        ("encapsulated", &|| {
            black_box(&pair.public_key.encapsulate(&mut repeated(3)));
        }),
        ("encapsulated in pieces", &|| {
            let mut stream = EncapsulateStream::<P>::new(&mut repeated(3));
            for piece in pair.public_key.as_bytes().chunks(999) {
                stream.update(piece);
            }
            black_box(&stream.finish().is_ok());
        }),
        ("encapsulated in pieces, too few", &|| {
            let mut stream = EncapsulateStream::<P>::new(&mut repeated(3));
            stream.update(&pair.public_key.as_bytes()[1..]);
            assert!(black_box(&stream.finish()).is_err());
        }),
        ("encapsulated in pieces, dropped", &|| {
            let mut stream = EncapsulateStream::<P>::new(&mut repeated(3));
            stream.update(&pair.public_key.as_bytes()[1..]);
            black_box(&stream);
        }),
        ("decapsulated", &|| {
            black_box(&pair.secret_key.decapsulate(ciphertext));
        }),
        ("decapsulated as a batch", &|| {
            black_box(&pair.secret_key.decapsulate_batch(several));
        }),
    ];
    let mut search = Search::new(secrets(pair, &secret));
    // Most bits of the error vector are zero, so long pieces are searched for. The caller of a
    // stream moves the stream, and the vector with it.
    let e = error_vector::<P>(&mut repeated(3));
    let mut search_vector = Search::new(vec![Secret::new("the error vector", e, 64, 1)]);
    let key = pair.secret_key.as_bytes();
    let (goppa, control, s) = (40, 40 + 2 * P::T, key.len() - P::N / 8);
    let secret = secret.as_bytes();
    look_for(&[
        &key[..32],
        &key[goppa..],
        &key[control..],
        &key[s..],
        secret,
    ]);
    let nothing = words_after(|| ());
    let mut left = Vec::new();
    for name in engines::names().collect::<Vec<_>>() {
        assert!(engines::choose(name));
        for (what, work) in works {
            let what = format!("{what} on {name}");
            search.after(&what, work);
            if !what.starts_with("encapsulated in pieces") {
                search_vector.after(&what, work);
            }
            let blocks = freed_by(work);
            if blocks > 0 {
                left.push(format!("{what}: {blocks} blocks with a secret"));
            }
            let words = words_after(work) - nothing;
            if words > LEFT {
                left.push(format!("{what}: {words} words"));
            }
        }
    }
    search.end();
    search_vector.end();
    assert!(left.is_empty(), "left:\n{}", left.join("\n"));
}

/// The traits of the crate `kem` return the shared secret as a plain array, which `work` wipes.
#[cfg(feature = "kem")]
fn the_traits_leave_nothing() {
    use mceliece_core::kem::{Decapsulate, DecapsulationKey, Generate};
    use zeroize::Zeroize;

    type P = Mceliece348864f;
    let pair = KeyPair::<P>::from_seed(&[7; 32]);
    let (ciphertext, secret) = pair.public_key.encapsulate(&mut repeated(3));
    let mut search = Search::new(secrets(&pair, &secret));
    let key = DecapsulationKey::from(pair);
    let ciphertext = ciphertext.to_bytes().into();
    // Dropped later, because dropping a key uses the same part of the stack again.
    let mut made = None;
    search.after("generated by the trait", || {
        made = Some(DecapsulationKey::<P>::try_generate_from_rng(&mut Again([
            7,
        ])));
    });
    assert!(made.is_some_and(|made| made.is_ok()));
    search.after("decapsulated by the trait", || {
        let mut shared = key.decapsulate(&ciphertext);
        black_box(&shared);
        shared.zeroize();
    });
    search.end();
}

/// This is a single test, since the choice of the engine holds for the whole process.
#[test]
fn nothing_is_left() {
    #[cfg(feature = "kem")]
    the_traits_leave_nothing();
    leaves_nothing::<Mceliece348864f>();
    leaves_nothing::<Mceliece6960119pcf>();
}
