//! Checks that a signature has only one meaning. A signature for one kind of statement is not valid
//! for another kind under the same key, whatever the message is.

use falcon_core::batch::{BatchSign, SignJob};
use falcon_core::det1024;
use falcon_core::eip8052::Keccak256HashToPoint;
use falcon_core::fndsa_provisional::{self, Context};
use falcon_core::hazmat::{
    self, Cshake256HashToPoint, HashToPoint, OtherNonce, signature_from_nonce_and_s2,
    verify_with_hash,
};
use falcon_core::pkcs8::spki::{DynSignatureAlgorithmIdentifier, SignatureBitStringEncoding};
use falcon_core::pkcs8::{CertificateSignature, EncodePublicKey};
use falcon_core::recovery::{self, RecoverableSignature};
use falcon_core::signature::Keypair;
use falcon_core::{
    AnySigningKey, AnyVerifyingKey, Engine, Falcon1024, Format, Scratch, Signature, SigningKey,
    VerifyingKey,
};
use falcon_envelope::{
    Digest, Entry, FilePath, Manifest, SignedManifest, Statement, Subject, Time,
};
use falcon_x509::x509_cert::builder::{self, Builder};
use falcon_x509::x509_cert::der::asn1::BitString;
use falcon_x509::x509_cert::der::{self, Decode, Encode, Reader, SliceReader};
use falcon_x509::x509_cert::ext::pkix::CrlNumber;
use falcon_x509::x509_cert::{Certificate, time::Validity};
use falcon_x509::{CertificateSigner, Revocations, SignedPart};
use getrandom::{SysRng, rand_core::UnwrapErr};

const OTHER: Cshake256HashToPoint = Cshake256HashToPoint::new(b"another kind").unwrap();

/// The hash function with which a kind of statement maps messages to points.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    /// SHAKE256: plain messages, and the signed parts of X.509 documents.
    Plain,
    Statement,
    Other,
    /// Keccak-256, for the Ethereum virtual machine.
    Eip8052,
    FnDsa,
}

type Sign = Box<dyn Fn(&[u8]) -> Signature<Falcon1024>>;

type Accepts = Box<dyn Fn(&Signature<Falcon1024>) -> bool>;

/// An interface of the library that signs any message.
struct Door {
    name: &'static str,
    family: Family,
    sign: Sign,
}

/// A kind of statement: the message that is signed for it, and a function that checks whether a
/// signature is valid for it.
struct Kind {
    name: &'static str,
    family: Family,
    message: Vec<u8>,
    accepts: Accepts,
}

fn key() -> SigningKey<Falcon1024> {
    SigningKey::from_seed(&[9; 32]).expect("no fault")
}

fn rng() -> UnwrapErr<SysRng> {
    UnwrapErr(SysRng)
}

fn read(padded: &[u8]) -> Signature<Falcon1024> {
    Signature::from_bytes(Format::Padded, padded).expect("a padded signature")
}

fn signed_with(hash: &impl HashToPoint, message: &[u8]) -> Signature<Falcon1024> {
    let mut reals = vec![0.0; Scratch::<Falcon1024>::LEN];
    let mut scratch = Scratch::new(&mut reals).expect("enough");
    hazmat::sign_with_hash(&key(), &[4; 32], hash, message, &mut scratch).expect("no fault")
}

