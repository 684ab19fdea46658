//! Compares keys whose parameter set is known at run time with the typed keys and the NIST vectors:
//! the inputs that they read, the inputs that they refuse, and the errors.

mod common;

use common::first_record;
use falcon_core::hazmat::{Cshake256HashToPoint, sign_with_hash};
use falcon_core::pkcs8::der::{Decode, Encode};
use falcon_core::pkcs8::spki::{self, SubjectPublicKeyInfoRef};
use falcon_core::pkcs8::{
    self, DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, KeyUse, LineEnding,
    ObjectIdentifier, OpenError, OpenPublicError, OpenedKey, PemError, PrivateKeyInfoRef,
};
use falcon_core::{
    AnySignStream, AnySignature, AnySigningKey, AnyVerifyingKey, DecodeError, EncodeError,
    Falcon512, Falcon1024, Format, ParameterSet, Parameters, Scratch, Signature, SignatureError,
    SigningKey, VerifyingKey,
};
use falcon_kat::Again;
use falcon_kat::rsp::Record;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use std::collections::HashSet;

const BOTH: [u32; 2] = [9, 10];

fn signing_key(logn: u32) -> AnySigningKey {
    AnySigningKey::try_from(&first_record(logn).secret_key[..]).expect("a key of a vector")
}

fn verifying_key(logn: u32) -> AnyVerifyingKey {
    AnyVerifyingKey::try_from(&first_record(logn).public_key[..]).expect("a key of a vector")
}

/// Returns byte strings of wrong lengths: 0, 1, one less and one more than the length of `bytes`.
fn of_wrong_length(bytes: &[u8]) -> Vec<Vec<u8>> {
    vec![
        vec![],
        bytes[..1].to_vec(),
        bytes[..bytes.len() - 1].to_vec(),
        [bytes, &[0]].concat(),
    ]
}

/// Checks a key of any set against the typed key of `P`.
fn is_the_typed_key<P: Parameters>()
where
    AnySigningKey: From<SigningKey<P>> + From<Box<SigningKey<P>>>,
    AnyVerifyingKey: From<VerifyingKey<P>> + From<Box<VerifyingKey<P>>>,
{
    let record = first_record(P::LOGN);
    let typed = SigningKey::<P>::try_from(&record.secret_key[..]).expect("a key");
    let public = typed.verifying_key();
    let message = &b"message"[..];
    let expected = typed
        .sign_with_rng(&mut Again([3]), message)
        .expect("no fault");

    let boxed = SigningKey::<P>::decode_boxed(&record.secret_key).expect("a key");
    let again = SigningKey::<P>::try_from(record.secret_key.clone()).expect("a key");
    for key in [
        AnySigningKey::from(boxed),
        AnySigningKey::from(again),
        AnySigningKey::try_from(&record.secret_key[..]).expect("a key"),
        AnySigningKey::try_from(record.secret_key.clone()).expect("a key"),
    ] {
        assert_eq!(key.name(), P::NAME);
        assert_eq!(key.to_bytes()[..], record.secret_key);
        assert_eq!(key.verifying_key().to_bytes(), record.public_key);
        let signature = key
            .sign_with_rng(&mut Again([3]), message)
            .expect("no fault");
        assert_eq!(signature, expected.to_bytes().as_bytes());
    }

    for key in [
        AnyVerifyingKey::from(public.clone()),
        AnyVerifyingKey::from(Box::new(public.clone())),
        AnyVerifyingKey::try_from(&record.public_key[..]).expect("a key"),
        AnyVerifyingKey::try_from(record.public_key.clone()).expect("a key"),
    ] {
        assert_eq!(key.name(), P::NAME);
        assert_eq!(key.to_bytes(), record.public_key);
        assert_eq!(key.fingerprint(), public.fingerprint());
        assert_eq!(key, verifying_key(P::LOGN));
        assert_eq!(key.verify(message, &expected.to_bytes()), Ok(()));
    }
}

#[test]
fn a_key_of_any_set_does_what_the_typed_key_does() {
    is_the_typed_key::<Falcon512>();
    is_the_typed_key::<Falcon1024>();
}

