//! Classic McEliece: key generation, decoding of keys, encapsulation, decapsulation.
//!
//! Secrets are seeds, random bytes, secret keys and shared secrets. Public keys and ciphertexts are
//! public once they are made.

use super::case::{Case, silent};
use crate::valgrind::{classify, declassify};
use mceliece_core::engines;
use mceliece_core::kem::{Decapsulate, Encapsulate, Kem};
use mceliece_core::rand_core::{TryCryptoRng, TryRng};
use mceliece_core::{
    Ciphertext, EncapsulateStream, KeyPair, KeygenScratch, Mceliece348864, Mceliece348864f,
    Mceliece460896pcf, Mceliece6960119f, Mceliece8192128f, Parameters, PublicKey, SecretKey,
    SharedSecret,
};
use std::convert::Infallible;
use std::hint::black_box;
use std::rc::Rc;

/// Random bytes that are marked as secret, from SplitMix64.
struct Marked {
    state: u64,
    /// Number of requests for random bytes so far.
    draws: usize,
}

impl Marked {
    fn new(seed: u64) -> Self {
        Self {
            state: seed,
            draws: 0,
        }
    }

    fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

impl TryRng for Marked {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| word as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let word = self.word();
        classify(&word);
        Ok(word)
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.draws += 1;
        for bytes in out.chunks_mut(8) {
            bytes.copy_from_slice(&self.word().to_le_bytes()[..bytes.len()]);
        }
        classify(out);
        Ok(())
    }
}

impl TryCryptoRng for Marked {}

/// A seed whose first attempt gives a key of the sets with `f`.
const SEED: [u8; 32] = [7; 32];
/// A seed that does not give a key of mceliece348864.
const REFUSED: [u8; 32] = [1; 32];
/// A generator state whose first draw of 128 positions for mceliece8192128 repeats a position.
const REFUSED_DRAW: u64 = 2;

/// The cases of one engine.
struct Cases<'a> {
    engine: &'static str,
    cases: &'a mut Vec<Case>,
}

impl Cases<'_> {
    fn push(&mut self, name: &str, run: impl Fn() + 'static) {
        let engine = self.engine;
        silent(self.cases, format!("{engine}: {name}"), move || {
            assert!(engines::choose(engine), "the machine has the engine");
            run();
        });
    }

    /// Adds the cases of encapsulation and decapsulation.
    fn work<P: Parameters + 'static>(&mut self, pair: &Rc<KeyPair<P>>) {
        let name = |what: &str| format!("{} {what}", P::NAME);
        let of = pair.clone();
        self.push(&name("encapsulated, whole and in pieces"), move || {
            encapsulated(&of.public_key, 1);
        });
        let of = pair.clone();
        self.push(&name("decapsulated"), move || decapsulated(&of));
        let of = pair.clone();
        self.push(&name("decapsulated as a batch"), move || batch(&of));
    }

    /// Recomputes the keys from 40 bytes.
    fn computed_again<P: Parameters + 'static>(&mut self, pair: &Rc<KeyPair<P>>) {
        let of = pair.clone();
        let name = format!("{} keys from 40 bytes", P::NAME);
        self.push(&name, move || computed_again(&of));
    }
}

/// Adds the cases of each engine of the machine. Under Valgrind, AVX-512 is not visible.
pub(super) fn add(cases: &mut Vec<Case>) {
    // These keys are made before the cases, so that a planted leak acts only on marked secrets.
    let small = Rc::new(KeyPair::<Mceliece348864f>::from_seed(&SEED));
    let large = Rc::new(KeyPair::<Mceliece460896pcf>::from_seed(&SEED));
    let mut engines: Vec<_> = engines::names().collect();
    // The portable code comes first, since `plants.txt` lists its leaks first.
    engines.reverse();
    for engine in engines {
        let mut cases = Cases { engine, cases };
        cases.push("mceliece348864f generated", generated::<Mceliece348864f>);
        cases.push(
            "mceliece460896pcf generated",
            generated::<Mceliece460896pcf>,
        );
        cases.push(
            "mceliece348864f generated in small memory",
            in_small_memory::<Mceliece348864f>,
        );
        cases.push("mceliece6960119f generated", generated::<Mceliece6960119f>);
        cases.push(
            "mceliece348864 generated after refused seeds",
            after_refused,
        );
        cases.push("mceliece348864f through the traits of kem", traits);
        cases.computed_again(&small);
        cases.work(&small);
        cases.work(&large);
        cases.push("mceliece6960119f encapsulated to padded rows", || {
            let key = vec![0x1f; Mceliece6960119f::PUBLIC_KEY_LEN].into_boxed_slice();
            let key = PublicKey::<Mceliece6960119f>::from_bytes(key);
            encapsulated(&key.expect("padded"), 1);
        });
        cases.push("mceliece8192128f encapsulated after a refused draw", || {
            let key = vec![0x5a; Mceliece8192128f::PUBLIC_KEY_LEN].into_boxed_slice();
            let key = PublicKey::<Mceliece8192128f>::from_bytes(key);
            let (.., draws) = encapsulated(&key.expect("every string is a key"), REFUSED_DRAW);
            assert!(draws > 1, "no draw was refused");
        });
    }
}

/// Generates a pair from a marked seed.
fn generate<P: Parameters>(seed: [u8; 32]) -> KeyPair<P> {
    classify(&seed);
    let pair = KeyPair::<P>::from_seed(&seed);
    declassify(pair.public_key.as_bytes());
    black_box(pair.public_key.as_bytes());
    pair
}