fn doors() -> Vec<Door> {
    let door = |name, family, sign| Door { name, family, sign };
    let any = || AnySigningKey::from(key());
    vec![
        door(
            "plain",
            Family::Plain,
            Box::new(|message: &[u8]| key().sign_with_rng(&mut rng(), message).expect("no fault")),
        ),
        door(
            "any",
            Family::Plain,
            Box::new(move |message: &[u8]| {
                read(&any().sign_with_rng(&mut rng(), message).expect("no fault"))
            }),
        ),
        door(
            "batch",
            Family::Plain,
            Box::new(|message: &[u8]| {
                let key = key();
                let jobs = [SignJob::new(&key, message); 3];
                let signatures = Engine::best().sign_batch_with_rng(&mut rng(), &jobs);
                signatures.expect("no fault")[2]
            }),
        ),
        door(
            "stream",
            Family::Plain,
            Box::new(|message: &[u8]| {
                let key = key();
                let mut stream = key.sign_stream_from_seed(&[2; 32]);
                stream.update(message);
                stream.finish().expect("no fault")
            }),
        ),
        door(
            "deterministic",
            Family::Plain,
            Box::new(|message: &[u8]| {
                let mut reals = vec![0.0; Scratch::<Falcon1024>::LEN];
                let mut scratch = Scratch::new(&mut reals).expect("enough");
                hazmat::sign_deterministic(&key(), message, &mut scratch).expect("no fault")
            }),
        ),
        door(
            "det1024",
            Family::Plain,
            Box::new(|message: &[u8]| {
                let key = det1024::SigningKey::from(key());
                key.sign(message).expect("no fault").into()
            }),
        ),
        door(
            "recovery",
            Family::Plain,
            Box::new(|message: &[u8]| {
                let signature = recovery::sign_with_rng(&key(), &mut rng(), message);
                signature.expect("no fault").to_signature()
            }),
        ),
        door(
            "statement",
            Family::Statement,
            Box::new(move |message: &[u8]| {
                let signature = any().sign_with_hash(&mut rng(), &Statement::HASH, message);
                read(&signature.expect("no fault"))
            }),
        ),
        door(
            "statements",
            Family::Statement,
            Box::new(|message: &[u8]| {
                let key = key().expand();
                let jobs = [SignJob::new(&key, message); 20];
                let mut out = [Signature::EMPTY; 20];
                Engine::best()
                    .sign_batch_with_hash(&Statement::HASH, &[1; 32], &jobs, &mut out)
                    .expect("no fault");
                out[19]
            }),
        ),
        door(
            "other",
            Family::Other,
            Box::new(move |message: &[u8]| {
                read(
                    &any()
                        .sign_with_hash(&mut rng(), &OTHER, message)
                        .expect("no fault"),
                )
            }),
        ),
        door(
            "EIP-8052",
            Family::Eip8052,
            Box::new(|message: &[u8]| signed_with(&Keccak256HashToPoint, message)),
        ),
        door(
            "FN-DSA",
            Family::FnDsa,
            Box::new(|message: &[u8]| {
                let key = fndsa_provisional::SigningKey::from(key());
                let signature = match message.try_into() {
                    Ok(mu) => key.sign_mu_with_rng(&mut rng(), mu),
                    Err(_) => key.sign_with_rng(&mut rng(), Context::EMPTY, message),
                };
                of_fn_dsa(signature.expect("no fault"))
            }),
        ),
        door(
            "FN-DSA batch",
            Family::FnDsa,
            Box::new(|message: &[u8]| {
                let key = fndsa_provisional::SigningKey::from(key());
                let context = Context::EMPTY;
                let whole = fndsa_provisional::Message::Whole { context, message };
                let job = message
                    .try_into()
                    .map_or(whole, fndsa_provisional::Message::Mu);
                let signed = key.sign_batch_with_rng(Engine::best(), &mut rng(), &[job; 3]);
                let last = signed.into_iter().next_back().expect("three");
                of_fn_dsa(last.expect("no fault"))
            }),
        ),
        door(
            "X.509 builder",
            Family::Plain,
            Box::new(|message: &[u8]| {
                let built = key().build(Whatever(message.to_vec()), &mut rng());
                let bits = built.expect("no fault");
                let signature = CertificateSignature::<Falcon1024>::try_from(bits.raw_bytes());
                signature.expect("a signature").into()
            }),
        ),
    ]
}

fn of_fn_dsa(signature: fndsa_provisional::Signature<Falcon1024>) -> Signature<Falcon1024> {
    signature_from_nonce_and_s2(signature.nonce(), signature.s2()).expect("a signature")
}

/// A builder that signs arbitrary bytes.
struct Whatever(Vec<u8>);

impl Builder for Whatever {
    type Output = BitString;

    fn finalize<S>(&mut self, _: &S) -> builder::Result<Vec<u8>>
    where
        S: Keypair + DynSignatureAlgorithmIdentifier,
        S::VerifyingKey: EncodePublicKey,
    {
        Ok(self.0.clone())
    }

    fn assemble<S>(self, signature: BitString, _: &S) -> builder::Result<BitString>
    where
        S: Keypair + DynSignatureAlgorithmIdentifier,
        S::VerifyingKey: EncodePublicKey,
    {
        Ok(signature)
    }
}

/// A statement about a file or a manifest.
fn statement(subject: Subject) -> Statement {
    let time = Time::parse("2025-06-01T12:00:00Z").expect("a time");
    let key = AnyVerifyingKey::from(key().verifying_key().clone());
    Statement::new(&key, time, Some("paid"), subject).expect("a statement")
}

/// Returns an X.509 document with the first two fields of `document` and this signature.
fn document(document: &[u8], signature: &Signature<Falcon1024>) -> Vec<u8> {
    let (content, algorithm) = parts(document);
    let bits = CertificateSignature::from(*signature).to_bitstring();
    let bits = bits.expect("bits").to_der().expect("bits");
    let fields = [content, algorithm, bits].concat();
    let length = (fields.len() as u16).to_be_bytes();
    [&[0x30, 0x82][..], &length, &fields].concat()
}