/// Checks signatures whose message is hashed with a customization. They are those of the typed
/// keys, take all randomness from the generator, and hold for their message and hash only.
#[test]
fn signatures_with_another_hash_are_those_of_the_typed_keys() {
    fn check<P: Parameters>() {
        let record = first_record(P::LOGN);
        let typed = SigningKey::<P>::try_from(&record.secret_key[..]).expect("a key");
        let key = signing_key(P::LOGN);
        let hashes = [b"one", b"two"].map(|name| Cshake256HashToPoint::new(name).expect("short"));
        let mut reals = vec![0.0; Scratch::<P>::LEN];
        let mut scratch = Scratch::new(&mut reals).expect("as many as are needed");
        for seed in [[3; 32], [4; 32]] {
            let expected = sign_with_hash(&typed, &seed, &hashes[0], b"message", &mut scratch);
            let expected = expected.expect("a point").to_bytes();
            let signed = key.sign_with_hash(&mut Again(seed), &hashes[0], b"message");
            assert_eq!(signed.as_deref(), Ok(expected.as_bytes()));
            let verify = |hash, message, signature: &[u8]| {
                verifying_key(P::LOGN).verify_with_hash(hash, message, signature)
            };
            let signature = expected.as_bytes();
            assert_eq!(verify(&hashes[0], b"message", signature), Ok(()));
            for refused in [
                verify(&hashes[1], b"message", signature),
                verify(&hashes[0], b"another", signature),
                verify(&hashes[0], b"message", &signature[1..]),
            ] {
                assert_eq!(refused, Err(SignatureError));
            }
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn a_set_is_its_type() {
    fn check<P: Parameters>(set: ParameterSet) {
        assert_eq!(set.name(), P::NAME);
        assert_eq!(format!("{set:>11}"), format!("{:>11}", P::NAME));
        assert_eq!(P::NAME.to_uppercase().parse(), Ok(set));
        assert_eq!(set.verifying_key_len(), P::VERIFYING_KEY_LEN);
        assert_eq!(set.signing_key_len(), P::SIGNING_KEY_LEN);
        assert_eq!(set.signature_len(Format::Padded), Some(P::PADDED_LEN));
        assert_eq!(set.signature_len(Format::ConstantTime), Some(P::CT_LEN));
        assert_eq!(set.signature_len(Format::Compressed), None);
        assert_eq!(ParameterSet::of_header(P::LOGN as u8), Some(set));
    }
    check::<Falcon512>(ParameterSet::Falcon512);
    check::<Falcon1024>(ParameterSet::Falcon1024);
    let sets = (0..=u8::MAX).filter_map(ParameterSet::of_header);
    assert_eq!(sets.count(), 2 * 16);
    assert_eq!(ParameterSet::ALL.len(), 2);
    // Without a set in the header, the decoders of Falcon-512 report the error.
    for bytes in [&[][..], &[0x50]] {
        assert_eq!(ParameterSet::of_encoding(bytes), ParameterSet::Falcon512);
    }
    let error = "Falcon-256".parse::<ParameterSet>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown parameter set \"Falcon-256\"; known are \"Falcon-512\" and \"Falcon-1024\""
    );
}

#[test]
fn keys_of_seeds_are_those_of_the_typed_keys() {
    fn check<P: Parameters>(set: ParameterSet) {
        let same = |any: AnySigningKey, typed: SigningKey<P>| {
            assert_eq!(any.set(), set);
            assert_eq!(any.verifying_key().set(), set);
            assert_eq!(any.to_bytes()[..], typed.to_bytes().as_ref()[..]);
            assert_eq!(
                any.typed::<P>().map(SigningKey::to_bytes),
                Some(typed.to_bytes())
            );
            let public = any.verifying_key();
            assert_eq!(public.typed::<P>(), Some(typed.verifying_key()));
            let is_other =
                any.typed::<Falcon512>().is_none() || any.typed::<Falcon1024>().is_none();
            assert!(is_other);
            let headerless = typed.verifying_key().to_headerless_bytes();
            let headerless = headerless.as_ref();
            assert_eq!(
                AnyVerifyingKey::from_headerless_bytes(headerless),
                Ok(public)
            );
            for malformed in [&headerless[1..], &[0; 3]] {
                let read = AnyVerifyingKey::from_headerless_bytes(malformed);
                assert_eq!(read, Err(DecodeError::Length));
            }
        };
        let typed = || SigningKey::from_seed(&[3; 32]).expect("no fault");
        same(
            AnySigningKey::from_seed(set, &[3; 32]).expect("no fault"),
            typed(),
        );
        same(
            AnySigningKey::generate(set, &mut Again([3])).expect("no fault"),
            typed(),
        );
        let any = AnySigningKey::from_reference_seed(set, &[4; 48]);
        let typed = SigningKey::from_reference_seed(&[4; 48]);
        same(any.expect("no fault"), typed.expect("no fault"));
    }
    check::<Falcon512>(ParameterSet::Falcon512);
    check::<Falcon1024>(ParameterSet::Falcon1024);
}

#[test]
fn signatures_of_pieces_and_formats_are_those_of_the_typed_keys() {
    fn check<P: Parameters>(set: ParameterSet)
    where
        AnySignature: From<Signature<P>>,
    {
        let key = signing_key(P::LOGN);
        let typed = key.typed::<P>().expect("a key of this set");
        let mut expected = typed.sign_stream_from_seed(&[5; 32]);
        expected.update(b"message");
        let expected = expected.finish().expect("no fault");

        let public = key.verifying_key();
        let mut stream = AnySignStream::new(key, &[5; 32]);
        assert!(format!("{stream:?}").contains(P::NAME));
        stream.update(b"mess");
        stream.update(b"age");
        let signature = stream.finish().expect("no fault");
        assert_eq!(signature, AnySignature::from(expected));
        assert_eq!(signature.set(), set);
        assert_eq!(signature.nonce(), expected.nonce());
        assert_eq!(signature.typed::<P>(), Some(&expected));

        for format in [Format::Compressed, Format::Padded, Format::ConstantTime] {
            let bytes = signature.to_vec(format).expect("it fits");
            assert_eq!(Ok(&bytes), expected.to_vec(format).as_ref());
            assert_eq!(AnySignature::detect(&bytes), Ok((set, format)));
            assert_eq!(
                AnySignature::from_bytes(set, format, &bytes).as_ref(),
                Ok(&signature)
            );
            for malformed in of_wrong_length(&bytes) {
                let error = Signature::<P>::from_bytes(format, &malformed).expect_err("malformed");
                assert_eq!(
                    AnySignature::from_bytes(set, format, &malformed),
                    Err(error)
                );
            }
        }
        let bytes = signature.to_bytes();
        assert_eq!(bytes, expected.to_bytes().as_bytes());
        let read = [
            AnySignature::try_from(&bytes[..]),
            AnySignature::try_from(bytes.clone()),
            AnySignature::from_canonical_bytes(set, &bytes),
        ];
        assert!(read.iter().all(|read| read.as_ref() == Ok(&signature)));
        assert_eq!(AnySignature::detect(&[]), Err(DecodeError::Length));
        assert_eq!(
            AnySignature::detect(&[P::LOGN as u8]),
            Err(DecodeError::Header)
        );

        let hashed = |message: &[u8], nonce| {
            let mut hasher = public.hasher(nonce);
            hasher.update(message);
            public.verify_hashed(hasher, &signature)
        };
        assert_eq!(hashed(b"message", signature.nonce()), Ok(()));
        assert_eq!(hashed(b"massage", signature.nonce()), Err(SignatureError));
        assert_eq!(hashed(b"message", &[0; 40]), Err(SignatureError));
        assert_eq!(public.verify_decoded(b"message", &signature), Ok(()));
        assert_eq!(
            public.verify_decoded(b"massage", &signature),
            Err(SignatureError)
        );
        let other = verifying_key(19 - P::LOGN);
        assert_eq!(
            other.verify_decoded(b"message", &signature),
            Err(SignatureError)
        );
        let hasher = other.hasher(signature.nonce());
        assert_eq!(other.verify_hashed(hasher, &signature), Err(SignatureError));
        assert!(
            signature.typed::<Falcon512>().is_none() || signature.typed::<Falcon1024>().is_none()
        );
    }
    check::<Falcon512>(ParameterSet::Falcon512);
    check::<Falcon1024>(ParameterSet::Falcon1024);

    // Coefficients that are too large for the padded format.
    let mut coefficients = [128; 512];
    coefficients[0] = -2047;
    let long =
        falcon_core::hazmat::signature_from_nonce_and_s2::<Falcon512>(&[7; 40], &coefficients);
    let long = AnySignature::from(long.expect("within the bound"));
    assert_eq!(long.to_vec(Format::Padded), Err(EncodeError::TooLong));
    assert_eq!(AnySignature::try_from(long.to_bytes()), Ok(long));
}

#[test]
fn verification_accepts_the_signature_alone() {
    for (logn, other) in [(9, 10), (10, 9)] {
        let key = verifying_key(logn);
        let sign = |logn| {
            signing_key(logn)
                .sign_with_rng(&mut Again([1]), b"message")
                .expect("no fault")
        };
        let signature = sign(logn);
        let refused = |message: &[u8], signature: &[u8]| {
            assert_eq!(key.verify(message, signature), Err(SignatureError));
        };
        assert_eq!(key.verify(b"message", &signature), Ok(()));
        refused(b"messagf", &signature);
        for malformed in of_wrong_length(&signature) {
            refused(b"message", &malformed);
        }
        for i in [0, 1, 41, signature.len() - 1] {
            let mut changed = signature.clone();
            changed[i] ^= 1;
            refused(b"message", &changed);
        }

        // A signature of the other parameter set, with either header.
        let mut foreign = sign(other);
        refused(b"message", &foreign);
        foreign[0] = signature[0];
        refused(b"message", &foreign);

        // A signature of another key of the same set.
        let stranger: AnySigningKey = match logn {
            9 => SigningKey::<Falcon512>::from_seed(&[1; 32])
                .expect("no fault")
                .into(),
            _ => SigningKey::<Falcon1024>::from_seed(&[1; 32])
                .expect("no fault")
                .into(),
        };
        let signature = stranger
            .sign_with_rng(&mut Again([1]), b"message")
            .expect("no fault");
        let own = stranger.verifying_key();
        assert_eq!(own.verify(b"message", &signature), Ok(()));
        refused(b"message", &signature);
    }
}

/// Decodes a signing key from a slice and from a vector, and returns the error of both.
fn signing_error(bytes: &[u8]) -> Option<DecodeError> {
    let error = AnySigningKey::try_from(bytes).err();
    assert_eq!(AnySigningKey::try_from(bytes.to_vec()).err(), error);
    error
}

/// Decodes a verifying key from a slice and from a vector, and returns the error of both.
fn verifying_error(bytes: &[u8]) -> Option<DecodeError> {
    let error = AnyVerifyingKey::try_from(bytes).err();
    assert_eq!(AnyVerifyingKey::try_from(bytes.to_vec()).err(), error);
    error
}

#[test]
fn bytes_that_are_no_key_are_refused_with_the_reason() {
    for (logn, other) in [(9, 10), (10, 9)] {
        let Record {
            secret_key: secret,
            public_key: public,
            ..
        } = first_record(logn);
        assert_eq!(signing_error(&secret), None);
        assert_eq!(verifying_error(&public), None);
        for malformed in of_wrong_length(&secret) {
            assert_eq!(signing_error(&malformed), Some(DecodeError::Length));
        }
        for malformed in of_wrong_length(&public) {
            assert_eq!(verifying_error(&malformed), Some(DecodeError::Length));
        }

        // A key of one kind is not a key of the other kind.
        assert_eq!(signing_error(&public), Some(DecodeError::Header));
        assert_eq!(verifying_error(&secret), Some(DecodeError::Header));
        let with_header = |bytes: &[u8], header: u8| [&[header], &bytes[1..]].concat();
        for header in 0..=u8::MAX {
            let expected = |kind: u8| match header {
                _ if header == kind + logn as u8 => None,
                _ if header == kind + other as u8 => Some(DecodeError::Length),
                _ => Some(DecodeError::Header),
            };
            let secret = with_header(&secret, header);
            assert_eq!(signing_error(&secret), expected(0x50), "{header:#x}");
            let public = with_header(&public, header);
            assert_eq!(verifying_error(&public), expected(0), "{header:#x}");
        }

        // The bytes have a valid encoding, but are not a key, since a coefficient of `F` is wrong.
        let mut changed = secret.clone();
        *changed.last_mut().expect("not empty") ^= 1;
        assert_eq!(signing_error(&changed), Some(DecodeError::InvalidKey));
        let mut changed = public.clone();
        changed[1..3].fill(0xff);
        assert_eq!(verifying_error(&changed), Some(DecodeError::Range));
    }
}

#[test]
fn documents_are_those_of_the_typed_keys() {
    fn check<P: Parameters>() {
        let record = first_record(P::LOGN);
        let typed = SigningKey::<P>::try_from(record.secret_key).expect("a key");
        let private = typed.to_pkcs8_der().expect("a document");
        let public = typed.verifying_key().to_public_key_der();
        let public = public.expect("a document");
        let key = signing_key(P::LOGN);
        assert_eq!(
            key.to_pkcs8_der().expect("a document").as_bytes(),
            private.as_bytes()
        );
        assert_eq!(key.verifying_key().to_public_key_der(), Ok(public.clone()));

        let read = AnySigningKey::from_pkcs8_der(private.as_bytes()).expect("a key");
        assert_eq!(read.name(), P::NAME);
        assert_eq!(read.to_bytes(), key.to_bytes());
        let read = AnyVerifyingKey::from_public_key_der(public.as_bytes());
        assert_eq!(read, Ok(verifying_key(P::LOGN)));

        let text = key.to_pkcs8_pem(LineEnding::LF).expect("a document");
        assert_eq!(Ok(&text), typed.to_pkcs8_pem(LineEnding::LF).as_ref());
        let read = AnySigningKey::from_pkcs8_pem(&text).expect("a key");
        assert_eq!(read.to_bytes(), key.to_bytes());
        let text = key.verifying_key().to_public_key_pem(LineEnding::LF);
        let read = AnyVerifyingKey::from_public_key_pem(&text.expect("a document"));
        assert_eq!(read, Ok(verifying_key(P::LOGN)));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn documents_name_their_set_by_each_of_its_identifiers() {
    let foreign = ["1.3.9999.3.12", "1.3.9999.3.15", "1.3.101.112"];
    let of_512 = ["1.3.9999.3.11", "1.3.9999.3.16", "1.3.9999.3.6"];
    let of_1024 = ["1.3.9999.3.14", "1.3.9999.3.19", "1.3.9999.3.9"];
    for (logn, own, other) in [(9, of_512, of_1024), (10, of_1024, of_512)] {
        let private = signing_key(logn).to_pkcs8_der().expect("a document");
        let public = verifying_key(logn).to_public_key_der();
        let public = public.expect("a document");
        let under = |oid| {
            let oid = ObjectIdentifier::new_unwrap(oid);
            let mut info = PrivateKeyInfoRef::try_from(private.as_bytes()).expect("PKCS#8");
            info.algorithm.oid = oid;
            let mut spki = SubjectPublicKeyInfoRef::from_der(public.as_bytes()).expect("a key");
            spki.algorithm.oid = oid;
            let private = AnySigningKey::from_pkcs8_der(&info.to_der().expect("DER"));
            let public = AnyVerifyingKey::from_public_key_der(&spki.to_der().expect("DER"));
            (
                private.map(|key| key.to_bytes()),
                public.map(|key| key.to_bytes()),
            )
        };
        let record = first_record(logn);
        for oid in own {
            let (private, public) = under(oid);
            assert_eq!(private.expect("a key")[..], record.secret_key, "{oid}");
            assert_eq!(public.expect("a key"), record.public_key, "{oid}");
        }
        for oid in other {
            let (private, public) = under(oid);
            assert!(
                matches!(private, Err(pkcs8::Error::KeyMalformed(_))),
                "{oid}"
            );
            assert_eq!(public, Err(spki::Error::KeyMalformed), "{oid}");
        }
        for oid in foreign {
            let (private, public) = under(oid);
            let oid = ObjectIdentifier::new_unwrap(oid);
            let unknown = spki::Error::OidUnknown { oid };
            assert_eq!(
                private,
                Err(pkcs8::der::ErrorKind::OidUnknown { oid }.into())
            );
            assert_eq!(public, Err(unknown));
        }
    }
}

#[test]
fn documents_that_are_cut_too_long_or_labelled_otherwise_are_refused() {
    for logn in BOTH {
        let key = signing_key(logn);
        let private = key.to_pkcs8_der().expect("a document");
        for malformed in of_wrong_length(private.as_bytes()) {
            assert!(AnySigningKey::from_pkcs8_der(&malformed).is_err());
        }
        let public = key.verifying_key().to_public_key_der().expect("a document");
        for malformed in of_wrong_length(public.as_bytes()) {
            assert!(AnyVerifyingKey::from_public_key_der(&malformed).is_err());
        }
        assert!(AnySigningKey::from_pkcs8_der(public.as_bytes()).is_err());
        assert!(AnyVerifyingKey::from_public_key_der(private.as_bytes()).is_err());

        let private = key.to_pkcs8_pem(LineEnding::LF).expect("a document");
        for label in ["PUBLIC KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
            let text = private.replace("PRIVATE KEY", label);
            assert!(AnySigningKey::from_pkcs8_pem(&text).is_err(), "{label}");
        }
        assert!(AnySigningKey::from_pkcs8_pem(&private[..private.len() / 2]).is_err());
        let public = key.verifying_key().to_public_key_pem(LineEnding::LF);
        let text = public.expect("a document");
        let text = text.replace("PUBLIC KEY", "PRIVATE KEY");
        assert!(AnyVerifyingKey::from_public_key_pem(&text).is_err());
    }
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_at_bounded_cost() {
    use ::pkcs8::pkcs5::{EncryptionScheme, pbes2};
    use ::pkcs8::{EncryptedPrivateKeyInfo, EncryptedPrivateKeyInfoRef};

    let key = signing_key(10);
    let text = key
        .to_pkcs8_encrypted_pem_with_rng(&mut Again([0]), "correct horse", LineEnding::LF)
        .expect("a document");
    let open = |passphrase| AnySigningKey::from_pkcs8_encrypted_pem(&text, passphrase);
    let opened = open("correct horse").expect("a key");
    assert_eq!(opened.name(), "Falcon-1024");
    assert_eq!(opened.to_bytes(), key.to_bytes());
    assert!(open("correct horsf").is_err());
    assert!(AnySigningKey::from_pkcs8_pem(&text).is_err());
    let plain = key.to_pkcs8_pem(LineEnding::LF).expect("a document");
    assert!(AnySigningKey::from_pkcs8_encrypted_pem(&plain, "correct horse").is_err());

    // The document is the same, but its parameters need 512 MiB.
    let document = key
        .to_pkcs8_encrypted_der_with_rng(&mut Again([0]), "correct horse")
        .expect("a document");
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).expect("PBES2");
    let parameters = encrypted.encryption_algorithm.pbes2();
    let mut parameters = parameters.expect("PBES2").clone();
    let pbes2::Kdf::Scrypt(scrypt) = &mut parameters.kdf else {
        panic!("written with scrypt");
    };
    scrypt.cost_parameter = 1 << 19;
    let dear = EncryptedPrivateKeyInfo {
        encryption_algorithm: EncryptionScheme::from(parameters),
        encrypted_data: encrypted.encrypted_data,
    };
    let dear = dear.to_der().expect("DER");
    let error = AnySigningKey::from_pkcs8_encrypted_der(&dear, "correct horse").unwrap_err();
    assert_eq!(
        error,
        pkcs8::Error::EncryptedPrivateKey(pkcs8::EncryptionError::AlgorithmParametersInvalid {
            oid: pbes2::SCRYPT_OID
        })
    );
}

#[test]
fn a_document_opens_with_a_passphrase_if_it_has_one() {
    let key = signing_key(10);
    let plain = KeyUse::CertificatesOnly.write(key.to_pkcs8_der().expect("a key").as_bytes());
    let plain = plain.expect("a document");
    let encrypted = pkcs8::encrypt_private_key(&mut Again([0]), plain.as_bytes(), "horse");
    let encrypted = encrypted.expect("a document");
    let labels = ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY"];
    for (document, passphrase, wrong, error) in [
        (&plain, None, Some(&b"horse"[..]), OpenError::NotEncrypted),
        (&encrypted, Some(&b"horse"[..]), None, OpenError::Encrypted),
        (
            &encrypted,
            Some(b"horse"),
            Some(b"house"),
            OpenError::Passphrase,
        ),
    ] {
        let der = document.as_bytes();
        let text = |label| document.to_pem(label, LineEnding::LF).expect("a document");
        let all = labels.map(|label| OpenedKey::from_pem(&text(label), passphrase));
        for opened in [OpenedKey::from_der(der, passphrase)]
            .into_iter()
            .chain(all)
        {
            let opened = opened.expect("a key");
            assert_eq!(opened.key.to_bytes(), key.to_bytes());
            assert_eq!(opened.key_use, KeyUse::CertificatesOnly);
            assert_eq!(opened.document.as_bytes(), plain.as_bytes());
        }
        assert_eq!(OpenedKey::from_der(der, wrong).unwrap_err(), error);
        for label in labels {
            assert_eq!(OpenedKey::from_pem(&text(label), wrong).unwrap_err(), error);
        }
        let refused = OpenedKey::from_pem(&text("PUBLIC KEY"), passphrase);
        let label = PemError::Label("PUBLIC KEY".to_owned());
        assert_eq!(refused.unwrap_err(), OpenError::Pem(label));
    }
    let read = |der: &[u8]| OpenedKey::from_der(der, Some(b"horse")).unwrap_err();
    for malformed in of_wrong_length(plain.as_bytes()) {
        let expected = AnySigningKey::from_pkcs8_der(&malformed).unwrap_err();
        assert_eq!(read(&malformed), OpenError::Malformed(expected));
    }
    let error = OpenedKey::from_pem("no PEM", None).unwrap_err();
    assert_eq!(error, OpenError::Pem(PemError::Missing));

    // The first block decrypts to wrong bytes, but the padding at the end is right.
    let mut garbled = encrypted.as_bytes().to_vec();
    let data = (plain.as_bytes().len() / 16 + 1) * 16;
    let first = garbled.len() - data;
    garbled[first] ^= 1;
    assert_eq!(read(&garbled), OpenError::Passphrase);
    // A scheme that is not PBES2: the identifier of PBES2 ends with 13.
    let pbes2 = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d];
    let at = encrypted.as_bytes().windows(9).position(|it| it == pbes2);
    let mut unknown = encrypted.as_bytes().to_vec();
    unknown[at.expect("PBES2") + 8] = 0x0e;
    let error = read(&unknown);
    assert!(
        matches!(error, OpenError::Undecryptable(_) | OpenError::Malformed(_)),
        "{error:?}"
    );
}

/// Returns a document of a key with another algorithm.
fn of_algorithm(oid: &str, document: &[u8]) -> Vec<u8> {
    let mut info = PrivateKeyInfoRef::from_der(document).expect("a document");
    info.algorithm.oid = ObjectIdentifier::new_unwrap(oid);
    info.to_der().expect("a document")
}

#[test]
fn a_private_key_in_pem_is_read_or_the_error_names_what_the_text_is() {
    let key = signing_key(10);
    let plain = key.to_pkcs8_pem(LineEnding::LF).expect("a document");
    let mut rng = Again([0]);
    let encrypted = key.to_pkcs8_encrypted_pem_with_rng(&mut rng, "horse", LineEnding::CRLF);
    let encrypted = encrypted.expect("a document");
    let spaced = format!("\n {}\n\n", *plain);
    let horse = Some(&b"horse"[..]);
    for (text, passphrase) in [(&*plain, None), (&spaced, None), (&encrypted, horse)] {
        let read = AnySigningKey::from_pem(text, passphrase).expect("a key");
        assert_eq!(read.to_bytes(), key.to_bytes());
        let typed = SigningKey::<Falcon1024>::from_pem(text, passphrase).expect("a key");
        assert_eq!(typed.to_bytes()[..], key.to_bytes()[..]);
    }

    let der = key.to_pkcs8_der().expect("a document");
    let marked = KeyUse::CertificatesOnly.write(der.as_bytes());
    let pem = |document: pkcs8::SecretDocument| {
        let text = document.to_pem("PRIVATE KEY", LineEnding::LF);
        text.expect("a document")
    };
    let marked = pem(marked.expect("a document"));
    let ed25519 = of_algorithm("1.3.101.112", der.as_bytes());
    let ed25519 = pem(ed25519.try_into().expect("a document"));
    let damaged = plain.replace('M', "!");
    let public = key.verifying_key().to_public_key_pem(LineEnding::LF);
    let public = public.expect("a document");
    let cases: [(&str, Option<&[u8]>, &str); 7] = [
        (
            &encrypted,
            None,
            "the key is encrypted; pass its passphrase",
        ),
        (
            &plain,
            horse,
            "the key is not encrypted; pass no passphrase",
        ),
        (&marked, None, "the key may sign certificates only"),
        (
            &ed25519,
            None,
            "not a Falcon key: the algorithm is 1.3.101.112",
        ),
        (
            "0907a1f3",
            None,
            "not a private key: the text is no PEM document, which begins with",
        ),
        (
            &damaged,
            None,
            "not a private key: the PEM document is damaged: ",
        ),
        (
            &public,
            None,
            "not a private key: the PEM document is labelled \"PUBLIC KEY\"",
        ),
    ];
    for (text, passphrase, expected) in cases {
        let error = AnySigningKey::from_pem(text, passphrase).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        let typed = SigningKey::<Falcon1024>::from_pem(text, passphrase).unwrap_err();
        assert_eq!(typed, error);
    }
    let error = SigningKey::<Falcon512>::from_pem(&plain, None).unwrap_err();
    assert_eq!(error, OpenError::ParameterSet(ParameterSet::Falcon1024));
}

#[test]
fn a_public_key_in_pem_is_read_or_the_error_names_what_the_text_is() {
    let key = verifying_key(9);
    let text = key.to_public_key_pem(LineEnding::CRLF).expect("a document");
    for text in [&text, &format!(" \n{text}\n")] {
        assert_eq!(AnyVerifyingKey::from_pem(text), Ok(key.clone()));
        let typed = VerifyingKey::<Falcon512>::from_pem(text).expect("a key");
        assert_eq!(Some(&typed), key.typed());
    }
    let error = VerifyingKey::<Falcon1024>::from_pem(&text).unwrap_err();
    assert_eq!(
        error,
        OpenPublicError::ParameterSet(ParameterSet::Falcon512)
    );

    let der = key.to_public_key_der().expect("a document");
    let mut info = SubjectPublicKeyInfoRef::from_der(der.as_bytes()).expect("a document");
    info.algorithm.oid = ObjectIdentifier::new_unwrap("1.3.101.112");
    let ed25519 = pkcs8::Document::try_from(info.to_der().expect("a document"));
    let ed25519 = ed25519
        .expect("a document")
        .to_pem("PUBLIC KEY", LineEnding::LF);
    let private = signing_key(9).to_pkcs8_pem(LineEnding::LF);
    for (text, expected) in [
        (
            &*ed25519.expect("a document"),
            "not a Falcon key: the algorithm is 1.3.101.112",
        ),
        (
            "falcon.key.pub",
            "not a public key: the text is no PEM document, which begins with",
        ),
        (
            &text.replace('M', "!"),
            "not a public key: the PEM document is damaged: ",
        ),
        (
            &private.expect("a document"),
            "not a public key: the PEM document is labelled \"PRIVATE KEY\"",
        ),
    ] {
        let error = AnyVerifyingKey::from_pem(text).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

/// Checks what the errors name if bytes are no key that `read` reads. `other` is a key of the other
/// parameter set.
fn errors_name_what_is_wrong<K: core::fmt::Debug>(
    read: impl Fn(&[u8]) -> Result<K, DecodeError>,
    key: &[u8],
    other: &[u8],
) {
    let error = |bytes: &[u8]| read(bytes).unwrap_err();
    let text = base16ct::lower::encode_string(key);
    let begin = &b"-----BEGIN PUBLIC KEY-----\nMIID"[..];
    for text in [text.as_bytes(), begin, b"MIIDmQ", b"falcon.key"] {
        assert_eq!(error(text), DecodeError::Text);
    }
    // Not text: the byte 15 is the last one that is looked at.
    let mut binary = [b'x'; 20];
    assert_eq!(error(&binary), DecodeError::Text);
    binary[16] = 0;
    assert_eq!(error(&binary), DecodeError::Text);
    binary[15] = 0;
    assert_eq!(error(&binary), DecodeError::Length);

    assert_eq!(error(other), DecodeError::Header);
    assert_eq!(error(&other[..20]), DecodeError::Header);
    assert_eq!(error(&[0; 20]), DecodeError::Length);
    for key in [key, other] {
        let mut headless = key.to_vec();
        headless[0] = 0;
        assert_eq!(error(&headless), DecodeError::Header);
        headless.pop();
        assert_eq!(error(&headless), DecodeError::Length);
    }
    for bytes in of_wrong_length(key) {
        assert_eq!(error(&bytes), DecodeError::Length);
    }
}

#[test]
fn errors_of_encoded_keys_name_texts_lengths_and_other_sets() {
    let [small, large] = BOTH.map(first_record);
    let read = |bytes: &[u8]| VerifyingKey::<Falcon512>::try_from(bytes);
    errors_name_what_is_wrong(read, &small.public_key, &large.public_key);
    let read = |bytes: &[u8]| SigningKey::<Falcon1024>::try_from(bytes);
    errors_name_what_is_wrong(read, &large.secret_key, &small.secret_key);
}

#[test]
fn formatting_shows_the_parameter_set_alone() {
    assert_eq!(
        format!("{:?}", signing_key(9)),
        "Falcon512(SigningKey { parameters: \"Falcon-512\", .. })"
    );
    assert_eq!(
        format!("{:?}", verifying_key(10)),
        "Falcon1024(VerifyingKey { parameters: \"Falcon-1024\", .. })"
    );
}

#[test]
fn a_fingerprint_is_shake256_of_the_encoding() {
    for logn in BOTH {
        let mut expected = [0; 32];
        let mut hash = sha3::Shake256::default();
        hash.update(&first_record(logn).public_key);
        hash.finalize_xof().read(&mut expected);
        assert_eq!(verifying_key(logn).fingerprint(), expected);
    }
}

/// A set holds equal values once, and different values separately.
#[test]
fn keys_and_signatures_are_elements_of_sets() {
    fn check<P: Parameters>() {
        let keys = [1, 2, 1].map(|seed| SigningKey::<P>::from_seed(&[seed; 32]).expect("no fault"));
        let public = keys.each_ref().map(|key| key.verifying_key().clone());
        let signatures = keys.each_ref().map(|key| {
            let signature = key
                .sign_with_rng(&mut Again([0]), b"message")
                .expect("no fault");
            Signature::<P>::try_from(&signature.to_bytes()[..]).expect("its own bytes")
        });
        assert!(public[0] != public[1] && signatures[0] != signatures[1]);
        assert_eq!(HashSet::from(public.clone()).len(), 2);
        assert!(HashSet::from(public.clone()).contains(&public[2]));
        assert_eq!(HashSet::from(signatures).len(), 2);
        assert!(HashSet::from(signatures).contains(&signatures[2]));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
    let any = [9, 10, 9].map(verifying_key);
    assert_eq!(HashSet::from(any).len(), 2);
}

#[test]
fn vectors_are_read_as_slices_are() {
    fn same<T: PartialEq + std::fmt::Debug>(
        from_slice: Result<T, DecodeError>,
        from_vec: Result<T, DecodeError>,
    ) {
        assert_eq!(from_slice, from_vec);
    }
    fn check<P: Parameters>() {
        let record = first_record(P::LOGN);
        let signature = Signature::<P>::from_attached(&record.signed_message);
        let signature = signature.expect("a signature").0.to_bytes();
        let encodings = [
            &record.secret_key[..],
            &record.public_key,
            signature.as_bytes(),
        ];
        for bytes in encodings {
            for bytes in [vec![bytes.to_vec()], of_wrong_length(bytes)].concat() {
                same(
                    Signature::<P>::try_from(&bytes[..]),
                    Signature::<P>::try_from(bytes.clone()),
                );
                same(
                    VerifyingKey::<P>::try_from(&bytes[..]),
                    VerifyingKey::<P>::try_from(bytes.clone()),
                );
                same(
                    SigningKey::<P>::try_from(&bytes[..]).map(|key| key.to_bytes()),
                    SigningKey::<P>::try_from(bytes).map(|key| key.to_bytes()),
                );
            }
        }
        assert!(Signature::<P>::try_from(signature.to_vec()).is_ok());
        assert_eq!(signature.as_bytes(), &signature[..]);
        assert_eq!(signature.as_bytes(), signature.as_ref());
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}
