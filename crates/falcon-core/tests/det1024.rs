//! Compares deterministic Falcon-1024 with the output of Algorand's code.

use falcon_core::det1024::{
    COMPRESSED_MAX_LEN, CT_LEN, CompressedSignature, CtSignature, SALT_VERSION, SigningKey,
    VerifyingKey,
};
use falcon_core::{DecodeError, Falcon1024, Format, Signature};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Digest, Sha3_256, Shake256};

fn sha3_256(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha3_256::digest(bytes))
}

fn key(k: usize) -> SigningKey {
    SigningKey::from_seed(format!("key-{k:04}").as_bytes()).expect("no fault")
}

fn message(k: usize) -> Vec<u8> {
    let mut message = vec![0; k];
    let seed = format!("msg-{k:04}");
    let mut stream = Shake256::default().chain(seed).finalize_xof();
    stream.read(&mut message);
    message
}

/// Number of records. An emulated processor computes only the first ones.
const RECORDS: usize = if cfg!(target_arch = "x86_64") {
    512
} else {
    24
};

/// A coordinate of this point's target is an integer except for rounding. Scaling by `1/q` before
/// the products would make the sampler draw another integer, and both signatures together would
/// reveal the key. The expected hash is that of the signature by algorand-falcon 0.1.0. A search
/// among 30,000 messages found this message.
#[test]
fn a_target_next_to_an_integer_is_rounded_as_in_algorand_s_code() {
    let key = SigningKey::from_seed(b"key-order").expect("no fault");
    let signature = key.sign(&1431u64.to_le_bytes()).expect("no fault");
    assert_eq!(
        sha3_256(&signature.to_bytes()),
        "0c50b6c30bb990c028aa777a557751117306e4e708616c3f1ea34d0c694dca1e"
    );
}

#[test]
fn signatures_are_those_of_algorand_s_code() {
    let text = include_str!("../../../kat/det1024/records.txt");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 512);
    for (k, line) in lines.into_iter().enumerate().take(RECORDS) {
        let fields: Vec<_> = line.split(' ').collect();
        assert_eq!(fields[0], k.to_string());
        let (key, message) = (key(k), message(k));
        let public_key = key.verifying_key();
        assert_eq!(sha3_256(&public_key.to_bytes()), fields[1], "key {k}");
        let signature = key.sign(&message).expect("no fault");
        assert_eq!(sha3_256(&signature.to_bytes()), fields[2], "signature {k}");
        let fixed = CtSignature::from(signature);
        if let Some(&hash) = fields.get(3) {
            assert_eq!(sha3_256(&fixed.to_bytes()), hash, "fixed length {k}");
        }
        if let Some(&bytes) = fields.get(4) {
            let bytes = base16ct::lower::decode_vec(bytes).expect("hexadecimal");
            assert_eq!(signature.to_bytes()[..], bytes);
        }

        let decoded = CompressedSignature::try_from(&signature.to_bytes()[..]);
        assert_eq!(decoded, Ok(signature));
        assert_eq!(CtSignature::try_from(&fixed.to_bytes()[..]), Ok(fixed));
        assert_eq!(CompressedSignature::from(fixed), signature);
        assert!(public_key.verify(&message, &signature).is_ok());
        assert!(public_key.verify_ct(&message, &fixed).is_ok());
        let other = [&message[..], b"x"].concat();
        assert!(public_key.verify(&other, &signature).is_err());
        assert!(public_key.verify_ct(&other, &fixed).is_err());
    }
}

#[test]
fn the_salt_version_is_signed() {
    let (key, message) = (key(1), message(1));
    let signature = key.sign(&message).expect("no fault");
    assert_eq!(signature.salt_version(), SALT_VERSION);
    let mut bytes = signature.to_bytes().to_vec();
    bytes[1] = 1;
    let other = CompressedSignature::try_from(&bytes[..]).expect("well encoded");
    assert_eq!(other.salt_version(), 1);
    assert_eq!(other.to_bytes()[..], bytes);
    assert_eq!(CtSignature::from(other).to_bytes()[1], 1);
    assert_eq!(CtSignature::from(other).salt_version(), 1);
    assert!(key.verifying_key().verify(&message, &other).is_err());
}

/// The salt of 40 bytes is the nonce of the ordinary signature with the same coefficients.
#[test]
fn the_salt_stands_for_a_nonce() {
    let (key, message) = (key(2), message(2));
    let made = key.sign(&message).expect("no fault");
    let signature = made.to_bytes();
    let mut salt = [0; 40];
    salt[..12].copy_from_slice(b"\x00\x0aFALCON_DET");
    let salted = [&[0x3a][..], &salt, &signature[2..]].concat();
    let ordinary = Signature::<Falcon1024>::from_bytes(Format::Compressed, &salted).expect("one");
    assert_eq!(Signature::<Falcon1024>::from(made), ordinary);
    let public_key = key.verifying_key().to_bytes();
    let public_key = falcon_core::VerifyingKey::<Falcon1024>::try_from(&public_key[..]);
    assert!(
        public_key
            .expect("a key")
            .verify(&message, &ordinary)
            .is_ok()
    );
}