/// Returns the signed part of a document and its algorithm.
fn parts(document: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut reader = SliceReader::new(document).expect("a document");
    let parts = reader.sequence(|fields| {
        let parts = (fields.tlv_bytes()?.to_vec(), fields.tlv_bytes()?.to_vec());
        fields.tlv_bytes()?;
        Ok::<_, der::Error>(parts)
    });
    parts.expect("three fields")
}

/// Returns a document of each X.509 kind, in DER.
fn documents() -> Vec<(SignedPart, Vec<u8>)> {
    let key = key();
    let time = |text: &str| text.parse().expect("a time");
    let validity = Validity::new(time("2025-01-01T00:00:00Z"), time("2026-01-01T00:00:00Z"));
    let certificate: Certificate = key
        .self_signed_certificate("CN=Root".parse().expect("a name"), validity, &mut rng())
        .expect("a certificate");
    let request = key.certificate_request("CN=Eyas".parse().expect("a name"), &mut rng());
    let revocations = Revocations {
        number: CrlNumber::try_from(7_u8).expect("a number"),
        this_update: time("2025-01-01T00:00:00Z"),
        next_update: time("2026-01-01T00:00:00Z"),
        revoked: Vec::new(),
    };
    let list = key.revocation_list(&certificate, revocations, &mut rng());
    vec![
        (SignedPart::Certificate, certificate.to_der().expect("DER")),
        (
            SignedPart::Request,
            request.expect("a request").to_der().expect("DER"),
        ),
        (
            SignedPart::RevocationList,
            list.expect("a list").to_der().expect("DER"),
        ),
    ]
}

/// Encodes the nonce and `s2` as FN-DSA does, with the least significant bits of each byte first.
/// Returns `None` if FN-DSA has no encoding: round 3 allows larger coefficients and longer codes.
fn as_fn_dsa(
    signature: &Signature<Falcon1024>,
) -> Option<fndsa_provisional::Signature<Falcon1024>> {
    let mut bits = Vec::new();
    for &s in signature.s2() {
        let magnitude = s.unsigned_abs();
        bits.push(s < 0);
        bits.extend((0..7).map(|i| magnitude >> i & 1 == 1));
        bits.extend(vec![false; usize::from(magnitude >> 7)]);
        bits.push(true);
    }
    let code = bits.chunks(8).map(|bits| {
        let bits = bits.iter().rev();
        bits.fold(0, |byte, &bit| byte << 1 | u8::from(bit))
    });
    let mut bytes = vec![0x3a];
    bytes.extend(signature.nonce());
    // The last byte may be only partly used.
    bytes.extend(code);
    bytes.resize(bytes.len().max(1280), 0);
    fndsa_provisional::Signature::try_from(&bytes[..]).ok()
}

/// Returns what a server signs in the handshake of TLS 1.3.
fn handshake() -> Vec<u8> {
    let context = b"TLS 1.3, server CertificateVerify\0";
    [&[b' '; 64][..], context, &[7; 48]].concat()
}

/// Returns FN-DSA's message representative of "order #42".
fn mu() -> [u8; 64] {
    let key = fndsa_provisional::SigningKey::from(key());
    let mut hasher = key.verifying_key().mu_hasher(Context::EMPTY);
    hasher.update(b"order #42");
    hasher.finalize()
}

