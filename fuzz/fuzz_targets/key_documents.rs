//! Reads key documents. If a document is accepted, its key is written as a document, and reading
//! that document gives the same key. If an accepted DER document of a signing key has the field
//! `publicKey`, the field is the verifying key of the signing key. The types for any parameter set
//! accept the same documents.
#![no_main]

use falcon_core::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, PrivateKeyInfoRef,
};
use falcon_core::{
    AnySigningKey, AnyVerifyingKey, Falcon512, Falcon1024, Parameters, SigningKey, VerifyingKey,
};
use falcon_fuzz_inputs::{mutate, mutate_by};
use libfuzzer_sys::fuzz_target;

/// The keys that were read from a document.
#[derive(Default, PartialEq, Eq, Debug)]
struct Read {
    public: bool,
    private: bool,
}

fn public<P: Parameters>(key: &VerifyingKey<P>, read: &mut Read) {
    let document = key.to_public_key_der().expect("a key can be written");
    let again = VerifyingKey::<P>::from_public_key_der(document.as_bytes());
    assert!(again.as_ref() == Ok(key));
    assert!(!std::mem::replace(&mut read.public, true));
}

fn private<P: Parameters>(key: &SigningKey<P>, read: &mut Read) {
    let document = key.to_pkcs8_der().expect("a key can be written");
    let again = SigningKey::<P>::from_pkcs8_der(document.as_bytes()).expect("and read again");
    let (key, again) = (key.to_bytes(), again.to_bytes());
    assert!((*key).as_ref() == (*again).as_ref());
    assert!(!std::mem::replace(&mut read.private, true));
}

fn der<P: Parameters>(bytes: &[u8], read: &mut Read) {
    if let Ok(key) = VerifyingKey::<P>::from_public_key_der(bytes) {
        public(&key, read);
    }
    if let Ok(key) = SigningKey::<P>::from_pkcs8_der(bytes) {
        private(&key, read);
        let info = PrivateKeyInfoRef::try_from(bytes).expect("it was read");
        if let Some(beside) = info.public_key {
            assert!(beside.as_bytes() == Some(key.verifying_key().to_bytes().as_ref()));
        }
    }
}

fn pem<P: Parameters>(text: &str, read: &mut Read) {
    if let Ok(key) = VerifyingKey::<P>::from_public_key_pem(text) {
        public(&key, read);
    }
    if let Ok(key) = SigningKey::<P>::from_pkcs8_pem(text) {
        private(&key, read);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut read = Read::default();
    // Text may precede PEM.
    if let Ok(text) = str::from_utf8(bytes)
        && text.contains("-----BEGIN")
    {
        pem::<Falcon512>(text, &mut read);
        pem::<Falcon1024>(text, &mut read);
        let any = Read {
            public: AnyVerifyingKey::from_public_key_pem(text).is_ok(),
            private: AnySigningKey::from_pkcs8_pem(text).is_ok(),
        };
        assert_eq!(read, any);
    } else {
        der::<Falcon512>(bytes, &mut read);
        der::<Falcon1024>(bytes, &mut read);
        let any = Read {
            public: AnyVerifyingKey::from_public_key_der(bytes).is_ok(),
            private: AnySigningKey::from_pkcs8_der(bytes).is_ok(),
        };
        assert_eq!(read, any);
    }
});

mutate_by!(mutate::documents::mutate);
