//! Seeds, refusals and second tries: keys from seeds and keys without a header; generators that may
//! fail; bounds on the parts of a signature; signatures that do not fit their format.

use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::hazmat::{
    BatchSignRaw, Fit, RawJob, RawRandomness, insecure, secret_hash, sign_raw, sign_with_hash,
    signature_from_nonce_and_s2, signing_key_from_seed,
};
use falcon_core::rand_core::{TryCryptoRng, TryRng, UnwrapErr};
use falcon_core::seams::hash::Shake256;
use falcon_core::seams::hash_to_point::{HashToPoint, Shake256HashToPoint};
use falcon_core::signature::{Error, RandomizedMultipartSigner, RandomizedSigner};
use falcon_core::{
    DecodeError, Engine, Falcon512, Falcon1024, Format, KeygenScratch, Parameters, Scratch,
    Signature, SigningKey, VerifyingKey,
};

/// A generator that always gives the same byte, or fails.
#[derive(Clone, Copy)]
struct Constant(Option<u8>);

#[derive(Debug)]
struct Broken;

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("a broken generator")
    }
}

impl core::error::Error for Broken {}

impl TryRng for Constant {
    type Error = Broken;

    fn try_next_u32(&mut self) -> Result<u32, Broken> {
        Ok(u32::from_ne_bytes([self.0.ok_or(Broken)?; 4]))
    }
    fn try_next_u64(&mut self) -> Result<u64, Broken> {
        Ok(u64::from_ne_bytes([self.0.ok_or(Broken)?; 8]))
    }
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Broken> {
        out.fill(self.0.ok_or(Broken)?);
        Ok(())
    }
}

impl TryCryptoRng for Constant {}

#[test]
fn the_seed_of_a_key_comes_from_the_generator() {
    for byte in [0, 7] {
        let mut rng = UnwrapErr(Constant(Some(byte)));
        let key = SigningKey::<Falcon512>::generate(&mut rng).expect("no fault");
        let expected = SigningKey::<Falcon512>::from_seed(&[byte; 32]).expect("no fault");
        assert_eq!(*key.to_bytes(), *expected.to_bytes());
    }
}