fn kinds() -> Vec<Kind> {
    let public = || -> VerifyingKey<Falcon1024> { key().verifying_key().clone() };
    let any = || AnyVerifyingKey::from(key().verifying_key().clone());
    let message = || b"order #42".to_vec();
    let manifest = || {
        let entry = Entry {
            path: FilePath::parse("file").expect("a path"),
            digest: Digest::of(b"content"),
        };
        Manifest::new(vec![entry]).expect("a manifest")
    };
    let file = || statement(Subject::File(Digest::of(b"order #42")));
    let folder = move || statement(manifest().subject());
    let mut kinds = vec![
        Kind {
            name: "plain",
            family: Family::Plain,
            message: message(),
            accepts: Box::new(move |it| public().verify(b"order #42", it).is_ok()),
        },
        Kind {
            name: "recovery",
            family: Family::Plain,
            message: message(),
            accepts: Box::new(move |it| {
                // Some signatures have no recoverable form, under any key.
                RecoverableSignature::from_signature(&public(), b"order #42", it).is_ok()
            }),
        },
        Kind {
            name: "envelope",
            family: Family::Statement,
            message: file().to_signed_bytes(),
            accepts: Box::new(move |it| {
                let envelope = file().with_signature(&it.to_bytes()).expect("an envelope");
                envelope
                    .verify_file(&any(), &Digest::of(b"order #42"))
                    .is_ok()
            }),
        },
        Kind {
            name: "manifest",
            family: Family::Statement,
            message: folder().to_signed_bytes(),
            accepts: Box::new(move |it| {
                let envelope = folder()
                    .with_signature(&it.to_bytes())
                    .expect("an envelope");
                SignedManifest::new(manifest(), envelope)
                    .verify(&any())
                    .is_ok()
            }),
        },
        Kind {
            name: "other",
            family: Family::Other,
            message: message(),
            accepts: Box::new(move |it| {
                verify_with_hash(&public(), &OTHER, b"order #42", it).is_ok()
            }),
        },
        Kind {
            name: "EIP-8052",
            family: Family::Eip8052,
            message: message(),
            accepts: Box::new(move |it| {
                verify_with_hash(&public(), &Keccak256HashToPoint, b"order #42", it).is_ok()
            }),
        },
        // For FN-DSA, the hashed bytes are the same as for a plain signature of `mu`.
        Kind {
            name: "plain, of mu",
            family: Family::Plain,
            message: mu().to_vec(),
            accepts: Box::new(move |it| public().verify(&mu(), it).is_ok()),
        },
        Kind {
            name: "FN-DSA",
            family: Family::FnDsa,
            message: mu().to_vec(),
            accepts: Box::new(move |it| {
                let key = fndsa_provisional::SigningKey::from(key());
                let verify = |signature| {
                    let key = key.verifying_key();
                    key.verify(Context::EMPTY, b"order #42", &signature).is_ok()
                };
                as_fn_dsa(it).is_some_and(verify)
            }),
        },
    ];
    kinds.push(Kind {
        name: "TLS",
        family: Family::Plain,
        message: handshake(),
        // A peer hashes the handshake itself and verifies this message.
        accepts: Box::new(move |it| public().verify(&handshake(), it).is_ok()),
    });
    for (kind, der) in documents() {
        kinds.push(Kind {
            name: "X.509",
            family: Family::Plain,
            message: parts(&der).0,
            accepts: Box::new(move |it| {
                let der = document(&der, it);
                match kind {
                    SignedPart::Certificate => {
                        falcon_x509::verify_certificate(&der, &any()).is_ok()
                    }
                    SignedPart::Request => falcon_x509::verify_request(&der).is_ok(),
                    _ => falcon_x509::verify_revocation_list(&der, &any()).is_ok(),
                }
            }),
        });
    }
    kinds
}

#[test]
fn a_signature_is_of_one_kind() {
    let kinds = kinds();
    assert_eq!(kinds.len(), 12);
    let doors = doors();
    assert_eq!(doors.len(), 14);
    for door in doors {
        for kind in &kinds {
            let signature = (door.sign)(&kind.message);
            assert_eq!(
                (kind.accepts)(&signature),
                door.family == kind.family,
                "signed by {}, taken for {}",
                door.name,
                kind.name
            );
        }
    }
}

/// FN-DSA refuses coefficients above 840. About one signature of Falcon-1024 in 1500 has one.
#[test]
fn a_signature_that_fn_dsa_cannot_encode_is_not_accepted() {
    let with = |s| {
        let mut s2 = [0; 1024];
        s2[7] = s;
        signature_from_nonce_and_s2(&[3; 40], &s2).expect("within the bound")
    };
    for (s, encodes) in [(840, true), (841, false), (-840, true), (-841, false)] {
        assert_eq!(as_fn_dsa(&with(s)).is_some(), encodes, "{s}");
    }
}

/// A nonce of another length only moves the border between nonce and message. It does not make
/// another kind of signature.
#[test]
fn a_signature_with_another_nonce_is_one_of_moved_bytes() {
    let nonce = [3; 24];
    let signature = signed_with(&OtherNonce(&nonce), b"sixteen bytes + order #42");
    let moved = [&nonce, &b"sixteen bytes + "[..]].concat();
    let moved = moved.try_into().expect("40 bytes");
    let plain = signature_from_nonce_and_s2::<Falcon1024>(&moved, signature.s2());
    let plain = plain.expect("a signature");
    assert!(key().verifying_key().verify(b"order #42", &plain).is_ok());
}

/// Two kinds overlap only here, because of the standards of certificates and of TLS: the signed
/// parts of documents and of handshakes are plain messages. A program can recognise such messages
/// and refuse them.
#[test]
fn messages_that_become_documents_are_known() {
    for kind in kinds() {
        let is_document = matches!(kind.name, "X.509" | "TLS");
        let part = SignedPart::of_message(&kind.message);
        assert_eq!(part.is_some(), is_document, "{}", kind.name);
    }
    let [certificate, request, list] = documents().try_into().expect("three");
    for (kind, der) in [certificate, request, list] {
        assert_eq!(SignedPart::of_message(&parts(&der).0), Some(kind));
    }
    assert!(Certificate::from_der(&documents()[0].1).is_ok());
}
