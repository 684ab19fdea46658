//! Keys and ciphertexts through the public interface: every set, every way to a key, every error.

mod common;

use common::repeated;
use mceliece_core::*;

macro_rules! every_set {
    ($check:ident) => {
        every_set!(@ $check;
            Mceliece348864 Mceliece348864f Mceliece460896 Mceliece460896f Mceliece460896pc
            Mceliece460896pcf Mceliece6688128 Mceliece6688128f Mceliece6688128pc
            Mceliece6688128pcf Mceliece6960119 Mceliece6960119f Mceliece6960119pc
            Mceliece6960119pcf Mceliece8192128 Mceliece8192128f Mceliece8192128pc
            Mceliece8192128pcf)
    };
    (@ $check:ident; $($set:ident)*) => {
        $($check::<$set>();)*
    };
}

/// Sets whose key generation nearly always takes one attempt, so that tests are quick.
macro_rules! quick_sets {
    ($check:ident) => {
        every_set!(@ $check;
            Mceliece348864f Mceliece460896f Mceliece6688128pcf Mceliece6960119f Mceliece8192128f)
    };
}

fn pair<P: Parameters>(seed: u8) -> KeyPair<P> {
    KeyPair::from_seed(&[seed; 32])
}

#[test]
fn every_set_makes_and_opens_ciphertexts() {
    fn check<P: Parameters>() {
        let mut rng = repeated(1);
        let pair = pair::<P>(1);
        let (ciphertext, secret) = pair.public_key.encapsulate(&mut rng);
        assert_eq!(ciphertext.as_bytes().len(), P::CIPHERTEXT_LEN);
        assert_eq!(
            pair.secret_key.decapsulate(&ciphertext),
            secret,
            "{}",
            P::NAME
        );
        let read = Ciphertext::<P>::try_from(ciphertext.as_bytes()).expect("a ciphertext");
        assert_eq!(read, ciphertext);
        let (other, different) = pair.public_key.encapsulate(&mut rng);
        assert_ne!(other, ciphertext);
        assert_ne!(different, secret);
    }
    every_set!(check);
}

#[test]
fn a_batch_gives_the_secrets_of_single_ciphertexts() {
    fn check<P: Parameters>() {
        let pair = pair::<P>(6);
        // Eight ciphertexts are decapsulated side by side, so ten are a full group and a part of
        // another one.
        let mut ciphertexts: Vec<_> = (0..10)
            .map(|i| pair.public_key.encapsulate(&mut repeated(i)).0)
            .collect();
        // Puts a ciphertext that was not made for the key between the others.
        let zero = Ciphertext::try_from(&vec![0; P::CIPHERTEXT_LEN][..]).expect("a ciphertext");
        ciphertexts.insert(1, zero);
        let single = |ciphertext| pair.secret_key.decapsulate(ciphertext);
        let expected: Vec<_> = ciphertexts.iter().map(single).collect();
        for count in 0..=ciphertexts.len() {
            let secrets = pair.secret_key.decapsulate_batch(&ciphertexts[..count]);
            assert_eq!(secrets, expected[..count], "{count}");
        }
    }
    quick_sets!(check);
}

#[test]
fn short_forms_of_a_key_give_the_same_key() {
    fn check<P: Parameters>() {
        // Without `f` the seed `[3; 32]` may give no key.
        let pair = pair::<P>(3);
        let secret_key = &pair.secret_key;
        let from_seed = KeyPair::<P>::from_seed(secret_key.seed());
        assert_eq!(from_seed.secret_key.as_bytes(), secret_key.as_bytes());
        assert_eq!(from_seed.public_key, pair.public_key);
        let again = SecretKey::<P>::from_compressed(secret_key.compressed()).expect("a key");
        assert_eq!(again.as_bytes(), secret_key.as_bytes());
        assert_eq!(secret_key.public_key().expect("a key"), pair.public_key);
        let full = SecretKey::<P>::try_from(secret_key.as_bytes()).expect("a key");
        assert_eq!(full.as_bytes(), secret_key.as_bytes());
    }
    quick_sets!(check);
    check::<Mceliece348864>();
    check::<Mceliece6960119pc>();
}

