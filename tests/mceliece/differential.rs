//! Other implementations open our ciphertexts, and we open theirs. Each side generates half of the
//! keys.
//!
//! Peers: PQClean's code (`pqcrypto-classicmceliece`, sets of the submission), `pq-mceliece` (all
//! sets), `classic-mceliece-rust` (one set, since each build has only one). Each set makes 20 round
//! trips with each peer, and 1000 with `FALCON_FULL=1`, but fewer with `classic-mceliece-rust`.

use mceliece_core::*;
use mceliece_tests::Repeatable;
use pq_mceliece::Algorithm;
use pqcrypto_traits::kem::{Ciphertext as _, PublicKey as _, SecretKey as _, SharedSecret as _};

/// Number of round trips of a set with a peer. Each side makes half of the keys.
fn round_trips() -> usize {
    let full = std::env::var("FALCON_FULL").is_ok_and(|value| value == "1");
    if full { 1000 } else { 20 }
}

/// Largest number of round trips with one pair of keys.
const PER_PAIR: usize = 10;

/// Another implementation of a set. Keys, ciphertexts and secrets are bytes.
trait Peer<P: Parameters> {
    fn generate(&self, rng: &mut Repeatable) -> [Vec<u8>; 2];
    fn encapsulate(&self, public_key: &[u8], rng: &mut Repeatable) -> [Vec<u8>; 2];
    fn decapsulate(&self, secret_key: &[u8], ciphertext: &[u8]) -> Vec<u8>;
}

/// Encapsulates and decapsulates on both sides with one key pair.
fn use_keys<P: Parameters>(
    peer: &impl Peer<P>,
    [public_key, secret_key]: [&[u8]; 2],
    rng: &mut Repeatable,
    trips: usize,
) {
    let public = PublicKey::<P>::try_from(public_key).expect("a public key");
    let secret = SecretKey::<P>::try_from(secret_key).expect("a secret key");
    for trip in 0..trips {
        let (ciphertext, sent) = public.encapsulate(rng);
        let received = peer.decapsulate(secret_key, ciphertext.as_bytes());
        assert_eq!(received, sent.as_bytes(), "{}: ours to theirs", P::NAME);
        let [ciphertext, sent] = peer.encapsulate(public_key, rng);
        let mut bytes = ciphertext.clone();
        let ciphertext = Ciphertext::<P>::try_from(&ciphertext[..]).expect("a ciphertext");
        let received = secret.decapsulate(&ciphertext);
        assert_eq!(
            *received.as_bytes(),
            sent[..],
            "{}: theirs to ours",
            P::NAME
        );
        // A refused ciphertext gives the same implicit key on both sides. In the sets with `pc`,
        // every other refused ciphertext has a wrong confirmation.
        let confirmation = 8 * (P::M * P::T).div_ceil(8)..8 * P::CIPHERTEXT_LEN;
        let bit = if trip % 2 == 1 && !confirmation.is_empty() {
            confirmation.start + (37 * trip) % confirmation.len()
        } else {
            (37 * trip) % (P::M * P::T)
        };
        bytes[bit / 8] ^= 1 << (bit % 8);
        let refused = Ciphertext::<P>::try_from(&bytes[..]).expect("a ciphertext");
        let implicit = secret.decapsulate(&refused);
        assert_eq!(
            *implicit.as_bytes(),
            peer.decapsulate(secret_key, &bytes)[..]
        );
        assert_ne!(implicit, received);
    }
}

fn compare<P: Parameters>(peer: &impl Peer<P>, trips: usize) {
    let mut rng = Repeatable::new(P::NAME);
    for _ in 0..(trips / (2 * PER_PAIR)).max(1) {
        let trips = trips.min(PER_PAIR);
        let pair = KeyPair::<P>::generate(&mut rng);
        let keys = [pair.public_key.as_bytes(), pair.secret_key.as_bytes()];
        use_keys::<P>(peer, keys, &mut rng, trips);
        let [public_key, secret_key] = peer.generate(&mut rng);
        use_keys::<P>(peer, [&public_key, &secret_key], &mut rng, trips);
        // The peer's key equals the key that we compute from its seed.
        let secret_key = SecretKey::<P>::try_from(&secret_key[..]).expect("a secret key");
        let again = secret_key.public_key().expect("the key of its seed");
        assert_eq!(again.as_bytes(), public_key, "{}", P::NAME);
    }
}

/// The peer `pq-mceliece`.
struct PqMceliece(Algorithm);

impl<P: Parameters> Peer<P> for PqMceliece {
    fn generate(&self, rng: &mut Repeatable) -> [Vec<u8>; 2] {
        let seed: [u8; 32] = rng.bytes();
        let (public, secret) = self.0.generate_keypair_from_seed(seed).expect("a seed");
        let ours = KeyPair::<P>::from_seed(&seed);
        assert_eq!(ours.public_key.as_bytes(), public.value());
        assert_eq!(ours.secret_key.as_bytes(), secret.value());
        [public.value().to_vec(), secret.value().to_vec()]
    }

    fn encapsulate(&self, public_key: &[u8], rng: &mut Repeatable) -> [Vec<u8>; 2] {
        let key = self
            .0
            .encapsulation_key_from_bytes(public_key)
            .expect("a key");
        let (ciphertext, secret) = self.0.encapsulate(&key, rng).expect("a ciphertext");
        [ciphertext.value().to_vec(), secret.value().to_vec()]
    }

    fn decapsulate(&self, secret_key: &[u8], ciphertext: &[u8]) -> Vec<u8> {
        let key = self
            .0
            .decapsulation_key_from_bytes(secret_key)
            .expect("a key");
        let ciphertext = self
            .0
            .ciphertext_from_bytes(ciphertext)
            .expect("a ciphertext");
        let secret = self.0.decapsulate(&key, &ciphertext).expect("a secret");
        secret.value().to_vec()
    }
}

