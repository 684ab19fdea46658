//! Key documents: the exact bytes that are written, every form that is read, and documents that are
//! refused.

mod common;

use common::first_record;
use falcon_core::hazmat::signature_from_nonce_and_s2;
use falcon_core::pkcs8::der::{
    Decode, Encode, ErrorKind,
    asn1::{BitStringRef, OctetStringRef},
};
use falcon_core::pkcs8::spki::{
    self, AssociatedAlgorithmIdentifier, SignatureAlgorithmIdentifier, SignatureBitStringEncoding,
};
use falcon_core::pkcs8::{
    AlgorithmIdentifierRef, CertificateSignature, DecodePrivateKey, DecodePublicKey,
    EncodePrivateKey, EncodePublicKey, EncryptionError, Error, KeyError, KeyUse, LineEnding,
    MAX_PBKDF2_COST, ObjectIdentifier, OpenError, OpenedKey, PrivateKeyInfoRef, SecretDocument,
    decrypt_private_key, encrypt_private_key,
};
use falcon_core::signature::{
    MultipartVerifier, RandomizedMultipartSigner, RandomizedSigner, SignatureEncoding, Verifier,
};
use falcon_core::{
    AnySigningKey, DecodeError, Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey,
    VerifyingKey,
};
use falcon_kat::Again;
use getrandom::SysRng;
use pkcs8::pkcs5::{EncryptionScheme, pbes2};
use pkcs8::{EncryptedPrivateKeyInfo, EncryptedPrivateKeyInfoRef};
use std::collections::BTreeSet;

/// Encoded keys of a vector, and documents around them.
struct Vector {
    secret: Vec<u8>,
    public: Vec<u8>,
    oid: ObjectIdentifier,
}

impl Vector {
    fn new<P: Parameters>() -> Self {
        let record = first_record(P::LOGN);
        Self {
            secret: record.secret_key,
            public: record.public_key,
            oid: SigningKey::<P>::ALGORITHM_IDENTIFIER.oid,
        }
    }

    /// Returns PKCS#8 version 1 around `contents`.
    fn document(&self, contents: &[u8]) -> Vec<u8> {
        info(self.oid, contents).to_der().unwrap()
    }

    fn concatenation(&self) -> Vec<u8> {
        [&self.secret[..], &self.public].concat()
    }

    /// Returns the document of Bouncy Castle, field by field: version, `f`, `g`, `F`, `h`.
    fn polynomials(&self) -> [Vec<u8>; 5] {
        let n = if self.secret.len() == 1281 { 512 } else { 1024 };
        let (fg, capital_f) = self.secret[1..].split_at(self.secret.len() - 1 - n);
        let (f, g) = fg.split_at(fg.len() / 2);
        [
            vec![2, 1, 0],
            octets(f),
            octets(g),
            octets(capital_f),
            sequence(&octets(&self.public[1..])),
        ]
    }

    /// Returns every form of `privateKey` that is read.
    fn forms(&self) -> [Vec<u8>; 5] {
        let polynomials = self.polynomials();
        [
            octets(&self.concatenation()),
            octets(&self.secret),
            self.secret.clone(),
            sequence(&polynomials.concat()),
            sequence(&polynomials[..4].concat()),
        ]
    }
}

fn info(oid: ObjectIdentifier, contents: &[u8]) -> PrivateKeyInfoRef<'_> {
    let algorithm = AlgorithmIdentifierRef {
        oid,
        parameters: None,
    };
    PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(contents).unwrap())
}

fn octets(bytes: &[u8]) -> Vec<u8> {
    OctetStringRef::new(bytes).unwrap().to_der().unwrap()
}

/// Returns a `SEQUENCE` of 128 to 65535 bytes.
fn sequence(contents: &[u8]) -> Vec<u8> {
    let len = u16::try_from(contents.len()).unwrap();
    match len {
        0..=255 => [&[0x30, 0x81, len as u8], contents].concat(),
        _ => [&[0x30, 0x82, (len >> 8) as u8, len as u8], contents].concat(),
    }
}

fn read<P: Parameters>(document: &[u8]) -> Result<Vec<u8>, Error> {
    let key = SigningKey::<P>::from_pkcs8_der(document);
    let boxed = Box::<SigningKey<P>>::from_pkcs8_der(document);
    let bytes = |key: &SigningKey<P>| key.to_bytes().as_ref().to_vec();
    let read = key.as_ref().map(bytes);
    assert_eq!(read, boxed.as_deref().map(bytes));
    read.map_err(|&error| error)
}

fn signing_key<P: Parameters>(vector: &Vector) -> SigningKey<P> {
    SigningKey::try_from(&vector.secret[..]).unwrap()
}