/// Sets that differ only in `pc` have the same keys. Their ciphertexts differ only in the
/// confirmation.
#[test]
fn confirmed_ciphertexts_end_with_a_hash_of_the_error() {
    type Plain = Mceliece6960119f;
    type Confirmed = Mceliece6960119pcf;
    let (plain, confirmed) = (pair::<Plain>(4), pair::<Confirmed>(4));
    assert_eq!(plain.secret_key.as_bytes(), confirmed.secret_key.as_bytes());
    assert_eq!(plain.public_key.as_bytes(), confirmed.public_key.as_bytes());
    let (short, first) = plain.public_key.encapsulate(&mut repeated(4));
    let (long, second) = confirmed.public_key.encapsulate(&mut repeated(4));
    assert_eq!(long.as_bytes()[..Plain::CIPHERTEXT_LEN], *short.as_bytes());
    assert_ne!(first, second);
}

#[test]
fn wrong_lengths_are_refused() {
    fn check<P: Parameters>() {
        for change in [-1isize, 1] {
            let bytes = |len: usize| vec![0; len.wrapping_add_signed(change)];
            let error = |expected: usize| {
                let actual = expected.wrapping_add_signed(change);
                Some(DecodeError::Length { expected, actual })
            };
            let public = PublicKey::<P>::try_from(&bytes(P::PUBLIC_KEY_LEN)[..]).err();
            assert_eq!(public, error(P::PUBLIC_KEY_LEN));
            let secret = SecretKey::<P>::try_from(&bytes(P::SECRET_KEY_LEN)[..]).err();
            assert_eq!(secret, error(P::SECRET_KEY_LEN));
            let ciphertext = Ciphertext::<P>::try_from(&bytes(P::CIPHERTEXT_LEN)[..]).err();
            assert_eq!(ciphertext, error(P::CIPHERTEXT_LEN));
        }
        assert!(PublicKey::<P>::try_from(&[][..]).is_err());
        assert!(SecretKey::<P>::try_from(&[][..]).is_err());
        assert!(Ciphertext::<P>::try_from(&[][..]).is_err());
    }
    every_set!(check);
}

#[test]
fn padding_bits_must_be_zero() {
    type P = Mceliece6960119;
    let row_len = P::PUBLIC_KEY_LEN / (P::M * P::T);
    for row in [0, 1, 1546] {
        for bit in 0..8 {
            let mut key = vec![0; P::PUBLIC_KEY_LEN];
            key[(row + 1) * row_len - 1] = 1 << bit;
            let error = PublicKey::<P, _>::from_bytes(&key[..]).err();
            assert_eq!(error, (bit >= 5).then_some(DecodeError::Padding));
            let mut stream = EncapsulateStream::<P>::new(&mut repeated(5));
            stream.update(&key);
            assert_eq!(stream.finish().err(), error);
        }
    }
    for bit in 0..8 {
        let mut bytes = [0; 194];
        bytes[193] = 1 << bit;
        let error = Ciphertext::<P>::try_from(&bytes[..]).err();
        assert_eq!(error, (bit >= 3).then_some(DecodeError::Padding));
        let mut bytes = [0; 226];
        (bytes[193], bytes[194]) = (1 << bit, 0xff);
        let error = Ciphertext::<Mceliece6960119pc>::try_from(&bytes[..]).err();
        assert_eq!(error, (bit >= 3).then_some(DecodeError::Padding));
    }
}

