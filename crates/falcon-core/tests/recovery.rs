//! Signatures that recover the public key.

use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::hazmat::{BatchSignRaw, Fit, RawJob, RawRandomness, signature_from_nonce_and_s2};
use falcon_core::recovery::{self, RecoverableSignature};
use falcon_core::{
    DecodeError, Engine, Falcon512, Falcon1024, Format, Parameters, Scratch, Signature,
    SignatureError, SigningKey,
};
use falcon_kat::Again;
use std::fmt::Write;

fn key<P: Parameters>(k: u8) -> SigningKey<P> {
    SigningKey::from_seed(&[k; 32]).expect("no fault")
}

fn sign<P: Parameters>(key: &SigningKey<P>, k: u8, message: &[u8]) -> RecoverableSignature<P> {
    recovery::sign_with_rng(key, &mut Again([k]), message).expect("no fault")
}

fn decode<P: Parameters>(bytes: &[u8]) -> Result<RecoverableSignature<P>, DecodeError> {
    RecoverableSignature::try_from(bytes)
}

/// Returns the ordinary signatures that signing tries first: those of six jobs of a batch.
fn tries<P: Parameters>(key: &SigningKey<P>, k: u8, message: &[u8]) -> [Signature<P>; 6] {
    let mut out = [Signature::EMPTY; 6];
    let jobs = [SignJob::new(key, message); 6];
    let done = Engine::best().sign_batch(&[k; 32], &jobs, &mut out);
    done.expect("as many results as jobs");
    out
}

/// Encodes a recoverable signature with these polynomials, as `docs/FORMATS.md` describes.
fn join<P: Parameters>(s1: &[i16], s2: &[i16]) -> Vec<u8> {
    let [first, second] = [s1, s2].map(|half| {
        let signature = signature_from_nonce_and_s2::<P>(&[0x5a; 40], half).expect("short");
        signature.to_vec(Format::Padded).expect("it fits")
    });
    let mut bytes = [&first[..], &second[41..]].concat();
    bytes[0] = 0x70 + P::LOGN as u8;
    bytes
}

/// Writes lines of `records.txt`. Record `k` has the key of the seed `[k; 32]`, the message
/// `message k`, and a generator whose bytes are all `k`.
fn records<P: Parameters>(numbers: [u8; 6], out: &mut String) {
    for k in numbers {
        let key = key::<P>(k);
        let message = format!("message {k}");
        let signature = sign(&key, k, message.as_bytes());
        let all = tries(&key, k, message.as_bytes());
        let discarded = all.iter().position(|one| *one == signature.to_signature());
        let discarded = discarded.expect("one of the first six");
        let hash = base16ct::lower::encode_string(&key.verifying_key().fingerprint());
        let bytes = base16ct::lower::encode_string(signature.to_bytes().as_ref());
        writeln!(out, "{} {k} {discarded} {hash} {bytes}", P::N).expect("a string");
    }
}

#[test]
fn signatures_are_those_of_the_records() {
    let mut text = String::from(
        "# Signatures that recover their key, made by this project. check.py recovers the keys.\n\
         # Record k has the key of the seed of 32 bytes k, the message \"message k\" and the signing\n\
         # seed of 32 bytes k. A line has the degree, k, the number of discarded signatures, the\n\
         # hash of the key and the signature.\n",
    );
    // For the last record of each set, the first signature is discarded.
    records::<Falcon512>([0, 1, 2, 3, 4, 59], &mut text);
    records::<Falcon1024>([0, 1, 2, 3, 4, 16], &mut text);
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../kat/recovery/records.txt"
    );
    if std::env::var_os("FALCON_WRITE_TABLES").is_some() {
        std::fs::write(path, &text).expect("it can be written");
    }
    let stored = std::fs::read_to_string(path).expect("records.txt");
    assert!(stored == text, "FALCON_WRITE_TABLES=1 writes the records");
    for line in stored.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split(' ').collect();
        let hex = |text: &str| base16ct::lower::decode_vec(text).expect("hexadecimal");
        let message = format!("message {}", fields[1]);
        let hash = hex(fields[3]).try_into().expect("32 bytes");
        let bytes = hex(fields[4]);
        let verified = match fields[0] {
            "512" => decode::<Falcon512>(&bytes).map(|s| s.verify(message.as_bytes(), &hash)),
            _ => decode::<Falcon1024>(&bytes).map(|s| s.verify(message.as_bytes(), &hash)),
        };
        assert_eq!(verified, Ok(Ok(())), "{message}");
    }
}

