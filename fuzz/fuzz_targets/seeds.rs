//! Not a target, although it is built as one: writes the first inputs of every
//! target to `$FALCON_CORPUS/TARGET/` and ends.
#![no_main]

use falcon_core::pkcs8::der::{Encode, asn1::OctetStringRef};
use falcon_core::pkcs8::pkcs5::pbes2;
use falcon_core::pkcs8::{
    EncodePrivateKey, EncodePublicKey, EncryptedPrivateKeyInfoRef, LineEnding,
};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey, VerifyingKey};
use falcon_fuzz::{ENVELOPE_FILES, PASSPHRASE, TRUST_LIST, detached, records_512, records_1024};
use falcon_kat::rsp::Record;
use libfuzzer_sys::fuzz_target;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::exit,
};

fuzz_target!(
    init: write_seeds_and_exit(),
    |_bytes: &[u8]| {}
);

fn write_seeds_and_exit() {
    let folder = env::var_os("FALCON_CORPUS").expect("FALCON_CORPUS names a folder");
    write_seeds(&PathBuf::from(folder)).expect("the folder can be written");
    exit(0)
}

fn write_seeds(folder: &Path) -> io::Result<()> {
    let write = |target: &str, name: String, bytes: &[u8]| -> io::Result<()> {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)
    };
    write("envelopes", "trust".to_owned(), TRUST_LIST)?;
    for (name, bytes) in ENVELOPE_FILES {
        write("envelopes", name.to_owned(), bytes)?;
    }
    for (logn, records) in [(9, records_512()), (10, records_1024())] {
        for (i, record) in records.iter().take(3).enumerate() {
            let name = |what: &str| format!("{logn}-{i}-{what}");
            let signature = detached(logn, record);
            write("decode_verifying_key", name("vk"), &record.public_key)?;
            write("decode_signing_key", name("sk"), &record.secret_key)?;
            write("attached", name("sm"), &record.signed_message)?;
            let (formats, documents) = match logn {
                9 => (
                    formats::<Falcon512>(&signature),
                    documents::<Falcon512>(record),
                ),
                _ => (
                    formats::<Falcon1024>(&signature),
                    documents::<Falcon1024>(record),
                ),
            };
            for (document, bytes) in &documents {
                write("key_documents", name(document), bytes)?;
            }
            let encrypted = match logn {
                9 => encrypted::<Falcon512>(record),
                _ => encrypted::<Falcon1024>(record),
            };
            for (kdf, bytes) in &encrypted {
                write("encrypted_keys", name(kdf), bytes)?;
            }
            let forms = match logn {
                9 => serde_forms::<Falcon512>(record, &signature),
                _ => serde_forms::<Falcon1024>(record, &signature),
            };
            for (form, bytes) in &forms {
                write("serde_forms", name(form), bytes)?;
            }
            for (format, bytes) in &formats {
                write("decode_signature", name(format), bytes)?;
            }
            write("verify", name("sig"), &verify_input(&signature, record))?;
        }
    }
    Ok(())
}

/// The signature in every format.
fn formats<P: Parameters>(compressed: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let signature = Signature::<P>::from_bytes(Format::Compressed, compressed)
        .expect("a stored signature decodes");
    [
        ("compressed", Format::Compressed),
        ("padded", Format::Padded),
        ("ct", Format::ConstantTime),
    ]
    .map(|(name, format)| (name, signature.to_vec(format).expect("it fits")))
    .to_vec()
}

/// Returns both keys of a record as documents.
fn documents<P: Parameters>(record: &Record) -> Vec<(&'static str, Vec<u8>)> {
    let public = VerifyingKey::<P>::try_from(&record.public_key[..]).expect("a stored key");
    let private = SigningKey::<P>::try_from(&record.secret_key[..]).expect("a stored key");
    let written = "a key can be written";
    vec![
        (
            "spki",
            public.to_public_key_der().expect(written).into_vec(),
        ),
        (
            "spki-pem",
            public
                .to_public_key_pem(LineEnding::LF)
                .expect(written)
                .into(),
        ),
        (
            "pkcs8",
            private.to_pkcs8_der().expect(written).as_bytes().to_vec(),
        ),
        (
            "pkcs8-pem",
            private
                .to_pkcs8_pem(LineEnding::LF)
                .expect(written)
                .as_bytes()
                .to_vec(),
        ),
    ]
}

/// The signing key under a passphrase, at little cost.
fn encrypted<P: Parameters>(record: &Record) -> Vec<(&'static str, Vec<u8>)> {
    let key = SigningKey::<P>::try_from(&record.secret_key[..]).expect("a stored key");
    let document = key.to_pkcs8_der().expect("a key can be written");
    let (salt, iv) = ([1; 16], [2; 16]);
    let scrypt = pbes2::ScryptParams {
        salt: pbes2::Salt::new(salt).expect("short"),
        cost_parameter: 2,
        block_size: 1,
        parallelization: 1,
        key_length: None,
    };
    let pbkdf2 = pbes2::Pbkdf2Params::hmac_sha256(1, &salt).expect("a salt");
    [("scrypt", scrypt.into()), ("pbkdf2", pbkdf2.into())]
        .map(|(name, kdf)| {
            let parameters = pbes2::Parameters {
                kdf,
                encryption: pbes2::EncryptionScheme::Aes256Cbc { iv },
            };
            let data = parameters.encrypt(PASSPHRASE, document.as_bytes());
            let data = data.expect("encrypts");
            let info = EncryptedPrivateKeyInfoRef {
                encryption_algorithm: parameters.into(),
                encrypted_data: OctetStringRef::new(&data).expect("short"),
            };
            (name, info.to_der().expect("a document"))
        })
        .to_vec()
}

/// Keys and signature as text and in a binary format.
fn serde_forms<P: Parameters>(record: &Record, signature: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let public = VerifyingKey::<P>::try_from(&record.public_key[..]).expect("a stored key");
    let private = SigningKey::<P>::try_from(&record.secret_key[..]).expect("a stored key");
    let signature = Signature::<P>::from_bytes(Format::Compressed, signature).expect("stored");
    let written = "it can be written";
    vec![
        ("vk-json", serde_json::to_vec(&public).expect(written)),
        ("sk-json", serde_json::to_vec(&private).expect(written)),
        ("sig-json", serde_json::to_vec(&signature).expect(written)),
        ("vk-binary", postcard::to_allocvec(&public).expect(written)),
        ("sk-binary", postcard::to_allocvec(&private).expect(written)),
        (
            "sig-binary",
            postcard::to_allocvec(&signature).expect(written),
        ),
    ]
}

/// Length of the signature (2 bytes, big-endian), signature, message.
fn verify_input(signature: &[u8], record: &Record) -> Vec<u8> {
    let length = u16::try_from(signature.len()).expect("short");
    [&length.to_be_bytes()[..], signature, &record.message].concat()
}