#[test]
fn degenerate_secret_keys_are_refused() {
    fn check<P: Parameters>() {
        let good = pair::<P>(6).secret_key.as_bytes().to_vec();
        let refused = |change: &dyn Fn(&mut [u8]), expected| {
            let mut bytes = good.clone();
            change(&mut bytes);
            assert_eq!(SecretKey::<P>::try_from(&bytes[..]).err(), Some(expected));
            let borrowed = SecretKey::<P, &[u8]>::from_bytes(&bytes);
            assert_eq!(borrowed.err(), Some(expected));
        };
        // The Goppa polynomial begins at byte 40.
        refused(&|key| key[41] |= 0x80, DecodeError::Range);
        refused(&|key| key[41 + 2 * (P::T - 1)] |= 0x40, DecodeError::Range);
        refused(
            &|key| key[40..40 + 2 * P::T].fill(0),
            DecodeError::InvalidKey,
        );
        refused(&|key| key[40..42].fill(0), DecodeError::InvalidKey);
        refused(&|key| key[32..40].fill(0), DecodeError::Pivots);
        refused(&|key| key[32..40].fill(0xff), DecodeError::Pivots);
        refused(&|key| key[32] ^= 1, DecodeError::Pivots);
        let chosen = [0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0];
        let mut bytes = good.clone();
        bytes[32..40].copy_from_slice(&chosen);
        let accepted = SecretKey::<P>::try_from(&bytes[..]).is_ok();
        assert_eq!(accepted, P::NAME.ends_with('f'));
        // Any control bits and any `s` are valid. A changed seed belongs to another key.
        let mut bytes = good.clone();
        bytes[P::SECRET_KEY_LEN - P::N / 8 - 1] ^= 1;
        bytes[P::SECRET_KEY_LEN - 1] ^= 1;
        let key = SecretKey::<P>::try_from(&bytes[..]).expect("a key");
        assert_eq!(key.public_key().err(), Some(DecodeError::InvalidKey));
    }
    check::<Mceliece348864f>();
    check::<Mceliece348864>();
    check::<Mceliece6688128f>();
}

#[test]
fn forty_bytes_that_are_no_key_are_refused() {
    let key = pair::<Mceliece348864>(7).secret_key;
    let mut bytes = *key.compressed();
    bytes[32] ^= 1;
    let error = SecretKey::<Mceliece348864>::from_compressed(&bytes).err();
    assert_eq!(error, Some(DecodeError::Pivots));
    // Another seed gives another key. If a seed gives no key, only `public_key` notices.
    let mut bytes = *key.compressed();
    bytes[0] ^= 1;
    if let Ok(other) = SecretKey::<Mceliece348864>::from_compressed(&bytes) {
        assert_ne!(other.as_bytes(), key.as_bytes());
    }
}

/// The stream makes the same ciphertext, however the public key is divided into pieces.
#[test]
fn streams_equal_whole_keys() {
    fn check<P: Parameters>() {
        let pair = pair::<P>(8);
        let key = pair.public_key.as_bytes();
        let (expected, secret) = pair.public_key.encapsulate(&mut repeated(8));
        for piece in [1000, 677, 4096, 65_537, key.len()] {
            let mut stream = EncapsulateStream::<P>::new(&mut repeated(8));
            for piece in key.chunks(piece) {
                stream.update(piece).update(&[]);
            }
            let (ciphertext, again) = stream.finish().expect("a key");
            assert_eq!((ciphertext, again), (expected.clone(), secret.clone()));
        }
        assert!(size_of::<EncapsulateStream<P>>() < 4096);
        // Keys that are one byte too short or one byte too long, in one piece or in two.
        for pieces in [[&key[..key.len() - 1], &[]], [key, &[0]], [&key[..1], key]] {
            let mut stream = EncapsulateStream::<P>::new(&mut repeated(8));
            stream.update(pieces[0]).update(pieces[1]);
            let (expected, actual) = (P::PUBLIC_KEY_LEN, pieces.concat().len());
            let error = DecodeError::Length { expected, actual };
            assert_eq!(stream.finish().err(), Some(error));
        }
    }
    quick_sets!(check);
    let key = pair::<Mceliece348864f>(8).public_key;
    let mut stream = EncapsulateStream::<Mceliece348864f>::new(&mut repeated(8));
    for byte in key.as_bytes() {
        stream.update(&[*byte]);
    }
    let (ciphertext, _) = stream.finish().expect("a key");
    assert_eq!(ciphertext, key.encapsulate(&mut repeated(8)).0);
}