/// If `s2` does not fit the padded format, a valid signature has no recoverable form.
#[test]
fn an_ordinary_signature_that_is_too_long_recovers_nothing() {
    type P = Falcon1024;
    const BATCH: usize = 64;
    let key = key::<P>(7);
    let expanded = key.expand();
    // One signature in about a thousand is too long.
    let too_long = (0u64..100).find_map(|batch| {
        let randomness: Vec<([u8; 40], [u8; 48])> = (0..BATCH as u64)
            .map(|i| {
                let number = (batch * BATCH as u64 + i).to_le_bytes();
                let (mut nonce, mut seed) = ([0; 40], [0xa5; 48]);
                nonce[..8].copy_from_slice(&number);
                seed[..8].copy_from_slice(&number);
                (nonce, seed)
            })
            .collect();
        let jobs: Vec<_> = randomness
            .iter()
            .map(|(nonce, seed)| RawJob::new(&expanded, b"m", RawRandomness { nonce, seed }))
            .collect();
        let mut out = [Signature::EMPTY; BATCH];
        let signed = Engine::best().sign_batch_raw(&jobs, Fit::Any, &mut out);
        signed.expect("no fault");
        let is_too_long = |it: &Signature<P>| it.encoded_len(Format::Padded).is_none();
        out.into_iter().find(is_too_long)
    });
    let signature = too_long.expect("one that is too long");
    assert_eq!(key.verifying_key().verify(b"m", &signature), Ok(()));
    let longer = RecoverableSignature::from_signature(key.verifying_key(), b"m", &signature);
    assert!(longer.expect("a valid signature").is_none());
}

/// The tries are the jobs of a batch with this seed, so a signer that uses both does not sign one
/// point in two ways.
#[test]
fn the_first_job_whose_s2_is_invertible_is_the_signature() {
    fn check<P: Parameters>(seeds: u8, least: usize, most: usize) {
        let key = key::<P>(7);
        let public_key = key.verifying_key();
        let mut discarded = 0;
        for k in 0..seeds {
            let signature = sign(&key, k, b"payment");
            assert_eq!(&signature.recover(b"payment").expect("a key"), public_key);
            assert_eq!(
                signature.verify(b"payment", &public_key.fingerprint()),
                Ok(())
            );
            assert_eq!(decode(signature.to_bytes().as_ref()), Ok(signature));

            let tries = tries(&key, k, b"payment");
            let complete = |one| {
                let complete = RecoverableSignature::from_signature(public_key, b"payment", one);
                complete.expect("a valid signature")
            };
            let first = tries.iter().position(|one| complete(one).is_some());
            let first = first.expect("one in six");
            let ordinary = tries[first];
            assert_eq!(complete(&ordinary), Some(signature));
            assert_eq!(signature.to_signature(), ordinary);
            assert_eq!(signature.nonce(), ordinary.nonce());
            assert_eq!(signature.s2(), ordinary.s2());
            assert!(public_key.verify(b"payment", &ordinary).is_ok());
            discarded += first;
        }
        assert!(
            (least..=most).contains(&discarded),
            "{}: {discarded}",
            P::NAME
        );
    }
    // The chances are 4.1 % and 8.0 %.
    check::<Falcon512>(200, 2, 20);
    check::<Falcon1024>(100, 2, 20);
}