fn generated<P: Parameters>() {
    assert_eq!(
        seed(&generate::<P>(SEED)),
        SEED,
        "the seed gives a key at once"
    );
}

/// Generates a pair, encapsulates and decapsulates with the traits of the crate `kem`.
fn traits() {
    let mut random = Marked::new(5);
    let (secret_key, public_key) = Mceliece348864f::generate_keypair_from_rng(&mut random);
    declassify(public_key.as_key().as_bytes());
    let (ciphertext, sent) = public_key.encapsulate_with_rng(&mut random);
    declassify(&ciphertext);
    let opened = secret_key.decapsulate(&ciphertext);
    declassify(&sent);
    declassify(&opened);
    assert_eq!(opened, sent);
}

/// Generates a pair with as little memory as possible.
fn in_small_memory<P: Parameters>() {
    let mut words = vec![0; KeygenScratch::<P>::MIN_WORDS];
    let mut scratch = KeygenScratch::<P>::small(&mut words).expect("enough");
    let mut secret_key = vec![0; P::SECRET_KEY_LEN];
    let seed = SEED;
    classify(&seed);
    let visit = |_, column: &[u8]| {
        declassify(column);
        black_box(column);
    };
    let generated = scratch.columns_from_seed(&seed, &mut secret_key, visit);
    generated.expect("a buffer of the right length");
}

/// Treats refused seeds and their number as public. The seed that gives a key is secret.
fn after_refused() {
    let pair = generate::<Mceliece348864>(REFUSED);
    assert_ne!(seed(&pair), REFUSED, "the seed is refused");
}

/// Returns a public copy of the seed of a key.
fn seed<P: Parameters>(pair: &KeyPair<P>) -> [u8; 32] {
    let seed = *pair.secret_key.seed();
    declassify(&seed);
    seed
}

fn computed_again<P: Parameters>(pair: &KeyPair<P>) {
    let bytes = *pair.secret_key.compressed();
    classify(&bytes);
    let key = SecretKey::<P>::from_compressed(&bytes).expect("a key");
    let public_key = key.public_key().expect("the key of its seed");
    declassify(public_key.as_bytes());
    assert_eq!(public_key, pair.public_key);
}

/// Encapsulates to a whole key and to a key in pieces, with the same marked randomness. Returns
/// ciphertext, shared secret and the number of draws.
fn encapsulated<P: Parameters>(
    key: &PublicKey<P>,
    seed: u64,
) -> (Ciphertext<P>, SharedSecret, usize) {
    let mut random = Marked::new(seed);
    let (ciphertext, secret) = key.encapsulate(&mut random);
    declassify(&ciphertext);
    let mut stream = EncapsulateStream::<P>::new(&mut Marked::new(seed));
    for piece in key.as_bytes().chunks(10_007) {
        stream.update(piece);
    }
    let (again, same) = stream.finish().expect("a whole key");
    declassify(&again);
    assert_eq!(again, ciphertext);
    assert_eq!(public(&same), public(&secret));
    (ciphertext, secret, random.draws)
}

/// Returns a public copy of a shared secret.
fn public(secret: &SharedSecret) -> [u8; 32] {
    let bytes = *secret.as_bytes();
    declassify(&bytes);
    bytes
}

/// Opens a ciphertext that was made for the key, and others that were not.
fn decapsulated<P: Parameters>(pair: &KeyPair<P>) {
    let (ciphertext, secret, _) = encapsulated(&pair.public_key, 1);
    let bytes = pair.secret_key.as_bytes().to_vec();
    classify(&bytes[..]);
    let key = SecretKey::<P>::try_from(&bytes[..]).expect("a stored key decodes");
    let opened = key.decapsulate(&ciphertext);
    assert_eq!(public(&opened), public(&secret));
    // Changes the syndrome and, in the sets with `pc`, the confirmation.
    for byte in [0, P::CIPHERTEXT_LEN - 1] {
        let mut bytes = ciphertext.as_bytes().to_vec();
        bytes[byte] ^= 1;
        let changed = Ciphertext::<P>::try_from(&bytes[..]).expect("a ciphertext");
        let opened = key.decapsulate(&changed);
        assert_ne!(public(&opened), public(&secret));
    }
}

/// Opens a batch of ciphertexts, some of which were made for the key. The batch is large enough for
/// hashing side by side.
fn batch<P: Parameters>(pair: &KeyPair<P>) {
    let (ciphertext, secret) = pair.public_key.encapsulate(&mut Marked::new(3));
    declassify(&ciphertext);
    let mut changed = ciphertext.as_bytes().to_vec();
    changed[P::CIPHERTEXT_LEN - 1] ^= 1;
    let changed = Ciphertext::<P>::try_from(&changed[..]).expect("a ciphertext");
    let bytes = pair.secret_key.as_bytes().to_vec();
    classify(&bytes[..]);
    let key = SecretKey::<P>::try_from(&bytes[..]).expect("a stored key decodes");
    let all = [&ciphertext, &changed, &changed, &ciphertext].map(Clone::clone);
    let opened = key.decapsulate_batch(&all);
    let equal = opened
        .iter()
        .map(|opened| public(opened) == public(&secret));
    assert!(
        equal.eq([true, false, false, true]),
        "the first and the last secret are that of the sender"
    );
}