/// A thread with a stack of 256 KiB can use the largest set.
#[test]
fn a_small_stack_suffices() {
    type P = Mceliece8192128;
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let work = || {
        let pair = pair::<P>(9);
        let (ciphertext, secret) = pair.public_key.encapsulate(&mut repeated(9));
        let stored = SecretKey::<P>::try_from(pair.secret_key.as_bytes()).expect("a key");
        assert_eq!(stored.decapsulate(&ciphertext), secret);
        let again = SecretKey::<P>::from_compressed(stored.compressed()).expect("a key");
        assert_eq!(again.decapsulate(&ciphertext), secret);
        assert_eq!(again.public_key().expect("a key"), pair.public_key);
        let mut stream = EncapsulateStream::<P>::new(&mut repeated(9));
        stream.update(pair.public_key.as_bytes());
        assert_eq!(stream.finish().expect("a key").0, ciphertext);
    };
    thread
        .spawn(work)
        .expect("a thread")
        .join()
        .expect("success");
}

#[test]
fn caller_owned_memory_makes_the_same_keys_and_is_wiped() {
    type P = Mceliece348864f;
    let mut words = vec![7; KeygenScratch::<P>::WORDS];
    let mut bytes = vec![7; KeygenScratch::<P>::BYTES + 1];
    let mut secret_key = vec![7; P::SECRET_KEY_LEN];
    let mut public_key = vec![7; P::PUBLIC_KEY_LEN];
    let short = KeygenScratch::<P>::new(&mut words[1..], &mut bytes).err();
    assert_eq!(
        short,
        Some(MemoryError {
            needed: KeygenScratch::<P>::WORDS,
            given: KeygenScratch::<P>::WORDS - 1,
        })
    );
    let short = KeygenScratch::<P>::new(&mut words, &mut bytes[2..]).err();
    assert_eq!(
        short,
        Some(MemoryError {
            needed: KeygenScratch::<P>::BYTES,
            given: KeygenScratch::<P>::BYTES - 1,
        })
    );
    let mut scratch = KeygenScratch::<P>::new(&mut words, &mut bytes).expect("enough");
    let needed = P::SECRET_KEY_LEN;
    let error = scratch.generate_from_seed(&[1; 32], &mut secret_key[1..], &mut public_key);
    let given = needed - 1;
    assert_eq!(error, Err(MemoryError { needed, given }));
    let needed = P::PUBLIC_KEY_LEN;
    let error = scratch.generate_from_seed(&[1; 32], &mut secret_key, &mut public_key[1..]);
    let given = needed - 1;
    assert_eq!(error, Err(MemoryError { needed, given }));
    let mut rng = repeated(10);
    scratch
        .generate(&mut rng, &mut secret_key, &mut public_key)
        .expect("lengths");
    assert!(words.iter().all(|&word| word == 0));
    assert!(
        bytes[..KeygenScratch::<P>::BYTES]
            .iter()
            .all(|&byte| byte == 0)
    );
    assert_eq!(bytes.last(), Some(&7));
    let pair = KeyPair::<P>::generate(&mut repeated(10));
    assert_eq!(pair.secret_key.as_bytes(), secret_key);
    assert_eq!(pair.public_key.as_bytes(), public_key);
    // A key that is borrowed allocates no memory.
    let public_key = PublicKey::<P, &[u8]>::from_bytes(&public_key).expect("a key");
    let secret_key = SecretKey::<P, &[u8]>::from_bytes(&secret_key).expect("a key");
    let (ciphertext, secret) = public_key.encapsulate(&mut rng);
    assert_eq!(secret_key.decapsulate(&ciphertext), secret);
}