#[test]
fn both_forms_of_a_key_and_both_calls_sign_alike() {
    let key = key::<Falcon512>(3);
    let signature = sign(&key, 9, b"payment");
    let expanded = key.expand();
    let again = recovery::sign_with_rng(&expanded, &mut Again([9]), b"payment");
    assert_eq!(again, Ok(signature));
    let mut reals = vec![0.0; Scratch::<Falcon512>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("it is long enough");
    let again = recovery::sign_in(&key, &mut Again([9]), b"payment", &mut scratch);
    assert_eq!(again, Ok(signature));
    let text = format!("{signature:?}");
    assert_eq!(
        text,
        "RecoverableSignature { parameters: \"Falcon-512\", .. }"
    );
}

#[test]
fn another_message_hash_or_key_is_refused() {
    fn check<P: Parameters>() {
        let (mine, other) = (key::<P>(1), key::<P>(2));
        let hash = mine.verifying_key().fingerprint();
        let signature = sign(&mine, 5, b"payment #42");
        assert_eq!(signature.verify(b"payment #42", &hash), Ok(()));
        assert_eq!(signature.verify(b"payment #43", &hash), Err(SignatureError));
        let stranger = other.verifying_key().fingerprint();
        assert_eq!(
            signature.verify(b"payment #42", &stranger),
            Err(SignatureError)
        );
        for at in 0..256 {
            let mut flipped = hash;
            flipped[at / 8] ^= 1 << (at % 8);
            assert_eq!(
                signature.verify(b"payment #42", &flipped),
                Err(SignatureError)
            );
        }
        let ordinary = signature.to_signature();
        let complete = |key: &SigningKey<P>, message: &[u8]| {
            RecoverableSignature::from_signature(key.verifying_key(), message, &ordinary)
        };
        assert_eq!(complete(&mine, b"payment #42"), Ok(Some(signature)));
        assert_eq!(complete(&mine, b"payment #43"), Err(SignatureError));
        assert_eq!(complete(&other, b"payment #42"), Err(SignatureError));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn a_signature_with_any_bit_flipped_is_refused() {
    fn check<P: Parameters>() {
        let key = key::<P>(4);
        let hash = key.verifying_key().fingerprint();
        let good = sign(&key, 6, b"payment").to_bytes();
        let (mut refused, mut invalid) = (0, 0);
        for at in 0..8 * P::RECOVERABLE_LEN {
            let mut bytes = good;
            bytes.as_mut()[at / 8] ^= 1 << (at % 8);
            match decode::<P>(bytes.as_ref()) {
                Err(_) => refused += 1,
                Ok(signature) => {
                    // A signature has only one encoding.
                    assert_eq!(signature.to_bytes(), bytes, "bit {at}");
                    assert!(signature.verify(b"payment", &hash).is_err(), "bit {at}");
                    invalid += 1;
                }
            }
        }
        assert!(refused > P::N && invalid > P::N, "{refused} {invalid}");
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn a_polynomial_without_inverse_recovers_nothing() {
    fn check<P: Parameters>(root: i16) {
        let (s1, mut s2) = (vec![5; P::N], vec![0; P::N]);
        // `root` is a root of `x^n + 1` modulo `q`, and of `s2`.
        (s2[0], s2[1]) = (-root, 1);
        let signature = decode::<P>(&join::<P>(&s1, &s2)).expect("short, and well encoded");
        assert_eq!(signature.recover(b""), Err(SignatureError));
        assert_eq!(signature.verify(b"", &[0; 32]), Err(SignatureError));

        // This neighbour has an inverse, so the recovery gives some key.
        s2[0] += 1;
        let signature = decode::<P>(&join::<P>(&s1, &s2)).expect("short, and well encoded");
        let nobody = signature.recover(b"").expect("some key");
        assert_eq!(nobody.verify(b"", &signature.to_signature()), Ok(()));
        assert_eq!(signature.verify(b"", &nobody.fingerprint()), Ok(()));
        assert_eq!((signature.s1(), signature.s2()), (&s1[..], &s2[..]));

        let zero = decode::<P>(&join::<P>(&s1, &vec![0; P::N])).expect("well encoded");
        assert_eq!(zero.recover(b""), Err(SignatureError));
    }
    check::<Falcon512>(49);
    check::<Falcon1024>(7);
}

#[test]
fn the_norm_bound_holds_for_both_polynomials_together() {
    fn check<P: Parameters>(bound: u64) {
        let mut s1 = vec![60; P::N];
        s1[..P::N / 16].fill(-511);
        let norm: u64 = s1.iter().map(|&x| i64::from(x).pow(2) as u64).sum();
        // The squares of the coefficients of `s2` fill up the rest of the norm.
        for (excess, expected) in [(0, Ok(())), (1, Err(DecodeError::Range))] {
            let mut rest = bound + excess - norm;
            let s2: Vec<i16> = (0..P::N)
                .map(|_| {
                    let x = rest.isqrt().min(511);
                    rest -= x * x;
                    x as i16
                })
                .collect();
            assert_eq!(rest, 0);
            for [a, b] in [[&s1, &s2], [&s2, &s1]] {
                let decoded = decode::<P>(&join::<P>(a, b));
                assert_eq!(decoded.map(|_| ()), expected, "{excess}");
            }
        }
    }
    check::<Falcon512>(34_034_726);
    check::<Falcon1024>(70_265_242);
}

#[test]
fn malformed_signatures_are_refused() {
    fn check<P: Parameters>() {
        let good = sign(&key::<P>(4), 6, b"payment").to_bytes();
        let good = good.as_ref();
        let refused = |bytes: &[u8]| decode::<P>(bytes).expect_err("malformed");
        for len in 0..good.len() {
            assert_eq!(refused(&good[..len]), DecodeError::Length, "{len}");
        }
        for longer in [1, 41, 666, 1 << 20] {
            let longer = [good, &vec![0; longer]].concat();
            assert_eq!(refused(&longer), DecodeError::Length);
        }
        for header in (0..=255).filter(|header| *header != good[0]) {
            let bytes = [&[header], &good[1..]].concat();
            assert_eq!(refused(&bytes), DecodeError::Header, "{header:#x}");
        }
        // Both halves end in a byte of padding.
        for end in [P::PADDED_LEN, good.len()] {
            for bit in 0..8 {
                let mut bytes = good.to_vec();
                assert_eq!(bytes[end - 1], 0, "padding");
                bytes[end - 1] |= 1 << bit;
                assert_eq!(refused(&bytes), DecodeError::NonCanonical);
            }
        }
        for begin in [41, P::PADDED_LEN] {
            // The code has a minus zero, or a run of zeros that is too long.
            let mut bytes = good.to_vec();
            (bytes[begin], bytes[begin + 1]) = (0x80, bytes[begin + 1] | 0x80);
            assert_eq!(refused(&bytes), DecodeError::NonCanonical);
            bytes[begin..begin + 4].fill(0);
            assert_eq!(refused(&bytes), DecodeError::Range);
        }
        // The code of `s1` cannot extend into the place of `s2`.
        let mut cut = good.to_vec();
        cut[P::PADDED_LEN - 60..P::PADDED_LEN].fill(0);
        refused(&cut);
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn lengths_are_those_of_the_format() {
    assert_eq!(Falcon512::RECOVERABLE_LEN, 1291);
    assert_eq!(Falcon1024::RECOVERABLE_LEN, 2519);
    let signature = sign(&key::<Falcon512>(0), 0, b"");
    assert_eq!(signature.to_bytes().len(), Falcon512::RECOVERABLE_LEN);
}