/// Runs `work` on a large stack, which PQClean's structures need: they contain keys by value.
fn with_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread
        .spawn(work)
        .expect("a thread")
        .join()
        .expect("success");
}

macro_rules! pqclean {
    ($($module:ident, $set:ident;)*) => {$(
        mod $module {
            use super::*;
            use pqcrypto_classicmceliece::$module as peer;

            struct PqClean;

            impl Peer<$set> for PqClean {
                fn generate(&self, _: &mut Repeatable) -> [Vec<u8>; 2] {
                    let (public, secret) = peer::keypair();
                    [public.as_bytes().to_vec(), secret.as_bytes().to_vec()]
                }

                fn encapsulate(&self, public_key: &[u8], _: &mut Repeatable) -> [Vec<u8>; 2] {
                    let key = peer::PublicKey::from_bytes(public_key).expect("a key");
                    let (secret, ciphertext) = peer::encapsulate(&key);
                    [ciphertext.as_bytes().to_vec(), secret.as_bytes().to_vec()]
                }

                fn decapsulate(&self, secret_key: &[u8], ciphertext: &[u8]) -> Vec<u8> {
                    let key = peer::SecretKey::from_bytes(secret_key).expect("a key");
                    let ciphertext = peer::Ciphertext::from_bytes(ciphertext).expect("a ciphertext");
                    peer::decapsulate(&ciphertext, &key).as_bytes().to_vec()
                }
            }

            #[test]
            fn pqclean() {
                with_large_stack(|| compare::<$set>(&PqClean, round_trips()));
            }
        }
    )*};
}

pqclean! {
    mceliece348864, Mceliece348864;
    mceliece348864f, Mceliece348864f;
    mceliece460896, Mceliece460896;
    mceliece460896f, Mceliece460896f;
    mceliece6688128, Mceliece6688128;
    mceliece6688128f, Mceliece6688128f;
    mceliece6960119, Mceliece6960119;
    mceliece6960119f, Mceliece6960119f;
    mceliece8192128, Mceliece8192128;
    mceliece8192128f, Mceliece8192128f;
}

macro_rules! pq_mceliece {
    ($($test:ident, $set:ident;)*) => {$(
        #[test]
        fn $test() {
            let algorithm = <$set as Parameters>::NAME.parse().expect("a set");
            compare::<$set>(&PqMceliece(algorithm), round_trips());
        }
    )*};
}

pq_mceliece! {
    pq_348864, Mceliece348864;
    pq_348864f, Mceliece348864f;
    pq_460896, Mceliece460896;
    pq_460896f, Mceliece460896f;
    pq_460896pc, Mceliece460896pc;
    pq_460896pcf, Mceliece460896pcf;
    pq_6688128, Mceliece6688128;
    pq_6688128f, Mceliece6688128f;
    pq_6688128pc, Mceliece6688128pc;
    pq_6688128pcf, Mceliece6688128pcf;
    pq_6960119, Mceliece6960119;
    pq_6960119f, Mceliece6960119f;
    pq_6960119pc, Mceliece6960119pc;
    pq_6960119pcf, Mceliece6960119pcf;
    pq_8192128, Mceliece8192128;
    pq_8192128f, Mceliece8192128f;
    pq_8192128pc, Mceliece8192128pc;
    pq_8192128pcf, Mceliece8192128pcf;
}

/// The peer `classic-mceliece-rust`, which supports one set in each build.
struct ClassicMcelieceRust;

/// A generator with the traits of an older release of `rand_core`.
struct Older<'a>(&'a mut Repeatable);

impl rand_core_06::RngCore for Older<'_> {
    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.0.bytes())
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.0.bytes())
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        self.0.fill(out);
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), rand_core_06::Error> {
        self.0.fill(out);
        Ok(())
    }
}

impl rand_core_06::CryptoRng for Older<'_> {}

fn boxed<const N: usize>(bytes: &[u8]) -> Box<[u8; N]> {
    let bytes: Box<[u8]> = bytes.into();
    bytes.try_into().expect("the length")
}

impl Peer<Mceliece6960119f> for ClassicMcelieceRust {
    fn generate(&self, rng: &mut Repeatable) -> [Vec<u8>; 2] {
        let (public, secret) = classic_mceliece_rust::keypair_boxed(&mut Older(rng));
        [public.as_array().to_vec(), secret.as_array().to_vec()]
    }

    fn encapsulate(&self, public_key: &[u8], rng: &mut Repeatable) -> [Vec<u8>; 2] {
        let key = classic_mceliece_rust::PublicKey::from(boxed(public_key));
        let (ciphertext, secret) = classic_mceliece_rust::encapsulate_boxed(&key, &mut Older(rng));
        [ciphertext.as_array().to_vec(), secret.as_array().to_vec()]
    }

    fn decapsulate(&self, secret_key: &[u8], ciphertext: &[u8]) -> Vec<u8> {
        let key = classic_mceliece_rust::SecretKey::from(boxed(secret_key));
        let ciphertext: [u8; 194] = ciphertext.try_into().expect("the length");
        let ciphertext = classic_mceliece_rust::Ciphertext::from(ciphertext);
        let secret = classic_mceliece_rust::decapsulate_boxed(&ciphertext, &key);
        secret.as_array().to_vec()
    }
}

/// Makes fewer round trips, since this peer takes 50 ms for a decapsulation.
#[test]
fn classic_mceliece_rust() {
    compare::<Mceliece6960119f>(&ClassicMcelieceRust, round_trips() / 10);
}