fn small_memory<P: Parameters>(row_len: usize, spare: &[usize]) {
    let pair = KeyPair::<P>::generate(&mut repeated(12));
    let min = KeygenScratch::<P>::MIN_WORDS;
    let error = KeygenScratch::<P>::small(&mut vec![0; min - 1]).err();
    let (needed, given) = (min, min - 1);
    assert_eq!(error, Some(MemoryError { needed, given }));
    for &spare in spare {
        let mut words = vec![7; min + spare];
        let mut secret_key = vec![7; P::SECRET_KEY_LEN];
        let mut public_key = vec![7; P::PUBLIC_KEY_LEN];
        let mut scratch = KeygenScratch::<P>::small(&mut words).expect("enough");
        let (mut rng, mut next) = (repeated(12), 0);
        let needed = P::SECRET_KEY_LEN;
        let error = scratch.generate_columns(&mut rng, &mut secret_key[1..], |_, _| panic!());
        let given = needed - 1;
        assert_eq!(error, Err(MemoryError { needed, given }));
        let columns = |c: usize, column: &[u8]| {
            assert_eq!(c, next);
            assert_eq!(column.len(), P::PUBLIC_KEY_LEN / row_len);
            for (row, byte) in column.iter().enumerate() {
                public_key[row_len * row + c] = *byte;
            }
            next += 1;
        };
        scratch
            .generate_columns(&mut repeated(12), &mut secret_key, columns)
            .expect("lengths");
        assert_eq!(next, row_len);
        assert!(pair.secret_key.as_bytes() == secret_key);
        assert!(pair.public_key.as_bytes() == public_key);
        // Tries the encoding in rows too.
        public_key.fill(7);
        scratch
            .generate(&mut repeated(12), &mut secret_key, &mut public_key)
            .expect("lengths");
        assert!(pair.secret_key.as_bytes() == secret_key);
        assert!(pair.public_key.as_bytes() == public_key);
        let used = words.len().min(KeygenScratch::<P>::WORDS);
        assert!(words[..used].iter().all(|&word| word == 0));
        assert!(words[used..].iter().all(|&word| word == 7));
    }
}

#[test]
fn little_memory_makes_the_same_keys_column_by_column() {
    let most = KeygenScratch::<Mceliece348864f>::WORDS + 3;
    small_memory::<Mceliece348864f>(340, &[0, 1, 999, 2000, most]);
    small_memory::<Mceliece348864>(340, &[0]);
    small_memory::<Mceliece460896f>(420, &[0, 5000]);
    small_memory::<Mceliece6688128f>(628, &[3000]);
    small_memory::<Mceliece6960119f>(677, &[0, 999]);
    small_memory::<Mceliece8192128f>(816, &[0]);
}

#[test]
fn formatting_shows_no_secret() {
    type P = Mceliece348864f;
    let pair = pair::<P>(11);
    let named = |name| format!("{name} {{ parameters: \"mceliece348864f\", .. }}");
    assert_eq!(format!("{pair:?}"), named("KeyPair"));
    assert_eq!(format!("{:?}", pair.secret_key), named("SecretKey"));
    assert_eq!(format!("{:?}", pair.public_key), named("PublicKey"));
    let mut rng = repeated(11);
    let (_, secret) = pair.public_key.encapsulate(&mut rng);
    assert_eq!(format!("{secret:?}"), "SharedSecret { .. }");
    let stream = EncapsulateStream::<P>::new(&mut rng);
    assert_eq!(format!("{stream:?}"), named("EncapsulateStream"));
    let (mut words, mut bytes) = (
        vec![7; KeygenScratch::<P>::WORDS],
        vec![7; KeygenScratch::<P>::BYTES],
    );
    let scratch = KeygenScratch::<P>::new(&mut words, &mut bytes).expect("enough");
    assert_eq!(format!("{scratch:?}"), named("KeygenScratch"));
}