fn verifying_key<P: Parameters>(vector: &Vector) -> VerifyingKey<P> {
    VerifyingKey::try_from(&vector.public[..]).unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
    text.split(' ')
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

#[test]
fn private_keys_are_written_as_the_oqs_provider_writes_them() {
    fn check<P: Parameters>(prefix: &str) {
        let vector = Vector::new::<P>();
        let expected = [unhex(prefix), vector.concatenation()].concat();
        let written = signing_key::<P>(&vector).to_pkcs8_der().unwrap();
        assert_eq!(written.as_bytes(), expected);
        assert_eq!(read::<P>(&expected).unwrap(), vector.secret);
    }
    check::<Falcon512>("30 82 08 96 02 01 00 30 07 06 05 2b ce 0f 03 0b 04 82 08 86 04 82 08 82");
    check::<Falcon1024>("30 82 10 16 02 01 00 30 07 06 05 2b ce 0f 03 0e 04 82 10 06 04 82 10 02");
}

/// Bouncy Castle 1.87 generated these keys from a seed and wrote the documents.
#[test]
fn keys_with_separate_polynomials_are_written_as_bouncy_castle_writes_them() {
    fn check<P: Parameters>(theirs: &str) {
        let key = SigningKey::<P>::from_pkcs8_pem(theirs).unwrap();
        let seed = std::array::from_fn(|i| i as u8);
        let expected = SigningKey::<P>::from_reference_seed(&seed).expect("no fault");
        assert_eq!(*key.to_bytes(), *expected.to_bytes());
        let pem = key.to_pkcs8_polynomials_pem(LineEnding::LF).unwrap();
        assert_eq!(*pem, theirs);
        let der = key.to_pkcs8_polynomials_der().unwrap();
        assert_eq!(read::<P>(der.as_bytes()).unwrap(), key.to_bytes().as_ref());

        let any = AnySigningKey::from_pkcs8_pem(theirs).unwrap();
        let pem = any.to_pkcs8_polynomials_pem(LineEnding::LF).unwrap();
        assert_eq!(*pem, theirs);
        let document = any.to_pkcs8_polynomials_der().unwrap();
        assert_eq!(document.as_bytes(), der.as_bytes());
        // The form that other programs read does not change.
        assert_ne!(any.to_pkcs8_der().unwrap().as_bytes(), der.as_bytes());
    }
    check::<Falcon512>(include_str!("../../../kat/pkcs8/bouncy-castle-512.pem"));
    check::<Falcon1024>(include_str!("../../../kat/pkcs8/bouncy-castle-1024.pem"));
}

#[test]
fn public_keys_are_written_raw_in_the_bit_string() {
    fn check<P: Parameters>(prefix: &str) {
        let vector = Vector::new::<P>();
        let key = verifying_key::<P>(&vector);
        let expected = [unhex(prefix), vector.public].concat();
        let written = key.to_public_key_der().unwrap();
        assert_eq!(written.as_bytes(), expected);
        assert_eq!(
            VerifyingKey::<P>::from_public_key_der(&expected).unwrap(),
            key
        );
    }
    check::<Falcon512>("30 82 03 8f 30 07 06 05 2b ce 0f 03 0b 03 82 03 82 00");
    check::<Falcon1024>("30 82 07 0f 30 07 06 05 2b ce 0f 03 0e 03 82 07 02 00");
}

#[test]
fn every_form_of_the_private_key_is_read() {
    fn check<P: Parameters>() {
        let vector = Vector::new::<P>();
        for contents in vector.forms() {
            assert_eq!(
                read::<P>(&vector.document(&contents)).unwrap(),
                vector.secret
            );
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn keys_are_read_under_each_identifier_of_their_degree_only() {
    fn check<P: Parameters>(own: [&str; 3], foreign: &[&str]) {
        let vector = Vector::new::<P>();
        let (private, public) = (octets(&vector.secret), verifying_key::<P>(&vector));
        let spki = public.to_public_key_der().unwrap();
        let with_oid = |oid| {
            let mut spki = spki::SubjectPublicKeyInfoRef::from_der(spki.as_bytes()).unwrap();
            spki.algorithm.oid = oid;
            VerifyingKey::<P>::from_public_key_der(&spki.to_der().unwrap())
        };
        for oid in own.map(ObjectIdentifier::new_unwrap) {
            let document = info(oid, &private).to_der().unwrap();
            assert_eq!(read::<P>(&document).unwrap(), vector.secret, "{oid}");
            assert_eq!(with_oid(oid).unwrap(), public, "{oid}");
        }
        for oid in foreign.iter().map(|oid| ObjectIdentifier::new_unwrap(oid)) {
            let document = info(oid, &private).to_der().unwrap();
            let unknown = spki::Error::OidUnknown { oid };
            let refused = read::<P>(&document).unwrap_err();
            assert_eq!(refused, ErrorKind::OidUnknown { oid }.into());
            let message = refused.to_string();
            assert!(
                !message.contains("public") && message.contains(&oid.to_string()),
                "{message}"
            );
            assert_eq!(with_oid(oid), Err(unknown));
        }
    }
    let of_512 = ["1.3.9999.3.11", "1.3.9999.3.16", "1.3.9999.3.6"];
    let of_1024 = ["1.3.9999.3.14", "1.3.9999.3.19", "1.3.9999.3.9"];
    // Identifiers of hybrids with P-256, RSA-3072 and P-521, and of Ed25519.
    let others = [
        "1.3.9999.3.12",
        "1.3.9999.3.13",
        "1.3.9999.3.15",
        "1.3.101.112",
    ];
    check::<Falcon512>(of_512, &[&of_1024[..], &others].concat());
    check::<Falcon1024>(of_1024, &[&of_512[..], &others].concat());
}

#[test]
fn parameters_are_refused() {
    let vector = Vector::new::<Falcon512>();
    let contents = octets(&vector.secret);
    let mut info = info(vector.oid, &contents);
    info.algorithm.parameters = Some(falcon_core::pkcs8::der::asn1::AnyRef::NULL);
    assert_eq!(
        read::<Falcon512>(&info.to_der().unwrap()),
        Err(Error::ParametersMalformed)
    );
    let key = verifying_key::<Falcon512>(&vector)
        .to_public_key_der()
        .unwrap();
    let mut spki = spki::SubjectPublicKeyInfoRef::from_der(key.as_bytes()).unwrap();
    spki.algorithm.parameters = Some(falcon_core::pkcs8::der::asn1::AnyRef::NULL);
    assert_eq!(
        VerifyingKey::<Falcon512>::from_public_key_der(&spki.to_der().unwrap()),
        Err(spki::Error::KeyMalformed)
    );
}

#[test]
fn a_private_key_of_the_other_degree_is_refused() {
    let small = Vector::new::<Falcon512>();
    let mut large = Vector::new::<Falcon1024>();
    large.oid = small.oid;
    for contents in [
        octets(&large.concatenation()),
        octets(&large.secret),
        large.secret.clone(),
        sequence(&large.polynomials().concat()),
    ] {
        assert!(read::<Falcon512>(&large.document(&contents)).is_err());
    }
}

#[test]
fn a_public_key_that_is_not_of_the_secret_key_is_refused() {
    fn check<P: Parameters>() {
        let vector = Vector::new::<P>();
        let mut other = Vector::new::<P>();
        *other.public.last_mut().unwrap() ^= 1;
        assert!(VerifyingKey::<P>::try_from(&other.public[..]).is_ok());
        for contents in [
            octets(&other.concatenation()),
            sequence(&other.polynomials().concat()),
        ] {
            assert_eq!(
                read::<P>(&vector.document(&contents)),
                Err(Error::KeyMalformed(KeyError::Invalid))
            );
        }
        // Version 2 of PKCS#8 has a field for the public key.
        let contents = octets(&vector.secret);
        let mut info = info(vector.oid, &contents);
        for (public, accepted) in [(&vector.public, true), (&other.public, false)] {
            info.public_key = Some(BitStringRef::from_bytes(public).unwrap());
            assert_eq!(read::<P>(&info.to_der().unwrap()).is_ok(), accepted);
        }
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

/// The decoder skips extensions of the standard without reading them.
#[test]
fn fields_after_the_public_key_are_ignored() {
    let vector = Vector::new::<Falcon512>();
    let document = vector.document(&octets(&vector.secret));
    let extended = [&document[4..], &[0xa2, 2, 5, 0]].concat();
    assert_eq!(
        read::<Falcon512>(&sequence(&extended)).unwrap(),
        vector.secret
    );
}

#[test]
fn documents_cut_anywhere_or_followed_by_anything_are_refused() {
    fn check<P: Parameters>() {
        let vector = Vector::new::<P>();
        for contents in vector.forms() {
            let mut document = vector.document(&contents);
            for len in 0..document.len() {
                assert!(read::<P>(&document[..len]).is_err(), "{len}");
            }
            document.push(0);
            assert!(read::<P>(&document).is_err());
        }
        let key = verifying_key::<P>(&vector);
        let mut document = key.to_public_key_der().unwrap().into_vec();
        for len in 0..document.len() {
            assert!(
                VerifyingKey::<P>::from_public_key_der(&document[..len]).is_err(),
                "{len}"
            );
        }
        document.push(0);
        assert!(VerifyingKey::<P>::from_public_key_der(&document).is_err());
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn contents_of_any_other_length_are_refused() {
    fn check<P: Parameters>() {
        let vector = Vector::new::<P>();
        let mut keys = vector.concatenation();
        keys.push(0);
        for len in 0..=keys.len() {
            let nested = len == P::SIGNING_KEY_LEN || len == keys.len() - 1;
            let contents = octets(&keys[..len]);
            assert_eq!(
                read::<P>(&vector.document(&contents)).is_ok(),
                nested,
                "{len}"
            );
            let bare = len == P::SIGNING_KEY_LEN;
            assert_eq!(
                read::<P>(&vector.document(&keys[..len])).is_ok(),
                bare,
                "{len}"
            );
        }
        let too = |len: usize| read::<P>(&vector.document(&keys[..len]));
        assert_eq!(
            too(P::SIGNING_KEY_LEN - 1),
            Err(Error::KeyMalformed(KeyError::TooShort))
        );
        assert_eq!(
            too(P::SIGNING_KEY_LEN + 1),
            Err(Error::KeyMalformed(KeyError::TooLong))
        );
        // One byte follows the inner string inside the outer one.
        let contents = [octets(&vector.secret), vec![0]].concat();
        assert!(read::<P>(&vector.document(&contents)).is_err());
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn polynomials_with_a_wrong_version_length_or_number_are_refused() {
    fn check<P: Parameters>() {
        let vector = Vector::new::<P>();
        let refused = |contents: &[u8]| read::<P>(&vector.document(contents)).is_err();
        let good = vector.polynomials();

        let mut version = good.clone();
        version[0] = vec![2, 1, 1];
        assert!(refused(&sequence(&version.concat())));

        for field in 1..4 {
            for change in [-1, 1] {
                let mut fields = good.clone();
                let value =
                    OctetStringRef::as_bytes(<&OctetStringRef>::from_der(&good[field]).unwrap())
                        .to_vec();
                let mut value = value;
                value.resize(value.len().strict_add_signed(change), 0);
                fields[field] = octets(&value);
                assert!(refused(&sequence(&fields.concat())), "{field} {change}");
            }
        }
        for len in 0..4 {
            assert!(refused(&sequence(&good[..len].concat())), "{len}");
        }
        // Adds bytes after `h` inside its sequence, after the sequence, and after the document.
        let null = [5, 0];
        let inner = [octets(&vector.public[1..]), null.to_vec()].concat();
        let fields = [good[..4].concat(), sequence(&inner)].concat();
        assert!(refused(&sequence(&fields)));
        assert!(refused(&sequence(&[&good.concat()[..], &null].concat())));
        assert!(refused(&[&sequence(&good.concat())[..], &null].concat()));
        // In this form, the public key has no header byte.
        let fields = [good[..4].concat(), sequence(&octets(&vector.public))].concat();
        assert!(refused(&sequence(&fields)));
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn a_flipped_bit_of_any_byte_of_a_private_key_is_noticed() {
    let vector = Vector::new::<Falcon512>();
    let document = vector.document(&octets(&vector.concatenation()));
    for i in 0..document.len() {
        let mut flipped = document.clone();
        flipped[i] ^= 1 << (i % 8);
        assert!(read::<Falcon512>(&flipped).is_err(), "byte {i}");
    }
}

#[test]
fn pem_has_the_usual_labels_and_refuses_others() {
    let vector = Vector::new::<Falcon512>();
    let private = signing_key::<Falcon512>(&vector)
        .to_pkcs8_pem(LineEnding::LF)
        .unwrap();
    let public = verifying_key::<Falcon512>(&vector)
        .to_public_key_pem(LineEnding::LF)
        .unwrap();
    assert!(private.starts_with("-----BEGIN PRIVATE KEY-----\nMIIIlgIBADAHBgUrzg8DCwSC"));
    assert!(private.ends_with("-----END PRIVATE KEY-----\n"));
    assert!(public.starts_with("-----BEGIN PUBLIC KEY-----\nMIIDjzAHBgUrzg8DCwOCA4IA"));
    assert!(public.ends_with("-----END PUBLIC KEY-----\n"));

    let key = SigningKey::<Falcon512>::from_pkcs8_pem(&private).unwrap();
    assert_eq!(key.to_bytes()[..], vector.secret);
    assert_eq!(
        VerifyingKey::<Falcon512>::from_public_key_pem(&public).unwrap(),
        *key.verifying_key()
    );

    for label in ["PUBLIC KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        let text = private.replace("PRIVATE KEY", label);
        assert!(SigningKey::<Falcon512>::from_pkcs8_pem(&text).is_err());
    }
    let text = public.replace("PUBLIC KEY", "PRIVATE KEY");
    assert!(VerifyingKey::<Falcon512>::from_public_key_pem(&text).is_err());
    assert!(VerifyingKey::<Falcon512>::from_public_key_pem(&private).is_err());
    assert!(SigningKey::<Falcon512>::from_pkcs8_pem(&public).is_err());
    assert!(SigningKey::<Falcon512>::from_pkcs8_pem(&private[..private.len() / 2]).is_err());
}

/// Writes a document of PEM in lines of `width` characters.
fn wrapped(pem: &str, width: usize) -> String {
    let (begin, rest) = pem.split_once('\n').expect("a line");
    let (body, end) = rest.split_once("-----END").expect("an end");
    let body: Vec<char> = body.chars().filter(|char| *char != '\n').collect();
    let lines = body
        .chunks(width)
        .map(|line| line.iter().collect::<String>() + "\n");
    format!("{begin}\n{}-----END{end}", lines.collect::<String>())
}

#[test]
fn lines_of_any_length_are_read() {
    let key = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let public = key.verifying_key();
    let private_pem = key.to_pkcs8_pem(LineEnding::LF).expect("written");
    let public_pem = public.to_public_key_pem(LineEnding::LF).expect("written");
    assert_eq!(wrapped(&public_pem, 64), public_pem);
    for width in [4, 37, 70, 76, 1 << 20] {
        let text = wrapped(&public_pem, width);
        for text in [
            &text,
            &text.replace('\n', "\r\n"),
            &format!("\u{feff}{text}\n \n"),
        ] {
            assert_eq!(VerifyingKey::from_pem(text).as_ref(), Ok(public), "{width}");
        }
        let text = wrapped(&private_pem, width);
        let read = AnySigningKey::from_pem(&text, None).expect("read");
        assert_eq!(read.to_bytes()[..], key.to_bytes()[..]);
        assert!(SigningKey::<Falcon512>::from_pkcs8_pem(&text).is_ok());
    }
    // Lines of different lengths, and two documents.
    let uneven = wrapped(&public_pem, 76).replacen("A", "A\n", 1);
    for text in [uneven, public_pem.repeat(2), public_pem[..500].to_owned()] {
        assert!(
            VerifyingKey::<Falcon512>::from_pem(&text).is_err(),
            "{text}"
        );
    }
}

#[test]
fn signatures_in_certificates_are_compressed_under_the_identifier_of_the_keys() {
    fn check<P: Parameters>(oid: ObjectIdentifier) {
        let record = first_record(P::LOGN);
        let (signature, message) = Signature::<P>::from_attached(&record.signed_message).unwrap();
        let bits = CertificateSignature::from(signature)
            .to_bitstring()
            .unwrap();
        let bytes = bits.as_bytes().unwrap();
        assert_eq!(bytes, signature.to_vec(Format::Compressed).unwrap());
        let read = CertificateSignature::<P>::try_from(bytes).unwrap();
        assert_eq!(Signature::from(read), signature);
        let key = VerifyingKey::<P>::try_from(&record.public_key[..]).unwrap();
        assert!(Verifier::verify(&key, message, &read).is_ok());
        for algorithm in [
            SigningKey::<P>::ALGORITHM_IDENTIFIER,
            SigningKey::<P>::SIGNATURE_ALGORITHM_IDENTIFIER,
            VerifyingKey::<P>::ALGORITHM_IDENTIFIER,
            VerifyingKey::<P>::SIGNATURE_ALGORITHM_IDENTIFIER,
            CertificateSignature::<P>::ALGORITHM_IDENTIFIER,
        ] {
            assert_eq!(algorithm.oid, oid);
            assert_eq!(algorithm.parameters, None);
        }
    }
    check::<Falcon512>(falcon_core::pkcs8::FALCON_512);
    check::<Falcon1024>(falcon_core::pkcs8::FALCON_1024);
}

/// The traits for certificates sign and verify with the same results as plain calls.
#[test]
fn keys_sign_and_verify_certificates_through_the_traits() {
    fn check<P, K>(key: &K, public: &VerifyingKey<P>, expected: Signature<P>)
    where
        P: Parameters,
        K: RandomizedSigner<CertificateSignature<P>>
            + RandomizedMultipartSigner<CertificateSignature<P>>,
    {
        let whole = key.sign_with_rng(&mut Again([3]), b"to be signed");
        let pieces = key.multipart_sign_with_rng(&mut Again([3]), &[b"to be ", b"signed"]);
        assert_eq!(whole, expected.into());
        assert_eq!(pieces, whole);
        assert!(Verifier::verify(public, b"to be signed", &whole).is_ok());
        assert!(Verifier::verify(public, b"to be signee", &whole).is_err());
        let verify = |message: &[&[u8]]| public.multipart_verify(message, &whole);
        assert!(verify(&[b"to be", b" signed"]).is_ok());
        assert!(verify(&[b"to be", b"signed"]).is_err());
    }
    fn check_both<P: Parameters>() {
        let key = signing_key::<P>(&Vector::new::<P>());
        let expected = key
            .sign_with_rng(&mut Again([3]), b"to be signed")
            .expect("no fault");
        check(&key, key.verifying_key(), expected);
        check(&key.expand(), key.verifying_key(), expected);
    }
    check_both::<Falcon512>();
    check_both::<Falcon1024>();
}

/// Generic code writes a bit string, and reads the same signature from it.
#[test]
fn bits_of_every_length_are_read_and_no_other_encoding() {
    fn bits<S>(signature: &S) -> Vec<u8>
    where
        S: SignatureEncoding + SignatureBitStringEncoding + PartialEq + std::fmt::Debug,
        for<'a> S: TryFrom<&'a [u8], Error = DecodeError>,
    {
        let bits = signature.to_bitstring().unwrap();
        let bits = bits.as_bytes().unwrap();
        assert_eq!(S::try_from(bits).as_ref(), Ok(signature));
        assert_eq!(signature.to_bytes().as_ref(), bits);
        assert_eq!(signature.encoded_len(), bits.len());
        bits.to_vec()
    }
    fn check<P: Parameters>() {
        let read = |bytes: &[u8]| CertificateSignature::<P>::try_from(bytes);
        let mut lengths = BTreeSet::new();
        for large in 0..P::N {
            // 129 takes one bit more than 0, and 257 two more.
            for (value, rest) in [(129, 0), (257, 129)] {
                let mut s2 = vec![rest; P::N];
                s2[..large].fill(value);
                let Some(signature) = signature_from_nonce_and_s2::<P>(&[large as u8; 40], &s2)
                else {
                    continue;
                };
                let bits = bits(&CertificateSignature::from(signature));
                let whole = Signature::<P>::from_bytes(Format::Compressed, &bits);
                assert_eq!(whole, Ok(signature));
                let format = Signature::<P>::detect(&bits).unwrap();
                assert_eq!(Signature::<P>::from_bytes(format, &bits), Ok(signature));

                // One byte is missing or added; then the padded and the constant-time format.
                assert!(read(&bits[..bits.len() - 1]).is_err());
                assert!(read(&[&bits[..], &[0]].concat()).is_err());
                for format in [Format::Padded, Format::ConstantTime] {
                    match signature.to_vec(format) {
                        Ok(other) if other != bits => assert!(read(&other).is_err()),
                        _ => assert!(format == Format::Padded && bits.len() >= P::PADDED_LEN),
                    }
                }
                if lengths.insert(bits.len()) && lengths.len() % 16 == 0 {
                    let mut other = bits.clone();
                    for header in (0..=255).filter(|&header| header != bits[0]) {
                        other[0] = header;
                        assert_eq!(read(&other), Err(DecodeError::Header));
                    }
                }
            }
        }
        let all: Vec<_> = (P::PADDED_LEN - 20..=P::PADDED_LEN + 20).collect();
        assert!(all.iter().all(|len| lengths.contains(len)), "{lengths:?}");
    }
    check::<Falcon512>();
    check::<Falcon1024>();
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_only() {
    let vector = Vector::new::<Falcon512>();
    let key = signing_key::<Falcon512>(&vector);
    let text = key
        .to_pkcs8_encrypted_pem_with_rng(&mut Again([0]), "correct horse", LineEnding::LF)
        .unwrap();
    assert!(text.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
    let open = |passphrase| SigningKey::<Falcon512>::from_pkcs8_encrypted_pem(&text, passphrase);
    assert_eq!(open("correct horse").unwrap().to_bytes()[..], vector.secret);
    assert!(open("correct horsf").is_err());
    assert!(open("").is_err());
    assert!(SigningKey::<Falcon512>::from_pkcs8_pem(&text).is_err());
    let plain = key.to_pkcs8_pem(LineEnding::LF).unwrap();
    assert!(SigningKey::<Falcon512>::from_pkcs8_encrypted_pem(&plain, "correct horse").is_err());

    // An encrypted document has the label of a plain one.
    let mislabelled = text.replace(" ENCRYPTED PRIVATE KEY", " PRIVATE KEY");
    let opened = SigningKey::<Falcon512>::from_pkcs8_encrypted_pem(&mislabelled, "correct horse");
    assert!(opened.is_err());
}

/// Encrypts the key of the vector as this crate does, but with another key derivation.
fn encrypted_with(change: impl FnOnce(pbes2::ScryptParams) -> pbes2::Kdf) -> SecretDocument {
    let document = signing_key::<Falcon512>(&Vector::new::<Falcon512>())
        .to_pkcs8_encrypted_der_with_rng(&mut Again([0]), "passphrase")
        .unwrap();
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).unwrap();
    let Some(&pbes2::Parameters {
        kdf: pbes2::Kdf::Scrypt(scrypt),
        encryption: encryption @ pbes2::EncryptionScheme::Aes256Cbc { .. },
    }) = encrypted.encryption_algorithm.pbes2()
    else {
        panic!("written with scrypt and AES-256");
    };
    let kdf = change(scrypt);
    SecretDocument::try_from(EncryptedPrivateKeyInfo {
        encryption_algorithm: EncryptionScheme::from(pbes2::Parameters { kdf, encryption }),
        encrypted_data: encrypted.encrypted_data,
    })
    .unwrap()
}

fn too_dear(oid: ObjectIdentifier) -> Error {
    Error::EncryptedPrivateKey(EncryptionError::AlgorithmParametersInvalid { oid })
}

#[test]
fn the_cost_of_opening_an_encrypted_key_is_bounded() {
    let open = |change: &dyn Fn(pbes2::ScryptParams) -> pbes2::Kdf| {
        let document = encrypted_with(change);
        let document = document.as_bytes();
        let read = SigningKey::<Falcon512>::from_pkcs8_encrypted_der(document, "passphrase");
        let opened = OpenedKey::from_der(document, Some(b"passphrase"));
        let error = read.as_ref().err().cloned().map(OpenError::Undecryptable);
        assert_eq!(opened.err(), error);
        read
    };
    assert!(open(&pbes2::Kdf::from).is_ok());

    // The parameters are invalid, cost too much, or have products beyond 64 bits.
    for (cost_parameter, block_size, parallelization) in [
        (0, 8, 1),
        (1, 8, 1),
        (3, 8, 1),
        (1 << 14, 0, 1),
        (1 << 14, 8, 0),
        (1 << 19, 8, 1),
        (1 << 14, 8, 1 << 9),
        (1 << 40, 8, 1),
        (1 << 63, u16::MAX, u16::MAX),
    ] {
        let error = open(&|scrypt| {
            let scrypt = pbes2::ScryptParams {
                cost_parameter,
                block_size,
                parallelization,
                ..scrypt
            };
            scrypt.into()
        });
        assert_eq!(error.unwrap_err(), too_dear(pbes2::SCRYPT_OID));
    }
    for iterations in [0, MAX_PBKDF2_COST as u32 + 1] {
        let error = open(&|_| {
            let mut kdf = pbes2::Pbkdf2Params::hmac_sha256(1, b"salt and pepper").unwrap();
            kdf.iteration_count = iterations;
            kdf.into()
        });
        assert_eq!(error.unwrap_err(), too_dear(pbes2::PBKDF2_OID));
    }
}

/// The bound on the cost applies to every type, and to generic code, which can decrypt because the
/// crate `pkcs8` has the feature `encryption`.
#[test]
fn generic_code_opens_encrypted_keys_at_bounded_cost() {
    fn open<K: DecodePrivateKey>(document: &SecretDocument) -> Result<K, Error> {
        let der = K::from_pkcs8_encrypted_der(document.as_bytes(), "passphrase");
        let text = document.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF);
        let pem = K::from_pkcs8_encrypted_pem(&text.unwrap(), "passphrase");
        assert_eq!(der.as_ref().err(), pem.as_ref().err());
        pem
    }
    let secret = Vector::new::<Falcon512>().secret;
    let good = encrypted_with(pbes2::Kdf::from);
    let key = open::<SigningKey<Falcon512>>(&good).unwrap();
    assert_eq!(key.to_bytes()[..], secret);
    let key = open::<Box<SigningKey<Falcon512>>>(&good).unwrap();
    assert_eq!(key.to_bytes()[..], secret);
    assert_eq!(open::<AnySigningKey>(&good).unwrap().to_bytes()[..], secret);

    // Scrypt would run for more than a minute.
    let dear = encrypted_with(|scrypt| {
        let scrypt = pbes2::ScryptParams {
            block_size: 127,
            parallelization: 127,
            ..scrypt
        };
        scrypt.into()
    });
    let error = too_dear(pbes2::SCRYPT_OID);
    let opened = open::<SigningKey<Falcon512>>(&dear);
    assert_eq!(opened.unwrap_err(), error);
    let opened = open::<Box<SigningKey<Falcon512>>>(&dear);
    assert_eq!(opened.unwrap_err(), error);
    assert_eq!(open::<AnySigningKey>(&dear).unwrap_err(), error);
}

/// Returns the document of version 1 with these attributes, followed by the fields `after`.
fn with_attributes(document: &[u8], attributes: &[u8], after: &[u8]) -> Vec<u8> {
    sequence(&[&document[4..], &tlv(0xa0, attributes), after].concat())
}

/// Returns an element of fewer than 128 bytes.
fn tlv(tag: u8, contents: &[u8]) -> Vec<u8> {
    assert!(contents.len() < 128);
    [&[tag, contents.len() as u8], contents].concat()
}

/// Returns an attribute `keyUsage` whose set holds these values.
fn key_usage(values: &[u8]) -> Vec<u8> {
    tlv(
        0x30,
        &[&unhex("06 03 55 1d 0f")[..], &tlv(0x31, values)].concat(),
    )
}

/// Returns two attributes: one that DER sorts before `keyUsage`, and `friendlyName` of PKCS#9,
/// which DER sorts after `keyUsage`.
fn other_attributes() -> [Vec<u8>; 2] {
    let first = unhex("06 01 2a 31 00");
    let name = unhex("06 09 2a 86 48 86 f7 0d 01 09 14 31 00");
    [first, name].map(|attribute| tlv(0x30, &attribute))
}

#[test]
fn a_key_is_marked_with_the_attribute_key_usage() {
    fn check<P: Parameters>(start: &str) {
        let vector = Vector::new::<P>();
        let key = signing_key::<P>(&vector);
        let attribute = "a0 0d 30 0b 06 03 55 1d 0f 31 04 03 02 01 06";
        let forms = [
            key.to_pkcs8_der().unwrap(),
            key.to_pkcs8_polynomials_der().unwrap(),
        ];
        for document in forms {
            let document = document.as_bytes();
            assert_eq!(KeyUse::of_document(document), Ok(KeyUse::Any));
            let marked = KeyUse::CertificatesOnly.write(document).unwrap();
            let expected = sequence(&[&document[4..], &unhex(attribute)].concat());
            assert_eq!(marked.as_bytes(), expected);
            let found = KeyUse::of_document(marked.as_bytes());
            assert_eq!(found, Ok(KeyUse::CertificatesOnly));
            assert_eq!(read::<P>(marked.as_bytes()).unwrap(), vector.secret);

            // A second mark changes nothing, and the mark can be removed.
            let again = KeyUse::CertificatesOnly.write(marked.as_bytes()).unwrap();
            assert_eq!(again.as_bytes(), expected);
            let plain = KeyUse::Any.write(marked.as_bytes()).unwrap();
            assert_eq!(plain.as_bytes(), document);
        }
        let marked = KeyUse::CertificatesOnly.write(key.to_pkcs8_der().unwrap().as_bytes());
        assert!(marked.unwrap().as_bytes().starts_with(&unhex(start)));
    }
    check::<Falcon512>("30 82 08 a5 02 01 00 30 07 06 05 2b ce 0f 03 0b 04 82 08 86");
    check::<Falcon1024>("30 82 10 25 02 01 00 30 07 06 05 2b ce 0f 03 0e 04 82 10 06");
}

#[test]
fn a_mark_stays_under_a_passphrase_and_in_pem() {
    let key = signing_key::<Falcon512>(&Vector::new::<Falcon512>());
    let document = key.to_pkcs8_der().unwrap();
    let marked = KeyUse::CertificatesOnly.write(document.as_bytes()).unwrap();
    let encrypted = encrypt_private_key(&mut SysRng, marked.as_bytes(), "horse").unwrap();
    let pem = encrypted.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF);
    let (_, read) = SecretDocument::from_pem(&pem.unwrap()).unwrap();
    let plain = decrypt_private_key(read.as_bytes(), "horse").unwrap();
    assert_eq!(plain.as_bytes(), marked.as_bytes());
    let read = SigningKey::<Falcon512>::from_pkcs8_encrypted_der(read.as_bytes(), "horse");
    assert_eq!(read.unwrap().verifying_key(), key.verifying_key());
    assert!(decrypt_private_key(encrypted.as_bytes(), "hose").is_err());
    // The attributes of an encrypted document cannot be read.
    assert!(KeyUse::of_document(encrypted.as_bytes()).is_err());
}

/// Checks the errors for documents that are not plain private keys.
#[test]
fn only_plain_documents_are_encrypted_and_asked_for_their_use() {
    let key = signing_key::<Falcon512>(&Vector::new::<Falcon512>());
    let pem = key.to_pkcs8_pem(LineEnding::LF).unwrap();
    let encrypted = key.to_pkcs8_encrypted_der_with_rng(&mut SysRng, "horse");
    let encrypted = encrypted.unwrap();
    let encrypted_pem = encrypted.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF);
    let public = key.verifying_key().to_public_key_der().unwrap();
    let plain = key.to_pkcs8_der().unwrap();
    let behind = [plain.as_bytes(), &[0]].concat();
    // A document whose algorithm has no identifier.
    let unnamed = sequence(&unhex("02 01 00 30 02 05 00 04 01 00"));
    let is_pem = |error: &Error| matches!(error, Error::Asn1(error) if matches!(error.kind(), ErrorKind::Pem(_)));
    let is_encrypted = |error: &Error| matches!(error, Error::EncryptedPrivateKey(_));
    let is_public = |error: &Error| matches!(error, Error::PublicKey(_));
    let is_other = |error: &Error| matches!(error, Error::Asn1(_)) && !is_pem(error);
    for (document, is_told) in [
        (pem.as_bytes(), &is_pem as &dyn Fn(&Error) -> bool),
        (encrypted_pem.unwrap().as_bytes(), &is_pem),
        (encrypted.as_bytes(), &is_encrypted),
        (public.as_bytes(), &is_public),
        (b"garbage", &is_other),
        (&[], &is_other),
        (&key.to_bytes()[..], &is_other),
        (&plain.as_bytes()[..100], &is_other),
        (&behind, &is_other),
    ] {
        for error in [
            KeyUse::of_document(document).map(|_| ()),
            KeyUse::Any.write(document).map(|_| ()),
            KeyUse::Any
                .write_like(document, plain.as_bytes())
                .map(|_| ()),
            KeyUse::Any
                .write_like(plain.as_bytes(), document)
                .map(|_| ()),
            encrypt_private_key(&mut SysRng, document, "horse").map(|_| ()),
        ] {
            assert!(is_told(&error.unwrap_err()), "{error:?}");
        }
    }
    let mut of_version_9 = plain.as_bytes().to_vec();
    assert_eq!(of_version_9[4..7], [2, 1, 0]);
    of_version_9[6] = 9;
    for document in [&unnamed, &of_version_9] {
        assert!(encrypt_private_key(&mut SysRng, document, "horse").is_err());
    }
}

/// An attribute with other bits of the same meaning is kept, and copied to another document.
#[test]
fn a_use_that_a_key_has_is_written_by_leaving_its_attribute() {
    let vector = Vector::new::<Falcon512>();
    let document = vector.document(&octets(&vector.secret));
    let key = signing_key::<Falcon512>(&vector);
    let other_form = key.to_pkcs8_polynomials_der().unwrap();
    let [first, name] = other_attributes();
    let with = |document: &[u8], attributes: &[&[u8]]| {
        with_attributes(document, &attributes.concat(), &[])
    };
    let standard = key_usage(&[3, 2, 1, 6]);
    for bits in 1_u8..=255 {
        let usage = key_usage(&[3, 2, bits.trailing_zeros() as u8, bits]);
        // In the order of DER and in another one.
        for attributes in [[&first[..], &usage, &name], [&name, &first, &usage]] {
            let given = with(&document, &attributes);
            let [has, lacks] = match bits & 0b1100_0000 {
                0 => [KeyUse::CertificatesOnly, KeyUse::Any],
                _ => [KeyUse::Any, KeyUse::CertificatesOnly],
            };
            assert_eq!(has.write(&given).unwrap().as_bytes(), given);
            let changed = lacks.write(&given).unwrap();
            assert_eq!(KeyUse::of_document(changed.as_bytes()), Ok(lacks));

            let copied = |key_use: KeyUse, to: &[u8]| {
                let written = key_use.write_like(&given, to).unwrap();
                assert_eq!(KeyUse::of_document(written.as_bytes()), Ok(key_use));
                written.as_bytes().to_vec()
            };
            for document in [&document, other_form.as_bytes()] {
                assert_eq!(copied(has, document), with(document, &[&usage]));
                let marked = with(document, &[&standard, &name]);
                assert_eq!(
                    copied(has, &marked),
                    match usage < name {
                        true => with(document, &[&usage, &name]),
                        false => with(document, &[&name, &usage]),
                    }
                );
                let expected = match lacks {
                    KeyUse::Any => document.to_vec(),
                    KeyUse::CertificatesOnly => with(document, &[&standard]),
                };
                assert_eq!(copied(lacks, document), expected);
            }
        }
    }
    // A model without the attribute removes it.
    let marked = with(&document, &[&key_usage(&[3, 2, 7, 0x80])]);
    let plain = KeyUse::Any.write_like(&document, &marked).unwrap();
    assert_eq!(plain.as_bytes(), document);
}

/// The nine bits of RFC 5280 and their meaning here. A bit string in DER does not end with zeros.
#[test]
fn a_key_signs_messages_only_if_its_usage_has_a_bit_for_them() {
    let document = Vector::new::<Falcon512>();
    let document = document.document(&octets(&document.secret));
    for bits in 1_u16..1 << 9 {
        let has = |place: u16| bits << place & 1 << 8 != 0;
        let expected = if has(0) || has(1) {
            KeyUse::Any
        } else {
            KeyUse::CertificatesOnly
        };
        let [high, low] = (bits << 7).to_be_bytes();
        let fewest = match low {
            0 => vec![3, 2, high.trailing_zeros() as u8, high],
            _ => vec![3, 3, 7, high, low],
        };
        for value in [
            &fewest[..],
            &[3, 3, 7, high, low],
            &[3, 3, 0, high, low],
            &[3, 2, 0, high],
        ] {
            let found = KeyUse::of_document(&with_attributes(&document, &key_usage(value), &[]));
            if value == fewest {
                assert_eq!(found, Ok(expected), "{bits:09b}");
            } else if value[1] == 3 || low == 0 {
                assert!(matches!(found, Err(Error::Asn1(_))), "{bits:09b}");
            }
        }
    }
}

#[test]
fn other_attributes_fields_and_the_public_key_stay_where_a_use_is_written() {
    let vector = Vector::new::<Falcon512>();
    let contents = octets(&vector.secret);
    let [first, name] = other_attributes();
    let extension = [0xa2, 2, 5, 0];
    let mut info = info(vector.oid, &contents);
    let version_1 = info.to_der().unwrap();
    info.public_key = Some(BitStringRef::from_bytes(&vector.public).unwrap());
    let public = info.to_der().unwrap()[version_1.len()..].to_vec();
    let version_2 = {
        let mut version_2 = version_1.clone();
        version_2[6] = 1;
        version_2
    };
    for (document, after) in [
        (&version_1, vec![]),
        (&version_1, extension.to_vec()),
        (&version_2, public.clone()),
        (&version_2, [&public[..], &extension].concat()),
    ] {
        let bare = sequence(&[&document[4..], &after].concat());
        let mark = key_usage(&[3, 2, 1, 6]);
        let marked = with_attributes(document, &mark, &after);
        let with = |attributes: &[&Vec<u8>]| {
            let attributes: Vec<u8> = attributes.iter().copied().flatten().copied().collect();
            with_attributes(document, &attributes, &after)
        };
        let [others, all] = [with(&[&first, &name]), with(&[&first, &mark, &name])];
        let unsorted = with(&[&name, &mark, &first]);
        let [without, mended] = [with(&[&name, &first]), with(&[&mark, &name, &first])];
        let reversed = without.clone();
        for (document, [any, certificates]) in [
            (&bare, [&bare, &marked]),
            (&marked, [&bare, &marked]),
            (&others, [&others, &all]),
            (&all, [&others, &all]),
            (&unsorted, [&without, &unsorted]),
            (&reversed, [&reversed, &mended]),
        ] {
            assert_eq!(read::<Falcon512>(document).unwrap(), vector.secret);
            for (key_use, expected) in
                [(KeyUse::Any, any), (KeyUse::CertificatesOnly, certificates)]
            {
                let written = key_use.write(document).unwrap();
                assert_eq!(written.as_bytes(), &expected[..]);
                assert_eq!(KeyUse::of_document(expected), Ok(key_use));
            }
        }
    }
}

/// The decoder accepts the first documents, so their marks must not be overlooked.
#[test]
fn attributes_are_refused_twice_and_behind_other_fields() {
    let vector = Vector::new::<Falcon512>();
    let contents = octets(&vector.secret);
    let version_1 = vector.document(&contents);
    let mut info = info(vector.oid, &contents);
    info.public_key = Some(BitStringRef::from_bytes(&vector.public).unwrap());
    let version_2 = info.to_der().unwrap();
    let mark = tlv(0xa0, &key_usage(&[3, 2, 1, 6]));
    let empty = [0xa0, 0];
    let extension = [0xa2, 2, 5, 0];
    let with =
        |document: &[u8], after: &[&[u8]]| sequence(&[&document[4..], &after.concat()].concat());
    for (number, document) in [
        with(&version_1, &[&empty, &mark]),
        with(&version_1, &[&extension, &mark]),
        with(&version_2, &[&mark]),
        with(&version_2, &[&extension, &mark]),
        // The decoder may refuse these documents.
        with(&version_1, &[&mark, &empty]),
        with(&version_1, &[&mark, &extension, &mark]),
        // The attributes are not constructed, their length is too large, or only half a header is
        // present.
        with(&version_1, &[&[0x80], &mark[1..]]),
        with(&version_1, &[&extension, &[0x80], &mark[1..]]),
        with(&version_1, &[&[0xa0, 0x0e], &mark[2..]]),
        with(&version_1, &[&mark, &[0xa2, 5, 5, 0]]),
        with(&version_1, &[&[0xa2]]),
    ]
    .into_iter()
    .enumerate()
    {
        let is_decoded = read::<Falcon512>(&document).is_ok();
        assert!(is_decoded || number >= 4, "document {number}");
        let error = KeyUse::of_document(&document);
        assert!(matches!(error, Err(Error::Asn1(_))), "document {number}");
        let copied = KeyUse::Any.write_like(&version_1, &document);
        assert_eq!(copied.err(), error.err(), "document {number}");
        assert_eq!(KeyUse::Any.write(&document).err(), error.err());
        assert!(KeyUse::CertificatesOnly.write(&document).is_err());
    }
}

#[test]
fn damaged_attributes_are_refused() {
    let vector = Vector::new::<Falcon512>();
    let document = vector.document(&octets(&vector.secret));
    let usage = key_usage(&[3, 2, 1, 6]);
    let [_, name] = other_attributes();
    let refused = |attributes: &[u8]| {
        let read = with_attributes(&document, attributes, &[]);
        let error = KeyUse::of_document(&read);
        assert!(matches!(error, Err(Error::Asn1(_))), "{attributes:02x?}");
        let copied = KeyUse::Any.write_like(&document, &read);
        assert_eq!(copied.err(), error.err(), "{attributes:02x?}");
        assert_eq!(KeyUse::Any.write(&read).err(), error.err());
        assert!(KeyUse::CertificatesOnly.write(&read).is_err());
    };
    for values in [
        // Attributes with no value, no bits, no bit that is set, two values, another type, or a set
        // in the set.
        &[][..],
        &[3, 1, 0],
        &[3, 2, 0, 0],
        &[3, 2, 1, 6, 3, 2, 1, 6],
        &[4, 2, 1, 6],
        &[2, 1, 6],
        &[0x31, 4, 3, 2, 1, 6],
        // Bit strings with more unused bits than bits, with a cut value, or with one byte too many.
        &[3, 2, 8, 6],
        &[3, 2, 8, 0],
        &[3, 1, 1],
        &[3, 3, 1, 6],
        &[3, 2, 1, 6, 0],
        // The bit strings end in zeros.
        &[3, 2, 0, 6],
        &[3, 3, 0, 6, 0],
        &[3, 0],
    ] {
        refused(&key_usage(values));
        refused(&[&key_usage(values)[..], &name].concat());
    }
    refused(&[&usage[..], &usage].concat());
    refused(&[&usage[..], &name, &key_usage(&[3, 2, 7, 0x80])].concat());
    // The values are a sequence, lack their header, or are missing; a third field follows them; the
    // attribute is empty, or is a set.
    refused(&tlv(0x30, &unhex("06 03 55 1d 0f 30 04 03 02 01 06")));
    refused(&tlv(0x30, &unhex("06 03 55 1d 0f 03 02 01 06")));
    refused(&tlv(0x30, &unhex("06 03 55 1d 0f")));
    refused(&tlv(0x30, &unhex("06 03 55 1d 0f 31 04 03 02 01 06 05 00")));
    refused(&tlv(0x30, &[]));
    // The identifier is spelled differently, or is missing.
    for identifier in [
        "06 04 55 80 1d 0f",
        "06 04 55 1d 80 0f",
        "06 03 55 1d 8f",
        "06 00",
    ] {
        let identifier = unhex(identifier);
        let values = unhex("31 04 03 02 01 06");
        refused(&tlv(0x30, &[&identifier[..], &values].concat()));
    }
    refused(&tlv(0x31, &unhex("06 03 55 1d 0f 31 04 03 02 01 06")));
    for len in 1..usage.len() {
        refused(&usage[..len]);
        refused(&[&name[..], &usage[..len]].concat());
    }
    // Another identifier begins with the same bytes.
    let longer = tlv(0x30, &unhex("06 04 55 1d 0f 01 31 04 03 02 01 06"));
    let longer = with_attributes(&document, &longer, &[]);
    assert_eq!(KeyUse::of_document(&longer), Ok(KeyUse::Any));
    // Bytes follow the document.
    let behind = [&with_attributes(&document, &usage, &[])[..], &[0]].concat();
    assert!(matches!(KeyUse::of_document(&behind), Err(Error::Asn1(_))));
    // Empty attributes count as no attributes.
    let empty = with_attributes(&document, &[], &[]);
    assert_eq!(KeyUse::of_document(&empty), Ok(KeyUse::Any));
    for document in [&[][..], &[0x30, 0], &document[1..], &usage] {
        assert!(matches!(KeyUse::of_document(document), Err(Error::Asn1(_))));
    }
}

#[test]
fn a_damaged_mark_is_refused_or_can_be_written_anew() {
    let vector = Vector::new::<Falcon512>();
    let document = vector.document(&octets(&vector.secret));
    let marked = KeyUse::CertificatesOnly.write(&document).unwrap();
    for len in 0..marked.as_bytes().len() {
        assert!(KeyUse::of_document(&marked.as_bytes()[..len]).is_err());
    }
    let attributes = document.len()..marked.as_bytes().len();
    for place in attributes {
        for bit in 0..8 {
            let mut changed = marked.as_bytes().to_vec();
            changed[place] ^= 1 << bit;
            // Every document that the decoder reads can be marked again.
            if KeyUse::of_document(&changed).is_ok() && read::<Falcon512>(&changed).is_ok() {
                let again = KeyUse::CertificatesOnly.write(&changed).unwrap();
                let found = KeyUse::of_document(again.as_bytes());
                assert_eq!(found, Ok(KeyUse::CertificatesOnly));
                assert_eq!(read::<Falcon512>(again.as_bytes()).unwrap(), vector.secret);
            }
        }
    }
}