#[test]
fn a_key_is_decoded_into_a_box() {
    let stored = key(2).to_bytes();
    let boxed = SigningKey::decode_boxed(&stored[..]).expect("a stored key");
    assert_eq!(*boxed.to_bytes(), *stored);
    let decode = |bytes: &[u8]| SigningKey::decode_boxed(bytes).map(|_| ()).unwrap_err();
    assert_eq!(decode(&stored[..2304]), DecodeError::Length);
    let mut other = stored.to_vec();
    other[0] ^= 1;
    assert_eq!(decode(&other), DecodeError::Header);
}

#[test]
fn malformed_signatures_are_refused() {
    let signature = key(3).sign(b"").expect("no fault");
    let compressed = signature.to_bytes().to_vec();
    let fixed = CtSignature::from(signature).to_bytes().to_vec();
    let decode = |bytes: &[u8]| CompressedSignature::try_from(bytes).map(|_| ());
    let decode_fixed = |bytes: &[u8]| CtSignature::try_from(bytes).map(|_| ());
    assert!(compressed.len() <= COMPRESSED_MAX_LEN);
    assert_eq!(fixed.len(), CT_LEN);

    for len in 0..compressed.len() {
        assert_eq!(
            decode(&compressed[..len]),
            Err(DecodeError::Length),
            "{len}"
        );
    }
    for len in 0..fixed.len() {
        assert_eq!(
            decode_fixed(&fixed[..len]),
            Err(DecodeError::Length),
            "{len}"
        );
    }
    for longer in [1, 100, COMPRESSED_MAX_LEN, 1 << 20] {
        let tail = vec![0; longer];
        let longer = [&compressed[..], &tail].concat();
        assert_eq!(decode(&longer), Err(DecodeError::Length));
        let longer = [&fixed[..], &tail].concat();
        assert_eq!(decode_fixed(&longer), Err(DecodeError::Length));
    }
    for (good, other) in [(0xba, 0xda), (0xda, 0xba)] {
        for header in (0..=255).filter(|&header| header != good) {
            let (mut compressed, mut fixed) = (compressed.clone(), fixed.clone());
            (compressed[0], fixed[0]) = (header, header);
            let expected = Err(DecodeError::Header);
            if good == 0xba {
                assert_eq!(decode(&compressed), expected, "{header:#x} {other:#x}");
            } else {
                assert_eq!(decode_fixed(&fixed), expected, "{header:#x} {other:#x}");
            }
        }
    }
    // Only the field 0x800 is not a coefficient.
    let mut forbidden = fixed.clone();
    (forbidden[2], forbidden[3]) = (0x80, forbidden[3] & 0x0f);
    assert_eq!(decode_fixed(&forbidden), Err(DecodeError::Range));
    // A minus zero consists of the sign, seven zeros, and the end of the unary part.
    let mut minus_zero = compressed.clone();
    (minus_zero[2], minus_zero[3]) = (0x80, minus_zero[3] | 0x80);
    assert_eq!(decode(&minus_zero), Err(DecodeError::NonCanonical));
}

#[test]
fn generic_code_signs_and_verifies() {
    use falcon_core::signature::{Keypair, Signer, Verifier};
    fn exchange<S>(key: &impl Signer<S>, public_key: &impl Verifier<S>) {
        let signature = key.sign(b"payment #42");
        assert!(public_key.verify(b"payment #42", &signature).is_ok());
        assert!(public_key.verify(b"payment #43", &signature).is_err());
    }
    let key = key(4);
    let public_key = Keypair::verifying_key(&key);
    exchange::<CompressedSignature>(&key, &public_key);
    let fixed = CtSignature::from(key.sign(b"payment #42").expect("no fault"));
    assert!(Verifier::verify(&public_key, b"payment #42", &fixed).is_ok());
    assert!(Verifier::verify(&public_key, b"payment #43", &fixed).is_err());
}

#[test]
fn a_generated_key_is_that_of_the_generator_s_bytes() {
    use rand::{Rng, SeedableRng, rngs::StdRng};
    let mut rng = StdRng::from_seed([3; 32]);
    let mut seed = [0; 32];
    StdRng::from_seed([3; 32]).fill_bytes(&mut seed);
    let key = SigningKey::generate(&mut rng).expect("no fault");
    assert_eq!(
        key.to_bytes(),
        SigningKey::from_seed(&seed).expect("no fault").to_bytes()
    );
}

#[test]
fn keys_are_those_of_falcon_1024() {
    let key = key(5);
    let ordinary = falcon_core::SigningKey::<Falcon1024>::try_from(&key.to_bytes()[..]);
    let ordinary = ordinary.expect("a key");
    assert_eq!(
        ordinary.verifying_key().to_bytes(),
        key.verifying_key().to_bytes()
    );
    let again = SigningKey::from(ordinary);
    assert_eq!(again.to_bytes(), key.to_bytes());
    assert_eq!(format!("{key:?}"), "SigningKey { .. }");
    let public_key = VerifyingKey::try_from(&key.verifying_key().to_bytes()[..]);
    assert_eq!(public_key, Ok(key.verifying_key()));
    assert_eq!(
        SigningKey::try_from(&[0x5a; 7][..]).err(),
        Some(DecodeError::Length)
    );
}