/// Tests with known answers compare the keys of `hazmat` with those of the reference.
#[test]
fn a_seed_of_48_bytes_gives_the_key_of_hazmat() {
    fn check<P: Parameters>() {
        let seed = core::array::from_fn(|i| i as u8);
        let expected = signing_key_from_seed::<P>(&seed)
            .expect("no fault")
            .to_bytes();
        let key = SigningKey::<P>::from_reference_seed(&seed).expect("no fault");
        assert_eq!(*key.to_bytes(), *expected);
        let key = SigningKey::<P>::from_reference_seed_boxed(&seed).expect("no fault");
        assert_eq!(*key.to_bytes(), *expected);
        let mut words = vec![0; KeygenScratch::<P>::WORDS];
        let mut wide = vec![0; KeygenScratch::<P>::WIDE];
        let mut residues = vec![0; KeygenScratch::<P>::RESIDUES];
        let scratch = KeygenScratch::new(&mut words, &mut wide, &mut residues);
        let key = SigningKey::<P>::from_reference_seed_in(&seed, &mut scratch.unwrap())
            .expect("no fault");
        assert_eq!(*key.to_bytes(), *expected);
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn keys_without_header_are_read_and_refused() {
    fn check<P: Parameters>() {
        let key = SigningKey::<P>::from_seed(&[3; 32])
            .expect("no fault")
            .verifying_key()
            .clone();
        let bytes = key.to_headerless_bytes();
        let bytes = bytes.as_ref();
        assert_eq!(bytes, &key.to_bytes().as_ref()[1..]);
        let decode = VerifyingKey::<P>::from_headerless_bytes;
        assert_eq!(decode(bytes), Ok(key.clone()));
        assert_eq!(decode(&bytes[1..]), Err(DecodeError::Length));
        assert_eq!(decode(key.to_bytes().as_ref()), Err(DecodeError::Length));
        assert_eq!(decode(&[]), Err(DecodeError::Length));
        // The first coefficient becomes 16383.
        let mut large = bytes.to_vec();
        large[0] = 0xff;
        large[1] |= 0xfc;
        assert_eq!(decode(&large), Err(DecodeError::Range));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
    // Two coefficients leave four spare bits.
    let decode = VerifyingKey::<insecure::InsecureFalcon2>::from_headerless_bytes;
    assert!(decode(&[0, 4, 0, 0x10]).is_ok());
    assert_eq!(decode(&[0, 4, 0, 0x11]), Err(DecodeError::NonCanonical));
}

#[test]
fn the_seed_of_a_signature_comes_from_the_generator() {
    type P = Falcon512;
    let key = SigningKey::<P>::from_seed(&[4; 32]).expect("no fault");
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");
    for byte in [0, 7] {
        let mut stream = key.sign_stream_from_seed(&[byte; 32]);
        stream.update(b"message");
        let expected = stream.finish().expect("no fault");
        let mut failing = Constant(Some(byte));
        let rng = &mut UnwrapErr(failing);
        let mut stream = key.sign_stream(rng);
        stream.update(b"message");
        let signatures = [
            key.sign_with_rng(rng, b"message").expect("no fault"),
            key.sign_in(rng, b"message", &mut scratch)
                .expect("no fault"),
            stream.finish().expect("no fault"),
            key.try_sign_with_rng(&mut failing, b"message")
                .expect("bytes"),
            key.try_multipart_sign_with_rng(&mut failing, &[b"mess", b"age"])
                .expect("bytes"),
        ];
        assert!(signatures.iter().all(|signature| *signature == expected));
    }
}

#[test]
fn the_seed_of_a_batch_comes_from_the_generator() {
    let key = SigningKey::<Falcon512>::from_seed(&[4; 32]).expect("no fault");
    let jobs = [b"one", b"two"].map(|message| SignJob::new(&key, message));
    for byte in [0, 7] {
        let mut expected = [Signature::EMPTY; 2];
        let signed = Engine::best().sign_batch(&[byte; 32], &jobs, &mut expected);
        signed.expect("as many results as jobs");
        let mut rng = UnwrapErr(Constant(Some(byte)));
        let signatures = Engine::best().sign_batch_with_rng(&mut rng, &jobs);
        assert_eq!(signatures.expect("as many results as jobs"), expected);
    }
}

#[test]
fn a_generator_that_fails_gives_no_signature() {
    let key = SigningKey::<Falcon512>::from_seed(&[4; 32]).expect("no fault");
    let mut rng = Constant(None);
    type Signed = Result<Signature<Falcon512>, Error>;
    let signed: Signed = key.try_sign_with_rng(&mut rng, b"message");
    assert!(signed.is_err());
    let signed: Signed = key
        .expand()
        .try_multipart_sign_with_rng(&mut rng, &[b"message"]);
    assert!(signed.is_err());
}

/// Tries the largest norm of `s2` alone and the next larger one, too few and too many coefficients,
/// and a coefficient that no format can write.
#[test]
fn parts_that_are_no_signature_are_refused() {
    fn check<P: Parameters>(large: usize, rest: [i16; 5]) {
        let nonce = [7; 40];
        let from = |s2: &[i16]| signature_from_nonce_and_s2::<P>(&nonce, s2);
        let mut s2 = vec![0; P::N];
        s2[..large].fill(-2047);
        s2[large..large + 5].copy_from_slice(&rest);
        let signature = from(&s2).expect("within the bound");
        assert_eq!(signature.s2(), s2);
        assert_eq!(signature.nonce(), &nonce);
        assert!(from(&s2[..P::N - 1]).is_none());
        assert!(from(&[&s2[..], &[0]].concat()).is_none());
        s2[P::N - 1] = 1;
        assert!(from(&s2).is_none());

        let mut one = vec![0; P::N];
        for s in [2048, -2048, i16::MIN, i16::MAX] {
            one[3] = s;
            assert!(from(&one).is_none(), "{s}");
        }
    }
    // The squares are the same as in `checks.rs`.
    check::<Falcon512>(8, [716, 19, 6, 1, 0]);
    check::<Falcon1024>(16, [1794, 58, 9, 4, 1]);
}

/// A seed whose first short vector needs more than the padded length, as about one vector in a
/// thousand does. This seed was found by trying.
const TOO_LONG: u64 = 69;

/// Every way to sign tries again until the padded format holds the signature.
#[test]
fn a_signature_that_does_not_fit_is_tried_again() {
    type P = Falcon1024;
    let key = SigningKey::<P>::from_seed(&[4; 32]).expect("no fault");
    let expanded = key.expand();
    let message = b"message";
    let mut reals = vec![0.0; Scratch::<P>::LEN];
    let mut scratch = Scratch::<P>::new(&mut reals).expect("enough");

    // Derives the hedged randomness from a seed step by step.
    let secret = secret_hash(&key);
    let (mut seed, index) = ([0; 32], [0; 8]);
    seed[..8].copy_from_slice(&TOO_LONG.to_le_bytes());
    let nonce = [b"falcon nonce 2", &seed[..], &index, secret].concat();
    let nonce: [u8; 40] = Shake256::reader(&nonce).read_array();
    let mut point = vec![0; P::N];
    Shake256HashToPoint.hash_to_point(&nonce, message, &mut point);
    let digest: Vec<u8> = point[..40].iter().flat_map(|c| c.to_le_bytes()).collect();
    let stream = [b"falcon sampler", &seed[..], &index, secret, &digest].concat();
    let fits = |signature: &Signature<P>| signature.encoded_len(Format::Padded).is_some();
    let randomness = RawRandomness {
        nonce: &nonce,
        seed: &stream,
    };
    let long = sign_raw(&expanded, randomness, message, Fit::Any, &mut scratch).expect("no fault");
    assert!(!fits(&long));
    assert_eq!(key.verifying_key().verify(message, &long), Ok(()));
    let check = |how: &str, signature: &Signature<P>| {
        assert!(fits(signature), "{how}");
        assert_eq!(signature.nonce(), long.nonce(), "{how}");
        let valid = key.verifying_key().verify(message, signature);
        assert_eq!(valid, Ok(()), "{how}");
    };
    let mut single = key.sign_stream_from_seed(&seed);
    single.update(message);
    check("a key", &single.finish().expect("no fault"));
    let mut single = expanded.sign_stream_from_seed(&seed);
    single.update(message);
    check("an expanded key", &single.finish().expect("no fault"));
    let raw = sign_raw(&key, randomness, message, Fit::Padded, &mut scratch).expect("no fault");
    check("raw", &raw);
    let hashed = sign_with_hash(&key, &seed, &Shake256HashToPoint, message, &mut scratch);
    check("with a hash", &hashed.expect("a point"));
    for engine in Engine::available() {
        // Signs one job, then 16 jobs, which fill the lanes of every engine. The first job is the
        // long one.
        for count in [1, 16] {
            let jobs = vec![SignJob::new(&expanded, message); count];
            let mut out = vec![Signature::EMPTY; count];
            let signed = engine.sign_part(&seed, 0, &jobs, &mut out);
            signed.expect("as many results as jobs");
            check(engine.name(), &out[0]);
            let jobs = vec![RawJob::new(&key, message, randomness); count];
            for (fit, expected) in [(Fit::Padded, true), (Fit::Any, false)] {
                let signed = engine.sign_batch_raw(&jobs, fit, &mut out);
                signed.expect("as many results as jobs");
                assert!(out.iter().all(|signature| fits(signature) == expected));
            }
        }
    }
}
